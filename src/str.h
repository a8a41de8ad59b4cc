/* Slices of text that are not owned and not NUL-terminated, and numbers read
 * and written without the locale. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Borrowed bytes; p may be NULL when len is 0. */
struct str {
    const char *p;
    size_t len;
};

static inline struct str str_of(const char *p, size_t len)
{
    return (struct str){p, len};
}

struct str str_from(const char *text); /* of a NUL-terminated text; NULL gives an empty slice */
bool str_equal(struct str a, struct str b);

static inline bool str_is(struct str a, const char *text)
{
    size_t length = strlen(text); /* known when this is compiled */
    return a.len == length && (length == 0 || memcmp(a.p, text, length) == 0);
}

/* Copies at most size - 1 bytes and ends them with NUL, never in the middle of
 * a UTF-8 sequence. Returns the bytes copied. size must be at least 1. */
size_t str_copy(char *to, size_t size, struct str from);

/* The whole of s as a decimal integer in [low, high]; false otherwise (empty,
 * a sign alone, blanks, out of range): *ret is then untouched. */
bool str_to_int(struct str s, int64_t low, int64_t high, int64_t *ret);

/* The whole of s as a finite decimal number ("12", "1.5", "3.79e25"); the
 * point is '.' whatever the locale says. False otherwise, *ret untouched. */
bool str_to_double(struct str s, double *ret);

/* The same with a unit: "405e9", "7B", "1.5T", "64k" (k, M, G or B, T, in either
 * case). */
bool str_to_count(struct str s, double *ret);
