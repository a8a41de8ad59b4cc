/* What a log format is: how its lines are found, and what they come to. One file a
 * format (decode_<it>.c) defines one `struct format`; one line in formats.def puts it
 * into the table. State is the format's own struct; no I/O, no clock, no globals.
 *
 * Two kinds: formats of lines (line), and documents (sniff, bytes), one JSON value that
 * may be a single line of 500 MB.
 *
 * Everything that comes in is hostile: lines are cut anywhere and mixed with others.
 * A value that is torn is dropped and counted (log_out_damaged), never guessed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log_learn.h"
#include "log_out.h"
#include "str.h"

/* One line, without its end and without terminal escapes. */
struct log_line {
    struct str text; /* the line; up to 64 bytes after it are readable */
    struct str body; /* the same without what launchers put in front (log_prefix.h) */
    int64_t writer;  /* the number in that prefix, -1: none. Who WROTE the line, which is mostly
                        not who was measured: a key to tell interleaved writers apart */
    bool cut;        /* the input ended within it: a number at its end may lack digits */
    struct log_learned *form;  /* learns where values stand, for `again`; NULL: not of this line */
    struct log_values *recall; /* what was learned of a line of the same form; NULL: nothing */
};

/* Of a format's how[]: what gives the times of single ranks, to be pasted as it stands. */
#define LOG_HOW_NCCL /* of any job on NCCL 2.28 or later, unchanged */                             \
    {                                                                                              \
        "export NCCL_PROFILER_PLUGIN=libnccl-profiler-inspector.so NCCL_INSPECTOR_ENABLE=1 "       \
        "NCCL_INSPECTOR_DUMP_VERBOSE=1",                                                           \
            "export NCCL_INSPECTOR_DUMP_DIR=inspector NCCL_INSPECTOR_DUMP_MIN_SIZE_BYTES=0 "       \
            "NCCL_INSPECTOR_DUMP_THREAD_INTERVAL_MICROSECONDS=500  # lockstep watch inspector"     \
    }
#define LOG_HOW_PYTHON /* of any training loop in Python, on every rank */                         \
    {                                                                                              \
        "import lockstep  # samples/emit/lockstep.py, beside the script",                          \
            "for batch in lockstep.steps(loader):  # in it: with lockstep.phase(\"forward\"): ..." \
    }
#define LOG_HOW_MEGATRON                                                                           \
    {                                                                                              \
        "--log-interval 1 --timing-log-level 2 --timing-log-option all",                           \
            "--no-barrier-with-level-1-timing  # else every timer is a barrier"                    \
    }

enum log_answer {
    LOG_OTHER, /* not of this format: the next one is asked */
    LOG_TAKEN, /* it is, whether or not records came of it */
};

enum log_sniff {
    LOG_SNIFF_NO,
    LOG_SNIFF_YES,
    LOG_SNIFF_MORE, /* more bytes are needed to tell */
};
#define LOG_SNIFF_MAX 4096 /* bytes: MORE is NO from here on */

struct format {
    const char *name;  /* for --format: "megatron" */
    const char *title; /* "Megatron-LM" */
    /* For `lockstep explain`, the README and the place where something is missing. */
    const char *needs;  /* what must be switched on to have it; "" */
    const char *tells;  /* "step time, TFLOP/s a GPU; with ... the phases of every rank" */
    const char *lacks;  /* "the times of single ranks"; NULL: nothing */
    const char *how[2]; /* the two lines that would provide it */

    /* Lines are offered that hold one of these somewhere, ANCHOR_BYTES or more each; NULL ends the
     * list. Take what is rare in other text: "per iteration (ms)", not "iteration". */
    const char *const *anchors;
    bool strict;        /* `line` leaves to others, without effect, what holds none of them */
    size_t state_bytes; /* zeroed before the first line */
    const void *setup;  /* of a format that a user described; borrowed */
    void (*begin)(void *state, const struct format *format); /* after zeroing; NULL: nothing */
    enum log_answer (*line)(void *state, const struct log_line *line, struct log_out *out);
    /* A line of a form that `line` has learned (log_learn_ready()), with the values that it gave:
     * does just what `line` would, or nothing, and then says false: `line` is asked. Not of forms
     * of which searches are remembered. NULL: nothing is learned. */
    bool (*again)(void *state, const struct log_line *line, const struct log_values *values,
                  struct log_out *out);
    /* Of a line without prefix that `line` has just left to others: whether it leaves all that
     * differ from it in digits alone, and nothing comes of that, as long as the same holds of its
     * state (line NULL). NULL: never. */
    bool (*leaves)(const void *state, const struct log_line *line);

    /* A document: whether this may be the beginning of one. `whole`: there is no more. */
    enum log_sniff (*sniff)(const char *bytes, size_t size, bool whole);
    void (*bytes)(void *state, const char *bytes, size_t size, struct log_out *out);

    void (*end)(void *state, struct log_out *out); /* the input has ended; NULL: nothing to do */
    void (*done)(void *state);                     /* frees what the state holds; NULL: nothing */
};

#define ANCHOR_BYTES 5
