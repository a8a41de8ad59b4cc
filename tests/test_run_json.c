/* run.json: what it may say, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run_json.h"

static int parse(const char *text, struct run *run, char error[256])
{
    /* On the heap and to the byte: a read past the end is seen. */
    size_t length = strlen(text);
    char *exact = malloc(length ? length : 1);
    memcpy(exact, text, length);
    run_init(run);
    error[0] = '\0';
    int result = run_json_parse(exact, length, run, error, 256);
    free(exact);
    return result;
}

static void every_key_has_its_place(void **state)
{
    (void)state;
    struct run run;
    char error[256];
    assert_int_equal(
        parse(" {\"run\":\"llama3\",\"model\":{\"name\":\"405B\",\"params\":405e9,"
              "\"active_params\":17e9,\"layers\":126,\"hidden\":16384,\"sequence\":8192},"
              "\"gpus\":16384,\"tokens_per_step\":16777216,\"chip\":{\"name\":\"H100\","
              "\"peak_flops\":989e12},\"recompute\":\"selective\",\"attention\":\"causal\","
              "\"barrier\":\"overlapped\",\"price_per_gpu_hour\":2,\"watts_per_gpu\":700,"
              "\"threshold\":0.1,\"window\":20,\"simulated\":true,\"other\":[{}]}\r\n",
              &run, error),
        0);
    assert_string_equal(run.name, "llama3");
    assert_string_equal(run.model_name, "405B");
    assert_true(run.params == 405e9 && run.active_params == 17e9 && run.layers == 126);
    assert_true(run.hidden == 16384 && run.sequence == 8192 && run.gpus == 16384);
    assert_true(run.tokens_per_step == 16777216 && run.peak_flops == 989e12);
    assert_string_equal(run.chip, "H100");
    assert_int_equal(run.recompute, RECOMPUTE_SELECTIVE);
    assert_int_equal(run.attention, ATTENTION_CAUSAL);
    assert_int_equal(run.barrier, BARRIER_OVERLAPPED);
    assert_true(run.gpu_hour_price == 2 && run.gpu_watts == 700 && run.threshold == 0.1);
    assert_int_equal(run.window, 20);
    assert_true(run.simulated);
}

static void how_the_run_is_cut_and_counted_has_its_place(void **state)
{
    (void)state;
    struct run run;
    char error[256];
    assert_int_equal(
        parse("{\"recompute\":0.25,\"lora\":0.02,\"format\":\"fp8\",\"total_tokens\":15.6e12,"
              "\"tp\":8,\"pp\":4,\"dp\":2,\"order\":\"tp-pp-dp\"}",
              &run, error),
        0);
    assert_int_equal(run.recompute, RECOMPUTE_SHARE);
    assert_true(run.recompute_share == 0.25 && run.lora_share == 0.02);
    assert_int_equal(run.format, NUMBER_FP8);
    assert_true(run.total_tokens == 15.6e12);
    assert_true(run.tp == 8 && run.pp == 4 && run.dp == 2);
    assert_string_equal(run.order, "tp-pp-dp");
    assert_int_equal(parse("{\"recompute\":0}", &run, error), 0);
    assert_int_equal(run.recompute, RECOMPUTE_NONE);
    assert_int_equal(parse("{\"recompute\":1,\"lora\":1}", &run, error), 0);
    assert_int_equal(run.recompute, RECOMPUTE_FULL);
    assert_int_equal(parse("{\"recompute\":null,\"lora\":null,\"format\":null,\"tp\":null,"
                           "\"order\":null}",
                           &run, error),
                     0);
    assert_int_equal(run.recompute, RECOMPUTE_NONE);
    assert_int_equal(run.format, NUMBER_BF16);
    assert_true(run.lora_share == 1 && run.tp == 0);
    assert_string_equal(run.order, "tp-dp-pp");
    assert_int_equal(parse("{\"model\":{\"params\":7e9,\"active_params\":7e9}}", &run, error), 0);
}

static void what_is_not_said_stays(void **state)
{
    (void)state;
    struct run run;
    char error[256];
    assert_int_equal(parse("{\"model\":\"tiny\",\"chip\":\"A100\",\"gpus\":null}", &run, error), 0);
    assert_string_equal(run.model_name, "tiny");
    assert_string_equal(run.chip, "A100");
    assert_true(run.threshold == 0.05 && run.gpus == 0);
    assert_int_equal(run.window, 50);
    assert_int_equal(parse("{}", &run, error), 0);
    assert_true(run.threshold == 0.05);
}

static void of_a_key_that_stands_twice_the_last_counts(void **state)
{
    (void)state;
    struct run run;
    char error[256];
    assert_int_equal(parse("{\"gpus\":8,\"Gpus\":7,\"gpus\":9}", &run, error), 0);
    assert_true(run.gpus == 9);
}

static void a_long_name_is_cut(void **state)
{
    (void)state;
    struct run run;
    char error[256], text[400], name[301];
    memset(name, 'n', 300);
    name[300] = '\0';
    snprintf(text, sizeof(text), "{\"run\":\"%s\"}", name);
    assert_int_equal(parse(text, &run, error), 0);
    assert_int_equal(strlen(run.name), RUN_TEXT_BYTES - 1);
}

static void what_it_cannot_hold_is_refused_and_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"", "it is not valid JSON"},
        {"   ", "it is not valid JSON"},
        {"{", "it is not valid JSON"},
        {"{\"gpus\":08}", "it is not valid JSON"},
        {"{\"gpus\":8,}", "it is not valid JSON"},
        {"{\"gpus\":NaN}", "it is not valid JSON"},
        {"{} x", "something stands after the JSON object"},
        {"{}{}", "something stands after the JSON object"},
        {"[]", "it must be one JSON object"},
        {"5", "it must be one JSON object"},
        {"null", "it must be one JSON object"},
        {"{\"gpus\":-8}", "\"gpus\" must be a number from 1 to 1e+07"},
        {"{\"gpus\":0}", "\"gpus\" must be a number from 1 to 1e+07"},
        {"{\"gpus\":1e308}", "\"gpus\" must be a number from 1 to 1e+07"},
        {"{\"gpus\":1e999}", "\"gpus\" must be a number from 1 to 1e+07"},
        {"{\"gpus\":\"8\"}", "\"gpus\" must be a number from 1 to 1e+07"},
        {"{\"run\":5}", "\"run\" must be a text"},
        {"{\"model\":[]}", "\"model\" must be an object"},
        {"{\"model\":{\"params\":true}}", "\"params\" must be a number from 1 to 1e+18"},
        {"{\"chip\":7}", "\"chip\" must be a text"},
        {"{\"gpus\":8.5}", "\"gpus\" must be a whole number"},
        {"{\"model\":{\"params\":0}}", "\"params\" must be a number from 1 to 1e+18"},
        {"{\"model\":{\"params\":-7e9}}", "\"params\" must be a number from 1 to 1e+18"},
        {"{\"model\":{\"layers\":0}}", "\"layers\" must be a number from 1 to 1e+06"},
        {"{\"model\":{\"layers\":1.5}}", "\"layers\" must be a whole number"},
        {"{\"model\":{\"params\":7e9,\"active_params\":17e9}}",
         "\"active_params\": active parameters (1.7e+10) are more than all parameters (7e+09)"},
        {"{\"tokens_per_step\":0}", "\"tokens_per_step\" must be a number from 1 to 1e+15"},
        {"{\"total_tokens\":-1}", "\"total_tokens\" must be a number from 1 to 1e+18"},
        {"{\"chip\":{\"name\":\"H100\",\"peak_flops\":0}}",
         "\"peak_flops\" must be a number from 1 to 1e+20"},
        {"{\"price_per_gpu_hour\":-2}", "\"price_per_gpu_hour\" must be a number from 0 to 1e+06"},
        {"{\"watts_per_gpu\":-700}", "\"watts_per_gpu\" must be a number from 0 to 1e+06"},
        {"{\"recompute\":\"some\"}",
         "\"recompute\" must be \"none\", \"selective\", \"full\", or a "
         "share of the layers from 0 to 1"},
        {"{\"recompute\":1.5}", "\"recompute\" must be \"none\", \"selective\", \"full\", or a "
                                "share of the layers from 0 to 1"},
        {"{\"recompute\":true}", "\"recompute\" must be \"none\", \"selective\", \"full\", or a "
                                 "share of the layers from 0 to 1"},
        {"{\"lora\":0}", "\"lora\" must be the share of the parameters that is trained, over 0"},
        {"{\"lora\":2}", "\"lora\" must be a number from 0 to 1"},
        {"{\"format\":\"int8\"}",
         "\"format\" must be one of \"bf16\", \"tf32\", \"fp8\", \"fp16\""},
        {"{\"tp\":0}", "\"tp\" must be a number from 1 to 1.04858e+06"},
        {"{\"pp\":2.5}", "\"pp\" must be a whole number"},
        {"{\"dp\":\"8\"}", "\"dp\" must be a number from 1 to 1.04858e+06"},
        {"{\"order\":\"tp-pp\"}",
         "\"order\" must be tp, dp and pp, each once, such as \"tp-dp-pp\""},
        {"{\"order\":\"tp-tp-pp\"}",
         "\"order\" must be tp, dp and pp, each once, such as \"tp-dp-pp\""},
        {"{\"order\":3}", "\"order\" must be a text"},
        {"{\"attention\":1}", "\"attention\" must be one of \"full\", \"causal\", \"none\""},
        {"{\"threshold\":0}", "\"threshold\" must be a number from 0.001 to 10"},
        {"{\"threshold\":-1e999}", "\"threshold\" must be a number from 0.001 to 10"},
        {"{\"model\":{\"active_params\":0}}", "\"active_params\" must be a number from 1 to 1e+18"},
        {"{\"model\":{\"hidden\":1e999}}", "\"hidden\" must be a number from 1 to 1e+08"},
        {"{\"model\":{\"sequence\":{}}}", "\"sequence\" must be a number from 1 to 1e+09"},
        {"{\"model\":{\"name\":7}}", "\"name\" must be a text"},
        {"{\"chip\":{\"name\":[]}}", "\"name\" must be a text"},
        {"{\"barrier\":\"\"}", "\"barrier\" must be one of \"auto\", \"after\", \"overlapped\""},
        {"{\"price_per_gpu_hour\":1e999}",
         "\"price_per_gpu_hour\" must be a number from 0 to 1e+06"},
        {"{\"gpus\":[8]}", "\"gpus\" must be a number from 1 to 1e+07"},
        {"{\"window\":1}", "\"window\" must be a number from 2 to 1000"},
        {"{\"window\":2.5}", "\"window\" must be a whole number"},
        {"{\"simulated\":1}", "\"simulated\" must be true or false"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct run run, before;
        char error[256];
        int result = parse(rows[i].text, &run, error);
        if (result != -1 || strcmp(error, rows[i].error) != 0) {
            print_error("row %zu, %s: %d %s\n", i, rows[i].text, result, error);
            fail();
        }
        run_init(&before);
        assert_memory_equal(&run, &before, sizeof(run));
    }
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    struct run run;
    char error[256], text[4096] = "{\"x\":";
    memset(text + 5, '[', 4000);
    text[4005] = '\0';
    assert_int_equal(parse(text, &run, error), -1);
    assert_string_equal(error, "it is nested deeper than 64");
}

static void nul_bytes_are_refused(void **state)
{
    (void)state;
    static const char text[] = "{\"gpus\":8}\0{}";
    struct run run;
    char error[256];
    run_init(&run);
    assert_int_equal(run_json_parse(text, sizeof(text) - 1, &run, error, sizeof(error)), -1);
    assert_string_equal(error, "something stands after the JSON object");
}

static void files_that_cannot_be_read_are_named(void **state)
{
    (void)state;
    struct run run;
    char error[256], path[] = "/tmp/lockstep-run-XXXXXX";
    run_init(&run);
    assert_int_equal(run_json_load("/nonexistent/run.json", &run, error, sizeof(error)), -ENOENT);
    assert_int_equal(run_json_load("/tmp", &run, error, sizeof(error)), -1);
    assert_string_equal(error, "it is not a regular file");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(run_json_load(path, &run, error, sizeof(error)), -1); /* empty */
    assert_string_equal(error, "it is not valid JSON");
    assert_int_equal(write(fd, "{\"gpus\":8}\n", 11), 11);
    assert_int_equal(run_json_load(path, &run, error, sizeof(error)), 0);
    assert_true(run.gpus == 8);
    assert_int_equal(ftruncate(fd, RUN_JSON_MAX + 1), 0);
    assert_int_equal(run_json_load(path, &run, error, sizeof(error)), -1);
    assert_string_equal(error, "it is larger than 1 MiB");
    close(fd);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_has_its_place),
        cmocka_unit_test(how_the_run_is_cut_and_counted_has_its_place),
        cmocka_unit_test(what_is_not_said_stays),
        cmocka_unit_test(of_a_key_that_stands_twice_the_last_counts),
        cmocka_unit_test(a_long_name_is_cut),
        cmocka_unit_test(what_it_cannot_hold_is_refused_and_named),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(nul_bytes_are_refused),
        cmocka_unit_test(files_that_cannot_be_read_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
