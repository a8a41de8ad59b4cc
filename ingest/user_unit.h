/* Units of the values that maps and patterns name: which there are, and whether a word
 * behind a value is one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "str.h"

enum user_kind {
    USER_COUNT,  /* whole: step, rank, tokens, steps, gpus */
    USER_TIME,   /* seconds, or in the unit that is said */
    USER_STAMP,  /* t, end: Unix time in s, ms, us or ns by its size, or a written date */
    USER_RATE,   /* flops */
    USER_SHARE,  /* mfu */
    USER_NAME,   /* host, group */
    USER_JOB,    /* job: takes no value */
    USER_NOTHING /* {} of a pattern */
};

/* The factor of the unit of that name, as in FIELD:UNIT; 0: there is none such. */
double user_unit_named(enum user_kind kind, struct str name);

/* "s, ms, us, ...": those that a field of that kind takes. */
const char *user_unit_list(enum user_kind kind);

struct user_unit {
    enum {
        UNIT_NONE,    /* no unit stands there */
        UNIT_SURE,    /* one does */
        UNIT_UNCLEAR, /* a word that is one, or another: "min", "m" */
        UNIT_WRONG    /* one that no value of that kind has: "it/s" of a time */
    } answer;
    bool weak;        /* also a word or a letter of other meaning */
    size_t blanks;    /* before it */
    size_t length;    /* of its word */
    double scale;     /* its factor; 0 with WRONG */
    const char *name; /* what to write as FIELD:UNIT for it; NULL with WRONG */
};

/* What stands behind a value. s: from there to the end of its line, or of the pattern, where '{'
 * begins the next value; at least 8 bytes behind it are readable. whole: where "max" shows that
 * "min" is the least of several. */
void user_unit_at(enum user_kind kind, struct str s, struct str whole, struct user_unit *ret);

/* Whether a unit may begin so: most texts behind numbers do not. p[1] must be readable. */
static inline bool user_unit_begins(enum user_kind kind, const char *p)
{
    switch (*p) {
    case 'm':
    case 'k':
    case 'b':
    case '%':
    case '\xC2':
    case '\xCE':
        return true;
    case 't':
        return kind == USER_RATE || p[1] == 'h' || p[1] == 'r';
    case 'd':
    case 'h':
    case 'i':
    case 'n':
    case 'p':
    case 's':
    case 'u':
    case 'w':
        return kind != USER_COUNT;
    case 'e':
    case 'f':
    case 'g':
        return kind == USER_RATE;
    default:
        return *p >= 'A' && *p <= 'Z';
    }
}
