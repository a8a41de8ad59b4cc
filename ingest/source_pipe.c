/* Standard input and its like, read to its end. */
#include "source_pipe.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"
#include "source_index.h"

#define READ_BYTES (256 * 1024)
#define SLICE_NS INT64_C(5000000) /* of work before keys and timers have their turn */

struct pipe_source {
    struct loop *loop;      /* borrowed */
    struct loop_fd *watch;  /* pipes, terminals, sockets */
    struct loop_work *work; /* regular files, which can't be waited for */
    struct stream *stream;
    struct sink sink;
    int fd;
    bool ended;
    void (*on_end)(void *to, int error);
    void *to;
};

static void deliver(struct stream *stream, const struct sink *sink, int64_t now_ns)
{
    struct record record;
    while (stream_next(stream, &record))
        sink->record(sink->to, &record, now_ns);
}

/* One read. Bytes, 0 at the end, or negative errno (-EAGAIN: nothing now). */
static ssize_t read_some(int fd, struct stream *stream)
{
    size_t room;
    char *space = stream_space(stream, READ_BYTES, &room);
    ssize_t n;
    do {
        n = read(fd, space, room);
    } while (n < 0 && errno == EINTR);
    int error = errno;
    stream_filled(stream, n > 0 ? (size_t)n : 0);
    return n < 0 ? -error : n;
}

int pipe_read_all(int fd, struct stream *stream, const struct sink *sink)
{
    for (;;) {
        ssize_t n = read_some(fd, stream);
        if (n == -EAGAIN) { /* somebody else left O_NONBLOCK on it */
            poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1);
            continue;
        }
        if (n <= 0) {
            stream_end(stream);
            deliver(stream, sink, 0);
            return (int)n;
        }
        deliver(stream, sink, 0);
    }
}

static void end(struct pipe_source *pipe, int error, int64_t now_ns)
{
    pipe->ended = true;
    loop_fd_free(pipe->watch);
    loop_work_free(pipe->work);
    pipe->watch = NULL;
    pipe->work = NULL;
    stream_end(pipe->stream);
    deliver(pipe->stream, &pipe->sink, now_ns);
    if (pipe->on_end)
        pipe->on_end(pipe->to, error);
}

/* False when there is no more. A terminal that is gone (EIO) has ended. */
static bool read_once(struct pipe_source *pipe, int64_t now_ns)
{
    ssize_t n = read_some(pipe->fd, pipe->stream);
    if (n == -EAGAIN)
        return true;
    if (n > 0) {
        deliver(pipe->stream, &pipe->sink, now_ns);
        return true;
    }
    end(pipe, (int)n, now_ns);
    return false;
}

/* Told that there is something to read: one read does not block. */
static void on_ready(void *to, int events, int64_t now_ns)
{
    (void)events;
    read_once(to, now_ns);
}

static bool on_slice(void *to, int64_t now_ns)
{
    struct pipe_source *pipe = to;
    do {
        if (!read_once(pipe, now_ns))
            return false;
    } while (loop_now_ns(pipe->loop) - now_ns < SLICE_NS);
    return true;
}

struct pipe_source *pipe_new(struct loop *loop, const struct pipe_options *options,
                             const struct sink *sink, struct stream_totals *totals, int *ret_error)
{
    struct stat status;
    if (fstat(options->fd, &status) < 0) {
        *ret_error = -errno;
        return NULL;
    }
    if (S_ISDIR(status.st_mode)) {
        *ret_error = -EISDIR;
        return NULL;
    }
    struct pipe_source *pipe = memory_zeroed(1, sizeof *pipe);
    pipe->loop = loop;
    pipe->fd = options->fd;
    pipe->sink = *sink;
    pipe->on_end = options->ended;
    pipe->to = options->to;
    pipe->watch = loop_fd_new(loop, pipe->fd, LOOP_READABLE, on_ready, pipe, ret_error);
    if (!pipe->watch && *ret_error != -EPERM) {
        free(pipe);
        return NULL;
    }
    pipe->stream = stream_new(options->name, totals);
    if (!pipe->watch) {
        pipe->work = loop_work_new(loop, on_slice, pipe);
        loop_work_wake(pipe->work);
    }
    return pipe;
}

void pipe_free(struct pipe_source *pipe)
{
    if (!pipe)
        return;
    loop_fd_free(pipe->watch);
    loop_work_free(pipe->work);
    stream_free(pipe->stream);
    free(pipe);
}

bool pipe_at_end(const struct pipe_source *pipe)
{
    return pipe->ended;
}
