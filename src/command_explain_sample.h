/* The sample of a log that nobody knows, and what is proposed for it, a piece at a time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "str.h"

#define EXPLAIN_FIELDS_MAX 12

struct explain_made {
    char *to;
    size_t size, used;
    unsigned fields;
    const char *taken[EXPLAIN_FIELDS_MAX];
    bool step, time; /* are among them */
};

/* Puts both behind what is there, or nothing where there is no room. */
void explain_add(struct explain_made *made, const char *before, struct str text);

bool explain_is_taken(const struct explain_made *made, const char *field); /* or there is no room */
void explain_take(struct explain_made *made, const char *field);

/* Values of one name, in turn: whether they are those of a clock that runs on. */
struct explain_clock {
    double first, last;
    unsigned values;
    bool stood; /* or went back */
};
void explain_clock_add(struct explain_clock *clock, double value);
bool explain_clock_runs(const struct explain_clock *clock); /* by more than a step's time would */

/* The next whole line that is not empty, of the rest of a sample. */
bool explain_next_line(struct str *rest, struct str *ret);

/* A pattern that would read lines of the sample, as an option: "--pattern '...'". False: no line
 * has a step and a time. */
bool explain_pattern(struct str sample, char *to, size_t size);
