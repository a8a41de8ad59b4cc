/* What holds of the job as a whole: whose the records are, how many GPUs it has, and its
 * utilization, by the model or as the log gives it. */
#include <math.h>
#include <string.h>

#include "analysis_table.h"
#include "mfu.h"

enum record_scope analysis_scope(const struct analysis *analysis)
{
    const struct fold *fold = &analysis->current;
    if (fold->of_job || fold->of_ranks)
        return fold->of_ranks ? SCOPE_RANKS : SCOPE_JOB;
    return analysis->job_records > 0 && analysis->job_records >= analysis->records ? SCOPE_JOB
                                                                                   : SCOPE_RANKS;
}

double analysis_gpus(const struct analysis *analysis, bool *ret_assumed, bool *ret_logged)
{
    int64_t logged = analysis->current.gpus;
    *ret_assumed = *ret_logged = false;
    if (analysis->options.run.gpus > 0)
        return analysis->options.run.gpus;
    if (logged > 0) {
        *ret_logged = true;
        return (double)logged;
    }
    if (analysis_scope(analysis) == SCOPE_JOB)
        return 0;
    *ret_assumed = true;
    return analysis->ranks.count;
}

double analysis_mfu(const struct analysis_work *work, double model_flop_per_token, double gpus,
                    double peak_flops, enum mfu_origin *ret_origin)
{
    struct quantity of_model =
        utilization(work->tokens, work->seconds, model_flop_per_token, gpus, peak_flops);
    *ret_origin = MFU_OF_MODEL;
    if (quantity_known(of_model))
        return of_model.value;
    *ret_origin = MFU_LOGGED_RATE;
    if (work->flops > 0 && peak_flops > 0 && isfinite(work->flops / peak_flops))
        return work->flops / peak_flops;
    *ret_origin = MFU_LOGGED;
    if (work->mfu >= 0)
        return work->mfu;
    *ret_origin = MFU_UNKNOWN;
    return NAN;
}

double analysis_mfu_alone(const struct summary *summary, const struct step_row *row,
                          double model_flop_per_token)
{
    const struct step_digest *digest = &row->digest;
    const struct run *run = &summary->run;
    enum mfu_origin origin;
    struct analysis_work work = {.tokens = run->tokens_per_step > 0 ? run->tokens_per_step
                                                                    : (double)digest->tokens,
                                 .seconds = (double)digest->step_time_ns * 1e-9,
                                 .flops = (double)row->job.flops,
                                 .mfu = step_job_mfu(&row->job)};
    return digest->time_evidence
               ? analysis_mfu(&work, model_flop_per_token, run->gpus, summary->peak_flops, &origin)
               : NAN;
}

/* The mean of some times in ns. */
static struct quantity mean_of(double sum_ns, int64_t count, bool simulated)
{
    if (count <= 0)
        return quantity_none();
    return (struct quantity){sum_ns / (double)count * 1e-9,
                             simulated ? EVIDENCE_SIMULATED : EVIDENCE_COMPUTED};
}

void analysis_fill_called(const struct fold_called *called, bool simulated,
                          struct summary_called *summary)
{
    *summary = (struct summary_called){
        .count = called->count,
        .beyond_s = mean_of(called->beyond_ns, called->judged, simulated),
        .pause_s = mean_of(called->pause_ns, called->paused, simulated),
    };
    memcpy(summary->first, called->first, sizeof(summary->first));
}
