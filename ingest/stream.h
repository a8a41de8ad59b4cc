/* One input's way from bytes to records: lines, prefixes, decoding, counts. No
 * I/O: whoever reads puts the bytes into stream_space() and takes the records
 * out with stream_next(). A line ends with LF, CR LF or CR; a NUL ends one too
 * (a truncation leaves holes of them). Records and counts are the same in
 * whatever pieces the bytes come. A torn line waits for its rest; an over-long
 * one is dropped to its end and counted; nothing that arrives can grow it past
 * STREAM_LINE_MAX. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"
#include "summary.h"

#define STREAM_LINE_MAX (64 * 1024) /* bytes; a longer line is counted as too long */
#define STREAM_BUFFER_MAX (256 * 1024)

struct formats;
struct log_book;

/* Counts and first complaints, shared by all streams of a program. */
struct stream_totals {
    const struct formats *formats; /* what is read besides our own records; borrowed; NULL: nothing.
                                      To be set before a stream is made */
    struct log_book *book;       /* likewise: what is learned of such logs; not NULL with formats */
    struct source_counts counts; /* records to bytes; the model fills the others */
    int complaint_count;
    int other_kept; /* of the complaints: lines of another kind, a few at most */
    char complaints[COMPLAINTS_MAX][COMPLAINT_BYTES];
};

struct stream;

/* `name` (copied) stands before the line number in complaints, and gives the
 * rank of records that have none ("rank5.jsonl", "worker-05.log"). *totals is
 * borrowed and must outlive the stream. */
struct stream *stream_new(const char *name, struct stream_totals *totals);
void stream_free(struct stream *stream);
const char *stream_name(const struct stream *stream);

/* Before anything is filled in: nothing but our own records is read, whatever totals->formats says
 * (datagrams; pieces of a file, which a log with state can't be cut into). */
void stream_own_only(struct stream *stream);

/* Whether anything but our own records was found in it so far: then its places are none to go on
 * from, since what came before matters. */
bool stream_is_foreign(const struct stream *stream);

/* Only after stream_next() said false. Room to read into: at least 1 byte, *ret_size bytes. Valid
 * until the next call for this stream. `want` is how much the caller could fill (a hint: the buffer
 * grows up to STREAM_BUFFER_MAX and is freed when it is empty). */
char *stream_space(struct stream *stream, size_t want, size_t *ret_size);
void stream_filled(struct stream *stream, size_t size); /* that many bytes were put there */

/* The next record of what was filled in; false when more bytes are needed.
 * Slices in *record are valid until the next call for this stream. */
bool stream_next(struct stream *stream, struct record *record);

/* The input has ended (end of a pipe, a file that was rotated away): what is
 * left without a newline becomes a line. Call stream_next() until false after
 * it. Afterwards the stream starts anew: line 1, no torn line. */
void stream_end(struct stream *stream);

/* Forget what waits (a file was truncated or overwritten): a torn line is
 * counted as damaged. */
void stream_reset(struct stream *stream);

/* A place in an input, to go on from. */
struct stream_place {
    size_t behind;     /* bytes that were filled in and come after it */
    int64_t lines;     /* newlines before it */
    bool after_return; /* a newline there still belongs to the line before */
    bool discarding;   /* it is within a line that was too long */
};

/* Where stream_next() goes on; of_record: where the record begins that it gave last (before the
 * next call for this stream). A place may be within a line: several records may be in it. */
struct stream_place stream_place(const struct stream *stream, bool of_record);

/* The `size` bytes before the place, when they are in the buffer still; NULL otherwise. */
const char *stream_before(const struct stream *stream, const struct stream_place *place,
                          size_t size);

/* Forgets what waits, without counting it; what is filled in next stands at that place. */
void stream_go(struct stream *stream, const struct stream_place *place);

/* The input ended too early: `why` is counted as one damaged line, and what waits is forgotten. */
void stream_cut(struct stream *stream, const char *why);

/* The log goes on in another file (it was rotated): what other formats know of it goes over to *to,
 * which nothing was filled in yet. */
void stream_inherit(struct stream *to, struct stream *from);

/* Whether a torn line waits for its rest, or bytes wait to be taken. */
bool stream_pending(const struct stream *stream);

/* Puts one complaint among the first COMPLAINTS_MAX: "name:line: what". */
void stream_complain(struct stream_totals *totals, const char *name, int64_t line,
                     const char *what);
