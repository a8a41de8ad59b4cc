/* One line of DeepSpeed's timers: "time (ms) | fwd_microstep: 1.0 | bwd_microstep: ...". */
#pragma once

#include <stdbool.h>

#include "log_learn.h"
#include "log_out.h"
#include "str.h"

enum deepspeed_timer {
    TIMER_DATA, /* of the pipeline engine only */
    TIMER_FORWARD,
    TIMER_BACKWARD, /* the two below in it */
    TIMER_INNER,
    TIMER_SYNC,
    TIMER_STEP,
    TIMERS
};

struct deepspeed_timers {
    bool has[TIMERS], all_zero;
    double ms[TIMERS];
    double last_step_ms; /* TIMER_STEP of the last one that was added */
};

enum deepspeed_line {
    DEEPSPEED_MICROSTEP,
    DEEPSPEED_STEP,      /* the sums over the microsteps of one step; some versions print 0.00 */
    DEEPSPEED_OPTIMIZER, /* optimizer_..., pipe_..., parts of the forward: no phases of their own */
    DEEPSPEED_TORN,
};

/* Whether the first name behind "time (ms)" is one of DeepSpeed's timers. */
bool deepspeed_has_timers(struct str text);

/* What is behind "time (ms)". Timers that are no phases become values. */
enum deepspeed_line deepspeed_read_timers(struct str text, struct deepspeed_timers *timers,
                                          struct log_out *out);

/* Learns what that was: of steps or microsteps. */
void deepspeed_learn_timers(struct str text, enum deepspeed_line kind, struct log_learned *form);

/* The same as deepspeed_read_timers() has it, of a learned line. False: it is to be read, nothing
 * has come of it. */
bool deepspeed_timers_again(const struct log_values *values, struct deepspeed_timers *timers,
                            enum deepspeed_line *ret_kind, struct log_out *out);

void deepspeed_add_timers(struct deepspeed_timers *sum, const struct deepspeed_timers *more);

/* Whether the sums of a step's microsteps are not what its own line says, but for rounding. */
bool deepspeed_differ(const struct deepspeed_timers *sum, const struct deepspeed_timers *step);

/* Whether they are of one line that was printed twice. */
bool deepspeed_same(const struct deepspeed_timers *a, const struct deepspeed_timers *b);
