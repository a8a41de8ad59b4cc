/* A line in its usual form, read from left to right: texts and numbers one after the
 * other up to its end. What does not fit exactly is left to the decoder's general way,
 * which defines what the line comes to; what fits must come to the same. Inline: one call
 * for every part of every line. After a false the scan is anywhere, but for log_scan_text(),
 * which then has not moved. At least 64 bytes must be readable behind the line. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "log_format.h"
#include "log_learn.h"
#include "log_piece.h"
#include "log_text.h"
#include "number.h"
#if defined(__SSE2__) && !defined(LINE_SHAPE_PORTABLE)
#include <emmintrin.h>
#endif

struct log_scan {
    const char *at, *end;     /* at: may be behind the end, which is then no end of the line */
    struct log_learned *form; /* NULL: the line is not to be learned */
};

/* At the end of the line. */
static inline bool log_scan_ends(const struct log_scan *scan)
{
    return scan->at == scan->end;
}

/* The first `head` (exactly that of log_next_piece()) in the line, when the character before it is
 * no '_': the scan is behind it. *ret_at: its place. False: there is none. */
static inline bool log_scan_head(struct log_scan *scan, const struct log_line *line,
                                 const char *head, size_t *ret_at)
{
    struct str text = line->text;
    size_t at = log_begins(text, head) ? 0 : log_find(text, head);
    if (at == SIZE_MAX || (at > 0 && text.p[at - 1] == '_'))
        return false;
    *ret_at = at;
    *scan = (struct log_scan){text.p + at + strlen(head), text.p + text.len, line->form};
    return true;
}

/* The line from that place on as a piece, the last of the line. */
static inline struct log_piece log_scan_piece(const struct log_line *line, size_t at)
{
    return (struct log_piece){.front = log_until(line->text, at),
                              .text = log_from(line->text, at),
                              .torn_end = line->cut,
                              .origin = LOG_LEARN_NOWHERE};
}

/* This text, of 40 bytes at most, comes next. */
__attribute__((always_inline)) static inline bool log_scan_text(struct log_scan *scan,
                                                                const char *text)
{
    size_t length = strlen(text); /* known when this is compiled */
    if (scan->end - scan->at < (ptrdiff_t)length || memcmp(scan->at, text, length) != 0)
        return false;
    scan->at += length;
    return true;
}

/* How many of the 16 bytes at p, from the first on, are of a name (log_is_word()). */
static inline size_t log_scan_word16(const char *p)
{
#if defined(__SSE2__) && !defined(LINE_SHAPE_PORTABLE)
    __m128i bytes = _mm_loadu_si128((const __m128i *)p);
    __m128i letter = _mm_sub_epi8(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), _mm_set1_epi8('a'));
    __m128i digit = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
    letter = _mm_cmpeq_epi8(_mm_min_epu8(letter, _mm_set1_epi8(25)), letter);
    digit = _mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit);
    __m128i word =
        _mm_or_si128(_mm_or_si128(letter, digit), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('_')));
    return (size_t)__builtin_ctz(~(unsigned)_mm_movemask_epi8(word));
#else
    size_t count = 0;
    while (count < 16 && log_is_word(p[count]))
        count++;
    return count;
#endif
}

/* A name as long as it goes, 48 bytes at most. */
static inline bool log_scan_name(struct log_scan *scan, struct str *ret)
{
    const char *begin = scan->at;
    size_t length = log_scan_word16(begin);
    for (size_t more = length; more == 16 && length < 64; length += more)
        more = log_scan_word16(begin + length);
    scan->at += length;
    *ret = str_of(begin, length);
    return length > 0 && length <= 48 && scan->at <= scan->end;
}

/* Whether the name is this one. */
__attribute__((always_inline)) static inline bool log_scan_is(struct str name, const char *text)
{
    size_t length = strlen(text); /* known when this is compiled */
    return name.len == length && memcmp(name.p, text, length) == 0;
}

static inline void log_scan_blanks(struct log_scan *scan)
{
    while (scan->at < scan->end && *scan->at == ' ')
        scan->at++;
}

/* The next 15 digits at most. *ret_count: how many. */
static inline uint64_t log_scan_digits(struct log_scan *scan, unsigned *ret_count)
{
    uint64_t bytes = number_load8(scan->at);
    unsigned count = number_digits8(&bytes);
    uint64_t value = count ? number_value8(bytes, count) : 0;
    scan->at += count;
    if (count == 8)
        for (; count < 15 && log_is_digit(*scan->at); count++)
            value = value * 10 + (uint64_t)(*scan->at++ - '0');
    *ret_count = count;
    return value;
}

/* Digits, 14 at most; what follows is the caller's to check: no ',' before a digit. */
static inline bool log_scan_integer(struct log_scan *scan, int64_t *ret)
{
    unsigned count;
    if (scan->at >= scan->end)
        return false;
    *ret = (int64_t)log_scan_digits(scan, &count);
    return count > 0 && count < 15;
}

/* "529,882": the same with ',' between groups of three. */
static inline bool log_scan_grouped(struct log_scan *scan, int64_t *ret)
{
    const char *begin = scan->at;
    if (!log_scan_integer(scan, ret))
        return false;
    bool groups = *begin != '0' && scan->at - begin <= 3;
    for (int count = 0; groups && *scan->at == ',' && count < 4; count++) {
        int64_t group;
        const char *comma = scan->at++;
        if (!log_scan_integer(scan, &group) || scan->at - comma != 4)
            return false;
        *ret = *ret * 1000 + group;
    }
    return *scan->at != ',' || !log_is_digit(scan->at[1]);
}

/* "12", "-0.034": under 15 digits, of them at most 9 behind the point. What follows is the
 * caller's to check: no ',' before a digit, no exponent. As log_number() reads it. */
static inline bool log_scan_number(struct log_scan *scan, double *ret)
{
    bool negative = *scan->at == '-';
    unsigned whole, decimals = 0;
    if (scan->end - scan->at <= negative)
        return false;
    scan->at += negative;
    uint64_t value = log_scan_digits(scan, &whole);
    if (whole == 0 || whole > 9)
        return false;
    if (*scan->at == '.') {
        scan->at++;
        uint64_t behind = log_scan_digits(scan, &decimals);
        if (decimals > 9)
            return false;
        value = value * number_power10[decimals] + behind;
    }
    double number = (double)value / (double)number_power10[decimals];
    *ret = negative ? -number : number;
    return true;
}

/* The same, perhaps with an exponent. */
static inline bool log_scan_any_number(struct log_scan *scan, double *ret)
{
    struct log_scan plain = *scan;
    size_t length;
    bool is = log_scan_number(&plain, ret) && (*plain.at | 0x20) != 'e';
    if (!is && scan->at < scan->end &&
        log_number(str_of(scan->at, (size_t)(scan->end - scan->at)), ret, &length) == LOG_NUMBER) {
        plain.at = scan->at + length;
        is = true;
    }
    *scan = plain;
    return is;
}

/* ---- what is learned of the line (log_learn.h) ---- */

/* The number at `begin` that was read last, as a field of the line's form. */
static inline void log_scan_learn(const struct log_scan *scan, const char *begin, unsigned field)
{
    if (scan->form)
        log_learn_number(scan->form, field, str_of(begin, (size_t)(scan->at - begin)), 0);
}

static inline bool log_scan_integer_to(struct log_scan *scan, unsigned field, int64_t *ret)
{
    const char *begin = scan->at;
    if (!log_scan_integer(scan, ret))
        return false;
    log_scan_learn(scan, begin, field);
    return true;
}

static inline bool log_scan_number_to(struct log_scan *scan, unsigned field, double *ret)
{
    const char *begin = scan->at;
    if (!log_scan_number(scan, ret))
        return false;
    log_scan_learn(scan, begin, field);
    return true;
}

/* At the end of the line, which had its usual form. */
static inline bool log_scan_ready(const struct log_scan *scan)
{
    if (scan->at != scan->end)
        return false;
    log_learn_ready(scan->form, false);
    return true;
}

/* What was read of the line is not to be learned: it takes the general way, whose searches may be.
 */
static inline void log_scan_forget(const struct log_line *line)
{
    if (line->form)
        log_learn_begin(line->form, line->text);
}

/* The piece of a line of that form, which begins so many bytes before the field. */
static inline struct log_piece log_scan_piece_again(const struct log_line *line,
                                                    const struct log_values *values, unsigned field,
                                                    size_t before)
{
    return log_scan_piece(line, (size_t)(values->text[field].p - line->text.p) - before);
}

/* A number that is not used, perhaps with an exponent. */
static inline bool log_scan_skip_number(struct log_scan *scan)
{
    const char *begin = scan->at;
    for (;;) {
        uint64_t bytes = number_load8(scan->at);
        unsigned digits = number_digits8(&bytes);
        scan->at += digits;
        if (digits == 8)
            continue;
        char c = *scan->at;
        if (scan->at >= scan->end || (c != '.' && c != '-' && c != '+' && c != 'e'))
            return scan->at > begin && scan->at <= scan->end;
        scan->at++;
    }
}
