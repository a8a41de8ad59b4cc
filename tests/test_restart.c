/* Step numbers that go back, records that come late or twice, ranks that join and
 * leave, and step numbers that nobody can have meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <time.h>

#include "analysis_fixture.h"

static double seconds_since(const struct timespec *begin)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begin->tv_sec) + 1e-9 * (double)(now.tv_nsec - begin->tv_nsec);
}

/* Steps first to last of `ranks` ranks; each rank a little different, each attempt too. */
static void add_steps(struct analysis *analysis, int64_t first, int64_t last, int64_t stride,
                      uint32_t ranks, int64_t begin_ns)
{
    for (int64_t step = first; step <= last; step += stride)
        for (uint32_t rank = 0; rank < ranks; rank++) {
            int64_t odd = begin_ns / SECOND % 7;
            struct record record = record_of(rank, step, 100 + odd, 200 + rank, 20);
            if (begin_ns > 0)
                record = record_at(record, begin_ns + (step - first) * 400 * MS);
            add(analysis, record);
        }
}

static void assert_restarted(struct analysis *analysis, int64_t at, int64_t complete)
{
    struct summary summary;
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(summary.attempts, 2);
    assert_int_equal(summary.complete, complete);
    assert_int_equal(summary.incomplete, 0);
    assert_int_equal(verdicts_of(&summary, VERDICT_RESTART), 1);
    assert_int_equal(verdict_of(&summary, VERDICT_RESTART)->from_step, at);
    assert_int_equal(verdicts_of(&summary, VERDICT_MISSING), 0);
    assert_int_equal(summary.source.duplicate, 0);
    assert_int_equal(summary.source.late, 0);
    assert_int_equal(summary.source.too_late, 0);
    summary_done(&summary);
    analysis_free(analysis);
}

static void a_restart_is_seen_by_its_begin(void **state)
{
    struct analysis *analysis = new_analysis();
    add_steps(analysis, 0, 99, 1, 4, SECOND);
    add_steps(analysis, 80, 150, 1, 4, 1000 * SECOND);
    assert_restarted(analysis, 80, 171);
}

static void a_restart_without_begin_is_seen_by_its_second_step(void **state)
{
    struct analysis *analysis = new_analysis();
    for (int64_t step = 0; step <= 99; step++)
        for (uint32_t rank = 0; rank < 4; rank++)
            add(analysis, record_of(rank, step, 100, 200, 20));
    for (int64_t step = 80; step <= 150; step++)
        for (uint32_t rank = 0; rank < 4; rank++)
            add(analysis, record_of(rank, step, 101, 200, 20));
    assert_restarted(analysis, 80, 171);
}

static void a_restart_of_sparse_steps_without_begin_is_seen(void **state)
{
    struct analysis *analysis = new_analysis();
    for (int64_t step = 0; step <= 990; step += 10)
        for (uint32_t rank = 0; rank < 4; rank++)
            add(analysis, record_of(rank, step, 100, 200, 20));
    for (int64_t step = 800; step <= 1500; step += 10)
        for (uint32_t rank = 0; rank < 4; rank++)
            add(analysis, record_of(rank, step, 101, 200, 20));
    assert_restarted(analysis, 800, 171);
}

static void a_restart_onto_steps_between_the_logged_ones_is_seen(void **state)
{
    struct analysis *analysis = new_analysis();
    add_steps(analysis, 0, 990, 10, 4, SECOND);
    add_steps(analysis, 805, 1505, 10, 4, 1000 * SECOND);
    assert_restarted(analysis, 805, 171);
}

static void a_restart_at_the_second_step_is_seen(void **state)
{
    struct analysis *analysis = new_analysis();
    add_steps(analysis, 0, 1, 1, 4, SECOND);
    add_steps(analysis, 1, 50, 1, 4, 1000 * SECOND);
    assert_restarted(analysis, 1, 52);
}

static void a_restart_at_the_same_step_is_seen_by_its_begin(void **state)
{
    struct analysis *analysis = new_analysis();
    add_steps(analysis, 0, 99, 1, 4, SECOND);
    add_steps(analysis, 99, 150, 1, 4, 1000 * SECOND);
    assert_restarted(analysis, 99, 152);
}

static void a_restart_of_what_has_left_the_table_is_seen(void **state)
{
    struct analysis_options options;
    analysis_options_init(&options);
    options.keep_history = false;
    struct analysis *analysis = analysis_new(&options);
    struct summary summary;
    add_steps(analysis, 0, 1999, 1, 4, SECOND);
    add_steps(analysis, 500, 2500, 1, 4, 10000 * SECOND);
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(summary.attempts, 2);
    assert_int_equal(summary.complete, 4001);
    assert_int_equal(summary.source.too_late, 0);
    summary_done(&summary);
    analysis_free(analysis);
}

static void a_crash_loop_makes_an_attempt_each_time(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t attempt = 0; attempt < 10; attempt++)
        add_steps(analysis, 100, 105, 1, 4, (attempt + 1) * 100 * SECOND);
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(summary.attempts, 10);
    assert_int_equal(summary.complete, 60);
    assert_int_equal(summary.incomplete, 0);
    assert_int_equal(verdicts_of(&summary, VERDICT_RESTART), 9);
    summary_done(&summary);
    analysis_free(analysis);
}

static void eight_writers_of_the_same_rank_are_no_restarts(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t block = 0; block < 100; block += 5)
        for (int writer = 0; writer < 8; writer++)
            for (int64_t step = block; step < block + 5; step++)
                add(analysis, record_at(record_of(0, step, 100 + writer, 200, 20),
                                        step * 400 * MS + writer * MS));
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(summary.attempts, 1);
    assert_int_equal(summary.source.duplicate, 700);
    summary_done(&summary);
    analysis_free(analysis);
}

static void a_line_that_is_repeated_once_is_no_restart(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 100; step++)
        for (uint32_t rank = 0; rank < 2; rank++) {
            add(analysis, record_of(rank, step, 100, 200, 20));
            if (step % 10 == 5)
                add(analysis, record_of(rank, step - 3, 150, 200, 20));
        }
    sum_up(analysis, &summary);
    assert_int_equal(summary.attempts, 1);
    assert_int_equal(summary.source.duplicate, 20);
    assert_int_equal(summary.complete, 100);
    summary_done(&summary);
    analysis_free(analysis);
}

/* ---- late records ---- */

static void a_late_record_is_still_used(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 20; step++)
        for (uint32_t rank = 0; rank < 4; rank++)
            if (rank != 3 || step != 10)
                add(analysis, record_of(rank, step, 100, 200, 20));
    sum_up(analysis, &summary);
    assert_int_equal(summary.incomplete, 1);
    summary_done(&summary);
    assert_int_equal(add(analysis, record_of(3, 10, 100, 200, 20)), ANALYSIS_TAKEN);
    sum_up(analysis, &summary);
    assert_int_equal(summary.source.late, 1);
    assert_int_equal(summary.source.too_late, 0);
    assert_int_equal(summary.complete, 20);
    assert_int_equal(summary.incomplete, 0);
    assert_int_equal(summary.ranks[3].steps, 20);
    summary_done(&summary);
    analysis_free(analysis);
}

static void a_record_that_comes_too_late_is_counted(void **state)
{
    struct analysis_options options;
    analysis_options_init(&options);
    options.keep_history = false;
    struct analysis *analysis = analysis_new(&options);
    struct summary summary;
    for (int64_t step = 0; step < 1000; step++)
        for (uint32_t rank = 0; rank < 4; rank++)
            if (rank != 3 || step != 10)
                add(analysis, record_of(rank, step, 100, 200, 20));
    struct record late = record_of(3, 10, 100, 200, 20);
    enum analysis_answer answer = add(analysis, late);
    assert_true(answer == ANALYSIS_TOO_LATE || answer == ANALYSIS_DUPLICATE);
    sum_up(analysis, &summary);
    assert_int_equal(summary.source.too_late + summary.source.duplicate, 1);
    assert_int_equal(summary.attempts, 1);
    assert_int_equal(summary.incomplete, 1);
    assert_int_equal(summary.ranks[3].steps, 999);
    summary_done(&summary);
    analysis_free(analysis);
}

/* ---- who is there ---- */

static void every_tenth_step_is_as_good_as_every_step(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 10000; step += 10)
        for (uint32_t rank = 0; rank < 4; rank++)
            if (rank != 2 || step != 5000)
                add(analysis, record_of(rank, step, rank == 1 ? 150 : 100, 200, 20));
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(summary.complete, 999);
    assert_int_equal(summary.incomplete, 1);
    assert_int_equal(summary.source.late, 0);
    assert_int_equal(verdicts_of(&summary, VERDICT_STRAGGLER), 1);
    assert_int_equal(verdicts_of(&summary, VERDICT_MISSING), 0);
    assert_int_equal(summary.verdicts[0].rank, 1);
    assert_int_equal(summary.verdicts[0].from_step, 0);
    summary_done(&summary);
    analysis_free(analysis);
}

static void every_thousandth_step_too(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 100000; step += 1000)
        for (uint32_t rank = 0; rank < 4; rank++)
            if (rank != 2 || step != 50000)
                add(analysis, record_of(rank, step, 100, 200, 20));
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(summary.complete, 99);
    assert_int_equal(summary.incomplete, 1);
    summary_done(&summary);
    analysis_free(analysis);
}

static void a_step_closes_without_a_rank_that_is_two_behind(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    add_steps(analysis, 0, 9, 1, 4, 0);
    for (uint32_t rank = 0; rank < 3; rank++)
        add(analysis, record_of(rank, 10, 100, 200, 20));
    sum_up(analysis, &summary);
    assert_int_equal(summary.shown.step, 9);
    summary_done(&summary);
    add(analysis, record_of(0, 11, 100, 200, 20));
    add(analysis, record_of(1, 11, 100, 200, 20));
    sum_up(analysis, &summary);
    assert_int_equal(summary.shown.step, 9);
    summary_done(&summary);
    add(analysis, record_of(2, 11, 100, 200, 20));
    sum_up(analysis, &summary);
    assert_int_equal(summary.shown.step, 10);
    assert_int_equal(summary.shown.reported, 3);
    assert_int_equal(summary.shown.expected, 4);
    summary_done(&summary);
    analysis_free(analysis);
}

static void a_rank_that_hangs_is_missing_by_the_clock(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    struct record record;
    int64_t now = SECOND;
    for (int64_t step = 0; step < 30; step++, now += SECOND)
        for (uint32_t rank = 0; rank < 4; rank++) {
            record = record_at(record_of(rank, step, 300, 500, 200), now);
            analysis_add(analysis, &record, now);
        }
    for (uint32_t rank = 0; rank < 4; rank++) /* rank 2 does not end step 30 */
        if (rank != 2) {
            record = record_at(record_of(rank, 30, 300, 500, 200), now);
            analysis_add(analysis, &record, now);
        }
    summary_init(&summary);
    analysis_summary(analysis, newest(), now + SECOND, &summary);
    assert_int_equal(summary.ranks[2].state, RANK_PRESENT);
    assert_true(near(summary.ranks[2].silent_s, 2, 1e-9));
    analysis_summary(analysis, newest(), now + 4 * SECOND, &summary);
    assert_int_equal(summary.ranks[2].state, RANK_MISSING);
    assert_int_equal(summary.ranks[2].last_step, 29);
    assert_int_equal(summary.ranks[1].state, RANK_PRESENT);
    assert_true(near(summary.silent_s, 4, 1e-9));
    summary_done(&summary);
    analysis_free(analysis);
}

static void a_rank_that_stops_is_missing_and_later_has_left(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 1000; step++) {
        for (uint32_t rank = 0; rank < 4; rank++)
            if (rank != 2 || step < 100)
                add(analysis, record_of(rank, step, 100, 200, 20));
        if (step != 150 && step != 999)
            continue;
        sum_up(analysis, &summary);
        assert_int_equal(verdicts_of(&summary, VERDICT_MISSING), 1);
        const struct verdict *verdict = verdict_of(&summary, VERDICT_MISSING);
        assert_int_equal(verdict->rank, 2);
        assert_int_equal(verdict->from_step, 100);
        assert_int_equal(verdict->to_step, step == 150 ? -1 : 355);
        assert_int_equal(summary.verdicts_in_force, step == 150);
        assert_int_equal(summary.ranks[2].state, step == 150 ? RANK_MISSING : RANK_NO_DATA);
        assert_int_equal(summary.shown.expected, step == 150 ? 4 : 3);
        summary_done(&summary);
    }
    analysis_free(analysis);
}

static void ranks_join_leave_and_return(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 2000; step++)
        for (uint32_t rank = 0; rank < 8; rank++)
            if (rank < 4 || (step >= 500 && step < 1000) || step >= 1900)
                add(analysis, record_of(rank, step, 100, 200, 20));
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    /* Four ranks are missed until they have left: 256 steps; not before they return. */
    assert_int_equal(summary.incomplete, 256);
    assert_int_equal(summary.complete, 2000 - 256);
    assert_int_equal(verdicts_of(&summary, VERDICT_MISSING), 4);
    for (size_t i = 0; i < summary.verdict_count; i++) {
        assert_int_equal(summary.verdicts[i].from_step, 1000);
        assert_int_equal(summary.verdicts[i].to_step, 1899);
    }
    assert_int_equal(summary.verdicts_in_force, 0);
    assert_int_equal(summary.shown.expected, 8);
    summary_done(&summary);
    analysis_free(analysis);
}

static void a_straggler_that_leaves_is_one_no_longer(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 400; step++)
        for (uint32_t rank = 0; rank < 4; rank++)
            if (rank != 2 || step < 200)
                add(analysis, record_of(rank, step, rank == 2 ? 150 : 100, 200, 20));
    sum_up(analysis, &summary);
    const struct verdict *verdict = verdict_of(&summary, VERDICT_STRAGGLER);
    assert_non_null(verdict);
    assert_int_equal(verdict->rank, 2);
    assert_int_equal(verdict->to_step, 199);
    assert_false(summary.ranks[2].straggler);
    summary_done(&summary);
    analysis_free(analysis);
}

/* ---- hostile ---- */

static void one_stray_step_number_harms_nobody(void **state)
{
    for (int clocks = 0; clocks < 2; clocks++) {
        struct analysis *analysis = new_analysis();
        struct summary summary;
        for (int64_t step = 0; step < 600; step++)
            for (uint32_t rank = 0; rank < 8; rank++) {
                struct record record = record_of(rank, step, 100, 200, 20);
                if (clocks)
                    record = record_at(record, (step + 1) * 400 * MS);
                if (step == 100 && rank == 3) {
                    struct record stray = record;
                    stray.step = RECORD_STEP_MAX;
                    add(analysis, stray);
                }
                add(analysis, record);
            }
        sum_up(analysis, &summary);
        assert_int_equal(summary.source.late, 0);
        assert_int_equal(summary.source.duplicate, 0);
        assert_int_equal(summary.attempts, 1);
        assert_int_equal(summary.shown.step, 599);
        assert_int_equal(summary.complete, 600);
        assert_int_equal(summary.verdict_count, 0);
        summary_done(&summary);
        analysis_finish(analysis);
        sum_up(analysis, &summary);
        assert_int_equal(verdicts_of(&summary, VERDICT_MISSING), 0);
        summary_done(&summary);
        analysis_free(analysis);
    }
}

static void descending_steps_take_no_quadratic_time(void **state)
{
    struct timespec begin;
    struct summary summary;
    struct analysis *analysis = new_analysis();
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int64_t step = 1000000; step > 0; step--)
        add(analysis, record_of(0, step, 100, 200, 20));
    sum_up(analysis, &summary);
    assert_true(summary.complete > 100000);
    assert_int_equal(summary.source.records, 1000000);
    assert_true(seconds_since(&begin) < 20);
    summary_done(&summary);
    analysis_free(analysis);
}

static void ranks_beyond_the_limit_are_refused_and_counted(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 2; step++)
        for (uint32_t i = 0; i < 65537; i++)
            add(analysis, record_of(RECORD_RANK_MAX - i, step, 100, 200, 20));
    sum_up(analysis, &summary);
    assert_int_equal(summary.rank_count, 65536);
    assert_int_equal(summary.source.refused, 2);
    assert_int_equal(summary.source.records, 2 * 65536);
    assert_int_equal(summary.ranks[65535].rank, RECORD_RANK_MAX);
    assert_int_equal(summary.shown.reported, 65536);
    summary_done(&summary);
    analysis_free(analysis);
}

static void a_million_random_ranks_and_steps_do_no_harm(void **state)
{
    struct analysis_options options;
    analysis_options_init(&options);
    options.memory_bytes = 16 << 20;
    options.max_ranks = 4096;
    struct analysis *analysis = analysis_new(&options);
    struct summary summary;
    uint64_t random = 1;
    for (int i = 0; i < 1000000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        struct record record =
            record_of((uint32_t)(random >> 44),
                      (int64_t)(random >> 11) % (i % 3 ? 100 : RECORD_STEP_MAX), 100, 200, 20);
        if (i % 2)
            record = record_at(record, (int64_t)(random >> 10) % RECORD_BEGIN_MAX_NS);
        add(analysis, record);
        if (i % 100000 == 0) {
            sum_up(analysis, &summary);
            summary_done(&summary);
        }
    }
    sum_up(analysis, &summary);
    assert_int_equal(summary.rank_count, 4096);
    assert_true(summary.source.refused > 900000);
    summary_done(&summary);
    analysis_free(analysis);
}

static void the_largest_numbers_overflow_nothing(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = RECORD_STEP_MAX - 40; step <= RECORD_STEP_MAX; step++)
        for (uint32_t rank = 0; rank < 4; rank++) {
            struct record record = {.has = (1u << 9) - 1 + RECORD_RANK + RECORD_STEP,
                                    .rank = rank,
                                    .step = step,
                                    .begin_ns = RECORD_BEGIN_MAX_NS - (RECORD_STEP_MAX - step),
                                    .compute_ns = RECORD_DURATION_MAX_NS,
                                    .step_time_ns = RECORD_DURATION_MAX_NS,
                                    .tokens = RECORD_TOKENS_MAX};
            for (int phase = 0; phase < PHASE_COUNT; phase++)
                record.phase_ns[phase] = RECORD_DURATION_MAX_NS;
            add(analysis, record);
        }
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(summary.last_step, RECORD_STEP_MAX);
    assert_true(summary.wait_mean_s.value == 0);
    summary_done(&summary);
    analysis_free(analysis);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restart_is_seen_by_its_begin),
        cmocka_unit_test(a_restart_without_begin_is_seen_by_its_second_step),
        cmocka_unit_test(a_restart_of_sparse_steps_without_begin_is_seen),
        cmocka_unit_test(a_restart_onto_steps_between_the_logged_ones_is_seen),
        cmocka_unit_test(a_restart_at_the_second_step_is_seen),
        cmocka_unit_test(a_restart_at_the_same_step_is_seen_by_its_begin),
        cmocka_unit_test(a_restart_of_what_has_left_the_table_is_seen),
        cmocka_unit_test(a_crash_loop_makes_an_attempt_each_time),
        cmocka_unit_test(eight_writers_of_the_same_rank_are_no_restarts),
        cmocka_unit_test(a_line_that_is_repeated_once_is_no_restart),
        cmocka_unit_test(a_late_record_is_still_used),
        cmocka_unit_test(a_record_that_comes_too_late_is_counted),
        cmocka_unit_test(every_tenth_step_is_as_good_as_every_step),
        cmocka_unit_test(every_thousandth_step_too),
        cmocka_unit_test(a_step_closes_without_a_rank_that_is_two_behind),
        cmocka_unit_test(a_rank_that_hangs_is_missing_by_the_clock),
        cmocka_unit_test(a_rank_that_stops_is_missing_and_later_has_left),
        cmocka_unit_test(ranks_join_leave_and_return),
        cmocka_unit_test(a_straggler_that_leaves_is_one_no_longer),
        cmocka_unit_test(one_stray_step_number_harms_nobody),
        cmocka_unit_test(descending_steps_take_no_quadratic_time),
        cmocka_unit_test(ranks_beyond_the_limit_are_refused_and_counted),
        cmocka_unit_test(a_million_random_ranks_and_steps_do_no_harm),
        cmocka_unit_test(the_largest_numbers_overflow_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
