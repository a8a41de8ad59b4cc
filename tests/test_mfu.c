/* MFU and HFU against known figures, and the peaks by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mfu.h"

static bool near(double a, double b, double share)
{
    return fabs(a - b) <= share * fabs(b);
}

static double peak(const char *name)
{
    return peak_flops_by_name(str_from(name)) / 1e12;
}

static void training_llama_3_405b_takes_what_the_arithmetic_says(void **state)
{
    struct run run;
    run_init(&run);
    run.params = 405e9;
    double total = mfu_model_flop_per_token(&run) * 15.6e12;
    assert_true(near(total, 3.79e25, 0.001));
    assert_true(near(total / (peak("H100") * 1e12), 3.8e10, 0.01)); /* about 1,200 years */
    assert_true(near(total / (16384 * 400e12), 5.8e6, 0.01));       /* about 67 days */
    assert_true(near(total / (16384 * 400e12) / 86400, 67, 0.01));
    double gpu_seconds = 31e6 * 3600;
    assert_true(near(total / gpu_seconds, 340e12, 0.005));
    struct quantity mfu = utilization(15.6e12, 31e6 * 3600, 6 * 405e9, 1, 989e12);
    assert_true(near(mfu.value, 0.34, 0.02));
    assert_int_equal(mfu.evidence, EVIDENCE_COMPUTED);
    assert_true(near(total / (989e12 * 3600), 1.064e7, 0.001));
    assert_true(near(total / (0.41 * 989e12 * 3600), 2.60e7, 0.005));
    assert_true(near(total / (0.42 * 989e12 * 3600), 2.53e7, 0.005));
}

/* PaLM 540B: 118 layers, 48 heads of 256, sequence 2,048; MFU 46.2% and HFU 57.8%. */
static void palm_has_the_ratio_of_its_two_utilizations(void **state)
{
    struct run run;
    run_init(&run);
    run.params = 540.35e9;
    run.layers = 118;
    run.hidden = 48 * 256;
    run.sequence = 2048;
    /* 238,300 tokens/s on 6,144 TPU v4 */
    double model = mfu_model_flop_per_token(&run);
    assert_true(near(utilization(238300, 1, model, 6144, 275e12).value, 0.462, 0.005));
    /* Its 57.8% recompute most, not all of the forward pass. */
    run.recompute = RECOMPUTE_FULL;
    double hardware = mfu_hardware_flop_per_token(&run);
    assert_true(hardware / model > 57.8 / 46.2 && hardware / model < 4.0 / 3 + 1e-9);
}

static void each_convention_counts_its_own_terms(void **state)
{
    struct run run;
    run_init(&run);
    assert_true(mfu_model_flop_per_token(&run) == 0);
    assert_true(mfu_hardware_flop_per_token(&run) == 0);
    run.params = 528128;
    run.layers = 2;
    run.hidden = 128;
    assert_int_equal(mfu_attention(&run), ATTENTION_NONE); /* no sequence length */
    assert_true(mfu_model_flop_per_token(&run) == 6 * 528128.0);
    run.sequence = 64;
    assert_int_equal(mfu_attention(&run), ATTENTION_FULL);
    assert_true(mfu_model_flop_per_token(&run) == 3365376);
    assert_true(mfu_hardware_flop_per_token(&run) == 3365376);
    run.recompute = RECOMPUTE_FULL;
    assert_true(mfu_hardware_flop_per_token(&run) == 8 * 528128.0 + 16 * 16384.0);
    run.recompute = RECOMPUTE_SELECTIVE;
    assert_true(mfu_hardware_flop_per_token(&run) == 6 * 528128.0 + 16 * 16384.0);
    run.attention = ATTENTION_CAUSAL;
    assert_true(mfu_model_flop_per_token(&run) == 6 * 528128.0 + 6 * 16384.0);
    run.attention = ATTENTION_NONE;
    assert_true(mfu_model_flop_per_token(&run) == 6 * 528128.0);
    run.active_params = 1000; /* a mixture of experts counts what one token uses */
    assert_true(mfu_model_flop_per_token(&run) == 6000);
}

/* A model with 1 FLOP of parameters and attention each: N = 1, LHS = 1. */
static struct run unit_run(void)
{
    struct run run;
    run_init(&run);
    run.params = run.layers = run.hidden = run.sequence = 1;
    return run;
}

static void recomputing_a_share_of_the_layers_costs_that_share(void **state)
{
    struct run run = unit_run();
    run_set_recompute_share(&run, 0.5);
    assert_int_equal(run.recompute, RECOMPUTE_SHARE);
    assert_true(mfu_model_flop_per_token(&run) == 18);
    assert_true(mfu_hardware_flop_per_token(&run) == (6 + 2 * 0.5) + (12 + 4 * 0.5));
    run.attention = ATTENTION_CAUSAL;
    assert_true(mfu_hardware_flop_per_token(&run) == (6 + 2 * 0.5) + (12 + 4 * 0.5) / 2);
    run_set_recompute_share(&run, 0.25);
    assert_true(mfu_hardware_flop_per_token(&run) == (6 + 2 * 0.25) + (12 + 4 * 0.25) / 2);
    run_set_recompute_share(&run, 1);
    assert_int_equal(run.recompute, RECOMPUTE_FULL);
    assert_true(mfu_hardware_flop_per_token(&run) == 8 + 16 / 2.);
    run.recompute = RECOMPUTE_SELECTIVE;
    assert_true(mfu_hardware_flop_per_token(&run) == 6 + 16 / 2.);
    run_set_recompute_share(&run, 0);
    assert_int_equal(run.recompute, RECOMPUTE_NONE);
    assert_true(mfu_hardware_flop_per_token(&run) == 6 + 12 / 2.);
}

static void a_frozen_weight_needs_no_gradient(void **state)
{
    struct run run = unit_run();
    run.params = 1000;
    run.attention = ATTENTION_NONE;
    run.lora_share = 0.02; /* (2 + 0.02) / 3 of 6N */
    assert_true(near(mfu_model_flop_per_token(&run), 6000 * (2 + 0.02) / 3, 1e-12));
    assert_true(near(mfu_model_flop_per_token(&run), 4040, 1e-12));
    run.recompute = RECOMPUTE_FULL;
    assert_true(near(mfu_hardware_flop_per_token(&run), 6040, 1e-12));
    run.attention = ATTENTION_FULL; /* its core is as before */
    assert_true(near(mfu_model_flop_per_token(&run), 4052, 1e-12));
    assert_true(near(mfu_hardware_flop_per_token(&run), 6056, 1e-12));
    run.lora_share = 1;
    assert_true(mfu_model_flop_per_token(&run) == 6012);
}

static void a_peak_belongs_to_a_number_format(void **state)
{
    static const struct {
        const char *chip;
        double tflops[4]; /* BF16, TF32, FP8, FP16; 0: not known, never another's */
    } rows[] = {
        {"NVIDIA H100 80GB HBM3", {989, 494.5, 1979, 989}},
        {"A100", {312, 156, 0, 312}},
        {"V100", {125, 0, 0, 125}},
        {"B200", {2250, 1125, 4500, 2250}},
        {"L40S", {362, 183, 733, 362}},
        {"MI300X", {1307.4, 653.7, 2614.9, 1307.4}},
        {"TPU v5p", {459, 0, 0, 459}},
        {"nothing", {0, 0, 0, 0}},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (int format = 0; format < 4; format++) {
            double got = peak_flops_of(str_from(rows[i].chip), (enum number_format)format) / 1e12;
            if (!near(got, rows[i].tflops[format], 1e-12))
                print_error("%s %d: %g\n", rows[i].chip, format, got);
            assert_true(near(got, rows[i].tflops[format], 1e-12));
        }
    }
}

static void a_name_that_is_not_known_may_be_like_some_that_are(void **state)
{
    static const struct {
        const char *chip;
        int count;
        const char *names[3];
    } rows[] = {
        {"H10", 3, {"H100", "H100 PCIE", "H100 NVL"}},
        {"A1000", 2, {"A100", "A10"}},
        {"L400", 2, {"L40", "L4"}},
        {"H", 0, {NULL}},
        {"Quadro", 0, {NULL}},
        {"mi300", 2, {"MI300A", "MI300X"}},
        {"", 0, {NULL}},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *names[3];
        assert_int_equal(peak_names_like(str_from(rows[i].chip), names, 3), rows[i].count);
        for (int k = 0; k < rows[i].count; k++)
            assert_string_equal(names[k], rows[i].names[k]);
    }
}

static void the_convention_is_said_in_words(void **state)
{
    char text[160], small[12];
    struct run run;
    run_init(&run);
    mfu_convention(&run, text, sizeof(text));
    assert_string_equal(text,
                        "attention none (layers, hidden or sequence unknown), recompute none, "
                        "parameters unknown, BF16 dense peak unknown");
    run.params = 405e9;
    run.layers = 126;
    run.hidden = 16384;
    run.sequence = 8192;
    str_copy(run.chip, sizeof(run.chip), str_from("H100"));
    mfu_convention(&run, text, sizeof(text));
    assert_string_equal(text, "attention full 12LHS, recompute none, parameters 405B, BF16 dense "
                              "peak 989 TFLOP/s");
    run.active_params = 17e9;
    run.recompute = RECOMPUTE_SELECTIVE;
    run.lora_share = 0.02;
    mfu_convention(&run, text, sizeof(text));
    assert_string_equal(text, "attention full 12LHS, recompute selective, active parameters 17B, "
                              "LoRA 2%, BF16 dense peak 989 TFLOP/s");
    run_set_recompute_share(&run, 0.5);
    run.attention = ATTENTION_CAUSAL;
    run.format = NUMBER_FP8;
    run.active_params = 528128;
    run.lora_share = 1;
    mfu_convention(&run, text, sizeof(text));
    assert_string_equal(text,
                        "attention causal 6LHS, recompute 50% of the layers, active parameters "
                        "528.1K, FP8 dense peak 1979 TFLOP/s");
    run.attention = ATTENTION_NONE;
    run.recompute = RECOMPUTE_FULL;
    run.peak_flops = 2e10;
    mfu_convention(&run, text, sizeof(text));
    assert_string_equal(text,
                        "attention none, recompute full, active parameters 528.1K, dense peak "
                        "0.02 TFLOP/s as given");
    mfu_convention(&run, small, sizeof(small));
    assert_string_equal(small, "attention n");
    run.peak_flops = 0;
    run.format = NUMBER_BF16;
    str_copy(run.chip, sizeof(run.chip), str_from("Tesla V100-SXM2-16GB"));
    assert_string_equal(run_peak_format(&run), "FP16"); /* it has no BF16 */
}

static void the_longest_name_counts(void **state)
{
    static const struct {
        const char *name;
        double tflops;
    } rows[] = {
        {"A100", 312},
        {"NVIDIA A100-SXM4-80GB", 312},
        {"a100", 312},
        {"NVIDIA A10", 125},
        {"NVIDIA A10G", 70},
        {"H100", 989},
        {"NVIDIA H100 80GB HBM3", 989},
        {"NVIDIA H100 PCIe", 756},
        {"h100-pcie", 756},
        {"NVIDIA H100 NVL", 835.5},
        {"NVIDIA H200", 989},
        {"H200 NVL", 836},
        {"NVIDIA H20", 148},
        {"NVIDIA GH200 480GB", 989},
        {"NVIDIA L4", 121},
        {"NVIDIA L40", 181},
        {"NVIDIA L40S", 362},
        {"NVIDIA B200", 2250},
        {"NVIDIA GB200", 2500},
        {"Tesla V100-SXM2-16GB", 125},
        {"Tesla V100-PCIE-32GB", 112},
        {"AMD Instinct MI300X", 1307.4},
        {"TPU v5p", 459},
        {"tpu_v5e", 197},
        {"Trainium2", 667},
        /* What isn't known has no peak: never a guess. */
        {"", 0},
        {"A1000", 0},
        {"GA100X", 0},
        {"XL4", 0},
        {"L400", 0},
        {"H", 0},
        {"Quadro", 0},
        {"H10", 0},
        {"RTX A4000", 0},
        {"a quarter of a CPU core", 0},
        {"\xff\xfe", 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (fabs(peak(rows[i].name) - rows[i].tflops) > 1e-9)
            print_error("row %zu: %s: %g, not %g\n", i, rows[i].name, peak(rows[i].name),
                        rows[i].tflops);
        assert_true(fabs(peak(rows[i].name) - rows[i].tflops) <= 1e-9);
    }
}

static void the_runs_own_peak_comes_first(void **state)
{
    struct run run;
    run_init(&run);
    assert_true(run_peak_flops(&run) == 0);
    str_copy(run.chip, sizeof(run.chip), str_from("H100"));
    assert_true(run_peak_flops(&run) == 989e12);
    run.peak_flops = 5e14;
    assert_true(run_peak_flops(&run) == 5e14);
}

static void what_is_not_known_gives_no_number(void **state)
{
    for (int missing = 0; missing < 5; missing++) {
        double v[5] = {1, 1, 1, 1, 1};
        assert_true(quantity_known(utilization(v[0], v[1], v[2], v[3], v[4])));
        v[missing] = 0;
        assert_false(quantity_known(utilization(v[0], v[1], v[2], v[3], v[4])));
        v[missing] = NAN;
        assert_false(quantity_known(utilization(v[0], v[1], v[2], v[3], v[4])));
    }
    assert_false(quantity_known(utilization(1e308, 1e-308, 1e308, 1, 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_llama_3_405b_takes_what_the_arithmetic_says),
        cmocka_unit_test(palm_has_the_ratio_of_its_two_utilizations),
        cmocka_unit_test(each_convention_counts_its_own_terms),
        cmocka_unit_test(recomputing_a_share_of_the_layers_costs_that_share),
        cmocka_unit_test(a_frozen_weight_needs_no_gradient),
        cmocka_unit_test(a_peak_belongs_to_a_number_format),
        cmocka_unit_test(a_name_that_is_not_known_may_be_like_some_that_are),
        cmocka_unit_test(the_convention_is_said_in_words),
        cmocka_unit_test(the_longest_name_counts),
        cmocka_unit_test(the_runs_own_peak_comes_first),
        cmocka_unit_test(what_is_not_known_gives_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
