/* What each step came to, summed over the span, and remembered one by one for as
 * long as the run may go back to them: so that steps which are done again can be
 * taken out as lost work. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ledger.h"
#include "step_job.h"

#define HISTORY_STEPS_MAX 16384

/* Nanoseconds of one step, or of the `covered` ones up to it; NAN: not known. */
struct history_step {
    int64_t step;
    uint32_t covered; /* steps; 1 */
    float own_ns, input_ns, late_ns, straggler_ns, exchange_ns, checkpoint_ns, validation_ns;
    double flops, mfu; /* as the log gives them; 0, below 0: not known */
    double time_ns, tokens;
};

struct history {
    struct history_step *ring; /* by the number of the step % capacity, owned */
    uint32_t capacity, count;  /* count: of the attempt, HISTORY_STEPS_MAX at most */
    uint32_t packed;           /* not 0: the ring holds the newest so many alone, and only copies
                                  may be made of it */
    uint32_t next;             /* numbers given so far */
    struct ledger_sums sums;   /* of what is kept */
    double tokens;             /* likewise */
    struct job_rates rates;    /* likewise */
    int64_t own_steps, input_steps, exchange_steps; /* steps that have these */
    int64_t token_steps;
    int64_t repeated_steps; /* done again, so far */
    bool lost_more;         /* some that were lost are no longer remembered */
    int restarts;
    bool down_unknown; /* how long the job was down at some restart: then down_ns is 0,
                          since a part of it is no total */
};

void history_done(struct history *history); /* zero-initialised is empty */
void history_copy(struct history *to, const struct history *from);
size_t history_bytes(const struct history *history);

/* Forgets all but the newest `kept` steps. A copy of it is as one of the whole, as long as
 * the run does not go back to what was forgotten. */
void history_pack(struct history *history, uint32_t kept);

/* One more step, or a value of several. Returns its number. */
uint32_t history_add(struct history *history, const struct history_step *step);

/* A straggler is found to have cost `ns` more in the step of that number. */
void history_blame(struct history *history, uint32_t number, double ns);

/* The run goes on from `step`, after being down for down_ns (NAN: not known): the
 * steps from there on were lost. Returns how many. Of a value that covers some of them and
 * some before, its share of those before is kept. */
int64_t history_restart(struct history *history, int64_t step, double down_ns);
