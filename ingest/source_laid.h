/* A file with logs of other formats, as our own records. Their decoders have state, so
 * that no place in such a file is one to go on from. Where they begin, the records that
 * come of them are laid open in the spool, once, and all that goes back reads those: up
 * to `from` the bytes are the file's own, behind it they are the spool's. Of a mixed file
 * our own records follow there, too. */
#pragma once

#include "source_file.h"
#include "spool.h"

#define LAID_MAX 32 /* files that are laid open side by side; others each in one go */

struct laid {
    struct source_file *first; /* borrowed: who reads the file for the first time */
    struct source_file *raw;   /* owned: the file as it is; NULL: it is not open, or at its end */
    struct spool *spool;       /* borrowed */
    struct spool_part part;
    int *count;    /* borrowed: of files that were laid open */
    int64_t from;  /* INT64_MAX: none of it is laid open */
    int64_t clear; /* so far nobody found other formats; what `first` knows beyond that is more */
    int64_t taken; /* bytes of the file that were read, at the end */
    bool whole;    /* nothing is given before it is at its end */
    bool ended;
    char problem[96]; /* why it ended too early; empty: it did not */
};

struct laid *laid_new(struct source_file *first, struct spool *spool, int *count);
void laid_free(struct laid *laid);

static inline bool laid_is_open(const struct source_file *file)
{
    return file->laid && file->laid->from != INT64_MAX;
}

/* Likewise, and the file stands within that. */
static inline bool laid_goes_on(const struct source_file *file)
{
    return laid_is_open(file) && file->offset >= file->laid->from;
}

static inline bool laid_failed(const struct source_file *file)
{
    return file->laid && file->laid->problem[0] != '\0';
}

/* All of the file, from its beginning on, whatever it holds. */
void laid_open_all(struct source_file *file);

/* stream_next() of a file that may hold other formats. False: more is to be read, or it has just
 * been laid open. */
bool laid_take(struct source_file *file, struct record *ret_record);

/* The next bytes that are laid open, into the file's stream; 0 with found_end at the end, without
 * it when nothing has come yet. *ret_cost: bytes that were read for it. */
size_t laid_read(struct source_file *file, size_t want, size_t *ret_cost);

/* Up to where bytes of the file itself may be read now: who reads it again stays behind the first,
 * who finds out what they are. */
int64_t laid_limit(const struct source_file *file);

/* Before the first reader goes to another place. */
void laid_note(struct source_file *file);

/* Bytes of the file that were read. */
int64_t laid_taken(const struct laid *laid);
