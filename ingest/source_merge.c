/* Delivers the records of a set of files, oldest step first: every file that
 * has something to read shows its next record, the lowest step goes. A file
 * that was read to its end takes no part until it grows, so that a rank that
 * died holds up nobody. */
#include "source_set.h"

#include <stdlib.h>

#include "memory.h"
#include "source_ahead.h"

/* What a read costs, in records, so that a call stays short whatever is read. */
#define READ_COST 2
#define BYTES_PER_COST 512

static const struct order_key key_none = {INT64_MAX, INT64_MAX};

void files_activate(struct files *files, struct source_file *file)
{
    file->found_end = false;
    if (file->active)
        return;
    if (files->slot_count == files->slot_capacity) {
        files->slot_capacity = files->slot_capacity ? files->slot_capacity * 2 : 16;
        files->slots = memory_resized(files->slots, 1, files->slot_capacity * sizeof *files->slots);
    }
    file->active = true;
    files->slots[files->slot_count++] = (struct merge_slot){.file = file};
}

struct pump {
    struct files *files;
    const struct sink *sink;
    int64_t now_ns;
    size_t budget;
};

static void spend(struct pump *pump, size_t cost)
{
    pump->budget -= pump->budget > cost ? cost : pump->budget;
}

static void deliver(struct pump *pump, struct source_file *file, const struct record *record)
{
    file->order.begun = true;
    pump->sink->record(pump->sink->to, record, pump->now_ns);
    spend(pump, 1);
}

/* Takes the outcome of a read; false when the file left the list. */
static bool settle(struct pump *pump, struct source_file *file, enum file_fill fill, size_t bytes)
{
    if (bytes) {
        file->last_growth_ns = pump->now_ns;
        file->used = true;
    }
    if (bytes || fill != FILE_HEAD)
        spend(pump, READ_COST + bytes / BYTES_PER_COST);
    if (fill == FILE_HEAD || fill == FILE_BUSY)
        return true;
    file->active = false;
    if (fill == FILE_DONE)
        files_finished(pump->files, file);
    else
        files_idle(pump->files, file);
    return false;
}

/* The head again that stood there when the mark was made: it was counted before the mark, and
 * its file's order has seen it. */
static void recall_head(struct merge_slot *slot, struct stream_totals *totals,
                        const struct source_counts *counts, int complaints, int other)
{
    struct source_file *file = slot->file;
    uint64_t bytes = totals->counts.bytes;
    totals->counts = *counts;
    totals->counts.bytes = bytes;
    totals->complaint_count = complaints;
    totals->other_kept = other;
    slot->key = (struct order_key){slot->odd ? INT64_MIN : file->order.epoch, file->head.step};
    slot->recalled = false;
    slot->filled = true;
}

static enum file_fill fill_recalled(struct files *files, struct merge_slot *slot, size_t *ret_bytes)
{
    struct stream_totals *totals = files->totals;
    struct source_counts counts = totals->counts;
    int complaints = totals->complaint_count, other = totals->other_kept;
    enum file_fill fill = file_fill(slot->file, files_read_size(files), false, ret_bytes);
    if (fill == FILE_HEAD)
        recall_head(slot, totals, &counts, complaints, other);
    return fill;
}

static enum file_fill fill_next(struct files *files, struct merge_slot *slot, size_t *ret_bytes)
{
    struct source_file *file = slot->file;
    if (slot->recalled)
        return fill_recalled(files, slot, ret_bytes);
    enum file_fill fill =
        file_fill(file, files_read_size(files), files_verify_head(files, file), ret_bytes);
    if (fill == FILE_HEAD) {
        slot->key = order_key(&file->order, &file->head);
        slot->filled = true;
    }
    return fill;
}

/* Gives the slot its next record; slot->file is NULL when the file has none now
 * and left the list. */
static void fill_slot(struct pump *pump, struct merge_slot *slot)
{
    struct source_file *file = slot->file;
    struct files *files = pump->files;
    while (!slot->filled && pump->budget > 0) {
        size_t bytes;
        if (file->fd < 0 && !files_reopen(files, file))
            files_lost(files, file);
        enum file_fill fill = fill_next(files, slot, &bytes);
        if (!settle(pump, file, fill, bytes)) {
            slot->file = NULL;
            return;
        }
    }
}

/* What a look over the heads of all files found. */
struct round {
    struct order_key low, next; /* the lowest key and the next one above it */
    size_t low_count;           /* heads with the lowest key */
    size_t low_slot;            /* the first of them */
    bool complete;              /* all files show their head */
    bool fresh;                 /* a head with the lowest key is its file's first record */
};

static void round_see(struct round *round, const struct merge_slot *slot, size_t at)
{
    bool fresh = !slot->file->order.begun;
    if (order_before(slot->key, round->low)) {
        round->next = round->low;
        round->low = slot->key;
        round->low_count = 1;
        round->low_slot = at;
        round->fresh = fresh;
    } else if (!order_before(round->low, slot->key)) {
        round->low_count++;
        round->fresh |= fresh;
    } else if (order_before(slot->key, round->next)) {
        round->next = slot->key;
    }
}

/* Fills the empty slots, and closes up those of files that left. What a file
 * leaves behind (its successor) is appended meanwhile and seen in this round. */
static struct round look_over(struct pump *pump)
{
    struct files *files = pump->files;
    struct round round = {.low = key_none, .next = key_none, .complete = true};
    size_t kept = 0;
    for (size_t i = 0; i < files->slot_count; i++) {
        struct merge_slot slot = files->slots[i];
        if (slot.file && !slot.filled)
            fill_slot(pump, &slot);
        if (!slot.file)
            continue;
        if (slot.filled)
            round_see(&round, &slot, kept);
        else
            round.complete = false;
        files->slots[kept++] = slot;
    }
    files->slot_count = kept;
    return round;
}

/* Which files may hold what others do: so that thousands, each of a rank of its own, are not held
 * against each other. */
struct holders {
    uint8_t *of_rank; /* by the rank's lowest bits: how many files of one rank, 2: several */
    size_t *others;   /* slots of files of several ranks, or of ranks that are not known */
    size_t other_count;
};

#define HOLDER_RANKS 65536

static void holders_find(struct holders *holders, const struct files *files)
{
    holders->of_rank = memory_zeroed(HOLDER_RANKS, 1);
    holders->others = memory_zeroed(files->slot_count + 1, sizeof *holders->others);
    holders->other_count = 0;
    for (size_t i = 0; i < files->slot_count; i++) {
        const struct source_file *file = files->slots[i].file;
        uint8_t *count = &holders->of_rank[file->head.rank % HOLDER_RANKS];
        if (file->order.table || (!file->order.begun && file->order.epoch > 0))
            holders->others[holders->other_count++] = i;
        *count = *count ? 2 : 1;
    }
}

/* Behind how many restarts a file is whose first record comes to its turn, at least, by what
 * another shows at its step or a later one: its log of an earlier attempt comes before it. */
static int64_t epoch_by(const struct merge_slot *slot, const struct merge_slot *other,
                        int64_t epoch)
{
    if (other == slot || other->key.epoch < epoch ||
        !order_after_restart(&slot->file->head, &other->file->order, &other->file->head))
        return epoch;
    bool passed = other->key.step >= slot->key.step; /* within that attempt */
    return other->key.epoch + passed > epoch ? other->key.epoch + passed : epoch;
}

static int64_t epoch_by_others(const struct files *files, const struct merge_slot *slot,
                               const struct holders *holders)
{
    int64_t epoch = slot->key.epoch;
    if (holders->of_rank[slot->file->head.rank % HOLDER_RANKS] > 1)
        for (size_t i = 0; i < files->slot_count; i++)
            epoch = epoch_by(slot, &files->slots[i], epoch);
    else
        for (size_t i = 0; i < holders->other_count; i++)
            epoch = epoch_by(slot, &files->slots[holders->others[i]], epoch);
    return epoch;
}

/* Files that begin in the middle of what others have told, as the log of a run that was started
 * again does. False: there are none. */
static bool move_behind(struct files *files, const struct order_key *low)
{
    struct holders holders;
    bool any = false;
    holders_find(&holders, files);
    for (size_t i = 0; i < files->slot_count; i++) {
        struct merge_slot *slot = &files->slots[i];
        if (slot->file->order.begun || order_before(*low, slot->key) || slot->recalled)
            continue;
        int64_t epoch = epoch_by_others(files, slot, &holders);
        any |= epoch != slot->key.epoch;
        if (epoch != slot->key.epoch)
            order_move(&slot->file->order, epoch);
        slot->key.epoch = epoch;
    }
    free(holders.of_rank);
    free(holders.others);
    return any;
}

/* One record of each file that has the lowest step; goes on where the last call ended. */
static void deliver_all(struct pump *pump)
{
    struct files *files = pump->files;
    for (; files->round_at < files->slot_count && pump->budget > 0; files->round_at++) {
        struct merge_slot *slot = &files->slots[files->round_at];
        if (slot->recalled) {
            fill_slot(pump, slot);
            if (pump->budget == 0 && slot->recalled)
                return;
        }
        if (!slot->filled || order_before(files->round_key, slot->key))
            continue;
        deliver(pump, slot->file, &slot->file->head);
        slot->filled = false;
    }
    files->in_round = files->round_at < files->slot_count;
}

static void begin_round(struct files *files, const struct round *round)
{
    files->in_round = true;
    files->round_at = round->low_slot;
    files->round_key = round->low;
}

/* One file alone has the lowest step: it goes on until it meets the others. */
static void deliver_run(struct pump *pump, const struct round *round)
{
    struct files *files = pump->files;
    struct merge_slot slot = files->slots[round->low_slot];
    do {
        deliver(pump, slot.file, &slot.file->head);
        slot.filled = false;
        fill_slot(pump, &slot);
    } while (slot.filled && pump->budget > 0 && order_before(slot.key, round->next));
    files->slots[round->low_slot] = slot;
}

/* A record of a file that is read alone. */
static void deliver_straight(void *to, const struct record *record)
{
    struct pump *pump = to;
    struct files *files = pump->files;
    if (files->path_count > 1)
        order_key(&files->slots[0].file->order, record);
    deliver(pump, files->slots[0].file, record);
}

/* One file has something to read: its records go straight through. */
static void straight(struct pump *pump)
{
    struct files *files = pump->files;
    struct source_file *file = files->slots[0].file;
    bool ordered = files->path_count > 1;
    if (files->slots[0].recalled) {
        struct merge_slot slot = files->slots[0];
        fill_slot(pump, &slot);
        files->slots[0] = slot;
        if (!slot.filled)
            return;
    }
    if (files->slots[0].filled)
        deliver(pump, file, &file->head);
    files->slots[0].filled = false;
    size_t want = files_read_size(files);
    struct record record;
    while (pump->budget > 0 && files->slot_count == 1) {
        size_t bytes;
        if (files->options.threads > 1 && !stream_pending(file->stream) &&
            file_ahead(file, files->options.threads, deliver_straight, pump, &bytes)) {
            spend(pump, READ_COST + bytes / BYTES_PER_COST);
            continue;
        }
        while (pump->budget > 0 && file_take(file, &record)) {
            if (ordered)
                order_key(&file->order, &record);
            deliver(pump, file, &record);
        }
        if (file->fd < 0 && !files_reopen(files, file))
            files_lost(files, file);
        enum file_fill fill =
            file_next(file, want, files_verify_head(files, file), &record, &bytes);
        if (fill == FILE_HEAD) {
            if (ordered)
                order_key(&file->order, &record);
            deliver(pump, file, &record);
        }
        if ((bytes || fill != FILE_HEAD) && !settle(pump, file, fill, bytes)) {
            files->slots[0].file = NULL;
            return;
        }
    }
}

/* Opens names that were not tried yet. */
static void try_new(struct pump *pump)
{
    struct files *files = pump->files;
    while (files->tried < files->path_count && pump->budget > 0) {
        files_try(files, files->paths[files->tried++]);
        spend(pump, READ_COST);
    }
}

enum files_more files_pump(struct files *files, const struct sink *sink, int64_t now_ns,
                           size_t max_records)
{
    struct pump pump = {files, sink, now_ns, max_records};
    files->now_ns = now_ns;
    try_new(&pump);
    while (pump.budget > 0 && (files->slot_count > 0 || files->tried < files->path_count)) {
        try_new(&pump);
        if (files->in_round) {
            deliver_all(&pump);
            continue;
        }
        if (files->slot_count == 1 && files->slots[0].file) {
            straight(&pump);
            continue;
        }
        struct round round = look_over(&pump);
        if (!round.complete || pump.budget == 0 || (round.fresh && move_behind(files, &round.low)))
            continue;
        if (round.low_count == 1)
            deliver_run(&pump, &round);
        else if (round.low_count > 1)
            begin_round(files, &round);
    }
    return files->slot_count > 0 || files->tried < files->path_count ? FILES_MORE : FILES_IDLE;
}
