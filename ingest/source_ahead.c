/* Pieces of a file that others have decoded. */
#include "source_ahead.h"

#include <errno.h>
#include <unistd.h>

#include "decode_ahead.h"
#include "formats.h"
#include "source_laid.h"

#define WORTH_BYTES (4 << 20) /* what threads are started for */

/* Up to where threads may read. */
static int64_t size_of(const struct source_file *file)
{
    struct stat status;
    int64_t size = fstat(file->fd, &status) == 0 ? status.st_size : 0;
    int64_t limit = laid_limit(file);
    if (file->bounded)
        size = file->size;
    return size < limit ? size : limit;
}

/* Threads read our own records only. */
static bool is_for_threads(const struct source_file *file)
{
    const struct formats *formats = file->totals->formats;
    return !stream_is_foreign(file->stream) && !laid_goes_on(file) &&
           (!formats || formats_own(formats));
}

static bool begin(struct source_file *file, int threads)
{
    if (file->ahead)
        return true;
    if (file->ahead_over || !file->once || file->fd < 0 || file->packed || file->unchecked ||
        file->ending != FILE_GOES_ON || stream_pending(file->stream) || !is_for_threads(file))
        return false;
    int64_t size = size_of(file);
    struct stream_place place = stream_place(file->stream, false);
    bool whole = !place.after_return && !place.discarding; /* it is at the beginning of a line */
    if (whole && size - file->offset >= WORTH_BYTES)
        file->ahead = ahead_new(dup(file->fd), file->offset, size, threads,
                                stream_name(file->stream)); /* file->fd may be closed meanwhile */
    file->ahead_over = !file->ahead;
    return file->ahead;
}

/* Lines among which are others than records: by the file's own stream, which counts them. */
static void read_again(struct source_file *file, const struct ahead_piece *piece,
                       void (*deliver)(void *to, const struct record *record), void *to)
{
    struct record record;
    while (file->offset < piece->to) {
        size_t room, want = (size_t)(piece->to - file->offset);
        char *space = stream_space(file->stream, want, &room);
        ssize_t got;
        do {
            got = pread(file->fd, space, want < room ? want : room, file->offset);
        } while (got < 0 && errno == EINTR);
        if (got > 0)
            file_note_bytes(file, space, (size_t)got);
        stream_filled(file->stream, got > 0 ? (size_t)got : 0);
        if (got <= 0) /* it was cut: the usual way says so */
            break;
        while (file_take(file, &record))
            deliver(to, &record);
        if (laid_is_open(file))
            break;
    }
}

static void take_plain(struct source_file *file, const struct ahead_piece *piece)
{
    struct stream_place place = stream_place(file->stream, false);
    place.behind = 0;
    place.lines += piece->lines;
    stream_go(file->stream, &place);
    file_skip(file, piece->to);
    file->totals->counts.records += piece->count;
    file->totals->counts.bytes += (uint64_t)(piece->to - piece->from);
}

bool file_ahead(struct source_file *file, int threads,
                void (*deliver)(void *to, const struct record *record), void *to, size_t *ret_bytes)
{
    struct ahead_piece piece;
    if (!begin(file, threads))
        return false;
    if (!ahead_next(file->ahead, &piece)) {
        file_ahead_stop(file);
        file->ahead_over = true;
        return false;
    }
    *ret_bytes = (size_t)(piece.to - piece.from);
    if (!piece.plain) {
        read_again(file, &piece, deliver, to);
        if (file->offset < piece.to || !is_for_threads(file)) {
            file_ahead_stop(file);
            file->ahead_over = !is_for_threads(file);
        }
        return true;
    }
    take_plain(file, &piece);
    for (size_t i = 0; i < piece.count; i++)
        deliver(to, &piece.records[i]);
    return true;
}

void file_ahead_stop(struct source_file *file)
{
    ahead_free(file->ahead);
    file->ahead = NULL;
}
