/* torchtitan: "step: 10  loss:  7.4  grad_norm: ..  memory: ..  tps: 9,582  tflops: 807.32
 * mfu: 35.88%". The line has no step time: it follows from tps and the tokens a step, which
 * the lines before the training tell; without them from the time stamps. */
#include <math.h>

#include "log_format.h"
#include "log_piece.h"
#include "log_steps.h"
#include "log_text.h"

#define STAMP_RESOLUTION_NS INT64_C(2000000)
#define SAME_TIME_NS INT64_C(1000000000) /* within which no job starts again */

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

enum { HAS_RATE = 1u, HAS_FLOPS = 2u, HAS_MFU = 4u, HAS_TIME = 8u };

struct values {
    uint32_t fields;
    bool bare, torn;
    double rate, teraflops, mfu, seconds;
    uint32_t numbers; /* of the fields that are one */
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
    if (log_integer(value, &number, &length) && number > 0 && !line->cut) {
        titan->steps.any = true;
        titan->steps.previous = titan->stamp_step = number - 1;
        titan->stamped = log_stamp_in(text, 160, &titan->stamp, &zone);
        titan->interrupted = true;
    }
    return true;
}

/* ---- the line of a step ---- */

static void take_field(struct values *values, const struct log_piece *piece, const char *name,
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

static struct values values_of(const struct log_piece *piece)
{
    struct values values = {0};
    take_field(&values, piece, "tps:", NULL, HAS_RATE, &values.rate);
    take_field(&values, piece, "wps:", NULL, HAS_RATE, &values.rate);
    take_field(&values, piece, "tgs:", NULL, HAS_RATE, &values.rate);
    take_field(&values, piece, "tflops:", NULL, HAS_FLOPS, &values.teraflops);
    struct log_piece front = before_glued(piece);
    take_field(&values, &front, "mfu:", "%", HAS_MFU, &values.mfu);
    take_field(&values, piece, "step_time:", NULL, HAS_TIME, &values.seconds);
    return values;
}

/* Nanoseconds a step; 0: not to be known from this line. */
static int64_t time_by_rate(const struct titan *titan, const struct values *values,
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
static void put_values(const struct values *values, struct log_out *out)
{
    if (values->numbers & HAS_RATE)
        log_out_value(out, str_from("tokens a second a GPU"), "tokens/s", values->rate);
    if (values->numbers & HAS_FLOPS)
        log_out_value(out, str_from("TFLOP/s a GPU"), "TFLOP/s", values->teraflops);
    if (values->numbers & HAS_MFU)
        log_out_value(out, str_from("MFU"), "%", values->mfu);
}

static void describe(const struct titan *titan, const struct values *values, struct record *record,
                     struct log_out *out)
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
        log_out_count(out, LOG_DISAGREE, "step %lld: %.3f s by tps, %.3f s by the time stamps",
                      (long long)record->step, (double)record->step_time_ns / 1e9,
                      (double)(stamp - titan->stamp) / 1e9 / (double)count);
}

static void put_step(struct titan *titan, const struct log_piece *piece, int64_t step,
                     const struct values *values, struct log_out *out)
{
    int64_t span, stamp = 0;
    bool zone;
    bool stamped = log_piece_stamp(piece, &stamp, &zone);
    log_steps_next(&titan->steps, step, &span);
    int64_t ns = time_by_rate(titan, values, out);
    bool by_rate = ns > 0;
    put_values(values, out);
    if (!by_rate && stamped)
        ns = time_by_stamps(titan, step, stamp);
    if (ns > 0) {
        struct record record = log_job(step, ns);
        if (by_rate) {
            record.has |= RECORD_COMPUTED;
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
            log_job_begin(&record, piece, out);
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
static bool is_late(struct titan *titan, const struct log_piece *piece, int64_t step)
{
    int64_t stamp;
    bool zone;
    if (!log_piece_stamp(piece, &stamp, &zone))
        return false;
    bool late =
        titan->newest_ns > 0 && step <= titan->newest && stamp <= titan->newest_ns + SAME_TIME_NS;
    if (!late) {
        titan->newest = step;
        titan->newest_ns = stamp;
    }
    return late;
}

static bool take_step(struct titan *titan, const struct log_line *line,
                      const struct log_piece *piece, struct log_out *out)
{
    int64_t step;
    size_t length;
    struct str value = log_trim(log_from(piece->text, 5)), loss;
    if (!log_integer(value, &step, &length))
        return false;
    struct values values = values_of(piece);
    bool ours = values.fields || (log_after(piece->text, "loss:", &loss) && titan->layout.usual);
    if (!ours)
        return false;
    value = log_from(value, length);
    bool number_ends = value.len > 0 && (value.p[0] == ' ' || value.p[0] == '/');
    if (!number_ends || values.torn || !values.fields ||
        !log_layout_whole(&titan->layout, values.fields, values.bare)) {
        int64_t span;
        if (number_ends && step > titan->steps.previous)
            log_steps_next(&titan->steps, step, &span);
        titan->stamped = false;
        log_out_damaged(out, "a torn line of a step");
        return true;
    }
    if (!(values.fields & (HAS_RATE | HAS_TIME)))
        return true;
    double differs = values.rate * 1e3 + values.teraflops + values.mfu * 1e6;
    int64_t mark = fabs(differs) < 1e18 ? (int64_t)differs : 0;
    enum log_turn turn = is_late(titan, piece, step)
                             ? LOG_TURN_DOUBLED
                             : log_writers_turn(&titan->writers, line->writer, step, mark);
    if (line->writer >= 0)
        log_out_note(out, LOG_NOTE_WRITER);
    if (turn == LOG_TURN_DOUBLED) {
        log_out_count(out, LOG_DOUBLED, "step %lld", (long long)step);
        return true;
    }
    if (turn == LOG_TURN_BACK && step <= titan->stamp_step)
        titan->stamped = false;
    put_step(titan, piece, step, &values, out);
    return true;
}

static enum log_answer line(void *state, const struct log_line *line, struct log_out *out)
{
    struct titan *titan = state;
    struct str rest = line->text;
    struct log_piece piece;
    bool taken = false;
    while (log_next_piece(&rest, line, "step:", &piece)) {
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
    .line = line};
