/* Shows a canvas on the terminal: the only user of curses.
 *
 * The program owns the device; curses only works out the difference between two
 * frames and writes it into memory. So nothing here ever blocks: while the
 * terminal does not take bytes, frames are skipped and counted, and the caller's
 * loop goes on. Size, keys (ui/keys.h) and signals are the caller's, too: curses
 * installs no handler and reads nothing.
 *
 * The locale is the caller's business: setlocale(LC_CTYPE, "") before term_open.
 * One terminal can be open at a time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "canvas.h"

enum term_color {
    TERM_COLOR_AUTO,   /* as many as the terminal has; none when NO_COLOR is set and not empty */
    TERM_COLOR_ALWAYS, /* even then */
    TERM_COLOR_NEVER
};

enum term_charset {
    TERM_CHARSET_AUTO, /* UTF-8 when the locale says so */
    TERM_CHARSET_UTF8,
    TERM_CHARSET_ASCII
};

struct term_options {
    const char *path; /* the device; NULL: /dev/tty */
    const char *type; /* terminal type; NULL: $TERM */
    enum term_color color;
    enum term_charset charset;
};

struct term_size {
    int width, height; /* cells; 80 x 24 as long as nobody knows */
};

struct term_stats {
    size_t bytes;   /* written to the terminal */
    size_t frames;  /* drawn */
    size_t skipped; /* changed, but not drawn since the terminal was busy */
};

struct term;

/* Opens the terminal in raw mode; the first term_show changes to its alternate
 * screen. 0, or -errno with a message for the user in error: no terminal, a
 * type that is unknown or cannot place a cursor. */
int term_open(struct term **ret, const struct term_options *options, char *error,
              size_t error_size);

/* Restores screen, cursor and modes; a stalled terminal does not hold it. */
void term_close(struct term *term);

/* To wait on: for reading always, for writing while term_wants_write. */
int term_fd(const struct term *term);
bool term_wants_write(const struct term *term);
int term_flush(struct term *term); /* when it can be written; 0 or -errno */

/* Keys: the bytes read, 0 when there are none now, -errno; a terminal that is
 * gone gives -EIO. */
int term_read(struct term *term, uint8_t *bytes, size_t size);

bool term_unicode(const struct term *term); /* what canvas_init wants to know */
struct term_size term_size(const struct term *term);

/* Draws what differs from the frame before. 1 drawn, 0 when nothing changed or
 * the frame was skipped (show it again later), -errno. A canvas of another size
 * is cut or bordered by blanks; the last cell of the last line stays blank. */
int term_show(struct term *term, const struct canvas *canvas);

/* After SIGWINCH: the new size. The next frame is drawn in full when it changed. */
struct term_size term_resized(struct term *term);

/* ^L, SIGCONT: raw mode again, and the next frame is drawn in full. */
void term_redraw(struct term *term);

/* ^Z: gives the terminal back; the caller stops itself and then resumes. */
void term_suspend(struct term *term);
void term_resume(struct term *term);

struct term_stats term_stats(const struct term *term);

/* From now on SEGV, BUS, FPE, ILL and ABRT restore the terminal, if it is in use,
 * before they do what they did before. */
void term_guard_crashes(void);
