/* A rolling median. */
#include "rolling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

void rolling_init(struct rolling *rolling, uint32_t window)
{
    *rolling = (struct rolling){.window = window};
    rolling->ring = memory_zeroed(window, sizeof(double));
    rolling->sorted = memory_zeroed(window, sizeof(double));
}

void rolling_done(struct rolling *rolling)
{
    free(rolling->ring);
    free(rolling->sorted);
    *rolling = (struct rolling){0};
}

void rolling_copy(struct rolling *to, const struct rolling *from)
{
    rolling_done(to);
    rolling_init(to, from->window);
    to->count = from->count;
    to->next = from->next;
    memcpy(to->ring, from->ring, from->window * sizeof(double));
    memcpy(to->sorted, from->sorted, from->count * sizeof(double));
}

/* How many of the sorted values are under `value`. */
static uint32_t place_of(const struct rolling *rolling, double value)
{
    uint32_t low = 0, high = rolling->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (rolling->sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void rolling_add(struct rolling *rolling, double value)
{
    double *sorted = rolling->sorted;
    if (rolling->count == rolling->window) {
        uint32_t at = place_of(rolling, rolling->ring[rolling->next]);
        memmove(sorted + at, sorted + at + 1, (rolling->count - at - 1) * sizeof(double));
        rolling->count--;
    }
    uint32_t at = place_of(rolling, value);
    memmove(sorted + at + 1, sorted + at, (rolling->count - at) * sizeof(double));
    sorted[at] = value;
    rolling->count++;
    rolling->ring[rolling->next] = value;
    rolling->next = rolling->next + 1 == rolling->window ? 0 : rolling->next + 1;
}

double rolling_median(const struct rolling *rolling)
{
    uint32_t n = rolling->count;
    if (n == 0)
        return NAN;
    return n % 2 ? rolling->sorted[n / 2]
                 : (rolling->sorted[n / 2 - 1] + rolling->sorted[n / 2]) / 2;
}
