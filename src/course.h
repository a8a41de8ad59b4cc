/* The course of a run: every step that has settled, in columns of 2^shift steps,
 * which are merged two by two when there is no room for more. What
 * analysis_overview() is made from, together with the rows that are still open. */
#pragma once

#include <math.h>
#include <stdint.h>

#include "heat.h"
#include "steps.h"

#define COURSE_COLUMNS_MAX 32768
#define COURSE_BEGINS_MAX 1024 /* evenly spaced ranks, whose median begin is a column's */

/* Some consecutive steps. Sums are of nanoseconds of one rank, and of its waits over
 * ranks; what is not known is not in them. */
struct course_column {
    uint32_t positions;
    int first_attempt, last_attempt, worst_attempt;
    int64_t first_step, last_step, worst_step;
    int64_t first_covered; /* the first value may be a mean, over steps up to first_step */
    double begin_ns;       /* Unix time; NAN */
    double time_ns, time_max_ns;
    double wait_ns, rank_time_ns;
    double tokens;              /* of the steps whose time is known */
    struct job_rates rates;     /* likewise */
    int64_t steps, timed_steps; /* that the values are of: more, where they are means */
    uint32_t times, waits;      /* steps that have them */
    uint32_t times_measured, waits_measured; /* of these */
};

/* Zero-initialised is empty. */
struct course {
    int shift;
    uint32_t count, capacity;
    struct course_column *columns; /* closed: 2^shift steps each; owned */
    struct course_column open;     /* fewer */
    struct heat heat;
};

void course_done(struct course *course); /* empty again */

/* One more step, which has been folded. */
void course_add(struct course *course, const struct step_row *row);

/* Steps in it. */
static inline int64_t course_positions(const struct course *course)
{
    return ((int64_t)course->count << course->shift) + course->open.positions;
}

/* ---- columns, also of rows that have not settled ---- */

static inline void course_column_clear(struct course_column *column)
{
    *column = (struct course_column){.begin_ns = NAN, .time_max_ns = -1};
}

void course_column_add(struct course_column *column, const struct step_row *row);
void course_column_merge(struct course_column *to, const struct course_column *from);
