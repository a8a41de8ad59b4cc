/* The jitter floor against brute force and against known figures, and the gains. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "quantile.h"
#include "window.h"

static uint64_t random_state = 1;

static double uniform(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(random_state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * 3.14159265358979323846 * uniform());
}

static bool near(double a, double b, double most)
{
    return fabs(a - b) <= most;
}

/* A window with room for all; own time 1 s, T 1.25 s, exchange 0.1 s. */
struct room {
    struct window window;
    float *slowdown, *median;
    double *own_ns, *time_ns, *exchange_ns;
    uint8_t *named;
    uint32_t *group, *host;
};

static struct room room_new(uint32_t ranks, uint32_t steps)
{
    struct room room = {
        .slowdown = calloc((size_t)ranks * steps + 1, sizeof(float)),
        .median = calloc(ranks + 1u, sizeof(float)),
        .own_ns = calloc(steps + 1u, sizeof(double)),
        .time_ns = calloc(steps + 1u, sizeof(double)),
        .exchange_ns = calloc(steps + 1u, sizeof(double)),
        .named = calloc(ranks + 1u, 1),
        .group = calloc(ranks + 1u, sizeof(uint32_t)),
        .host = calloc(ranks + 1u, sizeof(uint32_t)),
    };
    for (uint32_t i = 0; i < steps; i++) {
        room.own_ns[i] = 1e9;
        room.time_ns[i] = 1.25e9;
        room.exchange_ns[i] = 0.1e9;
    }
    room.window = (struct window){
        .ranks = ranks,
        .steps = steps,
        .stride = steps,
        .slowdown = room.slowdown,
        .own_median_ns = room.own_ns,
        .time_ns = room.time_ns,
        .exchange_ns = room.exchange_ns,
        .median = room.median,
        .named = room.named,
    };
    return room;
}

static void room_done(struct room *room)
{
    free(room->slowdown);
    free(room->median);
    free(room->own_ns);
    free(room->time_ns);
    free(room->exchange_ns);
    free(room->named);
    free(room->group);
    free(room->host);
}

static float *row(struct room *room, uint32_t rank)
{
    return room->slowdown + (size_t)rank * room->window.stride;
}

static float median_of_known(const float *values, uint32_t n)
{
    float *copy = malloc((n + 1u) * sizeof(*copy));
    uint32_t known = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!isnan(values[i]))
            copy[known++] = values[i];
    float median = (float)median_of_floats(copy, known);
    free(copy);
    return median;
}

static void set_medians(struct room *room)
{
    for (uint32_t rank = 0; rank < room->window.ranks; rank++)
        room->median[rank] = median_of_known(row(room, rank), room->window.steps);
}

/* Own times in, slowdowns against each step's median out. */
static void divide_by_steps(struct room *room)
{
    uint32_t ranks = room->window.ranks, stride = room->window.stride;
    float *column = calloc(ranks + 1u, sizeof(*column));
    for (uint32_t i = 0; i < room->window.steps; i++) {
        for (uint32_t rank = 0; rank < ranks; rank++)
            column[rank] = room->slowdown[(size_t)rank * stride + i];
        float median = median_of_known(column, ranks);
        for (uint32_t rank = 0; rank < ranks; rank++)
            room->slowdown[(size_t)rank * stride + i] /= median;
    }
    free(column);
    set_medians(room);
}

static struct room equal_ranks(uint32_t ranks, uint32_t steps, double jitter)
{
    struct room room = room_new(ranks, steps);
    for (size_t i = 0; i < (size_t)ranks * steps; i++)
        room.slowdown[i] = (float)(1 + jitter * normal());
    divide_by_steps(&room);
    return room;
}

static struct jitter jitter_of(const struct room *room)
{
    struct jitter jitter;
    window_jitter(&room->window, &jitter);
    return jitter;
}

/* PEERS 2.4, and beyond its end by numerical integration. */
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

static void the_same_window_gives_the_same_bits(void **state)
{
    struct room room = equal_ranks(300, 50, 0.05);
    struct jitter one = jitter_of(&room), other = jitter_of(&room);
    assert_true(one.longer.value == other.longer.value && one.spread.value == other.spread.value);
    room_done(&room);
}

/* One step, ranks 1.0, 1.2, 1.5: without the last it lasts 0.3 s less. */
static void a_gain_is_the_distance_to_the_next(void **state)
{
    struct room room = room_new(4, 2);
    static const float values[4][2] = {{1.0f, 1.0f}, {1.2f, 1.0f}, {1.5f, NAN}, {0.9f, 0.5f}};
    memcpy(room.slowdown, values, sizeof(values));
    set_medians(&room);
    room.own_ns[0] = 2e9;
    double gain_s[4];
    window_gains(&room.window, gain_s);
    assert_true(gain_s[0] == 0 && gain_s[1] == 0 && gain_s[3] == 0);
    assert_true(near(gain_s[2], 0.3 * 2 / 2, 1e-6)); /* in one of the two steps */
    room.own_ns[1] = NAN;                            /* a step without data */
    window_gains(&room.window, gain_s);
    assert_true(near(gain_s[2], 0.3 * 2, 1e-6));
    room_done(&room);
}

/* Others below the median do not make a step shorter than the median rank. */
static void nobody_is_expected_to_be_faster_than_the_median(void **state)
{
    struct room room = room_new(2, 1);
    room.slowdown[0] = 1.25f;
    room.slowdown[1] = 0.75f;
    set_medians(&room);
    double gain_s[2];
    window_gains(&room.window, gain_s);
    assert_true(near(gain_s[0], 0.25, 1e-9) && gain_s[1] == 0);
    room.window.ranks = 1;
    window_gains(&room.window, gain_s);
    assert_true(near(gain_s[0], 0.25, 1e-9));
    room_done(&room);
}

/* The production job ST: both ranks of its last stage are slow. */
static void of_two_slow_ranks_of_a_stage_only_both_together_gain(void **state)
{
    struct room room = room_new(8, 20);
    for (uint32_t rank = 0; rank < 8; rank++) {
        room.group[rank] = 1 + rank / 2;
        room.host[rank] = 1 + rank % 2;
        for (uint32_t i = 0; i < 20; i++)
            row(&room, rank)[i] = rank >= 6 ? 1.6f : 1;
    }
    set_medians(&room);
    room.window.group = room.group;
    room.window.group_count = 5;
    room.window.host = room.host;
    room.window.host_count = 3;
    room.named[6] = room.named[7] = 1;
    double gain_s[8], group_s[5], host_s[3];
    window_gains(&room.window, gain_s);
    assert_true(gain_s[6] == 0 && gain_s[7] == 0);
    struct window_sets sets = {group_s, host_s, NAN};
    window_set_gains(&room.window, &sets);
    assert_true(near(group_s[4], 0.6, 1e-6));
    assert_true(group_s[0] == 0 && group_s[1] == 0 && group_s[2] == 0 && group_s[3] == 0);
    assert_true(host_s[1] == 0 && host_s[2] == 0); /* each host has one of the two */
    assert_true(near(sets.named_gain_s, 0.6, 1e-6));
    room.named[6] = 0; /* only one is named */
    sets = (struct window_sets){NULL, NULL, NAN};
    window_set_gains(&room.window, &sets);
    assert_true(sets.named_gain_s == 0);
    room.window.named = NULL;
    window_set_gains(&room.window, &sets);
    assert_true(sets.named_gain_s == 0);
    room_done(&room);
}

/* By definition: each set left out in turn, every rank looked at. */
static double slow_gain(struct room *room, const uint32_t *ids, uint32_t set)
{
    double sum = 0;
    for (uint32_t i = 0; i < room->window.steps; i++) {
        double all = 1, others = 1;
        for (uint32_t rank = 0; rank < room->window.ranks; rank++) {
            double value = (double)row(room, rank)[i];
            if (isnan(value))
                continue;
            all = fmax(all, value);
            others = ids[rank] == set ? others : fmax(others, value);
        }
        sum += (all - others) * room->own_ns[i] / 1e9;
    }
    return sum / room->window.steps;
}

static void gains_are_those_of_leaving_each_set_out(void **state)
{
    for (int round = 0; round < 30; round++) {
        struct room room = room_new(50, 20);
        uint32_t self[50];
        for (uint32_t rank = 0; rank < 50; rank++) {
            self[rank] = rank + 1;
            room.group[rank] = (uint32_t)(uniform() * 6); /* 0: in none */
            room.named[rank] = uniform() < 0.2;
            for (uint32_t i = 0; i < 20; i++)
                row(&room, rank)[i] =
                    uniform() < 0.1 ? NAN : (float)(1 + floor(normal() * 8) / 64 + rank * 0.002);
        }
        set_medians(&room);
        for (uint32_t i = 0; i < 20; i++)
            room.own_ns[i] = 1e9 * uniform();
        room.window.group = room.group;
        room.window.group_count = 6;
        double gain_s[50], group_s[6];
        struct window_sets sets = {group_s, NULL, NAN};
        window_gains(&room.window, gain_s);
        window_set_gains(&room.window, &sets);
        for (uint32_t rank = 0; rank < 50; rank++)
            assert_true(near(gain_s[rank], slow_gain(&room, self, rank + 1), 1e-6));
        for (uint32_t group = 1; group < 6; group++)
            assert_true(near(group_s[group], slow_gain(&room, room.group, group), 1e-6));
        for (uint32_t rank = 0; rank < 50; rank++)
            self[rank] = room.named[rank];
        assert_true(near(sets.named_gain_s, slow_gain(&room, self, 1), 1e-6));
        room_done(&room);
    }
}

/* Rows further apart than they are long, as in a ring with more room than steps. */
static void a_stride_leaves_out_what_is_between_the_rows(void **state)
{
    struct room room = equal_ranks(8, 50, 0.02);
    room.window.steps = 30;
    set_medians(&room);
    struct jitter before = jitter_of(&room);
    for (uint32_t i = 0; i < 400; i++)
        if (i % 50 >= 30)
            room.slowdown[i] = 99;
    struct jitter after = jitter_of(&room);
    assert_true(before.longer.value == after.longer.value && after.loss.value < 0.1);
    double gain_s[8];
    window_gains(&room.window, gain_s);
    for (int rank = 0; rank < 8; rank++)
        assert_true(gain_s[rank] < 0.1);
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
        cmocka_unit_test(the_same_window_gives_the_same_bits),
        cmocka_unit_test(a_gain_is_the_distance_to_the_next),
        cmocka_unit_test(nobody_is_expected_to_be_faster_than_the_median),
        cmocka_unit_test(of_two_slow_ranks_of_a_stage_only_both_together_gain),
        cmocka_unit_test(gains_are_those_of_leaving_each_set_out),
        cmocka_unit_test(a_stride_leaves_out_what_is_between_the_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
