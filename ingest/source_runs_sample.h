/* A look at a file of records: a few of its beginning, of its end, and of where a step is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"

#define SAMPLE_RECORDS 512 /* at most, of each place */

struct run_sample {
    int count;
    struct record records[2 * SAMPLE_RECORDS]; /* without host and group; by rank and step */
    int64_t first_step, last_step;
    int64_t first_ns, last_ns; /* of "t"; -1: not told */
    bool found;                /* there are records */
};

struct formats;
struct log_book;

/* Of other formats than our own (NULL: none) that count their steps, or hold what belongs to a step
 * until later, only the beginning is looked at. met: what is known of all files of the folder
 * together. */
void sample_file(const char *path, const struct formats *formats, const struct log_book *met,
                 struct run_sample *ret);

/* What stands where the file comes to that step; nothing when it never does. */
void sample_step(const char *path, const struct formats *formats, const struct log_book *met,
                 int64_t step, struct run_sample *ret);

const struct record *sample_find(const struct run_sample *sample, uint32_t rank, int64_t step);
