/* NVIDIA DLLogger: "DLL 2024-05-14 23:03:53.734283 - Iteration 12 | iteration_time : F ms | ..."
 * and the JSON form "DLLL {...}". Where no step time is logged, the stamps give it. Iterations
 * begin anew in every epoch in some scripts and go on in others: steps are a running total. */
#include <string.h>

#include "decode_dllogger_line.h"
#include "log_format.h"
#include "log_steps.h"

#define STAMP_RESOLUTION_NS INT64_C(20000000)

struct dllogger {
    struct dllogger_units units;
    bool times; /* this log has step times */
    bool marks; /* it has step times whose unit is not known: their lines end the steps */
    bool any, validation;
    int64_t epoch, iteration, apart; /* of the newest line; to the one before it */
    int64_t base, epoch_steps;       /* steps before its epoch; of one epoch; 0: not known */
    int64_t step, stamp_ns;          /* of the newest line; 0: none */
    int64_t value_ns;
};

/* The step of this line; *ret_steps: since the line before, 0 when that is not known. */
static int64_t step_of(struct dllogger *log, const struct dllogger_line *line, int64_t *ret_steps)
{
    int64_t epoch = line->has_epoch ? line->epoch : log->epoch;
    *ret_steps = 0;
    if (log->any && epoch == log->epoch && line->iteration >= log->iteration) {
        *ret_steps = line->iteration - log->iteration;
    } else if (log->any && epoch > log->epoch && line->iteration <= log->iteration) {
        int64_t apart = log->apart > 0 ? log->apart : 1;
        int64_t steps = line->length > 0 ? line->length : log->iteration + apart - line->iteration;
        log->base += steps > 0 ? steps : 0;
        log->epoch_steps = steps > 0 ? steps : 0;
        *ret_steps = line->length > 0 ? log->base + line->iteration - log->step : 0;
    } else if (log->any && epoch > log->epoch) {
        *ret_steps = line->iteration - log->iteration; /* they go on over the epochs */
    } else if (epoch < (int64_t)1 << 30) {
        int64_t each = line->length > 0 ? line->length : log->epoch_steps;
        log->base = each < (int64_t)1 << 22 && epoch > 0 ? (epoch - (line->length > 0)) * each : 0;
    }
    if (*ret_steps > 0)
        log->apart = *ret_steps;
    log->epoch = epoch;
    log->iteration = line->iteration;
    log->any = true;
    return log->base + line->iteration;
}

static void compare_stamps(const struct dllogger *log, const struct record *record, int64_t steps,
                           int64_t stamp_ns, struct log_out *out)
{
    if (steps == 1 && log->stamp_ns > 0 && stamp_ns > log->stamp_ns &&
        log_stamps_disagree(record->step_time_ns, 1, log->stamp_ns, stamp_ns, STAMP_RESOLUTION_NS))
        log_out_count(out, LOG_DISAGREE, "step %lld: %.3f ms by its value, %.3f by stamps",
                      (long long)record->step, (double)record->step_time_ns / 1e6,
                      (double)(stamp_ns - log->stamp_ns) / 1e6);
}

/* Fills in the step time; false: there is none. */
static bool step_time(const struct dllogger *log, const struct dllogger_line *line, int64_t steps,
                      struct record *record, struct log_out *out)
{
    if (line->timed && line->unit_known) {
        record->step_time_ns = line->step_time_ns;
        compare_stamps(log, record, steps, line->stamp_ns, out);
        return true;
    }
    if (log->times || steps < 1 || log->stamp_ns == 0 || !line->has_stamp ||
        line->stamp_ns < log->stamp_ns)
        return false;
    record->step_time_ns = (line->stamp_ns - log->stamp_ns) / steps;
    record->has |= steps > 1 ? RECORD_SPAN : 0;
    record->span = steps;
    log_out_note(out, LOG_NOTE_STAMPS);
    return true;
}

/* Of the step of the line before. */
static bool is_again(const struct dllogger *log, const struct dllogger_line *line)
{
    return log->any && line->iteration == log->iteration &&
           (!line->has_epoch || line->epoch == log->epoch);
}

/* By more than a line lasts, usually. */
static bool is_later(const struct dllogger *log, const struct dllogger_line *line)
{
    double lasts = (double)log->value_ns * (double)(log->apart > 0 ? log->apart : 1);
    return line->has_stamp && log->stamp_ns > 0 && lasts > 0 &&
           (double)(line->stamp_ns - log->stamp_ns) > 2 * lasts;
}

static void put_record(struct dllogger *log, const struct dllogger_line *line, struct log_out *out)
{
    struct record record = {.has = RECORD_JOB | RECORD_STEP | RECORD_STEP_TIME};
    int64_t steps, before_ns = log->value_ns;
    bool again = is_again(log, line);
    record.step = step_of(log, line, &steps);
    bool timed = step_time(log, line, steps, &record, out);
    if (line->has_stamp) {
        log->stamp_ns = line->stamp_ns;
        record.has |= RECORD_BEGIN;
        int64_t span = record.has & RECORD_SPAN ? record.span : 1;
        record.begin_ns = line->stamp_ns - span * record.step_time_ns;
        if (!line->has_zone)
            log_out_note(out, LOG_NOTE_NO_ZONE);
    }
    log->validation &= record.step >= log->step; /* else of the process before */
    log->step = record.step;
    if (!timed)
        return;
    log->value_ns = record.step_time_ns;
    if (again && record.step_time_ns == before_ns) {
        log_out_count(out, LOG_DOUBLED, "step %lld", (long long)record.step);
        return;
    }
    if (line->has_data) {
        record.has |= RECORD_DATA;
        record.phase_ns[PHASE_DATA] = line->data_ns;
        log_out_note(out, LOG_NOTE_ONE_RANK);
    }
    record.has |= log->validation ? RECORD_VALIDATION : 0;
    log->validation = false;
    log_out_record(out, &record);
}

static void read_line(struct dllogger *log, const struct dllogger_line *line, struct log_out *out)
{
    if (line->evaluation) {
        log->validation |= log->any && log->times;
        log->stamp_ns = 0; /* what comes between two stamps is no step */
        log_out_count(out, LOG_EVALUATION, NULL);
        return;
    }
    if (!line->has_iteration && !line->torn)
        return;
    if (line->torn ||
        (line->timed && line->time == LOG_NOTHING && (line->unit_known || log->times))) {
        log_out_damaged(out, "a torn line of DLLogger");
        return;
    }
    if (line->timed && line->time == LOG_NO_NUMBER) {
        log_out_count(out, LOG_NOT_NUMBER, "iteration %lld", (long long)line->iteration);
        return;
    }
    log->times |= line->timed && line->unit_known;
    log->marks |= line->timed && !line->unit_known;
    if (log->any && !line->timed && (log->marks || is_again(log, line))) {
        if (is_again(log, line) && is_later(log, line))
            log->stamp_ns = line->stamp_ns; /* the run went on from this step */
        return;                             /* else one of several lines of a step */
    }
    put_record(log, line, out);
}

static bool read_text(struct dllogger *log, const struct log_line *line, struct log_out *out)
{
    struct dllogger_line read;
    size_t at = log_find(line->text, "DLLL {");
    if (at != SIZE_MAX) {
        if (dllogger_read_json(log_from(line->text, at + 5), &log->units, &read, out))
            read_line(log, &read, out);
        else
            log_out_damaged(out, "a line of DLLogger that is not valid JSON, or torn");
        return true;
    }
    at = log_find(line->text, "DLL ");
    if (at == SIZE_MAX || log_find_from(line->text, at, "- ") == SIZE_MAX ||
        (log_find(line->text, "DLL 20") == SIZE_MAX && log_find(line->text, "DLL - ") == SIZE_MAX))
        return false; /* the last of these: of the form of a line, but not like it (again()) */
    bool alone = log_find_from(line->text, at + 4, "DLL ") == SIZE_MAX;
    for (size_t next; at != SIZE_MAX; at = next) { /* two lines may be joined */
        next = log_find_from(line->text, at + 4, "DLL 20");
        struct str text = log_until(line->text, next);
        dllogger_read_text(log_from(text, at + 4), &read, alone ? line->form : NULL, out);
        read_line(log, &read, out);
    }
    return true;
}

static enum log_answer line(void *state, const struct log_line *line, struct log_out *out)
{
    if (!read_text(state, line, out))
        return LOG_OTHER;
    if (line->writer >= 0)
        log_out_note(out, LOG_NOTE_WRITER);
    return LOG_TAKEN;
}

static bool again(void *state, const struct log_line *line, const struct log_values *values,
                  struct log_out *out)
{
    struct dllogger_line read;
    if (!dllogger_read_again(values, line->text.p + line->text.len, &read, out))
        return false;
    read_line(state, &read, out);
    if (line->writer >= 0)
        log_out_note(out, LOG_NOTE_WRITER);
    return true;
}

static const char *const anchors[] = {"DLL 20", "DLL - ", "DLLL {", NULL};
const struct format format_dllogger = {
    .name = "dllogger",
    .title = "NVIDIA DLLogger",
    .needs = "nothing: NVIDIA's DeepLearningExamples print it",
    .tells = "step time of the job, logged or from time stamps; evaluations",
    .lacks = "the times of single ranks",
    .how = LOG_HOW_NCCL,
    .anchors = anchors,
    .strict = true,
    .state_bytes = sizeof(struct dllogger),
    .line = line,
    .again = again,
};
