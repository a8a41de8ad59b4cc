/* One ":::MLLOG {...}". */
#include "decode_mllog_line.h"

#include <string.h>

#include "json_scan.h"
#include "log_text.h"
#include "record.h"

#define NO_NUMBER "\"-\"" /* what stands in for NaN, three bytes as well */

static enum mllog_key key_of(struct str text)
{
    static const struct {
        const char *text;
        enum mllog_key key;
    } keys[] = {
        {"global_batch_size", MLLOG_BATCH},
        {"run_start", MLLOG_RUN_START},
        {"run_stop", MLLOG_RUN_STOP},
        {"block_start", MLLOG_BLOCK_START},
        {"block_stop", MLLOG_BLOCK_STOP},
        {"eval_start", MLLOG_EVAL_START},
        {"eval_stop", MLLOG_EVAL_STOP},
        {"tracked_stats", MLLOG_STATS},
        {"max_sequence_length", MLLOG_SEQUENCE},
        {"overall_throughput", MLLOG_OVERALL},
    };
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (str_is(text, keys[i].text))
            return keys[i].key;
    return MLLOG_OTHER_KEY;
}

static struct str unquoted(struct str value)
{
    if (value.len >= 2 && value.p[0] == '"')
        return str_of(value.p + 1, value.len - 2);
    return value;
}

static struct mllog_number number_of(struct str value)
{
    struct mllog_number number = {.text = unquoted(value)};
    enum log_number kind = log_number_whole(number.text, NULL, &number.value);
    number.given = kind == LOG_NUMBER;
    number.none = kind == LOG_NO_NUMBER || str_is(value, NO_NUMBER);
    return number;
}

static void read_metadata(struct str value, struct mllog_entry *entry)
{
    const char *at = value.p, *end = value.p + value.len;
    struct str key, member;
    if (value.len == 0 || value.p[0] != '{')
        return;
    while (json_next_member(&at, end, &key, &member)) {
        if (str_is(key, "step") || str_is(key, "step_num"))
            entry->step = number_of(member);
        else if (str_is(key, "samples_count"))
            entry->samples = number_of(member);
    }
}

static bool read_time(struct str value, struct mllog_entry *entry)
{
    struct mllog_number number = number_of(value);
    entry->time = number.text;
    entry->has_time = number.given && number.value >= 0 && number.value < 9e12;
    if (entry->has_time)
        entry->time_ns = (int64_t)number.value * 1000000;
    return entry->has_time;
}

static bool read_object(struct str text, struct mllog_entry *entry, const char **ret_end)
{
    const char *end = text.p + text.len, *at = text.p;
    struct str key, value;
    bool has_key = false;
    *entry = (struct mllog_entry){0};
    while (json_next_member(&at, end, &key, &value)) {
        if (str_is(key, "key")) {
            entry->key = key_of(unquoted(value));
            has_key = true;
        } else if (str_is(key, "time_ms")) {
            read_time(value, entry);
        } else if (str_is(key, "value") && value.p[0] == '{') {
            entry->stats = value;
        } else if (str_is(key, "value")) {
            entry->value = number_of(value);
        } else if (str_is(key, "metadata")) {
            read_metadata(value, entry);
        }
        if (at == end || *at != ',')
            break;
    }
    if (at >= end || *at != '}' || !has_key || !entry->has_time)
        return false;
    *ret_end = at + 1;
    return true;
}

/* Python writes NaN and Infinity, which are no JSON: the line is whole all the same. False: there
 * are none. */
static bool without_nan(struct str text, char *to)
{
    static const char *const words[] = {"NaN", "-Infinity", "Infinity"};
    bool any = false;
    memcpy(to, text.p, text.len);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t length = strlen(words[i]);
        for (char *at = to; (at = memmem(at, (size_t)(to + text.len - at), words[i], length));) {
            memset(at, ' ', length);
            memcpy(at, NO_NUMBER, 3);
            at += length;
            any = true;
        }
    }
    return any;
}

bool mllog_read(struct str text, char *scratch, struct mllog_entry *entry, const char **ret_end)
{
    const char *at = text.len ? memchr(text.p, '{', text.len < 3 ? text.len : 3) : NULL;
    if (!at)
        return false;
    struct str object = log_from(text, (size_t)(at - text.p));
    if (read_object(object, entry, ret_end))
        return true;
    if (object.len > MLLOG_SCRATCH || !without_nan(object, scratch))
        return false;
    const char *end;
    if (!read_object(str_of(scratch, object.len), entry, &end))
        return false;
    *ret_end = object.p + (end - scratch);
    return true;
}

bool mllog_next_stat(const struct mllog_entry *entry, struct mllog_cursor *cursor,
                     struct str *ret_name, struct mllog_number *ret)
{
    struct str value, stats = entry->stats;
    if (entry->list) {
        if (cursor->index == entry->list->count)
            return false;
        *ret_name = entry->list->at[cursor->index].name;
        *ret = entry->list->at[cursor->index++].number;
        return true;
    }
    if (stats.len == 0)
        return false;
    if (!cursor->at)
        cursor->at = stats.p;
    if (!json_next_member(&cursor->at, stats.p + stats.len, ret_name, &value))
        return false;
    *ret = number_of(value);
    return true;
}

bool mllog_names_step_time(struct str name)
{
    static const char *const names[] = {"train_step_time", "step_time", "train_step_timing",
                                        "train_step_timing in s"}; /* NeMo's two */
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (str_is(name, names[i]))
            return true;
    return false;
}

bool mllog_names_time(struct str name)
{
    return log_find(name, "time") != SIZE_MAX || log_find(name, "timing") != SIZE_MAX;
}

/* The times of a whole run, "walltime" and "train_time", are minutes in some logs. */
const char *mllog_time_unit(struct str name)
{
    static const char *const seconds[] = {"timing", "timing in s", "step_time", "warmup_time",
                                          "validation_time"};
    for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++)
        if (log_ends(name, seconds[i]))
            return "s";
    return str_is(name, "time") ? "s" : "";
}

int64_t mllog_gpus(struct str text, int64_t otherwise)
{
    struct str key, value;
    size_t begin = log_find(text, "{");
    const char *p = log_from(text, begin).p, *end = text.p + text.len;
    int64_t nodes = 0, each = 0;
    if (begin == SIZE_MAX)
        return otherwise;
    while (json_next_member(&p, end, &key, &value)) {
        if (str_is(key, "number_of_nodes"))
            str_to_int(unquoted(value), 1, RECORD_RANK_MAX, &nodes);
        else if (str_is(key, "accelerators_per_node"))
            str_to_int(unquoted(value), 1, RECORD_RANK_MAX, &each);
        if (p == end || *p != ',')
            break;
    }
    bool whole = p < end && *p == '}' && nodes > 0 && each > 0;
    return whole && nodes * each <= RECORD_RANK_MAX ? nodes * each : otherwise;
}
