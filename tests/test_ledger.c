/* The ledger: shares worked out by hand, and sums that always come to the whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "ledger.h"

static uint64_t random_state = 1;

static double uniform(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(random_state >> 11) / 9007199254740992.0;
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-12;
}

/* 100 s of steps: 80 own (4 of them input), 8 late (5 of them stragglers), 9 exchange,
 * 3 in no phase (1 checkpoint, 0.5 validation); 15 s down and 10 s lost besides. */
static struct ledger_sums sums_by_hand(void)
{
    return (struct ledger_sums){
        .steps = 20,
        .time_ns = 100e9,
        .own_ns = 80e9,
        .input_ns = 4e9,
        .late_ns = 8e9,
        .straggler_ns = 5e9,
        .exchange_ns = 9e9,
        .checkpoint_ns = 1e9,
        .validation_ns = 0.5e9,
        .down_ns = 15e9,
        .lost_ns = 10e9,
        .has_own = true,
        .has_input = true,
        .has_exchange = true,
        .model_share = 0.40,
        .hardware_share = 0.50,
    };
}

static struct ledger made(const struct ledger_sums *sums)
{
    struct ledger ledger;
    ledger_make(&ledger, sums, 8, EVIDENCE_MEASURED, EVIDENCE_MEASURED, false);
    return ledger;
}

static double sum_of(const struct ledger *ledger)
{
    double sum = 0;
    for (int part = 0; part < LEDGER_COUNT; part++)
        if (quantity_known(ledger->share[part]))
            sum += ledger->share[part].value;
    return sum;
}

static void assert_shares(const struct ledger *ledger, const double expected[LEDGER_COUNT])
{
    for (int part = 0; part < LEDGER_COUNT; part++) {
        struct quantity share = ledger->share[part];
        bool known = quantity_known(share);
        if (known != !isnan(expected[part]) || (known && !near(share.value, expected[part])))
            fail_msg("%s: %g, not %g", ledger_part_name((enum ledger_part)part), share.value,
                     expected[part]);
        if (known != (ledger->within[part] == (enum ledger_part)part))
            fail_msg("%s is not where it belongs", ledger_part_name((enum ledger_part)part));
    }
}

static void all_parts_are_what_is_worked_out_by_hand(void **state)
{
    struct ledger_sums sums = sums_by_hand();
    struct ledger ledger = made(&sums);
    static const double expected[LEDGER_COUNT] = {
        [LEDGER_ARITHMETIC] = 40 / 125.0, [LEDGER_RECOMPUTE] = 10 / 125.0,
        [LEDGER_KERNELS] = 26 / 125.0,    [LEDGER_INPUT] = 4 / 125.0,
        [LEDGER_JITTER] = 3 / 125.0,      [LEDGER_STRAGGLERS] = 5 / 125.0,
        [LEDGER_EXCHANGE] = 9 / 125.0,    [LEDGER_GAPS] = 1.5 / 125.0,
        [LEDGER_CHECKPOINT] = 1 / 125.0,  [LEDGER_VALIDATION] = 0.5 / 125.0,
        [LEDGER_DOWNTIME] = 15 / 125.0,   [LEDGER_LOST_WORK] = 10 / 125.0,
    };
    assert_shares(&ledger, expected);
    assert_true(near(ledger.wall_s, 125) && near(ledger.gpus, 8));
    assert_int_equal(ledger.steps, 20);
    assert_false(ledger.over_peak);
    assert_true(near(sum_of(&ledger), 1));
}

static void every_part_has_a_name_and_a_title_of_its_own(void **state)
{
    assert_string_equal(ledger_part_name(LEDGER_LOST_WORK), "lost_work");
    assert_string_equal(ledger_part_title(LEDGER_ARITHMETIC), "arithmetic (MFU)");
    for (int i = 0; i < LEDGER_COUNT; i++)
        for (int k = 0; k < i; k++) {
            enum ledger_part one = (enum ledger_part)i, other = (enum ledger_part)k;
            assert_string_not_equal(ledger_part_name(one), ledger_part_name(other));
            assert_string_not_equal(ledger_part_title(one), ledger_part_title(other));
        }
}

static void each_share_says_where_it_comes_from(void **state)
{
    struct ledger_sums sums = sums_by_hand();
    struct ledger ledger = made(&sums);
    for (int part = 0; part < LEDGER_COUNT; part++) {
        bool computed =
            part <= LEDGER_KERNELS || part == LEDGER_JITTER || part == LEDGER_STRAGGLERS;
        if (ledger.share[part].evidence != (computed ? EVIDENCE_COMPUTED : EVIDENCE_MEASURED))
            fail_msg("%s", ledger_part_name((enum ledger_part)part));
    }
    sums.straggler_ns = 0; /* then all waiting is jitter, as measured as it is */
    sums.model_share = NAN;
    ledger = made(&sums);
    assert_int_equal(ledger.share[LEDGER_JITTER].evidence, EVIDENCE_MEASURED);
    assert_int_equal(ledger.share[LEDGER_KERNELS].evidence, EVIDENCE_MEASURED);
    ledger_make(&ledger, &sums, 8, EVIDENCE_MEASURED, EVIDENCE_COMPUTED, false);
    assert_int_equal(ledger.share[LEDGER_JITTER].evidence, EVIDENCE_COMPUTED);
    ledger_make(&ledger, &sums, 8, EVIDENCE_COMPUTED, EVIDENCE_MEASURED, false);
    assert_int_equal(ledger.share[LEDGER_JITTER].evidence, EVIDENCE_COMPUTED);
    assert_int_equal(ledger.share[LEDGER_EXCHANGE].evidence, EVIDENCE_COMPUTED);
    sums = sums_by_hand();
    ledger_make(&ledger, &sums, 8, EVIDENCE_MEASURED, EVIDENCE_MEASURED, true);
    for (int part = 0; part < LEDGER_COUNT; part++)
        assert_int_equal(ledger.share[part].evidence, EVIDENCE_SIMULATED);
}

static void what_is_not_known_is_contained_in_another_part(void **state)
{
    struct ledger_sums sums = sums_by_hand();
    sums.model_share = sums.hardware_share = NAN;
    sums.has_input = sums.has_exchange = false;
    sums.checkpoint_ns = sums.validation_ns = 0;
    sums.down_ns = sums.lost_ns = 0;
    struct ledger ledger = made(&sums);
    static const double expected[LEDGER_COUNT] = {
        [LEDGER_ARITHMETIC] = NAN, [LEDGER_RECOMPUTE] = NAN, [LEDGER_KERNELS] = 0.80,
        [LEDGER_INPUT] = NAN,      [LEDGER_JITTER] = 0.03,   [LEDGER_STRAGGLERS] = 0.05,
        [LEDGER_EXCHANGE] = NAN,   [LEDGER_GAPS] = 0.12,     [LEDGER_CHECKPOINT] = NAN,
        [LEDGER_VALIDATION] = NAN,
    };
    assert_shares(&ledger, expected);
    assert_int_equal(ledger.within[LEDGER_ARITHMETIC], LEDGER_KERNELS);
    assert_int_equal(ledger.within[LEDGER_RECOMPUTE], LEDGER_KERNELS);
    assert_int_equal(ledger.within[LEDGER_INPUT], LEDGER_KERNELS);
    assert_int_equal(ledger.within[LEDGER_EXCHANGE], LEDGER_GAPS);
    assert_int_equal(ledger.within[LEDGER_CHECKPOINT], LEDGER_GAPS);
    sums.model_share = 0.4; /* only the hardware's is unknown */
    ledger = made(&sums);
    assert_true(near(ledger.share[LEDGER_KERNELS].value, 0.40));
    assert_false(quantity_known(ledger.share[LEDGER_RECOMPUTE]));
    sums.hardware_share = 0.4; /* nothing is computed twice: known to be nothing */
    ledger = made(&sums);
    assert_true(quantity_known(ledger.share[LEDGER_RECOMPUTE]));
    assert_true(ledger.share[LEDGER_RECOMPUTE].value == 0);
}

static void without_own_times_arithmetic_and_exchange_are_all_that_is_told_apart(void **state)
{
    struct ledger_sums sums = sums_by_hand();
    sums.has_own = false;
    sums.down_ns = sums.lost_ns = sums.validation_ns = 0;
    struct ledger ledger = made(&sums);
    static const double expected[LEDGER_COUNT] = {
        [LEDGER_ARITHMETIC] = 0.40, [LEDGER_RECOMPUTE] = 0.10, [LEDGER_KERNELS] = 0.40,
        [LEDGER_INPUT] = NAN,       [LEDGER_JITTER] = NAN,     [LEDGER_STRAGGLERS] = NAN,
        [LEDGER_EXCHANGE] = 0.09,   [LEDGER_GAPS] = NAN,       [LEDGER_CHECKPOINT] = 0.01,
        [LEDGER_VALIDATION] = NAN,
    };
    assert_shares(&ledger, expected);
    for (int part = 0; part < LEDGER_COUNT; part++)
        if (!quantity_known(ledger.share[part]))
            assert_int_equal(ledger.within[part], LEDGER_KERNELS);
    sums.has_validation = true; /* the log names them: there was none */
    ledger = made(&sums);
    assert_true(quantity_known(ledger.share[LEDGER_VALIDATION]));
    assert_true(ledger.share[LEDGER_VALIDATION].value == 0);
    sums.has_exchange = false;
    sums.model_share = NAN;
    ledger = made(&sums);
    assert_true(near(ledger.share[LEDGER_KERNELS].value, 0.99));
    assert_int_equal(ledger.within[LEDGER_EXCHANGE], LEDGER_KERNELS);
    assert_int_equal(ledger.share[LEDGER_KERNELS].evidence, EVIDENCE_MEASURED);
}

static void arithmetic_beyond_the_own_time_is_an_alarm_and_not_told_apart(void **state)
{
    struct ledger_sums sums = sums_by_hand();
    sums.model_share = 0.75; /* 75 s in the 76 that are no input */
    sums.hardware_share = 0.75;
    assert_false(made(&sums).over_peak);
    sums.model_share = sums.hardware_share = 0.77;
    struct ledger ledger = made(&sums);
    assert_true(ledger.over_peak);
    assert_false(quantity_known(ledger.share[LEDGER_ARITHMETIC]));
    assert_int_equal(ledger.within[LEDGER_ARITHMETIC], LEDGER_KERNELS);
    assert_true(near(ledger.share[LEDGER_KERNELS].value, 76 / 125.0));
    assert_true(near(sum_of(&ledger), 1));
    sums.model_share = 0.6; /* with what is computed twice it is too much */
    sums.hardware_share = 0.8;
    ledger = made(&sums);
    assert_true(ledger.over_peak && !quantity_known(ledger.share[LEDGER_RECOMPUTE]));
    sums.model_share = 4; /* MFU 400% */
    assert_true(made(&sums).over_peak);
}

/* The parts come to 12 s more than T: exchange gives up its 9, waits 3 of their 8. */
static void parts_that_are_too_long_are_cut_in_order(void **state)
{
    struct ledger_sums sums = sums_by_hand();
    sums.down_ns = sums.lost_ns = 0;
    sums.own_ns = 95e9;
    struct ledger ledger = made(&sums);
    assert_true(near(ledger.share[LEDGER_EXCHANGE].value, 0));
    assert_true(near(ledger.share[LEDGER_STRAGGLERS].value, 0.05));
    assert_true(near(ledger.share[LEDGER_JITTER].value, 0));
    assert_true(near(ledger.share[LEDGER_GAPS].value, 0));
    assert_false(quantity_known(ledger.share[LEDGER_CHECKPOINT]));
    assert_true(near(sum_of(&ledger), 1));
    sums.own_ns = 300e9;
    ledger = made(&sums);
    assert_true(near(ledger.share[LEDGER_STRAGGLERS].value, 0));
    assert_true(near(ledger.share[LEDGER_KERNELS].value, 0.46));
    assert_true(near(sum_of(&ledger), 1));
}

static void no_time_is_no_ledger(void **state)
{
    struct ledger_sums sums = {.has_own = true, .model_share = NAN, .hardware_share = NAN};
    struct ledger ledger = made(&sums);
    int64_t units[LEDGER_COUNT];
    ledger_round(&ledger, 10000, units);
    for (int part = 0; part < LEDGER_COUNT; part++) {
        assert_false(quantity_known(ledger.share[part]));
        assert_int_equal(units[part], 0);
    }
    assert_true(ledger.wall_s == 0);
    sums = sums_by_hand();
    ledger_make(&ledger, &sums, 8, EVIDENCE_NONE, EVIDENCE_MEASURED, false);
    assert_true(ledger.wall_s == 0 && !quantity_known(ledger.share[LEDGER_KERNELS]));
}

static void the_largest_remainders_are_rounded_up(void **state)
{
    struct ledger ledger = {.wall_s = 1};
    for (int part = 0; part < LEDGER_COUNT; part++)
        ledger.share[part] = quantity_none();
    ledger.share[LEDGER_KERNELS] = (struct quantity){1.0 / 3, EVIDENCE_MEASURED};
    ledger.share[LEDGER_JITTER] = (struct quantity){1.0 / 3, EVIDENCE_MEASURED};
    ledger.share[LEDGER_GAPS] = (struct quantity){1.0 / 3, EVIDENCE_MEASURED};
    int64_t units[LEDGER_COUNT];
    ledger_round(&ledger, 100, units);
    assert_int_equal(units[LEDGER_KERNELS], 34); /* of equal ones the first */
    assert_int_equal(units[LEDGER_JITTER], 33);
    assert_int_equal(units[LEDGER_GAPS], 33);
    assert_int_equal(units[LEDGER_INPUT], 0);
    ledger.share[LEDGER_KERNELS].value = 0.1004;
    ledger.share[LEDGER_JITTER].value = 0.2008;
    ledger.share[LEDGER_GAPS].value = 0.6988;
    ledger_round(&ledger, 1000, units); /* 100.4, 200.8, 698.8 */
    assert_int_equal(units[LEDGER_KERNELS], 100);
    assert_int_equal(units[LEDGER_JITTER], 201);
    assert_int_equal(units[LEDGER_GAPS], 699);
    ledger_round(&ledger, 0, units);
    assert_int_equal(units[LEDGER_GAPS], 0);
    ledger.share[LEDGER_KERNELS].value = ledger.share[LEDGER_JITTER].value = 0.2;
    ledger.share[LEDGER_GAPS].value = 0.4; /* one part is not known: what is left is the whole */
    ledger_round(&ledger, 100, units);
    assert_int_equal(units[LEDGER_KERNELS], 25);
    assert_int_equal(units[LEDGER_JITTER], 25);
    assert_int_equal(units[LEDGER_GAPS], 50);
}

/* Sums of all sizes, sensible or not. */
static double any_sum(void)
{
    double choice = uniform();
    if (choice < 0.05)
        return NAN;
    if (choice < 0.1)
        return -uniform() * 1e9;
    if (choice < 0.2)
        return 0;
    return choice < 0.6 ? uniform() * 1e10 : pow(10, uniform() * 40 - 10);
}

static struct ledger_sums any_sums(void)
{
    return (struct ledger_sums){
        .time_ns = any_sum(),
        .own_ns = any_sum(),
        .input_ns = any_sum(),
        .late_ns = any_sum(),
        .straggler_ns = any_sum(),
        .exchange_ns = any_sum(),
        .checkpoint_ns = any_sum(),
        .validation_ns = any_sum(),
        .down_ns = uniform() < 0.5 ? 0 : any_sum(),
        .lost_ns = uniform() < 0.5 ? 0 : any_sum(),
        .has_own = uniform() < 0.8,
        .has_input = uniform() < 0.5,
        .has_exchange = uniform() < 0.5,
        .model_share = uniform() < 0.2 ? NAN : uniform() * 1.2,
        .hardware_share = uniform() < 0.2 ? NAN : uniform() * 1.2,
    };
}

static void whatever_comes_in_the_parts_come_to_the_whole(void **state)
{
    static const int64_t wholes[] = {1, 7, 100, 1000, 10000, LEDGER_WHOLE_MAX};
    int known_ledgers = 0;
    for (int round = 0; round < 200000; round++) {
        struct ledger_sums sums = any_sums();
        struct ledger ledger = made(&sums);
        int64_t units[LEDGER_COUNT], total = 0, whole = wholes[round % 6];
        ledger_round(&ledger, whole, units);
        for (int part = 0; part < LEDGER_COUNT; part++) {
            struct quantity share = ledger.share[part];
            if (quantity_known(share))
                assert_true(isfinite(share.value) && share.value >= 0 && share.value <= 1 + 1e-12);
            else
                assert_int_equal(units[part], 0);
            assert_true(units[part] >= 0);
            if (ledger.wall_s > 0) /* what contains it is known */
                assert_true(quantity_known(ledger.share[ledger.within[part]]));
            total += units[part];
        }
        assert_int_equal(total, ledger.wall_s > 0 ? whole : 0);
        assert_true(ledger.wall_s == 0 || near(sum_of(&ledger), 1));
        known_ledgers += ledger.wall_s > 0;
    }
    assert_true(known_ledgers > 150000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_parts_are_what_is_worked_out_by_hand),
        cmocka_unit_test(every_part_has_a_name_and_a_title_of_its_own),
        cmocka_unit_test(each_share_says_where_it_comes_from),
        cmocka_unit_test(what_is_not_known_is_contained_in_another_part),
        cmocka_unit_test(without_own_times_arithmetic_and_exchange_are_all_that_is_told_apart),
        cmocka_unit_test(arithmetic_beyond_the_own_time_is_an_alarm_and_not_told_apart),
        cmocka_unit_test(parts_that_are_too_long_are_cut_in_order),
        cmocka_unit_test(no_time_is_no_ledger),
        cmocka_unit_test(the_largest_remainders_are_rounded_up),
        cmocka_unit_test(whatever_comes_in_the_parts_come_to_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
