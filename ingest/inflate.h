/* Compressed bytes to plain ones: gzip (of several members), zstd (of several
 * frames, skippable ones too). No I/O; bounded memory whatever arrives: 40 KiB of
 * gzip, of zstd what a frame asks for, up to 128 MiB (as the zstd tool). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum inflate_kind {
    INFLATE_NOT, /* the bytes are what they are */
    INFLATE_GZIP,
    INFLATE_ZSTD,
};

#define INFLATE_MAGIC_BYTES 4

/* What the first bytes of a file say (at least INFLATE_MAGIC_BYTES unless it is shorter). A file
 * that was cut within them is known by the ending of its name. */
enum inflate_kind inflate_kind(const void *bytes, size_t size, const char *name);

/* The length of `name` without ".gz" or ".zst"; all of it when it has no such ending. */
size_t inflate_plain_length(const char *name);

enum inflate_result {
    INFLATE_HUNGRY, /* all input was taken: more is needed, or it is the end */
    INFLATE_FULL,   /* the output is full: there may be more */
    INFLATE_DAMAGED,
};

struct inflater;

struct inflater *inflater_new(enum inflate_kind kind); /* not INFLATE_NOT */
void inflater_free(struct inflater *inflater);

/* Takes *ret_taken of `size` bytes and makes *ret_made, at most `room`. What was made before the
 * damage is good; after it nothing more is made. */
enum inflate_result inflater_run(struct inflater *inflater, const void *bytes, size_t size,
                                 size_t *ret_taken, void *to, size_t room, size_t *ret_made);

/* Whether the input may end here: behind a whole member or frame. */
bool inflater_may_end(const struct inflater *inflater);

/* After INFLATE_DAMAGED, words for what is wrong: "holds damaged compressed data". */
const char *inflater_problem(const struct inflater *inflater);
