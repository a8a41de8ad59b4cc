/* Operations of a pipeline, summed by rank and step: what comes of op traces, whose rows
 * stand in any order. Everything is held to the end of the input; memory is bounded.
 *
 * forward-compute and backward-compute are the rank's own work. The waits hide in what
 * ends in -recv, -reduce-scatter, -all-gather, -all-reduce, and in the clipping of
 * gradients, which needs all ranks' norms: that is the exchange, as far as the
 * computation leaves room for it in the step, since operations overlap. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "log_out.h"
#include "str.h"

#define OP_LANES_MAX 65536u  /* ranks, or threads of a timeline */
#define OP_CELLS_MAX 524288u /* lanes x steps: 40 MiB */

/* Whose operations: a rank, or a part of one, which are then added up. */
struct op_lane {
    int64_t process, thread; /* the key */
    int64_t rank, stage;     /* -1: not known; may be filled in until the end */
};

struct op_cell {
    int64_t step;
    uint32_t lane;
    uint32_t kinds; /* bit: there was such an operation */
    bool spoiled;   /* one of its operations is torn: no sum is right */
    uint64_t sums_ns[4];
    int64_t begin_ns, end_ns;
};

/* All zero is an empty one. */
struct op_steps {
    struct op_lane *lanes; /* owned */
    uint32_t lane_count, lane_capacity;
    struct op_cell *cells; /* owned */
    uint32_t cell_count, cell_capacity;
    uint32_t *table; /* of cells by (lane, step), + 1; owned */
    uint32_t table_size;
    uint32_t last_lane, last_cell; /* found last */
    bool spoil_next;               /* whatever comes next is spoiled, too */
    uint64_t left_out;             /* rows beyond the bounds */
};

void op_steps_done(struct op_steps *steps);

/* The lane with that key, made when it is new; its index, or UINT32_MAX: there are OP_LANES_MAX. */
uint32_t op_steps_lane(struct op_steps *steps, int64_t process, int64_t thread);

/* One operation. Begin is within 4e18, length 0 to 1e15. */
void op_steps_add(struct op_steps *steps, uint32_t lane, int64_t step, struct str operation,
                  int64_t begin_ns, int64_t length_ns);

/* An operation was torn, and whose it was is not known: that of the operation before it or after it
 * on most orders of rows. */
void op_steps_spoil(struct op_steps *steps);

/* The input broke off: what the last operation belongs to is not whole. */
void op_steps_spoil_step(struct op_steps *steps);

/* Puts out one record a rank and step, in the order of steps. relative: begins count from the
 * step's own, as in a trace; otherwise it is a timeline, whose steps begin with their first
 * operation on any rank, and where communication is drawn without the waiting before it: what is
 * left of the step is not told apart then. */
void op_steps_put(struct op_steps *steps, bool relative, struct log_out *out);
