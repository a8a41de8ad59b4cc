/* Samples of the ranks' clocks, taken while steps are folded. */
#include "clocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clocks_samples.h"
#include "memory.h"
#include "quantile.h"

static void let_go(struct clock_sample *sample)
{
    if (--sample->owners == 0)
        free(sample);
}

void clocks_done(struct clocks *clocks)
{
    for (int i = 0; i < clocks->count; i++)
        let_go(clocks->samples[i]);
    *clocks = (struct clocks){0};
}

void clocks_copy(struct clocks *to, const struct clocks *from)
{
    *to = *from;
    for (int i = 0; i < to->count; i++)
        to->samples[i]->owners++;
}

/* ---- when a rank left the barrier ---- */

static bool release_here(const struct step_row *row, uint32_t slot, int64_t *ret_ns)
{
    const uint32_t needed = RECORD_BEGIN | RECORD_SYNC;
    if (slot >= row->capacity || (row->has[slot] & needed) != needed ||
        !(row->has[slot] & RECORD_ANY_WORK))
        return false;
    *ret_ns = row->cells[slot].mark_ns;
    return true;
}

static bool release_before(const struct step_row *row, const struct step_row *next, uint32_t slot,
                           int64_t *ret_ns)
{
    if (!next || slot >= row->capacity || slot >= next->capacity || !row->has[slot] ||
        !(next->has[slot] & RECORD_BEGIN))
        return false;
    /* 0 when it is not there. */
    *ret_ns = next->cells[slot].begin_ns - row->cells[slot].phase_ns[PHASE_OPTIMIZER];
    return true;
}

bool clocks_release(const struct step_row *row, const struct step_row *next, uint32_t slot,
                    enum wait_rule rule, int64_t *ret_ns)
{
    return rule == WAIT_SYNC ? release_here(row, slot, ret_ns)
                             : release_before(row, next, slot, ret_ns);
}

/* ---- samples ---- */

int clocks_room(uint32_t ranks)
{
    return ranks <= 1024   ? CLOCK_SAMPLES_MAX
           : ranks <= 4096 ? CLOCK_SAMPLES_MAX / 2
                           : CLOCK_SAMPLES_MAX / 4;
}

static void drop(struct clocks *clocks, int index)
{
    let_go(clocks->samples[index]);
    memmove(clocks->samples + index, clocks->samples + index + 1,
            (size_t)(--clocks->count - index) * sizeof(*clocks->samples));
}

static void make_room(struct clocks *clocks, uint32_t ranks)
{
    int room = clocks_room(ranks);
    while (clocks->count >= room && clocks->stride < CLOCK_STRIDE_MAX) {
        clocks->stride *= 2;
        for (int i = clocks->count - 1; i >= 0; i--)
            if (clocks->samples[i]->number % clocks->stride != 0)
                drop(clocks, i);
    }
    while (clocks->count >= room)
        drop(clocks, 0);
}

static uint64_t mixed(uint64_t digest, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    digest = (digest ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
    return digest ^ digest >> 29;
}

/* Fills the sample with the releases less the median one; false when fewer than
 * two ranks have one. */
static bool fill(struct clock_sample *sample, const struct step_row *row,
                 const struct step_row *next, enum wait_rule rule)
{
    int64_t *releases = memory_resized(NULL, sample->slots, sizeof(*releases));
    int64_t least = INT64_MAX; /* so that the order of slots does not matter */
    for (uint32_t i = 0; i < sample->slots; i++) {
        if (!clocks_release(row, next, i, rule, &releases[i]))
            releases[i] = INT64_MAX;
        least = releases[i] < least ? releases[i] : least;
    }
    double *known = memory_resized(NULL, sample->slots, sizeof(*known));
    uint32_t n = 0;
    for (uint32_t i = 0; i < sample->slots; i++) {
        sample->offset_s[i] = NAN;
        if (releases[i] == INT64_MAX)
            continue;
        sample->offset_s[i] = (double)(releases[i] - least) * 1e-9;
        known[n++] = sample->offset_s[i];
    }
    free(releases);
    double median = median_of(known, n);
    free(known);
    if (n < 2)
        return false;
    sample->when_s = (double)least * 1e-9 + median;
    for (uint32_t i = 0; i < sample->slots; i++)
        sample->offset_s[i] -= median;
    return true;
}

void clocks_fold(struct clocks *clocks, const struct step_row *row, const struct step_row *before,
                 uint32_t ranks, enum wait_rule rule)
{
    bool here = rule == WAIT_SYNC;
    if ((!here && rule != WAIT_OWN && rule != WAIT_CLOCKS) || !(row->has_any & RECORD_BEGIN) ||
        row->reported < 2 || (!here && !before))
        return;
    if (clocks->stride == 0)
        clocks->stride = 1;
    uint64_t number = clocks->seen++;
    uint32_t slots = ranks < row->capacity ? ranks : row->capacity;
    if (number % clocks->stride != 0)
        return;
    struct clock_sample *sample =
        memory_resized(NULL, 1, sizeof(*sample) + slots * sizeof(*sample->offset_s));
    *sample = (struct clock_sample){.owners = 1, .slots = slots, .number = number};
    if (!(here ? fill(sample, row, NULL, rule) : fill(sample, before, row, rule))) {
        free(sample);
        return;
    }
    make_room(clocks, ranks);
    clocks->digest = mixed(clocks->digest, sample->when_s);
    for (uint32_t i = 0; i < slots; i++)
        clocks->digest = mixed(clocks->digest, sample->offset_s[i]);
    clocks->samples[clocks->count++] = sample;
}
