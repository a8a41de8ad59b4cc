/* Decoders that read the usual form of a line quickly: what comes of a line, whatever was done
 * to it, is the same as in their general way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode_generally.h"
#include "formats.h"
#include "formats_read.h"
#include "nccl_layout.h"

#define LINES_MAX 6
#define TEXTS 500 /* of a format */
#define TEXT_BYTES 8192

extern const struct format format_metriclogger, format_hugectr, format_llmc, format_maxtext,
    format_modded_nanogpt, format_nanochat, format_nanogpt, format_nemo, format_wordplay;

static const struct decoder {
    const struct format *format;
    enum log_answer (*generally)(void *state, const struct log_line *line, struct log_out *out);
    const char *lines[LINES_MAX];
} decoders[] = {
    {&format_nanogpt,
     nanogpt_generally,
     {"iter 10: loss 10.9886, time 725.90ms, mfu 41.20%",
      "iter 20: loss 2.9886, time 31250.90ms, mfu -100.00%",
      "[rank0]:iter 30: loss 1.5e-05, time 725ms, mfu 9.00%"}},
    {&format_modded_nanogpt,
     modded_nanogpt_generally,
     {"step:12/1670 train_time:1062ms step_avg:88.50ms",
      "step:13/1670 val_loss:4.1 train_time:1150ms step_avg:88.46ms",
      "5: step:14/1670 train_time:1240.6ms step_avg:nanms"}},
    {&format_nanochat,
     nanochat_generally,
     {"step 00004/21400 (0.02%) | loss: 3.2 | lrm: 1.00 | dt: 989.44ms | tok/sec: 529,882 | "
      "bf16_mfu: 74.13 | epoch: 1 | total time: 0.05m | eta: 3.1m",
      "step 00005/21400 (0.02%) | loss: 3.2 | grad norm: 0.31 | lrm: 1.00 | dt: 990.44ms | "
      "tok/sec: 1,529,882 | mfu: 74.13 | total time: 0.05m",
      "step 00006 (1.2%) | loss: 7.1 | lrm: 1.00 | dt: 250ms | tok/sec: 97,152 | mfu: 39.8% | "
      "epoch: 1 pq: 3 rg: 4 | total time: 0.06m | eta: 3.0m",
      "Total batch size 524,288 => gradient accumulation steps: 1"}},
    {&format_maxtext,
     maxtext_generally,
     {"completed step: 5, seconds: 5.668, TFLOP/s/device: 134.914, Tokens/s/device: 8672.153, "
      "total_weights: 196608, loss: 10.879",
      "(train pid=78967, ip=10.130.0.11) completed step: 6, seconds: 3.100, TFLOP/s/device: "
      "101.000, loss: 9.123",
      "2026-01-02 03:04:05.678 completed step: 7, seconds: 2.5, TFLOP/s/device: 99.5, "
      "Tokens/s/device: 8672.1, total_weights: 196608, loss: 1.2e-05",
      "Num_devices: 16, shape (1, 1, 16, 1, 1, 1)"}},
    {&format_hugectr,
     hugectr_generally,
     {"[HCTR][19:41:06.108][INFO][RK0][main]: Iter: 200 Time(100 iters): 0.35s Loss: 0.1 lr:0.004",
      "[1,0]<stdout>:[HCTR][19:41:07.1][INFO][RK0][main]: Iter: 300 Time(100 iters): 1.5s Loss: "
      "1e-05 lr:5e-04",
      "[HCTR][23:59:59.300][INFO][RK0][main]: Evaluation, AUC: 0.79, eval_time 2.29"}},
    {&format_metriclogger,
     metriclogger_generally,
     {"Epoch: [0]  [  20/60]  eta: 0:01:30  lr: 0.0200  loss: 0.5012 (0.6034)  time: 0.1205  data: "
      "0.0181  max mem: 13772",
      "Train: 0 [  50/1251 (  4%)]  Loss: 6.92 (6.93)  Time: 0.352s,  727.27/s  (0.401s,  "
      "638.40/s)  LR: 1.000e-06  Data: 0.010 (0.049)",
      "Epoch: [0][  11/5005]\tTime  0.323 ( 0.700)\tData  0.001 ( 0.300)\tLoss 7.0e+00 (7.0e+00)",
      "[rank3]:Train: [  21/60]  eta: 0:01:30  time: 0.1206  max mem: 13772",
      "2026-01-02 03:04:05 some logger of a long name: Epoch: [12]  [  7/60]  eta: 0:01:30  time: "
      "0.1206  data: 0.01",
      "Test: [  1/196]\tTime  2.123 ( 2.123)\tLoss 7.0e+00 (7.0e+00)"}},
    {&format_nemo,
     nemo_generally,
     {"Training epoch 0, iteration 45/99 | lr: 2.9e-05 | global_step: 45 | train_step_timing in s: "
      "4.93 | TFLOPS_per_GPU: 1.249e+03 | consumed_samples: 736",
      "0: Training epoch 1, iteration 46/99 | global_step: 46 | train_step_timing in s: 4.5 | "
      "TFLOPS_PER_GPU: 412.5 | tokens_per_sec_per_gpu: 1041.0 | consumed_samples: 752",
      "[2026-10-17T11:32:59+08:00] Training epoch 0, iteration 47/99 | lr: 4e-06 | global_step: 47 "
      "| train_step_timing in s: 2.5",
      "Training epoch 0, iteration 48/99 | lr: 4e-06 | train_step_timing in s: 2.5 | val_loss: 3.1",
      "Epoch 0: :  0%|#| 6/2000 [05:00<07:13, global_step=5.000, train_step_timing in s=49.50]"}},
    {&format_llmc,
     llmc_generally,
     {"step    1/19560 | loss 11.00 (+nanz)| norm 15.1 (+nanz)| lr 8.57e-07 | 4621.47 ms | 29.2% "
      "bf16 MFU | 113446 tok/s",
      "step    2/19560 | loss 10.90 (-0.12z)| norm 15.1 (+1.2z)| lr 8.57e-07 | 621.47 ms | "
      "-100.0% fp32 MFU | 113446.5 tok/s",
      "step    3/20 | train loss 5.256000 | norm 1.1 | lr 1.00e-04 | (25.00 ms | 163840 tok/s)",
      "| num_processes         | 8                                                  |"}},
    {&format_wordplay,
     wordplay_generally,
     {"[2024-07-05 18:08:36][INFO][trainer:850] - step=5 loss=4.27 dt=281.505 dtf=5.230 dtb=17.948 "
      "sps=14.209 mtps=0.931 mfu=23.314",
      "[2024-09-05 18:08:37.123][INFO] - step=6 loss=4.2 dt=0.2815 dtf=0.0052 dtb=0.0179 sps=14.2 "
      "sps_per_gpu=3.55 tps=58163 tps_per_gpu=14540 mfu=46.29",
      "[default0]:step=7 loss=4.1 dt=280.9 dtf=5.1 sps=14.2 mfu=-100",
      "2024-07-05T18:08:36Z global_step=7 step=8 dt=280.9 dtf=5.1 dtb=17 mfu=23.3 note=1",
      "step=9 dt=1e-05 dtf=5.1 dtb=17.5 mfu=23.3"}},
};

/* ---- what is done to lines ---- */

static uint64_t seed = 1;

static size_t random_under(size_t bound)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return bound ? (size_t)(seed >> 33) % bound : 0;
}

/* Instead of the number, or of one byte, at a random place. */
static const char *const instead[] = {
    "nan",   "-1",        "0",     "99999999999999999999",
    "1e999", "1,234,567", "12,34", "1,234.5",
    "N/A",   "",          " ",     "7",
    "-0.0",  ".5",        "5.",    "1.5e+02",
    "000",   "|",         "\t",    "123456789.123456789",
    "inf",   "_",         "%",     "999999999999999",
    "1e-3",  "s",         "ms ",   "1234567890123456",
    "+5",    "step 7",    ":",     "0.1234567890",
};

static void replace(char *text, size_t at, size_t length, const char *with)
{
    char rest[TEXT_BYTES];
    snprintf(rest, sizeof(rest), "%s", text + at + length);
    snprintf(text + at, TEXT_BYTES - at, "%s%s", with, rest);
}

static void change_number(char *text)
{
    size_t at = random_under(strlen(text)), length;
    at += strcspn(text + at, "0123456789");
    length = strspn(text + at, "0123456789.");
    replace(text, at, length, instead[random_under(sizeof(instead) / sizeof(instead[0]))]);
}

static void change(char *text, const char *other)
{
    size_t size = strlen(text), at = random_under(size);
    switch (random_under(8)) {
    case 0: /* cut, and the next one behind it at once */
        snprintf(text + at, TEXT_BYTES - at, "%s", other);
        break;
    case 1:
        replace(text, at, random_under(12) % (size - at + 1), "");
        break;
    case 2:
        replace(text, at, size > at, instead[random_under(sizeof(instead) / sizeof(instead[0]))]);
        break;
    case 3:
        replace(text, at, 0, other);
        break;
    case 4:
        snprintf(text + size, TEXT_BYTES - size, "%s%s", random_under(2) ? " " : "", other);
        break;
    default:
        change_number(text);
    }
}

/* A log of a few lines; some of them are changed, and some have numbers that go on. */
static void make_log(const struct decoder *decoder, char *log)
{
    size_t count = 0, end = 0;
    while (count < LINES_MAX && decoder->lines[count])
        count++;
    log[0] = '\0';
    for (size_t i = 2 + random_under(6); i > 0 && end < TEXT_BYTES / 2; i--) {
        char text[TEXT_BYTES];
        snprintf(text, sizeof(text), "%s",
                 decoder->lines[random_under(random_under(2) ? count : 1)]);
        for (size_t changes = random_under(3); changes > 0 && text[0] != '\0'; changes--)
            change(text, decoder->lines[random_under(count)]);
        text[1023] = '\0';
        end += (size_t)snprintf(log + end, TEXT_BYTES - end, "%s%s", text, i > 1 ? "\n" : "");
    }
    if (random_under(2))
        snprintf(log + end, TEXT_BYTES - end, "\n");
}

/* ---- both ways ---- */

static struct formats *only(const struct format *format)
{
    struct formats *formats = formats_new();
    assert_int_equal(formats_choose(formats, "lockstep"), 0);
    assert_true(formats_add(formats, format));
    return formats;
}

static void compare(const struct formats *quickly, const struct formats *generally, const char *log)
{
    struct text quick = {0}, general = {0};
    formats_read_by(&quick, "log", quickly, log, strlen(log), (struct pieces){0});
    formats_read_by(&general, "log", generally, log, strlen(log), (struct pieces){0});
    if (strcmp(quick.bytes, general.bytes) != 0) {
        fprintf(stderr, "%s\nin general:\n%s\nquick:\n%s\n", log, general.bytes, quick.bytes);
        fail();
    }
    free(quick.bytes);
    free(general.bytes);
}

static void test_both_ways(void **state)
{
    (void)state;
    char *log = malloc(TEXT_BYTES);
    assert_non_null(log);
    for (size_t i = 0; i < sizeof(decoders) / sizeof(decoders[0]); i++) {
        struct format general = *decoders[i].format;
        general.line = decoders[i].generally;
        general.again = NULL;
        struct formats *quickly = only(decoders[i].format), *generally = only(&general);
        for (int count = 0; count < TEXTS; count++) {
            make_log(&decoders[i], log);
            compare(quickly, generally, log);
        }
        formats_free(quickly);
        formats_free(generally);
    }
    free(log);
}

/* ---- NCCL Inspector: its JSON lines, read forward ---- */

static const char *const json_lines[] = {
    "{\"header\":{\"id\":\"0x7f8c\",\"comm_name\":\"tp\",\"rank\":2,\"n_ranks\":8,\"nnodes\":1},"
    "\"metadata\":{\"dump_timestamp_us\":1760000000001000,\"hostname\":\"n1\",\"pid\":163},"
    "\"coll_perf\":{\"coll\":\"AllReduce\",\"coll_sn\":1,\"coll_exec_time_us\":61975,"
    "\"coll_busbw_gbs\":485.12,\"event_trace_sn\":{\"kernel_events\":[{\"channel_id\":0}]},"
    "\"event_trace_ts\":{\"coll_start_ts\":1760000000001000,\"kernel_events\":[{\"channel_id\":0,"
    "\"kernel_start_ts\":1760000000001100,\"kernel_stop_ts\":1760000000001800.25},"
    "{\"kernel_start_ts\":1760000000001090,\"kernel_stop_ts\":1760000000001700}]}}}",
    "{\"header\": {\"id\": \"0xa\", \"rank\": 3, \"n_ranks\": 4}, \"p2p_perf\": {\"p2p\": "
    "\"Send\", "
    "\"p2p_sn\": 7, \"p2p_exec_time_us\": 12, \"extra\": [true, null, \"x\", -1.5e3]}}",
    "{\"dump_stats\":{\"coll_records\":3,\"coll_dropped_since_last_dump\":7}, \"id\":\"0xb\"}",
};

static const char *const json_instead[] = {
    "\"", "\\",   "\\\"", "{",   "}",  "[",     "]",
    ",",  ":",    "01",   "-",   "1.", "null",  "NaN",
    "0",  "\x01", "\xff", "1e5", "e9", "\"a\"", "\"id\":\"z\",",
    " "};

static bool same_record(const struct nccl_record *a, const struct nccl_record *b)
{
    return a->kind == b->kind && a->has_header == b->has_header && a->damaged == b->damaged &&
           strcmp(a->communicator, b->communicator) == 0 && strcmp(a->name, b->name) == 0 &&
           strcmp(a->host, b->host) == 0 && strcmp(a->operation, b->operation) == 0 &&
           a->rank == b->rank && a->ranks == b->ranks && a->nodes == b->nodes && a->pid == b->pid &&
           a->dumped_us == b->dumped_us && a->number == b->number && a->exec_ns == b->exec_ns &&
           a->bus_gbs == b->bus_gbs && a->enqueued_ns == b->enqueued_ns &&
           a->arrival_ns == b->arrival_ns && a->release_ns == b->release_ns &&
           a->dropped == b->dropped;
}

static void test_lines_read_forward(void **state)
{
    (void)state;
    const size_t lines = sizeof(json_lines) / sizeof(json_lines[0]);
    const size_t insteads = sizeof(json_instead) / sizeof(json_instead[0]);
    struct nccl_layouts layouts = {0};
    char *text = malloc(TEXT_BYTES);
    assert_non_null(text);
    for (int count = 0; count < 20 * TEXTS; count++) {
        snprintf(text, TEXT_BYTES, "%s", json_lines[random_under(lines)]);
        for (size_t changes = random_under(3); changes > 0; changes--)
            change_number(text);
        size_t at = random_under(strlen(text));
        if (random_under(3) == 0)
            replace(text, at, random_under(2), json_instead[random_under(insteads)]);
        struct nccl_record plain, forward;
        bool whole = nccl_record_read(&plain, str_from(text), NULL);
        bool both = nccl_layouts_read(&layouts, &forward, str_from(text)) == whole;
        if (!both || (whole && !same_record(&plain, &forward)))
            fail_msg("read forward it comes to something else: %s", text);
    }
    assert_true(layouts.count >= lines);
    nccl_layouts_done(&layouts);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_both_ways),
                                       cmocka_unit_test(test_lines_read_forward)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
