/* Recorded lines, read side by side in the order of their steps: the lines of
 * one step of all files, then those of the next. The lines stay as they are. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FEED_LINE_MAX (64 * 1024) /* a longer line is left out and counted */

struct feed_recording;

/* A file, or a folder whose files (*.jsonl, *.ndjson, *.json, *.log, *.txt, but
 * not run.json) are read together. NULL when it cannot be read (said on
 * standard error). */
struct feed_recording *feed_recording_open(const char *path);
void feed_recording_free(struct feed_recording *recording);

/* The number of files. */
size_t feed_recording_count(const struct feed_recording *recording);

/* Goes to the next step. *ret_begin_ns is the first "t" that is found in it;
 * INT64_MIN: there is none. False at the end. A step number that goes back in
 * a file (a restart) is a later step. */
bool feed_recording_step(struct feed_recording *recording, int64_t *ret_begin_ns);

/* The next line of this step, its newline included, valid until the next call;
 * rank: its own, else the number in the file's name, else the number of the
 * file. False when the step has no more. */
bool feed_recording_line(struct feed_recording *recording, const char **ret_line,
                         size_t *ret_length, uint32_t *ret_rank);

uint64_t feed_recording_left_out(const struct feed_recording *recording);
