/* All that a report is made from, built by hand, for the tests of figures and pages. */
#pragma once

#include "overview_fixture.h"
#include "report.h"
#include "view_fixture.h"

struct run_data {
    struct summary summary;
    struct overview overview;
    struct run_events events;
};

static inline void run_data_init(struct run_data *run, size_t ranks, int64_t positions, int columns)
{
    fixture_figure(&run->summary, ranks);
    overview_init(&run->overview);
    run_events_init(&run->events);
    struct overview_request all = {0, INT64_MAX, columns, true, false};
    overview_fixture(&run->overview, ranks, positions, all);
    overview_fixture_events(&run->events, positions);
}

static inline void run_data_done(struct run_data *run)
{
    summary_done(&run->summary);
    overview_done(&run->overview);
    run_events_done(&run->events);
}

static inline struct report_data run_data_of(const struct run_data *run)
{
    return (struct report_data){.summary = &run->summary,
                                .overview = &run->overview,
                                .events = &run->events,
                                .title = "logs"};
}

#define HOSTILE_NAMES 7
static const char *const hostile_names[HOSTILE_NAMES] = {
    "</script><svg onload=alert(1)>",
    "\"><script>x</script>",
    "a&b<c>'\"",
    "\x01\x02\x1b[2J\x7f",
    "\xff\xfe\xc3\x28\xed\xa0\x80",
    "]]><!--",
    "123456789012345678901234567890123456789012345678901234567890123"};

/* Names of that kind wherever a log can give one. */
static inline void run_data_name(struct run_data *run, int kind)
{
    const char *name = hostile_names[kind];
    for (size_t i = 0; i < run->summary.rank_count; i++) {
        const char *of_rank = hostile_names[(i + (size_t)kind) % HOSTILE_NAMES];
        snprintf(run->summary.ranks[i].host, NAME_BYTES, "%s", of_rank);
        snprintf(run->summary.ranks[i].group, NAME_BYTES, "%s", of_rank);
    }
    for (size_t i = 0; i < run->overview.rank_count; i++) {
        snprintf(run->overview.ranks[i].host, NAME_BYTES, "%s", name);
        snprintf(run->overview.ranks[i].group, NAME_BYTES, "%s", name);
    }
    snprintf(run->summary.run.name, sizeof(run->summary.run.name), "%s", name);
    snprintf(run->summary.run.model_name, sizeof(run->summary.run.model_name), "%s", name);
    snprintf(run->summary.run.chip, sizeof(run->summary.run.chip), "%s", name);
    for (size_t i = 0; i < run->events.count; i++) {
        run->events.items[i].verdict.kind = VERDICT_GROUP;
        run->events.items[i].verdict.rank = -1;
        snprintf(run->events.items[i].verdict.group, NAME_BYTES, "%s", name);
    }
    for (size_t i = 0; i < run->summary.verdict_count; i++)
        snprintf(run->summary.verdicts[i].group, NAME_BYTES, "%s", name);
    run->summary.complaint_count = COMPLAINTS_MAX;
    for (int i = 0; i < COMPLAINTS_MAX; i++)
        snprintf(run->summary.complaints[i], COMPLAINT_BYTES, "%s:%d: %s", name, i, name);
}
