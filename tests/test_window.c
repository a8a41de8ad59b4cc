/* What each rank, group and host costs, against what leaving it out gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "window_fixture.h"

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
static void what_is_between_the_rows_gains_nothing(void **state)
{
    struct room room = equal_ranks(8, 50, 0.02);
    room.window.steps = 30;
    set_medians(&room);
    for (uint32_t i = 0; i < 400; i++)
        if (i % 50 >= 30)
            room.slowdown[i] = 99;
    double gain_s[8];
    window_gains(&room.window, gain_s);
    for (int rank = 0; rank < 8; rank++)
        assert_true(gain_s[rank] < 0.1);
    room_done(&room);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gain_is_the_distance_to_the_next),
        cmocka_unit_test(nobody_is_expected_to_be_faster_than_the_median),
        cmocka_unit_test(of_two_slow_ranks_of_a_stage_only_both_together_gain),
        cmocka_unit_test(gains_are_those_of_leaving_each_set_out),
        cmocka_unit_test(what_is_between_the_rows_gains_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
