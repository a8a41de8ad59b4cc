/* The form of a line: all of it but its digits. Lines of one kind differ in nothing else, so
 * once a decoder has read one and said where its values stand, those of the next line with
 * that form are known without a search: what is no digit is compared, the numbers are read.
 *
 * Decoders take part in one of two ways. Their searches may be remembered (log_piece.h): what was
 * asked of the line that was learned, and where it was found; asked in the same order of another
 * line of this form, they are answered at once. Or they have an `again` (log_format.h), which gets
 * the values alone. Either way `line` stays the definition: what is not quite like the line that
 * was learned is searched. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

#define LOG_LEARN_FIELDS 64
#define LOG_LEARN_SEARCHES 32
#define LOG_LEARN_POINTS 64
#define LOG_LEARN_LINE_MAX 4096 /* bytes; longer lines are not learned */

struct log_learned;

/* A search in a line. */
struct log_search {
    const void *what, *unit; /* addresses of static text: which search it was */
    uint8_t from;            /* whatever else it depends on */
    uint8_t answer;          /* what it came to */
    uint8_t field;           /* the number or text that it found: below; LOG_LEARN_FIELDS: none */
    uint8_t point;           /* the first of its places */
};

/* What stands at the places of a learned line. */
struct log_values {
    uint64_t has;                      /* 1 << field */
    const uint32_t *notes;             /* of each field, as the decoder has given them */
    double number[LOG_LEARN_FIELDS];   /* as log_number() has it; 0 of a text */
    struct str text[LOG_LEARN_FIELDS]; /* in the line */
    const struct log_search *searches;
    unsigned search_count, next_search;
    const char *points[LOG_LEARN_POINTS]; /* in the line */
};

static inline bool log_values_have(const struct log_values *values, unsigned field)
{
    return (values->has >> field & 1) != 0;
}

/* A field that is a whole number, of 15 digits at most. False: a longer one; *ret is not set. */
static inline bool log_values_integer(const struct log_values *values, unsigned field, int64_t *ret)
{
    if (values->text[field].len > 15)
        return false;
    *ret = (int64_t)values->number[field];
    return true;
}

/* ---- of the decoders, while they read a line; form may be NULL ---- */

/* A value of the line: exactly what log_number() has read, to field (under LOG_LEARN_FIELDS). The
 * note comes back with it: a unit, or whatever the text around it said. */
void log_learn_number(struct log_learned *form, unsigned field, struct str text, uint32_t note);

/* The same of what is a number by what is around it, such as all of a part between two commas: a
 * ',' and digits behind it are not of it. */
void log_learn_part(struct log_learned *form, unsigned field, struct str text, uint32_t note);

/* Some other text that begins and ends with a digit, such as a stamp. */
void log_learn_text(struct log_learned *form, unsigned field, struct str text, uint32_t note);

/* The line was whole and of the usual kind: what it came to depends, besides the decoder's state
 * and the line's prefix, on these fields, and on what is no digit. json: its numbers are JSON's,
 * which begin with no 0 but before a point. */
void log_learn_ready(struct log_learned *form, bool json);

/* ---- searches, remembered ---- */

#define LOG_LEARN_NOWHERE 255

/* A search is made that depends on nothing but what, unit, from and the line: its index, or
 * LOG_LEARN_NOWHERE: it is not remembered (form may be NULL). Its places follow, in order, and at
 * most one number or text. `what` has no digits in it. */
unsigned log_learn_search(struct log_learned *form, const void *what, const void *unit,
                          unsigned from, unsigned answer);
void log_learn_point(struct log_learned *form, const char *place); /* up to the line's end */
void log_learn_found(struct log_learned *form, struct str text, bool number);

/* No search from here on is remembered. */
void log_learn_no_more(struct log_learned *form);

/* The same search in a line of that form; NULL: it was another then, so it is to be made, and those
 * after it. values may be NULL. */
const struct log_search *log_recall(struct log_values *values, const void *what, const void *unit,
                                    unsigned from);

/* ---- of the reader ---- */

struct log_learned *log_learn_new(void);
void log_learn_free(struct log_learned *form);

/* Begins to learn the line, which must stay where it is until it is ready. */
void log_learn_begin(struct log_learned *form, struct str line);

/* The decoder has taken the line: whether it can be learned. */
bool log_learn_taken(struct log_learned *form);

/* Whether the line differs from the learned one in digits alone. A number at its very end may be
 * cut, so it must be as long as there. 16 bytes behind the line must be readable. */
bool log_learn_match(struct log_learned *form, struct str line, struct log_values *ret);

/* The learned line, or that which matched last; the form's. */
struct str log_learn_line(const struct log_learned *form);
