/* Finds the frame in which a .zst file was torn, and saves what is in it. */
#include "recorder_zst.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#define MAGIC_SKIPPABLE UINT32_C(0x184D2A50) /* and the 15 after it */
#define TORN_MAX (16 << 20)                  /* bytes of a torn frame that is saved, packed */
#define SAVED_MAX (64 << 20)                 /* and unpacked */

enum frame { FRAME_WHOLE, FRAME_TORN, FRAME_NONE };

static uint32_t little_endian(const unsigned char *bytes, int count)
{
    uint32_t value = 0;
    for (int i = count; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

static bool read_at(int fd, int64_t at, unsigned char *to, size_t size)
{
    return pread(fd, to, size, at) == (ssize_t)size;
}

/* Bytes of a frame's header, by its descriptor (RFC 8878, section 3.1.1.1). */
static int64_t header_size(unsigned descriptor)
{
    static const int dictionary[] = {0, 1, 2, 4}, content[] = {0, 2, 4, 8};
    bool single = descriptor & 0x20;
    int content_bytes = content[descriptor >> 6];
    if (single && content_bytes == 0)
        content_bytes = 1;
    return 5 + !single + dictionary[descriptor & 3] + content_bytes;
}

/* Where the frame at `at` ends; looks at the headers of its blocks only. */
static enum frame frame_end(int fd, int64_t at, int64_t size, int64_t *ret_end)
{
    unsigned char head[8];
    if (size - at < 5)
        return FRAME_TORN;
    if (!read_at(fd, at, head, 5))
        return FRAME_NONE;
    uint32_t magic = little_endian(head, 4);
    if ((magic & ~UINT32_C(15)) == MAGIC_SKIPPABLE) {
        if (!read_at(fd, at, head, 8))
            return FRAME_TORN;
        *ret_end = at + 8 + little_endian(head + 4, 4);
        return *ret_end <= size ? FRAME_WHOLE : FRAME_TORN;
    }
    if (magic != ZSTD_MAGICNUMBER)
        return FRAME_NONE;
    bool checksum = head[4] & 4, last = false;
    at += header_size(head[4]);
    while (!last) {
        if (!read_at(fd, at, head, 3))
            return FRAME_TORN;
        uint32_t block = little_endian(head, 3), kind = block >> 1 & 3;
        if (kind == 3)
            return FRAME_NONE;
        last = block & 1;
        at += 3 + (kind == 1 ? 1 : (int64_t)(block >> 3));
    }
    *ret_end = at + (checksum ? 4 : 0);
    return *ret_end <= size ? FRAME_WHOLE : FRAME_TORN;
}

/* Unpacks what can be unpacked; the size, or -1: too much, or no memory. */
static int64_t unpack(const void *packed, size_t size, char **ret)
{
    ZSTD_DStream *stream = ZSTD_createDStream();
    char *to = malloc(SAVED_MAX);
    ZSTD_inBuffer in = {packed, size, 0};
    ZSTD_outBuffer out = {to, SAVED_MAX, 0};
    bool full = !stream || !to;
    while (!full) {
        size_t in_before = in.pos, out_before = out.pos;
        if (ZSTD_isError(ZSTD_decompressStream(stream, &out, &in)))
            break;
        full = out.pos == out.size;
        if (in.pos == in_before && out.pos == out_before)
            break;
    }
    ZSTD_freeDStream(stream);
    *ret = to;
    return full ? -1 : (int64_t)out.pos;
}

static int fail(char *error, size_t size, const char *what)
{
    snprintf(error, size, "%s", what);
    return -1;
}

/* The saved lines take the place of the torn frame. */
static int put_back(int fd, int64_t at, const char *lines, size_t size, char *error,
                    size_t error_size)
{
    size_t room = ZSTD_compressBound(size);
    char *frame = malloc(room);
    size_t packed = frame ? ZSTD_compress(frame, room, lines, size, 3) : 0;
    bool ok = frame && !ZSTD_isError(packed) && ftruncate(fd, at) == 0 &&
              (size == 0 || pwrite(fd, frame, packed, at) == (ssize_t)packed);
    int reason = errno;
    free(frame);
    if (ok)
        return 0;
    snprintf(error, error_size, "its torn end can't be mended: %s", strerror(reason));
    return -1;
}

static int mend_frame(int fd, int64_t at, int64_t size, char *error, size_t error_size)
{
    static const char too_large[] = "its last frame is torn and too large to be mended here; name "
                                    "another file";
    size_t packed_size = (size_t)(size - at);
    if (size - at > TORN_MAX)
        return fail(error, error_size, too_large);
    unsigned char *packed = malloc(packed_size);
    if (!packed || !read_at(fd, at, packed, packed_size)) {
        free(packed);
        return fail(error, error_size, "its end can't be read");
    }
    char *lines = NULL;
    int64_t saved = unpack(packed, packed_size, &lines);
    int result = saved < 0 ? fail(error, error_size, too_large)
                           : put_back(fd, at, lines, (size_t)saved, error, error_size);
    free(packed);
    free(lines);
    return result;
}

int recorder_zst_mend(int fd, int64_t size, char *error, size_t error_size)
{
    int64_t at = 0;
    while (at < size) {
        int64_t end = 0;
        enum frame frame = frame_end(fd, at, size, &end);
        if (frame == FRAME_NONE)
            return fail(error, error_size,
                        at == 0 ? "it is not what its name says, a .zst file; name another file"
                                : "something else than zstd stands in it; name another file");
        if (frame == FRAME_TORN)
            return mend_frame(fd, at, size, error, error_size);
        at = end;
    }
    return 0;
}
