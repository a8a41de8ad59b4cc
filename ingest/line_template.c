/* Lines with the same text between their values. */
#include "line_template.h"

#include <string.h>

#include "number.h"

enum template_kind { KIND_SECONDS, KIND_INTEGER, KIND_TEXT, KIND_SKIP_NUMBER, KIND_NONE };

/* ---- reading ---- */

static inline bool text_is_at(const struct template_part *part, const char *p)
{
    unsigned length = part->length;
    uint64_t difference = number_load8(p) ^ part->first;
    if (length < 8)
        return difference << (64 - 8 * length) == 0;
    difference |= number_load8(p + length - 8) ^ part->last;
    if (length > 16)
        difference |= number_load8(p + 8) ^ part->middle;
    return difference == 0;
}

/* The closing quote of a text without escapes; NULL when it is not one. */
static inline const char *plain_text_end(const char *p, const char *end)
{
    while (p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20)
        p++;
    return p < end && *p == '"' ? p : NULL;
}

static inline bool put_number(struct record *record, enum field field, int64_t value)
{
    const struct field_info *info = &field_infos[field];
    if (value > info->max || value < info->min)
        return false;
    if (field == FIELD_RANK)
        record->rank = (uint32_t)value;
    else
        memcpy((char *)record + info->offset, &value, sizeof(value));
    return true;
}

/* The value at p; the place after it, NULL when it is not of the part's kind. */
static inline const char *read_value(const struct template_part *part, const char *p,
                                     const char *end, struct record *record)
{
    enum field field = (enum field)part->place.field;
    int64_t value;
    switch ((enum template_kind)part->kind) {
    case KIND_SECONDS:
        return number_seconds(&p, &value) && put_number(record, field, value) ? p : NULL;
    case KIND_INTEGER:
        return number_integer(&p, &value) && put_number(record, field, value) ? p : NULL;
    case KIND_TEXT: {
        const char *after = plain_text_end(p, end);
        if (after && field != FIELD_UNKNOWN)
            field_put_text(record, field, str_of(p, (size_t)(after - p)));
        return after;
    }
    case KIND_SKIP_NUMBER:
        return json_number_end(p, end);
    case KIND_NONE:
        break;
    }
    return p;
}

const char *line_template_read(struct line_template *line_template, const char *p, const char *end,
                               struct record *record, bool *ret_same)
{
    const char *object = p;
    unsigned moved = 0;
    int count = line_template->part_count;
    record->has = 0;
    for (int i = 0; i < count; i++) {
        struct template_part *part = &line_template->parts[i];
        if (p >= end || !text_is_at(part, p))
            return NULL;
        p += part->length;
        if (p > end)
            return NULL;
        if (part->kind == KIND_NONE)
            continue;
        uint16_t begin = (uint16_t)(p - object);
        p = read_value(part, p, end, record);
        if (!p)
            return NULL;
        uint16_t after = (uint16_t)(p - object);
        moved |= (unsigned)(part->place.begin ^ begin) | (unsigned)(part->place.end ^ after);
        part->place.begin = begin;
        part->place.end = after;
    }
    if (count == 0)
        return NULL;
    if (ret_same)
        *ret_same = moved == 0;
    record->has = line_template->has;
    return p;
}

int line_template_places(const struct line_template *line_template,
                         struct shape_place places[SCAN_VALUES_MAX])
{
    int count = 0;
    for (int i = 0; i < line_template->part_count; i++)
        if (line_template->parts[i].kind != KIND_NONE)
            places[count++] = line_template->parts[i].place;
    return count;
}

/* ---- learning ---- */

static void set_text(struct template_part *part, const char *text, size_t length)
{
    char bytes[LINE_TEMPLATE_TEXT] = {0};
    memcpy(bytes, text, length);
    part->first = number_load8(bytes);
    part->middle = number_load8(bytes + 8);
    part->last = length >= 8 ? number_load8(bytes + length - 8) : 0;
    part->length = (uint8_t)length;
    part->kind = KIND_NONE;
}

/* The part that ends with this text, a long one in several; NULL when there are
 * too many. */
static struct template_part *add_text(struct line_template *line_template, const char *text,
                                      size_t length)
{
    struct template_part *part = NULL;
    while (length > 0) {
        size_t piece = length < LINE_TEMPLATE_TEXT ? length : LINE_TEMPLATE_TEXT;
        if (line_template->part_count == LINE_TEMPLATE_PARTS)
            return NULL;
        part = &line_template->parts[line_template->part_count++];
        set_text(part, text, piece);
        text += piece;
        length -= piece;
    }
    return part;
}

static enum template_kind kind_of(enum field field, int type)
{
    if (field == FIELD_UNKNOWN)
        return type == SCAN_TEXT ? KIND_TEXT : KIND_SKIP_NUMBER;
    switch (field_infos[field].type) {
    case FIELD_INTEGER:
        return KIND_INTEGER;
    case FIELD_SECONDS:
        return KIND_SECONDS;
    default:
        return KIND_TEXT;
    }
}

static bool learn(struct line_template *line_template, const char *object, const char *object_end,
                  const struct scan_values *values)
{
    size_t from = 0;
    for (int i = 0; i < values->count; i++) {
        if (values->at[i].type == SCAN_CONSTANT) /* part of the text between the values */
            continue;
        struct template_part *part =
            add_text(line_template, object + from, values->at[i].begin - from);
        if (!part)
            return false;
        enum field field = values->at[i].field;
        part->kind = (uint8_t)kind_of(field, values->at[i].type);
        part->place =
            (struct shape_place){(uint16_t)values->at[i].begin, (uint16_t)values->at[i].end,
                                 (uint8_t)field, part->kind == KIND_TEXT};
        from = values->at[i].end;
    }
    return add_text(line_template, object + from, (size_t)(object_end - object) - from);
}

void line_template_learn(struct line_template *line_template, const char *object,
                         const char *object_end, const struct scan_values *values,
                         const struct record *record)
{
    line_template->part_count = 0;
    line_template->has = record->has;
    bool rank_is_no_rank = (record->has & RECORD_JOB) && (record->has & RECORD_RANK);
    if (values->count > SCAN_VALUES_MAX || values->repeated || rank_is_no_rank ||
        !learn(line_template, object, object_end, values))
        line_template->part_count = 0;
}
