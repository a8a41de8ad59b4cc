/* Lines to records: the template, and what happens when it does not fit. */
#include "decode.h"

#include <string.h>

#include "decode_cjson.h"
#include "number.h"
#include "prefix.h"

enum template_kind { KIND_SECONDS, KIND_INTEGER, KIND_RANK, KIND_TEXT, KIND_SKIP_NUMBER };

#define CANDIDATES_MAX 16 /* places in one line where a record is looked for */

void decoder_init(struct decoder *decoder)
{
    memset(decoder, 0, sizeof(*decoder));
}

/* ---- the template ---- */

static inline bool literal_is_at(const struct template_part *part, const char *p)
{
    uint64_t difference = (number_load8(p) ^ part->literal[0]) & part->mask[0];
    if (part->length > 8)
        difference |= (number_load8(p + 8) ^ part->literal[1]) & part->mask[1];
    if (part->length > 16)
        difference |= (number_load8(p + 16) ^ part->literal[2]) & part->mask[2];
    return difference == 0;
}

/* A text without escapes up to its closing quote; NULL when it is not one. */
static inline const char *plain_text_end(const char *p, const char *end)
{
    while (p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20)
        p++;
    return p < end && *p == '"' ? p : NULL;
}

/* Notes how long the number in [p, end) is, for the next line. */
static void note_shape(struct template_part *part, const char *p, const char *end)
{
    const char *point = memchr(p, '.', (size_t)(end - p));
    size_t whole = (size_t)((point ? point : end) - p);
    size_t fraction = point ? (size_t)(end - point) - 1 : 0;
    bool usable = whole >= 1 && whole <= 10 && fraction <= 8;
    part->whole = usable ? (uint8_t)whole : 0;
    part->fraction = usable ? (uint8_t)fraction : 0;
    part->scale = number_power10[9 - part->fraction];
}

/* A time as long as the last one in this place: its end is known before it is
 * read. The place after it, NULL when it is not that long. */
static inline const char *seconds_as_before(const struct template_part *part, const char *p,
                                            int64_t *ret_ns)
{
    uint64_t value, fraction = 0;
    unsigned whole = part->whole, digits = part->fraction;
    if (whole == 1 && digits >= 1 && digits <= 6) {
        if (!number_short(p, digits, &value))
            return NULL;
        *ret_ns = (int64_t)(value * part->scale);
        return p + 2 + digits;
    }
    if (whole == 0 || !number_fixed(p, whole, &value))
        return NULL;
    p += whole;
    if (digits > 0) {
        if (*p != '.' || !number_fixed_fraction(p + 1, digits, &fraction))
            return NULL;
        p += 1 + digits;
    }
    *ret_ns = (int64_t)(value * UINT64_C(1000000000) + fraction * part->scale);
    return p;
}

static const char *any_seconds(struct template_part *part, const char *p, int64_t *ret)
{
    const char *begin = p;
    if (!number_seconds(&p, ret))
        return NULL;
    note_shape(part, begin, p);
    return p;
}

static const char *any_integer(struct template_part *part, const char *p, int64_t *ret)
{
    const char *begin = p;
    if (!number_integer(&p, ret))
        return NULL;
    note_shape(part, begin, p);
    return p;
}

/* The value of a number's part at p and the place after it; NULL when it is not
 * such a number. */
static inline const char *part_seconds(struct template_part *part, const char *p, int64_t *ret)
{
    const char *after = seconds_as_before(part, p, ret);
    return after && number_ends_at(*after) ? after : any_seconds(part, p, ret);
}

static inline const char *part_integer(struct template_part *part, const char *p, int64_t *ret)
{
    uint64_t value;
    unsigned whole = part->whole;
    if (whole == 0 || !number_fixed(p, whole, &value) || !number_ends_at(p[whole]))
        return any_integer(part, p, ret);
    *ret = (int64_t)value;
    return p + whole;
}

/* The record at p by the template: the place after its '}', NULL when it does
 * not fit: nothing is said then. A literal may be compared past the end (slack),
 * but the tail must lie before it. */
static inline const char *decode_by_template(struct decoder *decoder, const char *p,
                                             const char *end, struct record *record)
{
    uint32_t has = decoder->constant_bits;
    for (int i = 0; i < decoder->part_count; i++) {
        struct template_part *part = &decoder->parts[i];
        int64_t value;
        if (p >= end || !literal_is_at(part, p))
            return NULL;
        p += part->length;
        if (p >= end)
            return NULL;
        switch ((enum template_kind)part->kind) {
        case KIND_SECONDS:
            p = part_seconds(part, p, &value);
            if (!p || value > part->max)
                return NULL;
            memcpy((char *)record + part->offset, &value, sizeof(value));
            break;
        case KIND_INTEGER:
            p = part_integer(part, p, &value);
            if (!p || value > part->max)
                return NULL;
            memcpy((char *)record + part->offset, &value, sizeof(value));
            break;
        case KIND_RANK:
            p = part_integer(part, p, &value);
            if (!p || value > part->max)
                return NULL;
            record->rank = (uint32_t)value;
            break;
        case KIND_TEXT: {
            const char *text = p;
            p = plain_text_end(p, end);
            if (!p)
                return NULL;
            struct str slice = str_of(text, (size_t)(p - text));
            if (part->bit)
                memcpy((char *)record + part->offset, &slice, sizeof(slice));
            break;
        }
        case KIND_SKIP_NUMBER:
            p = json_number_end(p, end);
            if (!p)
                return NULL;
            break;
        }
        has |= part->bit;
    }
    if (p > end || (size_t)(end - p) < decoder->tail_length ||
        memcmp(p, decoder->tail, decoder->tail_length) != 0)
        return NULL;
    record->has = has;
    return p + decoder->tail_length;
}

const char *decode_quickly(struct decoder *decoder, const char *p, const char *end,
                           struct record *record)
{
    if (decoder->part_count == 0 || p >= end || *p != '{')
        return NULL;
    p = decode_by_template(decoder, p, end, record);
    if (!p || p >= end)
        return NULL;
    if (*p == '\r' && p + 1 < end)
        p++;
    return *p == '\n' ? p + 1 : NULL;
}

static void set_literal(struct template_part *part, const char *text, size_t length)
{
    char bytes[TEMPLATE_LITERAL_MAX] = {0}, mask[TEMPLATE_LITERAL_MAX] = {0};
    memcpy(bytes, text, length);
    memset(mask, 0xFF, length);
    for (int w = 0; w < 3; w++) {
        part->literal[w] = number_load8(bytes + 8 * w);
        part->mask[w] = number_load8(mask + 8 * w);
    }
    part->length = (uint8_t)length;
}

static void set_value(struct template_part *part, enum field field, int type)
{
    static const enum template_kind kinds[] = {
        [FIELD_INTEGER] = KIND_INTEGER, [FIELD_SECONDS] = KIND_SECONDS, [FIELD_TEXT] = KIND_TEXT};
    part->offset = 0;
    part->whole = part->fraction = 0;
    part->bit = 0;
    part->max = INT64_MAX;
    if (field == FIELD_UNKNOWN) {
        part->kind = type == SCAN_TEXT ? KIND_TEXT : KIND_SKIP_NUMBER;
        return;
    }
    const struct field_info *info = &field_infos[field];
    part->kind = field == FIELD_RANK ? KIND_RANK : (uint8_t)kinds[info->type];
    part->offset = (uint32_t)info->offset;
    part->bit = info->bit;
    part->max = info->max;
}

/* Takes the layout of a record that was just read, as the guess for the next
 * line. Constants (true, null) become part of the text between the values. */
static void learn_template(struct decoder *decoder, const char *object, const char *object_end,
                           const struct scan_values *values, const struct record *record)
{
    decoder->part_count = 0;
    if (values->count > SCAN_VALUES_MAX)
        return;
    size_t from = 0;
    int parts = 0;
    for (int i = 0; i < values->count; i++) {
        if (values->at[i].type == SCAN_CONSTANT)
            continue;
        size_t length = values->at[i].begin - from;
        if (length > TEMPLATE_LITERAL_MAX)
            return;
        set_literal(&decoder->parts[parts], object + from, length);
        set_value(&decoder->parts[parts], values->at[i].field, values->at[i].type);
        from = values->at[i].end;
        parts++;
    }
    size_t tail = (size_t)(object_end - object) - from;
    if (tail > TEMPLATE_LITERAL_MAX)
        return;
    memcpy(decoder->tail, object + from, tail);
    decoder->tail_length = (uint32_t)tail;
    decoder->constant_bits = record->has & RECORD_SIMULATED;
    decoder->part_count = parts;
}

/* ---- any line ---- */

static bool holds(const char *p, const char *end, const char *text)
{
    return memmem(p, (size_t)(end - p), text, strlen(text)) != NULL;
}

/* Whether a line that could not be read was meant to be a record. */
static bool was_meant_as_record(const char *p, const char *end)
{
    static const char *const times[] = {"\"forward\"", "\"backward\"", "\"sync\"",
                                        "\"compute\"", "\"step_time\""};
    if (holds(p, end, "\"rank\""))
        return true;
    if (!holds(p, end, "\"step\""))
        return false;
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        if (holds(p, end, times[i]))
            return true;
    return false;
}

static enum scan_result scan_any(struct decoder *decoder, const char *p, const char *end,
                                 struct record *record, const char **ret_end, const char **ret_why)
{
    struct scan_values values;
    enum scan_result result = json_scan(p, end, record, &values, ret_end, ret_why);
    if (result == SCAN_UNUSUAL)
        return decode_cjson(p, end, record, decoder->text, ret_end, ret_why);
    if (result == SCAN_OK && record_is_timing(record))
        learn_template(decoder, p, *ret_end, &values, record);
    return result;
}

/* The line at each '{' in turn, until one begins a record. */
static enum decode_result decode_slowly(struct decoder *decoder, const char *line,
                                        const char *brace, const char *end, struct record *record,
                                        size_t *ret_used, const char **ret_why)
{
    const char *first_why = NULL, *first = brace;
    for (int tries = 0; brace && tries < CANDIDATES_MAX; tries++) {
        const char *after = end, *why = NULL;
        enum scan_result result = scan_any(decoder, brace, end, record, &after, &why);
        if (result == SCAN_OK && record_is_timing(record)) {
            *ret_used = (size_t)(after - line);
            *ret_why = tries > 0 && was_meant_as_record(first, brace) ? first_why : NULL;
            return DECODE_RECORD;
        }
        if (result == SCAN_OK) { /* JSON, but of another kind: look behind it */
            brace = memchr(after, '{', (size_t)(end - after));
            first = brace;
            continue;
        }
        if (!first_why)
            first_why = why;
        brace = memchr(brace + 1, '{', (size_t)(end - brace - 1));
    }
    *ret_used = (size_t)(end - line);
    *ret_why = first_why;
    return first_why && first && was_meant_as_record(first, end) ? DECODE_DAMAGED : DECODE_OTHER;
}

enum decode_result decode_line(struct decoder *decoder, const char *line, size_t length,
                               struct record *record, size_t *ret_used, const char **ret_why)
{
    const char *end = line + length;
    const char *brace = length > 0 && line[0] == '{' ? line : memchr(line, '{', length);
    *ret_used = length;
    *ret_why = NULL;
    if (!brace)
        return DECODE_OTHER;
    const char *after = decoder->part_count > 0
                            ? decode_by_template(decoder, brace, end, record)
                            : NULL;
    if (after) {
        *ret_used = (size_t)(after - line);
    } else {
        enum decode_result result =
            decode_slowly(decoder, line, brace, end, record, ret_used, ret_why);
        if (result != DECODE_RECORD)
            return result;
    }
    if (!(record->has & RECORD_RANK) &&
        prefix_rank(str_of(line, (size_t)(brace - line)), &record->rank))
        record->has |= RECORD_RANK;
    return DECODE_RECORD;
}
