/* MaxText and MaxDiffusion: "completed step: 5, seconds: 5.668, TFLOP/s/device: 134.914,
 * Tokens/s/device: 8672.153, total_weights: 196608, loss: 10.879". Dispatch is asynchronous:
 * the step after the first of a run may be over before it was computed, which only the one
 * after it shows. So it is held back until that one comes. A step lasts from the end of the one
 * before, so an evaluation and the saving of a checkpoint behind step 4 are in the time of step 5:
 * which of the lines comes first does not matter. */
#include "decode_generally.h"
#include "log_format.h"
#include "log_piece.h"
#include "log_scan.h"
#include "log_text.h"

#define TOO_FAST 3 /* times as fast as the next step: not computed yet */

struct maxtext {
    struct log_layout layout;
    struct log_writers writers;
    int64_t devices; /* 0: not known */
    int64_t first;   /* step of this run */
    bool any, holding;
    struct record held;
    int64_t evaluated[2], saved[2]; /* behind the steps before these; the last two times; 0: none */
};

enum { HAS_SECONDS = 1u, HAS_FLOPS = 2u, HAS_RATE = 4u, HAS_WEIGHTS = 8u };

struct values {
    uint32_t fields;
    uint32_t odd; /* of fields: those that are there as nan or inf */
    bool torn, not_number;
    double seconds, teraflops, weights;
};

static void take_field(struct values *values, const struct log_piece *piece, const char *name,
                       uint32_t bit, double *ret)
{
    double number;
    enum log_field field = log_field(piece, name, NULL, &number);
    values->torn |= field == LOG_FIELD_TORN || field == LOG_FIELD_BARE;
    values->not_number |= field == LOG_FIELD_NOT_NUMBER && bit == HAS_SECONDS;
    values->odd |= field == LOG_FIELD_NOT_NUMBER ? bit : 0;
    values->fields |= field == LOG_FIELD_NOT_NUMBER || field == LOG_FIELD_NUMBER ? bit : 0;
    if (field != LOG_FIELD_NUMBER)
        return;
    *ret = number;
}

static struct values values_of(const struct log_piece *piece)
{
    struct values values = {0};
    struct str loss;
    double rate;
    take_field(&values, piece, "seconds:", HAS_SECONDS, &values.seconds);
    take_field(&values, piece, "TFLOP/s/device:", HAS_FLOPS, &values.teraflops);
    take_field(&values, piece, "Tokens/s/device:", HAS_RATE, &rate);
    take_field(&values, piece, "total_weights:", HAS_WEIGHTS, &values.weights);
    values.torn |= !log_after(piece->text, "loss:", &loss) || loss.len == 0;
    return values;
}

enum { STEP, SECONDS, FLOPS, RATE, WEIGHTS }; /* fields of the usual form */
#define HEAD "completed step:"

/* The usual form. */
static bool scan(const struct log_line *line, struct log_piece *piece, int64_t *ret_step,
                 struct values *ret)
{
    struct log_scan scan;
    double rate;
    size_t at;
    *ret = (struct values){.fields = HAS_SECONDS | HAS_FLOPS};
    if (!log_scan_head(&scan, line, HEAD, &at) || !log_scan_text(&scan, " ") ||
        !log_scan_integer_to(&scan, STEP, ret_step) || !log_scan_text(&scan, ", seconds: ") ||
        !log_scan_number_to(&scan, SECONDS, &ret->seconds) ||
        !log_scan_text(&scan, ", TFLOP/s/device: ") ||
        !log_scan_number_to(&scan, FLOPS, &ret->teraflops))
        return false;
    bool rated = log_scan_text(&scan, ", Tokens/s/device: ");
    if (rated && !log_scan_number_to(&scan, RATE, &rate))
        return false;
    bool weighed = log_scan_text(&scan, ", total_weights: ");
    if (weighed && !log_scan_number_to(&scan, WEIGHTS, &ret->weights))
        return false;
    ret->fields |= (rated ? HAS_RATE : 0) | (weighed ? HAS_WEIGHTS : 0);
    *piece = log_scan_piece(line, at);
    return log_scan_text(&scan, ", loss: ") && log_scan_skip_number(&scan) && log_scan_ready(&scan);
}

static int64_t writer_of(const struct log_line *line, const char *head)
{
    struct str front = log_until(line->text, (size_t)(head - line->text.p)), value;
    int64_t process;
    size_t length;
    if (line->writer >= 0 || !log_after(front, "pid=", &value) ||
        !log_integer(value, &process, &length))
        return line->writer;
    return process; /* of Ray: "(train pid=78967, ip=10.130.0.11)" */
}

static void give(const struct record *record, struct log_out *out)
{
    if (record->has & RECORD_FLOPS)
        log_out_value(out, str_from("TFLOP/s a device"), "TFLOP/s", (double)record->flops / 1e12);
    log_out_record(out, record);
}

static void judge_held(struct maxtext *maxtext, int64_t next_ns, struct log_out *out)
{
    if (!maxtext->holding)
        return;
    maxtext->holding = false;
    const struct record *held = &maxtext->held;
    if (held->step_time_ns >= next_ns / TOO_FAST)
        give(held, out);
    else
        log_out_count(out, LOG_IMPOSSIBLE,
                      "step %lld: %.3f s, the next takes %.3f s: it was dispatched, not computed",
                      (long long)held->step, (double)held->step_time_ns / 1e9,
                      (double)next_ns / 1e9);
}

static void put(struct maxtext *maxtext, const struct record *record, bool back,
                struct log_out *out)
{
    if (!maxtext->any || back)
        maxtext->first = record->step;
    maxtext->any = true;
    judge_held(maxtext, record->step_time_ns, out);
    if (record->step == maxtext->first + 1 || record->step == 1) { /* the log may lack step 0 */
        maxtext->held = *record;
        maxtext->holding = true;
        log_out_claim(out);
    } else {
        give(record, out);
    }
}

/* Another process: before its first step, which compiles, it has evaluated and saved nothing. */
static void forget_events(struct maxtext *maxtext)
{
    memset(maxtext->evaluated, 0, sizeof(maxtext->evaluated));
    memset(maxtext->saved, 0, sizeof(maxtext->saved));
}

static bool is_one_of(int64_t step, const int64_t steps[2])
{
    return step > 0 && (step == steps[0] || step == steps[1]);
}

static struct record record_of(const struct maxtext *maxtext, const struct log_piece *piece,
                               int64_t step, int64_t ns, const struct values *values,
                               struct log_out *out)
{
    struct record record = log_job(step, ns);
    uint32_t numbers = values->fields & ~values->odd;
    if (numbers & HAS_FLOPS)
        log_job_flops(&record, values->teraflops, out);
    if ((numbers & HAS_WEIGHTS) && values->weights >= 1 &&
        values->weights <= (double)RECORD_TOKENS_MAX) {
        record.tokens = (int64_t)values->weights;
        record.has |= RECORD_TOKENS;
    }
    record.has |= is_one_of(step, maxtext->evaluated) ? RECORD_VALIDATION : 0u;
    record.has |= is_one_of(step, maxtext->saved) ? RECORD_CHECKPOINT : 0u;
    if (maxtext->devices > 0) {
        record.gpus = maxtext->devices;
        record.has |= RECORD_GPUS;
    }
    log_job_begin(&record, piece, out);
    return record;
}

static void judge(struct maxtext *maxtext, const struct log_line *line,
                  const struct log_piece *piece, int64_t step, const struct values *values,
                  struct log_out *out)
{
    int64_t ns;
    if (values->not_number) {
        log_out_count(out, LOG_NOT_NUMBER, NULL);
        return;
    }
    if (values->torn || !(values->fields & HAS_SECONDS) ||
        !log_layout_whole(&maxtext->layout, values->fields, false)) {
        log_out_damaged(out, "a torn line of a step");
        return;
    }
    if (values->seconds <= 0 || !log_duration(values->seconds, LOG_SECOND, &ns)) {
        log_out_count(out, LOG_IMPOSSIBLE, "step %lld: %g s", (long long)step, values->seconds);
        return;
    }
    enum log_turn turn =
        log_writers_turn(&maxtext->writers, writer_of(line, piece->text.p), step, ns);
    if (turn == LOG_TURN_DOUBLED) {
        log_out_count(out, LOG_DOUBLED, "step %lld", (long long)step);
        return;
    }
    if (turn == LOG_TURN_BACK)
        forget_events(maxtext);
    struct record record = record_of(maxtext, piece, step, ns, values, out);
    put(maxtext, &record, turn == LOG_TURN_BACK, out);
}

static bool take_step(struct maxtext *maxtext, const struct log_line *line,
                      const struct log_piece *piece, struct log_out *out)
{
    struct str value = log_trim(log_from(piece->text, 15));
    int64_t step;
    size_t length;
    if (!log_integer(value, &step, &length))
        return false;
    struct values values = values_of(piece);
    if (!(values.fields & HAS_SECONDS) && maxtext->layout.usual == 0)
        return false; /* another program's, as long as none is known to be ours */
    values.torn |= length == value.len || value.p[length] != ',';
    judge(maxtext, line, piece, step, &values, out);
    return true;
}

/* What is said of the step before *ret; false: nothing. */
static bool said_behind(struct str text, const char *what, int64_t *ret)
{
    struct str value;
    int64_t step;
    size_t length;
    if (!log_after(text, what, &value) || !log_integer(value, &step, &length) ||
        step >= (int64_t)1 << 52)
        return false;
    *ret = step + 1;
    return true;
}

/* "eval metrics after step: 4, loss=9.855, ..", "Saved a checkpoint at step 4." and older ones. */
static bool take_event(struct maxtext *maxtext, struct str text, struct log_out *out)
{
    int64_t behind;
    bool evaluated = said_behind(text, "eval metrics after step:", &behind) ||
                     said_behind(text, "average loss after step=", &behind);
    if (!evaluated && !said_behind(text, "Saved a checkpoint at step", &behind) &&
        !said_behind(text, "saved a checkpoint at step", &behind) &&
        !said_behind(text, "Started an asynchronous checkpoint save for step", &behind))
        return false;
    int64_t *last = evaluated ? maxtext->evaluated : maxtext->saved;
    if (is_one_of(behind, last)) /* another host's line */
        return true;
    last[1] = last[0];
    last[0] = behind;
    log_out_count(out, LOG_EVALUATION, NULL);
    return true;
}

enum log_answer maxtext_generally(void *state, const struct log_line *line, struct log_out *out)
{
    struct maxtext *maxtext = state;
    struct str rest = line->text, value;
    struct log_piece piece;
    int64_t number;
    size_t length;
    bool taken = false;
    while (log_next_piece(&rest, line, "completed step:", &piece))
        taken |= take_step(maxtext, line, &piece, out);
    if (!taken && log_after(line->text, "Num_devices:", &value)) {
        if (log_integer(value, &number, &length) && log_begins(log_from(value, length), ", ") &&
            number > 0 && number <= RECORD_RANK_MAX)
            maxtext->devices = number;
        forget_events(maxtext);
        maxtext->any = false; /* the step after its first may be dispatched only */
        taken = true;
    }
    taken |= !taken && take_event(maxtext, line->text, out);
    return taken ? LOG_TAKEN : LOG_OTHER;
}

static enum log_answer line(void *state, const struct log_line *line, struct log_out *out)
{
    struct log_piece piece;
    struct values values;
    int64_t step;
    if (!scan(line, &piece, &step, &values)) {
        log_scan_forget(line);
        return maxtext_generally(state, line, out);
    }
    judge(state, line, &piece, step, &values, out);
    return LOG_TAKEN;
}

static bool again(void *state, const struct log_line *line, const struct log_values *values,
                  struct log_out *out)
{
    bool rated = log_values_have(values, RATE), weighed = log_values_have(values, WEIGHTS);
    struct values is = {.fields = HAS_SECONDS | HAS_FLOPS | (rated ? HAS_RATE : 0) |
                                  (weighed ? HAS_WEIGHTS : 0),
                        .seconds = values->number[SECONDS],
                        .teraflops = values->number[FLOPS],
                        .weights = weighed ? values->number[WEIGHTS] : 0};
    int64_t step;
    if (!log_values_integer(values, STEP, &step))
        return false;
    struct log_piece piece = log_scan_piece_again(line, values, STEP, strlen(HEAD " "));
    judge(state, line, &piece, step, &is, out);
    return true;
}

static void end(void *state, struct log_out *out)
{
    struct maxtext *maxtext = state;
    if (maxtext->holding)
        log_out_count(out, LOG_LEFT_OUT,
                      "step %lld: only the step after it would tell whether its time is real",
                      (long long)maxtext->held.step);
    maxtext->holding = false;
}

static const char *const anchors[] = {"completed step: ",
                                      "Num_devices: ",
                                      "eval metrics after step: ",
                                      "average loss after step=",
                                      "a checkpoint at step ",
                                      "asynchronous checkpoint save for step ",
                                      NULL};

const struct format format_maxtext = {
    .name = "maxtext",
    .title = "MaxText",
    .needs = "nothing: every step has a line",
    .tells = "step time, TFLOP/s a device, tokens a step, devices",
    .lacks = "the times of single hosts and of phases: the line is about the whole job",
    .how = LOG_HOW_NCCL,
    .anchors = anchors,
    .state_bytes = sizeof(struct maxtext),
    .line = line,
    .again = again,
    .end = end};
