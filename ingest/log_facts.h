/* What is known of a log in another format than our own: what its values are, what was
 * left out of it and why. Collected over all files that are read. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log_names.h"
#include "quantile.h"
#include "str.h"
#include "summary.h"

enum log_count {
    LOG_DOUBLED, /* the same value for the same step again: every node writes it, or two loggers do
                  */
    LOG_NOT_NUMBER,   /* nan, inf, N/A, "nan" where a number should be */
    LOG_IMPOSSIBLE,   /* over the chip's peak, negative, zero */
    LOG_DISAGREE,     /* value and time stamps say different things: both are kept */
    LOG_EVALUATION,   /* evaluations, validations, checkpoints: like a step, but none */
    LOG_WITHOUT_PAIR, /* an end without a begin, or a part whose other parts never came */
    LOG_LEFT_OUT,     /* of other communicators, other traces: whole, but not followed */
    LOG_UNRECORDED,   /* numbers between those of the log that nobody has: not written at all */
    LOG_NOBODYS,      /* whole, but it is not known which rank of the job it is of */
    LOG_BESIDE,       /* steps that another format of the same stream gives (log_lead.h) */
    LOG_UNMAPPED,     /* logs or tables in which keys of the map have no value */
    LOG_COUNTS
};
const char *log_count_sentence(enum log_count count); /* "the same value again", ... */

enum log_note {
    LOG_NOTE_MEAN,        /* values are means over several steps */
    LOG_NOTE_SMOOTHED,    /* ... running means, which hide single slow steps */
    LOG_NOTE_CUMULATIVE,  /* differences of a clock that runs on */
    LOG_NOTE_SECONDS,     /* likewise, and it shows whole seconds */
    LOG_NOTE_STAMPS,      /* step times are differences of time stamps */
    LOG_NOTE_RATE,        /* step times are worked out from a rate: samples or tokens a second */
    LOG_NOTE_BLOCKS,      /* a "step" is a block of the log: how many steps it holds is not said */
    LOG_NOTE_COLLECTIVES, /* a "step" is one collective of a communicator */
    LOG_NOTE_EPOCHS,      /* a "step" is an epoch */
    LOG_NOTE_NO_ZONE,     /* its time stamps have no zone: taken for UTC */
    LOG_NOTE_WRITER,      /* the rank in the prefix wrote the lines; they are about the whole job */
    LOG_NOTE_ONE_RANK,    /* phases are as one rank saw them */
    LOG_NOTE_COUNTED,     /* step numbers are counted here: the log has none */
    LOG_NOTE_RANGE,       /* only the least and the most over the ranks are known */
    LOG_NOTE_AT_END,      /* of rows in any order: what they come to is known at the end */
    LOG_NOTE_GROUP_RANK,  /* ranks are those within a group that is taken for the whole job */
    LOG_NOTES
};
const char *log_note_sentence(enum log_note note); /* "means over several steps", ... */

#define LOG_VALUES_MAX 64
#define LOG_VALUE_NAME_BYTES 48

struct log_value {
    char name[LOG_VALUE_NAME_BYTES]; /* raw bytes */
    size_t name_length;              /* 0: it was longer, or had a NUL in it */
    const char *unit;
    uint64_t count;
    double least, most, sum;
    struct quantile quantile;
};

struct format;

/* Of one format. All zero is nothing. */
struct log_facts {
    const struct format *format;
    uint64_t lines;   /* that were its own; of a document: events */
    uint64_t records; /* that came of them */
    uint64_t job_records;
    int64_t held; /* operations that are held back now, until it shows what they belong to */
    uint64_t records_held; /* records, likewise */
    int64_t world;         /* ranks of the job, as the log says; 0: it does not */
    int64_t planned;       /* the last step of the run, as it said last; 0: it does not */
    uint64_t damaged;
    uint64_t counts[LOG_COUNTS];
    char examples[LOG_COUNTS][COMPLAINT_BYTES]; /* the first of each: raw bytes; "" */
    uint64_t unmapped;                          /* those keys: bits of the map's parts */
    uint32_t notes;                             /* 1u << enum log_note */
    size_t value_count;
    uint64_t values_left_out;
    struct log_value *values; /* owned */
    size_t value_next;        /* likely the next one: they come in the same order line by line */
};

#define LOG_FORMATS_MAX 48 /* in a table */

/* Of all formats of a program's input. All zero is nothing. */
struct nccl_job;

struct log_book {
    size_t count;            /* of formats that were found */
    struct log_facts *facts; /* owned; room for LOG_FORMATS_MAX, where they stay; NULL: none yet */
    uint64_t lines_colored;  /* with terminal escapes */
    uint64_t lines_labelled; /* with a launcher's prefix; only lines that were looked at closely */
    char label[64];          /* the first such prefix: raw bytes; "" */
    struct nccl_job *nccl;   /* what files of NCCL Inspector say together; owned, unless: */
    bool nccl_borrowed;
    struct log_names names; /* of the inputs; owned */
};

void log_book_done(struct log_book *book);

/* What the files of NCCL Inspector say together, made when it is asked for. */
struct nccl_job *log_book_nccl(struct log_book *book);

/* Those of the format, made when it is seen for the first time. NULL: no room. */
struct log_facts *log_book_facts(struct log_book *book, const struct format *format);

/* One more value of that name. */
void log_facts_value(struct log_facts *facts, struct str name, const char *unit, double value);

/* Fills the parts of a summary that say what the logs lack (summary.h, log_count and logs), and the
 * counts of source that come from here: the format with the most records first. */
void log_book_summary(const struct log_book *book, struct summary *summary);
