/* Units of maps and patterns. */
#include "user_unit.h"

#include <string.h>
#include <strings.h>

#include "log_text.h"

#define TIME (1u << USER_TIME)
#define TIMES (1u << USER_TIME | 1u << USER_STAMP)
#define COUNT (1u << USER_COUNT)
#define RATE (1u << USER_RATE)
#define SHARE (1u << USER_SHARE)

enum sureness {
    SURE,
    WEAK, /* of another meaning where a value stands behind it */
    ASKED /* never taken for it without being said */
};

/* Names of one letter are as they stand; of others capital letters are no others. */
static const struct {
    const char *name;
    unsigned kinds; /* 1u << enum user_kind */
    double scale;
    enum sureness sureness;
    const char *said; /* as FIELD:UNIT; NULL: the name */
} units[] = {
    {"s", TIMES, 1e9, SURE, NULL},
    {"ms", TIMES, 1e6, SURE, NULL},
    {"us", TIMES, 1e3, SURE, NULL},
    {"\xC2\xB5s", TIMES, 1e3, SURE, NULL}, /* the sign; below, the letter */
    {"\xCE\xBCs", TIMES, 1e3, SURE, NULL},
    {"ns", TIMES, 1, SURE, NULL},
    {"sec", TIMES, 1e9, SURE, NULL},
    {"secs", TIMES, 1e9, SURE, NULL},
    {"second", TIMES, 1e9, SURE, NULL},
    {"seconds", TIMES, 1e9, SURE, NULL},
    {"millisecond", TIME, 1e6, SURE, NULL},
    {"milliseconds", TIME, 1e6, SURE, NULL},
    {"milli", TIME, 1e6, SURE, NULL},
    {"millis", TIME, 1e6, SURE, NULL},
    {"msec", TIME, 1e6, SURE, NULL},
    {"msecs", TIME, 1e6, SURE, NULL},
    {"microsecond", TIME, 1e3, SURE, NULL},
    {"microseconds", TIME, 1e3, SURE, NULL},
    {"micros", TIME, 1e3, SURE, NULL},
    {"usec", TIME, 1e3, SURE, NULL},
    {"usecs", TIME, 1e3, SURE, NULL},
    {"nanosecond", TIME, 1, SURE, NULL},
    {"nanoseconds", TIME, 1, SURE, NULL},
    {"nanos", TIME, 1, SURE, NULL},
    {"nsec", TIME, 1, SURE, NULL},
    {"nsecs", TIME, 1, SURE, NULL},
    {"minute", TIME, 60e9, SURE, NULL},
    {"minutes", TIME, 60e9, SURE, NULL},
    {"mins", TIME, 60e9, SURE, NULL},
    {"min", TIME, 60e9, WEAK, NULL},
    {"m", TIME, 60e9, ASKED, "min"},
    {"hour", TIME, 3600e9, SURE, NULL},
    {"hours", TIME, 3600e9, SURE, NULL},
    {"hr", TIME, 3600e9, SURE, NULL},
    {"hrs", TIME, 3600e9, SURE, NULL},
    {"h", TIME, 3600e9, WEAK, NULL},
    {"day", TIME, 86400e9, SURE, NULL},
    {"days", TIME, 86400e9, SURE, NULL},
    {"d", TIME, 86400e9, ASKED, "days"},
    {"%", SHARE, 1e7, SURE, NULL},
    {"percent", SHARE, 1e7, SURE, NULL},
    {"pct", SHARE, 1e7, SURE, NULL},
    {"k", COUNT | RATE, 1e3, WEAK, NULL},
    {"K", COUNT | RATE, 1e3, WEAK, NULL},
    {"M", COUNT | RATE, 1e6, WEAK, NULL},
    {"G", COUNT | RATE, 1e9, WEAK, NULL},
    {"B", COUNT, 1e9, WEAK, NULL},
    {"T", COUNT | RATE, 1e12, WEAK, NULL},
    {"P", RATE, 1e15, WEAK, NULL},
    {"E", RATE, 1e18, WEAK, NULL},
    {"thousand", COUNT, 1e3, SURE, NULL},
    {"million", COUNT, 1e6, SURE, NULL},
    {"billion", COUNT, 1e9, SURE, NULL},
    {"trillion", COUNT, 1e12, SURE, NULL},
};
#define UNITS (sizeof(units) / sizeof(units[0]))

/* Units all the same, of which no value is taken. */
static const struct {
    const char *name;
    unsigned kinds;
} refused[] = {
    {"week", TIME},  {"weeks", TIME},   {"ps", TIMES}, {"picoseconds", TIME}, {"cycles", TIME},
    {"ticks", TIME}, {"jiffies", TIME}, {"Ki", COUNT}, {"Mi", COUNT},         {"Gi", COUNT},
};
#define REFUSED (sizeof(refused) / sizeof(refused[0]))

const char *user_unit_list(enum user_kind kind)
{
    switch (kind) {
    case USER_TIME:
        return "s, ms, us, ns, min, h or days";
    case USER_STAMP:
        return "s, ms, us or ns";
    case USER_COUNT:
        return "k, M, G or T, or 1";
    case USER_RATE:
        return "k, M, G, T, P or E, with FLOP/s or without, or FLOP/s";
    case USER_SHARE:
        return "%";
    default:
        return "no unit";
    }
}

static bool is_same(struct str word, const char *name)
{
    if (word.len == 0 || (word.p[0] | 0x20) != (name[0] | 0x20)) /* nearly all of a table */
        return false;
    size_t length = strlen(name);
    if (word.len != length)
        return false;
    return length == 1 ? word.p[0] == name[0] : strncasecmp(word.p, name, length) == 0;
}

static bool is_per_second(struct str s)
{
    return s.len > 1 && s.p[0] == '/' && (s.p[1] | 0x20) == 's' &&
           (s.len == 2 || !log_is_word(s.p[2]));
}

/* "FLOP/s", "TFLOPS", "gflops/s": its factor, and how much of s it is; 0: it is none. An amount
 * ("TFLOP") is no rate. */
static double flops_at(struct str s, size_t *ret_length, bool *ret_amount)
{
    static const char letters[] = "kmgtpe";
    double scale = 1;
    size_t at = 0;
    const char *letter = s.len > 0 ? memchr(letters, s.p[0] | 0x20, sizeof(letters) - 1) : NULL;
    if (letter) {
        for (const char *p = letters; p <= letter; p++)
            scale *= 1e3;
        at = 1;
    }
    *ret_amount = false;
    if (s.len < at + 4 || strncasecmp(s.p + at, "flop", 4) != 0)
        return 0;
    at += 4;
    bool plural = at < s.len && (s.p[at] | 0x20) == 's';
    at += plural;
    if (at < s.len && log_is_word(s.p[at]))
        return 0;
    bool per_second = is_per_second(log_from(s, at));
    at += per_second ? 2 : 0;
    *ret_amount = !plural && !per_second;
    *ret_length = at;
    return scale;
}

double user_unit_named(enum user_kind kind, struct str name)
{
    size_t length;
    bool amount;
    for (size_t i = 0; i < UNITS; i++)
        if ((units[i].kinds & (1u << kind)) && !units[i].said && is_same(name, units[i].name))
            return units[i].scale;
    if (kind == USER_COUNT && str_is(name, "1"))
        return 1;
    double scale = kind == USER_RATE ? flops_at(name, &length, &amount) : 0;
    return scale != 0 && length == name.len && !amount ? scale : 0;
}

/* ---- behind a value ---- */

/* A word, letters beyond ASCII and '%' among it. */
static size_t word_length(struct str s)
{
    size_t length = 0;
    if (s.len > 0 && s.p[0] == '%')
        return 1;
    while (length < s.len && (log_is_letter(s.p[length]) || (unsigned char)s.p[length] >= 0x80))
        length++;
    return length;
}

/* "it/s", "steps/sec": a rate. */
static bool is_per_time(struct str behind_word)
{
    static const char *const times[] = {"s", "sec", "second", "min", "minute", "h", "hour"};
    if (behind_word.len < 2 || behind_word.p[0] != '/')
        return false;
    struct str rest = log_from(behind_word, 1);
    struct str word = log_until(rest, word_length(rest));
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        if (is_same(word, times[i]))
            return true;
    return false;
}

/* "max" and the like, beside which "min" is the least. */
static bool is_other_of_least(struct str word)
{
    static const char *const others[] = {"max", "maximum", "avg", "average", "mean", "median"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (is_same(word, others[i]))
            return true;
    return false;
}

static bool names_others(struct str s)
{
    for (size_t at = 0; at < s.len;) {
        size_t length = word_length(log_from(s, at));
        if (length > 2 && is_other_of_least(str_of(s.p + at, length)))
            return true;
        at += length > 0 ? length : 1;
    }
    return false;
}

/* " 0.4 max", " {}, max": what follows a "min" that is the name of the value behind it. */
static bool is_value_and_others(struct str s)
{
    size_t at = 0;
    s = log_trim(s);
    if (s.len > 0 && s.p[0] == '{') {
        const char *close = memchr(s.p, '}', s.len);
        at = close ? (size_t)(close - s.p) + 1 : s.len;
    }
    while (at < s.len && !log_is_letter(s.p[at]) && s.p[at] != '{')
        at++;
    s = log_from(s, at);
    return is_other_of_least(log_until(s, word_length(s)));
}

/* Whether a value is the next thing in s: of a pattern '{', of a line a number. */
static bool begins_value(struct str s)
{
    s = log_trim(s);
    if (s.len > 1 && (s.p[0] == '-' || s.p[0] == '+' || s.p[0] == '.'))
        s = log_from(s, 1);
    return s.len > 0 && (log_is_digit(s.p[0]) || (s.p[0] == '{' && !log_begins(s, "{{")));
}

/* Of a word that is the unit `at`: whether it is meant as one. */
static void judge(size_t at, enum user_kind kind, struct str behind, struct str whole,
                  struct user_unit *ret)
{
    bool glued = ret->blanks == 0, minutes = strncasecmp(units[at].name, "min", 4) == 0;
    ret->answer = UNIT_SURE;
    if (units[at].sureness == SURE)
        return;
    ret->weak = true;
    if ((behind.len > 0 && behind.p[0] == ':') ||
        (minutes && begins_value(behind) && is_value_and_others(behind)))
        ret->answer = UNIT_NONE; /* the name of the next value */
    else if (units[at].sureness == ASKED || (minutes && names_others(whole)))
        ret->answer = UNIT_UNCLEAR;
    else if (begins_value(behind) && (kind == USER_TIME || !glued))
        ret->answer = UNIT_UNCLEAR;
}

/* "min=", "ms = ": the name of the next value. */
static bool is_named(struct str behind)
{
    behind = log_trim(behind);
    return behind.len > 0 && behind.p[0] == '=' &&
           (behind.len == 1 || (behind.p[1] != '=' && behind.p[1] != '>'));
}

static bool is_refused(enum user_kind kind, struct str word, struct str behind)
{
    if (kind == USER_TIME && word.len > 0 && log_is_letter(word.p[0]) && is_per_time(behind))
        return true;
    for (size_t i = 0; i < REFUSED; i++)
        if ((refused[i].kinds & (1u << kind)) && is_same(word, refused[i].name))
            return true;
    return false;
}

void user_unit_at(enum user_kind kind, struct str s, struct str whole, struct user_unit *ret)
{
    *ret = (struct user_unit){.blanks = 0};
    while (ret->blanks < s.len && log_is_blank(s.p[ret->blanks]))
        ret->blanks++;
    struct str rest = log_from(s, ret->blanks);
    struct str word = log_until(rest, word_length(rest));
    struct str behind = log_from(rest, word.len);
    bool amount;
    if (word.len == 0 || word.len > 16)
        return;
    ret->length = word.len;
    if (kind == USER_RATE && (ret->scale = flops_at(rest, &ret->length, &amount)) != 0) {
        ret->name = "T";
        ret->answer = amount ? UNIT_WRONG : UNIT_SURE;
        return;
    }
    bool letter = log_is_letter(word.p[word.len - 1]);
    if ((letter && behind.len > 0 && log_is_word(behind.p[0])) || is_named(behind))
        return; /* another word */
    if (is_refused(kind, word, behind)) {
        ret->answer = UNIT_WRONG;
        return;
    }
    for (size_t i = 0; i < UNITS; i++) {
        if (!(units[i].kinds & (1u << kind)) || !is_same(word, units[i].name))
            continue;
        ret->scale = units[i].scale;
        ret->name = units[i].said ? units[i].said : units[i].name;
        judge(i, kind, behind, whole, ret);
        return;
    }
}
