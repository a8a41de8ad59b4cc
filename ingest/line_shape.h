/* A whole line as the last one was: which bytes stay, where the digits are. One
 * comparison of the line with it checks everything that the strict pass would,
 * and the numbers' places are known before a byte is read. Lines of one writer
 * mostly differ in digits alone. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fields.h"
#include "record.h"

#define LINE_SHAPE_BYTES 256 /* of the longest line, its end included */
#define LINE_SHAPE_VALUES 16

enum shape_kind {
    SHAPE_NUMBER,  /* one lane: at most 8 bytes, a point among them perhaps */
    SHAPE_RANK,    /* the same, digits only */
    SHAPE_UNIX,    /* 10 digits, the point, 6 digits: two lanes and a digit */
    SHAPE_COUNT,   /* digits, at most 15 */
    SHAPE_SECONDS, /* 1 to 10 digits, then perhaps the point and at most 9 digits */
    SHAPE_TEXT,    /* between its quotes */
};

struct shape_value {
    uint16_t place;          /* in the line */
    uint16_t offset;         /* of the value in struct record */
    uint8_t kind;            /* enum shape_kind */
    uint8_t field;           /* enum field; FIELD_UNKNOWN: a text that nobody asks for */
    uint8_t whole, fraction; /* digits before and after the point; of a text: its bytes */
    uint32_t scale;          /* nanoseconds of the last digit; of a count: 1 */
};

/* Bytes that are compared at once; what the machine has for it is the compiler's
 * choice (SSE2, NEON, or words). */
typedef uint8_t shape_bytes __attribute__((vector_size(16)));
#define LINE_SHAPE_BLOCKS (LINE_SHAPE_BYTES / sizeof(shape_bytes))

/* Numbers are worked out four at a time, each from the 8 bytes that end with it:
 * bytes are weighed to pairs, pairs to fours, fours to one number. What is not a
 * digit of it weighs nothing. */
#define LINE_SHAPE_LANES 16
struct shape_lanes {
    _Alignas(16) int16_t pair[LINE_SHAPE_LANES][8];
    _Alignas(16) int16_t four[LINE_SHAPE_LANES][4];
    _Alignas(16) int16_t eight[LINE_SHAPE_LANES][2];
    uint16_t place[LINE_SHAPE_LANES];
};

struct line_shape {
    uint32_t length; /* bytes of the line, its end included; UINT32_MAX: no shape */
    uint32_t has;    /* RECORD_ bits of the record that such a line is */
    uint32_t hits;
    uint16_t value_count, lane_count;
    struct shape_value values[LINE_SHAPE_VALUES];
    struct shape_lanes lanes;
    /* A byte fits when it is least to least + span: the byte itself, 0 to 9, or
     * 1 to 9 for the first of several digits. */
    shape_bytes least[LINE_SHAPE_BLOCKS], span[LINE_SHAPE_BLOCKS];
};

/* Where a value stands, for line_shape_learn(). */
struct shape_place {
    uint16_t begin, end; /* in the line; of a text: between its quotes */
    uint8_t field;       /* enum field */
    bool text;           /* otherwise a number */
};

void line_shape_clear(struct line_shape *shape);

/* Takes the shape of a line that was read as a record (has: its RECORD_ bits);
 * length includes its end ("\n", "\r\n"). False, *shape unchanged or cleared,
 * when it has none: too long, or a number beyond the kinds above. */
bool line_shape_learn(struct line_shape *shape, const char *line, size_t length,
                      const struct shape_place *places, int place_count, uint32_t has);

/* The record at p when its line has this shape and ends before `end`: the place
 * after the line. NULL otherwise: nothing is said then. Reads up to 16 bytes
 * past the line. */
const char *line_shape_read(struct line_shape *shape, const char *p, const char *end,
                            struct record *record);
