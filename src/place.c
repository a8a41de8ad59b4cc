/* Where to go in a run, as it is typed. */
#include "place.h"

#include <math.h>
#include <string.h>

#include "record.h"
#include "str.h"

#define DAY_S 86400

static const char not_a_place[] = "that is no place: " PLACE_TAKES;
static const char no_clock[] = "the records tell no time of day: a step (1200) or 45% of the run";

static struct str trimmed(const char *text)
{
    struct str s = str_from(text);
    while (s.len > 0 && s.p[0] == ' ') {
        s.p++;
        s.len--;
    }
    while (s.len > 0 && s.p[s.len - 1] == ' ')
        s.len--;
    return s;
}

/* The part before the first `mark`, which *s then begins behind; all when there is none. */
static struct str part(struct str *s, char mark)
{
    const char *at = s->len > 0 ? memchr(s->p, mark, s->len) : NULL;
    size_t length = at ? (size_t)(at - s->p) : s->len;
    struct str first = str_of(s->p, length);
    size_t gone = at ? length + 1 : length;
    *s = str_of(s->p + gone, s->len - gone);
    return first;
}

static bool has(struct str s, char mark)
{
    return s.len > 0 && memchr(s.p, mark, s.len) != NULL;
}

/* ---- times ---- */

/* Days since 1970-01-01 of the Gregorian calendar. */
static int64_t days_from(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t of_era = year - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static bool two_digits(struct str s, int64_t low, int64_t high, int64_t *ret)
{
    return s.len >= 1 && s.len <= 2 && s.p[0] >= '0' && s.p[0] <= '9' &&
           str_to_int(s, low, high, ret);
}

/* "3:12" or "03:12:30" as seconds of the day; *ret_unit: what it is told to. */
static bool time_of_day(struct str s, int64_t *ret_s, int64_t *ret_unit)
{
    int64_t hour, minute, second = 0;
    struct str first = part(&s, ':');
    bool with_seconds = has(s, ':');
    struct str middle = part(&s, ':');
    if (!two_digits(first, 0, 23, &hour) || middle.len != 2 || !two_digits(middle, 0, 59, &minute))
        return false;
    if (with_seconds ? s.len != 2 || !two_digits(s, 0, 59, &second) : s.len > 0)
        return false;
    *ret_s = hour * 3600 + minute * 60 + second;
    *ret_unit = with_seconds ? 1 : 60;
    return true;
}

/* "2026-11-29" as days. */
static bool date(struct str s, int64_t *ret_days)
{
    static const int8_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t year, month, day;
    struct str first = part(&s, '-'), middle = part(&s, '-');
    if (first.len != 4 || !str_to_int(first, 1970, 2255, &year) ||
        !two_digits(middle, 1, 12, &month) || !two_digits(s, 1, 31, &day))
        return false;
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (day > lengths[month - 1] + (month == 2 && leap))
        return false;
    *ret_days = days_from(year, month, day);
    return true;
}

static int64_t floor_to(int64_t value, int64_t unit)
{
    return value - ((value % unit) + unit) % unit;
}

/* The next such time from the begin of the run on, which itself is told to the unit. */
static int64_t next_time(const struct place_clock *clock, int64_t of_day_s, int64_t unit)
{
    int64_t begin_s = (int64_t)floor(clock->begin_s);
    int64_t time_s = floor_to(begin_s, DAY_S) + of_day_s;
    return time_s < floor_to(begin_s, unit) ? time_s + DAY_S : time_s;
}

static const char *parse_time(struct str s, const struct place_clock *clock, struct place *ret)
{
    int64_t days = 0, of_day_s, unit;
    bool dated = has(s, '-');
    if (s.p[s.len - 1] == 'Z')
        s.len--;
    if (dated && !date(part(&s, has(s, 'T') ? 'T' : ' '), &days))
        return not_a_place;
    if (!time_of_day(s, &of_day_s, &unit))
        return not_a_place;
    if (!clock->known)
        return no_clock;
    ret->kind = PLACE_TIME;
    ret->time_s = (double)(dated ? days * DAY_S + of_day_s : next_time(clock, of_day_s, unit));
    return NULL;
}

/* ---- all of them ---- */

/* "a2:1200" */
static const char *parse_attempt(struct str s, struct place *ret)
{
    int64_t attempt;
    s = str_of(s.p + 1, s.len - 1);
    struct str number = part(&s, ':');
    if (!str_to_int(number, 1, INT32_MAX, &attempt) ||
        !str_to_int(s, 0, RECORD_STEP_MAX, &ret->step))
        return not_a_place;
    ret->kind = PLACE_STEP;
    ret->attempt = (int)attempt - 1;
    return NULL;
}

static const char *parse_share(struct str s, struct place *ret)
{
    double percent;
    if (!str_to_double(str_of(s.p, s.len - 1), &percent) || percent < 0 || percent > 100)
        return "a part of the run is 0% to 100%";
    ret->kind = PLACE_SHARE;
    ret->share = percent / 100;
    return NULL;
}

const char *place_parse(const char *text, const struct place_clock *clock, struct place *ret)
{
    struct str s = trimmed(text);
    *ret = (struct place){.attempt = -1};
    if (s.len == 0)
        return not_a_place;
    if (s.p[0] == 'a' && has(s, ':'))
        return parse_attempt(s, ret);
    if (has(s, ':'))
        return parse_time(s, clock, ret);
    if (s.p[s.len - 1] == '%')
        return parse_share(s, ret);
    bool moves = s.p[0] == '+' || s.p[0] == '-';
    struct str digits = s.p[0] == '+' ? str_of(s.p + 1, s.len - 1) : s;
    if (!str_to_int(digits, moves ? -RECORD_STEP_MAX : 0, RECORD_STEP_MAX, &ret->step) ||
        (s.p[0] == '+' && ret->step < 0))
        return not_a_place;
    ret->kind = moves ? PLACE_MOVE : PLACE_STEP;
    return NULL;
}
