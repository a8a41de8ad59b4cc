/* What else stands in a log of Megatron: it tells what the next iteration line holds. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode_megatron_state.h"
#include "log_text.h"

/* ---- what DeepSpeed adds ---- */

/* "steps: N loss: F iter time (s): F samples/sec: F": without what runs between two steps. */
static bool take_engine_line(struct megatron *state, struct str line, struct log_out *out)
{
    struct str steps, value;
    int64_t step;
    double seconds;
    size_t length;
    if (!state->known || !log_after(line, "steps:", &steps) ||
        !log_after(line, "iter time (s):", &value) || !log_integer(steps, &step, &length))
        return false;
    if (log_number(value, &seconds, &length) != LOG_NUMBER || length == value.len) {
        log_out_damaged(out, "DeepSpeed's time of a step is torn");
        return true;
    }
    log_out_value(out, str_from("iter time"), "s", seconds);
    state->inner_s = seconds;
    state->inner_step = step;
    return true;
}

/* Megatron has a "forward", too, but no "step" in the same line. */
bool megatron_of_deepspeed(struct str timers)
{
    static const char *const first[] = {
        "fwd",           "bwd", "optimizer_", "init_optimizer_state", "selective_optimizer",
        "step_microstep"};
    struct str s = log_trim(timers);
    for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
        if (log_begins(s, first[i]))
            return true;
    return log_begins(s, "forward") &&
           (log_find(s, "_microstep: ") != SIZE_MAX || log_find(s, "| step: ") != SIZE_MAX);
}

/* A timer that was there already is of the next step: the one before lost its iteration line. */
static void put_inner(struct megatron *state, const struct megatron_times *times)
{
    if (state->inner.has & times->has)
        state->inner.has = 0;
    for (int i = 0; i < MEGATRON_TIMES; i++)
        if (times->has & 1u << i)
            state->inner.ns[i] = times->ns[i];
    state->inner.has |= times->has;
}

/* "[Rank 0] time (ms) | fwd: F | bwd: F | ...", of the step that ends now. */
static bool take_breakdown(struct megatron *state, struct str line, struct log_out *out)
{
    static const struct {
        const char *name;
        enum megatron_time time;
    } names[] = {{"fwd", MEGATRON_FORWARD},        {"forward", MEGATRON_FORWARD},
                 {"bwd_inner", MEGATRON_BACKWARD}, {"backward_inner", MEGATRON_BACKWARD},
                 {"bwd_allreduce", MEGATRON_SYNC}, {"backward_allreduce", MEGATRON_SYNC},
                 {"step", MEGATRON_OPTIMIZER}};
    size_t at = log_find(line, "time (ms) |");
    if (!state->known || at == SIZE_MAX)
        return false;
    struct str rest = log_from(line, at + strlen("time (ms) |")), part, name, value;
    struct megatron_times times = {0};
    double ms;
    while (log_next_part(&rest, "|", &part)) {
        if (!log_split(part, &name, &value))
            continue;
        size_t length;
        if (log_number(value, &ms, &length) != LOG_NUMBER || length != value.len || length < 4 ||
            value.p[length - 3] != '.')
            continue;
        log_out_value(out, name, "ms", ms);
        for (size_t i = 0; ms > 0 && i < sizeof(names) / sizeof(names[0]); i++)
            if (str_is(name, names[i].name))
                megatron_times_add(&times, names[i].time, ms);
    }
    put_inner(state, &times);
    return true;
}

/* ---- Megatron-Bridge ---- */

#define BRIDGE_MISSED 2 /* iteration lines without: their writer is gone */

void megatron_put_bridge(struct megatron *state, struct log_out *out)
{
    struct record record = {.has = RECORD_JOB | RECORD_STEP | RECORD_STEP_TIME};
    double seconds = state->bridge_s;
    state->bridge_s = 0;
    if (seconds == 0)
        return;
    if (state->numbered) {
        log_out_count(out, LOG_WITHOUT_PAIR, "a step time of %.2f s without its iteration line",
                      seconds);
        return;
    }
    record.step = ++state->bridge_count;
    if (!log_duration(seconds, LOG_SECOND, &record.step_time_ns))
        return;
    if (state->bridge_flops > 0) {
        record.has |= RECORD_FLOPS;
        record.flops = (int64_t)(state->bridge_flops + 0.5);
    }
    log_out_note(out, LOG_NOTE_COUNTED);
    log_out_record(out, &record);
}

bool megatron_use_bridge(struct megatron *state)
{
    bool waits = state->bridge_s > 0;
    state->numbered = true;
    state->bridge_s = 0;
    state->bridge_missed = waits ? 0 : state->bridge_missed + 1;
    return waits;
}

/* Several ranks print the same step, each with its own time: one is kept. */
static bool is_bridge_copy(struct megatron *state, int64_t writer, double seconds)
{
    int64_t ns;
    if (!log_duration(seconds, LOG_SECOND, &ns))
        return false;
    if (state->numbered)
        return state->bridge_any && writer != state->bridge_writer &&
               state->bridge_missed < BRIDGE_MISSED;
    int64_t number = log_writers_count(&state->bridge_writers, writer);
    return log_writers_turn(&state->bridge_writers, writer, number, ns) == LOG_TURN_DOUBLED;
}

static bool is_teraflops(struct str unit) /* its first version wrote it without "MODEL_" */
{
    return log_begins(unit, "MODEL_TFLOP/s/GPU") || log_begins(unit, "TFLOP/s/GPU");
}

/* "Step Time : 9.09s GPU utilization: 663.5MODEL_TFLOP/s/GPU", before the iteration line. */
static bool take_bridge(struct megatron *state, const struct log_line *of_line, struct log_out *out)
{
    struct str value, line = of_line->text;
    double seconds, teraflops;
    size_t length;
    if (!log_after(line, "Step Time :", &value) && !log_after(line, "Step Time:", &value))
        return false;
    if (log_number(value, &seconds, &length) != LOG_NUMBER || !(seconds > 0) ||
        length >= value.len || value.p[length] != 's' ||
        !log_after(value, "GPU utilization:", &value) ||
        log_number(value, &teraflops, &length) != LOG_NUMBER ||
        !is_teraflops(log_trim(log_from(value, length)))) {
        log_out_damaged(out, "Megatron-Bridge's line of a step is torn");
        if (of_line->writer == state->bridge_writer)
            megatron_put_bridge(state, out);
        return true;
    }
    if (is_bridge_copy(state, of_line->writer, seconds)) {
        log_out_count(out, LOG_DOUBLED, "%.2f s a step", seconds);
        return true;
    }
    if (of_line->writer >= 0)
        log_out_note(out, LOG_NOTE_WRITER);
    if (teraflops <= 0)
        log_out_count(out, LOG_IMPOSSIBLE, "%g TFLOP/s a GPU", teraflops);
    bool alone = state->bridge_s > 0 || state->bridge_count > 0;
    megatron_put_bridge(state, out);
    state->bridge_any = true;
    state->bridge_writer = of_line->writer;
    state->bridge_s = seconds;
    state->bridge_flops = teraflops > 0 && teraflops < 1e6 ? teraflops * 1e12 : 0;
    log_out_claim(out);
    if (alone && !state->numbered)
        megatron_put_bridge(state, out);
    return true;
}

/* ---- arguments and events ---- */

/* "  log_interval ........ 10", "  log_interval     : 10 (int)", "log_interval: 10". */
static bool argument(struct str body, const char *name, int64_t *ret)
{
    size_t at = log_find(body, name), length;
    if (at == SIZE_MAX)
        return false;
    struct str before = log_until(body, at), rest = log_from(body, at + strlen(name));
    if (log_find(before, "[config.py:") != SIZE_MAX)
        return false; /* DeepSpeed's: its world is that of data parallelism alone */
    bool apart = before.len > 0 && log_is_blank(before.p[before.len - 1]);
    bool indented = before.len > 1 && apart && log_is_blank(before.p[before.len - 2]);
    before = log_trim(before);
    char last = before.len > 0 ? before.p[before.len - 1] : ':';
    if (last != ':' &&
        !(apart && (last == '-' || last == ']')) && /* "... - INFO -   log_interval" */
        !indented)                                  /* "02:59:55   log_interval" */
        return false;
    rest = log_trim(rest);
    if (rest.len > 0 && rest.p[0] == ':')
        rest = log_from(rest, 1);
    while (rest.len > 0 && rest.p[0] == '.')
        rest = log_from(rest, 1);
    rest = log_trim(rest);
    if (!log_integer(rest, ret, &length) || *ret <= 0 || *ret > RECORD_SPAN_MAX)
        return false;
    rest = log_trim(log_from(rest, length));
    return rest.len == 0 || log_begins(rest, "(int)");
}

bool megatron_has_argument(struct str line)
{
    static const char *const names[] = {"using world size:",
                                        "log_interval ",
                                        "seq_length ",
                                        "world_size ",
                                        "pipeline_model_parallel_size",
                                        "use_tp_pp_dp_mapping"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (log_find(line, names[i]) != SIZE_MAX)
            return true;
    return false;
}

static int64_t size_of(struct str body, const char *name)
{
    struct str value;
    int64_t number;
    size_t length;
    return log_after(body, name, &value) && log_integer(value, &number, &length) ? number : 0;
}

/* "using world size: 16, ..., tensor-model-parallel size: 2, pipeline-model-parallel size: 4 ". */
static void take_parallel(struct megatron *state, struct str body)
{
    state->stages = size_of(body, " pipeline-model-parallel size:");
    state->tensor = size_of(body, " tensor-model-parallel size:");
    state->other_order = size_of(body, "encoder-pipeline-model-parallel size:") > 0;
}

static bool take_argument(struct megatron *state, struct str body, struct log_out *out)
{
    struct str value;
    size_t length;
    int64_t number;
    if (log_after(body, "using world size:", &value) && log_integer(value, &number, &length) &&
        length < value.len && number > 0 && number <= RECORD_RANK_MAX) {
        state->timers.known = number == state->gpus ? state->timers.known : 0;
        state->gpus = number;
        state->known = true;
        take_parallel(state, body);
        /* Another process: the pause before it is in no step's time, and no checkpoint's. */
        state->last_stamped = false;
        megatron_put_last_event(state, out);
        memset(state->timers.usual_names, 0, sizeof(state->timers.usual_names));
        state->timers.usual_lines = state->timers.usual_times = 0;
        return true;
    }
    bool stages = argument(body, "pipeline_model_parallel_size", &number);
    if (stages || argument(body, "tensor_model_parallel_size", &number)) {
        *(stages ? &state->stages : &state->tensor) = number;
        return state->known; /* other trainers print them, too */
    }
    size_t mapping = log_find(body, "use_tp_pp_dp_mapping");
    if (mapping != SIZE_MAX) {
        state->other_order |= log_find_from(body, mapping, "True") != SIZE_MAX;
        return state->known;
    }
    if (argument(body, "log_interval ", &number))
        state->steps.declared = number;
    else if (argument(body, "seq_length ", &number))
        state->seq_length = number;
    else if (!argument(body, "world_size ", &number))
        return false;
    else if (state->gpus == 0 && number <= RECORD_RANK_MAX)
        state->gpus = number;
    return true;
}

static bool take_event(struct megatron *state, struct str line)
{
    if (log_find(line, "validation loss at iteration") != SIZE_MAX ||
        log_find(line, "validation results at iteration") != SIZE_MAX)
        state->events |= RECORD_VALIDATION;
    else if (log_find(line, "saving checkpoint at iteration") != SIZE_MAX)
        state->events |= RECORD_CHECKPOINT;
    else
        return false;
    return true;
}

/* A validation or checkpoint is in this step's time; DeepSpeed's own clock leaves it out. */
void megatron_check_events(const struct megatron *state, const struct megatron_iteration *is,
                           struct log_out *out)
{
    double said = (double)is->step_time_ns / 1e9, inner = state->inner_s;
    bool differs = state->inner_step == is->number && inner > 0 && said > inner * 1.1;
    const char *what = state->events & RECORD_VALIDATION ? "validation" : "checkpoint";
    if (state->events && differs)
        log_out_count(out, LOG_EVALUATION, "iteration %lld: %.3f s with a %s, %.3f s without",
                      (long long)is->number, said, what, inner);
    else if (state->events)
        log_out_count(out, LOG_EVALUATION, "a %s before iteration %lld", what,
                      (long long)is->number);
    else if (differs)
        log_out_count(out, LOG_DISAGREE, "iteration %lld: %.3f s, DeepSpeed's clock says %.3f s",
                      (long long)is->number, said, inner);
}

void megatron_put_last_event(struct megatron *state, struct log_out *out)
{
    if (state->events)
        log_out_count(out, LOG_EVALUATION, "a %s after the last iteration",
                      state->events & RECORD_VALIDATION ? "validation" : "checkpoint");
    state->events = 0;
}

/* ---- times of ranks ---- */

bool megatron_holds_waits(const struct megatron *state, struct log_out *out)
{
    uint32_t any = 0;
    for (uint32_t rank = 0; rank < state->timers.count; rank++)
        any |= state->timers.ranks[rank].has;
    if (state->stages == 1 || !(any & 1u << MEGATRON_BOTH) ||
        (any & (1u << MEGATRON_FORWARD | 1u << MEGATRON_BACKWARD)))
        return false;
    const char *why = state->stages > 1 ? "holds the waits of the pipeline"
                                        : "may hold waits of a pipeline, of which the log says "
                                          "nothing";
    log_out_count(out, LOG_LEFT_OUT,
                  "iteration %lld: forward-backward %s, so it is no rank's own time; "
                  "--timing-log-level 2 gives that",
                  (long long)state->held.step, why);
    return true;
}

/* How far the ranks are apart that have both times: in forward-backward alone, and with the
 * exchange behind it. False: too few have them. */
static bool spreads_of(const struct megatron_timers *timers, int64_t *ret_alone, int64_t *ret_both)
{
    const uint32_t needed = 1u << MEGATRON_BOTH | 1u << MEGATRON_SYNC_WITHIN;
    int64_t least[2] = {INT64_MAX, INT64_MAX}, most[2] = {0, 0};
    uint32_t count = 0;
    for (uint32_t rank = 0; rank < timers->count; rank++) {
        const struct megatron_times *times = &timers->ranks[rank];
        if ((times->has & needed) != needed)
            continue;
        int64_t alone = times->ns[MEGATRON_BOTH];
        int64_t values[2] = {alone, alone + times->ns[MEGATRON_SYNC_WITHIN]};
        for (int i = 0; i < 2; i++) {
            least[i] = values[i] < least[i] ? values[i] : least[i];
            most[i] = values[i] > most[i] ? values[i] : most[i];
        }
        count++;
    }
    *ret_alone = count ? most[0] - least[0] : 0;
    *ret_both = count ? most[1] - least[1] : 0;
    return count > 1;
}

/* Ranks leave the exchange together. In versions that time it within forward-backward (Megatron
 * core of 2024 and later, those before have it behind) that is as long on all ranks, in others it
 * is so with the exchange only. What is not clear is as it was in the step before. */
void megatron_place_sync(struct megatron *state)
{
    int64_t alone, both;
    struct megatron_timers *timers = &state->timers;
    if (!spreads_of(timers, &alone, &both))
        return;
    if (both < alone / 4)
        state->sync_behind = true;
    else if (alone < both / 4)
        state->sync_behind = false;
    for (uint32_t rank = 0; state->sync_behind && rank < timers->count; rank++) {
        struct megatron_times *times = &timers->ranks[rank];
        if (!(times->has & 1u << MEGATRON_SYNC_WITHIN))
            continue;
        int64_t other = times->has & 1u << MEGATRON_SYNC ? times->ns[MEGATRON_SYNC] : 0;
        times->ns[MEGATRON_SYNC] = other + times->ns[MEGATRON_SYNC_WITHIN];
        times->has = (times->has & ~(1u << MEGATRON_SYNC_WITHIN)) | 1u << MEGATRON_SYNC;
    }
}

/* Those that receive nothing from a stage before are the first; all stages are as large. */
void megatron_see_stages(struct megatron *state)
{
    const struct megatron_timers *timers = &state->timers;
    uint32_t first = 0;
    while (first < timers->count && !(timers->ranks[first].has & 1u << MEGATRON_RECEIVE))
        first++;
    if (first == 0 || first == timers->count || timers->count % first != 0)
        return;
    for (uint32_t rank = first; rank < timers->count; rank++)
        if (!(timers->ranks[rank].has & 1u << MEGATRON_RECEIVE))
            return;
    bool fewer = first < state->seen_stage; /* there a row was lost */
    if (fewer || timers->count != state->seen_ranks)
        state->seen_stage = first;
    state->seen_ranks = timers->count;
}

/* The exchange that a wait for all is put to; MEGATRON_TIMES: it is not known. */
static enum megatron_time exchange_of(const struct megatron_times *times)
{
    const uint32_t any =
        1u << MEGATRON_SYNC | 1u << MEGATRON_SYNC_WITHIN | 1u << MEGATRON_SYNC_BACKWARD;
    return times->has & 1u << MEGATRON_SYNC_ALL ? MEGATRON_SYNC_ALL
           : times->has & any                   ? MEGATRON_SYNC
                                                : MEGATRON_TIMES;
}

static void place_wait(struct megatron_times *times, int64_t waited)
{
    enum megatron_time to = exchange_of(times);
    if (waited > times->ns[MEGATRON_OPTIMIZER])
        return;
    times->ns[MEGATRON_OPTIMIZER] -= waited;
    if (to == MEGATRON_TIMES)
        return;
    times->ns[to] = (times->has & 1u << to ? times->ns[to] : 0) + waited;
    times->has |= 1u << to;
}

void megatron_place_waits(struct megatron *state, struct log_out *out)
{
    const uint32_t needed = 1u << MEGATRON_NORM | 1u << MEGATRON_OPTIMIZER;
    const struct megatron_timers *timers = &state->timers;
    int64_t least = INT64_MAX;
    uint32_t norms = 0;
    if (state->stages == 1 || (state->stages == 0 && state->seen_stage == 0))
        return;
    for (uint32_t rank = 0; rank < timers->count; rank++)
        norms = timers->ranks[rank].norms > norms ? timers->ranks[rank].norms : norms;
    for (uint32_t rank = 0; rank < timers->count; rank++) {
        const struct megatron_times *times = &timers->ranks[rank];
        bool whole = (times->has & needed) == needed && times->norms == norms;
        if (whole && times->ns[MEGATRON_NORM] < least)
            least = times->ns[MEGATRON_NORM];
    }
    for (uint32_t rank = 0; rank < timers->count; rank++) {
        struct megatron_times *times = &timers->ranks[rank];
        if ((times->has & 1u << MEGATRON_OPTIMIZER) && times->norms < norms) {
            megatron_times_drop_sums(times);
            times->has &= ~(1u << MEGATRON_OPTIMIZER);
            log_out_count(out, LOG_WITHOUT_PAIR,
                          "rank %" PRIu32 ": its wait within the optimizer has no time: optimizer "
                          "and exchange are left out",
                          rank);
        } else if ((times->has & needed) == needed) {
            place_wait(times, times->ns[MEGATRON_NORM] - least);
        }
    }
}

/* Ranks are numbered along the layers' parts first and along the stages last. */
bool megatron_group(const struct megatron *state, uint32_t rank,
                    char text[static MEGATRON_GROUP_BYTES])
{
    int64_t world = state->gpus, stages = state->stages, tensor = state->tensor;
    if (stages == 0 && state->seen_stage && (world == 0 || world == state->seen_ranks)) {
        world = state->seen_ranks;
        stages = world / state->seen_stage;
    }
    if (world < 2 || rank >= world || state->other_order)
        return false;
    if (stages > 1 && world % stages == 0)
        snprintf(text, MEGATRON_GROUP_BYTES, "pp%" PRId64, rank / (world / stages));
    else if (stages == 1 && tensor > 1 && tensor < world && world % tensor == 0)
        snprintf(text, MEGATRON_GROUP_BYTES, "tp%" PRId64, rank / tensor);
    else
        return false;
    return true;
}

bool megatron_take_more(struct megatron *state, const struct log_line *line, struct log_out *out)
{
    return take_engine_line(state, line->text, out) || take_breakdown(state, line->text, out) ||
           take_bridge(state, line, out) || take_event(state, line->text) ||
           take_argument(state, line->body, out);
}
