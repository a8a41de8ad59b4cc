/* wordplay (nanoGPT of the ALCF): "step=5 loss=4.27 dt=281.5 dtf=5.2 dtb=17.9 sps=14.2 mtps=0.93
 * mfu=23.3": one rank's milliseconds for the step, its forward and its backward pass; since July
 * 2024 "dt=0.2815 ... sps=14.2 sps_per_gpu=3.55 tps=..", in seconds. The samples of a step tell
 * which. A bar of tqdm may stand right in front. */
#include "log_format.h"
#include "log_piece.h"
#include "log_text.h"

struct wordplay {
    size_t decimals; /* of the last field before */
    bool any;
};

struct values {
    double unit_ns; /* of its times */
    int64_t step, whole_ns, forward_ns, backward_ns;
    bool torn, not_number, impossible, forward, backward, shared;
    double mfu;
};

/* Half a sample in a step is none: then its time is not in milliseconds. */
static double unit_of(const struct log_piece *piece)
{
    double time, rate;
    struct str value;
    if (log_after(piece->text, "sps_per_gpu=", &value))
        return LOG_SECOND;
    bool less = log_field(piece, "dt=", NULL, &time) == LOG_FIELD_NUMBER &&
                log_field(piece, "sps=", NULL, &rate) == LOG_FIELD_NUMBER && rate > 0 &&
                time / 1000 * rate < 0.5;
    return less ? LOG_SECOND : LOG_MILLISECOND;
}

static bool take_time(struct values *values, const struct log_piece *piece, const char *name,
                      int64_t *ret)
{
    double time;
    enum log_field field = log_field(piece, name, NULL, &time);
    values->torn |= field == LOG_FIELD_TORN || field == LOG_FIELD_BARE;
    values->not_number |= field == LOG_FIELD_NOT_NUMBER;
    if (field != LOG_FIELD_NUMBER)
        return false;
    bool possible = time >= 0 && log_duration(time, values->unit_ns, ret);
    values->impossible |= !possible;
    return possible;
}

/* The last field has nothing behind it: it is whole when it has the usual decimals. The newer form
 * leaves out zeros at the end, two at most here. */
static void take_mfu(struct wordplay *wordplay, struct values *values,
                     const struct log_piece *piece)
{
    struct str at;
    struct log_piece open = {.text = piece->text, .origin = LOG_LEARN_NOWHERE};
    enum log_field field = log_field(&open, "mfu=", NULL, &values->mfu);
    if (field == LOG_FIELD_NONE || field == LOG_FIELD_TORN) {
        values->torn = true;
        return;
    }
    log_after(piece->text, "mfu=", &at);
    size_t decimals = log_decimals(at);
    values->shared = field == LOG_FIELD_NUMBER || field == LOG_FIELD_BARE;
    size_t zeros = values->unit_ns == LOG_SECOND ? 2 : 0;
    if (field == LOG_FIELD_BARE && wordplay->any && decimals + zeros < wordplay->decimals)
        values->torn = true;
    if (field == LOG_FIELD_BARE && piece->torn_end && !wordplay->any)
        values->torn = true;
    if (!values->torn && values->shared) {
        wordplay->any = true;
        wordplay->decimals = zeros && decimals < wordplay->decimals ? wordplay->decimals : decimals;
    }
}

static void put(const struct log_line *line, const struct log_piece *piece,
                const struct values *values, struct log_out *out)
{
    struct record record = {.has = RECORD_STEP | RECORD_STEP_TIME,
                            .step = values->step,
                            .step_time_ns = values->whole_ns};
    record.has |= RECORD_RANK; /* its rank 0 alone writes; "[default0]:" would be no rank */
    record.rank = line->writer < 0 ? 0 : line->writer;
    if (values->forward) {
        record.phase_ns[PHASE_FORWARD] = values->forward_ns;
        record.has |= RECORD_FORWARD;
    }
    if (values->backward) {
        record.phase_ns[PHASE_BACKWARD] = values->backward_ns;
        record.has |= RECORD_BACKWARD;
    }
    if (values->shared && values->mfu > 0)
        log_job_mfu(&record, values->mfu, out);
    log_job_begin(&record, piece, out);
    log_out_note(out, LOG_NOTE_ONE_RANK);
    log_out_record(out, &record);
}

static bool take_step(struct wordplay *wordplay, const struct log_line *line,
                      const struct log_piece *piece, struct log_out *out)
{
    struct str value = log_from(piece->text, 5);
    struct values values = {0};
    size_t length;
    if (!log_integer(value, &values.step, &length) || length == value.len || value.p[length] != ' ')
        return false;
    values.unit_ns = unit_of(piece);
    bool whole = take_time(&values, piece, "dt=", &values.whole_ns);
    values.forward = take_time(&values, piece, "dtf=", &values.forward_ns);
    values.backward = take_time(&values, piece, "dtb=", &values.backward_ns);
    take_mfu(wordplay, &values, piece);
    if (values.torn)
        log_out_damaged(out, "a torn line of a step");
    else if (values.not_number)
        log_out_count(out, LOG_NOT_NUMBER, NULL);
    else if (values.impossible)
        log_out_count(out, LOG_IMPOSSIBLE, "step %lld", (long long)values.step);
    else if (!whole)
        log_out_damaged(out, "a line of a step without dt");
    else
        put(line, piece, &values, out);
    return true;
}

static enum log_answer line(void *state, const struct log_line *line, struct log_out *out)
{
    struct str rest = line->text, at;
    struct log_piece piece;
    bool taken = false;
    while (log_next_piece(&rest, line, "step=", &piece))
        taken |= log_after(piece.text, "dtf=", &at) && take_step(state, line, &piece, out);
    return taken ? LOG_TAKEN : LOG_OTHER;
}

static const char *const anchors[] = {" dtf=", NULL};

const struct format format_wordplay = {
    .name = "wordplay",
    .title = "wordplay",
    .needs = "nothing: train.log_interval says how often a line is written",
    .tells = "one rank's step time, forward and backward pass, MFU",
    .lacks = "the times of the other ranks: only rank 0 writes",
    .how = LOG_HOW_PYTHON,
    .anchors = anchors,
    .state_bytes = sizeof(struct wordplay),
    .line = line};
