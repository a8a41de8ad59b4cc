/* A process's rank in the job. */
#include "nccl_whose.h"

#define ASK_AGAIN 1024 /* records: the other files may know more */

int64_t nccl_whose_rank(struct nccl_whose *place, const struct nccl_group *largest,
                        struct log_out *out)
{
    struct nccl_job *job = log_out_nccl(out);
    if (place->process == NCCL_NOBODY)
        return largest->rank;
    if (!place->asked || place->version != nccl_job_version(job) || place->puts % ASK_AGAIN == 0)
        place->rank = nccl_job_rank(job, place->process, &place->proven, place->why);
    place->asked = true;
    place->version = nccl_job_version(job);
    place->puts++;
    if (place->rank < 0)
        log_out_count(out, LOG_NOBODYS, "%s", place->why);
    return place->rank;
}
