/* Time stamps and clocks of log lines. */
#include <string.h>

#include "log_text.h"
#include "number.h"

#define DAY INT64_C(86400)
#define SECOND INT64_C(1000000000)

/* Exactly `count` digits at s.p[at]; -1: they are not there. */
static int digits(struct str s, size_t at, int count)
{
    if (at + (size_t)count > s.len)
        return -1;
    int value = 0;
    for (int i = 0; i < count; i++) {
        char c = s.p[at + (size_t)i];
        if (!log_is_digit(c))
            return -1;
        value = value * 10 + (c - '0');
    }
    return value;
}

/* Days since 1970 of a day of the Gregorian calendar, from then on. */
static uint32_t days_of(uint32_t year, uint32_t month, uint32_t day)
{
    uint32_t y = year - (month <= 2), m = month + (month <= 2 ? 9 : -3u); /* they begin in March */
    return y * 365 + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 719469;
}

static int days_in(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

/* Digits of a second behind '.' or ',' at *at: nanoseconds, further ones are cut. */
static int64_t fraction(struct str s, size_t *at)
{
    if (*at + 1 >= s.len || (s.p[*at] != '.' && s.p[*at] != ',') || !log_is_digit(s.p[*at + 1]))
        return 0;
    int64_t value = 0;
    unsigned count = 0;
    if (s.len - *at > 8) { /* mostly they are few */
        uint64_t bytes = number_load8(s.p + *at + 1);
        count = number_digits8(&bytes);
        if (count < 8) {
            *at += 1 + count;
            return (int64_t)number_value8(bytes, count) * number_power10[9 - count];
        }
        count = 0;
    }
    for (++*at; *at < s.len && log_is_digit(s.p[*at]); ++*at)
        if (count < 9) {
            value = value * 10 + (s.p[*at] - '0');
            count++;
        }
    return value * number_power10[9 - count];
}

/* "Z", "+02:00", "-0730" at *at: seconds east of UTC. */
static bool zone(struct str s, size_t *at, int *ret_seconds)
{
    *ret_seconds = 0;
    if (*at < s.len && s.p[*at] == 'Z') {
        ++*at;
        return true;
    }
    if (*at >= s.len || (s.p[*at] != '+' && s.p[*at] != '-'))
        return false;
    int hours = digits(s, *at + 1, 2);
    bool colon = *at + 3 < s.len && s.p[*at + 3] == ':';
    int minutes = digits(s, *at + 3 + (size_t)colon, 2);
    if (hours < 0 || hours > 14 || minutes < 0 || minutes > 59)
        return false;
    *ret_seconds = (hours * 3600 + minutes * 60) * (s.p[*at] == '-' ? -1 : 1);
    *at += 5 + (size_t)colon;
    return true;
}

/* Of eight characters the numbers of two digits: where both bytes of `digits` are FF, in the first
 * of them. False: something else stands there. */
static inline bool pairs_of(const char *p, uint64_t digits, uint64_t *ret)
{
    uint64_t values = (number_load8(p) ^ NUMBER_ZEROS) & digits;
    *ret = values * 10 + (values >> 8);
    return (((values + UINT64_C(0x0606060606060606)) | values) & UINT64_C(0xF0F0F0F0F0F0F0F0)) == 0;
}

static inline int pair_at(uint64_t pairs, unsigned byte)
{
    return (int)(pairs >> 8 * byte & 0xFF);
}

bool log_stamp(struct str s, int64_t *ret_ns, bool *ret_zone, size_t *ret_length)
{
    uint64_t date, day_of, time; /* "2026-05-", "-11T02:5", "02:59:55" */
    if (s.len < 19 || !pairs_of(s.p, UINT64_C(0x00FFFF00FFFFFFFF), &date) ||
        !pairs_of(s.p + 7, UINT64_C(0x0000000000FFFF00), &day_of) ||
        !pairs_of(s.p + 11, UINT64_C(0xFFFF00FFFF00FFFF), &time))
        return false;
    int year = pair_at(date, 0) * 100 + pair_at(date, 2), month = pair_at(date, 5);
    int day = pair_at(day_of, 1), hour = pair_at(time, 0);
    int minute = pair_at(time, 3), second = pair_at(time, 6);
    if (year < 1970 || year > 2200 || month < 1 || month > 12 || day < 1 || hour > 23 ||
        minute > 59 || second > 60)
        return false;
    char dash = s.p[4], gap = s.p[10];
    if ((dash != '-' && dash != '/') || s.p[7] != dash ||
        (gap != ' ' && gap != 'T' && gap != '_') || s.p[13] != ':' || s.p[16] != ':' ||
        (day > 28 && day > days_in(year, month)))
        return false;
    size_t at = 19;
    int64_t ns = fraction(s, &at);
    int east;
    bool zoned = zone(s, &at, &east);
    int64_t days = days_of((uint32_t)year, (uint32_t)month, (uint32_t)day);
    *ret_ns = (days * DAY + hour * 3600 + minute * 60 + second - east) * SECOND + ns;
    if (ret_zone)
        *ret_zone = zoned;
    *ret_length = at;
    return true;
}

bool log_stamp_in(struct str s, size_t within, int64_t *ret_ns, bool *ret_zone)
{
    size_t length;
    for (size_t at = 0; at + 19 <= s.len && at < within; at++)
        if (s.p[at] >= '1' && s.p[at] <= '2' && s.p[at + 13] == ':' &&
            log_stamp(log_from(s, at), ret_ns, ret_zone, &length))
            return true;
    return false;
}

/* Where the digits begin that end right before the place; the place itself: there are none. */
static size_t digits_before(struct str s, size_t at)
{
    while (at > 0 && log_is_digit(s.p[at - 1]))
        at--;
    return at;
}

static bool is_possible(struct str s, size_t colon)
{
    static const char *const before[] = {" T_", "-/", "-/"}; /* the hour, the day, the month */
    size_t at = digits_before(s, colon);
    bool fits = at < colon && colon + 1 < s.len && log_is_digit(s.p[colon + 1]);
    for (size_t i = 0; i < 3 && fits; i++) {
        if (at < 2 || !strchr(before[i], s.p[at - 1]))
            return false;
        size_t begin = digits_before(s, at - 1);
        fits = begin < at - 1;
        at = begin;
    }
    return fits;
}

size_t log_stamps_possible(struct str s)
{
    size_t count = 0;
    for (size_t at = log_find(s, ":"); at != SIZE_MAX; at = log_find_from(s, at + 1, ":"))
        count += is_possible(s, at);
    return count;
}

bool log_clock(struct str s, int64_t *ret_ns, size_t *ret_length)
{
    int64_t days = 0, parts[3];
    size_t at = 0, length;
    struct str rest = s;
    int64_t number;
    bool words = s.len > 0 && memchr(s.p, ' ', s.len < 8 ? s.len : 8); /* "2 days, " */
    if (words && log_integer(s, &number, &length) &&
        (log_begins(log_from(s, length), " day, ") || log_begins(log_from(s, length), " days, "))) {
        days = number;
        at = length + (s.p[length + 4] == 's' ? 7 : 6);
        rest = log_from(s, at);
    }
    int count = 0;
    for (; count < 3; count++) {
        size_t digit = 0;
        parts[count] = 0;
        for (; digit < rest.len && log_is_digit(rest.p[digit]) && digit < 7; digit++)
            parts[count] = parts[count] * 10 + (rest.p[digit] - '0');
        if (digit == 0)
            break;
        at += digit;
        rest = log_from(rest, digit);
        if (count == 2 || rest.len < 2 || rest.p[0] != ':' || !log_is_digit(rest.p[1])) {
            count++;
            break;
        }
        at++;
        rest = log_from(rest, 1);
    }
    if (count < 2 || days > 100000)
        return false;
    for (int i = 1; i < count; i++)
        if (parts[i] > 59)
            return false;
    int64_t seconds = 0;
    for (int i = 0; i < count; i++)
        seconds = seconds * 60 + parts[i];
    *ret_ns = (days * DAY + seconds) * SECOND + fraction(s, &at);
    *ret_length = at;
    return true;
}
