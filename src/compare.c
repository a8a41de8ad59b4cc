/* Two runs, side by side. */
#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare_series.h"
#include "memory.h"

static const struct {
    const char *name, *title;
    enum compare_unit unit;
    int better;
} infos[COMPARE_LEDGER] = {
    [COMPARE_STEP_TIME_MEAN] = {"step_time_mean_s", "step time, mean", COMPARE_SECONDS, -1},
    [COMPARE_STEP_TIME_MEDIAN] = {"step_time_median_s", "step time, median", COMPARE_SECONDS, -1},
    [COMPARE_WAIT] = {"wait_share", "waiting", COMPARE_SHARE, -1},
    [COMPARE_MFU] = {"mfu", "MFU", COMPARE_SHARE, 1},
    [COMPARE_HFU] = {"hfu", "HFU", COMPARE_SHARE, 1},
    [COMPARE_EXCHANGE] = {"exchange_mean_s", "exchange, mean", COMPARE_SECONDS, -1},
    [COMPARE_TOKENS_PER_S] = {"tokens_per_s", "tokens a second", COMPARE_COUNT, 1},
    [COMPARE_EFFECTIVE] = {"effective_share", "effective training time", COMPARE_SHARE, 1},
    [COMPARE_JITTER_FLOOR] = {"jitter_floor", "jitter floor", COMPARE_SHARE, -1},
    [COMPARE_JITTER_SPREAD] = {"jitter_spread", "jitter of a rank", COMPARE_SHARE, -1},
    [COMPARE_SPIKES] = {"spikes", "spikes", COMPARE_COUNT, -1},
    [COMPARE_RESTARTS] = {"restarts", "restarts", COMPARE_COUNT, -1},
    [COMPARE_MISSING] = {"missing", "missing ranks", COMPARE_COUNT, -1},
};

const char *compare_figure_name(int figure)
{
    static const char *const parts[LEDGER_COUNT] = {
        "ledger_arithmetic", "ledger_recompute",  "ledger_kernels",  "ledger_input",
        "ledger_jitter",     "ledger_stragglers", "ledger_exchange", "ledger_gaps",
        "ledger_checkpoint", "ledger_validation", "ledger_downtime", "ledger_lost_work",
    };
    return figure < COMPARE_LEDGER ? infos[figure].name : parts[figure - COMPARE_LEDGER];
}

const char *compare_figure_title(int figure)
{
    return figure < COMPARE_LEDGER ? infos[figure].title
                                   : ledger_part_title((enum ledger_part)(figure - COMPARE_LEDGER));
}

bool compare_is_more(const struct compare_figure *figure)
{
    return figure->tested && figure->test.answer == PERMUTATION_DONE &&
           figure->test.p < PERMUTATION_LEVEL;
}

/* ---- the figures ---- */

static struct quantity of_series(const struct compare_side *side, double value,
                                 enum evidence evidence)
{
    if (!isfinite(value) || evidence == EVIDENCE_NONE)
        return quantity_none();
    return (struct quantity){value, side->summary->simulated ? EVIDENCE_SIMULATED : evidence};
}

static void put_side(struct comparison *comparison, int s, const struct compare_series *series)
{
    const struct compare_side *side = &comparison->side[s];
    const struct summary *summary = side->summary;
    const struct overview *overview = side->overview;
    struct compare_figure *to = comparison->figures;
    struct check_values values;
    check_values_of(&values, summary);
    struct quantity mean = of_series(side, series->mean[SERIES_TIME], overview->time_evidence);
    struct quantity median = of_series(side, series->median_s, overview->time_evidence);
    struct quantity tokens = quantity_none();
    if (summary->tokens_per_step > 0 && quantity_known(mean) && mean.value > 0)
        tokens = of_series(side, summary->tokens_per_step / mean.value, EVIDENCE_COMPUTED);
    to[COMPARE_STEP_TIME_MEAN].value[s] = mean;
    to[COMPARE_STEP_TIME_MEDIAN].value[s] = series->merged ? summary->step_time_median_s : median;
    to[COMPARE_WAIT].value[s] = of_series(side, series->mean[SERIES_WAIT], overview->wait_evidence);
    to[COMPARE_MFU].value[s] = of_series(side, series->mean[SERIES_MFU], overview->mfu_evidence);
    to[COMPARE_HFU].value[s] = of_series(side, series->mean[SERIES_HFU], overview->mfu_evidence);
    to[COMPARE_EXCHANGE].value[s] = summary->exchange_mean_s;
    to[COMPARE_TOKENS_PER_S].value[s] = tokens;
    to[COMPARE_EFFECTIVE].value[s] = values.value[CHECK_EFFECTIVE];
    bool judged = !summary->figures_only;
    to[COMPARE_JITTER_FLOOR].value[s] = judged ? summary->jitter.floor : quantity_none();
    to[COMPARE_JITTER_SPREAD].value[s] = judged ? summary->jitter.spread : quantity_none();
    to[COMPARE_SPIKES].value[s] = values.value[CHECK_SPIKES];
    to[COMPARE_RESTARTS].value[s] = values.value[CHECK_RESTARTS];
    to[COMPARE_MISSING].value[s] = values.value[CHECK_MISSING];
    for (int part = 0; part < LEDGER_COUNT; part++)
        to[COMPARE_LEDGER + part].value[s] =
            judged && summary->ledger.wall_s > 0 ? summary->ledger.share[part] : quantity_none();
    comparison->steps[s] = series->steps;
    comparison->warm_up[s] = series->warm_up;
}

static void put_difference(struct compare_figure *figure)
{
    struct quantity a = figure->value[COMPARE_A], b = figure->value[COMPARE_B];
    figure->difference = figure->change = NAN;
    if (!quantity_known(a) || !quantity_known(b))
        return;
    figure->difference = b.value - a.value;
    if (a.value > 0)
        figure->change = b.value / a.value - 1;
}

static void test(struct comparison *comparison, int figure, int which,
                 const struct compare_series *series)
{
    struct compare_figure *to = &comparison->figures[figure];
    if (isnan(to->difference))
        return;
    to->tested = true;
    to->test = permutation_test(series[0].values[which], series[0].count[which],
                                series[1].values[which], series[1].count[which]);
}

static void put_figures(struct comparison *comparison)
{
    struct compare_series series[COMPARE_SIDES];
    for (int i = 0; i < COMPARE_FIGURES; i++) {
        struct compare_figure *figure = &comparison->figures[i];
        figure->unit = i < COMPARE_LEDGER ? infos[i].unit : COMPARE_SHARE;
        figure->better = i < COMPARE_LEDGER                             ? infos[i].better
                         : i == COMPARE_LEDGER + (int)LEDGER_ARITHMETIC ? 1
                                                                        : -1;
    }
    for (int s = 0; s < COMPARE_SIDES; s++) {
        compare_series_make(&series[s], &comparison->side[s]);
        put_side(comparison, s, &series[s]);
        if (series[s].merged)
            comparison->notes |= COMPARE_NOTE_MERGED;
    }
    for (int i = 0; i < COMPARE_FIGURES; i++)
        put_difference(&comparison->figures[i]);
    test(comparison, COMPARE_STEP_TIME_MEAN, SERIES_TIME, series);
    test(comparison, COMPARE_WAIT, SERIES_WAIT, series);
    test(comparison, COMPARE_MFU, SERIES_MFU, series);
    test(comparison, COMPARE_HFU, SERIES_HFU, series);
    for (int s = 0; s < COMPARE_SIDES; s++)
        compare_series_done(&series[s]);
}

/* ---- who was named ---- */

static bool same_one(const struct verdict *a, const struct verdict *b)
{
    return a->kind == b->kind && a->rank == b->rank && a->is_host == b->is_host &&
           strcmp(a->group, b->group) == 0;
}

/* A run can name thousands, each of them often: the search goes over those so far. */
static void put_named(struct comparison *comparison, int s, uint32_t *capacity)
{
    const struct summary *summary = comparison->side[s].summary;
    for (size_t i = 0; !summary->figures_only && i < summary->verdict_count; i++) {
        const struct verdict *verdict = &summary->verdicts[i];
        size_t k = 0;
        if (!verdict_kind_is_slow(verdict->kind))
            continue;
        while (k < comparison->named_count && !same_one(&comparison->named[k].verdict, verdict))
            k++;
        if (k == comparison->named_count) {
            if (k == *capacity)
                comparison->named =
                    memory_grown(comparison->named, capacity, sizeof(*comparison->named));
            comparison->named[comparison->named_count++] =
                (struct compare_named){*verdict, {NAN, NAN}, {false, false}};
        }
        struct compare_named *named = &comparison->named[k];
        if (!named->named[s]) /* those in force come first, and the newest of them */
            named->slowdown[s] = verdict->slowdown;
        named->named[s] = true;
    }
}

/* ---- like with like ---- */

static bool differ(double a, double b, double by)
{
    return a > 0 && b > 0 && fabs(b / a - 1) > by;
}

static unsigned notes_of(const struct summary *a, const struct summary *b)
{
    unsigned notes = 0;
    const struct run *one = &a->run, *other = &b->run;
    if (one->gpus != other->gpus || a->rank_count != b->rank_count)
        notes |= COMPARE_NOTE_GPUS;
    if (strcmp(one->chip, other->chip) != 0 || differ(a->peak_flops, b->peak_flops, 1e-6))
        notes |= COMPARE_NOTE_CHIP;
    if (differ(one->params, other->params, 0.001))
        notes |= COMPARE_NOTE_MODEL;
    if (differ(a->tokens_per_step, b->tokens_per_step, 0.01))
        notes |= COMPARE_NOTE_TOKENS;
    if (a->attention != b->attention || one->recompute != other->recompute ||
        one->recompute_share != other->recompute_share || one->format != other->format)
        notes |= COMPARE_NOTE_CONVENTION;
    if (a->rule != b->rule && a->rule != WAIT_UNKNOWN && b->rule != WAIT_UNKNOWN)
        notes |= COMPARE_NOTE_RULE;
    if (a->simulated != b->simulated)
        notes |= COMPARE_NOTE_SIMULATED;
    return notes;
}

static bool is_blind(const struct summary *summary)
{
    if (summary->figures_only)
        return true;
    for (size_t i = 0; i < summary->verdict_count; i++)
        if (summary->verdicts[i].kind == VERDICT_CANNOT_TELL)
            return true;
    return false;
}

/* ---- all of it ---- */

void compare_make(struct comparison *comparison, const struct compare_side *a,
                  const struct compare_side *b)
{
    uint32_t capacity = 0;
    *comparison = (struct comparison){.side = {*a, *b}};
    comparison->notes = notes_of(a->summary, b->summary);
    if (is_blind(a->summary) || is_blind(b->summary))
        comparison->notes |= COMPARE_NOTE_BLIND;
    put_figures(comparison);
    put_named(comparison, COMPARE_A, &capacity);
    put_named(comparison, COMPARE_B, &capacity);
}

void compare_done(struct comparison *comparison)
{
    free(comparison->named);
    comparison->named = NULL;
    comparison->named_count = 0;
}

static void override(struct check_values *values, enum check_figure figure, struct quantity value)
{
    values->value[figure] = value;
    if (quantity_known(value))
        values->why[figure] = NULL;
    else if (!values->why[figure])
        values->why[figure] = "no step behind the first ones tells it";
}

void compare_check_values(const struct comparison *comparison, int side,
                          struct check_values *values)
{
    const struct compare_figure *figures = comparison->figures;
    check_values_of(values, comparison->side[side].summary);
    override(values, CHECK_STEP_TIME, figures[COMPARE_STEP_TIME_MEDIAN].value[side]);
    override(values, CHECK_STEP_TIME_MEAN, figures[COMPARE_STEP_TIME_MEAN].value[side]);
    override(values, CHECK_WAIT, figures[COMPARE_WAIT].value[side]);
    override(values, CHECK_MFU, figures[COMPARE_MFU].value[side]);
    override(values, CHECK_HFU, figures[COMPARE_HFU].value[side]);
    override(values, CHECK_TOKENS_PER_S, figures[COMPARE_TOKENS_PER_S].value[side]);
}
