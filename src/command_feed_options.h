/* The options of `lockstep feed`. */
#pragma once

#include <stdint.h>

#include "command_feed_output.h"
#include "simulate.h"

struct feed_options {
    struct simulate_options simulate;
    double step_time_s;
    double start_s;        /* Unix time; negative: not given */
    int64_t steps;         /* write no more than these */
    double speed;          /* times as fast as the job; 0: not paced */
    const char *recording; /* NULL: simulated */
    struct feed_output_options output;
};

#define FEED_GO_ON (-1)

void feed_options_init(struct feed_options *options);

/* Fills *options, whose texts are borrowed from argv. Returns FEED_GO_ON, or the
 * exit status: 0 when help was asked for and given, 2 for wrong use (said). */
int feed_options_parse(struct feed_options *options, int argc, char **argv);
