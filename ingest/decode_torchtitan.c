/* torchtitan: "step: 10  loss:  7.4  grad_norm: ..  memory: ..  tps: 9,582  tflops: 807.32
 * mfu: 35.88%". The line has no step time: it follows from tps and the tokens a step, which
 * the lines before the training tell; without them from the time stamps. */
#include <math.h>
#include <string.h>

#include "log_format.h"
#include "log_learn.h"
#include "log_piece.h"
#include "log_steps.h"
#include "log_text.h"

#define STAMP_RESOLUTION_NS INT64_C(2000000)
#define SAME_TIME_NS INT64_C(1000000000) /* within which no job starts again */

enum { HAS_RATE = 1u, HAS_FLOPS = 2u, HAS_MFU = 4u, HAS_TIME = 8u, FIELDS = 4 };

/* The line of a step. */
struct step_line {
    int64_t step;
    bool number_ends; /* what must stand behind the step's number does */
    bool stamped, zone;
    int64_t stamp;
    uint32_t fields;
    uint32_t numbers; /* of the fields that are one */
    bool bare, torn;
    double rate, teraflops, mfu, seconds;
};

struct titan {
    struct log_steps steps;
    struct log_writers writers;
    struct log_layout layout;
    int64_t sequence, global_batch, world; /* 0: not known */
    int64_t stamp;                         /* of the line before, or of the training's start */
    int64_t newest, newest_ns;             /* step that came last; its stamp, 0: none */
    int64_t stamp_step;
    bool stamped;
    bool interrupted; /* a start or an evaluation lies between: the clock holds more than steps */
};

/* ---- what is said before the training ---- */

static bool named_integer(struct str text, const char *name, int64_t *ret)
{
    struct str value;
    size_t length;
    return log_after(text, name, &value) && log_integer(value, ret, &length) &&
           length < value.len && (value.p[length] == ',' || value.p[length] == ' ') &&
           !(value.p[length] == ',' && length + 1 == value.len);
}

/* "parallelism: pp=1, dp_replicate=1, dp_shard=8, cp=1, tp=1, ep=1": ep is taken out of dp. */
static int64_t ranks_by_name(struct str text)
{
    static const char *const names[] = {"dp_replicate=", "dp_shard=", "cp=", "tp=", "pp="};
    int64_t product = 1, size;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct str value;
        if (!log_after(text, names[i], &value))
            continue;
        if (!named_integer(text, names[i], &size) || size < 1 || size > RECORD_RANK_MAX / product)
            return 0;
        product *= size;
    }
    return product;
}

/* "2-D device mesh with ['dp_shard', 'tp'], [4, 2]" */
static int64_t ranks_by_list(struct str text)
{
    size_t at = log_find_last(text, "[");
    struct str list = log_from(text, at == SIZE_MAX ? text.len : at + 1), part;
    size_t end = log_find(list, "]"), length;
    if (end == SIZE_MAX)
        return 0;
    list = log_until(list, end);
    int64_t product = 1, size;
    while (log_next_part(&list, ",", &part)) {
        if (!log_integer(part, &size, &length) || length != part.len || size < 1 ||
            size > RECORD_RANK_MAX / product)
            return 0;
        product *= size;
    }
    return product;
}

static bool peak_value(struct str value, double *ret)
{
    size_t length;
    return log_number(value, ret, &length) == LOG_NUMBER && length >= 3 &&
           (value.p[length - 3] == '+' || value.p[length - 3] == '-'); /* 9.890e+14: all of it */
}

static bool take_setup(struct titan *titan, const struct log_line *line, struct log_out *out)
{
    struct str value, text = line->text;
    double peak;
    int64_t number;
    size_t at = log_find(text, "device mesh with ");
    if (at != SIZE_MAX) {
        text = log_from(text, at);
        titan->world =
            log_find(text, "dp_shard=") != SIZE_MAX ? ranks_by_name(text) : ranks_by_list(text);
        return true;
    }
    if (log_after(text, "Peak FLOPS used for computing MFU:", &value)) {
        if (peak_value(value, &peak))
            log_out_value(out, str_from("peak used for the MFU"), "FLOP/s", peak);
        return true;
    }
    if (log_after(text, "global batch size", &value)) {
        titan->global_batch = named_integer(text, "global batch size", &number) ? number : 0;
        titan->sequence = named_integer(text, "sequence length", &number) ? number : 0;
    }
    if (!log_after(text, "Training starts at step", &value))
        return log_find(text, "global batch size") != SIZE_MAX;
    bool zone;
    size_t length;
    struct log_piece start = {.front = log_until(text, (size_t)(value.p - text.p)),
                              .origin = LOG_LEARN_NOWHERE};
    if (log_integer(value, &number, &length) && number > 0 && !line->cut) {
        titan->steps.any = true;
        titan->steps.previous = titan->stamp_step = number - 1;
        titan->stamped = log_piece_stamp(&start, &titan->stamp, &zone); /* as steps have it */
        titan->interrupted = true;
    }
    return true;
}

/* ---- the line of a step ---- */

static void take_field(struct step_line *values, const struct log_piece *piece, const char *name,
                       const char *unit, uint32_t bit, double *ret)
{
    double number;
    enum log_field field = log_field(piece, name, unit, &number);
    if (field == LOG_FIELD_NONE || (values->fields & bit))
        return;
    values->fields |= bit;
    values->torn |= field == LOG_FIELD_TORN;
    values->bare |= field == LOG_FIELD_BARE;
    if (field == LOG_FIELD_NUMBER || field == LOG_FIELD_BARE) {
        *ret = number;
        values->numbers |= bit;
    }
}

/* A fork writes "mfu: 35.88%grad_norm: 2.1". */
static struct log_piece before_glued(const struct log_piece *piece)
{
    struct log_piece front = *piece;
    size_t at = log_find(piece->text, "%grad_norm:");
    if (at != SIZE_MAX)
        front.text = log_until(piece->text, at + 1);
    return front;
}

static void take_fields(struct step_line *values, const struct log_piece *piece)
{
    /* A fork's "tps:" before it is of all GPUs. */
    take_field(values, piece, "per_device_tps:", NULL, HAS_RATE, &values->rate);
    take_field(values, piece, "tps:", NULL, HAS_RATE, &values->rate);
    take_field(values, piece, "wps:", NULL, HAS_RATE, &values->rate);
    take_field(values, piece, "tgs:", NULL, HAS_RATE, &values->rate);
    take_field(values, piece, "tflops:", NULL, HAS_FLOPS, &values->teraflops);
    struct log_piece front = before_glued(piece);
    take_field(values, &front, "mfu:", "%", HAS_MFU, &values->mfu);
    take_field(values, piece, "step_time:", NULL, HAS_TIME, &values->seconds);
}

/* Nanoseconds a step; 0: not to be known from this line. */
static int64_t time_by_rate(const struct titan *titan, const struct step_line *values,
                            struct log_out *out)
{
    int64_t ns;
    if (values->numbers & HAS_TIME)
        return log_duration(values->seconds, LOG_SECOND, &ns) ? ns : 0;
    if (!(values->numbers & HAS_RATE) || values->rate <= 0 || titan->world == 0 ||
        titan->global_batch == 0 || titan->sequence == 0)
        return 0;
    double tokens = (double)titan->global_batch * (double)titan->sequence;
    if (!log_duration(tokens / (values->rate * (double)titan->world), LOG_SECOND, &ns))
        return 0;
    log_out_note(out, LOG_NOTE_RATE);
    return ns;
}

static int64_t time_by_stamps(const struct titan *titan, int64_t step, int64_t stamp)
{
    if (!titan->stamped || step <= titan->stamp_step || stamp <= titan->stamp)
        return 0;
    return (stamp - titan->stamp) / (step - titan->stamp_step);
}

/* The line's own values, beside the record that is worked out from them. */
static void put_values(const struct step_line *values, struct log_out *out)
{
    if (values->numbers & HAS_RATE)
        log_out_value(out, str_from("tokens a second a GPU"), "tokens/s", values->rate);
    if (values->numbers & HAS_FLOPS)
        log_out_value(out, str_from("TFLOP/s a GPU"), "TFLOP/s", values->teraflops);
    if (values->numbers & HAS_MFU)
        log_out_value(out, str_from("MFU"), "%", values->mfu);
}

static void describe(const struct titan *titan, const struct step_line *values,
                     struct record *record, struct log_out *out)
{
    if (values->numbers & HAS_FLOPS)
        log_job_flops(record, values->teraflops, out);
    if (values->numbers & HAS_MFU)
        log_job_mfu(record, values->mfu, out);
    if ((values->fields & (HAS_FLOPS | HAS_MFU)) & ~values->numbers)
        log_out_count(out, LOG_NOT_NUMBER, NULL);
    if (titan->world > 0) {
        record->gpus = titan->world;
        record->has |= RECORD_GPUS;
    }
    if (titan->global_batch > 0 && titan->sequence > 0 &&
        titan->sequence <= RECORD_TOKENS_MAX / titan->global_batch) {
        record->tokens = titan->global_batch * titan->sequence;
        record->has |= RECORD_TOKENS;
    }
}

static void compare(const struct titan *titan, const struct record *record, int64_t stamp,
                    struct log_out *out)
{
    int64_t count = record->step - titan->stamp_step;
    if (!titan->stamped || titan->interrupted || count < 1 || stamp < titan->stamp)
        return;
    if (log_stamps_disagree(record->step_time_ns, count, titan->stamp, stamp, STAMP_RESOLUTION_NS))
        log_out_count(out, LOG_DISAGREE,
                      "step %lld: %.3f s by its value, %.3f s by the time stamps",
                      (long long)record->step, (double)record->step_time_ns / 1e9,
                      (double)(stamp - titan->stamp) / 1e9 / (double)count);
}

static void put_step(struct titan *titan, const struct step_line *values, struct log_out *out)
{
    int64_t span, step = values->step, stamp = values->stamped ? values->stamp : 0;
    bool stamped = values->stamped;
    log_steps_next(&titan->steps, step, &span);
    int64_t ns = time_by_rate(titan, values, out);
    bool by_rate = ns > 0;
    put_values(values, out);
    if (!by_rate && stamped)
        ns = time_by_stamps(titan, step, stamp);
    if (ns > 0) {
        struct record record = log_job(step, ns);
        if (by_rate) {
            record.has |= values->numbers & HAS_TIME ? 0 : RECORD_COMPUTED;
        } else {
            log_out_note(out, LOG_NOTE_STAMPS);
            span = step - titan->stamp_step;
        }
        if (span > 1) {
            record.span = span;
            record.has |= RECORD_SPAN;
            log_out_note(out, LOG_NOTE_MEAN);
        }
        describe(titan, values, &record, out);
        if (stamped) {
            log_job_begin_at(&record, stamp, values->zone, out);
            if (by_rate)
                compare(titan, &record, stamp, out);
        }
        log_out_record(out, &record);
    }
    titan->stamp = stamp;
    titan->stamp_step = step;
    titan->stamped = stamped;
    titan->interrupted = false;
}

/* "evaluation:  step: 20  loss: ..", "context: valid  step: 3 ..", "validate step: 5 ..". */
static bool is_evaluation(const struct log_piece *piece)
{
    size_t from = piece->front.len > 24 ? piece->front.len - 24 : 0;
    struct str front = log_from(piece->front, from);
    return log_find(front, "valid") != SIZE_MAX || log_find(front, "eval") != SIZE_MAX;
}

/* Every rank may print the step, without saying who it is, and out of order: a restart comes
 * later than what it goes back behind. */
static bool is_late(struct titan *titan, const struct step_line *values)
{
    if (!values->stamped)
        return false;
    bool late = titan->newest_ns > 0 && values->step <= titan->newest &&
                values->stamp <= titan->newest_ns + SAME_TIME_NS;
    if (!late) {
        titan->newest = values->step;
        titan->newest_ns = values->stamp;
    }
    return late;
}

static void use_step(struct titan *titan, const struct log_line *line,
                     const struct step_line *values, struct log_out *out)
{
    if (!values->number_ends || values->torn || !values->fields ||
        !log_layout_whole(&titan->layout, values->fields, values->bare)) {
        int64_t span;
        if (values->number_ends && values->step > titan->steps.previous)
            log_steps_next(&titan->steps, values->step, &span);
        titan->stamped = false;
        log_out_damaged(out, "a torn line of a step");
        return;
    }
    if (!(values->fields & (HAS_RATE | HAS_TIME)))
        return;
    double differs = values->rate * 1e3 + values->teraflops + values->mfu * 1e6;
    int64_t mark = fabs(differs) < 1e18 ? (int64_t)differs : 0;
    enum log_turn turn = is_late(titan, values)
                             ? LOG_TURN_DOUBLED
                             : log_writers_turn(&titan->writers, line->writer, values->step, mark);
    if (line->writer >= 0)
        log_out_note(out, LOG_NOTE_WRITER);
    if (turn == LOG_TURN_DOUBLED) {
        log_out_count(out, LOG_DOUBLED, "step %lld", (long long)values->step);
        return;
    }
    if (turn == LOG_TURN_BACK && values->step <= titan->stamp_step)
        titan->stamped = false;
    put_step(titan, values, out);
}

/* ---- a line as one before ---- */

/* Of a learned line's values. */
enum {
    LEARNED_STEP, /* its note: bytes from "step:" to it */
    LEARNED_STAMP,
    LEARNED_FIELDS /* their notes: 1 where it is bare */
};

/* The number of a field, which has one of several names. */
static void learn_field(struct log_learned *form, unsigned field, const struct log_piece *piece,
                        bool bare)
{
    static const char *const names[FIELDS][4] = {
        {"per_device_tps:", "tps:", "wps:", "tgs:"}, {"tflops:"}, {"mfu:"}, {"step_time:"}};
    struct str value;
    double number;
    size_t length;
    for (int i = 0; i < 4 && names[field][i]; i++)
        if (log_after(piece->text, names[field][i], &value) &&
            log_number(value, &number, &length) == LOG_NUMBER) {
            log_learn_number(form, LEARNED_FIELDS + field, log_until(value, length), bare);
            return;
        }
}

/* The stamp in front of the step. False: a ':' stands behind it, so that in another line of this
 * form there may be another stamp. */
static bool learn_stamp(struct log_learned *form, const struct log_piece *piece)
{
    int64_t stamp;
    bool zone;
    size_t length, last = log_find_last(piece->front, ":"); /* of the minutes */
    if (last == SIZE_MAX || last < 16 || !log_piece_stamp_at(piece, last - 16, &stamp, &zone))
        return false;
    struct str text = log_from(piece->front, last - 16);
    log_stamp(text, &stamp, &zone, &length);
    log_learn_text(form, LEARNED_STAMP, log_until(text, length), 0);
    return true;
}

/* What the line's step came to; it is all of the line. */
static void learn(const struct log_line *line, const struct log_piece *piece,
                  const struct step_line *values)
{
    struct str number = log_trim(log_from(piece->text, strlen("step:")));
    size_t length;
    int64_t step;
    bool whole =
        values->number_ends && !values->torn && values->fields &&
        values->fields == values->numbers && values->stamped && piece->front.p == line->text.p &&
        piece->text.p + piece->text.len == line->text.p + line->text.len &&
        log_find(piece->front, "valid") == SIZE_MAX && log_find(piece->front, "eval") == SIZE_MAX;
    if (!line->form || !whole || !log_integer(number, &step, &length) ||
        !learn_stamp(line->form, piece))
        return;
    log_learn_number(line->form, LEARNED_STEP, log_until(number, length),
                     (uint32_t)(number.p - piece->text.p));
    for (unsigned i = 0; i < FIELDS; i++)
        if (values->fields & 1u << i)
            learn_field(line->form, i, piece, values->bare);
    log_learn_ready(line->form, false);
}

static bool again(void *state, const struct log_line *line, const struct log_values *values,
                  struct log_out *out)
{
    struct step_line is = {.number_ends = true, .stamped = true};
    double *const to[FIELDS] = {&is.rate, &is.teraflops, &is.mfu, &is.seconds};
    struct str number = values->text[LEARNED_STEP];
    for (unsigned i = 0; i < FIELDS; i++) {
        if (!log_values_have(values, LEARNED_FIELDS + i))
            continue;
        is.fields |= 1u << i;
        is.bare = values->notes[LEARNED_FIELDS + i] != 0;
        *to[i] = values->number[LEARNED_FIELDS + i];
    }
    is.numbers = is.fields;
    size_t front = (size_t)(number.p - line->text.p) - values->notes[LEARNED_STEP];
    struct log_piece piece = {.front = log_until(line->text, front), .origin = LOG_LEARN_NOWHERE};
    if (!log_values_integer(values, LEARNED_STEP, &is.step) ||
        !log_piece_stamp_at(&piece, (size_t)(values->text[LEARNED_STAMP].p - line->text.p),
                            &is.stamp, &is.zone))
        return false;
    use_step(state, line, &is, out);
    return true;
}

/* ---- lines ---- */

static bool take_step(struct titan *titan, const struct log_line *line,
                      const struct log_piece *piece, struct log_out *out)
{
    struct step_line values = {0};
    size_t length;
    struct str value = log_trim(log_from(piece->text, 5)), loss;
    if (!log_integer(value, &values.step, &length))
        return false;
    take_fields(&values, piece);
    bool ours = values.fields || (log_after(piece->text, "loss:", &loss) && titan->layout.usual);
    if (!ours)
        return false;
    value = log_from(value, length);
    values.number_ends = value.len > 0 && (value.p[0] == ' ' || value.p[0] == '/');
    values.stamped = log_piece_stamp(piece, &values.stamp, &values.zone);
    use_step(titan, line, &values, out);
    learn(line, piece, &values);
    return true;
}

static enum log_answer line(void *state, const struct log_line *line, struct log_out *out)
{
    struct titan *titan = state;
    struct str rest = line->text;
    struct log_piece piece;
    struct log_line searched = *line; /* no search is remembered: again() needs none */
    bool taken = false;
    searched.form = NULL;
    searched.recall = NULL;
    while (log_next_piece(&rest, &searched, "step:", &piece)) {
        if (!is_evaluation(&piece)) {
            taken |= take_step(titan, line, &piece, out);
            continue;
        }
        titan->interrupted = taken = true;
        log_out_count(out, LOG_EVALUATION, NULL);
    }
    if (!taken)
        taken = take_setup(titan, line, out);
    return taken ? LOG_TAKEN : LOG_OTHER;
}

/* Without a step's number nothing in a line depends on digits, or on what was before. */
static bool leaves(const void *state, const struct log_line *line)
{
    (void)state;
    struct log_piece piece;
    if (!line)
        return true;
    struct str rest = line->text;
    struct log_line searched = {.text = line->text, .body = line->body, .cut = line->cut};
    return !log_next_piece(&rest, &searched, "step:", &piece);
}

static const char *const anchors[] = {"  tps: ",
                                      "  wps: ",
                                      "  loss: ",
                                      "validate step:",
                                      "device mesh with",
                                      "Training starts at step",
                                      "global batch size ",
                                      "Peak FLOPS used",
                                      NULL};

const struct format format_torchtitan = {
    .name = "torchtitan",
    .title = "torchtitan",
    .needs = "nothing: metrics are printed every metrics.log_freq steps (10)",
    .tells = "step time (from tokens a second, or from time stamps), TFLOP/s a GPU, MFU, GPUs",
    .lacks = "the times of single ranks and of phases",
    .how = {"--profiling.enable_profiling --profiling.profile_freq 100",
            "lockstep report outputs/profile_traces/iteration_100  # a trace of every rank"},
    .anchors = anchors,
    .state_bytes = sizeof(struct titan),
    .line = line,
    .again = again,
    .leaves = leaves};
