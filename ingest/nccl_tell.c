/* Counts of calls that are missing. */
#include "nccl_tell.h"

#include "nccl_job.h"

void nccl_tell_gaps(const struct nccl_table *table, const struct nccl_call *call,
                    struct log_out *out)
{
    const struct nccl_group *own = &table->groups[call->communicator];
    const char *function = table->functions[call->function];
    long long number = (long long)call->number, rank = (long long)own->rank;
    struct nccl_gap gap;
    if (!nccl_job_call(log_out_nccl(out), own->id, function, own->rank, call->number, &gap))
        return;
    if (gap.lacks > 0) {
        log_out_count(
            out, LOG_WITHOUT_PAIR,
            "%s before %lld on communicator %s: %lld that rank %lld lacks and others have",
            function, number, own->id, (long long)gap.lacks, rank);
        log_out_count_more(out, LOG_WITHOUT_PAIR, (uint64_t)gap.lacks - 1);
    }
    if (gap.without > 0) {
        log_out_count(out, LOG_WITHOUT_PAIR,
                      "%s %lld on communicator %s: rank %lld has it, %lld others lack it", function,
                      number, own->id, rank, (long long)gap.without);
        log_out_count_more(out, LOG_WITHOUT_PAIR, (uint64_t)gap.without - 1);
    }
    if (gap.unrecorded < 0)
        log_out_count_less(out, LOG_UNRECORDED, (uint64_t)-gap.unrecorded);
    if (gap.unrecorded > 0) {
        log_out_count(out, LOG_UNRECORDED, "%s %lld to %lld on communicator %s", function,
                      (long long)gap.first_unrecorded,
                      (long long)(gap.first_unrecorded + gap.unrecorded - 1), own->id);
        log_out_count_more(out, LOG_UNRECORDED, (uint64_t)gap.unrecorded - 1);
    }
}

void nccl_tell_hole(const struct nccl_table *table, const struct nccl_call *call, int64_t lacks,
                    struct log_out *out)
{
    const struct nccl_group *own = &table->groups[call->communicator];
    log_out_count(out, LOG_WITHOUT_PAIR,
                  "%s %lld to %lld on communicator %s, rank %lld: not in its file; own times and "
                  "waits around them are not known",
                  table->functions[call->function], (long long)(call->number - lacks),
                  (long long)(call->number - 1), own->id, (long long)own->rank);
    log_out_count_more(out, LOG_WITHOUT_PAIR, (uint64_t)lacks - 1);
}

void nccl_tell_lone(const struct nccl_table *table, const struct nccl_call *call,
                    struct log_out *out)
{
    const struct nccl_group *own = &table->groups[call->communicator];
    log_out_count(out, LOG_WITHOUT_PAIR,
                  "%s %lld on communicator %s, rank %lld: the call before it is not in its file; "
                  "own time and wait are not known",
                  table->functions[call->function], (long long)call->number, own->id,
                  (long long)own->rank);
}

void nccl_tell_again(const struct nccl_table *table, const struct nccl_call *call, bool later,
                     struct log_out *out)
{
    const struct nccl_group *own = &table->groups[call->communicator];
    const char *function = table->functions[call->function];
    if (later && call->arrival_ns > 0)
        log_out_count(out, LOG_LEFT_OUT,
                      "%s %lld again, later, on communicator %s: CUDA graphs repeat the numbers of "
                      "their calls; which belong together is not told",
                      function, (long long)call->number, own->id);
    else
        log_out_count(out, LOG_DOUBLED, "%s %lld stands there twice", function,
                      (long long)call->number);
}
