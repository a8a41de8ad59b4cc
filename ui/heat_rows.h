/* The rows of a heat map: which ranks each stands for, and the worst of them. Pure.
 *
 * One row a rank where they fit; else a row is a host, a group or a block of ranks.
 * One pass over the ranks, one over the cells, whatever their number. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "overview.h"

enum heat_by {
    HEAT_BY_FIT, /* ranks, else hosts where they fit; else groups or blocks, whichever is finer */
    HEAT_BY_RANK,
    HEAT_BY_HOST,
    HEAT_BY_GROUP,
    HEAT_BY_BLOCK,
    HEAT_BY_COUNT
};
const char *heat_by_name(enum heat_by by); /* "as it fits", "ranks", "hosts", ... */

struct heat_row {
    size_t first, last; /* indices of its ranks in the overview; with hosts and groups others
                           may lie between */
    size_t ranks;
    uint16_t slowness; /* largest mean slowdown of one of its ranks, HEAT_UNIT; HEAT_NONE */
};

struct heat_rows {
    enum heat_by by; /* never HEAT_BY_FIT */
    size_t block;    /* ranks in a row; by blocks */
    size_t ranks;    /* that pass the filter */
    size_t count;
    struct heat_row *items; /* owned */
    uint32_t *row_of;       /* by index of rank; HEAT_NO_ROW: not shown; owned */
};
#define HEAT_NO_ROW UINT32_MAX

struct heat_rows_want {
    enum heat_by by;
    size_t room;        /* rows that can be seen */
    const char *filter; /* ui/filter.h */
    bool slowest_first; /* else by number */
};

/* What is not known (hosts, groups) gives way to blocks. heat_rows_done() frees it. */
void heat_rows_make(struct heat_rows *rows, const struct overview *overview,
                    const struct heat_rows_want *want);
void heat_rows_done(struct heat_rows *rows);

/* The next kind of rows that this run can have. */
enum heat_by heat_by_next(const struct overview *overview, enum heat_by by);

#define HEAT_LABEL_BYTES (NAME_BYTES + 32)
/* "5", "node17 (8)", "64-127": raw bytes of a log may stand in it. */
void heat_rows_label(const struct heat_rows *rows, const struct overview *overview, size_t row,
                     char out[HEAT_LABEL_BYTES]);

/* The worst slowdown of the rows from `first` on, `count` of them, in every column:
 * count x columns, row-major, in HEAT_UNIT. */
void heat_rows_worst(const struct heat_rows *rows, const struct overview *overview, size_t first,
                     size_t count, uint16_t *out);

/* Index of the slowest rank of a row (HEAT_NO_ROW: of all rows) in a column; the row's
 * first when none has a slowdown there; SIZE_MAX when there is no rank. */
size_t heat_rows_worst_rank(const struct heat_rows *rows, const struct overview *overview,
                            uint32_t row, size_t column);
