/* Proposes a map for JSON lines and CSV that nobody knows, from the first ones: by the names of the
 * keys. A pattern for lines of text: command_explain_pattern.c. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command_explain_names.h"
#include "command_explain_sample.h"
#include "command_explain_tells.h"
#include "json_scan.h"
#include "log_text.h"

#define PATH_BYTES 128
#define RECORDS_COMPARED 8

/* ---- keys of JSON lines and CSV ---- */

struct keys {
    void (*take)(struct keys *keys, struct str key, struct str value);
    struct explain_made made;
    unsigned record; /* which one of the sample */
    int best;        /* of the names that may mean the time of a step */
    struct str sample;
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

static bool walk_json(struct str sample, struct keys *keys)
{
    struct str rest = sample, line;
    char path[PATH_BYTES + 1];
    const char *after, *why;
    unsigned records = 0;
    while (explain_next_line(&rest, &line)) {
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
static bool walk_csv(struct str sample, struct keys *keys)
{
    static const char separators[] = {',', '\t', ';'};
    struct str rest = sample, line, row;
    if (!explain_next_line(&rest, &line))
        return false;
    for (; explain_next_line(&rest, &row); line = row) {
        for (size_t i = 0; i < sizeof(separators); i++) {
            size_t cells = count_cells(line, separators[i]);
            if (cells < 2 || !is_head(line) || cells != count_cells(row, separators[i]) ||
                (cells == 2 && !holds_numbers(row, separators[i])))
                continue;
            for (unsigned at = 0; at < keys->record; at++)
                if (!explain_next_line(&rest, &row))
                    return false;
            struct str key, value;
            while (next_cell(&line, separators[i], &key) && next_cell(&row, separators[i], &value))
                keys->take(keys, key, value);
            return true;
        }
    }
    return false;
}

static void list_key(struct keys *keys, struct str key, struct str value)
{
    char text[PATH_BYTES + 64];
    int length = snprintf(text, sizeof(text), "%.*s = %.*s", (int)key.len, key.p,
                          value.len < 40 ? (int)value.len : 40, value.p);
    explain_add(&keys->made, keys->made.used ? ", " : "",
                str_of(text, (size_t)length < sizeof(text) ? (size_t)length : 0));
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

static bool runs_on(struct str sample, struct str name)
{
    struct explain_clock clock = {0};
    char key[PATH_BYTES];
    if (name.len > sizeof(key))
        return false;
    memcpy(key, name.p, name.len); /* it stands where the next record's is written */
    for (unsigned record = 0; record < RECORDS_COMPARED; record++) {
        struct keys keys = {.take = value_key, .record = record, .key = str_of(key, name.len)};
        if ((walk_json(sample, &keys) || walk_csv(sample, &keys)) && keys.found)
            explain_clock_add(&clock, keys.value);
    }
    return explain_clock_runs(&clock);
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
    if (log_number(value, &number, &length) != LOG_NUMBER || !isfinite(number))
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
    return unsure && runs_on(keys->sample, key) ? NULL : field;
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
    if (!field || explain_is_taken(&keys->made, field) ||
        (strcmp(field, "step_time") == 0 && explain_score(last_of(key)) < keys->best))
        return;
    char text[PATH_BYTES + 40];
    int made = snprintf(text, sizeof(text), "%s=%.*s%s", field, (int)key.len, key.p,
                        explain_unit(field, last_of(key)));
    if (made < 0 || (size_t)made >= sizeof(text))
        return;
    explain_add(&keys->made, keys->made.used ? "," : "--map '", str_of(text, (size_t)made));
    explain_take(&keys->made, field);
}

bool explain_keys(const struct explained *explained, char *to, size_t size)
{
    struct str sample = str_of(explained->sample, explained->sample_size);
    struct keys keys = {.take = list_key, .made = {.to = to, .size = size}};
    to[0] = '\0';
    return (walk_json(sample, &keys) || walk_csv(sample, &keys)) && keys.made.used > 0;
}

static bool propose(struct str sample, char *to, size_t size)
{
    struct keys keys = {.take = judge_key, .made = {.to = to, .size = size}, .sample = sample};
    to[0] = '\0';
    if (walk_json(sample, &keys) || walk_csv(sample, &keys))
        keys.take = map_key;
    if (walk_json(sample, &keys) || walk_csv(sample, &keys)) {
        explain_add(&keys.made, "'", str_of("", 0));
        return keys.made.step && keys.made.time;
    }
    return explain_pattern(sample, to, size);
}

/* Many logs begin with all their settings. */
bool explain_propose(const struct explained *explained, char *to, size_t size)
{
    struct str end = str_of(explained->end, explained->end_size);
    if (propose(str_of(explained->sample, explained->sample_size), to, size))
        return true;
    const char *line = memchr(end.p, '\n', end.len); /* what is before it is a part of one */
    return line && propose(log_from(end, (size_t)(line - end.p) + 1), to, size);
}
