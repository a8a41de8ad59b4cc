/* The pseudo-terminal of the terminal's tests. */
#include "terminal.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void terminal_open(struct terminal *terminal, int width, int height)
{
    *terminal = (struct terminal){.master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)};
    assert(terminal->master >= 0 && grantpt(terminal->master) == 0);
    assert(unlockpt(terminal->master) == 0);
    assert(ptsname_r(terminal->master, terminal->path, sizeof terminal->path) == 0);
    terminal->slave = open(terminal->path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert(terminal->slave >= 0);
    terminal_resize(terminal, width, height);
    assert(tcgetattr(terminal->slave, &terminal->found) == 0);
    terminal->bytes = calloc(1, TERMINAL_BYTES_MAX + 1);
    assert(terminal->bytes);
}

void terminal_close(struct terminal *terminal)
{
    if (terminal->master >= 0)
        close(terminal->master);
    close(terminal->slave);
    free(terminal->bytes);
}

void terminal_resize(struct terminal *terminal, int width, int height)
{
    struct winsize size = {.ws_col = (unsigned short)width, .ws_row = (unsigned short)height};
    assert(ioctl(terminal->slave, TIOCSWINSZ, &size) == 0);
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool terminal_poll(struct terminal *terminal, int milliseconds)
{
    struct pollfd ready = {.fd = terminal->master, .events = POLLIN};
    poll(&ready, 1, milliseconds);
    ssize_t count = read(terminal->master, terminal->bytes + terminal->length,
                         TERMINAL_BYTES_MAX - terminal->length);
    if (count > 0)
        terminal->length += (size_t)count;
    terminal->bytes[terminal->length] = '\0';
    return count > 0;
}

void terminal_read(struct terminal *terminal, size_t wanted)
{
    int64_t deadline = now_ms() + 10000;
    while (terminal->length < wanted && now_ms() < deadline)
        terminal_poll(terminal, 100);
}

bool terminal_waits_for(struct terminal *terminal, size_t from, const char *text)
{
    int64_t deadline = now_ms() + 10000;
    while (!terminal_has(terminal, from, text) && now_ms() < deadline)
        terminal_poll(terminal, 100);
    return terminal_has(terminal, from, text);
}

bool terminal_has(const struct terminal *terminal, size_t from, const char *text)
{
    return memmem(terminal->bytes + from, terminal->length - from, text, strlen(text)) != NULL;
}

bool terminal_is_restored(const struct terminal *terminal)
{
    struct termios now;
    return tcgetattr(terminal->slave, &now) == 0 && now.c_lflag == terminal->found.c_lflag &&
           now.c_iflag == terminal->found.c_iflag && now.c_oflag == terminal->found.c_oflag;
}
