/* Decodes one large file on several threads: each takes the next piece of whole lines,
 * and the pieces come back in the order of the file, so that records and counts are the
 * same as with one. The caller decodes, too, while the piece it waits for is not done.
 *
 * A piece in which a line is anything but a record comes back as `plain` = false: its
 * bytes are for the caller to read by its own stream, which knows the numbers of lines. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"

struct ahead;

/* Begins at `from`, the beginning of a line, and takes no line that does not end before
 * `to`. `threads` in all, the caller's included: 2 and up. *fd is taken over, `name` as in
 * stream_new(). NULL when no thread can be made. */
struct ahead *ahead_new(int fd, int64_t from, int64_t to, int threads, const char *name);
void ahead_free(struct ahead *ahead); /* waits for its threads; NULL is allowed */

/* Whole lines. */
struct ahead_piece {
    int64_t from, to; /* bytes of the file */
    int64_t lines;    /* that end in it; meaningless unless plain */
    bool plain;
    const struct record *records; /* valid until the next call; slices likewise */
    size_t count;
};

/* The next piece; false when none is left: what is behind the last one, up to `to` and
 * beyond, is for the caller to read. */
bool ahead_next(struct ahead *ahead, struct ahead_piece *piece);
