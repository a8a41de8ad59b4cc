/* The form of a line: all of it but its digits. Lines of one kind differ in nothing else, so
 * once a decoder has read one and said where its values stand, those of the next line with
 * that form are known without a search: what is no digit is compared, the numbers are read.
 *
 * A decoder takes part by `again` (log_format.h), which gets the values alone. Its `line` stays
 * the definition: whatever is not quite like the line that was learned goes there. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

#define LOG_LEARN_FIELDS 64
#define LOG_LEARN_LINE_MAX 4096 /* bytes; longer lines are not learned */

struct log_learned;

/* What stands at the places of a learned line. */
struct log_values {
    uint64_t has;                      /* 1 << field */
    const uint32_t *notes;             /* of each field, as the decoder has given them */
    double number[LOG_LEARN_FIELDS];   /* as log_number() has it; 0 of a text */
    struct str text[LOG_LEARN_FIELDS]; /* in the line */
};

static inline bool log_values_have(const struct log_values *values, unsigned field)
{
    return (values->has >> field & 1) != 0;
}

/* ---- of the decoders, while they read a line; form may be NULL ---- */

/* A value of the line: exactly what log_number() has read, to field (under LOG_LEARN_FIELDS). The
 * note comes back with it: a unit, or whatever the text around it said. */
void log_learn_number(struct log_learned *form, unsigned field, struct str text, uint32_t note);

/* Some other text that begins and ends with a digit, such as a stamp. */
void log_learn_text(struct log_learned *form, unsigned field, struct str text, uint32_t note);

/* The line was whole and of the usual kind: what it came to depends, besides the decoder's state
 * and the line's prefix, on these fields, and on what is no digit. json: its numbers are JSON's,
 * which begin with no 0 but before a point. */
void log_learn_ready(struct log_learned *form, bool json);

/* ---- of the reader ---- */

struct log_learned *log_learn_new(void);
void log_learn_free(struct log_learned *form);

/* Begins to learn the line, which must stay where it is until it is ready. */
void log_learn_begin(struct log_learned *form, struct str line);

/* Whether the decoder has said that it is ready, and the line can be learned. */
bool log_learn_is_ready(const struct log_learned *form);

/* Whether the line differs from the learned one in digits alone. A number at its very end may be
 * cut, so it must be as long as there. 16 bytes behind the line must be readable. */
bool log_learn_match(const struct log_learned *form, struct str line, struct log_values *ret);

/* The learned line; the form's. */
struct str log_learn_line(const struct log_learned *form);
