/* Lines that differ in digits alone. */
#include "line_shape.h"

#include <assert.h>
#include <string.h>

#include "number.h"

#if defined(__SSE2__) && !defined(LINE_SHAPE_PORTABLE)
#include <emmintrin.h>
#define LINE_SHAPE_SSE2
#endif

#define BLOCK sizeof(shape_bytes)

void line_shape_clear(struct line_shape *shape)
{
    shape->length = UINT32_MAX;
    shape->hits = 0;
}

/* ---- reading ---- */

#ifdef LINE_SHAPE_SSE2

static inline bool fits(const struct line_shape *shape, const char *p)
{
    __m128i over = _mm_setzero_si128();
    for (size_t i = 0; i * BLOCK < shape->length; i++) {
        __m128i text = _mm_loadu_si128((const __m128i *)(p + i * BLOCK));
        text = _mm_sub_epi8(text, (__m128i)shape->least[i]);
        over = _mm_or_si128(over, _mm_subs_epu8(text, (__m128i)shape->span[i]));
    }
    return _mm_movemask_epi8(_mm_cmpeq_epi8(over, _mm_setzero_si128())) == 0xFFFF;
}

/* Two numbers from their bytes to fours: high and low of the first, of the second. */
static inline __m128i weigh_two(const struct shape_lanes *lanes, int lane, const char *line)
{
    __m128i first = _mm_loadl_epi64((const __m128i *)(line + lanes->place[lane]));
    __m128i second = _mm_loadl_epi64((const __m128i *)(line + lanes->place[lane + 1]));
    __m128i zero = _mm_setzero_si128();
    __m128i bytes = _mm_sub_epi8(_mm_unpacklo_epi64(first, second), _mm_set1_epi8('0'));
    const __m128i *pair = (const __m128i *)lanes->pair[lane];
    first = _mm_madd_epi16(_mm_unpacklo_epi8(bytes, zero), pair[0]);
    second = _mm_madd_epi16(_mm_unpackhi_epi8(bytes, zero), pair[1]);
    return _mm_madd_epi16(_mm_packs_epi32(first, second), *(const __m128i *)lanes->four[lane]);
}

static inline void weigh_four(const struct shape_lanes *lanes, int lane, const char *line,
                              uint32_t ret[4])
{
    __m128i fours = _mm_packs_epi32(weigh_two(lanes, lane, line), weigh_two(lanes, lane + 2, line));
    _mm_storeu_si128((__m128i *)ret, _mm_madd_epi16(fours, *(const __m128i *)lanes->eight[lane]));
}

#else

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

static inline int32_t weigh(const struct shape_lanes *lanes, int lane, const char *line)
{
    const char *p = line + lanes->place[lane];
    int32_t fours[2];
    for (int i = 0; i < 2; i++) {
        int32_t pairs[2];
        for (int k = 0; k < 2; k++) {
            int at = 4 * i + 2 * k;
            pairs[k] = (uint8_t)(p[at] - '0') * lanes->pair[lane][at] +
                       (uint8_t)(p[at + 1] - '0') * lanes->pair[lane][at + 1];
        }
        fours[i] = pairs[0] * lanes->four[lane][2 * i] + pairs[1] * lanes->four[lane][2 * i + 1];
    }
    return fours[0] * lanes->eight[lane][0] + fours[1] * lanes->eight[lane][1];
}

static inline void weigh_four(const struct shape_lanes *lanes, int lane, const char *line,
                              uint32_t ret[4])
{
    for (int i = 0; i < 4; i++)
        ret[i] = (uint32_t)weigh(lanes, lane + i, line);
}

#endif

static inline void store(struct record *record, const struct shape_value *value, uint64_t number)
{
    memcpy((char *)record + value->offset, &number, sizeof(number));
}

/* "1795961553.352638": eight digits, one, and one with the fraction. */
static inline bool put_unix(struct record *record, const uint32_t *numbers, char ninth)
{
    uint64_t front = (uint64_t)numbers[0] * 10 + (uint64_t)(ninth - '0');
    uint64_t ns = front * UINT64_C(10000000000) + (uint64_t)numbers[1] * 1000;
    record->begin_ns = (int64_t)ns;
    return ns <= (uint64_t)RECORD_BEGIN_MAX_NS;
}

static bool read_text(struct record *record, const struct shape_value *value, const char *p)
{
    struct str text = str_of(p, value->whole);
    bool plain = true;
    if (value->field != FIELD_UNKNOWN)
        memcpy((char *)record + value->offset, &text, sizeof(text));
    for (size_t i = 0; i < text.len; i++)
        plain &= p[i] != '"' && p[i] != '\\' && (unsigned char)p[i] >= 0x20;
    return plain;
}

/* The value of n (1 to 16) digits. */
static uint64_t digits(const char *p, unsigned n)
{
    uint64_t first = number_load8(p) ^ NUMBER_ZEROS;
    if (n <= 8)
        return number_value8(first, n);
    return number_value8(first, 8) * number_power10[n - 8] +
           number_value8(number_load8(p + 8) ^ NUMBER_ZEROS, n - 8);
}

/* The kinds that are rare, out of the way of the others; they are compared with
 * their bound. */
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
    const struct field_info *info = &field_infos[value->field];
    return number <= (uint64_t)info->max && number >= (uint64_t)info->min;
}

const char *line_shape_read(struct line_shape *shape, const char *p, const char *end,
                            struct record *record)
{
    if ((size_t)(end - p) < shape->length || !fits(shape, p))
        return NULL;
    uint32_t numbers[LINE_SHAPE_LANES];
    for (int lane = 0; lane < shape->lane_count; lane += 4)
        weigh_four(&shape->lanes, lane, p, numbers + lane);
    bool good = true;
    const uint32_t *number = numbers;
    const struct shape_value *last = shape->values + shape->value_count;
    for (const struct shape_value *value = shape->values; value < last; value++) {
        if (value->kind == SHAPE_NUMBER) {
            store(record, value, (uint64_t)*number++ * value->scale);
        } else if (value->kind == SHAPE_RANK) {
            record->rank = *number++;
        } else if (value->kind == SHAPE_UNIX) {
            good &= put_unix(record, number, p[value->place + 8]);
            number += 2;
        } else {
            good &= read_rare(record, value, p + value->place);
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

/* A lane for the number that ends at `end` and has n digits in the 8 bytes before
 * it; one of these bytes may be the point. False when there is no lane left. */
static bool add_lane(struct line_shape *shape, const char *line, size_t end, int n)
{
    static const int16_t powers[] = {1, 10, 100, 1000, 10000};
    struct shape_lanes *lanes = &shape->lanes;
    if (end < 8 || shape->lane_count == LINE_SHAPE_LANES)
        return false;
    int lane = shape->lane_count++;
    lanes->place[lane] = (uint16_t)(end - 8);
    memset(lanes->pair[lane], 0, sizeof(lanes->pair[lane]));
    int after = 0;                                /* digits of the number behind this place: */
    int pair_after[4] = {0}, four_after[2] = {0}; /* of the byte, its pair, its four */
    for (int at = 7; at >= 0; at--) {
        if (at % 2 == 1)
            pair_after[at / 2] = after;
        if (at % 4 == 3)
            four_after[at / 4] = after;
        if (after == n || !is_digit(line[end - 8 + (size_t)at]))
            continue;
        lanes->pair[lane][at] = powers[after - pair_after[at / 2]];
        after++;
    }
    for (int pair = 0; pair < 4; pair++)
        lanes->four[lane][pair] = powers[pair_after[pair] - four_after[pair / 2]];
    lanes->eight[lane][0] = powers[four_after[0]];
    lanes->eight[lane][1] = 1;
    return true;
}

/* Whether no number of so many digits is out of the bounds of its key. */
static bool is_always_within(const struct shape_value *value, bool seconds)
{
    const struct field_info *info = &field_infos[value->field];
    if (info->min > 0)
        return false;
    if (seconds)
        return (uint64_t)number_power10[value->whole] * UINT64_C(1000000000) - 1 <=
               (uint64_t)info->max;
    return value->whole < 10 && number_power10[value->whole] - 1 <= (uint64_t)info->max;
}

/* The number of a known key goes into a lane when its digits cannot exceed the
 * bound of the key. */
static bool add_number(struct line_shape *shape, struct shape_value *value, const char *line,
                       size_t end)
{
    bool seconds = field_infos[value->field].type == FIELD_SECONDS;
    int n = value->whole + value->fraction;
    if (value->field == FIELD_T && value->whole == 10 && value->fraction == 6 && end >= 17 &&
        shape->lane_count + 2 <= LINE_SHAPE_LANES) {
        value->kind = SHAPE_UNIX;
        return add_lane(shape, line, value->place + 8u, 8) && add_lane(shape, line, end, 7);
    }
    value->kind = value->field == FIELD_RANK ? SHAPE_RANK : SHAPE_NUMBER;
    if (n + (value->fraction > 0) <= 8 && is_always_within(value, seconds) &&
        add_lane(shape, line, end, n))
        return true;
    value->kind = seconds ? SHAPE_SECONDS : SHAPE_COUNT;
    return value->field != FIELD_RANK;
}

/* False when the number of a known key is of no kind that is read here. */
static bool learn_number(struct line_shape *shape, struct shape_value *value, const char *line,
                         struct shape_place place)
{
    const char *p = line + place.begin, *end = line + place.end;
    const char *point = memchr(p, '.', (size_t)(end - p));
    size_t whole = (size_t)((point ? point : end) - p);
    size_t fraction = point ? (size_t)(end - point) - 1 : 0;
    bool seconds = field_infos[value->field].type == FIELD_SECONDS;
    for (const char *q = p; q < end; q++)
        if (!is_digit(*q) && q != point)
            return false;
    if (whole < 1 ||
        whole > (value->field == FIELD_RANK ? 6
                 : seconds                  ? 10
                                            : 15) ||
        fraction > (seconds ? 9 : 0) || (point && fraction == 0))
        return false;
    value->whole = (uint8_t)whole;
    value->fraction = (uint8_t)fraction;
    value->scale = seconds ? number_power10[9 - fraction] : 1;
    return add_number(shape, value, line, place.end);
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
        return learn_number(shape, value, line, place);
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
    shape->value_count = shape->lane_count = 0;
    memset(&shape->lanes, 0, sizeof(shape->lanes));
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
