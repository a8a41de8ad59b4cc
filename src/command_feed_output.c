/* Where `feed` writes. */
#include "command_feed_output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command_feed_udp.h"
#include "record.h"

#define BUFFERS_BYTES ((size_t)64 << 20) /* of all files together, when not paced */
#define BUFFER_MIN_BYTES ((size_t)4096)
#define BUFFER_MAX_BYTES ((size_t)256 << 10)

/* One open file. */
struct target {
    int fd; /* -1: not opened yet */
    bool regular;
    size_t used;
    char *buffer; /* [buffer_bytes] */
};

struct feed_output {
    struct feed_output_options options;
    struct feed_pace *pace;
    char *folder; /* NULL: targets[0] is the only one */
    struct feed_udp *udp;
    size_t buffer_bytes;
    struct target *targets; /* [target_count], by rank */
    size_t target_count;
};

static const char *advice(int error)
{
    switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return "make room, or write somewhere else (--to)";
    case EACCES:
    case EPERM:
    case EROFS:
        return "write where you have the right to (--to)";
    case EMFILE:
    case ENFILE:
        return "allow more open files (ulimit -n)";
    case ENOENT:
    case ENOTDIR:
        return "make the folder that it is to be in first";
    case EEXIST:
        return "--append adds to what is there, --overwrite replaces it";
    default:
        return "write somewhere else (--to)";
    }
}

void feed_complain(const char *path, int error)
{
    fprintf(stderr, "lockstep: %s: %s, %s\n", path, strerror(error), advice(error));
}

static void target_path(const struct feed_output *output, size_t index, char path[static PATH_MAX])
{
    if (output->folder)
        snprintf(path, PATH_MAX, "%s/rank%zu.jsonl", output->folder, index);
    else
        snprintf(path, PATH_MAX, "%s", output->options.to);
}

static bool target_fails(const struct feed_output *output, const struct target *target, int error)
{
    char path[PATH_MAX];
    target_path(output, (size_t)(target - output->targets), path);
    feed_complain(strcmp(path, "-") == 0 ? "standard output" : path, error);
    return false;
}

static bool target_open(struct feed_output *output, struct target *target)
{
    char path[PATH_MAX];
    struct stat status;
    target_path(output, (size_t)(target - output->targets), path);
    if (strcmp(path, "-") == 0) {
        target->fd = STDOUT_FILENO;
    } else {
        int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY;
        if (output->options.existing == FEED_OVERWRITE)
            flags |= O_TRUNC;
        target->fd = open(path, flags, 0666);
    }
    if (target->fd < 0 || fstat(target->fd, &status) != 0)
        return target_fails(output, target, errno);
    target->regular = S_ISREG(status.st_mode);
    target->buffer = malloc(output->buffer_bytes);
    if (!target->buffer)
        return target_fails(output, target, ENOMEM);
    return true;
}

/* Takes a line that was begun, but not ended, out of the file again. */
static void take_back(const struct target *target, const char *data, size_t written)
{
    const char *end = written ? memrchr(data, '\n', written) : NULL;
    size_t torn = end ? written - (size_t)(end + 1 - data) : written;
    off_t at = lseek(target->fd, 0, SEEK_CUR);
    if (target->regular && torn && at >= (off_t)torn &&
        ftruncate(target->fd, at - (off_t)torn) != 0)
        fprintf(stderr, "lockstep: the last line is torn: %s\n", strerror(errno));
}

/* How much to write at once. A pipe takes PIPE_BUF bytes whole, and without
 * blocking once poll() has said so: then a signal is never kept waiting. */
static size_t piece(const struct target *target, const char *data, size_t length)
{
    if (target->regular || length <= PIPE_BUF)
        return length;
    const char *end = memrchr(data, '\n', PIPE_BUF);
    return end ? (size_t)(end + 1 - data) : PIPE_BUF;
}

static bool target_write(struct feed_output *output, struct target *target, const char *data,
                         size_t length)
{
    size_t written = 0;
    while (written < length) {
        if (!target->regular && !feed_pace_writable(output->pace, target->fd))
            return false;
        size_t size = piece(target, data + written, length - written);
        ssize_t n = write(target->fd, data + written, size);
        if (n > 0) {
            written += (size_t)n;
        } else if (n < 0 && errno != EINTR && errno != EAGAIN) {
            int error = errno;
            take_back(target, data, written);
            return target_fails(output, target, error);
        }
    }
    return true;
}

static bool target_flush(struct feed_output *output, struct target *target)
{
    size_t used = target->used;
    target->used = 0;
    return used == 0 || target_write(output, target, target->buffer, used);
}

static bool targets_reserve(struct feed_output *output, size_t count)
{
    if (count <= output->target_count)
        return true;
    if (count > RECORD_RANK_MAX + 1)
        return false;
    struct target *targets = realloc(output->targets, count * sizeof *targets);
    if (!targets)
        return false;
    for (size_t i = output->target_count; i < count; i++)
        targets[i] = (struct target){.fd = -1};
    output->targets = targets;
    output->target_count = count;
    return true;
}

static bool ends_like_a_file(const char *to)
{
    static const char *const patterns[] = {"*.jsonl", "*.json", "*.ndjson", "*.log"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        if (fnmatch(patterns[i], to, 0) == 0)
            return true;
    }
    return false;
}

static bool has_rank_files(const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    bool found = false;
    while (dir && !found && (entry = readdir(dir)))
        found = fnmatch("rank[0-9]*.jsonl", entry->d_name, 0) == 0;
    if (dir)
        closedir(dir);
    return found;
}

static bool fails(const char *path, int error)
{
    feed_complain(path, error);
    return false;
}

static bool open_folder(struct feed_output *output, const char *to)
{
    if (mkdir(to, 0777) != 0 && errno != EEXIST)
        return fails(to, errno);
    if (output->options.existing == FEED_REFUSE && has_rank_files(to))
        return fails(to, EEXIST);
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    output->folder = strdup(to);
    if (!output->folder)
        return fails(to, ENOMEM);
    for (size_t end = strlen(to); end > 1 && output->folder[end - 1] == '/'; end--)
        output->folder[end - 1] = '\0';
    return true;
}

static void size_buffers(struct feed_output *output)
{
    size_t files = output->folder && output->options.ranks ? output->options.ranks : 1;
    size_t bytes = BUFFERS_BYTES / files;
    bytes = bytes > BUFFER_MAX_BYTES ? BUFFER_MAX_BYTES : bytes;
    bytes = bytes < BUFFER_MIN_BYTES ? BUFFER_MIN_BYTES : bytes;
    output->buffer_bytes = output->options.paced && output->folder ? BUFFER_MIN_BYTES : bytes;
}

static bool open_any(struct feed_output *output)
{
    const char *to = output->options.to;
    struct stat status;
    if (strncmp(to, "udp://", 6) == 0) {
        output->udp = feed_udp_open(to, output->options.batch, output->pace);
        return output->udp != NULL;
    }
    bool there = strcmp(to, "-") != 0 && stat(to, &status) == 0;
    bool is_file =
        strcmp(to, "-") == 0 || (there ? !S_ISDIR(status.st_mode) : ends_like_a_file(to));
    if (there && S_ISREG(status.st_mode) && status.st_size > 0 &&
        output->options.existing == FEED_REFUSE)
        return fails(to, EEXIST);
    if (!is_file && !open_folder(output, to))
        return false;
    size_buffers(output);
    if (!targets_reserve(output, is_file || !output->options.ranks ? 1 : output->options.ranks))
        return fails(to, ENOMEM);
    return output->folder || target_open(output, &output->targets[0]);
}

static void output_free(struct feed_output *output)
{
    for (size_t i = 0; i < output->target_count; i++) {
        if (output->targets[i].fd > STDOUT_FILENO)
            close(output->targets[i].fd);
        free(output->targets[i].buffer);
    }
    free(output->targets);
    free(output->folder);
    free(output);
}

struct feed_output *feed_output_open(const struct feed_output_options *options,
                                     struct feed_pace *pace)
{
    struct feed_output *output = calloc(1, sizeof *output);
    if (!output) {
        feed_complain(options->to, ENOMEM);
        return NULL;
    }
    output->options = *options;
    output->pace = pace;
    if (!open_any(output)) {
        output_free(output);
        return NULL;
    }
    return output;
}

bool feed_output_line(struct feed_output *output, uint32_t rank, const char *line, size_t length)
{
    if (output->udp)
        return feed_udp_line(output->udp, line, length);
    size_t index = output->folder ? rank : 0;
    if (!targets_reserve(output, index + 1))
        return fails(output->options.to, ENOMEM);
    struct target *target = &output->targets[index];
    if (target->fd < 0 && !target_open(output, target))
        return false;
    if (length > output->buffer_bytes - target->used && !target_flush(output, target))
        return false;
    if (length > output->buffer_bytes)
        return target_write(output, target, line, length);
    memcpy(target->buffer + target->used, line, length);
    target->used += length;
    return true;
}

bool feed_output_flush(struct feed_output *output)
{
    if (output->udp)
        return feed_udp_flush(output->udp);
    for (size_t i = 0; i < output->target_count; i++) {
        if (!target_flush(output, &output->targets[i]))
            return false;
    }
    return true;
}

bool feed_output_close(struct feed_output *output)
{
    bool good = feed_output_flush(output);
    if (output->udp)
        feed_udp_close(output->udp);
    output_free(output);
    return good;
}

const char *feed_output_folder(const struct feed_output *output)
{
    return output->folder;
}

bool feed_output_extra(struct feed_output *output, const char *name, const char *text,
                       size_t length)
{
    char path[PATH_MAX], temporary[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", output->folder, name);
    snprintf(temporary, sizeof temporary, "%s/.%s.new", output->folder, name);
    if (output->options.existing != FEED_OVERWRITE && access(path, F_OK) == 0)
        return true;
    FILE *file = fopen(temporary, "we");
    if (!file)
        return fails(path, errno);
    bool good = fwrite(text, 1, length, file) == length;
    good = fclose(file) == 0 && good;
    if (!good || rename(temporary, path) != 0) {
        int error = errno;
        unlink(temporary);
        return fails(path, error);
    }
    return true;
}
