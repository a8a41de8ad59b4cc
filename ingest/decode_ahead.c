/* Pieces of a file, decoded by whoever is free. */
#include "decode_ahead.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "stream.h"

#define PIECE_BYTES ((size_t)192 * 1024) /* under STREAM_BUFFER_MAX: a piece is in one buffer */
#define PIECES_A_THREAD 8
#define THREADS_MAX 16
#define TURNS_AWAKE 2000 /* about a millisecond */

enum piece_state {
    PIECE_FREE,
    PIECE_TAKEN, /* somebody decodes it */
    PIECE_DONE,
};

struct piece {
    enum piece_state state;
    const char *begin;     /* of its bytes */
    struct stream *stream; /* its buffer holds what the slices point to; owned */
    struct stream_totals totals;
    struct record *records; /* owned */
    uint32_t capacity;
    struct ahead_piece out;
};

/* Pieces are numbered as they are taken; number n is in pieces[n % piece_count]. What the
 * lock guards: all but the inside of a piece that somebody has taken. */
struct ahead {
    int fd;
    int64_t next, to; /* where the next piece begins */
    bool exhausted;   /* no more can be taken */
    bool ending;
    uint64_t taken, given; /* numbers */
    bool giving;           /* the caller still looks at number given - 1 */
    struct piece *pieces;
    uint32_t piece_count;
    pthread_mutex_t lock;
    atomic_uint changes;    /* counts pieces that were decoded or given, and ends */
    bool waiting;           /* the caller waits for a piece */
    pthread_cond_t changed; /* there is room for pieces, or the end */
    pthread_cond_t done;    /* a piece is decoded, or no more can be taken */
    pthread_t threads[THREADS_MAX];
    int thread_count;
};

/* Reads whole lines at ahead->next into the piece; the lock is held, since the next piece
 * begins where this one ends. Reading is a small part of the work. */
static bool read_piece(struct ahead *ahead, struct piece *piece)
{
    size_t room;
    char *space = stream_space(piece->stream, PIECE_BYTES, &room);
    int64_t left = ahead->to - ahead->next;
    size_t want = room < PIECE_BYTES ? room : PIECE_BYTES;
    want = left < (int64_t)want ? (size_t)(left > 0 ? left : 0) : want;
    ssize_t got;
    do {
        got = want > 0 ? pread(ahead->fd, space, want, ahead->next) : 0;
    } while (got < 0 && errno == EINTR);
    const char *last = got > 0 ? memrchr(space, '\n', (size_t)got) : NULL;
    size_t size = last ? (size_t)(last - space) + 1 : 0;
    stream_filled(piece->stream, size);
    piece->begin = space;
    piece->out = (struct ahead_piece){.from = ahead->next, .to = ahead->next + (int64_t)size};
    ahead->next += (int64_t)size;
    return size > 0;
}

/* Pieces that are decoded, or about to be. */
static uint64_t held(const struct ahead *ahead)
{
    return ahead->taken - (ahead->given - (ahead->giving ? 1 : 0));
}

/* The next piece to decode, taken; NULL: there is none, or no room for it. */
static struct piece *take(struct ahead *ahead)
{
    if (ahead->exhausted || ahead->ending || held(ahead) >= ahead->piece_count)
        return NULL;
    struct piece *piece = &ahead->pieces[ahead->taken % ahead->piece_count];
    if (!read_piece(ahead, piece)) {
        ahead->exhausted = true;
        atomic_fetch_add(&ahead->changes, 1);
        pthread_cond_broadcast(&ahead->changed);
        pthread_cond_signal(&ahead->done);
        return NULL;
    }
    piece->state = PIECE_TAKEN;
    ahead->taken++;
    return piece;
}

/* A slice that is not in the lines themselves is overwritten by the next record. */
static bool is_within(const struct record *record, uint32_t bit, struct str slice,
                      const char *begin, const char *end)
{
    return !(record->has & bit) || (slice.p >= begin && slice.p + slice.len <= end);
}

/* Without the lock. */
static void decode(struct piece *piece)
{
    const char *begin = piece->begin, *end = begin + (piece->out.to - piece->out.from);
    int64_t lines = stream_place(piece->stream, false).lines;
    bool plain = true;
    piece->totals = (struct stream_totals){0};
    piece->out.count = 0;
    struct record record;
    while (stream_next(piece->stream, &record)) {
        plain &= is_within(&record, RECORD_HOST, record.host, begin, end) &&
                 is_within(&record, RECORD_GROUP, record.group, begin, end);
        if (piece->out.count == piece->capacity)
            piece->records = memory_grown(piece->records, &piece->capacity, sizeof(record));
        piece->records[piece->out.count++] = record;
    }
    const struct source_counts *counts = &piece->totals.counts;
    piece->out.plain = plain && piece->totals.complaint_count == 0 && counts->other == 0 &&
                       counts->damaged == 0 && counts->nul_bytes == 0 &&
                       !stream_pending(piece->stream);
    piece->out.lines = stream_place(piece->stream, false).lines - lines;
    piece->out.records = piece->records;
    if (!piece->out.plain)
        stream_go(piece->stream, &(struct stream_place){0});
}

/* Takes and decodes one piece; the lock is held before and after. False: nothing to do. */
static bool work(struct ahead *ahead)
{
    struct piece *piece = take(ahead);
    if (!piece)
        return false;
    pthread_mutex_unlock(&ahead->lock);
    decode(piece);
    pthread_mutex_lock(&ahead->lock);
    piece->state = PIECE_DONE;
    atomic_fetch_add(&ahead->changes, 1);
    if (ahead->waiting)
        pthread_cond_signal(&ahead->done);
    return true;
}

/* Until something has changed since `seen`, for a moment: a thread that sleeps is woken on
 * the processor of the one that wakes it, and then both share it. */
static void await_change(const struct ahead *ahead, uint32_t seen)
{
    for (int turn = 0; turn < TURNS_AWAKE; turn++) {
        if (atomic_load_explicit(&ahead->changes, memory_order_relaxed) != seen)
            return;
        sched_yield();
    }
}

static void *run(void *to)
{
    struct ahead *ahead = to;
    pthread_mutex_lock(&ahead->lock);
    while (!ahead->ending && !ahead->exhausted) {
        if (work(ahead))
            continue;
        uint32_t seen = atomic_load(&ahead->changes);
        pthread_mutex_unlock(&ahead->lock);
        await_change(ahead, seen);
        pthread_mutex_lock(&ahead->lock);
        if (atomic_load(&ahead->changes) == seen && !ahead->ending && !ahead->exhausted)
            pthread_cond_wait(&ahead->changed, &ahead->lock);
    }
    pthread_mutex_unlock(&ahead->lock);
    return NULL;
}

struct ahead *ahead_new(int fd, int64_t from, int64_t to, int threads, const char *name)
{
    struct ahead *ahead = memory_zeroed(1, sizeof(*ahead));
    int helpers = threads - 1 < THREADS_MAX ? threads - 1 : THREADS_MAX;
    ahead->fd = fd;
    ahead->next = from;
    ahead->to = to;
    ahead->piece_count = (uint32_t)(threads > 1 ? threads : 2) * PIECES_A_THREAD;
    ahead->pieces = memory_zeroed(ahead->piece_count, sizeof(*ahead->pieces));
    for (uint32_t i = 0; i < ahead->piece_count; i++)
        ahead->pieces[i].stream = stream_new(name, &ahead->pieces[i].totals);
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->changed, NULL);
    pthread_cond_init(&ahead->done, NULL);
    for (; ahead->thread_count < helpers; ahead->thread_count++)
        if (pthread_create(&ahead->threads[ahead->thread_count], NULL, run, ahead) != 0)
            break;
    if (ahead->thread_count > 0)
        return ahead;
    ahead_free(ahead);
    return NULL;
}

void ahead_free(struct ahead *ahead)
{
    if (!ahead)
        return;
    pthread_mutex_lock(&ahead->lock);
    ahead->ending = true;
    atomic_fetch_add(&ahead->changes, 1);
    pthread_cond_broadcast(&ahead->changed);
    pthread_mutex_unlock(&ahead->lock);
    for (int i = 0; i < ahead->thread_count; i++)
        pthread_join(ahead->threads[i], NULL);
    pthread_cond_destroy(&ahead->changed);
    pthread_cond_destroy(&ahead->done);
    pthread_mutex_destroy(&ahead->lock);
    for (uint32_t i = 0; i < ahead->piece_count; i++) {
        stream_free(ahead->pieces[i].stream);
        free(ahead->pieces[i].records);
    }
    free(ahead->pieces);
    close(ahead->fd);
    free(ahead);
}

bool ahead_next(struct ahead *ahead, struct ahead_piece *piece)
{
    pthread_mutex_lock(&ahead->lock);
    if (ahead->giving)
        ahead->pieces[(ahead->given - 1) % ahead->piece_count].state = PIECE_FREE;
    ahead->giving = false;
    atomic_fetch_add(&ahead->changes, 1);
    /* To wake a thread takes as long as to decode a piece: there shall be some to do. */
    if (held(ahead) == ahead->piece_count / 2)
        pthread_cond_broadcast(&ahead->changed);
    struct piece *wanted = &ahead->pieces[ahead->given % ahead->piece_count];
    bool any = true;
    while (any && !(ahead->given < ahead->taken && wanted->state == PIECE_DONE)) {
        if (work(ahead))
            continue;
        any = ahead->given < ahead->taken || !ahead->exhausted;
        uint32_t seen = atomic_load(&ahead->changes);
        if (!any || (ahead->given < ahead->taken && wanted->state == PIECE_DONE))
            continue;
        pthread_mutex_unlock(&ahead->lock);
        await_change(ahead, seen);
        pthread_mutex_lock(&ahead->lock);
        ahead->waiting = true;
        if (atomic_load(&ahead->changes) == seen)
            pthread_cond_wait(&ahead->done, &ahead->lock);
        ahead->waiting = false;
    }
    if (any) {
        *piece = wanted->out;
        ahead->given++;
        ahead->giving = true;
    }
    pthread_mutex_unlock(&ahead->lock);
    return any;
}
