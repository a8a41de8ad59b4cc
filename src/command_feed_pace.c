/* Deadlines and signals of `feed`. A signal is read from a descriptor, so it
 * ends a sleep or a wait for a full pipe at once and needs no global flag. */
#include "command_feed_pace.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

static void add_unless_ignored(sigset_t *set, int signal)
{
    struct sigaction action;
    if (sigaction(signal, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
        sigaddset(set, signal);
}

bool feed_pace_init(struct feed_pace *pace)
{
    sigset_t set;
    sigemptyset(&set);
    add_unless_ignored(&set, SIGINT);
    add_unless_ignored(&set, SIGTERM);
    add_unless_ignored(&set, SIGHUP);
    *pace = (struct feed_pace){.signal_fd = -1};
    if (sigprocmask(SIG_BLOCK, &set, &pace->before) != 0)
        return false;
    pace->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return pace->signal_fd >= 0;
}

void feed_pace_done(struct feed_pace *pace)
{
    if (pace->signal_fd >= 0)
        close(pace->signal_fd);
    sigprocmask(SIG_SETMASK, &pace->before, NULL);
    if (pace->signal) {
        signal(pace->signal, SIG_DFL);
        raise(pace->signal);
    }
}

bool feed_pace_stopped(struct feed_pace *pace)
{
    struct signalfd_siginfo info;
    if (!pace->signal && read(pace->signal_fd, &info, sizeof info) == (ssize_t)sizeof info)
        pace->signal = (int)info.ssi_signo;
    return pace->signal != 0;
}

int64_t feed_pace_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

bool feed_pace_until(struct feed_pace *pace, int64_t deadline_ns)
{
    struct pollfd wait = {.fd = pace->signal_fd, .events = POLLIN};
    for (;;) {
        int64_t left_ns = deadline_ns - feed_pace_now_ns();
        if (feed_pace_stopped(pace))
            return false;
        if (left_ns <= 0)
            return true;
        struct timespec left = {.tv_sec = left_ns / 1000000000, .tv_nsec = left_ns % 1000000000};
        ppoll(&wait, 1, &left, NULL);
    }
}

/* After a signal: only what can be written at once. */
bool feed_pace_writable(struct feed_pace *pace, int fd)
{
    struct pollfd wait[2] = {
        {.fd = fd, .events = POLLOUT},
        {.fd = pace->signal_fd, .events = POLLIN},
    };
    for (;;) {
        int n = poll(wait, 2, pace->signal ? 0 : -1);
        if (n < 0 && errno != EINTR)
            return true; /* let write() say what is wrong */
        if (n > 0 && wait[0].revents)
            return true;
        if (feed_pace_stopped(pace) && n == 0)
            return false;
    }
}
