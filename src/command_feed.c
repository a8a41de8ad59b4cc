/* `lockstep feed`: writes records, simulated or recorded, paced in time or as
 * fast as can be, to where the other commands read them. */
#include "command_feed.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_feed_options.h"
#include "command_feed_output.h"
#include "command_feed_recording.h"
#include "record_json.h"
#include "simulate.h"

#define PAUSE_MAX_NS (INT64_C(60) * 1000000000)
#define SIMULATED_EVERY 64 /* steps between two lines of a rank that say so */

struct feed {
    struct feed_options options;
    struct feed_pace pace;
    struct feed_output *output;
    struct feed_recording *recording; /* NULL: simulated */
};

/* Tokens a rank a step: those asked for, or as many as make a plausible 41%
 * of an H100's peak for the model that run.json then names. */
static int64_t plausible_tokens(const struct simulate_options *options)
{
    if (options->tokens)
        return options->tokens;
    int64_t step_ns = 0;
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        step_ns += options->phase_ns[phase];
    int64_t tokens = step_ns / 1000 * 6600 / 1000000 / 64 * 64;
    return tokens ? tokens : 64;
}

static bool write_run(struct feed_output *output, const struct simulate_options *options)
{
    char text[1024];
    int length = snprintf(text, sizeof text,
                          "{\n"
                          " \"run\": \"simulated-%" PRIu32 "-ranks\",\n"
                          " \"simulated\": true,\n"
                          " \"model\": {\n"
                          "  \"name\": \"llama3-8b\",\n"
                          "  \"params\": 8030000000,\n"
                          "  \"layers\": 32,\n"
                          "  \"hidden\": 4096,\n"
                          "  \"sequence\": 8192\n"
                          " },\n"
                          " \"gpus\": %" PRIu32 ",\n"
                          " \"tokens_per_step\": %" PRId64 ",\n"
                          " \"chip\": {\"name\": \"H100\"},\n"
                          " \"recompute\": \"none\",\n"
                          " \"note\": \"made by lockstep feed, seed %" PRIu64 "\"\n"
                          "}\n",
                          options->ranks, options->ranks,
                          plausible_tokens(options) * options->ranks, options->seed);
    return feed_output_extra(output, "run.json", text, (size_t)length);
}

/* Waits for the moment at which the job is at_ns past its begin. */
static bool wait_until(struct feed *feed, int64_t begin_ns, int64_t at_ns)
{
    if (feed->options.speed <= 0)
        return true;
    double wait_ns = (double)at_ns / feed->options.speed;
    return feed_pace_until(&feed->pace, begin_ns + (wait_ns < 9e18 ? llround(wait_ns) : 0));
}

static bool step_done(struct feed *feed)
{
    if (feed->options.speed > 0)
        return feed_output_flush(feed->output);
    return !feed_pace_stopped(&feed->pace);
}

static bool write_records(struct feed_output *output, struct record *records, size_t count,
                          bool say)
{
    char line[RECORD_JSON_MAX];
    for (size_t i = 0; i < count; i++) {
        if (!say && records[i].step % SIMULATED_EVERY != 0)
            records[i].has &= ~(uint32_t)RECORD_SIMULATED;
        size_t length = record_json_write(line, &records[i]);
        if (!feed_output_line(output, records[i].rank, line, length))
            return false;
    }
    return true;
}

static bool feed_simulated(struct feed *feed)
{
    const struct simulate_options *options = &feed->options.simulate;
    if (feed_output_folder(feed->output) && !write_run(feed->output, options))
        return false;
    struct simulate *simulate = simulate_new(options);
    struct record *records = calloc(options->ranks, sizeof *records);
    if (!records)
        abort();
    int64_t start_ns = simulate_now_ns(simulate), begin_ns = feed_pace_now_ns();
    /* Who listens may come late, and must not take it for measured: each datagram says so. */
    bool good = true, all = strncmp(feed->options.output.to, "udp://", 6) == 0;
    for (int64_t i = 0; good && i < feed->options.steps; i++) {
        size_t count = simulate_step(simulate, records);
        good = wait_until(feed, begin_ns, simulate_now_ns(simulate) - start_ns) &&
               write_records(feed->output, records, count, all || i == 0) && step_done(feed);
    }
    free(records);
    simulate_free(simulate);
    return good;
}

/* The run's description goes along with its records. */
static bool copy_run(struct feed_output *output, const char *folder)
{
    char path[4096], text[64 * 1024];
    snprintf(path, sizeof path, "%s/run.json", folder);
    FILE *file = fopen(path, "re");
    if (!file)
        return true;
    size_t length = fread(text, 1, sizeof text, file);
    fclose(file);
    return feed_output_extra(output, "run.json", text, length);
}

static bool write_lines(struct feed_output *output, struct feed_recording *recording)
{
    const char *line;
    size_t length;
    uint32_t rank;
    while (feed_recording_line(recording, &line, &length, &rank)) {
        if (!feed_output_line(output, rank, line, length))
            return false;
    }
    return true;
}

/* How long after the step before this one began; where the clock does not say,
 * or says nonsense, a step's usual time. */
static int64_t pause_ns(const struct feed_options *options, int64_t last_ns, int64_t begin_ns)
{
    if (begin_ns == INT64_MIN || last_ns == INT64_MIN || begin_ns < last_ns)
        return llround(options->step_time_s * 1e9);
    return begin_ns - last_ns < PAUSE_MAX_NS ? begin_ns - last_ns : PAUSE_MAX_NS;
}

static bool feed_recorded(struct feed *feed)
{
    const struct feed_options *options = &feed->options;
    if (feed_output_folder(feed->output) && !copy_run(feed->output, options->recording))
        return false;
    int64_t start_ns = feed_pace_now_ns(), at_ns = 0, last_ns = INT64_MIN, begin_ns;
    bool good = true;
    for (int64_t i = 0; good && i < options->steps; i++) {
        if (!feed_recording_step(feed->recording, &begin_ns))
            break;
        at_ns += i == 0 ? 0 : pause_ns(options, last_ns, begin_ns);
        last_ns = begin_ns == INT64_MIN ? last_ns : begin_ns;
        good = wait_until(feed, start_ns, at_ns) && write_lines(feed->output, feed->recording) &&
               step_done(feed);
    }
    if (feed_recording_left_out(feed->recording))
        fprintf(stderr, "lockstep: %s: left out %" PRIu64 " lines of more than %d bytes\n",
                options->recording, feed_recording_left_out(feed->recording), FEED_LINE_MAX);
    return good;
}

static bool run(struct feed *feed)
{
    struct feed_options *options = &feed->options;
    if (options->recording) {
        feed->recording = feed_recording_open(options->recording);
        if (!feed->recording)
            return false;
        options->output.ranks = (uint32_t)feed_recording_count(feed->recording);
    }
    feed->output = feed_output_open(&options->output, &feed->pace);
    if (!feed->output)
        return false;
    bool good = feed->recording ? feed_recorded(feed) : feed_simulated(feed);
    return feed_output_close(feed->output) && good;
}

int command_feed(int argc, char **argv)
{
    struct feed feed = {0};
    feed_options_init(&feed.options);
    int answer = feed_options_parse(&feed.options, argc, argv);
    if (answer != FEED_GO_ON)
        return answer;
    signal(SIGPIPE, SIG_DFL); /* a reader that went away ends this quietly, as it does cat */
    if (!feed_pace_init(&feed.pace)) {
        feed_complain("signals", errno);
        return 1;
    }
    bool good = run(&feed);
    feed_recording_free(feed.recording);
    feed_pace_done(&feed.pace);
    return good ? 0 : 1;
}
