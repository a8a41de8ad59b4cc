/* The last steps of a span, as sums. */
#include "fold.h"

#define EXACT_BELOW 9007199254740992.0 /* 2^53 */

static bool is_exact(const struct fold_window_step *sum)
{
    return sum->rank_time_ns < EXACT_BELOW && sum->time_ns < EXACT_BELOW &&
           sum->tokens < EXACT_BELOW;
}

static void sum_window(struct fold *fold)
{
    struct fold_window_step sum = {0};
    for (int i = 0; i < fold->ring_count; i++) {
        sum.covered += fold->ring[i].covered;
        sum.time_ns += fold->ring[i].time_ns;
        sum.tokens += fold->ring[i].tokens;
        sum.wait_ns += fold->ring[i].wait_ns;
        sum.rank_time_ns += fold->ring[i].rank_time_ns;
    }
    fold->ring_sum = sum;
}

static void add_rates(struct job_rates *rates, const struct fold_window_step *step)
{
    job_rates_add(rates, step->flops, step->mfu, step->time_ns);
}

/* The newest step is at ring_next. */
static void keep_rates(struct fold *fold)
{
    struct job_rates sum = {0};
    add_rates(&fold->ring_newer, &fold->ring[fold->ring_next]);
    if (fold->ring_next + 1 < fold->window)
        return;
    for (int i = fold->window; i-- > 0;) { /* all are older than what will be at place 0 */
        add_rates(&sum, &fold->ring[i]);
        fold->ring_older[i] = sum;
    }
    fold->ring_newer = (struct job_rates){0};
}

/* Sums of whole nanoseconds and tokens under 2^53: adding and taking away again is
 * exact. Steps of many days can be more, and are added up anew. */
void fold_window(struct fold *fold, const struct step_row *row, const struct step_digest *digest)
{
    double covered = (double)digest->span;
    uint32_t reported = row->reported;
    struct fold_window_step *place = &fold->ring[fold->ring_next];
    struct fold_window_step *sum = &fold->ring_sum;
    bool exact = is_exact(sum);
    if (fold->ring_count == fold->window) {
        fold->ring_rates -= place->flops > 0 || place->mfu >= 0;
        sum->covered -= place->covered;
        sum->time_ns -= place->time_ns;
        sum->tokens -= place->tokens;
        sum->wait_ns -= place->wait_ns;
        sum->rank_time_ns -= place->rank_time_ns;
    } else {
        fold->ring_count++;
    }
    double time_ns = (double)digest->step_time_ns * covered;
    bool waits = digest->wait_count > 0;
    *place = (struct fold_window_step){
        .covered = covered,
        .time_ns = time_ns,
        .tokens = (double)digest->tokens * covered,
        .wait_ns = waits ? digest_wait_ns(digest, reported) * covered : 0,
        .rank_time_ns = waits ? time_ns * reported : 0,
        .flops = (double)row->job.flops,
        .mfu = step_job_mfu(&row->job),
    };
    fold->ring_rates += place->flops > 0 || place->mfu >= 0;
    sum->covered += place->covered;
    sum->time_ns += place->time_ns;
    sum->tokens += place->tokens;
    sum->wait_ns += place->wait_ns;
    sum->rank_time_ns += place->rank_time_ns;
    keep_rates(fold);
    fold->ring_next = fold->ring_next + 1 == fold->window ? 0 : fold->ring_next + 1;
    if (!exact || !is_exact(sum))
        sum_window(fold);
}

/* What the log gives as rates, over the window. */
static void put_rates(const struct fold *fold, struct step_digest *digest)
{
    struct job_rates rates = fold->ring_newer;
    digest->window_flops = 0;
    digest->window_mfu = -1;
    if (fold->ring_rates == 0)
        return;
    if (fold->ring_count == fold->window)
        job_rates_merge(&rates, &fold->ring_older[fold->ring_next]);
    digest->window_flops = job_rates_flops(&rates);
    digest->window_mfu = job_rates_mfu(&rates);
}

void fold_window_put(const struct fold *fold, struct step_digest *digest)
{
    digest->window_steps = fold->ring_count;
    digest->window_time_ns = fold->ring_sum.time_ns;
    digest->window_tokens = fold->ring_sum.tokens;
    digest->window_wait_ns = fold->ring_sum.wait_ns;
    digest->window_rank_time_ns = fold->ring_sum.rank_time_ns;
    digest->window_covered = fold->ring_sum.covered;
    put_rates(fold, digest);
}
