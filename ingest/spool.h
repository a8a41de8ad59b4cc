/* One temporary file without a name, in which many inputs lie open side by side:
 * plain bytes that can be read again at any offset. In $TMPDIR, else in /var/tmp or
 * /tmp; it is gone with the program, however that ends. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct spool;

/* What one input has in it. All zero is nothing; spool_part_done() frees the list. */
struct spool_part {
    uint32_t *blocks; /* of the spool's file, in order */
    size_t block_count, block_capacity;
    int64_t size;
};

struct spool *spool_new(void); /* the file is made when something is put in */
void spool_free(struct spool *spool);
void spool_part_done(struct spool_part *part);

/* Appends. 0, or negative errno: nothing of it was appended (no room, no folder for it). */
int spool_append(struct spool *spool, struct spool_part *part, const void *bytes, size_t size);

/* Up to `size` bytes from the offset on: how many, 0 at the part's end, negative errno. */
ssize_t spool_read(const struct spool *spool, const struct spool_part *part, int64_t offset,
                   void *bytes, size_t size);
