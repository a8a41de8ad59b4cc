/* What the verdicts, the floor and the ledger cost in the model, without reading:
 * 8 ranks over many steps beside the aggregation alone, and one step of 16,384
 * ranks, with the summary that a screen then asks for. One core. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "analysis.h"
#include "simulate.h"

#define FEW 8
#define FEW_MADE 1000
#define FEW_STEPS 200000
#define ROUNDS 5
#define MANY 16384
#define MANY_STEPS 240 /* the table is full by then: rows are used again */
#define MANY_TIMED 60

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof(*values), by_value);
    return values[n / 2];
}

static struct record *make(uint32_t ranks, uint32_t steps, struct simulate **ret_simulate)
{
    struct simulate_options options;
    struct record *records = malloc((size_t)ranks * steps * sizeof(*records));
    simulate_options_init(&options);
    options.ranks = ranks;
    options.ranks_per_host = ranks > 64 ? 8 : 0;
    options.groups = ranks > 64 ? 16 : 0;
    options.tokens = 65536;
    options.slow_count = 1;
    options.slow[0] = (struct simulate_slow){5, 1.1, 0, 0, INT64_MAX};
    *ret_simulate = simulate_new(&options);
    for (uint32_t i = 0; records && i < steps; i++)
        simulate_step(*ret_simulate, records + (size_t)i * ranks);
    return records;
}

/* FEW_MADE steps, gone through again and again with new numbers and times. */
static double time_few(const struct record *records, int64_t period_ns, bool figures_only)
{
    struct analysis_options options;
    struct summary summary;
    analysis_options_init(&options);
    options.keep_history = false;
    options.figures_only = figures_only;
    struct analysis *analysis = analysis_new(&options);
    double begin = seconds();
    for (int64_t step = 0; step < FEW_STEPS; step++)
        for (uint32_t r = 0; r < FEW; r++) {
            struct record record = records[step % FEW_MADE * FEW + r];
            record.step = step;
            record.begin_ns += step / FEW_MADE * period_ns;
            analysis_add(analysis, &record, 0);
        }
    analysis_finish(analysis);
    double took = seconds() - begin;
    summary_init(&summary);
    analysis_summary(analysis, (struct step_key){.latest = true}, INT64_MIN, &summary);
    bool named = summary.verdict_count > 0;
    summary_done(&summary);
    analysis_free(analysis);
    if (named == figures_only)
        printf("the slow rank was %s\n", named ? "named" : "not named");
    return took / (FEW * FEW_STEPS);
}

static void measure_few(void)
{
    struct simulate *simulate;
    struct record *records = make(FEW, FEW_MADE, &simulate);
    int64_t period_ns = simulate_now_ns(simulate) - records[0].begin_ns;
    double alone[ROUNDS], whole[ROUNDS], ratio[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        alone[i] = time_few(records, period_ns, true);
        whole[i] = time_few(records, period_ns, false);
        ratio[i] = whole[i] / alone[i];
    }
    printf("%u ranks: %.1f ns a record alone, %.1f ns with verdicts, floor and ledger: %+.1f ns, "
           "+%.0f%% of the model\n",
           FEW, 1e9 * median(alone, ROUNDS), 1e9 * median(whole, ROUNDS),
           1e9 * (median(whole, ROUNDS) - median(alone, ROUNDS)),
           100 * (median(ratio, ROUNDS) - 1));
    free(records);
    simulate_free(simulate);
}

static double time_summary(struct analysis *analysis, struct summary *summary, bool brief)
{
    double begin = seconds();
    summary->brief = brief;
    analysis_summary(analysis, (struct step_key){.latest = true}, INT64_MIN, summary);
    return seconds() - begin;
}

static void measure_many(void)
{
    struct simulate *simulate;
    struct record *records = make(MANY, 1, &simulate); /* one step at a time, as it is read */
    struct analysis_options options;
    struct summary summary;
    double step[MANY_TIMED], pull[MANY_TIMED], ranks[MANY_TIMED];
    int timed = 0;
    analysis_options_init(&options);
    options.memory_bytes = (size_t)128 << 20;
    struct analysis *analysis = analysis_new(&options);
    summary_init(&summary);
    for (size_t i = 0; i < MANY_STEPS; i++) {
        double begin = seconds();
        for (size_t r = 0; r < MANY; r++)
            analysis_add(analysis, &records[r], 0);
        double added = seconds() - begin;
        simulate_step(simulate, records);
        double first = time_summary(analysis, &summary, true);
        if (i < MANY_STEPS - MANY_TIMED)
            continue;
        pull[timed] = time_summary(analysis, &summary, true);
        /* The first summary after a step also folds it. */
        step[timed] = added + first - pull[timed];
        ranks[timed++] = time_summary(analysis, &summary, false);
    }
    printf("%u ranks: a step is absorbed in %.2f ms (target 2), the screen's summary takes "
           "%.2f ms (target 5), that of the ranks screen %.2f ms\n",
           MANY, 1e3 * median(step, timed), 1e3 * median(pull, timed), 1e3 * median(ranks, timed));
    summary_done(&summary);
    analysis_free(analysis);
    free(records);
    simulate_free(simulate);
}

int main(void)
{
    measure_few();
    measure_many();
    return 0;
}
