/* Whether the numbers in the names of a set of inputs are ranks. A word says it ("rank5.log"); the
 * only digits of a name may as well be a job's number, a date's or a model's: "slurm-123456.out",
 * "run17.log". Where several names count from 0 or 1 on ("log_0.csv" to "log_7.csv") they are. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct log_names {
    uint8_t *seen;  /* owned: bits, of the numbers under LOG_NAMES_MAX; NULL: none yet */
    uint32_t count; /* of different ones */
    int64_t most;   /* the largest of all */
};

#define LOG_NAMES_MAX 65536

/* One more input of this name (a path), before any is read. */
void log_names_meet(struct log_names *names, const char *name);

/* Whether they number the ranks: two or more, of which at most every second one is missing; of two
 * alone one is 0: "train_1.log" and "train_2.log" are attempts. */
bool log_names_are_ranks(const struct log_names *names);

void log_names_done(struct log_names *names);
