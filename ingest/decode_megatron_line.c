/* The iteration line: fields by name, in any order, each closed by a bar. A field that is
 * not closed may be cut, so it does not count. */
#include <stdio.h>
#include <string.h>

#include "decode_megatron.h"
#include "log_text.h"

#define STAMP_BEFORE 200 /* bytes before the record in which its stamp is looked for */
#define NUMBER_MAX 1000000000.0

bool megatron_has_time(struct str line)
{
    return log_find(line, "per iteration (") != SIZE_MAX ||
           log_find(line, "per_iteration_ms") != SIZE_MAX;
}

/* ---- where it begins ---- */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static size_t skip_blanks(struct str s, size_t at)
{
    while (at < s.len && (s.p[at] == ' ' || s.p[at] == '\t'))
        at++;
    return at;
}

static size_t skip_digits(struct str s, size_t at)
{
    while (at < s.len && s.p[at] >= '0' && s.p[at] <= '9')
        at++;
    return at;
}

/* "iteration  N/  M |" at that place: the place behind, 0: it is not. */
static size_t head_end(struct str line, size_t at, int64_t *ret)
{
    size_t p = skip_blanks(line, at + strlen("iteration"));
    if (p < line.len && (line.p[p] == '=' || line.p[p] == ':'))
        p = skip_blanks(line, p + 1);
    size_t number = p;
    p = skip_digits(line, p);
    if (p == number || p - number > 15 ||
        !str_to_int(str_of(line.p + number, p - number), 0, RECORD_STEP_MAX, ret))
        return 0;
    p = skip_blanks(line, p);
    if (p >= line.len || line.p[p] != '/')
        return 0;
    size_t total = skip_blanks(line, p + 1);
    p = skip_digits(line, total);
    if (p == total)
        return 0;
    p = skip_blanks(line, p);
    return p < line.len && line.p[p] == '|' ? p + 1 : 0;
}

/* The next such head: where it begins, SIZE_MAX: there is none. */
static size_t find_head(struct str line, size_t from, int64_t *ret_number, size_t *ret_end)
{
    for (size_t at = log_find_from(line, from, "iteration"); at != SIZE_MAX;
         at = log_find_from(line, at + 1, "iteration")) {
        if (at > 0 && is_word(line.p[at - 1]))
            continue;
        *ret_end = head_end(line, at, ret_number);
        if (*ret_end > 0)
            return at;
    }
    return SIZE_MAX;
}

/* ---- fields ---- */

enum field {
    FIELD_FLOPS,
    FIELD_COMPUTE, /* Primus' name for the same; a fork writes both */
    FIELD_MFU,
    FIELD_BATCH,
    FIELD_LENGTH,
    FIELD_SAMPLES,
    FIELD_TOKENS,
    FIELD_VALUE, /* shown as it is */
};

#define NAMED(text) text, sizeof(text) - 1

static const struct {
    const char *name; /* with blanks where some forks write '_' */
    size_t length;
    enum field field;
    const char *unit;
} fields[] = {
    {NAMED("throughput per GPU (TFLOP/s/GPU)"), FIELD_FLOPS, NULL},
    {NAMED("actual throughput per NPU (TFLOP/s/NPU)"), FIELD_FLOPS, NULL}, /* MindSpeed */
    {NAMED("throughput (TFLOP/s/GPU)"), FIELD_FLOPS, NULL},
    {NAMED("compute per GPU (TFLOP/s/GPU)"), FIELD_COMPUTE, NULL},
    {NAMED("flop throughput (TFLOP/sec/GPU)"), FIELD_FLOPS, NULL},
    {NAMED("TFLOPs"), FIELD_FLOPS, NULL},
    {NAMED("[LM]TFLOPs"), FIELD_FLOPS, NULL},
    {NAMED("[LM]-TFLOPs"), FIELD_FLOPS, NULL},
    {NAMED("model tflops per gpu"), FIELD_FLOPS, NULL}, /* nanotron */
    {NAMED("approx flops per GPU"), FIELD_FLOPS, NULL},
    {NAMED("MFU"), FIELD_MFU, NULL},
    {NAMED("mfu"), FIELD_MFU, NULL},
    {NAMED("global batch size"), FIELD_BATCH, NULL},
    {NAMED("actual seqlen"), FIELD_LENGTH, NULL},
    {NAMED("consumed samples"), FIELD_SAMPLES, NULL},
    {NAMED("consumed tokens"), FIELD_TOKENS, NULL},
    {NAMED("samples per second"), FIELD_VALUE, "samples/s"},
    {NAMED("tokens per gpu per second (tgs)"), FIELD_VALUE, "tokens/s"},
    {NAMED("tokens per gpu per second tgs"), FIELD_VALUE, "tokens/s"},
    {NAMED("tokens per GPU (tokens/s/GPU)"), FIELD_VALUE, "tokens/s"},
    {NAMED("energy per GPU (J/iter/GPU)"), FIELD_VALUE, "J"},
    {NAMED("power per GPU (W/GPU)"), FIELD_VALUE, "W"},
    {NAMED("[DS]TFLOPs"), FIELD_VALUE, "TFLOP/s"},
    {NAMED("[DS]-TFLOPs"), FIELD_VALUE, "TFLOP/s"},
    {NAMED("theoretical throughput per NPU (TFLOP/s/NPU)"), FIELD_VALUE, "TFLOP/s"},
    {NAMED("actual throughput per NPU with recompute (TFLOP/s/NPU)"), FIELD_VALUE, "TFLOP/s"},
    {NAMED("hardware tflops per gpu"), FIELD_VALUE, "TFLOP/s"},
    {NAMED("tokens per sec"), FIELD_VALUE, "tokens/s"},
    {NAMED("tokens per sec per gpu"), FIELD_VALUE, "tokens/s"},
    {NAMED("tokens per second"), FIELD_VALUE, "tokens/s"},
    {NAMED("tokens per second per device"), FIELD_VALUE, "tokens/s"}, /* Iluvatar */
    {NAMED("tokens/sec/gpu"), FIELD_VALUE, "tokens/s"},
    {NAMED("tokens/s/GPU inst/harmonic mean"), FIELD_VALUE, "tokens/s"},
};

static bool is_named(struct str name, const char *text)
{
    for (size_t i = 0; i < name.len; i++)
        if (text[i] == '\0' || (name.p[i] != text[i] && !(name.p[i] == '_' && text[i] == ' ')))
            return false;
    return text[name.len] == '\0';
}

/* Of a learned line's values (log_learn.h): those of `fields` come last. */
enum {
    LEARNED_NUMBER, /* its note: so many bytes behind where the record begins */
    LEARNED_TIME,   /* its note: bytes behind the number, and the place in time_units << 16 */
    LEARNED_STAMP,
    LEARNED_FIELDS, /* their notes: bytes behind the number */
};
_Static_assert(LEARNED_FIELDS + sizeof(fields) / sizeof(fields[0]) <= MEGATRON_LEARNED_RANK,
               "each field has a place in a form");

struct line_fields {
    struct log_learned *form; /* NULL: not to be learned */
    bool unusual;             /* likewise */
    enum log_number time;     /* LOG_NOTHING: none so far */
    bool torn;
    uint64_t seen; /* 1 << index in fields */
    double time_value, time_unit_ns;
    double values[FIELD_VALUE]; /* 0: not there */
    struct megatron_iteration *rates;
};

static void add_rate(struct line_fields *of, size_t index, double value)
{
    struct megatron_iteration *to = of->rates;
    if (to->rate_count < MEGATRON_RATES)
        to->rates[to->rate_count++] =
            (struct megatron_rate){fields[index].name, fields[index].unit, value};
}

/* nanotron writes "1.23K", with three digits. */
static double thousands(struct str *unit)
{
    static const char letters[] = "KMGT";
    const char *letter = unit->len == 1 ? memchr(letters, unit->p[0], 4) : NULL;
    double factor = 1;
    for (ptrdiff_t i = 0; letter && i <= letter - letters; i++)
        factor *= 1000;
    if (letter)
        *unit = log_from(*unit, 1);
    return factor;
}

/* "F", or "F/F", "F (avg F)": this interval's, then the mean so far. */
static enum log_number first_number(struct str value, double *ret, struct str *ret_rest)
{
    size_t length;
    double mean;
    enum log_number kind = log_number(value, ret, &length);
    *ret_rest = log_trim(log_from(value, length));
    bool bracket = log_begins(*ret_rest, "(avg ");
    if (kind == LOG_NOTHING || ret_rest->len == 0 || (ret_rest->p[0] != '/' && !bracket))
        return kind;
    struct str rest = log_from(*ret_rest, bracket ? strlen("(avg ") : 1);
    if (log_number(rest, &mean, &length) == LOG_NOTHING)
        return LOG_NOTHING;
    rest = log_from(rest, length);
    if (bracket && !log_begins(rest, ")"))
        return LOG_NOTHING;
    *ret_rest = log_trim(log_from(rest, bracket ? 1 : 0));
    return kind;
}

/* A value of the line is learned: its number, and how much follows it. */
static void learn(struct line_fields *of, unsigned field, struct str value, struct str rest,
                  uint32_t note)
{
    double number;
    size_t length;
    if (!of->form)
        return;
    if (log_number(value, &number, &length) != LOG_NUMBER || (rest.len > 0 && rest.p[0] == '/') ||
        log_trim(log_from(value, length)).len != rest.len)
        of->unusual = true; /* "F/F" among others */
    else
        log_learn_number(of->form, field, log_until(value, length),
                         note | (uint32_t)(value.len - length));
}

static struct str learned_rest(const struct log_values *values, unsigned field)
{
    struct str text = values->text[field];
    return log_trim(str_of(text.p + text.len, values->notes[field] & UINT16_MAX));
}

static const struct {
    const char *name;
    double ns;
} time_units[] = {{" (ms)", LOG_MILLISECOND},
                  {" ms", LOG_MILLISECOND},
                  {" (s)", LOG_SECOND},
                  {" s", LOG_SECOND},
                  {" (us)", LOG_MICROSECOND}};
#define TIME_UNITS (sizeof(time_units) / sizeof(time_units[0]))

static void put_time(struct line_fields *of, size_t unit, double value, struct str rest)
{
    of->time_value = value * thousands(&rest);
    if (unit < TIME_UNITS)
        of->time_unit_ns = time_units[unit].ns;
    of->torn |= unit == TIME_UNITS || rest.len > 0;
}

static void time_field(struct line_fields *of, struct str unit, struct str value)
{
    struct str rest;
    double number;
    uint32_t i = 0;
    of->torn |= of->time != LOG_NOTHING; /* another line's stands within this one */
    of->time = first_number(value, &number, &rest);
    while (i < TIME_UNITS && !is_named(unit, time_units[i].name))
        i++;
    learn(of, LEARNED_TIME, value, rest, i << 16);
    put_time(of, i, number, rest);
    of->torn |= of->time == LOG_NOTHING;
}

/* FLOP/s of a value in TFLOP/s, or with a unit: "45.0TFLOPS". 0: torn. */
static double flops_of(double value, struct str unit)
{
    static const struct {
        const char *unit;
        double factor;
    } units[] = {{"", 1e12},      {"TFLOPS", 1e12}, {"TFLOP/s", 1e12}, {"TFLOP/s/GPU", 1e12},
                 {"GFLOPS", 1e9}, {"PFLOPS", 1e15}, {"MFLOPS", 1e6}};
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (str_is(unit, units[i].unit))
            return value * units[i].factor;
    return 0;
}

static double mfu_of(double value, struct str unit)
{
    if (str_is(unit, "%") || (unit.len == 0 && value > 1.5))
        return value / 100;
    return unit.len == 0 ? value : 0;
}

static void put_field(struct line_fields *of, size_t index, double number, struct str rest,
                      struct log_out *out)
{
    enum field field = fields[index].field;
    bool flops = field == FIELD_FLOPS || field == FIELD_COMPUTE;
    if (flops || field == FIELD_MFU) {
        if (number <= 0)
            log_out_count(out, LOG_IMPOSSIBLE, "%s: %g", fields[index].name, number);
        number = flops ? flops_of(number, rest) : mfu_of(number, rest);
    } else if (field == FIELD_VALUE) {
        number *= thousands(&rest);
    }
    if (rest.len > 0 && !flops && field != FIELD_MFU)
        return; /* the batch as "1.02K" is not exact */
    if (field == FIELD_VALUE)
        add_rate(of, index, number);
    else if (number > 0)
        of->values[field] = number;
}

static void other_field(struct line_fields *of, size_t index, struct str value, struct log_out *out)
{
    double number;
    struct str rest;
    enum log_number kind = first_number(value, &number, &rest);
    if (kind == LOG_NO_NUMBER && rest.len == 0)
        log_out_count(out, LOG_NOT_NUMBER, "%s: no number", fields[index].name);
    learn(of, LEARNED_FIELDS + (unsigned)index, value, rest, 0);
    if (kind == LOG_NUMBER)
        put_field(of, index, number, rest, out);
}

static void take_field(struct line_fields *of, struct str part, struct log_out *out)
{
    static const char time_name[] = "elapsed time per iteration";
    const size_t time_length = sizeof(time_name) - 1;
    struct str name, value;
    if (!log_split(part, &name, &value))
        return;
    if (name.len > time_length && is_named(log_until(name, time_length), time_name)) {
        time_field(of, log_from(name, time_length), value);
        return;
    }
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        if (name.len == fields[i].length && name.p[0] == fields[i].name[0] &&
            is_named(name, fields[i].name)) {
            of->torn |= of->seen >> i & 1; /* likewise */
            of->seen |= UINT64_C(1) << i;
            other_field(of, i, value, out);
            return;
        }
}

/* ---- the record ---- */

static void set_resolution(struct megatron_iteration *is)
{
    bool seconds = is->stamped && is->stamp_ns % INT64_C(1000000000) == 0;
    is->resolution_ns = seconds ? INT64_C(2000000000) : INT64_C(2000000);
}

static void take_stamp(struct str before, struct megatron_iteration *ret)
{
    if (before.len > STAMP_BEFORE)
        before = log_from(before, before.len - STAMP_BEFORE);
    struct str text;
    ret->stamped = megatron_stamp_in(before, &ret->stamp_ns, &ret->zone, &text);
    set_resolution(ret);
}

static void take_tokens(const double *values, struct megatron_iteration *ret)
{
    double batch = values[FIELD_BATCH], length = values[FIELD_LENGTH];
    double samples = values[FIELD_SAMPLES], tokens = values[FIELD_TOKENS];
    if (length == 0 && samples >= 1 && tokens >= samples && tokens <= (double)RECORD_TOKENS_MAX) {
        int64_t whole = (int64_t)tokens / (int64_t)samples;
        length = whole * (int64_t)samples == (int64_t)tokens ? (double)whole : 0;
    }
    ret->batch = batch <= NUMBER_MAX ? (int64_t)batch : 0;
    ret->tokens_a_sample = length <= NUMBER_MAX ? (int64_t)length : 0;
}

static enum megatron_found whole(const struct line_fields *of, struct megatron_iteration *ret,
                                 struct log_out *out)
{
    if (of->torn || of->time == LOG_NOTHING)
        return MEGATRON_TORN;
    if (of->time == LOG_NO_NUMBER) {
        log_out_count(out, LOG_NOT_NUMBER, "iteration %lld has no time", (long long)ret->number);
        return MEGATRON_NO_TIME;
    }
    if (of->time_value <= 0) {
        log_out_count(out, LOG_IMPOSSIBLE, "iteration %lld took %g", (long long)ret->number,
                      of->time_value);
        return MEGATRON_NO_TIME;
    }
    if (!log_duration(of->time_value, of->time_unit_ns, &ret->step_time_ns))
        return MEGATRON_TORN;
    double flops = of->values[FIELD_FLOPS], mfu = of->values[FIELD_MFU] * 1e9;
    flops = flops > 0 ? flops : of->values[FIELD_COMPUTE];
    ret->flops = flops <= (double)RECORD_FLOPS_MAX ? (int64_t)(flops + 0.5) : 0;
    ret->mfu = mfu <= (double)RECORD_MFU_MAX ? (int64_t)(mfu + 0.5) : 0;
    take_tokens(of->values, ret);
    return MEGATRON_FOUND;
}

static inline uint64_t mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0xD6E8FEB86659FD93);
    return hash ^ hash >> 32;
}

uint32_t megatron_hash(struct str s)
{
    uint64_t hash = UINT64_C(0x9E3779B97F4A7C15) ^ s.len, word = 0;
    size_t at = 0;
    for (; at + sizeof(word) <= s.len; at += sizeof(word)) {
        memcpy(&word, s.p + at, sizeof(word));
        hash = mixed(hash, word);
    }
    word = 0;
    if (at < s.len)
        memcpy(&word, s.p + at, s.len - at);
    hash = mixed(hash, word);
    return (uint32_t)hash ? (uint32_t)hash : 1;
}

/* What stands in front of the record: the stamp may be one that only its digits make one. */
static void learn_front(struct line_fields *of, struct str front, size_t head, struct str text,
                        const struct megatron_iteration *is)
{
    struct str stamp;
    int64_t ns;
    bool zone;
    size_t digits = log_find(text, "iteration") + strlen("iteration");
    if (!of->form)
        return;
    while (digits < text.len && !log_is_digit(text.p[digits]))
        digits++;
    size_t end = skip_digits(text, digits);
    log_learn_number(of->form, LEARNED_NUMBER, str_of(text.p + digits, end - digits),
                     (uint32_t)digits);
    of->unusual |= head > STAMP_BEFORE / 2 || !megatron_stamp_is_plain(front, is->stamped);
    if (is->stamped && !of->unusual && megatron_stamp_in(front, &ns, &zone, &stamp))
        log_learn_text(of->form, LEARNED_STAMP, stamp, 0);
}

static void finish_learning(struct line_fields *of, enum megatron_found found)
{
    if (of->form && found == MEGATRON_FOUND && !of->unusual)
        log_learn_ready(of->form, false);
}

bool megatron_iteration_again(const struct log_line *line, const struct log_values *values,
                              struct megatron_iteration *ret, struct log_out *out)
{
    struct line_fields of = {.time = LOG_NUMBER, .rates = ret};
    struct str number = values->text[LEARNED_NUMBER], stamp = values->text[LEARNED_STAMP];
    ret->rate_count = 0;
    ret->again = true;
    ret->stamped = log_values_have(values, LEARNED_STAMP);
    if (!log_values_integer(values, LEARNED_NUMBER, &ret->number) ||
        ret->number > RECORD_STEP_MAX || values->number[LEARNED_TIME] <= 0 ||
        (ret->stamped &&
         !megatron_stamp(str_of(stamp.p, stamp.len + 1), &ret->stamp_ns, &ret->zone)))
        return false;
    for (uint64_t left = values->has >> LEARNED_FIELDS; left; left &= left - 1)
        if (values->number[LEARNED_FIELDS + __builtin_ctzll(left)] <= 0)
            return false; /* it may be told of */
    put_time(&of, values->notes[LEARNED_TIME] >> 16, values->number[LEARNED_TIME],
             learned_rest(values, LEARNED_TIME));
    for (uint64_t left = values->has >> LEARNED_FIELDS; left; left &= left - 1) {
        unsigned index = (unsigned)__builtin_ctzll(left), field = LEARNED_FIELDS + index;
        put_field(&of, index, values->number[field], learned_rest(values, field), out);
    }
    set_resolution(ret);
    const char *begin = number.p - values->notes[LEARNED_NUMBER];
    struct str text = str_of(begin, (size_t)(line->text.p + line->text.len - begin));
    ret->fields = megatron_hash(log_trim(text));
    ret->head = log_until(text, log_find(text, "|"));
    return whole(&of, ret, out) == MEGATRON_FOUND;
}

enum megatron_found megatron_iteration_next(const struct log_line *of_line, size_t *at,
                                            struct megatron_iteration *ret, struct log_out *out)
{
    struct str line = of_line->text;
    struct line_fields of = {.time = LOG_NOTHING, .rates = ret};
    int64_t next_number;
    size_t from = *at, end, next_end;
    *ret = (struct megatron_iteration){0};
    size_t head = find_head(line, from, &ret->number, &end);
    if (head == SIZE_MAX) {
        *at = line.len;
        return from == 0 ? MEGATRON_TORN : MEGATRON_END;
    }
    take_stamp(str_of(line.p + from, head - from), ret);
    size_t next = find_head(line, end, &next_number, &next_end);
    struct str rest = log_until(log_from(line, end), next == SIZE_MAX ? line.len : next - end);
    *at = end + rest.len;
    struct str text = log_trim(str_of(line.p + head, *at - head));
    ret->head = str_of(line.p + head, end - 1 - head);
    ret->fields = megatron_hash(text);
    of.form = from == 0 && next == SIZE_MAX ? of_line->form : NULL;
    learn_front(&of, log_until(line, head), head, text, ret);
    while (rest.len > 0) {
        const char *bar = memchr(rest.p, '|', rest.len);
        if (!bar)
            break;
        take_field(&of, log_trim(str_of(rest.p, (size_t)(bar - rest.p))), out);
        rest = log_from(rest, (size_t)(bar - rest.p) + 1);
    }
    enum megatron_found found = whole(&of, ret, out);
    finish_learning(&of, found);
    return found;
}
