/* wordplay (nanoGPT of the ALCF): "step=5 loss=4.27 dt=281.5 dtf=5.2 dtb=17.9 sps=14.2 mtps=0.93
 * mfu=23.3": one rank's milliseconds for the step, its forward and its backward pass; since July
 * 2024 "dt=0.2815 ... sps=14.2 sps_per_gpu=3.55 tps=..", in seconds. The samples of a step tell
 * which. A bar of tqdm may stand right in front. */
#include "log_format.h"
#include "decode_generally.h"
#include "log_piece.h"
#include "log_scan.h"
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
    bool stamped, zone; /* of a line in its usual form */
    int64_t stamp_ns;
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

static void put(int64_t writer, const struct values *values, const struct log_piece *piece,
                struct log_out *out)
{
    struct record record = {.has = RECORD_STEP | RECORD_STEP_TIME,
                            .step = values->step,
                            .step_time_ns = values->whole_ns};
    record.has |= RECORD_RANK; /* its rank 0 alone writes; "[default0]:" would be no rank */
    record.rank = writer < 0 ? 0 : (uint32_t)writer;
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
    if (values->stamped)
        log_job_begin_at(&record, values->stamp_ns, values->zone, out);
    else if (piece)
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
        put(line->writer, &values, piece, out);
    return true;
}

/* ---- the usual form ---- */

enum { STEP, STAMP, WHOLE, FORWARD, BACKWARD, SAMPLES, MFU }; /* fields */

#define FRONT_MAX 140 /* within which a stamp is looked for, however long its digits */

struct usual {
    unsigned has; /* 1u << field */
    bool seconds; /* its times, whatever their size */
    int64_t step;
    double number[MFU + 1];
    struct str share; /* mfu's digits */
    bool stamped, zone;
    int64_t stamp_ns;
};

static unsigned field_of(struct str name)
{
    static const struct {
        const char *name;
        unsigned field;
    } names[] = {
        {"dt", WHOLE}, {"dtf", FORWARD}, {"dtb", BACKWARD}, {"sps", SAMPLES}, {"mfu", MFU}};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (str_is(name, names[i].name))
            return names[i].field;
    return STEP; /* none of these */
}

/* The stamp in front: one at most that other digits could make one. */
static bool scan_stamp(struct str front, struct log_learned *form, struct usual *usual)
{
    size_t length, possible = log_stamps_possible(front);
    if (front.len > FRONT_MAX || possible > 1)
        return false;
    for (size_t at = 0; possible && !usual->stamped && at < front.len; at++) {
        usual->stamped = log_stamp(log_from(front, at), &usual->stamp_ns, &usual->zone, &length);
        if (usual->stamped && form)
            log_learn_text(form, STAMP, str_of(front.p + at, length), 0);
    }
    return usual->stamped == (possible == 1);
}

/* "name=number " again and again; the last is mfu's. */
static bool scan_fields(struct log_scan *scan, struct usual *usual)
{
    struct str name;
    for (;;) {
        if (!log_scan_name(scan, &name) || log_ends(name, "step") || !log_scan_text(scan, "="))
            return false;
        const char *begin = scan->at;
        unsigned field = field_of(name);
        if (usual->has & 1u << field)
            return false; /* twice */
        usual->seconds |= str_is(name, "sps_per_gpu");
        if (field == STEP) {
            if (!log_scan_skip_number(scan) || !log_scan_text(scan, " "))
                return false;
            continue;
        }
        usual->has |= 1u << field;
        if (!log_scan_number(scan, &usual->number[field]))
            return false;
        if (field == MFU) {
            usual->share = str_of(begin, (size_t)(scan->at - begin));
            return log_scan_ends(scan);
        }
        log_scan_learn(scan, begin, field);
        if (!log_scan_text(scan, " "))
            return false;
    }
}

static bool scan(const struct log_line *line, struct usual *usual)
{
    struct log_scan scan;
    size_t at;
    *usual = (struct usual){0};
    if (line->cut || !log_scan_head(&scan, line, "step=", &at) ||
        !scan_stamp(log_until(line->text, at), line->form, usual) ||
        !log_scan_integer_to(&scan, STEP, &usual->step) || !log_scan_text(&scan, " ") ||
        !scan_fields(&scan, usual))
        return false;
    bool whole = (usual->has & (1u << WHOLE | 1u << FORWARD)) == (1u << WHOLE | 1u << FORWARD);
    log_learn_number(scan.form, MFU, usual->share, usual->seconds);
    return whole && log_scan_ready(&scan);
}

static bool time_of(const struct usual *usual, unsigned field, double unit_ns, bool *possible,
                    int64_t *ret)
{
    if (!(usual->has & 1u << field))
        return false;
    bool good = usual->number[field] >= 0 && log_duration(usual->number[field], unit_ns, ret);
    *possible &= good;
    return good;
}

/* What a usual line comes to. False: take_step() says. */
static bool use(struct wordplay *wordplay, int64_t writer, const struct usual *usual,
                struct log_out *out)
{
    struct values values = {.step = usual->step,
                            .shared = true,
                            .mfu = usual->number[MFU],
                            .stamped = usual->stamped,
                            .zone = usual->zone,
                            .stamp_ns = usual->stamp_ns};
    double rate = usual->number[SAMPLES];
    bool seconds = usual->seconds || (rate > 0 && usual->number[WHOLE] / 1000 * rate < 0.5);
    size_t zeros = seconds ? 2 : 0, decimals = log_decimals(usual->share);
    double unit_ns = seconds ? LOG_SECOND : LOG_MILLISECOND;
    bool possible = true, whole = time_of(usual, WHOLE, unit_ns, &possible, &values.whole_ns);
    values.forward = time_of(usual, FORWARD, unit_ns, &possible, &values.forward_ns);
    values.backward = time_of(usual, BACKWARD, unit_ns, &possible, &values.backward_ns);
    if (!whole || !possible || (wordplay->any && decimals + zeros < wordplay->decimals))
        return false;
    wordplay->any = true;
    wordplay->decimals = zeros && decimals < wordplay->decimals ? wordplay->decimals : decimals;
    put(writer, &values, NULL, out);
    return true;
}

static bool again(void *state, const struct log_line *line, const struct log_values *values,
                  struct log_out *out)
{
    struct usual usual = {.has = (unsigned)values->has,
                          .stamped = log_values_have(values, STAMP),
                          .share = values->text[MFU],
                          .seconds = values->notes[MFU] != 0};
    size_t length;
    const char *end = values->text[STEP].p - strlen("step="), *stamp = values->text[STAMP].p;
    usual.step = (int64_t)values->number[STEP];
    if (values->text[STEP].len > 14 || end - line->text.p > FRONT_MAX ||
        (usual.stamped &&
         !log_stamp(str_of(stamp, (size_t)(end - stamp)), &usual.stamp_ns, &usual.zone, &length)))
        return false;
    for (unsigned field = WHOLE; field <= MFU; field++)
        usual.number[field] = usual.has & 1u << field ? values->number[field] : 0;
    return use(state, line->writer, &usual, out);
}

static enum log_answer line(void *state, const struct log_line *line, struct log_out *out)
{
    struct usual usual;
    if (scan(line, &usual) && use(state, line->writer, &usual, out))
        return LOG_TAKEN;
    log_scan_forget(line);
    return wordplay_generally(state, line, out);
}

enum log_answer wordplay_generally(void *state, const struct log_line *line, struct log_out *out)
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
    .line = line,
    .again = again};
