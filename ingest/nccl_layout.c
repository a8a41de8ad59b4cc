/* Lines with the same keys in the same order. */
#include "nccl_layout.h"

#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "json_push.h"
#include "json_scan.h"
#include "memory.h"

#define LINE_MOST UINT16_MAX
#define VALUES_MAX 1024
#define NEAR 64         /* bytes: lines whose lengths differ by more are not alike */
#define TRIES_MOST 3    /* of a line */
#define IN_VAIN_MOST 32 /* from here on few lines are learned */
#define LEARNED_OF 16

/* A valid number, or a string without a backslash, in a line. */
struct nccl_layout_value {
    uint16_t begin, end; /* of a string: between its quotes */
    bool text : 1;
    bool asked : 1; /* the record depends on it */
    uint8_t key;    /* when it is asked */
};

static void layout_done(struct nccl_layout *layout)
{
    free(layout->text);
    free(layout->values);
    free(layout->numbers);
    *layout = (struct nccl_layout){0};
}

void nccl_layouts_done(struct nccl_layouts *layouts)
{
    for (size_t i = 0; i < NCCL_LAYOUTS; i++)
        layout_done(&layouts->list[i]);
    *layouts = (struct nccl_layouts){0};
}

/* ---- learning: of lines that are valid ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Of what json_push.c takes for a number or a constant. */
static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '-' || c == '+';
}

static size_t word_end(struct str line, size_t at)
{
    while (at < line.len && is_word(line.p[at]))
        at++;
    return at;
}

/* Of a string whose inside begins there; SIZE_MAX: it has none. */
static size_t text_end(struct str line, size_t at)
{
    const char *close = memchr(line.p + at, '"', line.len - at);
    return close ? (size_t)(close - line.p) : SIZE_MAX;
}

static bool is_key(struct str line, size_t close)
{
    for (close++; close < line.len && is_blank(line.p[close]);)
        close++;
    return close < line.len && line.p[close] == ':';
}

/* The next value from *at on; *at comes to be behind it. False: there is none. */
static bool next_value(struct str line, size_t *at, struct nccl_layout_value *ret)
{
    while (*at < line.len) {
        size_t begin = *at, end = *at;
        bool text = line.p[begin] == '"', value = false;
        if (text) {
            end = text_end(line, ++begin);
            if (end == SIZE_MAX)
                return false;
            value = !is_key(line, end);
        } else if (is_word(line.p[begin])) {
            end = word_end(line, begin);
            value = json_number_end(line.p + begin, line.p + end) == line.p + end;
        }
        *at = text || end == begin ? end + 1 : end;
        if (!value)
            continue; /* as it stands there */
        *ret = (struct nccl_layout_value){
            .begin = (uint16_t)begin, .end = (uint16_t)end, .text = text};
        return true;
    }
    return false;
}

/* Whether the value is the one that was asked for there. */
static bool is_asked(const struct nccl_layout_value *value, struct str line,
                     const struct nccl_place *place)
{
    return place->at == line.p + value->begin && place->text == value->text;
}

/* A key with two texts: which one is the record's depends on both. */
static bool has_two_texts(const struct nccl_layout_value *values, size_t count)
{
    uint64_t keys = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t bit = UINT64_C(1) << (values[i].key & 63);
        if (!values[i].asked || !values[i].text)
            continue;
        if (keys & bit)
            return true;
        keys |= bit;
    }
    return false;
}

static void remember(struct nccl_layout *layout, const struct nccl_places *places)
{
    size_t numbers = 0;
    layout->numbers = memory_zeroed(places->count + 1, sizeof(*layout->numbers));
    for (size_t i = 0; i < places->count; i++) {
        const struct nccl_place *place = &places->list[i];
        struct str text = str_of(place->at, place->length);
        if (place->text)
            nccl_text_put(&layout->record, place->key, text);
        else
            layout->numbers[numbers++] = nccl_number_read(place->key, text);
    }
}

static bool learn(struct nccl_layout *layout, struct str line, const struct nccl_record *record,
                  const struct nccl_places *places)
{
    struct nccl_layout_value values[VALUES_MAX], value;
    size_t count = 0, asked = 0, at = 0;
    if (line.len > LINE_MOST || line.len == 0 || places->count > NCCL_PLACES_MAX ||
        line.p[line.len - 1] != '}' || memchr(line.p, '\\', line.len))
        return false;
    while (next_value(line, &at, &value)) {
        if (count == VALUES_MAX)
            return false;
        if (asked < places->count && is_asked(&value, line, &places->list[asked])) {
            value.asked = true;
            value.key = places->list[asked++].key;
        }
        values[count++] = value;
    }
    if (asked != places->count || has_two_texts(values, count))
        return false;
    layout_done(layout);
    layout->text = memory_copied(line.p, line.len, 1);
    layout->length = line.len;
    layout->values = memory_copied(values, count, sizeof(values[0]));
    layout->count = count;
    layout->record = nccl_record_none();
    layout->record.kind = record->kind;
    remember(layout, places);
    return true;
}

/* ---- reading ---- */

/* How many bytes are the same at the front of both. */
static size_t equal_bytes(const char *a, const char *b, size_t length)
{
    size_t at = 0;
#ifdef __SSE2__
    for (; length - at >= 16; at += 16) {
        __m128i equal = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(a + at)),
                                       _mm_loadu_si128((const __m128i *)(b + at)));
        int mask = _mm_movemask_epi8(equal);
        if (mask != 0xffff)
            return at + (size_t)__builtin_ctz(~(unsigned)mask);
    }
#endif
    while (at < length && a[at] == b[at])
        at++;
    return at;
}

/* The value at p, which is another than that of the layout: the place behind it. NULL: it is none
 * of its type. That the right byte follows is for the caller to see. */
static const char *read_value(const struct nccl_layout_value *value, const char *p, const char *end,
                              struct nccl_record *record)
{
    const char *begin = p;
    if (value->text) {
        while (p < end && *p != '"' && *p != '\\')
            p++;
        size_t length = (size_t)(p - begin);
        if (value->asked)
            nccl_text_put(record, value->key,
                          str_of(begin, length < JSON_TEXT_MAX ? length : JSON_TEXT_MAX));
        return p;
    }
    p = json_number_end(begin, end);
    if (p && value->asked) {
        struct nccl_number number =
            nccl_number_read(value->key, str_of(begin, (size_t)(p - begin)));
        nccl_number_put(record, value->key, &number);
    }
    return p;
}

/* Whether the line is like the layout; the record is not of use when it is not. */
static bool read_like(const struct nccl_layout *layout, struct nccl_record *record, struct str line)
{
    const struct nccl_layout_value *value = layout->values, *last = value + layout->count;
    const struct nccl_number *number = layout->numbers;
    const char *p = line.p, *end = line.p + line.len;
    size_t at = 0; /* in the layout, where p is in the line */
    *record = layout->record;
    for (;; value++) {
        size_t left = layout->length - at, rest = (size_t)(end - p);
        size_t equal = equal_bytes(layout->text + at, p, left < rest ? left : rest);
        at += equal;
        p += equal;
        for (; value < last && value->end < at; value++) /* what is behind it is the same, too */
            if (value->asked && !value->text)
                nccl_number_put(record, value->key, number++);
        if (value == last || value->begin > at)
            break;
        p = read_value(value, p - (at - value->begin), end, record);
        if (!p)
            return false;
        number += value->asked && !value->text;
        at = value->end;
    }
    nccl_record_end(record);
    return at == layout->length && p == end;
}

static bool read_forward(struct nccl_layouts *layouts, struct nccl_record *record, struct str text)
{
    uint8_t first = layouts->after[layouts->last];
    int tries = 0;
    for (uint8_t i = 0; i < layouts->count && tries < TRIES_MOST; i++) {
        uint8_t at = i == 0 ? first : i <= first ? (uint8_t)(i - 1) : i;
        size_t length = layouts->list[at].length;
        if (length > text.len + NEAR || text.len > length + NEAR)
            continue;
        tries++;
        if (!read_like(&layouts->list[at], record, text))
            continue;
        layouts->after[layouts->last] = at;
        layouts->last = at;
        return true;
    }
    return false;
}

bool nccl_layouts_read(struct nccl_layouts *layouts, struct nccl_record *record, struct str text)
{
    struct nccl_places places;
    if (read_forward(layouts, record, text)) {
        layouts->in_vain -= layouts->in_vain > 0;
        return true;
    }
    layouts->in_vain++;
    if (layouts->in_vain > IN_VAIN_MOST + LEARNED_OF)
        layouts->in_vain = IN_VAIN_MOST;
    if (layouts->in_vain > IN_VAIN_MOST)
        return nccl_record_read(record, text, NULL);
    if (!nccl_record_read(record, text, &places))
        return false;
    uint8_t at = layouts->count < NCCL_LAYOUTS ? layouts->count : layouts->oldest;
    if (record->kind == NCCL_NOTHING || !learn(&layouts->list[at], text, record, &places))
        return true;
    layouts->oldest = (uint8_t)((at + 1) % NCCL_LAYOUTS);
    layouts->count += layouts->count < NCCL_LAYOUTS;
    layouts->after[layouts->last] = at;
    layouts->after[at] = at;
    layouts->last = at;
    return true;
}
