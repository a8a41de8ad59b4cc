/* A rolling median. */
#include "rolling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "quantile.h"

void rolling_init(struct rolling *rolling, uint32_t window)
{
    *rolling = (struct rolling){.window = window, .bound = NAN};
    rolling->ring = memory_zeroed(window, sizeof(double));
    rolling->scratch = memory_zeroed(window, sizeof(double));
}

void rolling_done(struct rolling *rolling)
{
    free(rolling->ring);
    free(rolling->scratch);
    *rolling = (struct rolling){0};
}

void rolling_copy(struct rolling *to, const struct rolling *from)
{
    rolling_done(to);
    *to = *from;
    to->ring = memory_copied(from->ring, from->window, sizeof(double));
    to->scratch = memory_zeroed(from->window, sizeof(double));
}

void rolling_clear(struct rolling *rolling)
{
    rolling->count = rolling->next = rolling->good = 0;
    rolling->bound = NAN;
}

double rolling_median(struct rolling *rolling)
{
    memcpy(rolling->scratch, rolling->ring, rolling->count * sizeof(double));
    return median_of(rolling->scratch, rolling->count);
}

/* The least value: the median is not under it while less than half of the window is
 * new. */
static void renew(struct rolling *rolling)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < rolling->count; i++)
        least = rolling->ring[i] < least ? rolling->ring[i] : least;
    rolling->bound = least;
    rolling->good = (rolling->count - 1) / 2;
}

bool rolling_is_over(struct rolling *rolling, double value, double factor)
{
    if (rolling->count == 0)
        return false;
    if (rolling->good == 0 && rolling->count == rolling->window)
        renew(rolling);
    if (rolling->good > 0 && !(value > factor * rolling->bound))
        return false;
    return value > factor * rolling_median(rolling);
}
