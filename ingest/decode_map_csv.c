/* CSV and its like: separated by commas, semicolons or tabs, with quotes or without. */
#include "decode_map_csv.h"

#include <string.h>

#include "log_text.h"

/* The next value; *rest moves behind its separator. *ret_last: there is none after it. */
static struct str next_value(struct str *rest, char separator, bool *ret_last)
{
    const char *p = rest->p, *end = rest->p + rest->len;
    struct str value;
    while (p < end && *p == ' ' && separator != ' ')
        p++;
    if (p < end && *p == '"') {
        const char *begin = ++p;
        while (p < end && (*p != '"' || (p + 1 < end && p[1] == '"')))
            p += *p == '"' ? 2 : 1;
        value = str_of(begin, (size_t)((p < end ? p : end) - begin));
        while (p < end && *p != separator)
            p++;
    } else {
        const char *found = memchr(p, separator, (size_t)(end - p));
        value = log_trim(str_of(p, (size_t)((found ? found : end) - p)));
        p = found ? found : end;
    }
    *ret_last = p >= end;
    *rest = p < end ? str_of(p + 1, (size_t)(end - p) - 1) : str_of(end, 0);
    return value;
}

static size_t element_of(const struct user_format *user, struct str key)
{
    for (size_t i = 0; i < user->count; i++)
        if (user->elements[i].field.kind != USER_JOB && str_equal(user->elements[i].key, key))
            return i + 1;
    return 0;
}

/* Whether all keys of the map are values of the line. */
static bool read_header(struct map_csv *csv, const struct user_format *user, struct str line,
                        char separator)
{
    struct map_csv read = {.separator = separator};
    size_t found = 0, wanted = 0;
    bool last = false;
    while (!last && read.columns < CSV_COLUMNS_MAX) {
        size_t element = element_of(user, next_value(&line, separator, &last));
        read.element[read.columns++] = (uint8_t)element;
        read.last_mapped = element > 0;
        found += element > 0;
    }
    for (size_t i = 0; i < user->count; i++)
        wanted += user->elements[i].field.kind != USER_JOB;
    if (!last || found != wanted)
        return false;
    *csv = read;
    return true;
}

static bool find_header(struct map_csv *csv, const struct user_format *user, struct str line)
{
    static const char separators[] = {',', '\t', ';'};
    if (line.len == 0 || line.p[0] == '{')
        return false;
    for (size_t i = 0; i < sizeof(separators); i++)
        if (memchr(line.p, separators[i], line.len) && read_header(csv, user, line, separators[i]))
            return true;
    return false;
}

/* A name with "" in it: each is one quote. */
static struct str without_doubled(struct str value, char *to)
{
    size_t used = 0;
    if (log_find(value, "\"\"") == SIZE_MAX)
        return value;
    for (size_t i = 0; i < value.len && used < USER_NAME_BYTES; i++) {
        to[used++] = value.p[i];
        i += value.p[i] == '"' && i + 1 < value.len && value.p[i + 1] == '"';
    }
    return str_of(to, used);
}

static enum log_answer take_row(const struct map_csv *csv, const struct user_format *user,
                                const struct log_line *line, struct log_out *out)
{
    struct user_record record = {0};
    struct str rest = line->body;
    size_t column = 0;
    bool last = false, looks_so = false;
    while (!last && column <= csv->columns) {
        struct str value = next_value(&rest, csv->separator, &last);
        size_t element = column < csv->columns ? csv->element[column] : 0;
        column++;
        if (element == 0)
            continue;
        const struct user_field *field = &user->elements[element - 1].field;
        if (field->kind == USER_NAME)
            value = without_doubled(value, user_field_name(field, &record));
        user_field_put(field, value, &record);
        looks_so |= user_field_bit(field) == RECORD_STEP && value.len > 0 && !record.damaged;
    }
    if (!(record.record.has & RECORD_STEP) && !looks_so && column != csv->columns)
        return LOG_OTHER;
    if (column != csv->columns || !last)
        log_out_damaged(out, "a row with more or fewer values than the header");
    else if (line->cut && csv->last_mapped)
        log_out_damaged(out, "the last row ends without a line end: its last number may be cut");
    else {
        if (user->job)
            record.record.has |= RECORD_JOB;
        user_record_out(&record, out);
    }
    return LOG_TAKEN;
}

enum log_answer map_csv_line(struct map_csv *csv, const struct user_format *user,
                             const struct log_line *line, struct log_out *out)
{
    struct str body = line->body;
    bool first = body.len > 0 && (body.p[0] >= '0' && body.p[0] <= '9');
    if (!first && find_header(csv, user, body)) {
        log_out_want_all(out, true);
        return LOG_TAKEN;
    }
    if (csv->columns == 0 || !memchr(body.p, csv->separator, body.len))
        return LOG_OTHER;
    return take_row(csv, user, line, out);
}
