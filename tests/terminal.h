/* A terminal for tests: a pseudo-terminal whose other end the test holds. */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>
#include <time.h>

#define TERMINAL_BYTES_MAX (1u << 22)

struct terminal {
    int master;
    int slave;            /* held open, so that the master never sees a hang-up by chance */
    char path[64];        /* of the slave */
    struct termios found; /* modes before the test */
    char *bytes;          /* all that came out, and NUL */
    size_t length;
};

void terminal_open(struct terminal *terminal, int width, int height);
void terminal_close(struct terminal *terminal);
void terminal_resize(struct terminal *terminal, int width, int height);

/* Waits so long for something and reads it; false when nothing came. */
bool terminal_poll(struct terminal *terminal, int milliseconds);

/* Reads what comes until `wanted` bytes are there in all, or ten seconds passed. */
void terminal_read(struct terminal *terminal, size_t wanted);

/* Reads until this text came behind the first `from` bytes; false after ten seconds. */
bool terminal_waits_for(struct terminal *terminal, size_t from, const char *text);

bool terminal_has(const struct terminal *terminal, size_t from, const char *text);
bool terminal_is_restored(const struct terminal *terminal);
