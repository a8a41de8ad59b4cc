/* The inside of clocks.h, shared by the files that make it up: clocks.c takes
 * samples, clocks_table.c says what they come to. */
#pragma once

#include "clocks.h"

struct clock_sample {
    int owners;     /* how many struct clocks hold it; it goes with the last */
    uint32_t slots; /* of offset_s */
    uint64_t number; /* of its step, among those that could have been sampled */
    double when_s;  /* Unix time of the median release */
    double offset_s[]; /* by slot: release less the median one; NAN: not known */
};

/* How many samples are kept of so many ranks. */
int clocks_room(uint32_t ranks);
