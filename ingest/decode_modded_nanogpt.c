/* modded-nanogpt: "step:12/1670 train_time:1062ms step_avg:88.50ms", its third track "step:12/3500
 * train_time:8.959s step_avg:746.66ms step_time:741.10ms mfu:46.06%". The clock runs on:
 * a step's time, where it is not said, is the difference to the line before, and the clock is set
 * back after the warm-up of older scripts. It does not run in validations, whose lines may be the
 * only ones, and may come once more behind a run. The log begins with its own source code. */
#include <math.h>

#include "decode_generally.h"
#include "log_format.h"
#include "log_piece.h"
#include "log_scan.h"
#include "log_text.h"

#define VALIDATIONS_KEPT 64

struct modded {
    struct log_writers writers;
    bool seen;       /* a whole line */
    bool any, steps; /* steps: a line of a step, not only of validations */
    int64_t step, clock_ms;
    double timed; /* steps that the clock counts, by its mean; below 0: not known */
    struct {
        int64_t step, clock_ms;
    } validations[VALIDATIONS_KEPT]; /* a ring of the last ones */
    unsigned validation;
};

struct values {
    int64_t step, clock_ms;
    double timed; /* likewise */
    double ms;    /* of the step, as the line says; 0: it does not */
    double mfu;   /* percent; 0: not said */
    bool evaluation;
};

static enum log_field read_clock(const struct log_piece *piece, double *ret_ms)
{
    enum log_field field = log_field(piece, "train_time:", "ms", ret_ms);
    if (field != LOG_FIELD_TORN)
        return field;
    field = log_field(piece, "train_time:", "s", ret_ms);
    *ret_ms *= 1e3;
    return field;
}

/* What only some scripts write. False: torn. */
static bool read_more(const struct log_piece *piece, struct values *ret)
{
    enum log_field time = log_field(piece, "step_time:", "ms", &ret->ms);
    enum log_field share = log_field(piece, "mfu:", "%", &ret->mfu);
    if (time != LOG_FIELD_NUMBER)
        ret->ms = 0;
    if (share != LOG_FIELD_NUMBER)
        ret->mfu = 0;
    return time != LOG_FIELD_TORN && share != LOG_FIELD_TORN;
}

/* Whether the piece is a line of the log, not of the source code and, as long as none is known, of
 * no other trainer. *ret_torn: it is one, but torn. */
static bool values_of(const struct log_piece *piece, bool known, struct values *ret, bool *ret_torn)
{
    struct str value = log_from(piece->text, 5), at;
    int64_t total;
    size_t length;
    double clock = 0, average;
    if (!log_integer(value, &ret->step, &length) || length == value.len || value.p[length] != '/')
        return false;
    value = log_from(value, length + 1);
    *ret_torn = !log_integer(value, &total, &length) || ret->step > total || length == value.len ||
                value.p[length] != ' ';
    enum log_field time = read_clock(piece, &clock);
    enum log_field mean = log_field(piece, "step_avg:", "ms", &average);
    if (time == LOG_FIELD_NONE && (!known || (!log_after(piece->text, "val_loss:", &at) &&
                                              !log_after(piece->text, "train_loss:", &at))))
        return false;
    *ret_torn |= time != LOG_FIELD_NUMBER || clock < 0 || clock > 1e12 || mean == LOG_FIELD_NONE ||
                 mean == LOG_FIELD_TORN;
    *ret_torn |= !read_more(piece, ret);
    if (mean == LOG_FIELD_NOT_NUMBER) { /* "nanms": while the clock does not run yet */
        log_after(piece->text, "step_avg:", &at);
        size_t unit = log_find(at, "ms");
        *ret_torn |= unit == SIZE_MAX || unit > 4;
    }
    ret->clock_ms = *ret_torn ? 0 : (int64_t)(clock + 0.5);
    ret->timed = mean == LOG_FIELD_NUMBER && average > 0 ? clock / average : -1;
    ret->evaluation = log_after(piece->text, "val_loss:", &at);
    return true;
}

static bool is_possible(struct values *ret, int64_t total, double clock)
{
    if (ret->step > total || clock < 0 || clock > 1e12)
        return false;
    ret->clock_ms = (int64_t)(clock + 0.5);
    ret->timed = -1;
    ret->ms = ret->mfu = 0;
    ret->evaluation = false;
    return true;
}

enum { STEP, TOTAL, CLOCK }; /* fields of the usual form */

/* The usual form. */
static bool scan(const struct log_line *line, struct values *ret)
{
    struct log_scan scan;
    int64_t total;
    double clock, mean;
    size_t at;
    bool fits = log_scan_head(&scan, line, "step:", &at) &&
                log_scan_integer_to(&scan, STEP, &ret->step) && log_scan_text(&scan, "/") &&
                log_scan_integer_to(&scan, TOTAL, &total) && log_scan_text(&scan, " train_time:") &&
                log_scan_number_to(&scan, CLOCK, &clock) && log_scan_text(&scan, "ms step_avg:") &&
                log_scan_number(&scan, &mean) && log_scan_text(&scan, "ms") &&
                log_scan_ready(&scan);
    return fits && is_possible(ret, total, clock);
}

/* Between two validations: whether the clock counted all the steps. Older scripts set it back after
 * ten, and divide by ten steps fewer. */
static bool counts_all(const struct modded *modded, const struct values *values)
{
    double steps = (double)(values->step - modded->step);
    double before = modded->timed < 0 ? 0 : modded->timed;
    return values->timed < 0 || fabs(values->timed - before - steps) < 3 + steps / 200;
}

/* A step whose time the line says. */
static void put_said(const struct values *values, struct log_out *out)
{
    int64_t ns;
    if (values->ms <= 0 || !log_duration(values->ms, LOG_MILLISECOND, &ns)) {
        log_out_count(out, LOG_IMPOSSIBLE, "step %lld: %g ms", (long long)values->step, values->ms);
        return;
    }
    struct record record = log_job(values->step, ns);
    if (values->mfu > 0)
        log_job_mfu(&record, values->mfu, out);
    log_out_record(out, &record);
}

static void put(struct modded *modded, const struct values *values, struct log_out *out)
{
    int64_t steps = values->step - modded->step, ms = values->clock_ms - modded->clock_ms;
    bool known = modded->any && steps > 0 && ms > 0;
    modded->any = true;
    modded->step = values->step;
    modded->clock_ms = values->clock_ms;
    if (values->ms != 0) {
        put_said(values, out);
        return;
    }
    if (!known || ms > RECORD_DURATION_MAX_NS / 1000000)
        return; /* the first line, or the clock was set back: the step's time is not known */
    struct record record = log_job(values->step, ms * 1000000 / steps);
    log_out_note(out, LOG_NOTE_CUMULATIVE);
    if (steps > 1) {
        record.span = steps;
        record.has |= RECORD_SPAN;
        log_out_note(out, LOG_NOTE_MEAN);
    }
    log_out_record(out, &record);
}

/* The clock stands still meanwhile: it is one of the steps. */
static void put_validation(struct modded *modded, const struct values *values, struct log_out *out)
{
    if (modded->any && values->step > modded->step && !counts_all(modded, values)) {
        log_out_count(out, LOG_LEFT_OUT, "steps %lld to %lld: the clock was set back within them",
                      (long long)modded->step + 1, (long long)values->step);
        modded->any = false;
    }
    put(modded, values, out);
    modded->timed = values->timed;
}

/* Whether this validation came before: scripts print all of them once more behind a run. That of
 * step 0 is like any other run's. */
static bool came_before(struct modded *modded, const struct values *values)
{
    if (values->step == 0)
        return false;
    for (unsigned i = 0; i < VALIDATIONS_KEPT; i++)
        if (modded->validations[i].step == values->step &&
            modded->validations[i].clock_ms == values->clock_ms)
            return true;
    modded->validations[modded->validation].step = values->step;
    modded->validations[modded->validation].clock_ms = values->clock_ms;
    modded->validation = (modded->validation + 1) % VALIDATIONS_KEPT;
    return false;
}

static void judge(struct modded *modded, int64_t writer, const struct values *values,
                  struct log_out *out)
{
    modded->seen = true;
    if (values->evaluation && came_before(modded, values)) {
        log_out_count(out, LOG_DOUBLED, "the validation of step %lld", (long long)values->step);
    } else if (values->evaluation) {
        log_out_count(out, LOG_EVALUATION, NULL);
        bool back = values->step < modded->step && values->clock_ms < modded->clock_ms;
        modded->steps &= !back;
        /* Where steps have lines, these alone tell their times: it may come before its step's. */
        if (!modded->steps && (!modded->any || values->step > modded->step || back))
            put_validation(modded, values, out);
    } else if (log_writers_turn(&modded->writers, writer, values->step, values->clock_ms) ==
               LOG_TURN_DOUBLED) {
        log_out_count(out, LOG_DOUBLED, "step %lld", (long long)values->step);
    } else {
        modded->any &= modded->steps; /* the first step is not timed from a validation */
        modded->steps = true;
        put(modded, values, out);
    }
}

enum log_answer modded_nanogpt_generally(void *state, const struct log_line *line,
                                         struct log_out *out)
{
    struct modded *modded = state;
    struct str rest = line->text;
    struct log_piece piece;
    bool taken = false;
    while (log_next_piece(&rest, line, "step:", &piece)) {
        struct values values;
        bool torn;
        if (!values_of(&piece, modded->seen, &values, &torn))
            continue;
        if (torn)
            log_out_damaged(out, "a torn line of a step");
        else
            judge(state, line->writer, &values, out);
        taken = true;
    }
    return taken ? LOG_TAKEN : LOG_OTHER;
}

static enum log_answer line(void *state, const struct log_line *line, struct log_out *out)
{
    struct values values;
    if (!scan(line, &values)) {
        log_scan_forget(line);
        return modded_nanogpt_generally(state, line, out);
    }
    judge(state, line->writer, &values, out);
    return LOG_TAKEN;
}

static bool again(void *state, const struct log_line *line, const struct log_values *values,
                  struct log_out *out)
{
    struct values is;
    int64_t total;
    if (!log_values_integer(values, STEP, &is.step) || !log_values_integer(values, TOTAL, &total) ||
        !is_possible(&is, total, values->number[CLOCK]))
        return false;
    judge(state, line->writer, &is, out);
    return true;
}

static const char *const anchors[] = {" train_time:", " val_loss:", " train_loss:", NULL};

const struct format format_modded_nanogpt = {
    .name = "modded-nanogpt",
    .title = "modded-nanogpt",
    .needs = "nothing: every step has a line, in whole milliseconds",
    .tells = "step time, as the difference of its clock (to 1 ms)",
    .lacks = "the times of single ranks and of phases, MFU, tokens",
    .how = LOG_HOW_PYTHON,
    .anchors = anchors,
    .state_bytes = sizeof(struct modded),
    .line = line,
    .again = again};
