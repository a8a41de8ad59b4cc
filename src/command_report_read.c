/* The sources of a report, read to their end. */
#include "command_report_read.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "command_describe.h"
#include "command_report_moment.h"
#include "sink.h"
#include "source_files.h"
#include "source_loop.h"
#include "source_pipe.h"
#include "source_udp.h"
#include "stream.h"

struct reader {
    const struct report_request *request;
    const struct options *options;
    struct analysis *analysis;
    struct report_moment moment; /* with --step */
    struct stream_totals totals;
    struct sink sink;
    uint64_t dropped, refused;
    bool files_failed;
};

static void take_record(void *to, const struct record *record, int64_t now_ns)
{
    struct reader *reader = to;
    analysis_add(reader->analysis, record, now_ns);
}

static void take_and_look(void *to, const struct record *record, int64_t now_ns)
{
    struct reader *reader = to;
    analysis_add(reader->analysis, record, now_ns);
    report_moment_look(&reader->moment, reader->analysis);
}

/* ---- files ---- */

static int read_files(struct reader *reader, struct files *files)
{
    char message[512];
    int named = 0;
    for (int i = 0; i < reader->request->source_count; i++) {
        const char *source = reader->request->sources[i];
        if (strcmp(source, "-") == 0 || strncmp(source, "udp://", 6) == 0)
            continue;
        named++;
        if (files_add(files, source, message, sizeof(message)) < 0)
            return command_fail("%s", message);
    }
    while (named > 0 && files_pump(files, &reader->sink, 0, 65536) == FILES_MORE)
        continue;
    const struct files_state *state = files_state(files);
    command_notices(state);
    reader->files_failed = state->unreadable > 0 || state->unfinished > 0;
    return 0;
}

static int read_standard_input(struct reader *reader)
{
    struct stream *stream = stream_new("-", &reader->totals);
    int result = pipe_read_all(STDIN_FILENO, stream, &reader->sink);
    stream_free(stream);
    if (result < 0)
        return command_fail("standard input: %s", strerror(-result));
    return 0;
}

/* ---- UDP: until it has been silent ---- */

struct udp_wait {
    struct reader *reader;
    struct loop *loop;
    uint64_t seen;
    int64_t since_ns; /* of the last record; 0: none yet */
};

static void look_for_silence(void *to, int64_t now_ns)
{
    struct udp_wait *wait = to;
    uint64_t records = wait->reader->totals.counts.records;
    if (records != wait->seen) {
        wait->seen = records;
        wait->since_ns = now_ns;
    }
    if (wait->seen > 0 && (double)(now_ns - wait->since_ns) * 1e-9 >= wait->reader->options->idle_s)
        loop_stop(wait->loop);
}

static void stop_loop(void *to, int number)
{
    (void)number;
    struct udp_wait *wait = to;
    loop_stop(wait->loop);
}

static int listen_udp(struct reader *reader, struct loop *loop, const char *spec)
{
    const struct options *options = reader->options;
    struct udp_options udp_options = {options->allow, options->allow_count,
                                      options->receive_buffer};
    char message[512];
    struct udp *udp =
        udp_new(loop, spec, &udp_options, &reader->sink, &reader->totals, message, sizeof(message));
    if (!udp)
        return command_fail("%s", message);
    struct udp_wait wait = {.reader = reader, .loop = loop, .seen = 0};
    struct udp_counts counts;
    udp_counts(udp, &counts);
    fprintf(stderr,
            "lockstep: listening on %s, receive buffer %d bytes; the report comes after %g s of "
            "silence\n",
            udp_bound(udp), counts.receive_buffer, options->idle_s);
    struct loop_timer *timer = loop_timer_new(loop, 50000000, 50000000, look_for_silence, &wait);
    loop_signal(loop, SIGINT, stop_loop, &wait);
    loop_signal(loop, SIGTERM, stop_loop, &wait);
    loop_run(loop);
    udp_counts(udp, &counts);
    reader->dropped += counts.kernel_dropped + counts.never_arrived;
    reader->refused += counts.refused;
    loop_timer_free(timer);
    udp_free(udp);
    return 0;
}

static int read_udp(struct reader *reader, const char *spec)
{
    struct loop *loop = loop_new();
    int status = listen_udp(reader, loop, spec);
    loop_free(loop);
    return status;
}

/* ---- all of them ---- */

/* Two read where there are two processors: more have nothing to do. */
static int read_all(struct reader *reader)
{
    struct files_options files_options = {.follow = false,
                                          .only = reader->options->run_only,
                                          .threads = files_threads(reader->options->threads)};
    struct files *files = files_new(&files_options, &reader->totals);
    int status = read_files(reader, files);
    files_free(files);
    for (int i = 0; status == 0 && i < reader->request->source_count; i++) {
        const char *source = reader->request->sources[i];
        if (strcmp(source, "-") == 0)
            status = read_standard_input(reader);
        else if (strncmp(source, "udp://", 6) == 0)
            status = read_udp(reader, source);
    }
    return status;
}

/* ---- what it comes to ---- */

static void complete(const struct reader *reader, struct summary *summary)
{
    describe_totals(&reader->totals, summary);
    log_book_summary(reader->totals.book, summary);
    summary->source.dropped = reader->dropped;
    summary->source.refused += reader->refused;
}

static void ask(const struct options *options, struct analysis *analysis, struct summary *summary)
{
    for (int i = 0; i < options->what_if_count; i++)
        if (!analysis_ask(analysis, options->what_if[i], summary))
            command_fail("--what-if %s: no rank, host or group of that name is in the log, or "
                         "its records do not tell what waiting costs",
                         options->what_if[i]);
}

/* The step was never the newest. */
static int no_such_step(const struct reader *reader)
{
    struct step_key last;
    if (!analysis_front_key(reader->analysis, &last))
        return command_fail("--step %" PRId64 ": no step is in the log", reader->moment.step);
    if (last.step < reader->moment.step)
        return command_fail("--step %" PRId64 ": the log ends at step %" PRId64
                            "; give a step that it has",
                            reader->moment.step, last.step);
    return command_fail("--step %" PRId64 ": the log begins behind that step; give one that it has",
                        reader->moment.step);
}

static int make_result(struct reader *reader, struct report_result *result)
{
    struct report_moment *moment = &reader->moment;
    struct analysis *analysis = reader->analysis;
    bool at_step = reader->options->step >= 0;
    analysis_finish(analysis);
    if (at_step) {
        report_moment_look(moment, analysis);
        if (!moment->copy)
            return no_such_step(reader);
        analysis = moment->copy;
    }
    analysis_summary(analysis, (struct step_key){.latest = true}, INT64_MIN, &result->summary);
    ask(reader->options, analysis, &result->summary);
    complete(reader, &result->summary);
    analysis_events(analysis, &result->events);
    if (!reader->request->overview)
        return 0;
    if (!at_step) {
        analysis_overview(analysis, reader->request->columns, &result->overview);
    } else {
        overview_done(&result->overview);
        result->overview = moment->kept;
        overview_init(&moment->kept);
    }
    return 0;
}

/* ---- the whole of it ---- */

void report_result_init(struct report_result *result)
{
    *result = (struct report_result){.files_failed = false};
    summary_init(&result->summary);
    overview_init(&result->overview);
    run_events_init(&result->events);
}

void report_result_done(struct report_result *result)
{
    summary_done(&result->summary);
    overview_done(&result->overview);
    run_events_done(&result->events);
    command_logs_done(&result->logs);
}

static int make_options(const struct report_request *request, struct analysis_options *to)
{
    struct options of_sources = *request->options;
    of_sources.sources = (char **)request->sources;
    of_sources.source_count = request->source_count;
    analysis_options_init(to);
    int status = command_sources(&of_sources);
    if (status == 0)
        status = command_run(&of_sources, &to->run);
    to->memory_bytes = request->options->memory_bytes;
    to->keep_history = false;
    to->figures_only = request->options->figures_only;
    to->close_lag = request->options->close_lag;
    to->max_ranks = request->options->max_ranks;
    to->from_step = request->from_step;
    to->to_step = request->to_step;
    to->overview = request->overview;
    return status;
}

int report_read(const struct report_request *request, struct report_result *result)
{
    struct analysis_options analysis_options;
    int status = command_logs_open(&result->logs, request->options);
    if (status == 0)
        status = make_options(request, &analysis_options);
    if (status != 0) {
        command_logs_done(&result->logs);
        return status;
    }
    bool at_step = request->options->step >= 0;
    struct reader reader = {.request = request, .options = request->options};
    command_logs_use(&result->logs, &reader.totals);
    reader.analysis = analysis_new(&analysis_options);
    reader.sink = (struct sink){&reader, at_step ? take_and_look : take_record};
    report_moment_init(&reader.moment, request->options->step, request->overview, request->columns);
    status = read_all(&reader);
    if (status == 0)
        status = make_result(&reader, result);
    result->files_failed = reader.files_failed;
    report_moment_done(&reader.moment);
    analysis_free(reader.analysis);
    return status;
}
