/* When `feed` writes, and when it stops: deadlines on the monotonic clock, and
 * SIGINT, SIGTERM and SIGHUP taken between two lines, never inside one. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct feed_pace {
    int signal_fd;   /* readable when a signal has come */
    int signal;      /* the signal that has come; 0: none */
    sigset_t before; /* the signal mask to go back to */
};

/* Holds the signals back (those that are not ignored). False, with errno set,
 * when the system refuses. */
bool feed_pace_init(struct feed_pace *pace);

/* Gives the signals back, and raises the one that has come, so that the shell
 * sees that it ended the program. */
void feed_pace_done(struct feed_pace *pace);

bool feed_pace_stopped(struct feed_pace *pace);

/* Sleep until the monotonic time deadline_ns, or wait until fd can be written.
 * False when a signal has come first; after a signal, writable means at once. */
bool feed_pace_until(struct feed_pace *pace, int64_t deadline_ns);
bool feed_pace_writable(struct feed_pace *pace, int fd);

int64_t feed_pace_now_ns(void); /* monotonic */
