/* lockstep report --step: the run as it stood when a step was the newest.
 *
 * A step can be the newest more than once, as often as there are attempts that have it; the
 * last of them counts. Which one is the last is known at the end alone: so each time the model
 * comes to the step a copy of it is kept in place of the one before. Nothing that came after
 * the record that closed the step is in it. */
#pragma once

#include "analysis.h"

struct report_moment {
    int64_t step;
    bool overview; /* is kept as well */
    struct overview_request columns;

    uint64_t closed;       /* when it was looked at last */
    int attempt;           /* in which the copy was made; -1: none yet */
    struct analysis *copy; /* owned; NULL: the step was not reached */
    struct overview kept;  /* up to the step */
};

void report_moment_init(struct report_moment *moment, int64_t step, bool overview,
                        struct overview_request columns);
void report_moment_done(struct report_moment *moment);

/* The model has taken a record, or has ended. */
void report_moment_look(struct report_moment *moment, struct analysis *analysis);
