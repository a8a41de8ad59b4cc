/* What never arrived, by the senders' own counters. */
#include "source_seq.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "source_address.h"
#include "source_index.h"

#define FIRST_SIZE 64
#define SILENT_NS INT64_C(60000000000) /* a sender that may be forgotten for another */

static struct seq_sender *slot_of(const struct seq *seq, const struct seq_sender *key)
{
    uint64_t hash = source_hash(SOURCE_HASH_START, key->address, sizeof key->address);
    hash = source_hash(hash, &key->port, sizeof key->port);
    hash ^= hash >> 29;
    for (size_t i = (size_t)hash & (seq->size - 1);; i = (i + 1) & (seq->size - 1)) {
        struct seq_sender *sender = &seq->senders[i];
        if (!sender->used || (sender->port == key->port &&
                              memcmp(sender->address, key->address, sizeof key->address) == 0))
            return sender;
    }
}

/* Into a table of that size; senders last heard of before `since` stay behind. */
static void rebuild(struct seq *seq, size_t size, int64_t since)
{
    struct seq_sender *old = seq->senders;
    size_t old_size = seq->size;
    seq->senders = memory_zeroed(1, size * sizeof *seq->senders);
    seq->size = size;
    seq->count = 0;
    for (size_t i = 0; i < old_size; i++) {
        if (old[i].used && old[i].last_ns >= since) {
            *slot_of(seq, &old[i]) = old[i];
            seq->count++;
        }
    }
    free(old);
}

static bool make_room(struct seq *seq, int64_t now_ns)
{
    if (seq->count < seq->size / 2)
        return true;
    if (seq->size < 2 * SEQ_SENDERS_MAX)
        rebuild(seq, seq->size ? seq->size * 2 : FIRST_SIZE, INT64_MIN);
    else if (seq->untracked++ % 4096 == 0) /* not for each record */
        rebuild(seq, seq->size, now_ns - SILENT_NS);
    return seq->count < seq->size / 2;
}

static void begin(struct seq_sender *sender, int64_t number)
{
    sender->highest = number;
    sender->seen = UINT64_MAX; /* what came before it was never asked for */
    sender->odd = 0;
}

/* Far from where it was: a restart when the next one goes on from there. */
static void note_odd(struct seq_sender *sender, int64_t number)
{
    uint32_t low = (uint32_t)number;
    if (sender->odd && sender->odd == low)
        begin(sender, number);
    else
        sender->odd = low + 1;
}

static void note_ahead(struct seq *seq, struct seq_sender *sender, int64_t number)
{
    int64_t jump = number - sender->highest;
    seq->missing += (uint64_t)jump - 1;
    sender->seen = jump < SEQ_WINDOW ? sender->seen << jump | 1 : 1;
    sender->highest = number;
    sender->odd = 0;
}

static void note_behind(struct seq *seq, struct seq_sender *sender, int64_t number)
{
    uint64_t bit = UINT64_C(1) << (sender->highest - number);
    if (sender->seen & bit)
        seq->doubled++;
    else if (seq->missing)
        seq->missing--;
    sender->seen |= bit;
}

void seq_note(struct seq *seq, const struct sockaddr *from, int64_t number, int64_t now_ns)
{
    struct seq_sender key = {.port = udp_address_port(from), .used = 1};
    udp_address_bytes(from, key.address);
    struct seq_sender *sender = seq->size ? slot_of(seq, &key) : NULL;
    if (!sender || !sender->used) {
        if (!make_room(seq, now_ns))
            return;
        sender = slot_of(seq, &key);
        *sender = key;
        seq->count++;
        begin(sender, number);
    } else if (number > sender->highest && number - sender->highest <= SEQ_JUMP_MAX) {
        note_ahead(seq, sender, number);
    } else if (number <= sender->highest && sender->highest - number < SEQ_WINDOW) {
        note_behind(seq, sender, number);
    } else {
        note_odd(sender, number);
    }
    sender->last_ns = now_ns;
}

void seq_done(struct seq *seq)
{
    free(seq->senders);
    *seq = (struct seq){0};
}
