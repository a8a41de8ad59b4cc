/* lockstep explain: what is in a log, and what it can and cannot tell. */
#include "command_explain.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "memory.h"

static int list_formats(const struct options *options)
{
    struct command_logs *logs = memory_zeroed(1, sizeof(*logs));
    int status = command_logs_open(logs, options);
    if (status == 0) {
        (options->json ? explain_formats_json : explain_formats_text)(stdout, logs);
        command_logs_done(logs);
    }
    free(logs);
    return status;
}

static int explain(const struct options *options)
{
    struct explained *explained = memory_zeroed(1, sizeof(*explained));
    int status = explain_read(explained, options);
    if (status == 0 && explained->files > 0)
        (options->json ? explain_json : explain_text)(stdout, explained, options);
    if (status == 0 && explained->failed > 0)
        status = 1;
    explain_done(explained);
    free(explained);
    return status;
}

int command_explain(int argc, char **argv)
{
    struct options options;
    int status = command_options(
        &options, COMMAND_EXPLAIN, argc, argv, "explain [OPTION]... [PATH]...",
        "Says what a log is and what it can tell: formats, prefixes, the first records, what was\n"
        "skipped and why, what it cannot tell and what would provide that. A PATH is a file, a\n"
        "folder, a glob in quotes, or - for standard input. Without one all formats are listed.");
    if (status >= 0)
        return status;
    for (int i = 0; i < options.source_count; i++) {
        if (strncmp(options.sources[i], "udp://", 6) != 0)
            continue;
        command_fail("explain reads files and standard input, not %s", options.sources[i]);
        return 2;
    }
    return options.source_count == 0 ? list_formats(&options) : explain(&options);
}
