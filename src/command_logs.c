/* The formats of logs that a command reads. */
#include "command_logs.h"

#include <stdio.h>
#include <string.h>

#include "command.h"

/* No such format: all there are, on standard error. */
static int unknown_format(const struct formats *formats, const char *name)
{
    char list[1024] = "lockstep";
    for (size_t i = 0; i < formats_count(formats); i++) {
        size_t at = strlen(list);
        snprintf(list + at, sizeof(list) - at, ", %s", formats_at(formats, i)->name);
    }
    command_fail("--format %s: there is no such format; there are %s", name, list);
    return 2;
}

int command_logs_open(struct command_logs *logs, const struct options *options)
{
    logs->formats = formats_new();
    if (!options->log_format || formats_choose(logs->formats, options->log_format) == 0)
        return 0;
    int status = unknown_format(logs->formats, options->log_format);
    command_logs_done(logs);
    return status;
}

void command_logs_done(struct command_logs *logs)
{
    log_book_done(&logs->book);
    formats_free(logs->formats);
    logs->formats = NULL;
}

void command_logs_use(struct command_logs *logs, struct stream_totals *totals)
{
    totals->formats = logs->formats;
    totals->book = &logs->book;
}
