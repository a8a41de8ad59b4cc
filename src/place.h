/* Where to go in a run, as it is typed: a step, a part of the run, a time in UTC, which is
 * what screens and reports show. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum place_kind {
    PLACE_STEP,  /* 1200; a2:1200 is step 1200 of the second attempt */
    PLACE_SHARE, /* 45% of the run */
    PLACE_MOVE,  /* +100, -100: steps from the shown one */
    PLACE_TIME,  /* 03:12, 03:12:30, 2026-11-29 03:12: the first step that began then or later; a Z
                    may follow */
};

struct place {
    enum place_kind kind;
    int64_t step;  /* PLACE_STEP; PLACE_MOVE: how many */
    int attempt;   /* PLACE_STEP: from 0; -1: the newest that has it */
    double share;  /* PLACE_SHARE: 0 to 1 */
    double time_s; /* PLACE_TIME: Unix time */
};

/* What times of day are counted by. */
struct place_clock {
    bool known;     /* when the run began is known */
    double begin_s; /* Unix time; a time of day is the next one from then on */
};

#define PLACE_TAKES "step 1200, a2:1200, 45%, +100, 03:12:30, 2026-11-29 03:12" /* in 80 cells */

/* Blanks around the text are left out. NULL, or why it is no place: a static
 * sentence. */
const char *place_parse(const char *text, const struct place_clock *clock, struct place *ret);
