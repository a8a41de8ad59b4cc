/* Which ranks get a row, and in which order. */
#include "choice.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

struct entry {
    double slowness; /* missing ranks above all, those without figures below all */
    uint32_t index;
};

const char *choice_name(enum choice_mode mode)
{
    static const char *const names[CHOICE_COUNT] = {"those that matter", "all by number",
                                                    "slowest first"};
    return names[mode];
}

double choice_slowness(const struct summary_rank *rank)
{
    return isfinite(rank->window_slowdown) ? rank->window_slowdown : rank->slowdown;
}

static double sort_key(const struct summary_rank *rank)
{
    if (rank->state == RANK_MISSING)
        return INFINITY;
    double slowness = choice_slowness(rank);
    return isfinite(slowness) ? slowness : -INFINITY;
}

static int slowest_first(const void *a, const void *b)
{
    const struct entry *left = a, *right = b;
    if (left->slowness != right->slowness)
        return left->slowness < right->slowness ? 1 : -1;
    return left->index < right->index ? -1 : left->index > right->index;
}

static int by_number(const void *a, const void *b)
{
    const struct choice_row *left = a, *right = b;
    return left->index < right->index ? -1 : left->index > right->index;
}

static enum choice_role role_of(const struct summary *summary, uint32_t index)
{
    const struct summary_rank *rank = &summary->ranks[index];
    if (rank->state == RANK_MISSING)
        return ROLE_MISSING;
    if (rank->straggler)
        return ROLE_STRAGGLER;
    return rank->arrived_last ? ROLE_LAST : ROLE_NONE;
}

static void take(struct choice *choice, uint32_t index, enum choice_role role, size_t limit)
{
    for (size_t i = 0; i < choice->count; i++) {
        if (choice->rows[i].index == index)
            return;
    }
    if (choice->count < limit)
        choice->rows[choice->count++] = (struct choice_row){index, role};
}

static void take_role(struct choice *choice, const struct summary *summary,
                      const struct entry *sorted, size_t count, enum choice_role role, size_t limit)
{
    for (size_t i = 0; i < count && choice->count < limit; i++) {
        if (role_of(summary, sorted[i].index) == role)
            take(choice, sorted[i].index, role, limit);
    }
}

/* Of the shown step, as is the figure beside it: the smallest slowdown, or the one nearest
 * to the median's. Without any, as the window has it. */
static uint32_t find_in_step(const struct summary *summary, const struct entry *sorted,
                             size_t count, bool fastest)
{
    uint32_t best = sorted[fastest ? count - 1 : count / 2].index;
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        double slowdown = summary->ranks[sorted[i].index].slowdown;
        double off = fastest ? slowdown : fabs(slowdown - 1);
        if (!(off < least))
            continue;
        least = off;
        best = sorted[i].index;
    }
    return best;
}

/* Rows are kept free for the fastest, the median and the last, so that a flood
 * of missing ranks or stragglers still leaves something to compare with. */
static void choose_matter(struct choice *choice, const struct summary *summary,
                          const struct entry *sorted, size_t count, size_t rows, int64_t looked_at)
{
    size_t known = count;
    while (known > 0 && sorted[known - 1].slowness == -INFINITY)
        known--;
    size_t missing = 0;
    while (missing < known && sorted[missing].slowness == INFINITY)
        missing++;
    size_t kept = rows < 6 ? rows / 2 : 3;
    take_role(choice, summary, sorted, missing, ROLE_MISSING, (rows - kept + 1) / 2);
    take_role(choice, summary, sorted, known, ROLE_STRAGGLER, rows - kept);
    take_role(choice, summary, sorted, count, ROLE_LAST, rows);
    for (size_t i = 0; i < count && looked_at >= 0; i++)
        if (summary->ranks[sorted[i].index].rank == looked_at)
            take(choice, sorted[i].index, role_of(summary, sorted[i].index), rows);
    if (known > missing) {
        const struct entry *there = sorted + missing;
        take(choice, find_in_step(summary, there, known - missing, true), ROLE_FASTEST, rows);
        take(choice, find_in_step(summary, there, known - missing, false), ROLE_MEDIAN, rows);
    }
    for (size_t i = missing; i < count && choice->count < rows; i++)
        take(choice, sorted[i].index, role_of(summary, sorted[i].index), rows);
    for (size_t i = 0; i < missing && choice->count < rows; i++)
        take(choice, sorted[i].index, ROLE_MISSING, rows);
    qsort(choice->rows, choice->count, sizeof(choice->rows[0]), by_number);
}

static void choose_in_order(struct choice *choice, const struct summary *summary,
                            const struct entry *order, size_t count, size_t scroll, size_t rows)
{
    size_t last_first = count > rows ? count - rows : 0;
    choice->first = scroll < last_first ? scroll : last_first;
    for (size_t i = choice->first; i < count && choice->count < rows; i++)
        choice->rows[choice->count++] =
            (struct choice_row){order[i].index, role_of(summary, order[i].index)};
}

void choice_make(struct choice *choice, const struct summary *summary, enum choice_mode mode,
                 const char *filter, size_t scroll, size_t rows)
{
    choice_make_with(choice, summary, mode, filter, scroll, rows, -1);
}

void choice_make_with(struct choice *choice, const struct summary *summary, enum choice_mode mode,
                      const char *filter, size_t scroll, size_t rows, int64_t looked_at)
{
    choice->count = choice->first = choice->matching = 0;
    if (rows > CANVAS_SIDE_MAX)
        rows = CANVAS_SIDE_MAX;
    struct entry *entries = calloc(summary->rank_count + 1, sizeof(*entries));
    if (!entries)
        return;
    size_t count = 0;
    for (size_t i = 0; i < summary->rank_count; i++) {
        if (!filter[0] || filter_matches(filter, &summary->ranks[i]))
            entries[count++] = (struct entry){sort_key(&summary->ranks[i]), (uint32_t)i};
    }
    choice->matching = count;
    bool all_fit = count <= rows;
    if (mode == CHOICE_SLOWEST || (mode == CHOICE_MATTER && !all_fit))
        qsort(entries, count, sizeof(*entries), slowest_first);
    if (mode == CHOICE_MATTER && !all_fit)
        choose_matter(choice, summary, entries, count, rows, looked_at);
    else
        choose_in_order(choice, summary, entries, count, scroll, rows);
    free(entries);
}
