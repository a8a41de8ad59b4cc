/* Lines that differ from an earlier one in their digits alone. What a decoder found in that line
 * (which field stands where, that nothing is torn) then holds for this one, too, and only the
 * numbers are read again: a quick way beside the general one, which says what is right.
 *
 * What holds whatever the digits are: where texts without digits are found, and how far a number
 * reaches. What does not, and is the decoder's to look at: values, how many digits there are
 * (decimals), and places counted in bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "number.h"
#include "str.h"

#define LOG_FORM_RUNS 64   /* of digits in a line */
#define LOG_FORM_BYTES 768 /* of a line */
#define LOG_FORM_NO_RUN 0xff

struct log_runs {
    struct {
        uint16_t begin, length; /* in the line */
    } at[LOG_FORM_RUNS];
};

/* The line that was learned or that fitted last. All zero: there is none. */
struct log_form {
    bool known;
    uint8_t wasted; /* times that it was learned since one fitted */
    uint8_t count;  /* of runs of digits */
    uint16_t length;
    struct log_runs runs;
    bool keeps[LOG_FORM_RUNS];      /* the run must have as many digits again */
    char line[LOG_FORM_BYTES + 16]; /* there is room to read more */
};

/* Whether the line is like that one: its runs are in form->runs then. Up to 16 bytes behind the
 * line are read. */
bool log_form_fits(struct log_form *form, struct str line);

/* Takes this line for those to come. False: it is too long for it, or it is not worth it, since
 * those before it were never met again; nothing is known then. */
bool log_form_learn(struct log_form *form, struct str line);

/* The digits of a run, at most 16 of them. */
static inline uint64_t log_run_digits(const char *p, unsigned length)
{
    uint64_t first = number_load8(p) ^ NUMBER_ZEROS;
    if (length <= 8)
        return number_value8(first, length);
    uint64_t rest = number_value8(number_load8(p + 8) ^ NUMBER_ZEROS, length - 8);
    return number_value8(first, 8) * number_power10[length - 8] + rest;
}

/* A run as a whole number, exactly as log_integer() has it. False: too long. */
static inline bool log_run_integer(const struct log_form *form, struct str line, unsigned run,
                                   int64_t *ret)
{
    unsigned length = form->runs.at[run].length;
    if (length > 15)
        return false;
    *ret = (int64_t)log_run_digits(line.p + form->runs.at[run].begin, length);
    return true;
}

/* A run, the point behind it and the next run, exactly as log_number() has them. False: too long.
 */
static inline bool log_run_decimal(const struct log_form *form, struct str line, unsigned run,
                                   double *ret)
{
    static const double scales[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};
    unsigned whole = form->runs.at[run].length, decimals = form->runs.at[run + 1].length;
    if (whole > 8 || decimals > 8)
        return false;
    const char *p = line.p + form->runs.at[run].begin;
    uint64_t digits = log_run_digits(p, whole) * number_power10[decimals] +
                      log_run_digits(p + whole + 1, decimals);
    *ret = (double)digits / scales[decimals];
    return true;
}

/* The run that begins at p in the learned line. */
uint8_t log_form_run(const struct log_form *form, struct str line, const char *p);

/* The run that is the whole number at the front of value, which is in the learned line; or that and
 * the next one, with a point between. LOG_FORM_NO_RUN: the number is another one there. */
uint8_t log_form_integer(const struct log_form *form, struct str line, struct str value);
uint8_t log_form_decimal(const struct log_form *form, struct str line, struct str value);
