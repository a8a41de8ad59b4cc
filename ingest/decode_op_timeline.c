/* The same operations as an op trace, as a timeline for Perfetto: an array of events,
 * one process a data-parallel rank, some threads a pipeline stage, the step in args.
 * The names of the threads, which say what they are, may come behind the events. */
#include "json_push.h"
#include "kineto_sniff.h"
#include "log_format.h"
#include "log_text.h"
#include "op_steps.h"
#include "trace_time.h"

#include <string.h>

#define BEGIN_MAX INT64_C(4000000000000000000)

enum key { NO_KEY, PHASE, NAME, PROCESS, THREAD, BEGIN, LENGTH, ARGS, STEP, TITLE };

struct event {
    bool complete, thread_name, torn;
    unsigned has; /* bits: enum key */
    int64_t process, thread, step, begin_ns, length_ns;
    char name[64], title[64];
    size_t name_length, title_length;
};

struct op_timeline {
    struct json_push json;
    struct log_out *out; /* during a call */
    enum key key;
    bool whole, told, damaged;
    struct event event;
    struct op_steps steps;
    int64_t tensors; /* the largest rank of tensor parallelism that a name says, + 1 */
};

/* ---- one event ---- */

/* "PP rank 0, TP rank 0, compute": the lane's stage, and meanwhile its tensor rank as the rank. */
static void name_thread(struct op_timeline *timeline, const struct event *event)
{
    struct str title = str_of(event->title, event->title_length), rest;
    int64_t stage, tensor = 0;
    size_t length;
    if (!log_after(title, "PP rank", &rest) || !log_integer(rest, &stage, &length) ||
        stage > RECORD_RANK_MAX)
        return;
    if (log_after(title, "TP rank", &rest) &&
        (!log_integer(rest, &tensor, &length) || tensor > RECORD_RANK_MAX))
        return;
    uint32_t lane = op_steps_lane(&timeline->steps, event->process, event->thread);
    if (lane == UINT32_MAX)
        return;
    timeline->steps.lanes[lane].stage = stage;
    timeline->steps.lanes[lane].rank = tensor;
    if (tensor >= timeline->tensors)
        timeline->tensors = tensor + 1;
}

static void end_event(struct op_timeline *timeline)
{
    const struct event *event = &timeline->event;
    const unsigned place = 1u << PROCESS | 1u << THREAD;
    const unsigned needed = place | 1u << BEGIN | 1u << LENGTH | 1u << STEP | 1u << NAME;
    if (event->thread_name && (event->has & place) == place)
        name_thread(timeline, event);
    if (!event->complete)
        return;
    log_out_events(timeline->out, 1);
    if (event->torn || (event->has & needed) != needed) {
        log_out_damaged(timeline->out, "an operation without a valid step, ts, dur, pid or tid");
        op_steps_spoil(&timeline->steps);
        return;
    }
    struct str name = str_of(event->name, event->name_length);
    uint32_t lane = op_steps_lane(&timeline->steps, event->process, event->thread);
    op_steps_add(&timeline->steps, lane, event->step, name, event->begin_ns, event->length_ns);
    log_out_value(timeline->out, name, "s", (double)event->length_ns / 1e9);
}

/* ---- tokens ---- */

static enum key key_at(struct str name, unsigned depth)
{
    if (depth == 3)
        return str_is(name, "step") ? STEP : str_is(name, "name") ? TITLE : NO_KEY;
    return str_is(name, "ph")     ? PHASE
           : str_is(name, "name") ? NAME
           : str_is(name, "pid")  ? PROCESS
           : str_is(name, "tid")  ? THREAD
           : str_is(name, "ts")   ? BEGIN
           : str_is(name, "dur")  ? LENGTH
           : str_is(name, "args") ? ARGS
                                  : NO_KEY;
}

static void take_number(struct event *event, enum key key, struct str text)
{
    bool valid = false;
    if (key == BEGIN)
        valid = trace_microseconds(text, &event->begin_ns) && event->begin_ns <= BEGIN_MAX &&
                event->begin_ns >= -BEGIN_MAX;
    else if (key == LENGTH)
        valid = trace_microseconds(text, &event->length_ns) && event->length_ns >= 0 &&
                event->length_ns <= RECORD_DURATION_MAX_NS;
    else if (key == STEP)
        valid = str_to_int(text, 0, RECORD_STEP_MAX, &event->step);
    else if (key == PROCESS || key == THREAD)
        valid =
            str_to_int(text, 0, RECORD_RANK_MAX, key == PROCESS ? &event->process : &event->thread);
    else
        return;
    event->torn |= !valid;
    event->has |= 1u << key;
}

static void keep(char to[64], size_t *length, struct str text)
{
    *length = text.len < 64 ? text.len : 64;
    memcpy(to, text.p, *length);
}

static void take_string(struct event *event, enum key key, struct str text)
{
    if (key == PHASE)
        event->complete = str_is(text, "X");
    if (key == TITLE)
        keep(event->title, &event->title_length, text);
    if (key == NAME) {
        keep(event->name, &event->name_length, text);
        event->thread_name = str_is(text, "thread_name");
        event->has |= 1u << NAME;
    }
}

static bool open_value(struct op_timeline *timeline, enum json_token token, unsigned depth)
{
    if (depth == 1 && token == JSON_OBJECT) {
        struct event *event = &timeline->event;
        memset(event, 0, offsetof(struct event, name));
        event->name_length = event->title_length = 0;
        return true;
    }
    return depth == 0 ? token == JSON_ARRAY
                      : depth == 2 && timeline->key == ARGS && token == JSON_OBJECT;
}

static bool take(void *to, enum json_token token, struct str text, unsigned depth)
{
    struct op_timeline *timeline = to;
    switch (token) {
    case JSON_KEY:
        timeline->key = key_at(text, depth);
        return timeline->key != NO_KEY;
    case JSON_STRING:
        take_string(&timeline->event, timeline->key, text);
        return true;
    case JSON_NUMBER:
        take_number(&timeline->event, timeline->key, text);
        return true;
    case JSON_OBJECT:
    case JSON_ARRAY:
        return open_value(timeline, token, depth);
    default:
        timeline->whole |= depth == 0;
        if (token == JSON_OBJECT_END && depth == 1)
            end_event(timeline);
        return true;
    }
}

/* ---- ranks ---- */

/* Ranks as Megatron numbers them: tensor, data, pipeline. Threads without a name are nobody's. */
static void number_ranks(struct op_timeline *timeline)
{
    struct op_steps *steps = &timeline->steps;
    int64_t processes = 0, tensors = timeline->tensors, nameless = 0;
    for (uint32_t i = 0; i < steps->lane_count; i++)
        if (steps->lanes[i].process >= processes)
            processes = steps->lanes[i].process + 1;
    for (uint32_t i = 0; i < steps->lane_count; i++) {
        struct op_lane *lane = &steps->lanes[i];
        if (lane->stage < 0)
            nameless++;
        else /* each is at most 2^20 */
            lane->rank += (lane->stage * processes + lane->process) * tensors;
    }
    if (nameless > 0)
        log_out_count(
            timeline->out, LOG_LEFT_OUT,
            "the operations of %lld threads without a name, which would say whose they are",
            (long long)nameless);
}

/* ---- the format ---- */

static void begin(void *state, const struct format *format)
{
    (void)format;
    struct op_timeline *timeline = state;
    json_push_init(&timeline->json, take, timeline);
}

static void tell(struct op_timeline *timeline)
{
    if (timeline->told)
        return;
    timeline->told = true;
    number_ranks(timeline);
    op_steps_put(&timeline->steps, false, timeline->out);
    op_steps_done(&timeline->steps);
}

static void bytes(void *state, const char *bytes, size_t size, struct log_out *out)
{
    struct op_timeline *timeline = state;
    timeline->out = out;
    if (!json_push_bytes(&timeline->json, bytes, size) && !timeline->damaged) {
        timeline->damaged = true;
        log_out_damaged(out, timeline->json.why);
    }
    if (timeline->whole)
        tell(timeline);
}

static void end(void *state, struct log_out *out)
{
    struct op_timeline *timeline = state;
    timeline->out = out;
    if (timeline->told)
        return;
    if (!timeline->damaged)
        log_out_damaged(out, "the timeline breaks off: what was whole before counts");
    timeline->damaged = true;
    op_steps_spoil_step(&timeline->steps);
    tell(timeline);
}

static void done(void *state)
{
    op_steps_done(&((struct op_timeline *)state)->steps);
}

const struct format format_op_timeline = {
    .name = "op-timeline",
    .title = "op timeline (Perfetto)",
    .needs = "events with ts, dur, pid (data-parallel rank), tid and args.step; names of threads "
             "that say the stage",
    .tells =
        "forward, backward, optimizer and step time of every recorded rank; its pipeline stage",
    .lacks = "the waits: a timeline draws communication without the waiting before it",
    .how = {"python -c \"import pandas; pandas.read_parquet('trace.parquet').to_csv('trace.csv')\"",
            "lockstep report trace.csv"},
    .state_bytes = sizeof(struct op_timeline),
    .begin = begin,
    .sniff = op_timeline_sniff,
    .bytes = bytes,
    .end = end,
    .done = done,
};
