/* One record by every way of the decoder: shape, template, strict pass, cJSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "decode_cjson.h"
#include "lines.h"
#include "number.h"

#define CORPUS 200000
#define DAMAGED 300000

/* A line with what must be readable behind it. */
struct text {
    char bytes[LINES_BYTES + 2 + DECODE_SLACK];
    size_t length; /* without the line end */
};

static void end_line(struct text *text, const char *line_end)
{
    memset(text->bytes + text->length, 0, sizeof(text->bytes) - text->length);
    memcpy(text->bytes + text->length, line_end, strlen(line_end));
}

static struct text text_of(const char *line)
{
    struct text text = {.length = strlen(line)};
    memcpy(text.bytes, line, text.length);
    return text;
}

static bool strictly(const struct text *text, struct record *record)
{
    struct scan_values values;
    const char *after, *why, *end = text->bytes + text->length;
    enum scan_result result = json_scan(text->bytes, end, record, &values, &after, &why);
    return result == SCAN_OK && record_is_timing(record) && after == end;
}

static bool by_cjson(const struct text *text, struct record *record, char names[2][NAME_BYTES])
{
    const char *after, *why, *end = text->bytes + text->length;
    return decode_cjson(text->bytes, end, record, names, &after, &why) == SCAN_OK &&
           record_is_timing(record) && after == end;
}

static bool quickly(struct decoder *decoder, const struct text *text, size_t line_end,
                    struct record *record)
{
    const char *end = text->bytes + text->length + line_end;
    const char *after = decode_quickly(decoder, text->bytes, end, record);
    if (after)
        assert_ptr_equal(after, end);
    return after != NULL;
}

static enum decode_result decoded(struct decoder *decoder, const struct text *text,
                                  struct record *record)
{
    size_t used;
    const char *why;
    return decode_line(decoder, text->bytes, text->length, record, &used, &why);
}

static void fail_with(const char *what, const struct text *text)
{
    print_error("%s: %.*s\n", what, (int)text->length, text->bytes);
    fail();
}

static void all_ways_give_the_same_record(void **state)
{
    (void)state;
    struct lines lines = {.state = 1};
    struct decoder decoder;
    decoder_init(&decoder);
    int quick = 0, strict = 0;
    for (int i = 0; i < CORPUS; i++) {
        struct text text = {.length = 0};
        struct record reference, record;
        char names[2][NAME_BYTES];
        text.length = lines_write(&lines, text.bytes);
        const char *line_end = i / 1000 % 2 ? "\n" : "\r\n";
        end_line(&text, line_end);
        if (!by_cjson(&text, &reference, names))
            reference.has = 0; /* null where a record needs a value */
        if (quickly(&decoder, &text, strlen(line_end), &record)) {
            quick++;
            if (!lines_same_record(&reference, &record))
                fail_with("the quick path differs", &text);
        }
        if (strictly(&text, &record)) {
            strict++;
            if (!lines_same_record(&reference, &record))
                fail_with("the strict pass differs", &text);
        }
        enum decode_result result = decoded(&decoder, &text, &record);
        if (result != (reference.has ? DECODE_RECORD : DECODE_OTHER))
            fail_with("decode_line() refuses it", &text);
        if (reference.has & RECORD_JOB) {
            reference.rank = 0;
            reference.has |= RECORD_RANK;
        }
        if (reference.has && !lines_same_record(&reference, &record))
            fail_with("decode_line() differs", &text);
    }
    assert_in_range(quick, CORPUS / 5, CORPUS); /* the fast path was at work */
    assert_in_range(strict, CORPUS / 2, CORPUS);
}

/* What the fast path takes for a record is one for the strict pass, the same one. */
static void the_fast_path_takes_no_line_that_the_strict_pass_refuses(void **state)
{
    (void)state;
    struct lines lines = {.state = 2};
    struct decoder decoder;
    decoder_init(&decoder);
    int taken = 0, refused = 0;
    for (int i = 0; i < DAMAGED; i++) {
        struct text text = {.length = 0};
        struct record record, reference;
        text.length = lines_write(&lines, text.bytes);
        end_line(&text, "\n");
        if (!quickly(&decoder, &text, 1, &record))
            decoded(&decoder, &text, &record);
        text.length = lines_damage(&lines, text.bytes, text.length);
        end_line(&text, "\n");
        bool valid = strictly(&text, &reference);
        struct decoder before = decoder;
        if (quickly(&decoder, &text, 1, &record)) {
            taken++;
            if (!valid || !lines_same_record(&reference, &record))
                fail_with("taken by the quick path", &text);
        }
        decoder = before;
        const char *after = line_template_read(&decoder.line_template, text.bytes,
                                               text.bytes + text.length, &record, NULL);
        if (after == text.bytes + text.length && !valid)
            fail_with("taken by the template", &text);
        decoder = before;
        refused += !valid;
    }
    assert_in_range(taken, DAMAGED / 60, DAMAGED);
    assert_in_range(refused, DAMAGED / 2, DAMAGED);
}

/* Every byte of a line that the shape knows, changed to every other byte. */
static void one_changed_byte_is_judged_as_the_strict_pass_does(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "{\"rank\":15,\"step\":123456,\"t\":1795961553.352638,\"data\":0.000412,\"forward\":0."
        "331246,"
        "\"host\":\"node17\",\"loss\":-2.50e-03,\"tokens\":65536,\"seq\":1234567890,\"k0\":0}",
        "{\"rank\":5,\"step\":0,\"t\":8999999999,\"data\":12.5,\"forward\":999999.123456789,"
        "\"backward\":1,\"sync\":0.1234567,\"simulated\":true,\"compute\":10.25,\"x\":\"\"}",
    };
    for (size_t l = 0; l < 2; l++) {
        struct text text = text_of(lines[l]);
        struct decoder decoder;
        struct record record, reference;
        decoder_init(&decoder);
        end_line(&text, "\n");
        assert_int_equal(decoded(&decoder, &text, &record), DECODE_RECORD);
        for (int i = 0; i < 2; i++)
            assert_true(quickly(&decoder, &text, 1, &record));
        assert_int_equal(decoder.shapes[0].hits + decoder.shapes[1].hits, 1);
        for (size_t at = 0; at < text.length; at++) {
            for (int byte = 0; byte < 256; byte++) {
                struct text changed = text;
                changed.bytes[at] = (char)byte;
                struct line_shape *shape = &decoder.shapes[decoder.recent];
                bool valid = strictly(&changed, &reference);
                bool taken = line_shape_read(shape, changed.bytes, changed.bytes + text.length + 1,
                                             &record) != NULL;
                if (taken && (!valid || !lines_same_record(&reference, &record)))
                    fail_with("taken by the shape", &changed);
                if (byte >= '1' && byte <= '8' && text.bytes[at] >= '1' && text.bytes[at] <= '8' &&
                    !taken && valid && reference.has == record.has && lines[l][at - 1] != 'k')
                    fail_with("another digit is not taken", &changed);
            }
        }
    }
}

static void numbers_are_those_of_strtod(void **state)
{
    (void)state;
    struct lines random = {.state = 3};
    for (int i = 0; i < 500000; i++) {
        char text[96] = {0};
        int fraction = (int)lines_below(&random, 18);
        unsigned whole = lines_below(&random, i % 3 ? 10 : 1000000);
        int length = snprintf(text, 32, "%u%s", whole, fraction ? "." : "");
        for (int d = 0; d < fraction; d++)
            text[length++] = (char)('0' + lines_below(&random, 10));
        text[length] = ',';
        const char *at = text, *why;
        int64_t ns = -1;
        struct record record = {.has = 0};
        assert_true(number_seconds(&at, &ns));
        assert_ptr_equal(at, text + length);
        assert_int_equal(json_put_number(&record, FIELD_DATA, text, text + length, &why), SCAN_OK);
        assert_int_equal(record.phase_ns[PHASE_DATA], ns);
        int64_t expected = llround(strtod(text, NULL) * 1e9);
        if (fraction <= 9) /* 15 digits: a double tells them apart */
            assert_int_equal(ns, expected);
        else
            assert_in_range(ns - expected + 1, 0, 2);
    }
}

static void whole_numbers_are_those_of_strtoll(void **state)
{
    (void)state;
    struct lines random = {.state = 4};
    for (int i = 0; i < 300000; i++) {
        char text[64] = {0};
        uint64_t value = lines_random(&random) >> lines_below(&random, 64);
        snprintf(text, sizeof(text), "%llu}", (unsigned long long)value);
        const char *at = text, *why;
        int64_t read;
        struct record record = {.has = 0};
        if (number_integer(&at, &read))
            assert_int_equal(read, strtoll(text, NULL, 10));
        else
            assert_true(value >= UINT64_C(1000000000000000000));
        enum scan_result result =
            json_put_number(&record, FIELD_STEP, text, strchr(text, '}'), &why);
        assert_int_equal(result, value <= RECORD_STEP_MAX ? SCAN_OK : SCAN_RANGE);
        if (result == SCAN_OK)
            assert_int_equal(record.step, value);
    }
}

#define GOOD "\"rank\":5,\"step\":7,\"forward\":0.5"

static void bad_values_are_damaged_lines(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "{\"rank\":5,\"step\":7,\"forward\":-0.5}",
        "{\"rank\":5,\"step\":7,\"forward\":NaN}",
        "{\"rank\":5,\"step\":7,\"forward\":nan}",
        "{\"rank\":5,\"step\":7,\"forward\":Infinity}",
        "{\"rank\":5,\"step\":7,\"forward\":1e308}",
        "{\"rank\":5,\"step\":7,\"forward\":1e999}",
        "{\"rank\":5,\"step\":7,\"forward\":1000000.000000001}",
        "{\"rank\":5,\"step\":7,\"forward\":04.33}",
        "{\"rank\":5,\"step\":7,\"forward\":.5}",
        "{\"rank\":5,\"step\":7,\"forward\":5.}",
        "{\"rank\":5,\"step\":7,\"forward\":+5}",
        "{\"rank\":5,\"step\":7,\"forward\":0x10}",
        "{\"rank\":5,\"step\":7,\"forward\":\"0.5\"}",
        "{\"rank\":5,\"step\":7,\"forward\":[0.5]}",
        "{\"rank\":5,\"step\":7,\"forward\":true}",
        "{\"rank\":4294967296,\"step\":7,\"forward\":0.5}",
        "{\"rank\":1048576,\"step\":7,\"forward\":0.5}",
        "{\"rank\":-1,\"step\":7,\"forward\":0.5}",
        "{\"rank\":5,\"step\":9223372036854775808,\"forward\":0.5}",
        "{\"rank\":5,\"step\":9007199254740992,\"forward\":0.5}",
        "{\"rank\":5,\"step\":1.5,\"forward\":0.5}",
        "{\"rank\":5,\"step\":07,\"forward\":0.5}",
        "{" GOOD ",\"t\":9000000000.5}",
        "{" GOOD ",\"t\":1795961553352638000}",
        "{" GOOD ",\"t\":-1}",
        "{" GOOD ",\"host\":5}",
        "{" GOOD ",\"simulated\":1}",
        "{" GOOD ",\"host\":\"a\x01\"}",
        "{" GOOD ",\"host\":\"a\\x\"}",
        "{" GOOD ",\"host\":\"a\\u12\"}",
        "{" GOOD ",}",
        "{" GOOD,
        "{" GOOD ",\"forw",
        "{" GOOD "]",
        "{" GOOD ",\"x\":0.1234567890123456789012345678901234567890123456789012345678901234567}",
        "{'rank':5,\"step\":7,\"forward\":0.5}",
    };
    /* Each alone, and after a good line of the same layout. */
    for (size_t i = 0; i < 2 * sizeof(lines) / sizeof(lines[0]); i++) {
        struct decoder decoder;
        struct record record;
        decoder_init(&decoder);
        struct text good = text_of("{" GOOD "}"), text = text_of(lines[i / 2]);
        if (i % 2)
            assert_int_equal(decoded(&decoder, &good, &record), DECODE_RECORD);
        enum decode_result result = decoded(&decoder, &text, &record);
        bool meant = strstr(lines[i / 2], "\"rank\"") != NULL || strstr(lines[i / 2], "\"step\"");
        if (result != DECODE_DAMAGED || !meant)
            fail_with("not damaged", &text);
    }
}

static struct record record_of(const char *line)
{
    struct decoder decoder;
    struct record record;
    struct text text = text_of(line);
    decoder_init(&decoder);
    if (decoded(&decoder, &text, &record) != DECODE_RECORD)
        fail_with("not a record", &text);
    return record;
}

static void unusual_numbers_are_read(void **state)
{
    (void)state;
    struct record record = record_of("{\"rank\":5.0,\"step\":1e3,\"forward\":5e-1,\"sync\":-0,"
                                     "\"t\":1795961553.3526381239,\"data\":1000000,"
                                     "\"backward\":0.0000000005,\"optimizer\":0.00000000049999}");
    assert_int_equal(record.rank, 5);
    assert_int_equal(record.step, 1000);
    assert_int_equal(record.phase_ns[PHASE_FORWARD], 500000000);
    assert_int_equal(record.phase_ns[PHASE_SYNC], 0);
    assert_int_equal(record.begin_ns, INT64_C(1795961553352638124));
    assert_int_equal(record.phase_ns[PHASE_DATA], RECORD_DURATION_MAX_NS);
    assert_int_equal(record.phase_ns[PHASE_BACKWARD], 1);
    assert_int_equal(record.phase_ns[PHASE_OPTIMIZER], 0);
}

static void of_a_key_that_stands_twice_the_last_counts(void **state)
{
    (void)state;
    static const char *const tails[] = {"}", ",\"host\":\"\\u0061\"}"}; /* strictly; by cJSON */
    for (int i = 0; i < 2; i++) {
        char line[256];
        snprintf(line, sizeof(line),
                 "{\"rank\":1,\"step\":7,\"forward\":0.5,\"sync\":1,\"simulated\":true,\"rank\":2,"
                 "\"sync\":null,\"simulated\":false,\"forward\":0.25%s",
                 tails[i]);
        struct record record = record_of(line);
        assert_int_equal(record.rank, 2);
        assert_int_equal(record.phase_ns[PHASE_FORWARD], 250000000);
        assert_false(record.has & (RECORD_SYNC | RECORD_SIMULATED));
    }
}

/* The same by every way: the first line teaches what the others may be read by. */
static void an_event_is_one_of_two_words(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        uint32_t bits;
    } rows[] = {
        {"\"checkpoint\"", RECORD_CHECKPOINT},
        {"\"validation\"", RECORD_VALIDATION},
        {"\"restart\"", 0},
        {"\"checkpoints\"", 0},
        {"\"Checkpoint\"", 0},
        {"\"\"", 0},
        {"\"check\\u0070oint\"", RECORD_CHECKPOINT},
        {"null", 0},
        {"5", 0},
        {"-1.5e3", 0},
        {"true", 0},
        {"{\"name\":\"checkpoint\"}", 0},
        {"[\"checkpoint\"]", 0},
        {"\"checkpoint\",\"event\":\"validation\"", RECORD_VALIDATION},
        {"\"checkpoint\",\"event\":5", 0},
        {"\"checkpoint\",\"event\":null", 0},
        {"\"checkpoint\",\"event\":[]", 0},
    };
    enum { COUNT = sizeof(rows) / sizeof(rows[0]) };
    for (int teacher = 0; teacher < COUNT; teacher++) {
        for (int i = 0; i < COUNT; i++) {
            struct decoder decoder;
            decoder_init(&decoder);
            for (int turn = 0; turn < 4; turn++) { /* the last may be read by a shape */
                char line[256];
                struct record record;
                snprintf(line, sizeof(line), "{\"rank\":1,\"step\":2,\"event\":%s,\"sync\":0.5}",
                         rows[turn < 3 ? teacher : i].value);
                struct text text = text_of(line);
                end_line(&text, "\n");
                if (!quickly(&decoder, &text, 1, &record))
                    assert_int_equal(decoded(&decoder, &text, &record), DECODE_RECORD);
                if ((record.has & RECORD_ANY_EVENT) != rows[turn < 3 ? teacher : i].bits)
                    fail_with("it has other events", &text);
                assert_int_equal(record.has & ~(uint32_t)RECORD_ANY_EVENT,
                                 RECORD_RANK | RECORD_STEP | RECORD_SYNC);
            }
        }
    }
}

/* Each line is read after others, which have taught what lines look like. */
static void a_record_of_the_whole_job_is_read_by_every_way(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        struct record record; /* without bits: damaged */
    } rows[] = {
        {"\"job\":true,\"step\":20,\"step_time\":0.25,\"steps\":10",
         {.has = RECORD_JOB | RECORD_SPAN, .span = 10}},
        {"\"job\":true,\"step\":20,\"step_time\":0.25,\"steps\":90",
         {.has = RECORD_JOB | RECORD_SPAN, .span = 90}},
        {"\"job\":true,\"step\":20,\"step_time\":0.25,\"steps\":1000000000",
         {.has = RECORD_JOB | RECORD_SPAN, .span = 1000000000}},
        {"\"job\":true,\"step\":20,\"step_time\":0.25,\"steps\":00", {.has = 0}},
        {"\"job\":true,\"step\":20,\"step_time\":0.25,\"steps\":3",
         {.has = RECORD_JOB | RECORD_SPAN, .span = 3}},
        {"\"job\":true,\"step\":20,\"step_time\":0.25,\"steps\":0", {.has = 0}},
        {"\"job\":true,\"step\":20,\"step_time\":0.25,\"gpus\":1048575",
         {.has = RECORD_JOB | RECORD_GPUS, .gpus = 1048575}},
        {"\"job\":true,\"step\":20,\"step_time\":0.25,\"gpus\":1048576", {.has = 0}},
        {"\"job\":true,\"step\":20,\"step_time\":0.25,\"gpus\":0000000", {.has = 0}},
        {"\"job\":true,\"step\":20,\"step_time\":0.25,\"mfu\":0.410000001",
         {.has = RECORD_JOB | RECORD_MFU, .mfu = 410000001}},
        {"\"job\":true,\"step\":20,\"step_time\":0.25,\"mfu\":99.50",
         {.has = RECORD_JOB | RECORD_MFU, .mfu = INT64_C(99500000000)}},
        {"\"job\":true,\"step\":20,\"step_time\":0.25,\"mfu\":100.5", {.has = 0}},
        {"\"job\":true,\"step\":20,\"step_time\":0.25,\"mfu\":\"41%\"", {.has = 0}},
        {"\"job\":true,\"step\":20,\"step_time\":0.25,\"flops\":450000000000000",
         {.has = RECORD_JOB | RECORD_FLOPS, .flops = INT64_C(450000000000000)}},
        {"\"job\":true,\"step\":20,\"step_time\":0.25,\"flops\":4.5e14",
         {.has = RECORD_JOB | RECORD_FLOPS, .flops = INT64_C(450000000000000)}},
        {"\"job\":true,\"step\":20,\"step_time\":0.25,\"flops\":449999999999999.75",
         {.has = RECORD_JOB | RECORD_FLOPS, .flops = INT64_C(450000000000000)}},
        {"\"job\":true,\"step\":20,\"step_time\":0.25,\"rank\":7", {.has = RECORD_JOB}},
        {"\"job\":true,\"step\":20,\"step_time\":0.25,\"\\u0072ank\":7", {.has = RECORD_JOB}},
        {"\"job\":\"yes\",\"step\":20,\"step_time\":0.25,\"rank\":7", {.has = 0}},
    };
    enum { COUNT = sizeof(rows) / sizeof(rows[0]) };
    struct decoder decoder;
    decoder_init(&decoder);
    for (int i = 0; i < COUNT * 9; i++) { /* each several times, the one before it once more */
        int row = i / 9 - (i % 9 == 4 && i / 9 > 0);
        char line[256];
        struct record record = {.rank = 99};
        snprintf(line, sizeof(line), "{%s}", rows[row].text);
        struct text text = text_of(line);
        end_line(&text, "\n");
        bool read = quickly(&decoder, &text, 1, &record) ||
                    decoded(&decoder, &text, &record) == DECODE_RECORD;
        if (read != (rows[row].record.has != 0))
            fail_with("it is a record, or none", &text);
        if (!read)
            continue;
        if (record.has & RECORD_RANK) /* else whoever reads it says so */
            assert_int_equal(record.rank, 0);
        record.has &= ~(uint32_t)(RECORD_STEP | RECORD_STEP_TIME | RECORD_RANK);
        if (!lines_same_record(&record, &rows[row].record) || record.step != 20 ||
            record.step_time_ns != 250000000)
            fail_with("it is another record", &text);
    }
}

/* Many ranks write a checkpoint in one step; the fast path must not lose its way. */
static void lines_with_an_event_are_read_quickly_too(void **state)
{
    (void)state;
    struct decoder decoder;
    decoder_init(&decoder);
    int quick = 0;
    for (int i = 0; i < 4000; i++) {
        char line[256];
        struct record record;
        bool checkpoint = i % 400 < 8;
        snprintf(line, sizeof(line), "{\"rank\":%d,\"step\":%d,\"sync\":0.%06d%s}", i % 8,
                 i / 8 + 100, i, checkpoint ? ",\"event\":\"checkpoint\"" : "");
        struct text text = text_of(line);
        end_line(&text, "\n");
        if (quickly(&decoder, &text, 1, &record))
            quick++;
        else
            assert_int_equal(decoded(&decoder, &text, &record), DECODE_RECORD);
        assert_int_equal(record.has & RECORD_ANY_EVENT, checkpoint ? RECORD_CHECKPOINT : 0);
    }
    assert_true(quick > 3960); /* 10 checkpoints, a line or two to learn before and after each */
}

static void escapes_in_keys_and_names_are_read(void **state)
{
    (void)state;
    static const char *const line = "{\"\\u0072ank\":5,\"step\":7,\"forward\":0.5,"
                                    "\"host\":\"\\u001b[31mn\\\"1\",\"step\\u0000\":9,\"x\":[{}]}";
    struct decoder decoder;
    struct record record;
    struct text text = text_of(line);
    decoder_init(&decoder);
    assert_int_equal(decoded(&decoder, &text, &record), DECODE_RECORD);
    assert_int_equal(record.rank, 5);
    assert_int_equal(record.step, 7);
    assert_true(str_is(record.host, "\x1b[31mn\"1"));
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    struct text text = text_of("{" GOOD ",\"x\":");
    for (int i = 0; i < 1000; i++)
        text.bytes[text.length++] = '[';
    struct decoder decoder;
    struct record record;
    decoder_init(&decoder);
    assert_int_equal(decoded(&decoder, &text, &record), DECODE_DAMAGED);
    for (int i = 0; i < 1000 && text.length < LINES_BYTES; i++)
        text.bytes[text.length++] = ']';
    assert_int_equal(decoded(&decoder, &text, &record), DECODE_DAMAGED);
}

static void lines_of_another_kind_are_not_damaged(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "",
        "loading checkpoint",
        "{",
        "{}",
        "}{",
        "{\"event\":\"start\"}",
        "{\"loss\":NaN}",
        "{\"rank\":5,\"event\":\"start\"}",
        "step 5: {'loss': 2.3}",
        "{\"step\":7,\"loss\":2.5}",
        "{\"step\":7,\"lo",
        "\"rank\":5,\"step\":7,\"forward\":0.5",
        "{\"message\":{\"rank\":5,\"step\":7,\"forward\":0.5}}",
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        struct decoder decoder;
        struct record record;
        struct text text = text_of(lines[i]);
        decoder_init(&decoder);
        if (decoded(&decoder, &text, &record) != DECODE_OTHER)
            fail_with("not of another kind", &text);
    }
}

static void damage_before_another_object_is_not_forgotten(void **state)
{
    (void)state;
    struct decoder decoder;
    struct record record;
    struct text text = text_of("{\"rank\":1,\"step\":2,\"forw{\"a\":1}");
    decoder_init(&decoder);
    assert_int_equal(decoded(&decoder, &text, &record), DECODE_DAMAGED);
}

/* Times printed with all their digits are of another length in each line. */
static void lengths_that_always_change_do_not_make_shapes(void **state)
{
    (void)state;
    struct decoder decoder;
    struct lines random = {.state = 5};
    struct record record;
    decoder_init(&decoder);
    for (int i = 0; i < 2000; i++) {
        struct text text = {.length = 0};
        text.length = (size_t)snprintf(
            text.bytes, LINES_BYTES, "{\"rank\":%u,\"step\":%d,\"forward\":%.*f,\"backward\":%.*f}",
            lines_below(&random, 20), i, (int)lines_below(&random, 3) + 15, 0.25,
            (int)lines_below(&random, 3) + 15, 0.5);
        end_line(&text, "\n");
        if (!quickly(&decoder, &text, 1, &record))
            assert_int_equal(decoded(&decoder, &text, &record), DECODE_RECORD);
        assert_int_equal(record.step, i);
        assert_int_equal(record.phase_ns[PHASE_FORWARD], 250000000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ways_give_the_same_record),
        cmocka_unit_test(the_fast_path_takes_no_line_that_the_strict_pass_refuses),
        cmocka_unit_test(one_changed_byte_is_judged_as_the_strict_pass_does),
        cmocka_unit_test(numbers_are_those_of_strtod),
        cmocka_unit_test(whole_numbers_are_those_of_strtoll),
        cmocka_unit_test(bad_values_are_damaged_lines),
        cmocka_unit_test(unusual_numbers_are_read),
        cmocka_unit_test(of_a_key_that_stands_twice_the_last_counts),
        cmocka_unit_test(an_event_is_one_of_two_words),
        cmocka_unit_test(lines_with_an_event_are_read_quickly_too),
        cmocka_unit_test(a_record_of_the_whole_job_is_read_by_every_way),
        cmocka_unit_test(escapes_in_keys_and_names_are_read),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(lines_of_another_kind_are_not_damaged),
        cmocka_unit_test(damage_before_another_object_is_not_forgotten),
        cmocka_unit_test(lengths_that_always_change_do_not_make_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
