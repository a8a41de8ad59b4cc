/* A large file that is read alone: its lines are decoded by several threads. */
#pragma once

#include "source_file.h"

/* Delivers the next piece of the file, some thousand records. *ret_bytes: read. False when it
 * is to be read the usual way: small, compressed, its end, a line that is in no piece.
 * Only while nothing of the file waits in its stream. */
bool file_ahead(struct source_file *file, int threads,
                void (*deliver)(void *to, const struct record *record), void *to,
                size_t *ret_bytes);

/* The threads end; the file goes on from where it is. */
void file_ahead_stop(struct source_file *file);
