/* What can be worked out from the records of a log, by what they hold. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "command_explain_read.h"

#define EXPLAIN_TELLS 6

struct explain_tell {
    const char *what; /* "step time" */
    bool can;
    const char *why; /* from what; or what is missing */
};

/* Fills all EXPLAIN_TELLS. */
void explain_tells(const struct explained *explained, struct explain_tell tells[EXPLAIN_TELLS]);

/* A map or pattern that would read the sample, made from its lines, as an option: "--map '...'".
 * False: no line has a step and a time. */
bool explain_propose(const struct explained *explained, char *to, size_t size);

/* The keys of the sample's JSON lines or CSV, "key = value" one after another with ", " between.
 * False: it has none. */
bool explain_keys(const struct explained *explained, char *to, size_t size);
