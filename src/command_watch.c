/* `lockstep watch`: the live screen over any mix of files, standard input and UDP. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alarm_logs.h"
#include "command.h"
#include "command_describe.h"
#include "command_logs.h"
#include "command_watch_record.h"
#include "command_watch_run.h"
#include "session.h"
#include "source_files.h"
#include "source_pipe.h"
#include "source_runs.h"
#include "source_udp.h"
#include "source_watch.h"

#define RUN_LOOK_NS INT64_C(2000000000)
#define UDP_MAX 16

struct watching {
    struct options options;
    struct session *session;
    struct command_logs logs;
    struct stream_totals totals;
    struct files *files; /* NULL: no file among the sources */
    struct watch *watch;
    struct pipe_source *pipe; /* NULL: standard input is not a source */
    struct udp *sockets[UDP_MAX];
    int socket_count;
    struct watched_run run;
    struct watched_recording recording;
    int notices_told;
    int64_t gone_ns, gone_told_ns; /* since when files are gone; 0: none was so far */
    struct feed_info told;         /* of what is gone, on standard error */
    bool reads_files, was_reading;
    uint64_t backlog; /* records that were in the files at first */
};

static bool is_pipe(const char *source)
{
    return strcmp(source, "-") == 0;
}

static bool is_udp(const char *source)
{
    return strncmp(source, "udp://", 6) == 0;
}

/* ---- what the screen is told about sources ---- */

static void describe_socket(struct udp *udp, struct source_counts *counts, struct feed_info *feed)
{
    struct udp_counts now;
    udp_counts(udp, &now);
    counts->refused += now.refused;
    counts->damaged += now.damaged;
    counts->dropped += now.kernel_dropped + now.never_arrived;
    uint64_t granted = now.receive_buffer > 0 ? (uint64_t)now.receive_buffer : 0;
    if (feed->udp_buffer_bytes == 0 || granted < feed->udp_buffer_bytes)
        feed->udp_buffer_bytes = granted;
}

/* Before the end of what was there is reached the newest step is none of now. */
static void describe_reading(struct watching *watching, uint64_t records, struct feed_info *feed)
{
    int64_t read = 0, all = 0;
    feed->reading =
        watching->reads_files && !(watching->watch && watch_has_caught_up(watching->watch));
    if (feed->reading && watching->files)
        files_progress(watching->files, &read, &all);
    feed->read_share = all > 0 ? (double)read / (double)all : 0;
    if (feed->reading || watching->was_reading) /* the last of them are known at the end */
        watching->backlog = records;
    watching->was_reading = feed->reading;
    feed->written_s = watching->files && records == watching->backlog
                          ? (double)files_written_ns(watching->files) * 1e-9
                          : 0;
}

static void describe(void *to, struct summary *summary, struct feed_info *feed,
                     char message[MODEL_TEXT_BYTES])
{
    struct watching *watching = to;
    feed->udp_buffer_bytes = 0;
    feed->udp_buffer_asked =
        watching->socket_count > 0 ? (uint64_t)watching->options.receive_buffer : 0;
    describe_names(&watching->options, feed);
    describe_totals(&watching->totals, summary);
    log_book_summary(watching->totals.book, summary);
    summary->documents = describe_documents(watching->totals.book);
    if (!watching->options.given[OPTION_CLOSE_LAG] && describe_in_bursts(watching->totals.book))
        session_wait_longer(watching->session, DESCRIBE_APART, DESCRIBE_SILENT_S);
    summary->source.dropped = 0;
    for (int i = 0; i < watching->socket_count; i++)
        describe_socket(watching->sockets[i], &summary->source, feed);
    if (watching->files) {
        const struct files_state *state = files_state(watching->files);
        describe_files(state, &watching->notices_told, feed, message);
        describe_gone(state, loop_now_ns(session_loop(watching->session)), &watching->gone_ns,
                      feed);
    }
    describe_reading(watching, summary->source.records, feed);
    watched_recording_describe(&watching->recording, feed);
}

/* Without a screen, and when it has gone: what is gone, once, and that it is there again. */
static void tell_gone(struct watching *watching)
{
    struct feed_info *told = &watching->told;
    struct sentence line;
    int before = told->gone;
    if (!watching->files)
        return;
    describe_gone(files_state(watching->files), loop_now_ns(session_loop(watching->session)),
                  &watching->gone_told_ns, told);
    if (told->gone == before)
        return;
    sentence_clear(&line, STYLE_NORMAL);
    if (!alarm_add_gone(&line, told))
        sentence_add(&line, "what was gone is there again");
    command_fail("%s", line.text);
}

static void on_look(void *to, int64_t now_ns)
{
    struct watching *watching = to;
    struct run run;
    char error[256] = "";
    (void)now_ns;
    watched_recording_look(&watching->recording);
    if (!isatty(STDOUT_FILENO))
        tell_gone(watching);
    int found = watched_run_look(&watching->run, &run, error, sizeof(error));
    if (found > 0)
        session_set_run(watching->session, &run);
    else if (found < 0)
        session_say(watching->session, error);
}

/* ---- opening ---- */

static void on_pipe_end(void *to, int error)
{
    struct watching *watching = to;
    char text[160];
    if (error < 0) {
        snprintf(text, sizeof(text), "standard input: %s", strerror(-error));
        session_say(watching->session, text);
    }
    if (!watching->files && watching->socket_count == 0)
        session_end(watching->session);
}

/* What comes by it is nowhere else: it can be recorded. */
static struct sink stream_sink(struct watching *watching)
{
    return watched_recording_sink(&watching->recording, session_sink(watching->session));
}

static int open_pipe(struct watching *watching)
{
    struct sink sink = stream_sink(watching);
    struct pipe_options options = {
        .fd = STDIN_FILENO, .name = "-", .ended = on_pipe_end, .to = watching};
    int error = 0;
    if (watching->pipe)
        return command_fail("- is given twice: standard input can be read once");
    if (isatty(STDIN_FILENO))
        return command_fail("standard input is the terminal; pipe records into it: "
                            "ssh node tail -F rank0.jsonl | lockstep watch -");
    watching->pipe =
        pipe_new(session_loop(watching->session), &options, &sink, &watching->totals, &error);
    return watching->pipe ? 0 : command_fail("standard input: %s", strerror(-error));
}

static int open_socket(struct watching *watching, const char *spec)
{
    struct sink sink = stream_sink(watching);
    struct udp_options options = {watching->options.allow, watching->options.allow_count,
                                  watching->options.receive_buffer};
    char message[256] = "";
    if (watching->socket_count == UDP_MAX)
        return command_fail("%s: %d udp:// sources at most", spec, UDP_MAX);
    struct udp *udp = udp_new(session_loop(watching->session), spec, &options, &sink,
                              &watching->totals, message, sizeof(message));
    if (!udp)
        return command_fail("%s", message);
    watching->sockets[watching->socket_count++] = udp;
    return 0;
}

/* What can fail for good does so before the screen is there. */
static int open_streams(struct watching *watching)
{
    int status = 0;
    for (int i = 0; status == 0 && i < watching->options.source_count; i++) {
        const char *source = watching->options.sources[i];
        if (is_pipe(source))
            status = open_pipe(watching);
        else if (is_udp(source))
            status = open_socket(watching, source);
        else
            watching->reads_files = true;
    }
    return status;
}

/* Several runs in a folder are shown as what they are not. */
static void tell_runs(struct watching *watching)
{
    char text[RUNS_TEXT_BYTES + 512];
    if (!command_sources_mixed(&watching->options, text, sizeof(text)))
        return;
    if (isatty(STDOUT_FILENO))
        session_say(watching->session, text);
    else
        command_fail("%s", text);
}

/* After the first picture: there may be many thousand files. */
static int open_files(struct watching *watching)
{
    struct files_options options = {.follow = true, .only = watching->options.run_only};
    struct watch_options watch_options = {.poll_only = watching->options.poll_only};
    struct sink sink = session_sink(watching->session);
    char message[512];
    for (int i = 0; i < watching->options.source_count; i++) {
        const char *source = watching->options.sources[i];
        if (is_pipe(source) || is_udp(source))
            continue;
        if (!watching->files)
            watching->files = files_new(&options, &watching->totals);
        if (files_add(watching->files, source, message, sizeof(message)) < 0) {
            session_close(watching->session);
            return command_fail("%s", message);
        }
    }
    if (watching->files)
        watching->watch =
            watch_new(session_loop(watching->session), watching->files, &watch_options, &sink);
    tell_runs(watching);
    return 0;
}

static int run(struct watching *watching, int *ret_signal)
{
    int status = watched_recording_open(&watching->recording, &watching->options);
    if (status == 0)
        status = open_streams(watching);
    if (status == 0)
        status = session_open(watching->session);
    if (status == 0)
        status = open_files(watching);
    if (status != 0)
        return status;
    watched_recording_listen(&watching->recording, session_loop(watching->session));
    loop_timer_new(session_loop(watching->session), RUN_LOOK_NS, RUN_LOOK_NS, on_look, watching);
    return session_run(watching->session, ret_signal);
}

static int close_all(struct watching *watching)
{
    session_close(watching->session);
    tell_gone(watching);
    watch_free(watching->watch);
    if (watching->files)
        files_free(watching->files);
    pipe_free(watching->pipe);
    for (int i = 0; i < watching->socket_count; i++)
        udp_free(watching->sockets[i]);
    session_free(watching->session);
    watched_run_done(&watching->run);
    command_logs_done(&watching->logs);
    return watched_recording_close(&watching->recording);
}

static int no_source(void)
{
    command_fail("watch needs a source: a folder or file of records (lockstep watch logs/), "
                 "udp://:9999, or - for standard input. Without a job: lockstep demo");
    return 2;
}

int command_watch(int argc, char **argv)
{
    struct watching watching = {0};
    struct session_caller caller = {.to = &watching, .describe = describe};
    struct run description;
    int number = 0;
    int status = command_options(
        &watching.options, COMMAND_WATCH, argc, argv, "watch [OPTIONS] SOURCE...",
        "Shows a running job: the barrier of each step, who waits and for whom. A source is a "
        "file, a folder, a glob in quotes, - for standard input, or udp://HOST:PORT.");
    if (status >= 0)
        return status;
    if (watching.options.source_count == 0)
        return no_source();
    status = command_logs_open(&watching.logs, &watching.options);
    if (status != 0)
        return status;
    command_logs_use(&watching.logs, &watching.totals);
    watched_run_init(&watching.run, &watching.options);
    status = command_run(&watching.options, &description);
    if (status == 0) {
        watching.session = session_new(&watching.options, &description, MODE_LIVE, &caller);
        status = run(&watching, &number);
        number = number ? number : watching.recording.signal;
        int unwritten = close_all(&watching);
        status = status ? status : unwritten;
    } else {
        watched_run_done(&watching.run);
        command_logs_done(&watching.logs);
    }
    session_raise(number);
    return status;
}
