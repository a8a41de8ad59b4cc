/* The span as it stood at an earlier step: folds kept now and then on the way, from
 * which the rows that are in the table are folded again. So what a look back says is
 * what the screen said then. */
#pragma once

#include "analysis_table.h"

/* Rows are counted from the first that was ever folded: those that have left the table
 * (analysis.dropped_rows), then those in it. */
struct past_mark {
    uint64_t rows; /* that are in the fold */
    struct fold fold;
};

struct analysis_past {
    struct past_mark *marks; /* in order, owned */
    uint32_t count, capacity;
    size_t bytes;           /* of the marks, about */
    uint64_t spacing;       /* rows between two marks */
    uint64_t newest;        /* rows of the mark made last, be it gone or not */
    uint64_t base;          /* rows that had left when the fold began: it was empty then */
    struct past_mark shown; /* of the step that was looked at last; rows 0: none */
    struct past_mark near;  /* a few rows before it: for the next step back; rows 0: none */
    uint64_t changes;       /* analysis.changes when those two were made */
};

void analysis_past_init(struct analysis *analysis);
void analysis_past_done(struct analysis_past *past);

/* The fold begins anew with the rows that are in the table. */
void analysis_past_restart(struct analysis *analysis);

/* A row has settled: keeps a mark when it is time for one. */
void analysis_past_settled(struct analysis *analysis);

/* A row leaves the table: marks before it are of no use any more. */
void analysis_past_dropped(struct analysis *analysis);

/* The index of the first row that can be looked back at exactly; SIZE_MAX: none but the
 * newest. */
size_t analysis_past_first(const struct analysis *analysis);

/* The fold over all rows up to the one at `index`, which is not before the first; the
 * caller may use and change it until the next call of these functions. */
struct fold *analysis_past_fold(struct analysis *analysis, size_t index);
