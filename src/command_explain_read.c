/* Reads the beginning of logs, and counts what is in it. */
#include "command_explain_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "inflate.h"
#include "memory.h"
#include "source_nccl.h"
#include "source_scan.h"

#define CHUNK ((size_t)256 * 1024)

/* ---- records ---- */

static void keep_first(struct explained *explained, const struct record *record)
{
    if (explained->first_count == EXPLAIN_FIRST)
        return;
    struct explained_record *kept = &explained->records[explained->first_count++];
    kept->record = *record;
    str_copy(kept->host, sizeof(kept->host),
             record->has & RECORD_HOST ? record->host : str_of("", 0));
    str_copy(kept->group, sizeof(kept->group),
             record->has & RECORD_GROUP ? record->group : str_of("", 0));
    kept->record.host = str_from(kept->host);
    kept->record.group = str_from(kept->group);
}

static void take_record(struct explained *explained, const struct record *record)
{
    bool first = explained->has == 0;
    keep_first(explained, record);
    bool mean = (record->has & RECORD_SPAN) && record->span > 1; /* of several steps */
    explained->has |= mean ? record->has : record->has & ~(uint32_t)RECORD_SPAN;
    if (first || record->step < explained->first_step)
        explained->first_step = record->step;
    if (first || record->step > explained->last_step)
        explained->last_step = record->step;
    if (record->has & RECORD_JOB)
        return;
    explained->bare |= record->has;
    if (record->rank >= EXPLAIN_RANKS || explained->rank_seen[record->rank])
        return;
    explained->rank_seen[record->rank] = true;
    explained->ranks++;
}

/* ---- bytes ---- */

struct input {
    struct explained *explained;
    struct stream *stream;
    uint64_t left; /* bytes that may still be looked at */
    bool after_return;
};

static void drain(struct input *input)
{
    struct record record;
    while (stream_next(input->stream, &record))
        take_record(input->explained, &record);
}

static void count_ends(struct input *input, const char *bytes, size_t size)
{
    struct explained *to = input->explained;
    for (const char *p = bytes, *end = bytes + size; p < end; p++) {
        if (input->after_return) {
            to->ends_crlf += *p == '\n';
            to->ends_cr += *p != '\n';
            input->after_return = false;
        } else if (*p == '\n') {
            to->ends_lf++;
        }
        input->after_return = *p == '\r';
    }
}

/* Without the hole of NULs in front of a log that was truncated under its writer. */
static void keep_sample(struct explained *to, const char *bytes, size_t size)
{
    size_t room = sizeof(to->sample) - to->sample_size;
    if (to->files > 1)
        return;
    while (to->sample_size == 0 && size > 0 && *bytes == '\0') {
        bytes++;
        size--;
    }
    memcpy(to->sample + to->sample_size, bytes, size < room ? size : room);
    to->sample_size += size < room ? size : room;
    if (size <= room)
        return;
    size_t last = size < sizeof(to->end) ? size : sizeof(to->end);
    size_t kept = to->end_size + last > sizeof(to->end) ? sizeof(to->end) - last : to->end_size;
    memmove(to->end, to->end + to->end_size - kept, kept);
    memcpy(to->end + kept, bytes + size - last, last);
    to->end_size = kept + last;
}

/* Of the last piece that is looked at, whole lines alone. */
static size_t whole_lines(const char *bytes, size_t size)
{
    const char *end = memrchr(bytes, '\n', size);
    return end ? (size_t)(end - bytes) + 1 : size;
}

/* False: no more is wanted. */
static bool put_bytes(struct input *input, const char *bytes, size_t size)
{
    bool last = size > input->left;
    if (last)
        size = whole_lines(bytes, (size_t)input->left);
    input->left -= size;
    count_ends(input, bytes, size);
    keep_sample(input->explained, bytes, size);
    input->explained->bytes += size;
    while (size > 0) {
        size_t room;
        char *to = stream_space(input->stream, size, &room);
        room = room < size ? room : size;
        memcpy(to, bytes, room);
        stream_filled(input->stream, room);
        drain(input);
        bytes += room;
        size -= room;
    }
    if (last)
        input->explained->cut++;
    return !last;
}

/* NULL: go on; "": enough was read; else what is wrong. */
static const char *put_packed(struct input *input, struct inflater *inflater, const char *bytes,
                              size_t size, char *plain)
{
    for (;;) {
        size_t taken = 0, made = 0;
        enum inflate_result result =
            inflater_run(inflater, bytes, size, &taken, plain, CHUNK, &made);
        bytes += taken;
        size -= taken;
        if (made > 0 && !put_bytes(input, plain, made))
            return "";
        if (result == INFLATE_DAMAGED)
            return inflater_problem(inflater);
        if (result == INFLATE_HUNGRY)
            return NULL;
    }
}

static ssize_t read_some(int fd, char *bytes)
{
    ssize_t size;
    do
        size = read(fd, bytes, CHUNK);
    while (size < 0 && errno == EINTR);
    return size;
}

/* NULL, or what is wrong. */
static const char *read_descriptor(struct input *input, int fd, const char *name)
{
    char *bytes = memory_zeroed(2, CHUNK);
    struct inflater *inflater = NULL;
    const char *problem = NULL;
    bool first = true;
    ssize_t size;
    while (!problem && (size = read_some(fd, bytes)) != 0) {
        if (size < 0) {
            problem = strerror(errno);
            break;
        }
        enum inflate_kind kind = first ? inflate_kind(bytes, (size_t)size, name) : INFLATE_NOT;
        first = false;
        if (kind != INFLATE_NOT)
            inflater = inflater_new(kind);
        if (inflater)
            problem = put_packed(input, inflater, bytes, (size_t)size, bytes + CHUNK);
        else if (!put_bytes(input, bytes, (size_t)size))
            problem = "";
    }
    if (!problem && inflater && !inflater_may_end(inflater))
        problem = "it ends in the middle of its compressed data";
    inflater_free(inflater);
    free(bytes);
    return problem && problem[0] ? problem : NULL;
}

/* Complaints are shorter without its folders. */
static const char *short_name(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

static void read_input(struct explained *explained, int fd, const char *name)
{
    struct input input = {.explained = explained, .left = EXPLAIN_FILE_BYTES};
    if (explained->bytes >= EXPLAIN_ALL_BYTES)
        input.left = EXPLAIN_LATER_BYTES;
    if (explained->files++ == 0)
        str_copy(explained->first, sizeof(explained->first), str_from(name));
    input.stream = stream_new(short_name(name), &explained->totals);
    const char *problem = read_descriptor(&input, fd, name);
    stream_end(input.stream);
    drain(&input);
    stream_free(input.stream);
    explained->ends_cr += input.after_return;
    if (!problem)
        return;
    explained->failed++;
    command_fail("%s: %s", name, problem);
}

/* ---- names ---- */

static void fail(struct explained *explained, const char *name, int error)
{
    explained->failed++;
    command_fail("%s: %s", name,
                 error == ENOENT ? "No such file; check the path" : strerror(error));
}

static void read_file(struct explained *explained, const char *name)
{
    struct stat status;
    if (explained->files == EXPLAIN_FILES_MAX) {
        explained->left_out++;
        return;
    }
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &status) < 0) {
        fail(explained, name, errno);
    } else if (S_ISDIR(status.st_mode)) {
        fail(explained, name, EISDIR);
    } else {
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK); /* a FIFO is waited for */
        read_input(explained, fd, name);
    }
    if (fd >= 0)
        close(fd);
}

/* False: the name is too long. */
static bool make_path(char path[COMMAND_PATH_BYTES], const char *folder, const char *name)
{
    int length = folder ? snprintf(path, COMMAND_PATH_BYTES, "%s/%s", folder, name)
                        : snprintf(path, COMMAND_PATH_BYTES, "%s", name);
    return length > 0 && length < COMMAND_PATH_BYTES;
}

/* What all files say together is known before the first is read. */
static void meet(struct explained *explained, const char *path)
{
    if (explained->logs.formats)
        source_meet_nccl(path, short_name(path), &explained->logs.book);
    log_names_meet(&explained->logs.book.names, path);
}

static void read_names(struct explained *explained, const char *folder,
                       const struct scan_names *names)
{
    char path[COMMAND_PATH_BYTES];
    for (size_t i = 0; i < names->count && i < EXPLAIN_FILES_MAX; i++)
        if (make_path(path, folder, names->names[i]))
            meet(explained, path);
    for (size_t i = 0; i < names->count; i++)
        if (make_path(path, folder, names->names[i]))
            read_file(explained, path);
}

static bool is_file(const char *source)
{
    struct stat status;
    return stat(source, &status) == 0 && !S_ISDIR(status.st_mode);
}

static void read_source(struct explained *explained, const char *source)
{
    struct stat status;
    struct scan_names names = {0};
    const char *nothing = NULL;
    int result = 0;
    bool there = stat(source, &status) == 0;
    if (strcmp(source, "-") == 0) {
        read_input(explained, STDIN_FILENO, "-");
    } else if (there && S_ISDIR(status.st_mode)) {
        result = scan_folder(source, NULL, explained->logs.formats, &names);
        if (result == 0 && names.count == 0) {
            scan_done(&names);
            names = (struct scan_names){0};
            result = scan_folder(source, "*.json*", NULL, &names); /* traces */
        }
        read_names(explained, source, &names);
        nothing = result == 0 && names.count == 0 ? SCAN_NO_LOG : NULL;
    } else if (!there && scan_has_wildcard(source)) {
        result = scan_glob(source, &names);
        read_names(explained, NULL, &names);
        nothing = result == 0 && names.count == 0 ? SCAN_NO_MATCH : NULL;
    } else {
        read_file(explained, source);
    }
    scan_done(&names);
    if (result < 0)
        fail(explained, source, -result);
    if (!nothing)
        return;
    explained->failed++;
    command_fail("%s: %s", source, nothing);
}

int explain_read(struct explained *explained, const struct options *options)
{
    int status = command_logs_open(&explained->logs, options);
    if (status != 0)
        return status;
    command_logs_use(&explained->logs, &explained->totals);
    for (int i = 0; i < options->source_count; i++)
        if (is_file(options->sources[i]))
            meet(explained, options->sources[i]);
    for (int i = 0; i < options->source_count; i++)
        read_source(explained, options->sources[i]);
    uint64_t foreign = 0;
    for (size_t i = 0; i < explained->logs.book.count; i++)
        foreign += explained->logs.book.facts[i].records;
    uint64_t all = explained->totals.counts.records;
    explained->own_records = all > foreign ? all - foreign : 0;
    return 0;
}

void explain_done(struct explained *explained)
{
    command_logs_done(&explained->logs);
}
