/* Fields of maps and patterns. */
#include "user_field.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "log_text.h"
#include "number.h"

/* Of fields that no record has. */
#define BIT_END (UINT32_C(1) << 31)
#define BIT_EPOCH USER_BIT_EPOCH
#define BIT_EPOCH_STEPS USER_BIT_EPOCH_STEPS
#define BITS_OWN (BIT_END | BIT_EPOCH | BIT_EPOCH_STEPS)

static const struct {
    const char *name;
    const char *wrong; /* a sentence */
    enum user_kind kind;
    uint32_t bit;
    size_t offset;
} fields[] = {
#define FIELD(name, kind, bit, member)                                                             \
    {                                                                                              \
        name, "the value of " name " is not what the map or pattern says it is", kind, bit,        \
            offsetof(struct user_record, member)                                                   \
    }
    FIELD("rank", USER_COUNT, RECORD_RANK, record.rank),
    FIELD("step", USER_COUNT, RECORD_STEP, record.step),
    FIELD("epoch", USER_COUNT, BIT_EPOCH, epoch),
    FIELD("epoch_steps", USER_COUNT, BIT_EPOCH_STEPS, epoch_steps),
    FIELD("t", USER_STAMP, RECORD_BEGIN, record.begin_ns),
    FIELD("end", USER_STAMP, BIT_END, end_ns),
    FIELD("data", USER_TIME, RECORD_DATA, record.phase_ns[PHASE_DATA]),
    FIELD("forward", USER_TIME, RECORD_FORWARD, record.phase_ns[PHASE_FORWARD]),
    FIELD("backward", USER_TIME, RECORD_BACKWARD, record.phase_ns[PHASE_BACKWARD]),
    FIELD("sync", USER_TIME, RECORD_SYNC, record.phase_ns[PHASE_SYNC]),
    FIELD("optimizer", USER_TIME, RECORD_OPTIMIZER, record.phase_ns[PHASE_OPTIMIZER]),
    FIELD("compute", USER_TIME, RECORD_COMPUTE, record.compute_ns),
    FIELD("step_time", USER_TIME, RECORD_STEP_TIME, record.step_time_ns),
    FIELD("tokens", USER_COUNT, RECORD_TOKENS, record.tokens),
    FIELD("steps", USER_COUNT, RECORD_SPAN, record.span),
    FIELD("flops", USER_RATE, RECORD_FLOPS, record.flops),
    FIELD("mfu", USER_SHARE, RECORD_MFU, record.mfu),
    FIELD("gpus", USER_COUNT, RECORD_GPUS, record.gpus),
    FIELD("host", USER_NAME, RECORD_HOST, record.host),
    FIELD("group", USER_NAME, RECORD_GROUP, record.group),
    FIELD("job", USER_JOB, RECORD_JOB, record.rank),
#undef FIELD
};
#define FIELDS (sizeof(fields) / sizeof(fields[0]))

/* How plain numbers are read: of seconds 9 digits are behind the point, of milliseconds 6. */
static void set_scale(struct user_field *field, double scale)
{
    bool count = field->kind == USER_COUNT, time = field->kind == USER_TIME;
    field->scale = scale;
    field->divisor = 0;
    if (count ? scale == 0 || scale == 1
              : (time || field->kind == USER_STAMP) && (scale == 0 || scale == 1e9))
        field->divisor = 1;
    else if (time && scale < 1e9)
        field->divisor = (uint32_t)(1e9 / scale);
    field->places = count ? 0 : 9;
    for (uint32_t left = field->divisor; left >= 10; left /= 10)
        field->places--;
    field->most = time    ? RECORD_DURATION_MAX_NS
                  : count ? INT64_MAX
                          : UINT64_C(8999999999999999999); /* a stamp: of under 9e9 seconds */
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
    *ret = (struct user_field){.kind = fields[at].kind,
                               .place = (unsigned)at,
                               .offset = fields[at].offset,
                               .bit = fields[at].bit};
    set_scale(ret, 0);
    if (unit.len == 0)
        return true;
    double scale = user_unit_named(ret->kind, unit);
    if (scale != 0) {
        set_scale(ret, scale);
        return true;
    }
    snprintf(error, size, "'%.*s' is no unit of %s, which takes %s",
             (int)(unit.len < 20 ? unit.len : 20), unit.p, fields[at].name,
             user_unit_list(ret->kind));
    return false;
}

/* ---- values ---- */

void user_field_unit(const struct user_field *field, struct str s, struct str whole,
                     struct user_unit *ret)
{
    user_unit_at(field->kind, s, whole, ret);
    if (field->kind == USER_COUNT && field->bit != RECORD_TOKENS && ret->blanks > 0)
        ret->answer = UNIT_NONE;
}

/* The unit behind a value, if one is there. */
static void read_unit(const struct user_field *field, struct str s, struct user_value *ret)
{
    struct user_unit unit;
    user_field_unit(field, s, s, &unit);
    bool said = field->scale != 0 && unit.answer == UNIT_UNCLEAR;
    if (unit.answer == UNIT_NONE || (said && unit.scale != field->scale))
        return; /* or what it would be is not what was said */
    ret->unclear = !said && unit.answer != UNIT_SURE;
    ret->unit = unit.blanks + unit.length;
    ret->scale = unit.scale;
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

static inline bool keep(const struct user_field *field, int64_t value, struct user_record *to)
{
    if (field->bit != RECORD_RANK)
        memcpy((char *)to + field->offset, &value, sizeof(value));
    else if (value > RECORD_RANK_MAX)
        return false;
    else
        to->record.rank = (uint32_t)value;
    to->record.has |= field->bit & ~BITS_OWN;
    to->own |= field->bit & BITS_OWN;
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
    return to->names[field->bit == RECORD_GROUP];
}

static void put_name(const struct user_field *field, struct str value, struct user_record *to)
{
    memcpy((char *)to + fields[field->place].offset, &value, sizeof(value));
    if (value.len > 0)
        to->record.has |= field->bit;
}

/* A plain number: digits, perhaps a point and more of them; *p moves behind it. False: it is what
 * the rest of this is for. */
static inline bool read_plain(const struct user_field *field, const char **p, int64_t *ret)
{
    if (field->kind == USER_COUNT) {
        const char *begin = *p;
        return field->divisor && number_integer(p, ret) && *p - begin <= 15;
    }
    if (field->divisor == 0 || !number_seconds(p, ret))
        return false;
    if (field->divisor > 1)
        *ret = (*ret + field->divisor / 2) / field->divisor;
    return field->kind == USER_STAMP || *ret <= RECORD_DURATION_MAX_NS;
}

/* Whether a unit may stand at p, behind a blank or several. */
static inline bool ends_unclearly(const struct user_field *field, const char *p)
{
    return user_unit_begins(field->kind, p + log_is_blank(*p)) ||
           (log_is_blank(*p) && log_is_blank(p[1]));
}

static inline bool read_exact(const struct user_field *field, struct str s, struct user_value *ret)
{
    const char *p = s.p, *end = s.p + s.len;
    if (!read_plain(field, &p, &ret->whole) || p > end ||
        (p < end && (*p == ',' || ends_unclearly(field, p))))
        return false;
    ret->form = USER_EXACT;
    ret->length = (size_t)(p - s.p);
    return true;
}

void user_field_read(const struct user_field *field, struct str s, struct user_value *ret)
{
    bool zone;
    ret->form = USER_ABSENT;
    ret->no_zone = ret->unclear = false;
    ret->length = ret->unit = 0;
    ret->scale = 0;
    if (s.len == 0 || read_exact(field, s, ret))
        return;
    if (field->kind == USER_STAMP && log_stamp(s, &ret->whole, &zone, &ret->length)) {
        ret->form = USER_EXACT;
        ret->no_zone = !zone;
        return;
    }
    enum log_number kind = log_number(s, &ret->number, &ret->length);
    if (kind == LOG_NOTHING) {
        ret->length = 0;
        return;
    }
    ret->form = kind == LOG_NUMBER ? USER_NUMBER : USER_ODD;
    if (ret->length < s.len)
        read_unit(field, log_from(s, ret->length), ret);
}

static bool take(const struct user_field *field, struct str s, const struct user_value *value,
                 struct user_record *to)
{
    double scale = value->scale != 0 ? value->scale : field->scale;
    bool odd = value->form == USER_ODD; /* or "-100%": not known yet */
    odd |= value->form == USER_NUMBER && value->number < 0 &&
           (field->kind == USER_SHARE || field->kind == USER_RATE);
    if (value->form == USER_EXACT) {
        to->no_zone |= value->no_zone;
        return keep(field, value->whole, to);
    }
    if (value->unclear) {
        to->unclear = true;
        return false;
    }
    if (odd) {
        to->odd |= field->bit;
        return !(field->bit & (RECORD_RANK | RECORD_STEP)); /* whose it is must be said */
    }
    if (value->form == USER_ABSENT ||
        (value->scale != 0 && field->scale != 0 && value->scale != field->scale))
        return false; /* or the log says another unit than the map */
    return put_number(field, log_until(s, value->length), value->number, scale, to);
}

/* Of "rank3", "rank-3", "Rank 3": the number. */
static struct str without_word(struct str value)
{
    static const char word[] = "rank";
    size_t length = sizeof(word) - 1;
    if (value.len <= length || strncasecmp(value.p, word, length) != 0)
        return value;
    length += strchr("-_ :=", value.p[length]) != NULL;
    return log_from(value, length);
}

void user_field_clear(const struct user_field *field, struct user_record *to)
{
    to->record.has &= ~field->bit;
    to->own &= ~field->bit;
    to->odd &= ~field->bit;
    to->bad &= ~field->bit;
    if (field->bit == BIT_END)
        to->end_ns = 0;
}

void user_field_spoil(const struct user_field *field, struct user_record *to)
{
    user_field_clear(field, to);
    to->bad |= field->bit;
}

/* "1762000000", "2026-05-11T02:00:00Z"; not "1762000000123". */
static bool is_coarse(struct str stamp)
{
    size_t digits = 0;
    while (digits < stamp.len && log_is_digit(stamp.p[digits]))
        digits++;
    return digits <= 11 && !memchr(stamp.p, '.', stamp.len) && !memchr(stamp.p, ',', stamp.len);
}

void user_field_take(const struct user_field *field, struct str s, const struct user_value *value,
                     struct user_record *to)
{
    user_field_clear(field, to);
    if (field->kind == USER_STAMP)
        to->coarse |= is_coarse(str_of(s.p, value->length));
    if (!take(field, s, value, to))
        user_field_spoil(field, to);
}

/* Apart, so that plain numbers do not pay for its room. */
__attribute__((noinline)) static void put_slowly(const struct user_field *field, struct str value,
                                                 struct user_record *to)
{
    struct user_value read;
    const char *p = value.p;
    int64_t whole;
    if (field->kind == USER_NOTHING || field->kind == USER_JOB)
        return;
    if (!((to->odd | to->bad) & field->bit) && read_plain(field, &p, &whole) &&
        p == value.p + value.len && keep(field, whole, to))
        return;
    value = log_trim(value);
    if (field->kind == USER_NAME || value.len == 0) {
        user_field_clear(field, to);
        if (field->kind == USER_NAME)
            put_name(field, value, to);
        return;
    }
    if (field->bit == RECORD_RANK)
        value = without_word(value);
    user_field_read(field, value, &read);
    if (read.length + read.unit == value.len)
        user_field_take(field, value, &read, to);
    else
        user_field_spoil(field, to);
}

void user_field_put(const struct user_field *field, struct str value, struct user_record *to)
{
    int64_t number;
    bool plain = !((to->odd | to->bad) & field->bit) && field->divisor > 0 &&
                 number_whole_text(value.p, value.len, field->places, field->most, &number);
    if (!plain || !keep(field, number, to))
        put_slowly(field, value, to);
    else if (field->kind == USER_STAMP)
        to->coarse |= is_coarse(value);
}

/* ---- a record ---- */

void user_record_begin(struct user_record *record)
{
    record->record = (struct record){0};
    record->own = 0;
    record->end_ns = 0;
    record->in_epochs = record->no_zone = record->coarse = record->unclear = false;
    record->odd = record->bad = 0;
}

static const char *why_wrong(uint32_t bad, bool unclear)
{
    if (unclear)
        return "what stands behind a value may be its unit, or can't be: say which, as in "
               "step_time:s";
    for (size_t i = 0; i < FIELDS; i++)
        if (fields[i].bit & bad)
            return fields[i].wrong;
    return fields[0].wrong;
}

#define COARSE_NS INT64_C(10000000000) /* what lasts longer is known to a tenth by such stamps */

static int64_t time_taken(const struct record *record)
{
    if (record->has & RECORD_STEP_TIME)
        return record->step_time_ns;
    int64_t took = record->has & RECORD_COMPUTE ? record->compute_ns : 0;
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        took += record->has & (1u << phase) ? record->phase_ns[phase] : 0;
    return took;
}

static void put_begin(struct user_record *user, struct log_out *out)
{
    struct record *record = &user->record;
    int64_t took = time_taken(record), span = record->has & RECORD_SPAN ? record->span : 1;
    bool has_stamp = user->end_ns > 0 || (record->has & RECORD_BEGIN);
    if (has_stamp && user->coarse && !(record->has & RECORD_STEP_TIME) && took < COARSE_NS) {
        record->has &= ~(uint32_t)RECORD_BEGIN; /* steps would last 0 s or 1 s */
        log_out_count(out, LOG_LEFT_OUT, "a time stamp of whole seconds: step %lld",
                      (long long)record->step);
        return;
    }
    if (user->end_ns <= 0 || (record->has & RECORD_BEGIN) || span < 1 || took > user->end_ns / span)
        return;
    record->begin_ns = user->end_ns - span * took;
    record->has |= RECORD_BEGIN;
}

/* Numbers the step through all epochs. False: it is out of its epoch. */
static bool number_step(struct user_record *user)
{
    int64_t before;
    return user->record.step <= user->epoch_steps &&
           !__builtin_mul_overflow(user->epoch, user->epoch_steps, &before) &&
           !__builtin_add_overflow(before, user->record.step, &user->record.step);
}

void user_record_out(struct user_record *user, struct log_out *out)
{
    struct record *record = &user->record;
    if (user->bad) {
        log_out_damaged(out, why_wrong(user->bad, user->unclear));
        return;
    }
    if (user->odd)
        log_out_count(out, LOG_NOT_NUMBER, NULL);
    uint32_t epochs = user->in_epochs || (user->own & ~BIT_END) ? BIT_EPOCH | BIT_EPOCH_STEPS : 0;
    if (!(record->has & RECORD_STEP) || !(record->has & RECORD_ANY_TIME) ||
        (user->own & epochs) != epochs) {
        if (!user->odd)
            log_out_count(out, LOG_WITHOUT_PAIR, NULL);
        return;
    }
    if (epochs && !number_step(user)) {
        log_out_count(out, LOG_IMPOSSIBLE, "step %lld of an epoch of %lld", (long long)record->step,
                      (long long)user->epoch_steps);
        return;
    }
    if ((record->has & RECORD_STEP_TIME) && record->step_time_ns == 0) {
        log_out_count(out, LOG_IMPOSSIBLE, "step %lld took no time", (long long)record->step);
        return;
    }
    put_begin(user, out);
    if (user->no_zone)
        log_out_note(out, LOG_NOTE_NO_ZONE);
    if ((record->has & RECORD_SPAN) && record->span > 1)
        log_out_note(out, LOG_NOTE_MEAN);
    log_out_record(out, record);
}
