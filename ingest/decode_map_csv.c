/* CSV and its like: separated by commas, semicolons or tabs, with quotes or without. */
#include "decode_map_csv.h"

#include <string.h>
#if defined(__SSE2__) && !defined(LINE_SHAPE_PORTABLE)
#include <emmintrin.h>
#endif

#include "decode_map_json.h"
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
        for (p += p < end; p < end && log_is_blank(*p) && *p != separator; p++)
            continue;
        if (p < end && *p != separator) { /* not just a value: as it stands */
            const char *found = memchr(p, separator, (size_t)(end - p));
            p = found ? found : end;
            value = str_of(begin - 1, (size_t)(p - begin) + 1);
        }
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

static uint32_t bits_of(const struct user_format *user, size_t element)
{
    uint32_t bits = 0;
    for (; element; element = user->elements[element - 1].same)
        bits |= user->elements[element - 1].field.bit;
    return bits;
}

/* Its columns, and which fields they are; *ret_twice: one of them is there twice. */
static uint32_t read_header(struct map_csv *csv, const struct user_format *user, struct str line,
                            bool *ret_twice)
{
    uint32_t found = 0;
    bool last = false;
    while (!last && csv->columns < CSV_COLUMNS_MAX) {
        size_t element = element_of(user, next_value(&line, csv->separator, &last));
        uint32_t bits = bits_of(user, element);
        csv->element[csv->columns++] = (uint8_t)element;
        csv->last_mapped = element > 0;
        *ret_twice |= (found & bits) != 0;
        found |= bits;
    }
    return last ? found : 0;
}

/* The fields that a header must have: without them the rows are no records, or of nobody knows
 * whom. */
static bool is_enough(const struct user_format *user, uint32_t found)
{
    uint32_t wanted = user->job ? RECORD_STEP : RECORD_STEP | RECORD_RANK;
    for (size_t i = 0; i < user->count; i++)
        if ((user->elements[i].field.bit & wanted) && !(user->elements[i].field.bit & found))
            return false;
    return (found & RECORD_ANY_TIME) != 0;
}

/* The elements that a header lacks. */
static uint64_t lacking(const struct user_format *user, uint32_t found)
{
    uint64_t keys = 0;
    for (size_t i = 0; i < user->count; i++)
        if (user->elements[i].field.kind != USER_JOB && !(user->elements[i].field.bit & found))
            keys |= UINT64_C(1) << i;
    return keys;
}

static const char utf8_mark[] =
    "\xEF\xBB\xBF"; /* before a header that was put behind another log */

/* Whether the line is a header: then it holds for the rows from here on. */
static bool find_header(struct map_csv *csv, const struct user_format *user, struct str line,
                        struct log_out *out)
{
    static const char separators[] = {',', '\t', ';', '|'};
    if (log_begins(line, utf8_mark))
        line = log_from(line, sizeof(utf8_mark) - 1);
    if (line.len == 0 || line.p[0] == '{' || log_is_digit(line.p[0]) ||
        log_find_bytes(line, 0, user->step_key.p, user->step_key.len) == SIZE_MAX)
        return false;
    for (size_t i = 0; i < sizeof(separators); i++) {
        struct map_csv read = {.separator = separators[i]};
        bool twice = false;
        if (!memchr(line.p, separators[i], line.len))
            continue;
        uint32_t found = read_header(&read, user, line, &twice);
        if (!is_enough(user, found))
            continue;
        if (twice)
            log_out_damaged(out, "a header with a column of the map twice: its rows are not read");
        else if (lacking(user, found))
            map_tell_missing(user, lacking(user, found), "a table, by its header", out);
        *csv = twice ? (struct map_csv){0} : read;
        return true;
    }
    return false;
}

/* Whether the line is the header of another table: names alone, as many as there are columns, or
 * with the step among them. Its rows must not be taken for those of the one before. */
static bool is_other_header(const struct map_csv *csv, const struct user_format *user,
                            struct str line)
{
    size_t columns = 0;
    bool last = false, step = false;
    while (!last) {
        struct str value = next_value(&line, csv->separator, &last);
        double number;
        size_t length;
        bool word = value.len > 0 && (log_is_letter(value.p[0]) || value.p[0] == '_');
        if (!word || log_number(value, &number, &length) != LOG_NOTHING)
            return false;
        size_t element = columns < csv->columns ? element_of(user, value) : 0;
        step |= (bits_of(user, element) & RECORD_STEP) != 0;
        columns++;
    }
    return columns > 1 && (step || columns == csv->columns);
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

/* A number of a table whose separator is ';', mostly since its decimals are behind a comma: "0,5"
 * is such a one, "1,250" may be either, until the table has shown which. */
static struct str with_point(struct map_csv *csv, struct str value, char *to, bool *ret_unclear)
{
    const char *comma = memchr(value.p, ',', value.len);
    if (!comma || value.len > 24 || memchr(value.p, '.', value.len) ||
        memchr(comma + 1, ',', value.len - (size_t)(comma - value.p) - 1))
        return value;
    size_t before = (size_t)(comma - value.p), behind = 0;
    while (before + 1 + behind < value.len && log_is_digit(comma[1 + behind]))
        behind++;
    if (behind != 3 || before > 3 || value.p[0] == '0')
        csv->decimal_commas = true;
    *ret_unclear = !csv->decimal_commas;
    memset(to, 0, 64);
    memcpy(to, value.p, value.len);
    to[before] = '.';
    return str_of(to, value.len);
}

/* A value of a column of the map. quoted: there may be quotes in it. */
static inline void put_cell(struct map_csv *csv, const struct user_format *user, size_t at,
                            struct str value, bool quoted, struct user_record *to)
{
    const struct element *element;
    char number[64];
    do {
        element = &user->elements[at - 1];
        const struct user_field *field = &element->field;
        bool unclear = false;
        if (field->kind == USER_NAME && quoted)
            value = without_doubled(value, user_field_name(field, to));
        else if (csv->separator == ';' && field->kind != USER_NAME && field->kind != USER_STAMP)
            value = with_point(csv, value, number, &unclear);
        if (unclear)
            user_field_spoil(field, to);
        else
            user_field_put(field, value, to);
        at = element->same;
    } while (at);
}

#if defined(__SSE2__) && !defined(LINE_SHAPE_PORTABLE)
/* A bit for each of the 16 bytes at p that is c. */
static inline unsigned places16(const char *p, char c)
{
    return (unsigned)_mm_movemask_epi8(
        _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)p), _mm_set1_epi8(c)));
}
#else
static inline unsigned places16(const char *p, char c)
{
    unsigned found = 0;
    for (unsigned i = 0; i < 16; i++)
        found |= (unsigned)(p[i] == c) << i;
    return found;
}
#endif

#define CELLS_QUOTED SIZE_MAX

/* The cells of a row without quotes; their number. Reads up to 15 bytes behind it. CELLS_QUOTED:
 * there is a quote in it. */
static size_t plain_cells(struct map_csv *csv, const struct user_format *user, struct str row,
                          struct user_record *to)
{
    const char *begin = row.p, *end = row.p + row.len;
    const char separator = csv->separator;
    const size_t columns = csv->columns;
    size_t column = 0;
    for (const char *block = row.p; block <= end; block += 16) {
        unsigned found = places16(block, separator), quotes = places16(block, '"');
        if (end - block < 16) { /* the last one; what is behind the row is not of it */
            unsigned last = 1u << (end - block);
            found = (found & (last - 1)) | last;
            quotes &= last - 1;
        }
        if (quotes)
            return CELLS_QUOTED;
        for (; found; found &= found - 1) {
            const char *at = block + __builtin_ctz(found);
            struct str value = str_of(begin, (size_t)(at - begin));
            size_t element = column < columns ? csv->element[column] : 0;
            if (element && separator != ';' && !user->elements[element - 1].same)
                user_field_put(&user->elements[element - 1].field, value, to);
            else if (element)
                put_cell(csv, user, element, value, false, to);
            column++;
            begin = at + 1;
        }
    }
    return column;
}

static size_t quoted_cells(struct map_csv *csv, const struct user_format *user, struct str row,
                           struct user_record *to)
{
    size_t column = 0;
    for (bool last = false; !last; column++) {
        struct str value = next_value(&row, csv->separator, &last);
        if (column < csv->columns && csv->element[column])
            put_cell(csv, user, csv->element[column], value, true, to);
    }
    return column;
}

static void put_row(const struct user_format *user, struct user_record *record, struct log_out *out)
{
    user_format_mark(user, record);
    user_record_out(record, out);
}

static enum log_answer take_row(struct map_csv *csv, const struct user_format *user,
                                const struct log_line *line, struct log_out *out)
{
    struct user_record record;
    struct str row = line->body;
    user_record_begin(&record);
    size_t columns = plain_cells(csv, user, row, &record);
    if (columns == CELLS_QUOTED) {
        if (!memchr(row.p, csv->separator, row.len))
            return LOG_OTHER;
        user_record_begin(&record);
        columns = quoted_cells(csv, user, row, &record);
    } else if (columns == 1) {
        return LOG_OTHER; /* no separator is in it */
    }
    if (!(record.record.has & RECORD_STEP)) {
        if (is_other_header(csv, user, row)) {
            *csv = (struct map_csv){0};
            log_out_want_all(out, false);
            return LOG_OTHER;
        }
        if (columns != csv->columns)
            return LOG_OTHER;
        record.bad &= RECORD_STEP; /* whatever else it holds, it is no record */
    }
    if (columns != csv->columns)
        log_out_damaged(out, "a row with more or fewer values than the header");
    else if (line->cut && csv->last_mapped)
        log_out_damaged(out, "the last row ends without a line end: its last number may be cut");
    else
        put_row(user, &record, out);
    return LOG_TAKEN;
}

enum log_answer map_csv_line(struct map_csv *csv, const struct user_format *user,
                             const struct log_line *line, struct log_out *out)
{
    struct str body = line->body;
    if (find_header(csv, user, body, out)) {
        log_out_want_all(out, csv->columns > 0);
        return LOG_TAKEN;
    }
    if (csv->columns == 0)
        return LOG_OTHER;
    return take_row(csv, user, line, out);
}
