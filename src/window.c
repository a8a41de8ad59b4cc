/* What each rank, group or host costs: the two largest slowdowns of each step that
 * belong to different sets of ranks tell how much shorter it would be without one. */
#include "window.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"

#define NO_SET UINT32_MAX
#define OWN_SET 0x80000000u /* a rank that is in no set is a set of its own */

/* By step: the largest slowdown, whose it is, and the largest of all other sets.
 * -INFINITY: none. */
struct tops {
    float *first, *second;
    uint32_t *first_set;
};

/* ids: NULL when every rank is a set of its own. */
static uint32_t set_of(const uint32_t *ids, uint32_t rank)
{
    return ids && ids[rank] > 0 ? ids[rank] : OWN_SET | rank;
}

/* Nearly all rows end here, so these two loops must become vectors: no branch. A
 * NAN is over nothing. */
static uint32_t count_over(const float *row, const float *limits, uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count += row[i] > limits[i];
    return count;
}

static uint32_t count_news(const float *row, const struct tops *tops, uint32_t set, uint32_t n)
{
    const float *first = tops->first, *second = tops->second;
    const uint32_t *first_set = tops->first_set;
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        float own = first[i], other = second[i];
        count += row[i] > (first_set[i] == set ? own : other);
    }
    return count;
}

static void add_row(struct tops *tops, const float *row, uint32_t set, uint32_t n)
{
    if (count_over(row, tops->second, n) == 0 || count_news(row, tops, set, n) == 0)
        return;
    for (uint32_t i = 0; i < n; i++) {
        if (!(row[i] > tops->second[i]))
            continue;
        if (tops->first_set[i] == set) {
            tops->first[i] = row[i] > tops->first[i] ? row[i] : tops->first[i];
        } else if (row[i] > tops->first[i]) {
            tops->second[i] = tops->first[i];
            tops->first[i] = row[i];
            tops->first_set[i] = set;
        } else {
            tops->second[i] = row[i];
        }
    }
}

/* The rank with the largest median that is not in `set`; NO_SET: there is none. */
static uint32_t slowest_outside(const struct window *window, const uint32_t *ids, uint32_t set)
{
    uint32_t slowest = NO_SET;
    float most = -INFINITY;
    for (uint32_t rank = 0; rank < window->ranks; rank++)
        if (window->median[rank] > most && set_of(ids, rank) != set) {
            most = window->median[rank];
            slowest = rank;
        }
    return slowest;
}

/* The slowest two sets go first: then hardly any row brings something new, in
 * whatever order the ranks are numbered. Adding a row twice changes nothing. */
static void find_tops(const struct window *window, const uint32_t *ids, struct tops *tops)
{
    uint32_t set = NO_SET;
    for (int i = 0; i < 2; i++) {
        uint32_t rank = slowest_outside(window, ids, set);
        if (rank == NO_SET)
            break;
        set = set_of(ids, rank);
        add_row(tops, window->slowdown + (size_t)rank * window->stride, set, window->steps);
    }
    for (uint32_t rank = 0; rank < window->ranks; rank++)
        add_row(tops, window->slowdown + (size_t)rank * window->stride, set_of(ids, rank),
                window->steps);
}

static void tops_init(struct tops *tops, uint32_t steps)
{
    tops->first = memory_resized(NULL, (size_t)steps + 1, sizeof(*tops->first));
    tops->second = memory_resized(NULL, (size_t)steps + 1, sizeof(*tops->second));
    tops->first_set = memory_resized(NULL, (size_t)steps + 1, sizeof(*tops->first_set));
    for (uint32_t i = 0; i < steps; i++) {
        tops->first[i] = tops->second[i] = -INFINITY;
        tops->first_set[i] = NO_SET;
    }
}

static void tops_done(struct tops *tops)
{
    free(tops->first);
    free(tops->second);
    free(tops->first_set);
}

/* Adds what each step would be shorter by to the set that makes it long: of the
 * `count` sets at `ids`, or of ranks when ids is NULL. */
static void add_gains(const struct window *window, const uint32_t *ids, uint32_t count,
                      double *ret_gain_s)
{
    struct tops tops;
    tops_init(&tops, window->steps);
    find_tops(window, ids, &tops);
    uint32_t with_data = 0;
    for (uint32_t i = 0; i < count; i++)
        ret_gain_s[i] = 0;
    for (uint32_t i = 0; i < window->steps; i++) {
        double own_s = window->own_median_ns[i] / 1e9;
        if (tops.first_set[i] == NO_SET || !(own_s > 0))
            continue;
        with_data++;
        uint32_t set = ids ? tops.first_set[i] : tops.first_set[i] & ~OWN_SET;
        double others = tops.second[i] > 1 ? (double)tops.second[i] : 1;
        if (set < count && (double)tops.first[i] > others)
            ret_gain_s[set] += ((double)tops.first[i] - others) * own_s;
    }
    for (uint32_t i = 0; i < count && with_data > 0; i++)
        ret_gain_s[i] /= with_data;
    tops_done(&tops);
}

void window_gains(const struct window *window, double *ret_gain_s)
{
    add_gains(window, NULL, window->ranks, ret_gain_s);
}

static double named_gain(const struct window *window)
{
    if (!window->named)
        return 0;
    uint32_t *ids = memory_zeroed((size_t)window->ranks + 1, sizeof(*ids));
    for (uint32_t rank = 0; rank < window->ranks; rank++)
        ids[rank] = window->named[rank] != 0;
    double gain_s[2];
    add_gains(window, ids, 2, gain_s);
    free(ids);
    return gain_s[1];
}

static void set_gains(const struct window *window, const uint32_t *ids, uint32_t count,
                      double *ret_gain_s)
{
    if (ids)
        add_gains(window, ids, count, ret_gain_s);
    for (uint32_t i = 0; i < count && !ids; i++)
        ret_gain_s[i] = 0;
}

void window_set_gains(const struct window *window, struct window_sets *sets)
{
    if (sets->group_gain_s)
        set_gains(window, window->group, window->group_count, sets->group_gain_s);
    if (sets->host_gain_s)
        set_gains(window, window->host, window->host_count, sets->host_gain_s);
    sets->named_gain_s = named_gain(window);
}
