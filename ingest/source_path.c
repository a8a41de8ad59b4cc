/* What a name leads to: opens it, notices when it leads elsewhere (renamed,
 * deleted, replaced), and sees to it that a file that is reached by two names,
 * or changed its name, is read once. */
#include "source_set.h"
#include "memory.h"
#include "formats.h"
#include "source_laid.h"
#include "source_nccl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ORPHANS_MAX 1024
#define TOGETHER_NS                                                                                \
    INT64_C(60000000000) /* files of a folder that are lost so soon are lost at once */

static struct source_file *file_of(struct source_link *link)
{
    return link ? (struct source_file *)((char *)link - offsetof(struct source_file, by_inode))
                : NULL;
}

static uint64_t inode_hash(dev_t dev, ino_t ino)
{
    uint64_t parts[] = {dev, ino};
    return source_hash(SOURCE_HASH_START, parts, sizeof parts);
}

static struct source_file *find_inode(const struct files *files, const struct stat *status)
{
    struct source_link *link =
        source_index_first(&files->inodes, inode_hash(status->st_dev, status->st_ino));
    for (; link; link = source_index_next(link)) {
        struct source_file *file = file_of(link);
        if (file->dev == status->st_dev && file->ino == status->st_ino)
            return file;
    }
    return NULL;
}

static bool leads_to(const struct source_path *path, const struct source_file *file)
{
    struct stat status;
    return stat(path->name, &status) == 0 && status.st_dev == file->dev &&
           status.st_ino == file->ino;
}

static int *counter_of(struct files *files, enum path_state state)
{
    int *none = &files->uncounted;
    return state == PATH_FOLLOWED     ? &files->state.followed
           : state == PATH_WAITING    ? &files->state.waiting
           : state == PATH_UNREADABLE ? &files->state.unreadable
                                      : none;
}

void files_set_state(struct files *files, struct source_path *path, enum path_state state)
{
    --*counter_of(files, path->state);
    ++*counter_of(files, state);
    path->state = state;
}

static void tell(struct files *files, struct source_path *path, const char *what, const char *todo)
{
    if (!path->told)
        files_notice(files, "%s: %s%s%s", path->name, what, todo ? "; " : "", todo ? todo : "");
    path->told = true;
}

/* ---- descriptors ---- */

/* Closes one that was not used lately (a clock with a second chance). */
static bool close_one(struct files *files)
{
    for (size_t i = 0; i < 2 * files->path_count; i++) {
        struct source_file *file = files->paths[files->hand++ % files->path_count]->file;
        if (!file || file->fd < 0)
            continue;
        if (file->used) {
            file->used = false;
            continue;
        }
        close(file->fd);
        file->fd = -1;
        files->open_count--;
        return true;
    }
    return false;
}

static void tell_descriptors(struct files *files)
{
    if (!files->told_descriptors)
        files_notice(files,
                     "more files than open descriptors (%d): they are opened and closed in "
                     "turn; raise `ulimit -n`",
                     files->open_count);
    files->told_descriptors = true;
}

/* Without a new access time for each look, where we may ask for that (our own
 * files): it costs more than the look. */
static int open_quietly(const char *name)
{
    int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    int fd = open(name, flags | O_NOATIME);
    return fd < 0 && errno == EPERM ? open(name, flags) : fd;
}

static int open_name(struct files *files, const char *name)
{
    if (files->open_count >= files->open_max) {
        tell_descriptors(files);
        close_one(files);
    }
    int fd = open_quietly(name);
    if (fd < 0 && (errno == EMFILE || errno == ENFILE)) {
        tell_descriptors(files);
        if (close_one(files))
            fd = open_quietly(name);
    }
    return fd;
}

bool files_reopen(struct files *files, struct source_file *file)
{
    struct stat status;
    if (!file->path)
        return false;
    int fd = open_name(files, file->path->name);
    if (fd < 0)
        return false;
    if (fstat(fd, &status) == 0 && status.st_dev == file->dev && status.st_ino == file->ino) {
        file->fd = fd;
        file->lost = false;
        files->open_count++;
        if (!file_check(file))
            file_rewritten(file);
        return true;
    }
    close(fd);
    return false;
}

void files_lost(struct files *files, struct source_file *file)
{
    file_close_when_drained(file);
    file->lost = true;
    if (files->options.seekable && file->path)
        tell(files, file->path, "is gone, or another file", "its records can't be shown");
}

/* ---- from a name to a file ---- */

static void attach(struct files *files, struct source_path *path, struct source_file *file)
{
    path->file = file;
    path->replaced = path->told = false;
    path->gone_ns = path->lost_ns = 0;
    if (path->found)
        files->lost_count = 0;
    file->path = path;
    files_set_state(files, path, PATH_FOLLOWED);
    files_activate(files, file);
}

static void remove_orphan(struct files *files, const struct source_file *file)
{
    for (size_t i = 0; i < files->orphan_count; i++) {
        if (files->orphans[i] == file) {
            files->orphans[i] = files->orphans[--files->orphan_count];
            return;
        }
    }
}

/* The name may lead to another file from now on; that one goes on from here. */
static void detach(struct files *files, struct source_path *path)
{
    struct source_file *file = path->file;
    order_done(&path->heir);
    order_copy(&path->heir, &file->order);
    path->file = NULL;
    path->replaced = false;
    path->lost_ns = path->gone_ns ? path->gone_ns : files->now_ns;
    path->gone_ns = 0;
    file->path = NULL;
    files_set_state(files, path, PATH_WAITING);
}

static void add_orphan(struct files *files, struct source_file *file)
{
    if (files->orphan_count == files->orphan_capacity) {
        files->orphan_capacity = files->orphan_capacity ? files->orphan_capacity * 2 : 8;
        files->orphans =
            memory_resized(files->orphans, 1, files->orphan_capacity * sizeof *files->orphans);
    }
    file->deadline_ns = files->now_ns + FILES_LATE_NS;
    files->orphans[files->orphan_count++] = file;
    if (file->fd < 0 || files->orphan_count > ORPHANS_MAX) {
        file_close_when_drained(file);
        files_activate(files, file);
    }
}

/* The inode is read already. Returns the name that lost its file by it, if any. */
static struct source_path *adopt(struct files *files, struct source_path *path,
                                 struct source_file *file)
{
    struct source_path *loser = file->path;
    if (loser && leads_to(loser, file)) {
        files_set_state(files, path, PATH_ALIAS);
        path->lost_ns = 0;
        return NULL;
    }
    if (loser)
        detach(files, loser);
    else
        remove_orphan(files, file);
    if (file->ending == FILE_CLOSING) {
        file->ending = FILE_GOES_ON;
        file->ended = false;
    }
    attach(files, path, file);
    return loser;
}

/* In what can be gone back in, records of other formats are laid open. */
static void look_for_others(struct files *files, struct source_file *file)
{
    const struct formats *formats = files->totals->formats;
    if (!files->options.seekable || !formats)
        return;
    if (!files->spool)
        files->spool = spool_new();
    file->laid = laid_new(file, files->spool, &files->laid_count);
    if (!formats_own(formats))
        laid_open_all(file);
}

void files_own(struct files *files, struct source_path *path, struct source_file *file)
{
    if (files->options.seekable) {
        file->bounded = true;
        if (files->kept_count == files->kept_capacity) {
            files->kept_capacity = files->kept_capacity ? files->kept_capacity * 2 : 16;
            files->kept = memory_resized(files->kept, files->kept_capacity, sizeof *files->kept);
        }
        files->kept[files->kept_count++] = file;
    }
    if (file->packed)
        file->bounded = false;
    file->once = !files->options.follow;
    file->last_growth_ns = files->now_ns;
    source_index_add(&files->inodes, &file->by_inode, inode_hash(file->dev, file->ino));
    files->open_count += file->fd >= 0;
    attach(files, path, file);
}

/* A file that does not grow may be compressed; those beyond the first few go by way of the spool
 * even if nobody wants to go back in them. */
static struct packed *find_packed(struct files *files, const struct source_path *path, int fd,
                                  int64_t size)
{
    char magic[INFLATE_MAGIC_BYTES];
    if (files->options.follow)
        return NULL;
    ssize_t got = pread(fd, magic, sizeof magic, 0);
    enum inflate_kind kind = inflate_kind(magic, got > 0 ? (size_t)got : 0, path->name);
    if (kind == INFLATE_NOT)
        return NULL;
    bool many = ++files->packed_count > PACKED_MAX;
    bool spooled = many || files->options.seekable;
    if (spooled && !files->spool)
        files->spool = spool_new();
    return packed_new(kind, size, spooled ? files->spool : NULL, many);
}

static void open_new(struct files *files, struct source_path *path, int fd,
                     const struct stat *status)
{
    struct source_file *file = file_new(path->name, fd, status, files->totals);
    struct stat link;
    if (lstat(path->name, &link) == 0 && S_ISLNK(link.st_mode))
        files->dirs[path->dir].remote = true; /* no notices come from behind a symlink */
    file->packed = find_packed(files, path, fd, status->st_size);
    file->remote = files->dirs[path->dir].remote;
    file->order = path->heir;
    path->heir = (struct order){0};
    if (files->totals->formats)
        source_meet_nccl(path->name, path->name, files->totals->book);
    files_own(files, path, file);
    look_for_others(files, file);
}

static void cannot_open(struct files *files, struct source_path *path, int error)
{
    bool absent = error == ENOENT || error == ENOTDIR;
    if (!absent || !files->options.follow)
        tell(files, path, strerror(error),
             error == EACCES ? "its records are missing; allow reading" : NULL);
    files_set_state(files, path, absent && files->options.follow ? PATH_WAITING : PATH_UNREADABLE);
}

static struct source_path *try_one(struct files *files, struct source_path *path)
{
    struct stat status;
    int fd = open_name(files, path->name);
    if (fd < 0 || fstat(fd, &status) < 0) {
        cannot_open(files, path, errno);
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    struct source_file *known = S_ISREG(status.st_mode) ? find_inode(files, &status) : NULL;
    if (S_ISREG(status.st_mode) && !known) {
        open_new(files, path, fd, &status);
        return NULL;
    }
    close(fd);
    if (known)
        return adopt(files, path, known);
    if (S_ISDIR(status.st_mode)) {
        files_set_state(files, path, PATH_FINISHED);
        files_add_folder(files, path->name);
        return NULL;
    }
    tell(files, path, "is not a regular file", "send it to standard input and name it -");
    files_set_state(files, path, PATH_UNREADABLE);
    return NULL;
}

void files_try(struct files *files, struct source_path *path)
{
    if (path->state == PATH_FINISHED)
        return;
    /* A chain of renames (log -> log.1 -> log.2) takes a file from name after name. */
    for (size_t i = 0; path && !path->file && i <= files->path_count; i++)
        path = try_one(files, path);
}

/* ---- whether the name still leads to its file ---- */

static void check_gone(struct files *files, struct source_path *path)
{
    struct source_file *file = path->file;
    if (!path->gone_ns)
        path->gone_ns = files->now_ns;
    int64_t since = path->gone_ns > file->last_growth_ns ? path->gone_ns : file->last_growth_ns;
    bool all_tried = files->tried == files->path_count;
    if (all_tried && (file->fd < 0 || files->now_ns - since >= FILES_LATE_NS))
        file_close_when_drained(file);
    files_activate(files, file);
}

/* What has grown since the last look was compared when it was read; in large sets
 * that has to do. */
static bool looks_rewritten(const struct files *files, const struct source_file *file,
                            int64_t checked_ns)
{
    if (files->path_count > LARGE_SET && file->last_growth_ns > checked_ns)
        return false;
    return !file_unchanged(file);
}

static void check_same(struct files *files, struct source_path *path, const struct stat *status,
                       int64_t checked_ns)
{
    struct source_file *file = path->file;
    path->gone_ns = 0;
    path->replaced = false;
    bool grown = status->st_size != file->offset;
    if (file_mtime_ns(status) != file->mtime_ns) {
        file->mtime_ns = file_mtime_ns(status);
        if (!grown && file->fd < 0 && !files_reopen(files, file))
            return;
        if (!grown && looks_rewritten(files, file, checked_ns)) {
            file_rewritten(file);
            grown = true;
        }
    }
    if (grown)
        files_activate(files, file);
}

void files_check(struct files *files, struct source_path *path)
{
    struct stat status;
    struct source_file *file = path->file;
    int64_t checked_ns = path->checked_ns;
    path->checked_ns = files->now_ns;
    if (!file) {
        files_try(files, path);
    } else if (stat(path->name, &status) < 0) {
        if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)
            check_gone(files, path);
    } else if (status.st_dev != file->dev || status.st_ino != file->ino) {
        path->replaced = true; /* what is left of the old one comes first */
        files_activate(files, file);
    } else {
        check_same(files, path, &status, checked_ns);
    }
}

void files_switch(struct files *files, struct source_path *path)
{
    struct source_file *old = path->file;
    detach(files, path);
    add_orphan(files, old);
    files_try(files, path);
    if (path->file && path->file->offset == 0)
        stream_inherit(path->file->stream, old->stream);
}

/* ---- what a read came to ---- */

void files_idle(struct files *files, struct source_file *file)
{
    struct source_path *path = file->path;
    if (file->error && path)
        tell(files, path, strerror(file->error), "trying again");
    if (path && path->replaced)
        files_switch(files, path);
}

static void tell_loss(struct files *files, struct source_file *file)
{
    const char *problem = file->packed ? packed_problem(file->packed) : NULL;
    const char *name = file->path ? file->path->name : "a file";
    if (problem && !file->packed_shared && !file->told_loss)
        files_notice(files, "%s: %s", name, problem);
    if (laid_failed(file) && !file->laid_shared && !file->told_loss)
        files_notice(files, "%s: %s; set TMPDIR to a larger folder", name, file->laid->problem);
    file->told_loss = true;
}

/* What can be gone back in stays open. */
static void keep_finished(struct files *files, struct source_file *file)
{
    struct source_path *path = file->path;
    file->finished = true;
    if (file->cut)
        tell(files, path, "was truncated while it is replayed",
             "steps after that place can't be shown");
    if (file->error)
        tell(files, path, strerror(file->error), "its last records are missing");
    files_set_state(files, path, PATH_FINISHED);
}

/* Its name may be forgotten: what is to be said of it is kept. */
static void note_lost(struct files *files, const struct source_path *path)
{
    if (!path->found || path->file || !path->lost_ns)
        return;
    if (path->lost_ns - files->lost_ns > TOGETHER_NS) /* those before it left others */
        files->lost_count = 0;
    if (files->lost_count++ > 0)
        return;
    files->lost_ns = path->lost_ns;
    snprintf(files->lost_name, sizeof(files->lost_name), "%s", path->name);
}

void files_finished(struct files *files, struct source_file *file)
{
    struct source_path *path = file->path;
    tell_loss(files, file);
    files->state.unfinished += file->error || file->cut || laid_failed(file) ||
                               (file->packed && packed_failed(file->packed));
    if (files->options.seekable) {
        keep_finished(files, file);
        return;
    }
    files->finished_bytes += file->packed ? file->size : file->offset;
    if (path) {
        if (file->error)
            tell(files, path, strerror(file->error), NULL);
        detach(files, path);
        files_set_state(files, path, files->options.follow ? PATH_WAITING : PATH_FINISHED);
    } else {
        remove_orphan(files, file);
    }
    if (file->fd >= 0)
        files->open_count--;
    source_index_remove(&files->inodes, &file->by_inode);
    file_free(file);
    if (path && files->options.follow) {
        files_try(files, path);
        note_lost(files, path);
    }
}
