/* What `lockstep explain` finds in some logs: bounded, whatever is in them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command_logs.h"
#include "record.h"
#include "stream.h"

#define EXPLAIN_FILE_BYTES ((uint64_t)64 << 20) /* of one file, plain, that are looked at */
#define EXPLAIN_ALL_BYTES ((uint64_t)256 << 20) /* of all; then so much of each other: */
#define EXPLAIN_LATER_BYTES ((uint64_t)256 << 10)
#define EXPLAIN_FILES_MAX 1024
#define EXPLAIN_FIRST 8            /* records that are kept */
#define EXPLAIN_SAMPLE_BYTES 16384 /* of the beginning of the first log */
#define EXPLAIN_RANKS 1024         /* below so many they are counted exactly */

struct explained_record {
    struct record record;
    char host[NAME_BYTES], group[NAME_BYTES];
};

struct explained {
    struct command_logs logs;
    struct stream_totals totals;
    int files;       /* that were looked at */
    int left_out;    /* there were more of them */
    int failed;      /* could not be read: it was said */
    int cut;         /* of which only the beginning was looked at */
    char first[512]; /* path of the first file */
    uint64_t bytes;
    uint64_t ends_lf, ends_crlf, ends_cr;
    uint64_t own_records; /* of our own format */
    size_t first_count;
    struct explained_record records[EXPLAIN_FIRST];
    uint32_t has;                  /* all RECORD_ bits that some record has */
    uint32_t bare;                 /* of records that are of single ranks */
    int64_t first_step, last_step; /* meaningful with records */
    size_t ranks;                  /* different ones; of records of single ranks */
    bool rank_seen[EXPLAIN_RANKS];
    size_t sample_size;
    char sample[EXPLAIN_SAMPLE_BYTES];
    size_t end_size; /* of the end of the first log, where it is longer than the sample */
    char end[EXPLAIN_SAMPLE_BYTES];
};

/* Reads the sources. 0, or the exit status after the message was printed. */
int explain_read(struct explained *explained, const struct options *options);
void explain_done(struct explained *explained);
