/* The figures that conditions ask for, and why one is not known. */
#include <math.h>
#include <string.h>

#include "checks.h"
#include "mfu.h"

static void put(struct check_values *values, enum check_figure figure, struct quantity value,
                const char *why)
{
    bool known = quantity_known(value) && isfinite(value.value);
    values->value[figure] = known ? value : quantity_none();
    values->why[figure] = known ? NULL : why;
}

static struct quantity counted(const struct summary *summary, double count, enum evidence evidence)
{
    return (struct quantity){count, summary->simulated ? EVIDENCE_SIMULATED : evidence};
}

static const char *why_no_utilization(const struct summary *summary)
{
    if (!(summary->peak_flops > 0))
        return "the peak of the chip is not known; give --chip or --peak";
    if (!(mfu_model_flop_per_token(&summary->run) > 0))
        return "the size of the model is not known; give --params, or a run.json";
    if (!(summary->tokens_per_step > 0))
        return "the tokens of a step are not known; give --tokens, or a run.json";
    return "no step time is known";
}

static struct quantity tokens_per_s(const struct summary *summary)
{
    struct quantity time = summary->window_step_time_s;
    if (!(summary->tokens_per_step > 0) || !quantity_known(time) || !(time.value > 0))
        return quantity_none();
    return counted(summary, summary->tokens_per_step / time.value, EVIDENCE_COMPUTED);
}

/* Ranks of it: of a host that was missing as a whole, as many as it has. */
static double ranks_of(const struct summary *summary, const struct verdict *verdict)
{
    double count = 0;
    if (verdict->kind != VERDICT_MISSING || !verdict->is_host)
        return 1;
    for (size_t i = 0; i < summary->rank_count; i++)
        count += strcmp(summary->ranks[i].host, verdict->group) == 0;
    return count;
}

/* What happened so often; not known when the list is not whole, or not made at all. */
static void put_happened(struct check_values *values, const struct summary *summary)
{
    static const struct {
        enum check_figure figure;
        enum verdict_kind kind;
    } of[] = {
        {CHECK_STRAGGLERS, VERDICT_STRAGGLER}, {CHECK_GROUPS, VERDICT_GROUP},
        {CHECK_SPIKES, VERDICT_SPIKE},         {CHECK_MISSING, VERDICT_MISSING},
        {CHECK_RESTARTS, VERDICT_RESTART},     {CHECK_GAPS, VERDICT_GAP},
    };
    double count[VERDICT_GAP + 1] = {0};
    for (size_t i = 0; i < summary->verdict_count; i++)
        if (summary->verdicts[i].kind <= VERDICT_GAP)
            count[summary->verdicts[i].kind] += ranks_of(summary, &summary->verdicts[i]);
    bool blind = count[VERDICT_CANNOT_TELL] > 0;
    for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
        bool slow = verdict_kind_is_slow(of[i].kind);
        const char *why = summary->figures_only       ? "--figures-only leaves verdicts out"
                          : summary->verdicts_dropped ? "more happened than is kept"
                          : blind && slow             ? "this log cannot tell who is slow"
                          : summary->first_step < 0   ? "no step is known"
                                                      : NULL;
        struct quantity value = counted(summary, count[of[i].kind], EVIDENCE_COMPUTED);
        put(values, of[i].figure, why ? quantity_none() : value, why);
    }
}

void check_values_of(struct check_values *values, const struct summary *summary)
{
    const char *no_utilization = why_no_utilization(summary);
    const char *no_step = "no step time is known";
    const char *left_out = summary->figures_only ? "--figures-only leaves it out" : NULL;
    put(values, CHECK_MFU, summary->mfu, no_utilization);
    put(values, CHECK_HFU, summary->hfu, no_utilization);
    put(values, CHECK_WAIT, summary->wait_share, "the log does not tell who waits for whom");
    put(values, CHECK_STEP_TIME, summary->step_time_median_s, no_step);
    put(values, CHECK_STEP_TIME_MEAN, summary->step_time_mean_s, no_step);
    put(values, CHECK_STEP_TIME_MAX, summary->step_time_max_s, no_step);
    put(values, CHECK_EXCHANGE, summary->exchange_mean_s,
        "the log has no sync times, which alone tell the exchange");
    put(values, CHECK_TOKENS_PER_S, tokens_per_s(summary),
        "the tokens of a step are not known; give --tokens, or a run.json");
    put(values, CHECK_EFFECTIVE, left_out ? quantity_none() : summary->effective.share,
        left_out ? left_out : "the log does not tell when steps began");
    put(values, CHECK_LOST, left_out ? quantity_none() : summary->ledger.share[LEDGER_LOST_WORK],
        left_out ? left_out : no_step);
    put_happened(values, summary);
    put(values, CHECK_INCOMPLETE, counted(summary, (double)summary->incomplete, EVIDENCE_MEASURED),
        NULL);
    put(values, CHECK_DAMAGED, counted(summary, (double)summary->source.damaged, EVIDENCE_MEASURED),
        NULL);
    put(values, CHECK_DROPPED, counted(summary, (double)summary->source.dropped, EVIDENCE_MEASURED),
        NULL);
}
