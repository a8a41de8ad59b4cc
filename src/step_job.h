/* What a log says of a step as a whole, not of one rank: over how many steps its values
 * are means, the rates it gives, and the step time of the whole job. Of a row of the step
 * table: one of it, not one a rank. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "record.h"

struct step_job {
    int64_t span;    /* steps that the values are means over, the row's the last of them; 1 */
    int64_t flops;   /* model FLOP/s of one GPU; 0: not logged */
    int64_t mfu;     /* a share, in 1e-9; -1: not logged */
    int64_t gpus;    /* 0: not logged */
    int64_t time_ns; /* of one step of the whole job; 0: not logged */
    int64_t tokens;  /* of the whole job in one step; -1: not logged */
};

#define STEP_JOB_NONE                                                                              \
    ((struct step_job){.span = 1, .mfu = -1, .tokens = -1}) /* of a step of ranks alone */

/* Takes what the record says; of several the largest, so that their order does not
 * matter. */
void step_job_take(struct step_job *job, const struct record *record);

/* begin + span x length; INT64_MIN when that is beyond any time. */
int64_t step_job_end_ns(int64_t begin_ns, int64_t span, int64_t length_ns);

/* Rates that a log gives, summed over time. */
struct job_rates {
    double flops_ns, flops_time_ns; /* FLOP/s x time, and the time it is known of */
    double mfu_ns, mfu_time_ns;     /* likewise */
};

/* Adds some time with a rate; flops 0 and mfu below 0 are not known. */
static inline void job_rates_add(struct job_rates *rates, double flops, double mfu, double time_ns)
{
    if (flops > 0) {
        rates->flops_ns += flops * time_ns;
        rates->flops_time_ns += time_ns;
    }
    if (mfu >= 0) {
        rates->mfu_ns += mfu * time_ns;
        rates->mfu_time_ns += time_ns;
    }
}

void job_rates_merge(struct job_rates *rates, const struct job_rates *more);
double job_rates_flops(const struct job_rates *rates); /* the mean; 0: not known */
double job_rates_mfu(const struct job_rates *rates);   /* likewise; below 0: not known */

static inline double step_job_mfu(const struct step_job *job) /* below 0: not logged */
{
    return (double)job->mfu * 1e-9;
}
