/* The choice among the rules for waits. */
#include "rules.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"
#include "quantile.h"

#define SKIPPED_ROWS 2 /* the first steps compile and warm up */
#define ROWS_NEEDED 3
#define CLOCK_ROWS_MAX 64

static bool row_has_sync(const struct step_row *row)
{
    for (uint32_t i = 0; i < row->capacity; i++)
        if (row->has[i] & RECORD_SYNC)
            return true;
    return false;
}

/* Sums of squares and products of what differs between ranks within a step:
 * x = data + forward, y = backward. */
struct covariance {
    double xx, yy, xy;
    int rows;
};

static void add_row(struct covariance *sum, const struct step_row *row, uint32_t ranks)
{
    double x_sum = 0, y_sum = 0;
    uint32_t n = 0;
    uint32_t limit = ranks < row->capacity ? ranks : row->capacity;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < limit; i++) {
            uint32_t has = row->has[i];
            if (!(has & RECORD_BACKWARD) || !(has & (RECORD_DATA | RECORD_FORWARD)))
                continue;
            const struct step_cell *cell = &row->cells[i];
            double x = (has & RECORD_DATA ? (double)cell->phase_ns[PHASE_DATA] : 0) +
                       (has & RECORD_FORWARD ? (double)cell->phase_ns[PHASE_FORWARD] : 0);
            double y = (double)cell->phase_ns[PHASE_BACKWARD];
            if (pass == 0) {
                x_sum += x;
                y_sum += y;
                n++;
                continue;
            }
            double scale = n / (x_sum + y_sum); /* a long step counts no more than a short one */
            double dx = (x - x_sum / n) * scale, dy = (y - y_sum / n) * scale;
            sum->xx += dx * dx;
            sum->yy += dy * dy;
            sum->xy += dx * dy;
        }
        if (n < 2 || !(x_sum + y_sum > 0))
            return;
    }
    sum->rows++;
}

static bool survey_overlap(const struct steps *steps, uint32_t ranks)
{
    struct covariance sum = {0};
    size_t seen = 0;
    for (size_t i = 0; i < steps->count && seen < RULES_ROWS_MAX; i++) {
        const struct step_row *row = steps_at(steps, i);
        if (!row->closed)
            continue;
        if (seen++ >= SKIPPED_ROWS && !row_has_sync(row))
            add_row(&sum, row, ranks);
    }
    if (sum.rows < ROWS_NEEDED || !(sum.xx > 0) || !(sum.yy > 0))
        return false;
    double of_sums = sum.xx + sum.yy + 2 * sum.xy;
    return of_sums < 0.5 * sum.xx && sum.xy <= -0.6 * sqrt(sum.xx * sum.yy);
}

/* When a rank left the barrier of `row`, by its clock: its next begin less its
 * optimizer. */
static bool release_ns(const struct step_row *row, const struct step_row *next, uint32_t slot,
                       double *ret)
{
    if (slot >= row->capacity || slot >= next->capacity || !row->has[slot] ||
        !(next->has[slot] & RECORD_BEGIN))
        return false;
    int64_t optimizer =
        row->has[slot] & RECORD_OPTIMIZER ? row->cells[slot].phase_ns[PHASE_OPTIMIZER] : 0;
    *ret = (double)(next->cells[slot].begin_ns - optimizer);
    return true;
}

static bool two_have_begins(const struct step_row *row, uint32_t ranks)
{
    uint32_t begins = 0;
    for (uint32_t i = 0; i < ranks && i < row->capacity && begins < 2; i++)
        begins += (row->has[i] & RECORD_BEGIN) != 0;
    return begins == 2;
}

/* By a run of rows: of one alone nobody knows whether the ranks' own clocks met. */
static bool survey_one_stamp(const struct steps *steps, uint32_t ranks)
{
    uint32_t rows = 0, same = 0;
    for (size_t i = 0; i < steps->count && i < RULES_ROWS_MAX && rows < RULES_STAMP_ROWS_MAX; i++) {
        const struct step_row *row = steps_at(steps, i);
        if (!row->closed || !two_have_begins(row, ranks))
            continue;
        rows++;
        same += step_row_one_stamp(row, ranks);
    }
    return 2 * same > rows;
}

static bool survey_clocks(const struct steps *steps, uint32_t ranks)
{
    double *offsets = memory_resized(NULL, (size_t)ranks * CLOCK_ROWS_MAX, sizeof(double));
    double *sorted =
        memory_resized(NULL, ranks > CLOCK_ROWS_MAX ? ranks : CLOCK_ROWS_MAX, sizeof(double));
    uint32_t rows = 0;
    double step_ns = 0, last_median = NAN;
    for (size_t k = SKIPPED_ROWS; k + 1 < steps->count && rows < CLOCK_ROWS_MAX; k++) {
        const struct step_row *row = steps_at(steps, k), *next = steps_at(steps, k + 1);
        if (!row->closed || !next->closed || next->attempt != row->attempt ||
            next->step != row->step + 1 || row_has_sync(row))
            continue;
        uint32_t n = 0;
        for (uint32_t i = 0; i < ranks; i++) {
            double release;
            bool known = release_ns(row, next, i, &release);
            offsets[(size_t)i * CLOCK_ROWS_MAX + rows] = known ? release : NAN;
            if (known)
                sorted[n++] = release;
        }
        double median = median_of(sorted, n);
        if (n < 2)
            continue;
        for (uint32_t i = 0; i < ranks; i++)
            offsets[(size_t)i * CLOCK_ROWS_MAX + rows] -= median;
        if (!isnan(last_median))
            step_ns = (median - last_median);
        last_median = median;
        rows++;
    }
    double tolerance = step_ns * 0.01 > 1e6 ? step_ns * 0.01 : 1e6;
    bool agree = rows >= ROWS_NEEDED;
    for (uint32_t i = 0; agree && i < ranks; i++) {
        uint32_t n = 0;
        for (uint32_t k = 0; k < rows; k++)
            if (!isnan(offsets[(size_t)i * CLOCK_ROWS_MAX + k]))
                sorted[n++] = offsets[(size_t)i * CLOCK_ROWS_MAX + k];
        agree = n == 0 || fabs(median_of(sorted, n)) <= tolerance;
    }
    free(offsets);
    free(sorted);
    return agree;
}

static bool any_row_without_sync(const struct steps *steps)
{
    for (size_t i = 0; i < steps->count && i < RULES_ROWS_MAX; i++)
        if (steps_at(steps, i)->closed && !row_has_sync(steps_at(steps, i)))
            return true;
    return false;
}

struct wait_choice rules_survey(const struct steps *steps, uint32_t ranks,
                                enum barrier_choice barrier)
{
    struct wait_choice choice = {.overlapped = barrier == BARRIER_OVERLAPPED};
    if (ranks < 2)
        return choice;
    choice.one_stamp = survey_one_stamp(steps, ranks);
    if (!any_row_without_sync(steps))
        return choice;
    if (barrier == BARRIER_AUTO)
        choice.overlapped = survey_overlap(steps, ranks);
    choice.clocks_agree = !choice.one_stamp && survey_clocks(steps, ranks);
    return choice;
}
