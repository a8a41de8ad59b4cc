/* Lines to records: the template, and what happens when it does not fit. */
#include "decode.h"

#include <string.h>

#include "decode_cjson.h"
#include "log_text.h"
#include "prefix.h"

#define CANDIDATES_MAX 16 /* places in one line where a record is looked for */

#define PATIENCE_MAX 255
#define HITS_FEW 16 /* a shape that fitted less often was not worth it */

void decoder_init(struct decoder *decoder)
{
    memset(decoder, 0, sizeof(*decoder));
    line_shape_clear(&decoder->shapes[0]);
    line_shape_clear(&decoder->shapes[1]);
}

/* Takes the shape of the line that the template has just read in place of the
 * older one. Where lengths change all the time that is tried ever less often. */
static void learn_shape(struct decoder *decoder, const char *line, const char *line_end,
                        const struct record *record)
{
    struct line_shape *older = &decoder->shapes[!decoder->recent];
    struct shape_place places[SCAN_VALUES_MAX];
    if (++decoder->seen_alike <= decoder->patience)
        return;
    decoder->seen_alike = 0;
    decoder->patience =
        older->length == UINT32_MAX || older->hits >= HITS_FEW ? 0 : decoder->patience * 2 + 1;
    if (decoder->patience > PATIENCE_MAX)
        decoder->patience = PATIENCE_MAX;
    int count = line_template_places(&decoder->line_template, places);
    if (line_shape_learn(older, line, (size_t)(line_end - line), places, count, record->has))
        decoder->recent = !decoder->recent;
    else
        line_shape_clear(older);
}

static const char *decode_by_template(struct decoder *decoder, const char *line, const char *end,
                                      struct record *record)
{
    bool same;
    const char *p = line_template_read(&decoder->line_template, line, end, record, &same);
    if (!p || p >= end)
        return NULL;
    if (*p == '\r' && p + 1 < end)
        p++;
    if (*p != '\n')
        return NULL;
    if (same)
        learn_shape(decoder, line, p + 1, record);
    return p + 1;
}

const char *decode_otherwise(struct decoder *decoder, const char *p, const char *end,
                             struct record *record)
{
    const char *after = line_shape_read(&decoder->shapes[!decoder->recent], p, end, record);
    if (!after)
        return decode_by_template(decoder, p, end, record);
    decoder->recent = !decoder->recent;
    return after;
}

/* ---- any line ---- */

static bool holds(const char *p, const char *end, const char *text)
{
    return log_find(str_of(p, (size_t)(end - p)), text) != SIZE_MAX;
}

/* Whether it has a step and one of the first `count` keys for times: the last two are words that
 * other JSON has, too. */
#define TIMES 7
#define TIMES_OF_RECORDS 5
static bool has_step_and_time(const char *p, const char *end, size_t count)
{
    static const char *const times[TIMES] = {"\"forward\"",  "\"backward\"",  "\"sync\"",
                                             "\"compute\"",  "\"step_time\"", "\"data\"",
                                             "\"optimizer\""};
    if (!holds(p, end, "\"step\""))
        return false;
    for (size_t i = 0; i < count; i++)
        if (holds(p, end, times[i]))
            return true;
    return false;
}

/* Whether a line that could not be read was meant to be a record. */
static bool was_meant_as_record(const char *p, const char *end)
{
    return holds(p, end, "\"rank\"") || has_step_and_time(p, end, TIMES_OF_RECORDS);
}

/* Whether it has a step and a time, or at least a rank, of which a torn record can be told. With
 * escapes a key may look otherwise. Other JSON need not be read. */
static bool may_be_record(const char *p, const char *end)
{
    return holds(p, end, "\"rank\"") || memchr(p, '\\', (size_t)(end - p)) ||
           has_step_and_time(p, end, TIMES);
}

static enum scan_result scan_any(struct decoder *decoder, const char *p, const char *end,
                                 struct record *record, const char **ret_end, const char **ret_why)
{
    struct scan_values values;
    enum scan_result result = json_scan(p, end, record, &values, ret_end, ret_why);
    if (result == SCAN_UNUSUAL)
        return decode_cjson(p, end, record, decoder->text, ret_end, ret_why);
    if (result == SCAN_OK && record_is_timing(record))
        line_template_learn(&decoder->line_template, p, *ret_end, &values, record);
    return result;
}

/* The line at each '{' in turn, until one begins a record. */
static enum decode_result decode_slowly(struct decoder *decoder, const char *line,
                                        const char *brace, const char *end, struct record *record,
                                        size_t *ret_used, const char **ret_why)
{
    const char *first_why = NULL, *broken = brace; /* from where nothing could be read */
    bool meant = false;
    for (int tries = 0; brace && tries < CANDIDATES_MAX; tries++) {
        const char *after = end, *why = NULL;
        enum scan_result result = scan_any(decoder, brace, end, record, &after, &why);
        if (result == SCAN_OK) {
            meant = meant || was_meant_as_record(broken, brace);
            broken = after;
        }
        if (result == SCAN_OK && record_is_timing(record)) {
            *ret_used = (size_t)(after - line);
            *ret_why = meant ? first_why : NULL;
            return DECODE_RECORD;
        }
        if (result != SCAN_OK && !first_why)
            first_why = why;
        const char *next = result == SCAN_OK ? after : brace + 1; /* behind another kind of JSON */
        brace = memchr(next, '{', (size_t)(end - next));
    }
    *ret_used = (size_t)(end - line);
    *ret_why = first_why;
    meant = meant || was_meant_as_record(broken, end);
    return first_why && meant ? DECODE_DAMAGED : DECODE_OTHER;
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
    const char *after = line_template_read(&decoder->line_template, brace, end, record, NULL);
    if (after) {
        *ret_used = (size_t)(after - line);
    } else if (!may_be_record(brace, end)) {
        return DECODE_OTHER;
    } else {
        enum decode_result result =
            decode_slowly(decoder, line, brace, end, record, ret_used, ret_why);
        if (result != DECODE_RECORD)
            return result;
    }
    if (record->has & RECORD_JOB) {
        record->rank = 0;
        record->has |= RECORD_RANK;
    } else if (!(record->has & RECORD_RANK) &&
               prefix_rank(str_of(line, (size_t)(brace - line)), &record->rank)) {
        record->has |= RECORD_RANK;
    }
    return DECODE_RECORD;
}
