/* Equal ranks, many runs of them: nobody may be named. Runs of 16,384 ranks take
 * minutes; `test_false_alarms RANKS RUNS JITTER` makes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "analysis_fixture.h"

#define STEPS 1000

/* Names in one run: stragglers and groups, past and in force. */
static size_t names_in_run(uint32_t ranks, double jitter, uint64_t seed)
{
    struct analysis_options options;
    struct simulate_options simulation;
    struct summary summary;
    struct record *records = malloc(ranks * sizeof(*records));
    analysis_options_init(&options);
    options.keep_history = false;
    simulate_options_init(&simulation);
    simulation.ranks = ranks;
    simulation.jitter = jitter;
    simulation.seed = seed;
    simulation.ranks_per_host = ranks > 8 ? 8 : 4;
    simulation.groups = ranks > 8 ? 16 : 2;
    struct analysis *analysis = analysis_new(&options);
    struct simulate *simulate = simulate_new(&simulation);
    for (size_t i = 0; i < STEPS; i++)
        add_all(analysis, records, simulate_step(simulate, records));
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(summary.complete, STEPS);
    size_t names = verdicts_of(&summary, VERDICT_STRAGGLER) + verdicts_of(&summary, VERDICT_GROUP);
    assert_int_equal(verdicts_of(&summary, VERDICT_SPIKE), 0);
    for (size_t i = 0; i < summary.verdict_count && names > 0; i++)
        print_message("seed %llu: kind %d, rank %lld, %s, %+.4f\n", (unsigned long long)seed,
                      summary.verdicts[i].kind, (long long)summary.verdicts[i].rank,
                      summary.verdicts[i].group, summary.verdicts[i].slowdown - 1);
    summary_done(&summary);
    simulate_free(simulate);
    analysis_free(analysis);
    free(records);
    return names;
}

static void nobody_is_named_in_a_thousand_runs_of_eight_ranks(void **state)
{
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        assert_int_equal(names_in_run(8, 0.02, seed), 0);
        assert_int_equal(names_in_run(8, 0.10, seed), 0);
    }
}

static void nobody_is_named_among_a_thousand_ranks(void **state)
{
    assert_int_equal(names_in_run(1024, 0.02, 1), 0);
    assert_int_equal(names_in_run(1024, 0.10, 2), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_is_named_in_a_thousand_runs_of_eight_ranks),
        cmocka_unit_test(nobody_is_named_among_a_thousand_ranks),
    };
    if (argc != 4)
        return cmocka_run_group_tests(tests, NULL, NULL);
    size_t names = 0;
    for (uint64_t seed = 1; seed <= strtoull(argv[2], NULL, 10); seed++)
        names += names_in_run((uint32_t)strtoul(argv[1], NULL, 10), strtod(argv[3], NULL), seed);
    printf("%zu names in %s runs of %s ranks, jitter %s, %d steps\n", names, argv[2], argv[1],
           argv[3], STEPS);
    return names > 0;
}
