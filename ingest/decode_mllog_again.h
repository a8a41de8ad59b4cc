/* The entries of a line, and what is learned of lines of tracked_stats (log_learn.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "decode_mllog_line.h"
#include "log_format.h"
#include "log_learn.h"

#define MLLOG_MARK ":::MLLOG"
enum mllog_found { MLLOG_NONE, MLLOG_ENTRY, MLLOG_TORN };

/* The next entry of the line; *at is 0 at first, and stays so when there is none. scratch as for
 * mllog_read(). */
enum mllog_found mllog_next(const struct log_line *line, char *scratch, size_t *at,
                            struct mllog_entry *entry);

/* The entry of a learned line; its members are in *list. False: it is to be read. */
bool mllog_entry_again(const struct log_values *values, struct mllog_entry *entry,
                       struct mllog_list *list);
