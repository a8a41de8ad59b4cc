/* The loggers of PyTorch's reference scripts and their relatives:
 *   torchvision, DETR, MAE, DINO: "Epoch: [1]  [1520/4571]  eta: 0:01:00  time: F  data: F"
 *   NVIDIA's DLRM:    "Epoch:[0/1] [100/64014]  eta: 0:01:00  loss: F  step_time: F  lr: F"
 *   timm:             "Train: 0 [  50/1251 (  4%)]  Loss: ..  Time: F s, F/s (F s, F/s) .. Data: F"
 *   the ImageNet one: "Epoch: [0][  10/5005]\tTime  F ( F)\tData  F ( F)\t..."
 *   Swin and its forks: "Train: [0/300][10/1251]\teta 0:10:01 lr F\t wd F\ttime F (F)\tloss F (F)"
 * The first smooths its times over 20 iterations, the others tell one iteration's. Iterations
 * begin anew in every epoch: steps are a running total. The clock does, too: an evaluation between
 * two epochs is in no step's time. */
#include <string.h>

#include "decode_generally.h"
#include "log_format.h"
#include "log_learn.h"
#include "log_piece.h"
#include "log_text.h"

enum kind { KIND_VISION, KIND_TABS, KIND_SWIN, KIND_TIMM, KIND_TIMM_TEST, KIND_IMAGENET, KINDS };

#define EPOCHS_KEPT 64

struct metriclogger {
    bool any, validation;
    bool named; /* its lines have epochs: one without has lost its beginning */
    enum kind kind;
    struct log_writers writers;
    struct newest {
        int64_t epoch, iteration, length; /* of the newest record */
        int64_t base;                     /* steps before its epoch */
    } newest;
    struct {
        int64_t epoch, base;
    } begins[EPOCHS_KEPT]; /* of the last epochs: a run that goes on from one counts as before */
};

/* What is learned of a line (log_learn.h). */
enum { ITERATION, LENGTH, EPOCH, TIME, DATA, FIELDS };

struct place {
    int64_t epoch, iteration, length;
    bool evaluation;
    bool named;              /* it has an epoch */
    struct str text[FIELDS]; /* ITERATION, LENGTH and, when named, EPOCH */
};

#define HEADER_BYTES 64 /* at most */

/* ---- where in the run a line is ---- */

/* The last place of that word; within a longer one, "retrieval", it is none. */
static size_t last_word(struct str s, const char *word)
{
    size_t at = log_find_last(s, word);
    while (at != SIZE_MAX && at > 0 && word[0] >= 'a' && log_is_letter(s.p[at - 1])) {
        s = log_until(s, at);
        at = log_find_last(s, word);
    }
    return at;
}

static bool names_evaluation(struct str header)
{
    static const char *const words[] = {
        "Test",      "test",       "Eval", "eval", "Val", "val", "Caption generation",
        "Generate ", "Generating "};
    size_t train = log_find_last(header, "rain"); /* "train_and_eval: Train" is none */
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t at = last_word(header, words[i]);
        if (at != SIZE_MAX && (train == SIZE_MAX || train < at))
            return true;
    }
    return false;
}

/* "Epoch: [1]  ", "Train: 0 ", "Epoch: [3/100] ", "Training ": the first number of its last word;
 * none: 0. */
static int64_t epoch_of(struct str header, bool *ret_named, struct str *ret_text)
{
    int64_t epoch = 0;
    size_t begin, end = log_find_last(header, "poch");
    size_t train = log_find_last(header, "rain");
    end = end == SIZE_MAX || (train != SIZE_MAX && train > end) ? train : end;
    if (end == SIZE_MAX)
        return 0;
    while (end < header.len && !log_is_digit(header.p[end]))
        end++;
    while (end < header.len && log_is_digit(header.p[end]))
        end++;
    *ret_named = log_integer_before(header, end, &epoch, &begin);
    *ret_text = log_from(log_until(header, end), begin);
    return *ret_named ? epoch : 0;
}

/* The line up to the ']' of "[1520/4571]" or "[  50/1251 (  4%)]". */
static bool read_place(struct str text, struct place *place)
{
    size_t end = text.len, begin;
    if (end > 0 && text.p[end - 1] == ')') {
        while (end > 0 && text.p[end - 1] != '(')
            end--;
        end -= end > 0;
    }
    while (end > 0 && text.p[end - 1] == ' ')
        end--;
    if (!log_integer_before(text, end, &place->length, &begin) || begin == 0 ||
        text.p[begin - 1] != '/')
        return false;
    place->text[LENGTH] = log_from(log_until(text, end), begin);
    end = begin - 1;
    if (!log_integer_before(text, end, &place->iteration, &begin))
        return false;
    place->text[ITERATION] = log_from(log_until(text, end), begin);
    while (begin > 0 && text.p[begin - 1] == ' ')
        begin--;
    if (begin == 0 || text.p[begin - 1] != '[' || place->iteration > place->length)
        return false;
    size_t from = begin - 1 > HEADER_BYTES ? begin - 1 - HEADER_BYTES : 0;
    struct str header = str_of(text.p + from, begin - 1 - from);
    place->evaluation = names_evaluation(header);
    place->named = false;
    place->epoch = epoch_of(header, &place->named, &place->text[EPOCH]);
    return place->length > 0;
}

/* ---- its times ---- */

/* "0.0196" of exactly so many decimals, which a cut number has not. */
static enum log_number read_seconds(struct str text, const char *name, int decimals, int64_t *ret)
{
    struct str value;
    double seconds;
    size_t length;
    if (!log_after(text, name, &value))
        return LOG_NOTHING;
    enum log_number kind = log_number(value, &seconds, &length);
    if (kind != LOG_NUMBER)
        return kind;
    bool behind = length < value.len;
    size_t point = log_find(log_until(value, length), ".");
    if (point == SIZE_MAX || length - point - 1 < (size_t)decimals ||
        (!behind && length - point - 1 != (size_t)decimals))
        return LOG_NOTHING;
    if (behind && value.p[length] != ' ' && value.p[length] != '\t' && value.p[length] != 's' &&
        value.p[length] != ',')
        return LOG_NOTHING;
    return log_duration(seconds, LOG_SECOND, ret) ? LOG_NUMBER : LOG_NOTHING;
}

static const struct {
    const char *mark; /* behind the place */
    const char *time, *data;
    int decimals;
} kinds[KINDS] = {
    [KIND_VISION] = {"]  eta: ", " time: ", " data: ", 4},
    [KIND_TABS] = {"]\teta: ", "\ttime: ", "\tdata: ", 4}, /* the same, other delimiter */
    [KIND_SWIN] = {"]\teta ", "\ttime ", "\tdata time ", 4},
    [KIND_TIMM] = {"%)]  ", " Time: ", " Data: ", 3},
    [KIND_TIMM_TEST] = {"]  Time: ", " Time: ", " Data: ", 3},
    [KIND_IMAGENET] = {"]\tTime ", "\tTime ", "\tData ", 3},
};

static const char *time_name(enum kind kind, struct str rest)
{
    static const char other[] = " step_time: "; /* NVIDIA's DLRM: the mean since the line before */
    bool is_other = kind == KIND_VISION && log_find(rest, kinds[kind].time) == SIZE_MAX &&
                    log_find(rest, other) != SIZE_MAX;
    return is_other ? other : kinds[kind].time;
}

static bool has_time(enum kind kind, struct str rest)
{
    struct str value;
    return log_after(rest, time_name(kind, rest), &value);
}

static bool is_smoothed(enum kind kind)
{
    return kind == KIND_VISION || kind == KIND_TABS;
}

/* ---- steps ---- */

/* The step of this line, 0-based; *ret_steps: since the line before, 1 when that is not known. */
static int64_t step_of(struct metriclogger *log, const struct place *place, int64_t *ret_steps)
{
    bool same =
        log->any && place->epoch == log->newest.epoch && place->iteration >= log->newest.iteration;
    *ret_steps = 1;
    if (same) {
        *ret_steps = place->iteration - log->newest.iteration;
    } else if (log->any && place->epoch == log->newest.epoch + 1) {
        log->newest.base += log->newest.length;
        *ret_steps = place->iteration + 1;
    } else if (!log->any || place->epoch != log->newest.epoch) {
        size_t at = (size_t)(place->epoch % EPOCHS_KEPT);
        bool known = log->any && place->epoch == log->begins[at].epoch;
        bool small = place->epoch < (int64_t)1 << 30 && place->length < (int64_t)1 << 22;
        log->newest.base = known ? log->begins[at].base : small ? place->epoch * place->length : 0;
    }
    log->begins[place->epoch % EPOCHS_KEPT].epoch = place->epoch;
    log->begins[place->epoch % EPOCHS_KEPT].base = log->newest.base;
    log->any = true;
    log->newest.epoch = place->epoch;
    log->newest.iteration = place->iteration;
    log->newest.length = place->length;
    return log->newest.base + place->iteration;
}

static void put(struct metriclogger *log, enum kind kind, const struct place *place, int64_t writer,
                struct record *record, struct log_out *out)
{
    int64_t steps;
    struct newest before = log->newest;
    bool goes_on = before.epoch == place->epoch && place->iteration >= before.iteration;
    record->step = step_of(log, place, &steps);
    if (log_writers_turn(&log->writers, writer, record->step, record->step_time_ns) ==
        LOG_TURN_DOUBLED) {
        log_out_count(out, LOG_DOUBLED, "step %lld", (long long)record->step);
        log->newest = before; /* another rank's, which may lag */
        return;
    }
    if (is_smoothed(kind))
        log_out_note(out, LOG_NOTE_SMOOTHED);
    if (is_smoothed(kind) && steps > 1) { /* the others' are of one step, whatever the interval */
        record->has |= RECORD_SPAN;
        record->span = steps;
    }
    record->has |= log->validation && goes_on ? RECORD_VALIDATION : 0;
    log->validation = false;
    if (record->has & RECORD_DATA)
        log_out_note(out, LOG_NOTE_ONE_RANK);
    log_out_record(out, record);
}

static void read_line(struct metriclogger *log, enum kind kind, const struct place *place,
                      struct str rest, int64_t writer, struct log_out *out)
{
    struct record record = {.has = RECORD_JOB | RECORD_STEP | RECORD_STEP_TIME};
    enum log_number time =
        read_seconds(rest, time_name(kind, rest), kinds[kind].decimals, &record.step_time_ns);
    enum log_number data =
        read_seconds(rest, kinds[kind].data, kinds[kind].decimals, &record.phase_ns[PHASE_DATA]);
    if (time != LOG_NUMBER) {
        int64_t steps; /* the next line's do not begin before this one */
        step_of(log, place, &steps);
        if (time == LOG_NO_NUMBER)
            log_out_count(out, LOG_NOT_NUMBER, "iteration %lld", (long long)place->iteration);
        else
            log_out_damaged(out, "a torn line of a metric logger");
        return;
    }
    record.has |= data == LOG_NUMBER ? RECORD_DATA : 0;
    put(log, kind, place, writer, &record, out);
}

/* Texts that stand anywhere but in the first bytes of the line could be cut off its header. */
static bool has_whole_header(const struct log_line *line, struct str iteration)
{
    return iteration.p - line->text.p <= HEADER_BYTES;
}

static bool learn_seconds(const struct log_line *line, struct str rest, enum kind kind,
                          unsigned field, const char *name)
{
    struct str value;
    size_t length;
    int64_t ns;
    double seconds;
    if (!log_after(rest, name, &value))
        return field == DATA; /* there may be none */
    if (read_seconds(rest, name, kinds[kind].decimals, &ns) != LOG_NUMBER ||
        log_number(value, &seconds, &length) != LOG_NUMBER || length == value.len)
        return false;
    log_learn_number(line->form, field, log_until(value, length), (uint32_t)kind);
    return true;
}

static void learn(const struct log_line *line, enum kind kind, const struct place *place,
                  struct str rest)
{
    if (!line->form || !has_whole_header(line, place->text[ITERATION]) ||
        !learn_seconds(line, rest, kind, TIME, time_name(kind, rest)) ||
        !learn_seconds(line, rest, kind, DATA, kinds[kind].data))
        return;
    for (unsigned field = ITERATION; field <= EPOCH; field++)
        if (field != EPOCH || place->named)
            log_learn_number(line->form, field, place->text[field], 0);
    log_learn_ready(line->form, false);
}

static bool seconds_again(const struct log_values *values, enum kind kind, unsigned field,
                          int64_t *ret)
{
    struct str text = values->text[field];
    size_t decimals = (size_t)kinds[kind].decimals, behind = decimals + 1;
    if (text.len < behind)
        return false;
    if (text.p[text.len - behind] != '.') { /* mostly it is just there */
        size_t point = log_find(text, ".");
        if (point == SIZE_MAX || text.len - point < behind)
            return false;
    }
    return log_duration(values->number[field], LOG_SECOND, ret);
}

static bool again(void *state, const struct log_line *line, const struct log_values *values,
                  struct log_out *out)
{
    struct metriclogger *log = state;
    struct place place = {.named = log_values_have(values, EPOCH)};
    struct record record = {.has = RECORD_JOB | RECORD_STEP | RECORD_STEP_TIME};
    enum kind kind = (enum kind)values->notes[TIME];
    if (!log_values_integer(values, ITERATION, &place.iteration) ||
        !log_values_integer(values, LENGTH, &place.length) || place.length == 0 ||
        place.iteration > place.length || !has_whole_header(line, values->text[ITERATION]) ||
        (place.named && !log_values_integer(values, EPOCH, &place.epoch)) ||
        (log->named && !place.named) || !seconds_again(values, kind, TIME, &record.step_time_ns))
        return false;
    if (log_values_have(values, DATA)) {
        if (!seconds_again(values, kind, DATA, &record.phase_ns[PHASE_DATA]))
            return false;
        record.has |= RECORD_DATA;
    }
    if (line->writer >= 0)
        log_out_note(out, LOG_NOTE_WRITER);
    log->named |= place.named;
    put(log, kind, &place, line->writer, &record, out);
    return true;
}

enum log_answer metriclogger_generally(void *state, const struct log_line *line,
                                       struct log_out *out)
{
    struct metriclogger *log = state;
    bool only = true; /* no other kind's mark is in the line */
    for (int kind = 0; kind < KINDS; kind++) {
        struct place place;
        size_t first = log_find(line->text, kinds[kind].mark);
        size_t at = first == SIZE_MAX ? first : log_find_last(line->text, kinds[kind].mark);
        size_t bracket = at == SIZE_MAX ? at : at + (kind == KIND_TIMM ? 2 : 0);
        if (at == SIZE_MAX || !read_place(log_until(line->text, bracket), &place)) {
            only &= at == SIZE_MAX;
            continue;
        }
        if (only && first == at && !place.evaluation)
            learn(line, (enum kind)kind, &place, log_from(line->text, bracket + 1));
        if (first != at)
            log_out_damaged(out, "two lines in one, of which the first is not read");
        if (line->writer >= 0)
            log_out_note(out, LOG_NOTE_WRITER);
        if (place.evaluation) {
            log->validation |= log->any;
            log_out_count(out, LOG_EVALUATION, NULL);
        } else if (log->named && !place.named) {
            log_out_damaged(out, "a line of a metric logger without its epoch");
        } else if (!log->any && !has_time((enum kind)kind, log_from(line->text, bracket + 1))) {
            return LOG_OTHER; /* a fork that names it otherwise: as long as none is whole */
        } else {
            log->named |= place.named;
            read_line(log, (enum kind)kind, &place, log_from(line->text, bracket + 1), line->writer,
                      out);
        }
        return LOG_TAKEN;
    }
    return LOG_OTHER;
}

static const char *const anchors[] = {"]  eta: ", "]\teta", "%)]  ", "]\tTime ", "]  Time: ", NULL};
const struct format format_metriclogger = {
    .name = "metriclogger",
    .title = "torchvision MetricLogger",
    .needs = "nothing: the reference scripts, DETR, MAE, DINO, Swin and timm print it",
    .tells = "step time and the wait for the input; smoothed over 20 steps but for timm and Swin",
    .lacks = "the times of the other ranks",
    .how = LOG_HOW_PYTHON,
    .anchors = anchors,
    .state_bytes = sizeof(struct metriclogger),
    .line = metriclogger_generally,
    .again = again,
};
