/* The strict pass over a record's JSON. */
#include "json_scan.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "number.h"
#include "str.h"

#define DEPTH_MAX 64
#define NUMBER_MAX_BYTES 63

static inline const char *skip_blanks(const char *p, const char *end)
{
    if (p<end && * p> ' ') /* mostly */
        return p;
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
        p++;
    return p;
}

static inline const char *digits_end(const char *p, const char *end)
{
    while (end - p >= 8) {
        uint64_t bytes = number_load8(p);
        unsigned n = number_digits8(&bytes);
        p += n;
        if (n < 8)
            return p;
    }
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p;
}

const char *json_number_end(const char *p, const char *end)
{
    const char *begin = p;
    if (p < end && *p == '-')
        p++;
    const char *digits = p;
    p = digits_end(p, end);
    if (p == digits || (*digits == '0' && p > digits + 1))
        return NULL;
    if (p < end && *p == '.') {
        const char *fraction = ++p;
        p = digits_end(p, end);
        if (p == fraction)
            return NULL;
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        if (p < end && (*p == '+' || *p == '-'))
            p++;
        const char *exponent = p;
        p = digits_end(p, end);
        if (p == exponent)
            return NULL;
    }
    return p - begin <= NUMBER_MAX_BYTES ? p : NULL;
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* The place after the escape whose '\\' is at p, NULL when it is none. */
static const char *escape_end(const char *p, const char *end)
{
    if (end - p < 2)
        return NULL;
    if (p[1] != 'u')
        return memchr("\"\\/bfnrt", p[1], 8) ? p + 2 : NULL;
    for (int i = 2; i < 6; i++)
        if (end - p <= i || !is_hex(p[i]))
            return NULL;
    return p + 6;
}

/* The first place from p on with a quote, a backslash or a control character; end: none. */
static inline const char *find_special(const char *p, const char *end)
{
#ifdef __SSE2__
    const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
    const __m128i control = _mm_set1_epi8(0x1f);
    for (; end - p >= 16; p += 16) {
        __m128i part = _mm_loadu_si128((const __m128i *)p);
        __m128i found = _mm_or_si128(_mm_cmpeq_epi8(part, quote), _mm_cmpeq_epi8(part, backslash));
        found = _mm_or_si128(found, _mm_cmpeq_epi8(_mm_min_epu8(part, control), part));
        int mask = _mm_movemask_epi8(found);
        if (mask)
            return p + __builtin_ctz((unsigned)mask);
    }
#endif
    while (p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20)
        p++;
    return p;
}

/* The place after the string whose first quote is at p, NULL when it is not
 * one. *escaped comes back true when it holds a backslash. */
static inline const char *string_end(const char *p, const char *end, bool *escaped)
{
    for (p = find_special(p + 1, end); p < end; p = find_special(p, end)) {
        if (*p == '"')
            return p + 1;
        if (*p != '\\')
            return NULL;
        *escaped = true;
        p = escape_end(p, end);
        if (!p)
            return NULL;
    }
    return NULL;
}

const char *json_string_end(const char *p, const char *end, bool *escaped)
{
    return string_end(p, end, escaped);
}

static const char *constant_end(const char *p, const char *end)
{
    static const char *const constants[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++) {
        size_t len = strlen(constants[i]);
        if ((size_t)(end - p) >= len && memcmp(p, constants[i], len) == 0)
            return p + len;
    }
    return NULL;
}

/* The place after a value that holds no others. */
static inline const char *scalar_end(const char *p, const char *end)
{
    bool escaped = false;
    if (p == end)
        return NULL;
    if (*p == '"')
        return string_end(p, end, &escaped);
    if (*p == '-' || (*p >= '0' && *p <= '9'))
        return json_number_end(p, end);
    return constant_end(p, end);
}

/* The place after the colon at p and the blanks around it; NULL when there is none. */
static inline const char *colon_end(const char *p, const char *end)
{
    p = skip_blanks(p, end);
    return p < end && *p == ':' ? skip_blanks(p + 1, end) : NULL;
}

/* "key" : with what stands around it; NULL when it is not there. */
static const char *key_end(const char *p, const char *end)
{
    bool escaped = false;
    if (p == end || *p != '"' || !(p = string_end(p, end, &escaped)))
        return NULL;
    return colon_end(p, end);
}

bool json_valid(const char *p, const char *end, const char **ret_end, const char **ret_why)
{
    char close[DEPTH_MAX]; /* of the values we are in */
    int depth = 0;
    *ret_why = "it is not valid JSON";
    for (;;) {
        /* A value begins here. */
        if (p < end && (*p == '{' || *p == '[')) {
            if (depth == DEPTH_MAX) {
                *ret_why = "it is nested deeper than 64";
                return false;
            }
            char closing = *p == '{' ? '}' : ']';
            p = skip_blanks(p + 1, end);
            if (p == end || *p != closing) {
                close[depth++] = closing;
                if (closing == '}' && !(p = key_end(p, end)))
                    return false;
                continue;
            }
            p++;
        } else if (!(p = scalar_end(p, end))) {
            return false;
        }
        /* A value has ended here. */
        const char *after = skip_blanks(p, end);
        while (depth > 0 && after < end && *after == close[depth - 1]) {
            depth--;
            p = after + 1;
            after = skip_blanks(p, end);
        }
        if (depth == 0) {
            *ret_end = p;
            return true;
        }
        if (after == end || *after != ',')
            return false;
        p = skip_blanks(after + 1, end);
        if (close[depth - 1] == '}' && !(p = key_end(p, end)))
            return false;
    }
}

/* The decimals in [p, end) in nanoseconds, rounded half up. */
static int64_t decimals_ns(const char *p, const char *end)
{
    int64_t ns = 0, unit = 100000000;
    for (; p < end && unit > 0; p++, unit /= 10)
        ns += (*p - '0') * unit;
    return ns + (p < end && *p >= '5');
}

enum scan_result json_put_number(struct record *record, enum field field, const char *p,
                                 const char *end, const char **ret_why)
{
    bool seconds = field_infos[field].type == FIELD_SECONDS;
    const char *q = digits_end(p, end);
    int64_t value = 0;
    bool exact = q > p && q - p <= (seconds ? 10 : 18);
    for (const char *digit = p; exact && digit < q; digit++)
        value = value * 10 + (*digit - '0');
    if (seconds && exact) {
        exact = value < INT64_C(9000000000);
        value = exact ? value * INT64_C(1000000000) : 0;
        if (q < end && *q == '.') {
            const char *decimals = q + 1;
            q = digits_end(decimals, end);
            value += decimals_ns(decimals, q);
        }
    }
    if (exact && q == end)
        return field_put(record, field, value, ret_why) ? SCAN_OK : SCAN_RANGE;
    double number;
    if (!str_to_double(str_of(p, (size_t)(end - p)), &number)) {
        *ret_why = field_infos[field].range;
        return SCAN_RANGE;
    }
    return field_put_double(record, field, number, ret_why) ? SCAN_OK : SCAN_RANGE;
}

/* The place after the value at p; NULL: it is none. */
static inline const char *value_at(const char *p, const char *end)
{
    const char *why, *value_end;
    if (p < end && *p != '{' && *p != '[')
        return scalar_end(p, end);
    return json_valid(p, end, &value_end, &why) ? value_end : NULL;
}

bool json_next_member(const char **at, const char *end, struct str *ret_key, struct str *ret_value)
{
    bool escaped;
    const char *key = skip_blanks(*at + 1, end);
    if (key == end || *key != '"')
        return false;
    const char *key_after = string_end(key, end, &escaped);
    const char *value = key_after ? colon_end(key_after, end) : NULL;
    const char *value_end = value ? value_at(value, end) : NULL;
    if (!value_end)
        return false;
    *ret_key = str_of(key + 1, (size_t)(key_after - key) - 2);
    *ret_value = str_of(value, (size_t)(value_end - value));
    *at = skip_blanks(value_end, end);
    return true;
}

static void note_value(struct scan_values *values, size_t begin, size_t end, enum field field,
                       int type)
{
    int i = values->count++;
    if (i >= SCAN_VALUES_MAX)
        return;
    values->at[i].begin = begin;
    values->at[i].end = end;
    values->at[i].field = field;
    values->at[i].type = type;
}

/* The value at p of a key; *ret_end is the place after it. */
static enum scan_result scan_value(const char *object, const char *p, const char *end,
                                   enum field field, struct record *record,
                                   struct scan_values *values, const char **ret_end,
                                   const char **ret_why)
{
    enum field_type type = field < FIELD_COUNT ? field_infos[field].type : FIELD_FLAG;
    const char *after = NULL;
    size_t begin = (size_t)(p - object);
    if (p < end && (*p == '{' || *p == '['))
        return SCAN_UNUSUAL;
    if (type == FIELD_WORD)
        record->has &= ~field_infos[field].bit;
    if (p < end && *p == '"') {
        bool escaped = false;
        after = string_end(p, end, &escaped);
        if (after && escaped)
            return SCAN_UNUSUAL;
        if (after && type == FIELD_WORD) { /* it decides what is there: as it is, or not at all */
            field_put_event(record, str_of(p + 1, (size_t)(after - p) - 2));
            note_value(values, begin, (size_t)(after - object), field, SCAN_CONSTANT);
            *ret_end = after;
            return SCAN_OK;
        }
        if (after && type == FIELD_TEXT)
            field_put_text(record, field, str_of(p + 1, (size_t)(after - p) - 2));
        if (after)
            note_value(values, begin + 1, (size_t)(after - object) - 1, field, SCAN_TEXT);
    } else if (p < end && (*p == '-' || (*p >= '0' && *p <= '9'))) {
        after = json_number_end(p, end);
        if (after) {
            note_value(values, begin, (size_t)(after - object),
                       type == FIELD_WORD ? FIELD_UNKNOWN : field, SCAN_NUMBER);
            if (type == FIELD_INTEGER || type == FIELD_SECONDS) {
                enum scan_result result = json_put_number(record, field, p, after, ret_why);
                if (result != SCAN_OK)
                    return result;
            }
        }
    } else if (p < end && (after = constant_end(p, end))) {
        if (field != FIELD_UNKNOWN)
            record->has &= ~field_infos[field].bit;
        if (type == FIELD_FLAG && field != FIELD_UNKNOWN && *p == 't')
            record->has |= field_infos[field].bit;
        note_value(values, begin, (size_t)(after - object), field, SCAN_CONSTANT);
    }
    *ret_end = after;
    return after ? SCAN_OK : SCAN_INVALID;
}

/* A time or a number in quotes ("0.3"), or a text that is a number, is not what
 * the key must hold. */
static bool wrong_type(enum field field, char first)
{
    if (field >= FIELD_COUNT || first == 'n')
        return false;
    switch (field_infos[field].type) {
    case FIELD_TEXT:
        return first != '"';
    case FIELD_WORD:
        return false;
    case FIELD_FLAG:
        return first != 't' && first != 'f';
    default:
        return first != '-' && (first < '0' || first > '9');
    }
}

enum scan_result json_scan(const char *p, const char *end, struct record *record,
                           struct scan_values *values, const char **ret_end, const char **ret_why)
{
    const char *object = p;
    record->has = 0;
    values->count = 0;
    values->repeated = false;
    uint32_t seen = 0; /* fields */
    *ret_why = "it is not valid JSON";
    p = skip_blanks(p + 1, end);
    if (p < end && *p == '}') {
        *ret_end = p + 1;
        return SCAN_OK;
    }
    while (p < end && *p == '"') {
        bool escaped = false;
        const char *key = p + 1;
        p = string_end(p, end, &escaped);
        if (!p)
            return SCAN_INVALID;
        if (escaped)
            return SCAN_UNUSUAL;
        enum field field = field_of(key, (size_t)(p - key) - 1);
        if (field != FIELD_UNKNOWN) {
            values->repeated |= seen >> field & 1;
            seen |= 1u << field;
        }
        p = skip_blanks(p, end);
        if (p == end || *p != ':')
            return SCAN_INVALID;
        p = skip_blanks(p + 1, end);
        const char *value = p;
        enum scan_result result = scan_value(object, p, end, field, record, values, &p, ret_why);
        if (result != SCAN_OK)
            return result;
        if (wrong_type(field, *value)) {
            *ret_why = "a known key holds a value of another type";
            return SCAN_RANGE;
        }
        p = skip_blanks(p, end);
        if (p < end && *p == '}') {
            *ret_end = p + 1;
            return SCAN_OK;
        }
        if (p == end || *p != ',')
            return SCAN_INVALID;
        p = skip_blanks(p + 1, end);
    }
    return SCAN_INVALID;
}
