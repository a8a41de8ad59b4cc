/* Lines that differ in digits alone. */
#include "line_shape.h"

#include <assert.h>
#include <string.h>

#include "number.h"

#define BLOCK sizeof(shape_bytes)

void line_shape_clear(struct line_shape *shape)
{
    shape->length = UINT32_MAX;
    shape->hits = 0;
}

/* ---- reading ---- */

static inline bool fits(const struct line_shape *shape, const char *p)
{
    shape_bytes good = ~(shape_bytes){0};
    for (size_t i = 0; i * BLOCK < shape->length; i++) {
        shape_bytes text;
        memcpy(&text, p + i * BLOCK, BLOCK);
        good &= (shape_bytes)(text - shape->least[i] <= shape->span[i]);
    }
    uint64_t words[2];
    memcpy(words, &good, sizeof(words));
    return (words[0] & words[1]) == UINT64_MAX;
}

/* The value of 8 bytes that are known to be digits; a shift by 8 (8 - n) bits
 * leaves the first n of them. */
static inline uint64_t digits_word(const char *p, unsigned shift)
{
    return number_value8((number_load8(p) ^ NUMBER_ZEROS) << shift, 8);
}

/* The value of n (1 to 16) digits. */
static inline uint64_t digits(const char *p, unsigned n)
{
    if (n <= 8)
        return digits_word(p, 64 - 8 * n);
    return digits_word(p, 0) * number_power10[n - 8] + digits_word(p + 8, 128 - 8 * n);
}

/* "0.331246" without its point: one digit, and n (1 to 6) after it; the shift is
 * by 8 (6 - n) bits. */
static inline uint64_t short_word(const char *p, unsigned shift)
{
    uint64_t bytes = number_load8(p) ^ NUMBER_ZEROS;
    uint64_t values = (bytes & 0xFF) << 8 | (bytes & ~UINT64_C(0xFFFF));
    return number_value8(values << shift, 8);
}

static inline void store(struct record *record, const struct shape_value *value, uint64_t number)
{
    memcpy((char *)record + value->offset, &number, sizeof(number));
}

/* Nine digits in a word and a byte, the tenth with the fraction. */
static inline uint64_t unix_seconds(const struct shape_value *value, const char *p)
{
    uint64_t front = digits_word(p, 0) * 10 + (uint64_t)(p[8] - '0');
    return front * UINT64_C(10000000000) + short_word(p + 9, value->shift) * value->scale;
}

static inline bool is_plain_text(const char *p, size_t length)
{
    bool plain = true;
    for (size_t i = 0; i < length; i++)
        plain &= p[i] != '"' && p[i] != '\\' && (unsigned char)p[i] >= 0x20;
    return plain;
}

static bool read_text(struct record *record, const struct shape_value *value, const char *p)
{
    struct str text = str_of(p, value->whole);
    if (value->field != FIELD_UNKNOWN)
        memcpy((char *)record + value->offset, &text, sizeof(text));
    return is_plain_text(p, text.len);
}

/* The kinds that are rare, out of the way of the others. */
static __attribute__((noinline)) bool read_rare(struct record *record,
                                                const struct shape_value *value, const char *p)
{
    if (value->kind == SHAPE_TEXT)
        return read_text(record, value, p);
    uint64_t number = digits(p, value->whole);
    if (value->kind == SHAPE_SECONDS) {
        number *= UINT64_C(1000000000);
        if (value->fraction > 0)
            number += digits(p + value->whole + 1, value->fraction) * value->scale;
    }
    store(record, value, number);
    return number <= (uint64_t)field_infos[value->field].max;
}

const char *line_shape_read(struct line_shape *shape, const char *p, const char *end,
                            struct record *record)
{
    if ((size_t)(end - p) < shape->length || !fits(shape, p))
        return NULL;
    bool good = true;
    const struct shape_value *last = shape->values + shape->value_count;
    for (const struct shape_value *value = shape->values; value < last; value++) {
        const char *at = p + value->place;
        if (value->kind == SHAPE_SHORT) {
            store(record, value, short_word(at, value->shift) * value->scale);
        } else if (value->kind == SHAPE_INTEGER) {
            store(record, value, digits_word(at, value->shift));
        } else if (value->kind == SHAPE_RANK) {
            record->rank = (uint32_t)digits_word(at, value->shift);
        } else if (value->kind == SHAPE_UNIX) {
            uint64_t ns = unix_seconds(value, at);
            store(record, value, ns);
            good &= ns <= (uint64_t)RECORD_BEGIN_MAX_NS;
        } else {
            good &= read_rare(record, value, at);
        }
    }
    if (!good)
        return NULL;
    record->has = shape->has;
    shape->hits++;
    return p + shape->length;
}

/* ---- learning ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void allow(struct line_shape *shape, size_t at, uint8_t least, uint8_t span)
{
    memcpy((uint8_t *)shape->least + at, &least, 1);
    memcpy((uint8_t *)shape->span + at, &span, 1);
}

/* Any digits where there are digits now, but no zero before another digit. */
static void allow_number(struct line_shape *shape, const char *line, struct shape_place place)
{
    size_t at = place.begin;
    if (line[at] == '-')
        at++;
    if (at + 1 < place.end && is_digit(line[at]) && is_digit(line[at + 1]))
        allow(shape, at++, '1', 8);
    for (; at < place.end; at++)
        if (is_digit(line[at]))
            allow(shape, at, '0', 9);
}

/* How the number of a known key is read; false when it has no kind. Kinds that
 * are not compared with a bound are those whose digits cannot exceed it. */
static bool choose_kind(struct shape_value *value, const char *p, const char *end)
{
    const char *point = memchr(p, '.', (size_t)(end - p));
    size_t whole = (size_t)((point ? point : end) - p);
    size_t fraction = point ? (size_t)(end - point) - 1 : 0;
    for (const char *q = p; q < end; q++)
        if (!is_digit(*q) && q != point)
            return false;
    if (whole < 1 || whole > 15 || fraction > 9)
        return false;
    value->whole = (uint8_t)whole;
    value->fraction = (uint8_t)fraction;
    value->scale = number_power10[9 - fraction];
    value->shift = whole <= 8 ? 64 - 8 * (unsigned)whole : 0;
    if (value->field == FIELD_RANK) {
        value->kind = SHAPE_RANK;
        return !point && whole <= 6;
    }
    if (field_infos[value->field].type == FIELD_INTEGER) {
        value->kind = whole <= 8 ? SHAPE_INTEGER : SHAPE_COUNT;
        return !point;
    }
    bool few = fraction >= 1 && fraction <= 6;
    if (few)
        value->shift = 48 - 8 * (unsigned)fraction;
    value->kind = SHAPE_SECONDS;
    if (few && whole == 1)
        value->kind = SHAPE_SHORT;
    else if (few && whole == 10 && value->field == FIELD_T)
        value->kind = SHAPE_UNIX;
    return whole <= 10;
}

static bool learn_value(struct line_shape *shape, const char *line, struct shape_place place)
{
    assert(place.begin <= place.end);
    if (!place.text) {
        allow_number(shape, line, place);
        if (place.field == FIELD_UNKNOWN)
            return true;
    }
    if (shape->value_count == LINE_SHAPE_VALUES)
        return false;
    struct shape_value *value = &shape->values[shape->value_count++];
    *value = (struct shape_value){.place = place.begin, .field = place.field};
    if (place.field != FIELD_UNKNOWN)
        value->offset = (uint16_t)field_infos[place.field].offset;
    if (!place.text)
        return choose_kind(value, line + place.begin, line + place.end);
    value->kind = SHAPE_TEXT;
    value->whole = (uint8_t)(place.end - place.begin);
    for (size_t at = place.begin; at < place.end; at++)
        allow(shape, at, 0, UINT8_MAX);
    return true;
}

bool line_shape_learn(struct line_shape *shape, const char *line, size_t length,
                      const struct shape_place *places, int place_count, uint32_t has)
{
    if (length > LINE_SHAPE_BYTES)
        return false;
    line_shape_clear(shape);
    shape->value_count = 0;
    memset(shape->least, 0, sizeof(shape->least));
    memset(shape->span, UINT8_MAX, sizeof(shape->span)); /* behind the line: anything */
    memcpy(shape->least, line, length);
    memset(shape->span, 0, length);
    for (int i = 0; i < place_count; i++)
        if (!learn_value(shape, line, places[i]))
            return false;
    shape->has = has;
    shape->length = (uint32_t)length;
    return true;
}
