/* Places to go back to in a set of files. A mark is packed to the byte: there are
 * many of them, and each holds all files. */
#include "source_set.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "source_laid.h"

#define LOOKS_A_POLL 512 /* for growth */

/* Of a file in a mark. */
enum {
    PLACE_START = 1,         /* nothing was read; nothing follows */
    PLACE_FINISHED = 2,      /* likewise nothing follows */
    PLACE_HEAD = 4,          /* its next record is the head of its slot */
    PLACE_ODD = 8,           /* ... which has the lowest key */
    PLACE_AFTER_RETURN = 16, /* as in struct stream_place */
    PLACE_DISCARDING = 32,
    PLACE_RANKS = 64, /* the order has a table of ranks */
};

struct files_mark {
    size_t file_count;
    bool in_round; /* as in struct files */
    uint32_t round_file;
    struct order_key round_key;
    size_t size, capacity;
    uint8_t *bytes;
};

/* ---- writing ---- */

static void put_byte(struct files_mark *mark, unsigned value)
{
    if (mark->size == mark->capacity) {
        mark->capacity = mark->capacity ? mark->capacity + mark->capacity / 2 : 64;
        mark->bytes = memory_resized(mark->bytes, mark->capacity, 1);
    }
    mark->bytes[mark->size++] = (uint8_t)value;
}

/* Seven bits a byte, the lowest first. */
static void put_number(struct files_mark *mark, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        put_byte(mark, 128 | (value & 127));
    put_byte(mark, (unsigned)value);
}

/* Small numbers of either sign are short. */
static void put_signed(struct files_mark *mark, int64_t value)
{
    put_number(mark, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

static void put_rank(struct files_mark *mark, const struct order *order,
                     const struct order_rank *rank, int64_t *step)
{
    put_byte(mark, rank->used | rank->odd_seen << 1);
    if (!rank->used)
        return;
    put_number(mark, rank->rank);
    put_number(mark, (uint64_t)(order->epoch - rank->epoch));
    put_signed(mark, rank->last_step - *step);
    if (rank->odd_seen)
        put_signed(mark, rank->odd_step - rank->last_step);
    *step = rank->last_step;
}

/* Of a table only the ranks that are there. */
static void put_order(struct files_mark *mark, const struct order *order, int64_t *step)
{
    put_number(mark, (uint64_t)order->epoch << 1 | order->begun);
    if (!order->table) {
        put_rank(mark, order, &order->one, step);
        return;
    }
    unsigned count = 0;
    for (int i = 0; i < ORDER_RANKS; i++)
        count += order->table[i].used;
    put_byte(mark, count);
    for (int i = 0; i < ORDER_RANKS; i++)
        if (order->table[i].used)
            put_rank(mark, order, &order->table[i], step);
}

static void put_file(struct files_mark *mark, const struct source_file *file,
                     const struct merge_slot *slot, int64_t *step)
{
    if (!slot) {
        put_byte(mark, PLACE_FINISHED);
        return;
    }
    if (file->offset == 0 && !slot->recalled) {
        put_byte(mark, PLACE_START);
        return;
    }
    struct file_place place = file_place(file, slot->filled);
    bool odd = slot->filled ? slot->key.epoch == INT64_MIN : slot->odd;
    put_byte(mark, (slot->filled || slot->recalled ? PLACE_HEAD | (odd ? PLACE_ODD : 0) : 0) |
                       (place.lines.after_return ? PLACE_AFTER_RETURN : 0) |
                       (place.lines.discarding ? PLACE_DISCARDING : 0) |
                       (file->order.table ? PLACE_RANKS : 0));
    put_number(mark, (uint64_t)place.offset);
    put_number(mark, (uint64_t)place.lines.lines);
    put_byte(mark, place.check_size);
    for (int shift = 0; shift < 32; shift += 8)
        put_byte(mark, place.check >> shift & 255);
    put_order(mark, &file->order, step);
}

/* The file at which the round goes on. */
static uint32_t round_file(const struct files *files)
{
    for (size_t i = 0; files->in_round && i < files->kept_count; i++)
        if (files->kept[i]->slot_at > files->round_at)
            return (uint32_t)i;
    return UINT32_MAX;
}

struct files_mark *files_mark(const struct files *files)
{
    assert(files->options.seekable);
    struct files_mark *mark = memory_zeroed(1, sizeof *mark);
    int64_t step = 0;
    for (size_t i = 0; i < files->kept_count; i++)
        files->kept[i]->slot_at = 0;
    for (size_t i = 0; i < files->slot_count; i++)
        if (files->slots[i].file)
            files->slots[i].file->slot_at = (uint32_t)i + 1;
    /* Before all files have been opened nothing was read. */
    if (files->tried == files->path_count)
        mark->file_count = files->kept_count;
    for (size_t i = 0; i < mark->file_count; i++) {
        const struct source_file *file = files->kept[i];
        put_file(mark, file, file->slot_at ? &files->slots[file->slot_at - 1] : NULL, &step);
    }
    mark->in_round = files->in_round;
    mark->round_key = files->round_key;
    mark->round_file = round_file(files);
    mark->bytes = memory_resized(mark->bytes, mark->size + 1, 1);
    mark->capacity = mark->size + 1;
    return mark;
}

void files_mark_free(struct files_mark *mark)
{
    if (!mark)
        return;
    free(mark->bytes);
    free(mark);
}

size_t files_mark_bytes(const struct files_mark *mark)
{
    return sizeof *mark + mark->capacity;
}

/* ---- reading ---- */

/* What a mark says of one file. */
struct place {
    unsigned flags;
    struct file_place file;
    struct order order; /* its table is the reader's */
};

struct reader {
    const uint8_t *at;
    int64_t step;
    struct order_rank table[ORDER_RANKS];
};

static uint64_t get_number(struct reader *reader)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = *reader->at++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
}

static int64_t get_signed(struct reader *reader)
{
    uint64_t value = get_number(reader);
    return (int64_t)(value >> 1 ^ (value & 1 ? UINT64_MAX : 0));
}

static struct order_rank get_rank(struct reader *reader, const struct order *order)
{
    unsigned flags = *reader->at++;
    struct order_rank rank = {.used = flags & 1, .odd_seen = flags >> 1 & 1};
    if (!rank.used)
        return rank;
    rank.rank = (uint32_t)get_number(reader);
    rank.epoch = order->epoch - (int64_t)get_number(reader);
    rank.last_step = reader->step + get_signed(reader);
    if (rank.odd_seen)
        rank.odd_step = rank.last_step + get_signed(reader);
    reader->step = rank.last_step;
    return rank;
}

static void get_order(struct reader *reader, bool ranks, struct order *order)
{
    uint64_t epoch = get_number(reader);
    *order = (struct order){.epoch = (int64_t)(epoch >> 1), .begun = epoch & 1};
    if (!ranks) {
        order->one = get_rank(reader, order);
        return;
    }
    memset(reader->table, 0, sizeof reader->table);
    order->table = reader->table;
    for (unsigned count = *reader->at++; count > 0; count--) {
        struct order_rank rank = get_rank(reader, order);
        reader->table[rank.rank % ORDER_RANKS] = rank;
    }
}

static void get_file(struct reader *reader, struct place *place)
{
    *place = (struct place){.flags = *reader->at++};
    if (place->flags & (PLACE_START | PLACE_FINISHED))
        return;
    place->file.offset = (int64_t)get_number(reader);
    place->file.lines = (struct stream_place){
        .lines = (int64_t)get_number(reader),
        .after_return = place->flags & PLACE_AFTER_RETURN,
        .discarding = place->flags & PLACE_DISCARDING,
    };
    place->file.check_size = *reader->at++;
    for (int shift = 0; shift < 32; shift += 8)
        place->file.check |= (uint32_t)*reader->at++ << shift;
    get_order(reader, place->flags & PLACE_RANKS, &place->order);
}

/* ---- going ---- */

static void try_all(struct files *files)
{
    while (files->tried < files->path_count)
        files_try(files, files->paths[files->tried++]);
}

/* The place of file `at`; files that the mark does not know are at their beginning. */
static void next_place(struct reader *reader, const struct files_mark *mark, size_t at,
                       struct place *place)
{
    if (at < mark->file_count)
        get_file(reader, place);
    else
        *place = (struct place){.flags = PLACE_START};
}

/* Files that were closed for want of descriptors are looked at when they are read. */
static int check_all(struct files *files, const struct files_mark *mark)
{
    struct reader reader = {.at = mark->bytes};
    struct place place;
    for (size_t i = 0; i < files->kept_count; i++) {
        struct source_file *file = files->kept[i];
        next_place(&reader, mark, i, &place);
        if (place.flags & PLACE_FINISHED)
            continue;
        if (file->fd < 0 && file->lost && !files_reopen(files, file)) {
            files_lost(files, file);
            return -ENOENT;
        }
        if (file->fd >= 0 && !file_place_holds(file, &place.file)) {
            files_notice(files,
                         "%s: was truncated or rewritten while it is replayed; that place can't "
                         "be shown",
                         file->path->name);
            return -ESTALE;
        }
    }
    return 0;
}

static void go_file(struct files *files, struct source_file *file, const struct place *place)
{
    if (!(place->flags & PLACE_FINISHED)) {
        file_go(file, &place->file);
        order_done(&file->order);
        order_copy(&file->order, &place->order);
        files_activate(files, file);
        struct merge_slot *slot = &files->slots[files->slot_count - 1];
        slot->recalled = place->flags & PLACE_HEAD;
        slot->odd = place->flags & PLACE_ODD;
    } else {
        file_go(file, &(struct file_place){.offset = file->size});
        file->finished = true;
    }
    files_set_state(files, file->path, file->finished ? PATH_FINISHED : PATH_FOLLOWED);
}

int files_go(struct files *files, const struct files_mark *mark)
{
    assert(files->options.seekable);
    try_all(files);
    int result = check_all(files, mark);
    if (result < 0)
        return result;
    for (size_t i = 0; i < files->slot_count; i++)
        if (files->slots[i].file)
            files->slots[i].file->active = false;
    files->slot_count = 0;
    files->in_round = mark->in_round;
    files->round_key = mark->round_key;
    files->round_at = SIZE_MAX;
    struct reader reader = {.at = mark->bytes};
    struct place place;
    for (size_t i = 0; i < files->kept_count; i++) {
        next_place(&reader, mark, i, &place);
        if (i >= mark->round_file && files->round_at == SIZE_MAX)
            files->round_at = files->slot_count;
        go_file(files, files->kept[i], &place);
    }
    return 0;
}

/* ---- a second set ---- */

/* The same descriptors: the name may lead elsewhere by now. */
static void add_twin(struct files *twin, const struct files *files, const struct source_file *from)
{
    bool room = twin->open_count + files->open_count < 2 * files->open_max;
    int fd = from->fd >= 0 && room ? fcntl(from->fd, F_DUPFD_CLOEXEC, 0) : -1;
    struct stat status = {.st_dev = from->dev, .st_ino = from->ino, .st_size = from->size};
    struct source_file *file = file_new(from->path->name, fd, &status, twin->totals);
    file->packed = from->packed;
    file->packed_shared = from->packed;
    file->remote = from->remote;
    file->laid = from->laid;
    file->laid_shared = true;
    files_own(twin, files_add_path(twin, from->path->name, false), file);
}

struct files *files_twin(struct files *files, struct stream_totals *totals)
{
    assert(files->options.seekable);
    try_all(files);
    struct files *twin = files_new(&files->options, totals);
    twin->open_max = files->open_max;
    for (size_t i = 0; i < files->kept_count; i++)
        add_twin(twin, files, files->kept[i]);
    twin->tried = twin->path_count;
    return twin;
}

/* ---- how far, and what came since ---- */

static int64_t progress_of(const struct source_file *file, int64_t *ret_all)
{
    int64_t at = laid_is_open(file) ? laid_taken(file->laid)
                 : file->packed     ? packed_taken(file->packed)
                                    : file->offset;
    int64_t all = file->size > at ? file->size : at;
    *ret_all += all;
    return file->finished ? all : at;
}

void files_progress(const struct files *files, int64_t *ret_read, int64_t *ret_all)
{
    int64_t read = files->finished_bytes, all = files->finished_bytes;
    for (size_t i = 0; i < files->path_count; i++)
        if (files->paths[i]->file)
            read += progress_of(files->paths[i]->file, &all);
    for (size_t i = 0; i < files->orphan_count; i++)
        read += progress_of(files->orphans[i], &all);
    *ret_read = read;
    *ret_all = all;
}

int64_t files_written_ns(const struct files *files)
{
    int64_t newest_ns = 0;
    for (size_t i = 0; i < files->path_count; i++) {
        const struct source_file *file = files->paths[i]->file;
        if (file && file->mtime_ns > newest_ns)
            newest_ns = file->mtime_ns;
    }
    return newest_ns;
}

void files_look_for_growth(struct files *files)
{
    struct stat status;
    size_t count = files->kept_count < LOOKS_A_POLL ? files->kept_count : LOOKS_A_POLL;
    for (; count > 0; count--) {
        struct source_file *file = files->kept[files->sweep_at++ % files->kept_count];
        if (file->fd < 0 || fstat(file->fd, &status) < 0)
            continue;
        int64_t grown = status.st_size > file->size ? status.st_size - file->size : 0;
        files->state.grown_bytes += grown - file->grown;
        file->grown = grown;
    }
}
