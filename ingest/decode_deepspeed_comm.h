/* DeepSpeed's communication logger: a line an operation, and a summary at the end. */
#pragma once

#include <stdbool.h>

#include "log_format.h"

/* The table of the summary, while it is read. All zero is the beginning. */
struct deepspeed_summary {
    bool open;
    bool straggler; /* the second one: the quickest rank's times, and the writer's above these */
    unsigned strangers; /* lines of others, since the last that was of it */
    char op[32];        /* of the rows */
    double size;        /* of the last row under it, in bytes; within an operation, they rise */
};

/* A line of an operation: its time becomes a value. False: it is none. */
bool deepspeed_read_comm(struct str text, struct log_out *out);

/* The head or a row of a table: mean times become values. All lines are asked for until it ends.
 * False: it is none. */
bool deepspeed_read_summary(struct deepspeed_summary *summary, const struct log_line *line,
                            struct log_out *out);
