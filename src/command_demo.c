/* `lockstep demo`: the barrier effect, simulated in this process, through the same
 * model and screen as a real run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "command.h"
#include "memory.h"
#include "session.h"
#include "simulate.h"

#define SECOND_NS INT64_C(1000000000)
#define SLICE_NS INT64_C(5000000)
#define TOKENS_A_SECOND 6600 /* of an H100 that trains an 8B model at about 41% of its peak */

struct demo {
    struct options options;
    struct session *session;
    struct simulate *simulate;
    struct record *records; /* [ranks] */
    struct loop_timer *timer;
    int64_t start_ns;  /* of the simulated clock, when the screen opens */
    int64_t opened_ns; /* of the loop's clock, then */
};

static int64_t unix_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * SECOND_NS + now.tv_nsec / 1000 * 1000;
}

/* A plausible job, which options may change. */
static void describe_run(const struct options *options, struct run *run)
{
    run_init(run);
    snprintf(run->name, sizeof(run->name), "demo");
    snprintf(run->model_name, sizeof(run->model_name), "llama3-8b");
    snprintf(run->chip, sizeof(run->chip), "H100");
    run->params = 8.03e9;
    run->layers = 32;
    run->hidden = 4096;
    run->sequence = 8192;
    run->gpus = options->ranks;
    run->simulated = true;
    options_apply_run(options, run);
}

static void describe(void *to, struct summary *summary, struct feed_info *feed,
                     char message[MODEL_TEXT_BYTES])
{
    const struct demo *demo = to;
    (void)summary;
    (void)message;
    feed->speed = demo->options.speed;
    snprintf(feed->source, sizeof(feed->source), "a simulation");
}

static void next_step(struct demo *demo, int64_t now_ns)
{
    struct sink sink = session_sink(demo->session);
    size_t count = simulate_step(demo->simulate, demo->records);
    for (size_t i = 0; i < count; i++)
        sink.record(sink.to, &demo->records[i], now_ns);
}

/* The simulated time that it is now. */
static int64_t simulated_ns(const struct demo *demo, int64_t now_ns)
{
    return demo->start_ns + (int64_t)((double)(now_ns - demo->opened_ns) * demo->options.speed);
}

/* Makes the steps whose end has come. Those that a slow machine has no time for
 * make the clock late, instead of piling up. */
static void on_time(void *to, int64_t now_ns)
{
    struct demo *demo = to;
    struct loop *loop = session_loop(demo->session);
    int64_t end_ns = now_ns + SLICE_NS;
    int64_t due_ns;
    while ((due_ns = simulate_now_ns(demo->simulate)) <= simulated_ns(demo, now_ns) &&
           loop_now_ns(loop) < end_ns)
        next_step(demo, now_ns);
    int64_t late_ns = simulated_ns(demo, now_ns) - due_ns;
    if (late_ns > 0)
        demo->start_ns -= late_ns;
    double wait_ns = late_ns > 0 ? 1e6 : (double)-late_ns / demo->options.speed;
    loop_timer_set(demo->timer, (int64_t)fmin(wait_ns, 3600e9), 0);
}

static struct simulate *make_simulation(const struct options *options, int64_t start_ns)
{
    struct simulate_options simulation;
    simulate_options_init(&simulation);
    simulation.ranks = options->ranks;
    simulation.seed = options->seed;
    simulation.jitter = options->jitter;
    simulation.start_ns = start_ns;
    simulation.ranks_per_host = 8;
    simulate_options_step_time(&simulation, (int64_t)(options->step_time_s * 1e9));
    simulation.tokens = llround(fmax(1, options->step_time_s * TOKENS_A_SECOND));
    if (options->slow_rank >= 0 && options->slow_rank < options->ranks) {
        simulation.slow_count = 1;
        simulation.slow[0] = (struct simulate_slow){.rank = (uint32_t)options->slow_rank,
                                                    .factor = options->slow_factor,
                                                    .from_step = 0,
                                                    .to_step = INT64_MAX};
    }
    return simulate_new(&simulation);
}

/* The screen opens on a job that has run for a window of steps. */
static int run(struct demo *demo, int window, int *ret_signal)
{
    int status = session_open(demo->session);
    if (status != 0)
        return status;
    struct loop *loop = session_loop(demo->session);
    for (int i = 0; i < window; i++)
        next_step(demo, loop_now_ns(loop));
    demo->start_ns = simulate_now_ns(demo->simulate);
    demo->opened_ns = loop_now_ns(loop);
    demo->timer = loop_timer_new(loop, 0, 0, on_time, demo);
    return session_run(demo->session, ret_signal);
}

int command_demo(int argc, char **argv)
{
    struct demo demo = {0};
    struct session_caller caller = {.to = &demo, .describe = describe};
    struct run description;
    int number = 0;
    int status = command_options(&demo.options, COMMAND_DEMO, argc, argv, "demo [OPTIONS]",
                                 "Shows the barrier effect: a simulated job whose ranks wait for "
                                 "the slowest one at every step.");
    if (status >= 0)
        return status;
    if (demo.options.source_count > 0) {
        command_fail("demo takes no source: it simulates; lockstep watch %s shows that",
                     demo.options.sources[0]);
        return 2;
    }
    char why[128];
    describe_run(&demo.options, &description);
    if (!run_check(&description, why, sizeof(why))) {
        command_fail("--active-params, --params: %s", why);
        return 2;
    }
    int64_t before_ns = (int64_t)(description.window * demo.options.step_time_s * 1e9);
    demo.simulate = make_simulation(&demo.options, unix_now_ns() - before_ns);
    demo.records = memory_zeroed(demo.options.ranks, sizeof(*demo.records));
    demo.session = session_new(&demo.options, &description, MODE_DEMO, &caller);
    status = run(&demo, description.window, &number);
    session_free(demo.session);
    simulate_free(demo.simulate);
    free(demo.records);
    session_raise(number);
    return status;
}
