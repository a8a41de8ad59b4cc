/* The course of the run, for history, heat map and figures: what has settled, the
 * rows behind it, and out of both as few columns as are asked for. */
#include <stdlib.h>
#include <string.h>

#include "analysis_table.h"
#include "memory.h"
#include "mfu.h"

#define SECONDS 1e-9

/* The columns while they are put together. */
struct picture {
    struct analysis *analysis;
    struct overview *overview;
    struct overview_request request;
    const uint32_t *slots;       /* by rank index */
    int64_t from, to;            /* positions, `from` at the begin of a column that there is */
    int64_t width;               /* of a column asked for */
    struct course_column column; /* that fills */
    struct heat_sum heat;
    struct course_column total;
    double model_flop, hardware_flop, peak, gpus;
};

static bool in_span(const struct analysis *analysis, const struct step_row *row)
{
    return row->step >= analysis->options.from_step && row->step <= analysis->options.to_step;
}

/* ---- the ranks ---- */

struct numbered {
    uint32_t rank, slot;
};

static int by_number(const void *a, const void *b)
{
    const struct numbered *one = a, *other = b;
    return one->rank < other->rank ? -1 : one->rank > other->rank;
}

/* Fills the ranks. Their slots, which the caller frees. */
static uint32_t *fill_ranks(const struct analysis *analysis, struct overview *overview)
{
    uint32_t count = analysis->ranks.count;
    struct numbered *order = memory_resized(NULL, count, sizeof(*order));
    uint32_t *slots = memory_resized(NULL, count, sizeof(*slots));
    bool sorted = true;
    for (uint32_t i = 0; i < count; i++) {
        order[i] = (struct numbered){analysis->ranks.info[i].rank, i};
        sorted = sorted && (i == 0 || order[i - 1].rank < order[i].rank);
    }
    if (!sorted)
        qsort(order, count, sizeof(*order), by_number);
    overview->rank_count = count;
    overview->ranks = memory_resized(overview->ranks, count, sizeof(*overview->ranks));
    for (uint32_t i = 0; i < count; i++) {
        const struct rank_info *info = &analysis->ranks.info[order[i].slot];
        struct overview_rank *to = &overview->ranks[i];
        to->rank = info->rank;
        str_copy(to->host, sizeof(to->host), str_from(names_get(&analysis->names, info->host)));
        str_copy(to->group, sizeof(to->group), str_from(names_get(&analysis->names, info->group)));
        slots[i] = order[i].slot;
    }
    free(order);
    return slots;
}

/* ---- the columns ---- */

/* MFU and HFU of some steps, by the same figures as a summary's. */
static double utilization_of(const struct picture *picture, const struct course_column *column,
                             double flop)
{
    const struct run *run = &picture->analysis->options.run;
    double tokens = run->tokens_per_step > 0 ? run->tokens_per_step * (double)column->timed_steps
                                             : column->tokens;
    struct quantity value =
        utilization(tokens, column->time_ns * SECONDS, flop, picture->gpus, picture->peak);
    return quantity_known(value) ? value.value : NAN;
}

static double mfu_of(const struct picture *picture, const struct course_column *column)
{
    const struct run *run = &picture->analysis->options.run;
    enum mfu_origin origin;
    struct analysis_work work = {
        .tokens = run->tokens_per_step > 0 ? run->tokens_per_step * (double)column->timed_steps
                                           : column->tokens,
        .seconds = column->time_ns * SECONDS,
        .flops = job_rates_flops(&column->rates),
        .mfu = job_rates_mfu(&column->rates),
    };
    return analysis_mfu(&work, picture->model_flop, picture->gpus, picture->peak, &origin);
}

static void put_heat(struct picture *picture, size_t column)
{
    struct overview *overview = picture->overview;
    uint16_t *to = overview->slowdown + column;
    for (size_t i = 0; i < overview->rank_count; i++, to += overview->column_count) {
        uint32_t slot = picture->slots[i];
        *to = picture->request.worst ? picture->heat.worst[slot]
                                     : heat_sum_mean(&picture->heat, slot);
    }
    heat_sum_clear(&picture->heat);
}

static enum evidence evidence_of(const struct picture *picture, uint32_t count, uint32_t measured)
{
    if (count == 0)
        return EVIDENCE_NONE;
    if (picture->analysis->simulated)
        return EVIDENCE_SIMULATED;
    return (uint64_t)measured * 2 > count ? EVIDENCE_MEASURED : EVIDENCE_COMPUTED;
}

static enum evidence wait_evidence_of(const struct picture *picture,
                                      const struct course_column *column)
{
    return column->rank_time_ns > 0 ? evidence_of(picture, column->waits, column->waits_measured)
                                    : EVIDENCE_NONE;
}

static double known_or_nan(double value, double time_ns)
{
    return time_ns > 0 ? value : NAN;
}

/* The column is whole: it is the next of the overview. */
static void put_column(struct picture *picture, int64_t position)
{
    const struct course_column *from = &picture->column;
    size_t index = (size_t)((position - picture->from) / picture->width);
    bool timed = from->times > 0;
    if (from->positions == 0)
        return;
    picture->overview->columns[index] = (struct overview_column){
        .first_position = picture->from + (int64_t)index * picture->width,
        .positions = from->positions,
        .first_attempt = from->first_attempt,
        .last_attempt = from->last_attempt,
        .first_step = from->first_step,
        .last_step = from->last_step,
        .first_covered = from->first_covered,
        .worst_attempt = from->worst_attempt,
        .worst_step = from->worst_step,
        .begin_s = from->begin_ns * SECONDS,
        .steps = from->steps,
        .step_time_s = timed ? from->time_ns * SECONDS / (double)from->timed_steps : NAN,
        .step_time_max_s = timed ? from->time_max_ns * SECONDS : NAN,
        .wait_share = from->rank_time_ns > 0 ? from->wait_ns / from->rank_time_ns : NAN,
        .mfu = mfu_of(picture, from),
        .hfu = utilization_of(picture, from, picture->hardware_flop),
        .flops = known_or_nan(job_rates_flops(&from->rates), from->rates.flops_time_ns),
        .mfu_logged = known_or_nan(job_rates_mfu(&from->rates), from->rates.mfu_time_ns),
        .time_evidence = evidence_of(picture, from->times, from->times_measured),
        .wait_evidence = wait_evidence_of(picture, from),
    };
    if (picture->request.heat)
        put_heat(picture, index);
    course_column_merge(&picture->total, from);
    course_column_clear(&picture->column);
}

/* Whether what stands at `position` is asked for. Puts the column before it. */
static bool enter(struct picture *picture, int64_t position)
{
    if (position < picture->from || position >= picture->to)
        return false;
    if (position > picture->from && (position - picture->from) % picture->width == 0)
        put_column(picture, position - 1);
    return true;
}

/* What has settled: columns that are at most as wide as those asked for, and begin
 * where those do. Heat has wider ones, each entered where it begins. */
static void put_settled(struct picture *picture)
{
    const struct course *course = picture->analysis->course;
    const struct heat *heat = &course->heat;
    int64_t heat_mask = (INT64_C(1) << heat->shift) - 1;
    for (uint32_t i = (uint32_t)(picture->from >> course->shift); i <= course->count; i++) {
        int64_t position = (int64_t)i << course->shift;
        const struct course_column *column =
            i < course->count ? &course->columns[i] : &course->open;
        if (column->positions == 0 || !enter(picture, position))
            break;
        course_column_merge(&picture->column, column);
        if (!picture->request.heat || (position & heat_mask) != 0)
            continue;
        uint32_t index = (uint32_t)(position >> heat->shift);
        if (index < heat->count)
            heat_sum_column(&picture->heat, heat, index);
        else
            heat_sum_open(&picture->heat, heat);
    }
}

static void put_behind(struct picture *picture)
{
    struct analysis *analysis = picture->analysis;
    int64_t position = course_positions(analysis->course);
    for (size_t i = analysis->settled_rows; i < analysis->current_rows; i++) {
        const struct step_row *row = steps_at(&analysis->steps, i);
        if (!in_span(analysis, row))
            continue;
        if (enter(picture, position)) {
            course_column_add(&picture->column, row);
            if (picture->request.heat)
                heat_sum_step(&picture->heat, row->slowdown, row->capacity);
        }
        position++;
    }
}

/* ---- all of it ---- */

static int64_t positions_of(const struct analysis *analysis)
{
    int64_t positions = course_positions(analysis->course);
    for (size_t i = analysis->settled_rows; i < analysis->current_rows; i++)
        positions += in_span(analysis, steps_at(&analysis->steps, i));
    return positions;
}

/* Of what there is: the span in whole columns, and how wide those asked for are. */
static void choose_columns(struct picture *picture)
{
    const struct course *course = picture->analysis->course;
    struct overview *overview = picture->overview;
    const struct overview_request *request = &picture->request;
    int shift =
        request->heat && course->heat.shift > course->shift ? course->heat.shift : course->shift;
    int64_t finest = INT64_C(1) << shift, columns = request->columns > 1 ? request->columns : 1;
    overview->finest = finest;
    picture->from = request->from > 0 ? request->from / finest * finest : 0;
    picture->to = request->to < overview->positions ? request->to : overview->positions;
    if (request->from >= picture->to || picture->to <= 0)
        return;
    int64_t units = (picture->to - picture->from - 1) / finest + 1;
    picture->to = picture->from + units * finest;
    if (picture->to > overview->positions)
        picture->to = overview->positions;
    picture->width = ((units - 1) / columns + 1) * finest;
    overview->column_count = (size_t)((picture->to - picture->from - 1) / picture->width + 1);
}

static void make_room(struct picture *picture)
{
    struct overview *overview = picture->overview;
    size_t count = overview->column_count, ranks = overview->rank_count;
    overview->columns = memory_resized(overview->columns, count, sizeof(*overview->columns));
    if (!picture->request.heat) {
        free(overview->slowdown);
        overview->slowdown = NULL;
        return;
    }
    overview->slowdown =
        memory_resized(overview->slowdown, ranks * count, sizeof(*overview->slowdown));
    heat_sum_init(&picture->heat, (uint32_t)ranks);
}

static void fill_evidence(const struct picture *picture)
{
    const struct course_column *total = &picture->total;
    struct overview *overview = picture->overview;
    overview->time_evidence = evidence_of(picture, total->times, total->times_measured);
    overview->wait_evidence = wait_evidence_of(picture, total);
    bool known = !isnan(mfu_of(picture, total));
    overview->mfu_evidence = evidence_of(picture, known, 0);
}

void analysis_overview(struct analysis *analysis, struct overview_request request,
                       struct overview *overview)
{
    overview->positions = 0;
    overview->finest = 1;
    overview->column_count = overview->rank_count = 0;
    overview->time_evidence = overview->wait_evidence = overview->mfu_evidence = EVIDENCE_NONE;
    if (!analysis->course)
        return;
    analysis_refresh(analysis);
    const struct run *run = &analysis->options.run;
    bool assumed, logged;
    struct picture picture = {
        .analysis = analysis,
        .overview = overview,
        .request = request,
        .model_flop = mfu_model_flop_per_token(run),
        .hardware_flop = mfu_hardware_flop_per_token(run),
        .peak = run_peak_flops(run),
        .gpus = analysis_gpus(analysis, &assumed, &logged),
    };
    uint32_t *slots = fill_ranks(analysis, overview);
    picture.slots = slots;
    overview->positions = positions_of(analysis);
    choose_columns(&picture);
    make_room(&picture);
    course_column_clear(&picture.column);
    course_column_clear(&picture.total);
    if (overview->column_count > 0) {
        put_settled(&picture);
        put_behind(&picture);
        put_column(&picture, picture.to - 1);
    }
    fill_evidence(&picture);
    heat_sum_done(&picture.heat);
    free(slots);
}
