/* The course of a run on a screen: heat map, history. Include it behind cmocka.h. */
#pragma once

#include "overview_fixture.h"
#include "view_golden.h"

#define RUN 1000 /* positions; the last is step 899 of attempt 1 */

struct scene {
    struct summary summary;
    struct overview overview;
    struct run_events events;
    struct view_model model;
    size_t ranks;
    int64_t positions;
};

static inline void begin(struct scene *scene, enum screen screen, size_t ranks, int64_t positions)
{
    fixture_figure(&scene->summary, ranks);
    scene->ranks = ranks;
    scene->positions = positions;
    scene->summary.attempts = 2;
    scene->summary.shown.attempt = overview_fixture_attempt(positions, positions - 1);
    scene->summary.shown.step = overview_fixture_step(positions, positions - 1);
    overview_init(&scene->overview);
    run_events_init(&scene->events);
    overview_fixture_events(&scene->events, positions);
    scene->model = model_of(&scene->summary);
    scene->model.screen = screen;
    scene->model.events = &scene->events;
}

/* The same of a log of the whole job: one row of records, no waits, no slowdown. */
static inline void begin_job(struct scene *scene, enum screen screen, int64_t positions)
{
    begin(scene, screen, 1, positions);
    summary_done(&scene->summary);
    fixture_job(&scene->summary);
    scene->summary.shown.attempt = overview_fixture_attempt(positions, positions - 1);
    scene->summary.shown.step = overview_fixture_step(positions, positions - 1);
    scene->events.count = 0;
    for (size_t i = 0; i < scene->summary.verdict_count; i++)
        scene->events.items[scene->events.count++] = (struct run_event){
            .verdict = scene->summary.verdicts[scene->summary.verdict_count - 1 - i],
            .begin_s = NAN,
            .end_s = NAN,
            .so_far_s = NAN,
            .end_attempt = 1};
}

static inline void end(struct scene *scene)
{
    summary_done(&scene->summary);
    overview_done(&scene->overview);
    run_events_done(&scene->events);
}

static inline bool job_is(const struct summary *summary)
{
    return summary->scope == SCOPE_JOB;
}

/* The overview that the screen wants at that size. */
static inline void look(struct scene *scene, int width, int height)
{
    struct overview_request wanted;
    assert_true(screen_wants(&scene->model, width, height, &wanted));
    overview_fixture(&scene->overview, scene->ranks, scene->positions, wanted);
    for (size_t i = 0; i < scene->overview.column_count && job_is(&scene->summary); i++)
        scene->overview.columns[i].wait_share = scene->overview.columns[i].hfu = NAN;
    scene->model.overview = &scene->overview;
    scene->model.rank_rows = screen_rank_rows(&scene->model, width, height);
}

static inline void picture(struct scene *scene, const char *name, int width, int height,
                           bool unicode, bool styles)
{
    look(scene, width, height);
    check(name, &scene->model, width, height, unicode, styles);
}
