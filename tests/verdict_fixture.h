/* Whole simulated runs and what is said of them, for the tests of verdicts and costs. */
#pragma once

#include "analysis_fixture.h"

static inline void run_steps(struct analysis *analysis, const struct simulate_options *options,
                             size_t steps)
{
    struct record *records = malloc(options->ranks * sizeof(*records));
    struct simulate *simulate = simulate_new(options);
    for (size_t i = 0; i < steps; i++)
        add_all(analysis, records, simulate_step(simulate, records));
    simulate_free(simulate);
    free(records);
}

static inline void summary_of(const struct simulate_options *options, size_t steps,
                              struct summary *summary)
{
    struct analysis *analysis = new_analysis();
    run_steps(analysis, options, steps);
    analysis_finish(analysis);
    sum_up(analysis, summary);
    analysis_free(analysis);
}

static inline void slow(struct simulate_options *options, uint32_t rank, double factor)
{
    options->slow[options->slow_count++] = (struct simulate_slow){rank, factor, 0, 0, INT64_MAX};
}

static inline size_t named(const struct summary *summary)
{
    return verdicts_of(summary, VERDICT_STRAGGLER) + verdicts_of(summary, VERDICT_GROUP);
}

static inline const struct what_if *what_if_of(const struct summary *summary, enum cost_of of,
                                               int64_t rank)
{
    for (size_t i = 0; i < summary->what_if_count; i++)
        if (summary->what_ifs[i].of == of &&
            (of != COST_OF_RANK || summary->what_ifs[i].rank == rank))
            return &summary->what_ifs[i];
    return NULL;
}
