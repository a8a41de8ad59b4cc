/* Lines of NCCL's Inspector, read forward: a process writes the same keys in the same order line
 * after line. What stands around the values of a line that was read is remembered; where another
 * line has just the same around its own, only those that differ are read. nccl_record_read() stays
 * the definition, and reads what is not quite like that. */
#pragma once

#include "nccl_record.h"

#define NCCL_LAYOUTS 8

struct nccl_layout_value;

/* A line that was read. */
struct nccl_layout {
    char *text; /* owned */
    size_t length;
    struct nccl_layout_value *values; /* owned; in order */
    size_t count;
    struct nccl_number *numbers; /* owned; of those values that are numbers and asked for */
    struct nccl_record record;   /* its kind and texts; of its numbers nothing */
};

/* All zero is: none yet. */
struct nccl_layouts {
    struct nccl_layout list[NCCL_LAYOUTS];
    uint8_t after[NCCL_LAYOUTS]; /* which one came after it last */
    uint8_t count, oldest, last;
    unsigned in_vain; /* rises with a line that is like none of these, falls with one that is */
};

void nccl_layouts_done(struct nccl_layouts *layouts);

/* What nccl_record_read() reads, in the same line. */
bool nccl_layouts_read(struct nccl_layouts *layouts, struct nccl_record *record, struct str text);
