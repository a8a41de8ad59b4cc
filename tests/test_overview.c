/* The course of a run: columns against what each step came to, added up plainly; the
 * slowdowns of ranks in columns that were merged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "analysis_table.h"
#include "heat.h"
#include "job_fixture.h"
#include "mfu.h"
#include "overview.h"

/* ---- slowdowns in columns, by themselves ---- */

static uint16_t made_up(uint32_t slot, uint32_t step)
{
    uint32_t mixed = slot * 2654435761u ^ step * 40503u ^ (step >> 3) * 977u;
    return mixed % 7 == 0 ? HEAT_NONE : (uint16_t)(1 + (mixed >> 8) % 40000);
}

static uint32_t slots_at(uint32_t step, uint32_t slots) /* some ranks join later */
{
    return step < 100 ? slots / 2 : slots;
}

/* All columns of the heat, and the open one, against sums of the steps in them. */
static void compare_heat(const struct heat *heat, uint32_t steps, uint32_t slots)
{
    struct heat_sum sum;
    uint32_t width = UINT32_C(1) << heat->shift;
    assert_int_equal(((uint64_t)heat->count << heat->shift) + heat->open_steps, steps);
    heat_sum_init(&sum, slots);
    for (uint32_t column = 0; column * width < steps; column++) {
        if (column < heat->count)
            heat_sum_column(&sum, heat, column);
        else
            heat_sum_open(&sum, heat);
        for (uint32_t slot = 0; slot < slots; slot += 1 + slots / 16) {
            double total = 0, count = 0;
            uint16_t worst = HEAT_NONE;
            for (uint32_t step = column * width; step < (column + 1) * width && step < steps;
                 step++) {
                uint16_t value = slot < slots_at(step, slots) ? made_up(slot, step) : HEAT_NONE;
                total += value;
                count += value != HEAT_NONE;
                worst = value > worst ? value : worst;
            }
            assert_int_equal(sum.worst[slot], worst);
            if (count == 0)
                assert_int_equal(heat_sum_mean(&sum, slot), HEAT_NONE);
            else /* each merge rounds once */
                assert_true(near(heat_sum_mean(&sum, slot), total / count, 2 + heat->shift));
        }
        heat_sum_clear(&sum);
    }
    heat_sum_done(&sum);
}

static void slowdowns_of_many_ranks_stay_within_their_budget(void **state)
{
    static const struct {
        uint32_t slots, steps;
    } cases[] = {{1, 1}, {8, 127}, {60000, 300}, {16384, 801}, {200000, 40}};
    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
        uint32_t slots = cases[k].slots, steps = cases[k].steps;
        struct heat heat = {0};
        uint16_t *values = malloc(slots * sizeof(*values));
        for (uint32_t step = 0; step < steps; step++) {
            for (uint32_t slot = 0; slot < slots; slot++)
                values[slot] = made_up(slot, step);
            heat_add(&heat, values, slots_at(step, slots));
            assert_true(heat.bytes <= HEAT_BYTES_MAX || heat.count <= HEAT_COLUMNS_MIN);
        }
        compare_heat(&heat, steps, slots);
        if (slots == 16384)
            assert_true(heat.count >= 100); /* 24 MiB are 300 columns */
        free(values);
        heat_done(&heat);
    }
}

/* ---- a plain account of each step ---- */

struct plain_step {
    int attempt;
    int64_t step;
    double begin_s, time_s, wait_s, rank_s, tokens; /* time_s NAN: not known */
    uint16_t slowdown[16];                          /* by rank number */
};

struct plain {
    size_t count;
    struct plain_step *steps;
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double begin_median_s(const struct step_row *row)
{
    double values[16];
    size_t n = 0;
    for (uint32_t i = 0; i < row->capacity; i++)
        if (row->has[i] & RECORD_BEGIN)
            values[n++] = (double)row->cells[i].begin_ns;
    if (n == 0)
        return NAN;
    qsort(values, n, sizeof(*values), by_value);
    return (n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2) * 1e-9;
}

/* From a model with a table that has room for all, after a summary. */
static struct plain plain_of(const struct analysis *analysis)
{
    struct plain plain = {0};
    plain.steps = calloc(analysis->steps.count + 1, sizeof(*plain.steps));
    for (size_t i = 0; i < analysis->current_rows; i++) {
        const struct step_row *row = steps_at(&analysis->steps, i);
        const struct step_digest *digest = &row->digest;
        if (row->step < analysis->options.from_step || row->step > analysis->options.to_step)
            continue;
        struct plain_step *to = &plain.steps[plain.count++];
        bool timed = digest->time_evidence != EVIDENCE_NONE, waits = digest->wait_count > 0;
        *to = (struct plain_step){
            .attempt = row->attempt,
            .step = row->step,
            .begin_s = begin_median_s(row),
            .time_s = timed ? (double)digest->step_time_ns * 1e-9 : NAN,
            .wait_s = timed && waits ? digest_wait_ns(digest, row->reported) * 1e-9 : 0,
            .rank_s = timed && waits ? (double)digest->step_time_ns * row->reported * 1e-9 : 0,
            .tokens = timed ? (double)digest->tokens : 0,
        };
        for (uint32_t slot = 0; slot < row->capacity && slot < analysis->ranks.count; slot++)
            to->slowdown[analysis->ranks.info[slot].rank] = row->slowdown[slot];
    }
    return plain;
}

static void assert_same(double a, double b, double share)
{
    if (isnan(a) || isnan(b))
        assert_true(isnan(a) && isnan(b));
    else
        assert_true(near(a, b, share * fmax(fabs(a), fabs(b))));
}

static void compare_heat_column(const struct overview *overview, size_t index,
                                const struct plain *plain, bool worst)
{
    const struct overview_column *column = &overview->columns[index];
    for (size_t r = 0; r < overview->rank_count; r++) {
        double total = 0, count = 0, most = 0;
        for (int64_t i = 0; i < column->positions; i++) {
            const struct plain_step *step = &plain->steps[column->first_position + i];
            double value = step->slowdown[overview->ranks[r].rank];
            total += value;
            count += value != HEAT_NONE;
            most = fmax(most, value);
        }
        double shown = overview_slowdown(overview, r, index) / HEAT_UNIT;
        if (count == 0)
            assert_true(isnan(shown));
        else
            assert_true(worst ? near(shown, most, 1e-6) : near(shown, total / count, 16));
    }
}

static void compare_column(const struct overview *overview, size_t index, const struct plain *plain,
                           const struct run *run, double gpus)
{
    const struct overview_column *column = &overview->columns[index];
    const struct plain_step *first = &plain->steps[column->first_position];
    const struct plain_step *last = first + column->positions - 1, *worst = NULL;
    double time = 0, waits = 0, rank_time = 0, tokens = 0, times = 0;
    for (const struct plain_step *step = first; step <= last; step++) {
        if (isnan(step->time_s))
            continue;
        worst = !worst || step->time_s > worst->time_s ? step : worst;
        times++;
        time += step->time_s;
        waits += step->wait_s;
        rank_time += step->rank_s;
        tokens += run->tokens_per_step > 0 ? run->tokens_per_step : step->tokens;
    }
    assert_int_equal(column->first_attempt, first->attempt);
    assert_int_equal(column->first_step, first->step);
    assert_int_equal(column->last_attempt, last->attempt);
    assert_int_equal(column->last_step, last->step);
    assert_int_equal(column->worst_attempt, (worst ? worst : first)->attempt);
    assert_int_equal(column->worst_step, (worst ? worst : first)->step);
    assert_same(column->begin_s, first->begin_s, 1e-12);
    assert_same(column->step_time_s, time / times, 1e-9);
    assert_same(column->step_time_max_s, worst ? worst->time_s : NAN, 1e-12);
    assert_same(column->wait_share, rank_time > 0 ? waits / rank_time : NAN, 1e-9);
    double flop = mfu_model_flop_per_token(run);
    double mfu = tokens / time * flop / (gpus * run_peak_flops(run));
    assert_same(column->mfu, tokens > 0 && flop > 0 ? mfu : NAN, 1e-9);
}

static void compare(struct analysis *analysis, const struct plain *plain,
                    struct overview_request request, struct overview *overview)
{
    const struct run *run = &analysis->options.run;
    double gpus = run->gpus > 0 ? run->gpus : analysis->ranks.count;
    analysis_overview(analysis, request, overview);
    int64_t count = (int64_t)plain->count, finest = overview->finest;
    assert_int_equal(overview->positions, count);
    assert_true(overview->column_count <= (size_t)request.columns);
    int64_t from = request.from > 0 ? request.from : 0,
            to = request.to < count ? request.to : count;
    if (from >= to) {
        assert_int_equal(overview->column_count, 0);
        return;
    }
    assert_true(overview->column_count > 0);
    int64_t position = overview->columns[0].first_position;
    assert_true(position <= from && position > from - finest);
    for (size_t i = 0; i < overview->column_count; i++) {
        assert_int_equal(overview->columns[i].first_position, position);
        assert_true(overview->columns[i].positions >= 1);
        position += overview->columns[i].positions;
        assert_true(position <= count);
        compare_column(overview, i, plain, run, gpus);
        if (request.heat)
            compare_heat_column(overview, i, plain, request.worst);
        else
            assert_null(overview->slowdown);
    }
    assert_true(position >= to && position < to + finest);
}

/* ---- jobs at random ---- */

static void ask_at_random(struct analysis *analysis, const struct plain *plain,
                          struct overview *overview)
{
    struct overview_request request = {.to = INT64_MAX, .columns = 1 + (int)draw(300)};
    uint32_t count = (uint32_t)plain->count + 1;
    compare(analysis, plain, request, overview);
    request.heat = true;
    compare(analysis, plain, request, overview);
    request.worst = true;
    request.columns = 1 + (int)draw(40);
    compare(analysis, plain, request, overview);
    request.from = (int64_t)draw(count) - 5;
    request.to = request.from + draw(count);
    request.columns = 1 + (int)draw(100);
    compare(analysis, plain, request, overview);
    request.columns = INT32_MAX;
    request.worst = false;
    compare(analysis, plain, request, overview);
}

/* A model that keeps as few rows as it can knows the same course as one with all. */
static void columns_are_the_steps_added_up(void **state)
{
    struct job *job = malloc(sizeof(*job));
    struct overview overview;
    struct summary summary;
    int asked = 0;
    overview_init(&overview);
    summary_init(&summary);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct simulate *simulate = draw_job(seed, job);
        struct analysis_options options = job->options;
        options.memory_bytes = (size_t)256 << 20;
        options.keep_history = true;
        struct analysis *whole = analysis_new(&options);
        options.keep_history = false;
        options.overview = true;
        struct analysis *few = analysis_new(&options);
        for (size_t i = 0; i < job->count; i++) {
            add(whole, job->records[i]);
            add(few, job->records[i]);
            if (i + 1 == job->count) {
                analysis_finish(whole);
                analysis_finish(few);
            }
            if ((i + 1 < job->count && !once_in(2000)) || whole->too_late > 0)
                continue; /* who reported after the step had settled is not told apart */
            asked++;
            analysis_summary(whole, newest(), INT64_MIN, &summary);
            struct plain plain = plain_of(whole);
            ask_at_random(few, &plain, &overview);
            free(plain.steps);
        }
        analysis_free(whole);
        analysis_free(few);
        simulate_free(simulate);
    }
    assert_true(asked > 40);
    overview_done(&overview);
    summary_done(&summary);
    free(job);
}

/* ---- a long run, by hand ---- */

#define LONG_STEPS 70000

/* Two ranks: rank 1 is 10 ms slower in every step, 300 ms in each 5,000th. */
static struct record long_record(uint32_t rank, int64_t step)
{
    int64_t slow = step % 5000 == 4321 ? 300 : 10;
    struct record record = record_of(rank, step, 100 + (rank ? slow : 0), 200, rank ? 5 : 5 + slow);
    record.has |= RECORD_TOKENS;
    record.tokens = 1000;
    /* all that steps took before this one; one in 5,000 took 290 ms longer */
    int64_t long_steps = (step + 5000 - 4322) / 5000;
    return record_at(record, (step * 315 + long_steps * 290) * MS);
}

static void fill_long(struct analysis *analysis)
{
    for (int64_t step = 0; step < LONG_STEPS; step++)
        for (uint32_t rank = 0; rank < 2; rank++)
            add(analysis, long_record(rank, step));
    analysis_finish(analysis);
}

static void a_long_run_is_merged_and_stays_right(void **state)
{
    struct analysis_options options;
    analysis_options_init(&options);
    options.keep_history = false;
    options.overview = options.figures_only = true;
    struct analysis *analysis = analysis_new(&options);
    struct overview overview;
    overview_init(&overview);
    fill_long(analysis);
    analysis_overview(
        analysis, (struct overview_request){.to = INT64_MAX, .columns = INT32_MAX, .heat = true},
        &overview);
    assert_int_equal(overview.positions, LONG_STEPS);
    assert_int_equal(overview.finest, 4);
    assert_int_equal(overview.column_count, LONG_STEPS / 4);
    analysis_overview(
        analysis,
        (struct overview_request){.to = INT64_MAX, .columns = 14, .heat = true, .worst = true},
        &overview);
    assert_int_equal(overview.column_count, 14);
    for (size_t i = 0; i < 14; i++) {
        const struct overview_column *column = &overview.columns[i];
        assert_int_equal(column->first_step, 5000 * (int64_t)i);
        assert_int_equal(column->worst_step, 5000 * (int64_t)i + 4321);
        assert_true(near(column->step_time_max_s, 0.605, 1e-9));
        assert_true(near(column->step_time_s, 0.315 + 0.290 / 5000, 1e-6));
        /* one of two ranks waits 10 ms, once 300 */
        assert_true(
            near(column->wait_share, (0.010 + 0.290 / 5000) / 2 / column->step_time_s, 1e-6));
        assert_true(near(overview_slowdown(&overview, 0, i), 300.0 / 305, 1e-4));
        assert_true(near(overview_slowdown(&overview, 1, i), 600.0 / 450, 1e-4));
    }
    assert_int_equal(overview.time_evidence, EVIDENCE_MEASURED);
    assert_int_equal(overview.wait_evidence, EVIDENCE_MEASURED);
    assert_int_equal(overview.mfu_evidence, EVIDENCE_NONE);
    assert_int_equal(overview_column_of(&overview, 0, 12345), 2);
    overview_done(&overview);
    analysis_free(analysis);
}

/* The run is described after its steps have settled: MFU counts it, and the course begins
 * anew with the rows that are folded again. */
static void a_run_that_is_described_later_counts(void **state)
{
    struct analysis_options options;
    analysis_options_init(&options);
    options.overview = true;
    struct analysis *analysis = analysis_new(&options);
    struct overview overview;
    struct overview_request all = {.to = INT64_MAX, .columns = 1000};
    overview_init(&overview);
    for (int64_t step = 0; step < 1000; step++)
        for (uint32_t rank = 0; rank < 2; rank++)
            add(analysis, long_record(rank, step));
    analysis_overview(analysis, all, &overview);
    assert_int_equal(overview.positions, 1000);
    assert_true(isnan(overview.columns[5].mfu));
    struct run run = options.run;
    run.params = 1e9;
    run.peak_flops = 1e14;
    run.gpus = 4;
    run.layers = run.hidden = run.sequence = 0;
    analysis_set_run(analysis, &run);
    for (int64_t step = 1000; step < 1010; step++)
        for (uint32_t rank = 0; rank < 2; rank++)
            add(analysis, long_record(rank, step));
    analysis_overview(analysis, all, &overview);
    assert_int_equal(overview.positions, 1010);
    assert_int_equal(overview.column_count, 505); /* two steps each */
    assert_int_equal(overview.columns[504].first_step, 1008);
    assert_true(near(overview.columns[5].mfu, 2000 / 0.315 * 6e9 / 4e14, 1e-9));
    assert_int_equal(overview.mfu_evidence, EVIDENCE_COMPUTED);
    overview_done(&overview);
    analysis_free(analysis);
}

static void without_the_option_there_is_no_course(void **state)
{
    struct analysis *analysis = new_analysis();
    struct overview overview;
    overview_init(&overview);
    for (int64_t step = 0; step < 20; step++)
        add(analysis, long_record(0, step));
    analysis_overview(analysis, (struct overview_request){.to = INT64_MAX, .columns = 10},
                      &overview);
    assert_int_equal(overview.positions, 0);
    assert_int_equal(overview.column_count, 0);
    overview_done(&overview);
    analysis_free(analysis);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slowdowns_of_many_ranks_stay_within_their_budget),
        cmocka_unit_test(columns_are_the_steps_added_up),
        cmocka_unit_test(a_long_run_is_merged_and_stays_right),
        cmocka_unit_test(a_run_that_is_described_later_counts),
        cmocka_unit_test(without_the_option_there_is_no_course),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
