/* The event loop: a thin layer over libuv, so that the rest of the program
 * needs no uv.h. Callbacks get the monotonic time. All handles belong to the
 * loop; what is not freed by hand is freed with it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct loop;
struct loop_timer;
struct loop_fd;
struct loop_work;

struct loop *loop_new(void);
/* Closes what is left, lets the close callbacks run. 0, or -EBUSY when a handle
 * of somebody else is still open (a mistake: tests check it). NULL is allowed. */
int loop_free(struct loop *loop);

void loop_run(struct loop *loop); /* until loop_stop(), or nothing is left to wait for */
void loop_stop(struct loop *loop);
int64_t loop_now_ns(const struct loop *loop); /* monotonic, read anew at each call */

struct uv_loop_s;
struct uv_loop_s *loop_uv(struct loop *loop); /* for the other sources only */

/* A timer: first after first_ns, then every repeat_ns (0: once). Ticks that were
 * missed are not made up for. */
struct loop_timer *loop_timer_new(struct loop *loop, int64_t first_ns, int64_t repeat_ns,
                                  void (*tick)(void *to, int64_t now_ns), void *to);
void loop_timer_set(struct loop_timer *timer, int64_t first_ns, int64_t repeat_ns);
void loop_timer_stop(struct loop_timer *timer);
void loop_timer_free(struct loop_timer *timer);

enum { LOOP_READABLE = 1, LOOP_WRITABLE = 2, LOOP_HANGUP = 4 };

/* Watches a descriptor (pipe, terminal, socket; not owned; its flags are left
 * as they are, O_NONBLOCK too). NULL and negative errno in *ret_error when it
 * can't be watched: -EPERM for regular files. `ready` gets LOOP_ bits; a
 * descriptor that fails reports LOOP_HANGUP | LOOP_READABLE. */
struct loop_fd *loop_fd_new(struct loop *loop, int fd, int events,
                            void (*ready)(void *to, int events, int64_t now_ns), void *to,
                            int *ret_error);
void loop_fd_want(struct loop_fd *watch, int events); /* 0: pause */
void loop_fd_free(struct loop_fd *watch);

/* Calls `caught` inside the loop when the signal arrives. 0 or negative errno. */
int loop_signal(struct loop *loop, int number, void (*caught)(void *to, int number), void *to);

/* Work in slices: `slice` is called once a turn of the loop while it answers
 * true (there is more); timers, keys and signals go on between slices. It starts
 * asleep; loop_work_wake() starts it again. */
struct loop_work *loop_work_new(struct loop *loop, bool (*slice)(void *to, int64_t now_ns),
                                void *to);
void loop_work_wake(struct loop_work *work);
void loop_work_free(struct loop_work *work);

/* Called each turn before the loop sleeps: the place to draw what has changed. */
void loop_before_sleep(struct loop *loop, void (*hook)(void *to, int64_t now_ns), void *to);
