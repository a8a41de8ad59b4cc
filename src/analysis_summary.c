/* A summary out of the table and the folds. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis_missing.h"
#include "analysis_past.h"
#include "analysis_table.h"
#include "analysis_verdicts.h"
#include "analysis_window.h"
#include "memory.h"
#include "mfu.h"

#define POINTS_MAX 512
#define SECONDS 1e-9
#define P99_COUNT_MIN 100 /* of fewer it is the longest */

/* ---- which row ---- */

/* Rows that have been folded, and so can be shown: the front of the table. */
static size_t shown_rows(const struct analysis *analysis)
{
    return analysis->current_valid ? analysis->current_rows : analysis->settled_rows;
}

/* The first of them that can be looked back at. */
static size_t first_row(const struct analysis *analysis)
{
    size_t rows = shown_rows(analysis), first = analysis_past_first(analysis);
    return first < rows ? first : rows > 0 ? rows - 1 : 0;
}

/* The newest closed row at or before the place of the key; SIZE_MAX: none. */
static size_t index_of_key(const struct analysis *analysis, struct step_key key)
{
    size_t rows = shown_rows(analysis), first = first_row(analysis);
    if (rows == 0)
        return SIZE_MAX;
    if (key.latest)
        return rows - 1;
    size_t index = steps_lower(&analysis->steps, key.attempt, key.step);
    if (index >= rows || row_compare(steps_at(&analysis->steps, index), key.attempt, key.step) != 0)
        index = index == 0 ? 0 : index - 1 < rows ? index - 1 : rows - 1;
    return index < first ? first : index;
}

static struct step_key key_of(const struct analysis *analysis, size_t index)
{
    const struct step_row *row = steps_at(&analysis->steps, index);
    return (struct step_key){index + 1 == shown_rows(analysis), row->attempt, row->step};
}

struct step_key analysis_move(const struct analysis *analysis, struct step_key key, int64_t delta)
{
    size_t index = index_of_key(analysis, key);
    if (index == SIZE_MAX)
        return (struct step_key){.latest = true};
    int64_t last = (int64_t)shown_rows(analysis) - 1, first = (int64_t)first_row(analysis);
    int64_t to;
    if (__builtin_add_overflow((int64_t)index, delta, &to))
        to = delta < 0 ? first : last;
    to = to < first ? first : to > last ? last : to;
    return key_of(analysis, (size_t)to);
}

struct step_key analysis_find(const struct analysis *analysis, int64_t step)
{
    size_t rows = shown_rows(analysis);
    size_t best = SIZE_MAX;
    uint64_t distance = UINT64_MAX;
    for (size_t i = rows; i-- > first_row(analysis);) {
        int64_t at = steps_at(&analysis->steps, i)->step;
        uint64_t here = at < step ? (uint64_t)step - (uint64_t)at : (uint64_t)at - (uint64_t)step;
        if (here < distance) {
            distance = here;
            best = i;
        }
    }
    return best == SIZE_MAX ? (struct step_key){.latest = true} : key_of(analysis, best);
}

/* ---- numbers with their evidence ---- */

static struct quantity ratio(const struct analysis *analysis, double part, double whole,
                             enum evidence evidence)
{
    return whole > 0 ? analysis_number(analysis, part / whole, evidence) : quantity_none();
}

/* ---- the shown step ---- */

static double begin_median_s(struct analysis *analysis, const struct step_row *row)
{
    uint32_t n = 0;
    int64_t *values = analysis->barrier.scratch;
    for (uint32_t i = 0; i < row->capacity && i < analysis->barrier.slots; i++)
        if (row->has[i] & RECORD_BEGIN)
            values[n++] = row->cells[i].begin_ns;
    return median_of_ns(values, n) * SECONDS;
}

static void fill_shown(struct analysis *analysis, size_t index, struct summary *summary)
{
    const struct step_row *row = steps_at(&analysis->steps, index);
    barrier_compute(&analysis->barrier, row, fold_row_before(&analysis->steps, index),
                    analysis->ranks.count, analysis->choice);
    const struct step_digest *digest = &row->digest;
    enum evidence evidence = wait_rule_evidence(digest->rule);
    bool waits = digest->wait_count > 0;
    struct summary_step *shown = &summary->shown;
    *shown = (struct summary_step){
        .known = true,
        .step = row->step,
        .attempt = row->attempt,
        .reported = (int)row->reported,
        .expected = (int)digest->expected,
        .rule = digest->rule,
        .step_time_s = analysis_number(analysis, (double)digest->step_time_ns * SECONDS,
                                       digest->time_evidence),
        .exchange_s = analysis_number(
            analysis, digest->exchange_ns < 0 ? NAN : (double)digest->exchange_ns * SECONDS,
            EVIDENCE_MEASURED),
        .wait_mean_s =
            ratio(analysis, (double)digest->wait_sum_ns * SECONDS, digest->wait_count, evidence),
        .wait_share =
            ratio(analysis, digest_wait_ns(digest, digest->wait_count),
                  waits ? (double)digest->step_time_ns * digest->wait_count : 0, evidence),
        .own_median_s = digest->own_median_ns * SECONDS,
        .own_max_s = digest->own_max_ns * SECONDS,
        .last_rank = digest->last_slot < analysis->ranks.count
                         ? (int64_t)analysis->ranks.info[digest->last_slot].rank
                         : -1,
        .begin_s = begin_median_s(analysis, row),
        .span = row->job.span,
    };
}

/* ---- the ranks ---- */

/* Whether the row counts for the span. */
static bool in_span(const struct analysis *analysis, size_t index)
{
    int64_t step = steps_at(&analysis->steps, index)->step;
    return step >= analysis->options.from_step && step <= analysis->options.to_step;
}

static void fill_span_of_rank(const struct analysis *analysis, uint32_t slot, bool brief,
                              struct summary_rank *to)
{
    const struct fold *fold = &analysis->current;
    to->slowdown_median = to->wait_mean_s = NAN;
    if (slot >= fold->rank_count)
        return;
    const struct fold_rank *from = &fold->ranks[slot];
    to->slowdown_median = brief ? NAN : quantile_median(&from->slowdown);
    if (from->wait_steps > 0)
        to->wait_mean_s = from->wait_sum_ns / (double)from->wait_steps * SECONDS;
    to->arrived_last_count = from->last_count;
    to->steps = from->steps;
}

static void fill_step_of_rank(const struct analysis *analysis, const struct step_row *row,
                              uint32_t slot, struct summary_rank *to)
{
    const struct barrier *barrier = &analysis->barrier;
    to->own_s = to->wait_s = to->slowdown = NAN;
    to->state = RANK_NO_DATA;
    if (!row || slot >= row->capacity || !row->has[slot])
        return;
    const struct step_cell *cell = &row->cells[slot];
    to->state = RANK_PRESENT;
    to->has = row->has[slot];
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        to->phase_s[phase] = to->has & (1u << phase) ? (double)cell->phase_ns[phase] * SECONDS : 0;
    to->own_s = barrier->own_ns[slot] * SECONDS;
    to->wait_s = barrier->wait_ns[slot] * SECONDS;
    if (row->reported > 1 && row->digest.own_median_ns > 0)
        to->slowdown = barrier->own_ns[slot] / row->digest.own_median_ns;
    to->arrived_last = row->digest.last_slot == slot && row->digest.rule != WAIT_UNKNOWN;
}

/* Missing, by the reader's clock: behind what the others have reported, be it still
 * open, and silent for more than three steps; but not when it has left the job. */
static bool is_silent(const struct analysis *analysis, uint32_t slot, double step_s,
                      double silent_s)
{
    const struct rank_info *info = &analysis->ranks.info[slot];
    size_t front = analysis_front(analysis, analysis->steps.count - 1);
    const struct step_row *newest = steps_at(&analysis->steps, front);
    bool behind = info->now.attempt < newest->attempt ||
                  (info->now.attempt == newest->attempt && info->now.last_step < newest->step);
    if (!behind || step_row_of_job(newest) ||
        !(silent_s > fmax(3 * step_s, analysis->options.silent_least_s)))
        return false;
    return info->now.attempt < newest->attempt
               ? analysis_missing_since(analysis, front, slot) >= 0
               : rank_is_expected(info, newest->attempt, newest->step,
                                  steps_stride(&analysis->steps, front));
}

static bool is_missing(const struct analysis *analysis, size_t index, uint32_t slot, bool by_clock,
                       double step_s, double silent_s)
{
    if (index == SIZE_MAX)
        return false;
    return by_clock ? is_silent(analysis, slot, step_s, silent_s)
                    : analysis_missing_since(analysis, index, slot) >= 0;
}

/* Ranks mostly appear in the order of their numbers. */
static bool is_in_order(const struct summary_rank *ranks, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (ranks[i].rank < ranks[i - 1].rank)
            return false;
    return true;
}

static int by_rank(const void *a, const void *b)
{
    const struct summary_rank *one = a, *other = b;
    return one->rank < other->rank ? -1 : one->rank > other->rank;
}

static void fill_ranks(struct analysis *analysis, size_t index, int64_t now_ns,
                       struct summary *summary)
{
    uint32_t count = analysis->ranks.count;
    bool shown = index != SIZE_MAX && in_span(analysis, index);
    const struct step_row *row = shown ? steps_at(&analysis->steps, index) : NULL;
    double step_s =
        quantity_known(summary->window_step_time_s) ? summary->window_step_time_s.value : 0;
    bool by_clock = now_ns != INT64_MIN && !analysis->finished && summary->is_latest;
    summary->ranks = memory_resized(summary->ranks, count, sizeof(*summary->ranks));
    summary->rank_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const struct rank_info *info = &analysis->ranks.info[i];
        struct summary_rank *to = &summary->ranks[i];
        memset(to, 0, sizeof(*to));
        to->rank = info->rank;
        to->last_step = info->now.last_step;
        to->window_slowdown = analysis->window->medians[i];
        to->window_spread = analysis->window->spreads[i];
        to->gain_s = to->late_begin_s = NAN;
        to->silent_s = now_ns == INT64_MIN ? NAN : (double)(now_ns - info->last_seen_ns) * SECONDS;
        fill_span_of_rank(analysis, i, summary->brief, to);
        fill_step_of_rank(analysis, row, i, to);
        if (is_missing(analysis, index, i, by_clock, step_s, to->silent_s))
            to->state = RANK_MISSING;
        str_copy(to->host, sizeof(to->host), str_from(names_get(&analysis->names, info->host)));
        str_copy(to->group, sizeof(to->group), str_from(names_get(&analysis->names, info->group)));
    }
    if (!is_in_order(summary->ranks, count))
        qsort(summary->ranks, count, sizeof(*summary->ranks), by_rank);
}

/* ---- the span ---- */

static void fill_times(const struct analysis *analysis, struct summary *summary)
{
    const struct fold *fold = &analysis->current;
    /* Measured step times alone, once there are any. */
    bool measured = fold->measured.count > 0;
    const struct fold_times *times = measured ? &fold->measured : &fold->computed;
    enum evidence evidence = measured ? EVIDENCE_MEASURED : EVIDENCE_COMPUTED;
    summary->step_time_mean_s =
        ratio(analysis, times->sum_ns * SECONDS, (double)times->covered, evidence);
    summary->step_time_median_s =
        analysis_number(analysis, quantile_median(&times->quantile) * SECONDS, evidence);
    summary->step_time_min_s =
        analysis_number(analysis, times->count ? times->min_ns * SECONDS : NAN, evidence);
    double p99_ns = times->count >= P99_COUNT_MIN ? quantile_place(&times->quantile, 0.99) : NAN;
    p99_ns = p99_ns > times->max_ns ? times->max_ns : p99_ns; /* a bin may reach over it */
    summary->step_time_p99_s = analysis_number(analysis, p99_ns * SECONDS, evidence);
    summary->step_time_max_s =
        analysis_number(analysis, times->count ? times->max_ns * SECONDS : NAN, evidence);
    enum evidence of_waits = wait_rule_evidence(summary->rule);
    summary->wait_share = ratio(analysis, times->wait_ns, times->rank_time_ns,
                                measured ? of_waits : EVIDENCE_COMPUTED);
    summary->wait_mean_s =
        ratio(analysis, fold->wait_sum_ns * SECONDS, (double)fold->wait_count, of_waits);
    summary->exchange_mean_s = ratio(analysis, fold->exchange_sum_ns * SECONDS,
                                     (double)fold->exchange_count, EVIDENCE_MEASURED);
}

static void fill_rule(const struct fold *fold, struct summary *summary)
{
    int64_t most = 0, steps = 0;
    summary->rule = WAIT_UNKNOWN;
    for (int rule = WAIT_UNKNOWN; rule <= WAIT_OVERLAPPED; rule++) {
        steps += fold->rule_steps[rule];
        if (fold->rule_steps[rule] > most) {
            most = fold->rule_steps[rule];
            summary->rule = (enum wait_rule)rule;
        }
    }
    summary->rules_mixed = most < steps;
    summary->told_steps = steps - fold->rule_steps[WAIT_UNKNOWN];
}

static void fill_span(const struct analysis *analysis, struct summary *summary)
{
    const struct fold *fold = &analysis->current;
    summary->first_step = fold->first_step;
    summary->last_step = fold->last_step;
    summary->complete = fold->complete;
    summary->incomplete = fold->incomplete;
    summary->steps_covered = fold->covered;
    summary->first_covered = fold->first_covered;
    for (int i = 0; i < CALLED_COUNT; i++)
        analysis_fill_called(&fold->called[i], analysis->simulated, &summary->called[i]);
    summary->attempts = analysis->attempts;
    fill_rule(fold, summary);
    fill_times(analysis, summary);
}

/* ---- rolling figures ---- */

/* Tokens of the window: the run's own figure a step, else the records' sum. */
static double window_tokens(const struct run *run, const struct step_digest *digest)
{
    return run->tokens_per_step > 0 ? run->tokens_per_step * digest->window_covered
                                    : digest->window_tokens;
}

static double rolling_mfu(const struct summary *summary, const struct step_digest *digest,
                          double flop_per_token, enum mfu_origin *ret_origin)
{
    struct analysis_work work = {window_tokens(&summary->run, digest),
                                 digest->window_time_ns * SECONDS, digest->window_flops,
                                 digest->window_mfu};
    return analysis_mfu(&work, flop_per_token, summary->run.gpus, summary->peak_flops, ret_origin);
}

static double rolling_hfu(const struct summary *summary, const struct step_digest *digest,
                          double flop_per_token, enum evidence *ret_evidence)
{
    struct quantity value =
        utilization(window_tokens(&summary->run, digest), digest->window_time_ns * SECONDS,
                    flop_per_token, summary->run.gpus, summary->peak_flops);
    *ret_evidence = value.evidence;
    return value.value;
}

static void fill_window(const struct analysis *analysis, const struct step_digest *digest,
                        struct summary *summary)
{
    struct run *run = &summary->run;
    double steps = digest->window_covered;
    enum evidence evidence;
    summary->window_steps = digest->window_steps;
    summary->window_step_time_s =
        ratio(analysis, digest->window_time_ns * SECONDS, steps, digest->time_evidence);
    summary->window_wait_share =
        ratio(analysis, digest->window_wait_ns, digest->window_rank_time_ns,
              wait_rule_evidence(digest->rule));
    summary->peak_flops = run_peak_flops(run);
    summary->attention = mfu_attention(run);
    double value =
        rolling_mfu(summary, digest, mfu_model_flop_per_token(run), &summary->mfu_origin);
    summary->mfu = analysis_number(analysis, value, EVIDENCE_COMPUTED);
    summary->flops = analysis_number(
        analysis, digest->window_flops > 0 ? digest->window_flops : NAN, EVIDENCE_COMPUTED);
    value = rolling_hfu(summary, digest, mfu_hardware_flop_per_token(run), &evidence);
    summary->hfu = analysis_number(analysis, value, evidence);
    summary->tokens_per_step = steps > 0 ? window_tokens(run, digest) / steps : 0;
    summary->tokens_recorded = steps > 0 ? digest->window_tokens / steps : 0;
    summary->tokens_disagree = run->tokens_per_step > 0 && summary->tokens_recorded > 0 &&
                               fabs(summary->tokens_recorded / run->tokens_per_step - 1) > 0.01;
}

static void fill_points(const struct analysis *analysis, size_t index, struct summary *summary)
{
    size_t count = index + 1 < POINTS_MAX ? index + 1 : POINTS_MAX;
    double flop = mfu_model_flop_per_token(&summary->run);
    summary->points = memory_resized(summary->points, count, sizeof(*summary->points));
    summary->point_count = count;
    for (size_t k = 0; k < count; k++) {
        const struct step_row *row = steps_at(&analysis->steps, index + 1 - count + k);
        const struct step_digest *digest = &row->digest;
        enum mfu_origin origin;
        double time_ns = digest->time_evidence ? (double)digest->step_time_ns : NAN;
        summary->points[k] = (struct summary_point){
            .step = row->step,
            .step_time_s = time_ns * SECONDS,
            .mfu = rolling_mfu(summary, digest, flop, &origin),
            .mfu_alone = analysis_mfu_alone(summary, row, flop),
            .wait_share = digest->wait_count > 0 ? digest_wait_ns(digest, digest->wait_count) /
                                                       (time_ns * digest->wait_count)
                                                 : NAN,
        };
    }
}

/* ---- all of it ---- */

/* The last closed row of the span, not behind `index`: what a report is about. Where
 * there is none a row that knows as much: before the span, or behind it. */
static size_t index_in_span(const struct analysis *analysis, size_t index)
{
    for (size_t i = index == SIZE_MAX ? 0 : index + 1; i-- > 0;)
        if (in_span(analysis, i))
            return i;
    bool behind =
        index != SIZE_MAX && steps_at(&analysis->steps, index)->step > analysis->options.to_step;
    return behind ? 0 : index;
}

/* The summary in which the row at `index` (SIZE_MAX: none) is the newest that `current`
 * has, or the newest of its span. `newest`: that of all. */
static void fill_summary(struct analysis *analysis, size_t index, bool newest, int64_t now_ns,
                         struct summary *summary)
{
    size_t rows = shown_rows(analysis);
    summary->run = analysis->options.run;
    summary->scope = analysis_scope(analysis);
    summary->run.gpus = analysis_gpus(analysis, &summary->gpus_assumed, &summary->gpus_logged);
    summary->simulated = summary->run.simulated = analysis->simulated;
    summary->figures_only = analysis->options.figures_only;
    summary->source.records = analysis->records;
    summary->source.duplicate = analysis->duplicate;
    summary->source.late = analysis->late;
    summary->source.too_late = analysis->too_late;
    summary->source.refused = analysis->refused;
    summary->source.impossible = analysis->impossible;
    /* As whoever reads it says. */
    summary->source.not_numbers = summary->source.disagree = summary->source.beside = 0;
    summary->is_latest = newest && index != SIZE_MAX && index + 1 == rows;
    summary->silent_s = now_ns == INT64_MIN || analysis->last_record_ns == INT64_MIN
                            ? NAN
                            : (double)(now_ns - analysis->last_record_ns) * SECONDS;
    fill_span(analysis, summary);
    static const struct step_digest nothing = {
        .own_median_ns = NAN, .own_max_ns = NAN, .window_mfu = -1};
    fill_window(analysis, index != SIZE_MAX ? &steps_at(&analysis->steps, index)->digest : &nothing,
                summary);
    summary->shown = (struct summary_step){
        .own_median_s = NAN, .own_max_s = NAN, .last_rank = -1, .begin_s = NAN};
    summary->shown.step_time_s = summary->shown.exchange_s = summary->shown.wait_mean_s =
        summary->shown.wait_share = quantity_none();
    summary->point_count = 0;
    /* Past the span's end a row knows the span's last window, and is not shown. */
    if (index != SIZE_MAX && in_span(analysis, index)) {
        summary->first_in_memory = steps_at(&analysis->steps, first_row(analysis))->step;
        summary->last_in_memory = steps_at(&analysis->steps, rows - 1)->step;
        fill_points(analysis, index, summary);
        fill_shown(analysis, index, summary);
    }
    analysis_window_make(analysis, index != SIZE_MAX && in_span(analysis, index) ? index : SIZE_MAX,
                         summary->brief);
    fill_ranks(analysis, index, now_ns, summary);
    analysis_clocks(analysis, index, summary);
    uint32_t ordinal = index != SIZE_MAX ? steps_at(&analysis->steps, index)->digest.ordinal : 0;
    analysis_verdicts(analysis, index, ordinal, summary);
    analysis_costs(analysis, index, summary);
    analysis_judge_wandering(analysis, summary);
}

/* As it was when the row at `index` was the newest: with the fold of that time in the
 * place of today's. */
static void look_back(struct analysis *analysis, size_t index, int64_t now_ns,
                      struct summary *summary)
{
    struct fold *past = analysis_past_fold(analysis, index);
    struct fold current = analysis->current;
    size_t rows = analysis->current_rows;
    int attempts = analysis->attempts;
    analysis->current = *past;
    analysis->current_rows = index + 1;
    analysis->attempts = steps_at(&analysis->steps, index)->attempt + 1;
    fill_summary(analysis, index, false, now_ns, summary);
    *past = analysis->current; /* its room to work in may have moved */
    analysis->current = current;
    analysis->current_rows = rows;
    analysis->attempts = attempts;
    summary->last_in_memory = steps_at(&analysis->steps, rows - 1)->step;
}

void analysis_summary(struct analysis *analysis, struct step_key key, int64_t now_ns,
                      struct summary *summary)
{
    analysis_refresh(analysis);
    size_t index = index_of_key(analysis, key);
    if (!key.latest && index != SIZE_MAX && index + 1 < shown_rows(analysis))
        look_back(analysis, index, now_ns, summary);
    else
        fill_summary(analysis, index_in_span(analysis, index), true, now_ns, summary);
    analysis->changed = false;
}
