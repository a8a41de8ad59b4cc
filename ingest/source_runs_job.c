/* Whether two logs with one value a step are of one job. */
#include "source_runs_job.h"

#include <math.h>
#include <stdlib.h>

#define CLOCKS_S 2.0       /* clocks of two nodes differ less, and so do two loggers' delays */
#define SLOW 1.5           /* times the median: such a step says little, first steps are all so */
#define SAME 0.001         /* as a share: the same value, rounded */
#define PAIRS_MIN 8        /* for a likeness of the ups and downs */
#define LIKE_VARIANCE 0.25 /* of two runs of their own it is 1 */

struct pair {
    double a_s, b_s; /* the step's time */
    double apart_s;  /* begins; NAN: not both have one */
};

struct pairs {
    int count;
    struct pair list[2 * SAMPLE_RECORDS];
};

static void find_pairs(const struct run_sample *a, const struct run_sample *b, struct pairs *pairs)
{
    const uint32_t needs = RECORD_JOB | RECORD_STEP_TIME;
    pairs->count = 0;
    for (int i = 0; i < b->count; i++) {
        const struct record *ours = &b->records[i];
        const struct record *theirs = sample_find(a, ours->rank, ours->step);
        if (!theirs || (ours->has & theirs->has & needs) != needs)
            continue;
        bool begins = ours->has & theirs->has & RECORD_BEGIN;
        pairs->list[pairs->count++] = (struct pair){
            .a_s = (double)theirs->step_time_ns * 1e-9,
            .b_s = (double)ours->step_time_ns * 1e-9,
            .apart_s =
                begins ? fabs((double)(ours->begin_ns - theirs->begin_ns)) * 1e-9 : (double)NAN};
    }
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

static double median_s(const struct pairs *pairs, bool of_b)
{
    double values[2 * SAMPLE_RECORDS];
    for (int i = 0; i < pairs->count; i++)
        values[i] = of_b ? pairs->list[i].b_s : pairs->list[i].a_s;
    qsort(values, (size_t)pairs->count, sizeof values[0], by_value);
    return values[pairs->count / 2];
}

/* 0: they do not say when. */
static int compare_begins(const struct pairs *pairs)
{
    int near = 0, far = 0;
    for (int i = 0; i < pairs->count; i++) {
        const struct pair *pair = &pairs->list[i];
        if (isnan(pair->apart_s))
            continue;
        if (pair->apart_s > CLOCKS_S + fmax(pair->a_s, pair->b_s) / 2)
            far++;
        else
            near++;
    }
    return far > near ? 1 : near > 0 ? -1 : 0;
}

/* Two loggers of one job see the same ups and downs. */
static int compare_values(const struct pairs *pairs)
{
    double most_a = SLOW * median_s(pairs, false), most_b = SLOW * median_s(pairs, true);
    double sum_a = 0, sum_b = 0, apart = 0, squares = 0;
    int same = 0, count = 0;
    for (int i = 0; i < pairs->count; i++) {
        const struct pair *pair = &pairs->list[i];
        same += fabs(pair->a_s - pair->b_s) <= SAME * fmax(pair->a_s, pair->b_s);
        if (pair->a_s > most_a || pair->b_s > most_b)
            continue;
        sum_a += pair->a_s;
        sum_b += pair->b_s;
        count++;
    }
    if (2 * same > pairs->count)
        return -1;
    for (int i = 0; i < pairs->count; i++) {
        const struct pair *pair = &pairs->list[i];
        if (pair->a_s > most_a || pair->b_s > most_b)
            continue;
        double a = pair->a_s - sum_a / count, b = pair->b_s - sum_b / count;
        apart += (pair->a_s - pair->b_s) * (pair->a_s - pair->b_s);
        squares += a * a + b * b;
    }
    return count >= PAIRS_MIN && apart <= LIKE_VARIANCE * squares ? -1 : 1;
}

int runs_compare_jobs(const struct run_sample *a, const struct run_sample *b)
{
    struct pairs pairs;
    find_pairs(a, b, &pairs);
    if (pairs.count == 0)
        return 0;
    int result = compare_begins(&pairs);
    return result != 0 ? result : compare_values(&pairs);
}
