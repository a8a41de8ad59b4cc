/* The real program in a pseudo-terminal, and what stands on its screen. The
 * program's path is in LOCKSTEP_PROGRAM. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "terminal.h"

/* All may be zero. */
struct program_options {
    int width, height;              /* 80 x 24 */
    const char *const *environment; /* "NAME=value", ended by NULL */
    int input, output;              /* standard ones; 0: the terminal */
    bool ignores_hangup;
    bool in_shell; /* under a leader of the session, which reports its stops */
};

struct program {
    struct terminal terminal;
    int width, height;
    pid_t pid;
    pid_t leader;   /* 0: the program itself leads the session */
    int reports;    /* of the leader: wait statuses; -1 */
    void *emulator; /* NULL without libvterm */
    size_t fed;     /* bytes that the emulator has had */
    char *screen;
};

/* Starts `lockstep ARGUMENTS...`; the list ends with NULL. */
void program_start(struct program *program, const struct program_options *options,
                   const char *const *arguments);

/* Ends it if it still runs. */
void program_finish(struct program *program);

void program_keys(struct program *program, const char *keys);
void program_resize(struct program *program, int width, int height);

/* Takes what came within so many milliseconds; false when nothing did. */
bool program_poll(struct program *program, int milliseconds);

/* Rows of the screen, each ended by a newline; without libvterm all bytes so far.
 * Valid until the next call. */
const char *program_screen(struct program *program);

/* Waits until the screen has this text, or no longer has it; false (and the
 * screen on standard error) after ten seconds. */
bool program_shows(struct program *program, const char *text);
bool program_hides(struct program *program, const char *text);

/* The wait status when it ends, or stops under a leader, within so many milliseconds;
 * -1 when it does not. The terminal is read meanwhile when `reading`. */
int program_wait(struct program *program, int milliseconds, bool reading);

/* Milliseconds of a clock. */
int64_t program_clock(void);

/* Runs `lockstep ARGUMENTS...` to its end, output to a file or nowhere (NULL); the
 * exit status, or -1 after 20 seconds. */
int program_run(const char *output, const char *const *arguments);
