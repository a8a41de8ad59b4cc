/* The event loop: a thin layer over libuv. Every handle is the first member of
 * an allocation of its own that its close callback frees. */
#include "source_loop.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <uv.h>

#include "memory.h"
#include "source_index.h"

struct loop {
    uv_loop_t uv;
};

struct loop_timer {
    uv_timer_t handle;
    void (*tick)(void *to, int64_t now_ns);
    void *to;
};

struct loop_fd {
    uv_poll_t handle;
    void (*ready)(void *to, int events, int64_t now_ns);
    void *to;
};

struct loop_signal {
    uv_signal_t handle;
    void (*caught)(void *to, int number);
    void *to;
};

struct loop_work {
    uv_idle_t handle;
    bool (*slice)(void *to, int64_t now_ns);
    void *to;
};

struct loop_hook {
    uv_prepare_t handle;
    void (*hook)(void *to, int64_t now_ns);
    void *to;
};

static int64_t now_ns_of(const void *handle)
{
    (void)handle;
    return (int64_t)uv_hrtime();
}

static void freed(uv_handle_t *handle)
{
    free(handle);
}

static void close_handle(void *handle)
{
    if (handle && !uv_is_closing(handle))
        uv_close(handle, freed);
}

/* ---- the loop ---- */

struct loop *loop_new(void)
{
    struct loop *loop = memory_zeroed(1, sizeof *loop);
    if (uv_loop_init(&loop->uv) < 0)
        abort();
    return loop;
}

/* Handles of this module, told from those of others by their data pointer. */
static void close_own(uv_handle_t *handle, void *loop)
{
    if (handle->data == loop)
        close_handle(handle);
}

int loop_free(struct loop *loop)
{
    if (!loop)
        return 0;
    uv_walk(&loop->uv, close_own, loop);
    for (int turns = 0; turns < 100 && uv_loop_alive(&loop->uv); turns++)
        uv_run(&loop->uv, UV_RUN_NOWAIT);
    int result = uv_loop_close(&loop->uv);
    if (result == 0)
        free(loop);
    return result;
}

void loop_run(struct loop *loop)
{
    uv_run(&loop->uv, UV_RUN_DEFAULT);
}

void loop_stop(struct loop *loop)
{
    uv_stop(&loop->uv);
}

int64_t loop_now_ns(const struct loop *loop)
{
    return now_ns_of(loop);
}

struct uv_loop_s *loop_uv(struct loop *loop)
{
    return &loop->uv;
}

/* ---- timers ---- */

static void on_timer(uv_timer_t *handle)
{
    struct loop_timer *timer = (struct loop_timer *)handle;
    timer->tick(timer->to, now_ns_of(handle));
}

static uint64_t milliseconds(int64_t ns)
{
    return ns <= 0 ? 0 : (uint64_t)((ns + 999999) / 1000000);
}

struct loop_timer *loop_timer_new(struct loop *loop, int64_t first_ns, int64_t repeat_ns,
                                  void (*tick)(void *to, int64_t now_ns), void *to)
{
    struct loop_timer *timer = memory_zeroed(1, sizeof *timer);
    timer->tick = tick;
    timer->to = to;
    uv_timer_init(&loop->uv, &timer->handle);
    timer->handle.data = loop;
    loop_timer_set(timer, first_ns, repeat_ns);
    return timer;
}

void loop_timer_set(struct loop_timer *timer, int64_t first_ns, int64_t repeat_ns)
{
    uv_update_time(timer->handle.loop);
    uv_timer_start(&timer->handle, on_timer, milliseconds(first_ns), milliseconds(repeat_ns));
}

void loop_timer_stop(struct loop_timer *timer)
{
    uv_timer_stop(&timer->handle);
}

void loop_timer_free(struct loop_timer *timer)
{
    close_handle(timer);
}

/* ---- descriptors ---- */

static void on_poll(uv_poll_t *handle, int status, int events)
{
    struct loop_fd *watch = (struct loop_fd *)handle;
    int got = (events & UV_READABLE ? LOOP_READABLE : 0) |
              (events & UV_WRITABLE ? LOOP_WRITABLE : 0) |
              (events & UV_DISCONNECT ? LOOP_HANGUP : 0);
    if (status < 0)
        got = LOOP_HANGUP | LOOP_READABLE;
    watch->ready(watch->to, got, now_ns_of(handle));
}

/* libuv sets O_NONBLOCK on the open file description, which a terminal or a
 * pipe may share with the shell: it is put back at once. */
static int init_poll(struct loop *loop, uv_poll_t *handle, int fd)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0)
        return -errno;
    int result = uv_poll_init(&loop->uv, handle, fd);
    fcntl(fd, F_SETFL, flags);
    return result;
}

struct loop_fd *loop_fd_new(struct loop *loop, int fd, int events,
                            void (*ready)(void *to, int events, int64_t now_ns), void *to,
                            int *ret_error)
{
    struct loop_fd *watch = memory_zeroed(1, sizeof *watch);
    watch->ready = ready;
    watch->to = to;
    int result = init_poll(loop, &watch->handle, fd);
    if (result < 0) { /* such a handle must not be closed */
        free(watch);
        *ret_error = result;
        return NULL;
    }
    watch->handle.data = loop;
    loop_fd_want(watch, events);
    return watch;
}

void loop_fd_want(struct loop_fd *watch, int events)
{
    int uv_events = (events & LOOP_READABLE ? UV_READABLE : 0) |
                    (events & LOOP_WRITABLE ? UV_WRITABLE : 0) |
                    (events & LOOP_HANGUP ? UV_DISCONNECT : 0);
    if (uv_events)
        uv_poll_start(&watch->handle, uv_events, on_poll);
    else
        uv_poll_stop(&watch->handle);
}

void loop_fd_free(struct loop_fd *watch)
{
    close_handle(watch);
}

/* ---- signals ---- */

static void on_signal(uv_signal_t *handle, int number)
{
    struct loop_signal *watch = (struct loop_signal *)handle;
    watch->caught(watch->to, number);
}

int loop_signal(struct loop *loop, int number, void (*caught)(void *to, int number), void *to)
{
    struct loop_signal *watch = memory_zeroed(1, sizeof *watch);
    watch->caught = caught;
    watch->to = to;
    uv_signal_init(&loop->uv, &watch->handle);
    watch->handle.data = loop;
    int result = uv_signal_start(&watch->handle, on_signal, number);
    if (result < 0)
        close_handle(watch);
    else
        uv_unref((uv_handle_t *)&watch->handle); /* waiting for a signal keeps nobody running */
    return result;
}

/* ---- work and hooks ---- */

static void on_idle(uv_idle_t *handle)
{
    struct loop_work *work = (struct loop_work *)handle;
    if (!work->slice(work->to, now_ns_of(handle)))
        uv_idle_stop(handle);
}

struct loop_work *loop_work_new(struct loop *loop, bool (*slice)(void *to, int64_t now_ns),
                                void *to)
{
    struct loop_work *work = memory_zeroed(1, sizeof *work);
    work->slice = slice;
    work->to = to;
    uv_idle_init(&loop->uv, &work->handle);
    work->handle.data = loop;
    return work;
}

void loop_work_wake(struct loop_work *work)
{
    uv_idle_start(&work->handle, on_idle);
}

void loop_work_free(struct loop_work *work)
{
    close_handle(work);
}

static void on_prepare(uv_prepare_t *handle)
{
    struct loop_hook *hook = (struct loop_hook *)handle;
    hook->hook(hook->to, now_ns_of(handle));
}

void loop_before_sleep(struct loop *loop, void (*call)(void *to, int64_t now_ns), void *to)
{
    struct loop_hook *hook = memory_zeroed(1, sizeof *hook);
    hook->hook = call;
    hook->to = to;
    uv_prepare_init(&loop->uv, &hook->handle);
    hook->handle.data = loop;
    uv_prepare_start(&hook->handle, on_prepare);
    uv_unref((uv_handle_t *)&hook->handle);
}
