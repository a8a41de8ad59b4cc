/* Bounded looks into a file: pieces of it as plain bytes, and what its beginning holds. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "inflate.h"

#define LOOK_BYTES (64 * 1024)

struct formats;
struct log_book;

struct look {
    int fd;
    int64_t size;           /* of the file */
    enum inflate_kind kind; /* of what is compressed only the beginning is seen */
    int64_t next;           /* of look_next(): bytes of the file */
    struct inflater *inflater;
    char bytes[LOOK_BYTES], packed[LOOK_BYTES];
};

struct look *look_open(const char *path); /* NULL: it is not there, or no regular file */
void look_close(struct look *look);

/* Up to LOOK_BYTES plain bytes from `at` on into look->bytes. *ret_end: the file ends with them. */
ssize_t look_read(struct look *look, int64_t at, bool *ret_end);

/* The next LOOK_BYTES, at most, from the beginning on, of what is compressed too. */
ssize_t look_next(struct look *look, bool *ret_end);

/* What the beginning of a file holds. */
enum look_kind {
    LOOK_NOTHING, /* no record, nor the begin of a document or a log that is known */
    LOOK_OWN,
    LOOK_FOREIGN,
};

/* `formats` may be NULL. *ret_title (may be NULL): the first format's that was found, or of our own
 * records; static, or the format's. */
enum look_kind look_at_beginning(const char *path, const struct formats *formats,
                                 const char **ret_title);
