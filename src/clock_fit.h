/* One clock: what its samples come to. */
#pragma once

/* In seconds; drift in seconds a second. */
struct clock_fit {
    double offset, error; /* median, and its standard error */
    double drift, drift_error; /* NAN: too few samples */
    double centre; /* the moment at which the offset holds */
    double spread; /* of one sample, robust */
    int used;      /* samples: those since the clock last jumped */
};

#define CLOCK_FIT_MAX 64
#define CLOCK_DRIFT_SURE 5 /* errors that a drift must have to be told and used */

/* `x` at the moments `t`, which ascend; n from 3 to CLOCK_FIT_MAX. A clock that
 * was set in between is told by what it was since, when three samples or more
 * show it; when only the last two do, the error is as large as the jump. */
struct clock_fit clock_fit(const double *t, const double *x, int n);
