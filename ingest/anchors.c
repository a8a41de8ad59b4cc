/* Anchors of all formats in one pass. */
#include "anchors.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "number.h"

#define WINDOW 5 /* bytes of a text that are looked for */
#define GROUP 4
#define STRIDE 2 /* from one group that is looked at to the next; WINDOW is GROUP + STRIDE - 1 */
#define TABLE_BITS 13
#define TABLE_SIZE (1u << TABLE_BITS)

/* A group of a text, and how far into the text it begins. */
struct group {
    const char *text;
    uint64_t begins; /* with these bytes, as far as `mask` has bits */
    uint64_t mask;
    uint64_t owner; /* one bit */
    size_t length;
    uint16_t next; /* of the slot's groups, + 1; 0: none */
    uint8_t at;
};

struct anchors {
    size_t count;
    struct group groups[ANCHORS_MAX * STRIDE];
    size_t group_count;
    uint16_t first[TABLE_SIZE]; /* of the slot's groups, + 1; 0: none */
    uint8_t filter[TABLE_SIZE]; /* 1: the slot has groups; what is looked at in the pass */
};

struct anchors *anchors_new(void)
{
    return memory_zeroed(1, sizeof(struct anchors));
}

void anchors_free(struct anchors *anchors)
{
    free(anchors);
}

static inline uint32_t group_at(const char *p)
{
    uint32_t bytes;
    memcpy(&bytes, p, GROUP);
    return bytes;
}

static inline uint32_t slot_of(uint32_t group)
{
    return (group * UINT32_C(0x9E3779B1)) >> (32 - TABLE_BITS);
}

/* How often a character stands in logs, roughly: letters by their frequency in English, digits
 * and blanks most of all. */
static unsigned commonness(char c)
{
    static const char by_frequency[] = "etaoinshrdlucmfwypvbgkjqxz";
    if (c == ' ' || c == '0' || c == '1')
        return 12;
    if (c >= '2' && c <= '9')
        return 10;
    char lower = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
    const char *place = c ? strchr(by_frequency, lower) : NULL;
    if (place)
        return (c == lower ? 11u : 6u) - (unsigned)(place - by_frequency) / 4;
    return c == '.' || c == ',' || c == '_' || c == '-' || c == '=' ? 6 : 3;
}

/* What stands in the lines of most formats: an anchor is looked for by other bytes of it. */
static const char usual[] =
    " | iteration time: training loss: step: steps epoch (ms): tokens rank: "
    "[INFO] log: size validation memory (s) ] [20, global_ = 0. lr: ";

static unsigned group_commonness(const char *bytes)
{
    char group[GROUP + 1] = {0};
    memcpy(group, bytes, GROUP);
    unsigned product = strstr(usual, group) ? 16 : 1;
    for (size_t i = 0; i < GROUP; i++)
        product *= commonness(bytes[i]);
    return product;
}

/* Where the five bytes begin that are rarest in other text. */
static size_t rarest_window(const char *text, size_t length)
{
    size_t best = 0;
    unsigned best_sum = UINT32_MAX;
    for (size_t at = 0; at + WINDOW <= length && at < UINT8_MAX; at++) {
        unsigned sum = 0;
        for (size_t i = 0; i + GROUP <= WINDOW; i++)
            sum += group_commonness(text + at + i);
        if (sum < best_sum) {
            best_sum = sum;
            best = at;
        }
    }
    return best;
}

bool anchors_add(struct anchors *anchors, const char *text, unsigned owner)
{
    size_t length = strlen(text);
    if (length < WINDOW || anchors->count == ANCHORS_MAX || owner >= ANCHORS_OWNERS_MAX)
        return false;
    anchors->count++;
    size_t window = rarest_window(text, length);
    char begins[8] = {0};
    memcpy(begins, text, length < 8 ? length : 8);
    uint64_t mask = length < 8 ? (UINT64_C(1) << 8 * length) - 1 : UINT64_MAX;
    for (size_t i = 0; i + GROUP <= WINDOW; i++) {
        uint32_t slot = slot_of(group_at(text + window + i));
        anchors->groups[anchors->group_count] = (struct group){.text = text,
                                                               .begins = number_load8(begins),
                                                               .mask = mask,
                                                               .owner = UINT64_C(1) << owner,
                                                               .length = length,
                                                               .next = anchors->first[slot],
                                                               .at = (uint8_t)(window + i)};
        anchors->first[slot] = (uint16_t)++anchors->group_count;
        anchors->filter[slot] = 1;
    }
    return true;
}

/* The owners whose text stands around the group at p + at; not those that are found already. */
static uint64_t compare(const struct anchors *anchors, const char *p, size_t at, size_t size,
                        uint64_t found)
{
    for (uint16_t i = anchors->first[slot_of(group_at(p + at))]; i != 0;) {
        const struct group *group = &anchors->groups[i - 1];
        i = group->next;
        if (at < group->at || at - group->at + group->length > size || (found & group->owner))
            continue;
        const char *text = p + (at - group->at);
        if (((number_load8(text) ^ group->begins) & group->mask) != 0 ||
            (group->length > 8 && memcmp(text + 8, group->text + 8, group->length - 8) != 0))
            continue;
        found |= group->owner;
    }
    return found;
}

uint64_t anchors_find(const struct anchors *anchors, const char *p, size_t size)
{
    uint64_t found = 0;
    const uint8_t *filter = anchors->filter;
    size_t at = 0;
    for (; at + 3 * STRIDE + GROUP <= size; at += 4 * STRIDE) {
        uint32_t a = slot_of(group_at(p + at)), b = slot_of(group_at(p + at + STRIDE)),
                 c = slot_of(group_at(p + at + 2 * STRIDE)),
                 d = slot_of(group_at(p + at + 3 * STRIDE));
        if (__builtin_expect((filter[a] | filter[b] | filter[c] | filter[d]) == 0, 1))
            continue;
        unsigned passed = filter[a] | (unsigned)filter[b] << 1 | (unsigned)filter[c] << 2 |
                          (unsigned)filter[d] << 3;
        for (; passed; passed &= passed - 1)
            found = compare(anchors, p, at + (size_t)__builtin_ctz(passed) * STRIDE, size, found);
    }
    for (; at + GROUP <= size; at += STRIDE)
        if (filter[slot_of(group_at(p + at))])
            found = compare(anchors, p, at, size, found);
    return found;
}
