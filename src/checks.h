/* Conditions that a run must meet, for scripts: "mfu>=0.40,wait<=0.10,stragglers=0".
 * The figures are those that the report shows. What is not known does not hold. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "summary.h"

enum check_figure {
#define CHECK(id, name, unit, about) CHECK_##id,
#include "checks.def"
#undef CHECK
    CHECK_FIGURES
};

enum check_unit {
    CHECK_SHARE,   /* 0.4 or 40% */
    CHECK_SECONDS, /* 0.93, 930ms, 1.5s, 2min */
    CHECK_COUNT,   /* 0, 12, 1.5k, 2M */
};

enum check_operator {
    CHECK_AT_LEAST,
    CHECK_AT_MOST,
    CHECK_MORE,
    CHECK_LESS,
    CHECK_EQUAL,
    CHECK_NOT_EQUAL,
};

#define CHECK_TEXT_BYTES 64
#define CHECK_SENTENCE_BYTES 256
#define CHECKS_MAX 256

/* The figures of one run, and why one is not known. */
struct check_values {
    struct quantity value[CHECK_FIGURES];
    const char *why[CHECK_FIGURES]; /* static; NULL where it is known */
};

struct check {
    char text[CHECK_TEXT_BYTES]; /* as it was given: printable ASCII, no blanks */
    enum check_figure figure;
    enum check_operator operator;
    double bound;
    bool relative; /* of A's figure: 0.05 is +5% */
    /* What it came to. */
    struct quantity value; /* NONE: not known */
    double change;         /* relative: value / A's - 1; NAN when not known */
    bool holds;
    char sentence[CHECK_SENTENCE_BYTES]; /* "it is 0.385 c", "mfu is not known: ..." */
};

struct checks {
    size_t count;
    struct check items[CHECKS_MAX];
};

const char *check_figure_name(enum check_figure figure); /* "mfu" */

/* Adds the conditions of one --check. False with a sentence in `error`: what is wrong, and what
 * is taken. `compared`: bounds of the kind +5% have something to be relative to. */
bool checks_parse(struct checks *checks, const char *text, bool compared, char *error, size_t size);

/* The figures of a summary. */
void check_values_of(struct check_values *values, const struct summary *summary);

/* Fills what each condition came to. `base`: the figures of A; NULL when nothing is compared.
 * True when all hold. */
bool checks_judge(struct checks *checks, const struct check_values *values,
                  const struct check_values *base);
