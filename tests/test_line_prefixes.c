/* A line that was cut anywhere, by the end of the input or by a newline, gives the record of
 * the whole line or none: never a wrong number. */
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

struct cut_case {
    const char *format, *before, *line;
    const char *expected; /* how the record begins */
};

static const struct cut_case cases[] = {
    {"torchtitan",
     "Building device mesh with parallelism: pp=1, dp_replicate=1, dp_shard=4, cp=1, tp=1, ep=1\n"
     "Trainer is initialized with local batch size 1, global batch size 4, sequence length 2048, "
     "total steps 9\n",
     "step: 10  loss:  7.41  memory: 60.57GiB(75.71%)  tps: 2,048  tflops: 807.32  mfu: 35.88%",
     "job step 10 step_time=1.000000000 tokens=8192"},
    {"llmc", "",
     "step   12/19560 | loss 11.0 (+nanz)| norm 15.1 (+nanz)| lr 8.57e-07 | 4621.47 ms | 29.2% "
     "bf16 MFU | 113446 tok/s",
     "job step 12 step_time=4.621470000 mfu=0.292000000"},
    {"llmc", "", "step 123: train loss 5.356189 (took 1389.250000 ms)",
     "job step 123 step_time=1.389250000"},
    {"nanogpt", "iter 0: loss 9.9, time 31.00ms, mfu -100.00%\n",
     "iter 120: loss 9.5000, time 725.90ms, mfu 41.20%",
     "job step 120 step_time=0.725900000 mfu=0.412000000"},
    {"nanochat", "",
     "step 00123/21400 (0.01%) | loss: 11.02 | lrm: 1.00 | dt: 1000.00ms | tok/sec: 524,288 | "
     "bf16_mfu: 74.13 | epoch: 1 | total time: 0.02m",
     "job step 123 step_time=1.000000000 tokens=524288 mfu=0.741300000"},
    {"modded-nanogpt", "step:11/1670 train_time:1000ms step_avg:90.91ms\n",
     "step:12/1670 train_time:1092ms step_avg:91.00ms", "job step 12 step_time=0.092000000"},
    {"maxtext", "",
     "completed step: 15, seconds: 5.668, TFLOP/s/device: 134.914, Tokens/s/device: 8672.153, "
     "total_weights: 196608, loss: 10.688",
     "job step 15 step_time=5.668000000 tokens=196608 flops=134914000000000"},
    {"nemo",
     "Training epoch 0, iteration 9/99 | lr: 5e-06 | global_step: 9 | train_step_timing in s: "
     "2.262 | TFLOPS_PER_GPU: 412.5 | consumed_samples: 160\n",
     "Training epoch 0, iteration 10/99 | lr: 5e-06 | global_step: 10 | train_step_timing in s: "
     "2.271 | TFLOPS_PER_GPU: 410.5 | consumed_samples: 176",
     "job step 10 step_time=2.271000000 flops=410500000000000"},
    {"internlm",
     "2023-07-07 12:28:57,802\tINFO train.py:323 in main -- tflops=63.27,step=0,loss=11.63,tgs "
     "(tokens/gpu/second)=1424.64,num_consumed_tokens=131072,fwd_bwd_time=6.48\n",
     "2023-07-07 12:29:01,636\tINFO train.py:323 in main -- tflops=189.83,step=1,loss=11.61,tgs "
     "(tokens/gpu/second)=4274.45,num_consumed_tokens=262144,fwd_bwd_time=3.67",
     "job step 1 t=1688732937.802000000 step_time=3.834000000 tokens=131072"},
    {"gkrls", "",
     "[Epoch 000][Step 0020/316] global_step=20 train_loss=9.1 step_time=9.970s "
     "step_time_min=9.101 step_time_max=18.500 micro_time=2.480s tp=6573 tok/s",
     "rank 3 step 20 step_time=9.970000000"},
    {"mpi-profile", "Data for MPI rank 3 of 8:\ntotal communication time = 1.250 seconds.\n",
     "total elapsed time       = 187.298 seconds.", "rank 3 step 0 sync=1.250000000"},
};

/* The records of the bytes that come after `skip` others. */
static void read_text(struct text *text, const struct cut_case *each, size_t size, bool newline)
{
    char bytes[1024];
    int length = snprintf(bytes, sizeof(bytes), "%s%.*s%s", each->before, (int)size, each->line,
                          newline ? "\n" : "");
    assert_true(length >= 0 && (size_t)length < sizeof(bytes));
    formats_read(text, "rank3.log", each->format, bytes, (size_t)length, (struct pieces){0});
}

static size_t records_of(const char *text, const char **ret_last)
{
    size_t count = 0;
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
        if (*line == '#')
            break;
        count++;
        *ret_last = line;
    }
    return count;
}

static size_t records_before(const struct cut_case *each)
{
    struct text text = {0};
    const char *last;
    read_text(&text, each, 0, false);
    size_t count = records_of(text.bytes, &last);
    free(text.bytes);
    return count;
}

/* Whether the piece of the line gives the record; any other record fails. */
static bool gives_record(const struct cut_case *each, size_t size, bool newline, size_t before)
{
    struct text text = {0};
    const char *last = "";
    read_text(&text, each, size, newline);
    size_t count = records_of(text.bytes, &last);
    if (count > before && strncmp(last, each->expected, strlen(each->expected)) != 0) {
        print_error("%s, \"%.*s\"%s:\n%s", each->format, (int)size, each->line,
                    newline ? " and a newline" : "", text.bytes);
        fail();
    }
    free(text.bytes);
    return count > before;
}

static void a_cut_line_gives_its_record_or_none(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t length = strlen(cases[i].line), before = records_before(&cases[i]);
        for (size_t size = 1; size < length; size++) {
            gives_record(&cases[i], size, false, before);
            gives_record(&cases[i], size, true, before);
        }
        assert_true(gives_record(&cases[i], length, true, before));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cut_line_gives_its_record_or_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
