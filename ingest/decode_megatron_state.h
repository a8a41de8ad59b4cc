/* The state of Megatron's decoder, for its two files: what stands between the lines that
 * give the records, and what those become. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "decode_megatron.h"
#include "log_piece.h"
#include "log_steps.h"

enum megatron_hold {
    HOLD_UNKNOWN,  /* whether timers follow */
    HOLD_FOR_LINE, /* one rank's, in one line */
    HOLD_FOR_RANKS,
    HOLD_NOT,
};

#define MEGATRON_RECENT 4

struct megatron {
    struct log_steps steps;
    int64_t seq_length, gpus;        /* as declared; 0: not known */
    int64_t stages, tensor;          /* of the pipeline, ranks that share a layer; likewise */
    uint32_t seen_ranks, seen_stage; /* of times of ranks, and of them in a stage; 0: not seen */
    bool other_order;                /* ranks of one stage do not follow each other */
    bool waits_within; /* the last block's times of ranks hold waits for other stages */
    bool sync_behind;  /* forward-backward ends before the exchange of gradients */
    bool two_numbers;  /* different ones were logged */
    bool known;        /* it is Megatron's log, not only DeepSpeed's */
    /* The iteration before. */
    int64_t last_step, last_time_ns, last_stamp_ns;
    bool last_stamped;
    uint32_t recent[MEGATRON_RECENT]; /* a ring: the fields' hashes of those taken last */
    unsigned recent_next;
    uint32_t events; /* RECORD_ bits for the next one */
    double inner_s;  /* what DeepSpeed's engine says of the step inner_step; 0: nothing */
    int64_t inner_step;
    struct megatron_times inner; /* what its breakdown says of the next one */
    /* The record that waits. */
    struct record held;
    bool holding;
    bool timers_twice; /* no timers came since the one before */
    unsigned waited;   /* lines */
    enum megatron_hold hold;
    uint32_t last_timer; /* a hash of the name that ended the last line of timers; 0: none */
    uint32_t odd_timer;  /* of one that ended otherwise */
    struct megatron_timers timers;
    /* Megatron-Bridge's own line. */
    bool numbered;                 /* there are iteration lines, if torn ones: it is one of these */
    double bridge_s, bridge_flops; /* that waits for its iteration line; bridge_s 0: none */
    bool bridge_any;
    int64_t bridge_writer;             /* of the last one that was no copy; meaningful when any */
    unsigned bridge_missed;            /* iteration lines since, that had none */
    int64_t bridge_count;              /* records, where there are no iteration lines */
    struct log_writers bridge_writers; /* likewise; each one's lines are counted */
};

/* Lines that are none of an iteration and no timers of Megatron's own: of DeepSpeed's engine within
 * it, of Megatron-Bridge, validations, checkpoints, arguments. False: it is none of these. */
bool megatron_take_more(struct megatron *state, const struct log_line *line, struct log_out *out);

/* What of it is in this step's time is told. */
void megatron_check_events(const struct megatron *state, const struct megatron_iteration *is,
                           struct log_out *out);
/* What no iteration of its run came after is told, and forgotten. */
void megatron_put_last_event(struct megatron *state, struct log_out *out);

/* Whether the block's times of ranks are none of a rank alone, which is told: timers of level 1
 * have forward-backward only, and of several stages, or of who knows how many, that holds the waits
 * for the others; by nature the first stage's is the longest. */
bool megatron_holds_waits(const struct megatron *state, struct log_out *out);
/* Which ranks are a stage, by the times of all ranks: what the last rank writes does not say the
 * sizes, which the first rank prints. */
void megatron_see_stages(struct megatron *state);
/* The last stage is ready long before the first, and waits for it within the optimizer, where the
 * gradients' norm is summed: that is put to the exchange, of a rank whose exchange is known. Where
 * a row of the norm is lost, the rank's optimizer and exchange are left out, which is told. */
void megatron_place_waits(struct megatron *state, struct log_out *out);
/* Where the exchange of gradients is not within forward-backward, by the times of all ranks: puts
 * it behind. */
void megatron_place_sync(struct megatron *state);

#define MEGATRON_GROUP_BYTES 24
/* The ranks that a rank is compared with: "pp2", its stage, which may have more work than others;
 * of one stage "tp5", the ranks that share each layer and wait for each other within it. False:
 * all. */
bool megatron_group(const struct megatron *state, uint32_t rank,
                    char text[static MEGATRON_GROUP_BYTES]);

/* Whether the name of an argument that is read stands in the line. */
bool megatron_has_argument(struct str line);

/* Whether the timers behind "time (ms) |" have the names of DeepSpeed's. */
bool megatron_of_deepspeed(struct str timers);

/* A line of Megatron-Bridge that waited: a step of its own where there are no iteration lines. */
void megatron_put_bridge(struct megatron *state, struct log_out *out);
/* An iteration line becomes a record: whether a line of Megatron-Bridge waits for it. */
bool megatron_use_bridge(struct megatron *state);
