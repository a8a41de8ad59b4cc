/* Which ranks get a row, and in which order. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "canvas.h"
#include "filter.h"
#include "summary.h"

enum choice_mode {
    CHOICE_MATTER,  /* missing, stragglers, the slowest, the median, the fastest; by number */
    CHOICE_NUMBER,  /* all, by rank number */
    CHOICE_SLOWEST, /* all, the slowest first */
    CHOICE_COUNT
};
const char *choice_name(enum choice_mode mode); /* "those that matter", ... */

/* Why a rank was chosen; of several the first that is true. */
enum choice_role {
    ROLE_NONE,
    ROLE_MISSING,
    ROLE_STRAGGLER,
    ROLE_LAST,    /* the last at the barrier of the shown step */
    ROLE_FASTEST, /* the smallest slowdown in the shown step */
    ROLE_MEDIAN,  /* that nearest to its median */
};

struct choice_row {
    uint32_t index; /* of summary->ranks */
    enum choice_role role;
};

struct choice {
    size_t count;    /* rows in use */
    size_t first;    /* how many stand before the first row (scrolled away) */
    size_t matching; /* ranks that the filter lets through */
    struct choice_row rows[CANVAS_SIDE_MAX];
};

/* Chooses for `rows` rows, CANVAS_SIDE_MAX at most. `scroll` is how many ranks
 * to leave out at the top; it is brought into range, and has no meaning for
 * CHOICE_MATTER. The slowness of a rank is its median slowdown over the window,
 * or that of the shown step when there is no window yet. */
void choice_make(struct choice *choice, const struct summary *summary, enum choice_mode mode,
                 const char *filter, size_t scroll, size_t rows);

/* Likewise; of the ranks that matter is the one that is looked at too (-1: none). */
void choice_make_with(struct choice *choice, const struct summary *summary, enum choice_mode mode,
                      const char *filter, size_t scroll, size_t rows, int64_t looked_at);

double choice_slowness(const struct summary_rank *rank); /* NAN when not known */
