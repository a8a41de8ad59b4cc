/* Compressed bytes to plain ones, by zlib and libzstd. */
#include "inflate.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "memory.h"

#define GZIP_WINDOW_BITS (15 + 16) /* of zlib: the largest window, with a gzip header */
#define ZSTD_WINDOW_LOG 27

static const unsigned char gzip_magic[] = {0x1f, 0x8b, 0x08};
static const unsigned char zstd_magic[] = {0x28, 0xb5, 0x2f, 0xfd};
static const unsigned char skip_magic[] = {0x2a, 0x4d, 0x18}; /* behind 0x50 to 0x5f */

struct inflater {
    enum inflate_kind kind;
    bool between;        /* members or frames */
    bool padding;        /* zeros behind the last gzip member, as tapes have them */
    const char *problem; /* NULL: none */
    z_stream gzip;
    ZSTD_DStream *zstd;
};

/* ---- what it is ---- */

static bool ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), size = strlen(ending);
    return length > size && strcmp(name + length - size, ending) == 0;
}

size_t inflate_plain_length(const char *name)
{
    return strlen(name) - (ends_with(name, ".gz") ? 3 : ends_with(name, ".zst") ? 4 : 0);
}

static bool begins(const unsigned char *bytes, size_t size, const unsigned char *magic,
                   size_t magic_size, bool may_be_cut)
{
    if (size >= magic_size)
        return memcmp(bytes, magic, magic_size) == 0;
    return may_be_cut && size > 0 && memcmp(bytes, magic, size) == 0;
}

enum inflate_kind inflate_kind(const void *from, size_t size, const char *name)
{
    const unsigned char *bytes = from;
    if (begins(bytes, size, gzip_magic, sizeof gzip_magic, ends_with(name, ".gz")))
        return INFLATE_GZIP;
    if (begins(bytes, size, zstd_magic, sizeof zstd_magic, ends_with(name, ".zst")))
        return INFLATE_ZSTD;
    if (size > sizeof skip_magic && (bytes[0] & 0xf0) == 0x50 &&
        memcmp(bytes + 1, skip_magic, sizeof skip_magic) == 0)
        return INFLATE_ZSTD;
    return INFLATE_NOT;
}

/* ---- memory ---- */

static void *gzip_memory(void *nobody, unsigned count, unsigned size)
{
    (void)nobody;
    return memory_zeroed(count, size);
}

static void gzip_release(void *nobody, void *memory)
{
    (void)nobody;
    free(memory);
}

struct inflater *inflater_new(enum inflate_kind kind)
{
    assert(kind != INFLATE_NOT);
    struct inflater *inflater = memory_zeroed(1, sizeof *inflater);
    inflater->kind = kind;
    inflater->between = true;
    if (kind == INFLATE_GZIP) {
        inflater->gzip.zalloc = gzip_memory;
        inflater->gzip.zfree = gzip_release;
        int result = inflateInit2(&inflater->gzip, GZIP_WINDOW_BITS);
        assert(result == Z_OK);
    } else {
        inflater->zstd = ZSTD_createDStream();
        assert(inflater->zstd);
        ZSTD_DCtx_setParameter(inflater->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG);
    }
    return inflater;
}

void inflater_free(struct inflater *inflater)
{
    if (!inflater)
        return;
    if (inflater->kind == INFLATE_GZIP)
        inflateEnd(&inflater->gzip);
    else
        ZSTD_freeDStream(inflater->zstd);
    free(inflater);
}

/* ---- at work ---- */

struct work {
    const unsigned char *bytes;
    size_t size, taken;
    unsigned char *to;
    size_t room, made;
};

static enum inflate_result damaged(struct inflater *inflater, const char *problem)
{
    inflater->problem = problem;
    return INFLATE_DAMAGED;
}

/* Behind a member comes another, or zeros to the end. False: neither. */
static bool next_member(struct inflater *inflater, struct work *work)
{
    while (work->taken < work->size && work->bytes[work->taken] == 0 &&
           inflater->gzip.total_in > 0) {
        inflater->padding = true;
        work->taken++;
    }
    if (work->taken == work->size)
        return true;
    if (inflater->padding || work->bytes[work->taken] != gzip_magic[0])
        return false;
    if (inflater->gzip.total_in > 0)
        inflateReset(&inflater->gzip);
    inflater->between = false;
    return true;
}

static enum inflate_result run_gzip(struct inflater *inflater, struct work *work)
{
    z_stream *gzip = &inflater->gzip;
    while (work->made < work->room) {
        if (inflater->between && !next_member(inflater, work))
            return damaged(inflater, "holds something else behind its compressed data");
        if (inflater->between)
            return INFLATE_HUNGRY;
        size_t size = work->size - work->taken, room = work->room - work->made;
        gzip->next_in = (unsigned char *)work->bytes + work->taken;
        gzip->avail_in = size < UINT32_MAX ? (unsigned)size : UINT32_MAX;
        gzip->next_out = work->to + work->made;
        gzip->avail_out = room < UINT32_MAX ? (unsigned)room : UINT32_MAX;
        int result = inflate(gzip, Z_NO_FLUSH);
        work->taken = (size_t)(gzip->next_in - work->bytes);
        work->made = (size_t)(gzip->next_out - work->to);
        if (result == Z_STREAM_END)
            inflater->between = true;
        else if (work->made == work->room && (result == Z_OK || result == Z_BUF_ERROR))
            return INFLATE_FULL;
        else if (work->taken == work->size && (result == Z_OK || result == Z_BUF_ERROR))
            return INFLATE_HUNGRY;
        else if (result != Z_OK)
            return damaged(inflater, "holds damaged compressed data");
    }
    return INFLATE_FULL;
}

static const char *zstd_problem(size_t result)
{
    if (ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge)
        return "needs more than 128 MiB to be decompressed (zstd --long)";
    if (ZSTD_getErrorCode(result) == ZSTD_error_dictionary_wrong)
        return "was compressed with a dictionary";
    if (ZSTD_getErrorCode(result) == ZSTD_error_prefix_unknown)
        return "holds something else behind its compressed data";
    return "holds damaged compressed data";
}

static enum inflate_result run_zstd(struct inflater *inflater, struct work *work)
{
    while (work->made < work->room) {
        if (inflater->between && work->taken == work->size)
            return INFLATE_HUNGRY;
        ZSTD_inBuffer in = {work->bytes, work->size, work->taken};
        ZSTD_outBuffer out = {work->to, work->room, work->made};
        size_t result = ZSTD_decompressStream(inflater->zstd, &out, &in);
        bool moved = in.pos > work->taken || out.pos > work->made;
        work->taken = in.pos;
        work->made = out.pos;
        if (ZSTD_isError(result))
            return damaged(inflater, zstd_problem(result));
        inflater->between = result == 0;
        if (!inflater->between && work->taken == work->size && work->made < work->room)
            return INFLATE_HUNGRY;
        if (!moved)
            return damaged(inflater, "holds damaged compressed data");
    }
    return INFLATE_FULL;
}

enum inflate_result inflater_run(struct inflater *inflater, const void *bytes, size_t size,
                                 size_t *ret_taken, void *to, size_t room, size_t *ret_made)
{
    struct work work = {.bytes = bytes, .size = size, .to = to, .room = room};
    enum inflate_result result = INFLATE_DAMAGED;
    if (!inflater->problem)
        result =
            inflater->kind == INFLATE_GZIP ? run_gzip(inflater, &work) : run_zstd(inflater, &work);
    *ret_taken = work.taken;
    *ret_made = work.made;
    return result;
}

bool inflater_may_end(const struct inflater *inflater)
{
    return inflater->between;
}

const char *inflater_problem(const struct inflater *inflater)
{
    return inflater->problem;
}
