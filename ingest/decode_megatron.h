/* Parts of the decoder of the Megatron family: its iteration line, and the timers that
 * follow it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log_format.h"
#include "record.h"
#include "str.h"

/* ---- the iteration line ---- */

#define MEGATRON_RATES 8

struct megatron_iteration {
    int64_t number;
    struct str head; /* "iteration   7/  100 " */
    uint32_t fields; /* a hash of all its text; not 0 */
    int64_t step_time_ns;
    int64_t flops;           /* of one GPU; 0: not logged */
    int64_t mfu;             /* 1e-9; 0: not logged */
    int64_t batch;           /* samples of the whole job in one step; 0: not logged */
    int64_t tokens_a_sample; /* 0: not logged */
    bool again;              /* the line is like one before, whose notes are taken */
    bool stamped, zone;      /* zone: the stamp has one */
    int64_t stamp_ns;
    int64_t resolution_ns; /* of the stamp */
    /* Rates that a record has no room for. */
    size_t rate_count;
    struct megatron_rate {
        const char *name, *unit; /* static */
        double value;
    } rates[MEGATRON_RATES];
};

enum megatron_found {
    MEGATRON_END,     /* no more in this line */
    MEGATRON_FOUND,   /* *ret is one */
    MEGATRON_NO_TIME, /* one whose time is no number: counted already */
    MEGATRON_TORN,    /* a piece of one */
};

/* The next iteration in the line from *at on, which moves behind it: lines of two writers may be
 * joined. Only of lines that hold the time's name (megatron_has_time()). What is
 * no number is told to *out. */
enum megatron_found megatron_iteration_next(const struct log_line *line, size_t *at,
                                            struct megatron_iteration *ret, struct log_out *out);

/* The only one of a line like one that it was read from. False: to be read from the line. */
bool megatron_iteration_again(const struct log_line *line, const struct log_values *values,
                              struct megatron_iteration *ret, struct log_out *out);
bool megatron_has_time(struct str line);

uint32_t megatron_hash(struct str s); /* not 0 */

/* ---- its stamp ---- */

/* The stamp in front of an iteration line, where it stands in *ret_text; of a zone as log_stamp().
 */
bool megatron_stamp_in(struct str front, int64_t *ret_ns, bool *ret_zone, struct str *ret_text);
/* The stamp with which s begins, with what follows it. */
bool megatron_stamp(struct str s, int64_t *ret_ns, bool *ret_zone);
/* Whether a front with other digits has a stamp at that same place, or none as this has none. */
bool megatron_stamp_is_plain(struct str front, bool stamped);

/* ---- timers ---- */

enum megatron_time {
    MEGATRON_DATA,
    MEGATRON_FORWARD,
    MEGATRON_BACKWARD,
    MEGATRON_BOTH,          /* forward-backward, with the waits of the pipeline */
    MEGATRON_SYNC,          /* the sum of the exchanges of gradients */
    MEGATRON_SYNC_ALL,      /* a timer around all of them */
    MEGATRON_SYNC_WITHIN,   /* all-grads-sync, which runs within forward-backward */
    MEGATRON_SYNC_BACKWARD, /* of the first versions: it runs within backward */
    MEGATRON_SYNC_STAGES,   /* between the first stage and the last only, which waits in it */
    MEGATRON_OPTIMIZER,
    MEGATRON_NORM,    /* parts of the optimizer in which ranks of all stages wait for each other */
    MEGATRON_RECEIVE, /* from the stage before: ranks of the first stage have none */
    MEGATRON_TIMES,
};

/* The timers of one rank in one step, as far as a record has room for them. */
struct megatron_times {
    uint32_t has;   /* 1u << enum megatron_time */
    uint32_t syncs; /* rows of exchanges that all ranks take part in */
    uint32_t norms; /* rows of MEGATRON_NORM */
    int64_t ns[MEGATRON_TIMES];
};

/* Which of them a timer belongs to; MEGATRON_TIMES: none. */
enum megatron_time megatron_time_of(struct str name);
/* False: it is out of range. */
bool megatron_times_add(struct megatron_times *times, enum megatron_time time, double ms);
void megatron_times_put(const struct megatron_times *times, struct record *record);
/* Of a rank among others, which took no part in the exchange between stages: without it. */
void megatron_times_drop_stages(struct megatron_times *times);

/* "name: F | name: F", the parts behind "time (ms)": values go to *out. False: it is torn.
 * *ret_last: the name of the last one. */
bool megatron_timer_line(struct str rest, struct megatron_times *times, struct str *ret_last,
                         struct log_out *out);

/* ---- blocks of timers ---- */

enum megatron_block {
    MEGATRON_NO_BLOCK,
    MEGATRON_RANGE, /* "(min, max) time across ranks (ms):" */
    MEGATRON_MOST,  /* "max time across ranks (ms):" */
    MEGATRON_RANKS, /* "times across ranks (ms):", every rank's */
};

#define MEGATRON_NAME_BYTES 64
#define MEGATRON_PREFIX_BYTES 128

struct megatron_timers {
    enum megatron_block block;
    int64_t writer;
    char prefix[MEGATRON_PREFIX_BYTES]; /* before the head, which may be before each line, too */
    size_t prefix_length;
    char name[MEGATRON_NAME_BYTES]; /* of the timer whose ranks come */
    size_t name_length;             /* 0: none has come */
    enum megatron_time time;        /* what it is */
    int64_t last_rank;              /* under this name; -1: none yet */
    double last_ms;                 /* its time */
    /* Names of this block, by what they are, and of the last one of which no name was lost. */
    unsigned names[MEGATRON_TIMES + 1], usual_names[MEGATRON_TIMES + 1];
    bool name_lost;               /* of a timer of this block */
    struct megatron_times *ranks; /* owned */
    uint32_t capacity;
    uint32_t count; /* ranks of this block: the highest, + 1 */
    uint32_t known; /* ranks of the last whole block */
    int64_t gpus;   /* no rank is that high; 0: not known */
    size_t lines;   /* of this block */
    size_t usual_lines;
    unsigned usual_times; /* so often, one after another, was it that long */
    unsigned strangers;   /* lines that did not fit, since the last that did */
    bool past_sync;       /* a timer came that stands behind all exchanges of gradients */
    bool complete;        /* it is as long as usual: what more comes is not waited for */
};

/* A block's head in the line; MEGATRON_NO_BLOCK: none. */
enum megatron_block megatron_block_head(struct str line);
void megatron_block_begin(struct megatron_timers *timers, enum megatron_block block,
                          const struct log_line *line);

enum megatron_fit {
    MEGATRON_FITS,
    MEGATRON_COMPLETE, /* it fits, and no more is to be waited for */
    MEGATRON_AGAIN,    /* it is the line before once more */
    MEGATRON_STRANGER, /* it is none of this block, which may go on */
    MEGATRON_ENDS,     /* likewise, and the block is over */
};
/* A line while a block is open. */
enum megatron_fit megatron_block_line(struct megatron_timers *timers, const struct log_line *line,
                                      struct log_out *out);
/* A rank's line of which one was learned. STRANGER: nothing is done, it is to be read. */
enum { MEGATRON_LEARNED_RANK = LOG_LEARN_FIELDS - 2, MEGATRON_LEARNED_MS };
enum megatron_fit megatron_block_again(struct megatron_timers *timers, const struct log_line *line,
                                       const struct log_values *values, struct log_out *out);

/* It is over: what is learned of its length is kept. cut: by the end of the input. False: no rank
 * has a time of a step. */
bool megatron_block_end(struct megatron_timers *timers, bool cut, struct log_out *out);
/* Of a set of timers that may be cut: drops what is a sum, or less a sum, of several. */
void megatron_times_drop_sums(struct megatron_times *times);
void megatron_timers_done(struct megatron_timers *timers);
