/* Slices and locale-free numbers. */
#include "str.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct str str_from(const char *text)
{
    return (struct str){text, text ? strlen(text) : 0};
}

bool str_equal(struct str a, struct str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

size_t str_copy(char *to, size_t size, struct str from)
{
    assert(size > 0);
    size_t n = from.len < size - 1 ? from.len : size - 1;
    if (n < from.len) {
        size_t back = 0; /* a sequence is at most 4 bytes long */
        while (back < 3 && n > 0 && ((unsigned char)from.p[n] & 0xC0) == 0x80) {
            n--;
            back++;
        }
    }
    if (n > 0)
        memcpy(to, from.p, n);
    to[n] = '\0';
    return n;
}

bool str_to_int(struct str s, int64_t low, int64_t high, int64_t *ret)
{
    size_t i = 0;
    bool negative = s.len > 0 && s.p[0] == '-';
    if (negative)
        i++;
    if (i == s.len)
        return false;
    int64_t value = 0; /* kept negative: it reaches further down than up */
    for (; i < s.len; i++) {
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, s.p[i] - '0', &value))
            return false;
    }
    if (!negative && __builtin_sub_overflow((int64_t)0, value, &value))
        return false;
    if (value < low || value > high)
        return false;
    *ret = value;
    return true;
}

/* Digits, one point, an exponent: what strtod() must see, and no more, so that
 * neither the locale nor "0x1p3", "inf" or "nan" can get in. */
static bool is_plain_decimal(const char *p)
{
    bool digits = false;
    if (*p == '-' || *p == '+')
        p++;
    for (; *p >= '0' && *p <= '9'; p++)
        digits = true;
    if (*p == '.')
        for (p++; *p >= '0' && *p <= '9'; p++)
            digits = true;
    if (!digits)
        return false;
    if (*p == 'e' || *p == 'E') {
        p++;
        if (*p == '-' || *p == '+')
            p++;
        if (*p < '0' || *p > '9')
            return false;
        while (*p >= '0' && *p <= '9')
            p++;
    }
    return *p == '\0';
}

bool str_to_double(struct str s, double *ret)
{
    char text[64];
    if (s.len == 0 || s.len >= sizeof(text) || memchr(s.p, '\0', s.len))
        return false;
    str_copy(text, sizeof(text), s);
    if (!is_plain_decimal(text))
        return false;
    /* The program sets LC_CTYPE only, so the point is '.' here. */
    double value = strtod(text, NULL);
    if (!isfinite(value))
        return false;
    *ret = value;
    return true;
}

bool str_to_count(struct str s, double *ret)
{
    static const struct {
        char letter;
        double factor;
    } units[] = {{'k', 1e3}, {'K', 1e3}, {'m', 1e6}, {'M', 1e6},  {'b', 1e9},
                 {'B', 1e9}, {'g', 1e9}, {'G', 1e9}, {'t', 1e12}, {'T', 1e12}};
    double factor = 1, value;
    for (size_t i = 0; s.len > 1 && i < sizeof(units) / sizeof(units[0]); i++) {
        if (s.p[s.len - 1] == units[i].letter) {
            factor = units[i].factor;
            s.len--;
            break;
        }
    }
    if (!str_to_double(s, &value) || !isfinite(value * factor))
        return false;
    *ret = value * factor;
    return true;
}
