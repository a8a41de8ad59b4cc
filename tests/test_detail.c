/* One rank closer: against figures worked out from the records themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "analysis_fixture.h"

#define STEPS 100
#define RANKS 8
#define WINDOW 50
#define SLOW 5

static int by_value(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return one < other ? -1 : one > other;
}

static double middle(double *values, size_t n)
{
    qsort(values, n, sizeof(*values), by_value);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* Rank 5 needs 10% more for its forward pass; records by step, then by rank. */
static struct record *slow_forward(struct analysis *analysis)
{
    struct simulate_options options;
    size_t count;
    simulate_options_init(&options);
    options.ranks = RANKS;
    options.slow_count = 1;
    options.slow[0] = (struct simulate_slow){SLOW, 1.1, RECORD_FORWARD, 0, INT64_MAX};
    struct record *records = simulated(&options, STEPS, &count);
    assert_int_equal(count, STEPS * RANKS);
    add_all(analysis, records, count);
    analysis_finish(analysis);
    return records;
}

/* Own time of a rank: up to the barrier, with the optimizer of the step before. */
static double own_s(const struct record *records, size_t step, size_t rank)
{
    const int64_t *phase = records[step * RANKS + rank].phase_ns;
    int64_t before = step > 0 ? records[(step - 1) * RANKS + rank].phase_ns[PHASE_OPTIMIZER] : 0;
    return (double)(phase[PHASE_DATA] + phase[PHASE_FORWARD] + phase[PHASE_BACKWARD] + before) /
           1e9;
}

static double phase_s(const struct record *records, size_t step, size_t rank, int phase)
{
    return (double)records[step * RANKS + rank].phase_ns[phase] / 1e9;
}

static size_t last_of(const struct record *records, size_t step)
{
    size_t last = 0;
    for (size_t rank = 1; rank < RANKS; rank++)
        if (phase_s(records, step, rank, PHASE_SYNC) < phase_s(records, step, last, PHASE_SYNC))
            last = rank;
    return last;
}

static double own_median(const struct record *records, size_t step)
{
    double own[RANKS];
    for (size_t rank = 0; rank < RANKS; rank++)
        own[rank] = own_s(records, step, rank);
    return middle(own, RANKS);
}

static void a_slow_rank_is_told_as_its_records_tell_it(void **state)
{
    struct analysis *analysis = new_analysis();
    struct rank_detail detail;
    struct record *records = slow_forward(analysis);
    assert_true(analysis_rank_detail(analysis, newest(), SLOW, &detail));
    assert_int_equal(detail.rank, SLOW);
    assert_int_equal(detail.steps, WINDOW);
    assert_int_equal(detail.peers, RANKS);
    assert_string_equal(detail.peers_of, "");
    assert_int_equal(detail.recent, WINDOW);
    assert_int_equal(detail.first_recent, STEPS - WINDOW);
    double own[WINDOW], peers[WINDOW];
    int last_count = 0;
    int64_t last_when = -1;
    for (size_t i = 0; i < WINDOW; i++) {
        size_t step = STEPS - WINDOW + i;
        bool last = last_of(records, step) == SLOW;
        own[i] = own_s(records, step, SLOW);
        peers[i] = own_median(records, step);
        assert_true(near(detail.slowdown[i], own[i] / peers[i], 1e-6));
        assert_int_equal(detail.was_last[i], last);
        last_count += last;
        last_when = last ? (int64_t)step : last_when;
    }
    assert_int_equal(detail.last_count, last_count);
    assert_int_equal(detail.last_when, last_when);
    assert_true(last_count > WINDOW / 4);
    assert_true(near(detail.own_s[1], middle(own, WINDOW), 1e-9));
    assert_true(near(detail.peers_own_s, middle(peers, WINDOW), 1e-9));
    /* own[] is sorted now: 5% and 95% of 50 values lie between two of them. */
    assert_true(detail.own_s[0] >= own[2] && detail.own_s[0] <= own[3]);
    assert_true(detail.own_s[2] >= own[46] && detail.own_s[2] <= own[47]);
    free(records);
    analysis_free(analysis);
}

static void its_phases_stand_beside_the_medians_of_its_peers(void **state)
{
    struct analysis *analysis = new_analysis();
    struct rank_detail detail;
    struct record *records = slow_forward(analysis);
    assert_true(analysis_rank_detail(analysis, newest(), SLOW, &detail));
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        double here[WINDOW], peers[WINDOW], all[RANKS];
        for (size_t i = 0; i < WINDOW; i++) {
            here[i] = phase_s(records, STEPS - WINDOW + i, SLOW, phase);
            for (size_t rank = 0; rank < RANKS; rank++)
                all[rank] = phase_s(records, STEPS - WINDOW + i, rank, phase);
            peers[i] = middle(all, RANKS);
        }
        assert_true(near(detail.phase_s[phase], middle(here, WINDOW), 1e-9));
        assert_true(near(detail.peers_phase_s[phase], middle(peers, WINDOW), 1e-9));
    }
    double forward = detail.phase_s[PHASE_FORWARD] / detail.peers_phase_s[PHASE_FORWARD];
    double backward = detail.phase_s[PHASE_BACKWARD] / detail.peers_phase_s[PHASE_BACKWARD];
    assert_true(near(forward, 1.1, 0.01));
    assert_true(near(backward, 1, 0.01));
    free(records);
    analysis_free(analysis);
}

static void every_step_is_in_a_bin_and_1_is_between_two(void **state)
{
    struct analysis *analysis = new_analysis();
    struct rank_detail detail;
    struct record *records = slow_forward(analysis);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        int sum = 0, bins[DETAIL_BINS] = {0};
        assert_true(analysis_rank_detail(analysis, newest(), rank, &detail));
        double place = (1 - detail.bin_low) / detail.bin_width;
        assert_true(near(place, round(place), 1e-6));
        assert_true(place >= 0 && place <= DETAIL_BINS);
        for (int i = 0; i < detail.recent; i++)
            bins[(int)floor((detail.slowdown[i] - detail.bin_low) / detail.bin_width + 1e-6)]++;
        for (int i = 0; i < DETAIL_BINS; i++) {
            sum += detail.bins[i];
            assert_int_equal(detail.bins[i], bins[i]);
        }
        assert_int_equal(sum, WINDOW);
    }
    free(records);
    analysis_free(analysis);
}

static void an_earlier_step_is_looked_back_from(void **state)
{
    struct analysis *analysis = new_analysis();
    struct rank_detail detail;
    struct record *records = slow_forward(analysis);
    struct step_key key = {.step = 29};
    assert_true(analysis_rank_detail(analysis, key, SLOW, &detail));
    assert_int_equal(detail.steps, 30); /* there are no more before it */
    assert_int_equal(detail.recent, 30);
    assert_int_equal(detail.first_recent, 0);
    assert_true(
        near(detail.slowdown[29], own_s(records, 29, SLOW) / own_median(records, 29), 1e-6));
    assert_true(detail.last_when <= 29);
    free(records);
    analysis_free(analysis);
}

/* ---- with whom it is compared ---- */

static void add_groups(struct analysis *analysis, const char *const *groups, uint32_t ranks)
{
    for (int64_t step = 0; step < 30; step++)
        for (uint32_t rank = 0; rank < ranks; rank++) {
            /* The second half of the job has twice the work; rank 7 the most. */
            struct record record = record_of(rank, step, rank < 4 ? 100 : 200 + 20 * (rank == 7),
                                             rank < 4 ? 200 : 400, 50);
            record.has |= RECORD_GROUP;
            record.group = str_from(groups[rank]);
            add(analysis, record);
        }
    analysis_finish(analysis);
}

static void a_group_of_three_or_more_is_compared_with_itself(void **state)
{
    static const char *const groups[8] = {"pp0", "pp0", "pp0", "pp0", "pp1", "pp1", "pp1", "pp1"};
    struct analysis *analysis = new_analysis();
    struct rank_detail detail;
    add_groups(analysis, groups, 8);
    assert_true(analysis_rank_detail(analysis, newest(), 7, &detail));
    assert_int_equal(detail.peers, 4);
    assert_string_equal(detail.peers_of, "pp1");
    assert_true(near(detail.slowdown[0], 620.0 / 600, 1e-6));
    assert_true(near(detail.peers_phase_s[PHASE_FORWARD], 0.2, 1e-9));
    assert_true(analysis_rank_detail(analysis, newest(), 0, &detail));
    assert_true(near(detail.slowdown[0], 1, 1e-6));
    analysis_free(analysis);
}

static void a_smaller_group_is_compared_with_all(void **state)
{
    static const char *const groups[8] = {"a", "a", "b", "b", "c", "c", "d", "d"};
    struct analysis *analysis = new_analysis();
    struct rank_detail detail;
    add_groups(analysis, groups, 8);
    assert_true(analysis_rank_detail(analysis, newest(), 7, &detail));
    assert_int_equal(detail.peers, 8);
    assert_string_equal(detail.peers_of, "");
    assert_true(near(detail.slowdown[0], 620.0 / 450, 1e-6));
    analysis_free(analysis);
}

static void one_rank_alone_has_figures_but_no_slowdown(void **state)
{
    struct analysis *analysis = new_analysis();
    struct rank_detail detail;
    int sum = 0;
    for (int64_t step = 0; step < 30; step++)
        add(analysis, record_of(0, step, 100, 200, 50));
    analysis_finish(analysis);
    assert_true(analysis_rank_detail(analysis, newest(), 0, &detail));
    assert_int_equal(detail.peers, 1);
    assert_int_equal(detail.steps, 30);
    assert_true(near(detail.own_s[1], 0.3, 1e-9));
    assert_true(isnan(detail.slowdown[0]));
    assert_int_equal(detail.last_count, 0);
    assert_int_equal(detail.last_when, -1);
    for (int i = 0; i < DETAIL_BINS; i++)
        sum += detail.bins[i];
    assert_int_equal(sum, 0);
    analysis_free(analysis);
}

/* ---- what is not there ---- */

static void without_phases_own_times_are_still_told(void **state)
{
    struct analysis *analysis = new_analysis();
    struct rank_detail detail;
    for (int64_t step = 0; step < 30; step++)
        for (uint32_t rank = 0; rank < 4; rank++)
            add(analysis, (struct record){.has = RECORD_RANK | RECORD_STEP | RECORD_COMPUTE,
                                          .rank = rank,
                                          .step = step,
                                          .compute_ns = (rank == 2 ? 110 : 100) * MS});
    analysis_finish(analysis);
    assert_true(analysis_rank_detail(analysis, newest(), 2, &detail));
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        assert_true(isnan(detail.phase_s[phase]));
        assert_true(isnan(detail.peers_phase_s[phase]));
    }
    assert_true(near(detail.own_s[1], 0.11, 1e-9));
    assert_true(near(detail.slowdown[0], 1.1, 1e-6));
    assert_int_equal(detail.last_count, 30);
    assert_int_equal(detail.last_when, 29);
    analysis_free(analysis);
}

static void steps_without_a_record_of_it_are_gaps(void **state)
{
    struct analysis *analysis = new_analysis();
    struct rank_detail detail;
    for (int64_t step = 0; step < 60; step++)
        for (uint32_t rank = 0; rank < 4; rank++)
            if (rank != 3 || step < 40)
                add(analysis, record_of(rank, step, 100, 200, 50));
    analysis_finish(analysis);
    assert_true(analysis_rank_detail(analysis, newest(), 3, &detail));
    assert_int_equal(detail.steps, 30);
    assert_int_equal(detail.recent, 50);
    assert_int_equal(detail.first_recent, 10);
    assert_false(isnan(detail.slowdown[29]));
    assert_true(isnan(detail.slowdown[30]));
    analysis_free(analysis);
}

static void who_is_not_known_has_no_detail(void **state)
{
    struct analysis *analysis = new_analysis();
    struct rank_detail detail;
    assert_false(analysis_rank_detail(analysis, newest(), 0, &detail));
    add(analysis, record_of(0, 0, 100, 200, 50));
    assert_false(analysis_rank_detail(analysis, newest(), 0, &detail)); /* no step is closed */
    analysis_finish(analysis);
    assert_true(analysis_rank_detail(analysis, newest(), 0, &detail));
    assert_false(analysis_rank_detail(analysis, newest(), 1, &detail));
    assert_false(analysis_rank_detail(analysis, newest(), UINT32_MAX, &detail));
    analysis_free(analysis);
}

static void with_very_many_ranks_fewer_steps_are_looked_at(void **state)
{
    struct analysis *analysis = new_analysis();
    struct rank_detail detail;
    for (int64_t step = 0; step < 45; step++)
        for (uint32_t rank = 0; rank < 5000; rank++)
            add(analysis, record_of(rank, step, rank == 4321 ? 150 : 100, 200, 50));
    analysis_finish(analysis);
    assert_true(analysis_rank_detail(analysis, newest(), 4321, &detail));
    assert_int_equal(detail.steps, 200000 / 5000); /* the newest */
    assert_int_equal(detail.first_recent, 5);
    assert_true(near(detail.slowdown[0], 350.0 / 300, 1e-6));
    analysis_free(analysis);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_rank_is_told_as_its_records_tell_it),
        cmocka_unit_test(its_phases_stand_beside_the_medians_of_its_peers),
        cmocka_unit_test(every_step_is_in_a_bin_and_1_is_between_two),
        cmocka_unit_test(an_earlier_step_is_looked_back_from),
        cmocka_unit_test(a_group_of_three_or_more_is_compared_with_itself),
        cmocka_unit_test(a_smaller_group_is_compared_with_all),
        cmocka_unit_test(one_rank_alone_has_figures_but_no_slowdown),
        cmocka_unit_test(without_phases_own_times_are_still_told),
        cmocka_unit_test(steps_without_a_record_of_it_are_gaps),
        cmocka_unit_test(who_is_not_known_has_no_detail),
        cmocka_unit_test(with_very_many_ranks_fewer_steps_are_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
