/* Times of traces. */
#include "trace_time.h"

#include <stddef.h>

#include "log_text.h"
#include "number.h"

#define TIME_MAX 9e18
#define UNIX_FIRST INT64_C(978307200000000000)
#define UNIX_LAST INT64_C(4133980800000000000)
#define WHOLE_DIGITS 16 /* of microseconds, below WHOLE_MAX */
#define WHOLE_MAX INT64_C(9000000000000000)

static bool by_value(struct str number, int64_t *ret_ns)
{
    double value;
    if (log_number_whole(number, NULL, &value) != LOG_NUMBER)
        return false;
    value *= LOG_MICROSECOND;
    if (!(value > -TIME_MAX && value < TIME_MAX))
        return false;
    *ret_ns = (int64_t)(value + (value < 0 ? -0.5 : 0.5));
    return true;
}

/* Digits that come by eight, up to WHOLE_DIGITS: the place behind them. */
static size_t read_eights(struct str number, size_t at, int64_t *ret)
{
    for (size_t last = at + WHOLE_DIGITS - 8; at <= last && number.len - at >= 8; at += 8) {
        uint64_t bytes = number_load8(number.p + at);
        if (number_digits8(&bytes) < 8)
            break;
        *ret = *ret * 100000000 + (int64_t)number_value8(bytes, 8);
    }
    return at;
}

bool trace_microseconds(struct str number, int64_t *ret_ns)
{
    size_t at = number.len > 0 && number.p[0] == '-', first = at;
    int64_t ns = 0;
    at = read_eights(number, at, &ns);
    for (; at < number.len && number.p[at] >= '0' && number.p[at] <= '9'; at++)
        if (at - first < WHOLE_DIGITS)
            ns = ns * 10 + (number.p[at] - '0');
    if (at == first || at - first > WHOLE_DIGITS || ns >= WHOLE_MAX)
        return by_value(number, ret_ns) && at > first;
    size_t point = at;
    int64_t scale = 1000;
    if (at < number.len && number.p[at] == '.') {
        for (at++; at < number.len && number.p[at] >= '0' && number.p[at] <= '9'; at++) {
            if (scale > 1)
                ns = ns * 10 + (number.p[at] - '0');
            else if (at == point + 4)
                ns += number.p[at] >= '5';
            scale = scale > 1 ? scale / 10 : scale;
        }
    }
    if (at < number.len)
        return by_value(number, ret_ns);
    ns *= scale;
    *ret_ns = first ? -ns : ns;
    return true;
}

bool trace_is_unix(int64_t ns)
{
    return ns >= UNIX_FIRST && ns < UNIX_LAST;
}
