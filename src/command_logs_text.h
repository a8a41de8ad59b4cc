/* What was learned of logs in other formats, as text. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "log_facts.h"

/* The timers, operations and rates of a log, a line each, `most` at most: of the whole log, as it
 * gives them. Nothing when it has none. */
void command_logs_values(FILE *to, const struct log_book *book, size_t most);
