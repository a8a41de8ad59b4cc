/* Traces of the PyTorch profiler (Kineto): the spans called ProfilerStep#N become
 * steps of one rank; the time in which only NCCL's kernels ran becomes the exchange,
 * and the rest, idle times included, its own time. One rank a file. */
#include "json_push.h"
#include "kineto_sniff.h"
#include "kineto_steps.h"
#include "log_format.h"
#include "log_text.h"
#include "trace_time.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define BEGIN_MAX INT64_C(4000000000000000000)

enum category { OTHER, HOST, TWIN, KERNEL, COPY };

/* Keys whose value is wanted; which one is being read. */
enum key { NO_KEY, PHASE, CATEGORY, NAME, BEGIN, LENGTH, RANK, WORLD, BASE, DISTRIBUTED, EVENTS };

struct event {
    bool complete; /* "ph": "X" */
    bool has_begin, has_length, exchange, pairs, torn;
    enum category category;
    int64_t step; /* of its name; -1 */
    int64_t begin_ns, length_ns;
};

struct kineto {
    struct json_push json;
    struct log_out *out; /* during a call */
    enum key key;
    unsigned event_depth; /* of the events' braces; 0: not among them */
    bool bare;            /* the document is the array of events itself */
    bool whole, told;
    bool told_damage;
    bool damaged, gaps;           /* gaps: kernels that can't be counted */
    int64_t rank, world, base_ns; /* -1: not there; base: 0 */
    uint64_t events;
    struct event event;
    struct kineto_steps steps;
};

/* ---- one event ---- */

static bool begins_with(struct str s, const char *text)
{
    size_t length = strlen(text);
    return s.len >= length && strncasecmp(s.p, text, length) == 0;
}

static bool is_exchange(struct str name)
{
    static const char *const begins[] = {"nccl",   "rccl",      "hccl", "hcom_", "msccl",
                                         "oneccl", "deep_ep::", "ccl_", "ccl::", "nvshmem"};
    if (begins_with(name, "void "))
        name = log_from(name, 5);
    for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
        if (begins_with(name, begins[i]))
            return true;
    return false;
}

static bool is_pairs(struct str name)
{
    return log_find(name, "SendRecv") != SIZE_MAX || log_find(name, "AllToAll") != SIZE_MAX ||
           log_find(name, "alltoall") != SIZE_MAX;
}

static void take_name(struct event *event, struct str name)
{
    size_t length;
    static const char step[] = "ProfilerStep#";
    if (name.len > sizeof(step) - 1 && memcmp(name.p, step, sizeof(step) - 1) == 0) {
        struct str number = log_from(name, sizeof(step) - 1);
        if (!log_integer(number, &event->step, &length) || length != number.len)
            event->step = -1;
        return;
    }
    event->exchange = is_exchange(name);
    event->pairs = event->exchange && is_pairs(name);
}

static enum category category_of(struct str text)
{
    static const struct {
        const char *text;
        enum category category;
    } known[] = {{"cpu_op", HOST},   {"kernel", KERNEL},     {"user_annotation", HOST},
                 {"Kernel", KERNEL}, {"gpu_memcpy", COPY},   {"gpu_user_annotation", TWIN},
                 {"Operator", HOST}, {"gpu_memset", COPY},   {"Memcpy", COPY},
                 {"Memset", COPY},   {"ProfilerStep", HOST}, {"hpu_op", KERNEL}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (str_is(text, known[i].text))
            return known[i].category;
    /* "xpu_kernel" and the like of other devices */
    bool kernel = text.len > 7 && str_is(log_from(text, text.len - 7), "_kernel");
    return kernel ? KERNEL : OTHER;
}

static void take_time(struct event *event, struct str text, bool begin)
{
    int64_t ns;
    if (!trace_microseconds(text, &ns) || ns > BEGIN_MAX || ns < -BEGIN_MAX ||
        (!begin && (ns < 0 || ns > RECORD_DURATION_MAX_NS))) {
        event->torn = true;
        return;
    }
    *(begin ? &event->begin_ns : &event->length_ns) = ns;
    *(begin ? &event->has_begin : &event->has_length) = true;
}

static void end_event(struct kineto *kineto)
{
    const struct event *event = &kineto->event;
    kineto->events++;
    bool step = event->step >= 0 && (event->category == HOST || event->category == TWIN);
    bool work = event->category == KERNEL || event->category == COPY;
    if (!event->complete || (!step && !work))
        return;
    if (event->torn || !event->has_begin || !event->has_length) {
        log_out_damaged(kineto->out, "a step or kernel of the trace without a valid ts and dur");
        kineto->gaps |= work;
        return;
    }
    if (step) {
        if (!kineto_steps_add(&kineto->steps, event->category == TWIN, event->step, event->begin_ns,
                              event->length_ns))
            log_out_count(kineto->out, LOG_DOUBLED, "ProfilerStep#%lld stands there twice",
                          (long long)event->step);
        return;
    }
    enum kineto_kind kind = event->category == COPY ? KINETO_COPY
                            : event->pairs          ? KINETO_PAIRS
                            : event->exchange       ? KINETO_EXCHANGE
                                                    : KINETO_COMPUTE;
    kineto_steps_work(&kineto->steps, kind, event->begin_ns, event->length_ns);
}

/* ---- tokens ---- */

static enum key event_key(struct str name)
{
    switch (name.len) {
    case 2:
        return name.p[0] == 'p' && name.p[1] == 'h'   ? PHASE
               : name.p[0] == 't' && name.p[1] == 's' ? BEGIN
                                                      : NO_KEY;
    case 3:
        return memcmp(name.p, "cat", 3) == 0   ? CATEGORY
               : memcmp(name.p, "dur", 3) == 0 ? LENGTH
                                               : NO_KEY;
    case 4:
        return memcmp(name.p, "name", 4) == 0 ? NAME : NO_KEY;
    default:
        return NO_KEY;
    }
}

static enum key key_at(const struct kineto *kineto, struct str name, unsigned depth)
{
    if (kineto->event_depth > 0)
        return depth == kineto->event_depth + 1 ? event_key(name) : NO_KEY;
    if (depth == 1)
        return str_is(name, "traceEvents")           ? EVENTS
               : str_is(name, "distributedInfo")     ? DISTRIBUTED
               : str_is(name, "baseTimeNanoseconds") ? BASE
                                                     : NO_KEY;
    return str_is(name, "rank") ? RANK : str_is(name, "world_size") ? WORLD : NO_KEY;
}

static bool open_value(struct kineto *kineto, enum json_token token, unsigned depth)
{
    if (depth == 0) {
        kineto->bare = token == JSON_ARRAY;
        kineto->event_depth = kineto->bare ? 1 : 0;
        return true;
    }
    if (kineto->event_depth > 0) {
        if (depth != kineto->event_depth || token != JSON_OBJECT)
            return false;
        kineto->event = (struct event){.step = -1};
        return true;
    }
    if (depth == 1 && kineto->key == EVENTS && token == JSON_ARRAY) {
        kineto->event_depth = 2;
        return true;
    }
    return depth == 1 && kineto->key == DISTRIBUTED && token == JSON_OBJECT;
}

static void close_value(struct kineto *kineto, unsigned depth)
{
    if (depth == 0)
        kineto->whole = true;
    else if (kineto->event_depth > 0 && depth == kineto->event_depth)
        end_event(kineto);
    else if (depth == 1)
        kineto->event_depth = 0;
}

static void take_number(struct kineto *kineto, struct str text)
{
    int64_t value;
    size_t length;
    if (kineto->key == BEGIN || kineto->key == LENGTH)
        take_time(&kineto->event, text, kineto->key == BEGIN);
    else if (kineto->key == BASE)
        str_to_int(text, 0, BEGIN_MAX, &kineto->base_ns);
    else if ((kineto->key == RANK || kineto->key == WORLD) && log_integer(text, &value, &length) &&
             length == text.len && value <= RECORD_RANK_MAX)
        *(kineto->key == RANK ? &kineto->rank : &kineto->world) = value;
}

static void take_string(struct kineto *kineto, struct str text)
{
    struct event *event = &kineto->event;
    if (kineto->key == PHASE)
        event->complete = str_is(text, "X");
    else if (kineto->key == CATEGORY)
        event->category = category_of(text);
    else if (kineto->key == NAME)
        take_name(event, text);
    else
        take_number(kineto, text); /* some writers put quotes around them */
}

static bool take(void *to, enum json_token token, struct str text, unsigned depth)
{
    struct kineto *kineto = to;
    switch (token) {
    case JSON_KEY:
        kineto->key = key_at(kineto, text, depth);
        return kineto->key != NO_KEY;
    case JSON_STRING:
        take_string(kineto, text);
        return true;
    case JSON_NUMBER:
        take_number(kineto, text);
        return true;
    case JSON_OBJECT:
    case JSON_ARRAY:
        return open_value(kineto, token, depth);
    case JSON_OBJECT_END:
    case JSON_ARRAY_END:
        close_value(kineto, depth);
        return true;
    default:
        return true;
    }
}

/* ---- what it comes to ---- */

static void tell_value(struct kineto *kineto, const char *name, const char *unit, double value)
{
    log_out_value(kineto->out, str_from(name), unit, value);
}

static void tell_step(struct kineto *kineto, const struct kineto_step *step)
{
    double length = step->length_ns > 0 ? (double)step->length_ns : 1;
    double busy = (double)step->busy_ns / length * 100;
    tell_value(kineto, "kernels a step", "kernels", (double)step->kernels);
    tell_value(kineto, "kernel time a step", "ms", (double)step->kernel_ns / 1e6);
    tell_value(kineto, "GPU without work a step", "%", busy < 100 ? 100 - busy : 0);
    if (kineto->steps.exchanges == 0)
        return;
    tell_value(kineto, "NCCL kernels a step", "kernels", (double)step->exchanges);
    tell_value(kineto, "NCCL kernel time a step", "ms", (double)step->exchange_ns / 1e6);
    int64_t both_ns = step->hidden_ns + step->exposed_ns;
    if (both_ns > 0)
        tell_value(kineto, "NCCL behind computation", "%",
                   (double)step->hidden_ns / (double)both_ns * 100);
}

static void tell_trace(struct kineto *kineto)
{
    const struct kineto_steps *steps = &kineto->steps;
    if (steps->kernels == 0)
        return;
    tell_value(kineto, "kernels of the trace", "kernels", (double)steps->kernels);
    tell_value(kineto, "NCCL kernels of the trace", "kernels", (double)steps->exchanges);
    if (steps->exchanges > 0)
        tell_value(kineto, "NCCL kernel time of the trace", "ms", (double)steps->exchange_ns / 1e6);
    if (steps->pairs > 0)
        tell_value(kineto, "NCCL kernels that are SendRecv", "kernels", (double)steps->pairs);
    if (steps->outside > 0)
        tell_value(kineto, "kernels in no step", "kernels", (double)steps->outside);
}

/* Of a trace that breaks off, kernels may be missing: its spans are whole, what filled them is not
 * known. */
static bool knows_kernels(const struct kineto *kineto)
{
    return kineto->steps.kernels > 0 && kineto->steps.left_out == 0 && !kineto->damaged &&
           !kineto->gaps;
}

/* Where no exchange is seen, that of other ranks may be in any of the kernels: the names of its
 * library are not known, or it is no kernel. */
static bool tells_waits(const struct kineto *kineto)
{
    return kineto->steps.exchanges > 0 || kineto->world == 1;
}

static void put_step(struct kineto *kineto, const struct kineto_step *step)
{
    struct record record = {.has = RECORD_STEP | RECORD_STEP_TIME,
                            .step = step->number,
                            .step_time_ns = step->length_ns};
    if (kineto->rank >= 0) {
        record.has |= RECORD_RANK;
        record.rank = (uint32_t)kineto->rank;
    }
    if (kineto->world > 0) {
        log_out_world(kineto->out, kineto->world);
        record.has |= RECORD_GPUS;
        record.gpus = kineto->world;
    }
    int64_t begin_ns = kineto->base_ns + step->begin_ns;
    if (trace_is_unix(begin_ns)) {
        record.has |= RECORD_BEGIN;
        record.begin_ns = begin_ns;
    }
    if (knows_kernels(kineto)) {
        int64_t sync_ns = step->exposed_ns < step->length_ns ? step->exposed_ns : step->length_ns;
        if (tells_waits(kineto)) {
            record.has |= RECORD_COMPUTE;
            record.compute_ns = step->length_ns - sync_ns;
        }
        if (kineto->steps.exchanges > 0) {
            record.has |= RECORD_SYNC;
            record.phase_ns[PHASE_SYNC] = sync_ns;
        }
        tell_step(kineto, step);
    }
    log_out_record(kineto->out, &record);
}

static void tell_none(struct kineto *kineto)
{
    log_out_count(kineto->out, LOG_LEFT_OUT,
                  "a trace without steps: %llu events, %llu kernels, and no span ProfilerStep#N, "
                  "which profiler.step() makes",
                  (unsigned long long)kineto->events, (unsigned long long)kineto->steps.kernels);
}

static void tell(struct kineto *kineto)
{
    struct kineto_steps *steps = &kineto->steps;
    if (kineto->told)
        return;
    kineto->told = true;
    kineto_steps_finish(steps);
    log_out_events(kineto->out, kineto->events);
    if (steps->count == 0)
        tell_none(kineto);
    for (uint32_t i = 0; i < steps->count; i++) {
        const struct kineto_step *step = &steps->steps[i];
        if (step->cut)
            log_out_count(kineto->out, LOG_WITHOUT_PAIR,
                          "ProfilerStep#%lld was cut by the end of the recording: %.3f ms",
                          (long long)step->number, (double)step->length_ns / 1e6);
        else
            put_step(kineto, step);
    }
    if (steps->count > 0 && steps->kernels > 0 && !tells_waits(kineto))
        log_out_count(kineto->out, LOG_WITHOUT_PAIR,
                      "kernels, but none of NCCL or its like: own time, the waits not in it, is "
                      "not known");
    tell_trace(kineto);
    if (steps->left_out > 0 || steps->steps_left_out > 0)
        log_out_count(kineto->out, LOG_LEFT_OUT,
                      "%llu kernels and %llu steps of a trace that has more than there is room for",
                      (unsigned long long)steps->left_out,
                      (unsigned long long)steps->steps_left_out);
    kineto_steps_done(steps);
}

/* ---- the format ---- */

static void begin(void *state, const struct format *format)
{
    (void)format;
    struct kineto *kineto = state;
    kineto->rank = kineto->world = -1;
    json_push_init(&kineto->json, take, kineto);
}

static void bytes(void *state, const char *bytes, size_t size, struct log_out *out)
{
    struct kineto *kineto = state;
    kineto->out = out;
    if (!json_push_bytes(&kineto->json, bytes, size) && !kineto->told_damage) {
        kineto->told_damage = true;
        kineto->damaged = !kineto->whole; /* what stands behind a whole trace is no part of it */
        log_out_damaged(out, kineto->json.why);
    }
    if (kineto->whole)
        tell(kineto);
}

static void end(void *state, struct log_out *out)
{
    struct kineto *kineto = state;
    kineto->out = out;
    if (kineto->told)
        return;
    /* An array of events may end without its bracket: Chrome's format says so. */
    bool between = kineto->bare && json_push_depth_after_value(&kineto->json) == 1;
    if (!kineto->damaged && !between) {
        kineto->damaged = true;
        log_out_damaged(out, "the trace breaks off: what was whole before counts");
    }
    tell(kineto);
}

static void done(void *state)
{
    kineto_steps_done(&((struct kineto *)state)->steps);
}

const struct format format_kineto = {
    .name = "kineto",
    .title = "PyTorch profiler trace (Kineto)",
    .needs = "a trace of each rank that was recorded with profiler.step() once a step",
    .tells = "step time, the time in NCCL that no computation hid, own time, kernels, idle GPU, of "
             "the rank that was traced",
    .lacks = "more than the few steps that were recorded, and ranks that were not traced",
    .how = {"with torch.profiler.profile(schedule=torch.profiler.schedule(wait=50, warmup=1, "
            "active=5), on_trace_ready=torch.profiler.tensorboard_trace_handler('traces', "
            "worker_name=f'rank{rank}')) as profiler:",
            "    profiler.step()  # on every rank, at the end of every step"},
    .state_bytes = sizeof(struct kineto),
    .begin = begin,
    .sniff = kineto_sniff,
    .bytes = bytes,
    .end = end,
    .done = done,
};
