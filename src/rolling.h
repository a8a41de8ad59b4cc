/* The last W values, and whether a new one stands out from their median. Exact, and
 * cheap where nothing stands out: the least value of the window is a bound under the
 * median until half of the window is new. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct rolling {
    uint32_t window, count, next;
    double *ring;    /* [window] in the order they came, owned */
    double *scratch; /* [window], owned */
    double bound;    /* the median is not under it; NAN: not known */
    uint32_t good;   /* for so many values more */
};

void rolling_init(struct rolling *rolling, uint32_t window); /* 1 and up */
void rolling_done(struct rolling *rolling);
void rolling_copy(struct rolling *to, const struct rolling *from); /* `to` is replaced */
void rolling_clear(struct rolling *rolling);                       /* empty again */
double rolling_median(struct rolling *rolling);                    /* NAN when empty */

/* Whether value > factor x median; false when there are no values. */
bool rolling_is_over(struct rolling *rolling, double value, double factor);

static inline void rolling_add(struct rolling *rolling, double value) /* not NAN */
{
    rolling->ring[rolling->next] = value;
    rolling->next = rolling->next + 1 == rolling->window ? 0 : rolling->next + 1;
    if (rolling->count < rolling->window) {
        rolling->count++;
        rolling->good = 0; /* a window that grows moves the middle too */
    }
    rolling->good -= rolling->good > 0;
}
