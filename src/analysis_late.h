/* A rank that is last nearly every time though its phases are no longer than those
 * of the others: it begins late (garbage collection, a loader outside `data`, the
 * host). Only measured waits tell. */
#pragma once

#include "analysis_window.h"

#define LATE_SHARE 0.8 /* of the window's steps in which it was last */

struct late {
    uint32_t slot;     /* RANK_SLOT_NONE: nobody */
    double slowdown;   /* its arrival / the median own time, the median over the window */
    double sure;       /* standard errors over 1 */
    double gain_s;     /* a step would be shorter by this without it, mean */
    int64_t from_step; /* the first step of the window in which it was that late */
    int attempt;
};

/* Looks at the window that was made last. Own times must name nobody, and at least
 * STRAGGLER_STEPS_MIN steps have measured waits; what it is late by, and what would be
 * won, are over the threshold. O(1) unless one rank is last nearly every time, then
 * O(ranks x steps). */
struct late analysis_find_late(struct analysis *analysis);
