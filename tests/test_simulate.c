/* The simulation is deterministic, and its physics is a barrier's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "simulate.h"

#define RANKS 8

static int64_t own_ns(const struct record *record)
{
    return record->phase_ns[PHASE_DATA] + record->phase_ns[PHASE_FORWARD] +
           record->phase_ns[PHASE_BACKWARD];
}

static int64_t release_ns(const struct record *record)
{
    return record->begin_ns + own_ns(record) + record->phase_ns[PHASE_SYNC];
}

static void the_same_seed_gives_the_same_records(void **state)
{
    struct simulate_options options;
    simulate_options_init(&options);
    options.seed = 42;
    struct simulate *one = simulate_new(&options), *two = simulate_new(&options);
    for (int step = 0; step < 100; step++) {
        struct record a[RANKS], b[RANKS];
        memset(a, 0, sizeof a);
        memset(b, 0, sizeof b);
        assert_int_equal(simulate_step(one, a), RANKS);
        assert_int_equal(simulate_step(two, b), RANKS);
        for (int rank = 0; rank < RANKS; rank++) {
            assert_int_equal(a[rank].begin_ns, b[rank].begin_ns);
            assert_memory_equal(a[rank].phase_ns, b[rank].phase_ns, sizeof a[rank].phase_ns);
        }
    }
    simulate_free(one);
    simulate_free(two);
}

/* Fixed figures: they must be these on every machine and with every compiler. */
static void the_first_figures_of_seed_1_never_change(void **state)
{
    struct simulate_options options;
    simulate_options_init(&options);
    struct simulate *simulate = simulate_new(&options);
    struct record records[RANKS];
    simulate_step(simulate, records);
    simulate_step(simulate, records);
    assert_int_equal(records[0].begin_ns, INT64_C(1800000001051741000));
    assert_int_equal(records[5].phase_ns[PHASE_FORWARD], 311776000);
    assert_int_equal(records[7].phase_ns[PHASE_SYNC], 100084000);
    simulate_free(simulate);
}

static void another_seed_gives_other_records(void **state)
{
    struct simulate_options options;
    struct record a[RANKS], b[RANKS];
    simulate_options_init(&options);
    struct simulate *one = simulate_new(&options);
    options.seed++;
    struct simulate *two = simulate_new(&options);
    simulate_step(one, a);
    simulate_step(two, b);
    assert_int_not_equal(a[0].phase_ns[PHASE_FORWARD], b[0].phase_ns[PHASE_FORWARD]);
    simulate_free(one);
    simulate_free(two);
}

static void all_ranks_leave_the_barrier_together(void **state)
{
    struct simulate_options options;
    simulate_options_init(&options);
    struct simulate *simulate = simulate_new(&options);
    struct record records[RANKS], before[RANKS];
    for (int step = 0; step < 200; step++) {
        assert_int_equal(simulate_step(simulate, records), RANKS);
        int64_t exchange_ns = INT64_MAX;
        for (int rank = 0; rank < RANKS; rank++) {
            assert_int_equal(release_ns(&records[rank]), release_ns(&records[0]));
            if (records[rank].phase_ns[PHASE_SYNC] < exchange_ns)
                exchange_ns = records[rank].phase_ns[PHASE_SYNC];
            if (step > 0)
                assert_int_equal(records[rank].begin_ns,
                                 release_ns(&before[rank]) +
                                     before[rank].phase_ns[PHASE_OPTIMIZER]);
        }
        assert_in_range(exchange_ns, 40000000, 60000000);
        memcpy(before, records, sizeof before);
    }
    simulate_free(simulate);
}

static void times_are_whole_microseconds(void **state)
{
    struct simulate_options options;
    simulate_options_init(&options);
    options.slow[0] = (struct simulate_slow){.rank = 5, .factor = 1.2345, .to_step = INT64_MAX};
    options.slow_count = 1;
    options.clock_spread_ns = 123456789;
    options.ranks_per_host = 2;
    struct simulate *simulate = simulate_new(&options);
    struct record records[RANKS];
    for (int step = 0; step < 50; step++) {
        simulate_step(simulate, records);
        for (int rank = 0; rank < RANKS; rank++) {
            assert_int_equal(records[rank].begin_ns % 1000, 0);
            for (int phase = 0; phase < PHASE_COUNT; phase++)
                assert_int_equal(records[rank].phase_ns[phase] % 1000, 0);
        }
    }
    simulate_free(simulate);
}

static void a_slow_rank_is_slower_by_its_factor_in_its_steps(void **state)
{
    struct simulate_options options;
    simulate_options_init(&options);
    options.jitter = 0;
    options.slow[0] = (struct simulate_slow){
        .rank = 5, .factor = 1.25, .phases = RECORD_FORWARD, .from_step = 10, .to_step = 19};
    options.slow_count = 1;
    struct simulate *simulate = simulate_new(&options);
    struct record records[RANKS];
    for (int step = 0; step < 30; step++) {
        simulate_step(simulate, records);
        int64_t slow_ns = step >= 10 && step <= 19 ? 310000000 * 5 / 4 : 310000000;
        assert_int_equal(records[5].phase_ns[PHASE_FORWARD], slow_ns);
        assert_int_equal(records[5].phase_ns[PHASE_BACKWARD], 600000000);
        assert_int_equal(records[4].phase_ns[PHASE_FORWARD], 310000000);
        assert_int_equal(records[4].phase_ns[PHASE_SYNC] - records[5].phase_ns[PHASE_SYNC],
                         slow_ns - 310000000);
    }
    simulate_free(simulate);
}

static void noise_of_the_others_does_not_change_when_one_is_slowed(void **state)
{
    struct simulate_options options;
    simulate_options_init(&options);
    struct record a[RANKS], b[RANKS];
    struct simulate *even = simulate_new(&options);
    options.slow[0] = (struct simulate_slow){.rank = 5, .factor = 2, .to_step = INT64_MAX};
    options.slow_count = 1;
    struct simulate *uneven = simulate_new(&options);
    for (int step = 0; step < 20; step++) {
        simulate_step(even, a);
        simulate_step(uneven, b);
        assert_int_equal(own_ns(&a[3]), own_ns(&b[3]));
        assert_true(own_ns(&b[5]) > own_ns(&a[5]) * 19 / 10);
    }
    simulate_free(even);
    simulate_free(uneven);
}

static void jitter_has_the_spread_that_was_asked_for(void **state)
{
    struct simulate_options options;
    simulate_options_init(&options);
    options.jitter = 0.05;
    struct simulate *simulate = simulate_new(&options);
    struct record records[RANKS];
    double sum = 0, squares = 0;
    const int count = 4000 * RANKS;
    for (int step = 0; step < 4000; step++) {
        simulate_step(simulate, records);
        for (int rank = 0; rank < RANKS; rank++) {
            double share = (double)own_ns(&records[rank]) / 910400000;
            sum += share;
            squares += share * share;
        }
    }
    double mean = sum / count, variance = squares / count - mean * mean;
    assert_true(mean > 0.998 && mean < 1.002);
    assert_true(variance > 0.049 * 0.049 && variance < 0.051 * 0.051);
    simulate_free(simulate);
}

static void a_rotating_straggler_is_a_different_rank_each_time(void **state)
{
    struct simulate_options options;
    simulate_options_init(&options);
    options.jitter = 0;
    options.rotate = true;
    options.slow[0] = (struct simulate_slow){.factor = 1.5, .to_step = INT64_MAX};
    options.slow_count = 1;
    struct simulate *simulate = simulate_new(&options);
    int slow_count[RANKS] = {0};
    for (int step = 0; step < 800; step++) {
        struct record records[RANKS];
        simulate_step(simulate, records);
        int slow = 0;
        for (int rank = 0; rank < RANKS; rank++) {
            if (records[rank].phase_ns[PHASE_FORWARD] > 310000000) {
                slow_count[rank]++;
                slow++;
            }
        }
        assert_int_equal(slow, 1);
    }
    for (int rank = 0; rank < RANKS; rank++)
        assert_in_range(slow_count[rank], 50, 150);
    simulate_free(simulate);
}

static void overlapped_backward_contains_the_waiting(void **state)
{
    struct simulate_options options;
    simulate_options_init(&options);
    options.jitter = 0;
    options.overlapped = true;
    options.slow[0] = (struct simulate_slow){
        .rank = 5, .factor = 1.3, .phases = RECORD_FORWARD, .to_step = INT64_MAX};
    options.slow_count = 1;
    struct simulate *simulate = simulate_new(&options);
    struct record records[RANKS];
    simulate_step(simulate, records);
    for (int rank = 0; rank < RANKS; rank++) {
        assert_false(records[rank].has & RECORD_SYNC);
        assert_int_equal(own_ns(&records[rank]), own_ns(&records[0]));
    }
    assert_int_equal(records[5].phase_ns[PHASE_BACKWARD], 650000000);
    assert_int_equal(records[2].phase_ns[PHASE_BACKWARD], 650000000 + 93000000);
    simulate_free(simulate);
}

static void hosts_and_groups_are_named_and_clocks_differ_by_host(void **state)
{
    struct simulate_options options;
    simulate_options_init(&options);
    options.ranks_per_host = 4;
    options.groups = 4;
    options.tokens = 4096;
    options.clock_spread_ns = INT64_C(5000000000);
    struct simulate *simulate = simulate_new(&options);
    struct record records[RANKS];
    simulate_step(simulate, records);
    assert_true(str_is(records[3].host, "node0"));
    assert_true(str_is(records[4].host, "node1"));
    assert_true(str_is(records[2].group, "pp1"));
    assert_true(str_is(records[7].group, "pp3"));
    assert_int_equal(records[6].tokens, 4096);
    assert_true(records[6].has & RECORD_TOKENS);
    assert_int_equal(records[0].begin_ns, records[3].begin_ns);
    assert_int_not_equal(records[0].begin_ns, records[4].begin_ns);
    assert_in_range(records[4].begin_ns, options.start_ns - 5000000000,
                    options.start_ns + 5000000000);
    simulate_free(simulate);
}

static void a_restart_goes_back_once_and_costs_time(void **state)
{
    struct simulate_options options;
    simulate_options_init(&options);
    options.restart_at = 5;
    options.restart_to = 3;
    static const int64_t expected[] = {0, 1, 2, 3, 4, 3, 4, 5, 6};
    struct simulate *simulate = simulate_new(&options);
    struct record records[RANKS], first[RANKS] = {0};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        int64_t before_ns = simulate_now_ns(simulate);
        assert_int_equal(simulate_next_step(simulate), expected[i]);
        simulate_step(simulate, records);
        assert_int_equal(records[0].step, expected[i]);
        if (i == 3)
            memcpy(first, records, sizeof first);
        if (i == 5) {
            assert_int_equal(records[0].begin_ns, before_ns + options.restart_down_ns);
            assert_int_not_equal(own_ns(&records[0]), own_ns(&first[0]));
        }
    }
    simulate_free(simulate);
}

static void a_missing_rank_reports_nothing_more(void **state)
{
    struct simulate_options options;
    simulate_options_init(&options);
    options.missing_rank = 2;
    options.missing_from = 3;
    struct simulate *simulate = simulate_new(&options);
    struct record records[RANKS];
    for (int step = 0; step < 6; step++) {
        size_t count = simulate_step(simulate, records);
        assert_int_equal(count, step < 3 ? 8 : 7);
        assert_int_equal(records[2].rank, step < 3 ? 2 : 3);
    }
    simulate_free(simulate);
}

static void figure_1_5_is_the_chapters(void **state)
{
    struct simulate_options options;
    simulate_options_figure_1_5(&options);
    static const int64_t own_ms[RANKS] = {1000, 980, 1020, 970, 1010, 1100, 990, 1000};
    struct simulate *simulate = simulate_new(&options);
    struct record records[RANKS];
    for (int step = 0; step < 3; step++)
        simulate_step(simulate, records);
    for (int rank = 0; rank < RANKS; rank++) {
        assert_int_equal(own_ns(&records[rank]) + records[rank].phase_ns[PHASE_OPTIMIZER],
                         own_ms[rank] * 1000000);
        assert_int_equal(records[rank].phase_ns[PHASE_SYNC] - 50000000,
                         (1100 - own_ms[rank]) * 1000000);
    }
    simulate_free(simulate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_seed_gives_the_same_records),
        cmocka_unit_test(the_first_figures_of_seed_1_never_change),
        cmocka_unit_test(another_seed_gives_other_records),
        cmocka_unit_test(all_ranks_leave_the_barrier_together),
        cmocka_unit_test(times_are_whole_microseconds),
        cmocka_unit_test(a_slow_rank_is_slower_by_its_factor_in_its_steps),
        cmocka_unit_test(noise_of_the_others_does_not_change_when_one_is_slowed),
        cmocka_unit_test(jitter_has_the_spread_that_was_asked_for),
        cmocka_unit_test(a_rotating_straggler_is_a_different_rank_each_time),
        cmocka_unit_test(overlapped_backward_contains_the_waiting),
        cmocka_unit_test(hosts_and_groups_are_named_and_clocks_differ_by_host),
        cmocka_unit_test(a_restart_goes_back_once_and_costs_time),
        cmocka_unit_test(a_missing_rank_reports_nothing_more),
        cmocka_unit_test(figure_1_5_is_the_chapters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
