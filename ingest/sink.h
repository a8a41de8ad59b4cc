/* Where a source puts what it read. */
#pragma once

#include <stdint.h>

#include "record.h"

struct sink {
    void *to;
    /* Takes one record; slices in it are valid during the call only. now_ns: the
     * reader's monotonic clock. */
    void (*record)(void *to, const struct record *record, int64_t now_ns);
};
