/* What waiting costs, and what would be won: values that a summary carries. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "evidence.h"

#define COST_NAME_BYTES 64

enum cost_of {
    COST_OF_RANK,
    COST_OF_GROUP,
    COST_OF_HOST,
    COST_OF_ALL, /* all that are named, together */
};

/* If one rank, group or host, or all named ones, ran at the median of the others:
 * over the last W steps each step would last max over the others + what it lasts
 * besides. In a pipeline a slow rank also makes bubbles, which are not modelled:
 * the gain is then a lower bound. */
struct what_if {
    enum cost_of of;
    int64_t rank;               /* COST_OF_RANK; -1 */
    char name[COST_NAME_BYTES]; /* of the group or host: raw bytes; "" */
    int ranks;                  /* how many it is about */
    bool named;                 /* a verdict on it is in force; else it is here to compare */
    bool lower_bound;           /* groups are known, so this may be a pipeline */
    int steps;                  /* of the window it was made from */
    struct quantity step_time_s, step_time_without_s; /* means over the window */
    struct quantity gain_share;                       /* of the GPU time: 1 - without / now */
    struct quantity explains;           /* of what is lost over the jitter floor, 0 to 1 */
    struct quantity mfu_points;         /* 1 is one percentage point */
    struct quantity gpu_hours_day;      /* won in a day of this job */
    struct quantity money_day, kwh_day; /* NONE without a price, watts */
    struct quantity hours_end;          /* to the end of the run, of the whole job */
    struct quantity gpu_hours_end;      /* NONE when total_tokens is not known */
    struct quantity money_end, kwh_end;
};

#define JITTER_EXTRAPOLATIONS 4
extern const int jitter_extrapolation_ranks[JITTER_EXTRAPOLATIONS]; /* 8, 64, 1024, 16384 */

/* What equal ranks lose by chance, and what is lost beyond it: over the last W
 * steps, with each rank's own time as a multiple of the step's median. */
struct jitter {
    int steps, ranks;
    int told_steps; /* of the window, in which it is known who was late; the loss is of these */
    struct quantity loss;    /* of the GPU time: last arrival after the median rank, and exchange
                                apart; what the ledger calls jitter and stragglers */
    struct quantity floor;   /* of the GPU time: what R equal ranks with this jitter lose */
    struct quantity chronic; /* loss - floor, at least 0 */
    struct quantity longer;  /* the floor as the field counts it: a step is longer by this share
                                of the median own time (2.8% for 2% jitter, 8 ranks) */
    struct quantity spread;  /* standard deviation of a rank's own time, robust, as a share */
    struct quantity longer_at[JITTER_EXTRAPOLATIONS]; /* `longer` with so many ranks */
};

/* Who was last over the last W steps. */
struct rotation {
    int steps;         /* that have a last rank */
    int distinct;      /* ranks that were last at least once */
    int64_t most_rank; /* last most often; -1 */
    int most_count;
    int64_t streak_rank; /* last in the shown step and all `streak` steps up to it; -1 */
    int streak;
};

struct effective {
    struct quantity share;  /* sum of T of steps that were kept / wall-clock time */
    struct quantity wall_s; /* from the begin of the first step to the end of the last: the sum of
                               those below that are known */
    struct quantity kept_s, lost_s, down_s; /* down_s: NONE when it is not known of some restart */
    struct quantity between_s; /* of a whole job's log: between its values, by time stamps; NONE */
    int restarts;
    int64_t repeated_steps; /* done again */
};

/* A host's clock (or, where no host is known, a rank's) against the median rank,
 * from the common release of the barrier: all ranks leave it together. */
struct clock_offset {
    char host[COST_NAME_BYTES]; /* raw bytes; "": by rank */
    int64_t rank;               /* the rank it was taken from, the first of its host */
    double offset_s;            /* positive: its clock is ahead; median over steps */
    double error_s;             /* standard error of that median */
    double drift;               /* against the median clock, seconds a second; NAN: too few
                                   steps */
    double drift_error;
    int steps;
};
