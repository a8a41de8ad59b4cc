/* The last W steps up to the shown one as a matrix (window.h), for a summary. */
#pragma once

#include "analysis_table.h"
#include "window.h"

/* Room for it, kept from summary to summary. The view points into it, or into the
 * fold's own samples. */
struct analysis_window {
    struct window view;
    size_t *rows, row_count; /* of the table that it is about, oldest first: those of the span,
                                W at most; owned */
    uint32_t ordinal;            /* of the newest of them */
    uint32_t late_slot; /* of a rank that is named because it begins late; RANK_SLOT_NONE */
    double late_gain_s; /* without it a step would be shorter by this */

    uint32_t rank_capacity, step_capacity;
    float *samples; /* ranks x steps, for steps that are not the newest; NULL until then */
    size_t samples_size;
    float *medians, *spreads; /* [ranks] NAN: none */
    double *own_median_ns, *time_ns, *exchange_ns; /* [steps] by column */
    uint32_t *groups, *hosts; /* [ranks] units of peers + 1; 0: none */
    uint8_t *named;           /* [ranks] */
    double *gains_s;          /* [ranks] */
    double *unit_gains_s;     /* [2 x (units + 1)] groups, then hosts */
};

void analysis_window_done(struct analysis_window *window); /* zero-initialised is empty */

/* For the row at `index` of the table, which has been folded and is in the span;
 * SIZE_MAX: an empty one. `brief`: without spreads. */
void analysis_window_make(struct analysis *analysis, size_t index, bool brief);

/* The rest of the summary that comes from it: jitter, gains, what-ifs, ledgers,
 * effective training time, rotation. After the verdicts and the window's figures. */
void analysis_costs(struct analysis *analysis, size_t index, struct summary *summary);

/* Of these the what-ifs alone; named_gain_s: of all that are named together. */
void analysis_what_ifs(struct analysis *analysis, double named_gain_s, struct summary *summary);
