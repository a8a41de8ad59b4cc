/* The order of the rows in the table of all ranks. Pure; cheap enough to be made
 * anew for each picture (under 1 ms for 16,384 ranks). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "summary.h"

/* What a column of the table shows of a rank: rank_columns.def. */
enum rank_column {
#define COLUMN(id, ...) RANK_COLUMN_##id,
#include "rank_columns.def"
#undef COLUMN
    RANK_COLUMN_COUNT
};

enum rank_mark { /* the more urgent, the higher */
    RANK_MARK_NONE,
    RANK_MARK_LAST,       /* at the barrier of the shown step */
    RANK_MARK_GROUP,      /* its group or host is slow */
    RANK_MARK_STRAGGLER,
    RANK_MARK_MISSING,
};

/* All zero: the slowest over the window first. */
struct rank_order {
    int turns;    /* columns on from the first one that is sorted by, modulo their number */
    bool reverse; /* against the column's own direction */
    int scroll;   /* rows above the first one to be seen */
};
enum rank_column rank_order_column(const struct rank_order *order);
bool rank_order_falls(const struct rank_order *order);      /* the largest first */
const char *rank_column_name(enum rank_column column);      /* "mean wait of all steps" */

/* The first of `seen` rows that has the cursor's row (SIZE_MAX: none) among them,
 * and is near order->scroll. */
int rank_order_scroll(const struct rank_order *order, size_t cursor, size_t count, int seen);

struct rank_rows {
    size_t count;
    uint32_t *index; /* of summary->ranks, malloc'd */
};

/* The ranks that pass the filter, sorted. Equal ones stand by number; what is not
 * known stands at the end in both directions. */
struct rank_rows rank_rows_make(const struct summary *summary, const char *filter,
                                const struct rank_order *order);
void rank_rows_done(struct rank_rows *rows);

/* The row of a rank number; SIZE_MAX. */
size_t rank_rows_find(const struct rank_rows *rows, const struct summary *summary, int64_t rank);

/* What a column sorts and shows: a number, NAN when it is not known. Of a mark its
 * urgency; of a name NAN: rank_text(). */
double rank_value(const struct summary *summary, const struct summary_rank *rank,
                  enum rank_column column);
bool rank_column_known(const struct summary *summary, enum rank_column column); /* of any rank */
const char *rank_text(const struct summary_rank *rank, enum rank_column column); /* NULL: a number */
enum rank_mark rank_mark_of(const struct summary *summary, const struct summary_rank *rank);
