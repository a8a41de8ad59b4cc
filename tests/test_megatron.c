/* Logs of Megatron that are cut anywhere: what comes of a piece is what comes of the whole,
 * or nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats_read.h"

static const char *const lines[] = {
    " iteration      101/     500 | consumed samples:         1616 | consumed tokens:      3309568 "
    "| elapsed time per iteration (ms): 66699.5 | learning rate: 9.718E-06 | global batch size:    "
    "16 | lm loss: 7.761578E+00 | loss scale: 1.0 | grad norm: 4.834 | actual seqlen:  2048 | "
    "samples per second: 0.240 | TFLOPs: 1.81 |",
    " [2026-02-06 20:55:02.918469] iteration      292/95367431 | consumed samples:         9344 | "
    "elapsed time per iteration (ms): 3075.7/3080.1 | throughput per GPU (TFLOP/s/GPU): "
    "478.0/479.1 | global batch size:    32 | lm loss: 2.4E-02 | grad norm: 1.797 |",
    "[2024-09-16 22:59:19.287338][INFO][training_log:661] -  iteration=      12/  635782 | "
    "consumed_samples=         768 | elapsed_time_per_iteration_ms=29570.0 | "
    "learning_rate=9.4372e-09 | global_batch_size=768 | lm loss=11.167250 | actual_seqlen= 4096 | "
    "[LM]TFLOPs=20.30 | [DS]TFLOPs=26.18 |",
    " samples/sec: 5.483 | iteration       10/  320000 | elapsed time per iteration (ms): 5706.4 | "
    "learning rate: 3.750E-06 | approx flops per GPU: 45.0TFLOPS | lm_loss: 1.063E+01 |",
    "Step Time : 9.09s GPU utilization: 663.5MODEL_TFLOP/s/GPU",
    "x iteration 12/20 | elapsed time per iteration (s): 105.22 | TFLOPs: 149.02 | iteration 13/20 "
    "| elapsed time per iteration (s): 105.22 | TFLOPs: 149.02 |",
};

/* The records only. */
static char *records_of(const char *bytes, size_t size)
{
    struct text text = {0};
    formats_read(&text, "log", "megatron", bytes, size, (struct pieces){0});
    char *notes = strchr(text.bytes, '#');
    if (notes)
        *notes = '\0';
    return text.bytes;
}

static bool contains(const char *whole, const char *word, size_t length)
{
    for (const char *at = whole; (at = strstr(at, word)); at++)
        if ((at == whole || at[-1] == ' ' || at[-1] == '\n') &&
            (at[length] == ' ' || at[length] == '\n'))
            return true;
    return false;
}

/* Every word of every record of the piece stands in the record that begins alike. */
static void expect_within(const char *piece, const char *whole, size_t cut)
{
    char record[1024], word[256];
    for (const char *line = piece; *line; line = strchr(line, '\n') + 1) {
        int rank = -1;
        char head[64];
        long long step;
        if (sscanf(line, "rank %d step %lld", &rank, &step) == 2)
            snprintf(head, sizeof(head), "rank %d step %lld ", rank, step);
        else if (sscanf(line, "job step %lld", &step) == 1)
            snprintf(head, sizeof(head), "job step %lld ", step);
        else
            fail_msg("cut at %zu: %s", cut, line);
        const char *expected = strstr(whole, head);
        if (!expected)
            fail_msg("cut at %zu: %s", cut, line);
        size_t length = strcspn(expected, "\n") + 1;
        assert_true(length < sizeof(record));
        memcpy(record, expected, length);
        record[length] = '\0';
        for (const char *p = line; *p != '\n'; p += strspn(p, " ")) {
            size_t size = strcspn(p, " \n");
            assert_true(size < sizeof(word));
            memcpy(word, p, size);
            word[size] = '\0';
            if (!contains(record, word, size))
                fail_msg("cut at %zu: %s is not in %s", cut, word, record);
            p += size;
        }
    }
}

static void expect_every_prefix(const char *text)
{
    size_t size = strlen(text);
    char *whole = records_of(text, size);
    assert_true(strstr(whole, "step_time=") != NULL);
    for (size_t cut = 0; cut < size; cut++) {
        char *piece = records_of(text, cut);
        expect_within(piece, whole, cut);
        free(piece);
    }
    free(whole);
}

static void a_cut_line_gives_its_record_or_none(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        expect_every_prefix(lines[i]);
}

static const char iteration[] =
    " iteration        7/      20 | consumed samples:          112 | "
    "elapsed time per iteration (ms): 1700.5 | global batch size:    16 "
    "|\n";

static void a_cut_line_of_timers_gives_its_phases_or_none(void **state)
{
    char text[1024];
    (void)state;
    snprintf(text, sizeof(text),
             "%stime (ms) | forward-compute: 144.18 | backward-compute: 396.87 | "
             "backward-params-all-reduce: 19.27 | backward-embedding-all-reduce: 726.25 | "
             "optimizer: 86.72 | batch-generator: 2.59\n",
             iteration);
    /* The batch is fetched within the forward step: its own time is what is left. */
    char *whole = records_of(text, strlen(text));
    assert_non_null(strstr(whole, "data=0.002590000 forward=0.141590000 backward=0.396870000 "
                                  "sync=0.745520000 optimizer=0.086720000"));
    free(whole);
    char *cut =
        records_of(text, strlen(text) - strlen("optimizer: 86.72 | batch-generator: 2.59\n"));
    assert_null(strstr(cut, "sync="));
    free(cut);
}

/* Else forward-backward holds the waits for other stages. */
#define ONE_STAGE "  pipeline_model_parallel_size .................... 1\n"

static void a_cut_block_gives_each_rank_its_times_or_none(void **state)
{
    char text[2048];
    (void)state;
    snprintf(text, sizeof(text),
             ONE_STAGE "%stimes across ranks (ms):\n"
                       "  forward-backward:\n     rank  0: 1657.00\n     rank  1: 1659.25\n"
                       "  layernorm-grads-all-reduce:\n     rank  0: 0.25\n     rank  1: 0.25\n"
                       "  all-grads-sync:\n     rank  0: 450.00\n     rank  1: 90.00\n"
                       "  optimizer:\n     rank  0: 30.00\n     rank  1: 30.50\n",
             iteration);
    char *whole = records_of(text, strlen(text));
    assert_non_null(strstr(whole, "rank 0 step 7 sync=0.450250000 optimizer=0.030000000 "
                                  "compute=1.206750000 step_time=1.700500000\n"));
    assert_non_null(strstr(whole, "rank 1 step 7 sync=0.090250000 optimizer=0.030500000 "
                                  "compute=1.569000000 step_time=1.700500000\n"));
    size_t header = strlen(ONE_STAGE) + strlen(iteration) +
                    strlen("times across ranks (ms):\n  forward-backward:\n"
                           "     rank  0: 1657.00\n");
    for (size_t cut = header; cut < strlen(text); cut++) {
        char *piece = records_of(text, cut);
        expect_within(piece, whole, cut);
        free(piece);
    }
    free(whole);
}

#define ITERATION(number)                                                                          \
    " iteration        " number "/      20 | consumed samples:          112 | "                    \
    "elapsed time per iteration (ms): 1700.5 | global batch size:    16 |\n"

/* Rows that begin like the head of the block before, in a block whose head does not: they are
 * none of this block's, though such rows were learned. */
static void rows_with_another_blocks_prefix_are_no_ranks_times(void **state)
{
    static const char *const first = "rank 3: times across ranks (ms):\n"
                                     "rank 3:   forward-backward:\n"
                                     "rank 3:      rank  0: 100.50\n"
                                     "rank 3:      rank  1: 100.50\n"
                                     "rank 3:      rank  2: 100.50\n";
    static const char *const second = "times across ranks (ms):\n"
                                      "  forward-backward:\n"
                                      "rank 3:      rank  0: 200.50\n"
                                      "     rank  0: 300.50\n"
                                      "     rank  1: 300.50\n"
                                      "     rank  2: 300.50\n";
    char log[2048];
    snprintf(log, sizeof(log), ONE_STAGE "%s%s%s%s%s", ITERATION("1"), first, ITERATION("2"),
             second, ITERATION("3"));
    (void)state;
    char *records = records_of(log, strlen(log));
    for (int rank = 0; rank < 3; rank++) {
        char expected[80];
        snprintf(expected, sizeof(expected), "rank %d step 1 span=1 compute=0.100500000 ", rank);
        assert_non_null(strstr(records, expected));
        snprintf(expected, sizeof(expected), "rank %d step 2 span=1 compute=0.300500000 ", rank);
        assert_non_null(strstr(records, expected));
    }
    free(records);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cut_line_gives_its_record_or_none),
        cmocka_unit_test(a_cut_line_of_timers_gives_its_phases_or_none),
        cmocka_unit_test(a_cut_block_gives_each_rank_its_times_or_none),
        cmocka_unit_test(rows_with_another_blocks_prefix_are_no_ranks_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
