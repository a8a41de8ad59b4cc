/* One temporary file without a name, shared by many inputs. */
#include "spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "memory.h"

#define BLOCK_BYTES (256 * 1024)

struct spool {
    int fd; /* -1: not made yet */
    uint32_t block_count;
};

struct spool *spool_new(void)
{
    struct spool *spool = memory_zeroed(1, sizeof *spool);
    spool->fd = -1;
    return spool;
}

void spool_free(struct spool *spool)
{
    if (!spool)
        return;
    if (spool->fd >= 0)
        close(spool->fd);
    free(spool);
}

void spool_part_done(struct spool_part *part)
{
    free(part->blocks);
    *part = (struct spool_part){0};
}

static int make_in(const char *folder)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return fd;
    char name[4096]; /* a file system that knows no file without a name */
    int length = snprintf(name, sizeof name, "%s/lockstep-XXXXXX", folder);
    if (length >= (int)sizeof name) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0)
        unlink(name);
    return fd;
}

static int make(void)
{
    const char *folder = getenv("TMPDIR");
    if (folder && folder[0] != '\0')
        return make_in(folder);
    int fd = make_in("/var/tmp");
    return fd >= 0 ? fd : make_in("/tmp");
}

static int write_at(int fd, const char *bytes, size_t size, off_t at)
{
    while (size > 0) {
        ssize_t written = pwrite(fd, bytes, size, at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? -errno : -ENOSPC;
        bytes += written;
        size -= (size_t)written;
        at += written;
    }
    return 0;
}

/* The place of the part's byte in the spool's file, and what is left of its block. */
static off_t place_of(const struct spool_part *part, int64_t offset, size_t *ret_left)
{
    *ret_left = BLOCK_BYTES - (size_t)(offset % BLOCK_BYTES);
    return (off_t)part->blocks[offset / BLOCK_BYTES] * BLOCK_BYTES + offset % BLOCK_BYTES;
}

static void add_block(struct spool *spool, struct spool_part *part)
{
    if (part->block_count == part->block_capacity) {
        part->block_capacity = part->block_capacity ? part->block_capacity * 2 : 4;
        part->blocks = memory_resized(part->blocks, part->block_capacity, sizeof *part->blocks);
    }
    part->blocks[part->block_count++] = spool->block_count++;
}

int spool_append(struct spool *spool, struct spool_part *part, const void *bytes, size_t size)
{
    const char *from = bytes;
    int64_t end = part->size;
    if (spool->fd < 0 && (spool->fd = make()) < 0)
        return -errno;
    while (size > 0) {
        if (end == (int64_t)part->block_count * BLOCK_BYTES) {
            if (spool->block_count == UINT32_MAX)
                return -EFBIG;
            add_block(spool, part);
        }
        size_t left;
        off_t at = place_of(part, end, &left);
        left = left < size ? left : size;
        int result = write_at(spool->fd, from, left, at);
        if (result < 0)
            return result;
        from += left;
        size -= left;
        end += (int64_t)left;
    }
    part->size = end;
    return 0;
}

ssize_t spool_read(const struct spool *spool, const struct spool_part *part, int64_t offset,
                   void *bytes, size_t size)
{
    size_t done = 0;
    while (done < size && offset < part->size) {
        size_t left;
        off_t at = place_of(part, offset, &left);
        int64_t rest = part->size - offset;
        left = left < size - done ? left : size - done;
        left = (int64_t)left < rest ? left : (size_t)rest;
        ssize_t got = pread(spool->fd, (char *)bytes + done, left, at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -errno : -EIO;
        done += (size_t)got;
        offset += got;
    }
    return (ssize_t)done;
}
