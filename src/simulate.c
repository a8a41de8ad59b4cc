/* A synchronous training job, simulated. The noise of a rank in a step comes
 * from a hash of (seed, attempt, step, rank), not from a running stream: what
 * one option adds to a rank changes nobody else's noise. */
#include "simulate.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "memory.h"
#define PPM INT64_C(1000000)
#define SIMULATE_NAME_BYTES 16
#define OWN_PHASES (RECORD_DATA | RECORD_FORWARD | RECORD_BACKWARD | RECORD_OPTIMIZER)

struct simulate_rank {
    int64_t begin_ns;   /* of its next step, right clock */
    int64_t arrival_ns; /* in the step being made */
    int64_t own_ppm;
    int64_t clock_ns; /* its host's clock is ahead by this at start_ns */
    int64_t drift_ppb;
    char host[SIMULATE_NAME_BYTES], group[SIMULATE_NAME_BYTES];
    uint8_t host_len, group_len;
};

struct simulate {
    struct simulate_options options;
    int64_t jitter_ppm;
    int64_t slow_ppm[SIMULATE_SLOW_MAX];
    int64_t step;
    uint64_t attempt;
    int64_t now_ns;
    struct simulate_rank *ranks; /* [options.ranks] */
};

/* splitmix64 (Steele, Lea, Flood 2014): one word of state, any seed is good. */
static uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t random_state(const struct simulate *simulate, uint64_t what)
{
    uint64_t state = simulate->options.seed;
    state = random_next(&state) ^ simulate->attempt;
    state = random_next(&state) ^ (uint64_t)simulate->step;
    state = random_next(&state) ^ what;
    return random_next(&state);
}

/* A normal deviate in millionths: the sum of twelve uniform numbers has
 * variance 1. No logarithm, so no libm that differs in the last digit. */
static int64_t random_normal_ppm(uint64_t *state)
{
    int64_t sum = 0;
    for (int i = 0; i < 3; i++) {
        uint64_t word = random_next(state);
        sum += (int64_t)(word & 0xffff) + (int64_t)(word >> 16 & 0xffff) +
               (int64_t)(word >> 32 & 0xffff) + (int64_t)(word >> 48);
    }
    return (sum - 6 * 65535) * PPM / 65536;
}

/* ns x ppm / 1e6 without overflow, in whole microseconds. */
static int64_t scale(int64_t ns, int64_t ppm)
{
    int64_t scaled = ns / PPM * ppm + ns % PPM * ppm / PPM;
    return (scaled + 500) / 1000 * 1000;
}

/* 1 + jitter x a normal deviate, never under 0.05. */
static int64_t noise_ppm(const struct simulate *simulate, uint64_t *state)
{
    int64_t ppm = PPM + random_normal_ppm(state) * simulate->jitter_ppm / PPM;
    return ppm > PPM / 20 ? ppm : PPM / 20;
}

void simulate_options_init(struct simulate_options *options)
{
    *options = (struct simulate_options){
        .ranks = 8,
        .seed = 1,
        .jitter = 0.02,
        .start_ns = INT64_C(1800000000) * 1000000000,
        .restart_at = -1,
        .restart_down_ns = INT64_C(30000000000),
        .missing_rank = -1,
    };
    simulate_options_step_time(options, 1000000000);
}

void simulate_options_step_time(struct simulate_options *options, int64_t step_ns)
{
    static const int64_t share_ppm[PHASE_COUNT] = {
        [PHASE_DATA] = 400,   [PHASE_FORWARD] = 310000,  [PHASE_BACKWARD] = 600000,
        [PHASE_SYNC] = 50000, [PHASE_OPTIMIZER] = 39600,
    };
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        options->phase_ns[phase] = scale(step_ns, share_ppm[phase]);
}

void simulate_options_figure_1_5(struct simulate_options *options)
{
    static const double own_share[8] = {1.00, 0.98, 1.02, 0.97, 1.01, 1.10, 0.99, 1.00};
    simulate_options_init(options);
    options->jitter = 0;
    options->own_share = own_share;
    options->phase_ns[PHASE_DATA] = 400000;
    options->phase_ns[PHASE_FORWARD] = 320000000;
    options->phase_ns[PHASE_BACKWARD] = 639600000;
    options->phase_ns[PHASE_SYNC] = 50000000;
    options->phase_ns[PHASE_OPTIMIZER] = 40000000;
}

static void check_options(const struct simulate_options *options)
{
    assert(options->ranks >= 1 && options->ranks <= SIMULATE_RANKS_MAX);
    assert(options->jitter >= 0 && options->jitter <= 1);
    assert(options->slow_count >= 0 && options->slow_count <= SIMULATE_SLOW_MAX);
    assert(options->first_step >= 0 && options->tokens >= 0);
    assert(options->start_ns >= 0 && options->start_ns <= RECORD_BEGIN_MAX_NS / 2);
    assert(options->clock_spread_ns >= 0 && options->clock_spread_ns <= RECORD_DURATION_MAX_NS);
    assert(options->clock_drift_ppm >= 0 && options->clock_drift_ppm <= 1000);
    assert(options->release_late_ns >= 0 && options->release_late_ns <= RECORD_DURATION_MAX_NS);
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        assert(options->phase_ns[phase] >= 0 &&
               options->phase_ns[phase] <= RECORD_DURATION_MAX_NS / 10000);
    for (int i = 0; i < options->slow_count; i++)
        assert(options->slow[i].factor >= 0.001 && options->slow[i].factor <= 1000);
}

/* Any of -most to most. */
static int64_t random_between(uint64_t *state, int64_t most)
{
    return (int64_t)(random_next(state) % (2 * (uint64_t)most + 1)) - most;
}

static void set_clock(struct simulate *simulate, struct simulate_rank *r, uint32_t host)
{
    const struct simulate_options *options = &simulate->options;
    uint64_t state = random_state(simulate, UINT64_C(1) << 40 | host);
    r->clock_ns = random_between(&state, options->clock_spread_ns / 1000) * 1000;
    r->drift_ppb = random_between(&state, llround(options->clock_drift_ppm * 1000));
}

static void name_rank(struct simulate *simulate, uint32_t rank)
{
    const struct simulate_options *options = &simulate->options;
    struct simulate_rank *r = &simulate->ranks[rank];
    uint32_t host = options->ranks_per_host ? rank / options->ranks_per_host : rank;
    if (options->ranks_per_host)
        r->host_len = (uint8_t)snprintf(r->host, sizeof r->host, "node%u", (unsigned)host);
    if (options->groups) {
        unsigned group = (unsigned)((uint64_t)rank * options->groups / options->ranks);
        r->group_len = (uint8_t)snprintf(r->group, sizeof r->group, "pp%u", group);
    }
    set_clock(simulate, r, host);
}

struct simulate *simulate_new(const struct simulate_options *options)
{
    check_options(options);
    struct simulate *simulate = memory_zeroed(1, sizeof *simulate);
    simulate->options = *options;
    simulate->options.own_share = NULL;
    simulate->jitter_ppm = llround(options->jitter * 1e6);
    simulate->step = options->first_step;
    simulate->now_ns = options->start_ns / 1000 * 1000;
    for (int i = 0; i < options->slow_count; i++) {
        simulate->slow_ppm[i] = llround(options->slow[i].factor * 1e6);
        if (!options->slow[i].phases)
            simulate->options.slow[i].phases = SIMULATE_PHASES_DEFAULT;
    }
    simulate->ranks = memory_zeroed(options->ranks, sizeof *simulate->ranks);
    for (uint32_t rank = 0; rank < options->ranks; rank++) {
        struct simulate_rank *r = &simulate->ranks[rank];
        r->own_ppm = options->own_share ? llround(options->own_share[rank] * 1e6) : PPM;
        r->begin_ns = simulate->now_ns;
        name_rank(simulate, rank);
    }
    return simulate;
}

void simulate_free(struct simulate *simulate)
{
    if (!simulate)
        return;
    free(simulate->ranks);
    free(simulate);
}

static bool slow_applies(const struct simulate *simulate, int i, uint32_t rank)
{
    const struct simulate_slow *slow = &simulate->options.slow[i];
    if (simulate->step < slow->from_step || simulate->step > slow->to_step)
        return false;
    if (!simulate->options.rotate)
        return slow->rank == rank;
    uint64_t state = random_state(simulate, UINT64_C(2) << 40 | (uint64_t)i);
    return random_next(&state) % simulate->options.ranks == rank;
}

static void slow_down(const struct simulate *simulate, uint32_t rank, struct record *record)
{
    for (int i = 0; i < simulate->options.slow_count; i++) {
        if (!slow_applies(simulate, i, rank))
            continue;
        unsigned phases = simulate->options.slow[i].phases & OWN_PHASES;
        for (int phase = 0; phase < PHASE_COUNT; phase++) {
            if (phases & 1u << phase)
                record->phase_ns[phase] = scale(record->phase_ns[phase], simulate->slow_ppm[i]);
        }
    }
}

/* The rank's own phases of this step: one deviate for the whole, so that own
 * time has the jitter that was asked for, and one that moves time between
 * forward and backward. */
static void work(const struct simulate *simulate, uint32_t rank, struct record *record)
{
    const int64_t *base_ns = simulate->options.phase_ns;
    uint64_t state = random_state(simulate, rank);
    int64_t own_ppm = simulate->ranks[rank].own_ppm;
    int64_t whole_ppm = scale(own_ppm * 1000, noise_ppm(simulate, &state)) / 1000;
    record->phase_ns[PHASE_DATA] = scale(base_ns[PHASE_DATA], whole_ppm);
    record->phase_ns[PHASE_FORWARD] = scale(base_ns[PHASE_FORWARD], whole_ppm);
    record->phase_ns[PHASE_BACKWARD] = scale(base_ns[PHASE_BACKWARD], whole_ppm);
    record->phase_ns[PHASE_OPTIMIZER] =
        scale(scale(base_ns[PHASE_OPTIMIZER], own_ppm), noise_ppm(simulate, &state));
    int64_t moved_ns = random_normal_ppm(&state) * simulate->jitter_ppm / PPM *
                       (record->phase_ns[PHASE_FORWARD] / 1000 / 2) / PPM * 1000;
    if (moved_ns < record->phase_ns[PHASE_FORWARD] &&
        -moved_ns < record->phase_ns[PHASE_BACKWARD]) {
        record->phase_ns[PHASE_FORWARD] -= moved_ns;
        record->phase_ns[PHASE_BACKWARD] += moved_ns;
    }
    slow_down(simulate, rank, record);
}

int64_t simulate_clock_ns(const struct simulate *simulate, uint32_t rank, int64_t right_ns)
{
    const struct simulate_rank *r = &simulate->ranks[rank];
    int64_t us = (right_ns - simulate->options.start_ns) / 1000;
    return r->clock_ns + us / PPM * r->drift_ppb / 1000 * 1000 +
           us % PPM * r->drift_ppb / 1000 / PPM * 1000;
}

static void describe(const struct simulate *simulate, uint32_t rank, struct record *record)
{
    const struct simulate_rank *r = &simulate->ranks[rank];
    *record = (struct record){
        .has = RECORD_RANK | RECORD_STEP | RECORD_BEGIN | RECORD_ANY_PHASE | RECORD_SIMULATED,
        .rank = rank,
        .step = simulate->step,
        .begin_ns = r->begin_ns + simulate_clock_ns(simulate, rank, r->begin_ns),
        .tokens = simulate->options.tokens,
    };
    if (record->tokens)
        record->has |= RECORD_TOKENS;
    if (r->host_len) {
        record->has |= RECORD_HOST;
        record->host = str_of(r->host, r->host_len);
    }
    if (r->group_len) {
        record->has |= RECORD_GROUP;
        record->group = str_of(r->group, r->group_len);
    }
}

/* All ranks are released together, or nearly so. */
static void release(struct simulate *simulate, struct record *record, int64_t release_ns)
{
    struct simulate_rank *r = &simulate->ranks[record->rank];
    uint64_t state = random_state(simulate, UINT64_C(4) << 40 | record->rank);
    int64_t late_us = simulate->options.release_late_ns / 1000;
    release_ns += late_us > 0 ? (int64_t)(random_next(&state) % (uint64_t)late_us) * 1000 : 0;
    int64_t rest_ns = release_ns - r->arrival_ns;
    if (simulate->options.overlapped) {
        record->phase_ns[PHASE_BACKWARD] += rest_ns;
        record->has &= ~(uint32_t)RECORD_SYNC;
    } else {
        record->phase_ns[PHASE_SYNC] = rest_ns;
    }
    r->begin_ns = release_ns + record->phase_ns[PHASE_OPTIMIZER];
    if (r->begin_ns > simulate->now_ns)
        simulate->now_ns = r->begin_ns;
}

static void restart(struct simulate *simulate)
{
    simulate->options.restart_at = -1; /* it dies once */
    simulate->step = simulate->options.restart_to;
    simulate->attempt++;
    simulate->now_ns += simulate->options.restart_down_ns / 1000 * 1000;
    for (uint32_t rank = 0; rank < simulate->options.ranks; rank++)
        simulate->ranks[rank].begin_ns = simulate->now_ns;
}

size_t simulate_step(struct simulate *simulate, struct record *ret_records)
{
    const struct simulate_options *options = &simulate->options;
    if (simulate->step == options->restart_at)
        restart(simulate);
    size_t count = 0;
    int64_t last_ns = 0;
    for (uint32_t rank = 0; rank < options->ranks; rank++) {
        if (rank == options->missing_rank && simulate->step >= options->missing_from)
            continue;
        struct record *record = &ret_records[count++];
        struct simulate_rank *r = &simulate->ranks[rank];
        describe(simulate, rank, record);
        work(simulate, rank, record);
        r->arrival_ns = r->begin_ns + record->phase_ns[PHASE_DATA] +
                        record->phase_ns[PHASE_FORWARD] + record->phase_ns[PHASE_BACKWARD];
        if (r->arrival_ns > last_ns)
            last_ns = r->arrival_ns;
    }
    uint64_t state = random_state(simulate, UINT64_C(3) << 40);
    int64_t exchange_ns = scale(options->phase_ns[PHASE_SYNC], noise_ppm(simulate, &state));
    for (size_t i = 0; i < count; i++)
        release(simulate, &ret_records[i], last_ns + exchange_ns);
    simulate->step++;
    return count;
}

int64_t simulate_now_ns(const struct simulate *simulate)
{
    return simulate->now_ns;
}

int64_t simulate_next_step(const struct simulate *simulate)
{
    return simulate->step == simulate->options.restart_at ? simulate->options.restart_to
                                                          : simulate->step;
}
