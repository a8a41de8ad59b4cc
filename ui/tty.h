/* The terminal's device: raw mode, size, and output that never blocks. No curses;
 * belongs to ui/term.c alone. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <termios.h>

struct tty {
    int fd;               /* an open description of its own: O_NONBLOCK leaks to nobody */
    struct termios saved; /* as it was found */
    char *pending;        /* owned; bytes not yet taken by the terminal */
    size_t begin, end;    /* of them in `pending` */
    size_t size;          /* allocated */
};

/* Opens a terminal device by its path. 0, or -errno with tty->fd at -1. */
int tty_open(struct tty *tty, const char *path);
int tty_raw(struct tty *tty);     /* keys come one by one, ^C, ^Z and ^S as bytes; 0 or -errno */
void tty_cooked(struct tty *tty); /* as it was found */
void tty_close(struct tty *tty);  /* without tty_cooked */

/* The size the kernel knows; a side of 0 leaves its number alone. */
void tty_size(const struct tty *tty, int *width, int *height);

/* A file in memory, or a temporary one where the system has none; NULL with errno. */
FILE *tty_memory(void);

/* Takes the whole of a file (one in memory) behind the pending bytes and empties
 * it; squeezed (ui/squeeze.h). 0 or -errno. */
int tty_take(struct tty *tty, int file);

/* Appends a few bytes; 0 or -ENOMEM. */
int tty_add(struct tty *tty, const char *bytes, size_t length);

/* Writes what the terminal takes now. 0 (tty_wants_write tells whether all is
 * gone) or -errno. *ret_bytes grows by the bytes written. */
int tty_flush(struct tty *tty, size_t *ret_bytes);
bool tty_wants_write(const struct tty *tty);

/* Forgets pending bytes, here and in the kernel. */
void tty_discard(struct tty *tty);
