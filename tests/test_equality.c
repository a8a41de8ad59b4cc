/* The same records give the same figures, however often a summary is asked for on
 * the way: of jobs drawn at random, with restarts, late and lost records, ranks that
 * come and go, names that change, small tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "analysis_fixture.h"

/* ---- a summary as text, a field a line ---- */

static void write_number(FILE *out, const char *name, double value)
{
    fprintf(out, isnan(value) ? "%s nan\n" : "%s %.17g\n", name, value);
}

static void write_quantity(FILE *out, const char *name, struct quantity quantity)
{
    fprintf(out, "%s %d ", name, (int)quantity.evidence);
    write_number(out, "", quantity_known(quantity) ? quantity.value : NAN);
}

#define NUMBER(of, field) write_number(out, #of "." #field, (double)(of)->field)
#define QUANTITY(of, field) write_quantity(out, #of "." #field, (of)->field)

static void write_rank(FILE *out, const struct summary_rank *rank)
{
    NUMBER(rank, rank);
    NUMBER(rank, state);
    NUMBER(rank, has);
    NUMBER(rank, own_s);
    NUMBER(rank, wait_s);
    NUMBER(rank, slowdown);
    NUMBER(rank, arrived_last);
    NUMBER(rank, straggler);
    NUMBER(rank, window_slowdown);
    NUMBER(rank, window_spread);
    NUMBER(rank, gain_s);
    NUMBER(rank, late_begin_s);
    NUMBER(rank, slowdown_median);
    NUMBER(rank, wait_mean_s);
    NUMBER(rank, arrived_last_count);
    NUMBER(rank, steps);
    NUMBER(rank, last_step);
    fprintf(out, "rank.host %s rank.group %s\n", rank->host, rank->group);
}

static void write_verdict(FILE *out, const struct verdict *verdict)
{
    fprintf(out, "verdict %s '%s'\n", verdict_kind_name(verdict->kind), verdict->group);
    NUMBER(verdict, rank);
    NUMBER(verdict, is_host);
    NUMBER(verdict, phase);
    NUMBER(verdict, slowdown);
    NUMBER(verdict, sure);
    NUMBER(verdict, lost_share);
    NUMBER(verdict, lost_gpu_s);
    NUMBER(verdict, step_time_s);
    NUMBER(verdict, repeated_steps);
    NUMBER(verdict, from_step);
    NUMBER(verdict, named_step);
    NUMBER(verdict, to_step);
    NUMBER(verdict, attempt);
}

static void write_what_if(FILE *out, const struct what_if *what_if)
{
    fprintf(out, "what_if.name '%s'\n", what_if->name);
    NUMBER(what_if, of);
    NUMBER(what_if, rank);
    NUMBER(what_if, ranks);
    NUMBER(what_if, named);
    NUMBER(what_if, lower_bound);
    NUMBER(what_if, steps);
    QUANTITY(what_if, step_time_s);
    QUANTITY(what_if, step_time_without_s);
    QUANTITY(what_if, gain_share);
    QUANTITY(what_if, explains);
    QUANTITY(what_if, mfu_points);
    QUANTITY(what_if, gpu_hours_day);
    QUANTITY(what_if, hours_end);
}

static void write_ledger(FILE *out, const struct ledger *ledger)
{
    NUMBER(ledger, wall_s);
    NUMBER(ledger, gpus);
    NUMBER(ledger, steps);
    NUMBER(ledger, over_peak);
    for (int part = 0; part < LEDGER_COUNT; part++) {
        write_quantity(out, ledger_part_name((enum ledger_part)part), ledger->share[part]);
        fprintf(out, "within %d\n", (int)ledger->within[part]);
    }
}

static void write_costs(FILE *out, const struct summary *summary)
{
    const struct jitter *jitter = &summary->jitter;
    const struct effective *effective = &summary->effective;
    const struct rotation *rotation = &summary->rotation;
    NUMBER(jitter, steps);
    NUMBER(jitter, ranks);
    QUANTITY(jitter, loss);
    QUANTITY(jitter, floor);
    QUANTITY(jitter, chronic);
    QUANTITY(jitter, longer);
    QUANTITY(jitter, spread);
    QUANTITY(effective, share);
    QUANTITY(effective, wall_s);
    QUANTITY(effective, kept_s);
    QUANTITY(effective, lost_s);
    QUANTITY(effective, down_s);
    NUMBER(effective, restarts);
    NUMBER(effective, repeated_steps);
    NUMBER(rotation, steps);
    NUMBER(rotation, distinct);
    NUMBER(rotation, most_rank);
    NUMBER(rotation, most_count);
    NUMBER(rotation, streak_rank);
    NUMBER(rotation, streak);
    write_ledger(out, &summary->ledger);
    write_ledger(out, &summary->ledger_window);
    NUMBER(summary, clock_worst_s);
    NUMBER(summary, clock_count);
    for (size_t i = 0; i < summary->clock_count; i++) {
        NUMBER(&summary->clocks[i], offset_s);
        NUMBER(&summary->clocks[i], drift);
    }
}

static void write_span(FILE *out, const struct summary *summary)
{
    NUMBER(summary, first_step);
    NUMBER(summary, last_step);
    NUMBER(summary, complete);
    NUMBER(summary, incomplete);
    NUMBER(summary, attempts);
    NUMBER(summary, rule);
    NUMBER(summary, rules_mixed);
    QUANTITY(summary, step_time_median_s);
    QUANTITY(summary, step_time_mean_s);
    QUANTITY(summary, step_time_max_s);
    QUANTITY(summary, wait_mean_s);
    QUANTITY(summary, wait_share);
    QUANTITY(summary, exchange_mean_s);
    NUMBER(summary, window_steps);
    QUANTITY(summary, window_step_time_s);
    QUANTITY(summary, window_wait_share);
    QUANTITY(summary, mfu);
    NUMBER(summary, tokens_per_step);
    NUMBER(summary, has_groups);
    NUMBER(summary, has_hosts);
    NUMBER(&summary->source, records);
    NUMBER(&summary->source, duplicate);
    NUMBER(&summary->source, late);
    NUMBER(&summary->source, too_late);
}

static void write_shown(FILE *out, const struct summary *summary)
{
    const struct summary_step *shown = &summary->shown;
    NUMBER(shown, known);
    NUMBER(shown, step);
    NUMBER(shown, attempt);
    NUMBER(shown, reported);
    NUMBER(shown, expected);
    NUMBER(shown, rule);
    QUANTITY(shown, step_time_s);
    QUANTITY(shown, exchange_s);
    QUANTITY(shown, wait_mean_s);
    QUANTITY(shown, wait_share);
    NUMBER(shown, own_median_s);
    NUMBER(shown, own_max_s);
    NUMBER(shown, last_rank);
    NUMBER(shown, begin_s);
    for (size_t i = 0; i < summary->point_count; i++) {
        NUMBER(&summary->points[i], step);
        NUMBER(&summary->points[i], step_time_s);
        NUMBER(&summary->points[i], mfu);
        NUMBER(&summary->points[i], wait_share);
    }
}

/* The caller frees it. */
static char *text_of(const struct summary *summary)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    write_span(out, summary);
    write_costs(out, summary);
    NUMBER(summary, verdict_count);
    NUMBER(summary, verdicts_in_force);
    for (size_t i = 0; i < summary->verdict_count; i++)
        write_verdict(out, &summary->verdicts[i]);
    for (size_t i = 0; i < summary->what_if_count; i++)
        write_what_if(out, &summary->what_ifs[i]);
    for (size_t i = 0; i < summary->rank_count; i++)
        write_rank(out, &summary->ranks[i]);
    write_shown(out, summary);
    fclose(out);
    return text;
}

/* ---- jobs drawn at random ---- */

static uint64_t random_state;

static uint32_t draw(uint32_t below) /* 0 to below - 1 */
{
    random_state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = random_state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ (z >> 31)) % below);
}

static bool once_in(uint32_t times)
{
    return draw(times) == 0;
}

#define RECORDS_MAX 20000

struct job {
    struct analysis_options options;
    size_t count;
    struct record records[RECORDS_MAX]; /* in the order in which they arrive */
    double when[RECORDS_MAX];
};

static void draw_simulation(struct simulate_options *options)
{
    static const uint32_t ranks[] = {1, 2, 2, 3, 4, 5, 8, 8, 12, 16};
    simulate_options_init(options);
    options->ranks = ranks[draw(10)];
    options->seed = draw(1000000);
    options->jitter = draw(4) * 0.02;
    options->ranks_per_host = draw(4);
    options->groups = once_in(3) ? 0 : 1 + draw(options->ranks > 4 ? 4 : options->ranks);
    options->tokens = once_in(2) ? 4096 : 0;
    options->overlapped = once_in(6);
    options->clock_spread_ns = once_in(3) ? 50 * MS : 0;
    options->slow_count = (int)draw(3);
    options->rotate = once_in(8);
    for (int i = 0; i < options->slow_count; i++) {
        int64_t from = draw(200);
        options->slow[i] = (struct simulate_slow){
            .rank = draw(options->ranks),
            .factor = 1.05 + draw(10) * 0.1,
            .from_step = from,
            .to_step = once_in(2) ? 100000 : from + 20 + draw(120),
        };
    }
    options->restart_at = options->restart_to = -1;
    if (once_in(3)) {
        options->restart_at = 20 + draw(300);
        options->restart_to = draw((uint32_t)options->restart_at);
        options->restart_down_ns = draw(100) * SECOND;
    }
}

static void draw_options(struct job *job)
{
    static const int windows[] = {1, 2, 5, 20, 50, 50, 50, 300, 1000};
    struct analysis_options *options = &job->options;
    analysis_options_init(options);
    options->run.window = windows[draw(9)];
    options->run.threshold = once_in(4) ? 0.001 + draw(30) * 0.01 : 0.05;
    options->run.params = 1e9;
    options->run.peak_flops = 1e12;
    options->run.pp = once_in(6) ? 2 : 0;
    options->keep_history = !once_in(3);
    if (once_in(3))
        options->memory_bytes = 1 + draw(300000);
    if (once_in(3)) {
        options->from_step = draw(150);
        options->to_step = options->from_step + draw(200);
    }
}

/* What may befall a record on its way, or its rank. */
struct troubles {
    uint32_t late, lost, spike, doubled, renamed, marked; /* once in so many; 0: never */
    uint32_t every;                                       /* steps that are logged */
    unsigned without;                                     /* RECORD_ bits that are not logged */
    int64_t joins[16], leaves[16], returns[16];
    double behind[16]; /* of a rank whose records come late, in steps */
};

static void draw_troubles(struct troubles *troubles)
{
    static const uint32_t rare[] = {0, 0, 300, 60, 12};
    static const unsigned without[] = {0,
                                       0,
                                       0,
                                       RECORD_SYNC,
                                       RECORD_BEGIN,
                                       RECORD_SYNC | RECORD_BEGIN,
                                       RECORD_OPTIMIZER,
                                       RECORD_DATA | RECORD_FORWARD | RECORD_BACKWARD};
    *troubles = (struct troubles){
        .late = rare[draw(5)],
        .lost = rare[draw(5)],
        .spike = rare[draw(4)],
        .doubled = rare[draw(4)],
        .renamed = rare[draw(4)],
        .marked = rare[draw(4)],
        .every = once_in(5) ? 1 + draw(10) : 1,
        .without = without[draw(8)],
    };
    for (int i = 0; i < 16; i++) {
        bool leaves = once_in(12);
        troubles->joins[i] = once_in(10) ? draw(200) : 0;
        troubles->leaves[i] = leaves ? draw(400) : INT64_MAX;
        troubles->returns[i] = leaves && once_in(2) ? troubles->leaves[i] + draw(400) : INT64_MAX;
        troubles->behind[i] = once_in(12) ? draw(40) : 0;
    }
}

static bool befalls(uint32_t times)
{
    return times > 0 && once_in(times);
}

static const char *const names[] = {"a", "b", "c", "node0", "pp0", "pp1"};

static void push(struct job *job, struct record record, const struct troubles *troubles,
                 uint64_t place)
{
    if (job->count >= RECORDS_MAX - 1 || befalls(troubles->lost))
        return;
    record.has &= ~troubles->without;
    if (!(record.has & RECORD_ANY_TIME))
        return;
    if (befalls(troubles->spike))
        record.phase_ns[draw(PHASE_COUNT)] += draw(5000) * MS;
    if (befalls(troubles->renamed)) {
        record.has |= once_in(2) ? RECORD_HOST : RECORD_GROUP;
        record.host = record.group = str_from(names[draw(6)]);
    }
    if (befalls(troubles->marked))
        record.has |= once_in(2) ? RECORD_CHECKPOINT : RECORD_VALIDATION;
    double when = (double)place + 1e-5 * record.rank + troubles->behind[record.rank];
    if (befalls(troubles->late))
        when += draw(once_in(5) ? 400 : 6);
    for (int i = befalls(troubles->doubled) ? 0 : 1; i < 2; i++) {
        job->records[job->count] = record;
        job->when[job->count++] = when + 2 * i - 2;
    }
}

static const double *sort_by;
static int by_arrival(const void *a, const void *b)
{
    size_t one = *(const size_t *)a, other = *(const size_t *)b;
    if (sort_by[one] != sort_by[other])
        return sort_by[one] < sort_by[other] ? -1 : 1;
    return one < other ? -1 : one > other;
}

static void sort_by_arrival(struct job *job)
{
    size_t *order = malloc((job->count + 1) * sizeof(*order));
    struct record *records = malloc((job->count + 1) * sizeof(*records));
    for (size_t i = 0; i < job->count; i++)
        order[i] = i;
    sort_by = job->when;
    qsort(order, job->count, sizeof(*order), by_arrival);
    for (size_t i = 0; i < job->count; i++)
        records[i] = job->records[order[i]];
    memcpy(job->records, records, job->count * sizeof(*records));
    free(records);
    free(order);
}

/* The simulation lends its names: it must live as long as the job. */
static struct simulate *draw_job(uint64_t seed, struct job *job)
{
    struct simulate_options options;
    struct troubles troubles;
    struct record records[16];
    random_state = seed * 1000003;
    draw_simulation(&options);
    draw_options(job);
    draw_troubles(&troubles);
    struct simulate *simulate = simulate_new(&options);
    uint32_t steps = 30 + draw(once_in(4) ? 900 : 300);
    job->count = 0;
    for (uint32_t place = 0; place < steps; place++) {
        size_t count = simulate_step(simulate, records);
        for (size_t i = 0; i < count; i++) {
            int64_t step = records[i].step;
            uint32_t rank = records[i].rank;
            if (step % troubles.every == 0 && step >= troubles.joins[rank] &&
                (step < troubles.leaves[rank] || step >= troubles.returns[rank]))
                push(job, records[i], &troubles, place);
        }
    }
    sort_by_arrival(job);
    return simulate;
}

/* ---- the same figures ---- */

/* What the job comes to at its end, or after `until` records, with a summary once
 * in `every` records. */
static char *figures_of(const struct job *job, size_t until, size_t every)
{
    struct analysis *analysis = analysis_new(&job->options);
    struct summary summary;
    summary_init(&summary);
    for (size_t i = 0; i < until; i++) {
        add(analysis, job->records[i]);
        if ((i + 1) % every == 0)
            analysis_summary(analysis, newest(), INT64_MIN, &summary);
    }
    if (until == job->count)
        analysis_finish(analysis);
    analysis_summary(analysis, newest(), INT64_MIN, &summary);
    char *text = text_of(&summary);
    summary_done(&summary);
    analysis_free(analysis);
    return text;
}

static void compare_texts(uint64_t seed, size_t every, const char *once, const char *often)
{
    size_t at = 0, line = 0;
    if (strcmp(once, often) == 0)
        return;
    for (; once[at] == often[at]; at++)
        line = once[at] == '\n' ? at + 1 : line;
    fail_msg("seed %d, a summary once in %d records: '%.*s' became '%.*s'", (int)seed, (int)every,
             (int)strcspn(once + line, "\n"), once + line, (int)strcspn(often + line, "\n"),
             often + line);
}

static void compare(const struct job *job, uint64_t seed, size_t until, size_t every)
{
    char *once = figures_of(job, until, SIZE_MAX), *often = figures_of(job, until, every);
    compare_texts(seed, every, once, often);
    free(once);
    free(often);
}

static void how_often_a_summary_is_asked_for_changes_no_figure(void **state)
{
    const char *from = getenv("EQUALITY_FROM"), *to = getenv("EQUALITY_TO");
    uint64_t first = from ? strtoull(from, NULL, 10) : 1;
    uint64_t last = to ? strtoull(to, NULL, 10) : first + 59;
    struct job *job = malloc(sizeof(*job));
    for (uint64_t seed = first; seed <= last; seed++) {
        struct simulate *simulate = draw_job(seed, job);
        if (seed % 8 == 0)
            compare(job, seed, job->count, 1);
        compare(job, seed, job->count, 13);
        compare(job, seed, job->count - draw((uint32_t)job->count / 2 + 1), 40);
        simulate_free(simulate);
    }
    free(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(how_often_a_summary_is_asked_for_changes_no_figure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
