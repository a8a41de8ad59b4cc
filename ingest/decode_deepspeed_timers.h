/* One line of DeepSpeed's timers: "time (ms) | fwd_microstep: 1.0 | bwd_microstep: ...". */
#pragma once

#include <stdbool.h>

#include "log_form.h"
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

/* Lines as they were read before: those of microsteps and of steps take turns. All zero: none. */
#define DEEPSPEED_FORMS 2
#define DEEPSPEED_PARTS 16
struct deepspeed_again {
    unsigned next; /* which one the next line likely is */
    struct {
        struct log_form form;
        enum deepspeed_line kind;
        unsigned count;
        struct {
            uint8_t run, timer;   /* TIMERS: it becomes a value */
            uint16_t name_before; /* bytes from the name's begin to the run */
            uint16_t name_length;
        } part[DEEPSPEED_PARTS];
    } at[DEEPSPEED_FORMS];
};

/* The same as deepspeed_read_timers() has it, of a line as one before. False: it is not like one;
 * nothing has come of it then. */
bool deepspeed_read_again(struct deepspeed_again *again, struct str line,
                          struct deepspeed_timers *timers, enum deepspeed_line *ret_kind,
                          struct log_out *out);

/* Keeps what this line came to: text is what is behind "time (ms)" in it. */
void deepspeed_keep(struct deepspeed_again *again, struct str line, struct str text,
                    enum deepspeed_line kind);

void deepspeed_add_timers(struct deepspeed_timers *sum, const struct deepspeed_timers *more);
