/* What a report is made from: all records of some sources, in, and values out. */
#pragma once

#include "analysis.h"
#include "command_logs.h"
#include "options.h"

struct report_request {
    const struct options *options;
    char *const *sources;
    int source_count;
    int64_t from_step, to_step;
    bool overview; /* the course of the run is needed */
    struct overview_request columns;
};

struct report_result {
    struct summary summary;
    struct overview overview;
    struct run_events events;
    struct command_logs logs; /* what was learned of logs in other formats */
    bool files_failed; /* some could not be read: it was said */
};

void report_result_init(struct report_result *result);
void report_result_done(struct report_result *result);

/* Fills *result (initialised). 0, or the exit status after the message was printed. */
int report_read(const struct report_request *request, struct report_result *result);
