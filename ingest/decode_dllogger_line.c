/* One line of DLLogger. */
#include "decode_dllogger_line.h"

#include <stdlib.h>
#include <string.h>

#include "decode_dllogger_nan.h"
#include "json_scan.h"

enum meaning { MEANS_NOTHING, MEANS_STEP_TIME, MEANS_DATA_TIME, MEANS_TIME, MEANS_RATE };

#define NAME(text)                                                                                 \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }

static const struct known_name {
    struct str name;
    enum meaning meaning;
} known_names[] = {
    {NAME("iteration_time"), MEANS_STEP_TIME},    {NAME("train_iteration_time"), MEANS_STEP_TIME},
    {NAME("iter_time"), MEANS_STEP_TIME},         {NAME("step_time"), MEANS_STEP_TIME},
    {NAME("train_step_time"), MEANS_STEP_TIME},   {NAME("batch_time"), MEANS_STEP_TIME},
    {NAME("train_batch_time"), MEANS_STEP_TIME},  {NAME("time_per_iteration"), MEANS_STEP_TIME},
    {NAME("time_per_step"), MEANS_STEP_TIME},     {NAME("train.total_time"), MEANS_STEP_TIME},
    {NAME("train.batch_time"), MEANS_STEP_TIME},  {NAME("train.iter_time"), MEANS_STEP_TIME},
    {NAME("train.step_time"), MEANS_STEP_TIME},   {NAME("took"), MEANS_STEP_TIME},
    {NAME("train_step_timing"), MEANS_STEP_TIME}, /* NeMo: "... in s" */
    {NAME("train_iter_time"), MEANS_STEP_TIME},   /* Tacotron 2 */
    {NAME("train.data_time"), MEANS_DATA_TIME},   {NAME("data_time"), MEANS_DATA_TIME},
    {NAME("train_data_time"), MEANS_DATA_TIME},
};

static bool means_rate(struct str name)
{
    return log_find(name, "throughput") != SIZE_MAX || log_ends(name, "ips") ||
           log_ends(name, "per_sec") || log_ends(name, "per_second") ||
           log_ends(name, "items_sec") || log_ends(name, "/s") || log_ends(name, "/sec");
}

static enum meaning meaning_of(struct str name)
{
    for (size_t i = 0; i < sizeof(known_names) / sizeof(known_names[0]); i++)
        if (known_names[i].name.len == name.len &&
            memcmp(known_names[i].name.p, name.p, name.len) == 0)
            return known_names[i].meaning;
    if (means_rate(name))
        return MEANS_RATE;
    return log_find(name, "time") != SIZE_MAX || log_ends(name, "timing") ? MEANS_TIME
                                                                          : MEANS_NOTHING;
}

/* Nanoseconds of a unit; 0: it is none of time. */
static double unit_ns(struct str unit)
{
    static const struct {
        const char *text;
        double ns;
    } units[] = {{"s", LOG_SECOND},       {"sec", LOG_SECOND},       {"seconds", LOG_SECOND},
                 {"ms", LOG_MILLISECOND}, {"msec", LOG_MILLISECOND}, {"us", LOG_MICROSECOND}};
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (str_is(unit, units[i].text))
            return units[i].ns;
    return 0;
}

/* "train_step_timing in s": the unit is a part of the name. */
static struct str without_unit(struct str name, double *ns)
{
    size_t at = log_find_last(name, " in ");
    double unit = at == SIZE_MAX ? 0 : unit_ns(log_from(name, at + strlen(" in ")));
    if (unit == 0)
        return name;
    *ns = unit;
    return log_until(name, at);
}

static bool says_evaluation(struct str text)
{
    for (size_t i = 0; i + 4 <= text.len; i++) {
        struct str s = str_of(text.p + i, text.len - i);
        switch (s.p[0]) {
        case 'e':
        case 'E':
            if (memcmp(s.p + 1, "val", 3) == 0)
                return true;
            break;
        case 'a':
        case 'n':
            if (log_begins(s, "alidation") || log_begins(s, "nference"))
                return true;
            break;
        case 'v':
            if (memcmp(s.p + 1, "al", 2) == 0 && (s.p[3] == '_' || s.p[3] == '.' || s.p[3] == ' '))
                return true;
            break;
        case 't':
        case 'T':
            if (log_begins(s, "test_") || log_begins(s, "Test"))
                return true;
        }
    }
    return false;
}

static void take_number(struct dllogger_line *line, enum meaning meaning, struct str name,
                        enum log_number kind, double value, double ns, struct log_out *out)
{
    int64_t duration;
    if (meaning == MEANS_STEP_TIME) {
        line->timed = true;
        line->unit_known = ns > 0;
        line->time = kind == LOG_NUMBER && !(ns > 0 && log_duration(value, ns, &duration))
                         ? LOG_NOTHING
                         : kind;
        line->step_time_ns = line->time == LOG_NUMBER ? duration : 0;
    } else if (kind == LOG_NUMBER && meaning == MEANS_DATA_TIME && ns > 0) {
        line->has_data = log_duration(value, ns, &line->data_ns);
    } else if (kind == LOG_NUMBER && meaning == MEANS_RATE) {
        log_out_value(out, name, "a second", value);
    } else if (kind == LOG_NUMBER && ns > 0) {
        log_out_value(out, name, "s", value * ns / 1e9);
    }
}

/* ---- learned lines ---- */

enum { STAMP, EPOCH, ITERATION, LENGTH, VALUES }; /* fields; from VALUES on each number, in order */

/* The note of a number. */
#define NOTE_MEANING 7u
#define NOTE_UNIT 3     /* shift: place in note_units, 2 bits */
#define NOTE_BEFORE 5   /* shift: bytes from the name's begin to the number, 12 bits */
#define NOTE_NAME 17    /* shift: bytes of the name, 12 bits */
#define NOTE_MOST 4095u /* of such bytes */

static const double note_units[] = {0, LOG_SECOND, LOG_MILLISECOND, LOG_MICROSECOND};

static bool has_digit(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (log_is_digit(s.p[i]))
            return true;
    return false;
}

static void forget(struct dllogger_line *line)
{
    line->form = NULL;
}

static void learn_number(struct dllogger_line *line, enum meaning meaning, struct str name,
                         struct str number, double ns)
{
    uint32_t unit = 0, before = 0, length = 0;
    if (!line->form)
        return;
    while (note_units[unit] != ns)
        unit++;
    if (meaning != MEANS_STEP_TIME && meaning != MEANS_DATA_TIME) { /* its name is wanted */
        size_t bytes = (size_t)(number.p - name.p);
        if (number.p < name.p || bytes > NOTE_MOST || has_digit(str_of(name.p, bytes))) {
            forget(line);
            return;
        }
        before = (uint32_t)bytes;
        length = (uint32_t)name.len;
    }
    if (number.len == 0 || VALUES + line->learned + 1 == LOG_LEARN_FIELDS)
        forget(line);
    else
        log_learn_number(line->form, VALUES + line->learned++, number,
                         (uint32_t)meaning | unit << NOTE_UNIT | before << NOTE_BEFORE |
                             length << NOTE_NAME);
}

static void learn_integer(struct dllogger_line *line, unsigned field, struct str number)
{
    if (line->form)
        log_learn_number(line->form, field, number, 0);
}

static bool integer_again(const struct log_values *values, unsigned field, bool *ret_has,
                          int64_t *ret)
{
    if (!log_values_have(values, field))
        return true;
    *ret_has = true;
    return log_values_integer(values, field, ret);
}

bool dllogger_read_again(const struct log_values *values, const char *end,
                         struct dllogger_line *line, struct log_out *out)
{
    struct str stamp = values->text[STAMP];
    size_t length;
    bool has_length = false;
    *line = (struct dllogger_line){.has_stamp = true};
    stamp.len = (size_t)(end - stamp.p);
    if (!log_begins(stamp, "20") || /* by which the line is found */
        !log_stamp(stamp, &line->stamp_ns, &line->has_zone, &length) ||
        !integer_again(values, EPOCH, &line->has_epoch, &line->epoch) ||
        !integer_again(values, ITERATION, &line->has_iteration, &line->iteration) ||
        !integer_again(values, LENGTH, &has_length, &line->length))
        return false;
    for (unsigned field = VALUES; log_values_have(values, field); field++) {
        uint32_t note = values->notes[field];
        struct str name =
            str_of(values->text[field].p - (note >> NOTE_BEFORE & NOTE_MOST), note >> NOTE_NAME);
        take_number(line, (enum meaning)(note & NOTE_MEANING), name, LOG_NUMBER,
                    values->number[field], note_units[note >> NOTE_UNIT & 3], out);
    }
    return true;
}

static void put_number(struct dllogger_line *line, struct str name, struct str text, double ns,
                       struct log_out *out)
{
    double value = 0;
    size_t length;
    name = without_unit(name, &ns);
    enum meaning meaning = meaning_of(name);
    if (meaning == MEANS_NOTHING)
        return;
    enum log_number kind = log_number(text, &value, &length);
    if (kind == LOG_NUMBER)
        learn_number(line, meaning, name, log_until(text, length), ns);
    else
        forget(line);
    take_number(line, meaning, name, kind, value, ns, out);
}

/* ---- text ---- */

/* The number behind a word of the head, "Iteration 12 ", "Epoch: 3 ", "iter   1/48 ". False: it is
 * not there; a number at the very end is torn. */
static bool head_number(struct dllogger_line *line, struct str head, bool ended, const char *word,
                        unsigned field, int64_t *ret)
{
    size_t length, at = log_find_last(head, word);
    if (at == SIZE_MAX)
        return false;
    struct str rest = log_from(head, at + strlen(word));
    if (rest.len > 0 && rest.p[0] == ':')
        rest = log_from(rest, 1);
    rest = log_trim(rest);
    if (!log_integer(rest, ret, &length))
        return false;
    learn_integer(line, field, log_until(rest, length));
    if (length == rest.len && ended)
        line->torn = true;
    if (length == rest.len || rest.p[length] != '/')
        return true;
    rest = log_from(rest, length + 1);
    if (log_integer(rest, &line->length, &length))
        learn_integer(line, LENGTH, log_until(rest, length));
    else
        line->torn = true;
    return true;
}

/* The next token, up to a blank; "|" is one of its own. */
static struct str next_token(struct str *rest)
{
    while (rest->len > 0 && (rest->p[0] == ' ' || rest->p[0] == '\t'))
        *rest = log_from(*rest, 1);
    size_t end = 0;
    while (end < rest->len && rest->p[end] != ' ' && rest->p[end] != '\t')
        end++;
    struct str token = log_until(*rest, end);
    *rest = log_from(*rest, end);
    return token;
}

/* "name : 12.3 ms | name : 4 ", or without bars: a ':' ends a name, what is behind a number and no
 * name is its unit. */
static void read_pairs(struct str rest, struct dllogger_line *line, struct log_out *out)
{
    struct str before = {0}, name = {0}, number = {0};
    while (rest.len > 0) {
        struct str token = next_token(&rest);
        bool colon = str_is(token, ":");
        bool glued = !colon && token.len > 1 && token.p[token.len - 1] == ':';
        if (colon || glued || str_is(token, "|") || token.len == 0) {
            if (number.len > 0) /* no unit behind it */
                put_number(line, name, number, 0, out);
            number.len = 0;
            name = colon ? before : glued ? log_until(token, token.len - 1) : str_of("", 0);
            before.len = 0;
            continue;
        }
        if (name.len > 0 && number.len == 0) {
            number = token;
        } else if (number.len > 0) {
            double ns = unit_ns(token);
            put_number(line, name, number, ns, out);
            number.len = name.len = 0;
            before = ns > 0 ? str_of("", 0) : token;
        } else {
            before = token;
        }
    }
    if (number.len > 0)
        put_number(line, name, number, 0, out);
}

/* FastPitch and relatives: "| 5730.98 frames/s | took 24.54 s |", at first "elapsed 2.50 s". */
static void read_took(struct str text, struct dllogger_line *line, struct log_out *out)
{
    size_t length, at = log_find(text, "| took "), words = strlen("| took ");
    double value;
    if (at == SIZE_MAX) {
        at = log_find(text, "| elapsed ");
        words = strlen("| elapsed ");
    }
    if (at == SIZE_MAX)
        return;
    struct str took = log_trim(log_from(text, at + words));
    bool number = log_number(took, &value, &length) != LOG_NOTHING;
    struct str unit = log_from(took, length);
    bool seconds = number && (log_begins(unit, " s ") || str_is(unit, " s"));
    put_number(line, str_from("took"), took, seconds ? LOG_SECOND : 0, out);
}

/* [epoch, iteration], [epoch, iteration, validation iteration], a number, or a text; in Python's
 * tuples, too: "(3, 12)", "(3,)", "()". */
static void read_step(struct str value, struct dllogger_line *line)
{
    int64_t numbers[3];
    size_t count = 0, length;
    if (value.len == 0)
        return;
    if (value.p[0] == '"') {
        line->evaluation |= says_evaluation(value);
        return;
    }
    if (value.p[0] != '[' && value.p[0] != '(') {
        line->has_iteration = log_integer(value, &line->iteration, &length);
        return;
    }
    struct str rest = str_of(value.p + 1, value.len - 2), part;
    while (count < 3 && log_next_part(&rest, ",", &part) && part.len > 0)
        if (!log_integer(part, &numbers[count++], &length))
            return;
    line->evaluation |= count == 3;
    line->has_epoch = count > 0;
    line->has_iteration = count > 1;
    line->epoch = count > 0 ? numbers[0] : 0;
    line->iteration = count > 1 ? numbers[1] : 0;
}

static void finish_learning(const struct dllogger_line *line)
{
    if (line->form && line->has_iteration && !line->evaluation && !line->torn)
        log_learn_ready(line->form, false);
}

void dllogger_read_text(struct str text, struct dllogger_line *line, struct log_learned *form,
                        struct log_out *out)
{
    *line = (struct dllogger_line){.form = form};
    size_t length;
    line->has_stamp = log_stamp(text, &line->stamp_ns, &line->has_zone, &length);
    if (form && line->has_stamp)
        log_learn_text(form, STAMP, log_until(text, length), 0);
    else
        forget(line);
    size_t dash = log_find(text, "- ");
    if (dash == SIZE_MAX)
        return;
    struct str rest = log_from(text, dash + 2);
    size_t bar = log_find(rest, " | ");
    bool short_form = log_find(rest, "| iter ") != SIZE_MAX;
    struct str head = bar == SIZE_MAX ? rest : log_until(rest, bar + 1);
    if (short_form)
        head = rest;
    if (rest.len > 0 && rest.p[0] == '(') { /* no script's own words */
        size_t end = log_find(rest, ")");
        line->torn = end == SIZE_MAX;
        read_step(line->torn ? str_of("", 0) : log_until(rest, end + 1), line);
        forget(line);
    } else {
        line->has_epoch = head_number(line, head, bar == SIZE_MAX, "poch", EPOCH, &line->epoch);
        line->has_iteration =
            head_number(line, head, bar == SIZE_MAX, short_form ? "| iter" : "Iteration", ITERATION,
                        &line->iteration);
    }
    line->evaluation |= says_evaluation(head) || (!line->has_iteration && says_evaluation(rest));
    if (short_form)
        read_took(rest, line, out);
    else
        read_pairs(rest, line, out);
    finish_learning(line);
}

/* ---- JSON ---- */

static double known_unit(const struct dllogger_units *units, struct str name)
{
    for (int i = 0; i < units->count; i++)
        if (str_is(name, units->of[i].name))
            return units->of[i].ns;
    return 0;
}

static void keep_unit(struct dllogger_units *units, struct str metric, struct str metadata)
{
    struct str key, value;
    if (metadata.len == 0 || metadata.p[0] != '{' || units->count == DLLOGGER_UNITS_MAX ||
        metric.len >= sizeof(units->of[0].name))
        return;
    const char *at = metadata.p, *end = metadata.p + metadata.len;
    while (json_next_member(&at, end, &key, &value))
        if (str_is(key, "unit")) {
            str_copy(units->of[units->count].name, sizeof(units->of[0].name), metric);
            units->of[units->count++].ns = unit_ns(log_unquoted(value));
            return;
        }
}

static void read_data(struct str data, const struct dllogger_units *units,
                      struct dllogger_line *line, struct log_out *out)
{
    struct str key, value;
    if (data.len == 0 || data.p[0] != '{')
        return;
    const char *at = data.p, *end = data.p + data.len;
    while (json_next_member(&at, end, &key, &value)) {
        line->evaluation |= !line->has_iteration && says_evaluation(key);
        put_number(line, key, log_unquoted(value), known_unit(units, key), out);
    }
}

static bool read_object(struct str text, struct dllogger_units *units, struct dllogger_line *line,
                        struct log_out *out)
{
    struct str key, value, data = {0}, metric = {0}, metadata = {0};
    size_t length;
    const char *at = text.p, *end = text.p + text.len, *why, *after;
    if (text.len == 0 || text.p[0] != '{' || !json_valid(at, end, &after, &why))
        return false;
    while (json_next_member(&at, end, &key, &value)) {
        if (str_is(key, "datetime"))
            line->has_stamp =
                log_stamp(log_unquoted(value), &line->stamp_ns, &line->has_zone, &length);
        else if (str_is(key, "step"))
            read_step(value, line);
        else if (str_is(key, "data"))
            data = value;
        else if (str_is(key, "metric"))
            metric = log_unquoted(value);
        else if (str_is(key, "metadata"))
            metadata = value;
    }
    if (metric.len > 0)
        keep_unit(units, metric, metadata);
    read_data(data, units, line, out);
    return true;
}

bool dllogger_read_json(struct str text, struct dllogger_units *units, struct dllogger_line *line,
                        struct log_out *out)
{
    *line = (struct dllogger_line){0};
    char *without_nan = dllogger_quote_nan(&text);
    bool is = read_object(text, units, line, out);
    free(without_nan);
    return is;
}
