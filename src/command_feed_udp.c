/* Records as UDP datagrams, several handed to the kernel at once. */
#include "command_feed_udp.h"

#include <errno.h>
#include <netdb.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define DATAGRAM_MAX 65507
#define DATAGRAMS 64
#define SEQ_BYTES 32 /* "seq":NUMBER, */
#define STORE_BYTES (2 * DATAGRAM_MAX)

struct feed_udp {
    int fd;
    int batch;
    struct feed_pace *pace;
    char *name; /* for messages */
    uint64_t seq;
    uint64_t refused;
    bool complained;
    int lines; /* in the last datagram */
    unsigned count;
    size_t used;
    struct mmsghdr messages[DATAGRAMS];
    struct iovec pieces[DATAGRAMS];
    char store[STORE_BYTES];
};

static bool fails(const char *to, const char *what)
{
    fprintf(stderr, "lockstep: %s: %s, give a receiver as udp://HOST:PORT\n", to, what);
    return false;
}

/* "udp://HOST:PORT" apart; the brackets of an IPv6 address go. */
static bool split(const char *to, char *host, size_t host_size, const char **ret_port)
{
    const char *begin = to + strlen("udp://"), *colon = strrchr(begin, ':');
    if (!colon || !colon[1])
        return false;
    size_t length = (size_t)(colon - begin);
    if (length >= 2 && begin[0] == '[' && colon[-1] == ']') {
        begin++;
        length -= 2;
    }
    if (length == 0 || length >= host_size)
        return false;
    memcpy(host, begin, length);
    host[length] = '\0';
    *ret_port = colon + 1;
    return true;
}

static bool connect_to(struct feed_udp *udp, const char *to)
{
    char host[256];
    const char *port;
    struct addrinfo hints = {.ai_socktype = SOCK_DGRAM}, *found = NULL;
    if (!split(to, host, sizeof host, &port))
        return fails(to, "no host and port");
    int error = getaddrinfo(host, port, &hints, &found);
    if (error)
        return fails(to, gai_strerror(error));
    int why = 0;
    for (struct addrinfo *a = found; a && udp->fd < 0; a = a->ai_next) {
        udp->fd = socket(a->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        if (udp->fd >= 0 && connect(udp->fd, a->ai_addr, a->ai_addrlen) == 0)
            break;
        why = errno;
        if (udp->fd >= 0)
            close(udp->fd);
        udp->fd = -1;
    }
    freeaddrinfo(found);
    return udp->fd >= 0 || fails(to, strerror(why));
}

struct feed_udp *feed_udp_open(const char *to, int batch, struct feed_pace *pace)
{
    struct feed_udp *udp = calloc(1, sizeof *udp);
    if (!udp || !(udp->name = strdup(to))) {
        free(udp);
        fails(to, strerror(ENOMEM));
        return NULL;
    }
    udp->fd = -1;
    udp->batch = batch;
    udp->pace = pace;
    if (!connect_to(udp, to)) {
        feed_udp_close(udp);
        return NULL;
    }
    return udp;
}

bool feed_udp_flush(struct feed_udp *udp)
{
    unsigned sent = 0;
    while (sent < udp->count) {
        int n = sendmmsg(udp->fd, udp->messages + sent, udp->count - sent, 0);
        if (n > 0) {
            sent += (unsigned)n;
        } else if (errno == ECONNREFUSED) {
            udp->refused++; /* an answer to an earlier one; this one goes again */
        } else if (errno == EAGAIN || errno == ENOBUFS) {
            if (!feed_pace_writable(udp->pace, udp->fd))
                return false;
        } else if (errno != EINTR) {
            return fails(udp->name, strerror(errno));
        }
    }
    udp->count = 0;
    udp->used = 0;
    udp->lines = 0;
    return true;
}

/* Room for `length` bytes in the last datagram or in a new one. */
static bool make_room(struct feed_udp *udp, size_t length)
{
    bool joins = udp->count && udp->lines < udp->batch &&
                 udp->pieces[udp->count - 1].iov_len + length <= DATAGRAM_MAX;
    if (udp->used + length > STORE_BYTES || (!joins && udp->count == DATAGRAMS)) {
        if (!feed_udp_flush(udp))
            return false;
        joins = false;
    }
    if (!joins) {
        udp->pieces[udp->count] = (struct iovec){.iov_base = udp->store + udp->used};
        udp->messages[udp->count] =
            (struct mmsghdr){.msg_hdr = {.msg_iov = &udp->pieces[udp->count], .msg_iovlen = 1}};
        udp->count++;
        udp->lines = 0;
    }
    return true;
}

static void put(struct feed_udp *udp, const char *text, size_t length)
{
    memcpy(udp->store + udp->used, text, length);
    udp->used += length;
    udp->pieces[udp->count - 1].iov_len += length;
}

bool feed_udp_line(struct feed_udp *udp, const char *line, size_t length)
{
    if (length > DATAGRAM_MAX - SEQ_BYTES) {
        if (!udp->complained)
            fails(udp->name, "a line is longer than a datagram and is left out");
        udp->complained = true;
        return true;
    }
    if (!make_room(udp, length + SEQ_BYTES))
        return false;
    const char *brace = memchr(line, '{', length);
    if (brace && !memmem(line, length, "\"seq\"", 5)) {
        char seq[SEQ_BYTES];
        size_t before = (size_t)(brace + 1 - line);
        int seq_length = snprintf(seq, sizeof seq, "\"seq\":%llu,", (unsigned long long)udp->seq++);
        put(udp, line, before);
        put(udp, seq, (size_t)seq_length);
        put(udp, line + before, length - before);
    } else {
        put(udp, line, length);
    }
    udp->lines++;
    return true;
}

void feed_udp_close(struct feed_udp *udp)
{
    if (udp->refused)
        fprintf(stderr, "lockstep: %s: nobody listened to %llu or more datagrams\n", udp->name,
                (unsigned long long)udp->refused);
    if (udp->fd >= 0)
        close(udp->fd);
    free(udp->name);
    free(udp);
}
