/* Small parts of log lines: numbers, stamps, fields. All locale-free, bounded by their
 * slice, and without errno; nothing here allocates. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "str.h"

/* ---- characters ---- */

static inline bool log_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool log_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool log_is_word(char c) /* of a name */
{
    return log_is_digit(c) || log_is_letter(c) || c == '_';
}

static inline bool log_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* ---- places ---- */

/* The place of `needle` in s, SIZE_MAX when it is not there. */
size_t log_find_bytes(struct str s, size_t from, const char *needle, size_t length);

static inline size_t log_find_from(struct str s, size_t from, const char *needle)
{
    return log_find_bytes(s, from, needle, strlen(needle)); /* known when this is compiled */
}

static inline size_t log_find(struct str s, const char *needle)
{
    return log_find_from(s, 0, needle);
}

size_t log_find_last(struct str s, const char *needle);

/* s from that place on; up to it. `at` may be over its length. */
static inline struct str log_from(struct str s, size_t at)
{
    return at < s.len ? str_of(s.p + at, s.len - at) : str_of(s.p + s.len, 0);
}

static inline struct str log_until(struct str s, size_t at)
{
    return str_of(s.p, at < s.len ? at : s.len);
}

/* Without blanks and tabs at both ends. */
static inline struct str log_trim(struct str s)
{
    while (s.len > 0 && log_is_blank(s.p[0]))
        s = str_of(s.p + 1, s.len - 1);
    while (s.len > 0 && log_is_blank(s.p[s.len - 1]))
        s.len--;
    return s;
}

static inline bool log_begins(struct str s, const char *text)
{
    size_t length = strlen(text);
    return s.len >= length && memcmp(s.p, text, length) == 0;
}

static inline bool log_ends(struct str s, const char *text)
{
    size_t length = strlen(text);
    return s.len >= length && memcmp(s.p + s.len - length, text, length) == 0;
}

/* Without the quotes, single or double, that it begins and ends with. */
static inline struct str log_unquoted(struct str s)
{
    bool quoted = s.len >= 2 && (s.p[0] == '"' || s.p[0] == '\'') && s.p[s.len - 1] == s.p[0];
    return quoted ? str_of(s.p + 1, s.len - 2) : s;
}

/* The next part of *rest up to the separator (not in it), trimmed; *rest moves behind it. False
 * when *rest is at its end. For " | " separated fields. */
bool log_next_part(struct str *rest, const char *separator, struct str *ret);

/* Of a part "name: value" or "name = value": both trimmed. False: there is neither. The first
 * ": " , ":" before a blank or digit, or "=" counts. */
bool log_split(struct str part, struct str *ret_name, struct str *ret_value);

/* What stands behind `name` in s, where a blank, the beginning or a character that is no letter,
 * digit or '_' is before it: after optional blanks, trimmed at the left; up to the end of s.
 * name includes its ':' or '='. False: it is not there. */
bool log_after_bytes(struct str s, const char *name, size_t length, struct str *ret);

static inline bool log_after(struct str s, const char *name, struct str *ret)
{
    return log_after_bytes(s, name, strlen(name), ret);
}

/* ---- numbers ---- */

enum log_number {
    LOG_NUMBER,
    LOG_NO_NUMBER, /* nan, inf, N/A, null, None, with or without quotes or a sign */
    LOG_NOTHING,   /* something else, or nothing: torn */
};

/* The number at the front of s: sign, digits with ',' between groups of three, point, exponent.
 * *ret_length: bytes of it (0 with LOG_NOTHING); what follows is the caller's to check, since a
 * number at the very end of a line may be cut. Exactly as strtod up to 15 digits. */
enum log_number log_number(struct str s, double *ret, size_t *ret_length);

/* The same where all of s must be the number, but for one of the units: "%", "ms", ... (NULL: no
 * unit), with or without a blank between. */
enum log_number log_number_whole(struct str s, const char *unit, double *ret);

/* Digits, with ',' between groups of three allowed. False: none, or over 2^53. */
bool log_integer(struct str s, int64_t *ret, size_t *ret_length);

/* The digits that end right before the place `end`; *ret_begin: where they begin. False: none, or
 * over 2^53. */
bool log_integer_before(struct str s, size_t end, int64_t *ret, size_t *ret_begin);

/* value x unit_ns nanoseconds, rounded; false when that is no duration of a record: under 0, over
 * RECORD_DURATION_MAX_NS, not finite. */
bool log_duration(double value, double unit_ns, int64_t *ret_ns);
#define LOG_SECOND 1e9
#define LOG_MILLISECOND 1e6
#define LOG_MICROSECOND 1e3

/* ---- time ---- */

/* "2024-05-14 23:03:53.734283", "2025-09-11T14:09:46,954Z", "2026-05-19 20:56:10+02:00" at the
 * front of s: Unix nanoseconds; without a zone as if UTC (*ret_zone, which may be NULL, is then
 * false). Checked: months, days of the month, hours. */
bool log_stamp(struct str s, int64_t *ret_ns, bool *ret_zone, size_t *ret_length);

/* The first such stamp within the first `within` bytes of s. */
bool log_stamp_in(struct str s, size_t within, int64_t *ret_ns, bool *ret_zone);

/* How many places of s could be such a stamp if their digits were others: for what is learned of a
 * line's form (log_learn.h). */
size_t log_stamps_possible(struct str s);

/* "19:41:06.108", "04:59", "1:02:03", "2 days, 1:02:03": nanoseconds. */
bool log_clock(struct str s, int64_t *ret_ns, size_t *ret_length);
