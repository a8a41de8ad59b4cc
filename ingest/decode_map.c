/* JSON lines and CSV whose keys a map names. */
#include <stdio.h>
#include <string.h>

#include "decode_map_csv.h"
#include "decode_map_json.h"
#include "log_text.h"
#include "user_format_inside.h"

struct map_state {
    const struct user_format *user;
    struct map_csv csv;
    struct map_seen seen;
};

static void begin(void *state, const struct format *format)
{
    ((struct map_state *)state)->user = format->setup;
}

static bool again(void *state, const struct log_line *line, const struct log_values *values,
                  struct log_out *out)
{
    struct map_state *map = state;
    (void)line; /* rows are not learned: to read one costs less than to know its form */
    return map->csv.columns == 0 && map_json_again(map->user, &map->seen, values, out);
}

static enum log_answer take_line(void *state, const struct log_line *line, struct log_out *out)
{
    struct map_state *map = state;
    enum log_answer answer = map_csv_line(&map->csv, map->user, line, out);
    return answer == LOG_TAKEN ? answer : map_json_line(map->user, &map->seen, line, out);
}

static void end(void *state, struct log_out *out)
{
    struct map_state *map = state;
    map_json_end(map->user, &map->seen, out);
}

/* ---- the map itself ---- */

static const char *quoted_end(const char *p, const char *end)
{
    for (p++; p < end && *p != '"'; p++)
        continue;
    return p;
}

/* The next part up to a comma that is not within quotes. */
static struct str next_item(struct str *rest)
{
    const char *p = rest->p, *end = rest->p + rest->len;
    while (p < end && *p != ',')
        p = *p == '"' ? quoted_end(p, end) + 1 : p + 1;
    p = p > end ? end : p;
    struct str item = str_of(rest->p, (size_t)(p - rest->p));
    *rest = p < end ? str_of(p + 1, (size_t)(end - p) - 1) : str_of(end, 0);
    return log_trim(item);
}

/* "key", "key:ms", "\"any key\":ms". */
static bool split_key(struct str text, struct str *ret_key, struct str *ret_unit)
{
    const char *end = text.p + text.len;
    *ret_unit = str_of(end, 0);
    if (text.len > 0 && text.p[0] == '"') {
        const char *close = quoted_end(text.p, end);
        if (close == end || close == text.p + 1)
            return false;
        *ret_key = str_of(text.p + 1, (size_t)(close - text.p) - 1);
        if (close + 1 < end)
            *ret_unit = str_of(close + 2, (size_t)(end - close) - 2);
        return close + 1 == end || (close[1] == ':' && ret_unit->len > 0);
    }
    const char *colon = memrchr(text.p, ':', text.len);
    *ret_key = log_trim(colon ? str_of(text.p, (size_t)(colon - text.p)) : text);
    if (colon)
        *ret_unit = log_trim(str_of(colon + 1, (size_t)(end - colon) - 1));
    return ret_key->len > 0 && (!colon || ret_unit->len > 0);
}

/* "fwd_ms", "forward (us)": the unit that the name of a time ends with, where it is less than the
 * seconds that are meant without one; else empty. */
static struct str unit_in_name(const struct user_field *field, struct str key)
{
    if (key.len == 0 || field->kind != USER_TIME)
        return str_of("", 0);
    size_t end = key.len - (key.p[key.len - 1] == ')'), begin = end;
    while (begin > 0 && log_is_letter(key.p[begin - 1]))
        begin--;
    struct str word = str_of(key.p + begin, end - begin);
    double scale = user_unit_named(field->kind, word);
    return scale != 0 && scale < 1e9 ? word : str_of("", 0);
}

static bool add_item(struct user_format *user, struct str item, char *error, size_t size)
{
    struct element element = {.text = false};
    struct str unit = str_of(item.p, 0);
    const char *equals = memchr(item.p, '=', item.len);
    struct str name = log_trim(equals ? str_of(item.p, (size_t)(equals - item.p)) : item);
    if (!equals && !str_is(item, "job")) {
        snprintf(error, size, "'%.*s' is not FIELD=KEY, such as step=global_step",
                 (int)(item.len < 60 ? item.len : 60), item.p);
        return false;
    }
    if (equals &&
        !split_key(log_trim(log_from(item, (size_t)(equals - item.p) + 1)), &element.key, &unit)) {
        snprintf(error, size, "'%.*s' has no key, or nothing behind its ':'",
                 (int)(item.len < 60 ? item.len : 60), item.p);
        return false;
    }
    if (equals && unit.len == 0 && user_format_constant(user, name, element.key))
        return true;
    if (!user_field_find(name, unit, &element.field, error, size))
        return false;
    struct str named = unit_in_name(&element.field, element.key);
    if (unit.len == 0 && named.len > 0) {
        snprintf(error, size,
                 "the name %.*s says %.*s: write :%.*s behind it, or :s if it is seconds",
                 (int)(element.key.len < 60 ? element.key.len : 60), element.key.p, (int)named.len,
                 named.p, (int)named.len, named.p);
        return false;
    }
    if (equals && element.field.kind == USER_JOB) {
        snprintf(error, size, "job is a word of its own: write job, not job=");
        return false;
    }
    return user_format_field(user, &element, error, size);
}

/* The longest run of plain letters of the last part of a key: what any line with it holds. */
static struct str plain_run(struct str key)
{
    const char *point = memrchr(key.p, '.', key.len);
    struct str last = point ? log_from(key, (size_t)(point - key.p) + 1) : key;
    struct str best = str_of(last.p, 0);
    for (size_t at = 0, begin = 0; at <= last.len; at++) {
        unsigned char c = at < last.len ? (unsigned char)last.p[at] : 0;
        if (c > ' ' && c < 0x7f && c != '"' && c != '\\' && c != '/')
            continue;
        if (at - begin > best.len)
            best = str_of(last.p + begin, at - begin);
        begin = at + 1;
    }
    return best;
}

/* The elements by the first letters of their keys, and those that have the same key. */
static void sort_keys(struct user_format *user)
{
    for (size_t i = user->count; i-- > 0;) {
        struct element *element = &user->elements[i];
        if (element->field.kind == USER_JOB)
            continue;
        user->by_first[user_key_slot(element->key.p[0])] |= UINT64_C(1) << i;
        for (size_t k = 0; k < element->key.len; k++)
            user->digits |= log_is_digit(element->key.p[k]);
        for (size_t k = i + 1; k < user->count && element->same == 0; k++)
            if (user->elements[k].field.kind != USER_JOB &&
                str_equal(user->elements[k].key, element->key))
                element->same = (uint8_t)(k + 1);
    }
}

/* A line without its step is of another kind; a header has it, too. */
static void choose_anchor(struct user_format *user)
{
    for (size_t i = 0; i < user->count; i++) {
        const struct element *element = &user->elements[i];
        if (element->field.bit != RECORD_STEP)
            continue;
        struct str run = plain_run(element->key);
        const char *point = memrchr(element->key.p, '.', element->key.len);
        user->step_key =
            point ? log_from(element->key, (size_t)(point - element->key.p) + 1) : element->key;
        str_copy(user->anchor, sizeof(user->anchor), run);
        user->anchors[0] = run.len >= ANCHOR_BYTES ? user->anchor : NULL;
    }
}

struct user_format *user_format_map(const char *name, const char *text, char *error, size_t size)
{
    char why[512];
    if (strlen(text) > USER_TEXT_MAX) {
        snprintf(error, size, "it is longer than %d bytes", USER_TEXT_MAX);
        return NULL;
    }
    struct user_format *user = user_format_new(name, text);
    struct str rest = str_from(user->text);
    while (rest.len > 0) {
        size_t at = (size_t)(rest.p - user->text) + 1;
        if (add_item(user, next_item(&rest), why, sizeof(why)))
            continue;
        snprintf(error, size, "at character %zu: %s", at, why);
        user_format_free(user);
        return NULL;
    }
    if (!user_format_check(user, error, size)) {
        user_format_free(user);
        return NULL;
    }
    sort_keys(user);
    choose_anchor(user);
    user->format.state_bytes = sizeof(struct map_state);
    user->format.begin = begin;
    user->format.line = take_line;
    user->format.again = again;
    user->format.end = end;
    user->format.needs = "JSON lines, or CSV with a header, that hold the keys of the map";
    return user;
}
