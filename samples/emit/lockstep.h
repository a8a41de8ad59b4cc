/* Step records for lockstep, from a training job in C or C++. One header, no
 * dependency but POSIX; C99 or C++11. Include it before other headers, or
 * compile with -D_GNU_SOURCE or -std=gnu99.
 *
 *     struct lockstep_writer writer;
 *     lockstep_open(&writer, "logs/", rank);       // or a *.jsonl file, or udp://HOST:PORT
 *     for (step = 0; step < n; step++) {
 *         lockstep_step_begin(&writer, step);
 *         lockstep_phase(&writer, "forward");      // ends the phase before it
 *         ...
 *         lockstep_phase(&writer, "sync");         // data forward backward sync optimizer compute
 *         ...
 *         lockstep_event(&writer, "checkpoint");   // when this step saves one; or "validation"
 *         lockstep_step_end(&writer);              // writes the line
 *     }
 *     lockstep_close(&writer);
 *
 * Nothing here can break the job: every error is counted (writer.errors) and
 * swallowed, no memory is allocated, and a UDP record that would have to wait is
 * dropped. A file gets one write of one line a step, to the end of the file; on a
 * file system that may hang, send UDP. One writer a rank, used by one thread. */
#ifndef LOCKSTEP_H
#define LOCKSTEP_H

#if !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE) && !defined(_DEFAULT_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define LOCKSTEP_PHASES 6
#define LOCKSTEP_LINE_BYTES 1024

struct lockstep_writer {
    int fd; /* -1: nothing is written */
    int is_udp;
    int rank;
    long long step;
    long long tokens;                         /* of one step; 0: not in the record */
    long long seq;                            /* of the datagrams */
    unsigned long long errors;                /* lines that could not be written */
    int phase;                                /* that is open; -1: none */
    const char *event;                        /* of this step; NULL */
    int in_step;                              /* between step_begin and step_end */
    int torn;                                 /* the file ends in the middle of a line */
    struct timespec wall, begin, phase_begin; /* of the step; of the open phase */
    double seconds[LOCKSTEP_PHASES];          /* negative: not in this step */
    char host[65];
};

static inline const char *lockstep_phase_name(int phase)
{
    static const char *const names[LOCKSTEP_PHASES] = {"data", "forward",   "backward",
                                                       "sync", "optimizer", "compute"};
    return names[phase];
}

static inline double lockstep_seconds(struct timespec from, struct timespec to)
{
    return (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
}

/* Text that needs no escape in JSON; what would, becomes '_'. */
static inline void lockstep_plain(char *text)
{
    for (; *text; text++) {
        if (*text < ' ' || *text > '~' || *text == '"' || *text == '\\')
            *text = '_';
    }
}

/* Seconds with six decimals, whatever the locale's decimal point is. */
static inline int lockstep_put_seconds(char *to, size_t size, const char *key, double seconds)
{
    long long us = seconds > 0 && seconds < 9e12 ? (long long)(seconds * 1e6 + 0.5) : 0;
    return snprintf(to, size, ",\"%s\":%lld.%06lld", key, us / 1000000, us % 1000000);
}

static inline int lockstep_open_udp(const char *where)
{
    char host[256];
    const char *begin = strchr(where, '/'), *colon = strrchr(where, ':');
    struct addrinfo hints, *found = NULL, *a;
    size_t length;
    int fd = -1;
    if (begin)
        begin += strspn(begin, "/");
    if (!begin || !colon || colon < begin)
        return -1;
    length = (size_t)(colon - begin);
    if (length >= 2 && begin[0] == '[' && colon[-1] == ']') {
        begin++;
        length -= 2;
    }
    if (length == 0 || length >= sizeof host)
        return -1;
    memcpy(host, begin, length);
    host[length] = '\0';
    memset(&hints, 0, sizeof hints);
    hints.ai_socktype = SOCK_DGRAM;
    if (getaddrinfo(host, colon + 1, &hints, &found) != 0)
        return -1;
    for (a = found; a && fd < 0; a = a->ai_next) {
        fd = socket(a->ai_family, SOCK_DGRAM, 0);
        if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) != 0) {
            close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(found);
    return fd;
}

static inline int lockstep_open_file(const char *where, int rank)
{
    char path[4096];
    size_t length = strlen(where);
    struct stat status;
    int is_file = length > 6 && strcmp(where + length - 6, ".jsonl") == 0;
    int n, fd;
    if (is_file && !(stat(where, &status) == 0 && S_ISDIR(status.st_mode))) {
        n = snprintf(path, sizeof path, "%s", where);
    } else {
        mkdir(where, 0777); /* it may be there */
        n = snprintf(path, sizeof path, "%s/rank%d.jsonl", where, rank);
    }
    if (n < 0 || (size_t)n >= sizeof path)
        return -1;
    fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0666);
    if (fd >= 0 && (fstat(fd, &status) != 0 || S_ISFIFO(status.st_mode))) {
        close(fd); /* a pipe whose reader goes away would kill the job */
        fd = -1;
    }
    return fd;
}

/* `where`: a folder, a *.jsonl file, or udp://HOST:PORT. A negative rank is
 * taken from the launcher (RANK, SLURM_PROCID, OMPI_COMM_WORLD_RANK). Returns 0,
 * or -1 when nothing can be written; the other calls are then harmless. */
static inline int lockstep_open(struct lockstep_writer *writer, const char *where, int rank)
{
    static const char *const variables[] = {"RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK"};
    size_t i;
    memset(writer, 0, sizeof *writer);
    for (i = 0; rank < 0 && i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value && *value >= '0' && *value <= '9')
            rank = atoi(value);
    }
    writer->rank = rank < 0 ? 0 : rank;
    writer->phase = -1;
    if (gethostname(writer->host, sizeof writer->host - 1) != 0)
        writer->host[0] = '\0';
    lockstep_plain(writer->host);
    writer->is_udp = strncmp(where, "udp://", 6) == 0;
    writer->fd =
        writer->is_udp ? lockstep_open_udp(where) : lockstep_open_file(where, writer->rank);
    return writer->fd < 0 ? -1 : 0;
}

static inline void lockstep_step_begin(struct lockstep_writer *writer, long long step)
{
    int i;
    for (i = 0; i < LOCKSTEP_PHASES; i++)
        writer->seconds[i] = -1;
    writer->step = step;
    writer->phase = -1;
    writer->in_step = 1;
    clock_gettime(CLOCK_REALTIME, &writer->wall);
    clock_gettime(CLOCK_MONOTONIC, &writer->begin);
}

/* Begins a phase and ends the one before it; NULL only ends it. A phase that
 * comes again in the same step is added up; an unknown name is not counted. */
static inline void lockstep_phase(struct lockstep_writer *writer, const char *name)
{
    struct timespec now;
    int i;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (writer->phase >= 0) {
        double spent = lockstep_seconds(writer->phase_begin, now);
        double *seconds = &writer->seconds[writer->phase];
        *seconds = *seconds < 0 ? spent : *seconds + spent;
    }
    writer->phase = -1;
    writer->phase_begin = now;
    for (i = 0; name && writer->in_step && i < LOCKSTEP_PHASES; i++) {
        if (strcmp(name, lockstep_phase_name(i)) == 0)
            writer->phase = i;
    }
}

/* This step, or the pause before it when no step is open, holds a "checkpoint" or a
 * "validation": a slow step is then no sign of a slow rank. Another name is not written. */
static inline void lockstep_event(struct lockstep_writer *writer, const char *name)
{
    writer->event = NULL;
    if (name && strcmp(name, "checkpoint") == 0)
        writer->event = "checkpoint";
    else if (name && strcmp(name, "validation") == 0)
        writer->event = "validation";
}

/* `line` begins with a newline, which ends a torn line before it. */
static inline void lockstep_write(struct lockstep_writer *writer, const char *line, size_t length)
{
    size_t skip = writer->torn ? 0 : 1;
    ssize_t n = -1;
    if (writer->fd >= 0 && writer->is_udp)
        n = send(writer->fd, line + skip, length - skip, MSG_DONTWAIT | MSG_NOSIGNAL);
    else if (writer->fd >= 0)
        n = write(writer->fd, line + skip, length - skip);
    if (n < 0 || (size_t)n < length - skip)
        writer->errors++;
    if (n > 0)
        writer->torn = !writer->is_udp && (size_t)n < length - skip;
}

/* Writes the line of this step. */
static inline void lockstep_step_end(struct lockstep_writer *writer)
{
    char line[LOCKSTEP_LINE_BYTES];
    size_t used;
    int i, phases = 0;
    struct timespec now;
    if (!writer->in_step)
        return;
    lockstep_phase(writer, NULL);
    writer->in_step = 0;
    clock_gettime(CLOCK_MONOTONIC, &now);
    used = (size_t)snprintf(line, sizeof line, "\n{\"rank\":%d,\"step\":%lld,\"t\":%lld.%06ld",
                            writer->rank, writer->step, (long long)writer->wall.tv_sec,
                            writer->wall.tv_nsec / 1000);
    for (i = 0; i < LOCKSTEP_PHASES; i++) {
        if (writer->seconds[i] < 0)
            continue;
        phases++;
        used += (size_t)lockstep_put_seconds(line + used, sizeof line - used,
                                             lockstep_phase_name(i), writer->seconds[i]);
    }
    if (phases == 0)
        used += (size_t)lockstep_put_seconds(line + used, sizeof line - used, "step_time",
                                             lockstep_seconds(writer->begin, now));
    if (writer->tokens > 0)
        used +=
            (size_t)snprintf(line + used, sizeof line - used, ",\"tokens\":%lld", writer->tokens);
    if (writer->host[0])
        used += (size_t)snprintf(line + used, sizeof line - used, ",\"host\":\"%s\"", writer->host);
    if (writer->event)
        used +=
            (size_t)snprintf(line + used, sizeof line - used, ",\"event\":\"%s\"", writer->event);
    writer->event = NULL;
    if (writer->is_udp)
        used += (size_t)snprintf(line + used, sizeof line - used, ",\"seq\":%lld", writer->seq++);
    used += (size_t)snprintf(line + used, sizeof line - used, "}\n");
    lockstep_write(writer, line, used);
}

static inline void lockstep_close(struct lockstep_writer *writer)
{
    if (writer->fd >= 0)
        close(writer->fd);
    writer->fd = -1;
}

#endif
