/* Small parts of log lines. */
#include "log_text.h"

#include <math.h>
#include <string.h>
#include <strings.h>
#if defined(__SSE2__) && !defined(LINE_SHAPE_PORTABLE)
#include <emmintrin.h>
#endif

#include "number.h"
#include "record.h"

/* ---- places ---- */

/* Whether n bytes are the same: few, so that a call of the C library costs more. */
static inline bool same_bytes(const char *a, const char *b, size_t n)
{
    for (; n >= 8; n -= 8, a += 8, b += 8)
        if (number_load8(a) != number_load8(b))
            return false;
    for (; n > 0; n--)
        if (*a++ != *b++)
            return false;
    return true;
}

/* The C library's memmem makes a table for every search; these are short texts in short lines. */
#if defined(__SSE2__) && !defined(LINE_SHAPE_PORTABLE)
/* A bit for each of sixteen bytes at p that is c. */
static inline unsigned places16(const char *p, char c)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)p);
    return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)));
}

/* The first of the places (bits) where the whole needle stands, whose first and last byte do. */
static inline size_t first_whole(const char *p, unsigned places, const char *needle, size_t length)
{
    for (; places; places &= places - 1) {
        size_t place = (size_t)__builtin_ctz(places);
        if (length <= 2 || same_bytes(p + place + 1, needle + 1, length - 2))
            return place;
    }
    return SIZE_MAX;
}

/* In 16 to length + 14 bytes, where the needle can begin at fifteen places at most. */
static size_t find_in_one(const char *p, size_t size, const char *needle, size_t length)
{
    if (length > size)
        return SIZE_MAX;
    unsigned begins = places16(p, needle[0]);
    unsigned ends = places16(p + size - 16, needle[length - 1]);
    size_t last = size - length; /* place, under 15 */
    return first_whole(p, begins & (ends >> (15 - last)), needle, length);
}

/* Sixteen places at once; the last block lies over the one before. At least 16 bytes. */
static size_t find_in_blocks(const char *p, size_t size, const char *needle, size_t length)
{
    if (size < length + 15)
        return find_in_one(p, size, needle, length);
    size_t at = 0, last = size - length - 15;
    char first = needle[0], end = needle[length - 1];
    for (;;) {
        unsigned places = places16(p + at, first) & places16(p + at + length - 1, end);
        size_t place = places ? first_whole(p + at, places, needle, length) : SIZE_MAX;
        if (place != SIZE_MAX)
            return at + place;
        if (at == last)
            return SIZE_MAX;
        at = at + 16 < last ? at + 16 : last;
    }
}
#endif

size_t log_find_bytes(struct str s, size_t at, const char *needle, size_t length)
{
    if (at > s.len || length == 0)
        return at > s.len ? SIZE_MAX : at;
#if defined(__SSE2__) && !defined(LINE_SHAPE_PORTABLE)
    if (s.len - at >= 16) {
        size_t found = find_in_blocks(s.p + at, s.len - at, needle, length);
        return found == SIZE_MAX ? SIZE_MAX : at + found;
    }
#endif
    for (; at + length <= s.len; at++)
        if (s.p[at] == needle[0] && same_bytes(s.p + at, needle, length))
            return at;
    return SIZE_MAX;
}

size_t log_find_last(struct str s, const char *needle)
{
    size_t found = SIZE_MAX;
    for (size_t at = log_find(s, needle); at != SIZE_MAX; at = log_find_from(s, at + 1, needle))
        found = at;
    return found;
}

bool log_next_part(struct str *rest, const char *separator, struct str *ret)
{
    if (rest->len == 0)
        return false;
    size_t at = log_find(*rest, separator);
    *ret = log_trim(log_until(*rest, at));
    *rest =
        at == SIZE_MAX ? str_of(rest->p + rest->len, 0) : log_from(*rest, at + strlen(separator));
    return true;
}

bool log_split(struct str part, struct str *ret_name, struct str *ret_value)
{
    for (size_t i = 0; i < part.len; i++) {
        char next = i + 1 < part.len ? part.p[i + 1] : ' ';
        bool splits =
            part.p[i] == '=' ||
            (part.p[i] == ':' && (log_is_blank(next) || log_is_digit(next) || next == '-'));
        if (!splits)
            continue;
        *ret_name = log_trim(log_until(part, i));
        *ret_value = log_trim(log_from(part, i + 1));
        return true;
    }
    return false;
}

bool log_after_bytes(struct str s, const char *name, size_t length, struct str *ret)
{
    for (size_t at = log_find_bytes(s, 0, name, length); at != SIZE_MAX;
         at = log_find_bytes(s, at + 1, name, length)) {
        if (at > 0 && log_is_word(s.p[at - 1]) && log_is_word(name[0]))
            continue;
        const char *p = s.p + at + length, *end = s.p + s.len;
        while (p < end && log_is_blank(*p))
            p++;
        *ret = str_of(p, (size_t)(end - p));
        return true;
    }
    return false;
}

/* ---- numbers ---- */

/* Digits, ',' between groups of three. *ret_point: digits after which none were exact. */
struct digits {
    uint64_t value; /* the first 18 */
    int dropped;    /* digits beyond them */
    int count;
};

static size_t whole_digits(struct str s, size_t at, struct digits *digits)
{
    size_t begin = at, group = 0;
    bool grouped = false;
    for (; at < s.len; at++) {
        if (log_is_digit(s.p[at])) {
            if (digits->count < 18)
                digits->value = digits->value * 10 + (uint64_t)(s.p[at] - '0');
            else
                digits->dropped++;
            digits->count++;
            group++;
            continue;
        }
        bool three = at + 3 < s.len && log_is_digit(s.p[at + 1]) && log_is_digit(s.p[at + 2]) &&
                     log_is_digit(s.p[at + 3]) && !(at + 4 < s.len && log_is_digit(s.p[at + 4]));
        if (s.p[at] != ',' || !three || (grouped ? group != 3 : at == begin || at - begin > 3) ||
            (!grouped && s.p[begin] == '0')) /* "0,512" is no thousands: decimals, perhaps */
            break;
        grouped = true;
        group = 0;
    }
    return at;
}

static const double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static double scaled(const struct digits *digits, int exponent)
{
    double value = (double)digits->value;
    exponent += digits->dropped;
    if (exponent >= 0)
        return exponent <= 22 ? value * powers_of_ten[exponent] : value * pow(10, exponent);
    return exponent >= -22 ? value / powers_of_ten[-exponent] : value * pow(10, exponent);
}

static size_t exponent_at(struct str s, size_t at, int *ret)
{
    size_t p = at + 1;
    bool negative = p < s.len && s.p[p] == '-';
    p += p < s.len && (s.p[p] == '-' || s.p[p] == '+');
    int value = 0;
    size_t first = p;
    for (; p < s.len && log_is_digit(s.p[p]); p++)
        value = value < 10000 ? value * 10 + (s.p[p] - '0') : value;
    if (p == first)
        return at; /* no exponent: "3e" */
    *ret = negative ? -value : value;
    return p;
}

/* nan, inf, N/A and the like at the front of s. */
static size_t no_number(struct str s)
{
    static const char *const words[] = {"nan",  "infinity", "inf",    "n/a",    "none",
                                        "null", "na",       "1.#inf", "1.#qnan"};
    size_t at = s.len > 0 && (s.p[0] == '"' || s.p[0] == '\'');
    size_t quotes = at;
    at += at < s.len && (s.p[at] == '-' || s.p[at] == '+');
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t length = strlen(words[i]);
        if (s.len - at < length || strncasecmp(s.p + at, words[i], length) != 0)
            continue;
        size_t end = at + length;
        if (end < s.len && log_is_word(s.p[end]) && s.p[end] != 'm' && s.p[end] != 's' &&
            s.p[end] != 'T')
            continue; /* a word that begins like it; "nanms" is nan milliseconds */
        if (quotes && end < s.len && (s.p[end] == '"' || s.p[end] == '\''))
            end++;
        return end;
    }
    return 0;
}

static enum log_number any_number(struct str s, double *ret, size_t *ret_length)
{
    size_t at = s.len > 0 && (s.p[0] == '-' || s.p[0] == '+');
    bool negative = at && s.p[0] == '-';
    struct digits digits = {0};
    int exponent = 0;
    at = whole_digits(s, at, &digits);
    if (at < s.len && s.p[at] == '.' &&
        (digits.count > 0 || (at + 1 < s.len && log_is_digit(s.p[at + 1])))) {
        int before = digits.count, dropped = digits.dropped;
        for (at++; at < s.len && log_is_digit(s.p[at]); at++) {
            if (digits.count < 18)
                digits.value = digits.value * 10 + (uint64_t)(s.p[at] - '0');
            digits.count++;
        }
        int counted = (digits.count < 18 ? digits.count : 18) - (before < 18 ? before : 18);
        exponent = -counted;
        digits.dropped = dropped;
    }
    if (digits.count == 0) {
        *ret_length = no_number(s);
        *ret = NAN;
        return *ret_length > 0 ? LOG_NO_NUMBER : LOG_NOTHING;
    }
    if (at < s.len && (s.p[at] == 'e' || s.p[at] == 'E')) {
        int more = 0;
        at = exponent_at(s, at, &more);
        exponent += more;
    }
    double value = scaled(&digits, exponent);
    *ret = negative ? -value : value;
    *ret_length = at;
    return LOG_NUMBER;
}

/* Digits from p on, without groups: *value goes on with them, modulo 2^64. */
static inline const char *plain_digits(const char *p, const char *end, uint64_t *value)
{
    uint64_t sum = *value;
    while (end - p >= 8) {
        uint64_t bytes = number_load8(p);
        unsigned n = number_digits8(&bytes);
        if (n > 0)
            sum = sum * number_power10[n] + number_value8(bytes, n);
        p += n;
        if (n < 8) {
            *value = sum;
            return p;
        }
    }
    for (; p < end && log_is_digit(*p); p++)
        sum = sum * 10 + (uint64_t)(*p - '0');
    *value = sum;
    return p;
}

/* Most numbers: digits, perhaps a point and more of them, 18 in all. False: what any_number() is
 * for. */
static inline bool plain_number(struct str s, double *ret, size_t *ret_length)
{
    const char *end = s.p + s.len, *begin = s.p + (s.len > 0 && s.p[0] == '-');
    uint64_t value = 0;
    const char *p = plain_digits(begin, end, &value);
    ptrdiff_t count = p - begin, decimals = 0;
    if (count == 0 || (end - p > 1 && *p == ',' && log_is_digit(p[1])))
        return false;
    if (p < end && *p == '.') {
        const char *point = ++p;
        p = plain_digits(p, end, &value);
        decimals = p - point;
    }
    if (count + decimals > 18 || (p < end && (*p == 'e' || *p == 'E')))
        return false;
    double number = (double)value / powers_of_ten[decimals];
    *ret = begin > s.p ? -number : number;
    *ret_length = (size_t)(p - s.p);
    return true;
}

enum log_number log_number(struct str s, double *ret, size_t *ret_length)
{
    return plain_number(s, ret, ret_length) ? LOG_NUMBER : any_number(s, ret, ret_length);
}

enum log_number log_number_whole(struct str s, const char *unit, double *ret)
{
    size_t length;
    enum log_number kind = log_number(s, ret, &length);
    if (kind == LOG_NOTHING)
        return kind;
    struct str rest = log_trim(log_from(s, length));
    if (rest.len == 0)
        return kind;
    return unit && str_is(rest, unit) ? kind : LOG_NOTHING;
}

bool log_integer(struct str s, int64_t *ret, size_t *ret_length)
{
    uint64_t value = 0;
    const char *p = plain_digits(s.p, s.p + s.len, &value);
    size_t plain = (size_t)(p - s.p);
    if (plain > 0 && plain <= 15 && !(plain + 1 < s.len && *p == ',' && log_is_digit(p[1]))) {
        *ret = (int64_t)value;
        *ret_length = plain;
        return true;
    }
    struct digits digits = {0};
    size_t end = whole_digits(s, 0, &digits);
    if (digits.count == 0 || digits.dropped > 0 || digits.value > (uint64_t)1 << 53)
        return false;
    *ret = (int64_t)digits.value;
    *ret_length = end;
    return true;
}

bool log_integer_before(struct str s, size_t end, int64_t *ret, size_t *ret_begin)
{
    size_t begin = end, length;
    while (begin > 0 && log_is_digit(s.p[begin - 1]))
        begin--;
    *ret_begin = begin;
    return begin < end && log_integer(str_of(s.p + begin, end - begin), ret, &length);
}

bool log_duration(double value, double unit_ns, int64_t *ret_ns)
{
    double ns = value * unit_ns;
    if (!(ns >= 0) || !(ns <= (double)RECORD_DURATION_MAX_NS))
        return false;
    *ret_ns = (int64_t)(ns + 0.5);
    return true;
}
