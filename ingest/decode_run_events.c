/* TODO */
#include "log_format.h"

static enum log_answer line(void *state, const struct log_line *line, struct log_out *out)
{
    (void)state;
    (void)line;
    (void)out;
    return LOG_OTHER;
}

static const char *const anchors[] = {"TODO run-events", NULL};
const struct format format_run_events = {.name = "run-events",
                                         .title = "run-events",
                                         .needs = "",
                                         .tells = "",
                                         .anchors = anchors,
                                         .line = line};
