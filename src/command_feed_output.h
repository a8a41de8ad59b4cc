/* Where `feed` writes: standard output, one file, a folder of per-rank files,
 * or UDP. Lines go out whole or not at all: a full disk leaves no torn line.
 * What goes wrong is said on standard error, once, when it happens. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command_feed_pace.h"

enum feed_existing { FEED_REFUSE, FEED_APPEND, FEED_OVERWRITE };

struct feed_output_options {
    const char
        *to;    /* "-", "udp://HOST:PORT", a folder, or a file (*.jsonl, *.json, *.ndjson, *.log) */
    bool paced; /* small buffers: they are flushed each step */
    uint32_t ranks;              /* expected; divides the memory for buffers */
    int batch;                   /* most records in a datagram */
    enum feed_existing existing; /* what to do about files that are there already */
};

struct feed_output;

/* *options is copied, *pace borrowed. NULL when it cannot be opened (said). */
struct feed_output *feed_output_open(const struct feed_output_options *options,
                                     struct feed_pace *pace);

/* Takes one line, its newline included; `rank` chooses the file in a folder.
 * False when it could not be written (said), or a signal came while waiting. */
bool feed_output_line(struct feed_output *output, uint32_t rank, const char *line, size_t length);
bool feed_output_flush(struct feed_output *output);

/* Flushes what is left and frees; false when that fails (said). */
bool feed_output_close(struct feed_output *output);

/* The folder that is written into; NULL when it is none. */
const char *feed_output_folder(const struct feed_output *output);

/* Writes a whole small file into the folder (run.json), under its name at once
 * or not at all. A file that is there stays, unless it is to be overwritten. */
bool feed_output_extra(struct feed_output *output, const char *name, const char *text,
                       size_t length);

/* Prints "lockstep: PATH: what, what to do" for an errno to standard error. */
void feed_complain(const char *path, int error);
