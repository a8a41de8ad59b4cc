/* What a log says of a step as a whole. */
#include "step_job.h"

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

void step_job_take(struct step_job *job, const struct record *record)
{
    uint32_t has = record->has;
    if (has & RECORD_SPAN)
        job->span = larger(job->span, record->span);
    if (has & RECORD_FLOPS)
        job->flops = larger(job->flops, record->flops);
    if (has & RECORD_MFU)
        job->mfu = larger(job->mfu, record->mfu);
    if (has & RECORD_GPUS)
        job->gpus = larger(job->gpus, record->gpus);
    if (!(has & RECORD_JOB))
        return;
    if (has & RECORD_STEP_TIME)
        job->time_ns = larger(job->time_ns, record->step_time_ns);
    if (has & RECORD_TOKENS)
        job->tokens = larger(job->tokens, record->tokens);
}

int64_t step_job_end_ns(int64_t begin_ns, int64_t span, int64_t length_ns)
{
    int64_t end_ns;
    if (__builtin_mul_overflow(span, length_ns, &length_ns) ||
        __builtin_add_overflow(begin_ns, length_ns, &end_ns))
        return INT64_MIN;
    return end_ns;
}

void job_rates_merge(struct job_rates *rates, const struct job_rates *more)
{
    rates->flops_ns += more->flops_ns;
    rates->flops_time_ns += more->flops_time_ns;
    rates->mfu_ns += more->mfu_ns;
    rates->mfu_time_ns += more->mfu_time_ns;
}

double job_rates_flops(const struct job_rates *rates)
{
    return rates->flops_time_ns > 0 ? rates->flops_ns / rates->flops_time_ns : 0;
}

double job_rates_mfu(const struct job_rates *rates)
{
    return rates->mfu_time_ns > 0 ? rates->mfu_ns / rates->mfu_time_ns : -1;
}
