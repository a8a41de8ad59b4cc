/* A copy of the model is in the very same state: fed with the same records, both say the
 * same, to the byte of the JSON report and of the list of events; of jobs drawn at
 * random. And the front, asked for alone, is what a summary of the newest step shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "job_fixture.h"
#include "report.h"

static void say_events(FILE *out, struct analysis *analysis)
{
    struct run_events events;
    run_events_init(&events);
    analysis_events(analysis, &events);
    fprintf(out, "dropped %llu\n", (unsigned long long)events.dropped);
    for (size_t i = 0; i < events.count; i++) {
        const struct run_event *event = &events.items[i];
        const struct verdict *verdict = &event->verdict;
        fprintf(out, "%s %d %lld '%s' %lld %lld %d %d %.17g %.17g %.17g %.17g\n",
                verdict_kind_name(verdict->kind), verdict->phase, (long long)verdict->rank,
                verdict->group, (long long)verdict->from_step, (long long)verdict->to_step,
                verdict->attempt, event->end_attempt, event->begin_s, event->end_s,
                verdict->slowdown, verdict->lost_gpu_s);
    }
    run_events_done(&events);
}

/* All that it says of its newest step, and of the whole run; the caller frees it. */
static char *say(struct analysis *analysis)
{
    char *text = NULL;
    size_t size;
    struct summary summary;
    FILE *out = open_memstream(&text, &size);
    sum_up(analysis, &summary);
    report_json(out, &summary);
    summary_done(&summary);
    say_events(out, analysis);
    fclose(out);
    return text;
}

static void compare_said(uint64_t seed, size_t at, struct analysis *one, struct analysis *other)
{
    char *here = say(one), *there = say(other);
    size_t i = 0;
    while (here[i] && here[i] == there[i])
        i++;
    if (here[i] || there[i])
        fail_msg("seed %d, after %d records: '%.60s' and '%.60s'", (int)seed, (int)at,
                 here + (i < 20 ? 0 : i - 20), there + (i < 20 ? 0 : i - 20));
    free(here);
    free(there);
}

static struct analysis *copy_of(const struct analysis *analysis, const struct job *job)
{
    return analysis_copy(analysis, job->options.keep_history, job->options.memory_bytes);
}

/* A copy at `from`, one of that at `again`: both go on to the end. The copied one is asked
 * in between, or not: a copy must not depend on what was. */
static void copy_on_the_way(const struct job *job, uint64_t seed, size_t from, size_t again)
{
    struct analysis *first = analysis_new(&job->options), *copy = NULL, *second = NULL;
    bool ask = once_in(2);
    for (size_t i = 0; i <= job->count; i++) {
        if (i == from) {
            if (ask)
                free(say(first));
            copy = copy_of(first, job);
            compare_said(seed, i, first, copy);
        }
        if (i == again) {
            second = copy_of(copy, job);
            analysis_free(copy);
            copy = NULL;
        }
        if (i == job->count)
            break;
        struct analysis *all[] = {first, copy, second};
        enum analysis_answer answer = ANALYSIS_TAKEN;
        for (size_t k = 0; k < 3; k++) {
            enum analysis_answer now = all[k] ? add(all[k], job->records[i]) : answer;
            if (k > 0)
                assert_int_equal(now, answer);
            answer = now;
        }
        if (i > from && once_in(1500))
            compare_said(seed, i + 1, first, copy ? copy : second);
    }
    assert_true(analysis_closed(first) == analysis_closed(second));
    analysis_finish(first);
    analysis_finish(second);
    compare_said(seed, job->count, first, second);
    analysis_free(first);
    analysis_free(second);
}

static void range_of(uint64_t usual, uint64_t *ret_first, uint64_t *ret_last)
{
    const char *from = getenv("EQUALITY_FROM"), *to = getenv("EQUALITY_TO");
    *ret_first = from ? strtoull(from, NULL, 10) : 1;
    *ret_last = to ? strtoull(to, NULL, 10) : *ret_first + usual - 1;
}

static void a_copy_goes_on_as_the_first_does(void **state)
{
    struct job *job = malloc(sizeof(*job));
    uint64_t first, last;
    range_of(40, &first, &last);
    for (uint64_t seed = first; seed <= last; seed++) {
        struct simulate *simulate = draw_job(seed, job);
        size_t from = draw((uint32_t)job->count + 1);
        size_t again = from + draw((uint32_t)(job->count - from) + 1);
        copy_on_the_way(job, seed, from, again);
        simulate_free(simulate);
    }
    free(job);
}

/* The table's own copy lets go of all that was lent to it. */
static void a_copy_outlives_the_first(void **state)
{
    struct simulate_options options;
    size_t count;
    simulate_options_init(&options);
    options.slow[0] = (struct simulate_slow){.rank = 3, .factor = 1.2, .to_step = 1000};
    options.slow_count = 1;
    struct record *records = simulated(&options, 400, &count);
    struct analysis_options whole;
    analysis_options_init(&whole);
    whole.overview = true;
    struct analysis *first = analysis_new(&whole);
    add_all(first, records, count / 2);
    struct analysis *copy = analysis_copy(first, true, whole.memory_bytes);
    add_all(first, records + count / 2, count - count / 2);
    char *said = say(first);
    analysis_free(first);
    add_all(copy, records + count / 2, count - count / 2);
    char *says = say(copy);
    assert_string_equal(said, says);
    assert_true(analysis_bytes(copy) > 400 * 8 * sizeof(int64_t));
    free(said);
    free(says);
    analysis_free(copy);
    free(records);
}

/* After every record; before there is a front a summary shows nothing. */
static void the_front_is_what_the_newest_summary_shows(void **state)
{
    struct job *job = malloc(sizeof(*job));
    struct summary summary;
    uint64_t first, last, checked = 0;
    summary_init(&summary);
    summary.brief = true;
    range_of(12, &first, &last);
    for (uint64_t seed = first; seed <= last; seed++) {
        struct simulate *simulate = draw_job(seed, job);
        job->options.from_step = INT64_MIN; /* else the newest step of the span is shown */
        job->options.to_step = INT64_MAX;
        struct analysis *analysis = analysis_new(&job->options);
        struct step_key key = {0};
        for (size_t i = 0; i < job->count && i < 1200; i++) {
            add(analysis, job->records[i]);
            bool known = analysis_front_key(analysis, &key);
            analysis_summary(analysis, newest(), INT64_MIN, &summary);
            if (summary.shown.known != known ||
                (known && (summary.shown.step != key.step || summary.shown.attempt != key.attempt)))
                fail_msg(
                    "seed %d, record %d: step %d of attempt %d is shown, the front is %d of %d",
                    (int)seed, (int)i, (int)summary.shown.step, summary.shown.attempt,
                    (int)key.step, key.attempt);
            checked += known;
        }
        analysis_free(analysis);
        simulate_free(simulate);
    }
    assert_true(checked > 1000);
    summary_done(&summary);
    free(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_goes_on_as_the_first_does),
        cmocka_unit_test(a_copy_outlives_the_first),
        cmocka_unit_test(the_front_is_what_the_newest_summary_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
