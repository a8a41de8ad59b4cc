/* Proposes a pattern for lines of text that nobody knows: by the names that stand before the
 * numbers. A proposal is tried before it is made. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "command_explain_names.h"
#include "command_explain_sample.h"
#include "log_prefix.h"
#include "log_text.h"
#include "user_format.h"

#define LINE_BYTES 4096 /* of a line with colour */

struct found {
    size_t begin, end; /* of the number, and of its unit */
    size_t name;       /* where the name before it begins */
    const char *field; /* NULL: any number */
    const char *unit;
    bool epochs; /* it is the epoch, in which steps are numbered */
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' || c == '/';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The word before the number, behind blanks, ':', '=', '#', quotes and brackets. */
static struct str name_before(struct str line, size_t at)
{
    size_t end = at;
    while (end > 0 && memchr(" \t:=#[('\"", line.p[end - 1], 9))
        end--;
    size_t begin = end;
    while (begin > 0 && is_letter(line.p[begin - 1]))
        begin--;
    return str_of(line.p + begin, end - begin);
}

static const char *unit_behind(struct str rest)
{
    static const char *const units[] = {"ms", "us", "ns", "s", "sec"};
    rest = log_from(rest, rest.len > 0 && rest.p[0] == ' ');
    for (size_t i = 0; i < 5; i++) {
        size_t length = strlen(units[i]);
        if (log_begins(rest, units[i]) &&
            (rest.len == length || rest.p[length] == '/' || !is_letter(rest.p[length])))
            return units[i];
    }
    return NULL;
}

/* "15ms/step": of all times of a line that of the step. */
static bool is_each(struct str rest)
{
    const char *unit = unit_behind(rest);
    size_t at = unit ? strlen(unit) + (rest.p[0] == ' ') : 0;
    return unit &&
           (log_begins(log_from(rest, at), "/step") || log_begins(log_from(rest, at), "/it"));
}

static bool has_each(struct str line)
{
    for (size_t at = 1; at < line.len; at++)
        if (is_digit(line.p[at - 1]) && is_each(log_from(line, at)))
            return true;
    return false;
}

/* Of the names before numbers, that which says most that it is the time of a step. */
static int best_score(struct str line)
{
    int best = 0;
    for (size_t at = 1; at < line.len; at++) {
        if (!is_digit(line.p[at]) || !memchr(" :=", line.p[at - 1], 3))
            continue;
        struct str name = name_before(line, at);
        const char *field = name.len ? explain_meaning(name) : NULL;
        int score = field && strcmp(field, "step_time") == 0 ? explain_score(name) : 0;
        best = score > best ? score : best;
    }
    return best;
}

/* "[1][ 50/300]" behind "Epoch": `at` is where the 50 begins. */
static bool is_step_of_epoch(struct str line, size_t at, size_t end, const struct found *before)
{
    size_t begin = at;
    while (begin > 0 && line.p[begin - 1] == ' ')
        begin--;
    if (!before || begin == 0 || line.p[begin - 1] != '[' || end + 1 >= line.len ||
        line.p[end] != '/' || !is_digit(line.p[end + 1]))
        return false;
    begin--;
    while (begin > before->end && line.p[begin - 1] == ' ')
        begin--;
    if (begin != before->end + 1 || line.p[before->end] != ']')
        return false;
    for (size_t i = 0; i + 5 <= before->begin; i++)
        if (strncasecmp(line.p + i, "epoch", 5) == 0)
            return before->begin > 0 && line.p[before->begin - 1] == '[';
    return false;
}

static const char *unit_of(const char *field, struct str name, double number, struct str behind)
{
    const char *named = explain_unit(field, name);
    if (strcmp(field, "mfu") == 0)
        return number > 1.5 && !log_begins(behind, "%") ? "%" : NULL;
    return named[0] == ':' ? named + 1 : NULL;
}

static size_t find_numbers(struct str line, struct found found[EXPLAIN_FIELDS_MAX],
                           struct explain_made *made)
{
    size_t count = 0, length;
    double number;
    bool each = has_each(line);
    int best = best_score(line);
    for (size_t at = 0; at < line.len && count < EXPLAIN_FIELDS_MAX; at++) {
        struct found *last = count > 0 ? &found[count - 1] : NULL;
        bool of_epoch = count > 1 && last[-1].epochs && at == last->end + 1; /* "/300" */
        bool inside =
            at > 0 && !of_epoch &&
            (is_digit(line.p[at - 1]) || is_letter(line.p[at - 1]) || line.p[at - 1] == '.');
        if (!is_digit(line.p[at]) || inside ||
            log_number(log_from(line, at), &number, &length) != LOG_NUMBER)
            continue;
        struct str name = name_before(line, at);
        const char *unit = unit_behind(log_from(line, at + length));
        const char *field = name.len ? explain_meaning(name) : NULL;
        if (unit && (!field || !explain_is_time(field)))
            field = field || (each && !is_each(log_from(line, at + length))) ? NULL : "step_time";
        if (field && (strcmp(field, "end") == 0 ||
                      (strcmp(field, "step_time") == 0 && explain_score(name) < best)))
            field = NULL;
        if (of_epoch) {
            field = "epoch_steps";
        } else if (!made->step && is_step_of_epoch(line, at, at + length, last)) {
            field = "step";
            last->field = "epoch";
            last->epochs = true;
            explain_take(made, last->field);
        }
        if (field && explain_is_taken(made, field))
            field = NULL;
        if (field)
            explain_take(made, field);
        if (field && !unit)
            unit = unit_of(field, name, number, log_from(line, at + length));
        found[count++] = (struct found){.begin = at,
                                        .end = at + length,
                                        .name = (size_t)(name.p - line.p),
                                        .field = field,
                                        .unit = field ? unit : NULL};
        at += length;
    }
    return count;
}

/* Text of the line as a pattern has it. */
static void add_text(struct explain_made *made, struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        bool doubled = text.p[i] == '{' || text.p[i] == '}';
        explain_add(made, doubled ? str_is(str_of(text.p + i, 1), "{") ? "{" : "}" : "",
                    str_of(text.p + i, 1));
    }
}

static bool pattern_of(struct str line, struct explain_made *made)
{
    struct found found[EXPLAIN_FIELDS_MAX];
    size_t count = find_numbers(line, found, made), first = 0, last = count;
    if (!made->step || !made->time)
        return false;
    while (!found[first].field)
        first++;
    while (!found[last - 1].field)
        last--;
    size_t at = found[first].name;
    while (line.p[at] == ' ')
        at++;
    for (size_t i = first; i < last; i++) {
        char field[40] = "{}";
        struct str text = str_of(line.p + at, found[i].begin - at), close = log_trim(text);
        bool padded = close.len > 0 && memchr("[(=", close.p[close.len - 1], 3);
        add_text(made, padded ? str_of(text.p, (size_t)(close.p + close.len - text.p)) : text);
        if (found[i].field)
            snprintf(field, sizeof(field), "{%s%s%s}", found[i].field, found[i].unit ? ":" : "",
                     found[i].unit ? found[i].unit : "");
        explain_add(made, field, str_of("", 0));
        at = found[i].end;
    }
    return true;
}

/* As a shell takes it; cut where there is no room. */
static void quote(char *to, size_t size, const char *pattern)
{
    struct explain_made made = {.to = to, .size = size};
    to[0] = '\0';
    explain_add(&made, "--pattern '", str_of("", 0));
    for (const char *p = pattern; *p; p++)
        explain_add(&made, *p == '\'' ? "'\\'" : "", str_of(p, 1));
    explain_add(&made, "'", str_of("", 0));
}

/* The number behind that name in a line. */
static bool value_of(struct str line, struct str name, double *ret)
{
    size_t length;
    for (size_t at = 1; at < line.len; at++) {
        bool begins = is_digit(line.p[at]) && memchr(" :=", line.p[at - 1], 3);
        struct str before = begins ? name_before(line, at) : str_of("", 0);
        if (before.len > 0 && before.len == name.len && memcmp(before.p, name.p, name.len) == 0)
            return log_number(log_from(line, at), ret, &length) == LOG_NUMBER;
    }
    return false;
}

/* Whether the line's time of a step is a clock that runs on, by the lines behind it. */
static bool runs_on(struct str line, struct str rest)
{
    struct explain_clock clock = {0};
    struct str name = str_of("", 0);
    double number;
    for (size_t at = 1; at < line.len && name.len == 0; at++) {
        bool begins = is_digit(line.p[at]) && memchr(" :=", line.p[at - 1], 3);
        struct str before = begins ? name_before(line, at) : name;
        const char *field = before.len > 0 ? explain_meaning(before) : NULL;
        if (field && strcmp(field, "step_time") == 0)
            name = before;
    }
    if (name.len == 0 || explain_score(name) >= EXPLAIN_SURE)
        return false;
    for (int lines = 0; lines < 64; lines++) {
        if (value_of(line, name, &number))
            explain_clock_add(&clock, number);
        if (!explain_next_line(&rest, &line))
            break;
    }
    return explain_clock_runs(&clock);
}

bool explain_pattern(struct str sample, char *to, size_t size)
{
    char error[512];
    char refused[1024] = "", plain[LINE_BYTES + 64];
    struct str rest = sample, line;
    while (explain_next_line(&rest, &line)) {
        int64_t writer;
        if (line.len <= LINE_BYTES && memchr(line.p, '\x1b', line.len)) {
            line = log_without_escapes(line, plain);
            memset(plain + line.len, 0, 64);
        }
        struct str body = log_prefix_strip(line, &writer);
        char text[1024] = "";
        struct explain_made made = {.to = text, .size = sizeof(text)};
        if (!pattern_of(body, &made) || strcmp(text, refused) == 0)
            continue;
        if (runs_on(body, rest)) {
            memcpy(refused, text, sizeof(refused));
            continue;
        }
        struct user_format *user = user_format_pattern("pattern", text, error, sizeof(error));
        user_format_free(user);
        if (user) { /* it can be read */
            quote(to, size, text);
            return true;
        }
    }
    return false;
}
