/* Bounded looks into a file of records. */
#include "source_runs_sample.h"

#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "memory.h"
#include "source_look.h"
#include "stream.h"

#define PROBES_MAX 40    /* halvings of a file */
#define BEGIN_RECORDS 16 /* are looked for at the beginning, within: */
#define BEGIN_BYTES (2 << 20)

struct sampling {
    struct look *look; /* NULL: there is nothing to be seen */
    const char *path;
    struct log_book book;
    struct stream_totals totals;
};

static void sampling_open(struct sampling *sampling, const char *path,
                          const struct formats *formats, const struct log_book *met)
{
    memset(sampling, 0, sizeof *sampling);
    sampling->look = look_open(path);
    sampling->path = path;
    sampling->totals =
        (struct stream_totals){.formats = formats, .book = formats ? &sampling->book : NULL};
    sampling->book.nccl = met->nccl;
    sampling->book.nccl_borrowed = met->nccl != NULL;
    sampling->book.names = met->names;
}

static void sampling_close(struct sampling *sampling)
{
    look_close(sampling->look);
    sampling->book.names = (struct log_names){0}; /* not its own */
    log_book_done(&sampling->book);
}

static void take(struct run_sample *sample, const struct record *record)
{
    if (!(record->has & RECORD_RANK))
        return;
    struct record *to = &sample->records[sample->count++];
    *to = *record;
    to->host = to->group = str_of(NULL, 0);
}

/* The first records. Logs of other formats may begin with a megabyte of settings. */
static void look_at_begin(struct sampling *sampling, struct run_sample *sample)
{
    struct look *look = sampling->look;
    struct stream *stream = stream_new(sampling->path, &sampling->totals);
    struct record record;
    bool end = false;
    for (size_t seen = 0; !end && sample->count < BEGIN_RECORDS && seen < BEGIN_BYTES;) {
        ssize_t size = look_next(look, &end);
        const char *bytes = look->bytes;
        seen += size > 0 ? (size_t)size : BEGIN_BYTES;
        while (size > 0) {
            size_t room;
            char *space = stream_space(stream, (size_t)size, &room);
            room = room < (size_t)size ? room : (size_t)size;
            memcpy(space, bytes, room);
            stream_filled(stream, room);
            bytes += room;
            size -= (ssize_t)room;
            while (sample->count < SAMPLE_RECORDS && stream_next(stream, &record))
                take(sample, &record);
            if (sample->count == SAMPLE_RECORDS)
                break;
        }
    }
    if (end)
        stream_end(stream);
    while (sample->count < SAMPLE_RECORDS && stream_next(stream, &record))
        take(sample, &record);
    stream_free(stream);
}

/* Whether a piece out of its middle says the same as when all before it was read. */
static bool may_jump(const struct sampling *sampling)
{
    const unsigned depends = 1u << LOG_NOTE_COUNTED | 1u << LOG_NOTE_BLOCKS |
                             1u << LOG_NOTE_CUMULATIVE | 1u << LOG_NOTE_SECONDS |
                             1u << LOG_NOTE_STAMPS | 1u << LOG_NOTE_EPOCHS |
                             1u << LOG_NOTE_COLLECTIVES;
    for (size_t i = 0; i < sampling->book.count; i++)
        if (sampling->book.facts[i].format->sniff || (sampling->book.facts[i].notes & depends))
            return false;
    return true;
}

/* Decodes what stands at `at`; behind the first line end, unless it is the file's beginning. */
static void look_at(struct sampling *sampling, int64_t at, struct run_sample *sample, int most)
{
    struct look *look = sampling->look;
    bool at_end;
    ssize_t size = look_read(look, at, &at_end);
    const char *begin = look->bytes;
    if (size <= 0)
        return;
    if (at > 0)
        begin = memchr(look->bytes, '\n', (size_t)size);
    if (!begin)
        return;
    size_t left = (size_t)(look->bytes + size - begin), room;
    struct stream *stream = stream_new(sampling->path, &sampling->totals);
    char *space = stream_space(stream, left, &room);
    left = left < room ? left : room;
    memcpy(space, begin, left);
    stream_filled(stream, left);
    struct record record;
    while (sample->count < most && stream_next(stream, &record))
        take(sample, &record);
    if (at_end)
        stream_end(stream);
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
static void look_at_end(struct sampling *sampling, struct run_sample *sample)
{
    const struct look *look = sampling->look;
    struct run_sample *end = memory_zeroed(1, sizeof *end);
    int64_t at = look->size > LOOK_BYTES ? look->size - LOOK_BYTES : 0;
    if (look->kind != INFLATE_NOT)
        at = 0;
    look_at(sampling, at, end, 2 * SAMPLE_RECORDS);
    int from = end->count > SAMPLE_RECORDS ? end->count - SAMPLE_RECORDS : 0;
    for (int i = from; i < end->count; i++)
        sample->records[sample->count++] = end->records[i];
    free(end);
}

void sample_file(const char *path, const struct formats *formats, const struct log_book *met,
                 struct run_sample *ret)
{
    struct sampling sampling;
    sampling_open(&sampling, path, formats, met);
    ret->count = 0;
    if (sampling.look) {
        look_at_begin(&sampling, ret);
        if (may_jump(&sampling))
            look_at_end(&sampling, ret);
    }
    sampling_close(&sampling);
    sum_up(ret);
}

static void look_for(struct sampling *sampling, int64_t step, struct run_sample *ret)
{
    int64_t low = 0, high = sampling->look->size;
    for (int i = 0; i < PROBES_MAX && high - low > LOOK_BYTES / 2; i++) {
        int64_t middle = low + (high - low) / 2;
        ret->count = 0;
        look_at(sampling, middle, ret, 1);
        if (ret->count > 0 && ret->records[0].step < step)
            low = middle;
        else
            high = middle;
    }
    ret->count = 0;
    look_at(sampling, low, ret, SAMPLE_RECORDS);
    if (!may_jump(sampling))
        ret->count = 0;
}

void sample_step(const char *path, const struct formats *formats, const struct log_book *met,
                 int64_t step, struct run_sample *ret)
{
    struct sampling sampling;
    sampling_open(&sampling, path, formats, met);
    ret->count = 0;
    if (sampling.look && sampling.look->kind == INFLATE_NOT)
        look_for(&sampling, step, ret);
    sampling_close(&sampling);
    sum_up(ret);
}
