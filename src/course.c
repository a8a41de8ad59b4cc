/* Steps in columns that become wider. */
#include "course.h"

#include <stdlib.h>

#include "memory.h"
#include "quantile.h"

void course_done(struct course *course)
{
    heat_done(&course->heat);
    free(course->columns);
    *course = (struct course){0};
}

/* The median over ranks; with very many of them over some. */
static double begin_of(const struct step_row *row)
{
    int64_t values[COURSE_BEGINS_MAX];
    uint32_t stride = (row->capacity + COURSE_BEGINS_MAX - 1) / COURSE_BEGINS_MAX, count = 0;
    for (uint32_t i = 0; i < row->capacity; i += stride)
        if (row->has[i] & RECORD_BEGIN)
            values[count++] = row->cells[i].begin_ns;
    return median_of_ns(values, count);
}

static void add_time(struct course_column *column, const struct step_row *row)
{
    const struct step_digest *digest = &row->digest;
    double time_ns = (double)digest->step_time_ns;
    if (time_ns > column->time_max_ns) {
        column->time_max_ns = time_ns;
        column->worst_attempt = row->attempt;
        column->worst_step = row->step;
    }
    double covered = (double)digest->span;
    column->time_ns += time_ns * covered;
    column->tokens += (double)digest->tokens * covered;
    column->timed_steps += digest->span;
    job_rates_add(&column->rates, (double)row->job.flops, step_job_mfu(&row->job),
                  time_ns * covered);
    column->times++;
    column->times_measured += digest->time_evidence == EVIDENCE_MEASURED;
    if (digest->wait_count == 0)
        return;
    column->wait_ns += digest_wait_ns(digest, row->reported) * covered;
    column->rank_time_ns += time_ns * row->reported * covered;
    column->waits++;
    column->waits_measured += digest->time_evidence == EVIDENCE_MEASURED &&
                              wait_rule_evidence(digest->rule) == EVIDENCE_MEASURED;
}

void course_column_add(struct course_column *column, const struct step_row *row)
{
    if (column->positions == 0) {
        column->first_attempt = column->worst_attempt = row->attempt;
        column->first_step = column->worst_step = row->step;
        column->first_covered = row->step - row->job.span + 1;
        column->begin_ns = begin_of(row);
    }
    column->positions++;
    column->steps += row->job.span;
    column->last_attempt = row->attempt;
    column->last_step = row->step;
    if (row->digest.time_evidence != EVIDENCE_NONE)
        add_time(column, row);
}

void course_column_merge(struct course_column *to, const struct course_column *from)
{
    if (from->positions == 0)
        return;
    if (to->positions == 0) {
        *to = *from;
        return;
    }
    to->positions += from->positions;
    to->last_attempt = from->last_attempt;
    to->last_step = from->last_step;
    if (from->time_max_ns > to->time_max_ns) {
        to->time_max_ns = from->time_max_ns;
        to->worst_attempt = from->worst_attempt;
        to->worst_step = from->worst_step;
    }
    to->time_ns += from->time_ns;
    to->wait_ns += from->wait_ns;
    to->rank_time_ns += from->rank_time_ns;
    to->tokens += from->tokens;
    to->steps += from->steps;
    to->timed_steps += from->timed_steps;
    job_rates_merge(&to->rates, &from->rates);
    to->times += from->times;
    to->waits += from->waits;
    to->times_measured += from->times_measured;
    to->waits_measured += from->waits_measured;
}

/* There is an even number of them, and the open one is empty. */
static void merge_pairs(struct course *course)
{
    course->count /= 2;
    for (uint32_t i = 0; i < course->count; i++) {
        struct course_column column = course->columns[2 * (size_t)i];
        course_column_merge(&column, &course->columns[2 * (size_t)i + 1]);
        course->columns[i] = column;
    }
    course->shift++;
}

void course_add(struct course *course, const struct step_row *row)
{
    heat_add(&course->heat, row->slowdown, row->capacity);
    if (course->open.positions == 0)
        course_column_clear(&course->open);
    course_column_add(&course->open, row);
    if (course->open.positions < UINT32_C(1) << course->shift)
        return;
    if (course->count == course->capacity)
        course->columns =
            memory_grown(course->columns, &course->capacity, sizeof(*course->columns));
    course->columns[course->count++] = course->open;
    course->open.positions = 0;
    if (course->count == COURSE_COLUMNS_MAX)
        merge_pairs(course);
}
