/* One file's content: what is new at the known offset, and whether what was
 * read is still there. */
#include "source_file.h"
#include "source_ahead.h"
#include "memory.h"
#include "source_laid.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define SMALL_READ (8 * 1024) /* a file that has been read to its end grows by lines */
#define HOLE_MIN 4096

struct source_file *file_new(const char *name, int fd, const struct stat *status,
                             struct stream_totals *totals)
{
    struct source_file *file = memory_zeroed(1, sizeof *file);
    file->stream = stream_new(name, totals);
    file->totals = totals;
    file->fd = fd;
    file->dev = status->st_dev;
    file->ino = status->st_ino;
    file->mtime_ns = file_mtime_ns(status);
    file->size = status->st_size;
    file->head_hash = SOURCE_HASH_START;
    return file;
}

void file_free(struct source_file *file)
{
    file_ahead_stop(file);
    if (file->fd >= 0)
        close(file->fd);
    stream_free(file->stream);
    if (!file->laid_shared)
        laid_free(file->laid);
    if (!file->packed_shared)
        packed_free(file->packed);
    order_done(&file->order);
    free(file);
}

void file_rewritten(struct source_file *file)
{
    if (file->bounded) {
        file->cut = true;
        file->ending = FILE_CLOSING;
    }
    if (file->ending == FILE_GOES_ON)
        file->ending = FILE_REWRITTEN;
}

void file_close_when_drained(struct source_file *file)
{
    file->ending = FILE_CLOSING;
}

static void begin_again(struct source_file *file)
{
    file->offset = 0;
    file->marker_len = 0;
    file->head_len = 0;
    file->head_hash = SOURCE_HASH_START;
    file->shrunk_once = false;
    file->caught_up = file->found_end = false;
    file->ended = false;
    file->ending = FILE_GOES_ON;
}

static bool same_head(const struct source_file *file)
{
    char bytes[FILE_HEAD_BYTES];
    ssize_t n = pread(file->fd, bytes, file->head_len, 0);
    if (n < 0)
        return true;
    return (size_t)n == file->head_len &&
           source_hash(SOURCE_HASH_START, bytes, file->head_len) == file->head_hash;
}

bool file_unchanged(const struct source_file *file)
{
    char bytes[FILE_MARKER_BYTES];
    if (!same_head(file))
        return false;
    ssize_t n = pread(file->fd, bytes, file->marker_len, file->offset - (int64_t)file->marker_len);
    return n < 0 ||
           ((size_t)n == file->marker_len && memcmp(bytes, file->marker, file->marker_len) == 0);
}

/* Remember what stands before the new offset, and what the file begins with. */
void file_note_bytes(struct source_file *file, const char *bytes, size_t size)
{
    if (file->offset == (int64_t)file->head_len && file->head_len < FILE_HEAD_BYTES) {
        size_t more = FILE_HEAD_BYTES - file->head_len;
        more = more < size ? more : size;
        file->head_hash = source_hash(file->head_hash, bytes, more);
        file->head_len += more;
    }
    size_t keep = size >= FILE_MARKER_BYTES ? 0 : FILE_MARKER_BYTES - size;
    keep = keep < file->marker_len ? keep : file->marker_len;
    memmove(file->marker, file->marker + file->marker_len - keep, keep);
    size_t fresh = size < FILE_MARKER_BYTES ? size : FILE_MARKER_BYTES;
    memcpy(file->marker + keep, bytes + size - fresh, fresh);
    file->marker_len = keep + fresh;
    file->offset += (int64_t)size;
}

void file_skip(struct source_file *file, int64_t to)
{
    char bytes[FILE_HEAD_BYTES];
    if (file->offset == (int64_t)file->head_len && file->head_len < FILE_HEAD_BYTES) {
        size_t size =
            to - file->offset < FILE_HEAD_BYTES ? (size_t)(to - file->offset) : sizeof(bytes);
        ssize_t got = pread(file->fd, bytes, size, file->offset);
        if (got > 0)
            file_note_bytes(file, bytes, (size_t)got);
    }
    size_t size = to < FILE_MARKER_BYTES ? (size_t)to : FILE_MARKER_BYTES;
    ssize_t got = pread(file->fd, bytes, size, to - (int64_t)size);
    file->marker_len = 0;
    file->offset = to - (got > 0 ? got : 0);
    if (got > 0)
        file_note_bytes(file, bytes, (size_t)got);
}

/* A hole that a truncation left can be terabytes: jump to where data begins.
 * True when the offset moved. */
static bool skip_hole(struct source_file *file)
{
    static const char zeros[FILE_HEAD_BYTES];
    off_t data = lseek(file->fd, file->offset, SEEK_DATA);
    if (data < 0 && errno == ENXIO)
        data = lseek(file->fd, 0, SEEK_END);
    if (file->bounded && data > file->size)
        data = file->size;
    if (data > laid_limit(file))
        data = laid_limit(file);
    if (data <= file->offset)
        return false;
    uint64_t skipped = (uint64_t)(data - file->offset);
    if (skipped < FILE_HEAD_BYTES)
        return false;
    file_note_bytes(file, zeros, sizeof zeros);
    file->offset = data;
    file->totals->counts.nul_bytes += skipped;
    return true;
}

static bool looks_like_a_hole(const struct source_file *file, const char *bytes, size_t size)
{
    return size >= HOLE_MIN && bytes[0] == '\0' && bytes[size - 1] == '\0' &&
           !stream_pending(file->stream);
}

/* What the bytes before the offset say: whether this is still the same content. */
static bool still_there(struct source_file *file, const char *before, size_t got)
{
    if (got >= file->marker_len) {
        file->shrunk_once = false;
        return memcmp(before, file->marker, file->marker_len) == 0;
    }
    /* A network file system may report a stale, smaller size once. */
    if (!file->remote || file->shrunk_once)
        return false;
    file->shrunk_once = true;
    return true;
}

/* What is bounded is read up to its size, no less. */
static bool bound(struct source_file *file, size_t *size)
{
    if (!file->bounded)
        return true;
    int64_t left = file->size > file->offset ? file->size - file->offset : 0;
    if (left == 0)
        file->found_end = true;
    if ((int64_t)*size > left)
        *size = (size_t)left;
    return left > 0;
}

static void note_end(struct source_file *file, size_t fresh, size_t size)
{
    if (!file->bounded)
        file->caught_up = file->found_end = fresh < size;
    else if (fresh == 0)
        file_rewritten(file); /* it was cut */
}

/* The bytes before the offset (to be compared) and up to `size` new ones, in one
 * call. Returns the new bytes, 0 for none; the ending says what happened. */
static size_t read_at(struct source_file *file, char *bytes, size_t size)
{
    char before[FILE_MARKER_BYTES];
    if (!bound(file, &size))
        return 0;
    struct iovec parts[] = {{before, file->marker_len}, {bytes, size}};
    ssize_t n;
    do {
        n = preadv(file->fd, parts, 2, file->offset - (int64_t)file->marker_len);
    } while (n < 0 && errno == EINTR);
    if (n < 0) {
        file->error = errno; /* ESTALE, EIO: the next look at the path decides */
        file->caught_up = file->found_end = true;
        return 0;
    }
    file->error = 0;
    if (!still_there(file, before, (size_t)n)) {
        file_rewritten(file);
        return 0;
    }
    size_t fresh = (size_t)n > file->marker_len ? (size_t)n - file->marker_len : 0;
    note_end(file, fresh, size);
    return fresh;
}

/* A small read goes by way of the stack, so that the many idle files need no
 * buffer to find nothing. */
static size_t read_small(struct source_file *file, bool verify_head)
{
    char bytes[SMALL_READ];
    size_t fresh = read_at(file, bytes, sizeof bytes);
    if (!fresh)
        return 0;
    if (verify_head && !same_head(file)) {
        file_rewritten(file);
        return 0;
    }
    if (looks_like_a_hole(file, bytes, fresh) && skip_hole(file))
        return fresh;
    size_t room;
    char *space = stream_space(file->stream, fresh, &room);
    if (room < fresh) {
        fresh = room;
        file->caught_up = file->found_end = false;
    }
    memcpy(space, bytes, fresh);
    file_note_bytes(file, bytes, fresh);
    stream_filled(file->stream, fresh);
    return fresh;
}

static size_t read_large(struct source_file *file, size_t want)
{
    size_t room;
    char *space = stream_space(file->stream, want, &room);
    size_t fresh = read_at(file, space, room < want ? room : want);
    if (fresh && looks_like_a_hole(file, space, fresh) && skip_hole(file)) {
        stream_filled(file->stream, 0);
        return fresh;
    }
    if (fresh)
        file_note_bytes(file, space, fresh);
    stream_filled(file->stream, fresh);
    return fresh;
}

static size_t read_packed(struct source_file *file, size_t want, size_t *ret_made)
{
    size_t room;
    char *space = stream_space(file->stream, want, &room);
    size_t fresh = packed_read(file->packed, file->fd, file->offset, space,
                               room < want ? room : want, ret_made);
    if (fresh)
        file_note_bytes(file, space, fresh);
    stream_filled(file->stream, fresh);
    file->found_end = fresh == 0;
    return fresh;
}

static size_t read_more(struct source_file *file, size_t want, bool verify_head, size_t *ret_cost)
{
    size_t made;
    int64_t limit = laid_limit(file);
    *ret_cost = 0;
    if (laid_goes_on(file))
        return laid_read(file, want, ret_cost);
    if (file->offset >= limit)
        return 0;
    want = limit - file->offset < (int64_t)want ? (size_t)(limit - file->offset) : want;
    if (file->packed) {
        size_t fresh = read_packed(file, want, &made);
        *ret_cost = made > fresh ? made : fresh;
        return fresh;
    }
    size_t fresh = file->caught_up ? read_small(file, verify_head && file->head_len > 0)
                                   : read_large(file, want);
    return *ret_cost = fresh;
}

bool file_take(struct source_file *file, struct record *ret_record)
{
    return file->laid ? laid_take(file, ret_record) : stream_next(file->stream, ret_record);
}

static enum file_fill idle(struct source_file *file)
{
    if (!file->once)
        return FILE_IDLE;
    file->ending = FILE_CLOSING;
    return FILE_BUSY;
}

enum file_fill file_next(struct source_file *file, size_t want, bool verify_head,
                         struct record *ret_record, size_t *ret_bytes)
{
    *ret_bytes = 0;
    if (file_take(file, ret_record))
        return FILE_HEAD;
    if (file->ending == FILE_GOES_ON) {
        if (file->found_end)
            return idle(file);
        if (read_more(file, want, verify_head, ret_bytes) > 0)
            return file_take(file, ret_record) ? FILE_HEAD : FILE_BUSY;
        if (file->ending == FILE_GOES_ON)
            return file->laid && !file->found_end ? FILE_BUSY : idle(file);
    }
    if (!file->ended) {
        file->ended = true;
        if (file->packed && packed_problem(file->packed) && !laid_is_open(file))
            stream_cut(file->stream, packed_problem(file->packed));
        else
            stream_end(file->stream);
        if (file_take(file, ret_record))
            return FILE_HEAD;
        if (file->ending == FILE_GOES_ON) /* it was laid open */
            return FILE_BUSY;
    }
    if (file->ending == FILE_CLOSING)
        return FILE_DONE;
    begin_again(file);
    return FILE_BUSY;
}

enum file_fill file_fill(struct source_file *file, size_t want, bool verify_head, size_t *ret_bytes)
{
    return file_next(file, want, verify_head, &file->head, ret_bytes);
}

/* ---- places to go back to ---- */

/* 0: of nothing. */
static uint32_t check_of(const void *bytes, size_t size)
{
    uint64_t hash = size ? source_hash(SOURCE_HASH_START, bytes, size) : 0;
    return (uint32_t)(hash ^ hash >> 32);
}

static bool read_before(const struct source_file *file, int64_t offset, char *bytes, size_t size)
{
    return size == 0 || pread(file->fd, bytes, size, offset - (int64_t)size) == (ssize_t)size;
}

struct file_place file_place(const struct source_file *file, bool of_head)
{
    struct file_place place = {.lines = stream_place(file->stream, of_head)};
    place.offset = file->offset - (int64_t)place.lines.behind;
    if (laid_is_open(file) && place.offset > file->laid->from) /* that does not change */
        return place;
    size_t size = place.offset < FILE_MARKER_BYTES ? (size_t)place.offset : FILE_MARKER_BYTES;
    char bytes[FILE_MARKER_BYTES];
    const void *before = stream_before(file->stream, &place.lines, size);
    if (place.lines.behind == 0) {
        before = file->marker;
        size = file->marker_len;
    } else if (!before && file->fd >= 0 && !file->packed &&
               read_before(file, place.offset, bytes, size)) {
        before = bytes;
    }
    place.check_size = before ? (uint8_t)size : 0;
    place.check = file->unchecked ? file->check : check_of(before, place.check_size);
    return place;
}

bool file_place_holds(const struct source_file *file, const struct file_place *place)
{
    char bytes[FILE_MARKER_BYTES];
    if (file->packed || place->check_size == 0) /* what was laid open does not change */
        return true;
    return read_before(file, place->offset, bytes, place->check_size) &&
           check_of(bytes, place->check_size) == place->check;
}

void file_go(struct source_file *file, const struct file_place *place)
{
    file_ahead_stop(file);
    laid_note(file);
    file->ahead_over = false;
    file->offset = place->offset;
    file->marker_len = file->packed ? 0 : place->check_size;
    file->check = place->check;
    file->unchecked = !file->packed;
    file->caught_up = file->found_end = file->ended = file->finished = file->cut = false;
    file->error = 0;
    file->ending = FILE_GOES_ON;
    stream_go(file->stream, &place->lines);
    if (file->fd >= 0 && !file_check(file))
        file_rewritten(file);
}

bool file_check(struct source_file *file)
{
    if (!file->unchecked)
        return true;
    file->unchecked = false;
    return read_before(file, file->offset, (char *)file->marker, file->marker_len) &&
           check_of(file->marker, file->marker_len) == file->check;
}
