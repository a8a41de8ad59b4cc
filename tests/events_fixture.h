/* Events built by hand, for the tests of the screens that show them. */
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "events.h"
#include "view_fixture.h"

#define EVENTS_STEP_S 4.0 /* between the begins of two steps of the fixture */

static inline struct run_event *fixture_event(struct run_events *events, enum verdict_kind kind,
                                              int64_t from, int64_t to)
{
    struct run_event *event = &events->items[events->count++];
    *event = (struct run_event){
        .verdict = {.kind = kind,
                    .rank = -1,
                    .phase = -1,
                    .slowdown = NAN,
                    .sure = NAN,
                    .lost_share = NAN,
                    .lost_gpu_s = NAN,
                    .step_time_s = NAN,
                    .from_step = from,
                    .named_step = -1,
                    .to_step = to},
        .begin_s = 1795961553.352638 - (double)(12345 - from) * EVENTS_STEP_S,
        .end_s = to < 0 ? NAN : 1795961553.352638 - (double)(12345 - to) * EVENTS_STEP_S,
        .so_far_s = to < 0 ? (double)(12345 - from) * EVENTS_STEP_S : NAN,
    };
    return event;
}

/* Seven events of fixture_figure(): a spike at 812, pp0 slow 2,000 to 2,600, node00 slow
 * 3,000 to 3,100, rank 3 missing 5,000 to 5,060, a spike at 9,000 of all ranks, rank 5 slow
 * since 12,288, a spike at the shown step. run_events_done() frees them. */
static inline void fixture_events(struct run_events *events)
{
    run_events_init(events);
    events->items = calloc(8, sizeof(*events->items));
    struct run_event *event = fixture_event(events, VERDICT_SPIKE, 812, 812);
    event->verdict.rank = 3;
    event->verdict.phase = PHASE_DATA;
    event->verdict.slowdown = 2.3;
    event->verdict.step_time_s = 10.4;
    event = fixture_event(events, VERDICT_GROUP, 2000, 2600);
    snprintf(event->verdict.group, sizeof(event->verdict.group), "pp0");
    event->verdict.phase = PHASE_BACKWARD;
    event->verdict.slowdown = 1.08;
    event->verdict.named_step = 2020;
    event->verdict.lost_gpu_s = 0.05 * 600 * 4.9 * 8;
    event = fixture_event(events, VERDICT_GROUP, 3000, 3100);
    snprintf(event->verdict.group, sizeof(event->verdict.group), "node00");
    event->verdict.is_host = true;
    event->verdict.slowdown = 1.062;
    event->verdict.named_step = 3024;
    event->verdict.lost_gpu_s = 0.04 * 100 * 4.9 * 8;
    event = fixture_event(events, VERDICT_MISSING, 5000, 5060);
    event->verdict.rank = 3;
    event = fixture_event(events, VERDICT_SPIKE, 9000, 9000);
    event->verdict.slowdown = 3.2;
    event->verdict.step_time_s = 14.4;
    event = fixture_event(events, VERDICT_STRAGGLER, 12288, -1);
    event->verdict.rank = 5;
    event->verdict.phase = PHASE_FORWARD;
    event->verdict.slowdown = 1.101;
    event->verdict.named_step = 12307;
    event->verdict.lost_gpu_s = 0.07 * 58 * 4.92 * 8;
    event = fixture_event(events, VERDICT_SPIKE, 12345, 12345);
    event->verdict.rank = 0;
    event->verdict.phase = PHASE_SYNC;
    event->verdict.slowdown = 1.6;
    event->verdict.step_time_s = 7.9;
}

/* The same with a restart at 9,000 in place of its spike: attempt 2, in which all that
 * follows happens, and the run began a day before. */
static inline void fixture_restart(struct run_events *events, struct summary *summary)
{
    fixture_events(events);
    struct verdict *restart = &events->items[4].verdict;
    restart->kind = VERDICT_RESTART;
    restart->attempt = 1;
    restart->slowdown = NAN;
    restart->step_time_s = 240;
    restart->repeated_steps = 13;
    events->items[5].verdict.attempt = events->items[6].verdict.attempt = 1;
    events->items[6].end_attempt = 1;
    for (int i = 0; i < 4; i++) {
        events->items[i].begin_s -= 43200;
        events->items[i].end_s -= 43200;
    }
    summary->attempts = 2;
    summary->shown.attempt = 1;
}
