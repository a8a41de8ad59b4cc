/* Records kept beyond the line they came from, to be compared byte by byte. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "record.h"
#include "summary.h"

/* Absent fields are 0, and so is the padding; the record's slices are not used. */
struct kept {
    struct record record;
    char host[NAME_BYTES], group[NAME_BYTES]; /* cut as the model cuts them */
};

/* Aborts when a value is out of its bounds. */
void kept_take(struct kept *kept, const struct record *record);

bool kept_same(const struct record *a, const struct record *b);
