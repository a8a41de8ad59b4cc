/* Which steps a run has, in order, and when they began: what a replay walks along.
 * Steps of one attempt that are equally far apart take one entry; times are thinned
 * out when there are very many. Sees the core only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis.h"

#define REPLAY_TIMES_MAX (1 << 19)

/* Steps first, first + stride, ... of one attempt. */
struct replay_stretch {
    int attempt;
    int64_t first, stride, count;
    int64_t position; /* of the first: steps of the run before it */
};

/* Zero-initialised is empty. */
struct replay_steps {
    struct replay_stretch *stretches; /* owned */
    size_t count, capacity;
    int64_t total; /* steps */

    double *begin_s; /* of every spacing-th step, never going back; owned */
    uint32_t time_count, time_capacity;
    int64_t spacing;
    double last_s;     /* of the step added last */
    double last_end_s; /* when it ended */
    bool clock;        /* the times are Unix times; else seconds from the first step on */
};

void replay_steps_done(struct replay_steps *steps);

/* One more step, behind all others. */
void replay_steps_add(struct replay_steps *steps, const struct front_step *step);

/* The position of the step, or of the last one before it; -1: it stands before all. */
int64_t replay_steps_position(const struct replay_steps *steps, struct step_key key);

/* The step at a position from 0 to total - 1. */
struct step_key replay_steps_key(const struct replay_steps *steps, int64_t position);

/* When the step at the position began: seconds. The position may be `total`: then the
 * last one's end. */
double replay_steps_time(const struct replay_steps *steps, int64_t position);

/* The position of the first step that began at or after a time; total: none did. */
int64_t replay_steps_at_time(const struct replay_steps *steps, double time_s);
