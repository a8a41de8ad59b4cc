/* The layout of a writer's lines: the text between the values, in order. The
 * next line is compared with it in whole words; the values may be of any length. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "fields.h"
#include "json_scan.h"
#include "line_shape.h"
#include "record.h"

#define LINE_TEMPLATE_TEXT 24  /* bytes that are compared at once */
#define LINE_TEMPLATE_PARTS 32 /* more than the values: a long text takes several */

/* Text up to a value, and the value's kind. */
struct template_part {
    uint64_t first, middle, last; /* words of the text: at 0, at 8, the last 8 bytes */
    uint8_t length;               /* of the text */
    uint8_t kind;                 /* enum template_kind in line_template.c */
    struct shape_place place;     /* of the value when it was last read */
};

struct line_template {
    int part_count; /* 0: no template yet; the last one is the end of the text */
    uint32_t has;   /* RECORD_ bits of the record that such a line is */
    struct template_part parts[LINE_TEMPLATE_PARTS];
};

/* Takes the layout of a record that was just read strictly; object is its '{',
 * object_end the place after its '}'. */
void line_template_learn(struct line_template *line_template, const char *object,
                         const char *object_end, const struct scan_values *values,
                         const struct record *record);

/* The record at p by the template: the place after its '}', NULL when it does
 * not fit: nothing is said then. Reads up to DECODE_SLACK bytes past the end.
 * *ret_same (may be NULL): every value has its place in the line before. */
const char *line_template_read(struct line_template *line_template, const char *p, const char *end,
                               struct record *record, bool *ret_same);

/* The places of the values in the line that was read last, at most
 * SCAN_VALUES_MAX; their number. */
int line_template_places(const struct line_template *line_template,
                         struct shape_place places[SCAN_VALUES_MAX]);
