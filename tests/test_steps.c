/* The table of steps by ranks, and who is expected in a step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis_fixture.h"
#include "ranks.h"
#include "steps.h"

/* In ascending, descending and mixed order; rows stay sorted. */
static void rows_are_in_order_however_they_come(void **state)
{
    for (int kind = 0; kind < 3; kind++) {
        struct steps steps;
        steps_init(&steps);
        for (int64_t i = 0; i < 1000; i++) {
            int64_t step = kind == 0 ? i : kind == 1 ? 999 - i : i * 389 % 1000;
            size_t index = steps_lower(&steps, 0, step);
            assert_int_equal(steps_find(&steps, 0, step), SIZE_MAX);
            steps_insert(&steps, index, 0, step);
            assert_int_equal(steps_find(&steps, 0, step), index);
        }
        for (int64_t i = 0; i < 1000; i++)
            assert_int_equal(steps_at(&steps, (size_t)i)->step, i);
        assert_int_equal(steps_lower(&steps, 1, 0), 1000);
        assert_int_equal(steps_stride(&steps, 0), 1);
        size_t bytes = steps.bytes;
        for (int i = 0; i < 600; i++)
            steps_drop_oldest(&steps);
        assert_int_equal(steps.count, 400);
        assert_int_equal(steps.bytes, bytes / 1000 * 400);
        assert_int_equal(steps_find(&steps, 0, 599), SIZE_MAX);
        assert_int_equal(steps_find(&steps, 0, 600), 0);
        for (int64_t step = 599; step >= 300; step--)
            steps_insert(&steps, 0, 0, step);
        for (int64_t step = 1000; step < 1300; step++)
            steps_insert(&steps, steps.count, 0, step);
        for (size_t i = 0; i < 1000; i++)
            assert_int_equal(steps_at(&steps, i)->step, (int64_t)i + 300);
        steps_done(&steps);
    }
}

static void a_row_that_is_used_again_is_empty(void **state)
{
    struct steps steps;
    steps_init(&steps);
    struct step_row *row = steps_insert(&steps, 0, 0, 1);
    steps_reach_slot(&steps, row, 20);
    row->has[20] = RECORD_SYNC;
    row->reported = row->expected = 1;
    row->closed = row->settled = true;
    steps_drop_oldest(&steps);
    assert_int_equal(steps.bytes, 0);
    row = steps_insert(&steps, 0, 0, 2);
    assert_true(row->capacity > 20);
    assert_int_equal(row->has[20], 0);
    assert_int_equal(row->reported + row->expected + row->closed + row->settled, 0);
    steps_done(&steps);
}

/* A row that grew has its slots twice, where they were and where they are; its copy once. */
static void a_copy_counts_its_own_bytes(void **state)
{
    struct steps steps, copy, whole;
    steps_init(&steps);
    steps_init(&whole);
    whole.slots = 32;
    struct step_row *row = steps_insert(&steps, 0, 0, 1);
    steps_reach_slot(&steps, row, 20);
    assert_int_equal(row->capacity, 32);
    steps_insert(&whole, 0, 0, 1);
    steps_copy(&copy, &steps);
    assert_true(copy.bytes < steps.bytes);
    assert_int_equal(copy.bytes, whole.bytes);
    steps_drop_oldest(&copy);
    assert_int_equal(copy.bytes, 0);
    steps_done(&copy);
    steps_done(&whole);
    steps_done(&steps);
}

static void a_rank_is_expected_from_its_first_step_until_it_has_left(void **state)
{
    struct ranks ranks;
    ranks_init(&ranks, 2);
    assert_int_equal(ranks_slot(&ranks, RECORD_RANK_MAX), RANK_SLOT_NONE);
    assert_int_equal(ranks_add(&ranks, RECORD_RANK_MAX, 0), 0);
    assert_int_equal(ranks_add(&ranks, 7, 0), 1);
    assert_int_equal(ranks_add(&ranks, 8, 0), RANK_SLOT_NONE);
    assert_int_equal(ranks_slot(&ranks, 7), 1);
    struct rank_info *info = &ranks.info[0];
    info->now = (struct rank_span){0, 100, 200};
    assert_false(rank_is_expected(info, 0, 99, 1));
    assert_true(rank_is_expected(info, 0, 100, 1));
    assert_true(rank_is_expected(info, 0, 200 + RANK_LEFT_AFTER, 1));
    assert_false(rank_is_expected(info, 0, 201 + RANK_LEFT_AFTER, 1));
    assert_true(rank_is_expected(info, 0, 200 + 10 * RANK_LEFT_AFTER, 10));
    assert_false(rank_is_expected(info, 0, 201 + 10 * RANK_LEFT_AFTER, 10));
    assert_false(rank_is_expected(info, 1, 150, 1));
    assert_int_equal(ranks_expected(&ranks, 0, 150, 1), 1);
    info->before = info->now;
    info->now = (struct rank_span){1, 150, 160};
    assert_true(rank_is_expected(info, 0, 200, 1));
    assert_false(rank_is_expected(info, 0, 201, 1));
    assert_int_equal(ranks_in_attempt(&ranks, 1), 1);
    ranks_done(&ranks);
}

/* 1,024 ranks do not fit into 1 MiB: then the steps are kept that figures are made from,
 * W and a few more, and the figures are those of a large table. */
static void the_budget_holds_but_for_a_window(void **state)
{
    struct analysis_options options;
    analysis_options_init(&options);
    options.memory_bytes = 1 << 20;
    options.run.window = 20;
    struct analysis *analysis = analysis_new(&options);
    struct summary summary;
    for (int64_t step = 0; step < 60; step++)
        for (uint32_t rank = 0; rank < 1024; rank++)
            add(analysis, record_of(rank, step, 100, 200, 20));
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(summary.complete, 60);
    assert_int_equal(summary.source.too_late, 0);
    assert_true(summary.last_in_memory - summary.first_in_memory < 20 + 5);
    assert_true(near(summary.step_time_mean_s.value, 0.320, 1e-9));
    assert_int_equal(summary.jitter.steps, 20);
    summary_done(&summary);
    analysis_free(analysis);
}

static void history_is_kept_until_the_budget_is_full(void **state)
{
    struct analysis_options options;
    analysis_options_init(&options);
    options.memory_bytes = 1 << 20;
    for (int ranks = 1; ranks <= 8; ranks += 7) {
        struct analysis *analysis = analysis_new(&options);
        struct summary summary;
        for (int64_t step = 0; step < 20000; step++)
            for (uint32_t rank = 0; rank < (uint32_t)ranks; rank++)
                add(analysis, record_of(rank, step, 100, 200, 20));
        analysis_finish(analysis);
        sum_up(analysis, &summary);
        int64_t kept = summary.last_in_memory - summary.first_in_memory + 1;
        size_t row =
            sizeof(struct step_row) + (size_t)ranks * (sizeof(struct step_cell) + sizeof(uint32_t));
        assert_true(kept > 500 && (size_t)kept * row <= options.memory_bytes);
        assert_int_equal(summary.complete, 20000);
        assert_int_equal(summary.point_count, 512);
        summary_done(&summary);
        analysis_free(analysis);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_in_order_however_they_come),
        cmocka_unit_test(a_row_that_is_used_again_is_empty),
        cmocka_unit_test(a_copy_counts_its_own_bytes),
        cmocka_unit_test(a_rank_is_expected_from_its_first_step_until_it_has_left),
        cmocka_unit_test(the_budget_holds_but_for_a_window),
        cmocka_unit_test(history_is_kept_until_the_budget_is_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
