/* What the waiting costs, and where the GPU time goes, for a summary. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis_window.h"
#include "memory.h"
#include "mfu.h"

#define SECONDS 1e-9

/* ---- where the time goes ---- */

static double utilization_of(const struct summary *summary, double tokens, double seconds,
                             double flop_per_token)
{
    struct quantity value =
        utilization(tokens, seconds, flop_per_token, summary->run.gpus, summary->peak_flops);
    return quantity_known(value) ? value.value : NAN;
}

static void fill_shares(const struct summary *summary, double tokens, const struct job_rates *rates,
                        struct ledger_sums *sums)
{
    double seconds = sums->time_ns * SECONDS;
    struct analysis_work work = {tokens, seconds, job_rates_flops(rates), job_rates_mfu(rates)};
    enum mfu_origin origin;
    sums->model_share = analysis_mfu(&work, mfu_model_flop_per_token(&summary->run),
                                     summary->run.gpus, summary->peak_flops, &origin);
    sums->hardware_share =
        utilization_of(summary, tokens, seconds, mfu_hardware_flop_per_token(&summary->run));
}

static enum evidence evidence_of_times(const struct fold *fold)
{
    return fold->measured.count > 0 ? EVIDENCE_MEASURED : EVIDENCE_COMPUTED;
}

static void fill_ledger(const struct analysis *analysis, struct summary *summary)
{
    const struct fold *fold = &analysis->current;
    const struct history *history = &fold->history;
    struct ledger_sums sums = history->sums;
    bool recorded = history->token_steps == sums.steps;
    sums.has_own = history->own_steps > 0;
    sums.of_job = summary->scope == SCOPE_JOB;
    sums.has_input = history->input_steps > 0;
    sums.has_exchange = history->exchange_steps > 0;
    fill_shares(summary,
                summary->run.tokens_per_step > 0 ? summary->run.tokens_per_step * (double)sums.steps
                : recorded                       ? history->tokens
                                                 : 0,
                &history->rates, &sums);
    ledger_make(&summary->ledger, &sums, summary->run.gpus, evidence_of_times(fold),
                wait_rule_evidence(summary->rule), analysis->simulated);
    if (history->down_unknown) /* and so it is not in the wall-clock time either */
        summary->ledger.share[LEDGER_DOWNTIME] = quantity_none();
}

static void add_digest(struct ledger_sums *sums, const struct step_row *row)
{
    const struct step_digest *digest = &row->digest;
    double covered = (double)digest->span;
    double time_ns = (double)digest->step_time_ns * covered;
    double late_ns = digest_late_ns(digest) * covered;
    double exchange_ns = digest->exchange_ns >= 0 ? (double)digest->exchange_ns * covered : 0;
    double own_ns = digest->own_median_ns * covered;
    sums->steps += digest->span;
    sums->time_ns += time_ns;
    sums->has_own |= !isnan(own_ns);
    sums->has_input |= !isnan(digest->input_median_ns);
    sums->has_exchange |= digest->exchange_ns >= 0;
    sums->own_ns += isnan(own_ns) ? 0 : own_ns;
    sums->input_ns += isnan(digest->input_median_ns) ? 0 : digest->input_median_ns * covered;
    sums->late_ns += isnan(late_ns) ? 0 : late_ns;
    sums->exchange_ns += exchange_ns;
    if (row->has_any & RECORD_CHECKPOINT)
        sums->checkpoint_ns += digest->unnamed_ns;
    else if (row->has_any & RECORD_VALIDATION)
        sums->validation_ns += digest->unnamed_ns;
    ledger_sums_between(sums, digest->between_ns, row->has_any & RECORD_CHECKPOINT,
                        row->has_any & RECORD_VALIDATION);
}

static void fill_ledger_window(const struct analysis *analysis, double named_gain_s,
                               struct summary *summary)
{
    const struct analysis_window *window = analysis->window;
    struct ledger_sums sums = {0};
    struct job_rates rates = {0};
    double tokens = 0;
    bool recorded = true;
    sums.of_job = summary->scope == SCOPE_JOB;
    size_t first = sums.of_job && window->row_count > (size_t)analysis->current.window
                       ? window->row_count - (size_t)analysis->current.window
                       : 0; /* more are for verdicts on ranks */
    for (size_t i = first; i < window->row_count; i++) {
        const struct step_row *row = steps_at(&analysis->steps, window->rows[i]);
        if (row->digest.time_evidence == EVIDENCE_NONE)
            continue;
        add_digest(&sums, row);
        double covered = (double)row->digest.span;
        tokens += (double)row->digest.tokens * covered;
        job_rates_add(&rates, (double)row->job.flops, step_job_mfu(&row->job),
                      (double)row->digest.step_time_ns * covered);
        recorded &= row->digest.tokens > 0;
    }
    /* A log whose steps once held such time, and said so, says so each time. */
    const struct ledger_sums *whole = &analysis->current.history.sums;
    sums.has_checkpoint = whole->checkpoint_ns > 0 || whole->between_checkpoint_ns > 0;
    sums.has_validation = whole->validation_ns > 0 || whole->between_validation_ns > 0;
    if (named_gain_s > 0)
        sums.straggler_ns = fmin(named_gain_s / SECONDS * (double)sums.steps, sums.late_ns);
    fill_shares(summary,
                summary->run.tokens_per_step > 0 ? summary->run.tokens_per_step * (double)sums.steps
                : recorded                       ? tokens
                                                 : 0,
                &rates, &sums);
    ledger_make(&summary->ledger_window, &sums, summary->run.gpus,
                evidence_of_times(&analysis->current), wait_rule_evidence(summary->rule),
                analysis->simulated);
}

static void fill_effective(const struct analysis *analysis, struct summary *summary)
{
    const struct history *history = &analysis->current.history;
    const struct ledger_sums *sums = &history->sums;
    double kept = sums->time_ns * SECONDS, lost = sums->lost_ns * SECONDS;
    double down = sums->down_ns * SECONDS, between = ledger_between_ns(sums) * SECONDS;
    double wall = kept + lost + down + between;
    struct effective *effective = &summary->effective;
    enum evidence evidence = evidence_of_times(&analysis->current);
    *effective = (struct effective){
        .share = analysis_number(analysis, wall > 0 ? kept / wall : NAN, EVIDENCE_COMPUTED),
        .wall_s = analysis_number(analysis, wall > 0 ? wall : NAN, evidence),
        .kept_s = analysis_number(analysis, wall > 0 ? kept : NAN, evidence),
        .lost_s = analysis_number(analysis, wall > 0 ? lost : NAN, evidence),
        .down_s =
            analysis_number(analysis, wall > 0 && !history->down_unknown ? down : NAN, evidence),
        .between_s = analysis_number(analysis, wall > 0 && sums->has_between ? between : NAN,
                                     EVIDENCE_COMPUTED),
        .restarts = history->restarts,
        .repeated_steps = history->repeated_steps,
    };
}

/* ---- who was last ---- */

static int64_t rank_of(const struct analysis *analysis, uint32_t slot)
{
    return slot < analysis->ranks.count ? (int64_t)analysis->ranks.info[slot].rank : -1;
}

static void fill_rotation(const struct analysis *analysis, struct rotation *rotation)
{
    const struct analysis_window *window = analysis->window;
    uint32_t *counts = memory_zeroed(analysis->ranks.count, sizeof(*counts));
    uint32_t most = RANK_SLOT_NONE, streak = RANK_SLOT_NONE;
    bool unbroken = true;
    *rotation = (struct rotation){.most_rank = -1, .streak_rank = -1};
    for (size_t i = window->row_count; i-- > 0;) {
        const struct step_digest *digest = &steps_at(&analysis->steps, window->rows[i])->digest;
        if (digest->last_slot >= analysis->ranks.count)
            continue;
        rotation->steps++;
        rotation->distinct += counts[digest->last_slot]++ == 0;
        if (most == RANK_SLOT_NONE || counts[digest->last_slot] > counts[most])
            most = digest->last_slot;
        if (streak == RANK_SLOT_NONE)
            streak = digest->last_slot;
        unbroken &= digest->last_slot == streak;
        rotation->streak += unbroken;
    }
    rotation->most_rank = rank_of(analysis, most);
    rotation->most_count = most == RANK_SLOT_NONE ? 0 : (int)counts[most];
    rotation->streak_rank = rank_of(analysis, streak);
    free(counts);
}

/* ---- all of it ---- */

/* Of the steps of the window whose own times are known, and how many they are; NAN: all are. */
static double loss_of_those_that_tell(const struct analysis *analysis, int *ret_steps)
{
    const struct analysis_window *window = analysis->window;
    double late_ns = 0, time_ns = 0;
    bool all = true;
    *ret_steps = 0;
    for (size_t i = 0; i < window->row_count; i++) {
        const struct step_digest *digest = &steps_at(&analysis->steps, window->rows[i])->digest;
        double late = digest_late_ns(digest), covered = (double)digest->span;
        if (digest->time_evidence == EVIDENCE_NONE)
            continue;
        all &= !isnan(late) && !isnan(digest->own_median_ns);
        if (isnan(late) || isnan(digest->own_median_ns))
            continue;
        ++*ret_steps;
        late_ns += fmin(late, (double)digest->step_time_ns) * covered;
        time_ns += (double)digest->step_time_ns * covered;
    }
    return all || time_ns <= 0 ? NAN : late_ns / time_ns;
}

/* The loss is that of the ledger, so that floor and chronic loss add up to what the
 * screen shows as jitter and stragglers; where some steps do not tell, that of the others. */
static void fill_jitter(struct analysis *analysis, struct summary *summary)
{
    struct jitter *jitter = &summary->jitter;
    const struct ledger *ledger = &summary->ledger_window;
    struct quantity waits = ledger->share[LEDGER_JITTER],
                    stragglers = ledger->share[LEDGER_STRAGGLERS];
    window_jitter(&analysis->window->view, jitter);
    if (!quantity_known(waits) || !quantity_known(jitter->floor))
        return;
    double loss = waits.value + (quantity_known(stragglers) ? stragglers.value : 0);
    double told = loss_of_those_that_tell(
        analysis, &jitter->told_steps); /* in the ledger they are beside others */
    if (!isnan(told))
        loss = told;
    jitter->floor.value =
        fmin(jitter->longer.value * window_own_share(&analysis->window->view), loss);
    jitter->loss = analysis_number(analysis, loss, EVIDENCE_COMPUTED);
    jitter->chronic = analysis_number(analysis, loss - jitter->floor.value, EVIDENCE_COMPUTED);
}

static void fill_gains(struct analysis *analysis, struct summary *summary)
{
    const struct analysis_window *window = analysis->window;
    for (size_t i = 0; i < summary->rank_count; i++) {
        struct summary_rank *rank = &summary->ranks[i];
        uint32_t slot = ranks_slot(&analysis->ranks, rank->rank);
        rank->gain_s = window->view.steps > 0 ? window->gains_s[slot] : NAN;
    }
}

static void fill_sizes(const struct analysis *analysis, struct summary *summary)
{
    const struct peers *peers = &analysis->current.peers;
    const struct run *run = &summary->run;
    uint32_t groups = 0, hosts = 0;
    for (uint32_t u = 0; u < peers->unit_count; u++) {
        hosts += peers->units[u].is_host && peers->units[u].ranks > 0;
        groups += !peers->units[u].is_host && peers->units[u].ranks > 0;
    }
    summary->has_groups = groups > 1;
    summary->has_hosts = hosts > 1;
    double sizes = (double)(run->tp > 0 ? run->tp : 1) * (run->pp > 0 ? run->pp : 1) *
                   (run->dp > 0 ? run->dp : 1);
    summary->sizes_disagree =
        (run->tp > 0 || run->pp > 0 || run->dp > 0) &&
        !(summary->scope == SCOPE_JOB && summary->run.gpus == 0) &&
        (summary->scope == SCOPE_JOB || sizes != (double)summary->rank_count) && sizes != run->gpus;
}

/* When only figures were asked for. */
static void nothing(struct summary *summary)
{
    const struct ledger_sums none = {0};
    struct quantity unknown = quantity_none();
    struct jitter *jitter = &summary->jitter;
    ledger_make(&summary->ledger, &none, summary->run.gpus, EVIDENCE_NONE, EVIDENCE_NONE, false);
    summary->ledger_window = summary->ledger;
    jitter->loss = jitter->floor = jitter->chronic = jitter->longer = jitter->spread = unknown;
    for (int i = 0; i < JITTER_EXTRAPOLATIONS; i++)
        jitter->longer_at[i] = unknown;
    summary->effective =
        (struct effective){unknown, unknown, unknown, unknown, unknown, unknown, 0, 0};
    summary->rotation = (struct rotation){.most_rank = -1, .streak_rank = -1};
    summary->what_if_count = 0;
}

void analysis_costs(struct analysis *analysis, size_t index, struct summary *summary)
{
    (void)index;
    struct analysis_window *window = analysis->window;
    struct window_sets sets = {
        .group_gain_s = window->unit_gains_s,
        .host_gain_s = window->unit_gains_s + analysis->current.peers.unit_count + 1,
    };
    fill_sizes(analysis, summary);
    if (analysis->options.figures_only) {
        nothing(summary);
        return;
    }
    if (window->view.steps > 0) {
        window_gains(&window->view, window->gains_s);
        window_set_gains(&window->view, &sets);
    }
    if (window->late_slot != RANK_SLOT_NONE)
        sets.named_gain_s = window->gains_s[window->late_slot] = window->late_gain_s;
    fill_ledger(analysis, summary);
    fill_ledger_window(analysis, sets.named_gain_s, summary);
    fill_jitter(analysis, summary);
    fill_effective(analysis, summary);
    fill_rotation(analysis, &summary->rotation);
    analysis_what_ifs(analysis, sets.named_gain_s, summary);
    fill_gains(analysis, summary);
}
