/* Decimal numbers of a record, read in one pass without the locale and without
 * floating point: seconds become nanoseconds exactly. Inline: this is the
 * innermost loop of the program. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define NUMBER_ZEROS UINT64_C(0x3030303030303030) /* eight times '0' */

#define NUMBER_LONGEST 32 /* bytes; a longer one takes the slow path */

/* How many ASCII digits stand at the front of 8 bytes, 0 to 8. *bytes has the
 * first byte in its lowest bits. On return *bytes holds digit values. */
static inline unsigned number_digits8(uint64_t *bytes)
{
    uint64_t values = *bytes ^ NUMBER_ZEROS;
    /* A carry out of a byte that is no digit reaches only bytes after it. */
    uint64_t not_digit =
        ((values + UINT64_C(0x0606060606060606)) | values) & UINT64_C(0xF0F0F0F0F0F0F0F0);
    *bytes = values;
    return not_digit ? (unsigned)__builtin_ctzll(not_digit) / 8 : 8;
}

/* The value of the first n (1 to 8) digit values. */
static inline uint64_t number_value8(uint64_t values, unsigned n)
{
    values <<= 64 - 8 * n;
    values = (values * 10) + (values >> 8);
    values = ((values & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x000F424000000064) +
              ((values >> 16) & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x0000271000000001)) >>
             32;
    return values;
}

static inline uint64_t number_load8(const char *p)
{
    uint64_t bytes;
    memcpy(&bytes, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    return bytes;
}

/* Whether n bytes are the same, few of them mostly; up to 7 behind both must be readable. */
static inline bool number_same_bytes(const char *a, const char *b, size_t n)
{
    for (; n >= 8; n -= 8, a += 8, b += 8)
        if (number_load8(a) != number_load8(b))
            return false;
    return n == 0 || ((number_load8(a) ^ number_load8(b)) << (64 - 8 * n)) == 0;
}

/* Digits at *at, at most 18 of them. Needs 8 readable bytes from every place up
 * to the end of the digits. False when there are none, more than 18, or a
 * leading zero before another digit. */
static inline bool number_digits(const char **at, uint64_t *ret)
{
    const char *p = *at;
    uint64_t bytes = number_load8(p);
    unsigned n = number_digits8(&bytes);
    if (n == 0)
        return false;
    if (p[0] == '0' && n > 1)
        return false;
    uint64_t value = number_value8(bytes, n);
    p += n;
    if (n == 8) {
        while (*p >= '0' && *p <= '9') {
            if (p - *at == 18)
                return false;
            value = value * 10 + (uint64_t)(*p++ - '0');
        }
    }
    *at = p;
    *ret = value;
    return true;
}

/* Whether c can stand right after a number in JSON. */
static inline bool number_ends_at(char c)
{
    return c != '.' && c != 'e' && c != 'E' && c != '-' && c != '+' && !(c >= '0' && c <= '9');
}

static const uint32_t number_power10[10] = {1,      10,      100,      1000,      10000,
                                            100000, 1000000, 10000000, 100000000, 1000000000};

/* The text of `length` bytes, all of it a number of digits, perhaps with a point and at most
 * `places` (9 or fewer) more: in units of 10^-places, "12.5" with 3 is 12500. Nothing is rounded.
 * 16 bytes at p must be readable. False: another text, more than `most`, or over 15 bytes: take the
 * slow path. */
static inline bool number_whole_text(const char *p, size_t length, unsigned places, uint64_t most,
                                     int64_t *ret)
{
    uint64_t high = 0, low, value;
    if (length - 1 > 14)
        return false;
    /* The last byte becomes the highest one; there are zeros in front. */
    if (length <= 8) {
        low = (number_load8(p) ^ NUMBER_ZEROS) << (64 - 8 * length);
    } else {
        high = (number_load8(p) ^ NUMBER_ZEROS) << (128 - 8 * length);
        low = number_load8(p + length - 8) ^ NUMBER_ZEROS;
        if (((high + UINT64_C(0x0606060606060606)) | high) & UINT64_C(0xF0F0F0F0F0F0F0F0))
            return false;
    }
    uint64_t other = ((low + UINT64_C(0x0606060606060606)) | low) & UINT64_C(0xF0F0F0F0F0F0F0F0);
    if (other) { /* the point is taken out */
        unsigned shift = (unsigned)__builtin_ctzll(other) & ~7u, decimals = 7 - shift / 8;
        uint64_t front = low & ((UINT64_C(1) << shift) - 1), point = '.' ^ '0';
        if ((low >> shift & 0xFF) != point || (other >> shift) >> 8 || decimals - 1 >= places)
            return false;
        low = low - (point << shift) - front + (front << 8) + (high >> 56);
        high <<= 8;
        places -= decimals;
    }
    if (*p <= '0' && (*p == '.' || (length > 1 && p[1] != '.')))
        return false; /* ".5" and "012" are no numbers */
    value = number_value8(low, 8);
    if (length > 8)
        value += number_value8(high, 8) * 100000000;
    if (__builtin_mul_overflow(value, (uint64_t)number_power10[places], &value) || value > most)
        return false;
    *ret = (int64_t)value;
    return true;
}

/* Seconds at *at, as nanoseconds: digits, then perhaps a point and digits; what
 * is finer than a nanosecond is rounded half up. Under 9e9 seconds. Needs 24
 * readable bytes after the number. False: take the slow path. */
static inline bool number_seconds(const char **at, int64_t *ret_ns)
{
    const char *p = *at;
    uint64_t whole;
    if (!number_digits(&p, &whole) || whole >= UINT64_C(9000000000))
        return false;
    uint64_t ns = whole * UINT64_C(1000000000);
    if (*p == '.') {
        p++;
        uint64_t bytes = number_load8(p);
        unsigned n = number_digits8(&bytes);
        if (n == 0)
            return false;
        uint64_t fraction = number_value8(bytes, n);
        p += n;
        if (n == 8 && *p >= '0' && *p <= '9') {
            fraction = fraction * 10 + (uint64_t)(*p++ - '0');
            n = 9;
            if (*p >= '5' && *p <= '9')
                fraction++;
            unsigned more;
            do {
                bytes = number_load8(p);
                more = number_digits8(&bytes);
                p += more;
                if (p - *at > NUMBER_LONGEST)
                    return false;
            } while (more == 8);
        }
        ns += fraction * number_power10[9 - n];
    }
    if (!number_ends_at(*p))
        return false;
    *at = p;
    *ret_ns = (int64_t)ns;
    return true;
}

/* A whole number at *at that has neither sign, fraction nor exponent. Needs 24
 * readable bytes after it. False: take the slow path. */
static inline bool number_integer(const char **at, int64_t *ret)
{
    const char *p = *at;
    uint64_t value;
    if (!number_digits(&p, &value) || !number_ends_at(*p))
        return false;
    *at = p;
    *ret = (int64_t)value;
    return true;
}
