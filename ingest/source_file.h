/* One file's content (an inode, whatever its name is now): reads what is new at
 * the known offset, and notices when what was read is no longer there. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "source_index.h"
#include "source_order.h"
#include "source_packed.h"
#include "stream.h"

#define FILE_MARKER_BYTES 32 /* kept of what stands before the offset */
#define FILE_HEAD_BYTES 256  /* hashed of the beginning */

enum file_ending {
    FILE_GOES_ON,
    FILE_REWRITTEN, /* truncated or overwritten: drain, then begin again at 0 */
    FILE_CLOSING,   /* drain, then no more */
};

/* What file_fill() came to. */
enum file_fill {
    FILE_HEAD, /* file->head holds the next record */
    FILE_BUSY, /* read some: call again */
    FILE_IDLE, /* nothing new; it may grow */
    FILE_DONE, /* was closing, and is drained */
};

struct ahead;
struct laid;
struct source_path;

struct source_file {
    struct source_link by_inode;
    struct source_path *path; /* borrowed: the name that leads here; NULL: renamed or deleted */
    struct stream *stream;    /* owned */
    struct stream_totals *totals;
    int fd; /* -1: closed for want of descriptors */
    dev_t dev;
    ino_t ino;
    int64_t offset; /* bytes that went into the stream */
    unsigned char marker[FILE_MARKER_BYTES];
    size_t marker_len;
    uint64_t head_hash;
    size_t head_len;
    int64_t mtime_ns;
    int64_t last_growth_ns;
    int64_t deadline_ns; /* without a path: until when late writes are awaited */
    bool remote;
    bool once;        /* read to its end, and no more */
    bool shrunk_once; /* remote: one smaller size is not yet a truncation */
    bool caught_up;   /* the last read found the end: it grows by lines now */
    bool found_end;   /* ... and nobody has asked to look again since */
    bool active;      /* on the list of those to be read */
    bool ended;       /* stream_end() was called for this ending */
    bool used;        /* read lately (for the choice of descriptors to close) */
    int error;        /* errno of the last read, 0: none */

    struct laid *laid; /* records of other formats (source_laid.h); NULL: none are looked for */
    bool laid_shared;  /* a twin's: borrowed */

    struct packed *packed; /* NULL: it is not compressed; `offset` counts plain bytes */
    bool packed_shared;    /* a twin's: borrowed */
    bool told_loss;        /* a notice was given of what is missing of it */

    /* What is to be gone back in (files_options.seekable). */
    int64_t size;     /* when it was opened */
    int64_t grown;    /* what came since, as it was seen last */
    bool bounded;     /* not read beyond that */
    bool cut;         /* it ended before that, or what was read is no longer there */
    bool lost;        /* it could not be opened again */
    bool finished;    /* drained, and kept */
    bool unchecked;   /* it was closed when the place was gone to: */
    uint32_t check;   /* ... what the marker_len bytes before the offset must come to */
    uint32_t slot_at; /* scratch of files_mark(): its slot, from 1 */
    enum file_ending ending;
    struct order order;
    struct record head;
    struct ahead *ahead; /* owned; NULL: no threads decode it (source_ahead.h) */
    bool ahead_over;     /* nor will they */
};

/* `fd` is taken over. The name without .gz or .zst may give the rank. */
struct source_file *file_new(const char *name, int fd, const struct stat *status,
                             struct stream_totals *totals);
void file_free(struct source_file *file); /* closes it */

/* Makes file->head the next record, reading at most once, `want` bytes about.
 * *ret_bytes: bytes read (the cost). verify_head: also look at the beginning
 * when the file has grown. */
enum file_fill file_fill(struct source_file *file, size_t want, bool verify_head,
                         size_t *ret_bytes);

/* Likewise into *ret_record, for the path without a merge. */
enum file_fill file_next(struct source_file *file, size_t want, bool verify_head,
                         struct record *ret_record, size_t *ret_bytes);

/* The next record of what was read; false: more is to be read. */
bool file_take(struct source_file *file, struct record *ret_record);

/* Whether the beginning and the bytes before the offset are those that were
 * read; true when it can't be told. Needs an open descriptor. */
bool file_unchanged(const struct source_file *file);

/* Bytes were read at the offset: it moves over them. */
void file_note_bytes(struct source_file *file, const char *bytes, size_t size);

/* The offset moves to `to`, over bytes that somebody else has read. */
void file_skip(struct source_file *file, int64_t to);

/* A place in the file between two records, to go on from. */
struct file_place {
    int64_t offset;
    struct stream_place lines;
    uint32_t check; /* of the bytes before it, so that a change is noticed */
    uint8_t check_size;
};

/* Where the next record begins; of_head: file->head was not delivered yet. */
struct file_place file_place(const struct source_file *file, bool of_head);

/* Whether what stands before the place is what stood there. Needs an open descriptor. */
bool file_place_holds(const struct source_file *file, const struct file_place *place);
void file_go(struct source_file *file, const struct file_place *place);

/* After it was opened again: what file_go() could not compare. False: it has changed. */
bool file_check(struct source_file *file);

/* The file is no longer what was read: to be read again from its beginning. */
void file_rewritten(struct source_file *file);
void file_close_when_drained(struct source_file *file);

static inline int64_t file_mtime_ns(const struct stat *status)
{
    return (int64_t)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec;
}
