/* One rank closer: how it did in each of the last steps, against its peers. Made
 * from the rows of the table when it is looked at; nothing is kept. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis_table.h"
#include "memory.h"
#include "quantile.h"

#define SECONDS 1e-9
#define PEERS_LEAST 3    /* ranks of a group, to be compared with it alone */
#define CELLS_MAX 200000 /* rows x ranks that are looked at; with more the older rows are not */

/* Rows newest first: [steps] each. */
struct look {
    uint32_t slot;
    uint32_t *peers; /* slots */
    uint32_t peer_count;
    uint32_t rows, steps; /* rows looked at, and those of them with a record of this rank */
    double *own_ns, *peers_own_ns, *slowdown; /* [rows]; NAN */
    double *phase_ns[PHASE_COUNT], *peers_phase_ns[PHASE_COUNT];
    bool *last;
    double *room;   /* [peer_count] */
    double *values; /* all of the arrays of doubles, owned */
};

/* ---- with whom ---- */

static bool is_peer(const struct rank_info *info, uint32_t group)
{
    return group == 0 || info->group == group;
}

/* The slots of its group, or of all ranks. Returns the group's name id, 0: all. */
static uint32_t find_peers(const struct ranks *ranks, struct look *look)
{
    uint32_t group = ranks->info[look->slot].group, count = 0;
    for (uint32_t i = 0; group && i < ranks->count; i++)
        count += ranks->info[i].group == group;
    if (count < PEERS_LEAST || count == ranks->count)
        group = 0;
    look->peers = memory_resized(NULL, ranks->count, sizeof(*look->peers));
    for (uint32_t i = 0; i < ranks->count; i++)
        if (is_peer(&ranks->info[i], group))
            look->peers[look->peer_count++] = i;
    return group;
}

/* ---- the rows ---- */

static double *take(double **room, size_t count)
{
    double *taken = *room;
    *room += count;
    return taken;
}

static void look_init(struct look *look, uint32_t rows)
{
    size_t arrays = 3 + 2 * PHASE_COUNT;
    look->rows = rows;
    look->values = memory_resized(NULL, arrays * rows + look->peer_count, sizeof(double));
    double *room = look->values;
    look->own_ns = take(&room, rows);
    look->peers_own_ns = take(&room, rows);
    look->slowdown = take(&room, rows);
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        look->phase_ns[phase] = take(&room, rows);
        look->peers_phase_ns[phase] = take(&room, rows);
    }
    look->room = room;
    look->last = memory_zeroed(rows, sizeof(*look->last));
}

static void look_done(struct look *look)
{
    free(look->peers);
    free(look->values);
    free(look->last);
}

static double peers_own(struct look *look, const struct barrier *barrier)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < look->peer_count; i++)
        if (!isnan(barrier->own_ns[look->peers[i]]))
            look->room[n++] = barrier->own_ns[look->peers[i]];
    return median_of(look->room, n);
}

static double peers_phase(struct look *look, const struct step_row *row, int phase)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < look->peer_count; i++) {
        uint32_t slot = look->peers[i];
        if (slot < row->capacity && row->has[slot] & (1u << phase))
            look->room[n++] = (double)row->cells[slot].phase_ns[phase];
    }
    return median_of(look->room, n);
}

/* Its own time and those of its peers in one row, as the k-th. */
static void look_at(struct look *look, const struct step_row *row, const struct barrier *barrier,
                    uint32_t k)
{
    bool has = look->slot < row->capacity && row->has[look->slot];
    look->steps += has;
    look->own_ns[k] = barrier->own_ns[look->slot];
    look->peers_own_ns[k] = peers_own(look, barrier);
    look->slowdown[k] = row->reported > 1 && look->peers_own_ns[k] > 0
                            ? look->own_ns[k] / look->peers_own_ns[k]
                            : NAN;
    look->last[k] = has && barrier->digest.last_slot == look->slot;
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        bool known = has && row->has[look->slot] & (1u << phase);
        look->phase_ns[phase][k] = known ? (double)row->cells[look->slot].phase_ns[phase] : NAN;
        look->peers_phase_ns[phase][k] = known ? peers_phase(look, row, phase) : NAN;
    }
}

static void look_back(struct analysis *analysis, struct look *look, size_t index)
{
    struct barrier barrier;
    barrier_init(&barrier);
    for (uint32_t k = 0; k < look->rows; k++) {
        const struct step_row *row = steps_at(&analysis->steps, index - k);
        barrier_compute(&barrier, row, fold_row_before(&analysis->steps, index - k),
                        analysis->ranks.count, analysis->choice);
        look_at(look, row, &barrier, k);
    }
    barrier_done(&barrier);
}

/* As many rows as the window has, up to the one at `index`, of the same span. */
static uint32_t rows_to_look_at(const struct analysis *analysis, size_t index)
{
    uint32_t ranks = analysis->ranks.count;
    uint32_t most = analysis->options.run.window > 0 ? (uint32_t)analysis->options.run.window : 1;
    uint32_t rows = 0;
    if (most > CELLS_MAX / ranks)
        most = CELLS_MAX / ranks > 0 ? CELLS_MAX / ranks : 1;
    while (rows < most && rows <= index &&
           steps_at(&analysis->steps, index - rows)->step >= analysis->options.from_step)
        rows++;
    return rows;
}

/* ---- what it comes to ---- */

static uint32_t known(const double *from, uint32_t count, double *to)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!isnan(from[i]))
            to[n++] = from[i];
    return n;
}

static double median_known(const double *values, uint32_t count, double *room)
{
    return median_of(room, known(values, count, room));
}

static int by_value(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return one < other ? -1 : one > other;
}

/* Of sorted values, between the two beside it. */
static double quantile_at(const double *sorted, uint32_t n, double share)
{
    double place = share * (n - 1);
    uint32_t below = (uint32_t)place;
    double above = sorted[below + 1 < n ? below + 1 : below];
    return sorted[below] + (place - below) * (above - sorted[below]);
}

/* Bins of a round width (1, 2 or 5 x a power of ten), one edge of them at 1, that
 * hold all of it where they can: what is beyond 20 times is not worth a scale. */
static void choose_bins(struct rank_detail *detail, double low, double high)
{
    static const double steps[] = {1, 2, 5};
    low = fmax(fmin(low, 1), 0);
    high = fmin(fmax(high, 1), 20);
    for (int i = 0;; i++) {
        double width = steps[i % 3] * pow(10, i / 3 - 3);
        double first = floor(low / width + 1e-9);
        detail->bin_low = first * width;
        detail->bin_width = width;
        if (high < (first + DETAIL_BINS) * width)
            break;
    }
    /* What there is stands in the middle, unless 0 is in the way. */
    double used = ceil((high - detail->bin_low) / detail->bin_width);
    double shift = floor((DETAIL_BINS - used) / 2), room = detail->bin_low / detail->bin_width;
    detail->bin_low -= fmin(shift, floor(room + 1e-9)) * detail->bin_width;
}

static void fill_bins(struct rank_detail *detail, const double *slowdowns, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        double place = floor((slowdowns[i] - detail->bin_low) / detail->bin_width + 1e-9);
        int bin = place < 0 ? 0 : place >= DETAIL_BINS ? DETAIL_BINS - 1 : (int)place;
        detail->bins[bin]++;
    }
}

static void fill_quantiles(struct rank_detail *detail, const struct look *look, double *room)
{
    static const double shares[3] = {0.05, 0.5, 0.95};
    uint32_t n = known(look->own_ns, look->rows, room);
    qsort(room, n, sizeof(*room), by_value);
    for (int i = 0; i < 3; i++)
        detail->own_s[i] = n > 0 ? quantile_at(room, n, shares[i]) * SECONDS : NAN;
    detail->peers_own_s = median_known(look->peers_own_ns, look->rows, room) * SECONDS;
    n = known(look->slowdown, look->rows, room);
    if (n == 0)
        return;
    qsort(room, n, sizeof(*room), by_value);
    choose_bins(detail, room[0], room[n - 1]);
    fill_bins(detail, room, n);
}

static void fill_phases(struct rank_detail *detail, const struct look *look, double *room)
{
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        detail->phase_s[phase] = median_known(look->phase_ns[phase], look->rows, room) * SECONDS;
        detail->peers_phase_s[phase] =
            median_known(look->peers_phase_ns[phase], look->rows, room) * SECONDS;
    }
}

static void fill_recent(struct rank_detail *detail, const struct look *look,
                        const struct steps *steps, size_t index)
{
    uint32_t recent = look->rows < DETAIL_STEPS ? look->rows : DETAIL_STEPS;
    detail->recent = (int)recent;
    detail->first_recent = steps_at(steps, index + 1 - recent)->step;
    for (uint32_t k = 0; k < recent; k++) {
        detail->slowdown[recent - 1 - k] = (float)look->slowdown[k];
        detail->was_last[recent - 1 - k] = look->last[k];
    }
    for (uint32_t k = 0; k < look->rows; k++) {
        detail->last_count += look->last[k];
        if (look->last[k] && detail->last_when < 0)
            detail->last_when = steps_at(steps, index - k)->step;
    }
}

/* The closed row that a screen shows for the key; SIZE_MAX. */
static size_t row_of_key(struct analysis *analysis, struct step_key key)
{
    analysis_refresh(analysis);
    struct step_key at = analysis_move(analysis, key, 0);
    size_t index = steps_lower(&analysis->steps, at.attempt, at.step);
    if (index >= analysis->steps.count)
        return SIZE_MAX;
    const struct step_row *row = steps_at(&analysis->steps, index);
    return row->closed && row_compare(row, at.attempt, at.step) == 0 ? index : SIZE_MAX;
}

bool analysis_rank_detail(struct analysis *analysis, struct step_key key, uint32_t rank,
                          struct rank_detail *detail)
{
    struct look look = {.slot = ranks_slot(&analysis->ranks, rank)};
    size_t index = row_of_key(analysis, key);
    uint32_t rows = index != SIZE_MAX ? rows_to_look_at(analysis, index) : 0;
    if (look.slot == RANK_SLOT_NONE || rows == 0)
        return false;
    uint32_t group = find_peers(&analysis->ranks, &look);
    look_init(&look, rows);
    look_back(analysis, &look, index);
    *detail = (struct rank_detail){.rank = rank,
                                   .steps = (int)look.steps,
                                   .peers = (int)look.peer_count,
                                   .last_when = -1,
                                   .bin_low = NAN};
    snprintf(detail->peers_of, sizeof(detail->peers_of), "%s", names_get(&analysis->names, group));
    double *room = memory_resized(NULL, look.rows + 1, sizeof(*room));
    fill_quantiles(detail, &look, room);
    fill_phases(detail, &look, room);
    fill_recent(detail, &look, &analysis->steps, index);
    free(room);
    look_done(&look);
    return true;
}
