/* Two runs, or two spans of one: what differs, and whether it is more than noise.
 *
 * Step time, waiting, MFU and HFU are taken from the course of each side without the first
 * COMPARE_WARM_UP steps of an attempt (they compile) or of a span; the other figures are those of
 * the report. Those four are tested, step by step (permutation.h); of the others there is one
 * value a side, and nothing to tell noise from. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "checks.h"
#include "overview.h"
#include "permutation.h"
#include "summary.h"

#define COMPARE_WARM_UP 3
#define COMPARE_COLUMNS 32768 /* of the overview; longer runs have several steps in one */

enum { COMPARE_A, COMPARE_B, COMPARE_SIDES };

/* Borrowed by the comparison. */
struct compare_side {
    const char *name; /* as it was given: raw bytes */
    const struct summary *summary;
    const struct overview *overview;
    int64_t from_step, to_step; /* INT64_MIN, INT64_MAX: all */
};

enum compare_unit { COMPARE_SECONDS, COMPARE_SHARE, COMPARE_COUNT };

enum compare_id {
    COMPARE_STEP_TIME_MEAN,
    COMPARE_STEP_TIME_MEDIAN,
    COMPARE_WAIT,
    COMPARE_MFU,
    COMPARE_HFU,
    COMPARE_TESTED_END, /* a place in the order, no figure */
    COMPARE_EXCHANGE = COMPARE_TESTED_END,
    COMPARE_TOKENS_PER_S,
    COMPARE_EFFECTIVE,
    COMPARE_JITTER_FLOOR,
    COMPARE_JITTER_SPREAD,
    COMPARE_SPIKES,
    COMPARE_RESTARTS,
    COMPARE_MISSING,
    COMPARE_LEDGER, /* and the parts behind it, in their order */
    COMPARE_FIGURES = COMPARE_LEDGER + LEDGER_COUNT
};

struct compare_figure {
    enum compare_unit unit;
    int better; /* 1: more is, -1: less is, 0: neither */
    struct quantity value[COMPARE_SIDES];
    double difference; /* B - A; NAN unless both are known */
    double change;     /* B / A - 1; NAN likewise, and where A is 0 */
    bool tested;
    struct permutation test; /* where it was tested */
};

const char *compare_figure_name(int figure);  /* "step_time_mean_s", "ledger_input" */
const char *compare_figure_title(int figure); /* "step time, mean"; of the ledger: its part */

/* Somebody who was named in one of them or in both. */
struct compare_named {
    struct verdict verdict;         /* of A, else of B */
    double slowdown[COMPARE_SIDES]; /* the newest verdict's; NAN: not named there */
    bool named[COMPARE_SIDES];
};

/* Why figures do not compare like with like. */
enum compare_note {
    COMPARE_NOTE_GPUS = 1,
    COMPARE_NOTE_CHIP = 2,
    COMPARE_NOTE_MODEL = 4,       /* parameters */
    COMPARE_NOTE_TOKENS = 8,      /* a step, by over 1% */
    COMPARE_NOTE_CONVENTION = 16, /* of MFU or HFU */
    COMPARE_NOTE_RULE = 32,       /* by which waits are found */
    COMPARE_NOTE_SIMULATED = 64,  /* one of them is */
    COMPARE_NOTE_MERGED = 128,    /* so many steps that several are tested as one */
    COMPARE_NOTE_BLIND = 256,     /* the log of one of them cannot tell who is slow */
};

struct comparison {
    struct compare_side side[COMPARE_SIDES];
    struct compare_figure figures[COMPARE_FIGURES];
    int64_t steps[COMPARE_SIDES];   /* that the tested figures are made from */
    int64_t warm_up[COMPARE_SIDES]; /* that were left out */
    size_t named_count;
    struct compare_named *named; /* owned */
    unsigned notes;              /* of enum compare_note */
};

void compare_make(struct comparison *comparison, const struct compare_side *a,
                  const struct compare_side *b);
void compare_done(struct comparison *comparison);

/* A difference that was tested and is more than noise. */
bool compare_is_more(const struct compare_figure *figure);

/* The figures of one side for its conditions: those above where they differ from the report's. */
void compare_check_values(const struct comparison *comparison, int side,
                          struct check_values *values);
