/* Compressed files for tests: in one member or frame, or in several. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

/* Compressed bytes; free() them. */
struct pack {
    unsigned char *bytes;
    size_t size;
};

static inline void pack_append(struct pack *pack, const void *bytes, size_t size)
{
    pack->bytes = realloc(pack->bytes, pack->size + size + 1);
    if (!pack->bytes)
        abort();
    memcpy(pack->bytes + pack->size, bytes, size);
    pack->size += size;
}

/* One gzip member more. */
static inline void pack_gzip(struct pack *pack, const void *text, size_t size)
{
    z_stream stream = {.next_in = (unsigned char *)(size_t)text, .avail_in = (unsigned)size};
    size_t room = size + size / 100 + 1024;
    unsigned char *out = malloc(room);
    if (!out || deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        abort();
    stream.next_out = out;
    stream.avail_out = (unsigned)room;
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
        abort();
    deflateEnd(&stream);
    pack_append(pack, out, room - stream.avail_out);
    free(out);
}

/* One zstd frame more, with a checksum. */
static inline void pack_zstd(struct pack *pack, const void *text, size_t size)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    size_t room = ZSTD_compressBound(size) + 1024;
    unsigned char *out = malloc(room);
    if (!out || !context)
        abort();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    ZSTD_inBuffer in = {text, size, 0};
    ZSTD_outBuffer to = {out, room, 0};
    if (ZSTD_compressStream2(context, &to, &in, ZSTD_e_end) != 0)
        abort();
    ZSTD_freeCCtx(context);
    pack_append(pack, out, to.pos);
    free(out);
}

/* A zstd frame that is to be skipped. */
static inline void pack_skippable(struct pack *pack)
{
    static const unsigned char frame[] = {0x5a, 0x2a, 0x4d, 0x18, 5,   0,  0,
                                          0,    'h',  'e',  'l',  'l', 'o'};
    pack_append(pack, frame, sizeof frame);
}
