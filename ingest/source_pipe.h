/* Standard input and its like: a pipe, terminal, socket or regular file that is
 * read from where it stands to its end. The descriptor's flags are never left
 * changed (O_NONBLOCK would leak to the shell). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sink.h"
#include "source_loop.h"
#include "stream.h"

struct pipe_options {
    int fd;                             /* borrowed; 0 is standard input */
    const char *name;                   /* for complaints: "-" */
    void (*ended)(void *to, int error); /* once: at the end (0) or negative errno; may be NULL */
    void *to;
};

struct pipe_source;

/* Reads inside the loop. *sink is copied. NULL with negative errno in *ret_error
 * when the descriptor can't be read (a folder, a closed one). */
struct pipe_source *pipe_new(struct loop *loop, const struct pipe_options *options,
                             const struct sink *sink, struct stream_totals *totals, int *ret_error);
void pipe_free(struct pipe_source *pipe); /* NULL is allowed; before loop_free() */
bool pipe_at_end(const struct pipe_source *pipe);

/* Reads all of it, blocking. 0 or negative errno; what came before is delivered. */
int pipe_read_all(int fd, struct stream *stream, const struct sink *sink);
