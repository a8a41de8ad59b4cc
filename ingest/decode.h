/* A line becomes a record, or is counted as something else.
 *
 * Three ways, the fastest first: the layout of the line before is guessed and
 * compared in whole words (template); a strict pass takes the keys in any order
 * (json_scan); cJSON takes escapes and nested values (decode_cjson). All three
 * give the same record; where cJSON is lenient, the strict answer counts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fields.h"
#include "json_scan.h"
#include "record.h"
#include "summary.h"

/* Bytes that must be readable after the end of a line (of any value). */
#define DECODE_SLACK 64

enum decode_result {
    DECODE_RECORD,
    DECODE_OTHER,   /* a line of another kind */
    DECODE_DAMAGED, /* should be a record, but is torn, invalid or out of range */
};

#define TEMPLATE_PARTS_MAX SCAN_VALUES_MAX
#define TEMPLATE_WORDS 3
#define TEMPLATE_LITERAL_MAX (8 * TEMPLATE_WORDS)

/* Text up to a value, and the value's kind. */
struct template_part {
    uint64_t literal[TEMPLATE_WORDS], mask[TEMPLATE_WORDS]; /* in words; mask: which bytes count */
    uint8_t length;          /* of the text, bytes */
    uint8_t kind;            /* enum template_kind in decode.c */
    uint8_t whole, fraction; /* digits of the number when it was last read; whole 0: any */
    uint32_t scale;          /* nanoseconds of the last digit of that fraction */
    uint32_t offset;         /* of the value in struct record */
    uint32_t bit;            /* RECORD_ bit */
    int64_t max;             /* largest value */
};

/* One for each input: lines of one writer look alike. */
struct decoder {
    int part_count; /* 0: no template yet */
    struct template_part parts[TEMPLATE_PARTS_MAX];
    char tail[TEMPLATE_LITERAL_MAX]; /* after the last value */
    uint32_t tail_length;
    uint32_t constant_bits;          /* RECORD_ bits that the template's text itself says */
    char text[2][NAME_BYTES];        /* host and group when cJSON had to unescape them */
};

void decoder_init(struct decoder *decoder);

/* The record at p by the layout of the one before, when it fits and its line
 * ends in [p, end); the place after the newline, NULL otherwise (nothing is said
 * then: take decode_line()). Sets no rank that is not in the record. */
const char *decode_quickly(struct decoder *decoder, const char *p, const char *end,
                           struct record *record);

/* Decodes the line (no newline in it). *ret_used is how much of it was looked
 * at: after a record, another may follow on the same line. With DECODE_DAMAGED
 * *ret_why says what is wrong; with DECODE_RECORD it is NULL, or says what was
 * broken in front of the record on the same line. A record without a rank takes
 * it from a prefix ("[rank5]: ", "5: "), else it comes back without RECORD_RANK.
 * Slices in *record point into the line or the decoder. */
enum decode_result decode_line(struct decoder *decoder, const char *line, size_t length,
                               struct record *record, size_t *ret_used, const char **ret_why);
