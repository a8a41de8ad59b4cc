/* Records by UDP. libuv takes datagrams in batches (recvmmsg); what the kernel
 * dropped is read from the sockets themselves (SO_MEMINFO). */
#include "source_udp.h"

#include <assert.h>
#include <errno.h>
#include <linux/sock_diag.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "memory.h"
#include "source_address.h"
#include "source_index.h"
#include "source_seq.h"

/* libuv 1.44 never returns when the buffer holds less than one datagram of the
 * largest size, and takes no more than 20 in a call. */
#define DATAGRAM_MAX (64 * 1024)
#define BATCH 20
#define STREAM_ROOM (128 * 1024) /* of a size that the stream keeps when it is empty */
#define DROPS_EVERY_MS 1000
#define COMPLAINT 160

struct udp_socket {
    uv_udp_t handle;
    struct udp *udp;
    uint32_t drops_seen; /* the kernel's counter, which wraps */
};

struct udp {
    struct udp_socket sockets[ADDRESSES_MAX];
    uv_timer_t timer;
    int socket_count;
    int open_handles; /* the last close callback frees all */
    struct stream *stream;
    struct stream_totals *totals;
    struct sink sink;
    struct udp_block *allow;
    int allow_count;
    struct seq seq;
    struct udp_counts counts;
    char bound[UDP_TEXT_BYTES];
    int port;
    char *buffer; /* DATAGRAM_MAX * BATCH */
};

/* ---- receiving ---- */

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    (void)suggested;
    struct udp *udp = handle->data;
    *buffer = uv_buf_init(udp->buffer, DATAGRAM_MAX * BATCH);
}

static bool is_allowed(const struct udp *udp, const struct sockaddr *from)
{
    if (udp_is_loopback(from))
        return true;
    for (int i = 0; i < udp->allow_count; i++)
        if (udp_block_has(&udp->allow[i], from))
            return true;
    return false;
}

static void drain(struct udp *udp, const struct sockaddr *from, int64_t now_ns)
{
    struct record record;
    while (stream_next(udp->stream, &record)) {
        if (record.has & RECORD_SEQ)
            seq_note(&udp->seq, from, record.seq, now_ns);
        udp->sink.record(udp->sink.to, &record, now_ns);
    }
}

/* A datagram holds whole lines: the newline of the last one may be missing, and
 * it never goes on in the next datagram. */
static void decode(struct udp *udp, const char *bytes, size_t size, const struct sockaddr *from,
                   int64_t now_ns)
{
    size_t room;
    char *space = stream_space(udp->stream, STREAM_ROOM, &room);
    assert(room > size);
    memcpy(space, bytes, size);
    if (bytes[size - 1] != '\n')
        space[size++] = '\n';
    stream_filled(udp->stream, size);
    drain(udp, from, now_ns);
}

static void complain(struct udp *udp, const struct sockaddr *from, const char *what)
{
    char text[UDP_TEXT_BYTES], sender[64];
    udp_address_format(from, sender, sizeof sender);
    snprintf(text, sizeof text, "%s %s", what, sender);
    stream_complain(udp->totals, "udp", 0, text);
}

static void on_receive(uv_udp_t *handle, ssize_t size, const uv_buf_t *buffer,
                       const struct sockaddr *from, unsigned flags)
{
    struct udp *udp = handle->data;
    if (size < 0 || !from)
        return; /* nothing now, the end of a batch, or an error that passes (ICMP) */
    if (!is_allowed(udp, from)) {
        if (udp->counts.refused++ == 0)
            complain(udp, from, "refused a sender that is not allowed (--allow):");
        return;
    }
    if (flags & UV_UDP_PARTIAL) {
        udp->totals->counts.damaged++;
        if (udp->counts.damaged++ == 0)
            complain(udp, from, "refused a datagram that was cut short, from");
        return;
    }
    udp->counts.datagrams++;
    udp->counts.bytes += (uint64_t)size;
    if (size > 0)
        decode(udp, buffer->base, (size_t)size, from, (int64_t)uv_now(handle->loop) * 1000000);
}

/* ---- what the kernel dropped ---- */

static void read_drops(struct udp *udp)
{
    for (int i = 0; i < udp->socket_count; i++) {
        struct udp_socket *socket = &udp->sockets[i];
        uint32_t memory[SK_MEMINFO_VARS] = {0};
        socklen_t size = sizeof memory;
        uv_os_fd_t fd;
        if (uv_fileno((uv_handle_t *)&socket->handle, &fd) < 0 ||
            getsockopt(fd, SOL_SOCKET, SO_MEMINFO, memory, &size) < 0)
            continue;
        uint32_t now = memory[SK_MEMINFO_DROPS];
        udp->counts.kernel_dropped += (uint32_t)(now - socket->drops_seen);
        socket->drops_seen = now;
    }
}

/* Often enough for a counter that wraps. */
static void on_timer(uv_timer_t *handle)
{
    read_drops(handle->data);
}

void udp_counts(struct udp *udp, struct udp_counts *ret)
{
    read_drops(udp);
    *ret = udp->counts;
    ret->seq_missing = udp->seq.missing;
    ret->never_arrived =
        ret->seq_missing > ret->kernel_dropped ? ret->seq_missing - ret->kernel_dropped : 0;
    ret->senders = (int)udp->seq.count;
}

/* ---- making and ending ---- */

static int grant_buffer(int fd, int wanted)
{
    int granted = 0;
    socklen_t size = sizeof granted;
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &wanted, sizeof wanted) < 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &wanted, sizeof wanted);
    getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &granted, &size);
    return granted;
}

static int set_port(struct sockaddr *address, uint16_t port)
{
    if (address->sa_family == AF_INET6)
        ((struct sockaddr_in6 *)address)->sin6_port = htons(port);
    else
        ((struct sockaddr_in *)address)->sin_port = htons(port);
    return 0;
}

static void note_bound(struct udp *udp, struct udp_socket *socket)
{
    struct sockaddr_storage address = {0};
    int size = sizeof address;
    char text[64];
    uv_udp_getsockname(&socket->handle, (struct sockaddr *)&address, &size);
    udp_address_format((struct sockaddr *)&address, text, sizeof text);
    size_t len = strlen(udp->bound);
    snprintf(udp->bound + len, sizeof udp->bound - len, "%s%s", len ? ", " : "", text);
    udp->port = udp_address_port((struct sockaddr *)&address);
}

/* The handle counts as open as soon as it is initialised, bound or not. */
static int open_socket(struct udp *udp, uv_loop_t *loop, struct sockaddr *address, int wanted)
{
    struct udp_socket *socket = &udp->sockets[udp->socket_count];
    socket->udp = udp;
    if (udp->port && udp_address_port(address) == 0)
        set_port(address, (uint16_t)udp->port);
    int result = uv_udp_init_ex(loop, &socket->handle, address->sa_family | UV_UDP_RECVMMSG);
    if (result < 0)
        return result;
    socket->handle.data = udp;
    udp->socket_count++;
    udp->open_handles++;
    uv_os_fd_t fd;
    uv_fileno((uv_handle_t *)&socket->handle, &fd);
    int granted = grant_buffer(fd, wanted);
    result =
        uv_udp_bind(&socket->handle, address, address->sa_family == AF_INET6 ? UV_UDP_IPV6ONLY : 0);
    if (result == 0)
        result = uv_udp_recv_start(&socket->handle, on_alloc, on_receive);
    if (result < 0)
        return result;
    if (!udp->counts.receive_buffer || granted < udp->counts.receive_buffer)
        udp->counts.receive_buffer = granted;
    note_bound(udp, socket);
    return 0;
}

static void release(struct udp *udp)
{
    stream_free(udp->stream);
    seq_done(&udp->seq);
    free(udp->allow);
    free(udp->buffer);
    free(udp);
}

static void on_closed(uv_handle_t *handle)
{
    struct udp *udp = handle->data;
    if (--udp->open_handles == 0)
        release(udp);
}

void udp_free(struct udp *udp)
{
    if (!udp)
        return;
    for (int i = 0; i < udp->socket_count; i++)
        uv_close((uv_handle_t *)&udp->sockets[i].handle, on_closed);
    uv_close((uv_handle_t *)&udp->timer, on_closed);
}

/* False when a block is not one; its text in ret_message. */
static bool parse_allow(struct udp *udp, const struct udp_options *options, char *ret_message,
                        size_t size)
{
    udp->allow = memory_zeroed(1, (size_t)options->allow_count * sizeof *udp->allow);
    for (int i = 0; i < options->allow_count; i++) {
        if (!udp_block_parse(options->allow[i], &udp->allow[i])) {
            snprintf(ret_message, size,
                     "%s: is not a block of addresses such as 10.0.0.0/8 or "
                     "fd00::/8",
                     options->allow[i]);
            return false;
        }
    }
    udp->allow_count = options->allow_count;
    return true;
}

static void say_why(const struct sockaddr *address, int error, char *ret_message, size_t size)
{
    char where[64];
    udp_address_format(address, where, sizeof where);
    const char *todo = error == UV_EADDRINUSE
                           ? "is in use; end the program that listens there, or take another port"
                       : error == UV_EACCES        ? "permission denied; take a port above 1023"
                       : error == UV_EADDRNOTAVAIL ? "is not an address of this machine"
                                                   : uv_strerror(error);
    snprintf(ret_message, size, "udp://%s: %s", where, todo);
}

/* A machine without IPv6 has one loopback only: that is enough. */
static bool may_lack(const struct udp *udp, const struct sockaddr *address, int error)
{
    return udp->bound[0] && address->sa_family == AF_INET6 &&
           (error == UV_EAFNOSUPPORT || error == UV_EADDRNOTAVAIL);
}

static bool open_all(struct udp *udp, uv_loop_t *loop, struct udp_address *address, int wanted,
                     char *ret_message, size_t size)
{
    for (int i = 0; i < address->count; i++) {
        struct sockaddr *at = (struct sockaddr *)&address->bind[i];
        int result = open_socket(udp, loop, at, wanted);
        if (result < 0 && !may_lack(udp, at, result)) {
            say_why(at, result, ret_message, size);
            return false;
        }
    }
    return true;
}

struct udp *udp_new(struct loop *loop, const char *spec, const struct udp_options *options,
                    const struct sink *sink, struct stream_totals *totals, char *ret_message,
                    size_t size)
{
    struct udp_address address;
    if (udp_address_parse(spec, &address, ret_message, size) < 0)
        return NULL;
    struct udp *udp = memory_zeroed(1, sizeof *udp);
    udp->totals = totals;
    udp->sink = *sink;
    udp->stream = stream_new("udp", totals);
    stream_own_only(udp->stream);
    udp->buffer = memory_zeroed(1, DATAGRAM_MAX * BATCH);
    uv_timer_init(loop_uv(loop), &udp->timer);
    udp->timer.data = udp;
    udp->open_handles = 1;
    int wanted = options->receive_buffer > 0 ? options->receive_buffer : UDP_RECEIVE_BUFFER;
    if (!parse_allow(udp, options, ret_message, size) ||
        !open_all(udp, loop_uv(loop), &address, wanted, ret_message, size)) {
        udp_free(udp);
        return NULL;
    }
    uv_timer_start(&udp->timer, on_timer, DROPS_EVERY_MS, DROPS_EVERY_MS);
    return udp;
}

const char *udp_bound(const struct udp *udp)
{
    return udp->bound;
}

int udp_port(const struct udp *udp)
{
    return udp->port;
}
