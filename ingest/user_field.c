/* Fields of maps and patterns. */
#include "user_field.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "log_text.h"

#define UNIT_MAX 8

static const struct {
    const char *name;
    enum user_kind kind;
    uint32_t bit;
    size_t offset;
} fields[] = {
    {"rank", USER_COUNT, RECORD_RANK, 0},
    {"step", USER_COUNT, RECORD_STEP, offsetof(struct record, step)},
    {"t", USER_STAMP, RECORD_BEGIN, offsetof(struct record, begin_ns)},
    {"end", USER_STAMP, 0, 0},
    {"data", USER_TIME, RECORD_DATA, offsetof(struct record, phase_ns[PHASE_DATA])},
    {"forward", USER_TIME, RECORD_FORWARD, offsetof(struct record, phase_ns[PHASE_FORWARD])},
    {"backward", USER_TIME, RECORD_BACKWARD, offsetof(struct record, phase_ns[PHASE_BACKWARD])},
    {"sync", USER_TIME, RECORD_SYNC, offsetof(struct record, phase_ns[PHASE_SYNC])},
    {"optimizer", USER_TIME, RECORD_OPTIMIZER, offsetof(struct record, phase_ns[PHASE_OPTIMIZER])},
    {"compute", USER_TIME, RECORD_COMPUTE, offsetof(struct record, compute_ns)},
    {"step_time", USER_TIME, RECORD_STEP_TIME, offsetof(struct record, step_time_ns)},
    {"tokens", USER_COUNT, RECORD_TOKENS, offsetof(struct record, tokens)},
    {"steps", USER_COUNT, RECORD_SPAN, offsetof(struct record, span)},
    {"flops", USER_RATE, RECORD_FLOPS, offsetof(struct record, flops)},
    {"mfu", USER_SHARE, RECORD_MFU, offsetof(struct record, mfu)},
    {"gpus", USER_COUNT, RECORD_GPUS, offsetof(struct record, gpus)},
    {"host", USER_NAME, RECORD_HOST, offsetof(struct record, host)},
    {"group", USER_NAME, RECORD_GROUP, offsetof(struct record, group)},
    {"job", USER_JOB, RECORD_JOB, 0},
};
#define FIELDS (sizeof(fields) / sizeof(fields[0]))

/* Longer ones first where one begins like another. */
static const struct {
    const char *name;
    unsigned kinds; /* 1u << enum user_kind */
    double scale;
} units[] = {
    {"ms", 1u << USER_TIME | 1u << USER_STAMP, 1e6},
    {"us", 1u << USER_TIME | 1u << USER_STAMP, 1e3},
    {"\xC2\xB5s", 1u << USER_TIME | 1u << USER_STAMP, 1e3},
    {"ns", 1u << USER_TIME | 1u << USER_STAMP, 1},
    {"min", 1u << USER_TIME, 60e9},
    {"seconds", 1u << USER_TIME, 1e9},
    {"secs", 1u << USER_TIME, 1e9},
    {"sec", 1u << USER_TIME, 1e9},
    {"s", 1u << USER_TIME | 1u << USER_STAMP, 1e9},
    {"%", 1u << USER_SHARE, 1e7},
    {"TFLOP/s", 1u << USER_RATE, 1e12},
    {"TFLOPS", 1u << USER_RATE, 1e12},
    {"TFLOPs", 1u << USER_RATE, 1e12},
    {"k", 1u << USER_COUNT | 1u << USER_RATE, 1e3},
    {"K", 1u << USER_COUNT | 1u << USER_RATE, 1e3},
    {"M", 1u << USER_COUNT | 1u << USER_RATE, 1e6},
    {"G", 1u << USER_COUNT | 1u << USER_RATE, 1e9},
    {"B", 1u << USER_COUNT, 1e9},
    {"T", 1u << USER_COUNT | 1u << USER_RATE, 1e12},
    {"P", 1u << USER_RATE, 1e15},
};
#define UNITS (sizeof(units) / sizeof(units[0]))

static const char *units_of(enum user_kind kind)
{
    switch (kind) {
    case USER_TIME:
        return "s, ms, us, ns or min";
    case USER_STAMP:
        return "s, ms, us or ns";
    case USER_COUNT:
        return "k, M, G or T";
    case USER_RATE:
        return "k, M, G, T or P";
    case USER_SHARE:
        return "%";
    default:
        return "no unit";
    }
}

bool user_field_find(struct str name, struct str unit, struct user_field *ret, char *error,
                     size_t size)
{
    size_t at = 0;
    while (at < FIELDS && !str_is(name, fields[at].name))
        at++;
    if (at == FIELDS) {
        size_t used = (size_t)snprintf(error, size, "'%.*s' is no field; there are ",
                                       (int)(name.len < 40 ? name.len : 40), name.p);
        for (size_t i = 0; i < FIELDS && used < size; i++)
            used +=
                (size_t)snprintf(error + used, size - used, "%s%s", i ? ", " : "", fields[i].name);
        return false;
    }
    *ret = (struct user_field){.kind = fields[at].kind, .place = (unsigned)at};
    if (unit.len == 0)
        return true;
    for (size_t i = 0; i < UNITS; i++) {
        if (!str_is(unit, units[i].name) || !(units[i].kinds & (1u << ret->kind)))
            continue;
        ret->scale = units[i].scale;
        return true;
    }
    snprintf(error, size, "'%.*s' is no unit of %s, which takes %s",
             (int)(unit.len < 20 ? unit.len : 20), unit.p, fields[at].name, units_of(ret->kind));
    return false;
}

uint32_t user_field_bit(const struct user_field *field)
{
    if (field->kind == USER_NOTHING)
        return 0;
    uint32_t bit = fields[field->place].bit;
    return bit ? bit : 1u << 31;
}

/* ---- values ---- */

/* The unit at the front of s, which may stand behind a blank: its length, 0: none. */
static size_t unit_at(enum user_kind kind, struct str s, double *ret_scale)
{
    size_t blank = s.len > 0 && s.p[0] == ' ';
    struct str rest = log_from(s, blank);
    for (size_t i = 0; i < UNITS && rest.len > 0; i++) {
        if (units[i].name[0] != rest.p[0])
            continue;
        size_t length = strlen(units[i].name);
        if (!(units[i].kinds & (1u << kind)) || !log_begins(rest, units[i].name))
            continue;
        if (rest.len > length && log_is_word(rest.p[length]) &&
            log_is_word(units[i].name[length - 1]))
            continue; /* a word that begins like it */
        *ret_scale = units[i].scale;
        return blank + length;
    }
    return 0;
}

static bool put_scaled(int64_t *to, double value, double scale, double most)
{
    double scaled = value * scale;
    if (!(scaled >= 0) || !(scaled <= most))
        return false;
    *to = (int64_t)(scaled + 0.5);
    return true;
}

/* s, ms, us or ns, whichever makes it a time between 2001 and 5138. */
static double scale_of_stamp(double value)
{
    return value < 1e11 ? 1e9 : value < 1e14 ? 1e6 : value < 1e17 ? 1e3 : 1;
}

static double default_scale(enum user_kind kind, double value)
{
    switch (kind) {
    case USER_TIME:
    case USER_SHARE:
        return 1e9;
    case USER_STAMP:
        return scale_of_stamp(value);
    default:
        return 1;
    }
}

/* Unix time with more digits than a double holds: the whole seconds apart. */
static bool put_stamp(int64_t *to, struct str text, double value, double scale)
{
    const char *point = memchr(text.p, '.', text.len);
    int64_t whole;
    struct str digits = point ? log_until(text, (size_t)(point - text.p)) : text;
    bool exponent = memchr(text.p, 'e', text.len) || memchr(text.p, 'E', text.len);
    if (exponent || !str_to_int(digits, 0, INT64_MAX, &whole) || (double)whole * scale > 9e18)
        return put_scaled(to, value, scale, (double)RECORD_BEGIN_MAX_NS);
    double fraction = 0;
    if (point && !str_to_double(log_from(text, digits.len), &fraction))
        fraction = value - (double)whole;
    *to = whole * (int64_t)scale + (int64_t)(fraction * scale + 0.5);
    return true;
}

static bool keep(const struct user_field *field, int64_t value, struct user_record *to)
{
    struct record *record = &to->record;
    uint32_t bit = fields[field->place].bit;
    if (bit == 0) {
        to->end_ns = value;
    } else if (bit == RECORD_RANK) {
        if (value > RECORD_RANK_MAX)
            return false;
        record->rank = (uint32_t)value;
    } else {
        memcpy((char *)record + fields[field->place].offset, &value, sizeof(value));
    }
    record->has |= bit;
    return true;
}

static bool put_number(const struct user_field *field, struct str text, double value, double scale,
                       struct user_record *to)
{
    int64_t kept = 0;
    bool good;
    if (scale == 0)
        scale = default_scale(field->kind, value);
    if (field->kind == USER_STAMP)
        good = put_stamp(&kept, text, value, scale);
    else if (field->kind == USER_TIME)
        good = log_duration(value, scale, &kept);
    else
        good = put_scaled(&kept, value, scale, 9007199254740992.0 * 100);
    if (good && field->kind == USER_COUNT && value * scale != floor(value * scale))
        good = false; /* 12.5 is no step */
    return good && keep(field, kept, to);
}

char *user_field_name(const struct user_field *field, struct user_record *to)
{
    return to->names[fields[field->place].bit == RECORD_GROUP];
}

static void put_name(const struct user_field *field, struct str value, struct user_record *to)
{
    memcpy((char *)&to->record + fields[field->place].offset, &value, sizeof(value));
    if (value.len > 0)
        to->record.has |= fields[field->place].bit;
}

static bool put_date(const struct user_field *field, struct str value, struct user_record *to)
{
    int64_t ns;
    size_t length;
    bool zone;
    if (!log_stamp(value, &ns, &zone, &length) || log_trim(log_from(value, length)).len > 0)
        return false;
    to->no_zone |= !zone;
    return keep(field, ns, to);
}

void user_field_put(const struct user_field *field, struct str value, struct user_record *to)
{
    double number, scale = 0;
    size_t length;
    value = log_trim(value);
    if (field->kind == USER_NAME) {
        put_name(field, value, to);
        return;
    }
    if (field->kind == USER_NOTHING || field->kind == USER_JOB || value.len == 0)
        return;
    if (field->kind == USER_STAMP && put_date(field, value, to))
        return;
    enum log_number kind = log_number(value, &number, &length);
    struct str rest = log_from(value, length);
    size_t unit = unit_at(field->kind, rest, &scale);
    if (kind == LOG_NOTHING || log_trim(log_from(rest, unit)).len > 0)
        to->damaged = true;
    else if (kind == LOG_NO_NUMBER)
        to->not_number = true;
    else if (scale != 0 && field->scale != 0 && scale != field->scale)
        to->damaged = true; /* the log says another unit than the map */
    else if (!put_number(field, log_until(value, length), number, scale != 0 ? scale : field->scale,
                         to))
        to->damaged = true;
}

size_t user_field_length(const struct user_field *field, struct str s)
{
    double number, scale;
    size_t length;
    int64_t ns;
    bool zone;
    if (field->kind == USER_STAMP && log_stamp(s, &ns, &zone, &length))
        return length;
    if (log_number(s, &number, &length) == LOG_NOTHING)
        return 0;
    return length + unit_at(field->kind, log_from(s, length), &scale);
}

/* ---- a record ---- */

static void put_begin(struct user_record *user)
{
    struct record *record = &user->record;
    if (user->end_ns <= 0 || (record->has & RECORD_BEGIN))
        return;
    int64_t took = record->step_time_ns;
    if (!(record->has & RECORD_STEP_TIME)) {
        took = record->has & RECORD_COMPUTE ? record->compute_ns : 0;
        for (int phase = 0; phase < PHASE_COUNT; phase++)
            took += record->has & (1u << phase) ? record->phase_ns[phase] : 0;
    }
    int64_t span = record->has & RECORD_SPAN ? record->span : 1;
    if (span < 1 || took > user->end_ns / span)
        return;
    record->begin_ns = user->end_ns - span * took;
    record->has |= RECORD_BEGIN;
}

void user_record_out(struct user_record *user, struct log_out *out)
{
    struct record *record = &user->record;
    if (user->damaged) {
        log_out_damaged(out, "a value is not what the map or pattern says it is");
        return;
    }
    if (user->not_number)
        log_out_count(out, LOG_NOT_NUMBER, NULL);
    if (!(record->has & RECORD_STEP) || !(record->has & RECORD_ANY_TIME)) {
        if (!user->not_number)
            log_out_count(out, LOG_WITHOUT_PAIR, NULL);
        return;
    }
    if ((record->has & RECORD_STEP_TIME) && record->step_time_ns == 0) {
        log_out_count(out, LOG_IMPOSSIBLE, "step %lld took no time", (long long)record->step);
        return;
    }
    put_begin(user);
    if (user->no_zone)
        log_out_note(out, LOG_NOTE_NO_ZONE);
    if ((record->has & RECORD_SPAN) && record->span > 1)
        log_out_note(out, LOG_NOTE_MEAN);
    log_out_record(out, record);
}
