/* The terminal: which bytes come out, and that nothing ever blocks or stays behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

#ifdef LOCKSTEP_HAVE_VTERM
#include <vterm.h>
#endif

#include "canvas.h"
#include "term.h"
#include "terminal.h"
#include "text.h"

struct fixture {
    struct terminal terminal;
    struct term *term;
    struct canvas canvas;
};

static void begin_with(struct fixture *fixture, int width, int height,
                       const struct term_options *options)
{
    char error[256] = "";
    struct term_options own = *options;
    terminal_open(&fixture->terminal, width, height);
    own.path = fixture->terminal.path;
    if (term_open(&fixture->term, &own, error, sizeof error) != 0)
        fail_msg("%s", error);
    struct term_size size = term_size(fixture->term);
    canvas_init(&fixture->canvas, size.width, size.height, term_unicode(fixture->term));
}

static void begin(struct fixture *fixture, int width, int height)
{
    begin_with(fixture, width, height, &(struct term_options){.type = "xterm-256color"});
}

static int64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Reads until nothing is pending any more. */
static void receive(struct fixture *fixture)
{
    int64_t deadline = clock_ms() + 10000;
    do {
        terminal_read(&fixture->terminal, term_stats(fixture->term).bytes);
        assert_int_equal(term_flush(fixture->term), 0);
    } while ((term_wants_write(fixture->term) ||
              fixture->terminal.length < term_stats(fixture->term).bytes) &&
             clock_ms() < deadline);
    assert_false(term_wants_write(fixture->term));
    assert_int_equal(fixture->terminal.length, term_stats(fixture->term).bytes);
}

static void finish(struct fixture *fixture)
{
    canvas_done(&fixture->canvas);
    term_close(fixture->term);
    terminal_close(&fixture->terminal);
}

/* Eight bars whose ends move by a few cells from frame to frame. */
static void draw_bars(struct canvas *canvas, int frame)
{
    canvas_clear(canvas);
    struct rect all = canvas_rect(canvas);
    canvas_printf(canvas, all, 1, 0, STYLE_TITLE, "lockstep  step %d  MFU %d.%d%%", 12000 + frame,
                  40 + frame % 3, frame % 10);
    for (int rank = 0; rank < 8; rank++) {
        int end = 50 + (frame * 7 + rank * 5) % 9;
        canvas_printf(canvas, all, 2, 3 + rank, STYLE_LABEL, "%d", rank);
        canvas_fill(canvas, rect_part(all, 6, 3 + rank, end, 1), 0x2588,
                    rank == 5 ? STYLE_STRAGGLER : STYLE_OWN);
        canvas_fill(canvas, rect_part(all, 6 + end, 3 + rank, 62 - end, 1), 0x2591, STYLE_WAIT);
        canvas_put(canvas, all, 68, 3 + rank, 0x2502, STYLE_BARRIER);
        canvas_printf(canvas, all, 71, 3 + rank, STYLE_VALUE, "0.%02d", (frame * 13 + rank) % 100);
    }
    canvas_text_right(canvas, all, canvas->width, canvas->height - 1, STYLE_KEY, "q quit");
}

/* Every cell another one than the frame before. */
static void draw_noise(struct canvas *canvas, int frame)
{
    for (int y = 0; y < canvas->height; y++) {
        for (int x = 0; x < canvas->width; x++)
            canvas_put(canvas, canvas_rect(canvas), x, y,
                       (uint32_t)('a' + (x * 7 + y * 3 + frame) % 26),
                       (enum style)((x + y + frame) % STYLE_COUNT));
    }
}

#ifdef LOCKSTEP_HAVE_VTERM
static uint32_t expected_code(const struct canvas *canvas, int x, int y)
{
    if (x >= canvas->width || y >= canvas->height)
        return ' ';
    return canvas->cells[y * canvas->width + x].code;
}

static void assert_cell(VTermScreen *screen, const struct canvas *canvas, int x, int y)
{
    VTermScreenCell cell;
    assert_true(vterm_screen_get_cell(screen, (VTermPos){.row = y, .col = x}, &cell));
    uint32_t expected = expected_code(canvas, x, y);
    uint32_t got = cell.chars[0] == 0 ? ' ' : cell.chars[0];
    if (expected != 0 && got != expected)
        fail_msg("cell %d,%d is U+%04X, not U+%04X", x, y, got, expected);
}

/* The screen of an emulator that got the bytes equals the canvas, but for the
 * last cell of the last line. */
static void assert_screen(struct fixture *fixture, size_t from)
{
    receive(fixture);
    struct term_size size = term_size(fixture->term);
    VTerm *emulator = vterm_new(size.height, size.width);
    vterm_set_utf8(emulator, 1);
    VTermScreen *screen = vterm_obtain_screen(emulator);
    vterm_screen_enable_altscreen(screen, 1);
    vterm_screen_reset(screen, 1);
    vterm_input_write(emulator, fixture->terminal.bytes + from, fixture->terminal.length - from);
    for (int i = 0; i < size.width * size.height - 1; i++)
        assert_cell(screen, &fixture->canvas, i % size.width, i / size.width);
    vterm_free(emulator);
}
#else
static void assert_screen(struct fixture *fixture, size_t from)
{
    receive(fixture);
}
#endif

static void closing_leaves_the_terminal_as_it_was(void **state)
{
    struct fixture fixture;
    begin(&fixture, 80, 24);
    assert_false(terminal_is_restored(&fixture.terminal));
    draw_bars(&fixture.canvas, 0);
    assert_int_equal(term_show(fixture.term, &fixture.canvas), 1);
    receive(&fixture);
    assert_true(terminal_has(&fixture.terminal, 0, "\x1b[?1049h"));
    assert_true(terminal_has(&fixture.terminal, 0, "\x1b[?25l"));
    size_t before = fixture.terminal.length;
    term_close(fixture.term);
    assert_true(terminal_waits_for(&fixture.terminal, before, "\x1b[?1049l"));
    assert_true(terminal_waits_for(&fixture.terminal, before, "\x1b[?25h"));
    assert_true(terminal_is_restored(&fixture.terminal));
    fixture.term = NULL;
    finish(&fixture);
}

static void a_frame_that_is_the_same_sends_nothing(void **state)
{
    struct fixture fixture;
    begin(&fixture, 80, 24);
    draw_bars(&fixture.canvas, 0);
    assert_int_equal(term_show(fixture.term, &fixture.canvas), 1);
    size_t bytes = term_stats(fixture.term).bytes;
    assert_true(bytes > 500);
    for (int i = 0; i < 10; i++) {
        draw_bars(&fixture.canvas, 0);
        assert_int_equal(term_show(fixture.term, &fixture.canvas), 0);
    }
    assert_int_equal(term_stats(fixture.term).bytes, bytes);
    assert_int_equal(term_stats(fixture.term).frames, 1);
    assert_int_equal(term_stats(fixture.term).skipped, 0);
    assert_screen(&fixture, 0);
    finish(&fixture);
}

static void eight_moving_bars_cost_few_bytes(void **state)
{
    struct fixture fixture;
    begin(&fixture, 80, 24);
    draw_bars(&fixture.canvas, 0);
    term_show(fixture.term, &fixture.canvas);
    receive(&fixture);
    size_t before = term_stats(fixture.term).bytes;
    for (int frame = 1; frame <= 100; frame++) {
        draw_bars(&fixture.canvas, frame);
        assert_int_equal(term_show(fixture.term, &fixture.canvas), 1);
        receive(&fixture);
    }
    size_t each = (term_stats(fixture.term).bytes - before) / 100;
    print_message("%zu bytes a frame\n", each);
    assert_in_range(each, 50, 600);
    assert_screen(&fixture, 0);
    finish(&fixture);
}

/* Shows new frames, which nobody reads, until `skipped` of them were skipped. */
static void stall(struct fixture *fixture, size_t skipped)
{
    int frame = 0;
    while (term_stats(fixture->term).skipped < skipped && frame < 2000) {
        draw_noise(&fixture->canvas, frame++);
        int64_t begin_ms = clock_ms();
        assert_true(term_show(fixture->term, &fixture->canvas) >= 0);
        assert_true(clock_ms() - begin_ms < 1000);
    }
    assert_true(term_wants_write(fixture->term));
    assert_int_equal(term_stats(fixture->term).skipped, skipped);
}

static void a_stalled_terminal_skips_frames_and_goes_on_later(void **state)
{
    struct fixture fixture;
    begin(&fixture, 80, 24);
    stall(&fixture, 50);
    size_t frames = term_stats(fixture.term).frames;
    receive(&fixture);
    draw_bars(&fixture.canvas, 3);
    assert_int_equal(term_show(fixture.term, &fixture.canvas), 1);
    assert_int_equal(term_stats(fixture.term).frames, frames + 1);
    assert_screen(&fixture, 0);
    finish(&fixture);
}

static void a_stalled_terminal_does_not_hold_the_end(void **state)
{
    struct fixture fixture;
    begin(&fixture, 80, 24);
    stall(&fixture, 5);
    int64_t begin_ms = clock_ms();
    term_close(fixture.term);
    assert_true(clock_ms() - begin_ms < 1000);
    assert_true(terminal_is_restored(&fixture.terminal));
    fixture.term = NULL;
    assert_true(terminal_waits_for(&fixture.terminal, 0, "\x1b[?1049l"));
    assert_true(terminal_waits_for(&fixture.terminal, 0, "\x1b[?25h"));
    finish(&fixture);
}

static void no_terminal_type_gets_shifts(void **state)
{
    static const char *const types[] = {"xterm-256color", "xterm",         "linux", "vt100",
                                        "screen",         "tmux-256color", "ansi",  "vt220"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        char path[256];
        snprintf(path, sizeof path, "/lib/terminfo/%c/%s", types[i][0], types[i]);
        if (access(path, R_OK) != 0)
            continue;
        struct fixture fixture;
        begin_with(&fixture, 80, 24, &(struct term_options){.type = types[i]});
        for (int frame = 0; frame < 5; frame++) {
            draw_bars(&fixture.canvas, frame);
            assert_int_equal(term_show(fixture.term, &fixture.canvas), 1);
            receive(&fixture);
        }
        if (strcmp(types[i], "ansi") != 0) /* which repeats characters in a way of its own */
            assert_screen(&fixture, 0);
        size_t before = fixture.terminal.length;
        term_close(fixture.term);
        fixture.term = NULL;
        terminal_read(&fixture.terminal, before + 1);
        for (size_t j = 0; j < fixture.terminal.length; j++) {
            uint8_t byte = (uint8_t)fixture.terminal.bytes[j];
            assert_true(byte != 0x0e && byte != 0x0f && byte != 0);
        }
        assert_false(terminal_has(&fixture.terminal, 0, "\x1b(0"));
        assert_false(terminal_has(&fixture.terminal, 0, "$<"));
        assert_true(terminal_is_restored(&fixture.terminal));
        finish(&fixture);
    }
}

static int refused(const char *type, char *error, size_t size)
{
    struct terminal terminal;
    terminal_open(&terminal, 80, 24);
    struct term *term = NULL;
    struct term_options options = {.path = terminal.path, .type = type};
    int rc = term_open(&term, &options, error, size);
    assert_null(term);
    assert_true(terminal_is_restored(&terminal));
    struct pollfd ready = {.fd = terminal.master, .events = POLLIN};
    assert_int_equal(poll(&ready, 1, 0), 0); /* not a byte came out */
    terminal_close(&terminal);
    return rc;
}

static void a_type_that_will_not_do_is_refused_with_advice(void **state)
{
    char error[256];
    assert_int_equal(refused("nosuch", error, sizeof error), -EINVAL);
    assert_non_null(strstr(error, "TERM=nosuch"));
    assert_non_null(strstr(error, "TERM=xterm-256color"));
    assert_int_equal(refused("dumb", error, sizeof error), -ENOTSUP);
    assert_non_null(strstr(error, "TERM=dumb"));
    assert_non_null(strstr(error, "lockstep report"));
    assert_int_equal(refused("", error, sizeof error), -EINVAL);
    assert_non_null(strstr(error, "not set"));
    assert_int_equal(refused("x\x1b[2J\x9b\n", error, sizeof error), -EINVAL);
    for (const char *p = error; *p; p++)
        assert_true((uint8_t)*p >= 0x20);
    struct term *term = NULL;
    struct term_options options = {.path = "/nonexistent/tty", .type = "xterm"};
    assert_int_equal(term_open(&term, &options, error, sizeof error), -ENOENT);
    assert_non_null(strstr(error, "no terminal"));
}

static void a_size_of_zero_is_taken_for_80_by_24(void **state)
{
    struct fixture fixture;
    begin(&fixture, 0, 0);
    assert_int_equal(term_size(fixture.term).width, 80);
    assert_int_equal(term_size(fixture.term).height, 24);
    terminal_resize(&fixture.terminal, 100, 30);
    assert_int_equal(term_resized(fixture.term).width, 100);
    terminal_resize(&fixture.terminal, 0, 0);
    assert_int_equal(term_resized(fixture.term).width, 100);
    assert_int_equal(term_size(fixture.term).height, 30);
    finish(&fixture);
}

static void every_size_is_drawn(void **state)
{
    static const int sizes[][2] = {{1, 1},   {2, 1},    {1, 2},  {3, 2},    {5, 2},    {40, 10},
                                   {80, 24}, {220, 60}, {1, 60}, {1200, 3}, {3, 1200}, {80, 24}};
    struct fixture fixture;
    begin(&fixture, 80, 24);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        terminal_resize(&fixture.terminal, sizes[i][0], sizes[i][1]);
        struct term_size size = term_resized(fixture.term);
        assert_int_equal(size.width, sizes[i][0] < 1000 ? sizes[i][0] : 1000);
        assert_int_equal(size.height, sizes[i][1] < 1000 ? sizes[i][1] : 1000);
        canvas_resize(&fixture.canvas, size.width, size.height);
        draw_noise(&fixture.canvas, (int)i);
        receive(&fixture);
        size_t before = fixture.terminal.length;
        assert_true(term_show(fixture.term, &fixture.canvas) >= 0);
        assert_screen(&fixture, before);
    }
    finish(&fixture);
}

static void a_canvas_of_another_size_is_cut_or_bordered(void **state)
{
    struct fixture fixture;
    begin(&fixture, 20, 5);
    static const int sizes[][2] = {{20, 5}, {30, 9}, {7, 2}, {20, 5}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        canvas_resize(&fixture.canvas, sizes[i][0], sizes[i][1]);
        draw_noise(&fixture.canvas, (int)i);
        assert_int_equal(term_show(fixture.term, &fixture.canvas), 1);
        assert_screen(&fixture, 0);
    }
    finish(&fixture);
}

static void a_resize_storm_ends_with_the_last_size(void **state)
{
    struct fixture fixture;
    begin(&fixture, 80, 24);
    for (int i = 0; i < 300; i++) {
        terminal_resize(&fixture.terminal, 20 + i % 90, 5 + i % 40);
        struct term_size size = term_resized(fixture.term);
        canvas_resize(&fixture.canvas, size.width, size.height);
        draw_bars(&fixture.canvas, i);
        assert_true(term_show(fixture.term, &fixture.canvas) >= 0);
        receive(&fixture);
    }
    assert_int_equal(term_size(fixture.term).width, 20 + 299 % 90);
    assert_int_equal(term_size(fixture.term).height, 5 + 299 % 40);
    term_redraw(fixture.term);
    size_t before = fixture.terminal.length;
    assert_int_equal(term_show(fixture.term, &fixture.canvas), 1);
    assert_screen(&fixture, before);
    finish(&fixture);
}

static void wide_and_hostile_text_keeps_its_columns(void **state)
{
    struct fixture fixture;
    begin(&fixture, 40, 6);
    struct rect all = canvas_rect(&fixture.canvas);
    canvas_text(&fixture.canvas, all, 0, 0, STYLE_NORMAL, "\xe4\xb8\x96\xe7\x95\x8c-gpu|");
    canvas_text(&fixture.canvas, all, 0, 1, STYLE_NORMAL, "a\x1b]52;c;x\x07\xe2\x80\xae\xc2\x9b|");
    canvas_text(&fixture.canvas, all, 38, 2, STYLE_OWN, "\xe4\xb8\x96");
    canvas_text(&fixture.canvas, all, 36, 5, STYLE_OWN, "ab\xe4\xb8\x96");
    assert_int_equal(term_show(fixture.term, &fixture.canvas), 1);
    canvas_put(&fixture.canvas, all, 38, 5, ' ', STYLE_NORMAL); /* it would touch the last cell */
    assert_screen(&fixture, 0);
    assert_false(terminal_has(&fixture.terminal, 0, "\x1b]52"));
    finish(&fixture);
}

static void a_width_that_the_library_disputes_is_not_tried(void **state)
{
    uint32_t code = 0x80;
    while (code <= TEXT_CODE_MAX &&
           (!text_is_safe(code) || wcwidth((wchar_t)code) == text_width(code)))
        code++;
    if (code > TEXT_CODE_MAX)
        skip();
    struct fixture fixture;
    begin(&fixture, 40, 2);
    struct rect all = canvas_rect(&fixture.canvas);
    canvas_put(&fixture.canvas, all, 0, 0, code, STYLE_NORMAL);
    canvas_put(&fixture.canvas, all, 2, 0, '|', STYLE_NORMAL);
    assert_int_equal(term_show(fixture.term, &fixture.canvas), 1);
    canvas_put(&fixture.canvas, all, 0, 0, TEXT_REPLACEMENT, STYLE_NORMAL);
    assert_screen(&fixture, 0);
    finish(&fixture);
}

static void the_environment_does_not_set_the_size(void **state)
{
    setenv("LINES", "1000000", 1);
    setenv("COLUMNS", "7", 1);
    struct fixture fixture;
    begin(&fixture, 80, 24);
    assert_int_equal(term_size(fixture.term).width, 80);
    assert_null(getenv("LINES"));
    draw_bars(&fixture.canvas, 1);
    assert_int_equal(term_show(fixture.term, &fixture.canvas), 1);
    assert_screen(&fixture, 0);
    finish(&fixture);
}

static void a_redraw_mends_a_screen_that_was_overwritten(void **state)
{
    struct fixture fixture;
    begin(&fixture, 60, 12);
    draw_bars(&fixture.canvas, 1);
    term_show(fixture.term, &fixture.canvas);
    receive(&fixture);
    assert_int_equal(tcsetattr(fixture.terminal.slave, TCSANOW, &fixture.terminal.found), 0);
    size_t before = fixture.terminal.length;
    term_redraw(fixture.term);
    assert_false(terminal_is_restored(&fixture.terminal));
    assert_int_equal(term_show(fixture.term, &fixture.canvas), 1);
    assert_screen(&fixture, before);
    finish(&fixture);
}

static void suspending_gives_the_terminal_back(void **state)
{
    struct fixture fixture;
    begin(&fixture, 80, 24);
    draw_bars(&fixture.canvas, 1);
    term_show(fixture.term, &fixture.canvas);
    receive(&fixture);
    size_t before = fixture.terminal.length;
    term_suspend(fixture.term);
    receive(&fixture);
    assert_true(terminal_is_restored(&fixture.terminal));
    assert_true(terminal_has(&fixture.terminal, before, "\x1b[?1049l"));
    assert_true(terminal_has(&fixture.terminal, before, "\x1b[?25h"));
    assert_int_equal(term_show(fixture.term, &fixture.canvas), 0);
    terminal_resize(&fixture.terminal, 70, 20);
    before = fixture.terminal.length;
    term_resume(fixture.term);
    assert_int_equal(term_size(fixture.term).width, 70);
    canvas_resize(&fixture.canvas, 70, 20);
    draw_bars(&fixture.canvas, 1);
    assert_int_equal(term_show(fixture.term, &fixture.canvas), 1);
    assert_screen(&fixture, before);
    assert_true(terminal_has(&fixture.terminal, before, "\x1b[?1049h"));
    assert_true(terminal_has(&fixture.terminal, before, "\x1b[?25l"));
    assert_false(terminal_is_restored(&fixture.terminal));
    finish(&fixture);
}

static bool has_colors(const char *no_color, enum term_color color)
{
    setenv("NO_COLOR", no_color, 1);
    struct fixture fixture;
    begin_with(&fixture, 80, 24, &(struct term_options){.type = "xterm-256color", .color = color});
    setenv("NO_COLOR", "", 1);
    draw_bars(&fixture.canvas, 1);
    term_show(fixture.term, &fixture.canvas);
    receive(&fixture);
    bool found = terminal_has(&fixture.terminal, 0, "\x1b[38;5;74m") ||
                 terminal_has(&fixture.terminal, 0, "38;5;208m");
    bool ground = terminal_has(&fixture.terminal, 0, "48;5");
    assert_false(ground);
    assert_screen(&fixture, 0);
    finish(&fixture);
    return found;
}

static void colors_are_a_choice(void **state)
{
    assert_true(has_colors("", TERM_COLOR_AUTO));
    assert_false(has_colors("1", TERM_COLOR_AUTO));
    assert_true(has_colors("1", TERM_COLOR_ALWAYS));
    assert_false(has_colors("", TERM_COLOR_NEVER));
}

static void show_in_locale(struct fixture *fixture, const char *locale, enum term_charset charset)
{
    assert_non_null(setlocale(LC_CTYPE, locale));
    begin_with(fixture, 80, 24,
               &(struct term_options){.type = "xterm-256color", .charset = charset});
    draw_bars(&fixture->canvas, 1);
    assert_int_equal(term_show(fixture->term, &fixture->canvas), 1);
    assert_screen(fixture, 0);
}

static void the_character_set_follows_locale_and_option(void **state)
{
    struct fixture fixture;
    show_in_locale(&fixture, "C", TERM_CHARSET_AUTO);
    assert_false(term_unicode(fixture.term));
    for (size_t i = 0; i < fixture.terminal.length; i++)
        assert_true((uint8_t)fixture.terminal.bytes[i] < 0x80);
    finish(&fixture);
    show_in_locale(&fixture, "C", TERM_CHARSET_UTF8);
    assert_true(term_unicode(fixture.term));
    assert_true(terminal_has(&fixture.terminal, 0, "\xe2\x96\x88"));
    finish(&fixture);
    show_in_locale(&fixture, "C.UTF-8", TERM_CHARSET_ASCII);
    assert_false(term_unicode(fixture.term));
    finish(&fixture);
}

static void keys_are_read_and_a_hang_up_is_an_error(void **state)
{
    struct fixture fixture;
    begin(&fixture, 80, 24);
    uint8_t bytes[16];
    assert_int_equal(term_read(fixture.term, bytes, sizeof bytes), 0);
    assert_int_equal(write(fixture.terminal.master, "\x03\x1b[A", 4), 4);
    struct pollfd ready = {.fd = term_fd(fixture.term), .events = POLLIN};
    assert_int_equal(poll(&ready, 1, 5000), 1);
    assert_int_equal(term_read(fixture.term, bytes, sizeof bytes), 4);
    assert_memory_equal(bytes, "\x03\x1b[A", 4);
    close(fixture.terminal.master);
    fixture.terminal.master = -1;
    assert_int_equal(term_read(fixture.term, bytes, sizeof bytes), -EIO);
    draw_bars(&fixture.canvas, 1);
    assert_int_equal(term_show(fixture.term, &fixture.canvas), -EIO);
    finish(&fixture);
}

static void signals_stay_with_the_caller(void **state)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH, SIGHUP};
    struct fixture fixture;
    begin(&fixture, 80, 24);
    draw_bars(&fixture.canvas, 1);
    term_show(fixture.term, &fixture.canvas);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction action;
        sigaction(signals[i], NULL, &action);
        assert_true(action.sa_handler == SIG_DFL);
    }
    int flags = fcntl(fixture.terminal.slave, F_GETFL);
    assert_true((flags & O_NONBLOCK) == 0); /* ours alone is non-blocking */
    finish(&fixture);
}

/* In a child: opens the terminal, shows a frame and dies of a signal. */
static void die_with_screen(const char *path, int signal_number)
{
    signal(signal_number, SIG_DFL);
    term_guard_crashes();
    char error[256];
    struct term *term;
    struct canvas canvas;
    struct term_options options = {.path = path, .type = "xterm-256color"};
    if (term_open(&term, &options, error, sizeof error) != 0)
        _exit(9);
    canvas_init(&canvas, 80, 24, true);
    draw_bars(&canvas, 1);
    term_show(term, &canvas);
    if (signal_number == SIGABRT)
        abort();
    raise(signal_number);
    _exit(8);
}

static void a_crash_restores_the_terminal(void **state)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct terminal terminal;
        terminal_open(&terminal, 80, 24);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            die_with_screen(terminal.path, signals[i]);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signals[i]);
        assert_true(terminal_is_restored(&terminal));
        assert_true(terminal_waits_for(&terminal, 0, "\x1b[?1049l"));
        assert_true(terminal_waits_for(&terminal, 0, "\x1b[?25h"));
        terminal_close(&terminal);
    }
}

/* Curses forgets a few bytes when it does not know a terminal. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:new_prescr";
}

static int utf8_locale(void **state)
{
    return setlocale(LC_CTYPE, "C.UTF-8") ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(closing_leaves_the_terminal_as_it_was, utf8_locale),
        cmocka_unit_test_setup(a_frame_that_is_the_same_sends_nothing, utf8_locale),
        cmocka_unit_test_setup(eight_moving_bars_cost_few_bytes, utf8_locale),
        cmocka_unit_test_setup(a_stalled_terminal_skips_frames_and_goes_on_later, utf8_locale),
        cmocka_unit_test_setup(a_stalled_terminal_does_not_hold_the_end, utf8_locale),
        cmocka_unit_test_setup(no_terminal_type_gets_shifts, utf8_locale),
        cmocka_unit_test_setup(a_type_that_will_not_do_is_refused_with_advice, utf8_locale),
        cmocka_unit_test_setup(a_size_of_zero_is_taken_for_80_by_24, utf8_locale),
        cmocka_unit_test_setup(every_size_is_drawn, utf8_locale),
        cmocka_unit_test_setup(a_canvas_of_another_size_is_cut_or_bordered, utf8_locale),
        cmocka_unit_test_setup(a_resize_storm_ends_with_the_last_size, utf8_locale),
        cmocka_unit_test_setup(wide_and_hostile_text_keeps_its_columns, utf8_locale),
        cmocka_unit_test_setup(a_width_that_the_library_disputes_is_not_tried, utf8_locale),
        cmocka_unit_test_setup(the_environment_does_not_set_the_size, utf8_locale),
        cmocka_unit_test_setup(a_redraw_mends_a_screen_that_was_overwritten, utf8_locale),
        cmocka_unit_test_setup(suspending_gives_the_terminal_back, utf8_locale),
        cmocka_unit_test_setup(colors_are_a_choice, utf8_locale),
        cmocka_unit_test_setup(the_character_set_follows_locale_and_option, utf8_locale),
        cmocka_unit_test_setup(keys_are_read_and_a_hang_up_is_an_error, utf8_locale),
        cmocka_unit_test_setup(signals_stay_with_the_caller, utf8_locale),
        cmocka_unit_test_setup(a_crash_restores_the_terminal, utf8_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
