/* Lines of one writer, one after the other: all ways of the decoder give the same
 * record, and none takes what is not valid JSON. */
#include <string.h>

#include "decode.h"
#include "decode_cjson.h"
#include "fuzz.h"
#include "kept.h"

#define LINE_MAX_BYTES 8192

/* The line, its newline, and exactly the slack that the decoder may read. */
struct line {
    size_t length; /* without the newline */
    char *bytes;
};

/* What the reference says of the object that begins the line. */
struct strict {
    bool good; /* a record */
    struct record record;
    const char *end;
};

static void fill_slack(struct line line, char with)
{
    memset(line.bytes + line.length + 1, with, DECODE_SLACK);
}

static bool reference(const char *p, const char *end, struct record *record,
                      char names[2][NAME_BYTES], const char **ret_end)
{
    const char *why;
    return decode_cjson(p, end, record, names, ret_end, &why) == SCAN_OK &&
           record_is_timing(record);
}

/* The strict pass against cJSON. */
static struct strict scan(struct line line)
{
    struct strict strict = {.good = false};
    struct scan_values values;
    struct record record;
    char names[2][NAME_BYTES];
    const char *end = line.bytes + line.length, *valid_end, *cjson_end, *why;
    enum scan_result result =
        json_scan(line.bytes, end, &strict.record, &values, &strict.end, &why);
    bool valid = json_valid(line.bytes, end, &valid_end, &why);
    bool good = decode_cjson(line.bytes, end, &record, names, &cjson_end, &why) == SCAN_OK;
    PROMISE(result != SCAN_OK || valid, "the strict pass takes nothing that is not valid");
    PROMISE(result != SCAN_INVALID || !valid, "the strict pass takes all that is valid");
    PROMISE(valid || !good, "cJSON takes nothing that is not valid");
    if (result != SCAN_UNUSUAL)
        PROMISE((result == SCAN_OK) == good, "the strict pass and cJSON take the same");
    if (result == SCAN_OK) {
        PROMISE(strict.end == valid_end && strict.end == cjson_end, "they end at the same place");
        PROMISE(kept_same(&strict.record, &record), "the strict pass and cJSON give one record");
        strict.good = record_is_timing(&strict.record);
    }
    return strict;
}

/* The fast ways against the strict pass; the decoder is a copy. */
static void check_quick(const struct decoder *decoder, struct line line, struct strict strict)
{
    struct decoder copy = *decoder;
    struct record record;
    const char *end = line.bytes + line.length;
    const char *after = decode_quickly(&copy, line.bytes, end + 1, &record);
    if (after) {
        PROMISE(after == end + 1, "the quick way ends behind the newline");
        PROMISE(strict.good, "the quick way takes only what the strict pass takes");
        PROMISE(end - strict.end == 0 || (end - strict.end == 1 && *strict.end == '\r'),
                "and nothing stands behind it");
        PROMISE(kept_same(&record, &strict.record), "the quick way gives the same record");
    }
    copy = *decoder;
    after = line_template_read(&copy.line_template, line.bytes, end, &record, NULL);
    if (after) {
        PROMISE(strict.good, "the template takes only what the strict pass takes");
        PROMISE(after == strict.end, "the template ends where the strict pass does");
        PROMISE(kept_same(&record, &strict.record), "the template gives the same record");
    }
}

/* Somewhere in the line stands the record that was taken. */
static void check_taken(struct line line, const struct record *record, size_t used)
{
    const char *end = line.bytes + line.length;
    PROMISE(used > 0 && used <= line.length && line.bytes[used - 1] == '}', "it ends with a brace");
    const char *brace = memchr(line.bytes, '{', used);
    for (; brace; brace = memchr(brace + 1, '{', (size_t)(line.bytes + used - brace - 1))) {
        const char *after, *why;
        char names[2][NAME_BYTES];
        struct record found;
        if (!json_valid(brace, end, &after, &why) || after != line.bytes + used)
            continue;
        if (!reference(brace, end, &found, names, &after))
            continue;
        if (!(found.has & RECORD_RANK) && (record->has & RECORD_RANK)) { /* from a prefix */
            found.rank = record->rank;
            found.has |= RECORD_RANK;
        }
        PROMISE(kept_same(&found, record), "cJSON gives the same record");
        return;
    }
    PROMISE(false, "what is taken is valid JSON");
}

/* The decoder with all it has learned, a new one, and other bytes in the slack:
 * no difference. */
static void check_line(const struct decoder *decoder, struct line line)
{
    struct decoder learned = *decoder, fresh;
    struct record record, other;
    size_t used, other_used;
    const char *why, *other_why;
    decoder_init(&fresh);
    fill_slack(line, 0);
    enum decode_result result =
        decode_line(&learned, line.bytes, line.length, &record, &used, &why);
    fill_slack(line, '5');
    enum decode_result other_result =
        decode_line(&fresh, line.bytes, line.length, &other, &other_used, &other_why);
    PROMISE(result == other_result, "what was learned does not change what a line is");
    PROMISE(used == other_used, "nor how much of it was looked at");
    PROMISE(used <= line.length, "nothing behind the line is used");
    PROMISE(result != DECODE_DAMAGED || why, "damage has a reason");
    if (result != DECODE_RECORD)
        return;
    PROMISE(!why == !other_why, "nor whether something was broken before the record");
    PROMISE(kept_same(&record, &other), "nor the record");
    PROMISE(record_is_timing(&record), "a record has a step and a time");
    check_taken(line, &record, used);
}

/* As a stream does it; three times, so that template and shape get to know it. */
static void learn(struct decoder *decoder, struct line line)
{
    struct record record;
    size_t used;
    const char *why;
    for (int i = 0; i < 3; i++)
        if (!decode_quickly(decoder, line.bytes, line.bytes + line.length + 1, &record))
            decode_line(decoder, line.bytes, line.length, &record, &used, &why);
}

static void check(struct decoder *decoder, const uint8_t *text, size_t length)
{
    struct line line = {length, malloc(length + 1 + DECODE_SLACK)};
    if (!line.bytes)
        abort();
    memcpy(line.bytes, text, length);
    line.bytes[length] = '\n';
    fill_slack(line, '0');
    struct strict strict = {.good = false};
    if (length > 0 && line.bytes[0] == '{')
        strict = scan(line);
    check_quick(decoder, line, strict);
    check_line(decoder, line);
    learn(decoder, line);
    check_quick(decoder, line, strict);
    free(line.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct decoder decoder;
    decoder_init(&decoder);
    while (size > 0) {
        const uint8_t *newline = memchr(data, '\n', size);
        size_t length = newline ? (size_t)(newline - data) : size;
        if (length <= LINE_MAX_BYTES)
            check(&decoder, data, length);
        data += length + (newline != NULL);
        size -= length + (newline != NULL);
    }
    return 0;
}
