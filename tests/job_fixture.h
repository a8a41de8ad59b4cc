/* Jobs drawn at random, with restarts, late and lost records, ranks that come and go,
 * names that change, small tables. */
#pragma once

#include "analysis_fixture.h"

static uint64_t random_state;

static inline uint32_t draw(uint32_t below) /* 0 to below - 1 */
{
    random_state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = random_state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ (z >> 31)) % below);
}

static inline bool once_in(uint32_t times)
{
    return draw(times) == 0;
}

#define RECORDS_MAX 20000

struct job {
    struct analysis_options options;
    size_t count;
    struct record records[RECORDS_MAX]; /* in the order in which they arrive */
    double when[RECORDS_MAX];
};

static inline void draw_simulation(struct simulate_options *options)
{
    static const uint32_t ranks[] = {1, 2, 2, 3, 4, 5, 8, 8, 12, 16};
    simulate_options_init(options);
    options->ranks = ranks[draw(10)];
    options->seed = draw(1000000);
    options->jitter = draw(4) * 0.02;
    options->ranks_per_host = draw(4);
    options->groups = once_in(3) ? 0 : 1 + draw(options->ranks > 4 ? 4 : options->ranks);
    options->tokens = once_in(2) ? 4096 : 0;
    options->overlapped = once_in(6);
    options->clock_spread_ns = once_in(3) ? 50 * MS : 0;
    options->slow_count = (int)draw(3);
    options->rotate = once_in(8);
    for (int i = 0; i < options->slow_count; i++) {
        int64_t from = draw(200);
        options->slow[i] = (struct simulate_slow){
            .rank = draw(options->ranks),
            .factor = 1.05 + draw(10) * 0.1,
            .from_step = from,
            .to_step = once_in(2) ? 100000 : from + 20 + draw(120),
        };
    }
    options->restart_at = options->restart_to = -1;
    if (once_in(3)) {
        options->restart_at = 20 + draw(300);
        options->restart_to = draw((uint32_t)options->restart_at);
        options->restart_down_ns = draw(100) * SECOND;
    }
}

static inline void draw_options(struct job *job)
{
    static const int windows[] = {1, 2, 5, 20, 50, 50, 50, 300, 1000};
    struct analysis_options *options = &job->options;
    analysis_options_init(options);
    options->run.window = windows[draw(9)];
    options->run.threshold = once_in(4) ? 0.001 + draw(30) * 0.01 : 0.05;
    options->run.params = 1e9;
    options->run.peak_flops = 1e12;
    options->run.pp = once_in(6) ? 2 : 0;
    options->keep_history = !once_in(3);
    if (once_in(3))
        options->memory_bytes = 1 + draw(300000);
    if (once_in(3)) {
        options->from_step = draw(150);
        options->to_step = options->from_step + draw(200);
    }
}

/* What may befall a record on its way, or its rank. */
struct troubles {
    uint32_t late, lost, spike, doubled, renamed, marked; /* once in so many; 0: never */
    uint32_t every;                                       /* steps that are logged */
    unsigned without;                                     /* RECORD_ bits that are not logged */
    int64_t joins[16], leaves[16], returns[16];
    double behind[16]; /* of a rank whose records come late, in steps */
};

static inline void draw_troubles(struct troubles *troubles)
{
    static const uint32_t rare[] = {0, 0, 300, 60, 12};
    static const unsigned without[] = {0,
                                       0,
                                       0,
                                       RECORD_SYNC,
                                       RECORD_BEGIN,
                                       RECORD_SYNC | RECORD_BEGIN,
                                       RECORD_OPTIMIZER,
                                       RECORD_DATA | RECORD_FORWARD | RECORD_BACKWARD};
    *troubles = (struct troubles){
        .late = rare[draw(5)],
        .lost = rare[draw(5)],
        .spike = rare[draw(4)],
        .doubled = rare[draw(4)],
        .renamed = rare[draw(4)],
        .marked = rare[draw(4)],
        .every = once_in(5) ? 1 + draw(10) : 1,
        .without = without[draw(8)],
    };
    for (int i = 0; i < 16; i++) {
        bool leaves = once_in(12);
        troubles->joins[i] = once_in(10) ? draw(200) : 0;
        troubles->leaves[i] = leaves ? draw(400) : INT64_MAX;
        troubles->returns[i] = leaves && once_in(2) ? troubles->leaves[i] + draw(400) : INT64_MAX;
        troubles->behind[i] = once_in(12) ? draw(40) : 0;
    }
}

static inline bool befalls(uint32_t times)
{
    return times > 0 && once_in(times);
}

static const char *const names[] = {"a", "b", "c", "node0", "pp0", "pp1"};

static inline void push(struct job *job, struct record record, const struct troubles *troubles,
                 uint64_t place)
{
    if (job->count >= RECORDS_MAX - 1 || befalls(troubles->lost))
        return;
    record.has &= ~troubles->without;
    if (!(record.has & RECORD_ANY_TIME))
        return;
    if (befalls(troubles->spike))
        record.phase_ns[draw(PHASE_COUNT)] += draw(5000) * MS;
    if (befalls(troubles->renamed)) {
        record.has |= once_in(2) ? RECORD_HOST : RECORD_GROUP;
        record.host = record.group = str_from(names[draw(6)]);
    }
    if (befalls(troubles->marked))
        record.has |= once_in(2) ? RECORD_CHECKPOINT : RECORD_VALIDATION;
    double when = (double)place + 1e-5 * record.rank + troubles->behind[record.rank];
    if (befalls(troubles->late))
        when += draw(once_in(5) ? 400 : 6);
    for (int i = befalls(troubles->doubled) ? 0 : 1; i < 2; i++) {
        job->records[job->count] = record;
        job->when[job->count++] = when + 2 * i - 2;
    }
}

static const double *sort_by;
static inline int by_arrival(const void *a, const void *b)
{
    size_t one = *(const size_t *)a, other = *(const size_t *)b;
    if (sort_by[one] != sort_by[other])
        return sort_by[one] < sort_by[other] ? -1 : 1;
    return one < other ? -1 : one > other;
}

static inline void sort_by_arrival(struct job *job)
{
    size_t *order = malloc((job->count + 1) * sizeof(*order));
    struct record *records = malloc((job->count + 1) * sizeof(*records));
    for (size_t i = 0; i < job->count; i++)
        order[i] = i;
    sort_by = job->when;
    qsort(order, job->count, sizeof(*order), by_arrival);
    for (size_t i = 0; i < job->count; i++)
        records[i] = job->records[order[i]];
    memcpy(job->records, records, job->count * sizeof(*records));
    free(records);
    free(order);
}

/* The simulation lends its names: it must live as long as the job. */
static inline struct simulate *draw_job(uint64_t seed, struct job *job)
{
    struct simulate_options options;
    struct troubles troubles;
    struct record records[16];
    random_state = seed * 1000003;
    draw_simulation(&options);
    draw_options(job);
    draw_troubles(&troubles);
    struct simulate *simulate = simulate_new(&options);
    uint32_t steps = 30 + draw(once_in(4) ? 900 : 300);
    job->count = 0;
    for (uint32_t place = 0; place < steps; place++) {
        size_t count = simulate_step(simulate, records);
        for (size_t i = 0; i < count; i++) {
            int64_t step = records[i].step;
            uint32_t rank = records[i].rank;
            if (step % troubles.every == 0 && step >= troubles.joins[rank] &&
                (step < troubles.leaves[rank] || step >= troubles.returns[rank]))
                push(job, records[i], &troubles, place);
        }
    }
    sort_by_arrival(job);
    return simulate;
}
