/* The program as a user meets it: keys, resizes, signals, bad terminals, bad lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static char scratch[64];  /* a folder of our own */
static char logs[96];     /* 8 ranks, 200 steps, rank 5 slow by a fifth */
static char one_file[96]; /* the same, in one file */

static char *path_in(const char *name)
{
    static char paths[4][128];
    static int turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", scratch, name);
    return path;
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int make_scratch(void **state)
{
    snprintf(scratch, sizeof scratch, "/tmp/lockstep-program-XXXXXX");
    if (!mkdtemp(scratch))
        return -1;
    snprintf(logs, sizeof logs, "%s/logs", scratch);
    snprintf(one_file, sizeof one_file, "%s/all.jsonl", scratch);
    return program_run(NULL, LIST("feed", "--to", logs, "--steps", "200", "--no-pacing", "--slow",
                                  "5:1.2")) ||
           program_run(one_file, LIST("feed", "--steps", "200", "--no-pacing", "--slow", "5:1.2"));
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    return remove(path);
}

static int remove_scratch(void **state)
{
    return nftw(scratch, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void start(struct program *program, const char *const *arguments)
{
    program_start(program, &(struct program_options){0}, arguments);
}

static void assert_exits(struct program *program, int expected)
{
    int status = program_wait(program, 5000, true);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), expected);
}

/* Modes, alternate screen and cursor as they were before. */
static void assert_restored(struct program *program)
{
    const struct terminal *terminal = &program->terminal;
    const char *end = terminal->bytes + terminal->length - (terminal->length < 64 ? 0 : 64);
    assert_true(terminal_is_restored(terminal));
    assert_non_null(strstr(end, "\x1b[?1049l"));
    assert_non_null(strstr(end, "\x1b[?25h"));
    assert_int_equal(fcntl(terminal->slave, F_GETFL) & O_NONBLOCK, 0);
}

/* ---- what is shown, and keys ---- */

static void a_folder_of_logs_shows_its_straggler(void **state)
{
    struct program program;
    start(&program, LIST("watch", logs));
    assert_true(program_shows(&program, "step 199"));
    assert_true(program_shows(&program, "straggler: rank 5"));
    assert_true(program_shows(&program, "LIVE"));
    assert_true(program_shows(&program, "SIMULATED"));
    program_keys(&program, "q");
    assert_exits(&program, 0);
    assert_restored(&program);
    program_finish(&program);
}

static void the_first_picture_does_not_wait_for_the_logs(void **state)
{
    struct program program;
    const char *big = path_in("big.jsonl");
    assert_int_equal(program_run(big, LIST("feed", "--steps", "20000", "--no-pacing")), 0);
    int64_t began = program_clock();
    start(&program, LIST("watch", big));
    assert_true(terminal_waits_for(&program.terminal, 0, "lockstep"));
    assert_in_range(program_clock() - began, 0, 1000);
    assert_true(program_shows(&program, "Waiting for the first record") ||
                program_shows(&program, "LIVE"));
    assert_true(program_shows(&program, "step 19,999"));
    program_finish(&program);
}

static void keys_go_back_and_forth_in_time(void **state)
{
    struct program program;
    start(&program, LIST("watch", logs));
    assert_true(program_shows(&program, "step 199"));
    program_keys(&program, " ");
    assert_true(program_shows(&program, "PAUSED"));
    program_keys(&program, ",,");
    assert_true(program_shows(&program, "step 197 (2 back)"));
    program_keys(&program, "\x1b[C");
    assert_true(program_shows(&program, "step 198 (1 back)"));
    program_keys(&program, "g");
    assert_true(program_shows(&program, "step 0 (199 back)"));
    program_keys(&program, "\x1bOD");
    assert_true(program_shows(&program, "the first step in memory"));
    program_keys(&program, "\x1b[6~");
    assert_true(program_shows(&program, "step 10 (189 back)"));
    program_keys(&program, "G");
    assert_true(program_shows(&program, "LIVE"));
    program_keys(&program, "?");
    assert_true(program_shows(&program, "show or leave this page"));
    program_keys(&program, "\x1b"); /* alone: told from a sequence by time */
    assert_true(program_shows(&program, "own time"));
    assert_true(program_hides(&program, "show or leave this page"));
    program_keys(&program, "\x03");
    assert_exits(&program, 0);
    assert_restored(&program);
    program_finish(&program);
}

static void the_screens_go_round_and_one_rank_is_shown_closer(void **state)
{
    struct program program;
    start(&program, LIST("watch", logs));
    assert_true(program_shows(&program, "step 199"));
    assert_true(program_shows(&program, "timeline 1/7"));
    program_keys(&program, "\t");
    assert_true(program_shows(&program, "ranks 2/7"));
    assert_true(program_shows(&program, "8 ranks, sorted by slowdown over the window"));
    program_keys(&program, "\r"); /* the slowest is on top */
    assert_true(program_shows(&program, "50 steps by slowdown"));
    assert_true(program_shows(&program, "rank 5"));
    program_keys(&program, "\x1b[B");
    assert_true(program_hides(&program, "rank 5"));
    program_keys(&program, "\x1b");
    assert_true(program_shows(&program, "sorted by"));
    program_keys(&program, "\x1bOS"); /* F4 */
    assert_true(program_shows(&program, "ledger 3/7"));
    program_keys(&program, "C");
    assert_true(program_shows(&program, "calculator 7/7"));
    program_keys(&program, "T");
    assert_true(program_shows(&program, "own time"));
    program_keys(&program, "q");
    assert_exits(&program, 0);
    assert_restored(&program);
    program_finish(&program);
}

static void records_that_come_later_are_shown(void **state)
{
    struct program program;
    const char *path = path_in("later.jsonl");
    start(&program, LIST("watch", path));
    assert_true(program_shows(&program, "Waiting for the first record"));
    for (int step = 0; step < 3; step++) {
        char text[256];
        FILE *file = fopen(path, "a");
        assert_non_null(file);
        snprintf(text, sizeof text,
                 "{\"rank\":0,\"step\":%d,\"compute\":1.0}\n{\"rank\":1,\"step\":%d,"
                 "\"compute\":1.5}\n",
                 step, step);
        assert_true(fputs(text, file) >= 0);
        assert_int_equal(fclose(file), 0);
        if (step > 0) {
            snprintf(text, sizeof text, "step %d", step);
            assert_true(program_shows(&program, text));
        }
    }
    program_finish(&program);
}

/* Its picture stands still; the file says since when. */
static void a_job_that_hung_long_ago_is_told_at_once(void **state)
{
    struct program program;
    const char *path = path_in("hung.log");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i <= 300; i += 10)
        fprintf(file, "iter %d: loss 2.1000, time 320.00ms, mfu 31.00%%\n", i);
    assert_int_equal(fclose(file), 0);
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = time(NULL) - 7300}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    start(&program, LIST("watch", path));
    assert_true(terminal_waits_for(&program.terminal, 0, "READING")); /* LIVE when all is read */
    assert_true(program_shows(&program, "LIVE"));
    assert_true(
        program_shows(&program, "last value over 2 h ago: a hang? Usually one comes every 3.20 s"));
    file = fopen(path, "a");
    assert_non_null(file);
    assert_true(fputs("iter 310: loss 2.1000, time 320.00ms, mfu 31.00%\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_true(program_shows(&program, "step 310"));
    assert_true(program_shows(&program, "last value just now") ||
                program_shows(&program, "last value over"));
    assert_null(strstr(program_screen(&program), "2 h ago"));
    program_keys(&program, "q");
    assert_exits(&program, 0);
    program_finish(&program);
}

static void a_description_that_appears_later_is_used(void **state)
{
    struct program program;
    const char *folder = path_in("described");
    assert_int_equal(
        program_run(NULL, LIST("feed", "--to", folder, "--steps", "30", "--no-pacing")), 0);
    const char *description = path_in("described/run.json");
    assert_int_equal(unlink(description), 0);
    start(&program, LIST("watch", folder));
    assert_true(program_shows(&program, "step 29"));
    assert_null(strstr(program_screen(&program), "later-run"));
    write_file(description, "{\"run\":\"later-run\",\"gpus\":8}");
    assert_true(program_shows(&program, "later-run"));
    program_finish(&program);
}

static void the_end_of_the_input_stays_on_the_screen(void **state)
{
    struct program program;
    int input = open(one_file, O_RDONLY | O_CLOEXEC);
    struct program_options options = {.input = input};
    program_start(&program, &options, LIST("watch", "-"));
    assert_true(program_shows(&program, "ENDED"));
    assert_true(program_shows(&program, "step 199"));
    while (program_poll(&program, 500))
        ;
    size_t before = program.terminal.length; /* and nothing more is sent */
    assert_false(program_poll(&program, 1500));
    assert_int_equal(program.terminal.length, before);
    program_keys(&program, "q");
    assert_exits(&program, 0);
    assert_restored(&program);
    close(input);
    program_finish(&program);
}

/* ---- sizes ---- */

#ifdef LOCKSTEP_HAVE_VTERM
static bool last_row_has(struct program *program, int rows, const char *text)
{
    const char *last = program_screen(program);
    for (int row = 1; last && row < rows; row++) {
        last = strchr(last, '\n');
        last = last ? last + 1 : NULL;
    }
    return last && strstr(last, text);
}
#endif

static void a_resize_storm_ends_with_the_last_size(void **state)
{
    struct program program;
    start(&program, LIST("watch", logs));
    assert_true(program_shows(&program, "step 199"));
    for (int i = 0; i < 300; i++) {
        terminal_resize(&program.terminal, 1 + i * 37 % 200, 1 + i * 17 % 60);
        program_poll(&program, 5);
    }
    program_resize(&program, 100, 30);
    size_t before = program.terminal.length;
    assert_true(terminal_waits_for(&program.terminal, before, "\x1b[30;"));
#ifdef LOCKSTEP_HAVE_VTERM
    /* Pictures of the sizes before may still come: it is the last one that counts. */
    int64_t deadline = program_clock() + 5000;
    while (!last_row_has(&program, 30, "? help") && program_clock() < deadline)
        program_poll(&program, 20);
    assert_true(last_row_has(&program, 30, "? help"));
    assert_non_null(strstr(program_screen(&program), "LIVE"));
    assert_non_null(strstr(program_screen(&program), "straggler: rank 5"));
#endif
    int64_t began = program_clock();
    program_keys(&program, "q");
    assert_exits(&program, 0);
    assert_in_range(program_clock() - began, 0, 1000);
    assert_restored(&program);
    program_finish(&program);
}

static void the_smallest_windows_can_be_left(void **state)
{
    static const int sizes[][2] = {{1, 1}, {2, 1}, {5, 2}, {20, 6}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct program program;
        struct program_options options = {.width = sizes[i][0], .height = sizes[i][1]};
        program_start(&program, &options, LIST("watch", logs));
        assert_true(terminal_waits_for(&program.terminal, 0, "\x1b[?1049h"));
        program_keys(&program, "?\x1b[Bq");
        assert_exits(&program, 0);
        assert_restored(&program);
        program_finish(&program);
    }
}

/* ---- signals ---- */

static void every_signal_restores_the_terminal(void **state)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct program program;
        start(&program, LIST("watch", logs));
        assert_true(program_shows(&program, "step 199"));
        kill(program.pid, signals[i]);
        int status = program_wait(&program, 2000, true);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signals[i]);
        assert_restored(&program);
        program_finish(&program);
    }
}

static void a_stop_gives_the_terminal_back_and_comes_back(void **state)
{
    struct program program;
    struct program_options options = {.in_shell = true};
    program_start(&program, &options, LIST("watch", logs));
    assert_true(program_shows(&program, "step 199"));
    program_keys(&program, "\x1a");
    int status = program_wait(&program, 2000, true);
    assert_true(WIFSTOPPED(status));
    assert_int_equal(WSTOPSIG(status), SIGTSTP);
    assert_restored(&program);
    program_resize(&program, 100, 30); /* nobody tells a stopped process */
    size_t before = program.terminal.length;
    kill(program.pid, SIGCONT);
    assert_true(terminal_waits_for(&program.terminal, before, "\x1b[?1049h"));
    assert_true(terminal_waits_for(&program.terminal, before, "\x1b[30;"));
    assert_true(program_shows(&program, "step 199"));
    while (program_poll(&program, 300)) /* a stop in the moment of going on may be lost */
        ;
    kill(program.pid, SIGTSTP); /* from outside */
    status = program_wait(&program, 10000, true);
    assert_true(WIFSTOPPED(status));
    assert_restored(&program);
    kill(program.pid, SIGCONT);
    assert_true(program_shows(&program, "step 199"));
    program_keys(&program, "q");
    assert_exits(&program, 0);
    assert_restored(&program);
    program_finish(&program);
}

static void a_terminal_that_goes_away_ends_it(void **state)
{
    struct program program;
    struct program_options options = {.ignores_hangup = true};
    program_start(&program, &options, LIST("watch", logs));
    assert_true(program_shows(&program, "step 199"));
    close(program.terminal.master);
    program.terminal.master = -1;
    int status = program_wait(&program, 1000, false);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
    program_finish(&program);
}

static int free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    close(fd);
    return ntohs(address.sin_port);
}

static void a_stalled_terminal_stops_nothing_else(void **state)
{
    struct program program;
    char spec[64];
    struct program_options options = {.height = 160};
    snprintf(spec, sizeof spec, "udp://127.0.0.1:%d", free_port());
    program_start(&program, &options, LIST("watch", "--fps", "60", spec));
    assert_true(program_shows(&program, "Waiting for the first record"));
    /* Nobody reads the terminal while 2,400 records arrive in about 2 s. */
    assert_int_equal(
        program_run(NULL, LIST("feed", "--to", spec, "--steps", "300", "--step-time", "0.0066")),
        0);
    program_keys(&program, "?");
    assert_true(program_shows(&program, "2,400"));
    assert_true(program_shows(&program, "pictures that a slow terminal did not get"));
    assert_null(strstr(program_screen(&program), "datagrams lost"));
    program_keys(&program, "?");
    assert_true(program_shows(&program, "step 299"));
    assert_int_equal(
        program_run(NULL, LIST("feed", "--to", spec, "--steps", "150", "--step-time", "0.0066")),
        0);
    kill(program.pid, SIGTERM);
    int status = program_wait(&program, 1000, false);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGTERM);
    assert_true(terminal_is_restored(&program.terminal));
    program_finish(&program);
}

/* Who listens late must not take it for measured. */
static void each_simulated_datagram_says_so(void **state)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    char spec[64], text[2048];
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), count = 0;
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    snprintf(spec, sizeof spec, "udp://127.0.0.1:%d", ntohs(address.sin_port));
    assert_int_equal(program_run(NULL, LIST("feed", "--to", spec, "--steps", "3", "--ranks", "2",
                                            "--speed", "max")),
                     0);
    for (ssize_t length; (length = recv(fd, text, sizeof text - 1, 0)) > 0; count++) {
        text[length] = '\0';
        assert_non_null(strstr(text, "\"simulated\":true"));
    }
    assert_int_equal(count, 6);
    close(fd);
}

/* ---- terminals that are not what one hopes for ---- */

static void a_type_that_will_not_do_is_named(void **state)
{
    struct program program;
    program_start(&program, &(struct program_options){.environment = LIST("TERM=nosuch")},
                  LIST("watch", logs));
    assert_exits(&program, 1);
    assert_non_null(strstr(program.terminal.bytes, "TERM=nosuch"));
    assert_null(strchr(program.terminal.bytes, 0x1B));
    program_finish(&program);
    program_start(&program, &(struct program_options){.environment = LIST("TERM=dumb")},
                  LIST("watch", logs));
    assert_exits(&program, 1);
    assert_non_null(strstr(program.terminal.bytes, "TERM=dumb"));
    assert_null(strchr(program.terminal.bytes, 0x1B));
    program_finish(&program);
}

/* Before anything is drawn: the option, or the file and its key. */
static void nonsense_about_the_run_is_named(void **state)
{
    char *file = path_in("bad.json");
    write_file(file, "{\"gpus\":0}");
    const struct {
        const char *arguments[6];
        int status;
        const char *text;
    } rows[] = {
        {{"report", "--params", "0", logs}, 2, "--params takes a number from 1"},
        {{"watch", "--price", "-2", logs}, 2, "--price takes a number from 0"},
        {{"demo", "--active-params", "400B"}, 2, "active parameters (4e+11)"},
        {{"report", "--run", file, logs}, 1, "bad.json: \"gpus\" must be a number from 1"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct program program;
        start(&program, rows[i].arguments);
        assert_exits(&program, rows[i].status);
        assert_non_null(strstr(program.terminal.bytes, rows[i].text));
        program_finish(&program);
    }
}

static void an_old_terminal_gets_ascii_alone(void **state)
{
    struct program program;
    struct program_options options = {.environment = LIST("TERM=vt100", "LC_ALL=C")};
    program_start(&program, &options, LIST("watch", logs));
    assert_true(program_shows(&program, "straggler: rank 5"));
    program_keys(&program, "b?");
    assert_true(program_shows(&program, "show or leave this page"));
    program_keys(&program, "q");
    assert_exits(&program, 0);
    for (size_t i = 0; i < program.terminal.length; i++) {
        uint8_t byte = (uint8_t)program.terminal.bytes[i];
        assert_true(byte < 0x80 && byte != 0x0E && byte != 0x0F);
    }
    program_finish(&program);
}

/* Whether a sequence ESC [ numbers m has a colour among its numbers. */
static bool has_color(const char *bytes)
{
    for (const char *at = strstr(bytes, "\x1b["); at; at = strstr(at + 2, "\x1b[")) {
        size_t length = strspn(at + 2, "0123456789;");
        if (at[2 + length] != 'm')
            continue;
        for (const char *number = at + 2; number < at + 2 + length;) {
            long value = strtol(number, NULL, 10);
            if ((value >= 30 && value <= 49) || (value >= 90 && value <= 107))
                return true;
            const char *next = memchr(number, ';', (size_t)(at + 2 + length - number));
            number = next ? next + 1 : at + 2 + length;
        }
    }
    return false;
}

static void colors_can_be_refused(void **state)
{
    static const struct {
        const char *environment, *option;
        bool colored;
    } cases[] = {{"NO_COLOR=1", "--color=auto", false},
                 {"NO_COLOR=", "--color=auto", true},
                 {"NO_COLOR=", "--color=never", false},
                 {"NO_COLOR=1", "--color=always", true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct program program;
        struct program_options options = {.environment = LIST(cases[i].environment)};
        program_start(&program, &options, LIST("watch", cases[i].option, logs));
        assert_true(program_shows(&program, "straggler: rank 5"));
        assert_int_equal(has_color(program.terminal.bytes), cases[i].colored);
        program_finish(&program);
    }
}

static void output_that_is_no_terminal_gets_plain_lines(void **state)
{
    struct program program;
    const char *path = path_in("plain.txt");
    char text[65536];
    int input = open(one_file, O_RDONLY | O_CLOEXEC);
    int output = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    struct program_options options = {.input = input, .output = output};
    program_start(&program, &options, LIST("watch", "-"));
    assert_exits(&program, 0);
    assert_int_equal(program.terminal.length, 0);
    ssize_t length = pread(output, text, sizeof text - 1, 0);
    assert_true(length > 0);
    text[length] = '\0';
    int lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    assert_int_equal(lines, 200);
    assert_non_null(strstr(text, "step 199 "));
    assert_non_null(strstr(text, "rank 5 last"));
    assert_non_null(strstr(text, "straggler: rank 5 +"));
    assert_null(memchr(text, 0x1B, (size_t)length));
    close(input);
    close(output);
    program_finish(&program);
}

static void wrong_use_is_told_before_the_screen(void **state)
{
    static const struct {
        const char *source, *says;
        int status;
    } cases[] = {{NULL, "needs a source", 2},
                 {"--nonsense", "nonsense", 2},
                 {"udp://127.0.0.1:99999", "99999", 1},
                 {"-", "standard input is the terminal", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct program program;
        start(&program, LIST("watch", cases[i].source));
        assert_exits(&program, cases[i].status);
        assert_non_null(strstr(program.terminal.bytes, cases[i].says));
        assert_null(strchr(program.terminal.bytes, 0x1B));
        program_finish(&program);
    }
}

/* ---- hostile text ---- */

#define POISON                                                                                     \
    "\x1b]52;c;cHdu\x07\x1b[2J\xc2\x9b"                                                            \
    "31m\xe2\x80\xae\x1bPq"
#define POISON_JSON "\\u001b]52;c;cHdu\\u0007\\u001b[2J\\u009b31m\\u202e\\u001bPq"

static void assert_clean(const struct program *program)
{
    static const char *const never[] = {"\x1b]",    "\x1bP",        "\x07",
                                        "\xc2\x9b", "\xe2\x80\xae", "\x1b[2J\xc2"};
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
        assert_null(strstr(program->terminal.bytes, never[i]));
}

static void text_from_outside_never_steers_the_terminal(void **state)
{
    struct program program;
    char path[256], spec[256];
    const char *folder = path_in("hostile");
    assert_int_equal(program_run(NULL, LIST("feed", "--to", folder, "--steps", "1", "--no-pacing")),
                     0);
    write_file(path_in("hostile/run.json"),
               "{\"run\":\"" POISON_JSON "\",\"chip\":\"" POISON_JSON "\"}");
    snprintf(path, sizeof path, "%s/rank9" POISON ".jsonl", folder);
    write_file(path, "{\"rank\":9,\"step\":0,\"compute\":1,\"host\":\"" POISON_JSON
                     "\",\"group\":\"" POISON_JSON "\"}\n{\"rank\":9,\"step\":1," POISON "\n" POISON
                     "\n{\"rank\":9,\"step\":2,\"compute\":1,\"host\":\"" POISON "\"}\n");
    struct program_options options = {.width = 200, .height = 120};
    program_start(&program, &options, LIST("watch", folder));
    assert_true(program_shows(&program, "LIVE"));
    assert_true(program_shows(&program, "damaged"));
    program_keys(&program, "?");
    assert_true(program_shows(&program, "damaged lines or numbers out of range"));
    program_keys(&program, "q");
    assert_exits(&program, 0);
    assert_clean(&program);
    program_finish(&program);
    snprintf(spec, sizeof spec, "udp://" POISON ":1");
    start(&program, LIST("watch", spec));
    assert_exits(&program, 1);
    assert_true(program.terminal.length > 0);
    assert_clean(&program);
    program_finish(&program);
}

/* ---- cost ---- */

static long long shown_step(struct program *program)
{
    const char *at = strstr(program_screen(program), " step ");
    return at ? atoll(at + 6) : -1;
}

static void moving_bars_cost_few_bytes(void **state)
{
    struct program program;
    start(&program, LIST("demo", "--speed", "20", "--fps", "20"));
    assert_true(program_shows(&program, "straggler: rank 5"));
    size_t before = program.terminal.length;
    long long last = shown_step(&program);
    int pictures = 0;
    for (int64_t deadline = program_clock() + 10000; pictures < 100;) {
        assert_true(program_clock() < deadline);
        long long step = program_poll(&program, 20) ? shown_step(&program) : last;
        pictures += step != last;
        last = step;
    }
    size_t bytes = (program.terminal.length - before) / (size_t)pictures;
    print_message("%zu bytes a picture\n", bytes);
    assert_in_range(bytes, 1, 600);
    program_finish(&program);
}

static void the_demo_says_that_it_is_simulated(void **state)
{
    struct program program;
    start(&program, LIST("demo", "--ranks", "16", "--slow", "3:1.3", "--speed", "5"));
    assert_true(program_shows(&program, "SIMULATED"));
    assert_true(program_shows(&program, "DEMO"));
    assert_true(program_shows(&program, "straggler: rank 3"));
    assert_true(program_shows(&program, "MFU"));
    program_keys(&program, "q");
    assert_exits(&program, 0);
    assert_restored(&program);
    program_finish(&program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folder_of_logs_shows_its_straggler),
        cmocka_unit_test(the_first_picture_does_not_wait_for_the_logs),
        cmocka_unit_test(keys_go_back_and_forth_in_time),
        cmocka_unit_test(the_screens_go_round_and_one_rank_is_shown_closer),
        cmocka_unit_test(records_that_come_later_are_shown),
        cmocka_unit_test(a_job_that_hung_long_ago_is_told_at_once),
        cmocka_unit_test(a_description_that_appears_later_is_used),
        cmocka_unit_test(the_end_of_the_input_stays_on_the_screen),
        cmocka_unit_test(a_resize_storm_ends_with_the_last_size),
        cmocka_unit_test(the_smallest_windows_can_be_left),
        cmocka_unit_test(every_signal_restores_the_terminal),
        cmocka_unit_test(a_stop_gives_the_terminal_back_and_comes_back),
        cmocka_unit_test(a_terminal_that_goes_away_ends_it),
        cmocka_unit_test(a_stalled_terminal_stops_nothing_else),
        cmocka_unit_test(each_simulated_datagram_says_so),
        cmocka_unit_test(a_type_that_will_not_do_is_named),
        cmocka_unit_test(nonsense_about_the_run_is_named),
        cmocka_unit_test(an_old_terminal_gets_ascii_alone),
        cmocka_unit_test(colors_can_be_refused),
        cmocka_unit_test(output_that_is_no_terminal_gets_plain_lines),
        cmocka_unit_test(wrong_use_is_told_before_the_screen),
        cmocka_unit_test(text_from_outside_never_steers_the_terminal),
        cmocka_unit_test(moving_bars_cost_few_bytes),
        cmocka_unit_test(the_demo_says_that_it_is_simulated),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
