/* Records what comes by udp:// or standard input. */
#include "command_watch_record.h"

#include <errno.h>
#include <fnmatch.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "recorder.h"
#include "source_scan.h"

static bool is_stream(const char *source)
{
    return strcmp(source, "-") == 0 || strncmp(source, "udp://", 6) == 0;
}

static bool same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Whether what is recorded would be read again as a log of that folder. */
static bool is_log_in(const char *file, const struct stat *folder)
{
    struct stat place;
    char path[COMMAND_PATH_BYTES];
    const char *slash = strrchr(file, '/');
    size_t len = slash ? (size_t)(slash - file) : 0;
    if (len >= sizeof(path))
        return false;
    memcpy(path, file, len);
    path[len] = '\0';
    const char *dir = !slash ? "." : len == 0 ? "/" : path;
    const char *name = slash ? slash + 1 : file;
    return (scan_is_log(name) || scan_may_be_log(name)) && stat(dir, &place) == 0 &&
           same(&place, folder);
}

static bool feeds_itself(const char *file, const char *source)
{
    struct stat ours, theirs;
    bool there = stat(file, &ours) == 0 && S_ISREG(ours.st_mode);
    if (strcmp(source, "-") == 0)
        return there && fstat(STDIN_FILENO, &theirs) == 0 && same(&ours, &theirs);
    if (is_stream(source))
        return false;
    if (stat(source, &theirs) != 0)
        return strcmp(source, file) == 0 || fnmatch(source, file, FNM_PATHNAME) == 0;
    return S_ISDIR(theirs.st_mode) ? is_log_in(file, &theirs) : there && same(&ours, &theirs);
}

int watched_recording_open(struct watched_recording *recording, const struct options *options)
{
    char error[512];
    bool streams = false;
    const char *file = options->record_file;
    if (!file)
        return 0;
    for (int i = 0; i < options->source_count; i++) {
        streams |= is_stream(options->sources[i]);
        if (feeds_itself(file, options->sources[i])) {
            command_fail("--record %s: it would be read again as a part of %s; name a file "
                         "elsewhere",
                         file,
                         strcmp(options->sources[i], "-") == 0 ? "standard input"
                                                               : options->sources[i]);
            return 2;
        }
    }
    if (!streams) {
        command_fail("--record %s: only what comes by udp:// or standard input is recorded; the "
                     "files that are watched are on the disk already",
                     file);
        return 2;
    }
    recording->file = file;
    recording->tells = !isatty(STDOUT_FILENO);
    recording->recorder = recorder_new(file, error, sizeof(error));
    return recording->recorder ? 0 : command_fail("%s", error);
}

static void on_end(void *to, int number)
{
    struct watched_recording *recording = to;
    recording->signal = number;
    loop_stop(recording->loop);
}

void watched_recording_listen(struct watched_recording *recording, struct loop *loop)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction before;
    recording->loop = loop;
    for (size_t i = 0; recording->tells && i < sizeof(ends) / sizeof(ends[0]); i++)
        if (sigaction(ends[i], NULL, &before) < 0 || before.sa_handler != SIG_IGN)
            loop_signal(loop, ends[i], on_end, recording);
}

static void on_record(void *to, const struct record *record, int64_t now_ns)
{
    struct watched_recording *recording = to;
    recorder_add(recording->recorder, record);
    recording->inner.record(recording->inner.to, record, now_ns);
}

struct sink watched_recording_sink(struct watched_recording *recording, struct sink inner)
{
    recording->inner = inner;
    return recording->recorder ? (struct sink){recording, on_record} : inner;
}

static bool is_full(int error)
{
    return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

void watched_recording_describe(const struct watched_recording *recording, struct feed_info *feed)
{
    if (!recording->recorder)
        return;
    struct recorder_state state = recorder_state(recording->recorder);
    struct recording_info *info = &feed->recording;
    info->on = true;
    str_copy(info->file, sizeof(info->file), str_from(recording->file));
    info->bytes = state.written_bytes;
    info->waiting = state.error || state.late_s > 2 ? state.waiting : 0;
    info->dropped = state.dropped;
    info->late_s = state.late_s;
    info->error = state.error ? strerrordesc_np(state.error) : NULL;
    info->full = is_full(state.error);
}

void watched_recording_look(struct watched_recording *recording)
{
    if (!recording->recorder || !recording->tells)
        return;
    struct recorder_state state = recorder_state(recording->recorder);
    if (state.error == recording->told_error)
        return;
    recording->told_error = state.error;
    if (state.error)
        command_fail("recording to %s stopped: %s; it goes on when that is mended", recording->file,
                     strerror(state.error));
    else
        command_fail("recording to %s goes on; %llu records were lost", recording->file,
                     (unsigned long long)state.dropped);
}

int watched_recording_close(struct watched_recording *recording)
{
    if (!recording->recorder)
        return 0;
    struct recorder_state left;
    bool whole = recorder_close(recording->recorder, &left);
    recording->recorder = NULL;
    return whole ? 0
                 : command_fail("%s: not all records are in it, %llu of %llu are missing: the disk "
                                "was full, or did not answer",
                                recording->file, (unsigned long long)(left.waiting + left.dropped),
                                (unsigned long long)(left.records + left.dropped));
}
