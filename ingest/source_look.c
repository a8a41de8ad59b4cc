/* Bounded looks into a file. */
#include "source_look.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats.h"
#include "log_facts.h"
#include "memory.h"
#include "stream.h"

#define KIND_BYTES (16 * 1024) /* of the beginning */

struct look *look_open(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
        close(fd);
        return NULL;
    }
    /* Thousands of files are looked at: what is read into is not cleared before. */
    struct look *look = memory_resized(NULL, 1, sizeof *look);
    look->fd = fd;
    look->size = status.st_size;
    look->next = 0;
    look->inflater = NULL;
    char magic[INFLATE_MAGIC_BYTES];
    ssize_t size = pread(fd, magic, sizeof magic, 0);
    look->kind = inflate_kind(magic, size > 0 ? (size_t)size : 0, path);
    return look;
}

void look_close(struct look *look)
{
    if (!look)
        return;
    inflater_free(look->inflater);
    close(look->fd);
    free(look);
}

static ssize_t unpack(struct look *look, ssize_t packed)
{
    size_t taken, made = 0;
    struct inflater *inflater = inflater_new(look->kind);
    inflater_run(inflater, look->packed, (size_t)packed, &taken, look->bytes, LOOK_BYTES, &made);
    inflater_free(inflater);
    return (ssize_t)made;
}

ssize_t look_read(struct look *look, int64_t at, bool *ret_end)
{
    *ret_end = false;
    if (look->kind != INFLATE_NOT) {
        ssize_t size = at == 0 ? pread(look->fd, look->packed, LOOK_BYTES, 0) : 0;
        return size > 0 ? unpack(look, size) : size;
    }
    ssize_t size = pread(look->fd, look->bytes, LOOK_BYTES, at);
    *ret_end = size >= 0 && at + size >= look->size;
    return size;
}

ssize_t look_next(struct look *look, bool *ret_end)
{
    *ret_end = false;
    if (look->kind == INFLATE_NOT) {
        ssize_t size = look_read(look, look->next, ret_end);
        look->next += size > 0 ? size : 0;
        return size;
    }
    if (!look->inflater)
        look->inflater = inflater_new(look->kind);
    size_t made = 0;
    for (ssize_t size = 1; made == 0 && size > 0;) {
        size_t taken = 0;
        size = pread(look->fd, look->packed, LOOK_BYTES, look->next);
        if (size <= 0 || inflater_run(look->inflater, look->packed, (size_t)size, &taken,
                                      look->bytes, LOOK_BYTES, &made) == INFLATE_DAMAGED)
            break;
        look->next += (int64_t)taken;
    }
    *ret_end = made == 0;
    return (ssize_t)made;
}

/* The title of the document that begins there; NULL: it is none. */
static const char *document_title(const struct formats *formats, const char *bytes, size_t size)
{
    for (; size > 0 && strchr(" \t\r\n", *bytes); bytes++)
        size--;
    for (size_t i = 0; i < formats_count(formats); i++) {
        const struct format *format = formats_at(formats, i);
        if (format->sniff && format->sniff(bytes, size, false) == LOG_SNIFF_YES)
            return format->title;
    }
    return NULL;
}

/* With totals of its own: what is found here is found again when the file is read. */
static enum look_kind kind_of(const char *path, const char *bytes, size_t size, bool whole,
                              struct stream_totals *totals)
{
    struct record record;
    struct stream *stream = stream_new(path, totals);
    bool own = false, foreign = false;
    while (size > 0 && !own && !foreign) {
        size_t room;
        char *space = stream_space(stream, size, &room);
        room = room < size ? room : size;
        memcpy(space, bytes, room);
        stream_filled(stream, room);
        bytes += room;
        size -= room;
        bool any = stream_next(stream, &record);
        if (!any && size == 0 && whole) {
            stream_end(stream);
            any = stream_next(stream, &record);
        }
        foreign = stream_is_foreign(stream);
        own = any && !foreign;
    }
    stream_free(stream);
    return foreign ? LOOK_FOREIGN : own ? LOOK_OWN : LOOK_NOTHING;
}

enum look_kind look_at_beginning(const char *path, const struct formats *formats,
                                 const char **ret_title)
{
    struct log_book book = {0};
    struct stream_totals totals = {.formats = formats, .book = formats ? &book : NULL};
    struct look *look = look_open(path);
    bool end;
    ssize_t size = look ? look_read(look, 0, &end) : 0;
    enum look_kind kind = LOOK_NOTHING;
    if (size > 0)
        kind = kind_of(path, look->bytes, size < KIND_BYTES ? (size_t)size : KIND_BYTES,
                       end && size <= KIND_BYTES, &totals);
    if (ret_title)
        *ret_title = kind != LOOK_FOREIGN ? "lockstep"
                     : book.count > 0     ? book.facts[0].format->title
                                          : document_title(formats, look->bytes, (size_t)size);
    if (ret_title && !*ret_title)
        *ret_title = "others";
    log_book_done(&book);
    look_close(look);
    return kind;
}
