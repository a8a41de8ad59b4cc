/* MLPerf training logs: ":::MLLOG {json}". Three sources of step times, the best one that
 * a log has counts: its own step times, its throughput, its blocks.
 *
 * What its numbers mean differs between submitters. `step` is a number of steps where samples_count
 * stands beside it, else it counts samples. samples_count of a block is where the run is, or how
 * long the block is. */
#include <math.h>
#include <string.h>

#include "decode_mllog_line.h"
#include "log_format.h"
#include "log_text.h"

#define MARK ":::MLLOG"

/* What the step records of a stream are made of. */
enum source { SOURCE_BLOCKS, SOURCE_THROUGHPUT, SOURCE_STEPS };

struct mllog {
    double batch; /* global_batch_size; 0: not said */
    int64_t gpus;
    enum source best;
    bool step_is_step;       /* a step was no multiple of the batch size: it can't count samples */
    bool validation;         /* one came since the last record */
    bool any;                /* a step came of it */
    int64_t previous, apart; /* the newest; the least distance of two, 0: none yet */
    double last_value;       /* of the newest step */

    int64_t run_ns, eval_ns; /* begin; 0: none */
    bool block_open, any_stop;
    int64_t block_ns, block_writer;
    struct mllog_number block_samples, block_step, stop_samples; /* of its begin; of the last end */
    int64_t blocks, length; /* ended blocks; steps in blocks whose length alone is told */
    struct record held;     /* of the block that ended last; no time: none */

    char scratch[MLLOG_SCRATCH];
};

static void job_record(const struct mllog *log, struct record *record)
{
    *record = (struct record){.has = RECORD_JOB | RECORD_STEP | RECORD_STEP_TIME};
    if (log->gpus > 0) {
        record->has |= RECORD_GPUS;
        record->gpus = log->gpus;
    }
}

static void put(struct mllog *log, struct record *record, struct log_out *out)
{
    if (log->validation)
        record->has |= RECORD_VALIDATION;
    log->validation = false;
    log_out_record(out, record);
}

/* ---- steps and rates ---- */

/* Which step this is; false: that can't be known. */
static bool step_number(struct mllog *log, const struct mllog_entry *entry, int64_t *ret)
{
    double batch = log->batch;
    if (entry->samples.given && batch > 0 && fmod(entry->samples.value, batch) == 0) {
        *ret = (int64_t)(entry->samples.value / batch);
        return true;
    }
    if (!entry->step.given || !(entry->step.value >= 0) || entry->step.value > 9e15)
        return false;
    log->step_is_step |= entry->samples.given || batch <= 0 || fmod(entry->step.value, batch) != 0;
    *ret = (int64_t)(log->step_is_step ? entry->step.value : entry->step.value / batch);
    return true;
}

/* How many steps a mean stands for: a larger distance than usual is a cut. */
static int64_t steps_since(struct mllog *log, int64_t step)
{
    int64_t distance = log->any ? step - log->previous : 0;
    if (distance > 0 && (log->apart == 0 || distance < log->apart))
        log->apart = distance;
    log->any = true;
    log->previous = step;
    return distance > 0 ? log->apart : 1;
}

static void put_step(struct mllog *log, const struct mllog_entry *entry, double seconds,
                     struct log_out *out)
{
    struct record record;
    job_record(log, &record);
    if (!step_number(log, entry, &record.step) ||
        !log_duration(seconds, LOG_SECOND, &record.step_time_ns)) {
        log_out_damaged(out, "a step time without a step, or out of range");
        return;
    }
    if (log->any && record.step == log->previous && seconds == log->last_value) {
        log_out_count(out, LOG_DOUBLED, "step %lld", (long long)record.step);
        return;
    }
    int64_t span = steps_since(log, record.step);
    log->last_value = seconds;
    if (span > 1) {
        record.has |= RECORD_SPAN;
        record.span = span;
        log_out_note(out, LOG_NOTE_MEAN);
    }
    record.has |= RECORD_BEGIN;
    record.begin_ns = entry->time_ns - (span > 1 ? span : 1) * record.step_time_ns;
    put(log, &record, out);
}

/* The rate of the steps since the last rate: a mean over all of them, however long. */
static void put_rate(struct mllog *log, const struct mllog_entry *entry, double rate,
                     struct log_out *out)
{
    struct record record;
    job_record(log, &record);
    log->held.has = 0;
    if (!(rate > 0)) {
        log_out_count(out, LOG_IMPOSSIBLE, "throughput %g", rate);
        return;
    }
    if (!step_number(log, entry, &record.step) ||
        !log_duration(log->batch / rate, LOG_SECOND, &record.step_time_ns))
        return; /* of the whole run, or of an epoch: a value only */
    if (log->any && record.step == log->previous) {
        log_out_count(out, LOG_DOUBLED, "step %lld", (long long)record.step);
        return;
    }
    bool on = log->any ? record.step > log->previous : log->run_ns > 0;
    int64_t span = on ? record.step - log->previous : 1;
    log->any = true;
    log->previous = record.step;
    if (span > 1 && span <= RECORD_SPAN_MAX) {
        record.has |= RECORD_SPAN;
        record.span = span;
        record.begin_ns = entry->time_ns - (int64_t)((double)span * (double)record.step_time_ns);
        record.has |= RECORD_BEGIN;
        log_out_note(out, LOG_NOTE_MEAN);
    }
    log_out_note(out, LOG_NOTE_RATE);
    put(log, &record, out);
}

static void forget_steps(struct mllog *log)
{
    log->any = false;
    log->previous = log->apart = 0;
}

static void better(struct mllog *log, enum source source)
{
    if (log->best >= source)
        return;
    log->best = source;
    forget_steps(log);
    log->held.has = 0;
}

static void read_stats(struct mllog *log, const struct mllog_entry *entry, struct log_out *out)
{
    const char *at = NULL;
    struct str name;
    struct mllog_number number;
    bool outranked = log_out_outranked(out), step = false;
    double seconds = 0, rate = 0;
    while (mllog_next_stat(entry->stats, &at, &name, &number)) {
        bool time = str_is(name, "train_step_time") || str_is(name, "step_time");
        bool throughput = str_is(name, "throughput");
        if ((time || throughput) && !number.given) {
            log_out_count(out, number.none ? LOG_NOT_NUMBER : LOG_IMPOSSIBLE, "%.*s", (int)name.len,
                          name.p);
            continue;
        }
        if (!number.given)
            continue;
        if (time) {
            step = true;
            seconds = number.value;
        } else if (throughput) {
            rate = number.value;
        }
        if (throughput || (time && outranked))
            log_out_value(out, name, throughput ? "samples/s" : "s", number.value);
        else if (!time && log_find(name, "time") != SIZE_MAX)
            log_out_value(out, name, "s", number.value);
    }
    if (outranked)
        return;
    if (step) {
        better(log, SOURCE_STEPS);
        put_step(log, entry, seconds, out);
    } else if (rate != 0 && log->best <= SOURCE_THROUGHPUT && log->batch > 0) {
        better(log, SOURCE_THROUGHPUT);
        put_rate(log, entry, rate, out);
    }
}

/* ---- blocks ---- */

static void put_held(struct mllog *log, struct log_out *out)
{
    if (log->held.has & RECORD_STEP_TIME && log->best == SOURCE_BLOCKS && !log_out_outranked(out))
        log_out_record(out, &log->held);
    log->held.has = 0;
}

/* Steps between two counts of samples; 0: not known. */
static int64_t steps_between(const struct mllog *log, double before, double after)
{
    double steps = (after - before) / log->batch;
    return steps >= 0.5 && steps < (double)RECORD_SPAN_MAX ? (int64_t)(steps + 0.5) : 0;
}

/* How many steps the block that ends here held, and the number of its last; 0: not known. */
static int64_t block_steps(struct mllog *log, const struct mllog_entry *stop, int64_t *ret_step)
{
    const struct mllog_number *start = &log->block_samples, *before = &log->stop_samples;
    if (stop->samples.given && stop->step.given && log->block_step.given &&
        stop->step.value > log->block_step.value && stop->step.value < 9e15) {
        *ret_step = (int64_t)stop->step.value;
        return (int64_t)(stop->step.value - log->block_step.value);
    }
    if (!stop->samples.given || log->batch <= 0 || !(stop->samples.value < 9e15))
        return 0;
    double end = stop->samples.value;
    *ret_step = (int64_t)(end / log->batch);
    if (start->given && start->value == end && end > 0) {
        int64_t steps = steps_between(log, 0, end);
        log->length += steps;
        *ret_step = log->length;
        return steps;
    }
    if (before->given && end > before->value)
        return steps_between(log, before->value, end);
    if (start->given && start->value < end && fmod(start->value, log->batch) == 0)
        return steps_between(log, start->value, end);
    return !start->given && !log->any_stop && log->run_ns > 0 ? steps_between(log, 0, end) : 0;
}

static void end_block(struct mllog *log, const struct mllog_entry *stop, struct log_out *out)
{
    struct record record;
    int64_t step = 0, steps = block_steps(log, stop, &step);
    double seconds = (double)(stop->time_ns - log->block_ns) / 1e9;
    job_record(log, &record);
    log->block_open = false;
    log->blocks++;
    if (!(seconds >= 0)) {
        log_out_count(out, LOG_IMPOSSIBLE, "a block of %g s", seconds);
        return;
    }
    log_out_value(out, str_from("block"), "s", seconds);
    if (log->best != SOURCE_BLOCKS || log_out_outranked(out))
        return;
    record.has |= RECORD_BEGIN;
    record.begin_ns = log->block_ns;
    record.step = steps > 0 ? step : log->blocks;
    record.step_time_ns = (stop->time_ns - log->block_ns) / (steps > 0 ? steps : 1);
    if (steps > 1) {
        record.has |= RECORD_SPAN;
        record.span = steps;
    }
    log_out_note(out, steps > 0 ? LOG_NOTE_MEAN : LOG_NOTE_BLOCKS);
    record.has |= log->validation ? RECORD_VALIDATION : 0;
    log->validation = false;
    log->held = record; /* its throughput may come behind it */
}

static void read_block(struct mllog *log, const struct mllog_entry *entry, int64_t writer,
                       struct log_out *out)
{
    if (entry->key == MLLOG_BLOCK_START) {
        if (log->block_open && writer != log->block_writer) {
            log_out_count(out, LOG_DOUBLED, "a block that another rank begins too");
            return;
        }
        if (log->block_open)
            log_out_count(out, LOG_WITHOUT_PAIR, "a block begins where one had not ended");
        put_held(log, out);
        log->block_open = true;
        log->block_ns = entry->time_ns;
        log->block_writer = writer;
        log->block_samples = entry->samples;
        log->block_step = entry->step;
        return;
    }
    if (log->block_open && writer == log->block_writer)
        end_block(log, entry, out);
    else if (log->block_open || (log->any_stop && entry->samples.given &&
                                 entry->samples.value == log->stop_samples.value))
        log_out_count(out, LOG_DOUBLED, "a block that another rank ends too");
    else
        log_out_count(out, LOG_WITHOUT_PAIR, "a block ends that did not begin");
    log->any_stop = true;
    if (entry->samples.given)
        log->stop_samples = entry->samples;
}

/* ---- the rest ---- */

static void read_eval(struct mllog *log, const struct mllog_entry *entry, struct log_out *out)
{
    if (entry->key == MLLOG_EVAL_START) {
        log->eval_ns = entry->time_ns;
        log->validation = true;
        log_out_count(out, LOG_EVALUATION, NULL);
    } else if (log->eval_ns > 0 && entry->time_ns >= log->eval_ns) {
        log_out_value(out, str_from("evaluation"), "s",
                      (double)(entry->time_ns - log->eval_ns) / 1e9);
        log->eval_ns = 0;
    }
}

static void begin_run(struct mllog *log, const struct mllog_entry *entry, struct log_out *out)
{
    put_held(log, out);
    if (log->run_ns > 0 && log->any_stop) { /* another run in the same file */
        log->any_stop = log->block_open = false;
        log->stop_samples = (struct mllog_number){0};
        log->blocks = log->length = 0;
        forget_steps(log);
    }
    log->run_ns = entry->time_ns;
}

static void read_entry(struct mllog *log, const struct mllog_entry *entry, int64_t writer,
                       struct log_out *out)
{
    switch (entry->key) {
    case MLLOG_BATCH:
        if (entry->value.given && entry->value.value >= 1 && entry->value.value < 1e12)
            log->batch = entry->value.value;
        break;
    case MLLOG_RUN_START:
        begin_run(log, entry, out);
        break;
    case MLLOG_RUN_STOP:
        put_held(log, out);
        if (log->run_ns > 0 && entry->time_ns >= log->run_ns)
            log_out_value(out, str_from("run"), "s", (double)(entry->time_ns - log->run_ns) / 1e9);
        break;
    case MLLOG_BLOCK_START:
    case MLLOG_BLOCK_STOP:
        read_block(log, entry, writer, out);
        break;
    case MLLOG_EVAL_START:
    case MLLOG_EVAL_STOP:
        read_eval(log, entry, out);
        break;
    case MLLOG_STATS:
        read_stats(log, entry, out);
        break;
    case MLLOG_OTHER_KEY:
        break;
    }
}

static enum log_answer line(void *state, const struct log_line *line, struct log_out *out)
{
    struct mllog *log = state;
    struct str text = line->text;
    size_t at = log_find(text, MARK);
    if (at == SIZE_MAX) {
        at = log_find(text, ":::SYSJSON");
        if (at == SIZE_MAX)
            return LOG_OTHER;
        log->gpus = mllog_gpus(log_from(text, at), log->gpus);
        return LOG_TAKEN;
    }
    while (at != SIZE_MAX) {
        struct mllog_entry entry;
        const char *end;
        struct str rest = log_from(text, at + strlen(MARK));
        size_t next = 0;
        if (mllog_read(rest, log->scratch, &entry, &end)) {
            read_entry(log, &entry, line->writer, out);
            next = (size_t)(end - rest.p);
        } else {
            log_out_damaged(out, "an MLLOG entry that is not valid JSON, or torn");
        }
        at = log_find_from(rest, next, MARK);
        text = rest;
    }
    if (line->writer >= 0)
        log_out_note(out, LOG_NOTE_WRITER);
    return LOG_TAKEN;
}

static void end(void *state, struct log_out *out)
{
    put_held(state, out);
}

static const char *const anchors[] = {MARK, ":::SYSJSON", NULL};
const struct format format_mllog = {
    .name = "mllog",
    .title = "MLPerf :::MLLOG",
    .needs = "nothing: every MLPerf submission has it",
    .tells = "step time of the job, from step times, throughput or blocks; evaluations; GPUs",
    .lacks = "the times of single ranks",
    .how = LOG_HOW_NCCL,
    .anchors = anchors,
    .state_bytes = sizeof(struct mllog),
    .line = line,
    .end = end,
};
