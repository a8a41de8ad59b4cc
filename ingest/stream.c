/* One input's way from bytes to records. */
#include "stream.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "formats.h"
#include "inflate.h"
#include "memory.h"
#include "number.h"
#include "prefix.h"

#define NAME_MAX_BYTES 256
#define BUFFER_FIRST 4096
#define BUFFER_KEPT_EMPTY (64 * 1024) /* a larger one is kept: it is in use all the time */
#define OTHER_KEPT_MAX 5
#define EXCERPT_BYTES 60

/* What the input is, as far as that can be told. */
enum stream_kind {
    STREAM_NEW, /* not looked at yet */
    STREAM_LINES,
    STREAM_DOCUMENT, /* one JSON value of another format */
};

struct stream {
    struct stream_totals *totals;
    struct decoder decoder;
    const struct formats *formats; /* borrowed; NULL: our own records only */
    struct format_reader *reader;  /* owned; NULL until it is needed */
    enum stream_kind kind;
    bool slowly;   /* the next record may not be our own: not to be taken quickly */
    bool foreign;  /* other formats were found */
    bool document; /* it is, or was, one: alone it is one rank, which need not be said */
    char *buffer;
    size_t capacity;     /* of buffer, without the slack behind it */
    size_t begin, end;   /* what is not taken yet */
    size_t searched;     /* no line end in [begin, searched) */
    size_t record_at;    /* where the record that was given last begins */
    struct str rest;     /* of the line that was taken: more records may be in it */
    int64_t line;        /* number of the line that was taken, 1-based */
    int64_t lines_ended; /* so many line ends have been taken */
    bool after_return;   /* the buffer ended with '\r': a newline may still belong to it */
    bool ended;          /* what is left is a line */
    bool ended_foreign;  /* and other formats were told so */
    bool discarding;     /* up to the next newline */
    bool has_rank;       /* from the name */
    uint32_t rank;
    char name[NAME_MAX_BYTES];
};

struct stream *stream_new(const char *name, struct stream_totals *totals)
{
    struct stream *stream = memory_zeroed(1, sizeof(*stream));
    stream->totals = totals;
    stream->formats = totals->formats;
    stream->slowly = totals->formats != NULL;
    decoder_init(&stream->decoder);
    str_copy(stream->name, sizeof(stream->name), str_from(name));
    struct str plain = str_of(name, inflate_plain_length(name));
    stream->has_rank = file_name_rank(plain, &stream->rank);
    return stream;
}

void stream_free(struct stream *stream)
{
    if (!stream)
        return;
    format_reader_free(stream->reader);
    free(stream->buffer);
    free(stream);
}

void stream_own_only(struct stream *stream)
{
    stream->formats = NULL;
    stream->slowly = false;
}

bool stream_is_foreign(const struct stream *stream)
{
    return stream->foreign;
}

void stream_complain(struct stream_totals *totals, const char *name, int64_t line, const char *what)
{
    if (totals->complaint_count >= COMPLAINTS_MAX)
        return;
    char *to = totals->complaints[totals->complaint_count++];
    size_t length = strlen(name); /* of a long path the end says most */
    const char *dots = length > EXCERPT_BYTES ? "..." : "";
    name += length > EXCERPT_BYTES ? length - EXCERPT_BYTES : 0;
    if (line > 0)
        snprintf(to, COMPLAINT_BYTES, "%s%s:%lld: %s", dots, name, (long long)line, what);
    else
        snprintf(to, COMPLAINT_BYTES, "%s%s: %s", dots, name, what);
}

static void complain_of_line(struct stream *stream, const char *what, struct str line)
{
    if (stream->totals->complaint_count >= COMPLAINTS_MAX)
        return;
    char text[COMPLAINT_BYTES], excerpt[EXCERPT_BYTES];
    str_copy(excerpt, sizeof(excerpt), line);
    snprintf(text, sizeof(text), "%s: %s", what, excerpt);
    stream_complain(stream->totals, stream->name, stream->line, text);
}

static void count_damaged(struct stream *stream, const char *why, struct str line)
{
    stream->totals->counts.damaged++;
    complain_of_line(stream, why, line);
}

static void count_other(struct stream *stream, struct str line)
{
    stream->totals->counts.other++;
    if (stream->totals->other_kept < OTHER_KEPT_MAX) {
        stream->totals->other_kept++;
        complain_of_line(stream, "not a record", line);
    }
}

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
        if (stream->buffer[stream->begin] == '\n')
            stream->searched = ++stream->begin;
    }
}

static void release_when_empty(struct stream *stream)
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

/* The input has ended: what follows is another. */
static void forget(struct stream *stream)
{
    stream->rest = str_of(NULL, 0);
    stream->ended = stream->discarding = stream->after_return = false;
    stream->lines_ended = 0;
    stream->kind = STREAM_NEW;
    stream->slowly = stream->formats != NULL;
}

/* ---- lines ---- */

/* The high bit of each zero byte, exact up to the first. */
static uint64_t zero_bytes(uint64_t word)
{
    return (word - UINT64_C(0x0101010101010101)) & ~word & UINT64_C(0x8080808080808080);
}

/* The first place in [p, end) that ends a line: a newline, a lone carriage return
 * (progress bars), a NUL (a truncation under a writer that does not append leaves
 * a hole of them); `end` when there is none. Reads up to 8 bytes past it. */
static const char *find_line_end(const char *p, const char *end)
{
    for (; p < end; p += 8) {
        uint64_t word = number_load8(p);
        uint64_t found = zero_bytes(word) | zero_bytes(word ^ UINT64_C(0x0A0A0A0A0A0A0A0A)) |
                         zero_bytes(word ^ UINT64_C(0x0D0D0D0D0D0D0D0D));
        if (found) {
            p += __builtin_ctzll(found) / 8;
            return p < end ? p : end;
        }
    }
    return end;
}

static void skip_nuls(struct stream *stream)
{
    size_t first = stream->begin;
    while (stream->begin < stream->end && stream->buffer[stream->begin] == '\0')
        stream->begin++;
    stream->totals->counts.nul_bytes += stream->begin - first;
}

/* Takes what ended the line at stream->begin. */
static void take_line_end(struct stream *stream)
{
    char c = stream->buffer[stream->begin];
    if (c == '\0') {
        skip_nuls(stream);
        return;
    }
    stream->begin++;
    stream->lines_ended++;
    if (c == '\r' && stream->begin == stream->end)
        stream->after_return = true;
    else if (c == '\r' && stream->buffer[stream->begin] == '\n')
        stream->begin++;
}

static void count_too_long(struct stream *stream, const char *line)
{
    stream->totals->counts.too_long++;
    count_damaged(stream, "the line is longer than 65536 bytes, it was dropped",
                  str_of(line, EXCERPT_BYTES));
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

/* Takes the next line out of the buffer; false when its end is not there yet. */
static bool take_line(struct stream *stream, struct str *ret)
{
    while (stream->begin < stream->end) {
        const char *line = stream->buffer + stream->begin;
        const char *end = stream->buffer + stream->end;
        const char *line_end = find_line_end(stream->buffer + stream->searched, end);
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

static struct str without_blanks(struct str s)
{
    while (s.len > 0 && (s.p[0] == ' ' || s.p[0] == '\t')) {
        s.p++;
        s.len--;
    }
    while (s.len > 0 && (s.p[s.len - 1] == ' ' || s.p[s.len - 1] == '\t'))
        s.len--;
    return s;
}

/* A record that was read; false when nobody knows whose it is. */
static bool accept(struct stream *stream, struct record *record, struct str line)
{
    if (!(record->has & RECORD_RANK)) {
        if (!stream->has_rank && !stream->document) {
            count_damaged(
                stream, "no rank: not in the record, a prefix such as [rank5]:, or the name", line);
            return false;
        }
        record->rank = stream->has_rank ? stream->rank : 0;
        record->has |= RECORD_RANK;
    }
    stream->totals->counts.records++;
    return true;
}

/* ---- other formats ---- */

static struct format_reader *reader_of(struct stream *stream)
{
    if (!stream->reader)
        stream->reader = format_reader_new(stream->formats, stream->totals->book);
    return stream->reader;
}

static void tell_damages(struct stream *stream, struct str line)
{
    const char *why;
    while ((why = format_reader_damage(stream->reader)))
        count_damaged(stream, why, line);
}

/* The next record that other formats have made of what was read. */
static bool take_foreign(struct stream *stream, struct record *record)
{
    while (stream->reader && format_reader_next(stream->reader, record))
        if (accept(stream, record, str_from("(of the lines before)")))
            return true;
    return false;
}

/* Whether the line is of another format: then it is put in. */
static bool offer_line(struct stream *stream)
{
    struct str line = stream->rest;
    if (!format_reader_line(reader_of(stream), line)) {
        tell_damages(stream, line); /* of a block that it has ended */
        return false;
    }
    stream->foreign = true;
    tell_damages(stream, line);
    stream->rest = str_of(NULL, 0);
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Whether it begins as a document does. False: more bytes are needed to tell. */
static bool find_kind(struct stream *stream)
{
    const char *p = stream->buffer + stream->begin, *end = stream->buffer + stream->end;
    size_t mark = end - p >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; /* UTF-8 says so */
    for (p += mark; p < end && is_blank(*p);)
        p++;
    size_t size = (size_t)(end - p);
    enum log_sniff answer = LOG_SNIFF_NO;
    if (p == end && !stream->ended && stream->end - stream->begin < LOG_SNIFF_MAX)
        answer = LOG_SNIFF_MORE;
    else if (p < end && (*p == '{' || *p == '['))
        answer = format_reader_sniff(reader_of(stream), p, size, stream->ended);
    if (answer == LOG_SNIFF_MORE)
        return false;
    stream->kind = answer == LOG_SNIFF_YES ? STREAM_DOCUMENT : STREAM_LINES;
    stream->foreign |= answer == LOG_SNIFF_YES;
    stream->document = answer == LOG_SNIFF_YES;
    if (mark > 0)
        stream->searched = stream->begin += mark;
    return true;
}

static void take_document(struct stream *stream)
{
    stream->line = 0;
    format_reader_bytes(stream->reader, stream->buffer + stream->begin,
                        stream->end - stream->begin);
    stream->begin = stream->searched = stream->end;
    tell_damages(stream, str_from("(in the trace)"));
}

/* The states of other formats come to their end: what they held back is put out. */
static void end_foreign(struct stream *stream)
{
    if (!stream->reader)
        return;
    format_reader_end(stream->reader);
    tell_damages(stream, str_from("(at the end)"));
}

/* ---- one record ---- */

/* One attempt at a record in the rest of the line. */
static bool take_record(struct stream *stream, struct record *record)
{
    struct str line = stream->rest;
    size_t used;
    const char *why;
    stream->record_at = (size_t)(line.p - stream->buffer);
    enum decode_result result =
        decode_line(&stream->decoder, line.p, line.len, record, &used, &why);
    stream->rest = without_blanks(str_of(line.p + used, line.len - used));
    if (result == DECODE_OTHER)
        count_other(stream, line);
    if (result == DECODE_DAMAGED || (result == DECODE_RECORD && why))
        count_damaged(stream, why, line);
    return result == DECODE_RECORD && accept(stream, record, line);
}

/* The next line, when it looks like one before and is whole. */
static inline bool take_quickly(struct stream *stream, struct record *record)
{
    const char *line = stream->buffer + stream->begin;
    const char *after =
        decode_quickly(&stream->decoder, line, stream->buffer + stream->end, record);
    if (!after || after - line > STREAM_LINE_MAX)
        return false;
    if (!(record->has & RECORD_RANK)) {
        if (!stream->has_rank)
            return false;
        record->rank = stream->rank;
        record->has |= RECORD_RANK;
    }
    stream->record_at = stream->begin;
    stream->begin = stream->searched = (size_t)(after - stream->buffer);
    stream->line = ++stream->lines_ended;
    stream->totals->counts.records++;
    return true;
}

static bool take_line_slowly(struct stream *stream, struct record *record)
{
    for (;;) {
        if (take_foreign(stream, record))
            return true;
        while (stream->rest.len > 0)
            if (take_record(stream, record))
                return true;
        if (!take_line(stream, &stream->rest)) {
            stream->rest = str_of(NULL, 0);
            return false;
        }
        if (stream->formats && offer_line(stream))
            continue;
        stream->rest = without_blanks(stream->rest);
        if (stream->formats && stream->rest.len > 0 && !formats_own(stream->formats)) {
            count_other(stream, stream->rest);
            stream->rest = str_of(NULL, 0);
        }
    }
}

static bool take_slowly(struct stream *stream, struct record *record)
{
    if (take_foreign(stream, record))
        return true;
    if (stream->kind == STREAM_NEW && stream->formats) {
        if (stream->begin == stream->end && !stream->ended)
            return false;
        if (!find_kind(stream))
            return false;
    }
    if (stream->kind != STREAM_DOCUMENT)
        return take_line_slowly(stream, record);
    while (!take_foreign(stream, record)) {
        if (stream->begin == stream->end)
            return false;
        take_document(stream);
    }
    return true;
}

static __attribute__((noinline)) bool next_slowly(struct stream *stream, struct record *record)
{
    if (take_slowly(stream, record)) {
        /* Where a log of our own records begins, the quick way is left to them. */
        stream->slowly = stream->formats && (stream->foreign || !formats_own(stream->formats));
        return true;
    }
    if (stream->ended && !stream->ended_foreign) {
        stream->ended_foreign = true;
        end_foreign(stream);
        if (take_foreign(stream, record))
            return true;
    }
    release_when_empty(stream);
    if (stream->ended)
        forget(stream);
    return false;
}

bool stream_next(struct stream *stream, struct record *record)
{
    if (stream->rest.len == 0 && stream->begin < stream->end && !stream->discarding &&
        !stream->slowly && take_quickly(stream, record))
        return true;
    return next_slowly(stream, record);
}

void stream_end(struct stream *stream)
{
    stream->ended = true;
    stream->ended_foreign = false;
}

void stream_cut(struct stream *stream, const char *why)
{
    stream->line = stream->lines_ended + 1;
    count_damaged(stream, why,
                  stream_pending(stream)
                      ? str_of(stream->buffer + stream->begin, stream->end - stream->begin)
                      : str_from("(at the end)"));
    stream->begin = stream->end = stream->searched = 0;
    end_foreign(stream);
    forget(stream);
    release_when_empty(stream);
}

void stream_reset(struct stream *stream)
{
    if (stream_pending(stream)) {
        stream_cut(stream, "the file was cut while this line was being written");
        return;
    }
    end_foreign(stream);
    stream->begin = stream->end = stream->searched = 0;
    forget(stream);
    release_when_empty(stream);
}

const char *stream_name(const struct stream *stream)
{
    return stream->name;
}

/* ---- places to go on from ---- */

struct stream_place stream_place(const struct stream *stream, bool of_record)
{
    if (!of_record && stream->rest.len == 0)
        return (struct stream_place){.behind = stream->end - stream->begin,
                                     .lines = stream->lines_ended,
                                     .after_return = stream->after_return,
                                     .discarding = stream->discarding};
    size_t at = of_record ? stream->record_at : (size_t)(stream->rest.p - stream->buffer);
    return (struct stream_place){.behind = stream->end - at, .lines = stream->line - 1};
}

const char *stream_before(const struct stream *stream, const struct stream_place *place,
                          size_t size)
{
    size_t at = stream->end - place->behind;
    return stream->buffer && at >= size ? stream->buffer + at - size : NULL;
}

void stream_go(struct stream *stream, const struct stream_place *place)
{
    stream->begin = stream->end = stream->searched = 0;
    if (stream->reader)
        format_reader_reset(stream->reader);
    forget(stream);
    release_when_empty(stream);
    stream->kind = place->lines > 0 ? STREAM_LINES : STREAM_NEW;
    stream->lines_ended = place->lines;
    stream->after_return = place->after_return;
    stream->discarding = place->discarding;
}

bool stream_pending(const struct stream *stream)
{
    return stream->begin < stream->end || stream->rest.len > 0;
}
