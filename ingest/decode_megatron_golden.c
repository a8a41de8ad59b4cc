/* Megatron's golden values: one JSON document that its tests compare with, metrics by name,
 * each with values by step: {"iteration-time": {"start_step": 1, "step_interval": 5,
 * "values": {"1": 92.3, "5": 8.9}}}. Older ones have a list of values.
 *
 * The tests log every step and keep every so many of them: a value is of its step alone, not a mean
 * since the one before. What the steps between took is not known. */
#include <string.h>

#include "json_push.h"
#include "log_format.h"
#include "log_text.h"

struct golden {
    bool begun;
    struct json_push json;
    struct log_out *out; /* during a call only */
    bool of_steps;       /* the metric that is read is the time of a step */
    int64_t start, interval;
    enum { GOLDEN_OTHER, GOLDEN_START, GOLDEN_INTERVAL, GOLDEN_VALUES } field;
    int64_t step; /* of the value that comes, of an object; -1: none */
    bool in_list;
    int64_t listed; /* values of a list so far */
};

/* ---- recognition ---- */

static size_t skip_blanks(const char *bytes, size_t size, size_t at)
{
    while (at < size &&
           (bytes[at] == ' ' || bytes[at] == '\n' || bytes[at] == '\r' || bytes[at] == '\t'))
        at++;
    return at;
}

/* Behind a string that begins at `at`; 0: there is none, SIZE_MAX: not all of it is there. */
static size_t string_end(const char *bytes, size_t size, size_t at)
{
    if (at >= size)
        return SIZE_MAX;
    if (bytes[at] != '"')
        return 0;
    const char *end = memchr(bytes + at + 1, '"', size - at - 1);
    return end ? (size_t)(end - bytes) + 1 : SIZE_MAX;
}

/* {"name": {"start_step" at the beginning. */
static enum log_sniff sniff(const char *bytes, size_t size, bool whole)
{
    static const char *const first[] = {"\"start_step\"", "\"end_step\"", "\"step_interval\""};
    enum log_sniff more = whole ? LOG_SNIFF_NO : LOG_SNIFF_MORE;
    size_t at = skip_blanks(bytes, size, 0);
    if (at == size)
        return more;
    if (bytes[at] != '{')
        return LOG_SNIFF_NO;
    size_t end = string_end(bytes, size, skip_blanks(bytes, size, at + 1));
    if (end == 0 || end == SIZE_MAX)
        return end ? more : LOG_SNIFF_NO;
    for (const char *expected = ":{"; *expected; expected++) {
        at = skip_blanks(bytes, size, end);
        if (at == size)
            return more;
        if (bytes[at] != *expected)
            return LOG_SNIFF_NO;
        end = at + 1;
    }
    at = skip_blanks(bytes, size, end);
    end = string_end(bytes, size, at);
    if (end == 0 || end == SIZE_MAX)
        return end ? more : LOG_SNIFF_NO;
    for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
        if (str_is(str_of(bytes + at, end - at), first[i]))
            return LOG_SNIFF_YES;
    return LOG_SNIFF_NO;
}

/* ---- values ---- */

static void put_step(struct golden *golden, int64_t step, double seconds)
{
    struct record record = {.has = RECORD_JOB | RECORD_STEP | RECORD_STEP_TIME, .step = step};
    if (!(seconds > 0)) {
        log_out_count(golden->out, LOG_IMPOSSIBLE, "step %lld took %g s", (long long)step, seconds);
        return;
    }
    if (!log_duration(seconds, LOG_SECOND, &record.step_time_ns)) {
        log_out_damaged(golden->out, "the time of a step is out of range");
        return;
    }
    log_out_record(golden->out, &record);
}

static void take_value(struct golden *golden, enum json_token token, struct str text)
{
    double seconds;
    int64_t step = golden->step;
    if (golden->in_list) {
        int64_t interval = golden->interval > 0 ? golden->interval : 1;
        step = golden->start + golden->listed++ * interval;
    }
    golden->step = -1;
    if (step < 0) {
        log_out_damaged(golden->out, "a step that is no number");
        return;
    }
    log_out_events(golden->out, 1);
    enum log_number kind = log_number_whole(text, NULL, &seconds);
    if (kind == LOG_NUMBER && token != JSON_CONSTANT)
        put_step(golden, step, seconds);
    else if (kind == LOG_NO_NUMBER)
        log_out_count(golden->out, LOG_NOT_NUMBER, "step %lld: \"%.*s\"", (long long)step,
                      (int)text.len, text.p);
    else
        log_out_damaged(golden->out, "the time of a step is no number");
}

static void take_field(struct golden *golden, struct str text)
{
    size_t length;
    int64_t number;
    if (!log_integer(text, &number, &length) || length != text.len || number > RECORD_SPAN_MAX)
        return;
    if (golden->field == GOLDEN_START)
        golden->start = number;
    else if (golden->field == GOLDEN_INTERVAL)
        golden->interval = number;
}

/* ---- the document ---- */

static bool take_key(struct golden *golden, struct str key, unsigned depth)
{
    if (depth == 1) {
        golden->of_steps = str_is(key, "iteration-time") || str_is(key, "iteration_timing_avg") ||
                           str_is(key, "iteration-time vs samples");
        golden->start = golden->interval = golden->listed = 0;
        return golden->of_steps;
    }
    if (depth == 2) {
        golden->field = str_is(key, "start_step")      ? GOLDEN_START
                        : str_is(key, "step_interval") ? GOLDEN_INTERVAL
                        : str_is(key, "values")        ? GOLDEN_VALUES
                                                       : GOLDEN_OTHER;
        return golden->field != GOLDEN_OTHER;
    }
    size_t length;
    if (!log_integer(key, &golden->step, &length) || length != key.len)
        golden->step = -1;
    return depth == 3;
}

static bool handle(void *to, enum json_token token, struct str text, unsigned depth)
{
    struct golden *golden = to;
    switch (token) {
    case JSON_OBJECT:
    case JSON_ARRAY:
        golden->in_list = token == JSON_ARRAY;
        return token == JSON_OBJECT ? depth < 3 : depth == 2 && golden->field == GOLDEN_VALUES;
    case JSON_KEY:
        return take_key(golden, text, depth);
    case JSON_STRING:
    case JSON_NUMBER:
    case JSON_CONSTANT:
        if (depth == 2)
            take_field(golden, text);
        else if (depth == 3 && golden->field == GOLDEN_VALUES)
            take_value(golden, token, text);
        return true;
    default:
        return true;
    }
}

static void bytes(void *state, const char *bytes, size_t size, struct log_out *out)
{
    struct golden *golden = state;
    if (!golden->begun) {
        golden->begun = true;
        golden->step = -1;
        json_push_init(&golden->json, handle, golden);
    }
    golden->out = out;
    bool before = !golden->json.why;
    if (!json_push_bytes(&golden->json, bytes, size) && before)
        log_out_damaged(out, "the document is no JSON from here on");
    golden->out = NULL;
}

static void end(void *state, struct log_out *out)
{
    struct golden *golden = state;
    golden->out = out;
    if (golden->begun && !golden->json.why && !json_push_end(&golden->json))
        log_out_damaged(out, "the document is cut");
}

const struct format format_megatron_golden = {
    .name = "megatron-golden",
    .title = "Megatron golden values",
    .needs = "nothing; the file a test of Megatron compares with",
    .tells = "step time of the job, of those steps that the test keeps",
    .lacks = "the times of single ranks",
    .how = LOG_HOW_MEGATRON,
    .state_bytes = sizeof(struct golden),
    .sniff = sniff,
    .bytes = bytes,
    .end = end,
};
