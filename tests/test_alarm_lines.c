/* What is not to be believed, in words: each cause to the letter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "alarm_lines.h"
#include "job_pulse.h"
#include "mfu.h"
#include "str.h"
#include "view_fixture.h"

/* Eight H100 and a 405B model; nothing wrong with it. */
struct scene {
    struct summary summary;
    struct view_model model;
};

static void scene_init(struct scene *scene)
{
    fixture_figure(&scene->summary, 8);
    model_init(&scene->model, MODE_LIVE);
    scene->model.summary = &scene->summary;
}

static void set_chip(struct scene *scene, const char *chip)
{
    str_copy(scene->summary.run.chip, sizeof(scene->summary.run.chip), str_from(chip));
    scene->summary.peak_flops = run_peak_flops(&scene->summary.run);
}

static void set_mfu(struct scene *scene, double mfu, double hfu)
{
    scene->summary.mfu = fixture_quantity(mfu, EVIDENCE_COMPUTED);
    scene->summary.hfu = fixture_quantity(hfu, EVIDENCE_COMPUTED);
}

/* The only alarm there is; NULL: none. */
static const char *only_alarm(struct scene *scene)
{
    static struct sentence lines[ALARM_LINES_MAX];
    int count = alarm_lines(&scene->model, lines, ALARM_LINES_MAX);
    assert_in_range(count, 0, 1);
    return count ? lines[0].text : NULL;
}

static void expect(struct scene *scene, const char *text)
{
    const char *got = only_alarm(scene);
    if (!got || strcmp(got, text) != 0)
        print_error("expected: %s\n     got: %s\n", text, got ? got : "nothing");
    assert_non_null(got);
    assert_string_equal(got, text);
    summary_done(&scene->summary);
}

static void a_run_that_can_be_believed_has_no_alarm(void **state)
{
    struct scene scene;
    scene_init(&scene);
    assert_null(only_alarm(&scene));
    set_mfu(&scene, 1, 1); /* to the last FLOP: no more than there is */
    assert_null(only_alarm(&scene));
    scene.summary.mfu = scene.summary.hfu = quantity_none();
    assert_null(only_alarm(&scene));
    summary_done(&scene.summary);
}

static void an_fp8_run_on_a_bf16_peak_is_suspected(void **state)
{
    struct scene scene;
    scene_init(&scene);
    set_mfu(&scene, 1.12, 1.12);
    expect(&scene, "MFU over 100%: FP8 run on a BF16 peak? then 56.0% c; sparse/dense factor two?");
    scene_init(&scene);
    scene.summary.simulated = true; /* all numbers are then simulated */
    set_mfu(&scene, 1.12, 1.12);
    expect(&scene, "MFU over 100%: FP8 run on a BF16 peak? then 56.0% s; sparse/dense factor two?");
    scene_init(&scene);
    scene.summary.run.format = NUMBER_TF32;
    set_chip(&scene, "A100");
    set_mfu(&scene, 1.5, 1.5);
    expect(&scene,
           "MFU over 100%: BF16 run on a TF32 peak? then 75.0% c; sparse/dense factor two?");
    scene_init(&scene);
    scene.summary.run.format = NUMBER_TF32;
    set_chip(&scene, "H100");
    set_mfu(&scene, 2.5, 2.5);
    expect(&scene, "MFU over 100%: FP8 run on a TF32 peak? then 62.5% c");
}

static void a_factor_of_two_is_suspected_where_no_format_explains_it(void **state)
{
    struct scene scene;
    scene_init(&scene);
    set_chip(&scene, "A100"); /* it has no FP8 */
    set_mfu(&scene, 1.3, 1.3);
    expect(&scene, "MFU over 100%: another chip? a peak off by two, sparse/dense? then 65.0% c");
    scene_init(&scene);
    scene.summary.run.format = NUMBER_FP8; /* there is no faster one */
    set_chip(&scene, "H100");
    set_mfu(&scene, 1.3, 1.3);
    expect(&scene, "MFU over 100%: another chip? a peak off by two, sparse/dense? then 65.0% c");
}

static void a_peak_given_is_held_against_the_chips(void **state)
{
    struct scene scene;
    scene_init(&scene);
    scene.summary.run.peak_flops = 494.5e12;
    set_chip(&scene, "H100");
    set_mfu(&scene, 1.12, 1.12);
    expect(&scene,
           "MFU over 100%: sparse/dense factor two? H100's dense 989 TFLOP/s gives 56.0% c, "
           "given is 494.5");
    scene_init(&scene);
    scene.summary.run.peak_flops = 312e12; /* of an A100 */
    set_chip(&scene, "H100");
    set_mfu(&scene, 1.5, 1.5);
    expect(&scene,
           "MFU over 100%: wrong peak? H100's dense 989 TFLOP/s gives 47.3% c, given is 312");
    scene_init(&scene);
    scene.summary.run.peak_flops = 1979e12; /* possible, but half of what is true */
    set_chip(&scene, "H100");
    set_mfu(&scene, 0.2, 0.2);
    expect(&scene, "peak given 1979 TFLOP/s, twice H100's dense BF16 989: the sparse one? or "
                   "--number-format fp8");
    scene_init(&scene);
    scene.summary.run.peak_flops = 624e12;
    set_chip(&scene, "A100");
    set_mfu(&scene, 0.2, 0.2);
    expect(&scene, "peak given 624 TFLOP/s, twice A100's dense BF16 312: the sparse one?");
    scene_init(&scene);
    scene.summary.run.peak_flops = 494.5e12;
    set_chip(&scene, "H100");
    set_mfu(&scene, 0.8, 0.8);
    expect(&scene, "peak given 494.5 TFLOP/s, half of H100's dense BF16 989: of another number "
                   "format?");
    scene_init(&scene);
    scene.summary.run.peak_flops = 750e12; /* power-capped, say: somebody knows */
    set_chip(&scene, "H100");
    assert_null(only_alarm(&scene));
    summary_done(&scene.summary);
}

static void what_the_mask_hides_may_have_been_counted(void **state)
{
    struct scene scene;
    scene_init(&scene);
    scene.summary.run.params = 1e9;
    scene.summary.run.layers = 16;
    scene.summary.run.hidden = 2048;
    scene.summary.run.sequence = 8192;
    scene.summary.attention = mfu_attention(&scene.summary.run);
    set_mfu(&scene, 1.05, 1.05); /* 6e9 and 3.22e9: causal is 82.5% of it */
    expect(&scene,
           "MFU over 100%: is what the mask hides counted? --attention causal gives 86.7% c");
}

static void tokens_that_the_records_deny_come_first(void **state)
{
    struct scene scene;
    struct sentence lines[ALARM_LINES_MAX];
    scene_init(&scene);
    scene.summary.tokens_disagree = true;
    scene.summary.tokens_recorded = 2e6;
    scene.summary.tokens_per_step = 16e6;
    set_mfu(&scene, 4, 4);
    assert_int_equal(alarm_lines(&scene.model, lines, ALARM_LINES_MAX), 2);
    assert_string_equal(lines[0].text, "MFU over 100%: wrong tokens a step? the records' 2,000,000 "
                                       "give 50.0% c");
    assert_string_equal(lines[1].text, "tokens a step: the records sum to 2,000,000, the MFU uses "
                                       "the run's 16,000,000");
    scene.summary.tokens_recorded = 2; /* absurd too: no explanation */
    alarm_lines(&scene.model, lines, ALARM_LINES_MAX);
    assert_string_equal(lines[0].text, "MFU over 100%: no peak explains it: check --tokens "
                                       "16,000,000, --params 405B, --gpus 8");
    summary_done(&scene.summary);
}

static void what_no_peak_explains_is_in_the_inputs(void **state)
{
    struct scene scene;
    scene_init(&scene);
    scene.summary.gpus_assumed = true;
    scene.summary.run.active_params = 17e9;
    set_mfu(&scene, 4, 4);
    expect(&scene, "MFU over 100%: no peak explains it: check --tokens 16,000,000, --active-params "
                   "17B, --gpus 8 (assumed)");
}

static void hfu_alone_over_100_blames_the_recomputing(void **state)
{
    struct scene scene;
    scene_init(&scene);
    scene.summary.run.recompute = RECOMPUTE_FULL;
    set_mfu(&scene, 0.93, 1.24);
    expect(&scene, "HFU over 100%: is so much recomputed? --recompute full; none gives 93.0% c");
    scene_init(&scene);
    run_set_recompute_share(&scene.summary.run, 0.5);
    set_mfu(&scene, 0.93, 1.08);
    expect(&scene, "HFU over 100%: is so much recomputed? --recompute 50%; none gives 93.0% c");
}

static void a_chip_nobody_knows_is_named(void **state)
{
    static const struct {
        const char *chip;
        enum number_format format;
        const char *text;
    } rows[] = {
        {"quantum", NUMBER_BF16, "peak unknown for quantum: --peak TFLOPS"},
        {"H10", NUMBER_BF16,
         "peak unknown for H10: --peak TFLOPS, or is it H100, H100 PCIE or H100 NVL?"},
        {"A1000", NUMBER_BF16, "peak unknown for A1000: --peak TFLOPS, or is it A100 or A10?"},
        {"A100", NUMBER_FP8, "peak unknown for A100 in FP8: --peak TFLOPS"},
        {"MI250X", NUMBER_TF32, "peak unknown for MI250X in TF32: --peak TFLOPS"},
        {"\x1b[31mX", NUMBER_BF16, "peak unknown for \xef\xbf\xbd[31mX: --peak TFLOPS"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct scene scene;
        struct sentence needs;
        scene_init(&scene);
        scene.summary.run.format = rows[i].format;
        set_chip(&scene, rows[i].chip);
        scene.summary.mfu = scene.summary.hfu = quantity_none();
        assert_true(alarm_mfu_needs(&scene.model, &needs));
        assert_non_null(strstr(needs.text, "; needs --peak"));
        expect(&scene, rows[i].text);
    }
    struct scene scene;
    scene_init(&scene);
    set_chip(&scene, ""); /* nobody said: no alarm, the MFU says what it needs */
    assert_null(only_alarm(&scene));
    summary_done(&scene.summary);
}

static void sizes_that_do_not_fit_the_ranks_are_named(void **state)
{
    struct scene scene;
    scene_init(&scene);
    scene.summary.sizes_disagree = true;
    scene.summary.run.tp = 2;
    scene.summary.run.pp = 4;
    scene.summary.run.dp = 3;
    expect(&scene, "--tp 2 x --pp 4 x --dp 3 is 24, not the 8 ranks: the stages may be wrong");
    scene_init(&scene);
    scene.summary.sizes_disagree = true;
    scene.summary.run.pp = 4;
    scene.summary.run.gpus = 16;
    expect(&scene, "--pp 4 is 4, not the 8 ranks or 16 GPUs: the stages may be wrong");
    scene_init(&scene);
    scene.summary.sizes_disagree = true; /* before the first record */
    scene.summary.run.pp = 4;
    scene.summary.rank_count = 0;
    assert_null(only_alarm(&scene));
    summary_done(&scene.summary);
}

static void keys_of_a_map_that_are_nowhere_are_named(void **state)
{
    struct scene scene;
    scene_init(&scene);
    str_copy(scene.summary.unmapped, COMPLAINT_BYTES,
             str_from("keys of the map without a value in its 2 records: 'fwx', 'bwx'"));
    expect(&scene, "keys of the map without a value in its 2 records: 'fwx', 'bwx'");
}

static void a_recording_that_fails_says_why_and_what_waits(void **state)
{
    static const struct recording_info rows[] = {
        {true, "r.jsonl.zst", 5000, 0, 0, 0.5, NULL, false},
        {true, "r.jsonl", 5000, 12345, 0, 3, "No space left on device", true},
        {true, "r.jsonl", 5000, 1, 1200, 3, "No space left on device", true},
        {true, "r\x1b[2J", 0, 7, 0, 3, "I/O error", false},
        {true, "r.jsonl", 0, 70, 0, 9, NULL, false},
        {true, "r.jsonl", 0, 0, 1200, 0, NULL, false},
    };
    static const char *const expected[] = {
        NULL,
        "recording stopped: no space left on device; 12,345 records wait, 0 lost; r.jsonl goes "
        "on when there is room",
        "recording stopped: no space left on device; 1 record waits, 1,200 lost; r.jsonl goes on "
        "when there is room",
        NULL, /* of its name nothing reaches the terminal as it is */
        "recording stopped: the disk does not answer; 70 records wait, 0 lost; r.jsonl is tried "
        "each second",
        "recording to r.jsonl: 1,200 records were lost while it could not be written",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene scene;
        scene_init(&scene);
        scene.model.feed.recording = rows[i];
        if (expected[i]) {
            expect(&scene, expected[i]);
            continue;
        }
        const char *got = only_alarm(&scene);
        assert_true(i == 0 ? !got : strstr(got, "stopped: I/O error; 7 records") != NULL);
        assert_true(!got || !strchr(got, 0x1b));
        summary_done(&scene.summary);
    }
}

/* ---- silence ---- */

/* One value in 10 steps of 4.51 s. */
static void job_init(struct scene *scene)
{
    fixture_job(&scene->summary);
    scene->summary.source = (struct source_counts){.records = 1237};
    model_init(&scene->model, MODE_LIVE);
    scene->model.summary = &scene->summary;
}

static void expect_pulse(const struct scene *scene, int wording, const char *text)
{
    struct sentence line;
    sentence_clear(&line, STYLE_NORMAL);
    assert_true(job_pulse_add(&line, &scene->model, wording));
    assert_string_equal(line.text, text);
}

static void a_log_says_how_long_ago_its_newest_value_came(void **state)
{
    struct scene scene;
    job_init(&scene);
    scene.summary.silent_s = 0.9;
    expect_pulse(&scene, 0, "last value just now, usually one every 45.1 s c");
    scene.summary.silent_s = 27;
    expect_pulse(&scene, 0, "last value over 20 s ago, usually one every 45.1 s c");
    expect_pulse(&scene, 1, "last over 20 s ago, usual: 45.1 s c");
    expect_pulse(&scene, 2, "last over 20 s ago");
    scene.summary.simulated = true;
    expect_pulse(&scene, 1, "last over 20 s ago, usual: 45.1 s s");
    scene.summary.points[3].step = 900000; /* a restart far back, and a gap */
    scene.summary.points[7].step = 1;
    expect_pulse(&scene, 1, "last over 20 s ago, usual: 45.1 s s");
    scene.summary.point_count = 1; /* all that is known is what the value covers */
    expect_pulse(&scene, 1, "last over 20 s ago, usual: 45.1 s s");
    scene.summary.shown.span = 1;
    expect_pulse(&scene, 1, "last over 20 s ago, usual: 4.51 s s");
    scene.summary.step_time_median_s = quantity_none();
    expect_pulse(&scene, 0, "last value over 20 s ago");
    summary_done(&scene.summary);
}

static void a_job_hangs_after_three_times_what_is_usual(void **state)
{
    struct scene scene;
    job_init(&scene);
    scene.summary.silent_s = 135; /* 3 x 45.1 is 135.3 */
    assert_null(only_alarm(&scene));
    scene.summary.silent_s = 136;
    scene.model.paused = true; /* looking back, too */
    expect(&scene, "last value over 2 min ago: a hang? Usually one comes every 45.1 s c");
    job_init(&scene);
    scene.summary.silent_s = 1e9;
    scene.model.feed.reading = true; /* the newest is not known yet */
    assert_null(only_alarm(&scene));
    scene.model.feed.reading = false;
    scene.model.mode = MODE_ENDED; /* nobody is waited for */
    assert_null(only_alarm(&scene));
    scene.model.mode = MODE_REPLAY;
    assert_null(only_alarm(&scene));
    struct sentence line;
    sentence_clear(&line, STYLE_NORMAL);
    assert_false(job_pulse_add(&line, &scene.model, 0));
    summary_done(&scene.summary);
}

static void a_run_that_is_done_does_not_hang(void **state)
{
    struct scene scene;
    job_init(&scene);
    scene.summary.silent_s = 7300;
    scene.summary.planned_step = 12351;
    assert_non_null(only_alarm(&scene));
    scene.summary.planned_step = 12350;
    assert_null(only_alarm(&scene));
    expect_pulse(&scene, 0, "last value over 2 h ago: that of the run's last step");
    expect_pulse(&scene, 2, "last over 2 h ago, all done");
    summary_done(&scene.summary);
}

static void ranks_that_log_every_tenth_step_are_not_missed_at_once(void **state)
{
    struct scene scene;
    scene_init(&scene);
    scene.summary.silent_s = 14;
    expect(&scene, "no record for over 10 s: a hang? A step takes 4.51 s c");
    scene_init(&scene);
    for (size_t i = 0; i < scene.summary.point_count; i++)
        scene.summary.points[i].step = 10 * (int64_t)i;
    scene.summary.silent_s = 135;
    assert_null(only_alarm(&scene));
    scene.summary.silent_s = 136;
    expect(&scene, "no record for over 2 min: a hang? Usually one comes every 45.1 s c");
}

static void behind_a_trace_nothing_is_awaited(void **state)
{
    struct scene scene;
    scene_init(&scene);
    scene.summary.silent_s = 3600;
    scene.summary.documents = true;
    assert_null(only_alarm(&scene));
    summary_done(&scene.summary);
}

static void few_records_among_many_lines_are_doubted(void **state)
{
    static const struct {
        uint64_t records, other;
        bool doubtful;
    } rows[] = {{1, 99, false}, {1, 100, true},   {3, 412, true},   {4, 99, false},
                {4, 100, true}, {5, 1000, false}, {0, 1000, false}, {400, 100000, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene scene;
        scene_init(&scene);
        scene.summary.source =
            (struct source_counts){.records = rows[i].records, .other = rows[i].other};
        assert_null(only_alarm(&scene)); /* it may only have begun */
        scene.model.mode = MODE_ENDED;
        const char *alarm = only_alarm(&scene);
        if (rows[i].doubtful != (alarm && strncmp(alarm, "doubtful: ", 10) == 0))
            print_error("row %zu: %s\n", i, alarm ? alarm : "nothing");
        assert_int_equal(rows[i].doubtful, alarm && strncmp(alarm, "doubtful: ", 10) == 0);
        summary_done(&scene.summary);
    }
    struct scene scene;
    scene_init(&scene);
    scene.model.mode = MODE_ENDED;
    scene.summary.source = (struct source_counts){.records = 3, .other = 412};
    expect(&scene,
           "doubtful: 3 records among 412 other lines: examples in a text? lockstep explain "
           "shows them");
}

static void few_records_at_the_first_step_of_a_replay_are_not_all(void **state)
{
    struct scene scene;
    scene_init(&scene);
    scene.model.mode = MODE_REPLAY;
    scene.model.playback.on = true;
    scene.summary.source = (struct source_counts){.records = 2, .all = 3, .other = 412};
    assert_null(only_alarm(&scene)); /* what comes is not known before all is read */
    summary_done(&scene.summary);
    scene_init(&scene);
    scene.model.mode = MODE_REPLAY;
    scene.model.playback = (struct playback){.on = true, .indexed = true};
    scene.summary.source = (struct source_counts){.records = 2, .all = 500, .other = 1597};
    assert_null(only_alarm(&scene));
    summary_done(&scene.summary);
    scene_init(&scene);
    scene.model.mode = MODE_REPLAY;
    scene.model.playback = (struct playback){.on = true, .indexed = true};
    scene.summary.source = (struct source_counts){.records = 1, .all = 3, .other = 412};
    expect(&scene,
           "doubtful: 3 records among 412 other lines: examples in a text? lockstep explain "
           "shows them");
}

static void what_another_format_gives_too_is_counted(void **state)
{
    struct scene scene;
    job_init(&scene);
    scene.summary.source.beside = 1204;
    expect(&scene, "1,204 left out beside another format");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_can_be_believed_has_no_alarm),
        cmocka_unit_test(an_fp8_run_on_a_bf16_peak_is_suspected),
        cmocka_unit_test(a_factor_of_two_is_suspected_where_no_format_explains_it),
        cmocka_unit_test(a_peak_given_is_held_against_the_chips),
        cmocka_unit_test(what_the_mask_hides_may_have_been_counted),
        cmocka_unit_test(tokens_that_the_records_deny_come_first),
        cmocka_unit_test(what_no_peak_explains_is_in_the_inputs),
        cmocka_unit_test(hfu_alone_over_100_blames_the_recomputing),
        cmocka_unit_test(a_chip_nobody_knows_is_named),
        cmocka_unit_test(sizes_that_do_not_fit_the_ranks_are_named),
        cmocka_unit_test(a_log_says_how_long_ago_its_newest_value_came),
        cmocka_unit_test(a_job_hangs_after_three_times_what_is_usual),
        cmocka_unit_test(a_run_that_is_done_does_not_hang),
        cmocka_unit_test(ranks_that_log_every_tenth_step_are_not_missed_at_once),
        cmocka_unit_test(behind_a_trace_nothing_is_awaited),
        cmocka_unit_test(few_records_among_many_lines_are_doubted),
        cmocka_unit_test(few_records_at_the_first_step_of_a_replay_are_not_all),
        cmocka_unit_test(what_another_format_gives_too_is_counted),
        cmocka_unit_test(keys_of_a_map_that_are_nowhere_are_named),
        cmocka_unit_test(a_recording_that_fails_says_why_and_what_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
