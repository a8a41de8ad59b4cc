/* The command line: one table (options.def) from which the parser and the help
 * are made. Parsing touches nothing but its result. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run.h"

/* Which commands take an option. */
enum {
    COMMAND_WATCH = 1,
    COMMAND_REPORT = 2,
    COMMAND_DEMO = 4,
    COMMAND_CALC = 8,
    COMMAND_REPLAY = 16,
    COMMAND_EXPLAIN = 32,
    COMMAND_SCREEN = COMMAND_WATCH | COMMAND_DEMO | COMMAND_REPLAY,
    COMMAND_ANY = COMMAND_WATCH | COMMAND_REPORT | COMMAND_DEMO | COMMAND_REPLAY,
    COMMAND_LOGS = COMMAND_WATCH | COMMAND_REPORT | COMMAND_REPLAY | COMMAND_EXPLAIN,
};

/* Ids of the options, for `given`. */
enum option_id {
#define OPTION(id, name, letter, argument, commands, help) OPTION_##id,
#include "options.def"
#undef OPTION
    OPTION_COUNT
};

#define OPTIONS_SOURCES_MAX 65536
#define OPTIONS_ALLOW_MAX 64
#define OPTIONS_WHAT_IF_MAX 64
#define OPTIONS_CHECKS_MAX 64

#define OPTIONS_DESCRIBED_MAX 16

/* A log of the user's own, as --map or --pattern describe it. */
struct described_log {
    bool pattern;     /* else a map */
    const char *text; /* borrowed from argv */
};

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct options {
    /* What the command line says of the run; what it doesn't is as run_init()
     * leaves it, and `given` does not have it. */
    struct run run;
    bool given[OPTION_COUNT];
    const char *run_file; /* --run; NULL */
    const char *run_only; /* --run when it is no file: which run of a folder, by the names of its
                             files; set by command_options(); NULL */
    const char *log_format; /* --format: a format of logs; NULL: all */
    struct described_log described[OPTIONS_DESCRIBED_MAX];
    int described_count;
    size_t memory_bytes;
    int close_lag;
    uint32_t max_ranks;

    int64_t from_step, to_step;
    bool json, figures_only;
    const char *what_if[OPTIONS_WHAT_IF_MAX]; /* ranks, hosts, groups; borrowed from argv */
    int what_if_count;
    double idle_s;
    int64_t step;    /* --step: figures as they stood then; -1: at the end */
    const char *csv; /* "steps", "ranks", "events"; NULL */
    const char *svg; /* "timeline", "heat", "history", "ledger"; NULL */
    bool html;
    const char *output;                     /* --output: a file instead of standard output; NULL */
    bool compare;                           /* two runs, or two spans of them, are the sources */
    const char *checks[OPTIONS_CHECKS_MAX]; /* --check, each one or more conditions; borrowed */
    int check_count;
    int threads;             /* that read; 0: as many as help */
    const char *at;          /* --at: where a replay begins, as it is typed on its screen; NULL */
    double idle_limit_s;     /* --idle-limit; 0: none */
    bool paused;             /* a replay begins standing still */
    const char *record_file; /* --record; NULL */

    int receive_buffer; /* bytes */
    const char *allow[OPTIONS_ALLOW_MAX];
    int allow_count;
    bool poll_only;

    double fps;
    enum color_when color;
    bool ascii, utf8;

    uint32_t ranks;
    uint64_t seed;
    double jitter; /* 0.02 is 2% */
    double step_time_s;
    int64_t slow_rank; /* -1: nobody */
    double slow_factor;
    double speed;

    double achieved_flops, gpu_hours; /* of calc, in the units of calc.h */
    double mfu, effective;            /* 0 to 1 */
    bool text;

    bool help;
    char **sources; /* borrowed from argv */
    int source_count;
};

/* Reads argv[1..argc-1] (argv[0] is the command's name) for one command. Options
 * and sources may be mixed; "--" ends the options. 0; -1 with a sentence in
 * `error`: which option, what is wrong, what it takes. argv is reordered. */
int options_parse(struct options *options, unsigned command, int argc, char **argv, char *error,
                  size_t error_size);

/* Lays what the command line said of the run over *run. What the file and the
 * command line say together may be wrong: run_check(). */
void options_apply_run(const struct options *options, struct run *run);

/* The options of a command, one a line, as --help prints them; `print` gets each
 * line without its newline. Two blanks or more stand between an option and what it is. */
void options_help(unsigned command, void (*print)(void *to, const char *line), void *to);
