/* The order of the rows in the table of all ranks. */
#include "rank_order.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"
#include "memory.h"

static const bool FALLS[] = {
#define COLUMN(id, head, name, kind, cells, weight, falls) falls,
#include "rank_columns.def"
#undef COLUMN
};

enum rank_column rank_order_column(const struct rank_order *order)
{
    int turns = (RANK_COLUMN_WINDOW + order->turns) % RANK_COLUMN_COUNT;
    return (enum rank_column)(turns < 0 ? turns + RANK_COLUMN_COUNT : turns);
}

bool rank_order_falls(const struct rank_order *order)
{
    return FALLS[rank_order_column(order)] != order->reverse;
}

const char *rank_column_name(enum rank_column column)
{
    static const char *const names[] = {
#define COLUMN(id, head, name, kind, cells, weight, falls) name,
#include "rank_columns.def"
#undef COLUMN
    };
    return names[column];
}

int rank_order_scroll(const struct rank_order *order, size_t cursor, size_t count, int seen)
{
    int64_t rows = seen < 1 ? 1 : seen;
    int64_t last = (int64_t)count > rows ? (int64_t)count - rows : 0;
    int64_t first = order->scroll;
    if (cursor != SIZE_MAX && (int64_t)cursor < first)
        first = (int64_t)cursor;
    if (cursor != SIZE_MAX && (int64_t)cursor >= first + rows)
        first = (int64_t)cursor - rows + 1;
    return (int)(first < 0 ? 0 : first > last ? last : first);
}

/* ---- values ---- */

const char *rank_text(const struct summary_rank *rank, enum rank_column column)
{
    return column == RANK_COLUMN_HOST    ? rank->host
           : column == RANK_COLUMN_GROUP ? rank->group
                                         : NULL;
}

/* A verdict in force is about this very rank, not about its group. */
static bool is_named(const struct summary *summary, uint32_t rank)
{
    for (size_t i = 0; i < summary->verdicts_in_force && i < summary->verdict_count; i++) {
        const struct verdict *verdict = &summary->verdicts[i];
        if (verdict->kind == VERDICT_STRAGGLER && verdict->rank == rank)
            return true;
    }
    return false;
}

enum rank_mark rank_mark_of(const struct summary *summary, const struct summary_rank *rank)
{
    if (rank->state == RANK_MISSING)
        return RANK_MARK_MISSING;
    if (rank->straggler)
        return is_named(summary, rank->rank) ? RANK_MARK_STRAGGLER : RANK_MARK_GROUP;
    return rank->arrived_last ? RANK_MARK_LAST : RANK_MARK_NONE;
}

static double share_last(const struct summary_rank *rank)
{
    return rank->steps > 0 ? (double)rank->arrived_last_count / (double)rank->steps : NAN;
}

static double phase_value(const struct summary_rank *rank, enum phase phase)
{
    return rank->has & (1u << phase) ? rank->phase_s[phase] : NAN;
}

double rank_value(const struct summary *summary, const struct summary_rank *rank,
                  enum rank_column column)
{
    bool waits = summary->rule != WAIT_UNKNOWN; /* else nobody is known to be last */
    switch (column) {
    case RANK_COLUMN_RANK:
        return rank->rank;
    case RANK_COLUMN_MARK:
        return rank_mark_of(summary, rank);
    case RANK_COLUMN_WINDOW:
        return rank->window_slowdown;
    case RANK_COLUMN_SPREAD:
        return rank->window_spread;
    case RANK_COLUMN_SLOWER:
        return rank->slowdown;
    case RANK_COLUMN_SPAN:
        return rank->slowdown_median;
    case RANK_COLUMN_OWN:
        return rank->own_s;
    case RANK_COLUMN_WAIT:
        return rank->wait_s;
    case RANK_COLUMN_MEAN_WAIT:
        return rank->wait_mean_s;
    case RANK_COLUMN_LAST:
        return waits ? (double)rank->arrived_last_count : NAN;
    case RANK_COLUMN_LAST_SHARE:
        return waits ? share_last(rank) : NAN;
    case RANK_COLUMN_GAIN:
        return isfinite(rank->window_slowdown) ? rank->gain_s : NAN;
    case RANK_COLUMN_LATE:
        return rank->late_begin_s;
    case RANK_COLUMN_DATA:
    case RANK_COLUMN_FORWARD:
    case RANK_COLUMN_BACKWARD:
    case RANK_COLUMN_SYNC:
    case RANK_COLUMN_OPTIMIZER:
        return phase_value(rank, (enum phase)(column - RANK_COLUMN_DATA));
    case RANK_COLUMN_STEP:
        return rank->last_step >= 0 ? (double)rank->last_step : NAN;
    default:
        return NAN;
    }
}

bool rank_column_known(const struct summary *summary, enum rank_column column)
{
    for (size_t i = 0; i < summary->rank_count; i++) {
        const struct summary_rank *rank = &summary->ranks[i];
        const char *text = rank_text(rank, column);
        if (text ? text[0] != '\0'
                 : column == RANK_COLUMN_MARK || isfinite(rank_value(summary, rank, column)))
            return true;
    }
    return false;
}

/* ---- keys: whole numbers that stand in the order of the rows ---- */

struct entry {
    uint64_t key;
    uint32_t index;
};

static uint64_t key_of(double value, bool falls)
{
    uint64_t bits;
    if (isnan(value))
        return UINT64_MAX;
    value += 0.0; /* of two zeros one */
    memcpy(&bits, &value, sizeof(bits));
    bits = bits >> 63 ? ~bits : bits | (UINT64_C(1) << 63);
    return falls ? ~bits : bits;
}

/* Of a long run of digits the longer one is larger: node2 stands before node10. */
static int compare_names(const char *a, const char *b)
{
    for (; *a && *b; a++, b++) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            size_t longer = strspn(a, "0123456789"), other = strspn(b, "0123456789");
            if (longer != other)
                return longer < other ? -1 : 1;
        }
        if (*a != *b)
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
    }
    return *a ? 1 : *b ? -1 : 0;
}

struct name {
    const char *text;
    size_t entry; /* the first of those side by side that are called so */
};

static int by_name(const void *a, const void *b)
{
    return compare_names(((const struct name *)a)->text, ((const struct name *)b)->text);
}

/* Ranks of a host mostly stand side by side: few names are left to be sorted. */
static void number_names(struct entry *entries, size_t count, const struct summary *summary,
                         enum rank_column column, bool falls)
{
    struct name *names = memory_resized(NULL, count + 1, sizeof(*names));
    size_t name_count = 0;
    for (size_t i = 0; i < count; i++) {
        const char *text = rank_text(&summary->ranks[entries[i].index], column);
        if (name_count == 0 || strcmp(text, names[name_count - 1].text) != 0)
            names[name_count++] = (struct name){text, i};
        entries[i].key = 0;
    }
    qsort(names, name_count, sizeof(*names), by_name);
    uint64_t number = 0;
    for (size_t n = 0; n < name_count; n++) {
        number += n > 0 && strcmp(names[n].text, names[n - 1].text) != 0;
        entries[names[n].entry].key = 1 + (falls ? name_count - number : number);
        if (!names[n].text[0])
            entries[names[n].entry].key = UINT64_MAX;
    }
    for (size_t i = 1; i < count; i++)
        if (entries[i].key == 0)
            entries[i].key = entries[i - 1].key;
    free(names);
}

static int by_entry_rank(const struct summary *summary, const struct entry *entry, int64_t rank)
{
    int64_t here = summary->ranks[entry->index].rank;
    return here < rank ? -1 : here > rank;
}

/* As rank_mark_of(), for all ranks at once; entries stand by number. */
static void number_marks(struct entry *entries, size_t count, const struct summary *summary,
                         bool falls)
{
    for (size_t i = 0; i < count; i++) {
        const struct summary_rank *rank = &summary->ranks[entries[i].index];
        enum rank_mark mark = rank->state == RANK_MISSING ? RANK_MARK_MISSING
                              : rank->straggler           ? RANK_MARK_GROUP
                              : rank->arrived_last        ? RANK_MARK_LAST
                                                          : RANK_MARK_NONE;
        entries[i].key = key_of(mark, falls);
    }
    for (size_t v = 0; v < summary->verdicts_in_force && v < summary->verdict_count; v++) {
        size_t low = 0, high = count;
        if (summary->verdicts[v].kind != VERDICT_STRAGGLER)
            continue;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (by_entry_rank(summary, &entries[middle], summary->verdicts[v].rank) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < count && entries[low].key == key_of(RANK_MARK_GROUP, falls) &&
            by_entry_rank(summary, &entries[low], summary->verdicts[v].rank) == 0)
            entries[low].key = key_of(RANK_MARK_STRAGGLER, falls);
    }
}

static void number_values(struct entry *entries, size_t count, const struct summary *summary,
                          enum rank_column column, bool falls)
{
    for (size_t i = 0; i < count; i++)
        entries[i].key =
            key_of(rank_value(summary, &summary->ranks[entries[i].index], column), falls);
}

/* By bytes of the key, the last first: stable, and linear in the ranks. */
static void sort_entries(struct entry *entries, size_t count)
{
    struct entry *other = memory_resized(NULL, count + 1, sizeof(*other)), *from = entries,
                 *to = other;
    for (int shift = 0; shift < 64; shift += 8) {
        size_t places[256] = {0}, sum = 0;
        for (size_t i = 0; i < count; i++)
            places[from[i].key >> shift & 0xFF]++;
        if (count == 0 || places[from[0].key >> shift & 0xFF] == count)
            continue; /* alike in this byte */
        for (int b = 0; b < 256; b++) {
            size_t here = places[b];
            places[b] = sum;
            sum += here;
        }
        for (size_t i = 0; i < count; i++)
            to[places[from[i].key >> shift & 0xFF]++] = from[i];
        struct entry *swap = from;
        from = to;
        to = swap;
    }
    if (from != entries)
        memcpy(entries, from, count * sizeof(*entries));
    free(other);
}

/* ---- rows ---- */

struct rank_rows rank_rows_make(const struct summary *summary, const char *filter,
                                const struct rank_order *order)
{
    struct entry *entries = memory_resized(NULL, summary->rank_count + 1, sizeof(*entries));
    struct rank_rows rows = {0};
    enum rank_column column = rank_order_column(order);
    bool falls = rank_order_falls(order);
    for (size_t i = 0; i < summary->rank_count; i++)
        if (!filter[0] || filter_matches(filter, &summary->ranks[i]))
            entries[rows.count++].index = (uint32_t)i;
    if (column == RANK_COLUMN_MARK)
        number_marks(entries, rows.count, summary, falls);
    else if (column == RANK_COLUMN_HOST || column == RANK_COLUMN_GROUP)
        number_names(entries, rows.count, summary, column, falls);
    else
        number_values(entries, rows.count, summary, column, falls);
    sort_entries(entries, rows.count);
    rows.index = memory_resized(NULL, rows.count + 1, sizeof(*rows.index));
    for (size_t i = 0; i < rows.count; i++)
        rows.index[i] = entries[i].index;
    free(entries);
    return rows;
}

void rank_rows_done(struct rank_rows *rows)
{
    free(rows->index);
    *rows = (struct rank_rows){0};
}

size_t rank_rows_find(const struct rank_rows *rows, const struct summary *summary, int64_t rank)
{
    for (size_t i = 0; i < rows->count; i++)
        if (summary->ranks[rows->index[i]].rank == rank)
            return i;
    return SIZE_MAX;
}
