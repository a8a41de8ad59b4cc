/* NeMo 2 ("Training epoch 0, iteration 45/99 | lr: .. | global_step: 45 | train_step_timing in
 * s: 4.93 | TFLOPS_per_GPU: 1.249e+03 | consumed_samples: 736"), the progress bars of NeMo 1
 * ("Epoch 0: : 47%|#| 7/15 [06:19<07:13, global_step=5.000, train_step_timing in s=49.50]") and
 * NeMo Automodel ("step 10 | epoch 0 | loss 3.2 | .. | tps 1234.00(154.25/gpu) | .."). */
#include "decode_generally.h"
#include "log_format.h"
#include "log_piece.h"
#include "log_scan.h"
#include "log_text.h"

struct nemo {
    struct log_layout layout;
    struct log_writers writers;
    int64_t stamp, stamp_step; /* of Automodel's line before */
    bool stamped, timed;       /* timed: Automodel's lines have times of their own */
    uint32_t events;           /* RECORD_VALIDATION, RECORD_CHECKPOINT: since the last step */
};

enum { HAS_TIME = 1u, HAS_FLOPS = 2u, HAS_CONSUMED = 4u, HAS_TPS = 8u };

/* Whatever ran between two steps is told once, however many lines it has. */
static void note_event(struct nemo *nemo, uint32_t event, struct log_out *out)
{
    if (!(nemo->events & event))
        log_out_count(out, LOG_EVALUATION, NULL);
    nemo->events |= event;
}

static void put_events(struct nemo *nemo, struct record *record)
{
    record->has |= nemo->events;
    nemo->events = 0;
}

/* False: doubled. */
static bool is_news(enum log_turn turn, int64_t step, struct log_out *out)
{
    if (turn != LOG_TURN_DOUBLED)
        return true;
    log_out_count(out, LOG_DOUBLED, "step %lld", (long long)step);
    return false;
}

static void put(struct nemo *nemo, const struct log_line *line, const struct log_piece *piece,
                int64_t step, double seconds, double teraflops, struct log_out *out)
{
    int64_t ns;
    if (seconds <= 0 || !log_duration(seconds, LOG_SECOND, &ns)) {
        log_out_count(out, LOG_IMPOSSIBLE, "step %lld: %g s", (long long)step, seconds);
        return;
    }
    enum log_turn turn = log_writers_turn(&nemo->writers, line->writer, step, ns);
    if (!is_news(turn, step, out))
        return;
    if (turn == LOG_TURN_BACK)
        nemo->events = 0; /* of the attempt before */
    struct record record = log_job(step, ns);
    log_job_flops(&record, teraflops, out);
    log_job_begin(&record, piece, out);
    put_events(nemo, &record);
    log_out_record(out, &record);
}

/* The step of a line of NeMo 2: its global step; of old ones, which have none, epoch and iteration.
 * -1: torn. */
static int64_t step_of(const struct log_piece *piece)
{
    double global;
    struct str rest;
    int64_t epoch, iteration, last;
    size_t length;
    enum log_field field = log_field(piece, "global_step:", NULL, &global);
    if (field == LOG_FIELD_NUMBER)
        return global >= 0 && global <= 9e15 ? (int64_t)global : -1;
    if (field != LOG_FIELD_NONE || !log_after(piece->text, "Training epoch", &rest) ||
        !log_integer(rest, &epoch, &length) || !log_after(rest, "iteration", &rest) ||
        !log_integer(rest, &iteration, &length) || length == rest.len || rest.p[length] != '/')
        return -1;
    rest = log_from(rest, length + 1);
    if (!log_integer(rest, &last, &length) || length == rest.len || rest.p[length] != ' ' ||
        iteration > last || last > 1000000000 || epoch > 1000000)
        return -1;
    return epoch * (last + 1) + iteration;
}

/* The first line of a run ends with the time, since nothing is consumed yet. */
static bool is_whole(struct nemo *nemo, uint32_t fields, bool bare, int64_t step)
{
    return log_layout_whole(&nemo->layout, fields, bare && step != 0 && nemo->layout.usual != 0) ||
           step == 0;
}

/* "1.249e+03": a number at the end of a line that is not cut. */
static bool ends_with_exponent(struct str s)
{
    return s.len > 4 && s.p[s.len - 4] == 'e' && (s.p[s.len - 3] == '+' || s.p[s.len - 3] == '-') &&
           log_is_digit(s.p[s.len - 2]) && log_is_digit(s.p[s.len - 1]);
}

struct values {
    int64_t step; /* -1: torn */
    enum log_field time, flops, consumed, tokens;
    double seconds, teraflops, tokens_a_second;
};

static struct values values_of(const struct log_piece *piece)
{
    struct values values = {.step = step_of(piece)};
    double number;
    values.time = log_field(piece, "train_step_timing in s:", NULL, &values.seconds);
    values.flops = log_field(piece, "TFLOPS_per_GPU:", NULL, &values.teraflops);
    if (values.flops == LOG_FIELD_NONE)
        values.flops = log_field(piece, "TFLOPS_PER_GPU:", NULL, &values.teraflops);
    values.consumed = log_field(piece, "consumed_samples:", NULL, &number);
    values.tokens = log_field(piece, "tokens_per_sec_per_gpu:", NULL, &values.tokens_a_second);
    return values;
}

static void judge(struct nemo *nemo, const struct log_line *line, const struct log_piece *piece,
                  const struct values *values, struct log_out *out)
{
    enum log_field time = values->time, flops = values->flops;
    uint32_t fields = HAS_TIME | (flops != LOG_FIELD_NONE ? HAS_FLOPS : 0) |
                      (values->consumed != LOG_FIELD_NONE ? HAS_CONSUMED : 0);
    bool bare = time == LOG_FIELD_BARE || flops == LOG_FIELD_BARE;
    if (values->tokens == LOG_FIELD_NUMBER)
        log_out_value(out, str_from("tokens a second and GPU"), "tokens/s",
                      values->tokens_a_second);
    if (time == LOG_FIELD_NOT_NUMBER) {
        log_out_count(out, LOG_NOT_NUMBER, NULL);
        return;
    }
    if (values->step < 0 || time == LOG_FIELD_TORN || flops == LOG_FIELD_TORN ||
        time == LOG_FIELD_NONE || !is_whole(nemo, fields, bare, values->step)) {
        log_out_damaged(out, "a torn line of an iteration");
        return;
    }
    bool known = flops == LOG_FIELD_NUMBER ||
                 (flops == LOG_FIELD_BARE && ends_with_exponent(log_trim(piece->text)));
    put(nemo, line, piece, values->step, values->seconds, known ? values->teraflops : 0, out);
}

static bool take_iteration(struct nemo *nemo, const struct log_line *line,
                           const struct log_piece *piece, struct log_out *out)
{
    if (log_find(piece->text, ", iteration ") == SIZE_MAX)
        return false;
    struct values values = values_of(piece);
    judge(nemo, line, piece, &values, out);
    return true;
}

enum { EPOCH, STEP, TIME, FLOPS, TOKENS, CONSUMED }; /* fields of the usual form */
#define HEAD "Training epoch"

/* A number that is there for the first time, and is not the last of the line, where it may be cut.
 */
static bool scan_value(struct log_scan *scan, unsigned field, enum log_field *is, double *ret)
{
    const char *begin = scan->at;
    bool first = *is == LOG_FIELD_NONE;
    *is = LOG_FIELD_NUMBER;
    if (!first || !log_scan_any_number(scan, ret))
        return false;
    log_scan_learn(scan, begin, field);
    return log_scan_text(scan, " ");
}

static bool scan_step(struct log_scan *scan, struct values *values)
{
    double global;
    enum log_field field = values->step < 0 ? LOG_FIELD_NONE : LOG_FIELD_NUMBER;
    if (!scan_value(scan, STEP, &field, &global) || global < 0 || global > 9e15)
        return false;
    values->step = (int64_t)global;
    return true;
}

/* "name: number" with a blank behind it, or the end of the line. */
static bool scan_field(struct log_scan *scan, struct values *values)
{
    struct str name;
    if (log_scan_text(scan, "| train_step_timing in s: "))
        return scan_value(scan, TIME, &values->time, &values->seconds);
    if (!log_scan_text(scan, "| ") || !log_scan_name(scan, &name) || !log_scan_text(scan, ": "))
        return false;
    if (log_scan_is(name, "global_step"))
        return scan_step(scan, values);
    if (log_scan_is(name, "TFLOPS_per_GPU") || log_scan_is(name, "TFLOPS_PER_GPU"))
        return scan_value(scan, FLOPS, &values->flops, &values->teraflops);
    if (log_scan_is(name, "tokens_per_sec_per_gpu"))
        return scan_value(scan, TOKENS, &values->tokens, &values->tokens_a_second);
    const char *begin = scan->at;
    if (!log_scan_skip_number(scan))
        return false;
    if (log_scan_is(name, "consumed_samples") && values->consumed == LOG_FIELD_NONE) {
        values->consumed =
            LOG_FIELD_NUMBER; /* whether it is there tells something, not its value */
        log_scan_learn(scan, begin, CONSUMED);
    }
    return log_scan_ends(scan) || log_scan_text(scan, " ");
}

/* The usual form: fields in any order, of which those that count are whole. */
static bool scan(const struct log_line *line, struct log_piece *piece, struct values *ret)
{
    struct log_scan scan;
    int64_t epoch;
    size_t at;
    *ret = (struct values){.step = -1};
    if (!log_scan_head(&scan, line, HEAD, &at) || !log_scan_text(&scan, " ") ||
        !log_scan_integer_to(&scan, EPOCH, &epoch) || !log_scan_text(&scan, ", iteration ") ||
        !log_scan_skip_number(&scan) || !log_scan_text(&scan, "/") ||
        !log_scan_skip_number(&scan) || !log_scan_text(&scan, " "))
        return false;
    while (scan.at < scan.end)
        if (!scan_field(&scan, ret))
            return false;
    *piece = log_scan_piece(line, at);
    return ret->step >= 0 && ret->time == LOG_FIELD_NUMBER && log_scan_ready(&scan);
}

/* ---- progress bars ---- */

/* "7/15" before " [", or "7it" within the first epoch: the batch that was done last, over all
 * epochs; -1: not there. */
static int64_t batch_of(struct str text)
{
    struct str rest = log_trim(log_from(text, 5));
    int64_t epoch, batch, total;
    size_t length, at = log_find(text, " [");
    if (at == SIZE_MAX || !log_integer(rest, &epoch, &length))
        return -1;
    while (at > 0 && text.p[at - 1] != ' ' && text.p[at - 1] != '|')
        at--;
    rest = log_from(text, at);
    if (!log_integer(rest, &batch, &length) || length == rest.len)
        return -1;
    if (epoch == 0 && log_begins(log_from(rest, length), "it ["))
        return batch - 1; /* how many there are in an epoch is not known */
    if (rest.p[length] != '/')
        return -1;
    rest = log_from(rest, length + 1);
    if (!log_integer(rest, &total, &length) || batch < 1 || batch > total || epoch > 1000000 ||
        total > 1000000000)
        return -1;
    return epoch * total + batch - 1;
}

static int64_t bar_step(const struct log_piece *piece)
{
    struct str text;
    double global;
    size_t length;
    if (log_field(piece, "global_step=", NULL, &global) == LOG_FIELD_NUMBER &&
        log_after(piece->text, "global_step=", &text) &&
        log_number(text, &global, &length) == LOG_NUMBER &&
        log_find(log_until(text, length), "e") == SIZE_MAX && global >= 0 && global < 9e15)
        return (int64_t)global;
    return batch_of(piece->text); /* from 1000 on the bar rounds it: 1.23e+3 */
}

static bool take_bar(struct nemo *nemo, const struct log_line *line, const struct log_piece *piece,
                     struct log_out *out)
{
    double seconds;
    enum log_field time = log_field(piece, "train_step_timing in s=", NULL, &seconds);
    if (time == LOG_FIELD_NONE)
        return false;
    int64_t step = bar_step(piece);
    if (time == LOG_FIELD_NOT_NUMBER)
        log_out_count(out, LOG_NOT_NUMBER, NULL);
    else if (time != LOG_FIELD_NUMBER || step < 0 ||
             log_find_from(piece->text, 5, "Epoch ") != SIZE_MAX) /* the next one's, joined */
        log_out_damaged(out, time == LOG_FIELD_NUMBER && step < 0
                                 ? "a progress bar that does not tell its step"
                                 : "a torn progress bar");
    else
        put(nemo, line, piece, step, seconds, 0, out);
    return true;
}

/* ---- Automodel ---- */

/* "tps 1234.00(154.25/gpu)": how many GPUs; 0: it does not say. */
static int64_t gpus_of(struct str text)
{
    struct str value;
    double all, one;
    size_t length;
    if (!log_after(text, "tps ", &value) || log_number(value, &all, &length) != LOG_NUMBER ||
        length == value.len || value.p[length] != '(')
        return 0;
    value = log_from(value, length + 1);
    if (log_number(value, &one, &length) != LOG_NUMBER ||
        !log_begins(log_from(value, length), "/gpu)") || one <= 0 || all / one > 1e6)
        return 0;
    double gpus = all / one;
    int64_t whole = (int64_t)(gpus + 0.5);
    return gpus - (double)whole < 0.02 && (double)whole - gpus < 0.02 ? whole : 0;
}

static int64_t automodel_time(struct nemo *nemo, const struct log_piece *piece, int64_t step,
                              bool stamped, int64_t stamp, int64_t *ret_span, struct log_out *out)
{
    double seconds;
    int64_t ns;
    *ret_span = 1;
    enum log_field field = log_field(piece, "time ", "s", &seconds);
    if (field == LOG_FIELD_NUMBER) {
        nemo->timed = true;
        return seconds > 0 && log_duration(seconds, LOG_SECOND, &ns) ? ns : 0;
    }
    struct str rate; /* behind the time, where there is one */
    if (field != LOG_FIELD_NONE || nemo->timed || !log_after(piece->text, "tps ", &rate)) {
        log_out_damaged(out, "a torn line of a step");
        return 0;
    }
    if (!stamped || !nemo->stamped || step <= nemo->stamp_step || stamp <= nemo->stamp)
        return 0;
    *ret_span = step - nemo->stamp_step;
    log_out_note(out, LOG_NOTE_STAMPS);
    return (stamp - nemo->stamp) / *ret_span;
}

static bool take_automodel(struct nemo *nemo, const struct log_line *line,
                           const struct log_piece *piece, struct log_out *out)
{
    struct str value = log_trim(log_from(piece->text, 4));
    int64_t step, stamp = 0, span;
    size_t length;
    bool zone;
    if (!log_integer(value, &step, &length) || !log_begins(log_from(value, length), " | epoch ") ||
        log_find(value, "| loss ") == SIZE_MAX)
        return false;
    if (log_find(piece->front, "[val]") != SIZE_MAX) {
        note_event(nemo, RECORD_VALIDATION, out);
        return true;
    }
    bool stamped = log_piece_stamp(piece, &stamp, &zone);
    int64_t mark = stamped ? stamp : (int64_t)piece->text.len;
    enum log_turn turn = log_writers_turn_at(&nemo->writers, line->writer, step, mark, stamp);
    if (!is_news(turn, step, out))
        return true;
    if (turn == LOG_TURN_BACK)
        nemo->events = 0;
    int64_t ns = automodel_time(nemo, piece, step, stamped, stamp, &span, out);
    nemo->stamped = stamped;
    nemo->stamp = stamp;
    nemo->stamp_step = step;
    if (ns == 0)
        return true;
    struct record record = log_job(step, ns);
    if (span > 1) {
        record.span = span;
        record.has |= RECORD_SPAN;
    }
    record.gpus = gpus_of(piece->text);
    record.has |= record.gpus > 0 ? RECORD_GPUS : 0u;
    log_job_begin(&record, piece, out);
    put_events(nemo, &record);
    log_out_record(out, &record);
    return true;
}

/* ---- between steps ---- */

/* "GPU available: True (cuda), used: True": another process begins, whose first step is slow. Other
 * trainers on Lightning print it, too. */
static bool take_begin(struct nemo *nemo, struct str text)
{
    bool ours = nemo->events && log_find(text, "GPU available: ") != SIZE_MAX;
    nemo->events = ours ? 0 : nemo->events;
    return ours;
}

/* "Validation: iteration 1/32", "Global Checkpoint Save : Rank: 0 : Iteration: 49 : ...". */
static bool take_event(struct nemo *nemo, struct str text, struct log_out *out)
{
    if (log_find(text, "Validation: iteration ") != SIZE_MAX)
        note_event(nemo, RECORD_VALIDATION, out);
    else if (log_find(text, "Global Checkpoint Save :") != SIZE_MAX)
        note_event(nemo, RECORD_CHECKPOINT, out);
    else
        return take_begin(nemo, text);
    return true;
}

enum log_answer nemo_generally(void *state, const struct log_line *line, struct log_out *out)
{
    struct str rest = line->text;
    struct log_piece piece;
    bool taken = false;
    while (log_next_piece(&rest, line, "Training epoch", &piece))
        taken |= take_iteration(state, line, &piece, out);
    for (rest = line->text; !taken && log_next_piece(&rest, line, "Epoch", &piece);)
        taken |= take_bar(state, line, &piece, out);
    for (rest = line->text; !taken && log_next_piece(&rest, line, "step", &piece);)
        taken |= take_automodel(state, line, &piece, out);
    taken = taken || take_event(state, line->text, out);
    return taken ? LOG_TAKEN : LOG_OTHER;
}

static enum log_answer line(void *state, const struct log_line *line, struct log_out *out)
{
    struct log_piece piece;
    struct values values;
    if (!scan(line, &piece, &values)) {
        log_scan_forget(line);
        return nemo_generally(state, line, out);
    }
    judge(state, line, &piece, &values, out);
    return LOG_TAKEN;
}

static enum log_field field_again(const struct log_values *values, unsigned field)
{
    return log_values_have(values, field) ? LOG_FIELD_NUMBER : LOG_FIELD_NONE;
}

static bool again(void *state, const struct log_line *line, const struct log_values *values,
                  struct log_out *out)
{
    double global = values->number[STEP];
    if (!(global >= 0) || global > 9e15)
        return false;
    struct values is = {.step = (int64_t)global,
                        .time = LOG_FIELD_NUMBER,
                        .flops = field_again(values, FLOPS),
                        .consumed = field_again(values, CONSUMED),
                        .tokens = field_again(values, TOKENS),
                        .seconds = values->number[TIME]};
    is.teraflops = is.flops == LOG_FIELD_NUMBER ? values->number[FLOPS] : 0;
    is.tokens_a_second = is.tokens == LOG_FIELD_NUMBER ? values->number[TOKENS] : 0;
    struct log_piece piece = log_scan_piece_again(line, values, EPOCH, strlen(HEAD " "));
    judge(state, line, &piece, &is, out);
    return true;
}

static const char *const anchors[] = {
    "Training epoch ",          "train_step_timing in s", " | epoch ", "Validation: iteration ",
    "Global Checkpoint Save :", "GPU available: ",        NULL};

const struct format format_nemo = {
    .name = "nemo",
    .title = "NeMo",
    .needs = "nothing; trainer.log_every_n_steps=1 for every step",
    .tells = "step time, TFLOP/s a GPU when the FLOPs callback is on",
    .lacks = "the times of single ranks and of phases",
    .how = LOG_HOW_NCCL,
    .anchors = anchors,
    .state_bytes = sizeof(struct nemo),
    .line = line,
    .again = again,
};
