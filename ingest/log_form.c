/* Lines that differ in their digits alone. */
#include "log_form.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "log_text.h"

#define WASTED_MAX 8    /* learned in vain, one after the other */
#define WASTED_EVERY 32 /* lines of which one is learned from then on; a power of two */

/* ---- comparing ---- */

/* Whether every byte is the same, or a digit in both lines. Sixteen bytes behind both are readable.
 */
static bool same_layout(const struct log_form *form, struct str line)
{
#ifdef __SSE2__
    const __m128i zero = _mm_set1_epi8('0'), nine = _mm_set1_epi8(9);
    if (line.len != form->length)
        return false;
    for (size_t at = 0;; at += 16) {
        __m128i a = _mm_loadu_si128((const __m128i *)(line.p + at));
        __m128i b = _mm_loadu_si128((const __m128i *)(form->line + at));
        __m128i more = _mm_max_epu8(_mm_sub_epi8(a, zero), _mm_sub_epi8(b, zero));
        __m128i digits = _mm_cmpeq_epi8(_mm_min_epu8(more, nine), more);
        unsigned differ =
            (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(a, b), digits)) ^ 0xffff;
        if (line.len - at <= 16)
            return (differ & ((1u << (line.len - at)) - 1)) == 0;
        if (differ)
            return false;
    }
#else
    (void)form;
    (void)line;
    return false;
#endif
}

static inline bool same_text(const char *a, const char *b, size_t length)
{
    for (; length >= 8; a += 8, b += 8, length -= 8)
        if (number_load8(a) != number_load8(b))
            return false;
    uint64_t differ = number_load8(a) ^ number_load8(b);
    return length == 0 || differ << (64 - 8 * length) == 0;
}

/* Behind the digits at p; eight bytes behind `end` are readable. */
static inline const char *digits_end(const char *p, const char *end)
{
    for (;;) {
        uint64_t bytes = number_load8(p);
        unsigned n = number_digits8(&bytes);
        p += n;
        if (n < 8 || p >= end)
            return p < end ? p : end;
    }
}

/* The same where a run may have more or fewer digits than before. */
static bool same_texts(const struct log_form *form, struct str line, struct log_runs *ret)
{
    const char *p = line.p, *end = line.p + line.len, *text = form->line;
    for (unsigned i = 0; i < form->count; i++) {
        const char *run = form->line + form->runs.at[i].begin;
        size_t length = (size_t)(run - text), before = form->runs.at[i].length;
        if ((size_t)(end - p) <= length || !same_text(p, text, length))
            return false;
        text = run + before;
        const char *begin = p + length;
        p = digits_end(begin, end);
        size_t digits = (size_t)(p - begin);
        if (digits == 0 || (form->keeps[i] && digits != before))
            return false;
        ret->at[i].begin = (uint16_t)(begin - line.p);
        ret->at[i].length = (uint16_t)digits;
    }
    size_t length = (size_t)(form->line + form->length - text);
    return (size_t)(end - p) == length && same_text(p, text, length);
}

/* ---- the line ---- */

static void keep_line(struct log_form *form, struct str line)
{
    memcpy(form->line, line.p, line.len);
    form->length = (uint16_t)line.len;
}

bool log_form_fits(struct log_form *form, struct str line)
{
    struct log_runs runs;
    if (!form->known)
        return false;
    if (!same_layout(form, line)) {
        if (line.len > LOG_FORM_BYTES || !same_texts(form, line, &runs))
            return false;
        keep_line(form, line);
        memcpy(&form->runs, &runs, form->count * sizeof(runs.at[0]));
    }
    form->wasted = 0;
    return true;
}

/* A comma alone between two runs may join them to one number, or not: that depends on how many
 * digits they have. */
static void keep_groups(struct log_form *form, struct str line, unsigned run)
{
    form->keeps[run] = false;
    if (run == 0)
        return;
    size_t before = form->runs.at[run - 1].begin + (size_t)form->runs.at[run - 1].length;
    if (before + 1 != form->runs.at[run].begin || line.p[before] != ',')
        return;
    form->keeps[run - 1] = form->keeps[run] = true;
}

static bool find_runs(struct log_form *form, struct str line)
{
    form->count = 0;
    for (size_t at = 0; at < line.len;) {
        if (!log_is_digit(line.p[at])) {
            at++;
            continue;
        }
        size_t begin = at;
        while (at < line.len && log_is_digit(line.p[at]))
            at++;
        if (form->count == LOG_FORM_RUNS)
            return false;
        form->runs.at[form->count].begin = (uint16_t)begin;
        form->runs.at[form->count].length = (uint16_t)(at - begin);
        keep_groups(form, line, form->count++);
    }
    return true;
}

bool log_form_learn(struct log_form *form, struct str line)
{
    form->known = false;
    if (++form->wasted > WASTED_MAX) {
        if (form->wasted % WASTED_EVERY != 0)
            return false;
        form->wasted = WASTED_MAX;
    }
    form->known = line.len <= LOG_FORM_BYTES && find_runs(form, line);
    if (form->known)
        keep_line(form, line);
    return form->known;
}

/* ---- numbers in it ---- */

uint8_t log_form_run(const struct log_form *form, struct str line, const char *p)
{
    for (unsigned i = 0; i < form->count; i++)
        if (line.p + form->runs.at[i].begin == p)
            return (uint8_t)i;
    return LOG_FORM_NO_RUN;
}

uint8_t log_form_integer(const struct log_form *form, struct str line, struct str value)
{
    double number;
    size_t length;
    unsigned run = log_form_run(form, line, value.p);
    bool whole = run < form->count && log_number(value, &number, &length) == LOG_NUMBER &&
                 length == form->runs.at[run].length;
    return whole ? (uint8_t)run : LOG_FORM_NO_RUN;
}

uint8_t log_form_decimal(const struct log_form *form, struct str line, struct str value)
{
    double number;
    size_t length;
    unsigned run = log_form_run(form, line, value.p);
    if (run + 1 >= form->count)
        return LOG_FORM_NO_RUN;
    size_t whole = form->runs.at[run].length, decimals = form->runs.at[run + 1].length;
    bool decimal = form->runs.at[run + 1].begin == form->runs.at[run].begin + whole + 1 &&
                   value.p[whole] == '.' && log_number(value, &number, &length) == LOG_NUMBER &&
                   length == whole + 1 + decimals;
    return decimal ? (uint8_t)run : LOG_FORM_NO_RUN;
}
