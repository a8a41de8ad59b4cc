/* One record as one line, to the byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "record_json.h"

static const char *written(const struct record *record)
{
    static char line[RECORD_JSON_MAX + 1];
    size_t length = record_json_write(line, record);
    assert_in_range(length, 3, RECORD_JSON_MAX);
    line[length] = '\0';
    return line;
}

static void every_field_has_its_key_and_unit(void **state)
{
    struct record record = {
        .has = RECORD_ANY_TIME | RECORD_BEGIN | RECORD_TOKENS | RECORD_RANK | RECORD_STEP |
               RECORD_SEQ | RECORD_HOST | RECORD_GROUP | RECORD_SIMULATED | RECORD_COMPUTED,
        .rank = 5,
        .step = 1200,
        .begin_ns = INT64_C(1795961553352638000),
        .phase_ns = {400000, 331200000, 662100000, 103400000, 41200000},
        .compute_ns = 1,
        .step_time_ns = RECORD_DURATION_MAX_NS,
        .tokens = 65536,
        .seq = 9,
        .host = str_from("node17"),
        .group = str_from("pp0"),
    };
    assert_string_equal(
        written(&record),
        "{\"rank\":5,\"step\":1200,\"t\":1795961553.352638,\"data\":0.000400,\"forward\":0.331200,"
        "\"backward\":0.662100,\"sync\":0.103400,\"optimizer\":0.041200,\"compute\":0.000000,"
        "\"step_time\":1000000.000000,\"tokens\":65536,\"host\":\"node17\",\"group\":\"pp0\","
        "\"seq\":9,\"simulated\":true,\"computed\":true}\n");
}

static void absent_fields_are_not_written(void **state)
{
    struct record record = {.has = RECORD_RANK | RECORD_STEP | RECORD_FORWARD};
    assert_string_equal(written(&record), "{\"rank\":0,\"step\":0,\"forward\":0.000000}\n");
    record.has = 0;
    assert_string_equal(written(&record), "{}\n");
    record.has = RECORD_SIMULATED;
    assert_string_equal(written(&record), "{\"simulated\":true}\n");
}

static void an_event_is_written_as_its_word(void **state)
{
    struct record record = {.has = RECORD_RANK | RECORD_SYNC | RECORD_SEQ | RECORD_CHECKPOINT};
    assert_string_equal(written(&record),
                        "{\"rank\":0,\"sync\":0.000000,\"seq\":0,\"event\":\"checkpoint\"}\n");
    record.has = RECORD_VALIDATION | RECORD_SIMULATED;
    assert_string_equal(written(&record), "{\"event\":\"validation\",\"simulated\":true}\n");
}

static void a_record_of_the_job_has_no_rank(void **state)
{
    struct record record = {
        .has = RECORD_RANK | RECORD_STEP | RECORD_STEP_TIME | RECORD_TOKENS | RECORD_ANY_JOB,
        .step = 20,
        .step_time_ns = 250000000,
        .tokens = 4194304,
        .span = 10,
        .flops = INT64_C(450300000000000),
        .mfu = 410000007,
        .gpus = 16384,
    };
    assert_string_equal(written(&record),
                        "{\"step\":20,\"step_time\":0.250000,\"tokens\":4194304,\"steps\":10,"
                        "\"flops\":450300000000000,\"mfu\":0.410000007,\"gpus\":16384,"
                        "\"job\":true}\n");
    record = (struct record){.has = RECORD_RANK | RECORD_MFU, .mfu = RECORD_MFU_MAX};
    assert_string_equal(written(&record), "{\"rank\":0,\"mfu\":100.000000000}\n");
}

static void times_are_rounded_to_the_nearest_microsecond(void **state)
{
    static const struct {
        int64_t ns;
        const char *text;
    } rows[] = {
        {0, "0.000000"},
        {499, "0.000000"},
        {500, "0.000001"},
        {1499, "0.000001"},
        {999999499, "0.999999"},
        {999999500, "1.000000"},
        {INT64_C(9999999999), "10.000000"},
        {INT64_C(100000000000), "100.000000"},
        {INT64_C(9000000000000000000), "9000000000.000000"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char expected[64];
        struct record record = {.has = RECORD_BEGIN, .begin_ns = rows[i].ns};
        snprintf(expected, sizeof expected, "{\"t\":%s}\n", rows[i].text);
        assert_string_equal(written(&record), expected);
    }
}

static void the_largest_numbers_fit(void **state)
{
    struct record record = {
        .has = RECORD_RANK | RECORD_STEP | RECORD_TOKENS,
        .rank = RECORD_RANK_MAX,
        .step = RECORD_STEP_MAX,
        .tokens = RECORD_TOKENS_MAX,
    };
    assert_string_equal(written(&record), "{\"rank\":1048575,\"step\":9007199254740991,"
                                          "\"tokens\":1000000000000000}\n");
}

static void names_are_escaped_and_bad_bytes_replaced(void **state)
{
    static const struct {
        const char *name, *text;
    } rows[] = {
        {"", ""},
        {"a\"b\\c/", "a\\\"b\\\\c/"},
        {"\x1b[31m\n\x7f", "\\u001b[31m\\u000a\\u007f"},
        {"節點", "節點"},
        {"\xff\xc3", "\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},                 /* overlong */
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* a surrogate */
        {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char expected[128];
        struct record record = {.has = RECORD_HOST, .host = str_from(rows[i].name)};
        snprintf(expected, sizeof expected, "{\"host\":\"%s\"}\n", rows[i].text);
        assert_string_equal(written(&record), expected);
    }
}

static void a_long_name_is_cut_between_characters(void **state)
{
    char name[4096];
    memset(name, 1, sizeof name);
    struct record record = {
        .has = RECORD_HOST | RECORD_GROUP,
        .host = str_of(name, sizeof name),
        .group = str_of(name, sizeof name),
    };
    size_t host_bytes = 6 * RECORD_JSON_NAME_MAX;
    assert_int_equal(strlen(written(&record)),
                     strlen("{\"host\":\"\",\"group\":\"\"}\n") + 2 * host_bytes);
    memset(name, 'x', sizeof name);
    memcpy(name + RECORD_JSON_NAME_MAX - 1, "\xc3\xa9", 2);
    record.has = RECORD_HOST;
    assert_int_equal(strlen(written(&record)),
                     strlen("{\"host\":\"\"}\n") + RECORD_JSON_NAME_MAX - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_has_its_key_and_unit),
        cmocka_unit_test(absent_fields_are_not_written),
        cmocka_unit_test(an_event_is_written_as_its_word),
        cmocka_unit_test(a_record_of_the_job_has_no_rank),
        cmocka_unit_test(times_are_rounded_to_the_nearest_microsecond),
        cmocka_unit_test(the_largest_numbers_fit),
        cmocka_unit_test(names_are_escaped_and_bad_bytes_replaced),
        cmocka_unit_test(a_long_name_is_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
