/* The course of a run built by hand, and what happened in it: for the tests of the
 * heat map, the history and the figures of a report. */
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "events.h"
#include "overview.h"

#define OVERVIEW_STEP_SECONDS 4.5
#define OVERVIEW_BEGIN_S 1795961553.0 /* 2026-11-29 14:52:33Z */

/* The job restarts at half its time: from there on it is attempt 1, and goes back a
 * tenth of the run. Rank 5 is 10% slower from 60% on, rank 3 was 40% slower once, at
 * 30%, rank 2 says nothing from 80% to 85%; the others lie within 1.5%. */
struct overview_marks {
    int64_t spike, restart, slow_from, gone_from, gone_to; /* positions */
    int64_t back;                                          /* steps that are done again */
};

static inline struct overview_marks overview_marks(int64_t positions)
{
    return (struct overview_marks){.spike = positions * 3 / 10,
                                   .restart = positions / 2,
                                   .slow_from = positions * 6 / 10,
                                   .gone_from = positions * 8 / 10,
                                   .gone_to = positions * 85 / 100,
                                   .back = positions / 10};
}

static inline int overview_fixture_attempt(int64_t positions, int64_t position)
{
    return position >= overview_marks(positions).restart;
}

static inline int64_t overview_fixture_step(int64_t positions, int64_t position)
{
    struct overview_marks marks = overview_marks(positions);
    return position >= marks.restart ? position - marks.back : position;
}

static inline double overview_fixture_begin_s(int64_t positions, int64_t position)
{
    int attempt = overview_fixture_attempt(positions, position);
    return OVERVIEW_BEGIN_S + OVERVIEW_STEP_SECONDS * (double)position + 600 * attempt;
}

/* Of one rank, the mean over the positions of a column: 1 is the median. */
static inline double overview_fixture_slowdown(int64_t positions, int64_t first, int64_t count,
                                               uint32_t rank)
{
    struct overview_marks marks = overview_marks(positions);
    double jitter = 0.015 * sin(rank * 1.7 + (double)first * 0.9) * cos((double)first * 0.31);
    double slowdown = 1 + jitter;
    if (rank == 2 && first >= marks.gone_from && first < marks.gone_to)
        return NAN;
    if (rank == 5 && first >= marks.slow_from)
        slowdown += 0.1;
    if (rank == 3 && first <= marks.spike && marks.spike < first + count)
        slowdown += 0.4 / (double)count;
    return slowdown;
}

static inline void overview_fixture_column(struct overview_column *column, int64_t positions,
                                           int64_t first, int64_t count)
{
    struct overview_marks marks = overview_marks(positions);
    int64_t last = first + count - 1;
    bool slow = first >= marks.slow_from, spike = first <= marks.spike && marks.spike <= last;
    int64_t worst = spike ? marks.spike : first + count / 2;
    double time = slow ? 4.95 : 4.51, wave = 0.02 * sin((double)first * 0.7);
    *column = (struct overview_column){
        .first_position = first,
        .positions = count,
        .steps = count,
        .first_covered = overview_fixture_step(positions, first),
        .first_attempt = overview_fixture_attempt(positions, first),
        .last_attempt = overview_fixture_attempt(positions, last),
        .first_step = overview_fixture_step(positions, first),
        .last_step = overview_fixture_step(positions, last),
        .worst_attempt = overview_fixture_attempt(positions, worst),
        .worst_step = overview_fixture_step(positions, worst),
        .begin_s = overview_fixture_begin_s(positions, first),
        .step_time_s = time + wave + (spike ? 1.8 / (double)count : 0),
        .step_time_max_s = spike ? 6.31 : time + wave + (count > 1 ? 0.12 : 0),
        .wait_share = (slow ? 0.098 : 0.021) + wave * 0.2,
        .mfu = (slow ? 0.412 : 0.448) - wave * 0.1,
        .hfu = (slow ? 0.549 : 0.597) - wave * 0.13,
    };
}

static inline void overview_fixture_ranks(struct overview *overview, size_t ranks)
{
    overview->rank_count = ranks;
    overview->ranks = calloc(ranks ? ranks : 1, sizeof(*overview->ranks));
    for (size_t i = 0; i < ranks; i++) {
        struct overview_rank *rank = &overview->ranks[i];
        rank->rank = (uint32_t)i;
        snprintf(rank->host, sizeof(rank->host), "node%02u", rank->rank / 8);
        snprintf(rank->group, sizeof(rank->group), "pp%u", rank->rank / 8 % 4);
    }
}

static inline void overview_fixture_heat(struct overview *overview, bool worst)
{
    size_t columns = overview->column_count;
    overview->slowdown = calloc(overview->rank_count * columns + 1, sizeof(*overview->slowdown));
    for (size_t r = 0; r < overview->rank_count; r++) {
        for (size_t c = 0; c < columns; c++) {
            const struct overview_column *column = &overview->columns[c];
            double slowdown = overview_fixture_slowdown(overview->positions, column->first_position,
                                                        column->positions, overview->ranks[r].rank);
            int64_t after = overview_marks(overview->positions).spike - column->first_position;
            if (worst && after >= 0 && after < column->positions) /* that of the spike */
                slowdown =
                    overview_fixture_slowdown(overview->positions, column->first_position + after,
                                              1, overview->ranks[r].rank);
            overview->slowdown[r * columns + c] = isnan(slowdown) ? HEAT_NONE : heat_of(slowdown);
        }
    }
}

/* As analysis_overview() would answer: *overview (initialised) is filled anew. */
static inline void overview_fixture(struct overview *overview, size_t ranks, int64_t positions,
                                    struct overview_request request)
{
    overview_done(overview);
    overview->positions = positions;
    overview->time_evidence = overview->wait_evidence = EVIDENCE_MEASURED;
    overview->mfu_evidence = EVIDENCE_COMPUTED;
    int64_t from = request.from < 0 ? 0 : request.from < positions ? request.from : positions;
    int64_t to = request.to < positions ? request.to : positions, seen = to > from ? to - from : 0;
    int64_t each = (seen + request.columns - 1) / request.columns;
    overview->columns = calloc((size_t)request.columns + 1, sizeof(*overview->columns));
    for (int64_t first = from; first < from + seen; first += each)
        overview_fixture_column(&overview->columns[overview->column_count++], positions, first,
                                first + each <= to ? each : to - first);
    overview_fixture_ranks(overview, ranks);
    if (request.heat)
        overview_fixture_heat(overview, request.worst);
}

static inline struct run_event overview_fixture_event(enum verdict_kind kind, int64_t positions,
                                                      int64_t from, int64_t to)
{
    struct run_event event = {
        .verdict = {.kind = kind, .rank = -1, .phase = -1, .named_step = -1, .to_step = -1},
        .begin_s = overview_fixture_begin_s(positions, from),
        .end_s = NAN,
    };
    event.verdict.slowdown = event.verdict.sure = event.verdict.step_time_s = NAN;
    event.verdict.lost_share = event.verdict.lost_gpu_s = NAN;
    event.verdict.attempt = overview_fixture_attempt(positions, from);
    event.verdict.from_step = overview_fixture_step(positions, from);
    if (to >= 0) {
        event.verdict.to_step = overview_fixture_step(positions, to);
        event.end_attempt = overview_fixture_attempt(positions, to);
        event.end_s = overview_fixture_begin_s(positions, to);
    }
    return event;
}

/* The same run's: spike, restart, straggler (which lasts), missing rank. */
static inline void overview_fixture_events(struct run_events *events, int64_t positions)
{
    struct overview_marks marks = overview_marks(positions);
    run_events_done(events);
    events->count = 4;
    events->items = calloc(4, sizeof(*events->items));
    struct run_event *spike = &events->items[0], *restart = &events->items[1];
    struct run_event *slow = &events->items[2], *gone = &events->items[3];
    *spike = overview_fixture_event(VERDICT_SPIKE, positions, marks.spike, marks.spike);
    spike->verdict.rank = 3;
    spike->verdict.phase = PHASE_FORWARD;
    spike->verdict.slowdown = 1.4;
    spike->verdict.step_time_s = 6.31;
    *restart = overview_fixture_event(VERDICT_RESTART, positions, marks.restart, marks.restart);
    restart->verdict.step_time_s = 600;
    restart->verdict.repeated_steps = marks.back;
    *slow = overview_fixture_event(VERDICT_STRAGGLER, positions, marks.slow_from, -1);
    slow->verdict.rank = 5;
    slow->verdict.phase = PHASE_FORWARD;
    slow->verdict.slowdown = 1.101;
    slow->verdict.sure = 12.2;
    slow->verdict.named_step = slow->verdict.from_step + 19;
    slow->verdict.lost_share = 0.07;
    *gone = overview_fixture_event(VERDICT_MISSING, positions, marks.gone_from, marks.gone_to);
    gone->verdict.rank = 2;
}
