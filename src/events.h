/* What happened in a run, in order: one list for the events screen, for jumps, for
 * the marks in figures and for the tables of a report.
 *
 * Stragglers, groups and hosts, but for those that a group explains; spikes; restarts;
 * missing ranks; gaps. A step before which the job stood still is a gap, and not a spike
 * as well. Ranks of one host that are missing since the same step are one event: rank is
 * -1, `group` the host, and it is over when the last of them is back. Of a rank that
 * begins late without a longer phase the list does not know: it is found in the window
 * of the shown step alone. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "summary.h"

struct run_event {
    struct verdict verdict; /* to_step is -1 while it lasts */
    double begin_s;  /* Unix time at which from_step began (restart, gap: the step that it goes on
                        with): median over its ranks; NAN */
    double end_s;    /* likewise of to_step; NAN while it lasts, or when not known */
    double so_far_s; /* while it lasts: from begin_s to the begin of the newest step; NAN */
    int end_attempt;
};

struct run_events {
    size_t count;
    struct run_event *items; /* by attempt and from_step; owned */
    uint64_t dropped;        /* beyond what is kept */
};

void run_events_init(struct run_events *events);
void run_events_done(struct run_events *events);
