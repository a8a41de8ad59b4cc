/* Lines that differ in their digits alone: matched, and read by a decoder from what it has
 * learned, to the same records as without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "formats_read.h"
#include "log_learn.h"
#include "log_text.h"
#include "user_format.h"

#define PATH_BYTES 1024
#define LINES_MAX 400
#define SIZE_MOST (256 * 1024)

/* ---- the form of a line ---- */

/* Room behind the text, as a stream's lines have it. */
struct padded {
    char bytes[256];
};

static struct str line_of(struct padded *padded, const char *text)
{
    memset(padded, 0, sizeof(*padded));
    snprintf(padded->bytes, sizeof(padded->bytes), "%s", text);
    return str_from(padded->bytes);
}

/* A form whose field 3 is the number at `number`; NULL: it can't be learned. */
static struct log_learned *learned(const char *text, const char *number, bool json)
{
    struct padded padded;
    struct str line = line_of(&padded, text);
    struct log_learned *form = log_learn_new();
    size_t at = log_find(line, number);
    assert_int_not_equal(at, SIZE_MAX);
    log_learn_begin(form, line);
    log_learn_number(form, 3, str_of(line.p + at, strlen(number)), 77);
    log_learn_ready(form, json);
    if (log_learn_taken(form))
        return form;
    log_learn_free(form);
    return NULL;
}

#define NO_MATCH (-1e300)

/* NO_MATCH: it has another form. */
static double value_in(struct log_learned *form, const char *text)
{
    struct padded padded;
    struct log_values values;
    if (!log_learn_match(form, line_of(&padded, text), &values))
        return NO_MATCH;
    assert_int_equal(values.has, 1u << 3);
    assert_int_equal(values.notes[3], 77);
    return values.number[3];
}

static void expect(const char *learn, const char *number, const char *text, double value)
{
    struct log_learned *form = learned(learn, number, false);
    assert_non_null(form);
    double is = value_in(form, text);
    if (is != value)
        print_error("%s -> %s: %.17g, not %.17g\n", learn, text, is, value);
    assert_true(is == value);
    log_learn_free(form);
}

static void numbers_stand_where_they_stood(void **state)
{
    expect("step 5 took 1.25 ms", "1.25", "step 5 took 1.25 ms", 1.25);
    expect("step 5 took 1.25 ms", "1.25", "step 123456 took 0.000123456 ms", 0.000123456);
    expect("step 5 took 1.25 ms", "5", "step 123456789012345 took 7.5 ms", 123456789012345.0);
    expect("a -1.5 b", "-1.5", "a -22.25 b", -22.25);
    expect("a 1,234.5 b", "1,234.5", "a 987,654.25 b", 987654.25);
    expect("a 1e-05 b", "1e-05", "a 25e-3 b", 0.025);
    expect("a 1 b", "1", "a 1234567890123456789 b", 1234567890123456789.0);
    expect("a 0.1 b", "0.1", "a 0.123456789012345678 b", 0.123456789012345678);
    expect("12345678901234567 x: 1", "12345678901234567", "1 x: 2", 1);
}

static void other_text_is_another_form(void **state)
{
    expect("step 5 took 1.25 ms", "1.25", "step 5 took 1.25 s", NO_MATCH);
    expect("step 5 took 1.25 ms", "1.25", "step 5 took 1.25 ms ", NO_MATCH);
    expect("step 5 took 1.25 ms", "1.25", "step 5 took 1.25 m", NO_MATCH);
    expect("step 5 took 1.25 ms", "1.25", "step 5 took 1. ms", NO_MATCH);
    expect("step 5 took 1.25 ms", "1.25", "step 5 took .25 ms", NO_MATCH);
    expect("step 5 took 1.25 ms", "1.25", "step  took 1.25 ms", NO_MATCH);
    expect("step 5 took 1.25 ms", "1.25", "step 5 took -1.25 ms", NO_MATCH);
    expect("step 5 took 1.25 ms", "1.25", "", NO_MATCH);
    expect("a 1,234 b", "1,234", "a 1,23 b", NO_MATCH);
    expect("a 1,234 b", "1,234", "a 1,2345 b", NO_MATCH);
}

static void a_number_at_the_end_is_as_long(void **state)
{
    expect("took 1.25", "1.25", "took 3.75", 3.75);
    expect("took 1.25", "1.25", "took 30.75", 30.75);
    expect("took 1.25", "1.25", "took 3.7", NO_MATCH);
    expect("took 1.25", "1.25", "took 3.755", NO_MATCH);
}

static void what_digits_could_make_another_is_not_learned(void **state)
{
    assert_null(learned("a 1,23 b", "1", false)); /* "1,234" is one number */
    assert_null(learned("a 123 b", "12", false));
    assert_null(learned("a 123 b", "23", false));
    assert_null(learned("a bc", "bc", false));
}

static void no_number_of_json_begins_with_0(void **state)
{
    struct log_learned *form = learned("{\"a\": 12, \"b\": 0.05, \"c\": \"09:30\"}", "12", true);
    assert_non_null(form);
    assert_true(value_in(form, "{\"a\": 3, \"b\": 1.10, \"c\": \"11:30\"}") == 3);
    assert_true(value_in(form, "{\"a\": 3, \"b\": 1.05, \"c\": \"09:05\"}") ==
                NO_MATCH); /* not known */
    assert_true(value_in(form, "{\"a\": 03, \"b\": 1.10, \"c\": \"11:30\"}") == NO_MATCH);
    assert_true(value_in(form, "{\"a\": 0, \"b\": 0.10, \"c\": \"11:30\"}") == 0);
    assert_true(value_in(form, "{\"a\": 0, \"b\": 00.10, \"c\": \"11:30\"}") == NO_MATCH);
    log_learn_free(form);
}

static void stamps_are_counted_that_digits_could_make(void **state)
{
    assert_int_equal(log_stamps_possible(str_from("[2026-05-11 02:59:55.145] x")), 1);
    assert_int_equal(log_stamps_possible(str_from("[9999-99-99 02:59:55] 1:2 x: 3")), 1);
    assert_int_equal(log_stamps_possible(str_from("2026/05/11T02:59 and 2026-05-11_02:59:55")), 2);
    assert_int_equal(log_stamps_possible(str_from("[20260511 02:59:55][rank-7/8] iter 3:4")), 0);
    assert_int_equal(log_stamps_possible(str_from(":5 -1:2 1-2 3:4")), 0);
}

/* ---- decoders ---- */

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

/* The line with some of its digits changed, and a few put in or left out. */
static size_t vary(char *to, const char *line, size_t length, uint64_t *seed)
{
    size_t size = 0;
    uint32_t often = next_random(seed) % 3; /* not at all, some, many */
    for (size_t i = 0; i < length; i++) {
        bool changes = log_is_digit(line[i]) && next_random(seed) % 8 < often * 3;
        uint32_t how = changes ? next_random(seed) % 12 : 12;
        if (how == 0)
            continue;
        to[size++] = changes ? (char)('0' + next_random(seed) % 10) : line[i];
        if (how == 1)
            to[size++] = (char)('0' + next_random(seed) % 10);
    }
    to[size++] = '\n';
    return size;
}

/* Every line of the sample, each followed by lines like it. */
static size_t varied(char *to, const char *bytes, size_t size, uint64_t seed)
{
    size_t length = 0;
    int lines = 0;
    for (const char *p = bytes, *end = bytes + size; p < end && lines < LINES_MAX; lines++) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        size_t of_line = (size_t)((newline ? newline : end) - p);
        for (int again = 0; again < 4 && length + 2 * of_line + 1 < SIZE_MOST; again++)
            length += vary(to + length, p, of_line, &seed);
        p += of_line + 1;
    }
    return length;
}

static void check_text(const char *name, const struct formats *learns,
                       const struct formats *plainly, const char *text, size_t length)
{
    struct text quick = {0}, plain = {0};
    formats_read_by(&quick, "x.log", learns, text, length, (struct pieces){0});
    formats_read_by(&plain, "x.log", plainly, text, length, (struct pieces){0});
    if (strcmp(quick.bytes ? quick.bytes : "", plain.bytes ? plain.bytes : "") != 0) {
        print_error("%s\nlearned:\n%s\nplainly:\n%s\n", name, quick.bytes, plain.bytes);
        fail();
    }
    free(quick.bytes);
    free(plain.bytes);
}

static void check_sample(const char *path, const struct formats *learns,
                         const struct formats *plainly)
{
    char *bytes = malloc(SIZE_MOST), *text = malloc(SIZE_MOST);
    FILE *file = fopen(path, "rb");
    assert_true(bytes && text && file);
    size_t size = fread(bytes, 1, SIZE_MOST, file);
    fclose(file);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        size_t length = varied(text, bytes, size, seed);
        check_text(path, learns, plainly, text, length);
    }
    free(bytes);
    free(text);
}

static int check_folder(const char *folder, const struct formats *learns,
                        const struct formats *plainly)
{
    int count = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (entry->d_type != DT_REG || (dot && strcmp(dot, ".records") == 0))
            continue;
        char path[PATH_BYTES];
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        check_sample(path, learns, plainly);
        count++;
    }
    closedir(dir);
    return count;
}

static void what_is_learned_comes_to_the_same(void **state)
{
    const char *tests = getenv("LOCKSTEP_TESTS");
    char root[PATH_BYTES / 4], folder[PATH_BYTES / 2 + 8];
    int count = 0;
    struct formats *learns = formats_new(), *plainly = formats_new();
    formats_learn(plainly, false);
    snprintf(root, sizeof(root), "%s/../samples/formats", tests ? tests : "tests");
    DIR *dir = opendir(root);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.' || entry->d_type != DT_DIR)
            continue;
        snprintf(folder, sizeof(folder), "%s/%s", root, entry->d_name);
        count += check_folder(folder, learns, plainly);
    }
    closedir(dir);
    assert_true(count > 0);
    formats_free(learns);
    formats_free(plainly);
}

/* Lines of patterns that vary. */
static void patterns_come_to_the_same(void **state)
{
    static const char *const patterns[] = {
        "step {step} of {} rank {rank} loss {} took {step_time:ms}",
        "{t} INFO step {step}: {step_time}",
        "{step} {step_time} {host}",
        "on {host} it {step} ({tokens} tokens) forward {forward:us} end",
        "step2 {step} took {step_time:ms}",
        "{job}step {step} {end} took {step_time} {mfu}%",
    };
    static const char log[] =
        "2026-05-01 00:00:01,123 INFO epoch 0 step 17 of 900000 rank 3 loss 2.5 took 1079.19 ms\n"
        "2026-05-01 00:00:01,123 INFO epoch 0 step 17 of 900000 rank 3 loss 2.5 took 1079.19\n"
        "2026-05-01T00:00:01Z INFO step 12: 0.5 s\n1760000000.25 INFO step 13: 1,234.5ms\n"
        "1760000000 INFO step 13: 12.5\nINFO step 13: 12.5\n"
        "17 0.25 node7\n18 0.25 node7 19 0.5 node8\n17 1e-3 node7 7\n"
        "on node3.pod-1 it 12 (524,288 tokens) forward 12.5us end\n"
        "on node3.pod-1 it 12 (524288 tokens) forward 12.5 ms end\n"
        "step2 17 took 3.5 ms\nstep3 17 took 3.5 ms step2 18 took 7\n"
        "step 4 2026-05-01 00:00:01 took 2 41.5%\nstep 5 1760000000 took 3 -100%\n"
        "step 6 1760000000123 took 1.5 nan%\nstep 7 1760000000123 took 1.5 40%\n";
    char error[256], *text = malloc(SIZE_MOST);
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        struct user_format *user = user_format_pattern("p", patterns[i], error, sizeof(error));
        struct formats *learns = formats_new(), *plainly = formats_new();
        if (!user)
            fail_msg("%s: %s", patterns[i], error);
        assert_true(text && formats_add(learns, user_format_of(user)) &&
                    formats_add(plainly, user_format_of(user)));
        formats_learn(plainly, false);
        for (uint64_t seed = 1; seed <= 20; seed++)
            check_text(patterns[i], learns, plainly, text, varied(text, log, strlen(log), seed));
        formats_free(learns);
        formats_free(plainly);
        user_format_free(user);
    }
    free(text);
}

/* Objects and tables of a map, of lines that vary. */
static void maps_come_to_the_same(void **state)
{
    static const char map[] = "rank=process_index,step=global_step,t=time,forward=m.fwd_ms:ms,"
                              "backward=m.bwd_ms:ms,sync=ar_us:us,host=node";
    static const char log[] =
        "{\"time\": 1760000000.125, \"process_index\": 3, \"global_step\": 17, \"m\": {\"fwd_ms\": "
        "10.25, \"bwd_ms\": 20.5}, \"ar_us\": 100, \"node\": \"n7\"}\n"
        "{\"time\": \"2026-05-01T00:00:01Z\", \"process_index\": \"3\", \"global_step\": 18, "
        "\"m.fwd_ms\": 0.5, \"ar_us\": null}\n"
        "{\"a1\": {\"global_step\": 1}, \"process_index\": 0, \"global_step\": 18, \"ar_us\": -5}\n"
        "{\"global_step\": 19, \"process_index\": 2, \"ar_us\": 1e3, \"m\": 7, \"x\": "
        "\"\\u0041\"}\n"
        "{\"global_step\": 19, \"process_index\": 2, \"ar_us\": 7} {\"global_step\": 20}\n"
        "time,process_index,global_step,m.fwd_ms,ar_us,node\n"
        "1760000000.125,3,17,10.25,100,n7\n"
        "1760000000.125,3,17, 10.25 ,100,\"n7\"\n"
        "1760000000.125,3,nan,10.25,100,n7\n"
        "global_step,process_index,time,m.fwd_ms,ar_us,node\n"
        "17,3,1760000000.125,10.25,100,n7\n"
        "time\tprocess_index\tglobal_step\tm.fwd_ms\tar_us\tnode\n"
        "1760000000\t3\t17\t10.25\t100\tn7\n"
        "global_step;process_index;time;m.fwd_ms;ar_us;node\n"
        "17;3;1760000000,125;10,25;100;n7\n";
    char error[256], *text = malloc(SIZE_MOST);
    struct user_format *user = user_format_map("m", map, error, sizeof(error));
    struct formats *learns = formats_new(), *plainly = formats_new();
    assert_true(user && text && formats_add(learns, user_format_of(user)) &&
                formats_add(plainly, user_format_of(user)));
    formats_learn(plainly, false);
    for (uint64_t seed = 1; seed <= 50; seed++)
        check_text("map", learns, plainly, text, varied(text, log, strlen(log), seed));
    formats_free(learns);
    formats_free(plainly);
    user_format_free(user);
    free(text);
}

/* What samples do not hold. */
static void odd_lines_come_to_the_same(void **state)
{
    static const char *const logs[] = {
        "[Rank 0] time (ms) | fwd: -0.00 | bwd: 7.00 | step: 5.00\n"
        "[Rank 0] time (ms) | fwd: -3.00 | bwd: 7.00 | step: 5.00\n",
        "steps: 3000000000000000 loss: 7.7 iter time (s): 18.650 samples/sec: 0.858\n"
        "step=6000000000000000, skipped=0, lr=[1]\n"
        "2026-05-11 02:59:55 time (ms) | fwd: 3.00 | bwd: 7.00 | step: 5.00\n"
        "steps: 6000000000000000 loss: 7.7 iter time (s): 18.650 samples/sec: 0.858\n",
        /* Found by an anchor with digits. */
        "DLL 2024-05-14 23:03:53.5 - Iteration 12 | iteration_time : 10.5 ms \n"
        "DLL 2024-05-14 23:03:54.5 - Iteration 13 | iteration_time : 11.5 ms \n"
        "DLL 1999-05-14 23:03:55.5 - Iteration 14 | iteration_time : 12.5 ms \n"
        "DLL 2024-05-14 23:73:56.5 - Iteration 15 | iteration_time : 13.5 ms \n"
        "DLL 2024-05-14 23:03:57.5 - Iteration 16 | iteration_time : 99999999999.5 ms \n",
        "rank=0 time (ms) | batch_input: 1.00 | fwd: 3.00 | bwd: 7.00 | step: 5.00\n"
        "rank=1 time (ms) | batch_input: 2.00 | fwd: 4.00 | bwd: 8.00 | step: 6.00\n"
        "rank=0 time (ms) | batch_input: 3.00 | fwd: 5.00 | bwd: 9.00 | step: 7.00\n",
        /* DeepSpeed's within Megatron's log, and before. */
        "x: rank=0 time (ms) | fwd: 3.00 | bwd: 7.00 | step: 5.00\n"
        "x: rank=0 time (ms) | fwd: 4.00 | bwd: 8.00 | step: 6.00\n"
        " iteration 1/ 9 | elapsed time per iteration (ms): 99.5 | learning rate: 1.0 |\n"
        "x: rank=0 time (ms) | fwd: 5.00 | bwd: 9.00 | step: 7.00\n"
        " iteration 2/ 9 | elapsed time per iteration (ms): 98.5 | learning rate: 1.0 |\n"
        "x: rank=0 time (ms) | fwd: 6.00 | bwd: 9.00 | step: 7.00\n"
        "times across ranks (ms):\n"
        "x: rank=0 time (ms) | fwd: 6.00 | bwd: 9.00 | step: 7.00\n",
        /* Tables with other columns. */
        "rank,step,optype,start_ts,duration\n0,1,forward-compute,0.5,0.25\n"
        "1,1,forward-compute,0.5,0.35\n1,2,dp-0-send,0.5,0.35\n1,2,dp-1-send,0.5,0.35\n"
        "step,rank,optype,start_ts,duration\n2,0,forward-compute,0.5,0.25\n"
        "2,1,forward-compute,0.5,0.35\n2,1,forward-compute,0.5,2000000.35\n"
        "rank,step,optype,duration,start_ts\n0,3,forward-compute,0.5,0.25\n"
        "1,3,forward-compute,0.5,0.125\n1,3,forward-compute,nan,0.125\n",
        "[2026-05-01 00:00:01] [olmo.train:816, rank=0] [step=1/739]\n"
        "    throughput/total_tokens=4,194,304\n    throughput/device/BPS=0.0801\n"
        "    throughput/total_tokens=4,194,305\n"
        "[2026-05-01 00:00:12] [olmo.train:816, rank=0] [step=2/739]\n"
        "    throughput/total_tokens=8,388,608\n    throughput/device/BPS=0.0802\n"
        "[2026-05-01 00:00:93] [olmo.train:816, rank=1] [step=2/739]\n"
        "    throughput/total_tokens=8,388,608\n    throughput/device/BPS=0.08\n"
        "[2026-05-01 00:00:33] [olmo.train:816, rank=0] [step=3/739]\n"
        "other\n    throughput/device/BPS=0.0803\n",
    };
    struct formats *learns = formats_new(), *plainly = formats_new();
    formats_learn(plainly, false);
    for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++)
        check_text(logs[i], learns, plainly, logs[i], strlen(logs[i]));
    formats_free(learns);
    formats_free(plainly);
}

#define PATTERNS 18

/* Patterns with a number in their texts, more than are kept in mind: which of them a line is of, or
 * nanoGPT's, its digits tell. */
static void digits_that_tell_formats_apart_are_not_learned(void **state)
{
    static const char log[] = "run99 iter 1: loss 10.9886, time 725.90ms, mfu 41.20%\n"
                              "run99 iter 2: loss 10.9886, time 725.90ms, mfu 41.20%\n"
                              "run10 iter 3: loss 10.9886, time 725.90ms, mfu 41.20%\n";
    struct user_format *users[PATTERNS];
    struct text text = {0};
    char name[16], pattern[64], error[256];
    struct formats *formats = formats_new();
    for (int i = 0; i < PATTERNS; i++) {
        snprintf(name, sizeof(name), "p%d", 10 + i);
        snprintf(pattern, sizeof(pattern), "run%d iter {step}: loss {}, time {step_time:ms}",
                 10 + i);
        users[i] = user_format_pattern(name, pattern, error, sizeof(error));
        assert_true(users[i] && formats_add(formats, user_format_of(users[i])));
    }
    formats_read_by(&text, "x.log", formats, log, strlen(log), (struct pieces){0});
    if (!strstr(text.bytes, "# nanogpt: lines 2,") || !strstr(text.bytes, "# p10: lines 1,"))
        fail_msg("%s", text.bytes);
    free(text.bytes);
    formats_free(formats);
    for (int i = 0; i < PATTERNS; i++)
        user_format_free(users[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_stand_where_they_stood),
        cmocka_unit_test(other_text_is_another_form),
        cmocka_unit_test(a_number_at_the_end_is_as_long),
        cmocka_unit_test(what_digits_could_make_another_is_not_learned),
        cmocka_unit_test(no_number_of_json_begins_with_0),
        cmocka_unit_test(stamps_are_counted_that_digits_could_make),
        cmocka_unit_test(what_is_learned_comes_to_the_same),
        cmocka_unit_test(patterns_come_to_the_same),
        cmocka_unit_test(maps_come_to_the_same),
        cmocka_unit_test(odd_lines_come_to_the_same),
        cmocka_unit_test(digits_that_tell_formats_apart_are_not_learned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
