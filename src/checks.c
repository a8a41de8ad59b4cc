/* Conditions that a run must meet. */
#include "checks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "str.h"

static const struct {
    const char *name;
    enum check_unit unit;
} figures[] = {
#define CHECK(id, name, unit, about) {name, unit},
#include "checks.def"
#undef CHECK
};

/* The longer ones first. */
static const struct {
    const char *sign;
    enum check_operator operator;
} operators[] = {
    {">=", CHECK_AT_LEAST}, {"<=", CHECK_AT_MOST}, {"!=", CHECK_NOT_EQUAL}, {"==", CHECK_EQUAL},
    {">", CHECK_MORE},      {"<", CHECK_LESS},     {"=", CHECK_EQUAL},
};

const char *check_figure_name(enum check_figure figure)
{
    return figures[figure].name;
}

/* ---- reading ---- */

struct reader {
    struct checks *checks;
    bool compared;
    char *error;
    size_t size;
};

static struct str trimmed(struct str s)
{
    while (s.len > 0 && (*s.p == ' ' || *s.p == '\t'))
        s = str_of(s.p + 1, s.len - 1);
    while (s.len > 0 && (s.p[s.len - 1] == ' ' || s.p[s.len - 1] == '\t'))
        s.len--;
    return s;
}

static bool all_names(const struct reader *reader, struct str text)
{
    int at = snprintf(reader->error, reader->size,
                      "--check takes conditions such as mfu>=0.40, not '%.*s'; "
                      "the figures are",
                      (int)(text.len < 40 ? text.len : 40), text.p);
    for (size_t i = 0; i < CHECK_FIGURES && at > 0 && (size_t)at < reader->size; i++)
        at += snprintf(reader->error + at, reader->size - (size_t)at, "%s %s", i ? "," : "",
                       figures[i].name);
    return false;
}

static bool bad_bound(const struct reader *reader, const struct check *check)
{
    static const char *const takes[] = {
        [CHECK_SHARE] = "a share: 0.40 or 40%",
        [CHECK_SECONDS] = "a time: 0.93, 930ms, 2min",
        [CHECK_COUNT] = "a number: 0, 12, 1.5M",
    };
    snprintf(reader->error, reader->size, "--check %s: %s takes %s%s", check->text,
             figures[check->figure].name, takes[figures[check->figure].unit],
             reader->compared ? ", or +5% of A's" : "");
    return false;
}

static bool ends_with(struct str *s, const char *end)
{
    size_t length = strlen(end);
    if (s->len <= length || memcmp(s->p + s->len - length, end, length) != 0)
        return false;
    s->len -= length;
    return true;
}

static bool read_seconds(struct str text, double *ret)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"min", 60}, {"h", 3600}, {"s", 1}};
    double scale = 1;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (ends_with(&text, units[i].name)) {
            scale = units[i].seconds;
            break;
        }
    if (!str_to_double(trimmed(text), ret))
        return false;
    *ret *= scale;
    return *ret >= 0;
}

/* A share over 1 is one that lacks its sign: 40 is not 4,000%. */
static bool read_share(struct str text, double *ret)
{
    bool percent = ends_with(&text, "%");
    if (!str_to_double(trimmed(text), ret))
        return false;
    if (percent)
        *ret /= 100;
    return *ret >= 0 && *ret <= 1;
}

static bool read_bound(const struct reader *reader, struct check *check, struct str text)
{
    bool sign = text.len > 0 && (*text.p == '+' || *text.p == '-');
    if (sign && ends_with(&text, "%")) {
        bool plus = *text.p == '+';
        if (!reader->compared) {
            snprintf(reader->error, reader->size,
                     "--check %s: +5%% is relative to A; it goes with --compare A B", check->text);
            return false;
        }
        check->relative = true;
        if (!str_to_double(str_of(text.p + 1, text.len - 1), &check->bound) || check->bound < 0)
            return bad_bound(reader, check);
        check->bound *= plus ? 0.01 : -0.01;
        return true;
    }
    bool good = figures[check->figure].unit == CHECK_SHARE     ? read_share(text, &check->bound)
                : figures[check->figure].unit == CHECK_SECONDS ? read_seconds(text, &check->bound)
                                                               : str_to_count(text, &check->bound);
    return (good && check->bound >= 0) || bad_bound(reader, check);
}

static bool find_figure(struct str name, enum check_figure *ret)
{
    for (size_t i = 0; i < CHECK_FIGURES; i++)
        if (str_is(name, figures[i].name)) {
            *ret = (enum check_figure)i;
            return true;
        }
    return false;
}

/* Printable ASCII of a word, without blanks: it is printed again. */
static bool copy_text(struct check *check, struct str text)
{
    size_t at = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.p[i] == ' ' || text.p[i] == '\t')
            continue;
        if (text.p[i] < '!' || text.p[i] > '~' || at + 1 >= sizeof(check->text))
            return false;
        check->text[at++] = text.p[i];
    }
    check->text[at] = '\0';
    return true;
}

static bool read_one(const struct reader *reader, struct str text)
{
    struct check check = {.value = quantity_none(), .change = NAN};
    size_t name = 0, count = sizeof(operators) / sizeof(operators[0]);
    while (name < text.len && !strchr("<>=!", text.p[name]))
        name++;
    if (!copy_text(&check, text) || !find_figure(trimmed(str_of(text.p, name)), &check.figure))
        return all_names(reader, text);
    struct str rest = str_of(text.p + name, text.len - name);
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(operators[i].sign);
        if (rest.len < length || memcmp(rest.p, operators[i].sign, length) != 0)
            continue;
        check.operator= operators[i].operator;
        if (!read_bound(reader, &check, trimmed(str_of(rest.p + length, rest.len - length))))
            return false;
        if (reader->checks->count == CHECKS_MAX) {
            snprintf(reader->error, reader->size, "--check takes %d conditions at most",
                     CHECKS_MAX);
            return false;
        }
        reader->checks->items[reader->checks->count++] = check;
        return true;
    }
    snprintf(reader->error, reader->size,
             "--check %s: %s is followed by one of >= <= > < = != and a value", check.text,
             figures[check.figure].name);
    return false;
}

bool checks_parse(struct checks *checks, const char *text, bool compared, char *error, size_t size)
{
    struct reader reader = {checks, compared, error, size};
    struct str rest = str_from(text);
    for (;;) {
        const char *comma = rest.len > 0 ? memchr(rest.p, ',', rest.len) : NULL;
        size_t length = comma ? (size_t)(comma - rest.p) : rest.len;
        if (!read_one(&reader, trimmed(str_of(rest.p, length))))
            return false;
        if (!comma)
            return true;
        rest = str_of(comma + 1, rest.len - length - 1);
    }
}

/* ---- judging ---- */

static bool holds(enum check_operator operator, double value, double bound)
{
    bool equal = fabs(value - bound) <= 1e-9 * fmax(fabs(value), fabs(bound));
    switch (operator) {
    case CHECK_AT_LEAST:
        return value >= bound || equal;
    case CHECK_AT_MOST:
        return value <= bound || equal;
    case CHECK_MORE:
        return value > bound && !equal;
    case CHECK_LESS:
        return value < bound && !equal;
    case CHECK_EQUAL:
        return equal;
    case CHECK_NOT_EQUAL:
        return !equal;
    }
    return false;
}

/* As the condition was written: with % where that has one. */
static void put_value(char out[CHECK_TEXT_BYTES], const struct check *check, double value)
{
    enum check_unit unit = figures[check->figure].unit;
    if (unit == CHECK_SHARE && strchr(check->text, '%'))
        snprintf(out, CHECK_TEXT_BYTES, "%.4g%%", 100 * value);
    else if (unit == CHECK_SECONDS)
        snprintf(out, CHECK_TEXT_BYTES, "%.4g %s", value < 1 ? 1e3 * value : value,
                 value < 1 ? "ms" : "s");
    else
        snprintf(out, CHECK_TEXT_BYTES, "%.*g", unit == CHECK_COUNT ? 10 : 4, value);
}

static void say(struct check *check, const struct check_values *values,
                const struct check_values *base)
{
    char value[CHECK_TEXT_BYTES], other[CHECK_TEXT_BYTES];
    const char *name = figures[check->figure].name, *why = values->why[check->figure];
    char letter = evidence_letter(check->value.evidence);
    put_value(value, check, check->value.value);
    if (!quantity_known(check->value)) {
        snprintf(check->sentence, sizeof(check->sentence), "%s is not known: %s", name,
                 why ? why : "the log does not tell");
    } else if (check->relative && isnan(check->change)) {
        why = base->why[check->figure];
        snprintf(check->sentence, sizeof(check->sentence), "%s of A is not known: %s", name,
                 quantity_known(base->value[check->figure])
                     ? "it is 0, of which there is no percentage"
                 : why ? why
                       : "the log does not tell");
    } else if (check->relative) {
        put_value(other, check, base->value[check->figure].value);
        snprintf(check->sentence, sizeof(check->sentence), "it is %+.2f%%: %s %c against %s %c",
                 100 * check->change, value, letter, other,
                 evidence_letter(base->value[check->figure].evidence));
    } else {
        snprintf(check->sentence, sizeof(check->sentence), "it is %s %c", value, letter);
    }
}

bool checks_judge(struct checks *checks, const struct check_values *values,
                  const struct check_values *base)
{
    bool all = true;
    for (size_t i = 0; i < checks->count; i++) {
        struct check *check = &checks->items[i];
        check->value = values->value[check->figure];
        check->change = NAN;
        if (check->relative && base && quantity_known(check->value) &&
            quantity_known(base->value[check->figure]) && base->value[check->figure].value > 0)
            check->change = check->value.value / base->value[check->figure].value - 1;
        double measure = check->relative ? check->change : check->value.value;
        check->holds = quantity_known(check->value) && isfinite(measure) &&
                       holds(check->operator, measure, check->bound);
        say(check, values, base);
        all = all && check->holds;
    }
    return all;
}
