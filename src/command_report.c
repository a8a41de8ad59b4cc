/* lockstep report: all records in, one summary out. */
#include <langinfo.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <signal.h>
#include <unistd.h>

#include "analysis.h"
#include "command.h"
#include "report.h"
#include "sink.h"
#include "source_files.h"
#include "source_loop.h"
#include "source_pipe.h"
#include "source_udp.h"
#include "stream.h"

struct report_input {
    const struct options *options;
    struct analysis *analysis;
    struct stream_totals totals;
    struct sink sink;
    uint64_t dropped, refused;
    bool files_failed;
};

static void take_record(void *to, const struct record *record, int64_t now_ns)
{
    struct report_input *input = to;
    analysis_add(input->analysis, record, now_ns);
}

/* ---- files ---- */

static int read_files(struct report_input *input, struct files *files)
{
    const struct options *options = input->options;
    char message[512];
    int named = 0;
    for (int i = 0; i < options->source_count; i++) {
        const char *source = options->sources[i];
        if (strcmp(source, "-") == 0 || strncmp(source, "udp://", 6) == 0)
            continue;
        named++;
        if (files_add(files, source, message, sizeof(message)) < 0)
            return command_fail("%s", message);
    }
    while (named > 0 && files_pump(files, &input->sink, 0, 65536) == FILES_MORE)
        continue;
    const struct files_state *state = files_state(files);
    for (int i = state->notice_count > FILES_NOTICES ? state->notice_count - FILES_NOTICES : 0;
         i < state->notice_count; i++)
        command_fail("%s", state->notices[i % FILES_NOTICES]);
    input->files_failed = state->unreadable > 0;
    return 0;
}

static int read_standard_input(struct report_input *input)
{
    struct stream *stream = stream_new("-", &input->totals);
    int result = pipe_read_all(STDIN_FILENO, stream, &input->sink);
    stream_free(stream);
    if (result < 0)
        return command_fail("standard input: %s", strerror(-result));
    return 0;
}

/* ---- UDP: until it has been silent ---- */

struct udp_wait {
    struct report_input *input;
    struct loop *loop;
    uint64_t seen;
    int64_t since_ns; /* of the last record; 0: none yet */
};

static void look_for_silence(void *to, int64_t now_ns)
{
    struct udp_wait *wait = to;
    uint64_t records = wait->input->totals.counts.records;
    if (records != wait->seen) {
        wait->seen = records;
        wait->since_ns = now_ns;
    }
    if (wait->seen > 0 && (double)(now_ns - wait->since_ns) * 1e-9 >= wait->input->options->idle_s)
        loop_stop(wait->loop);
}

static void stop_loop(void *to, int number)
{
    (void)number;
    struct udp_wait *wait = to;
    loop_stop(wait->loop);
}

static int listen_udp(struct report_input *input, struct loop *loop, const char *spec)
{
    const struct options *options = input->options;
    struct udp_options udp_options = {options->allow, options->allow_count,
                                      options->receive_buffer};
    char message[512];
    struct udp *udp =
        udp_new(loop, spec, &udp_options, &input->sink, &input->totals, message, sizeof(message));
    if (!udp)
        return command_fail("%s", message);
    struct udp_wait wait = {.input = input, .loop = loop, .seen = 0};
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
    input->dropped += counts.kernel_dropped + counts.never_arrived;
    input->refused += counts.refused;
    loop_timer_free(timer);
    udp_free(udp);
    return 0;
}

static int read_udp(struct report_input *input, const char *spec)
{
    struct loop *loop = loop_new();
    int status = listen_udp(input, loop, spec);
    loop_free(loop);
    return status;
}

/* ---- the command ---- */

static int read_all(struct report_input *input)
{
    const struct options *options = input->options;
    struct files_options files_options = {.follow = false};
    struct files *files = files_new(&files_options, &input->totals);
    int status = read_files(input, files);
    files_free(files);
    for (int i = 0; status == 0 && i < options->source_count; i++) {
        if (strcmp(options->sources[i], "-") == 0)
            status = read_standard_input(input);
        else if (strncmp(options->sources[i], "udp://", 6) == 0)
            status = read_udp(input, options->sources[i]);
    }
    return status;
}

static void complete(const struct report_input *input, struct summary *summary)
{
    const struct source_counts *counts = &input->totals.counts;
    summary->source.other = counts->other;
    summary->source.damaged = counts->damaged;
    summary->source.too_long = counts->too_long;
    summary->source.nul_bytes = counts->nul_bytes;
    summary->source.bytes = counts->bytes;
    summary->source.dropped = input->dropped;
    summary->source.refused += input->refused;
    summary->complaint_count = input->totals.complaint_count;
    memcpy(summary->complaints, input->totals.complaints, sizeof(summary->complaints));
}

static void ask(const struct report_input *input, struct summary *summary)
{
    const struct options *options = input->options;
    for (int i = 0; i < options->what_if_count; i++)
        if (!analysis_ask(input->analysis, options->what_if[i], summary))
            command_fail("--what-if %s: no rank, host or group of that name is in the log, or "
                         "its records do not tell what waiting costs",
                         options->what_if[i]);
}

static int write_report(struct report_input *input)
{
    struct summary summary;
    summary_init(&summary);
    analysis_finish(input->analysis);
    analysis_summary(input->analysis, (struct step_key){.latest = true}, INT64_MIN, &summary);
    ask(input, &summary);
    complete(input, &summary);
    if (input->options->json)
        report_json(stdout, &summary);
    else
        report_text(stdout, &summary, strcmp(nl_langinfo(CODESET), "UTF-8") == 0);
    bool nothing = summary.source.records == 0;
    summary_done(&summary);
    if (fflush(stdout) != 0 || ferror(stdout))
        return command_fail("standard output: %s; the report is not complete", strerror(errno));
    if (nothing)
        return command_fail("no record was found in what was read; a record is a line such as "
                            "{\"rank\":0,\"step\":1,\"forward\":0.33,\"backward\":0.66,"
                            "\"sync\":0.1}");
    return input->files_failed ? 1 : 0;
}

int command_report(int argc, char **argv)
{
    struct options options;
    int status = command_options(
        &options, COMMAND_REPORT, argc, argv, "report [OPTION]... SOURCE...",
        "Reads all records of the sources and prints what they come to: step times, waits at\n"
        "the barrier, MFU, stragglers. A SOURCE is a file, a folder, a glob in quotes, - for\n"
        "standard input, or udp://HOST:PORT (until it has been silent).");
    if (status >= 0)
        return status;
    if (options.source_count == 0) {
        command_fail("report needs a source: a file, a folder, - or udp://HOST:PORT");
        return 2;
    }
    struct analysis_options analysis_options;
    analysis_options_init(&analysis_options);
    status = command_run(&options, &analysis_options.run);
    if (status != 0)
        return status;
    analysis_options.memory_bytes = options.memory_bytes;
    analysis_options.keep_history = false;
    analysis_options.figures_only = options.figures_only;
    analysis_options.close_lag = options.close_lag;
    analysis_options.max_ranks = options.max_ranks;
    analysis_options.from_step = options.from_step;
    analysis_options.to_step = options.to_step;
    struct report_input input;
    input = (struct report_input){.options = &options};
    input.analysis = analysis_new(&analysis_options);
    input.sink = (struct sink){&input, take_record};
    status = read_all(&input);
    if (status == 0)
        status = write_report(&input);
    analysis_free(input.analysis);
    return status;
}
