/* Seeded random lines for the tests and fuzz targets of the decoder: records in
 * every way a writer may write them, and damage. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"

#define LINES_BYTES 2048 /* of the longest line */

struct lines {
    uint64_t state;   /* of the generator; any seed */
    int whole_digits; /* of the step, so that several lines are alike */
    int fraction;     /* digits; -1: random for each number */
    unsigned style;   /* bits that stay for several lines */
    int left;         /* lines until the style changes */
};

uint64_t lines_random(struct lines *lines);                /* 64 random bits */
unsigned lines_below(struct lines *lines, unsigned limit); /* 0 to limit - 1 */

/* One valid record without its line end; its length. Not NUL-terminated. */
size_t lines_write(struct lines *lines, char to[static LINES_BYTES]);

/* Damages a line in place: bytes changed, torn, doubled, left out, two lines
 * joined. The new length, at most LINES_BYTES. */
size_t lines_damage(struct lines *lines, char line[static LINES_BYTES], size_t length);

/* Whether two records say the same: host and group up to NAME_BYTES - 1. */
bool lines_same_record(const struct record *a, const struct record *b);
