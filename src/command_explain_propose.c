/* Proposes a map or a pattern for a log that nobody knows, from its first lines: by the
 * names that stand before the numbers. A proposal is tried before it is made. */
#include <stdio.h>
#include <string.h>

#include "command_explain_names.h"
#include "command_explain_tells.h"
#include "json_scan.h"
#include "log_prefix.h"
#include "log_text.h"

#define NAMES_MAX 12 /* fields of a proposal */
#define PATH_BYTES 128
#define RECORDS_COMPARED 8

/* ---- lines of the sample ---- */

static bool next_line(struct str *rest, struct str *ret)
{
    while (rest->len > 0) {
        size_t length = 0;
        if (log_begins(*rest, "\xEF\xBB\xBF")) /* the mark that Excel writes first */
            *rest = log_from(*rest, 3);
        while (length < rest->len && rest->p[length] != '\n' && rest->p[length] != '\r')
            length++;
        *ret = log_trim(log_until(*rest, length));
        bool ended = length < rest->len;
        *rest = log_from(*rest, length + 1);
        if (ret->len > 0 && ended)
            return true;
    }
    return false;
}

/* ---- keys of JSON lines and CSV ---- */

struct keys {
    void (*take)(struct keys *keys, struct str key, struct str value);
    char *to;
    size_t size, used;
    unsigned record; /* which one of the sample */
    unsigned fields; /* of a map: how many; */
    bool step, time;
    int best; /* of the names that may mean the time of a step */
    const char *taken[NAMES_MAX];
    const struct explained *explained;
    struct str key; /* of which the value is looked for */
    double value;
    bool found;
};

static void walk(struct keys *keys, struct str object, char *path, size_t at, int depth)
{
    const char *p = object.p, *end = object.p + object.len;
    struct str key, value;
    while (json_next_member(&p, end, &key, &value)) {
        if (at + key.len + 1 > PATH_BYTES)
            continue;
        memcpy(path + at, key.p, key.len);
        path[at + key.len] = '.';
        if (value.p[0] == '{' && depth < 4)
            walk(keys, value, path, at + key.len + 1, depth + 1);
        else if (value.p[0] != '[')
            keys->take(keys, str_of(path, at + key.len), value);
    }
}

static bool walk_json(const struct explained *explained, struct keys *keys)
{
    struct str rest = str_of(explained->sample, explained->sample_size), line;
    char path[PATH_BYTES + 1];
    const char *after, *why;
    unsigned records = 0;
    while (next_line(&rest, &line)) {
        const char *begin = memchr(line.p, '{', line.len);
        if (!begin || !json_valid(begin, line.p + line.len, &after, &why) || after - begin < 5)
            continue;
        if (records++ < keys->record)
            continue;
        walk(keys, str_of(begin, (size_t)(after - begin)), path, 0, 1);
        return true;
    }
    return false;
}

/* The next cell of a row, which may be quoted. */
static bool next_cell(struct str *row, char separator, struct str *ret)
{
    size_t end = 0;
    bool quoted = false;
    if (!row->p)
        return false;
    for (; end < row->len && (quoted || row->p[end] != separator); end++)
        quoted ^= row->p[end] == '"';
    *ret = log_trim(log_until(*row, end));
    if (ret->len >= 2 && ret->p[0] == '"' && ret->p[ret->len - 1] == '"')
        *ret = str_of(ret->p + 1, ret->len - 2);
    *row = end < row->len ? log_from(*row, end + 1) : str_of(NULL, 0);
    return true;
}

static size_t count_cells(struct str row, char separator)
{
    size_t count = 0;
    for (struct str value; next_cell(&row, separator, &value); count++)
        ;
    return count;
}

/* Not of a line of text that has commas in it: "step: 4, time: 0.2", "{'step': 4"; nor a row. */
static bool is_head(struct str line)
{
    for (size_t i = 0; i < line.len; i++) {
        bool digit = line.p[i] >= '0' && line.p[i] <= '9';
        if (line.p[i] == '{' || line.p[i] == '}' ||
            (digit && (i == 0 || memchr(" :=([\",;\t", line.p[i - 1], 9))))
            return false;
    }
    return true;
}

/* Nothing else: text has a comma here and there. */
static bool holds_numbers(struct str row, char separator)
{
    size_t length;
    double number;
    struct str value;
    while (next_cell(&row, separator, &value))
        if (log_number(value, &number, &length) == LOG_NOTHING)
            return false;
    return true;
}

/* A header is a line without a number of its own, with as many cells as the next one. */
static bool walk_csv(const struct explained *explained, struct keys *keys)
{
    static const char separators[] = {',', '\t', ';'};
    struct str rest = str_of(explained->sample, explained->sample_size), line, row;
    if (!next_line(&rest, &line))
        return false;
    for (; next_line(&rest, &row); line = row) {
        for (size_t i = 0; i < sizeof(separators); i++) {
            size_t cells = count_cells(line, separators[i]);
            if (cells < 2 || !is_head(line) || cells != count_cells(row, separators[i]) ||
                (cells == 2 && !holds_numbers(row, separators[i])))
                continue;
            for (unsigned at = 0; at < keys->record; at++)
                if (!next_line(&rest, &row))
                    return false;
            struct str key, value;
            while (next_cell(&line, separators[i], &key) && next_cell(&row, separators[i], &value))
                keys->take(keys, key, value);
            return true;
        }
    }
    return false;
}

static void add(struct keys *keys, const char *before, struct str text)
{
    int more = snprintf(keys->to + keys->used, keys->size - keys->used, "%s%.*s", before,
                        (int)text.len, text.p);
    if (more > 0 && keys->used + (size_t)more < keys->size)
        keys->used += (size_t)more;
    else
        keys->to[keys->used] = '\0'; /* no half of it */
}

static void list_key(struct keys *keys, struct str key, struct str value)
{
    char text[PATH_BYTES + 64];
    int length = snprintf(text, sizeof(text), "%.*s = %.*s", (int)key.len, key.p,
                          value.len < 40 ? (int)value.len : 40, value.p);
    add(keys, keys->used ? ", " : "",
        str_of(text, (size_t)length < sizeof(text) ? (size_t)length : 0));
}

static bool is_taken(const struct keys *keys, const char *field)
{
    for (unsigned i = 0; i < keys->fields; i++)
        if (strcmp(keys->taken[i], field) == 0)
            return true;
    return keys->fields == NAMES_MAX;
}

static bool plain(struct str key)
{
    for (size_t i = 0; i < key.len; i++)
        if (key.p[i] == ',' || key.p[i] == ':' || key.p[i] == '"' || key.p[i] == '\'' ||
            (unsigned char)key.p[i] < ' ')
            return false;
    return key.len > 0;
}

static struct str last_of(struct str key)
{
    const char *point = memrchr(key.p, '.', key.len);
    return point ? log_from(key, (size_t)(point - key.p) + 1) : key;
}

/* ---- the values of a key ---- */

static void value_key(struct keys *keys, struct str key, struct str value)
{
    size_t length;
    if (key.len == keys->key.len && memcmp(key.p, keys->key.p, key.len) == 0)
        keys->found = log_number(value, &keys->value, &length) == LOG_NUMBER;
}

/* A clock that runs on: it grows from record to record, by more than a step's time would. */
static bool runs_on(const struct explained *explained, struct str name)
{
    double first = 0, last = 0;
    unsigned grown = 0;
    char key[PATH_BYTES];
    if (name.len > sizeof(key))
        return false;
    memcpy(key, name.p, name.len); /* it stands where the next record's is written */
    for (unsigned record = 0; record < RECORDS_COMPARED; record++) {
        struct keys keys = {.take = value_key, .record = record, .key = str_of(key, name.len)};
        if (!(walk_json(explained, &keys) || walk_csv(explained, &keys)) || !keys.found)
            continue;
        if (grown > 0 && keys.value <= last)
            return false;
        first = grown > 0 ? first : keys.value;
        last = keys.value;
        grown++;
    }
    return grown > 3 && last - first > first / 2;
}

/* Unix time in s, ms, us or ns, or a date: "2026-05-11". */
static bool is_stamp(struct str value)
{
    size_t length;
    double number;
    if (value.len > 0 && value.p[0] == '"')
        value = log_from(value, 1);
    if (value.len > 9 && value.p[4] == '-' && value.p[7] == '-' && value.p[0] == '2')
        return true;
    if (log_number(value, &number, &length) != LOG_NUMBER)
        return false;
    while (number >= 1e12)
        number /= 1000;
    return number >= 1e9 && number < 5e9;
}

static const char *field_of_key(const struct keys *keys, struct str key, struct str value)
{
    size_t length;
    double number;
    const char *field = explain_meaning(last_of(key));
    if (!field || !plain(key))
        return NULL;
    bool time = strcmp(field, "step_time") == 0, end = strcmp(field, "end") == 0;
    if ((end || (time && explain_unit(field, last_of(key))[0] == '\0')) && is_stamp(value))
        return "end";
    bool numeric = log_number(value, &number, &length) != LOG_NOTHING;
    if (end || (!numeric && strcmp(field, "host") != 0))
        return NULL;
    bool unsure = time && explain_score(last_of(key)) < EXPLAIN_SURE;
    return unsure && runs_on(keys->explained, key) ? NULL : field;
}

static void judge_key(struct keys *keys, struct str key, struct str value)
{
    const char *field = field_of_key(keys, key, value);
    int score = field && strcmp(field, "step_time") == 0 ? explain_score(last_of(key)) : 0;
    keys->best = score > keys->best ? score : keys->best;
}

static void map_key(struct keys *keys, struct str key, struct str value)
{
    const char *field = field_of_key(keys, key, value);
    if (!field || is_taken(keys, field) ||
        (strcmp(field, "step_time") == 0 && explain_score(last_of(key)) < keys->best))
        return;
    char text[PATH_BYTES + 40];
    int made = snprintf(text, sizeof(text), "%s=%.*s%s", field, (int)key.len, key.p,
                        explain_unit(field, last_of(key)));
    add(keys, keys->used ? "," : "--map '", str_of(text, (size_t)made));
    keys->taken[keys->fields++] = field;
    keys->step |= strcmp(field, "step") == 0;
    keys->time |= explain_is_time(field);
}

bool explain_keys(const struct explained *explained, char *to, size_t size)
{
    struct keys keys = {.take = list_key, .to = to, .size = size};
    to[0] = '\0';
    return (walk_json(explained, &keys) || walk_csv(explained, &keys)) && keys.used > 0;
}

/* ---- a pattern of a line ---- */

struct found {
    size_t begin, end; /* of the number, and of its unit */
    size_t name;       /* where the name before it begins */
    const char *field; /* NULL: any number */
    const char *unit;
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

static size_t find_numbers(struct str line, struct found found[NAMES_MAX], struct keys *keys)
{
    size_t count = 0, length;
    double number;
    bool each = has_each(line);
    int best = best_score(line);
    for (size_t at = 0; at < line.len && count < NAMES_MAX; at++) {
        bool inside = at > 0 && (is_digit(line.p[at - 1]) || is_letter(line.p[at - 1]) ||
                                 line.p[at - 1] == '.');
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
        if (field && is_taken(keys, field))
            field = NULL;
        if (field) {
            keys->taken[keys->fields++] = field;
            keys->step |= strcmp(field, "step") == 0;
            keys->time |= explain_is_time(field);
        }
        found[count++] =
            (struct found){at, at + length, (size_t)(name.p - line.p), field, field ? unit : NULL};
        at += length;
    }
    return count;
}

/* Text of the line as a pattern has it. */
static void add_text(struct keys *keys, struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        bool doubled = text.p[i] == '{' || text.p[i] == '}';
        add(keys, doubled ? str_is(str_of(text.p + i, 1), "{") ? "{" : "}" : "",
            str_of(text.p + i, 1));
    }
}

static bool pattern_of(struct str line, struct keys *keys)
{
    struct found found[NAMES_MAX];
    size_t count = find_numbers(line, found, keys), first = 0, last = count;
    if (!keys->step || !keys->time)
        return false;
    while (!found[first].field)
        first++;
    while (!found[last - 1].field)
        last--;
    size_t at = found[first].name;
    for (size_t i = first; i < last; i++) {
        char field[40] = "{}";
        add_text(keys, str_of(line.p + at, found[i].begin - at));
        if (found[i].field)
            snprintf(field, sizeof(field), "{%s%s%s}", found[i].field, found[i].unit ? ":" : "",
                     found[i].unit ? found[i].unit : "");
        add(keys, field, str_of("", 0));
        at = found[i].end;
    }
    return true;
}

/* As a shell takes it; cut where there is no room. */
static void quote(char *to, size_t size, const char *pattern)
{
    struct keys keys = {.to = to, .size = size};
    to[0] = '\0';
    add(&keys, "--pattern '", str_of("", 0));
    for (const char *p = pattern; *p; p++)
        add(&keys, *p == '\'' ? "'\\'" : "", str_of(p, 1));
    add(&keys, "'", str_of("", 0));
}

bool explain_propose(const struct explained *explained, char *to, size_t size)
{
    char error[512];
    struct keys keys = {.take = judge_key, .to = to, .size = size, .explained = explained};
    to[0] = '\0';
    if (walk_json(explained, &keys) || walk_csv(explained, &keys))
        keys.take = map_key;
    if (walk_json(explained, &keys) || walk_csv(explained, &keys)) {
        add(&keys, "'", str_of("", 0));
        return keys.step && keys.time;
    }
    struct str rest = str_of(explained->sample, explained->sample_size), line;
    while (next_line(&rest, &line)) {
        int64_t writer;
        struct str body = log_prefix_strip(line, &writer);
        char text[1024] = "";
        keys = (struct keys){.to = text, .size = sizeof(text)};
        if (!pattern_of(body, &keys))
            continue;
        struct user_format *user = user_format_pattern("pattern", text, error, sizeof(error));
        user_format_free(user);
        if (user) { /* it can be read */
            quote(to, size, text);
            return true;
        }
    }
    return false;
}
