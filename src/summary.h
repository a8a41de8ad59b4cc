/* All that a screen or a report may ask at one moment, as one value: no pointer
 * into the step table, no clock. analysis_summary() fills it; it owns its arrays.
 *
 * Times are seconds (double) here: nothing is added up any more, only shown. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cost.h"
#include "evidence.h"
#include "ledger.h"
#include "record.h"
#include "run.h"

/* How the waits of a barrier were found (DESIGN section 6). */
enum wait_rule {
    WAIT_UNKNOWN,    /* this log cannot tell: no own times, or one rank alone */
    WAIT_SYNC,       /* sync - min sync: measured */
    WAIT_CLOCKS,     /* latest arrival - own arrival, the clocks agree: measured */
    WAIT_OWN,        /* max own time - own time: computed */
    WAIT_OVERLAPPED, /* backward - min backward: computed */
};
const char *
wait_rule_name(enum wait_rule rule); /* "unknown", "sync", "clocks", "own", "overlapped" */
const char *wait_rule_sentence(enum wait_rule rule); /* "sync - min sync", ... for the screen */
enum evidence wait_rule_evidence(enum wait_rule rule);

enum rank_state {
    RANK_PRESENT,
    RANK_NO_DATA, /* nothing in the step that is shown, but it may still come */
    RANK_MISSING, /* behind the others, and silent */
};

#define NAME_BYTES 64 /* of a host or group, the NUL included; longer names are cut */

/* One rank, in the shown step and over the span. */
struct summary_rank {
    uint32_t rank;
    enum rank_state state;
    uint32_t has;                /* RECORD_ bits of its record in the shown step; 0: no record */
    double phase_s[PHASE_COUNT]; /* of the shown step, where has says so */
    double own_s;                /* own time before the barrier; NAN when not known */
    double wait_s;               /* wait at the barrier of the shown step; NAN when not known */
    double slowdown;             /* own / median own of the shown step; NAN when not known */
    bool arrived_last;           /* at the barrier of the shown step */
    bool straggler;              /* a straggler verdict on it, or on its group, is in force */
    double window_slowdown;      /* median slowdown over the last W steps; NAN likewise */
    double window_spread;        /* standard deviation of it, robust: 1.4826 x MAD
                                    (over 1,024 ranks 1.2533 x the mean deviation); NAN */
    double gain_s;       /* a step would be shorter by this if this rank alone were at the median;
                            mean over the last W steps; NAN when not known */
    double late_begin_s; /* its begin in the shown step after that of the others, by aligned
                            clocks, beyond its own optimizer: time in no phase; 0 or more, and 0
                            when it is under two errors of the clocks; NAN, and so for logs
                            without `sync` */
    /* Over the whole span (--from to --to). */
    double slowdown_median; /* NAN when not known; exact for the first 4,096 steps (64 of
                               over 1,024 ranks, of which every fourth step counts), then
                               0.0003 */
    double wait_mean_s;     /* NAN when not known */
    int64_t arrived_last_count;
    int64_t steps;          /* with a record of this rank */
    int64_t last_step;      /* the newest step it reported; -1: none */
    double silent_s;        /* since its last record, by the reader's clock; NAN: not asked */
    char host[NAME_BYTES];  /* raw bytes from the log: to be sanitised before they are shown */
    char group[NAME_BYTES]; /* likewise; "" when not given */
};

enum verdict_kind {
    VERDICT_STRAGGLER,   /* one rank is persistently slower than its peers */
    VERDICT_GROUP,       /* every rank of a group is: the group is slow, not the ranks */
    VERDICT_SPIKE,       /* one slow step */
    VERDICT_MISSING,     /* a rank that reported no longer does */
    VERDICT_RESTART,     /* the step number went back: a new attempt */
    VERDICT_WANDERING,   /* a different rank each step: nobody */
    VERDICT_CANNOT_TELL, /* the log does not hold what a verdict needs */
    VERDICT_GAP,         /* steps that are not in the log, or time in which nobody computed */
};
/* One that says who is slow, and lasts: a rank, a group or a host. */
static inline bool verdict_kind_is_slow(enum verdict_kind kind)
{
    return kind == VERDICT_STRAGGLER || kind == VERDICT_GROUP;
}
const char *verdict_kind_name(enum verdict_kind kind); /* "straggler", ..., "gap" */

struct verdict {
    enum verdict_kind kind;
    int64_t rank;           /* -1: not about one rank */
    char group[NAME_BYTES]; /* raw bytes: of the group, or of the host with is_host; "" when
                               it is about neither */
    bool is_host;           /* VERDICT_GROUP, _MISSING: all ranks of a host, not of a group */
    int phase;              /* enum phase to blame; -1: not known */
    bool begins_late;       /* VERDICT_STRAGGLER: its phases are no longer than those of others,
                               but it begins late; slowdown is then that of its arrival, and
                               from_step at the earliest the first of the window */
    double slowdown;        /* against its peers, the median over the steps since from_step: 1.17
                               is 17% slower; of a spike: its time / the rolling median; NAN */
    double sure;            /* how many standard errors the slowdown is over 1, when it was last
                               judged; NAN */
    double lost_share;      /* of the GPU time of its steps, that it cost; NAN: not known */
    double lost_gpu_s;      /* GPU time it has cost since it began, seconds; NAN */
    double step_time_s;     /* of a spike: how long it was; of a restart: how long the job was
                               down; of a gap: how long it lasted; NAN */
    bool computed;          /* step_time_s is not measured but worked out from a rate, or from a
                               time that is */
    int64_t repeated_steps; /* of a restart: steps that were done again; of a gap: steps that
                               are not in the log, 0: the job stood still */
    int64_t from_step;      /* since when */
    int64_t named_step;     /* when the evidence was enough to say so; -1 */
    int64_t to_step;        /* until when; -1: still in force */
    int attempt;            /* 0-based attempt in which it began */
};
static inline enum evidence verdict_time_evidence(const struct verdict *verdict)
{
    return verdict->computed ? EVIDENCE_COMPUTED : EVIDENCE_MEASURED;
}

/* One step of the strips at the foot of the screen, oldest first. */
struct summary_point {
    int64_t step;
    double step_time_s; /* NAN when not known */
    double mfu;         /* rolling, 0 to 1; NAN when not known */
    double mfu_alone;   /* of this step alone; likewise */
    double wait_share;  /* of the step's GPU time; NAN when not known */
};

#define COMPLAINTS_MAX 20
#define COMPLAINT_BYTES 256

/* What was read, and what was not. */
struct source_counts {
    uint64_t records;   /* accepted */
    uint64_t all;       /* records of all that was read, those behind the shown step too; 0: as
                           `records` */
    uint64_t other;     /* lines that are something else */
    uint64_t damaged;   /* lines that should be records but are broken, or out of range */
    uint64_t too_long;  /* of the damaged: lines over the limit */
    uint64_t nul_bytes; /* skipped: holes that a truncation leaves in a file */
    uint64_t duplicate; /* second record for the same rank and step */
    uint64_t late;      /* arrived after their step was closed; still used unless too_late */
    uint64_t too_late;  /* arrived after their step had left the averages, or the table */
    uint64_t refused;   /* ranks beyond the limit, senders that are not allowed */
    uint64_t dropped;   /* datagrams that the kernel dropped, or that never arrived (seq) */
    /* Of logs in other formats: records that came without a value that belongs to them. */
    uint64_t not_numbers; /* values that are no numbers: nan, N/A */
    uint64_t impossible;  /* over the peak of the chip: not used */
    uint64_t disagree;    /* value and time stamps say different things; both are kept */
    uint64_t beside;      /* values of steps that another format of the same log gives: left out */
    uint64_t bytes;
};

/* So few records among so many other lines that it may be no log, but a text with examples of
 * records in it: a README, a program. */
static inline bool records_are_doubtful(uint64_t records, uint64_t other)
{
    return records > 0 && records < 5 && other >= 100;
}

/* A log in another format than our own, for the places of what it does not hold. Static
 * texts, filled by whoever reads it. */
#define SUMMARY_LOGS_MAX 4
struct summary_log {
    const char *format; /* its title, "Megatron-LM" */
    const char *lacks;  /* what it does not hold: "the times of single ranks"; NULL: nothing */
    const char *how[2]; /* the two lines that would provide it; NULL: unknown */
    const char *values; /* what its values are, where not the measured time of one step: "means
                           over several steps"; NULL */
};

/* Of whom the records are. */
enum record_scope {
    SCOPE_RANKS, /* some of single ranks: barriers can be worked out */
    SCOPE_JOB,   /* all of the whole job: neither ranks nor barriers are known */
};

/* Where the MFU is from. */
enum mfu_origin {
    MFU_UNKNOWN,
    MFU_OF_MODEL,    /* tokens x FLOPs a token / (GPUs x peak) */
    MFU_LOGGED_RATE, /* the FLOP/s that the log gives, by the chip's peak */
    MFU_LOGGED,      /* as the log gives it: by whatever peak and formula its writer took */
};

/* Steps that the log says to hold a checkpoint or a validation. */
enum called { CALLED_CHECKPOINT, CALLED_VALIDATION, CALLED_COUNT };

#define SUMMARY_CALLED_STEPS 4

struct summary_called {
    int64_t count;                       /* of the span; of means over several steps: values */
    int64_t first[SUMMARY_CALLED_STEPS]; /* the first of their steps */
    struct quantity beyond_s; /* what one of them takes over the rolling median of the step time,
                                 the mean over them; below 0: less */
    struct quantity pause_s;  /* by the stamps from the end of the value before to its begin, the
                                 mean over those of which it is known; of a whole job */
};

/* The shown step. */
struct summary_step {
    bool known; /* false: no step has been closed yet */
    int64_t step;
    int attempt;            /* 0-based */
    int reported, expected; /* ranks */
    enum wait_rule rule;
    struct quantity step_time_s; /* release to release, or max own + exchange */
    struct quantity exchange_s;
    struct quantity wait_mean_s;    /* over its ranks */
    struct quantity wait_share;     /* of its GPU time, 0 to 1 */
    double own_median_s, own_max_s; /* NAN when not known */
    int64_t last_rank;              /* the last to arrive; -1 */
    double begin_s;                 /* Unix time, median over ranks; NAN when not known */
    int64_t span; /* its value is the mean over so many steps, of which it is the last; 1 */
};

#define DETAIL_STEPS 64
#define DETAIL_BINS 24

/* One rank closer: over the last steps up to the shown one, as many as are in
 * memory, W at most, fewer with very many ranks. */
struct rank_detail {
    uint32_t rank;
    int steps;                 /* looked at, with a record of this rank */
    double own_s[3];           /* own time: 5%, 50%, 95% of its steps; NAN */
    double peers_own_s;        /* median of its peers */
    int peers;                 /* ranks it is compared with, itself included */
    char peers_of[NAME_BYTES]; /* the group; "": all ranks */
    /* Slowdown by steps: bin i counts low + i x width to low + (i + 1) x width; what
     * lies outside is counted in the first and the last. */
    double bin_low, bin_width;
    int bins[DETAIL_BINS];
    double phase_s[PHASE_COUNT], peers_phase_s[PHASE_COUNT]; /* medians over the steps; NAN */
    int last_count;                                          /* steps in which it arrived last */
    int64_t last_when;                                       /* the newest of them; -1 */
    int recent;                                              /* of the arrays below */
    float slowdown[DETAIL_STEPS];                            /* newest last; NAN: no record */
    bool was_last[DETAIL_STEPS];
    int64_t first_recent; /* step of the first of them */
};

struct summary {
    bool brief; /* asked for by the caller before it is filled: window_spread and slowdown_median
                   of the ranks are not needed, and are NAN. With very many ranks they take longer
                   than all the rest. */
    struct run run;    /* with gpus filled from the ranks when nobody said */
    bool figures_only; /* verdicts, jitter, ledger, what-ifs were not asked for: all unknown */
    bool gpus_assumed; /* run.gpus is the number of ranks */
    bool gpus_logged;  /* run.gpus is what the log says; with SCOPE_JOB and neither this nor the
                          user's word, run.gpus is 0: not known */
    enum record_scope scope;
    int log_count;
    struct summary_log logs[SUMMARY_LOGS_MAX]; /* the caller's to fill, as the source */
    bool documents;       /* all were written when all was over: none comes later; likewise */
    bool zone_unknown;    /* time stamps of one have no zone: moments are by its clock; likewise */
    int64_t world_ranks;  /* of the job, as the logs say; 0: they do not; likewise */
    int64_t planned_step; /* the last of the run, as the log says; 0: it does not; likewise */
    char not_shown[COMPLAINT_BYTES]; /* what is in them but gives no records, and why: raw bytes;
                                        ""; likewise */
    char unmapped[COMPLAINT_BYTES];  /* keys of a map that have no value: raw bytes; ""; likewise */
    bool simulated;
    struct source_counts source;
    struct summary_step shown;
    bool is_latest;                          /* the shown step is the newest that is closed */
    int64_t first_in_memory, last_in_memory; /* steps; meaningless unless shown.known */

    /* The span: all steps, or --from to --to. */
    int64_t first_step, last_step; /* -1 when there is none */
    int64_t complete, incomplete;  /* steps; of a log with means over several steps: values */
    int64_t steps_covered;         /* steps that these are of: more, where values are means */
    int64_t first_covered;         /* the first of them: first_step, or before it; -1 */
    struct summary_called called[CALLED_COUNT];
    int attempts; /* 1 and up, 0 before the first record */
    struct quantity step_time_median_s, step_time_mean_s, step_time_min_s, step_time_max_s;
    struct quantity step_time_p99_s; /* of a hundred values and more */
    struct quantity wait_mean_s;     /* over ranks and steps */
    struct quantity wait_share;      /* of the GPU time of those steps, 0 to 1 */
    struct quantity exchange_mean_s;
    enum wait_rule rule; /* of most steps of the span */
    int64_t told_steps;  /* of the whole log, in which it is known who was last */
    bool rules_mixed;    /* not of all of them */

    /* Rolling: the last W steps up to the shown one. */
    int window_steps;                   /* how many there were, up to run.window */
    struct quantity window_step_time_s; /* mean */
    struct quantity window_wait_share;
    struct quantity mfu, hfu; /* 0 to 1 */
    enum mfu_origin mfu_origin;
    struct quantity flops;    /* model FLOP/s of one GPU, as the log gives it: mean of the window */
    enum attention attention; /* convention of mfu and hfu */
    double peak_flops;        /* 0: unknown */
    double tokens_per_step;   /* mean of the window; 0: unknown */
    bool tokens_disagree;     /* the records' tokens and the run's differ by over 1% */
    double tokens_recorded;   /* mean of the records' sum a step, when they disagree */

    struct ledger ledger;        /* over the span */
    struct ledger ledger_window; /* over the last W steps up to the newest, 1,000 at most; of ranks
                                    20 at least, as verdicts are */
    struct effective effective;
    struct jitter jitter;
    struct rotation rotation;
    bool has_groups, has_hosts; /* more than one of them */
    bool sizes_disagree;        /* tp x pp x dp is not the number of ranks or GPUs */
    size_t what_if_count;
    struct what_if *what_ifs; /* all named ones together first, then by gain */
    size_t clock_count;
    struct clock_offset *clocks; /* by host name, or by rank; 0: clocks are not known */
    double clock_worst_s;        /* largest |offset_s|; NAN */
    struct rank_detail *detail;  /* borrowed, may be NULL: of the selected rank */

    size_t rank_count;
    struct summary_rank *ranks; /* by rank number */
    size_t verdict_count;
    struct verdict
        *verdicts; /* in force at the shown step first, then the past ones; the report: all */
    size_t verdicts_in_force;
    uint64_t verdicts_dropped; /* past ones beyond what is kept */
    size_t point_count;
    struct summary_point *points; /* the last ones up to the shown step, oldest first */

    double silent_s;         /* since any record, by the reader's clock; NAN: not asked */
    int64_t complaint_count; /* of the lines below, COMPLAINTS_MAX at most */
    char complaints[COMPLAINTS_MAX][COMPLAINT_BYTES]; /* "PATH:LINE: what": raw bytes inside */
};

/* The rank of that number; NULL when there is none. */
const struct summary_rank *summary_rank_of(const struct summary *summary, int64_t rank);

void summary_init(struct summary *summary); /* empty */
void summary_done(struct summary *summary); /* frees its arrays */
