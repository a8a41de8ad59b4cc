/* MLPerf training logs: ":::MLLOG {json}". Three sources of step times, the best one that
 * a log has counts: its own step times, its throughput, its blocks.
 *
 * What its numbers mean differs between submitters: of step times and throughput see
 * decode_mllog_unit.h. samples_count of a block is where the run is, or how long the block is. */
#include <math.h>
#include <string.h>

#include "decode_mllog_again.h"
#include "decode_mllog_unit.h"
#include "log_format.h"
#include "log_text.h"

#define TRIES_MAX 3    /* pairs of lines that may leave the unit open */
#define BLOCKS_HELD 16 /* meanwhile */

/* What the step records of a stream are made of. */
enum source { SOURCE_BLOCKS, SOURCE_THROUGHPUT, SOURCE_STEPS };

struct mllog {
    struct mllog_scale scale; /* global_batch_size, max_sequence_length */
    int64_t gpus;
    enum source best;
    enum mllog_unit unit[2]; /* of step times; of rates */
    struct mllog_stat first; /* while the unit is open: the newest; no time: none */
    int tries;
    bool validation, of_block; /* one came since the last step or rate; the last block */
    bool any, numbered;        /* a step came of it, with its number, not by samples alone */
    int64_t previous, apart;   /* the newest; the least distance of two, 0: none yet */
    double last_value;         /* of the newest step */
    int64_t last_ns;

    int64_t run_ns, eval_ns; /* begin; 0: none */
    bool block_open, any_stop;
    int64_t block_ns, block_writer;
    struct mllog_number block_samples, block_step, stop_samples; /* of its begin; of the last end */
    int64_t blocks, length; /* ended blocks; steps in blocks whose length alone is told */
    int held_count;
    struct record held[BLOCKS_HELD]; /* ended blocks, whose throughput may come behind them */

    struct mllog_list list; /* of a learned line */
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

/* ---- steps and rates ---- */

/* How many steps a mean stands for: a larger distance than usual is a cut; before the first one,
 * and where the number went back, it is the usual one. */
static int64_t steps_since(struct mllog *log, int64_t step)
{
    int64_t distance = log->any ? step - log->previous : 0;
    if (distance > 0 && (log->apart == 0 || distance < log->apart))
        log->apart = distance;
    if (distance <= 0 && step < log->apart)
        return step > 0 ? step : 1;
    return log->apart > 0 ? log->apart : 1;
}

/* The rate of the steps since the last rate: a mean over all of them, however long. */
static int64_t steps_of_rate(const struct mllog *log, int64_t step)
{
    bool on = log->any ? step > log->previous : log->run_ns > 0;
    int64_t span = on ? step - log->previous : 1;
    return span <= RECORD_SPAN_MAX ? span : 1;
}

/* With its unit known. */
static void put_stat(struct mllog *log, const struct mllog_stat *stat, struct log_out *out)
{
    struct record record;
    enum mllog_unit unit = log->unit[stat->rate];
    int64_t span, number;
    job_record(log, &record);
    if (!mllog_stat_step(stat, unit, &log->scale, &number) ||
        !log_duration(stat->seconds, LOG_SECOND, &record.step_time_ns)) {
        if (!stat->rate) /* a rate may be of the whole run */
            log_out_damaged(out, "a step time without a step, or out of range");
        return;
    }
    bool since = unit == MLLOG_UNIT_SINCE;
    double apart = (double)(stat->time_ns - log->last_ns) / 1e9;
    bool again = log->any && (since ? apart < stat->seconds / 2 : number == log->previous);
    if (again && (stat->rate || stat->seconds == log->last_value)) {
        log_out_count(out, LOG_DOUBLED, "step %lld", (long long)log->previous);
        return;
    }
    bool other = !stat->rate && log->numbered && !stat->has_step; /* of the block it stands in */
    if (log->any && (other || mllog_is_mean(stat, unit, number, log->previous, log->last_ns))) {
        log_out_value(out, str_from("train_step_time, means"), "s", stat->seconds);
        return;
    }
    record.step = since ? log->previous + number : number;
    span = since ? number : stat->rate ? steps_of_rate(log, number) : steps_since(log, number);
    if (log->any && record.step - log->previous == span)
        mllog_check_stamp(stat, record.step, span, log->last_ns, out);
    log->any = true;
    log->numbered = stat->has_step;
    log->previous = record.step;
    log->last_value = stat->seconds;
    log->last_ns = stat->time_ns;
    if (span > 1 && span <= RECORD_SPAN_MAX) {
        record.has |= RECORD_SPAN;
        record.span = span;
        log_out_note(out, LOG_NOTE_MEAN);
    }
    if (stat->rate) {
        record.has |= RECORD_COMPUTED;
        log_out_note(out, LOG_NOTE_RATE);
    }
    double lasts = (double)(span > 1 ? span : 1) * (double)record.step_time_ns;
    if ((!stat->rate || span > 1) && lasts < (double)stat->time_ns) {
        record.has |= RECORD_BEGIN;
        record.begin_ns = stat->time_ns - (int64_t)lasts;
    }
    record.has |= stat->validation ? RECORD_VALIDATION : 0;
    log_out_record(out, &record);
}

static void forget_steps(struct mllog *log)
{
    log->any = false;
    log->previous = log->apart = log->last_ns = 0;
}

static void better(struct mllog *log, enum source source)
{
    log->held_count = 0;
    if (log->best >= source)
        return;
    log->best = source;
    forget_steps(log);
}

static void put_held(struct mllog *log, struct log_out *out)
{
    for (int i = 0; i < log->held_count; i++)
        if (log->best == SOURCE_BLOCKS)
            log_out_record(out, &log->held[i]);
    log->held_count = 0;
}

static void leave_out(const struct mllog_stat *stat, struct log_out *out)
{
    log_out_count(out, LOG_LEFT_OUT, "a %s whose step is neither one of steps nor of samples",
                  stat->rate ? "throughput" : "step time");
}

/* One more line while the unit is open. */
static void find_unit(struct mllog *log, const struct mllog_stat *stat, struct log_out *out)
{
    struct mllog_stat first = log->first;
    log->first = *stat;
    if (first.time_ns == 0 || first.rate != stat->rate) {
        if (first.time_ns > 0)
            leave_out(&first, out);
        log_out_claim(out);
        return;
    }
    if (mllog_is_same(&first, stat)) {
        log->first = first;
        log_out_count(out, LOG_DOUBLED, NULL);
        return;
    }
    enum mllog_unit unit = mllog_unit_of(&first, stat, &log->scale);
    if (unit == MLLOG_UNIT_OPEN) {
        leave_out(&first, out);
        if (++log->tries < TRIES_MAX)
            return;
        leave_out(stat, out);
        log->first.time_ns = 0;
        log->unit[stat->rate] = MLLOG_UNIT_NONE; /* the values are no records */
        put_held(log, out);
        return;
    }
    log->unit[stat->rate] = unit;
    log->first.time_ns = 0;
    better(log, stat->rate ? SOURCE_THROUGHPUT : SOURCE_STEPS);
    int64_t from, to;
    if (!stat->rate && unit != MLLOG_UNIT_SINCE &&
        mllog_stat_step(&first, unit, &log->scale, &from) &&
        mllog_stat_step(stat, unit, &log->scale, &to) && to > from)
        log->apart = to - from;
    put_stat(log, &first, out);
    put_stat(log, stat, out);
}

/* Nothing more comes for the line that waits. */
static void end_first(struct mllog *log, struct log_out *out)
{
    struct mllog_stat first = log->first;
    log->first.time_ns = 0;
    if (first.time_ns == 0)
        return;
    int64_t span;
    enum mllog_unit unit = mllog_unit_alone(&first, &log->scale, &span);
    if (unit == MLLOG_UNIT_NONE) {
        leave_out(&first, out);
        return;
    }
    log->unit[first.rate] = unit;
    better(log, first.rate ? SOURCE_THROUGHPUT : SOURCE_STEPS);
    log->apart = first.rate ? 0 : span;
    put_stat(log, &first, out);
}

static void read_stat(struct mllog *log, const struct mllog_entry *entry, double seconds, bool rate,
                      struct log_out *out)
{
    struct mllog_stat stat = {.has_step = entry->step.given,
                              .has_samples = entry->samples.given,
                              .step = entry->step.value,
                              .samples = entry->samples.value,
                              .seconds = seconds,
                              .time_ns = entry->time_ns,
                              .rate = rate,
                              .validation = log->validation};
    stat.since_ns = log->block_ns > 0 ? log->block_ns : log->run_ns;
    if (log->unit[rate] == MLLOG_UNIT_NONE) {
        leave_out(&stat, out);
        return;
    }
    log->validation = false;
    if (log->unit[rate] == MLLOG_UNIT_OPEN) {
        find_unit(log, &stat, out);
        return;
    }
    better(log, rate ? SOURCE_THROUGHPUT : SOURCE_STEPS);
    put_stat(log, &stat, out);
}

static void read_stats(struct mllog *log, const struct mllog_entry *entry, struct log_out *out)
{
    struct mllog_cursor cursor = {0};
    struct str name;
    struct mllog_number number;
    bool step = false, has_rate = false;
    double seconds = 0, rate = 0;
    while (mllog_next_stat(entry, &cursor, &name, &number)) {
        bool time = mllog_names_step_time(name), throughput = str_is(name, "throughput");
        if ((time || throughput) && !number.given)
            log_out_count(out, number.none ? LOG_NOT_NUMBER : LOG_IMPOSSIBLE, "%.*s", (int)name.len,
                          name.p);
        if (!number.given)
            continue;
        if (time) {
            step = true;
            seconds = number.value;
        } else if (throughput) {
            rate = number.value;
            has_rate = true;
            log_out_value(out, name, mllog_rate_unit(entry, &log->scale, log->unit[true]),
                          number.value);
        } else if (mllog_names_time(name)) {
            log_out_value(out, name, mllog_time_unit(name), number.value);
        }
    }
    if (step)
        read_stat(log, entry, seconds, false, out);
    else if (rate < 0 || (rate == 0 && has_rate))
        log_out_count(out, LOG_IMPOSSIBLE, "throughput %g", rate);
    else if (rate > 0 && log->best <= SOURCE_THROUGHPUT && log->scale.batch > 0)
        read_stat(log, entry, log->scale.batch / rate, true, out);
}

/* ---- blocks ---- */

/* A block has ended. */
static void hold(struct mllog *log, const struct record *record, struct log_out *out)
{
    if (log->held_count == BLOCKS_HELD) { /* the line that waits has no other for long */
        if (log->first.time_ns > 0)
            leave_out(&log->first, out);
        log->first.time_ns = 0;
        put_held(log, out);
    }
    log->held[log->held_count++] = *record;
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
    if (!stop->samples.given || log->scale.batch <= 0 || !(stop->samples.value < 9e15))
        return 0;
    double end = stop->samples.value;
    *ret_step = (int64_t)(end / log->scale.batch);
    if (start->given && start->value == end && end > 0) {
        int64_t steps = mllog_steps_between(&log->scale, 0, end);
        log->length += steps;
        *ret_step = log->length;
        return steps;
    }
    if (before->given && end > before->value)
        return mllog_steps_between(&log->scale, before->value, end);
    if (start->given && start->value < end && fmod(start->value, log->scale.batch) == 0)
        return mllog_steps_between(&log->scale, start->value, end);
    return !start->given && !log->any_stop && log->run_ns > 0
               ? mllog_steps_between(&log->scale, 0, end)
               : 0;
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
    if (log->best != SOURCE_BLOCKS)
        return;
    record.has |= RECORD_BEGIN;
    record.begin_ns = log->block_ns;
    record.step = steps > 0 ? step : log->blocks;
    record.step_time_ns = (stop->time_ns - log->block_ns) / (steps > 0 ? steps : 1);
    if (steps > 1) {
        record.has |= RECORD_SPAN;
        record.span = steps;
        log_out_note(out, LOG_NOTE_MEAN);
    } else if (steps <= 0) {
        log_out_note(out, LOG_NOTE_BLOCKS);
    }
    record.has |= log->of_block ? RECORD_VALIDATION : 0;
    log->of_block = false;
    hold(log, &record, out);
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
        if (log->first.time_ns == 0)
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

static void read_eval(struct mllog *log, const struct mllog_entry *entry, struct log_out *out)
{
    if (entry->key == MLLOG_EVAL_START) {
        log->eval_ns = entry->time_ns;
        log->validation = log->of_block = true;
        log_out_count(out, LOG_EVALUATION, NULL);
    } else if (log->eval_ns > 0 && entry->time_ns >= log->eval_ns) {
        log_out_value(out, str_from("evaluation"), "s",
                      (double)(entry->time_ns - log->eval_ns) / 1e9);
        log->eval_ns = 0;
    }
}

static void begin_run(struct mllog *log, const struct mllog_entry *entry, struct log_out *out)
{
    end_first(log, out);
    put_held(log, out);
    if (log->run_ns > 0 && log->any_stop) { /* another run in the same file */
        log->any_stop = log->block_open = false;
        log->stop_samples = (struct mllog_number){0};
        log->blocks = log->length = 0;
        log->validation = log->of_block = false; /* at the end of the other */
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
            log->scale.batch = entry->value.value;
        break;
    case MLLOG_SEQUENCE:
        if (entry->value.given && entry->value.value >= 1 && entry->value.value < 1e12)
            log->scale.sequence = entry->value.value;
        break;
    case MLLOG_RUN_START:
        begin_run(log, entry, out);
        break;
    case MLLOG_RUN_STOP:
        end_first(log, out);
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
    case MLLOG_OVERALL:
        if (entry->value.given)
            log_out_value(out, str_from("overall_throughput"), "samples/s", entry->value.value);
        break;
    case MLLOG_OTHER_KEY:
        break;
    }
}

static enum log_answer line(void *state, const struct log_line *line, struct log_out *out)
{
    struct mllog *log = state;
    struct mllog_entry entry;
    enum mllog_found found;
    size_t at = 0;
    while ((found = mllog_next(line, log->scratch, &at, &entry)) != MLLOG_NONE)
        if (found == MLLOG_ENTRY)
            read_entry(log, &entry, line->writer, out);
        else
            log_out_damaged(out, "an MLLOG entry that is not valid JSON, or torn");
    if (at > 0 && line->writer >= 0)
        log_out_note(out, LOG_NOTE_WRITER);
    if (at > 0)
        return LOG_TAKEN;
    at = log_find(line->text, ":::SYSJSON");
    if (at == SIZE_MAX)
        return LOG_OTHER;
    log->gpus = mllog_gpus(log_from(line->text, at), log->gpus);
    return LOG_TAKEN;
}

static bool again(void *state, const struct log_line *line, const struct log_values *values,
                  struct log_out *out)
{
    struct mllog *log = state;
    struct mllog_entry entry;
    if (!mllog_entry_again(values, &entry, &log->list))
        return false;
    read_entry(log, &entry, line->writer, out);
    if (line->writer >= 0)
        log_out_note(out, LOG_NOTE_WRITER);
    return true;
}

static void end(void *state, struct log_out *out)
{
    end_first(state, out);
    put_held(state, out);
}

static const char *const anchors[] = {MLLOG_MARK, ":::SYSJSON", NULL};
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
    .again = again,
    .end = end,
};
