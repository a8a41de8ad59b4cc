/* The entries of a line, and lines of tracked_stats that were learned. */
#include "decode_mllog_again.h"

#include <string.h>

#include "log_text.h"

enum {
    LEARNED_TIME,
    LEARNED_STEP,
    LEARNED_SAMPLES,
    LEARNED_MEMBERS, /* their notes: bytes from the name to the number << 16, bytes of the name */
};

/* ---- learning ---- */

/* The whole text is the number. */
static bool learn_number(struct log_learned *form, unsigned field, struct str text, uint32_t note)
{
    double number;
    size_t length;
    if (log_number(text, &number, &length) != LOG_NUMBER || length != text.len)
        return false;
    log_learn_number(form, field, text, note);
    return true;
}

static bool learn_if_there(struct log_learned *form, unsigned field,
                           const struct mllog_number *number)
{
    if (!number->given)
        return number->text.len == 0;
    return learn_number(form, field, number->text, 0);
}

static bool learn_members(struct log_learned *form, const struct mllog_entry *entry)
{
    struct mllog_cursor cursor = {0};
    struct mllog_number number;
    struct str name;
    for (unsigned i = 0; mllog_next_stat(entry, &cursor, &name, &number); i++) {
        if (i == MLLOG_LISTED || !number.given || number.text.p < name.p)
            return false;
        size_t before = (size_t)(number.text.p - name.p);
        for (size_t k = 0; k < before; k++)
            if (log_is_digit(name.p[k]))
                return false; /* its length may be another */
        if (before > 4096 || !learn_number(form, LEARNED_MEMBERS + i, number.text,
                                           (uint32_t)(before << 16 | name.len)))
            return false;
    }
    return true;
}

/* The line holds this entry of tracked_stats and no other; escapes have digits that count. */
static void learn(const struct log_line *line, size_t end, const struct mllog_entry *entry)
{
    struct log_learned *form = line->form;
    if (form && entry->key == MLLOG_STATS && entry->value.text.len == 0 && entry->stats.len > 0 &&
        !memchr(line->text.p, '\\', line->text.len) &&
        log_find_from(line->text, end, MLLOG_MARK) == SIZE_MAX &&
        learn_number(form, LEARNED_TIME, entry->time, 0) &&
        learn_if_there(form, LEARNED_STEP, &entry->step) &&
        learn_if_there(form, LEARNED_SAMPLES, &entry->samples) && learn_members(form, entry))
        log_learn_ready(form, true);
}

/* ---- lines as before ---- */

static struct mllog_number number_again(const struct log_values *values, unsigned field)
{
    struct mllog_number number = {.given = log_values_have(values, field)};
    if (number.given)
        number.value = values->number[field];
    return number;
}

bool mllog_entry_again(const struct log_values *values, struct mllog_entry *entry,
                       struct mllog_list *list)
{
    double time_ms = values->number[LEARNED_TIME];
    if (!(time_ms >= 0) || !(time_ms < 9e12))
        return false;
    *entry = (struct mllog_entry){.key = MLLOG_STATS,
                                  .has_time = true,
                                  .time_ns = (int64_t)time_ms * 1000000,
                                  .step = number_again(values, LEARNED_STEP),
                                  .samples = number_again(values, LEARNED_SAMPLES),
                                  .list = list};
    unsigned field = LEARNED_MEMBERS;
    for (list->count = 0; log_values_have(values, field); field++) {
        uint32_t note = values->notes[field];
        list->at[list->count].name =
            str_of(values->text[field].p - (note >> 16), note & UINT32_C(0xffff));
        list->at[list->count++].number = number_again(values, field);
    }
    return true;
}

/* ---- entries ---- */

enum mllog_found mllog_next(const struct log_line *line, char *scratch, size_t *at,
                            struct mllog_entry *entry)
{
    const char *end;
    struct str text = line->text;
    bool first = *at == 0;
    size_t mark = log_find_from(text, *at, MLLOG_MARK);
    if (mark == SIZE_MAX)
        return MLLOG_NONE;
    *at = mark + strlen(MLLOG_MARK);
    if (!mllog_read(log_from(text, *at), scratch, entry, &end))
        return MLLOG_TORN;
    *at = (size_t)(end - text.p);
    if (first)
        learn(line, *at, entry);
    return MLLOG_ENTRY;
}
