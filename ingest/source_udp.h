/* Records by UDP: one or more whole lines a datagram. Listens on the loopbacks
 * unless told otherwise, takes senders outside by permission only, and counts
 * exactly what the kernel dropped. */
#pragma once

#include <stdint.h>

#include "sink.h"
#include "source_loop.h"
#include "stream.h"

#define UDP_RECEIVE_BUFFER (8 * 1024 * 1024) /* bytes asked for by default */
#define UDP_TEXT_BYTES 256

struct udp_options {
    const char *const *allow; /* CIDR blocks of senders outside the loopback */
    int allow_count;
    int receive_buffer; /* bytes asked for; 0: UDP_RECEIVE_BUFFER */
};

/* sent = records of datagrams + refused + damaged + kernel_dropped + never_arrived. */
struct udp_counts {
    uint64_t datagrams;      /* taken */
    uint64_t bytes;          /* of them */
    uint64_t refused;        /* of senders that are not allowed */
    uint64_t damaged;        /* cut short by the kernel; not decoded */
    uint64_t kernel_dropped; /* for want of receive buffer: absolute and exact */
    uint64_t never_arrived;  /* gaps in the senders' `seq` beyond what the kernel dropped */
    uint64_t seq_missing;    /* gaps in `seq`, whatever their cause */
    int receive_buffer;      /* bytes granted by the kernel, the smallest of the sockets */
    int senders;             /* with a `seq` */
};

struct udp;

/* `spec` as in udp_address_parse(). *sink is copied, *totals borrowed. NULL with
 * a sentence in ret_message: what is wrong, and what to do. */
struct udp *udp_new(struct loop *loop, const char *spec, const struct udp_options *options,
                    const struct sink *sink, struct stream_totals *totals, char *ret_message,
                    size_t size);
void udp_free(struct udp *udp); /* NULL is allowed; before loop_free() */

/* "127.0.0.1:9999, [::1]:9999". */
const char *udp_bound(const struct udp *udp);
int udp_port(const struct udp *udp);

/* Asks the kernel: exact at the moment of the call. */
void udp_counts(struct udp *udp, struct udp_counts *ret);
