/* Curses as a machine for differences: it writes to a file in memory, and what it
 * wrote goes to the terminal when that takes it. */
#include "term.h"

#include <assert.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#define NCURSES_WIDECHAR 1
#include <curses.h>

#include "style.h"
#include "text.h"
#include "tty.h"

#define TERM_TRY "; try: TERM=xterm-256color lockstep ..."

struct term {
    struct tty tty;
    FILE *memory; /* what curses writes */
    FILE *null;   /* what curses would read */
    SCREEN *screen;
    locale_t locale; /* UTF-8 for curses when the program's locale is not; or 0 */
    bool unicode;
    bool colors;
    bool suspended;
    bool full; /* the next frame is drawn whatever the one before was */
    struct term_size size;
    struct canvas shown; /* the frame before; no cells before the first */
    attr_t attributes[STYLE_COUNT];
    struct term_stats stats;
};

/* What a crash handler may touch. */
static volatile sig_atomic_t crash_fd = -1;
static struct termios crash_termios;
static volatile sig_atomic_t crash_drawn; /* the alternate screen is up */

static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
#define CRASH_COUNT (sizeof crash_signals / sizeof crash_signals[0])
static struct sigaction crash_before[CRASH_COUNT];
static char crash_stack[16384];

/* Async-signal-safe: constant bytes, then the modes, then what was there before. */
static void crash_handler(int number)
{
    /* CAN ends a sequence that was cut; then attributes, alternate screen, cursor. */
    static const char text[] = "\030\033[m\033[?1049l\033[?25h";
    int fd = crash_fd;
    if (fd >= 0) {
        crash_fd = -1;
        tcflush(fd, TCOFLUSH);
        ssize_t written = crash_drawn ? write(fd, text, sizeof text - 1) : 0;
        (void)written;
        tcsetattr(fd, TCSANOW, &crash_termios);
    }
    for (size_t i = 0; i < CRASH_COUNT; i++) {
        if (crash_signals[i] == number)
            sigaction(number, &crash_before[i], NULL);
    }
    raise(number);
}

void term_guard_crashes(void)
{
    /* A stack that overflowed has no room for a handler. */
    stack_t stack = {.ss_sp = crash_stack, .ss_size = sizeof crash_stack};
    sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_handler = crash_handler, .sa_flags = SA_ONSTACK};
    sigaddset(&action.sa_mask, SIGTTOU); /* or tcsetattr would stop a background process */
    for (size_t i = 0; i < CRASH_COUNT; i++) {
        struct sigaction before;
        sigaction(crash_signals[i], &action, &before);
        if (before.sa_handler != crash_handler)
            crash_before[i] = before;
    }
}

static locale_t term_enter(const struct term *term)
{
    return term->locale ? uselocale(term->locale) : (locale_t)0;
}

static void term_leave(const struct term *term, locale_t before)
{
    if (term->locale)
        uselocale(before);
}

static int term_collect(struct term *term)
{
    return tty_take(&term->tty, fileno(term->memory));
}

/* Says what is wrong with the type, which comes from outside. */
static int term_refuse(int error, char *to, size_t size, const char *what, const char *type,
                       const char *advice)
{
    char shown[64];
    text_sanitise(shown, sizeof shown, str_of(type, strlen(type)));
    snprintf(to, size, "%s%s%s", what, shown, advice);
    return -error;
}

/* newterm takes over these signals where nobody has them; they stay the caller's. */
static SCREEN *term_new_screen(const struct term *term, const char *type)
{
    static const int taken[] = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
    struct sigaction before[sizeof taken / sizeof taken[0]];
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        sigaction(taken[i], NULL, &before[i]);
    unsetenv("LINES"); /* they would outdo the real size */
    unsetenv("COLUMNS");
    setenv("NCURSES_NO_PADDING", "1", 0);
    SCREEN *screen = newterm(type, term->memory, term->null);
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        sigaction(taken[i], &before[i], NULL);
    return screen;
}

static bool term_is_direct(void)
{
    const char *text = tigetstr("RGB");
    bool flagged =
        tigetflag("RGB") > 0 || tigetnum("RGB") > 0 || (text && text != (const char *)-1);
    return flagged && COLORS >= 1 << 24;
}

static attr_t term_attributes(uint8_t bits)
{
    return (bits & STYLE_FAINT ? A_DIM : 0) | (bits & STYLE_BOLD ? A_BOLD : 0) |
           (bits & STYLE_UNDERLINE ? A_UNDERLINE : 0) | (bits & STYLE_REVERSE ? A_REVERSE : 0);
}

static bool term_wants_colors(enum term_color color)
{
    const char *no_color = getenv("NO_COLOR");
    return color == TERM_COLOR_ALWAYS || (color == TERM_COLOR_AUTO && (!no_color || !*no_color));
}

static const int32_t *term_look_colors(const struct style_look *look, int32_t buffer[2])
{
    if (COLORS >= 256) {
        buffer[0] = look->of256[0];
        buffer[1] = look->of256[1];
    } else {
        buffer[0] = look->of8[0];
        buffer[1] = look->of8[1];
    }
    return term_is_direct() ? look->direct : buffer;
}

/* One pair a style, numbered from 1. */
static void term_init_styles(struct term *term, enum term_color color)
{
    term->colors = term_wants_colors(color) && has_colors() && start_color() == OK && COLORS >= 8 &&
                   COLOR_PAIRS > STYLE_COUNT;
    bool own_ground = term->colors && use_default_colors() == OK;
    for (int i = 0; i < STYLE_COUNT; i++) {
        const struct style_look *look = style_look(i);
        term->attributes[i] = term_attributes(term->colors ? look->attributes : look->mono);
        if (!term->colors)
            continue;
        int32_t buffer[2];
        const int32_t *pair = term_look_colors(look, buffer);
        int front = pair[0] < 0 && !own_ground ? COLOR_WHITE : pair[0];
        int ground = pair[1] < 0 && !own_ground ? COLOR_BLACK : pair[1];
        init_extended_pair(i + 1, front, ground);
    }
}

static void term_init_charset(struct term *term, enum term_charset charset)
{
    bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    if (charset == TERM_CHARSET_UTF8 && !utf8) {
        term->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
        utf8 = term->locale != (locale_t)0;
    }
    term->unicode = utf8 && charset != TERM_CHARSET_ASCII;
}

static struct term_size term_clamp(struct term_size size)
{
    if (size.width > CANVAS_SIDE_MAX)
        size.width = CANVAS_SIDE_MAX;
    if (size.height > CANVAS_SIDE_MAX)
        size.height = CANVAS_SIDE_MAX;
    return size;
}

static void term_measure(struct term *term)
{
    tty_size(&term->tty, &term->size.width, &term->size.height);
    term->size = term_clamp(term->size);
    resize_term(term->size.height, term->size.width);
}

static bool term_can_place(void)
{
    const char *cup = tigetstr("cup");
    return cup && cup != (const char *)-1;
}

/* A refusal leaves no trace on the screen: what curses wrote stays in memory. */
static int term_init_screen(struct term *term, const char *type, char *error, size_t size)
{
    if (!type || *type == '\0')
        return term_refuse(EINVAL, error, size, "TERM is not set", "", TERM_TRY);
    term->memory = tty_memory();
    term->null = fopen("/dev/null", "r");
    if (!term->memory || !term->null)
        return term_refuse(errno, error, size, "no memory for a screen", "", "");
    term->screen = term_new_screen(term, type);
    if (!term->screen)
        return term_refuse(EINVAL, error, size, "unknown terminal type TERM=", type, TERM_TRY);
    if (!term_can_place())
        return term_refuse(ENOTSUP, error, size, "TERM=", type,
                           " cannot place the cursor; `lockstep report` needs no screen");
    return 0;
}

static void term_init_curses(struct term *term, enum term_color color)
{
    typeahead(-1); /* /dev/null is always readable: frames would be cut short */
    nonl();
    leaveok(stdscr, TRUE);
    curs_set(0);
    term_init_styles(term, color);
    term_measure(term);
}

static void term_free(struct term *term)
{
    if (term->screen)
        delscreen(term->screen);
    if (term->memory)
        fclose(term->memory);
    if (term->null)
        fclose(term->null);
    if (term->locale)
        freelocale(term->locale);
    canvas_done(&term->shown);
    tty_close(&term->tty);
    free(term);
}

static int term_start(struct term *term, const struct term_options *options, char *error,
                      size_t error_size)
{
    const char *path = options->path ? options->path : "/dev/tty";
    const char *type = options->type ? options->type : getenv("TERM");
    int rc = tty_open(&term->tty, path);
    if (rc < 0) {
        return term_refuse(-rc, error, error_size, "no terminal: ", strerror(-rc),
                           "; `lockstep report` needs none");
    }
    term_init_charset(term, options->charset);
    locale_t before = term_enter(term);
    rc = term_init_screen(term, type, error, error_size);
    if (rc == 0)
        term_init_curses(term, options->color);
    term_leave(term, before);
    if (rc < 0)
        return rc;
    rc = tty_raw(&term->tty);
    if (rc < 0)
        term_refuse(-rc, error, error_size, "no raw mode: ", strerror(-rc), "");
    return rc;
}

int term_open(struct term **ret, const struct term_options *options, char *error, size_t error_size)
{
    assert(crash_fd < 0);
    struct term *term = calloc(1, sizeof *term);
    if (!term) {
        snprintf(error, error_size, "out of memory");
        return -ENOMEM;
    }
    term->tty.fd = -1;
    term->size = (struct term_size){80, 24};
    int rc = term_start(term, options, error, error_size);
    if (rc < 0) {
        term_free(term);
        return rc;
    }
    term->full = true;
    crash_termios = term->tty.saved;
    crash_drawn = 0;
    crash_fd = term->tty.fd;
    *ret = term;
    return 0;
}

/* Leaves the alternate screen and raw mode. What a stalled terminal has not taken
 * is dropped, so that the bytes that restore it come through. */
static void term_restore(struct term *term)
{
    tty_flush(&term->tty, &term->stats.bytes);
    if (tty_wants_write(&term->tty)) {
        tty_discard(&term->tty);
        tty_add(&term->tty, "\030", 1);
    }
    locale_t before = term_enter(term);
    endwin();
    term_leave(term, before);
    if (term_collect(term) == 0)
        tty_flush(&term->tty, &term->stats.bytes);
    tty_cooked(&term->tty);
    crash_fd = -1;
    crash_drawn = 0;
}

void term_close(struct term *term)
{
    if (!term)
        return;
    if (!term->suspended)
        term_restore(term);
    term_free(term);
}

int term_fd(const struct term *term)
{
    return term->tty.fd;
}

bool term_wants_write(const struct term *term)
{
    return tty_wants_write(&term->tty);
}

int term_flush(struct term *term)
{
    return tty_flush(&term->tty, &term->stats.bytes);
}

int term_read(struct term *term, uint8_t *bytes, size_t size)
{
    ssize_t count;
    do {
        count = read(term->tty.fd, bytes, size);
    } while (count < 0 && errno == EINTR);
    if (count < 0)
        return errno == EAGAIN ? 0 : -errno;
    return count == 0 && size > 0 ? -EIO : (int)count;
}

bool term_unicode(const struct term *term)
{
    return term->unicode;
}

struct term_size term_size(const struct term *term)
{
    return term->size;
}

struct term_stats term_stats(const struct term *term)
{
    return term->stats;
}

/* Where the C library would give a code point another width than we did, columns
 * would shift: such a one is replaced. */
static wchar_t term_character(const struct term *term, uint32_t code)
{
    if (!term->unicode)
        return code >= 0x20 && code < 0x7F ? (wchar_t)code : L'?';
    if (text_is_safe(code) && wcwidth((wchar_t)code) == text_width(code))
        return (wchar_t)code;
    return (wchar_t)TEXT_REPLACEMENT;
}

static void term_put(const struct term *term, int x, int y, wchar_t character, uint8_t style)
{
    wchar_t text[2] = {character, L'\0'};
    cchar_t cell;
    short pair = term->colors ? (short)(style + 1) : 0;
    if (setcchar(&cell, text, term->attributes[style], pair, NULL) == OK)
        mvwadd_wch(stdscr, y, x, &cell);
}

/* A wide code point that crosses the edge is not drawn; nor is the last cell of
 * the last line, since some terminals scroll when it is written. */
static void term_draw_row(const struct term *term, const struct canvas *canvas, int y)
{
    int width = canvas->width < term->size.width ? canvas->width : term->size.width;
    if (y == term->size.height - 1 && width == term->size.width)
        width--;
    const struct cell *cells = canvas->cells + (size_t)y * (size_t)canvas->width;
    for (int x = 0; x < width; x++) {
        if (cells[x].code == 0)
            continue;
        int columns = text_width(cells[x].code);
        if (x + columns > width) {
            term_put(term, x, y, L' ', cells[x].style);
            continue;
        }
        wchar_t character = term_character(term, cells[x].code);
        term_put(term, x, y, character, cells[x].style);
        if (columns == 2 && (character < 0x80 || character == (wchar_t)TEXT_REPLACEMENT))
            term_put(term, x + 1, y, L' ', cells[x].style);
    }
}

static void term_draw(const struct term *term, const struct canvas *canvas)
{
    bool all = term->full || !canvas_size_equal(&term->shown, canvas);
    int height = canvas->height < term->size.height ? canvas->height : term->size.height;
    if (all)
        werase(stdscr);
    for (int y = 0; y < height; y++) {
        if (all || !canvas_row_equal(&term->shown, canvas, y))
            term_draw_row(term, canvas, y);
    }
    wnoutrefresh(stdscr);
    doupdate();
}

int term_show(struct term *term, const struct canvas *canvas)
{
    if (term->suspended)
        return 0;
    int rc = term_flush(term);
    if (rc < 0)
        return rc;
    if (!term->full && canvas_equal(&term->shown, canvas))
        return 0;
    if (term_wants_write(term)) {
        term->stats.skipped++;
        return 0;
    }
    locale_t before = term_enter(term);
    term_draw(term, canvas);
    term_leave(term, before);
    canvas_copy(&term->shown, canvas);
    term->full = false;
    rc = term_collect(term);
    if (rc < 0)
        return rc;
    if (!term_wants_write(term))
        return 0;
    crash_drawn = 1;
    term->stats.frames++;
    rc = term_flush(term);
    return rc < 0 ? rc : 1;
}

/* What is on the screen is unknown from here on. */
static void term_forget(struct term *term)
{
    term->full = true;
    clearok(curscr, TRUE);
}

struct term_size term_resized(struct term *term)
{
    struct term_size before = term->size;
    term_measure(term);
    if (before.width != term->size.width || before.height != term->size.height)
        term_forget(term);
    return term->size;
}

void term_redraw(struct term *term)
{
    if (term->suspended)
        return;
    tty_raw(&term->tty);
    term_resized(term);
    term_forget(term);
}

void term_suspend(struct term *term)
{
    if (term->suspended)
        return;
    term_restore(term);
    term->suspended = true;
}

void term_resume(struct term *term)
{
    if (!term->suspended)
        return;
    term->suspended = false;
    crash_fd = term->tty.fd;
    term_redraw(term);
}
