/* The jitter floor against brute force and against known figures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "window_fixture.h"

static struct jitter jitter_of(const struct room *room)
{
    struct jitter jitter;
    window_jitter(&room->window, &jitter);
    return jitter;
}

/* The known values, and beyond them by numerical integration. */
static void the_largest_of_n_normal_values_is_that_of_the_table(void **state)
{
    static const double table[][2] = {
        {2, 0.5642},   {4, 1.0294},     {8, 1.4236},   {16, 1.766},  {32, 2.070},
        {64, 2.3437},  {128, 2.595},    {256, 2.827},  {512, 3.044}, {1024, 3.2482},
        {4096, 3.626}, {16384, 3.9714}, {1e6, 4.8629},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (!near(window_normal_maximum(table[i][0]), table[i][1], 0.0005 * table[i][1]))
            fail_msg("n = %g: %g", table[i][0], window_normal_maximum(table[i][0]));
    assert_true(near(window_normal_maximum(1e9), 6.088, 0.006));
    assert_true(window_normal_maximum(1) == 0);
    assert_true(isnan(window_normal_maximum(0.5)));
    assert_true(isnan(window_normal_maximum(NAN)));
    assert_true(isnan(window_normal_maximum(INFINITY)));
}

/* Many seeds, so that the sampling error is small against the 2.8%, 4.7%, 6.5%. */
static void normal_jitter_of_two_percent_makes_steps_as_much_longer_as_the_field_says(void **state)
{
    static const struct {
        uint32_t ranks, seeds;
        double longer;
    } cases[] = {
        {2, 400, 0.0113}, {4, 400, 0.0206}, {8, 100, 0.0285}, {64, 20, 0.0469}, {1024, 3, 0.0650}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        double sum = 0, spread = 0;
        for (uint32_t seed = 0; seed < cases[i].seeds; seed++) {
            struct room room = equal_ranks(cases[i].ranks, 50, 0.02);
            struct jitter jitter = jitter_of(&room);
            assert_int_equal(jitter.ranks, cases[i].ranks);
            assert_int_equal(jitter.steps, 50);
            sum += jitter.longer.value / cases[i].seeds;
            spread += jitter.spread.value / cases[i].seeds;
            room_done(&room);
        }
        if (!near(sum, cases[i].longer, 0.035 * cases[i].longer) || !near(spread, 0.02, 0.001))
            fail_msg("%u ranks: longer %g, spread %g", cases[i].ranks, sum, spread);
    }
}

/* All ways: 3 ranks of 4 residuals, by counting. Each is scaled by what a median of
 * four and a median of three take of a normal spread. */
static void the_floor_is_the_mean_over_all_permutations(void **state)
{
    static const float values[3][4] = {
        {1.00f, 1.02f, 0.98f, 1.10f}, {0.95f, 1.01f, 1.00f, 1.03f}, {1.05f, 1.00f, 0.99f, 1.00f}};
    struct room room = room_new(3, 4);
    memcpy(room.slowdown, values, sizeof(values));
    set_medians(&room);
    double sum = 0;
    for (int way = 0; way < 64; way++) {
        double most = -INFINITY;
        for (int rank = 0, rest = way; rank < 3; rank++, rest /= 4)
            most = fmax(most, (double)values[rank][rest % 4] - (double)room.median[rank]);
        sum += most / 64;
    }
    /* Variances left: 1 + pi / (2n - 2 + pi) - 2 / n, the pi term x 13/15 for four. */
    double of_four = 1 + 3.14159265 / 9.14159265 * 13 / 15 - 0.5;
    double of_three = 1 + 3.14159265 / 7.14159265 - 2.0 / 3;
    assert_true(near(jitter_of(&room).longer.value, sum / sqrt(of_four * of_three), 1e-7));
    room_done(&room);
}

/* The same sum, worked out slowly: all residuals sorted, the whole product each time. */
static int by_value(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return one < other ? -1 : one > other;
}

static double slow_maximum(struct room *room)
{
    uint32_t ranks = room->window.ranks, steps = room->window.steps;
    double *all = malloc((size_t)ranks * steps * sizeof(*all)), sum = 0, before = 0;
    size_t count = 0;
    for (uint32_t rank = 0; rank < ranks; rank++)
        for (uint32_t i = 0; i < steps; i++)
            if (!isnan(row(room, rank)[i]))
                all[count++] = (double)(row(room, rank)[i] - room->median[rank]);
    qsort(all, count, sizeof(*all), by_value);
    for (size_t k = 0; k < count; k++) {
        double product = 1;
        for (uint32_t rank = 0; rank < ranks; rank++) {
            int known = 0, below = 0;
            for (uint32_t i = 0; i < steps; i++) {
                known += !isnan(row(room, rank)[i]);
                below += (double)(row(room, rank)[i] - room->median[rank]) <= all[k];
            }
            product *= (double)below / known;
        }
        sum += all[k] * (product - before);
        before = product;
    }
    free(all);
    return sum;
}

/* In a window where all rows have the same number of records, so that one factor
 * scales them all; with ties, and with a few ranks that have huge residuals. */
static void the_short_walk_finds_what_the_long_one_finds(void **state)
{
    for (int round = 0; round < 30; round++) {
        uint32_t ranks = 2 + (uint32_t)(uniform() * 40), steps = 10 + (uint32_t)(uniform() * 20);
        struct room room = room_new(ranks, steps);
        for (uint32_t rank = 0; rank < ranks; rank++)
            for (uint32_t i = 0; i < steps; i++) {
                double value = 1 + 0.02 * normal() + (uniform() < 0.01 ? 5 : 0);
                row(&room, rank)[i] = (float)(round % 2 ? value : floor(value * 64) / 64);
            }
        for (uint32_t rank = 0; rank < ranks && round % 3 == 0; rank++)
            row(&room, rank)[rank % steps] = NAN;
        set_medians(&room);
        uint32_t n = round % 3 == 0 ? steps - 1 : steps;
        double of_steps = 3.14159265358979 / (2.0 * n - 2 + 3.14159265358979);
        double of_ranks = 3.14159265358979 / (2.0 * ranks - 2 + 3.14159265358979);
        of_steps *= n % 2 ? 1 : 1 - 0.8 / (n + 2.0);
        of_ranks *= ranks % 2 ? 1 : 1 - 0.8 / (ranks + 2.0);
        double scale = sqrt((1 + of_steps - 2.0 / n) * (1 + of_ranks - 2.0 / ranks));
        double expected = slow_maximum(&room) / scale, found = jitter_of(&room).longer.value;
        if (!near(found, expected, 1e-6 * fmax(expected, 0.01)))
            fail_msg("round %d, %u x %u: %.9g, not %.9g", round, ranks, steps, found, expected);
        room_done(&room);
    }
}

static void equal_ranks_lose_no_more_than_the_floor(void **state)
{
    double loss = 0, chronic = 0, floor = 0;
    for (int seed = 0; seed < 100; seed++) {
        struct room room = equal_ranks(8, 50, 0.02);
        struct jitter jitter = jitter_of(&room);
        assert_true(near(jitter.floor.value + jitter.chronic.value, jitter.loss.value, 1e-12));
        assert_true(jitter.floor.value <= 0.8 * jitter.longer.value + 1e-12);
        loss += jitter.loss.value / 100;
        floor += jitter.floor.value / 100;
        chronic += jitter.chronic.value / 100;
        room_done(&room);
    }
    assert_true(near(loss, 0.8 * 0.0285, 0.0005)); /* own time is 0.8 of T */
    assert_true(near(floor, loss, 0.0015) && floor <= loss);
    assert_true(chronic < 0.0015);
}

/* Figure 1.5's job: 8 ranks, one of them 10% slow. */
static void what_one_slow_rank_costs_is_over_the_floor(void **state)
{
    for (int named = 0; named < 2; named++) {
        struct room room = room_new(8, 50);
        for (uint32_t i = 0; i < 400; i++)
            room.slowdown[i] = (float)((i / 50 == 5 ? 1.10 : 1.0) * (1 + 0.01 * normal()));
        divide_by_steps(&room);
        room.named[5] = (uint8_t)named;
        struct jitter jitter = jitter_of(&room);
        assert_int_equal(jitter.loss.evidence, EVIDENCE_COMPUTED);
        assert_true(near(jitter.loss.value, 0.8 * 0.10, 0.003));
        assert_true(near(jitter.longer.value, 0.01 * 1.424, 0.0015));
        assert_true(near(jitter.floor.value, 0.8 * jitter.longer.value, 1e-9));
        assert_true(near(jitter.chronic.value, 0.8 * (0.10 - 0.01424), 0.004));
        room_done(&room);
    }
}

/* Slow only since the middle of the window, its residuals are no jitter once it is
 * named. */
static void a_named_rank_adds_nothing_to_the_floor(void **state)
{
    struct room room = room_new(8, 50);
    for (uint32_t i = 0; i < 400; i++)
        room.slowdown[i] =
            (float)((i / 50 == 5 && i % 50 > 25 ? 1.5 : 1.0) * (1 + 0.01 * normal()));
    divide_by_steps(&room);
    assert_true(jitter_of(&room).longer.value > 0.1);
    room.named[5] = 1;
    assert_true(near(jitter_of(&room).longer.value, 0.01 * 1.424, 0.0015));
    memset(room.named, 1, 8); /* all of them: there is nobody else to look at */
    assert_true(jitter_of(&room).longer.value > 0.1);
    room_done(&room);
}

static void steps_that_are_slow_for_all_are_no_jitter(void **state)
{
    struct room room = room_new(8, 50);
    for (uint32_t i = 0; i < 400; i++)
        room.slowdown[i] = (float)((i % 50 == 20 ? 3 : 1) * (1 + 0.01 * normal()));
    divide_by_steps(&room);
    assert_true(near(jitter_of(&room).longer.value, 0.01 * 1.424, 0.0015));
    room_done(&room);
}

static void more_ranks_lose_more(void **state)
{
    struct room room = equal_ranks(8, 50, 0.02);
    struct jitter jitter = jitter_of(&room);
    assert_int_equal(jitter_extrapolation_ranks[0], 8);
    assert_int_equal(jitter_extrapolation_ranks[3], 16384);
    assert_true(jitter.longer_at[0].value == jitter.longer.value);
    assert_true(near(jitter.longer_at[1].value / jitter.longer.value, 2.344 / 1.424, 0.002));
    assert_true(near(jitter.longer_at[2].value / jitter.longer.value, 3.248 / 1.424, 0.002));
    assert_true(near(jitter.longer_at[3].value / jitter.longer.value, 3.971 / 1.424, 0.002));
    assert_int_equal(jitter.longer_at[3].evidence, EVIDENCE_COMPUTED);
    room.window.simulated = true;
    jitter = jitter_of(&room);
    assert_int_equal(jitter.longer_at[3].evidence, EVIDENCE_SIMULATED);
    assert_int_equal(jitter.floor.evidence, EVIDENCE_SIMULATED);
    assert_int_equal(jitter.spread.evidence, EVIDENCE_SIMULATED);
    room_done(&room);
}

static void without_step_times_only_shares_are_unknown(void **state)
{
    struct room room = equal_ranks(8, 50, 0.02);
    for (int i = 0; i < 50; i++)
        room.time_ns[i] = NAN;
    struct jitter jitter = jitter_of(&room);
    assert_false(quantity_known(jitter.loss) || quantity_known(jitter.floor) ||
                 quantity_known(jitter.chronic));
    assert_true(quantity_known(jitter.longer) && quantity_known(jitter.spread));
    room.time_ns[7] = 2e9; /* one step is enough */
    assert_true(near(jitter_of(&room).floor.value, 0.0285 / 2, 0.01));
    room_done(&room);
}

static void one_rank_or_one_step_has_no_floor(void **state)
{
    static const uint32_t sizes[][2] = {{0, 0}, {1, 50}, {8, 1}, {0, 50}, {8, 0}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct room room = room_new(sizes[i][0], sizes[i][1]);
        for (uint32_t k = 0; k < sizes[i][0] * sizes[i][1]; k++)
            room.slowdown[k] = 1;
        set_medians(&room);
        struct jitter jitter = jitter_of(&room);
        assert_false(quantity_known(jitter.longer) || quantity_known(jitter.spread) ||
                     quantity_known(jitter.loss) || quantity_known(jitter.longer_at[0]));
        room_done(&room);
    }
    struct room room = room_new(8, 50); /* eight, but only one has records */
    for (uint32_t k = 0; k < 400; k++)
        room.slowdown[k] = k < 50 ? 1 : NAN;
    set_medians(&room);
    assert_false(quantity_known(jitter_of(&room).longer));
    assert_int_equal(jitter_of(&room).ranks, 1);
    room_done(&room);
}

static void ranks_without_any_jitter_lose_nothing(void **state)
{
    struct room room = room_new(8, 50);
    for (uint32_t k = 0; k < 400; k++)
        room.slowdown[k] = 1;
    set_medians(&room);
    struct jitter jitter = jitter_of(&room);
    assert_true(jitter.longer.value == 0 && jitter.spread.value == 0);
    assert_true(jitter.loss.value == 0 && jitter.floor.value == 0 && jitter.chronic.value == 0);
    assert_int_equal(jitter.longer.evidence, EVIDENCE_COMPUTED);
    room_done(&room);
}

/* Ranks that joined late or lost records are compared over the steps they have. */
static void absent_records_are_left_out(void **state)
{
    double sum = 0;
    for (int seed = 0; seed < 50; seed++) {
        struct room room = room_new(8, 50);
        for (uint32_t i = 0; i < 400; i++)
            room.slowdown[i] = (float)(1 + 0.02 * normal());
        for (uint32_t i = 0; i < 400; i++)
            if ((i / 50 == 3 && i % 50 < 25) || uniform() < 0.1)
                room.slowdown[i] = NAN;
        divide_by_steps(&room);
        sum += jitter_of(&room).longer.value / 50;
        room_done(&room);
    }
    assert_true(near(sum, 0.0285, 0.001));
}

/* Ranks that came and went: the samples of the spread meet none of the few records. */
static void a_window_that_is_nearly_empty_has_a_floor(void **state)
{
    for (uint32_t at = 0; at < 50; at++) {
        struct room room = room_new(64, 1000);
        for (size_t i = 0; i < (size_t)64 * 1000; i++)
            room.slowdown[i] = NAN;
        for (uint32_t rank = 0; rank < 2; rank++) {
            room.slowdown[rank * 1000 + at] = rank ? 1.1f : 0.9f;
            room.slowdown[rank * 1000 + 500 + at] = rank ? 0.9f : 1.1f;
        }
        set_medians(&room);
        struct jitter jitter = jitter_of(&room);
        assert_int_equal(jitter.ranks, 2);
        assert_true(jitter.longer.evidence == EVIDENCE_COMPUTED && jitter.longer.value > 0);
        assert_true(quantity_known(jitter.spread) && jitter.spread.value > 0.05);
        room_done(&room);
    }
}

static void the_same_window_gives_the_same_bits(void **state)
{
    struct room room = equal_ranks(300, 50, 0.05);
    struct jitter one = jitter_of(&room), other = jitter_of(&room);
    assert_true(one.longer.value == other.longer.value && one.spread.value == other.spread.value);
    room_done(&room);
}

/* Rows further apart than they are long, as in a ring with more room than steps. */
static void what_is_between_the_rows_is_no_jitter(void **state)
{
    struct room room = equal_ranks(8, 50, 0.02);
    room.window.steps = 30;
    set_medians(&room);
    struct jitter before = jitter_of(&room);
    for (uint32_t i = 0; i < 400; i++)
        if (i % 50 >= 30)
            room.slowdown[i] = 99;
    struct jitter after = jitter_of(&room);
    assert_true(before.longer.value == after.longer.value);
    assert_true(before.loss.value == after.loss.value && after.loss.value > 0);
    room_done(&room);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_of_n_normal_values_is_that_of_the_table),
        cmocka_unit_test(normal_jitter_of_two_percent_makes_steps_as_much_longer_as_the_field_says),
        cmocka_unit_test(the_floor_is_the_mean_over_all_permutations),
        cmocka_unit_test(the_short_walk_finds_what_the_long_one_finds),
        cmocka_unit_test(equal_ranks_lose_no_more_than_the_floor),
        cmocka_unit_test(what_one_slow_rank_costs_is_over_the_floor),
        cmocka_unit_test(a_named_rank_adds_nothing_to_the_floor),
        cmocka_unit_test(steps_that_are_slow_for_all_are_no_jitter),
        cmocka_unit_test(more_ranks_lose_more),
        cmocka_unit_test(without_step_times_only_shares_are_unknown),
        cmocka_unit_test(one_rank_or_one_step_has_no_floor),
        cmocka_unit_test(ranks_without_any_jitter_lose_nothing),
        cmocka_unit_test(absent_records_are_left_out),
        cmocka_unit_test(a_window_that_is_nearly_empty_has_a_floor),
        cmocka_unit_test(the_same_window_gives_the_same_bits),
        cmocka_unit_test(what_is_between_the_rows_is_no_jitter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
