/* The inside of a stream, shared by stream.c (records), stream_lines.c (the buffer, and
 * lines out of it) and stream_foreign.c (other formats than our own). */
#pragma once

#include "decode.h"
#include "format_reader.h"
#include "stream.h"

#define STREAM_NAME_BYTES 256
#define STREAM_EXCERPT_BYTES 60

/* What the input is, as far as that can be told. */
enum stream_kind {
    STREAM_NEW, /* not looked at yet */
    STREAM_LINES,
    STREAM_DOCUMENT, /* one JSON value of another format */
};

struct stream {
    struct stream_totals *totals;
    struct decoder decoder;
    const struct formats *formats; /* borrowed; NULL: our own records only */
    struct format_reader *reader;  /* owned; NULL until it is needed */
    enum stream_kind kind;
    bool slowly;  /* the next record may not be our own: not to be taken quickly */
    bool foreign; /* other formats were found */
    char *buffer;
    size_t capacity;     /* of buffer, without the slack behind it */
    size_t begin, end;   /* what is not taken yet */
    size_t searched;     /* no line end in [begin, searched) */
    bool escapes;        /* a terminal's escape may be in it, or in the line that was taken */
    size_t record_at;    /* where the record that was given last begins */
    struct str rest;     /* of the line that was taken: more records may be in it */
    int64_t line;        /* number of the line that was taken, 1-based */
    int64_t lines_ended; /* so many newlines have been taken */
    bool after_return;   /* the buffer ended with '\r': a newline may still belong to it */
    bool ended;          /* what is left is a line */
    bool ended_foreign;  /* and other formats were told so */
    bool discarding;     /* up to the next newline */
    bool has_rank;       /* from the name */
    bool says_rank;      /* by a word in it, not by its only digits */
    uint32_t rank;
    int64_t own_end; /* behind the step of our own record; 0: none since a line was offered to
                        other formats */
    char name[STREAM_NAME_BYTES];
    uint64_t source; /* of the whole name: nccl_job_key() */
};

/* ---- stream.c ---- */

void stream_count_damaged(struct stream *stream, const char *why, struct str line);

/* Nobody knows whose record the line holds. */
void stream_count_nobodys(struct stream *stream, struct str line);

/* ---- stream_lines.c ---- */

/* Takes the next line out of the buffer; false when its end is not there yet. */
bool stream_take_line(struct stream *stream, struct str *ret);
void stream_release_when_empty(struct stream *stream);

/* ---- stream_foreign.c ---- */

/* As stream_take_foreign(), of a stream that has a reader. */
bool stream_take_waiting(struct stream *stream, struct record *record);

/* The next record that other formats have made of what was read. */
static inline bool stream_take_foreign(struct stream *stream, struct record *record)
{
    return stream->reader && format_reader_waits(stream->reader) &&
           stream_take_waiting(stream, record);
}

/* Whether the line (stream->rest) is of another format: then it is put in. */
bool stream_offer_line(struct stream *stream);

/* Finds out whether it begins as a document does. False: more bytes are needed to tell. */
bool stream_find_kind(struct stream *stream);

void stream_take_document(struct stream *stream); /* all that is in the buffer */

/* The states of other formats come to their end: what they held back is put out. */
void stream_end_foreign(struct stream *stream);
