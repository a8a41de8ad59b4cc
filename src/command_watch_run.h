/* The run description beside the records, which may appear or change while they
 * are watched. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "options.h"
#include "run.h"

#define RUN_PLACES_MAX 16

/* Where a description may stand; the first that is there counts. */
struct watched_run {
    const struct options *options; /* borrowed */
    char *places[RUN_PLACES_MAX];  /* owned */
    int count;
    int found; /* index; -1: none is there */
    struct stat status;
};

/* Notes what is there now, without reading it. */
void watched_run_init(struct watched_run *watched, const struct options *options);
void watched_run_done(struct watched_run *watched);

/* Looks again. 1: *run is the new description, with the options over it; 0: nothing
 * changed; -1: what stands there cannot be used, and why. */
int watched_run_look(struct watched_run *watched, struct run *run, char *error, size_t size);
