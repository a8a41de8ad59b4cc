/* The text logs of GKRLS' trainers: "[2026-03-25 00:25:04][Epoch 000][Step 0020/316]
 * global_step=20 .. step_time=9.970s step_time_min=9.1 step_time_max=18.5 .. tp=N tok/s". The
 * step time is the running mean of the epoch. What was captured from a terminal has lines
 * that are broken at its width: a record may go on in the next line. */
#include <math.h>
#include <string.h>

#include "log_format.h"
#include "log_learn.h"
#include "log_piece.h"
#include "log_text.h"

#define JOINED_MAX 1024
#define TEXT(text) ((struct str){text, sizeof(text) - 1})

enum { SHORTEST, LONGEST, MICRO, OTHER_TIMES };
static const struct {
    struct str field, name;
} other_times[OTHER_TIMES] = {
    {TEXT("step_time_min="), TEXT("shortest step of the epoch so far")},
    {TEXT("step_time_max="), TEXT("longest step of the epoch so far")},
    {TEXT("micro_time="), TEXT("micro batch")},
};

/* The numbers of a line. */
struct numbers {
    double seconds, other[OTHER_TIMES]; /* other: NAN: not there */
};

struct gkrls {
    size_t length; /* of a record that goes on in the next line; 0: none */
    char joined[JOINED_MAX];
    int64_t last_step, last_ns;
    bool any;
};

/* A time with its unit, or without. */
static bool read_time(const struct log_piece *piece, struct str field, double *ret)
{
    enum log_field kind = log_field_of(piece, field, TEXT("s"), ret);
    if (kind == LOG_FIELD_TORN)
        kind = log_field_of(piece, field, str_of(NULL, 0), ret);
    return kind == LOG_FIELD_NUMBER;
}

static void put_value(const struct log_piece *piece, struct str field, struct str name,
                      struct log_out *out)
{
    double number;
    if (read_time(piece, field, &number))
        log_out_value(out, name, "s", number);
}

/* "[Epoch 002][Step 0020/316]": the step of the run; -1: torn. */
static int64_t step_of(const struct log_piece *piece)
{
    struct str rest;
    double global;
    int64_t epoch, step, total;
    size_t length;
    if (log_field(piece, "global_step=", NULL, &global) == LOG_FIELD_NUMBER)
        return global >= 0 && global < 9e15 ? (int64_t)global : -1;
    if (!log_after(piece->text, "Epoch", &rest) || !log_integer(rest, &epoch, &length) ||
        !log_after(rest, "Step", &rest) || !log_integer(rest, &step, &length) ||
        !log_begins(log_from(rest, length), "/") ||
        !log_integer(log_from(rest, length + 1), &total, &length) || epoch > 1000000 ||
        total > 1000000000 || step > total)
        return -1;
    return epoch * total + step;
}

static void put_step(struct gkrls *gkrls, const struct log_line *line, int64_t step,
                     const struct numbers *numbers, struct log_out *out)
{
    double seconds = numbers->seconds;
    int64_t ns;
    if (seconds <= 0 || !log_duration(seconds, LOG_SECOND, &ns)) {
        log_out_count(out, LOG_IMPOSSIBLE, "step %lld: %g s", (long long)step, seconds);
        return;
    }
    if (gkrls->any && gkrls->last_step == step && gkrls->last_ns == ns) {
        log_out_count(out, LOG_DOUBLED, "step %lld", (long long)step);
        return;
    }
    gkrls->any = true;
    gkrls->last_step = step;
    gkrls->last_ns = ns;
    struct record record = {
        .has = RECORD_STEP | RECORD_STEP_TIME, .step = step, .step_time_ns = ns};
    bool zone;
    if (log_stamp_in(line->text, 64, &record.begin_ns, &zone)) {
        record.begin_ns -= ns < record.begin_ns ? ns : record.begin_ns;
        record.has |= RECORD_BEGIN;
        log_out_note(out, LOG_NOTE_NO_ZONE);
    }
    log_out_note(out, LOG_NOTE_SMOOTHED);
    for (int i = 0; i < OTHER_TIMES; i++)
        if (!isnan(numbers->other[i]))
            log_out_value(out, other_times[i].name, "s", numbers->other[i]);
    log_out_record(out, &record);
}

static void take_step(struct gkrls *gkrls, const struct log_line *line,
                      const struct log_piece *piece, struct log_out *out)
{
    struct numbers numbers;
    int64_t step = step_of(piece);
    enum log_field time = log_field(piece, "step_time=", "s", &numbers.seconds);
    if (time == LOG_FIELD_NOT_NUMBER) {
        log_out_count(out, LOG_NOT_NUMBER, NULL);
        return;
    }
    if (time != LOG_FIELD_NUMBER || step < 0) {
        log_out_damaged(out, "a torn line of a step");
        return;
    }
    for (int i = 0; i < OTHER_TIMES; i++)
        if (!read_time(piece, other_times[i].field, &numbers.other[i]))
            numbers.other[i] = NAN;
    put_step(gkrls, line, step, &numbers, out);
}

/* ---- a line as one before ---- */

enum { LEARNED_STEP, LEARNED_TIME, LEARNED_OTHER };

/* The number behind the name, which is there. */
static void learn_number(struct log_learned *form, unsigned field, const struct log_piece *piece,
                         struct str name)
{
    double number;
    struct str value;
    size_t length;
    if (log_after_bytes(piece->text, name.p, name.len, &value) &&
        log_number(value, &number, &length) == LOG_NUMBER)
        log_learn_number(form, field, log_until(value, length), 0);
}

/* The line is one whole record, whose step was put out. */
static void learn(const struct log_line *line, const struct log_piece *piece)
{
    double number;
    size_t at = line->form ? log_find(line->text, "[Epoch ") : SIZE_MAX;
    if (at == SIZE_MAX || line->text.p + at != piece->text.p ||
        log_find_last(line->text, "[Epoch ") != at ||
        log_field(piece, "global_step=", NULL, &number) != LOG_FIELD_NUMBER ||
        log_field(piece, "step_time=", "s", &number) != LOG_FIELD_NUMBER)
        return;
    learn_number(line->form, LEARNED_STEP, piece, TEXT("global_step="));
    learn_number(line->form, LEARNED_TIME, piece, TEXT("step_time="));
    for (unsigned i = 0; i < OTHER_TIMES; i++)
        if (read_time(piece, other_times[i].field, &number))
            learn_number(line->form, LEARNED_OTHER + i, piece, other_times[i].field);
    log_learn_ready(line->form, false);
}

static bool again(void *state, const struct log_line *line, const struct log_values *values,
                  struct log_out *out)
{
    struct gkrls *gkrls = state;
    struct numbers numbers = {.seconds = values->number[LEARNED_TIME]};
    double step = values->number[LEARNED_STEP];
    if (gkrls->length > 0 || !(step >= 0) || !(step < 9e15))
        return false;
    for (unsigned i = 0; i < OTHER_TIMES; i++)
        numbers.other[i] =
            log_values_have(values, LEARNED_OTHER + i) ? values->number[LEARNED_OTHER + i] : NAN;
    put_step(gkrls, line, (int64_t)step, &numbers, out);
    return true;
}

/* ---- lines ---- */

static bool is_whole(struct str text)
{
    size_t rate = log_find(text, "tp="), unit = log_find_last(text, "/s");
    return rate != SIZE_MAX && unit != SIZE_MAX && unit > rate;
}

static bool is_epoch(struct str text)
{
    return log_find(text, "[Step ") == SIZE_MAX;
}

/* The text of one record, from its "[Epoch". */
static void take_text(struct gkrls *gkrls, const struct log_line *line, struct str text,
                      struct log_out *out)
{
    struct log_piece piece = {.text = text, .torn_end = line->cut, .origin = LOG_LEARN_NOWHERE};
    if (is_epoch(text)) {
        put_value(&piece, TEXT("step_time="), TEXT("epoch: mean step"), out);
        put_value(&piece, TEXT("epoch_train_time="), TEXT("epoch: training"), out);
        put_value(&piece, TEXT("epoch_time="), TEXT("epoch: all"), out);
    } else if (is_whole(text)) {
        take_step(gkrls, line, &piece, out);
        learn(line, &piece);
    } else {
        log_out_damaged(out, "a torn line of a step");
    }
}

static void keep(struct gkrls *gkrls, struct str text, struct log_out *out)
{
    size_t room = JOINED_MAX - gkrls->length;
    size_t size = text.len < room ? text.len : room;
    memcpy(gkrls->joined + gkrls->length, text.p, size);
    gkrls->length += size;
    log_out_want_all(out, true);
}

/* What goes on in this line, or does not. */
static bool take_rest(struct gkrls *gkrls, const struct log_line *line, bool begins,
                      struct log_out *out)
{
    if (gkrls->length == 0)
        return false;
    struct str rest = line->text;
    bool goes_on = !begins && rest.len > 0 && rest.p[0] != '[' &&
                   gkrls->length + rest.len <= JOINED_MAX && log_find(rest, "/s") != SIZE_MAX;
    if (goes_on)
        keep(gkrls, rest, out);
    struct str text = str_of(gkrls->joined, gkrls->length);
    log_out_want_all(out, false);
    take_text(gkrls, line, text, out);
    gkrls->length = 0;
    return goes_on;
}

static enum log_answer line(void *state, const struct log_line *line, struct log_out *out)
{
    struct gkrls *gkrls = state;
    size_t at = log_find_last(line->text, "[Epoch ");
    struct str text = log_from(line->text, at), value;
    bool ours = at != SIZE_MAX &&
                (log_after(text, "train_loss=", &value) || log_after(text, "step_time=", &value) ||
                 log_after(text, "global_step=", &value));
    if (take_rest(gkrls, line, ours, out))
        return LOG_TAKEN;
    if (!ours)
        return LOG_OTHER;
    if (log_find(line->text, "[Epoch ") < at)
        log_out_damaged(out, "a line of a step that goes on in another");
    if (!is_whole(text) && !is_epoch(text) && !line->cut)
        keep(gkrls, text, out);
    else
        take_text(gkrls, line, text, out);
    return LOG_TAKEN;
}

static void end(void *state, struct log_out *out)
{
    struct gkrls *gkrls = state;
    if (gkrls->length > 0)
        log_out_damaged(out, "a record of a step that is not whole");
    gkrls->length = 0;
}

static const char *const anchors[] = {"[Epoch ", NULL};

const struct format format_gkrls = {
    .name = "gkrls",
    .title = "GKRLS trainers (text)",
    .needs = "nothing; --log_interval=1 for every step",
    .tells = "one rank's mean step time of the epoch so far, its shortest and longest step",
    .lacks = "single steps, phases, and the ranks that do not write",
    .how = LOG_HOW_PYTHON,
    .anchors = anchors,
    .state_bytes = sizeof(struct gkrls),
    .line = line,
    .again = again,
    .end = end};
