/* The scale of the bars. */
#include "axis.h"

#include <math.h>

#define CUT_GRID 0.05   /* a cut axis begins at a multiple of this, x median */
#define CUT_MARGIN 0.03 /* what the shortest bar keeps above it */

double axis_begin_s(const struct summary_rank *rank)
{
    return isfinite(rank->late_begin_s) && rank->late_begin_s > 0 ? rank->late_begin_s : 0;
}

double axis_arrival_s(const struct summary_rank *rank)
{
    return axis_begin_s(rank) + rank->own_s;
}

/* The last arrival: of the longest own time, or of a rank that began late. */
static double last_arrival(const struct summary *summary)
{
    double last_s = summary->shown.own_max_s;
    for (size_t i = 0; i < summary->rank_count; i++) {
        double end_s = axis_arrival_s(&summary->ranks[i]);
        if (axis_begin_s(&summary->ranks[i]) > 0 && isfinite(end_s) && end_s > last_s)
            last_s = end_s;
    }
    return last_s;
}

static double shortest(const struct summary *summary, const struct choice *choice)
{
    double least = INFINITY;
    for (size_t i = 0; i < choice->count; i++) {
        double end_s = axis_arrival_s(&summary->ranks[choice->rows[i].index]);
        if (isfinite(end_s) && end_s < least)
            least = end_s;
    }
    return least;
}

static double cut_at(double shortest_s, double median_s)
{
    if (!isfinite(shortest_s))
        return 0;
    double ratio = shortest_s / median_s - CUT_MARGIN;
    /* The small term keeps 0.90 in its own bin, whatever binary makes of it. */
    return fmax(0, floor(ratio / CUT_GRID + 1e-9) * CUT_GRID) * median_s;
}

struct axis axis_make(const struct summary *summary, const struct choice *choice, bool relative,
                      bool cut)
{
    struct axis axis = {.high = last_arrival(summary), .median = summary->shown.own_median_s};
    axis.known = summary->shown.known && isfinite(axis.high) && axis.high > 0;
    if (!axis.known)
        return axis;
    bool median_known = isfinite(axis.median) && axis.median > 0;
    axis.relative = relative && median_known;
    if (cut && median_known)
        axis.low = fmin(cut_at(shortest(summary, choice), axis.median), axis.high * 0.95);
    axis.cut = axis.low > 0;
    return axis;
}

int axis_eighths(const struct axis *axis, double seconds, int cells)
{
    if (!axis->known || !isfinite(seconds) || cells <= 0)
        return 0;
    double share = (seconds - axis->low) / (axis->high - axis->low);
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    return (int)lround(share * 8 * cells);
}

double axis_tick(const struct axis *axis, int count)
{
    double unit = axis->relative ? axis->median : 1;
    double least = (axis->high - axis->low) / unit / (count > 0 ? count : 1);
    double power = pow(10, floor(log10(least)));
    static const double steps[] = {1, 2, 5};
    for (int i = 0; i < 3; i++) {
        if (steps[i] * power >= least * (1 - 1e-9))
            return steps[i] * power;
    }
    return 10 * power;
}
