/* Lines go from whoever adds them to the thread that writes them through a list of
 * chunks without a lock: one side fills the last chunk, the other empties the first. */
#include "recorder.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "memory.h"
#include "record_json.h"
#include "recorder_file.h"

#define CHUNK_BYTES RECORDER_PIECE_MAX
#define CHUNKS_MAX (int)(RECORDER_WAITING_MAX / CHUNK_BYTES)
#define SECOND_NS INT64_C(1000000000)
#define END_NS (2 * SECOND_NS)   /* for what is left at the end */
#define LEAVE_NS (3 * SECOND_NS) /* then the thread hangs in a write, and is left there */

struct chunk {
    struct chunk *_Atomic next; /* set once, when this one is full */
    _Atomic size_t filled;      /* bytes, whole lines */
    char bytes[CHUNK_BYTES];
};

struct recorder {
    /* of whoever adds */
    struct chunk *last;
    uint64_t records, dropped;

    /* of both */
    _Atomic int chunks;
    struct chunk *_Atomic spare;
    _Atomic uint64_t written_records, written_bytes;
    _Atomic int error;
    _Atomic int64_t clean_ns; /* what was added before is in the file */

    pthread_mutex_t lock; /* of these; never held while something is written */
    pthread_cond_t wake, end;
    bool woken, stopping, ended;
    int64_t stop_ns;

    /* of the thread */
    pthread_t thread;
    struct chunk *first;
    size_t done; /* bytes of it that are in the file */
    struct recorder_file file;
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * SECOND_NS + now.tv_nsec;
}

static struct timespec moment(int64_t ns)
{
    return (struct timespec){.tv_sec = ns / SECOND_NS, .tv_nsec = ns % SECOND_NS};
}

/* ---- adding ---- */

/* NULL when all memory that may be used waits for the disk. */
static struct chunk *chunk_new(struct recorder *recorder)
{
    if (atomic_load(&recorder->chunks) >= CHUNKS_MAX)
        return NULL;
    struct chunk *chunk = atomic_exchange(&recorder->spare, NULL);
    if (!chunk)
        chunk = malloc(sizeof *chunk);
    if (!chunk)
        return NULL;
    atomic_init(&chunk->next, NULL);
    atomic_init(&chunk->filled, 0);
    atomic_fetch_add(&recorder->chunks, 1);
    return chunk;
}

static void wake(struct recorder *recorder)
{
    pthread_mutex_lock(&recorder->lock);
    recorder->woken = true;
    pthread_cond_signal(&recorder->wake);
    pthread_mutex_unlock(&recorder->lock);
}

void recorder_add(struct recorder *recorder, const struct record *record)
{
    struct chunk *chunk = recorder->last;
    size_t filled = atomic_load_explicit(&chunk->filled, memory_order_relaxed);
    if (filled + RECORD_JSON_MAX > CHUNK_BYTES) {
        struct chunk *next = chunk_new(recorder);
        if (!next) {
            recorder->dropped++;
            return;
        }
        atomic_store_explicit(&chunk->next, next, memory_order_release);
        recorder->last = chunk = next;
        filled = 0;
        wake(recorder);
    }
    filled += record_json_write_exact(chunk->bytes + filled, record);
    atomic_store_explicit(&chunk->filled, filled, memory_order_release);
    recorder->records++;
}

struct recorder_state recorder_state(struct recorder *recorder)
{
    struct recorder_state state = {
        .records = recorder->records,
        .waiting = recorder->records - atomic_load(&recorder->written_records),
        .written_bytes = atomic_load(&recorder->written_bytes),
        .dropped = recorder->dropped,
        .error = atomic_load(&recorder->error),
    };
    if (state.waiting > 0)
        state.late_s = (double)(now_ns() - atomic_load(&recorder->clean_ns)) * 1e-9;
    return state;
}

/* ---- writing: the thread ---- */

static uint64_t count_lines(const char *bytes, size_t size)
{
    uint64_t lines = 0;
    const char *end = bytes + size;
    while ((bytes = memchr(bytes, '\n', (size_t)(end - bytes))) && ++bytes)
        lines++;
    return lines;
}

/* The first chunk is in the file and full: the next one becomes the first. */
static bool next_chunk(struct recorder *recorder)
{
    struct chunk *chunk = recorder->first;
    struct chunk *next = atomic_load_explicit(&chunk->next, memory_order_acquire);
    if (!next || recorder->done < atomic_load(&chunk->filled))
        return next != NULL;
    recorder->first = next;
    recorder->done = 0;
    free(atomic_exchange(&recorder->spare, chunk));
    atomic_fetch_sub(&recorder->chunks, 1);
    return true;
}

/* What waits in the first chunk. errno or 0. */
static int write_piece(struct recorder *recorder, size_t size)
{
    size_t taken, written;
    const char *lines = recorder->first->bytes + recorder->done;
    int error = recorder_file_write(&recorder->file, lines, size, &taken, &written);
    recorder->done += taken;
    atomic_fetch_add(&recorder->written_bytes, written);
    atomic_fetch_add(&recorder->written_records, count_lines(lines, taken));
    return error;
}

/* All that waits, until `until_ns`, when that is not 0. False when something is left. */
static bool drain(struct recorder *recorder, int64_t until_ns)
{
    int64_t began_ns = now_ns();
    int error = recorder_file_follow(&recorder->file);
    while (error == 0) {
        size_t filled = atomic_load_explicit(&recorder->first->filled, memory_order_acquire);
        if (recorder->done < filled)
            error = write_piece(recorder, filled - recorder->done);
        else if (!next_chunk(recorder))
            break;
        if (until_ns > 0 && now_ns() > until_ns)
            return false;
    }
    atomic_store(&recorder->error, error);
    if (error == 0)
        atomic_store(&recorder->clean_ns, began_ns);
    return error == 0;
}

/* Until something is to be done: a chunk is full, a second has passed (only that while
 * writing fails), or it is the end. */
static bool rest(struct recorder *recorder, bool failing, int64_t *ret_stop_ns)
{
    struct timespec until = moment(now_ns() + SECOND_NS);
    pthread_mutex_lock(&recorder->lock);
    while (!recorder->stopping && (failing || !recorder->woken))
        if (pthread_cond_timedwait(&recorder->wake, &recorder->lock, &until) == ETIMEDOUT)
            break;
    recorder->woken = false;
    bool goes_on = !recorder->stopping;
    *ret_stop_ns = recorder->stop_ns;
    pthread_mutex_unlock(&recorder->lock);
    return goes_on;
}

static void *run(void *to)
{
    struct recorder *recorder = to;
    bool fails = false;
    int64_t stop_ns;
    while (rest(recorder, fails, &stop_ns))
        fails = !drain(recorder, 0);
    drain(recorder, stop_ns + END_NS);
    pthread_mutex_lock(&recorder->lock);
    recorder->ended = true;
    pthread_cond_signal(&recorder->end);
    pthread_mutex_unlock(&recorder->lock);
    return NULL;
}

/* Signals are for the other threads; a file that may not grow is an error, no death. */
static int start(struct recorder *recorder)
{
    sigset_t all, before;
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_mutex_init(&recorder->lock, NULL);
    pthread_cond_init(&recorder->wake, &steady);
    pthread_cond_init(&recorder->end, &steady);
    pthread_condattr_destroy(&steady);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&recorder->thread, NULL, run, recorder);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

/* ---- begin and end ---- */

static void release(struct recorder *recorder)
{
    for (struct chunk *chunk = recorder->first; chunk;) {
        struct chunk *next = atomic_load(&chunk->next);
        free(chunk);
        chunk = next;
    }
    free(atomic_load(&recorder->spare));
    recorder_file_close(&recorder->file);
    pthread_cond_destroy(&recorder->end);
    pthread_cond_destroy(&recorder->wake);
    pthread_mutex_destroy(&recorder->lock);
    free(recorder);
}

struct recorder *recorder_new(const char *path, char *error, size_t size)
{
    struct recorder *recorder = memory_zeroed(1, sizeof(*recorder));
    if (recorder_file_open(&recorder->file, path, error, size) < 0) {
        free(recorder);
        return NULL;
    }
    recorder->first = recorder->last = chunk_new(recorder);
    atomic_init(&recorder->clean_ns, now_ns());
    int reason = recorder->first ? start(recorder) : ENOMEM;
    if (reason == 0)
        return recorder;
    snprintf(error, size, "--record %s: no thread to write it: %s", path, strerror(reason));
    release(recorder);
    return NULL;
}

bool recorder_close(struct recorder *recorder, struct recorder_state *ret_left)
{
    struct timespec until = moment(now_ns() + LEAVE_NS);
    int waited = 0;
    pthread_mutex_lock(&recorder->lock);
    recorder->stopping = true;
    recorder->stop_ns = now_ns();
    pthread_cond_signal(&recorder->wake);
    while (!recorder->ended && waited != ETIMEDOUT)
        waited = pthread_cond_timedwait(&recorder->end, &recorder->lock, &until);
    bool ended = recorder->ended;
    pthread_mutex_unlock(&recorder->lock);
    *ret_left = recorder_state(recorder);
    if (!ended) { /* it may still use all of this */
        pthread_detach(recorder->thread);
        return false;
    }
    pthread_join(recorder->thread, NULL);
    *ret_left = recorder_state(recorder);
    release(recorder);
    return ret_left->waiting == 0 && ret_left->dropped == 0;
}

bool recorder_free(struct recorder *recorder)
{
    struct recorder_state left;
    return !recorder || recorder_close(recorder, &left);
}
