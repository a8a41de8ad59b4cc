/* Anchors of all formats in one pass. */
#include "anchors.h"

#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__) && !defined(LINE_SHAPE_PORTABLE)
#include <emmintrin.h>
#endif

#include "memory.h"
#include "number.h"

#define WINDOW 5 /* bytes of a text that are looked for */
#define GROUP 4
#define STRIDE 2 /* from one group that is looked at to the next; WINDOW is GROUP + STRIDE - 1 */
#define ROUND 16 /* bytes whose groups are looked up at once */
#define SLOT_BITS 14
#define SLOTS (1u << SLOT_BITS)
#define CHAINS 2048 /* of groups; several slots share one */
#define MULTIPLY_FIRST 0x9E37
#define MULTIPLY_SECOND 0x79B1

/* A group of a text, and how far into the text it begins. */
struct group {
    const char *text;
    uint64_t begins; /* with these bytes, as far as `mask` has bits */
    uint64_t mask;
    uint64_t owner; /* one bit */
    size_t length;
    uint32_t bytes; /* of the group */
    uint16_t next;  /* of the chain's groups, + 1; 0: none */
    uint8_t at;
};

struct anchors {
    size_t count;
    struct group groups[ANCHORS_MAX * STRIDE];
    size_t group_count;
    uint16_t first[CHAINS]; /* of the chain's groups, + 1; 0: none */
    uint8_t filter[SLOTS];  /* 1: the slot has groups; what is looked at in the pass */
};

struct anchors *anchors_new(void)
{
    return memory_zeroed(1, sizeof(struct anchors));
}

void anchors_free(struct anchors *anchors)
{
    free(anchors);
}

static inline uint32_t load4(const char *p)
{
    uint32_t bytes;
    memcpy(&bytes, p, GROUP);
    return bytes;
}

/* The slot of the group at p: of its two halves, in 16 bits as the vectors have them. */
static inline unsigned slot_at(const char *p)
{
    uint16_t first, second;
    memcpy(&first, p, 2);
    memcpy(&second, p + 2, 2);
    uint32_t sum = (uint32_t)first * MULTIPLY_FIRST + (uint32_t)second * MULTIPLY_SECOND;
    return (uint16_t)sum >> (16 - SLOT_BITS);
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
    "[INFO] log: size validation memory (s) ] [20, global_ = 0. lr: .... ... checkpoint Training "
    "train_ val loss GPU: MB/s] it/s] num_ batch_ rank ";

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
        unsigned slot = slot_at(text + window + i);
        uint16_t *first = &anchors->first[slot % CHAINS];
        anchors->groups[anchors->group_count] = (struct group){.text = text,
                                                               .begins = number_load8(begins),
                                                               .mask = mask,
                                                               .owner = UINT64_C(1) << owner,
                                                               .length = length,
                                                               .next = *first,
                                                               .bytes = load4(text + window + i),
                                                               .at = (uint8_t)(window + i)};
        *first = (uint16_t)++anchors->group_count;
        anchors->filter[slot] = 1;
    }
    return true;
}

/* The owners whose text stands around the group at p + at; not those that are found already. */
static uint64_t compare(const struct anchors *anchors, unsigned slot, const char *p, size_t at,
                        size_t size, uint64_t found)
{
    uint32_t bytes = load4(p + at);
    for (uint16_t i = anchors->first[slot % CHAINS]; i != 0;) {
        const struct group *group = &anchors->groups[i - 1];
        i = group->next;
        if (group->bytes != bytes || at < group->at || at - group->at + group->length > size ||
            (found & group->owner))
            continue;
        const char *text = p + (at - group->at);
        if (((number_load8(text) ^ group->begins) & group->mask) != 0 ||
            (group->length > 8 && memcmp(text + 8, group->text + 8, group->length - 8) != 0))
            continue;
        found |= group->owner;
    }
    return found;
}

/* Those of the groups that begin at even places of the ROUND bytes at p. */
struct slots {
#if defined(__SSE2__) && !defined(LINE_SHAPE_PORTABLE)
    __m128i of;
#else
    uint16_t of[ROUND / STRIDE];
#endif
};

static inline struct slots slots_of_round(const char *p)
{
    struct slots slots;
#if defined(__SSE2__) && !defined(LINE_SHAPE_PORTABLE)
    __m128i first =
        _mm_mullo_epi16(_mm_loadu_si128((const __m128i *)p), _mm_set1_epi16((short)MULTIPLY_FIRST));
    __m128i second = _mm_mullo_epi16(_mm_loadu_si128((const __m128i *)(p + 2)),
                                     _mm_set1_epi16((short)MULTIPLY_SECOND));
    slots.of = _mm_srli_epi16(_mm_add_epi16(first, second), 16 - SLOT_BITS);
#else
    for (size_t i = 0; i < ROUND / STRIDE; i++)
        slots.of[i] = (uint16_t)slot_at(p + i * STRIDE);
#endif
    return slots;
}

#if defined(__SSE2__) && !defined(LINE_SHAPE_PORTABLE)
#define SLOT(slots, i) ((unsigned)_mm_extract_epi16((slots).of, i))
#else
#define SLOT(slots, i) ((unsigned)(slots).of[i])
#endif

/* A round in which a group may be one of a text. */
static __attribute__((noinline)) uint64_t
compare_round(const struct anchors *anchors, const char *p, size_t at, size_t size, uint64_t found)
{
    struct slots slots = slots_of_round(p + at);
    uint16_t slot[ROUND / STRIDE];
    memcpy(slot, &slots, sizeof(slot));
    unsigned passed = 0;
    for (unsigned i = 0; i < ROUND / STRIDE; i++)
        passed |= (unsigned)anchors->filter[slot[i]] << i;
    for (; passed; passed &= passed - 1) {
        size_t i = (size_t)__builtin_ctz(passed);
        found = compare(anchors, slot[i], p, at + i * STRIDE, size, found);
    }
    return found;
}

uint64_t anchors_find(const struct anchors *anchors, const char *p, size_t size)
{
    uint64_t found = 0;
    const uint8_t *filter = anchors->filter;
    for (size_t at = 0; at + GROUP <= size; at += ROUND) {
        struct slots slots = slots_of_round(p + at);
        unsigned any = filter[SLOT(slots, 0)] | filter[SLOT(slots, 1)] | filter[SLOT(slots, 2)] |
                       filter[SLOT(slots, 3)] | filter[SLOT(slots, 4)] | filter[SLOT(slots, 5)] |
                       filter[SLOT(slots, 6)] | filter[SLOT(slots, 7)];
        if (__builtin_expect(any != 0, 0))
            found = compare_round(anchors, p, at, size, found);
    }
    return found;
}
