/* A set of files that are followed by name: what is looked for, and when. */
#include "source_set.h"

#include <assert.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "memory.h"
#include "source_scan.h"

#define SMALL_SET 256 /* paths: all are looked at in each poll */
#define CHECK_NS INT64_C(2000000000)
#define SCAN_NS INT64_C(1000000000)
#define FULL_SCAN_NS INT64_C(5000000000)
#define TRIES_A_POLL 64     /* new names; files_pump() opens the others */
#define DESCRIPTORS_KEPT 64 /* for the rest of the program */
#define READ_TOTAL (32 * 1024 * 1024)

/* ---- making and ending ---- */

/* As many descriptors as the system allows, less some for others. */
static int descriptors(int wanted)
{
    struct rlimit limit;
    int most = 1024;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
        getrlimit(RLIMIT_NOFILE, &limit);
        most = limit.rlim_cur < 1u << 20 ? (int)limit.rlim_cur : 1 << 20;
    }
    most = most > 2 * DESCRIPTORS_KEPT ? most - DESCRIPTORS_KEPT : most / 2;
    if (most < 2)
        most = 2;
    return wanted > 0 && wanted < most ? wanted : most;
}

struct files *files_new(const struct files_options *options, struct stream_totals *totals)
{
    struct files *files = memory_zeroed(1, sizeof *files);
    files->options = *options;
    files->totals = totals;
    files->sweep_ns = FILES_SWEEP_NS;
    files->open_max = descriptors(options->descriptors_max);
    if (options->seekable) /* a twin needs as many */
        files->open_max = files->open_max < 4 ? 2 : files->open_max / 2;
    return files;
}

static void path_free(struct source_path *path)
{
    order_done(&path->heir);
    free(path->name);
    free(path);
}

void files_free(struct files *files)
{
    if (!files)
        return;
    for (size_t i = 0; i < files->path_count; i++) {
        if (files->paths[i]->file)
            file_free(files->paths[i]->file);
        path_free(files->paths[i]);
    }
    for (size_t i = 0; i < files->orphan_count; i++)
        file_free(files->orphans[i]);
    for (size_t i = 0; i < files->spec_count; i++) {
        free(files->specs[i].text);
        free(files->specs[i].pattern);
    }
    for (size_t i = 0; i < files->dir_count; i++)
        free(files->dirs[i].name);
    source_index_done(&files->names);
    source_index_done(&files->inodes);
    free(files->paths);
    free(files->orphans);
    free(files->specs);
    free(files->dirs);
    free(files->kept);
    free(files->slots);
    free(files);
}

void files_notice(struct files *files, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int at = files->state.notice_count++ % FILES_NOTICES;
    vsnprintf(files->state.notices[at], FILES_NOTICE_BYTES, format, arguments);
    va_end(arguments);
}

const struct files_state *files_state(struct files *files)
{
    files->state.behind = (int)files->slot_count;
    return &files->state;
}

/* Large reads for few files, small ones for many: the sum is bounded. */
size_t files_read_size(const struct files *files)
{
    size_t size = READ_TOTAL / (files->slot_count ? files->slot_count : 1);
    if (files->slot_count <= 16)
        return 256 * 1024;
    return size > 64 * 1024 ? 64 * 1024 : size < 4096 ? 4096 : size;
}

/* A look at the beginning costs a call for each growth: in large sets only
 * while the file is short, where a rewrite may overtake us between two looks. */
bool files_verify_head(const struct files *files, const struct source_file *file)
{
    return files->path_count <= LARGE_SET || file->offset < 4 * 1024;
}

/* ---- folders and names ---- */

int files_dir_count(const struct files *files)
{
    return (int)files->dir_count;
}

const char *files_dir(const struct files *files, int dir)
{
    assert(dir >= 0 && (size_t)dir < files->dir_count);
    return files->dirs[dir].name;
}

bool files_dir_is_remote(const struct files *files, int dir)
{
    assert(dir >= 0 && (size_t)dir < files->dir_count);
    return files->dirs[dir].remote;
}

int files_dir_of(struct files *files, const char *name, size_t len)
{
    if (len == 0) {
        name = ".";
        len = 1;
    }
    for (size_t i = files->dir_count; i-- > 0;)
        if (strlen(files->dirs[i].name) == len && memcmp(files->dirs[i].name, name, len) == 0)
            return (int)i;
    files->dirs = memory_resized(files->dirs, 1, (files->dir_count + 1) * sizeof *files->dirs);
    struct source_dir *dir = &files->dirs[files->dir_count++];
    dir->name = memory_zeroed(1, len + 1);
    memcpy(dir->name, name, len);
    dir->remote = scan_is_remote(dir->name);
    return (int)files->dir_count - 1;
}

static uint64_t name_hash(int dir, const char *base)
{
    return source_hash(source_hash(SOURCE_HASH_START, &dir, sizeof dir), base, strlen(base));
}

static struct source_path *find_path(const struct files *files, int dir, const char *base)
{
    struct source_link *link = source_index_first(&files->names, name_hash(dir, base));
    for (; link; link = source_index_next(link)) {
        struct source_path *path =
            (struct source_path *)((char *)link - offsetof(struct source_path, by_name));
        if (path->dir == dir && strcmp(path->base, base) == 0)
            return path;
    }
    return NULL;
}

static struct source_path *add_path(struct files *files, int dir, const char *name, bool found)
{
    const char *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name;
    struct source_path *path = find_path(files, dir, base);
    if (path) {
        path->found = path->found && found;
        return path;
    }
    path = memory_zeroed(1, sizeof *path);
    path->name = source_strdup(name);
    path->base = path->name + (base - name);
    path->dir = dir;
    path->found = found;
    source_index_add(&files->names, &path->by_name, name_hash(dir, base));
    if (files->path_count == files->path_capacity) {
        files->path_capacity = files->path_capacity ? files->path_capacity * 2 : 16;
        files->paths = memory_resized(files->paths, 1, files->path_capacity * sizeof *files->paths);
    }
    files->paths[files->path_count++] = path;
    return path;
}

static size_t dir_length(const char *name)
{
    const char *slash = strrchr(name, '/');
    if (!slash)
        return 0;
    return slash == name ? 1 : (size_t)(slash - name);
}

struct source_path *files_add_path(struct files *files, const char *name, bool found)
{
    return add_path(files, files_dir_of(files, name, dir_length(name)), name, found);
}

/* "dir" + "name", or the name alone in ".", unless the user wrote a dot. */
static void add_in_dir(struct files *files, const struct source_spec *spec, const char *base)
{
    const char *dir = files->dirs[spec->dir].name;
    bool bare = spec->kind == SPEC_GLOB && !strchr(spec->text, '/');
    size_t size = strlen(dir) + strlen(base) + 2;
    char *name = memory_zeroed(1, size);
    snprintf(name, size, "%s%s%s", bare ? "" : dir, bare || dir[strlen(dir) - 1] == '/' ? "" : "/",
             base);
    add_path(files, spec->dir, name, true);
    free(name);
}

/* ---- looking for files ---- */

static struct source_spec *add_spec(struct files *files, enum spec_kind kind, const char *text)
{
    files->specs = memory_resized(files->specs, 1, (files->spec_count + 1) * sizeof *files->specs);
    struct source_spec *spec = &files->specs[files->spec_count++];
    *spec = (struct source_spec){.kind = kind, .text = source_strdup(text), .due = true};
    size_t len = kind == SPEC_FOLDER ? strlen(text) : dir_length(text);
    while (kind == SPEC_FOLDER && len > 1 && text[len - 1] == '/')
        len--;
    char *dir = source_strdup(text);
    dir[len] = '\0';
    spec->dir = kind == SPEC_GLOB && scan_has_wildcard(dir) ? -1 : files_dir_of(files, dir, len);
    free(dir);
    if (kind == SPEC_GLOB) {
        const char *slash = strrchr(text, '/');
        spec->pattern = source_strdup(slash ? slash + 1 : text);
    }
    return spec;
}

static int scan_spec(struct files *files, struct source_spec *spec, size_t *ret_found)
{
    struct scan_names names;
    int result;
    if (spec->dir < 0) {
        result = scan_glob(spec->text, &names);
        for (size_t i = 0; i < names.count; i++)
            files_add_path(files, names.names[i], true);
    } else {
        spec->mtime_ns = scan_mtime_ns(files->dirs[spec->dir].name);
        result = scan_folder(files->dirs[spec->dir].name, spec->pattern, &names);
        for (size_t i = 0; i < names.count; i++)
            add_in_dir(files, spec, names.names[i]);
    }
    *ret_found = names.count;
    scan_done(&names);
    spec->scanned_ns = files->now_ns;
    spec->due = false;
    return result;
}

static void rescan(struct files *files, size_t at)
{
    size_t found;
    int result = scan_spec(files, &files->specs[at], &found);
    struct source_spec *spec = &files->specs[at];
    if (result < 0 && result != -ENOENT && !spec->told)
        files_notice(files, "%s: %s; allow reading the folder", spec->text, strerror(-result));
    spec->told = result < 0 && result != -ENOENT;
}

static bool scan_is_due(const struct files *files, const struct source_spec *spec)
{
    int64_t age = files->now_ns - spec->scanned_ns;
    if (spec->due || age >= FULL_SCAN_NS)
        return true;
    if (age < SCAN_NS)
        return false;
    if (spec->dir < 0)
        return files->path_count < 1024;
    return scan_mtime_ns(files->dirs[spec->dir].name) != spec->mtime_ns;
}

static void scan_due(struct files *files)
{
    for (size_t i = 0; i < files->spec_count; i++)
        if (scan_is_due(files, &files->specs[i]))
            rescan(files, i);
}

void files_add_folder(struct files *files, const char *text)
{
    add_spec(files, SPEC_FOLDER, text);
    rescan(files, files->spec_count - 1);
}

/* ---- adding ---- */

static int fail(char *ret_message, size_t size, int error, const char *spec, const char *what)
{
    snprintf(ret_message, size, "%s: %s", spec, what);
    return error;
}

static int fail_errno(char *ret_message, size_t size, int error, const char *spec)
{
    const char *todo = error == EACCES   ? "Permission denied; allow reading"
                       : error == ENOENT ? "No such file; check the path (a run that has not "
                                           "begun can be awaited with `lockstep watch`)"
                                         : strerror(error);
    return fail(ret_message, size, -error, spec, todo);
}

static int add_found(struct files *files, enum spec_kind kind, const char *text, char *ret_message,
                     size_t size)
{
    struct source_spec *spec = add_spec(files, kind, text);
    size_t found;
    int result = scan_spec(files, spec, &found);
    if (files->options.follow) {
        if (result < 0 && result != -ENOENT)
            files_notice(files, "%s: %s; waiting for it", text, strerror(-result));
        files->specs[files->spec_count - 1].told = result < 0;
        return 0;
    }
    if (result < 0)
        return fail_errno(ret_message, size, -result, text);
    if (!found && kind == SPEC_GLOB)
        return fail(ret_message, size, -ENOENT, text, "no file matches; check the pattern");
    if (!found)
        return fail(ret_message, size, -ENOENT, text,
                    "no file in it ends in .jsonl, .ndjson, .log, .txt or .out; name the files, "
                    "or give a glob in quotes");
    return 0;
}

static bool is_compressed(const char *name)
{
    size_t len = strlen(name);
    return (len > 3 && strcmp(name + len - 3, ".gz") == 0) ||
           (len > 4 && strcmp(name + len - 4, ".zst") == 0);
}

static int add_file(struct files *files, const char *spec, char *ret_message, size_t size)
{
    if (is_compressed(spec))
        return fail(ret_message, size, -EINVAL, spec,
                    "is compressed; unpack it into standard input: zcat FILE | lockstep report -");
    if (!files->options.follow && access(spec, R_OK) < 0)
        return fail_errno(ret_message, size, errno, spec);
    files_add_path(files, spec, false);
    return 0;
}

int files_add(struct files *files, const char *spec, char *ret_message, size_t size)
{
    struct stat status;
    size_t len = strlen(spec);
    if (len == 0)
        return fail(ret_message, size, -EINVAL, "source", "is empty; name a file or a folder");
    bool there = stat(spec, &status) == 0;
    if (!there && errno == ENAMETOOLONG)
        return fail_errno(ret_message, size, errno, "source");
    if ((there && S_ISDIR(status.st_mode)) || (!there && spec[len - 1] == '/'))
        return add_found(files, SPEC_FOLDER, spec, ret_message, size);
    if (!there && scan_has_wildcard(spec))
        return add_found(files, SPEC_GLOB, spec, ret_message, size);
    if (there && !S_ISREG(status.st_mode))
        return fail(ret_message, size, -EINVAL, spec,
                    "is neither a file nor a folder; send it to standard input and name it -");
    return add_file(files, spec, ret_message, size);
}

/* ---- looking at what is there ---- */

void files_set_sweep(struct files *files, int64_t sweep_ns)
{
    files->sweep_ns = sweep_ns;
}

static void look_at(struct files *files, struct source_path *path)
{
    struct source_file *file = path->file;
    bool small = files->path_count < SMALL_SET;
    if (file && file->fd >= 0)
        files_activate(files, file);
    if (!file || file->fd < 0 || small || files->now_ns - path->checked_ns >= CHECK_NS)
        files_check(files, path);
}

/* How many paths are due, so that all are seen once in sweep_ns. */
static size_t share(const struct files *files)
{
    int64_t elapsed = files->now_ns - files->polled_ns;
    if (!files->polled || files->path_count < SMALL_SET || elapsed >= files->sweep_ns)
        return files->tried;
    double part = (double)elapsed / (double)files->sweep_ns;
    size_t count = (size_t)((double)files->path_count * part) + 1;
    return count < files->tried ? count : files->tried;
}

static void sweep(struct files *files)
{
    size_t left = share(files);
    if (left == files->tried)
        files->sweep_at = 0;
    for (; left > 0; left--) {
        if (files->sweep_at >= files->tried)
            files->sweep_at = 0;
        look_at(files, files->paths[files->sweep_at++]);
    }
}

static void poll_orphans(struct files *files)
{
    for (size_t i = 0; i < files->orphan_count; i++) {
        struct source_file *file = files->orphans[i];
        int64_t until = file->last_growth_ns + FILES_LATE_NS;
        bool all_tried = files->tried == files->path_count;
        if (all_tried && files->now_ns >= file->deadline_ns && files->now_ns >= until)
            file_close_when_drained(file);
        files_activate(files, file);
    }
}

/* Names that a scan found and that lead nowhere any more are forgotten. */
static void tidy(struct files *files)
{
    if (files->now_ns - files->tidied_ns < FILES_LATE_NS || !files->state.waiting)
        return;
    size_t kept = 0, tried = files->tried;
    for (size_t i = 0; i < files->path_count; i++) {
        struct source_path *path = files->paths[i];
        if (i < tried && path->found && path->state == PATH_WAITING) {
            source_index_remove(&files->names, &path->by_name);
            files->state.waiting--;
            files->tried--;
            path_free(path);
        } else {
            files->paths[kept++] = path;
        }
    }
    files->path_count = kept;
    files->tidied_ns = files->now_ns;
}

void files_poll(struct files *files, int64_t now_ns)
{
    files->now_ns = now_ns;
    if (files->options.seekable) {
        files_look_for_growth(files);
        return;
    }
    scan_due(files);
    /* A new name may be the new name of a file that is followed: before the old
     * one is looked at. */
    for (int i = 0; i < TRIES_A_POLL && files->tried < files->path_count; i++)
        files_try(files, files->paths[files->tried++]);
    sweep(files);
    poll_orphans(files);
    tidy(files);
    files->polled = true;
    files->polled_ns = now_ns;
}

static void hint_new(struct files *files, int dir, const char *name)
{
    for (size_t i = 0; i < files->spec_count; i++) {
        const struct source_spec *spec = &files->specs[i];
        bool matches =
            spec->pattern ? fnmatch(spec->pattern, name, FNM_PERIOD) == 0 : scan_is_log(name);
        if (spec->dir == dir && matches) {
            add_in_dir(files, spec, name);
            return;
        }
    }
}

void files_hint(struct files *files, int dir, const char *name, bool moved, int64_t now_ns)
{
    files->now_ns = now_ns;
    if (files->options.seekable)
        return;
    if (!name) {
        for (size_t i = 0; i < files->spec_count; i++)
            files->specs[i].due = true;
        files->polled = false; /* the next poll looks at all */
        return;
    }
    struct source_path *path = find_path(files, dir, name);
    if (!path)
        hint_new(files, dir, name);
    else if (moved || !path->file)
        files_check(files, path);
    else
        files_activate(files, path->file);
}
