/* A stream's buffer, and lines out of it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__) && !defined(LINE_SHAPE_PORTABLE)
#include <emmintrin.h>
#endif

#include "memory.h"
#include "number.h"
#include "stream_inside.h"

#define BUFFER_FIRST 4096
#define BUFFER_KEPT_EMPTY (64 * 1024) /* a larger one is kept: it is in use all the time */

/* ---- the buffer ---- */

static void resize_buffer(struct stream *stream, size_t capacity)
{
    stream->buffer = memory_resized(stream->buffer, capacity + DECODE_SLACK, 1);
    stream->capacity = capacity;
}

static void move_to_front(struct stream *stream)
{
    if (stream->begin == 0)
        return;
    memmove(stream->buffer, stream->buffer + stream->begin, stream->end - stream->begin);
    stream->end -= stream->begin;
    stream->searched -= stream->begin;
    stream->begin = 0;
}

char *stream_space(struct stream *stream, size_t want, size_t *ret_size)
{
    if (stream->begin == stream->end)
        stream->begin = stream->end = stream->searched = 0;
    move_to_front(stream);
    size_t need = stream->end + (want < BUFFER_FIRST ? BUFFER_FIRST : want);
    size_t capacity = stream->capacity ? stream->capacity : BUFFER_FIRST;
    while (capacity < need && capacity < STREAM_BUFFER_MAX)
        capacity *= 2;
    if (capacity != stream->capacity)
        resize_buffer(stream, capacity);
    assert(stream->end < stream->capacity);
    *ret_size = stream->capacity - stream->end;
    return stream->buffer + stream->end;
}

void stream_filled(struct stream *stream, size_t size)
{
    assert(size <= stream->capacity - stream->end);
    stream->end += size;
    stream->totals->counts.bytes += size;
    memset(stream->buffer + stream->end, 0, DECODE_SLACK);
    if (size > 0 && stream->after_return) {
        stream->after_return = false;
        if (stream->buffer[stream->begin] == '\n') {
            stream->searched = ++stream->begin;
            stream->lines_ended++;
        }
    }
}

void stream_release_when_empty(struct stream *stream)
{
    if (stream->begin < stream->end)
        return;
    stream->begin = stream->end = stream->searched = 0;
    if (stream->capacity > 0 && stream->capacity <= BUFFER_KEPT_EMPTY) {
        free(stream->buffer);
        stream->buffer = NULL;
        stream->capacity = 0;
    }
}

/* ---- lines ---- */

#if defined(__SSE2__) && !defined(LINE_SHAPE_PORTABLE)
/* A bit for each of the 32 bytes at p that is a control character. */
static inline uint32_t controls32(const char *p)
{
    const __m128i most = _mm_set1_epi8(0x1f);
    __m128i low = _mm_loadu_si128((const __m128i *)p),
            high = _mm_loadu_si128((const __m128i *)p + 1);
    low = _mm_cmpeq_epi8(_mm_min_epu8(low, most), low);
    high = _mm_cmpeq_epi8(_mm_min_epu8(high, most), high);
    return (uint32_t)_mm_movemask_epi8(low) | (uint32_t)_mm_movemask_epi8(high) << 16;
}

/* The first place in [p, end) that ends a line: a newline, a lone carriage return
 * (progress bars), a NUL (a truncation under a writer that does not append leaves
 * a hole of them); `end` when there is none. Reads up to 32 bytes past it. Sets *escapes where
 * there may be a terminal's escape before it. */
static const char *find_line_end(const char *p, const char *end, bool *escapes)
{
    for (; p < end; p += 32)
        for (uint32_t found = controls32(p); found; found &= found - 1) {
            const char *at = p + __builtin_ctz(found);
            if (*at == '\n' || *at == '\r' || *at == '\0')
                return at < end ? at : end;
            *escapes |= *at == 0x1b;
        }
    return end;
}
#else
/* The high bit of each zero byte, exact up to the first. */
static uint64_t zero_bytes(uint64_t word)
{
    return (word - UINT64_C(0x0101010101010101)) & ~word & UINT64_C(0x8080808080808080);
}

static const char *find_line_end(const char *p, const char *end, bool *escapes)
{
    for (; p < end; p += 8) {
        uint64_t word = number_load8(p);
        *escapes |= zero_bytes(word ^ UINT64_C(0x1B1B1B1B1B1B1B1B)) != 0;
        uint64_t found = zero_bytes(word) | zero_bytes(word ^ UINT64_C(0x0A0A0A0A0A0A0A0A)) |
                         zero_bytes(word ^ UINT64_C(0x0D0D0D0D0D0D0D0D));
        if (found) {
            p += __builtin_ctzll(found) / 8;
            return p < end ? p : end;
        }
    }
    return end;
}
#endif

static void skip_nuls(struct stream *stream)
{
    size_t first = stream->begin;
    while (stream->begin < stream->end && stream->buffer[stream->begin] == '\0')
        stream->begin++;
    stream->totals->counts.nul_bytes += stream->begin - first;
}

/* Takes what ended the line at stream->begin. A lone carriage return begins no new line for an
 * editor or grep, whose numbers ours are to be. */
static void take_line_end(struct stream *stream)
{
    char c = stream->buffer[stream->begin];
    if (c == '\0') {
        skip_nuls(stream);
        return;
    }
    stream->begin++;
    if (c == '\r' && stream->begin == stream->end) {
        stream->after_return = true;
        return;
    }
    if (c == '\r' && stream->buffer[stream->begin] == '\n')
        c = stream->buffer[stream->begin++];
    stream->lines_ended += c == '\n';
}

static void count_too_long(struct stream *stream, const char *line)
{
    stream->totals->counts.too_long++;
    stream_count_damaged(stream, "the line is longer than 65536 bytes, it was dropped",
                         str_of(line, STREAM_EXCERPT_BYTES));
}

static void discard_long_line(struct stream *stream)
{
    if (!stream->discarding) {
        stream->line = stream->lines_ended + 1;
        count_too_long(stream, stream->buffer + stream->begin);
    }
    stream->discarding = true;
    stream->begin = stream->searched = stream->end;
}

bool stream_take_line(struct stream *stream, struct str *ret)
{
    while (stream->begin < stream->end) {
        const char *line = stream->buffer + stream->begin;
        const char *end = stream->buffer + stream->end;
        if (stream->searched == stream->begin)
            stream->escapes = false;
        const char *line_end =
            find_line_end(stream->buffer + stream->searched, end, &stream->escapes);
        size_t length = (size_t)(line_end - line);
        if (line_end == end && !stream->ended) {
            stream->searched = stream->end;
            if (length > STREAM_LINE_MAX || stream->discarding)
                discard_long_line(stream);
            return false;
        }
        stream->line = stream->lines_ended + 1;
        stream->begin += length;
        if (line_end < end)
            take_line_end(stream);
        stream->searched = stream->begin;
        if (stream->discarding) { /* this was the end of the long line */
            stream->discarding = false;
            continue;
        }
        if (length > STREAM_LINE_MAX) {
            count_too_long(stream, line);
            continue;
        }
        if (length > 0) {
            *ret = str_of(line, length);
            return true;
        }
    }
    return false;
}
