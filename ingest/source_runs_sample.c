/* Bounded looks into a file of records. */
#include "source_runs_sample.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inflate.h"
#include "memory.h"
#include "stream.h"

#define LOOK_BYTES (64 * 1024)
#define PROBES_MAX 40 /* halvings of a file */

struct look {
    int fd;
    int64_t size;
    const char *path;
    enum inflate_kind kind; /* of what is compressed only the beginning is seen */
    char bytes[LOOK_BYTES], packed[LOOK_BYTES];
};

static struct look *look_open(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
        close(fd);
        return NULL;
    }
    struct look *look = memory_zeroed(1, sizeof *look);
    look->fd = fd;
    look->size = status.st_size;
    look->path = path;
    char magic[INFLATE_MAGIC_BYTES];
    ssize_t size = pread(fd, magic, sizeof magic, 0);
    look->kind = inflate_kind(magic, size > 0 ? (size_t)size : 0, path);
    return look;
}

static void look_close(struct look *look)
{
    close(look->fd);
    free(look);
}

static void take(struct run_sample *sample, const struct record *record)
{
    if (!(record->has & RECORD_RANK))
        return;
    struct record *to = &sample->records[sample->count++];
    *to = *record;
    to->host = to->group = str_of(NULL, 0);
}

static ssize_t unpack(struct look *look, ssize_t packed)
{
    size_t taken, made = 0;
    struct inflater *inflater = inflater_new(look->kind);
    inflater_run(inflater, look->packed, (size_t)packed, &taken, look->bytes, LOOK_BYTES, &made);
    inflater_free(inflater);
    return (ssize_t)made;
}

static ssize_t read_at(struct look *look, int64_t at)
{
    if (look->kind == INFLATE_NOT)
        return pread(look->fd, look->bytes, LOOK_BYTES, at);
    ssize_t size = at == 0 ? pread(look->fd, look->packed, LOOK_BYTES, 0) : 0;
    return size > 0 ? unpack(look, size) : size;
}

/* Decodes what stands at `at`; behind the first line end, unless it is the file's beginning. */
static void look_at(struct look *look, int64_t at, struct run_sample *sample, int most)
{
    struct stream_totals totals = {0};
    ssize_t size = read_at(look, at);
    const char *begin = look->bytes;
    if (size <= 0)
        return;
    if (at > 0)
        begin = memchr(look->bytes, '\n', (size_t)size);
    if (!begin)
        return;
    size_t left = (size_t)(look->bytes + size - begin), room;
    struct stream *stream = stream_new(look->path, &totals);
    char *space = stream_space(stream, left, &room);
    left = left < room ? left : room;
    memcpy(space, begin, left);
    stream_filled(stream, left);
    if (look->kind == INFLATE_NOT && at + size >= look->size)
        stream_end(stream);
    struct record record;
    while (sample->count < most && stream_next(stream, &record))
        take(sample, &record);
    stream_free(stream);
}

static int by_rank_and_step(const void *a, const void *b)
{
    const struct record *left = a, *right = b;
    if (left->rank != right->rank)
        return left->rank < right->rank ? -1 : 1;
    return left->step < right->step ? -1 : left->step > right->step;
}

const struct record *sample_find(const struct run_sample *sample, uint32_t rank, int64_t step)
{
    struct record key = {.rank = rank, .step = step};
    if (sample->count == 0)
        return NULL;
    return bsearch(&key, sample->records, (size_t)sample->count, sizeof key, by_rank_and_step);
}

static void sum_up(struct run_sample *sample)
{
    qsort(sample->records, (size_t)sample->count, sizeof *sample->records, by_rank_and_step);
    sample->found = sample->count > 0;
    sample->first_ns = sample->last_ns = -1;
    for (int i = 0; i < sample->count; i++) {
        const struct record *record = &sample->records[i];
        if (i == 0 || record->step < sample->first_step)
            sample->first_step = record->step;
        if (i == 0 || record->step > sample->last_step)
            sample->last_step = record->step;
        if (!(record->has & RECORD_BEGIN))
            continue;
        if (sample->first_ns < 0 || record->begin_ns < sample->first_ns)
            sample->first_ns = record->begin_ns;
        if (record->begin_ns > sample->last_ns)
            sample->last_ns = record->begin_ns;
    }
}

/* The last records of the file: what is taken first makes room for what follows. */
static void look_at_end(struct look *look, struct run_sample *sample)
{
    struct run_sample *end = memory_zeroed(1, sizeof *end);
    int64_t at = look->size > LOOK_BYTES ? look->size - LOOK_BYTES : 0;
    if (look->kind != INFLATE_NOT)
        at = 0;
    look_at(look, at, end, 2 * SAMPLE_RECORDS);
    int from = end->count > SAMPLE_RECORDS ? end->count - SAMPLE_RECORDS : 0;
    for (int i = from; i < end->count; i++)
        sample->records[sample->count++] = end->records[i];
    free(end);
}

void sample_file(const char *path, struct run_sample *ret)
{
    struct look *look = look_open(path);
    ret->count = 0;
    if (look) {
        look_at(look, 0, ret, SAMPLE_RECORDS);
        look_at_end(look, ret);
        look_close(look);
    }
    sum_up(ret);
}

void sample_step(const char *path, int64_t step, struct run_sample *ret)
{
    struct look *look = look_open(path);
    ret->count = 0;
    if (look && look->kind == INFLATE_NOT) {
        int64_t low = 0, high = look->size;
        for (int i = 0; i < PROBES_MAX && high - low > LOOK_BYTES / 2; i++) {
            int64_t middle = low + (high - low) / 2;
            ret->count = 0;
            look_at(look, middle, ret, 1);
            if (ret->count > 0 && ret->records[0].step < step)
                low = middle;
            else
                high = middle;
        }
        ret->count = 0;
        look_at(look, low, ret, SAMPLE_RECORDS);
    }
    if (look)
        look_close(look);
    sum_up(ret);
}
