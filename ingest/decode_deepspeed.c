/* DeepSpeed: the wall clock breakdown, the pipeline engine's and the throughput timer's
 * lines, the communication logger and its summary.
 *
 * What is printed has no step number, or another one than the trainer above it prints. Megatron's
 * line for the same step comes after it: so the first steps are held back until it is clear
 * whether there is one. */
#include <string.h>

#include "decode_deepspeed_comm.h"
#include "decode_deepspeed_line.h"
#include "decode_deepspeed_timers.h"
#include "log_format.h"
#include "log_steps.h"
#include "log_text.h"

#define HELD_MAX 16
#define STAMP_WITHIN 120
#define STAMP_RESOLUTION_NS INT64_C(20000000)

/* What stands for a step: what says least of it first. Under the pipeline engine the timers are
 * sums over all steps since its last line. */
enum telling { TELLING_NOTHING, TELLING_RATE, TELLING_TIMERS, TELLING_PIPE, TELLINGS };
static const char *const tellings[TELLINGS] = {
    [TELLING_RATE] = "the throughput timer",
    [TELLING_PIPE] = "the pipeline engine",
    [TELLING_TIMERS] = "the wall clock breakdown",
};

struct deepspeed {
    struct record held[HELD_MAX];
    int held_count;
    bool decided; /* nobody else prints these steps */
    enum telling telling;

    struct deepspeed_timers sum;  /* of the step that goes on */
    int microsteps;               /* in it */
    struct deepspeed_timers last; /* of the line before */
    enum deepspeed_line last_kind;
    bool torn;       /* one of them was */
    bool boundaries; /* steps end with a line without "_microstep" */
    int64_t counted; /* number of the last step */
    int64_t told;    /* "step=N": of the step that ends next; 0: none */
    bool any_told;
    int64_t stamp_ns, ended_ns; /* of the last line of timers, of the last step; 0: none */
    struct log_steps pipe_steps, rate_steps;
    struct record timed; /* the timers before the pipeline engine's line; has 0: none */
    bool last_told;      /* the last step's number was told, not counted */
    double batch;        /* train_batch_size; 0: not said */
    int64_t accumulated; /* gradient_accumulation_steps; 0: not said */

    struct deepspeed_summary summary;
};

/* ---- records ---- */

static void give(const struct deepspeed *log, const struct record *record, struct log_out *out)
{
    if (record->has & RECORD_ANY_PHASE)
        log_out_note(out, LOG_NOTE_ONE_RANK);
    if (log->telling == TELLING_TIMERS && !log->any_told)
        log_out_note(out, LOG_NOTE_COUNTED);
    if (log->telling == TELLING_RATE)
        log_out_note(out, LOG_NOTE_RATE);
    log_out_record(out, record);
}

static void put_held(struct deepspeed *log, struct log_out *out)
{
    for (int i = 0; i < log->held_count; i++)
        give(log, &log->held[i], out);
    log_out_records_held(out, -log->held_count);
    log->held_count = 0;
}

/* Of the lines that stand for the same steps the one that says most gives them. */
static bool prefer(struct deepspeed *log, enum telling telling, struct log_out *out)
{
    if (telling < log->telling || (telling > log->telling && log->decided))
        return false;
    for (int i = 0; i < log->held_count && telling > log->telling; i++)
        log_out_beside(out, &log->held[i], tellings[telling]);
    if (telling > log->telling) {
        log_out_records_held(out, -log->held_count);
        log->held_count = 0;
    }
    log->telling = telling;
    return true;
}

static void leave_timed(struct deepspeed *log, struct log_out *out)
{
    if (log->timed.has)
        log_out_beside(out, &log->timed, tellings[TELLING_PIPE]);
    log->timed.has = 0;
}

static void put(struct deepspeed *log, const struct record *record, enum telling telling,
                struct log_out *out)
{
    if (telling == TELLING_TIMERS && log->telling == TELLING_PIPE) {
        leave_timed(log, out);
        log->timed = *record;
        return;
    }
    if (!prefer(log, telling, out)) {
        log_out_beside(out, record, tellings[log->telling]);
        return;
    }
    log_out_claim(out);
    if (log_out_outranked(out) || log->held_count == HELD_MAX)
        log->decided = true;
    if (!log->decided) {
        log->held[log->held_count++] = *record;
        log_out_records_held(out, 1);
        return;
    }
    put_held(log, out);
    give(log, record, out);
}

/* ---- wall clock breakdown ---- */

static void put_phase(struct record *record, enum phase phase, double ms, bool given)
{
    if (given && log_duration(ms, LOG_MILLISECOND, &record->phase_ns[phase]))
        record->has |= 1u << phase;
}

static void note_stamp(struct deepspeed *log, const struct log_line *line, struct log_out *out)
{
    bool zone = true;
    log->stamp_ns = 0;
    if (log_stamp_in(line->text, STAMP_WITHIN, &log->stamp_ns, &zone) && !zone)
        log_out_note(out, LOG_NOTE_NO_ZONE);
}

/* When it began, and whether the stamps agree that it lasted so long. */
static void put_begin(struct deepspeed *log, struct record *record, struct log_out *out)
{
    int64_t before_ns = log->ended_ns;
    log->ended_ns = log->stamp_ns;
    if (log->stamp_ns == 0 || !(record->has & RECORD_STEP_TIME))
        return;
    record->has |= RECORD_BEGIN;
    record->begin_ns = log->stamp_ns - record->step_time_ns;
    if (log->telling != TELLING_PIPE && before_ns > 0 && log->stamp_ns > before_ns &&
        log_stamps_disagree(record->step_time_ns, 1, before_ns, log->stamp_ns, STAMP_RESOLUTION_NS))
        log_out_count(out, LOG_DISAGREE, "step %lld: the phases last %.2f ms, the stamps %.2f",
                      (long long)record->step, (double)record->step_time_ns / 1e6,
                      (double)(log->stamp_ns - before_ns) / 1e6);
}

static void end_step(struct deepspeed *log, struct log_out *out)
{
    struct deepspeed_timers sum = log->sum;
    struct record record = {.has = RECORD_JOB | RECORD_STEP};
    bool torn = log->torn;
    log->last_told = log->told > 0;
    log->counted = log->told > 0 ? log->told : log->counted + 1;
    log->told = log->microsteps = 0;
    log->torn = false;
    log->sum = (struct deepspeed_timers){0};
    if (torn) {
        log->ended_ns = 0;
        return;
    }
    bool whole = sum.has[TIMER_BACKWARD], inner = sum.has[TIMER_INNER], sync = sum.has[TIMER_SYNC];
    double own = inner ? sum.ms[TIMER_INNER] : sum.ms[TIMER_BACKWARD] - sum.ms[TIMER_SYNC];
    put_phase(&record, PHASE_DATA, sum.ms[TIMER_DATA], sum.has[TIMER_DATA]);
    put_phase(&record, PHASE_FORWARD, sum.ms[TIMER_FORWARD], sum.has[TIMER_FORWARD]);
    put_phase(&record, PHASE_BACKWARD, own, inner || whole);
    put_phase(&record, PHASE_SYNC, sum.ms[TIMER_SYNC], sync);
    put_phase(&record, PHASE_OPTIMIZER, sum.ms[TIMER_STEP], sum.has[TIMER_STEP]);
    double total = sum.ms[TIMER_FORWARD] + sum.ms[TIMER_BACKWARD] + sum.ms[TIMER_STEP];
    if (whole && sum.has[TIMER_FORWARD] && sum.has[TIMER_STEP] &&
        log_duration(total, LOG_MILLISECOND, &record.step_time_ns))
        record.has |= RECORD_STEP_TIME;
    record.step = log->counted;
    put_begin(log, &record, out);
    put(log, &record, TELLING_TIMERS, out);
}

static void take_timers(struct deepspeed *log, enum deepspeed_line kind,
                        const struct deepspeed_timers *timers, const struct log_line *line,
                        struct log_out *out)
{
    if (kind == DEEPSPEED_MICROSTEP || kind == DEEPSPEED_STEP) {
        bool doubled = kind == log->last_kind && deepspeed_same(timers, &log->last);
        log->last = *timers;
        log->last_kind = kind;
        if (doubled && !timers->all_zero) {
            log_out_count(out, LOG_DOUBLED, "a line of timers");
            return;
        }
    }
    switch (kind) {
    case DEEPSPEED_OPTIMIZER: /* parts of what step_microstep holds */
        break;
    case DEEPSPEED_TORN:
        log_out_damaged(out, "a torn line of timers");
        if (!log->boundaries && log->microsteps > 0 && log->sum.last_step_ms >= 1)
            end_step(log, out);
        log->torn = true;
        break;
    case DEEPSPEED_MICROSTEP:
        /* Only the last microstep of a step moves the parameters. */
        if (!log->boundaries && log->microsteps > 0 && log->sum.last_step_ms >= 1)
            end_step(log, out);
        note_stamp(log, line, out);
        deepspeed_add_timers(&log->sum, timers);
        log->microsteps++;
        break;
    case DEEPSPEED_STEP:
        log->boundaries = true;
        if (log->microsteps == 0 && !log->torn && timers->all_zero)
            break;
        if (!timers->all_zero && (log->microsteps == 0 || deepspeed_differ(&log->sum, timers))) {
            log->sum = *timers; /* a microstep of it was lost, or one of the step before */
            log->torn = false;
        }
        note_stamp(log, line, out);
        end_step(log, out);
        break;
    }
}

/* What is behind "time (ms)". */
static void read_timers(struct deepspeed *log, struct str text, const struct log_line *line,
                        struct log_out *out)
{
    struct deepspeed_timers timers;
    enum deepspeed_line kind = deepspeed_read_timers(text, &timers, out);
    deepspeed_learn_timers(text, kind, line->form);
    take_timers(log, kind, &timers, line, out);
}

/* "step=10, skipped=0, lr=[...": of the step that ends next. */
static bool read_step_number(struct deepspeed *log, struct str text)
{
    int64_t number;
    if (!deepspeed_step_number(text, &number))
        return false;
    log->told = number;
    if (!log->any_told && log->telling == TELLING_TIMERS) { /* those that were counted before */
        int64_t shift = number - (log->counted + 1);
        for (int i = 0; i < log->held_count; i++)
            if (log->held[i].step + shift >= 0)
                log->held[i].step += shift;
    }
    log->any_told = true;
    return true;
}

/* A process begins, or goes on from a checkpoint: what was counted so far is of another attempt,
 * and the step in which that one ended has no end. Where the log numbers its steps, the next wait
 * for a number, which may be lower than before. */
static void begin_attempt(struct deepspeed *log, struct log_out *out)
{
    put_held(log, out);
    leave_timed(log, out);
    log->sum = log->last = (struct deepspeed_timers){0};
    log->microsteps = 0;
    log->torn = false;
    log->told = 0;
    log->ended_ns = 0;
    log->decided &= !log->any_told || log->telling != TELLING_TIMERS;
    log->any_told = false;
}

static bool read_loaded(struct deepspeed *log, struct str text, struct log_out *out)
{
    int64_t number;
    if (!deepspeed_loaded(text, &number))
        return false;
    begin_attempt(log, out);
    log->counted = number;
    return true;
}

/* ---- pipeline engine, throughput timer ---- */

/* The timers right before the engine's line, as means over its steps. */
static void take_timed(struct deepspeed *log, struct record *record, int64_t span,
                       struct log_out *out)
{
    if (log->telling == TELLING_TIMERS && log->held_count > 0) {
        log->timed = log->held[--log->held_count];
        log_out_records_held(out, -1);
    }
    struct record timed = log->timed;
    if (timed.has == 0 || span < 1 || !log->last_told || timed.step != record->step) {
        leave_timed(log, out);
        return;
    }
    log->timed.has = 0;
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        record->has |= timed.has & (1u << phase);
        record->phase_ns[phase] = timed.phase_ns[phase] / span;
    }
    double lasts_ns = (double)span * (double)record->step_time_ns;
    if (log->stamp_ns > 0 && (double)log->stamp_ns >= lasts_ns) {
        record->has |= RECORD_BEGIN;
        record->begin_ns = log->stamp_ns - (int64_t)lasts_ns;
    }
}

/* "steps: 101 loss: 7.7616 iter time (s): 18.650 samples/sec: 0.858" */
static bool read_pipe(struct deepspeed *log, struct str text, struct log_out *out)
{
    struct str time;
    double seconds;
    int64_t number, span, total;
    size_t after;
    struct record record = {.has = RECORD_JOB | RECORD_STEP | RECORD_STEP_TIME};
    size_t at = log_find(text, "iter time (s):");
    size_t begin = at == SIZE_MAX ? at : deepspeed_pipe_number(log_until(text, at));
    if (at == SIZE_MAX || begin == SIZE_MAX)
        return false;
    bool numbered = deepspeed_pipe_step(log_trim(log_from(text, begin)), &number, &total);
    enum log_number kind = LOG_NOTHING;
    if (log_after(log_from(text, at), "iter time (s):", &time))
        kind = log_number(time, &seconds, &after);
    if (kind == LOG_NO_NUMBER) {
        log_out_count(out, LOG_NOT_NUMBER, "iter time");
        return true;
    }
    if (!numbered || kind != LOG_NUMBER || !log_begins(log_from(time, after), " samples/sec:") ||
        !log_duration(seconds, LOG_SECOND, &record.step_time_ns)) {
        log_out_damaged(out, "a torn line of the pipeline engine");
        return true;
    }
    log_steps_next(&log->pipe_steps, number, &span);
    if (total >= number)
        log_out_planned(out, total);
    record.step = number;
    if (span > 1) {
        record.has |= RECORD_SPAN;
        record.span = span;
        log_out_note(out, LOG_NOTE_MEAN);
    }
    take_timed(log, &record, span, out);
    put(log, &record, TELLING_PIPE, out);
    return true;
}

/* "epoch=0/micro_step=20/global_step=20, RunningAvgSamplesPerSec=3.1, CurrSamplesPerSec=3.2, ": the
 * rate of that one step, over train_batch_size samples. */
static bool read_rate(struct deepspeed *log, struct str text, struct log_out *out)
{
    struct str value;
    double rate, running;
    int64_t number, span;
    size_t length;
    struct record record = {.has = RECORD_JOB | RECORD_STEP | RECORD_STEP_TIME};
    if (!log_after(text, "CurrSamplesPerSec=", &value))
        return false;
    bool micro;
    struct str step = deepspeed_rate_step(log_until(text, (size_t)(value.p - text.p)), &micro);
    enum log_number kind = log_number(value, &rate, &length);
    if (kind == LOG_NO_NUMBER) {
        log_out_count(out, LOG_NOT_NUMBER, "CurrSamplesPerSec");
        return true;
    }
    if (kind != LOG_NUMBER || length == value.len || value.p[length] != ',' ||
        !log_integer(step, &number, &length) || length == step.len || step.p[length] != ',') {
        log_out_damaged(out, "a torn line of the throughput timer");
        return true;
    }
    log_out_value(out, str_from("CurrSamplesPerSec"), "samples/s", rate);
    if (log_after(text, "RunningAvgSamplesPerSec=", &value) &&
        log_number(value, &running, &length) == LOG_NUMBER)
        log_out_value(out, str_from("RunningAvgSamplesPerSec"), "samples/s", running);
    if (micro && log->accumulated > 1) {
        if (number % log->accumulated != 0)
            return true; /* within a step */
        number /= log->accumulated;
    }
    bool again = log_steps_next(&log->rate_steps, number, &span) == LOG_STEPS_AGAIN;
    if (log->batch <= 0 || !(rate > 0) || again ||
        !log_duration(log->batch / rate, LOG_SECOND, &record.step_time_ns))
        return true;
    record.step = number;
    record.has |= RECORD_COMPUTED;
    put(log, &record, TELLING_RATE, out);
    return true;
}

/* Of the configuration, which an engine prints when it begins. */
static bool read_settings(struct deepspeed *log, struct str text, struct log_out *out)
{
    int64_t batch = (int64_t)log->batch;
    if (deepspeed_setting(text, "gradient_accumulation_steps ..", &log->accumulated))
        return true;
    if (!deepspeed_setting(text, "train_batch_size ...", &batch))
        return false;
    log->batch = (double)batch;
    if (log->counted > 0 || log->microsteps > 0)
        begin_attempt(log, out);
    return true;
}

/* ---- */

static bool read_line(struct deepspeed *log, const struct log_line *line, struct log_out *out)
{
    struct str text = line->text;
    if (deepspeed_read_summary(&log->summary, line, out) || deepspeed_read_comm(text, out))
        return true;
    size_t at = log_find(text, "time (ms)");
    if (at != SIZE_MAX && deepspeed_has_timers(log_from(text, at + strlen("time (ms)")))) {
        read_timers(log, log_from(text, at + strlen("time (ms)")), line, out);
        return true;
    }
    return read_pipe(log, text, out) || read_step_number(log, text) || read_rate(log, text, out) ||
           read_settings(log, text, out) || read_loaded(log, text, out);
}

static enum log_answer line(void *state, const struct log_line *line, struct log_out *out)
{
    if (!read_line(state, line, out))
        return LOG_OTHER;
    if (line->writer >= 0)
        log_out_note(out, LOG_NOTE_WRITER);
    return LOG_TAKEN;
}

/* A line of timers. */
static bool again(void *state, const struct log_line *line, const struct log_values *values,
                  struct log_out *out)
{
    struct deepspeed *log = state;
    struct deepspeed_timers timers;
    enum deepspeed_line kind;
    if (log->summary.open || !deepspeed_timers_again(values, &timers, &kind, out))
        return false;
    take_timers(log, kind, &timers, line, out);
    if (line->writer >= 0)
        log_out_note(out, LOG_NOTE_WRITER);
    return true;
}

static void end(void *state, struct log_out *out)
{
    struct deepspeed *log = state;
    if (!log->boundaries && log->microsteps > 0 && log->sum.last_step_ms >= 1)
        end_step(log, out);
    put_held(log, out);
    leave_timed(log, out);
}

static const char *const anchors[] = {"rank=0 time (ms)",
                                      "time (ms) | f",
                                      "time (ms) | b",
                                      "time (ms) | step",
                                      "time (ms) | optim",
                                      "iter time (s):",
                                      ", skipped=",
                                      "comm op: ",
                                      "Comm. Op ",
                                      "CurrSamplesPerSec=",
                                      "train_batch_size ...",
                                      "gradient_accumulation_steps ..",
                                      "/global_step",
                                      NULL};
const struct format format_deepspeed = {
    .name = "deepspeed",
    .title = "DeepSpeed",
    .needs = "\"wall_clock_breakdown\": true in its configuration for the phases",
    .tells = "the phases of a step as rank 0 saw them; step time of the pipeline engine; times of "
             "collectives with the communication logger",
    .lacks = "the times of the other ranks",
    .how = LOG_HOW_PYTHON,
    .anchors = anchors,
    .state_bytes = sizeof(struct deepspeed),
    .line = line,
    .again = again,
    .end = end,
};
