/* Records as UDP datagrams: `seq` is added, so that the receiver can count what
 * never arrived. Nobody need listen: what meets no listener is counted. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "command_feed_pace.h"

struct feed_udp;

/* `to`: "udp://HOST:PORT", an IPv6 address in brackets. At most `batch` lines a
 * datagram. NULL when it cannot be (said on standard error). */
struct feed_udp *feed_udp_open(const char *to, int batch, struct feed_pace *pace);

/* Takes one line; sends when enough have come. A line that no datagram can hold
 * is left out (said). False when sending fails (said), or a signal came. */
bool feed_udp_line(struct feed_udp *udp, const char *line, size_t length);
bool feed_udp_flush(struct feed_udp *udp);

/* Says how many datagrams met no listener, and frees. Does not flush. */
void feed_udp_close(struct feed_udp *udp);
