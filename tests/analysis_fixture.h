/* Records by hand and by simulation, for the tests of the model. */
#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "simulate.h"

#define MS INT64_C(1000000)
#define SECOND INT64_C(1000000000)

/* Forward and backward in ms, with a sync time; no begin. */
static inline struct record record_of(uint32_t rank, int64_t step, int64_t forward_ms,
                                      int64_t backward_ms, int64_t sync_ms)
{
    struct record record = {
        .has = RECORD_RANK | RECORD_STEP | RECORD_FORWARD | RECORD_BACKWARD | RECORD_SYNC,
        .rank = rank,
        .step = step,
    };
    record.phase_ns[PHASE_FORWARD] = forward_ms * MS;
    record.phase_ns[PHASE_BACKWARD] = backward_ms * MS;
    record.phase_ns[PHASE_SYNC] = sync_ms * MS;
    return record;
}

static inline struct record record_at(struct record record, int64_t begin_ns)
{
    record.has |= RECORD_BEGIN;
    record.begin_ns = begin_ns;
    return record;
}

static inline enum analysis_answer add(struct analysis *analysis, struct record record)
{
    return analysis_add(analysis, &record, 0);
}

static inline struct analysis *new_analysis(void)
{
    struct analysis_options options;
    analysis_options_init(&options);
    return analysis_new(&options);
}

static inline struct step_key newest(void)
{
    return (struct step_key){.latest = true};
}

/* A summary that the caller ends with summary_done(). */
static inline void sum_up(struct analysis *analysis, struct summary *summary)
{
    summary_init(summary);
    analysis_summary(analysis, newest(), INT64_MIN, summary);
}

static inline size_t verdicts_of(const struct summary *summary, enum verdict_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < summary->verdict_count; i++)
        count += summary->verdicts[i].kind == kind;
    return count;
}

static inline const struct verdict *verdict_of(const struct summary *summary,
                                               enum verdict_kind kind)
{
    for (size_t i = 0; i < summary->verdict_count; i++)
        if (summary->verdicts[i].kind == kind)
            return &summary->verdicts[i];
    return NULL;
}

static inline bool near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance;
}

/* All records of `steps` simulated steps, in the order of steps; the caller frees.
 * Hosts and groups are left out, since they are borrowed from the simulation. */
static inline struct record *simulated(const struct simulate_options *options, size_t steps,
                                       size_t *ret_count)
{
    struct record *records = malloc(steps * options->ranks * sizeof(*records));
    struct simulate *simulate = simulate_new(options);
    size_t count = 0;
    for (size_t i = 0; i < steps; i++)
        count += simulate_step(simulate, records + count);
    for (size_t i = 0; i < count; i++)
        records[i].has &= ~(uint32_t)(RECORD_HOST | RECORD_GROUP);
    simulate_free(simulate);
    *ret_count = count;
    return records;
}

static inline void add_all(struct analysis *analysis, const struct record *records, size_t count)
{
    for (size_t i = 0; i < count; i++)
        analysis_add(analysis, &records[i], 0);
}
