/* nanoGPT: "iter 10: loss 10.9886, time 725.90ms, mfu 41.20%": the time of that one
 * iteration, of which every log_interval-th is printed; the MFU is a running mean, of an
 * A100's peak. "step 0: train loss 10.9, val loss 10.9" is an evaluation, which the time of the
 * iteration of that number holds, too. */
#include <string.h>

#include "decode_generally.h"
#include "log_format.h"
#include "log_piece.h"
#include "log_scan.h"
#include "log_text.h"

struct nanogpt {
    struct log_layout layout;
    struct log_writers writers;
    bool milliseconds;   /* the unit of this log: a time in seconds is cut, "73s" of "735.20ms" */
    unsigned in_seconds; /* lines with such a time, one after another */
    int64_t evaluated;   /* the step of the last evaluation, + 1; 0: there was none */
    int64_t printed;     /* likewise, of the last iteration */
};

#define SECONDS_ENOUGH 3 /* another script's, after all */

enum { HAS_TIME = 1u, HAS_MFU = 2u };

struct values {
    int64_t step;
    enum log_field time, share;
    double ms, mfu;
    bool seconds; /* the time's unit */
};

/* False: it is no line of nanoGPT's. */
static bool values_of(const struct log_piece *piece, struct values *ret)
{
    struct str value = log_trim(log_from(piece->text, 4)), loss;
    size_t length;
    if (!log_integer(value, &ret->step, &length) || length == value.len || value.p[length] != ':' ||
        !log_after(value, "loss", &loss))
        return false;
    ret->seconds = false;
    ret->time = log_field(piece, "time", "ms", &ret->ms);
    if (ret->time == LOG_FIELD_TORN) { /* forks: "time 0.73s" */
        ret->time = log_field(piece, "time", "s", &ret->ms);
        ret->ms *= 1e3;
        ret->seconds = true;
    }
    ret->share = log_field(piece, "mfu", "%", &ret->mfu);
    return true;
}

enum { STEP, TIME, MFU }; /* fields of the usual form */

/* The usual form. */
static bool scan(const struct log_line *line, struct values *ret)
{
    struct log_scan scan;
    size_t at;
    ret->time = ret->share = LOG_FIELD_NUMBER;
    ret->seconds = false;
    return log_scan_head(&scan, line, "iter", &at) && log_scan_text(&scan, " ") &&
           log_scan_integer_to(&scan, STEP, &ret->step) && log_scan_text(&scan, ": loss ") &&
           log_scan_skip_number(&scan) && log_scan_text(&scan, ", time ") &&
           log_scan_number_to(&scan, TIME, &ret->ms) && log_scan_text(&scan, "ms, mfu ") &&
           log_scan_number_to(&scan, MFU, &ret->mfu) && log_scan_text(&scan, "%") &&
           log_scan_ready(&scan);
}

/* False: the unit is not that of the lines before. */
static bool take_unit(struct nanogpt *nanogpt, bool seconds)
{
    nanogpt->in_seconds = seconds ? nanogpt->in_seconds + 1 : 0;
    nanogpt->milliseconds =
        seconds ? nanogpt->milliseconds && nanogpt->in_seconds < SECONDS_ENOUGH : true;
    return !seconds || !nanogpt->milliseconds;
}

static void judge(struct nanogpt *nanogpt, int64_t writer, const struct values *values,
                  struct log_out *out)
{
    int64_t step = values->step, ns = 0;
    uint32_t fields = HAS_TIME | (values->share == LOG_FIELD_NONE ? 0 : HAS_MFU);
    if (values->time == LOG_FIELD_NOT_NUMBER) {
        log_out_count(out, LOG_NOT_NUMBER, NULL);
        return;
    }
    if (values->time != LOG_FIELD_NUMBER || values->share == LOG_FIELD_TORN ||
        !take_unit(nanogpt, values->seconds) ||
        !log_layout_whole(&nanogpt->layout, fields, false)) {
        log_out_damaged(out, "a torn line of an iteration");
        return;
    }
    if (values->ms <= 0 || !log_duration(values->ms, LOG_MILLISECOND, &ns)) {
        log_out_count(out, LOG_IMPOSSIBLE, "iteration %lld: %g ms", (long long)step, values->ms);
        return;
    }
    if (log_writers_turn(&nanogpt->writers, writer, step, ns) == LOG_TURN_DOUBLED) {
        log_out_count(out, LOG_DOUBLED, "iteration %lld", (long long)step);
        return;
    }
    struct record record = log_job(step, ns);
    /* It is within the time of this iteration. Where only every tenth is printed, all evaluations
     * would be among them, and of their share of the time most others would be missing. */
    if (step + 1 == nanogpt->evaluated && step == nanogpt->printed && step > 0)
        record.has |= RECORD_VALIDATION;
    nanogpt->printed = step + 1;
    if (values->share == LOG_FIELD_NUMBER && values->mfu > 0) /* -100%: not known yet */
        log_job_mfu(&record, values->mfu, out);
    log_out_record(out, &record);
}

static void note_evaluation(struct nanogpt *nanogpt, struct str number)
{
    int64_t step;
    size_t length;
    if (log_integer(number, &step, &length))
        nanogpt->evaluated = step + 1;
}

enum log_answer nanogpt_generally(void *state, const struct log_line *line, struct log_out *out)
{
    struct nanogpt *nanogpt = state;
    struct str rest = line->text, value;
    struct log_piece piece;
    bool taken = false;
    if (log_find(line->text, "iter_dt ") != SIZE_MAX)
        return LOG_OTHER; /* minGPT's */
    while (log_next_piece(&rest, line, "iter", &piece)) {
        struct values values;
        if (!values_of(&piece, &values))
            continue;
        judge(nanogpt, line->writer, &values, out);
        taken = true;
    }
    if (!taken && log_begins(line->body, "step ") && log_after(line->body, "train loss", &value) &&
        log_after(value, "val loss", &value)) {
        note_evaluation(nanogpt, log_trim(log_from(line->body, strlen("step "))));
        log_out_count(out, LOG_EVALUATION, NULL);
        taken = true;
    }
    return taken ? LOG_TAKEN : LOG_OTHER;
}

static enum log_answer line(void *state, const struct log_line *line, struct log_out *out)
{
    struct values values;
    if (!scan(line, &values)) {
        log_scan_forget(line);
        return nanogpt_generally(state, line, out);
    }
    judge(state, line->writer, &values, out);
    return LOG_TAKEN;
}

static bool again(void *state, const struct log_line *line, const struct log_values *values,
                  struct log_out *out)
{
    struct values is = {.time = LOG_FIELD_NUMBER,
                        .share = LOG_FIELD_NUMBER,
                        .ms = values->number[TIME],
                        .mfu = values->number[MFU]};
    if (!log_values_integer(values, STEP, &is.step))
        return false;
    judge(state, line->writer, &is, out);
    return true;
}

static const char *const anchors[] = {", time ", ": train loss ", NULL};

const struct format format_nanogpt = {
    .name = "nanogpt",
    .title = "nanoGPT",
    .needs = "log_interval=1 for every iteration (10 by default)",
    .tells = "the time of every iteration that is printed; MFU as a running mean of an A100's peak",
    .lacks = "the times of single ranks and of phases; iterations between those that are printed",
    .how = LOG_HOW_NCCL,
    .anchors = anchors,
    .state_bytes = sizeof(struct nanogpt),
    .line = line,
    .again = again};
