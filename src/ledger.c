/* Where the GPU time goes: sums divided into parts that leave nothing over. */
#include "ledger.h"

#include <assert.h>
#include <math.h>

static const struct {
    const char *name, *title;
} words[LEDGER_COUNT] = {
    [LEDGER_ARITHMETIC] = {"arithmetic", "arithmetic (MFU)"},
    [LEDGER_RECOMPUTE] = {"recompute", "recompute (HFU - MFU)"},
    [LEDGER_KERNELS] = {"kernels", "slow kernels"},
    [LEDGER_INPUT] = {"input", "input wait"},
    [LEDGER_JITTER] = {"jitter", "jitter"},
    [LEDGER_STRAGGLERS] = {"stragglers", "stragglers"},
    [LEDGER_EXCHANGE] = {"exchange", "exchange"},
    [LEDGER_GAPS] = {"gaps", "no recorded phase"},
    [LEDGER_CHECKPOINT] = {"checkpoint", "checkpoint"},
    [LEDGER_VALIDATION] = {"validation", "validation"},
    [LEDGER_DOWNTIME] = {"downtime", "downtime"},
    [LEDGER_LOST_WORK] = {"lost_work", "lost work"},
};

const char *ledger_part_name(enum ledger_part part)
{
    assert(part >= 0 && part < LEDGER_COUNT);
    return words[part].name;
}

const char *ledger_part_title(enum ledger_part part)
{
    assert(part >= 0 && part < LEDGER_COUNT);
    return words[part].title;
}

/* The division at work: what is still to be divided, and the evidence of each kind. */
struct division {
    struct ledger *ledger;
    const struct ledger_sums *sums;
    double wall_ns;
    enum evidence time, wait, computed;
};

static void put(struct division *division, enum ledger_part part, double ns, enum evidence evidence)
{
    division->ledger->share[part] = (struct quantity){ns / division->wall_ns, evidence};
    division->ledger->within[part] = part;
}

static void put_within(struct division *division, enum ledger_part part, enum ledger_part holder)
{
    division->ledger->share[part] = quantity_none();
    division->ledger->within[part] = holder;
}

/* NAN, infinite and negative sums count as nothing. */
static double sane(double ns)
{
    return isfinite(ns) && ns > 0 ? ns : 0;
}

static double at_most(double ns, double most)
{
    return fmin(sane(ns), fmax(most, 0));
}

static enum evidence weaker(enum evidence one, enum evidence other)
{
    return one > other ? one : other;
}

/* Arithmetic and what is done twice, out of `room` in which kernels ran; returns
 * what is left of it. More than there is room for can't be told apart. */
static double put_arithmetic(struct division *division, double room)
{
    double model = division->sums->model_share, hardware = division->sums->hardware_share;
    double time_ns = sane(division->sums->time_ns);
    double arithmetic = sane(model * time_ns), recompute = sane((hardware - model) * time_ns);
    put_within(division, LEDGER_ARITHMETIC, LEDGER_KERNELS);
    put_within(division, LEDGER_RECOMPUTE, LEDGER_KERNELS);
    if (!isfinite(model) || model < 0)
        return room;
    division->ledger->over_peak = arithmetic + recompute > room;
    if (division->ledger->over_peak)
        return room;
    put(division, LEDGER_ARITHMETIC, arithmetic, division->computed);
    if (isfinite(hardware))
        put(division, LEDGER_RECOMPUTE, recompute, division->computed);
    return fmax(room - arithmetic - recompute, 0);
}

/* Own time at the median: input, arithmetic, recompute, and slow kernels, which is
 * the rest. */
static void put_own(struct division *division, double own)
{
    double input = division->sums->has_input ? at_most(division->sums->input_ns, own) : 0;
    if (division->sums->has_input)
        put(division, LEDGER_INPUT, input, division->time);
    else
        put_within(division, LEDGER_INPUT, LEDGER_KERNELS);
    double kernels = put_arithmetic(division, own - input);
    bool is_rest = quantity_known(division->ledger->share[LEDGER_ARITHMETIC]);
    put(division, LEDGER_KERNELS, kernels, is_rest ? division->computed : division->time);
}

/* What the last rank arrives later than the median one. */
static void put_late(struct division *division, double late)
{
    double stragglers = at_most(division->sums->straggler_ns, late);
    enum evidence wait = weaker(division->time, division->wait);
    put(division, LEDGER_STRAGGLERS, stragglers, division->computed);
    put(division, LEDGER_JITTER, fmax(late - stragglers, 0),
        stragglers > 0 ? division->computed : wait);
}

/* The time of a step in none of its phases; returns what the log gives no name. A log
 * that calls no step a checkpoint may still have them: that is not known. */
static double put_called(struct division *division, double rest, enum ledger_part holder)
{
    /* In the kernels they are what their steps took beyond others. */
    enum evidence evidence = holder == LEDGER_GAPS ? division->time : division->computed;
    double checkpoint = at_most(division->sums->checkpoint_ns, rest);
    double validation = at_most(division->sums->validation_ns, rest - checkpoint);
    if (checkpoint > 0 || division->sums->has_checkpoint)
        put(division, LEDGER_CHECKPOINT, checkpoint, evidence);
    else
        put_within(division, LEDGER_CHECKPOINT, holder);
    if (validation > 0 || division->sums->has_validation)
        put(division, LEDGER_VALIDATION, validation, evidence);
    else
        put_within(division, LEDGER_VALIDATION, holder);
    return fmax(rest - checkpoint - validation, 0);
}

/* No own times of ranks: all that is no input, no exchange and no named gap is one part. */
static void put_undivided(struct division *division, double time_ns)
{
    double exchange =
        division->sums->has_exchange ? at_most(division->sums->exchange_ns, time_ns) : 0;
    bool has_input = division->sums->has_own && division->sums->has_input;
    double input = has_input ? at_most(division->sums->input_ns, time_ns - exchange) : 0;
    put_within(division, LEDGER_INPUT, LEDGER_KERNELS);
    if (has_input)
        put(division, LEDGER_INPUT, input, division->time);
    put_within(division, LEDGER_JITTER, LEDGER_KERNELS);
    put_within(division, LEDGER_STRAGGLERS, LEDGER_KERNELS);
    put_within(division, LEDGER_GAPS, LEDGER_KERNELS);
    put_within(division, LEDGER_EXCHANGE, LEDGER_KERNELS);
    if (division->sums->has_exchange)
        put(division, LEDGER_EXCHANGE, exchange, division->time);
    double rest = put_called(division, time_ns - exchange - input, LEDGER_KERNELS);
    double kernels = put_arithmetic(division, rest);
    bool is_rest = quantity_known(division->ledger->share[LEDGER_ARITHMETIC]);
    put(division, LEDGER_KERNELS, kernels, is_rest ? division->computed : division->time);
}

static void put_step_time(struct division *division, double time_ns)
{
    const struct ledger_sums *sums = division->sums;
    if (!sums->has_own || sums->of_job) {
        put_undivided(division, time_ns);
        return;
    }
    double own = at_most(sums->own_ns, time_ns);
    double late = at_most(sums->late_ns, time_ns - own);
    double exchange = sums->has_exchange ? at_most(sums->exchange_ns, time_ns - own - late) : 0;
    put_own(division, own);
    put_late(division, late);
    if (sums->has_exchange)
        put(division, LEDGER_EXCHANGE, exchange, division->time);
    else
        put_within(division, LEDGER_EXCHANGE, LEDGER_GAPS);
    double gaps = put_called(division, fmax(time_ns - own - late - exchange, 0), LEDGER_GAPS);
    put(division, LEDGER_GAPS, gaps, division->time);
}

/* More of a part, of which some may be known already. */
static void put_more(struct division *division, enum ledger_part part, double ns)
{
    struct quantity had = division->ledger->share[part];
    double had_ns = quantity_known(had) ? had.value * division->wall_ns : 0;
    put(division, part, had_ns + ns, division->computed);
}

/* Between the values of a job, by its time stamps. */
static void put_between(struct division *division, double between)
{
    const struct ledger_sums *sums = division->sums;
    double checkpoint = at_most(sums->between_checkpoint_ns, between);
    double validation = at_most(sums->between_validation_ns, between - checkpoint);
    if (!sums->has_between)
        return;
    if (checkpoint > 0)
        put_more(division, LEDGER_CHECKPOINT, checkpoint);
    if (validation > 0)
        put_more(division, LEDGER_VALIDATION, validation);
    put_more(division, LEDGER_GAPS, fmax(between - checkpoint - validation, 0));
}

void ledger_sums_between(struct ledger_sums *sums, double ns, bool checkpoint, bool validation)
{
    if (isnan(ns))
        return;
    sums->has_between = true;
    sums->between_ns += ns;
    sums->between_checkpoint_ns += checkpoint ? ns : 0;
    sums->between_validation_ns += validation && !checkpoint ? ns : 0;
}

double ledger_between_ns(const struct ledger_sums *sums)
{
    return sums->has_between ? sane(sums->between_ns) : 0;
}

void ledger_make(struct ledger *ledger, const struct ledger_sums *sums, double gpus,
                 enum evidence time, enum evidence wait, bool simulated)
{
    double time_ns = sane(sums->time_ns), down_ns = sane(sums->down_ns);
    double lost_ns = sane(sums->lost_ns), between_ns = ledger_between_ns(sums);
    double wall_ns = time_ns + down_ns + lost_ns + between_ns;
    *ledger = (struct ledger){.gpus = gpus, .steps = sums->steps};
    for (int part = 0; part < LEDGER_COUNT; part++) {
        ledger->share[part] = quantity_none();
        ledger->within[part] = (enum ledger_part)part;
    }
    if (wall_ns <= 0 || !isfinite(wall_ns) || time == EVIDENCE_NONE)
        return;
    ledger->wall_s = wall_ns / 1e9;
    struct division division = {
        .ledger = ledger,
        .sums = sums,
        .wall_ns = wall_ns,
        .time = simulated ? EVIDENCE_SIMULATED : time,
        .wait = simulated ? EVIDENCE_SIMULATED : wait,
        .computed = simulated ? EVIDENCE_SIMULATED : EVIDENCE_COMPUTED,
    };
    put(&division, LEDGER_DOWNTIME, down_ns, division.time);
    put(&division, LEDGER_LOST_WORK, lost_ns, division.time);
    put_step_time(&division, time_ns);
    put_between(&division, between_ns);
}

/* Gives `more` units away, one each, to the parts whose exact share is furthest above
 * what they have; the first of equal ones. */
static void round_up(const double exact[LEDGER_COUNT], int64_t more, int64_t units[LEDGER_COUNT])
{
    for (; more > 0; more--) {
        int most = 0;
        for (int part = 1; part < LEDGER_COUNT; part++)
            if (exact[part] - (double)units[part] > exact[most] - (double)units[most])
                most = part;
        units[most]++;
    }
}

void ledger_round(const struct ledger *ledger, int64_t whole, int64_t ret_units[LEDGER_COUNT])
{
    assert(whole >= 0 && whole <= LEDGER_WHOLE_MAX);
    double exact[LEDGER_COUNT] = {0}, sum = 0;
    for (int part = 0; part < LEDGER_COUNT; part++) {
        ret_units[part] = 0;
        if (quantity_known(ledger->share[part]))
            exact[part] = fmax(ledger->share[part].value, 0);
        sum += exact[part];
    }
    if (!(sum > 0) || !isfinite(sum))
        return;
    int64_t left = whole;
    for (int part = 0; part < LEDGER_COUNT; part++) {
        exact[part] = exact[part] / sum * (double)whole;
        double floored = floor(exact[part]);
        ret_units[part] = floored < (double)left ? (int64_t)floored : left;
        left -= ret_units[part];
    }
    round_up(exact, left, ret_units);
}
