/* Whole lines into a file, or whole frames. */
#include "recorder_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "recorder_zst.h"

#define LEVEL 3

static bool ends_with(const char *path, const char *ending)
{
    size_t len = strlen(path), ending_len = strlen(ending);
    return len >= ending_len && strcmp(path + len - ending_len, ending) == 0;
}

/* ---- opening ---- */

static int fail(char *error, size_t size, const char *path, const char *what)
{
    snprintf(error, size, "--record %s: %s", path, what);
    return -1;
}

static const char *what_to_do(int reason)
{
    return reason == ENOENT || reason == ENOTDIR ? "; make the folder first"
           : reason == EACCES || reason == EPERM ? "; allow writing, or name another file"
           : reason == EISDIR                    ? "; name a file in it"
           : reason == EROFS || reason == ENOSPC ? "; name a file elsewhere"
                                                 : "";
}

static int fail_errno(char *error, size_t size, const char *path, int reason)
{
    char what[256];
    snprintf(what, sizeof(what), "%s%s", strerror(reason), what_to_do(reason));
    return fail(error, size, path, what);
}

/* What no line of text may be written into. */
static const char *unfit(const struct stat *status, int fd)
{
    if (S_ISFIFO(status->st_mode) || S_ISSOCK(status->st_mode))
        return "is a pipe, not a file; name a file (a pipe is read with `lockstep watch -`)";
    if (S_ISBLK(status->st_mode))
        return "is a disk; name a file";
    if (S_ISCHR(status->st_mode) && fd >= 0 && isatty(fd))
        return "is a terminal; name a file";
    return NULL;
}

/* The end of what is there already. */
static int close_off(struct recorder_file *file, const struct stat *status, char *error,
                     size_t size)
{
    char last = '\n', what[200];
    file->torn = false;
    file->begins = file->compressed && status->st_size > 0;
    if (file->compressed && recorder_zst_mend(file->fd, status->st_size, what, sizeof(what)) < 0)
        return fail(error, size, file->path, what);
    if (!file->compressed && status->st_size > 0 &&
        pread(file->fd, &last, 1, status->st_size - 1) == 1)
        file->torn = last != '\n';
    return 0;
}

/* *ret_fd is open, locked, and fit to be written. */
static int open_locked(const char *path, int *ret_fd, struct stat *status, char *error, size_t size)
{
    if (stat(path, status) == 0 && unfit(status, -1)) /* opening a pipe would wait, or wake */
        return fail(error, size, path, unfit(status, -1));
    int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
    if (fd < 0)
        return fail_errno(error, size, path, errno);
    if (fstat(fd, status) < 0 || unfit(status, fd)) {
        fail(error, size, path, unfit(status, fd) ? unfit(status, fd) : strerror(errno));
    } else if (S_ISREG(status->st_mode) && flock(fd, LOCK_EX | LOCK_NB) < 0 &&
               errno == EWOULDBLOCK) { /* other errors: a file system without locks */
        fail(error, size, path, "another lockstep records to it; name another file");
    } else if (fstat(fd, status) < 0) {
        fail_errno(error, size, path, errno);
    } else {
        *ret_fd = fd;
        return 0;
    }
    close(fd);
    return -1;
}

static int take_file(struct recorder_file *file, int fd, const struct stat *status, char *error,
                     size_t size)
{
    int before = file->fd;
    file->fd = fd;
    file->device = !S_ISREG(status->st_mode);
    if (!file->device && close_off(file, status, error, size) < 0) {
        close(fd);
        file->fd = before;
        return -1;
    }
    if (before >= 0)
        close(before);
    return 0;
}

int recorder_file_open(struct recorder_file *file, const char *path, char *error, size_t size)
{
    struct stat status;
    int fd;
    *file = (struct recorder_file){.fd = -1, .compressed = ends_with(path, ".zst")};
    if (ends_with(path, ".gz"))
        return fail(error, size, path, "gzip is not written; name it .zst, or .jsonl");
    if (open_locked(path, &fd, &status, error, size) < 0)
        return -1;
    file->path = strdup(path);
    if (file->compressed) {
        file->packer = ZSTD_createCCtx();
        file->frame_room = ZSTD_compressBound(RECORDER_PIECE_MAX + 1);
        file->frame = malloc(file->frame_room);
    }
    if (!file->path || (file->compressed && (!file->packer || !file->frame))) {
        close(fd);
        fail_errno(error, size, path, ENOMEM);
    } else if (take_file(file, fd, &status, error, size) == 0) {
        if (file->packer) {
            ZSTD_CCtx_setParameter(file->packer, ZSTD_c_compressionLevel, LEVEL);
            ZSTD_CCtx_setParameter(file->packer, ZSTD_c_checksumFlag, 1);
        }
        return 0;
    }
    recorder_file_close(file);
    return -1;
}

void recorder_file_close(struct recorder_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    ZSTD_freeCCtx(file->packer);
    free(file->frame);
    free(file->path);
    *file = (struct recorder_file){.fd = -1};
}

int recorder_file_follow(struct recorder_file *file)
{
    struct stat ours, theirs;
    char error[512];
    int fd;
    if (file->device || fstat(file->fd, &ours) < 0)
        return 0;
    if (stat(file->path, &theirs) == 0 && theirs.st_dev == ours.st_dev &&
        theirs.st_ino == ours.st_ino)
        return 0;
    errno = 0;
    if (open_locked(file->path, &fd, &theirs, error, sizeof(error)) < 0 ||
        take_file(file, fd, &theirs, error, sizeof(error)) < 0)
        return errno ? errno : EIO;
    return 0;
}

/* ---- writing ---- */

/* How much of it was written; errno when that is not all. */
static size_t write_all(int fd, const char *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t written = write(fd, bytes + done, size - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            errno = written < 0 ? errno : EIO;
            break;
        }
        done += (size_t)written;
    }
    return done;
}

static int64_t size_of(const struct recorder_file *file)
{
    struct stat status;
    return fstat(file->fd, &status) == 0 ? status.st_size : -1;
}

/* A failed write may have left a part: the file is cut back to what is whole. */
static bool cut_back(struct recorder_file *file, int64_t size)
{
    return !file->device && size >= 0 && ftruncate(file->fd, size) == 0;
}

static int write_plain(struct recorder_file *file, const char *lines, size_t size,
                       size_t *ret_taken, size_t *ret_written)
{
    if (file->torn && write_all(file->fd, "\n", 1) < 1)
        return errno;
    file->torn = false;
    int64_t before = size_of(file);
    size_t done = write_all(file->fd, lines, size);
    int reason = errno;
    const char *newline = done > 0 ? memrchr(lines, '\n', done) : NULL;
    size_t whole = newline ? (size_t)(newline - lines) + 1 : 0;
    *ret_taken = *ret_written = whole;
    if (done == size)
        return 0;
    if (done > whole && !cut_back(file, before < 0 ? -1 : before + (int64_t)whole))
        file->torn = !file->device;
    return reason;
}

/* The frame begins with an empty line behind what was there: its last line may lack an end. */
static int64_t pack(struct recorder_file *file, const char *lines, size_t size)
{
    ZSTD_inBuffer first = {"\n", file->begins, 0}, in = {lines, size, 0};
    ZSTD_outBuffer out = {file->frame, file->frame_room, 0};
    ZSTD_CCtx_reset(file->packer, ZSTD_reset_session_only);
    size_t left = ZSTD_compressStream2(file->packer, &out, &first, ZSTD_e_continue);
    if (!ZSTD_isError(left))
        left = ZSTD_compressStream2(file->packer, &out, &in, ZSTD_e_end);
    return left == 0 ? (int64_t)out.pos : -1;
}

static int write_frame(struct recorder_file *file, const char *lines, size_t size,
                       size_t *ret_taken, size_t *ret_written)
{
    if (file->torn && !cut_back(file, file->good_size))
        return errno ? errno : EIO;
    file->torn = false;
    int64_t packed = pack(file, lines, size);
    if (packed < 0)
        return ENOMEM; /* the only thing that can fail: room is enough */
    file->good_size = size_of(file);
    size_t done = write_all(file->fd, file->frame, (size_t)packed);
    if (done < (size_t)packed) {
        int reason = errno;
        file->torn = done > 0 && !file->device && !cut_back(file, file->good_size);
        return reason;
    }
    file->begins = false;
    *ret_taken = size;
    *ret_written = (size_t)packed;
    return 0;
}

int recorder_file_write(struct recorder_file *file, const char *lines, size_t size,
                        size_t *ret_taken, size_t *ret_written)
{
    assert(size <= RECORDER_PIECE_MAX);
    *ret_taken = *ret_written = 0;
    return file->compressed ? write_frame(file, lines, size, ret_taken, ret_written)
                            : write_plain(file, lines, size, ret_taken, ret_written);
}
