/* The real program in a pseudo-terminal. */
#include "program.h"

#include <assert.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef LOCKSTEP_HAVE_VTERM
#include <vterm.h>
#endif

#define PATIENCE_MS 10000

int64_t program_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- starting ---- */

static void execute(const char *const *arguments)
{
    const char *words[32] = {"lockstep"};
    const char *path = getenv("LOCKSTEP_PROGRAM");
    for (int i = 0; arguments[i]; i++) {
        assert(i + 2 < 32);
        words[i + 1] = arguments[i];
    }
    if (path)
        execv(path, (char *const *)words);
    _exit(127);
}

static void execute_in(const struct program *program, const struct program_options *options,
                       const char *const *arguments)
{
    int slave = program->terminal.slave;
    setenv("TERM", "xterm-256color", 1);
    setenv("ASAN_OPTIONS", "handle_segv=0:handle_abort=0:detect_leaks=0", 1);
    for (int i = 0; options->environment && options->environment[i]; i++)
        putenv((char *)options->environment[i]);
    dup2(options->input ? options->input : slave, STDIN_FILENO);
    dup2(options->output ? options->output : slave, STDOUT_FILENO);
    dup2(slave, STDERR_FILENO);
    if (options->ignores_hangup)
        signal(SIGHUP, SIG_IGN);
    execute(arguments);
}

static void own_terminal(const struct program *program)
{
    close(program->terminal.master);
    setsid();
    ioctl(program->terminal.slave, TIOCSCTTY, 0);
}

/* What a shell does: the program in the foreground, in a process group of its own. */
static void lead(const struct program *program, const struct program_options *options,
                 const char *const *arguments, int reports)
{
    own_terminal(program);
    signal(SIGTTOU, SIG_IGN);
    pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        tcsetpgrp(program->terminal.slave, getpid());
        signal(SIGTTOU, SIG_DFL);
        execute_in(program, options, arguments);
    }
    ssize_t written = write(reports, &pid, sizeof pid);
    int status;
    while (written > 0 && waitpid(pid, &status, WUNTRACED) == pid) {
        written = write(reports, &status, sizeof status);
        if (!WIFSTOPPED(status))
            break;
    }
    _exit(0);
}

static void start_in_shell(struct program *program, const struct program_options *options,
                           const char *const *arguments)
{
    int ends[2];
    assert(pipe(ends) == 0);
    program->leader = fork();
    if (program->leader == 0)
        lead(program, options, arguments, ends[1]);
    close(ends[1]);
    program->reports = ends[0];
    assert(read(program->reports, &program->pid, sizeof program->pid) == sizeof program->pid);
}

void program_start(struct program *program, const struct program_options *options,
                   const char *const *arguments)
{
    *program = (struct program){.reports = -1};
    program->width = options->width ? options->width : 80;
    program->height = options->height ? options->height : 24;
    terminal_open(&program->terminal, program->width, program->height);
#ifdef LOCKSTEP_HAVE_VTERM
    VTerm *emulator = vterm_new(program->height, program->width);
    vterm_set_utf8(emulator, 1);
    vterm_screen_enable_altscreen(vterm_obtain_screen(emulator), 1);
    vterm_screen_reset(vterm_obtain_screen(emulator), 1);
    program->emulator = emulator;
#endif
    if (options->in_shell) {
        start_in_shell(program, options, arguments);
        return;
    }
    program->pid = fork();
    assert(program->pid >= 0);
    if (program->pid == 0) {
        own_terminal(program);
        execute_in(program, options, arguments);
    }
}

void program_finish(struct program *program)
{
    if (program->pid > 0) {
        kill(program->pid, SIGKILL);
        if (!program->leader)
            waitpid(program->pid, NULL, 0);
    }
    if (program->leader)
        waitpid(program->leader, NULL, 0);
    if (program->reports >= 0)
        close(program->reports);
#ifdef LOCKSTEP_HAVE_VTERM
    vterm_free(program->emulator);
#endif
    free(program->screen);
    terminal_close(&program->terminal);
}

/* ---- screen and keys ---- */

void program_keys(struct program *program, const char *keys)
{
    assert(write(program->terminal.master, keys, strlen(keys)) == (ssize_t)strlen(keys));
}

static void feed_emulator(struct program *program)
{
#ifdef LOCKSTEP_HAVE_VTERM
    const struct terminal *terminal = &program->terminal;
    vterm_input_write(program->emulator, terminal->bytes + program->fed,
                      terminal->length - program->fed);
    vterm_screen_flush_damage(vterm_obtain_screen(program->emulator));
#endif
    program->fed = program->terminal.length;
}

void program_resize(struct program *program, int width, int height)
{
    program->width = width;
    program->height = height;
#ifdef LOCKSTEP_HAVE_VTERM
    feed_emulator(program);
    vterm_set_size(program->emulator, height, width);
#endif
    terminal_resize(&program->terminal, width, height);
}

bool program_poll(struct program *program, int milliseconds)
{
    bool came = terminal_poll(&program->terminal, milliseconds);
    feed_emulator(program);
    return came;
}

#ifdef LOCKSTEP_HAVE_VTERM
static size_t put_utf8(char *to, uint32_t code)
{
    if (code < 0x80) {
        to[0] = (char)(code ? code : ' ');
        return 1;
    }
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--, code >>= 6)
        to[i] = (char)(0x80 | (code & 0x3F));
    to[0] = (char)((0xF00 >> length) | code);
    return length;
}

const char *program_screen(struct program *program)
{
    VTermScreen *screen = vterm_obtain_screen(program->emulator);
    size_t size = (size_t)program->height * ((size_t)program->width * 4 + 1) + 1;
    size_t used = 0;
    feed_emulator(program);
    program->screen = realloc(program->screen, size);
    assert(program->screen);
    for (int y = 0; y < program->height; y++) {
        for (int x = 0; x < program->width; x++) {
            VTermScreenCell cell;
            vterm_screen_get_cell(screen, (VTermPos){.row = y, .col = x}, &cell);
            if (cell.chars[0] != (uint32_t)-1)
                used += put_utf8(program->screen + used, cell.chars[0]);
        }
        program->screen[used++] = '\n';
    }
    program->screen[used] = '\0';
    return program->screen;
}
#else
const char *program_screen(struct program *program)
{
    return program->terminal.bytes;
}
#endif

static bool waits_for(struct program *program, const char *text, bool there)
{
    int64_t deadline = program_clock() + PATIENCE_MS;
    while ((strstr(program_screen(program), text) != NULL) != there) {
        if (program_clock() > deadline) {
            fprintf(stderr, "%s %s on:\n%s\n", text, there ? "is not" : "still is",
                    program_screen(program));
            return false;
        }
        program_poll(program, 20);
    }
    return true;
}

bool program_shows(struct program *program, const char *text)
{
    return waits_for(program, text, true);
}

bool program_hides(struct program *program, const char *text)
{
#ifdef LOCKSTEP_HAVE_VTERM
    return waits_for(program, text, false);
#else
    return program_poll(program, 200) || text;
#endif
}

/* ---- ending ---- */

static bool next_status(struct program *program, int *status)
{
    if (!program->leader)
        return waitpid(program->pid, status, WNOHANG) == program->pid;
    struct pollfd ready = {.fd = program->reports, .events = POLLIN};
    return poll(&ready, 1, 0) > 0 &&
           read(program->reports, status, sizeof *status) == sizeof *status;
}

int program_wait(struct program *program, int milliseconds, bool reading)
{
    int64_t deadline = program_clock() + milliseconds;
    int status;
    while (!next_status(program, &status)) {
        if (program_clock() > deadline)
            return -1;
        if (reading)
            program_poll(program, 5);
        else
            poll(NULL, 0, 5);
    }
    while (reading && program_poll(program, 0))
        ;
    if (!WIFSTOPPED(status))
        program->pid = 0;
    return status;
}

int program_run(const char *output, const char *const *arguments)
{
    int64_t deadline = program_clock() + 2 * PATIENCE_MS;
    int status = -1;
    pid_t pid = fork();
    assert(pid >= 0);
    if (pid == 0) {
        int fd = open(output ? output : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(fd, STDOUT_FILENO);
        execute(arguments);
    }
    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (program_clock() > deadline) {
            kill(pid, SIGKILL);
            waitpid(pid, NULL, 0);
            return -1;
        }
        poll(NULL, 0, 5);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
