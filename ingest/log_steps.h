/* Which steps a logged number stands for, when only every so many are logged, and
 * whether a value agrees with the time stamps around it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* All zero is the beginning. */
struct log_steps {
    int64_t declared; /* the log interval, when the log says it; 0: not known */
    int64_t divisor;  /* of all numbers so far: the log interval divides them; 0: none yet */
    int64_t previous; /* number; meaningful when any */
    int64_t span;     /* of it; 0: not known */
    bool any;
};

enum log_order {
    LOG_STEPS_ON,    /* the run goes on */
    LOG_STEPS_AGAIN, /* the same number again: doubled when its value is the same, too */
    LOG_STEPS_BACK,  /* the number went back: a restart, or a new epoch */
};

/* One more logged number. *ret_span: steps that a mean over the log interval stands for, 1 and up;
 * 0: not known (the first number of a log that does not say its interval). A jump that is larger
 * than the interval is a cut, or lines that are lost: the span is then the interval. The same
 * number again stands for the same steps. Interval: as declared, else the greatest common divisor
 * of the numbers (1 is left out: frameworks that log every tenth step log the first, too). */
enum log_order log_steps_next(struct log_steps *steps, int64_t number, int64_t *ret_span);

/* Whether `span` steps of value_ns each contradict two stamps: they differ by over a tenth of the
 * longer one, and by over `resolution_ns` of the stamps. */
bool log_stamps_disagree(int64_t value_ns, int64_t span, int64_t before_ns, int64_t after_ns,
                         int64_t resolution_ns);
