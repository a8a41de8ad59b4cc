/* What must hold of every summary, whatever was read. */
#include "analysis_checks.h"

#include <math.h>
#include <string.h>

#include "fuzz.h"

#define CLOSE 1e-9

static void check_finite(double value)
{
    PROMISE(!isinf(value), "no number is infinite");
}

static void check_not_negative(double value)
{
    check_finite(value);
    PROMISE(isnan(value) || value >= 0, "what cannot be negative is not");
}

static void check_share(double value)
{
    check_not_negative(value);
    PROMISE(isnan(value) || value <= 1 + CLOSE, "a share is at most 1");
}

static double number_of(struct quantity quantity, bool simulated)
{
    PROMISE(quantity.evidence <= EVIDENCE_EXAMPLE, "evidence is one of its kinds");
    if (!quantity_known(quantity))
        return NAN;
    PROMISE(isfinite(quantity.value), "what is known is a number");
    PROMISE(!simulated || quantity.evidence == EVIDENCE_SIMULATED,
            "nothing of a simulated run is measured");
    return quantity.value;
}

/* ---- parts ---- */

static void check_rounded(const struct ledger *ledger)
{
    static const int64_t wholes[] = {100, 1000, 10000, LEDGER_WHOLE_MAX};
    for (int w = 0; w < 4; w++) {
        int64_t units[LEDGER_COUNT], sum = 0;
        ledger_round(ledger, wholes[w], units);
        for (int i = 0; i < LEDGER_COUNT; i++) {
            PROMISE(units[i] >= 0, "no rounded share is negative");
            sum += units[i];
        }
        PROMISE(sum == (ledger->wall_s > 0 ? wholes[w] : 0), "rounded shares add up");
    }
}

static void check_ledger(const struct ledger *ledger, bool simulated)
{
    double sum = 0;
    check_not_negative(ledger->wall_s);
    check_not_negative(ledger->gpus);
    PROMISE(ledger->wall_s == ledger->wall_s, "a ledger knows its time, or has none");
    for (int i = 0; i < LEDGER_COUNT; i++) {
        double share = number_of(ledger->share[i], simulated);
        check_share(share);
        PROMISE(ledger->wall_s > 0 || isnan(share), "no time, no shares");
        PROMISE((unsigned)ledger->within[i] < LEDGER_COUNT, "a part is in a part");
        sum += isnan(share) ? 0 : share;
    }
    PROMISE(ledger->wall_s == 0 || fabs(sum - 1) <= CLOSE, "the shares add up to 1");
    check_rounded(ledger);
}

static void check_jitter(const struct jitter *jitter, bool simulated)
{
    double loss = number_of(jitter->loss, simulated);
    double parts = number_of(jitter->floor, simulated) + number_of(jitter->chronic, simulated);
    check_share(loss);
    check_share(number_of(jitter->floor, simulated));
    check_share(number_of(jitter->chronic, simulated));
    check_not_negative(number_of(jitter->longer, simulated));
    check_not_negative(number_of(jitter->spread, simulated));
    PROMISE(isnan(loss) == isnan(parts), "loss, floor and chronic are known together");
    PROMISE(isnan(loss) || fabs(loss - parts) <= CLOSE, "floor and chronic are the loss");
    double before = 0;
    for (int i = 0; i < JITTER_EXTRAPOLATIONS; i++) {
        double longer = number_of(jitter->longer_at[i], simulated);
        check_not_negative(longer);
        PROMISE(isnan(longer) || longer >= before - CLOSE, "more ranks lose more");
        before = isnan(longer) ? before : longer;
    }
}

static void check_rotation(const struct rotation *rotation)
{
    PROMISE(rotation->steps >= 0 && rotation->distinct <= rotation->steps &&
                rotation->most_count <= rotation->steps && rotation->streak <= rotation->steps,
            "no more last ranks than steps");
    PROMISE((rotation->most_count > 0) == (rotation->most_rank >= 0), "counted, and named");
    PROMISE((rotation->streak > 0) == (rotation->streak_rank >= 0), "a streak is somebody's");
}

static void check_what_if(const struct what_if *what_if, bool simulated)
{
    double now = number_of(what_if->step_time_s, simulated);
    double without = number_of(what_if->step_time_without_s, simulated);
    const struct quantity wins[] = {
        what_if->mfu_points, what_if->gpu_hours_day, what_if->money_day, what_if->kwh_day,
        what_if->hours_end,  what_if->gpu_hours_end, what_if->money_end, what_if->kwh_end};
    PROMISE(what_if->ranks >= 1, "it is about somebody");
    check_not_negative(now);
    check_not_negative(without);
    PROMISE(isnan(now) || isnan(without) || without <= now * (1 + CLOSE), "nothing is lost by it");
    check_share(number_of(what_if->gain_share, simulated));
    check_share(number_of(what_if->explains, simulated));
    for (size_t i = 0; i < sizeof(wins) / sizeof(*wins); i++)
        check_not_negative(number_of(wins[i], simulated));
}

static void check_effective(const struct effective *effective, bool simulated)
{
    double wall = number_of(effective->wall_s, simulated), sum = 0;
    const struct quantity parts[] = {effective->kept_s, effective->lost_s, effective->down_s,
                                     effective->between_s};
    check_share(number_of(effective->share, simulated));
    check_not_negative(wall);
    for (int i = 0; i < 4; i++) {
        double part = number_of(parts[i], simulated);
        check_not_negative(part);
        sum += isnan(part) ? 0 : part;
    }
    PROMISE(isnan(wall) || fabs(sum - wall) <= CLOSE * wall,
            "kept, lost, down and between are all there is");
    PROMISE(effective->restarts >= 0 && effective->repeated_steps >= 0, "counts");
}

static const struct summary_rank *rank_of(const struct summary *summary, int64_t number)
{
    for (size_t i = 0; i < summary->rank_count; i++)
        if (summary->ranks[i].rank == number)
            return &summary->ranks[i];
    return NULL;
}

static void check_verdict(const struct verdict *verdict, const struct summary *summary)
{
    PROMISE(verdict->kind <= VERDICT_GAP, "a verdict is of a kind");
    PROMISE(verdict->phase >= -1 && verdict->phase < PHASE_COUNT, "a phase, or none");
    PROMISE(verdict->rank == -1 || rank_of(summary, verdict->rank), "its rank is in the job");
    PROMISE(verdict->kind != VERDICT_STRAGGLER || verdict->rank >= 0, "a straggler is a rank");
    PROMISE(verdict->kind != VERDICT_GROUP || verdict->group[0], "a group has a name");
    PROMISE(memchr(verdict->group, '\0', NAME_BYTES), "a name ends");
    PROMISE(verdict->to_step == -1 || summary->attempts > 1 ||
                verdict->to_step >= verdict->from_step,
            "it ends after it begins");
    PROMISE(verdict->repeated_steps >= 0 && verdict->attempt >= 0, "counts");
    check_not_negative(verdict->slowdown);
    check_finite(verdict->sure);
    check_share(verdict->lost_share);
    check_not_negative(verdict->lost_gpu_s);
    check_not_negative(verdict->step_time_s);
}

static void check_rank(const struct summary_rank *rank)
{
    for (int p = 0; p < PHASE_COUNT; p++)
        PROMISE(isfinite(rank->phase_s[p]) && rank->phase_s[p] >= 0, "a phase lasts");
    check_not_negative(rank->own_s);
    check_not_negative(rank->wait_s);
    check_not_negative(rank->slowdown);
    check_not_negative(rank->window_slowdown);
    check_not_negative(rank->window_spread);
    check_not_negative(rank->gain_s);
    check_not_negative(rank->late_begin_s);
    check_not_negative(rank->slowdown_median);
    check_not_negative(rank->wait_mean_s);
    check_finite(rank->silent_s);
    PROMISE(rank->arrived_last_count <= rank->steps, "it was last no more often than it was there");
    PROMISE(memchr(rank->host, '\0', NAME_BYTES) && memchr(rank->group, '\0', NAME_BYTES),
            "names end");
}

static void check_shown(const struct summary *summary)
{
    const struct summary_step *shown = &summary->shown;
    bool simulated = summary->simulated;
    check_not_negative(number_of(shown->step_time_s, simulated));
    check_not_negative(number_of(shown->exchange_s, simulated));
    check_not_negative(number_of(shown->wait_mean_s, simulated));
    check_share(number_of(shown->wait_share, simulated));
    check_not_negative(shown->own_median_s);
    check_not_negative(shown->own_max_s);
    check_finite(shown->begin_s);
    PROMISE(shown->last_rank == -1 || rank_of(summary, shown->last_rank), "the last is a rank");
    PROMISE(shown->reported <= (int)summary->rank_count, "no more report than there are");
}

static void check_figures(const struct summary *summary)
{
    bool simulated = summary->simulated;
    const struct quantity times[] = {
        summary->step_time_median_s,
        summary->step_time_mean_s,
        summary->step_time_max_s,
        summary->wait_mean_s,
        summary->exchange_mean_s,
        summary->window_step_time_s,
        summary->mfu,
        summary->hfu,
    };
    for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
        check_not_negative(number_of(times[i], simulated));
    check_share(number_of(summary->wait_share, simulated));
    check_share(number_of(summary->window_wait_share, simulated));
    check_not_negative(summary->tokens_per_step);
    check_not_negative(summary->tokens_recorded);
    check_not_negative(summary->peak_flops);
    check_finite(summary->clock_worst_s);
    check_finite(summary->silent_s);
    PROMISE(summary->window_steps >= 0 && summary->window_steps <= summary->run.window,
            "the window has W steps at most");
}

static void check_lists(const struct summary *summary)
{
    for (size_t i = 0; i < summary->rank_count; i++) {
        check_rank(&summary->ranks[i]);
        PROMISE(i == 0 || summary->ranks[i - 1].rank < summary->ranks[i].rank, "ranks are sorted");
    }
    PROMISE(summary->verdicts_in_force <= summary->verdict_count, "those in force are verdicts");
    for (size_t i = 0; i < summary->verdict_count; i++)
        check_verdict(&summary->verdicts[i], summary);
    for (size_t i = 0; i < summary->what_if_count; i++)
        check_what_if(&summary->what_ifs[i], summary->simulated);
    for (size_t i = 0; i < summary->point_count; i++) {
        check_not_negative(summary->points[i].step_time_s);
        check_not_negative(summary->points[i].mfu);
        check_share(summary->points[i].wait_share);
    }
    for (size_t i = 0; i < summary->clock_count; i++) {
        const struct clock_offset *clock = &summary->clocks[i];
        PROMISE(isfinite(clock->offset_s) && clock->error_s >= 0, "an offset has an error");
        check_finite(clock->error_s);
        check_finite(clock->drift);
        check_finite(clock->drift_error);
    }
}

void check_summary(const struct summary *summary)
{
    check_shown(summary);
    check_figures(summary);
    check_lists(summary);
    check_ledger(&summary->ledger, summary->simulated);
    check_ledger(&summary->ledger_window, summary->simulated);
    check_jitter(&summary->jitter, summary->simulated);
    check_rotation(&summary->rotation);
    check_effective(&summary->effective, summary->simulated);
}

void check_detail(const struct rank_detail *detail, const struct summary *summary)
{
    int counted = 0;
    PROMISE(rank_of(summary, detail->rank), "it is a rank of the job");
    PROMISE(detail->recent >= 0 && detail->recent <= DETAIL_STEPS, "the last steps have room");
    for (int i = 0; i < DETAIL_BINS; i++)
        counted += detail->bins[i];
    PROMISE(counted <= detail->steps && detail->last_count <= detail->steps,
            "nothing is counted twice");
    for (int i = 0; i < 3; i++) {
        check_not_negative(detail->own_s[i]);
        PROMISE(i == 0 || !(detail->own_s[i] < detail->own_s[i - 1]), "5% <= 50% <= 95%");
    }
    check_not_negative(detail->peers_own_s);
    check_finite(detail->bin_low);
    PROMISE(detail->steps == 0 || isfinite(detail->bin_width), "bins are as wide as a number");
    for (int p = 0; p < PHASE_COUNT; p++) {
        check_not_negative(detail->phase_s[p]);
        check_not_negative(detail->peers_phase_s[p]);
    }
    for (int i = 0; i < detail->recent; i++)
        check_not_negative((double)detail->slowdown[i]);
}
