/* The names of a record's phases. */
#include "record.h"

#include <assert.h>

const char *phase_name(enum phase phase)
{
    static const char *const names[PHASE_COUNT] = {"data", "forward", "backward", "sync",
                                                   "optimizer"};
    assert(phase >= 0 && phase < PHASE_COUNT);
    return names[phase];
}
