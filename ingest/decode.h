/* A line becomes a record, or is counted as something else.
 *
 * Four ways, the fastest first: the line differs from one before in digits only
 * (line_shape); it has the same text between its values (line_template); a strict
 * pass takes the keys in any order (json_scan); cJSON takes escapes and nested
 * values (decode_cjson). All give the same record; where cJSON is lenient, the
 * strict answer counts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fields.h"
#include "json_scan.h"
#include "line_shape.h"
#include "line_template.h"
#include "record.h"
#include "summary.h"

/* Bytes that must be readable after the end of a line (of any value). */
#define DECODE_SLACK 64

enum decode_result {
    DECODE_RECORD,
    DECODE_OTHER,   /* a line of another kind */
    DECODE_DAMAGED, /* should be a record, but is torn, invalid or out of range */
};

/* One for each input: lines of one writer look alike. */
struct decoder {
    struct line_shape shapes[2]; /* two: ranks 8 and 16 stand in lines of two lengths */
    int recent;                  /* the shape that fitted last */
    int patience, seen_alike;    /* lines of one new shape before it is learned */
    struct line_template line_template;
    char text[2][NAME_BYTES]; /* host and group when cJSON had to unescape them */
};

void decoder_init(struct decoder *decoder);

/* The record at p when its line looks like one before and ends in [p, end): the
 * place after its newline. NULL otherwise: nothing is said then, take
 * decode_line(). Sets no rank that is not in the record. */
static inline const char *decode_quickly(struct decoder *decoder, const char *p, const char *end,
                                         struct record *record);

/* The same by the other shape and the template. */
const char *decode_otherwise(struct decoder *decoder, const char *p, const char *end,
                             struct record *record);

/* Decodes the line (no newline in it). *ret_used is how much of it was looked
 * at: after a record, another may follow on the same line. With DECODE_DAMAGED
 * *ret_why says what is wrong; with DECODE_RECORD it is NULL, or says what was
 * broken in front of the record on the same line. A record without a rank takes
 * it from a prefix ("[rank5]: ", "5: "), else it comes back without RECORD_RANK;
 * one of the whole job is of rank 0, whatever it says.
 * Slices in *record point into the line or the decoder. */
enum decode_result decode_line(struct decoder *decoder, const char *line, size_t length,
                               struct record *record, size_t *ret_used, const char **ret_why);

static inline const char *decode_quickly(struct decoder *decoder, const char *p, const char *end,
                                         struct record *record)
{
    const char *after = line_shape_read(&decoder->shapes[decoder->recent], p, end, record);
    return __builtin_expect(after != NULL, 1) ? after : decode_otherwise(decoder, p, end, record);
}
