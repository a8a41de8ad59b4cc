/* TODO */
#include "log_format.h"

static enum log_answer line(void *state, const struct log_line *line, struct log_out *out)
{
    (void)state;
    (void)line;
    (void)out;
    return LOG_OTHER;
}

static const char *const anchors[] = {"TODO mpi-profile", NULL};
const struct format format_mpi_profile = {.name = "mpi-profile",
                                          .title = "mpi-profile",
                                          .needs = "",
                                          .tells = "",
                                          .anchors = anchors,
                                          .line = line};
