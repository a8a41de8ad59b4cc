/* A file with logs of other formats, as our own records. */
#include "source_laid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "record_json.h"
#include "source_ahead.h"

#define OUTPUT_BYTES (64 * 1024)

struct laid *laid_new(struct source_file *first, struct spool *spool, int *count)
{
    struct laid *laid = memory_zeroed(1, sizeof *laid);
    laid->first = first;
    laid->spool = spool;
    laid->count = count;
    laid->from = INT64_MAX;
    return laid;
}

static int64_t taken_of(const struct source_file *file)
{
    return file->packed ? packed_taken(file->packed) : file->offset;
}

static void free_raw(struct laid *laid)
{
    laid->raw->fd = -1; /* the file's own */
    file_free(laid->raw);
    laid->raw = NULL;
}

void laid_free(struct laid *laid)
{
    if (!laid)
        return;
    if (laid->raw)
        free_raw(laid);
    spool_part_done(&laid->part);
    free(laid);
}

int64_t laid_taken(const struct laid *laid)
{
    return laid->raw ? taken_of(laid->raw) : laid->taken;
}

/* ---- laying open ---- */

static void end(struct source_file *file)
{
    struct laid *laid = file->laid;
    struct source_file *raw = laid->raw;
    laid->taken = taken_of(raw);
    laid->ended = true;
    file->cut |= raw->cut;
    file->error = raw->error;
    free_raw(laid);
}

static void append(struct source_file *file, const char *bytes, size_t size)
{
    struct laid *laid = file->laid;
    int result = spool_append(laid->spool, &laid->part, bytes, size);
    if (result == 0)
        return;
    snprintf(laid->problem, sizeof laid->problem, "no room for the records of it: %s",
             strerror(-result));
    if (laid->raw)
        end(file);
}

/* About `want` bytes of the file. Returns how many were read. */
static size_t lay_more(struct source_file *file, size_t want)
{
    struct laid *laid = file->laid;
    char out[OUTPUT_BYTES];
    size_t size = 0, cost = 0;
    struct record record;
    enum file_fill fill = FILE_BUSY;
    laid->raw->fd = file->fd; /* it may have been closed, and opened again */
    while (fill != FILE_DONE && cost < want && size + RECORD_JSON_MAX <= sizeof out) {
        size_t bytes;
        fill = file_next(laid->raw, want, false, &record, &bytes);
        cost += bytes;
        if (fill != FILE_HEAD)
            continue;
        size += record_json_write_exact(out + size, &record);
        file->totals->counts.records--; /* it is counted when it is delivered */
    }
    if (fill == FILE_DONE)
        end(file);
    append(file, out, size);
    return cost;
}

/* From a place between two records on. The first one behind it was taken already: NULL: none. The
 * stream knows the formats' states: it goes with the file as it is. */
static void lay_open(struct source_file *file, const struct stream_place *place,
                     const struct record *record)
{
    struct laid *laid = file->laid;
    struct source_file *raw = memory_zeroed(1, sizeof *raw);
    char line[1 + RECORD_JSON_MAX] = "\n"; /* what stands before it ends here, whatever it is */
    size_t size = 1;
    file_ahead_stop(file);
    *raw = *file;
    raw->laid = NULL;
    raw->path = NULL;
    raw->order = (struct order){0};
    raw->packed_shared = true;
    laid->raw = raw;
    laid->from = file->offset - (int64_t)place->behind;
    if (file->packed)
        packed_pass(file->packed);
    laid->whole = ++*laid->count > LAID_MAX;
    file->stream = stream_new(stream_name(raw->stream), file->totals);
    stream_own_only(file->stream);
    stream_go(file->stream, &(struct stream_place){.lines = place->lines});
    file->offset = laid->from;
    file->marker_len = 0;
    file->caught_up = file->found_end = file->ended = file->unchecked = false;
    file->ending = FILE_GOES_ON;
    if (record) {
        size += record_json_write_exact(line + size, record);
        file->totals->counts.records--;
    }
    append(file, line, size);
}

void laid_open_all(struct source_file *file)
{
    lay_open(file, &(struct stream_place){0}, NULL);
}

bool laid_take(struct source_file *file, struct record *ret_record)
{
    struct laid *laid = file->laid;
    if (file != laid->first || laid->from != INT64_MAX)
        return stream_next(file->stream, ret_record);
    struct stream_place place = stream_place(file->stream, false);
    bool any = stream_next(file->stream, ret_record);
    if (!stream_is_foreign(file->stream))
        return any;
    lay_open(file, &place, any ? ret_record : NULL);
    return false;
}

/* ---- reading ---- */

size_t laid_read(struct source_file *file, size_t want, size_t *ret_cost)
{
    struct laid *laid = file->laid;
    int64_t at = file->offset - laid->from;
    size_t room;
    *ret_cost = 0;
    if (file == laid->first && !laid->ended && (laid->whole || at >= laid->part.size))
        *ret_cost = lay_more(file, want);
    if (laid->whole && !laid->ended)
        return 0;
    char *space = stream_space(file->stream, want, &room);
    ssize_t got = spool_read(laid->spool, &laid->part, at, space, want < room ? want : room);
    if (got < 0)
        snprintf(laid->problem, sizeof laid->problem, "%s", strerror((int)-got));
    size_t fresh = got > 0 ? (size_t)got : 0;
    stream_filled(file->stream, fresh);
    file->totals->counts.bytes -= fresh; /* those of the file were counted */
    file->offset += (int64_t)fresh;
    file->marker_len = 0;
    file->found_end = got < 0 || (fresh == 0 && laid->ended);
    return fresh;
}

static int64_t clear_of(const struct source_file *first)
{
    return first->offset - (int64_t)stream_place(first->stream, false).behind;
}

void laid_note(struct source_file *file)
{
    struct laid *laid = file->laid;
    if (laid && laid->first == file && clear_of(file) > laid->clear)
        laid->clear = clear_of(file);
}

int64_t laid_limit(const struct source_file *file)
{
    const struct laid *laid = file->laid;
    if (!laid)
        return INT64_MAX;
    if (laid->from != INT64_MAX)
        return laid->from;
    if (laid->first == file || laid->first->finished)
        return INT64_MAX;
    int64_t clear = clear_of(laid->first);
    return clear > laid->clear ? clear : laid->clear;
}
