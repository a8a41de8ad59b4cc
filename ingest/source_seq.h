/* What never arrived, by the senders' own counters: gaps in `seq`. Records that
 * overtake each other within SEQ_WINDOW are no loss. Bounded in memory. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define SEQ_WINDOW 64
#define SEQ_SENDERS_MAX 32768
#define SEQ_JUMP_MAX (1 << 20) /* a larger jump is a new beginning, not a loss */

struct seq_sender {
    uint8_t address[16];
    uint16_t port;
    uint16_t used;
    uint32_t odd; /* what would go on from a counter that left the window (low bits); 0: none */
    int64_t highest;
    uint64_t seen; /* bit i: highest - i has arrived */
    int64_t last_ns;
};

/* All zero is a tracker that has seen nobody. */
struct seq {
    struct seq_sender *senders; /* a hash table, open */
    size_t size, count;
    uint64_t missing;   /* never arrived, so far */
    uint64_t doubled;   /* arrived twice */
    uint64_t untracked; /* records of senders beyond SEQ_SENDERS_MAX */
};

void seq_note(struct seq *seq, const struct sockaddr *from, int64_t number, int64_t now_ns);
void seq_done(struct seq *seq);
