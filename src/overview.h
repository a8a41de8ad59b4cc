/* The course of a whole run in bounded memory: every step that was ever closed,
 * several of them in one column when there are many. What the history screen, the
 * heat map and the figures of a report are drawn from.
 *
 * A position counts the steps of the run in their order, from 0: unlike a step's
 * number it never goes back, whatever a restart does. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "summary.h"

#define HEAT_UNIT 1e-4 /* of `slowdown`: 10,000 is the median of all ranks */
#define HEAT_NONE 0    /* no record, or no own time */
#define HEAT_MAX 65535

/* A slowdown, over 0, as it is kept: at least the least that is not HEAT_NONE. */
static inline uint16_t heat_of(double slowdown)
{
    double heat = slowdown * (1 / HEAT_UNIT) + 0.5;
    return heat >= HEAT_MAX ? HEAT_MAX : heat < 1 ? 1 : (uint16_t)heat;
}

/* Some consecutive steps. Times are seconds; what is not known is NAN. */
struct overview_column {
    int64_t first_position;
    int64_t positions; /* steps in it, 1 and up: of a log with means, values */
    int64_t steps;     /* that these are of: as many, or more */
    int first_attempt, last_attempt;
    int64_t first_step, last_step; /* of the attempts above: last may be below first */
    int64_t first_covered;         /* the first value may be a mean, over steps up to first_step */
    int worst_attempt;
    int64_t worst_step;     /* the longest of them; the first when no time is known */
    double begin_s;         /* Unix time of the first: median over its ranks */
    double step_time_s;     /* mean */
    double step_time_max_s; /* the longest */
    double wait_share;      /* of the GPU time of those steps, 0 to 1 */
    double mfu, hfu;        /* of those steps, 0 to 1; not rolling */
    double flops;           /* model FLOP/s of one GPU as the log gives it; NAN */
    double mfu_logged;      /* likewise */
    enum evidence time_evidence, wait_evidence; /* of most of those steps; NONE: not known */
};

struct overview_rank {
    uint32_t rank;
    char host[NAME_BYTES], group[NAME_BYTES]; /* raw bytes */
};

/* What is asked for. */
struct overview_request {
    int64_t from,
        to;      /* positions, `to` excluded; cut to those that there are. to = INT64_MAX: all */
    int columns; /* at most so many, 1 and up */
    bool heat;   /* the slowdowns, too */
    bool worst;  /* heat: the worst step of each column, else their mean */
};

struct overview {
    int64_t positions; /* of the whole run, whatever was asked for */
    int64_t finest;    /* steps of the narrowest column there can be, in most of the run */
    enum evidence time_evidence, wait_evidence, mfu_evidence; /* of the columns */
    size_t column_count;
    struct overview_column *columns; /* in order, without gaps; owned */
    size_t rank_count;
    struct overview_rank *ranks; /* by rank number; owned */
    uint16_t *slowdown; /* ranks x columns, row-major, in HEAT_UNIT: own time / median own time of
                           all ranks of the step; NULL unless asked for; owned */
};

void overview_init(struct overview *overview); /* empty */
void overview_done(struct overview *overview);

/* The slowdown in that cell, 1 is the median; NAN. */
double overview_slowdown(const struct overview *overview, size_t rank_index, size_t column);

/* The column that holds a step; SIZE_MAX when none does. */
size_t overview_column_of(const struct overview *overview, int attempt, int64_t step);
