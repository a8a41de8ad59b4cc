/* A synchronous training job, simulated: ranks that work, meet at a barrier,
 * exchange gradients and go on together. Seeded, and made of integer arithmetic
 * alone, so the same options give the same records on every machine.
 *
 * Physics of a step: a rank begins at t, spends data + forward + backward, and
 * arrives. The last arrival opens the barrier; the exchange follows; all ranks
 * are released together; each does its optimizer and begins the next step. All
 * times are whole microseconds, so a record that went through a file (six
 * decimals) is the same record. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"

#define SIMULATE_RANKS_MAX 131072u
#define SIMULATE_SLOW_MAX 64
#define SIMULATE_PHASES_DEFAULT (RECORD_FORWARD | RECORD_BACKWARD)

/* One slow rank (or, with `rotate`, one slow rank a step). */
struct simulate_slow {
    uint32_t rank;
    double factor;   /* 1.1: 10% more time in these phases; 0.001 to 1000 */
    unsigned phases; /* RECORD_ bits of phases other than sync; 0: forward and backward */
    int64_t from_step, to_step; /* both included */
};

struct simulate_options {
    uint32_t ranks; /* 1 to SIMULATE_RANKS_MAX */
    uint64_t seed;
    double jitter; /* standard deviation of a rank's own time, as a share: 0.02 */
    /* Without jitter and slow ranks; PHASE_SYNC is the exchange alone. */
    int64_t phase_ns[PHASE_COUNT];
    int64_t start_ns; /* Unix time at which step first_step begins */
    int64_t first_step;
    struct simulate_slow slow[SIMULATE_SLOW_MAX];
    int slow_count;
    bool rotate;             /* slow[i].rank is drawn anew for each step */
    bool overlapped;         /* no sync in the records: the waiting is inside backward */
    const double *own_share; /* [ranks], own time of each rank as a share; copied; NULL: 1 */
    uint32_t ranks_per_host; /* "node0", ...; 0: no host in the records */
    uint32_t groups;         /* "pp0", ... in equal blocks of ranks; 0: none */
    int64_t clock_spread_ns; /* a host's clock is off by up to this, either way, all the time */
    double clock_drift_ppm;  /* and gains or loses up to this, us a second, from start_ns on */
    int64_t release_late_ns; /* a rank leaves the barrier up to this after the first */
    int64_t tokens;          /* a rank a step, in the records; 0: not in them */
    int64_t restart_at;      /* the job dies before this step is done; -1: never */
    int64_t restart_to;      /* and goes on from this one */
    int64_t restart_down_ns; /* after being down for so long */
    int64_t missing_rank;    /* this rank leaves the job; -1: none */
    int64_t missing_from;    /* in this step */
};

/* 8 ranks, 1 s a step, 2% jitter, nobody slow. */
void simulate_options_init(struct simulate_options *options);

/* Divides step_ns among the phases in the usual shares: data 0.04%, forward 31%,
 * backward 60%, exchange 5%, optimizer 3.96%. */
void simulate_options_step_time(struct simulate_options *options, int64_t step_ns);

/* Figure 1.5: eight ranks whose own times are 0.97 to 1.02 s, and rank 5 at
 * 1.10 s, step after step, to the microsecond; the exchange takes 50 ms. */
void simulate_options_figure_1_5(struct simulate_options *options);

struct simulate;

/* Never NULL. Options must be within their bounds (assert). */
struct simulate *simulate_new(const struct simulate_options *options);
void simulate_free(struct simulate *simulate);

/* Makes the next step: one record a rank, in the order of ranks, into
 * ret_records, which has room for options.ranks. Returns how many (one fewer
 * when a rank is missing). Every record has RECORD_SIMULATED; host and group
 * are borrowed from *simulate and stay as long as it does. */
size_t simulate_step(struct simulate *simulate, struct record *ret_records);

/* When the step that was made last was over on every rank, optimizer included:
 * Unix time of the clock that is right. Before the first step: start_ns. */
int64_t simulate_now_ns(const struct simulate *simulate);

/* By how much a rank's clock is ahead, at a moment of the clock that is right. */
int64_t simulate_clock_ns(const struct simulate *simulate, uint32_t rank, int64_t right_ns);

/* The number of the next step. */
int64_t simulate_next_step(const struct simulate *simulate);
