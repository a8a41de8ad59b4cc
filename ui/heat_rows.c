/* The rows of a heat map. */
#include "heat_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"
#include "memory.h"

#define BLOCK_LEAST 8 /* ranks, when blocks are asked for */

const char *heat_by_name(enum heat_by by)
{
    static const char *const names[] = {"as it fits", "ranks", "hosts", "groups", "blocks"};
    return by < HEAT_BY_COUNT ? names[by] : names[HEAT_BY_FIT];
}

static const char *name_of(const struct overview_rank *rank, enum heat_by by)
{
    return by == HEAT_BY_HOST ? rank->host : rank->group;
}

/* ---- which ranks ---- */

/* 0 for those that pass, else HEAT_NO_ROW. */
static void pick(struct heat_rows *rows, const struct overview *overview, const char *filter)
{
    struct summary_rank probe = {0};
    for (size_t i = 0; i < overview->rank_count; i++) {
        bool passes = true;
        if (filter && filter[0]) {
            const struct overview_rank *rank = &overview->ranks[i];
            probe.rank = rank->rank;
            memcpy(probe.host, rank->host, sizeof(probe.host));
            memcpy(probe.group, rank->group, sizeof(probe.group));
            passes = filter_matches(filter, &probe);
        }
        rows->row_of[i] = passes ? 0 : HEAT_NO_ROW;
        rows->ranks += passes;
    }
}

static void put(struct heat_rows *rows, size_t rank, size_t row)
{
    struct heat_row *item = &rows->items[row];
    if (item->ranks++ == 0)
        item->first = rank;
    item->last = rank;
    rows->row_of[rank] = (uint32_t)row;
    rows->count = row + 1 > rows->count ? row + 1 : rows->count;
}

/* Blocks of one are ranks. */
static void put_blocks(struct heat_rows *rows, const struct overview *overview, size_t block)
{
    size_t place = 0;
    rows->block = block;
    for (size_t i = 0; i < overview->rank_count; i++)
        if (rows->row_of[i] != HEAT_NO_ROW)
            put(rows, i, place++ / block);
}

/* ---- by name: open addressing over the rows ---- */

struct name_table {
    uint32_t *rows; /* row + 1; 0 is free */
    size_t size;    /* power of two, over twice as many as ranks */
};

static struct name_table table_new(size_t ranks)
{
    struct name_table table = {.size = 16};
    while (table.size < 2 * ranks)
        table.size *= 2;
    table.rows = memory_zeroed(table.size, sizeof(*table.rows));
    return table;
}

static uint32_t hash_of(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash ^ hash >> 15;
}

static size_t row_of_name(const struct heat_rows *rows, const struct overview *overview,
                          struct name_table *table, enum heat_by by, const char *name)
{
    size_t at = hash_of(name) & (table->size - 1);
    for (; table->rows[at]; at = (at + 1) & (table->size - 1)) {
        size_t row = table->rows[at] - 1;
        if (strcmp(name_of(&overview->ranks[rows->items[row].first], by), name) == 0)
            return row;
    }
    table->rows[at] = (uint32_t)rows->count + 1;
    return rows->count;
}

static void put_names(struct heat_rows *rows, const struct overview *overview, enum heat_by by)
{
    struct name_table table = table_new(overview->rank_count);
    const char *before = NULL;
    size_t row = 0;
    for (size_t i = 0; i < overview->rank_count; i++) {
        if (rows->row_of[i] == HEAT_NO_ROW)
            continue;
        const char *name = name_of(&overview->ranks[i], by);
        if (!before || strcmp(before, name) != 0) /* neighbours mostly share a host */
            row = row_of_name(rows, overview, &table, by, name);
        put(rows, i, row);
        before = name;
    }
    free(table.rows);
}

static void empty(struct heat_rows *rows, const struct overview *overview)
{
    rows->count = 0;
    memset(rows->items, 0, (overview->rank_count + 1) * sizeof(*rows->items));
}

/* ---- what the rows stand for ---- */

/* More than one name, and not a name of its own for each rank. */
static bool has_names(const struct overview *overview, enum heat_by by)
{
    bool differ = false, shared = false;
    for (size_t i = 1; i < overview->rank_count && !(differ && shared); i++) {
        const char *name = name_of(&overview->ranks[i], by);
        bool same = strcmp(name, name_of(&overview->ranks[i - 1], by)) == 0;
        differ = differ || !same;
        shared = shared || same;
    }
    return differ && shared;
}

enum heat_by heat_by_next(const struct overview *overview, enum heat_by by)
{
    for (int i = 1; i < HEAT_BY_COUNT; i++) {
        enum heat_by next = (enum heat_by)(((int)by + i) % HEAT_BY_COUNT);
        bool named = next == HEAT_BY_HOST || next == HEAT_BY_GROUP;
        if (named ? has_names(overview, next)
                  : next != HEAT_BY_BLOCK || overview->rank_count > BLOCK_LEAST)
            return next;
    }
    return HEAT_BY_FIT;
}

static size_t block_for(size_t ranks, size_t room, size_t least)
{
    size_t block = least;
    while (block * room < ranks)
        block *= 2;
    return block;
}

/* Are there names, of which `least` to `room` are rows? */
static bool named_fit(struct heat_rows *rows, const struct overview *overview, enum heat_by by,
                      size_t least, size_t room)
{
    if (!has_names(overview, by))
        return false;
    put_names(rows, overview, by);
    if (rows->count >= least && rows->count <= room)
        return true;
    empty(rows, overview);
    return false;
}

static void arrange(struct heat_rows *rows, const struct overview *overview, enum heat_by by,
                    size_t room)
{
    room = room > 0 ? room : 1;
    rows->by = by;
    if (by == HEAT_BY_RANK || (by == HEAT_BY_FIT && rows->ranks <= room)) {
        rows->by = HEAT_BY_RANK;
        put_blocks(rows, overview, 1);
        return;
    }
    if ((by == HEAT_BY_HOST || by == HEAT_BY_GROUP) && named_fit(rows, overview, by, 1, SIZE_MAX))
        return;
    size_t block = block_for(rows->ranks, room, by == HEAT_BY_BLOCK ? BLOCK_LEAST : 1);
    size_t blocks = (rows->ranks + block - 1) / block;
    rows->by = HEAT_BY_HOST;
    if (by == HEAT_BY_FIT && named_fit(rows, overview, HEAT_BY_HOST, 1, room))
        return;
    rows->by = HEAT_BY_GROUP;
    if (by == HEAT_BY_FIT && named_fit(rows, overview, HEAT_BY_GROUP, blocks, room))
        return;
    rows->by = HEAT_BY_BLOCK;
    put_blocks(rows, overview, block);
}

/* ---- their order ---- */

static uint16_t mean_of(const uint16_t *cells, size_t count)
{
    uint64_t sum = 0, known = 0;
    for (size_t i = 0; i < count; i++) {
        sum += cells[i];
        known += cells[i] != HEAT_NONE;
    }
    return known > 0 ? (uint16_t)((sum + known / 2) / known) : HEAT_NONE;
}

static void weigh(struct heat_rows *rows, const struct overview *overview)
{
    for (size_t i = 0; i < overview->rank_count && overview->slowdown; i++) {
        if (rows->row_of[i] == HEAT_NO_ROW)
            continue;
        struct heat_row *row = &rows->items[rows->row_of[i]];
        uint16_t mean =
            mean_of(&overview->slowdown[i * overview->column_count], overview->column_count);
        row->slowness = mean > row->slowness ? mean : row->slowness;
    }
}

static int by_slowness(const void *a, const void *b)
{
    const struct heat_row *left = a, *right = b;
    if (left->slowness != right->slowness)
        return left->slowness < right->slowness ? 1 : -1;
    return left->first < right->first ? -1 : left->first > right->first;
}

/* row_of follows the rows: each is known by its first rank. */
static void sort(struct heat_rows *rows, const struct overview *overview)
{
    uint32_t *moved = memory_zeroed(rows->count + 1, sizeof(*moved));
    qsort(rows->items, rows->count, sizeof(*rows->items), by_slowness);
    for (size_t row = 0; row < rows->count; row++)
        moved[rows->row_of[rows->items[row].first]] = (uint32_t)row;
    for (size_t i = 0; i < overview->rank_count; i++)
        if (rows->row_of[i] != HEAT_NO_ROW)
            rows->row_of[i] = moved[rows->row_of[i]];
    free(moved);
}

void heat_rows_make(struct heat_rows *rows, const struct overview *overview,
                    const struct heat_rows_want *want)
{
    *rows = (struct heat_rows){0};
    rows->items = memory_zeroed(overview->rank_count + 1, sizeof(*rows->items));
    rows->row_of = memory_zeroed(overview->rank_count + 1, sizeof(*rows->row_of));
    pick(rows, overview, want->filter);
    arrange(rows, overview, want->by, want->room);
    if (want->slowest_first) {
        weigh(rows, overview);
        sort(rows, overview);
    }
}

void heat_rows_done(struct heat_rows *rows)
{
    free(rows->items);
    free(rows->row_of);
    *rows = (struct heat_rows){0};
}

/* ---- what they show ---- */

void heat_rows_label(const struct heat_rows *rows, const struct overview *overview, size_t row,
                     char out[HEAT_LABEL_BYTES])
{
    const struct heat_row *item = &rows->items[row];
    const struct overview_rank *first = &overview->ranks[item->first];
    if (rows->by == HEAT_BY_HOST || rows->by == HEAT_BY_GROUP) {
        const char *name = name_of(first, rows->by);
        snprintf(out, HEAT_LABEL_BYTES, "%s (%zu)", name[0] ? name : "not named", item->ranks);
    } else if (item->ranks > 1) {
        snprintf(out, HEAT_LABEL_BYTES, "%u-%u", first->rank, overview->ranks[item->last].rank);
    } else {
        snprintf(out, HEAT_LABEL_BYTES, "%u", first->rank);
    }
}

void heat_rows_worst(const struct heat_rows *rows, const struct overview *overview, size_t first,
                     size_t count, uint16_t *out)
{
    size_t columns = overview->column_count;
    memset(out, 0, count * columns * sizeof(*out)); /* HEAT_NONE */
    for (size_t i = 0; i < overview->rank_count && overview->slowdown; i++) {
        size_t row = rows->row_of[i];
        if (row < first || row - first >= count)
            continue;
        const uint16_t *cells = &overview->slowdown[i * columns];
        uint16_t *to = &out[(row - first) * columns];
        for (size_t c = 0; c < columns; c++)
            to[c] = cells[c] > to[c] ? cells[c] : to[c];
    }
}

size_t heat_rows_worst_rank(const struct heat_rows *rows, const struct overview *overview,
                            uint32_t row, size_t column)
{
    size_t worst = SIZE_MAX;
    uint16_t most = HEAT_NONE;
    for (size_t i = 0; i < overview->rank_count; i++) {
        if (rows->row_of[i] == HEAT_NO_ROW || (row != HEAT_NO_ROW && rows->row_of[i] != row))
            continue;
        bool known = overview->slowdown && column < overview->column_count;
        uint16_t heat = known ? overview->slowdown[i * overview->column_count + column] : HEAT_NONE;
        if (worst == SIZE_MAX || heat > most) {
            worst = i;
            most = heat;
        }
    }
    return worst;
}
