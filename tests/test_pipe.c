/* Standard input and its like: pipes, sockets, files, terminals. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "source_pipe.h"

struct fixture {
    struct loop *loop;
    struct pipe_source *pipe;
    struct stream_totals totals;
    struct sink sink;
    int64_t records, step_sum, last_step;
    int ended, error;
};

static void take(void *to, const struct record *record, int64_t now_ns)
{
    struct fixture *f = to;
    f->records++;
    f->step_sum += record->step;
    f->last_step = record->step;
}

static void on_end(void *to, int error)
{
    struct fixture *f = to;
    f->ended++;
    f->error = error;
}

static void on_deadline(void *to, int64_t now_ns)
{
    loop_stop(to);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->loop = loop_new();
    f->sink = (struct sink){f, take};
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    pipe_free(f->pipe);
    int result = loop_free(f->loop);
    free(f);
    return result;
}

static int open_pipe(struct fixture *f, int fd)
{
    int error = 0;
    struct pipe_options options = {.fd = fd, .name = "-", .ended = on_end, .to = f};
    f->pipe = pipe_new(f->loop, &options, &f->sink, &f->totals, &error);
    return error;
}

static void put(int fd, int64_t step)
{
    assert_true(dprintf(fd, "{\"rank\":0,\"step\":%lld,\"compute\":0.5}\n", (long long)step) > 0);
}

static void a_pipe_is_read_to_its_end(void **state)
{
    struct fixture *f = *state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    int flags = fcntl(ends[0], F_GETFL);
    open_pipe(f, ends[0]);
    put(ends[1], 1);
    assert_int_equal(write(ends[1], "{\"rank\":0,\"step\":2,\"compute\":1}", 31), 31);
    close(ends[1]); /* the last line has no newline */
    loop_run(f->loop);
    assert_int_equal(f->records, 2);
    assert_int_equal(f->last_step, 2);
    assert_int_equal(f->ended, 1);
    assert_int_equal(f->error, 0);
    assert_true(pipe_at_end(f->pipe));
    assert_int_equal(fcntl(ends[0], F_GETFL), flags);
    assert_int_equal(f->totals.counts.damaged, 0);
    close(ends[0]);
}

static void an_empty_pipe_blocks_nobody(void **state)
{
    struct fixture *f = *state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    open_pipe(f, ends[0]);
    loop_timer_new(f->loop, 20000000, 0, on_deadline, f->loop);
    loop_run(f->loop);
    assert_int_equal(f->ended, 0);
    assert_false(pipe_at_end(f->pipe));
    close(ends[0]);
    close(ends[1]);
}

static void *write_many(void *to)
{
    int fd = *(int *)to;
    FILE *out = fdopen(fd, "w");
    for (int step = 1; step <= 100000; step++)
        fprintf(out, "{\"rank\":0,\"step\":%d,\"compute\":0.5}\n", step);
    fclose(out);
    return NULL;
}

static void a_fast_writer_loses_nothing(void **state)
{
    struct fixture *f = *state;
    int ends[2];
    pthread_t writer;
    assert_int_equal(pipe(ends), 0);
    open_pipe(f, ends[0]);
    assert_int_equal(pthread_create(&writer, NULL, write_many, &ends[1]), 0);
    loop_run(f->loop);
    pthread_join(writer, NULL);
    assert_int_equal(f->records, 100000);
    assert_int_equal(f->step_sum, INT64_C(100000) * 100001 / 2);
    close(ends[0]);
}

static void a_blocking_read_takes_all(void **state)
{
    struct fixture *f = *state;
    int ends[2];
    pthread_t writer;
    assert_int_equal(pipe(ends), 0);
    fcntl(ends[0], F_SETFL, O_NONBLOCK); /* somebody left it so */
    struct stream *stream = stream_new("-", &f->totals);
    assert_int_equal(pthread_create(&writer, NULL, write_many, &ends[1]), 0);
    assert_int_equal(pipe_read_all(ends[0], stream, &f->sink), 0);
    pthread_join(writer, NULL);
    assert_int_equal(f->records, 100000);
    assert_int_equal(f->step_sum, INT64_C(100000) * 100001 / 2);
    assert_true(pipe_read_all(-1, stream, &f->sink) == -EBADF);
    stream_free(stream);
    close(ends[0]);
}

static int temporary_file(void)
{
    char name[] = "/tmp/lockstep_pipe_XXXXXX";
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    unlink(name);
    return fd;
}

static void a_regular_file_is_read_in_slices(void **state)
{
    struct fixture *f = *state;
    int fd = temporary_file();
    int copy = dup(fd);
    write_many(&copy);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_int_equal(open_pipe(f, fd), -EPERM); /* why it is not watched */
    assert_non_null(f->pipe);
    loop_run(f->loop);
    assert_int_equal(f->records, 100000);
    assert_int_equal(f->ended, 1);
    close(fd);
}

static void nothing_at_all_ends_at_once(void **state)
{
    struct fixture *f = *state;
    int fd = open("/dev/null", O_RDONLY);
    open_pipe(f, fd);
    loop_run(f->loop);
    assert_int_equal(f->ended, 1);
    assert_int_equal(f->records, 0);
    close(fd);
}

static void a_socket_is_read_like_a_pipe(void **state)
{
    struct fixture *f = *state;
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    open_pipe(f, ends[0]);
    put(ends[1], 4);
    close(ends[1]);
    loop_run(f->loop);
    assert_int_equal(f->last_step, 4);
    assert_int_equal(f->ended, 1);
    close(ends[0]);
}

static void a_terminal_keeps_its_flags_and_ends_when_it_is_gone(void **state)
{
    struct fixture *f = *state;
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(master >= 0);
    assert_int_equal(grantpt(master), 0);
    assert_int_equal(unlockpt(master), 0);
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    assert_true(slave >= 0);
    open_pipe(f, slave);
    put(master, 6);
    struct loop_timer *timer = loop_timer_new(f->loop, 20000000, 0, on_deadline, f->loop);
    loop_run(f->loop);
    assert_int_equal(f->last_step, 6);
    assert_int_equal(fcntl(slave, F_GETFL) & O_NONBLOCK, 0);
    close(master);
    loop_timer_free(timer);
    loop_run(f->loop);
    assert_int_equal(f->ended, 1);
    close(slave);
}

static void what_can_not_be_read_is_an_error(void **state)
{
    struct fixture *f = *state;
    int fd = open("/tmp", O_RDONLY | O_DIRECTORY);
    assert_int_equal(open_pipe(f, fd), -EISDIR);
    assert_null(f->pipe);
    close(fd);
    assert_int_equal(open_pipe(f, 9999), -EBADF);
    assert_null(f->pipe);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(a_pipe_is_read_to_its_end),        T(an_empty_pipe_blocks_nobody),
        T(a_fast_writer_loses_nothing),      T(a_blocking_read_takes_all),
        T(a_regular_file_is_read_in_slices), T(nothing_at_all_ends_at_once),
        T(a_socket_is_read_like_a_pipe),     T(a_terminal_keeps_its_flags_and_ends_when_it_is_gone),
        T(what_can_not_be_read_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
