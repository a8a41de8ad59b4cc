/* The entries of a line, and lines of tracked_stats that differ in digits alone. */
#include "decode_mllog_again.h"

#include <string.h>

#include "log_text.h"

#define DIGITS_MAX 15

/* ---- reading ---- */

/* JSON has no number that begins with a 0 before another digit; it is read up to 63 bytes. */
static bool valid_numbers(const struct mllog_again *again, struct str line)
{
    const struct log_runs *runs = &again->form.runs;
    for (unsigned i = 0; i < again->number_count; i++) {
        unsigned run = again->numbers[i], length = runs->at[run].length;
        bool begins = again->begins >> run & 1;
        if (length > DIGITS_MAX || (begins && length > 1 && line.p[runs->at[run].begin] == '0'))
            return false;
    }
    return true;
}

static bool read_number(const struct mllog_again *again, struct str line,
                        const struct mllog_place *place, struct mllog_number *ret)
{
    int64_t whole;
    *ret = (struct mllog_number){.given = place->run != LOG_FORM_NO_RUN};
    if (!ret->given)
        return true;
    if (place->decimal)
        return log_run_decimal(&again->form, line, place->run, &ret->value);
    if (!log_run_integer(&again->form, line, place->run, &whole))
        return false;
    ret->value = (double)whole;
    return true;
}

static bool read_list(struct mllog_again *again, struct str line)
{
    for (unsigned i = 0; i < again->list.count; i++) {
        const struct mllog_place *place = &again->listed[i];
        const char *number = line.p + again->form.runs.at[place->run].begin;
        again->list.at[i].name = str_of(number - place->name_before, place->name_length);
        if (!read_number(again, line, place, &again->list.at[i].number))
            return false;
    }
    return true;
}

/* False: the line is not like the last one. */
static bool read_again(struct mllog_again *again, struct str line, struct mllog_entry *entry)
{
    int64_t time_ms;
    if (!log_form_fits(&again->form, line) || !valid_numbers(again, line))
        return false;
    *entry = (struct mllog_entry){.key = MLLOG_STATS, .has_time = true, .list = &again->list};
    if (!log_run_integer(&again->form, line, again->time.run, &time_ms) || time_ms >= 9000000000000)
        return false;
    entry->time_ns = time_ms * 1000000;
    return read_number(again, line, &again->step, &entry->step) &&
           read_number(again, line, &again->samples, &entry->samples) && read_list(again, line);
}

/* ---- keeping ---- */

/* The runs of JSON's numbers, which are not in strings. False: there are escapes. */
static bool find_numbers(struct mllog_again *again, struct str line, size_t from)
{
    bool in_string = false;
    unsigned run = 0;
    again->number_count = 0;
    again->begins = 0;
    for (size_t i = from; i < line.len; i++) {
        char c = line.p[i], before = line.p[i - 1];
        if (c == '\\')
            return false;
        in_string ^= c == '"';
        if (!log_is_digit(c) || log_is_digit(before) || in_string)
            continue;
        while (run < again->form.count && again->form.runs.at[run].begin < i)
            run++;
        char sign = before == '-' || before == '+' ? line.p[i - 2] : before;
        again->numbers[again->number_count++] = (uint8_t)run;
        if (before != '.' && sign != 'e' && sign != 'E')
            again->begins |= UINT64_C(1) << run;
    }
    return true;
}

/* False: this number can't be read again. */
static bool keep_place(const struct mllog_again *again, struct str line, struct str text,
                       bool given, struct mllog_place *place)
{
    *place = (struct mllog_place){.run = LOG_FORM_NO_RUN};
    if (!given)
        return text.len == 0; /* it is not there */
    unsigned run = log_form_integer(&again->form, line, text);
    place->decimal = run == LOG_FORM_NO_RUN;
    if (place->decimal)
        run = log_form_decimal(&again->form, line, text);
    if (run == LOG_FORM_NO_RUN)
        return false;
    size_t length = again->form.runs.at[run].length;
    length += place->decimal ? 1u + again->form.runs.at[run + 1].length : 0;
    place->run = (uint8_t)run;
    return text.len == length;
}

static bool keep_list(struct mllog_again *again, struct str line, const struct mllog_entry *entry)
{
    struct mllog_cursor cursor = {0};
    struct mllog_number number;
    struct str name;
    unsigned count = 0;
    while (mllog_next_stat(entry, &cursor, &name, &number)) {
        if (count == MLLOG_LISTED || !number.given || number.text.p < name.p)
            return false;
        struct mllog_place *place = &again->listed[count++];
        size_t before = (size_t)(number.text.p - name.p);
        for (size_t i = 0; i < before; i++)
            if (log_is_digit(name.p[i]))
                return false;
        if (!keep_place(again, line, number.text, true, place))
            return false;
        place->name_before = (uint16_t)before;
        place->name_length = (uint16_t)name.len;
    }
    again->list.count = count;
    return true;
}

/* Keeps the line whose first entry, behind the mark at that place, is this one. */
static void keep(struct mllog_again *again, struct str line, size_t mark,
                 const struct mllog_entry *entry)
{
    size_t object = mark + strlen(MLLOG_MARK);
    if (entry->key != MLLOG_STATS || entry->value.text.len > 0 || entry->stats.p < line.p ||
        entry->stats.p >= line.p + line.len || !log_form_learn(&again->form, line))
        return;
    while (object < line.len && line.p[object] != '{' && !log_is_digit(line.p[object]))
        object++;
    again->form.known =
        object < line.len && line.p[object] == '{' &&
        log_find_from(line, object, MLLOG_MARK) == SIZE_MAX && find_numbers(again, line, object) &&
        keep_place(again, line, entry->time, true, &again->time) && !again->time.decimal &&
        keep_place(again, line, entry->step.text, entry->step.given, &again->step) &&
        keep_place(again, line, entry->samples.text, entry->samples.given, &again->samples) &&
        keep_list(again, line, entry);
}

/* ---- entries ---- */

enum mllog_found mllog_next(struct mllog_reader *reader, struct str line, size_t *at,
                            struct mllog_entry *entry)
{
    const char *end;
    if (*at == 0 && read_again(&reader->again, line, entry)) {
        *at = line.len;
        return MLLOG_ENTRY;
    }
    size_t mark = log_find_from(line, *at, MLLOG_MARK);
    if (mark == SIZE_MAX)
        return MLLOG_NONE;
    bool first = *at == 0;
    *at = mark + strlen(MLLOG_MARK);
    if (!mllog_read(log_from(line, *at), reader->scratch, entry, &end))
        return MLLOG_TORN;
    *at = (size_t)(end - line.p);
    if (first)
        keep(&reader->again, line, mark, entry);
    return MLLOG_ENTRY;
}
