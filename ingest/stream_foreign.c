/* What is in a stream besides our own records. */
#include <string.h>

#include "stream_inside.h"

static struct format_reader *reader_of(struct stream *stream)
{
    if (stream->reader)
        return stream->reader;
    stream->reader =
        format_reader_new(stream->formats, stream->totals->book,
                          stream->has_rank ? (int64_t)stream->rank : -1, stream->says_rank);
    format_reader_source(stream->reader, stream->source);
    return stream->reader;
}

static void tell_damages(struct stream *stream, struct str line)
{
    const char *why;
    while (stream->reader->damage_count > 0 && (why = format_reader_damage(stream->reader)))
        stream_count_damaged(stream, why, line);
}

bool stream_take_waiting(struct stream *stream, struct record *record)
{
    static const char where[] = "(of the lines before)";
    while (format_reader_next(stream->reader, record)) {
        if (record->has & RECORD_RANK) {
            stream->totals->counts.records++;
            return true;
        }
        stream_count_nobodys(stream, str_of(where, sizeof(where) - 1));
    }
    return false;
}

bool stream_offer_line(struct stream *stream)
{
    struct str line = stream->rest;
    if (stream->own_end > 0)
        format_reader_own(reader_of(stream), stream->own_end - 1);
    stream->own_end = 0;
    bool cut = stream->ended && line.p + line.len == stream->buffer + stream->end;
    if (!format_reader_line(reader_of(stream), line, cut, stream->escapes)) {
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

static const char utf8_mark[] = "\xEF\xBB\xBF"; /* what some editors put before a text */

/* How much of the mark the bytes begin with, when they hold nothing else or all of it. */
static size_t leading_mark(const char *bytes, size_t size)
{
    size_t length = sizeof(utf8_mark) - 1 < size ? sizeof(utf8_mark) - 1 : size;
    return memcmp(bytes, utf8_mark, length) == 0 ? length : 0;
}

bool stream_find_kind(struct stream *stream)
{
    const char *p = stream->buffer + stream->begin, *end = stream->buffer + stream->end;
    size_t mark = leading_mark(p, (size_t)(end - p));
    if (mark > 0 && mark < sizeof(utf8_mark) - 1 && !stream->ended)
        return false; /* a mark in pieces */
    if (mark < sizeof(utf8_mark) - 1)
        mark = 0;
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
    if (mark > 0)
        stream->searched = stream->begin += mark;
    return true;
}

void stream_take_document(struct stream *stream)
{
    stream->line = 0;
    format_reader_bytes(stream->reader, stream->buffer + stream->begin,
                        stream->end - stream->begin);
    stream->begin = stream->searched = stream->end;
    tell_damages(stream, str_from("(in the trace)"));
}

void stream_end_foreign(struct stream *stream)
{
    if (!stream->reader)
        return;
    format_reader_end(stream->reader);
    tell_damages(stream, str_from("(at the end)"));
}

void stream_inherit(struct stream *to, struct stream *from)
{
    if (to->formats != from->formats || to->reader || from->kind == STREAM_DOCUMENT)
        return;
    to->reader = from->reader;
    to->foreign = from->foreign;
    from->reader = NULL;
}
