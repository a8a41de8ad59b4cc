/* Events of a run, one JSON object a line: {"event_type": "interval", "payload": {..
 * "step_start": 1, "step_end": 20, "num_steps": 20, "time_s": 2955.3 ..}}. An interval is one
 * record for all of its steps. */
#include <string.h>

#include "json_push.h"
#include "log_format.h"
#include "log_text.h"

enum event_field {
    EVENT_NONE,
    EVENT_TYPE,
    EVENT_STAMP,
    EVENT_FIRST,
    EVENT_LAST,
    EVENT_STEPS,
    EVENT_SECONDS,
    EVENT_MILLISECONDS,
    EVENT_TOKENS,
    EVENT_POWER,
    EVENT_ENERGY,
    EVENT_FIELDS,
};

static const struct {
    const char *key;
    enum event_field field;
} keys[] = {
    {"event_type", EVENT_TYPE},          {"timestamp", EVENT_STAMP},
    {"step_start", EVENT_FIRST},         {"step_end", EVENT_LAST},
    {"num_steps", EVENT_STEPS},          {"time_s", EVENT_SECONDS},
    {"duration", EVENT_SECONDS},         {"duration_s", EVENT_SECONDS},
    {"duration_ms", EVENT_MILLISECONDS}, {"elapsed_s", EVENT_SECONDS},
    {"interval_tokens", EVENT_TOKENS},   {"avg_power_w", EVENT_POWER},
    {"energy_j", EVENT_ENERGY},
};

struct event {
    enum event_field field; /* whose value comes */
    uint32_t has;           /* 1u << field */
    double values[EVENT_FIELDS];
    int64_t stamp_ns;
    bool interval; /* its type */
    bool no_number;
    bool zoned;
};

static void take_text(struct event *event, struct str text)
{
    size_t length;
    if (event->field == EVENT_TYPE)
        event->interval = str_is(text, "interval");
    else if (event->field == EVENT_STAMP && !(event->has & 1u << EVENT_STAMP) &&
             log_stamp(text, &event->stamp_ns, &event->zoned, &length) && length == text.len)
        event->has |= 1u << EVENT_STAMP;
}

static void take_number(struct event *event, struct str text)
{
    double value;
    uint32_t bit = 1u << event->field;
    if (event->field == EVENT_NONE || event->field == EVENT_TYPE || event->field == EVENT_STAMP ||
        (event->has & bit))
        return;
    enum log_number kind = log_number_whole(text, NULL, &value);
    event->no_number |= kind == LOG_NO_NUMBER && event->field <= EVENT_MILLISECONDS;
    if (kind != LOG_NUMBER)
        return;
    event->has |= bit;
    event->values[event->field] = value;
}

static bool handle(void *to, enum json_token token, struct str text, unsigned depth)
{
    struct event *event = to;
    (void)depth;
    if (token == JSON_KEY) {
        event->field = EVENT_NONE;
        for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
            if (str_is(text, keys[i].key))
                event->field = keys[i].field;
    } else if (token == JSON_STRING) {
        take_text(event, text);
        take_number(event, text); /* "nan" */
    } else if (token == JSON_NUMBER || token == JSON_CONSTANT) {
        take_number(event, text);
    }
    return true;
}

static bool whole_number(double value, int64_t most, int64_t *ret)
{
    if (!(value >= 0) || value > (double)most || value != (double)(int64_t)value)
        return false;
    *ret = (int64_t)value;
    return true;
}

/* The last step and how many there are, of any two of first, last and count. */
static bool steps_of(const struct event *event, struct record *record)
{
    const double *values = event->values;
    bool first = event->has & 1u << EVENT_FIRST, last = event->has & 1u << EVENT_LAST;
    bool counted = event->has & 1u << EVENT_STEPS;
    if (!last && !(first && counted))
        return false;
    double end = last ? values[EVENT_LAST] : values[EVENT_FIRST] + values[EVENT_STEPS] - 1;
    double count = counted ? values[EVENT_STEPS] : first ? end - values[EVENT_FIRST] + 1 : 0;
    return whole_number(end, RECORD_STEP_MAX, &record->step) &&
           whole_number(count, RECORD_SPAN_MAX, &record->span) && record->span > 0;
}

static void put_interval(const struct event *event, struct log_out *out)
{
    struct record record = {.has = RECORD_JOB | RECORD_STEP | RECORD_SPAN | RECORD_STEP_TIME};
    int64_t whole_ns, tokens;
    bool seconds = event->has & 1u << EVENT_SECONDS;
    if (!seconds && !(event->has & 1u << EVENT_MILLISECONDS)) {
        if (event->no_number)
            log_out_count(out, LOG_NOT_NUMBER, "an interval has no time");
        else
            log_out_damaged(out, "an interval without a time");
        return;
    }
    double time = seconds ? event->values[EVENT_SECONDS] : event->values[EVENT_MILLISECONDS];
    if (!steps_of(event, &record)) {
        log_out_damaged(out, "an interval without its steps");
        return;
    }
    double unit = seconds ? LOG_SECOND : LOG_MILLISECOND;
    if (!(time > 0)) {
        log_out_count(out, LOG_IMPOSSIBLE, "an interval of %g", time);
        return;
    }
    if (!log_duration(time / (double)record.span, unit, &record.step_time_ns)) {
        log_out_damaged(out, "the time of an interval is out of range");
        return;
    }
    if ((event->has & 1u << EVENT_STAMP) && log_duration(time, unit, &whole_ns) &&
        event->stamp_ns >= whole_ns) {
        record.has |= RECORD_BEGIN;
        record.begin_ns = event->stamp_ns - whole_ns;
        if (!event->zoned)
            log_out_note(out, LOG_NOTE_NO_ZONE);
    }
    if ((event->has & 1u << EVENT_TOKENS) &&
        whole_number(event->values[EVENT_TOKENS], RECORD_TOKENS_MAX, &tokens)) {
        record.has |= RECORD_TOKENS;
        record.tokens = tokens / record.span;
    }
    if (record.span > 1)
        log_out_note(out, LOG_NOTE_MEAN);
    if (event->has & 1u << EVENT_POWER)
        log_out_value(out, str_from("avg_power_w"), "W", event->values[EVENT_POWER]);
    if (event->has & 1u << EVENT_ENERGY)
        log_out_value(out, str_from("energy_j"), "J", event->values[EVENT_ENERGY]);
    log_out_record(out, &record);
}

static enum log_answer line(void *state, const struct log_line *line, struct log_out *out)
{
    struct event event = {0};
    struct json_push json;
    (void)state;
    if (log_find(line->text, "\"event_type\"") == SIZE_MAX)
        return LOG_OTHER;
    size_t brace = log_find(line->text, "{");
    struct str object = log_from(line->text, brace);
    json_push_init(&json, handle, &event);
    if (!json_push_bytes(&json, object.p, object.len) || !json_push_end(&json)) {
        log_out_damaged(out, "an event of the run is torn");
        return LOG_TAKEN;
    }
    if (event.interval)
        put_interval(&event, out);
    return LOG_TAKEN;
}

static const char *const anchors[] = {"\"step_start\"", "\"step_end\"", NULL};
const struct format format_run_events = {
    .name = "run-events",
    .title = "Run events",
    .needs = "events.jsonl of the run",
    .tells = "the mean step time, tokens, power and energy of intervals of many steps",
    .lacks = "single steps, and the times of single ranks",
    .how = LOG_HOW_MEGATRON,
    .anchors = anchors,
    .line = line,
};
