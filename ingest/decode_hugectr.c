/* HugeCTR: "[HCTR][19:41:06.108][INFO][RK0][main]: Iter: 200 Time(100 iters): 0.35s Loss: F lr:F":
 * the time of so many iterations together. Its stamps have no date. */
#include <string.h>

#include "decode_generally.h"
#include "log_format.h"
#include "log_scan.h"
#include "log_steps.h"
#include "log_text.h"

#define DAY_NS INT64_C(86400000000000)
#define STAMP_RESOLUTION_NS INT64_C(5000000)
#define SECOND_NS INT64_C(1000000000) /* its first versions stamp whole seconds */

struct hugectr {
    int64_t step, value_ns; /* of the newest record; step 0: none */
    int64_t clock_ns;       /* its time of day; meaningful when has_clock */
    bool has_clock, validation;
};

#define PREFIX_WITHIN 256 /* bytes before "Iter: " */
#define NUMBER_WITHIN 64  /* bytes from there to "iters" */

/* What of the text up to `at` is that near to it: lines may be of any length. */
static struct str near(struct str text, size_t at, size_t within)
{
    return log_from(log_until(text, at), at > within ? at - within : 0);
}

/* The time of day in the "[HCTR][...]" before the record. */
static bool clock_of(struct str text, size_t at, int64_t *ret)
{
    text = near(text, at, PREFIX_WITHIN);
    size_t length, mark = log_find_last(text, "[HCTR][");
    return mark != SIZE_MAX && log_clock(log_from(text, mark + strlen("[HCTR][")), ret, &length);
}

static void compare_clocks(struct hugectr *log, const struct record *record, bool has_clock,
                           int64_t clock_ns, struct log_out *out)
{
    if (has_clock && log->has_clock && record->step == log->step + record->span) {
        int64_t after = clock_ns + (clock_ns < log->clock_ns ? DAY_NS : 0);
        bool whole = clock_ns % SECOND_NS == 0 && log->clock_ns % SECOND_NS == 0;
        if (log_stamps_disagree(record->step_time_ns, record->span, log->clock_ns, after,
                                whole ? SECOND_NS : STAMP_RESOLUTION_NS))
            log_out_count(out, LOG_DISAGREE, "iteration %lld: %.3f s by its value, %.3f by stamps",
                          (long long)record->step,
                          (double)record->step_time_ns * (double)record->span / 1e9,
                          (double)(after - log->clock_ns) / 1e9);
    }
    log->has_clock = has_clock;
    log->clock_ns = clock_ns;
}

/* Behind "Iter: ": "200 Time(100 iters): 0.350259s Loss: ". False: torn. */
static bool read_record(struct str text, struct record *record, enum log_number *ret_kind)
{
    size_t length;
    double seconds;
    if (!log_integer(text, &record->step, &length))
        return false;
    text = log_from(text, length);
    if (!log_begins(text, " Time("))
        return false;
    text = log_from(text, strlen(" Time("));
    if (!log_integer(text, &record->span, &length) || record->span < 1 ||
        !log_begins(log_from(text, length), " iters): "))
        return false;
    text = log_from(text, length + strlen(" iters): "));
    *ret_kind = log_number(text, &seconds, &length);
    if (*ret_kind == LOG_NO_NUMBER)
        return true;
    struct str rest = log_from(text, length);
    return *ret_kind == LOG_NUMBER && (log_begins(rest, "s ") || str_is(rest, "s")) &&
           log_duration(seconds / (double)record->span, LOG_SECOND, &record->step_time_ns);
}

#define RECORD_HAS (RECORD_JOB | RECORD_STEP | RECORD_STEP_TIME | RECORD_SPAN)

static void put(struct hugectr *log, struct record *record, bool has_clock, int64_t clock_ns,
                struct log_out *out)
{
    if (log->step > 0 && record->step == log->step && record->step_time_ns == log->value_ns) {
        log_out_count(out, LOG_DOUBLED, "iteration %lld", (long long)record->step);
        return;
    }
    compare_clocks(log, record, has_clock, clock_ns, out);
    log->validation &= record->step > log->step; /* else of the process before */
    log->step = record->step;
    log->value_ns = record->step_time_ns;
    record->has |= log->validation ? RECORD_VALIDATION : 0;
    log->validation = false;
    if (record->span > 1)
        log_out_note(out, LOG_NOTE_MEAN);
    log_out_record(out, record);
}

static void read_iteration(struct hugectr *log, struct str text, size_t at, struct log_out *out)
{
    struct record record = {.has = RECORD_HAS};
    enum log_number kind = LOG_NOTHING;
    int64_t clock_ns = 0;
    if (!read_record(log_from(text, at + strlen("Iter: ")), &record, &kind)) {
        log_out_damaged(out, "a torn line of HugeCTR");
        return;
    }
    if (kind == LOG_NO_NUMBER) {
        log_out_count(out, LOG_NOT_NUMBER, "iteration %lld", (long long)record.step);
        return;
    }
    bool has_clock = clock_of(text, at, &clock_ns);
    put(log, &record, has_clock, clock_ns, out);
}

enum { STEP, SPAN, TIME, CLOCK }; /* fields of the usual form */

/* "19:41:06.108" */
static bool scan_clock(struct log_scan *scan, int64_t *ret)
{
    const char *begin = scan->at, *clock = begin;
    int64_t hours, minutes, seconds, fraction;
    if (!log_scan_integer(scan, &hours) || !log_scan_text(scan, ":") ||
        !log_scan_integer(scan, &minutes) || !log_scan_text(scan, ":") ||
        !log_scan_integer(scan, &seconds) || scan->at - begin != strlen("00:00:00") ||
        minutes > 59 || seconds > 59 || !log_scan_text(scan, "."))
        return false;
    begin = scan->at;
    if (!log_scan_integer(scan, &fraction) || scan->at - begin > 9)
        return false;
    *ret = ((hours * 60 + minutes) * 60 + seconds) * INT64_C(1000000000) +
           fraction * (int64_t)number_power10[9 - (scan->at - begin)];
    log_learn_text(scan->form, CLOCK, str_of(clock, (size_t)(scan->at - clock)), 0);
    return true;
}

/* "INFO][RK0][main]: " */
static bool scan_source(struct log_scan *scan)
{
    struct str name;
    return log_scan_name(scan, &name) && log_scan_text(scan, "][") && log_scan_name(scan, &name) &&
           log_scan_text(scan, "][") && log_scan_name(scan, &name) && log_scan_text(scan, "]: ");
}

/* The usual form. */
static bool scan(const struct log_line *line, struct record *record, int64_t *ret_clock_ns)
{
    struct log_scan scan;
    double seconds;
    size_t at;
    if (!log_scan_head(&scan, line, "[HCTR][", &at) ||
        (at > 0 && log_find(log_until(line->text, at), " iters): ") != SIZE_MAX) ||
        !scan_clock(&scan, ret_clock_ns) || !log_scan_text(&scan, "][") || !scan_source(&scan))
        return false;
    return log_scan_text(&scan, "Iter: ") && log_scan_integer_to(&scan, STEP, &record->step) &&
           log_scan_text(&scan, " Time(") && log_scan_integer_to(&scan, SPAN, &record->span) &&
           log_scan_text(&scan, " iters): ") && log_scan_number_to(&scan, TIME, &seconds) &&
           log_scan_text(&scan, "s Loss: ") && log_scan_skip_number(&scan) &&
           log_scan_text(&scan, " lr:") && log_scan_skip_number(&scan) && log_scan_ready(&scan) &&
           record->span >= 1 &&
           log_duration(seconds / (double)record->span, LOG_SECOND, &record->step_time_ns);
}

enum log_answer hugectr_generally(void *state, const struct log_line *line, struct log_out *out)
{
    struct hugectr *log = state;
    size_t time = log_find(line->text, " iters): ");
    bool any = false;
    for (; time != SIZE_MAX; time = log_find_from(line->text, time + 1, " iters): ")) {
        struct str before = near(line->text, time, NUMBER_WITHIN);
        size_t at = log_find_last(before, "Iter: ");
        if (at == SIZE_MAX)
            continue;
        at += (size_t)(before.p - line->text.p);
        read_iteration(log, line->text, at, out); /* two lines may be joined */
        any = true;
    }
    if (any && line->writer >= 0)
        log_out_note(out, LOG_NOTE_WRITER);
    if (any)
        return LOG_TAKEN;
    if (log_find(line->text, "]: Evaluation, ") != SIZE_MAX) {
        log->validation = true;
        log_out_count(out, LOG_EVALUATION, NULL);
        return LOG_TAKEN;
    }
    if (log_find(line->text, "\"eval_start\"") != SIZE_MAX)
        log->validation = true; /* MLPerf's line: not ours */
    return LOG_OTHER;
}

static enum log_answer line(void *state, const struct log_line *line, struct log_out *out)
{
    struct record record = {.has = RECORD_HAS};
    int64_t clock_ns;
    if (!scan(line, &record, &clock_ns)) {
        log_scan_forget(line);
        return hugectr_generally(state, line, out);
    }
    put(state, &record, true, clock_ns, out);
    if (line->writer >= 0)
        log_out_note(out, LOG_NOTE_WRITER);
    return LOG_TAKEN;
}

static bool again(void *state, const struct log_line *line, const struct log_values *values,
                  struct log_out *out)
{
    struct record record = {.has = RECORD_HAS};
    struct log_scan clock = {values->text[CLOCK].p, line->text.p + line->text.len, NULL};
    int64_t clock_ns;
    if (!log_values_integer(values, STEP, &record.step) ||
        !log_values_integer(values, SPAN, &record.span) || record.span < 1 ||
        !scan_clock(&clock, &clock_ns) ||
        !log_duration(values->number[TIME] / (double)record.span, LOG_SECOND, &record.step_time_ns))
        return false;
    put(state, &record, true, clock_ns, out);
    if (line->writer >= 0)
        log_out_note(out, LOG_NOTE_WRITER);
    return true;
}

static const char *const anchors[] = {" iters): ", "]: Evaluation, ", "\"eval_start\"", NULL};
const struct format format_hugectr = {
    .name = "hugectr",
    .title = "HugeCTR",
    .needs = "display of the solver: a line every so many iterations",
    .tells = "step time of the job as a mean over the display interval; evaluations",
    .lacks = "the times of single ranks",
    .how = LOG_HOW_NCCL,
    .anchors = anchors,
    .state_bytes = sizeof(struct hugectr),
    .line = line,
    .again = again,
};
