/* The event loop: timers, descriptors, signals, work in slices, a clean end. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "source_loop.h"

#define MS INT64_C(1000000)

struct probe {
    struct loop *loop;
    struct loop_timer *timer;
    struct loop_fd *watch;
    int ticks, slices, hooks, caught, events;
    int64_t last_ns;
    int stop_after;
    int fd;
};

static int setup(void **state)
{
    struct probe *probe = calloc(1, sizeof *probe);
    assert_non_null(probe);
    probe->loop = loop_new();
    *state = probe;
    return 0;
}

static int teardown(void **state)
{
    struct probe *probe = *state;
    int result = loop_free(probe->loop);
    free(probe);
    return result;
}

static void on_tick(void *to, int64_t now_ns)
{
    struct probe *probe = to;
    assert_true(now_ns >= probe->last_ns);
    probe->last_ns = now_ns;
    if (++probe->ticks == probe->stop_after)
        loop_stop(probe->loop);
}

/* Ends a loop that would wait for ever. */
static void on_deadline(void *to, int64_t now_ns)
{
    loop_stop(to);
}

static void a_timer_repeats_until_it_is_stopped(void **state)
{
    struct probe *probe = *state;
    probe->stop_after = 3;
    int64_t begin_ns = loop_now_ns(probe->loop);
    loop_timer_new(probe->loop, 5 * MS, 5 * MS, on_tick, probe);
    loop_run(probe->loop);
    assert_int_equal(probe->ticks, 3);
    assert_true(loop_now_ns(probe->loop) - begin_ns >= 14 * MS);
}

static void a_timer_may_be_set_again_and_freed(void **state)
{
    struct probe *probe = *state;
    struct loop_timer *once = loop_timer_new(probe->loop, 1 * MS, 0, on_tick, probe);
    loop_run(probe->loop); /* ends by itself: nothing is left to wait for */
    assert_int_equal(probe->ticks, 1);
    loop_timer_set(once, 1 * MS, 0);
    loop_run(probe->loop);
    assert_int_equal(probe->ticks, 2);
    loop_timer_set(once, 1 * MS, 0);
    loop_timer_stop(once);
    loop_run(probe->loop);
    assert_int_equal(probe->ticks, 2);
    loop_timer_free(once);
}

static void on_ready(void *to, int events, int64_t now_ns)
{
    struct probe *probe = to;
    char byte;
    probe->events |= events;
    if (events & LOOP_READABLE && read(probe->fd, &byte, 1) <= 0)
        loop_fd_free(probe->watch);
}

static void a_descriptor_is_watched_and_keeps_its_flags(void **state)
{
    struct probe *probe = *state;
    int ends[2], error = 0;
    assert_int_equal(pipe(ends), 0);
    probe->fd = ends[0];
    int before = fcntl(ends[0], F_GETFL);
    probe->watch = loop_fd_new(probe->loop, ends[0], LOOP_READABLE, on_ready, probe, &error);
    assert_non_null(probe->watch);
    assert_int_equal(fcntl(ends[0], F_GETFL), before);
    assert_int_equal(before & O_NONBLOCK, 0);
    assert_int_equal(write(ends[1], "xy", 2), 2);
    close(ends[1]);
    loop_run(probe->loop); /* until the end of the pipe */
    assert_true(probe->events & LOOP_READABLE);
    assert_int_equal(fcntl(ends[0], F_GETFL), before);
    close(ends[0]);
}

static void a_regular_file_can_not_be_watched(void **state)
{
    struct probe *probe = *state;
    int error = 0, fd = open("/proc/self/exe", O_RDONLY);
    assert_null(loop_fd_new(probe->loop, fd, LOOP_READABLE, on_ready, probe, &error));
    assert_int_equal(error, -EPERM);
    assert_null(loop_fd_new(probe->loop, 9999, LOOP_READABLE, on_ready, probe, &error));
    assert_int_equal(error, -EBADF);
    close(fd);
}

static void on_caught(void *to, int number)
{
    struct probe *probe = to;
    probe->caught = number;
    loop_stop(probe->loop);
}

static void a_signal_arrives_in_the_loop(void **state)
{
    struct probe *probe = *state;
    assert_int_equal(loop_signal(probe->loop, SIGWINCH, on_caught, probe), 0);
    assert_int_equal(loop_signal(probe->loop, SIGTERM, on_caught, probe), 0);
    loop_timer_new(probe->loop, 5000 * MS, 0, on_deadline, probe->loop);
    raise(SIGTERM);
    assert_int_equal(probe->caught, 0);
    loop_run(probe->loop);
    assert_int_equal(probe->caught, SIGTERM);
    raise(SIGWINCH);
    loop_run(probe->loop);
    assert_int_equal(probe->caught, SIGWINCH);
    assert_true(loop_signal(probe->loop, SIGKILL, on_caught, probe) < 0);
}

static bool on_slice(void *to, int64_t now_ns)
{
    struct probe *probe = to;
    probe->slices++;
    return probe->ticks < 3; /* there is more until the timer has had its turns */
}

static void on_hook(void *to, int64_t now_ns)
{
    struct probe *probe = to;
    probe->hooks++;
}

static void work_lets_timers_go_on_and_sleeps_when_done(void **state)
{
    struct probe *probe = *state;
    struct loop_work *work = loop_work_new(probe->loop, on_slice, probe);
    struct loop_timer *timer = loop_timer_new(probe->loop, 2 * MS, 2 * MS, on_tick, probe);
    loop_before_sleep(probe->loop, on_hook, probe);
    loop_work_wake(work);
    probe->stop_after = 6;
    loop_run(probe->loop);
    assert_int_equal(probe->ticks, 6);
    assert_true(probe->slices > 1);
    assert_true(probe->hooks >= probe->slices);
    int slices = probe->slices;
    loop_timer_free(timer);
    loop_work_wake(work); /* once more */
    loop_run(probe->loop);
    assert_int_equal(probe->slices, slices + 1);
}

static void a_loop_ends_cleanly_with_everything_still_open(void **state)
{
    struct probe *probe = *state;
    int ends[2], error;
    assert_int_equal(pipe(ends), 0);
    loop_timer_new(probe->loop, MS, MS, on_tick, probe);
    loop_fd_new(probe->loop, ends[0], LOOP_READABLE, on_ready, probe, &error);
    loop_signal(probe->loop, SIGHUP, on_caught, probe);
    loop_work_wake(loop_work_new(probe->loop, on_slice, probe));
    loop_before_sleep(probe->loop, on_hook, probe);
    assert_int_equal(loop_free(probe->loop), 0);
    probe->loop = NULL;
    assert_int_equal(probe->ticks + probe->slices, 0);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(a_timer_repeats_until_it_is_stopped),
        T(a_timer_may_be_set_again_and_freed),
        T(a_descriptor_is_watched_and_keeps_its_flags),
        T(a_regular_file_can_not_be_watched),
        T(a_signal_arrives_in_the_loop),
        T(work_lets_timers_go_on_and_sleeps_when_done),
        T(a_loop_ends_cleanly_with_everything_still_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
