/* Whether a folder holds the logs of one run, or of several that must not be read as one:
 * the same ranks and steps, at other times. Reads the names, and a little of the beginning
 * and the end of a few files. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RUNS_MAX 8 /* that are told apart */
#define RUN_PATTERN_BYTES 256
#define RUNS_TEXT_BYTES 1024

/* The files of one run. */
struct folder_run {
    char pattern[RUN_PATTERN_BYTES]; /* of their names: "a-rank*.jsonl"; raw bytes */
    bool unclear; /* it matches files of others, too: their names do not tell the runs apart */
    int files;
    int64_t first_step, last_step; /* as far as they were looked at */
};

struct folder_runs {
    int count;   /* 0: no records were seen */
    int matches; /* files that `which` names */
    struct folder_run runs[RUNS_MAX];
};

struct formats;

/* Looks at the logs of a folder whose names match `which` (NULL: all of them). Names that
 * differ in the number of the rank belong together, and so do pieces of one run: parts that
 * follow each other, what went on after a restart, copies. Of other formats (NULL: none) that
 * hold one value a step, logs that say nearly the same of the same steps are copies of one: each
 * node writes it. Traces are left out: what they hold is known at their end. 0 or negative errno.
 */
int runs_look(const char *folder, const char *which, const struct formats *formats,
              struct folder_runs *ret);

/* Whether a file of that name belongs to the run that was asked for: it begins so, or
 * matches the pattern. NULL matches all. */
bool runs_match(const char *which, const char *name);

/* "logs: holds two runs: a-rank*.jsonl (8 files, steps 1 to 500), ...". */
void runs_say(const char *folder, const struct folder_runs *runs, char text[RUNS_TEXT_BYTES]);
