/* The same records give the same figures, however often a summary is asked for on
 * the way: of jobs drawn at random, with restarts, late and lost records, ranks that
 * come and go, names that change, small tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "job_fixture.h"

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
    QUANTITY(effective, between_s);
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
        NUMBER(&summary->points[i], mfu_alone);
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
