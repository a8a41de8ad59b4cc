/* The commands, and what they share. Each gets its own argv (argv[0] is its name)
 * and returns the exit status: 0 good, 1 a failure at run time, 2 wrong use, 3 a condition
 * of report --check does not hold. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "options.h"
#include "run.h"

int command_watch(int argc, char **argv);  /* live screen */
int command_report(int argc, char **argv); /* no screen: text, JSON, CSV, SVG, HTML */
int command_replay(int argc, char **argv); /* saved records, any step of them */
int command_demo(int argc, char **argv);   /* the barrier effect, simulated in process */
int command_calc(int argc, char **argv);   /* Panels 1.1 and 1.2 */
int command_explain(int argc, char **argv); /* what is in a log, and what it can tell */
int command_manual(int argc, char **argv); /* prints the man page */

/* "lockstep: " and the sentence (printf-like) on standard error, whatever is in
 * it made safe for a terminal. Returns 1. */
int command_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* There was no record in the sources: why, or else what a record is, and the command that says what
 * is in them. why: raw bytes; "". Returns 1. */
int command_fail_empty(char *const *sources, int count, const char *why);

/* The last notices of a set of files, likewise, and how many there were before them. */
struct files_state;
void command_notices(const struct files_state *state);

#define COMMAND_PATH_BYTES 4096

/* Where the run.json of a source would be: in the folder that it is, else beside
 * it. False for standard input, sockets and paths that are too long. */
bool command_run_place(const char *source, char path[COMMAND_PATH_BYTES]);

/* The description of the run that belongs to the sources: --run, else the first
 * run.json in a folder among them or beside a file; over it what the options
 * say. 0, or the exit status after the message was printed. */
int command_run(const struct options *options, struct run *run);

/* Parses; prints help or the error. -1: go on; else the exit status. `usage` is
 * the line after "usage: lockstep ", `about` one paragraph. */
int command_options(struct options *options, unsigned command, int argc, char **argv,
                    const char *usage, const char *about);

/* The run of --run must be chosen where a folder among the sources holds several: 0, or the
 * exit status after the message was printed. */
int command_sources(const struct options *options);

/* The same for who goes on anyway: false, or a sentence. */
bool command_sources_mixed(const struct options *options, char *text, size_t size);
