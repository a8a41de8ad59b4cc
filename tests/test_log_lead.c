/* Logs that hold the same steps in two formats: one gives them, the other is left out and counted;
 * no step is there twice, none is a restart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "formats_read.h"
#include "stream.h"
#include "summary.h"

#define STEPS 40
#define LOG_BYTES (1 << 18)

struct log {
    char bytes[LOG_BYTES];
    size_t size;
};

#define ADD(log, ...)                                                                              \
    ((log)->size +=                                                                                \
     (size_t)snprintf((log)->bytes + (log)->size, LOG_BYTES - (log)->size, __VA_ARGS__))

static void megatron(struct log *log, int step)
{
    ADD(log,
        " iteration %8d/    1000 | consumed samples: %d | elapsed time per iteration (ms): "
        "10%02d.5 "
        "| learning rate: 9.718E-06 | global batch size:    64 | lm loss: 7.761578E+00 | loss "
        "scale: "
        "1.0 | grad norm: 4.834 | number of skipped iterations:   0 | number of nan iterations:   "
        "0 "
        "|\n",
        step, step * 64, step);
}

static void pipeline_engine(struct log *log, int step)
{
    ADD(log, "steps: %d loss: 7.7616 iter time (s): 1.%03d samples/sec: 64.0\n", step, step);
}

static void wall_clock(struct log *log, int step)
{
    ADD(log,
        "[Rank 0] time (ms) | fwd_microstep: 3%02d.00 | bwd_microstep: 700.00 | "
        "bwd_inner_microstep: 600.00 | bwd_allreduce_microstep: 100.00 | step_microstep: 50.00\n"
        "[Rank 0] time (ms) | fwd: 0.00 | bwd: 0.00 | bwd_inner: 0.00 | bwd_allreduce: 0.00 | "
        "step: "
        "0.00\n",
        step);
}

static void nemo(struct log *log, int step)
{
    ADD(log,
        "Training epoch 0, iteration %d/999 | lr: 4.8e-06 | global_batch_size: 64 | global_step: "
        "%d "
        "| reduced_train_loss: 1.436 | train_step_timing in s: 1.3%02d | consumed_samples: %d\n",
        step, step, step, 64 * step);
}

static void maxtext(struct log *log, int step)
{
    ADD(log,
        "completed step: %d, seconds: 1.4%02d, TFLOP/s/device: 100.000, Tokens/s/device: "
        "16384.000, "
        "total_weights: 65536, loss: 12.000\n",
        step, step);
}

static void metriclogger(struct log *log, int step)
{
    ADD(log,
        "Epoch: [0]  [%4d/1000]  eta: 0:01:30  lr: 0.0200  loss: 0.5012 (0.6034)  time: 1.60%02d  "
        "data: 0.0002  max mem: 13772\n",
        step, step);
}

static void mllog(struct log *log, int step)
{
    ADD(log,
        ":::MLLOG {\"namespace\": \"\", \"time_ms\": %lld, \"event_type\": \"POINT_IN_TIME\", "
        "\"key\": "
        "\"tracked_stats\", \"value\": {\"train_step_time\": 1.7%02d}, \"metadata\": {\"file\": "
        "\"train.py\", \"lineno\": 1, \"step\": %d.0, \"samples_count\": %d.0}}\n",
        1790000000000LL + 1700LL * step, step, step, 64 * step);
}

static void llmc(struct log *log, int step)
{
    ADD(log,
        "step %4d/1000 | loss 11.010252 (+nanz)| norm 15.1374 (+nanz)| lr 8.57e-07 | 18%02d.47 ms "
        "| "
        "29.2%% bf16 MFU | 113446 tok/s\n",
        step, step);
}

static void nanogpt(struct log *log, int step)
{
    ADD(log, "iter %d: loss 10.9886, time 20%02d.90ms, mfu 30.00%%\n", step, step);
}

static void bar(struct log *log, int step)
{
    ADD(log, "\r %3d%%|#    | %d/1000 [%02d:%02d<30:00,  2.40s/it]\n", step / 10, step, step / 60,
        step % 60);
}

static void (*const formats[])(struct log *, int) = {
    megatron, pipeline_engine, wall_clock, nemo, maxtext, metriclogger, mllog, llmc, nanogpt, bar,
};
#define FORMATS (sizeof(formats) / sizeof(formats[0]))

/* ---- what came of it ---- */

struct result {
    int records;
    int64_t covered; /* steps */
    int64_t again;   /* records whose steps were there before */
    int64_t left_out;
    char *text;
};

static struct result result_of(const struct log *log)
{
    struct text text = {0};
    struct result result = {0};
    formats_read(&text, "train.log", NULL, log->bytes, log->size, (struct pieces){0});
    int64_t last = -1;
    for (char *line = text.bytes, *next; line && *line; line = next) {
        long long step, span = 1, count;
        const char *at = strstr(line, "step ");
        next = strchr(line, '\n');
        next = next ? next + 1 : NULL;
        if (sscanf(line, "#   %lld x left out: something else", &count) == 1)
            result.left_out += count;
        if (line[0] == '#' || !at || sscanf(at, "step %lld span=%lld", &step, &span) < 1)
            continue;
        result.records++;
        result.covered += span;
        result.again += step - span + 1 <= last;
        last = step;
    }
    result.text = text.bytes;
    return result;
}

static void expect(const char *what, int64_t expected, int64_t is, const struct result *result)
{
    if (expected == is)
        return;
    print_error("%s: %lld, not %lld; from\n%s\n", what, (long long)is, (long long)expected,
                strstr(result->text, "\n# ") ? strstr(result->text, "\n# ") : result->text);
    fail();
}

/* ---- tests ---- */

static bool of_deepspeed(size_t format)
{
    return formats[format] == pipeline_engine || formats[format] == wall_clock;
}

static void two_formats_of_the_same_steps_are_one_log(void **state)
{
    static struct log log;
    for (size_t a = 0; a < FORMATS; a++)
        for (size_t b = 0; b < FORMATS; b++) {
            log.size = 0;
            for (int step = 1; step <= STEPS && a != b; step++) {
                formats[a](&log, step);
                formats[b](&log, step);
            }
            if (a == b)
                continue;
            struct result result = result_of(&log);
            bool bars = formats[a] == bar || formats[b] == bar; /* four values, of ten steps each */
            /* DeepSpeed's two lines are parts of one record; beside Megatron's own they are values
             * of its steps. */
            bool parts = of_deepspeed(a) && of_deepspeed(b);
            bool values = (of_deepspeed(a) && formats[b] == megatron) ||
                          (of_deepspeed(b) && formats[a] == megatron);
            expect("steps that are there again", 0, result.again, &result);
            expect("steps", STEPS, result.covered, &result);
            expect("records", STEPS, result.records, &result);
            if (!parts && !values)
                expect("left out", bars ? 4 : STEPS, result.left_out, &result);
            free(result.text);
        }
}

/* Where a display is set anew, or steps are counted by intervals: nothing else gives these steps.
 */
static void values_of_more_steps_than_their_number_count(void **state)
{
    static struct log log;
    log.size = 0;
    for (int line = 0; line < 3; line++)
        ADD(&log,
            "[HCTR][19:4%d:06.108][INFO][RK0][main]: Iter: %d Time(100 iters): 60.0s Loss: 0.1 "
            "lr:0.004\n",
            line, 50 + 100 * line);
    struct result result = result_of(&log);
    expect("records", 3, result.records, &result);
    expect("left out", 0, result.left_out, &result);
    free(result.text);
}

/* A trainer's output is kept in a buffer of some lines, the bar is drawn at once. */
static void lines_that_come_late_do_not_count_again(void **state)
{
    static struct log log;
    log.size = 0;
    for (int block = 0; block < 4; block++) {
        for (int step = block * 20 + 1; step <= block * 20 + 20; step++)
            maxtext(&log, step);
        for (int step = block * 20 + 1; step <= block * 20 + 20; step++)
            megatron(&log, step);
    }
    struct result result = result_of(&log);
    expect("steps that are there again", 0, result.again, &result);
    expect("steps", 80, result.covered, &result);
    expect("left out", 80, result.left_out, &result);
    free(result.text);
}

static void a_restart_beside_another_format_is_one(void **state)
{
    static struct log log;
    log.size = 0;
    for (int step = 1; step <= 30; step++) {
        megatron(&log, step);
        mllog(&log, step);
    }
    for (int step = 21; step <= 40; step++) {
        megatron(&log, step);
        mllog(&log, step);
    }
    struct result result = result_of(&log);
    expect("restarts", 1, result.again, &result);
    expect("records", 50, result.records, &result);
    free(result.text);
}

/* Another run was appended to the file, by another trainer: it is not left out for ever. */
static void a_run_of_another_format_may_follow(void **state)
{
    static struct log log;
    log.size = 0;
    for (int step = 1; step <= 20; step++)
        megatron(&log, step);
    for (int step = 1; step <= 200; step++)
        nanogpt(&log, step);
    struct result result = result_of(&log);
    expect("left out", 0, result.left_out, &result);
    expect("records", 20 + 200, result.records, &result);
    expect("restarts", 1, result.again, &result);
    free(result.text);
}

/* ... nor a short one, at the end of the log. */
static void a_short_run_of_another_format_may_follow(void **state)
{
    static struct log log;
    log.size = 0;
    for (int step = 1; step <= 20; step++)
        megatron(&log, step);
    for (int step = 1; step <= 30; step++)
        maxtext(&log, step);
    struct result result = result_of(&log);
    expect("left out", 0, result.left_out, &result);
    expect("records", 20 + 30, result.records, &result);
    expect("restarts", 1, result.again, &result);
    free(result.text);
}

/* Its last lines are lost, or not there yet: a bar that was there all the time goes on. */
static void a_leader_may_be_the_first_to_end(void **state)
{
    static struct log log;
    log.size = 0;
    for (int step = 1; step <= 60; step++) {
        if (step <= 20)
            megatron(&log, step);
        maxtext(&log, step);
    }
    struct result result = result_of(&log);
    expect("left out", 60, result.left_out, &result);
    expect("records", 20, result.records, &result);
    free(result.text);
}

static void our_own_records_may_end(void **state)
{
    static struct log log;
    log.size = 0;
    ADD(&log, "{\"rank\":0,\"step\":1,\"forward\":0.5}\n");
    for (int step = 2; step <= STEPS; step++)
        megatron(&log, step);
    struct result result = result_of(&log);
    expect("left out", 2, result.left_out, &result);
    expect("records", STEPS - 2, result.records, &result);
    free(result.text);
}

static void our_own_records_stand_before_all(void **state)
{
    static struct log log;
    log.size = 0;
    for (int step = 1; step <= STEPS; step++) {
        ADD(&log,
            "{\"rank\":0,\"step\":%d,\"forward\":0.5}\n{\"rank\":1,\"step\":%d,\"forward\":0.6}\n",
            step, step);
        megatron(&log, step);
    }
    struct result result = result_of(&log);
    expect("records", 2 * STEPS, result.records, &result);
    expect("left out", STEPS, result.left_out, &result);
    free(result.text);
}

/* A screen that waits says why: it is not that the log is not understood. */
static void what_is_held_back_is_said(void **state)
{
    static struct log log;
    static struct summary summary;
    struct formats *known = formats_new();
    struct log_book book = {0};
    struct stream_totals totals = {.formats = known, .book = &book};
    struct stream *stream = stream_new("train.log", &totals);
    struct record record;
    for (int step = 1; step <= 17; step++) {
        size_t room;
        log.size = 0;
        pipeline_engine(&log, step);
        memcpy(stream_space(stream, log.size, &room), log.bytes, log.size);
        stream_filled(stream, log.size);
        bool any = stream_next(stream, &record);
        assert_int_equal(any, step == 17);
        log_book_summary(&book, &summary);
        if (step == 3)
            assert_non_null(strstr(summary.not_shown, "DeepSpeed, 3 steps so far, held back"));
    }
    assert_int_equal(record.step, 1);
    assert_string_equal(summary.not_shown, "");
    assert_int_equal(book.facts[0].records_held, 0);
    stream_free(stream);
    log_book_done(&book);
    formats_free(known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_formats_of_the_same_steps_are_one_log),
        cmocka_unit_test(values_of_more_steps_than_their_number_count),
        cmocka_unit_test(lines_that_come_late_do_not_count_again),
        cmocka_unit_test(a_restart_beside_another_format_is_one),
        cmocka_unit_test(a_run_of_another_format_may_follow),
        cmocka_unit_test(a_short_run_of_another_format_may_follow),
        cmocka_unit_test(a_leader_may_be_the_first_to_end),
        cmocka_unit_test(our_own_records_stand_before_all),
        cmocka_unit_test(our_own_records_may_end),
        cmocka_unit_test(what_is_held_back_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
