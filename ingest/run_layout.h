/* The layout of a job beside its op trace, as ByteDance's StragglerAnalysis writes it
 * ("meta-AR.yaml"): lines of "key: value" with the sizes of the parallelisms. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "run.h"

#define RUN_LAYOUT_MAX (16 * 1024) /* bytes; a larger file is something else */

/* Reads trial_name, tp_size, pp_size, dp_size and world_size over *run; other keys are ignored. 0;
 * -1 with `error` filled, *run untouched; -ENOENT: none of these keys is in it: something else. */
int run_layout_parse(const char *text, size_t length, struct run *run, char *error,
                     size_t error_size);

/* The file at path; a negative errno when it can't be read. */
int run_layout_load(const char *path, struct run *run, char *error, size_t error_size);

/* The place of the layout file of a trace: "trace-AR.csv.gz" has "meta-AR.yaml" beside it. `which`
 * counts the places to look at, from 0. False: there are no more. */
bool run_layout_place(const char *trace, int which, char *path, size_t size);
