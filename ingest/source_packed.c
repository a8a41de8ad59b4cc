/* A compressed file as the plain bytes that are in it. */
#include "source_packed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"

#define INPUT_BYTES (32 * 1024)
#define INPUT_LEAST 4096
#define OUTPUT_BYTES (64 * 1024)

struct packed {
    struct inflater *inflater; /* NULL at the end */
    int64_t size, taken;       /* of the compressed file */
    struct spool *spool;       /* borrowed */
    struct spool_part part;
    bool whole, failed;
    bool passing;      /* nothing more is laid open */
    char problem[192]; /* empty: none */
};

struct packed *packed_new(enum inflate_kind kind, int64_t size, struct spool *spool, bool whole)
{
    struct packed *packed = memory_zeroed(1, sizeof *packed);
    packed->inflater = inflater_new(kind);
    packed->size = size;
    packed->spool = spool;
    packed->whole = whole && spool;
    return packed;
}

void packed_free(struct packed *packed)
{
    if (!packed)
        return;
    inflater_free(packed->inflater);
    spool_part_done(&packed->part);
    free(packed);
}

void packed_pass(struct packed *packed)
{
    packed->passing = !packed->whole;
}

const char *packed_problem(const struct packed *packed)
{
    return !packed->inflater && packed->problem[0] != '\0' ? packed->problem : NULL;
}

bool packed_failed(const struct packed *packed)
{
    return packed->failed;
}

int64_t packed_taken(const struct packed *packed)
{
    return packed->taken;
}

static void end(struct packed *packed, const char *problem, const char *loss)
{
    if (problem)
        snprintf(packed->problem, sizeof packed->problem, "%s%s%s", problem, loss ? "; " : "",
                 loss ? loss : "");
    inflater_free(packed->inflater);
    packed->inflater = NULL;
}

/* It is the machine's fault, not the file's. */
static void give_up(struct packed *packed, const char *problem, const char *loss)
{
    packed->failed = true;
    end(packed, problem, loss);
}

static void end_of_input(struct packed *packed, ssize_t got)
{
    if (got < 0)
        give_up(packed, strerror(errno), "its last records are missing");
    else if (packed->taken < packed->size)
        give_up(packed, "was truncated while it is read", "its last records are missing");
    else if (!inflater_may_end(packed->inflater))
        end(packed, "ends in the middle of compressed data", "its last records are missing");
    else
        end(packed, NULL, NULL);
}

static ssize_t read_input(const struct packed *packed, int fd, void *bytes, size_t room)
{
    int64_t left = packed->size - packed->taken;
    size_t size = room / 2 < INPUT_LEAST ? INPUT_LEAST : room / 2;
    size = size < INPUT_BYTES ? size : INPUT_BYTES;
    size = (int64_t)size < left ? size : (size_t)left;
    ssize_t got;
    do {
        got = pread(fd, bytes, size, packed->taken);
    } while (got < 0 && errno == EINTR);
    return got;
}

/* The next plain bytes; 0 at the end. What was read and not taken is read again: no input is kept
 * between calls, as there may be very many files. */
static size_t make(struct packed *packed, int fd, void *to, size_t room)
{
    unsigned char input[INPUT_BYTES];
    size_t made = 0;
    while (made == 0 && packed->inflater) {
        size_t taken;
        ssize_t got = read_input(packed, fd, input, room);
        enum inflate_result result = inflater_run(
            packed->inflater, input, got > 0 ? (size_t)got : 0, &taken, to, room, &made);
        packed->taken += (int64_t)taken;
        if (result == INFLATE_DAMAGED)
            end(packed, inflater_problem(packed->inflater), "what follows there is missing");
        else if (got <= 0 && made == 0)
            end_of_input(packed, got);
    }
    return made;
}

static void lay_open(struct packed *packed, int fd, int64_t until, size_t *ret_made)
{
    char plain[OUTPUT_BYTES];
    while (packed->inflater && packed->part.size < until) {
        size_t made = make(packed, fd, plain, sizeof plain);
        int result = spool_append(packed->spool, &packed->part, plain, made);
        *ret_made += made;
        if (result < 0) {
            char problem[128];
            snprintf(problem, sizeof problem, "no room for what is compressed in it: %s",
                     strerror(-result));
            give_up(packed, problem, "set TMPDIR to a larger folder");
        }
    }
}

size_t packed_read(struct packed *packed, int fd, int64_t offset, void *bytes, size_t size,
                   size_t *ret_made)
{
    *ret_made = 0;
    if (!packed->spool || (packed->passing && offset >= packed->part.size))
        return *ret_made = make(packed, fd, bytes, size);
    lay_open(packed, fd, packed->whole ? INT64_MAX : offset + 1, ret_made);
    ssize_t got = spool_read(packed->spool, &packed->part, offset, bytes, size);
    if (got < 0) {
        give_up(packed, strerror((int)-got), "what follows there is missing");
        return 0;
    }
    return (size_t)got;
}
