/* One input's way from bytes to records. */
#include "stream_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inflate.h"
#include "memory.h"
#include "nccl_job.h"
#include "prefix.h"

#define OTHER_KEPT_MAX 5

struct stream *stream_new(const char *name, struct stream_totals *totals)
{
    struct stream *stream = memory_zeroed(1, sizeof(*stream));
    stream->totals = totals;
    stream->formats = totals->formats;
    stream->slowly = totals->formats != NULL;
    decoder_init(&stream->decoder);
    str_copy(stream->name, sizeof(stream->name), str_from(name));
    stream->source = nccl_job_key(name);
    struct str plain = str_of(name, inflate_plain_length(name));
    stream->has_rank = file_name_rank(plain, &stream->rank);
    uint32_t said;
    stream->says_rank = file_name_says_rank(plain, &said);
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
    const char *dots = length > STREAM_EXCERPT_BYTES ? "..." : "";
    name += length > STREAM_EXCERPT_BYTES ? length - STREAM_EXCERPT_BYTES : 0;
    if (line > 0)
        snprintf(to, COMPLAINT_BYTES, "%s%s:%lld: %s", dots, name, (long long)line, what);
    else
        snprintf(to, COMPLAINT_BYTES, "%s%s: %s", dots, name, what);
}

static void complain_of_line(struct stream *stream, const char *what, struct str line)
{
    if (stream->totals->complaint_count >= COMPLAINTS_MAX)
        return;
    char text[COMPLAINT_BYTES], excerpt[STREAM_EXCERPT_BYTES];
    str_copy(excerpt, sizeof(excerpt), line);
    snprintf(text, sizeof(text), "%s: %s", what, excerpt);
    stream_complain(stream->totals, stream->name, stream->line, text);
}

void stream_count_damaged(struct stream *stream, const char *why, struct str line)
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

/* The input has ended: what follows is another. */
static void forget(struct stream *stream)
{
    stream->rest = str_of(NULL, 0);
    stream->ended = stream->discarding = stream->after_return = false;
    stream->own_end = 0;
    stream->lines_ended = 0;
    stream->kind = STREAM_NEW;
    stream->slowly = stream->formats != NULL;
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

void stream_count_nobodys(struct stream *stream, struct str line)
{
    stream_count_damaged(
        stream, "no rank: not in the record, a prefix such as [rank5]:, or the name", line);
}

/* A record that was read: counted, its rank found. False when nobody knows whose it is. */
static bool accept_record(struct stream *stream, struct record *record, struct str line)
{
    if (!(record->has & RECORD_RANK)) {
        if (!stream->has_rank) {
            stream_count_nobodys(stream, line);
            return false;
        }
        record->rank = stream->rank;
        record->has |= RECORD_RANK;
    }
    stream->totals->counts.records++;
    return true;
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
        stream_count_damaged(stream, why, line);
    if (result != DECODE_RECORD || !accept_record(stream, record, line))
        return false;
    stream->own_end = record->step + 1;
    return true;
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
        bool of_job = (record->has & RECORD_JOB) != 0;
        if (!stream->has_rank && !of_job)
            return false;
        record->rank = of_job ? 0 : stream->rank;
        record->has |= RECORD_RANK;
    }
    stream->own_end = record->step + 1;
    stream->record_at = stream->begin;
    stream->begin = stream->searched = (size_t)(after - stream->buffer);
    stream->line = ++stream->lines_ended;
    stream->totals->counts.records++;
    return true;
}

/* The line is of no other format. */
static void keep_own(struct stream *stream)
{
    stream->rest = without_blanks(stream->rest);
    if (stream->formats && stream->rest.len > 0 && !formats_own(stream->formats)) {
        count_other(stream, stream->rest);
        stream->rest = str_of(NULL, 0);
    }
}

static bool take_line_slowly(struct stream *stream, struct record *record)
{
    for (;;) {
        while (stream->rest.len > 0)
            if (take_record(stream, record))
                return true;
        if (!stream_take_line(stream, &stream->rest)) {
            stream->rest = str_of(NULL, 0);
            return false;
        }
        if (!stream->formats || !stream_offer_line(stream))
            keep_own(stream);
        if (stream_take_foreign(stream, record)) /* also of a block that the line has ended */
            return true;
    }
}

static bool take_slowly(struct stream *stream, struct record *record)
{
    if (stream_take_foreign(stream, record))
        return true;
    if (stream->kind == STREAM_NEW && stream->formats) {
        if (stream->begin == stream->end || !stream_find_kind(stream))
            return false;
    }
    if (stream->kind != STREAM_DOCUMENT)
        return take_line_slowly(stream, record);
    while (!stream_take_foreign(stream, record)) {
        if (stream->begin == stream->end)
            return false;
        stream_take_document(stream);
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
        stream_end_foreign(stream);
        if (stream_take_foreign(stream, record))
            return true;
    }
    stream_release_when_empty(stream);
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
    stream_count_damaged(stream, why,
                         stream_pending(stream)
                             ? str_of(stream->buffer + stream->begin, stream->end - stream->begin)
                             : str_from("(at the end)"));
    stream->begin = stream->end = stream->searched = 0;
    stream_end_foreign(stream);
    forget(stream);
    stream_release_when_empty(stream);
}

void stream_reset(struct stream *stream)
{
    if (stream_pending(stream)) {
        stream_cut(stream, "the file was cut while this line was being written");
        return;
    }
    stream_end_foreign(stream);
    stream->begin = stream->end = stream->searched = 0;
    forget(stream);
    stream_release_when_empty(stream);
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
    stream_release_when_empty(stream);
    stream->kind = place->lines > 0 ? STREAM_LINES : STREAM_NEW;
    stream->lines_ended = place->lines;
    stream->after_return = place->after_return;
    stream->discarding = place->discarding;
}

bool stream_pending(const struct stream *stream)
{
    return stream->begin < stream->end || stream->rest.len > 0;
}
