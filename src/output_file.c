/* Files that are written whole or not at all. */
#include "output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"

#define TRIES 100 /* names for the file beside it */

struct output_file {
    char target[PATH_MAX];    /* where links lead */
    char temporary[PATH_MAX]; /* ""; it is written straight */
    FILE *stream;
};

static struct output_file *fail(struct output_file *output, char *error, size_t size,
                                const char *path, const char *why, const char *what)
{
    snprintf(error, size, "%s: %s; %s", path, why, what);
    free(output);
    return NULL;
}

/* Where the path leads: links are followed, the last one too when it leads to nothing yet. */
static bool resolve(const char *path, char target[PATH_MAX])
{
    char link[PATH_MAX], next[PATH_MAX];
    if (realpath(path, target))
        return true;
    if (errno != ENOENT || snprintf(target, PATH_MAX, "%s", path) >= PATH_MAX)
        return false;
    for (int hops = 0; hops < 40; hops++) {
        ssize_t length = readlink(target, link, sizeof(link) - 1);
        if (length < 0)
            return true;
        link[length] = '\0';
        const char *slash = strrchr(target, '/');
        int folder = slash && link[0] != '/' ? (int)(slash - target) + 1 : 0;
        if (snprintf(next, sizeof(next), "%.*s%s", folder, target, link) >= PATH_MAX)
            break;
        memcpy(target, next, sizeof(next));
    }
    errno = ELOOP;
    return false;
}

/* A new file beside the target; its descriptor, or -1. */
static int open_beside(struct output_file *output)
{
    const char *slash = strrchr(output->target, '/');
    int folder = slash ? (int)(slash - output->target) + 1 : 0;
    for (int i = 0; i < TRIES; i++) {
        int length = snprintf(output->temporary, sizeof(output->temporary), "%.*s.lockstep-%ld-%d",
                              folder, output->target, (long)getpid(), i);
        if (length >= (int)sizeof(output->temporary)) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int descriptor =
            open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

/* A descriptor of the shell's by name, be it of a file: that is added to, not replaced. */
static bool is_descriptor(const char *path)
{
    return strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/dev/std", 8) == 0 ||
           strncmp(path, "/proc/", 6) == 0;
}

static int open_straight(const char *path)
{
    return open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
}

struct output_file *output_open(const char *path, char *error, size_t size)
{
    struct output_file *output = memory_zeroed(1, sizeof(*output));
    struct stat status;
    /* The path itself is looked at, too: /dev/stdout leads to what has no name. */
    bool there = stat(path, &status) == 0;
    if (there && S_ISDIR(status.st_mode))
        return fail(output, error, size, path, "it is a folder", "give the name of a file");
    if (!there && errno != ENOENT)
        return fail(output, error, size, path, strerror(errno), "nothing was written");
    int descriptor;
    if (there && (!S_ISREG(status.st_mode) || is_descriptor(path))) {
        descriptor = open_straight(path);
    } else if (!resolve(path, output->target)) {
        return fail(output, error, size, path, strerror(errno), "nothing was written");
    } else {
        descriptor = open_beside(output);
        /* So that a file that nobody may write is not replaced either. */
        if (descriptor >= 0 && there &&
            (access(output->target, W_OK) < 0 || fchmod(descriptor, status.st_mode & 0777) < 0)) {
            int why = errno;
            close(descriptor);
            unlink(output->temporary);
            descriptor = -1;
            errno = why;
        }
    }
    if (descriptor >= 0)
        output->stream = fdopen(descriptor, "w");
    if (!output->stream)
        return fail(output, error, size, path, strerror(errno),
                    there ? "the old file is as it was" : "nothing was written");
    return output;
}

FILE *output_stream(struct output_file *output)
{
    return output->stream;
}

/* So that the new name is on the disk, too; where that can't be done it is no failure. */
static void sync_folder(const char *target)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(target, '/');
    int length = slash ? (int)(slash - target) + 1 : 0;
    snprintf(folder, sizeof(folder), "%.*s", length, target);
    int descriptor = open(length > 0 ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return;
    (void)!fsync(descriptor);
    close(descriptor);
}

bool output_commit(struct output_file *output, char *error, size_t size)
{
    bool beside = output->temporary[0] != '\0';
    bool good = !ferror(output->stream) && fflush(output->stream) == 0 &&
                (!beside || fsync(fileno(output->stream)) == 0);
    int why = errno;
    if (fclose(output->stream) != 0 && good) {
        good = false;
        why = errno;
    }
    if (good && beside && rename(output->temporary, output->target) != 0) {
        good = false;
        why = errno;
    }
    if (!good) {
        snprintf(error, size, "%s; %s", strerror(why),
                 beside ? "the file is as it was before" : "what was written is not complete");
        if (beside)
            unlink(output->temporary);
    } else if (beside) {
        sync_folder(output->target);
    }
    free(output);
    return good;
}
