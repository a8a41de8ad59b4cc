/* What happened in a run: lists of events, of jobs made by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "checks.h"
#include "events.h"
#include "fold.h"
#include "job_fixture.h"

#define START 1000 /* Unix seconds */

/* Some ranks, a step a second: 100 ms of data and forward, 800 backward, 50 exchange, 50 ms
 * optimizer, so that the next step begins at once. */
struct made {
    struct analysis *analysis;
    uint32_t ranks;
    int64_t now_ns;
    uint32_t away_from, away_to; /* ranks that do not report, `to` excluded */
    uint32_t slow;               /* this rank takes half as long again; UINT32_MAX */
    uint32_t per_host;
    unsigned mark; /* RECORD_CHECKPOINT or so */
};

static void made_init(struct made *made, uint32_t ranks)
{
    struct analysis_options options;
    analysis_options_init(&options);
    *made = (struct made){.analysis = analysis_new(&options),
                          .ranks = ranks,
                          .now_ns = START * SECOND,
                          .slow = UINT32_MAX};
}

static void step_of(struct made *made, int64_t step, int64_t forward_ms)
{
    char host[16];
    int64_t longest = made->slow == UINT32_MAX ? forward_ms : forward_ms + 450;
    for (uint32_t rank = 0; rank < made->ranks; rank++) {
        int64_t own = rank == made->slow ? forward_ms + 450 : forward_ms;
        if (rank >= made->away_from && rank < made->away_to)
            continue;
        struct record record = record_of(rank, step, own, 800, 50 + longest - own);
        record.has |= RECORD_OPTIMIZER | made->mark;
        record.phase_ns[PHASE_OPTIMIZER] = 50 * MS;
        if (made->per_host > 0) {
            snprintf(host, sizeof(host), "node%u", rank / made->per_host);
            record.has |= RECORD_HOST;
            record.host = str_from(host);
        }
        add(made->analysis, record_at(record, made->now_ns));
    }
    made->now_ns += (longest + 900) * MS;
}

static void steps_of(struct made *made, int64_t from, int64_t to) /* `to` excluded */
{
    for (int64_t step = from; step < to; step++)
        step_of(made, step, 100);
}

/* Its events, which the caller ends with run_events_done(). */
static void made_done(struct made *made, struct run_events *events)
{
    run_events_init(events);
    analysis_finish(made->analysis);
    analysis_events(made->analysis, events);
    analysis_free(made->analysis);
}

static const struct run_event *only_event(const struct run_events *events, enum verdict_kind kind)
{
    const struct run_event *found = NULL;
    for (size_t i = 0; i < events->count; i++) {
        if (events->items[i].verdict.kind != kind)
            continue;
        assert_null(found);
        found = &events->items[i];
    }
    assert_non_null(found);
    return found;
}

static void a_straggler_begins_and_ends(void **state)
{
    struct made made;
    struct run_events events;
    made_init(&made, 8);
    steps_of(&made, 0, 100);
    made.slow = 5;
    steps_of(&made, 100, 200);
    run_events_init(&events);
    analysis_events(made.analysis, &events);
    const struct run_event *event = only_event(&events, VERDICT_STRAGGLER);
    assert_int_equal(event->verdict.to_step, -1); /* it lasts */
    assert_true(isnan(event->end_s));
    run_events_done(&events);
    made.slow = UINT32_MAX;
    steps_of(&made, 200, 300);
    made_done(&made, &events);
    event = only_event(&events, VERDICT_STRAGGLER);
    assert_int_equal(events.count, 1);
    assert_int_equal(event->verdict.rank, 5);
    assert_int_equal(event->verdict.phase, PHASE_FORWARD);
    assert_true(near(event->verdict.slowdown, 1400.0 / 950, 1e-6));
    assert_int_equal(event->verdict.from_step, 100);
    assert_int_equal(event->verdict.to_step, 199);
    assert_int_equal(event->end_attempt, 0);
    assert_true(near(event->begin_s, START + 100, 1e-5));
    assert_true(near(event->end_s, START + 100 + 99 * 1.45, 1e-5));
    run_events_done(&events);
}

static void a_spike_stands_at_its_step(void **state)
{
    struct made made;
    struct run_events events;
    made_init(&made, 4);
    steps_of(&made, 0, 50);
    step_of(&made, 50, 2100);
    steps_of(&made, 51, 70);
    made_done(&made, &events);
    assert_int_equal(events.count, 1);
    const struct run_event *event = only_event(&events, VERDICT_SPIKE);
    assert_int_equal(event->verdict.from_step, 50);
    assert_int_equal(event->verdict.to_step, 50);
    assert_true(near(event->verdict.step_time_s, 3, 1e-9));
    assert_true(near(event->begin_s, START + 50, 1e-5));
    assert_true(near(event->end_s, START + 50, 1e-5));
    run_events_done(&events);
}

static void a_restart_stands_at_the_step_it_goes_on_with(void **state)
{
    struct made made;
    struct run_events events;
    made_init(&made, 4);
    steps_of(&made, 0, 60);
    made.now_ns += 240 * SECOND;
    steps_of(&made, 40, 100);
    made_done(&made, &events);
    assert_int_equal(events.count, 1);
    const struct run_event *event = only_event(&events, VERDICT_RESTART);
    assert_int_equal(event->verdict.from_step, 40);
    assert_int_equal(event->verdict.attempt, 1);
    assert_int_equal(event->end_attempt, 1);
    assert_int_equal(event->verdict.repeated_steps, 20);
    assert_true(near(event->begin_s, START + 60 + 240, 1e-5));
    run_events_done(&events);
}

static void a_missing_rank_is_away_until_it_is_back(void **state)
{
    struct made made;
    struct run_events events;
    made_init(&made, 4);
    steps_of(&made, 0, 50);
    made.away_from = 2, made.away_to = 3;
    steps_of(&made, 50, 60);
    run_events_init(&events);
    analysis_events(made.analysis, &events);
    const struct run_event *event = only_event(&events, VERDICT_MISSING);
    assert_int_equal(event->verdict.rank, 2);
    assert_int_equal(event->verdict.from_step, 50);
    assert_int_equal(event->verdict.to_step, -1);
    assert_float_equal(event->so_far_s, 8, 1e-5); /* 58 is closed: 59 has begun */
    assert_true(isnan(event->end_s));
    run_events_done(&events);
    made.away_to = 0;
    steps_of(&made, 60, 80);
    made.away_from = 1, made.away_to = 2;
    steps_of(&made, 80, 81); /* one step alone is none */
    made.away_to = 0;
    steps_of(&made, 81, 90);
    made_done(&made, &events);
    assert_int_equal(events.count, 1);
    event = only_event(&events, VERDICT_MISSING);
    assert_int_equal(event->verdict.from_step, 50);
    assert_int_equal(event->verdict.named_step, 51);
    assert_int_equal(event->verdict.to_step, 59);
    assert_true(near(event->begin_s, START + 50, 1e-5));
    assert_true(near(event->end_s, START + 59, 1e-5));
    assert_true(isnan(event->so_far_s));
    run_events_done(&events);
}

static double missing_of(const struct summary *summary)
{
    struct check_values values;
    check_values_of(&values, summary);
    return values.value[CHECK_MISSING].value;
}

static void a_rank_that_is_back_is_past_in_a_summary_and_counted(void **state)
{
    struct made made;
    struct summary summary;
    made_init(&made, 4);
    steps_of(&made, 0, 50);
    made.away_from = 2, made.away_to = 3;
    steps_of(&made, 50, 60);
    sum_up(made.analysis, &summary);
    assert_int_equal(verdicts_of(&summary, VERDICT_MISSING), 1);
    assert_int_equal(summary.verdict_count, 1);
    assert_true(missing_of(&summary) == 1);
    summary_done(&summary);
    made.away_to = 0;
    steps_of(&made, 60, 80);
    sum_up(made.analysis, &summary);
    assert_int_equal(summary.verdicts_in_force, 0);
    assert_int_equal(summary.verdict_count, 1);
    assert_int_equal(summary.verdicts[0].rank, 2);
    assert_int_equal(summary.verdicts[0].from_step, 50);
    assert_int_equal(summary.verdicts[0].to_step, 59);
    assert_true(missing_of(&summary) == 1);
    summary_done(&summary);
    analysis_free(made.analysis);
}

/* As many while they are away as when they are back. */
static void ranks_of_a_host_are_counted_one_by_one(void **state)
{
    struct made made;
    struct summary summary;
    made_init(&made, 12);
    made.per_host = 4;
    steps_of(&made, 0, 40);
    made.away_from = 4, made.away_to = 8;
    steps_of(&made, 40, 50);
    sum_up(made.analysis, &summary);
    assert_true(missing_of(&summary) == 4);
    summary_done(&summary);
    made.away_to = 0;
    steps_of(&made, 50, 60);
    sum_up(made.analysis, &summary);
    assert_int_equal(summary.verdict_count, 1);
    assert_true(missing_of(&summary) == 4);
    summary_done(&summary);
    analysis_free(made.analysis);
}

static void ranks_of_a_host_go_missing_together(void **state)
{
    struct made made;
    struct run_events events;
    made_init(&made, 12);
    made.per_host = 4;
    steps_of(&made, 0, 40);
    made.away_from = 4, made.away_to = 9; /* all of node1, and one of node2 */
    steps_of(&made, 40, 50);
    made.away_from = 6; /* two of them are back, two of them stay away */
    steps_of(&made, 50, 55);
    made.away_from = 8;
    steps_of(&made, 55, 60);
    made_done(&made, &events);
    assert_int_equal(events.count, 2);
    assert_int_equal(events.items[0].verdict.rank, -1);
    assert_string_equal(events.items[0].verdict.group, "node1");
    assert_true(events.items[0].verdict.is_host);
    assert_int_equal(events.items[0].verdict.from_step, 40);
    assert_int_equal(events.items[0].verdict.to_step, 54);
    assert_int_equal(events.items[1].verdict.rank, 8);
    assert_int_equal(events.items[1].verdict.to_step, -1);
    run_events_done(&events);
}

/* More ranks than events: the list keeps its size, and what is not in it is counted. */
static void very_many_missing_ranks_do_not_flood_the_list(void **state)
{
    struct made made;
    struct run_events events;
    made_init(&made, 3000);
    steps_of(&made, 0, 4);
    made.away_to = 1400;
    steps_of(&made, 4, 8);
    made.away_to = 0;
    steps_of(&made, 8, 12);
    made.away_to = 1400;
    steps_of(&made, 12, 16);
    made_done(&made, &events);
    assert_int_equal(events.count, FOLD_MISSING_MAX);
    assert_int_equal(events.dropped, 2 * 1400 - FOLD_MISSING_MAX);
    run_events_done(&events);
}

static void steps_that_are_not_in_the_log_are_a_gap(void **state)
{
    struct made made;
    struct run_events events;
    made_init(&made, 4);
    steps_of(&made, 0, 50);
    made.now_ns += 20 * SECOND; /* that twenty steps took */
    steps_of(&made, 70, 100);
    made_done(&made, &events);
    assert_int_equal(events.count, 1);
    const struct run_event *event = only_event(&events, VERDICT_GAP);
    assert_int_equal(event->verdict.from_step, 70);
    assert_int_equal(event->verdict.to_step, 70);
    assert_int_equal(event->verdict.repeated_steps, 20);
    assert_true(near(event->verdict.step_time_s, 20, 1e-5));
    assert_true(near(event->begin_s, START + 70, 1e-5));
    run_events_done(&events);
}

static void every_tenth_step_is_no_gap(void **state)
{
    struct made made;
    struct run_events events;
    made_init(&made, 4);
    for (int64_t step = 0; step < 500; step += 10) {
        step_of(&made, step, 100);
        made.now_ns += 9 * SECOND;
        if (step == 300) { /* three of them are not there */
            step += 30;
            made.now_ns += 30 * SECOND;
        }
    }
    made_done(&made, &events);
    assert_int_equal(events.count, 1);
    assert_int_equal(events.items[0].verdict.kind, VERDICT_GAP);
    assert_int_equal(events.items[0].verdict.from_step, 340);
    assert_int_equal(events.items[0].verdict.repeated_steps, 3);
    run_events_done(&events);
}

/* So many have happened so far. */
static void so_far(struct made *made, size_t count)
{
    struct run_events events;
    run_events_init(&events);
    analysis_events(made->analysis, &events);
    assert_int_equal(events.count, count);
    run_events_done(&events);
}

/* A row that is made late, between rows of which the later has few records: nothing waits
 * for it. */
static void a_step_that_comes_late_holds_nothing_up(void **state)
{
    struct made made;
    struct step_key front;
    made_init(&made, 8);
    steps_of(&made, 0, 50);
    made.away_from = 3, made.away_to = 8;
    steps_of(&made, 51, 52);
    made.away_to = 0;
    steps_of(&made, 52, 90);
    add(made.analysis, record_of(0, 50, 100, 800, 50));
    steps_of(&made, 90, 95);
    assert_true(analysis_front_key(made.analysis, &front));
    assert_int_equal(front.step, 94);
    steps_of(&made, 95, 800);
    assert_true(analysis_front_key(made.analysis, &front));
    assert_int_equal(front.step, 799);
    analysis_free(made.analysis);
}

/* Every step, then every tenth, then every step again: nothing is lost, as soon as the new
 * stride is known; what was taken for gaps meanwhile is taken back. */
static void another_stride_is_no_gap(void **state)
{
    struct made made;
    struct run_events events;
    made_init(&made, 4);
    steps_of(&made, 0, 50);
    for (int64_t step = 59; step <= 69; step += 10) {
        made.now_ns += 9 * SECOND;
        step_of(&made, step, 100);
    }
    so_far(&made, 2);
    for (int64_t step = 79; step < 200; step += 10) {
        made.now_ns += 9 * SECOND;
        step_of(&made, step, 100);
    }
    steps_of(&made, 200, 230);
    so_far(&made, 0);
    made.now_ns += 5 * SECOND; /* a real one */
    steps_of(&made, 235, 260);
    made_done(&made, &events);
    assert_int_equal(events.count, 1);
    assert_int_equal(events.items[0].verdict.kind, VERDICT_GAP);
    assert_int_equal(events.items[0].verdict.from_step, 235);
    run_events_done(&events);
}

static void a_job_that_stands_still_is_a_gap_and_no_spike(void **state)
{
    struct made made;
    struct run_events events;
    struct summary summary;
    made_init(&made, 4);
    steps_of(&made, 0, 50);
    made.now_ns += 720 * SECOND;
    steps_of(&made, 50, 80);
    made.now_ns += 3 * SECOND; /* a spike, but no gap */
    steps_of(&made, 80, 100);
    made.now_ns += 60 * SECOND; /* it is said why */
    made.mark = RECORD_CHECKPOINT;
    steps_of(&made, 100, 101);
    made.mark = 0;
    steps_of(&made, 101, 120);
    sum_up(made.analysis, &summary);
    assert_int_equal(verdicts_of(&summary, VERDICT_GAP), 1);
    assert_int_equal(verdicts_of(&summary, VERDICT_SPIKE), 1);
    summary_done(&summary);
    made_done(&made, &events);
    assert_int_equal(events.count, 2);
    const struct run_event *gap = &events.items[0], *spike = &events.items[1];
    assert_int_equal(gap->verdict.kind, VERDICT_GAP);
    assert_int_equal(gap->verdict.from_step, 50);
    assert_int_equal(gap->verdict.repeated_steps, 0);
    assert_true(near(gap->verdict.step_time_s, 720, 1e-5));
    assert_true(near(gap->begin_s, START + 50 + 720, 1e-5));
    assert_int_equal(spike->verdict.kind, VERDICT_SPIKE);
    assert_int_equal(spike->verdict.from_step, 80);
    run_events_done(&events);
}

/* Events stand in the order of attempts and steps, whenever they are asked for, and the
 * list is the same then. */
static void write_events(FILE *out, const struct run_events *events)
{
    fprintf(out, "dropped %llu\n", (unsigned long long)events->dropped);
    for (size_t i = 0; i < events->count; i++) {
        const struct run_event *event = &events->items[i];
        const struct verdict *verdict = &event->verdict;
        fprintf(out,
                "%s %d %lld '%s' %d a%d %lld %lld %lld a%d %lld begin %.17g end %.17g %.17g %.17g "
                "%.17g %.17g\n",
                verdict_kind_name(verdict->kind), verdict->is_host, (long long)verdict->rank,
                verdict->group, verdict->phase, verdict->attempt, (long long)verdict->from_step,
                (long long)verdict->named_step, (long long)verdict->to_step, event->end_attempt,
                (long long)verdict->repeated_steps, event->begin_s, event->end_s, verdict->slowdown,
                verdict->lost_share, verdict->step_time_s, verdict->sure);
    }
}

/* The list at the end, asked for once in `every` records, too. */
static char *events_of(const struct job *job, size_t every)
{
    struct analysis *analysis = analysis_new(&job->options);
    struct run_events events;
    char *text = NULL;
    size_t size;
    run_events_init(&events);
    for (size_t i = 0; i < job->count; i++) {
        add(analysis, job->records[i]);
        if ((i + 1) % every == 0)
            analysis_events(analysis, &events);
    }
    analysis_finish(analysis);
    analysis_events(analysis, &events);
    for (size_t i = 1; i < events.count; i++) {
        const struct verdict *one = &events.items[i - 1].verdict, *two = one;
        two = &events.items[i].verdict;
        assert_true(one->attempt < two->attempt ||
                    (one->attempt == two->attempt && one->from_step <= two->from_step));
    }
    FILE *out = open_memstream(&text, &size);
    write_events(out, &events);
    fclose(out);
    run_events_done(&events);
    analysis_free(analysis);
    return text;
}

static void how_often_events_are_asked_for_changes_none(void **state)
{
    struct job *job = malloc(sizeof(*job));
    size_t listed = 0;
    for (uint64_t seed = 100; seed < 150; seed++) {
        struct simulate *simulate = draw_job(seed, job);
        char *once = events_of(job, SIZE_MAX), *often = events_of(job, 17);
        assert_string_equal(once, often);
        listed += strlen(once) > 20;
        free(once);
        free(often);
        simulate_free(simulate);
    }
    assert_true(listed > 20);
    free(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_straggler_begins_and_ends),
        cmocka_unit_test(a_spike_stands_at_its_step),
        cmocka_unit_test(a_restart_stands_at_the_step_it_goes_on_with),
        cmocka_unit_test(a_missing_rank_is_away_until_it_is_back),
        cmocka_unit_test(a_rank_that_is_back_is_past_in_a_summary_and_counted),
        cmocka_unit_test(ranks_of_a_host_are_counted_one_by_one),
        cmocka_unit_test(ranks_of_a_host_go_missing_together),
        cmocka_unit_test(very_many_missing_ranks_do_not_flood_the_list),
        cmocka_unit_test(steps_that_are_not_in_the_log_are_a_gap),
        cmocka_unit_test(every_tenth_step_is_no_gap),
        cmocka_unit_test(another_stride_is_no_gap),
        cmocka_unit_test(a_step_that_comes_late_holds_nothing_up),
        cmocka_unit_test(a_job_that_stands_still_is_a_gap_and_no_spike),
        cmocka_unit_test(how_often_events_are_asked_for_changes_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
