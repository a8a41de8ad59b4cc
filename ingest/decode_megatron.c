/* Megatron-LM and its relatives: Megatron-DeepSpeed, GPT-NeoX, Megatron-Bridge, Primus.
 * Timers follow their iteration line, so its record is held back while they may come; of
 * a log without timers no record waits once that is known. */
#include "decode_megatron_state.h"

#include <stdio.h>
#include <string.h>

#include "log_text.h"

#define WAIT_FIRST 64   /* lines that the first record waits for timers */
#define WAIT_USUAL 2000 /* likewise, where timers came before */

/* ---- records ---- */

/* The value of the job, as a value of each of its ranks. */
static void put_ranks(struct megatron *state, uint32_t count, bool timed, struct log_out *out)
{
    struct record record = state->held;
    char group[MEGATRON_GROUP_BYTES];
    record.has = (record.has & ~(uint32_t)(RECORD_JOB | RECORD_TOKENS)) | RECORD_RANK;
    int64_t gpus = record.has & RECORD_GPUS ? record.gpus : 0;
    if ((state->held.has & RECORD_TOKENS) && gpus > 0 && record.tokens % gpus == 0) {
        record.has |= RECORD_TOKENS;
        record.tokens /= gpus;
    }
    for (uint32_t rank = 0; rank < count; rank++) {
        struct record of_rank = record;
        of_rank.rank = rank;
        if (timed && state->timers.ranks[rank].has == 0)
            continue;
        if (timed) {
            struct megatron_times times = state->timers.ranks[rank];
            megatron_times_drop_stages(&times);
            megatron_times_put(&times, &of_rank);
        }
        if (megatron_group(state, rank, group)) {
            of_rank.has |= RECORD_GROUP;
            of_rank.group = str_from(group);
        }
        log_out_record(out, &of_rank);
    }
}

static void put_held(struct megatron *state, struct log_out *out)
{
    if (!state->holding)
        return;
    state->holding = false;
    state->waited = 0;
    if (state->hold == HOLD_FOR_RANKS && state->timers.known > 0 && !state->waits_within) {
        log_out_count(out, LOG_WITHOUT_PAIR, "iteration %lld has no timers",
                      (long long)state->held.step);
        put_ranks(state, state->timers.known, false, out);
        return;
    }
    log_out_record(out, &state->held);
}

static void want(struct megatron *state, struct log_out *out)
{
    log_out_want_all(out, state->holding || state->timers.block != MEGATRON_NO_BLOCK);
}

/* A record that waits in vain: timers do not follow, or not any more. */
static void give_up(struct megatron *state, struct log_out *out)
{
    if (state->hold == HOLD_UNKNOWN || state->timers_twice)
        state->hold = HOLD_NOT;
    state->timers_twice = true;
    put_held(state, out);
}

/* ---- the iteration line ---- */

static void check_stamp(const struct megatron *state, const struct megatron_iteration *is,
                        int64_t span, struct log_out *out)
{
    if (!is->stamped || !state->last_stamped || is->number - state->last_step != span ||
        state->events ||
        !log_stamps_disagree(is->step_time_ns, span, state->last_stamp_ns, is->stamp_ns,
                             is->resolution_ns))
        return;
    log_out_count(out, LOG_DISAGREE,
                  "iteration %lld says %.3f s a step, the stamps are %.3f s apart",
                  (long long)is->number, (double)is->step_time_ns / 1e9,
                  (double)(is->stamp_ns - state->last_stamp_ns) / 1e9);
}

static void put_tokens(const struct megatron *state, const struct megatron_iteration *is,
                       struct record *record)
{
    int64_t length = is->tokens_a_sample > 0 ? is->tokens_a_sample : state->seq_length;
    int64_t tokens;
    if (is->batch <= 0 || length <= 0 || __builtin_mul_overflow(is->batch, length, &tokens) ||
        tokens > RECORD_TOKENS_MAX)
        return;
    record->has |= RECORD_TOKENS;
    record->tokens = tokens;
}

static struct record record_of(const struct megatron *state, const struct megatron_iteration *is,
                               int64_t span)
{
    struct record record = {.has = RECORD_JOB | RECORD_STEP | RECORD_STEP_TIME | state->events,
                            .step = is->number,
                            .step_time_ns = is->step_time_ns};
    if (span > 0) {
        record.has |= RECORD_SPAN;
        record.span = span;
    }
    if (is->flops > 0) {
        record.has |= RECORD_FLOPS;
        record.flops = is->flops;
    }
    if (is->mfu > 0) {
        record.has |= RECORD_MFU;
        record.mfu = is->mfu;
    }
    if (state->gpus > 0) {
        record.has |= RECORD_GPUS;
        record.gpus = state->gpus;
    }
    int64_t whole;
    if (__builtin_mul_overflow(span > 0 ? span : 1, is->step_time_ns, &whole))
        whole = INT64_MAX;
    if (is->stamped && is->stamp_ns >= whole) {
        record.has |= RECORD_BEGIN;
        record.begin_ns = is->stamp_ns - whole;
    }
    put_tokens(state, is, &record);
    return record;
}

static void take_notes(const struct log_line *line, const struct megatron_iteration *is,
                       int64_t span, struct log_out *out)
{
    if (span > 1)
        log_out_note(out, LOG_NOTE_MEAN);
    if (is->stamped && !is->zone)
        log_out_note(out, LOG_NOTE_NO_ZONE);
    if (line->writer >= 0 || (!is->again && log_find(line->text, "[rank-") != SIZE_MAX))
        log_out_note(out, LOG_NOTE_WRITER);
}

static void remember(struct megatron *state, const struct megatron_iteration *is)
{
    state->last_step = is->number;
    state->last_time_ns = is->step_time_ns;
    state->recent[state->recent_next] = is->fields;
    state->recent_next = (state->recent_next + 1) % MEGATRON_RECENT;
    state->last_stamped = is->stamped;
    state->last_stamp_ns = is->stamp_ns;
    state->events = 0;
    state->inner_s = 0;
    state->inner.has = 0;
}

static void put_rates(const struct megatron_iteration *is, struct log_out *out)
{
    if (is->flops > 0)
        log_out_value(out, str_from("TFLOP/s a GPU"), "TFLOP/s", (double)is->flops / 1e12);
    for (size_t i = 0; i < is->rate_count; i++)
        log_out_value(out, str_from(is->rates[i].name), is->rates[i].unit, is->rates[i].value);
}

/* The M of "iteration   N/  M". */
static void put_planned(const struct megatron_iteration *is, struct log_out *out)
{
    struct str head = log_trim(is->head);
    size_t begin;
    int64_t total;
    if (log_integer_before(head, head.len, &total, &begin) && total >= is->number)
        log_out_planned(out, total);
}

/* The first record of a log that does not say its interval: the next number tells it. */
static void settle_first(struct megatron *state, int64_t next)
{
    struct record *held = &state->held;
    int64_t interval = next - held->step;
    if (!state->holding || (held->has & RECORD_SPAN) || interval <= 0 || held->step % interval != 0)
        return;
    held->has |= RECORD_SPAN;
    held->span = interval;
    int64_t more;
    if (!(held->has & RECORD_BEGIN))
        return;
    if (__builtin_mul_overflow(interval - 1, held->step_time_ns, &more) || more > held->begin_ns)
        held->has &= ~(uint32_t)RECORD_BEGIN;
    else
        held->begin_ns -= more;
}

/* Two loggers may write a few lines each, in turn: then all fields are the same. */
static bool is_known(const struct megatron *state, const struct megatron_iteration *is)
{
    for (size_t i = 0; i < MEGATRON_RECENT; i++)
        if (state->recent[i] == is->fields)
            return true;
    return is->number == state->last_step && is->step_time_ns == state->last_time_ns;
}

static void take_iteration(struct megatron *state, const struct log_line *line,
                           struct megatron_iteration *is, struct log_out *out)
{
    int64_t span;
    if (state->known && is_known(state, is)) {
        log_out_count(out, LOG_DOUBLED, "iteration %lld", (long long)is->number);
        if (line->writer == state->bridge_writer)
            state->bridge_s = 0; /* of this copy */
        return;
    }
    settle_first(state, is->number);
    if (state->holding)
        give_up(state, out);
    bool other = state->steps.any && is->number != state->last_step;
    enum log_order order = log_steps_next(&state->steps, is->number, &span);
    state->two_numbers |= other;
    if (state->steps.declared == 0 && !state->two_numbers && is->number > 1)
        span = 0; /* one number, even repeated, tells no interval */
    if (order == LOG_STEPS_ON)
        check_stamp(state, is, span, out);
    if (order ==
        LOG_STEPS_AGAIN) /* the step table takes one value a step: this one is shown here */
        log_out_value(out, str_from("the same iteration again"), "s",
                      (double)is->step_time_ns / 1e9);
    if (order == LOG_STEPS_BACK)
        megatron_put_last_event(state, out);
    megatron_check_events(state, is, out);
    take_notes(line, is, span, out);
    if (megatron_use_bridge(state) && is->flops == 0)
        is->flops = (int64_t)(state->bridge_flops + 0.5);
    state->known = true;
    state->held = record_of(state, is, span);
    if (state->inner.has && span == 1) {
        log_out_note(out, LOG_NOTE_ONE_RANK);
        megatron_times_put(&state->inner, &state->held);
    }
    put_rates(is, out);
    put_planned(is, out);
    remember(state, is);
    state->holding = true;
    log_out_claim(out);
    if (state->hold == HOLD_NOT)
        put_held(state, out);
}

static void take_iterations(struct megatron *state, const struct log_line *line,
                            struct log_out *out)
{
    struct megatron_iteration is;
    enum megatron_found found;
    size_t at = 0;
    while ((found = megatron_iteration_next(line, &at, &is, out)) != MEGATRON_END) {
        int64_t span;
        if (found == MEGATRON_FOUND)
            take_iteration(state, line, &is, out);
        else if (is.number > 0) /* its number still tells the interval */
            log_steps_next(&state->steps, is.number, &span);
        state->numbered |= is.number > 0;
        if (found != MEGATRON_FOUND && state->numbered)
            megatron_put_bridge(state, out); /* perhaps it was of this one */
        if (found == MEGATRON_TORN)
            log_out_damaged(out, "an iteration line of Megatron is torn");
    }
}

/* ---- timers ---- */

/* "time (ms) | ...": where the timers begin, SIZE_MAX: it is another's line. */
static size_t timers_begin(struct str body)
{
    size_t at = log_find(body, "time (ms) |");
    if (at == SIZE_MAX)
        return at;
    struct str before = log_trim(log_until(body, at));
    size_t end = at + strlen("time (ms) |");
    if (before.len > 0 && before.p[before.len - 1] != ':' && before.p[before.len - 1] != '-')
        return SIZE_MAX;
    return megatron_of_deepspeed(log_from(body, end)) ? SIZE_MAX : end;
}

static void take_timer_line(struct megatron *state, struct str rest, struct log_out *out)
{
    struct megatron_times times = {0};
    struct str last = {0};
    bool whole = megatron_timer_line(rest, &times, &last, out);
    if (times.has == 0 && whole)
        return; /* of the set-up, or of a checkpoint */
    uint32_t hash = megatron_hash(last);
    /* A line that ends with another timer than the others may be cut between two of them; twice, it
     * is another set of timers. */
    if (!state->last_timer && !(times.has & 1u << MEGATRON_OPTIMIZER))
        megatron_times_drop_sums(&times);
    bool cut = whole && state->last_timer && hash != state->last_timer && hash != state->odd_timer;
    if (cut)
        state->odd_timer = hash;
    else if (whole)
        state->last_timer = hash;
    if (!whole || cut)
        log_out_damaged(out, "a line of timers is torn");
    state->hold = HOLD_FOR_LINE;
    state->timers_twice = false;
    if (!state->holding)
        return;
    if (whole && !cut) {
        log_out_note(out, LOG_NOTE_ONE_RANK);
        megatron_times_put(&times, &state->held);
    }
    put_held(state, out);
}

static void put_block(struct megatron *state, bool cut, struct log_out *out)
{
    bool ranks = state->timers.block == MEGATRON_RANKS;
    if (!megatron_block_end(&state->timers, cut, out))
        return;
    if (ranks)
        state->hold = HOLD_FOR_RANKS;
    state->timers_twice = false;
    if (!state->holding) {
        log_out_count(out, LOG_WITHOUT_PAIR, "timers of a step whose iteration line is missing");
        return;
    }
    state->waits_within = ranks && megatron_holds_waits(state, out);
    if (state->waits_within) {
        put_held(state, out);
        return;
    }
    state->holding = false;
    state->waited = 0;
    megatron_place_sync(state);
    megatron_see_stages(state);
    megatron_place_waits(state, out);
    put_ranks(state, state->timers.count, true, out);
}

static void end_block(struct megatron *state, bool cut, struct log_out *out)
{
    if (state->timers.complete)
        state->timers.block = MEGATRON_NO_BLOCK;
    else if (state->timers.block != MEGATRON_NO_BLOCK)
        put_block(state, cut, out);
}

static void begin_block(struct megatron *state, enum megatron_block block,
                        const struct log_line *line, struct log_out *out)
{
    end_block(state, false, out);
    state->timers.gpus = state->gpus;
    megatron_block_begin(&state->timers, block, line);
    if (block == MEGATRON_RANKS) {
        state->hold = HOLD_FOR_RANKS;
        return;
    }
    state->hold = HOLD_NOT; /* nothing of such a block goes into a record */
    put_held(state, out);
}

/* False: the line is none of the block. */
static bool take_fit(struct megatron *state, enum megatron_fit fit, struct log_out *out)
{
    if (fit == MEGATRON_COMPLETE) {
        put_block(state, false, out);
        state->timers.block = MEGATRON_RANKS;
    } else if (fit == MEGATRON_ENDS) {
        end_block(state, false, out);
    }
    return fit == MEGATRON_FITS || fit == MEGATRON_COMPLETE;
}

static bool in_block(struct megatron *state, const struct log_line *line, struct log_out *out)
{
    return take_fit(state, megatron_block_line(&state->timers, line, out), out);
}

/* ---- a line ---- */

static bool take(struct megatron *state, const struct log_line *line, struct log_out *out)
{
    struct str text = line->text;
    if (megatron_has_time(text)) {
        end_block(state, false, out);
        take_iterations(state, line, out);
        return true;
    }
    enum megatron_block block = megatron_block_head(text);
    if (block != MEGATRON_NO_BLOCK) {
        begin_block(state, block, line, out);
        return true;
    }
    size_t at = timers_begin(line->body);
    if (at != SIZE_MAX) {
        take_timer_line(state, log_from(line->body, at), out);
        return true;
    }
    if (state->holding && log_find(text, "using world size:") != SIZE_MAX) {
        end_block(state, false, out); /* another process: what is held is not of its layout */
        put_held(state, out);
    }
    return megatron_take_more(state, line, out);
}

static enum log_answer line(void *of, const struct log_line *line, struct log_out *out)
{
    struct megatron *state = of;
    bool open = state->timers.block != MEGATRON_NO_BLOCK;
    bool taken = (open && in_block(state, line, out)) || take(state, line, out);
    unsigned patience = state->hold == HOLD_UNKNOWN ? WAIT_FIRST : WAIT_USUAL;
    if (!taken && state->holding && state->timers.block == MEGATRON_NO_BLOCK &&
        ++state->waited >= patience)
        give_up(state, out);
    want(state, out);
    return taken ? LOG_TAKEN : LOG_OTHER;
}

static bool again(void *of, const struct log_line *line, const struct log_values *values,
                  struct log_out *out)
{
    struct megatron *state = of;
    struct megatron_iteration is;
    if (log_values_have(values, MEGATRON_LEARNED_RANK)) {
        enum megatron_fit fit = megatron_block_again(&state->timers, line, values, out);
        if (fit == MEGATRON_STRANGER)
            return false;
        take_fit(state, fit, out); /* the block is open before it and behind it: no want() */
        return true;
    }
    bool open = state->timers.block != MEGATRON_NO_BLOCK && !state->timers.complete;
    if (open || !megatron_iteration_again(line, values, &is, out))
        return false;
    end_block(state, false, out);
    take_iteration(state, line, &is, out);
    want(state, out);
    return true;
}

/* Nothing waits, and what a line is, its text says: but for arguments and what DeepSpeed's engine
 * says within Megatron, numbers do not matter. */
static bool leaves(const void *of, const struct log_line *line)
{
    const struct megatron *state = of;
    return !state->known && !state->holding && state->timers.block == MEGATRON_NO_BLOCK &&
           (!line || !megatron_has_argument(line->text));
}

static void end(void *of, struct log_out *out)
{
    struct megatron *state = of;
    end_block(state, true, out);
    put_held(state, out);
    megatron_put_bridge(state, out);
    megatron_put_last_event(state, out);
}

static void done(void *of)
{
    struct megatron *state = of;
    megatron_timers_done(&state->timers);
}

static const char *const anchors[] = {"per iteration (",
                                      "per_iteration_ms",
                                      "across ranks (ms):",
                                      "time (ms) |",
                                      "iter time (s):",
                                      "GPU utilization:",
                                      "loss at iteration",
                                      "validation results at iteration",
                                      "saving checkpoint at iteration",
                                      "using world size:",
                                      "log_interval ..",
                                      "log_interval   ",
                                      "seq_length ..",
                                      "seq_length   ",
                                      "world_size ..",
                                      "world_size   ",
                                      "tensor_model_parallel_size",
                                      "pipeline_model_parallel_size",
                                      "use_tp_pp_dp_mapping",
                                      NULL};
const struct format format_megatron = {
    .name = "megatron",
    .title = "Megatron-LM",
    .needs = "nothing; --log-interval 1 for every step, --log-throughput for TFLOP/s, "
             "--timing-log-level 2 for phases",
    .tells = "step time, tokens and TFLOP/s a GPU of the job; with --timing-log-option all the "
             "phases of every rank",
    .lacks = "the times of single ranks",
    .how = LOG_HOW_MEGATRON,
    .anchors = anchors,
    .state_bytes = sizeof(struct megatron),
    .line = line,
    .again = again,
    .leaves = leaves,
    .end = end,
    .done = done,
};
