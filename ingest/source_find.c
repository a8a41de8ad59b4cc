/* A set of files: what it is given (files, folders, globs), and the names that are
 * found by that. */
#include "source_set.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inflate.h"
#include "log_facts.h"
#include "memory.h"
#include "source_look.h"
#include "source_runs.h"
#include "source_scan.h"

#define SCAN_NS INT64_C(1000000000)
#define KINDS_LOOKS 16 /* files of a folder that are looked at */
#define KINDS_TOLD 4
#define FULL_SCAN_NS INT64_C(5000000000)

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

struct source_path *files_find_path(const struct files *files, int dir, const char *base)
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
    struct source_path *path = files_find_path(files, dir, base);
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
    if (files->totals->book)
        log_names_meet(&files->totals->book->names, name);
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
void files_add_in_dir(struct files *files, const struct source_spec *spec, const char *base)
{
    const char *dir = files->dirs[spec->dir].name;
    if (spec->kind == SPEC_FOLDER && !runs_match(files->options.only, base))
        return; /* of a run that was not asked for */
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

static bool is_packed(const char *name)
{
    return inflate_plain_length(name) < strlen(name);
}

/* What is compressed does not grow: its names go behind the others, which are counted. */
static size_t leave_out_packed(struct scan_names *names)
{
    size_t kept = 0;
    for (size_t i = 0; i < names->count; i++) {
        char *name = names->names[i];
        if (is_packed(name))
            continue;
        names->names[i] = names->names[kept];
        names->names[kept++] = name;
    }
    return kept;
}

static void tell_packed(struct files *files, struct source_spec *spec, const char *name)
{
    if (!spec->told_packed)
        files_notice(files,
                     "%s: compressed files in it are not followed (%s); `lockstep replay` or "
                     "`lockstep report` reads them",
                     spec->text, name);
    spec->told_packed = true;
}

static int scan_spec(struct files *files, struct source_spec *spec, size_t *ret_found)
{
    struct scan_names names;
    size_t kept;
    int result;
    if (spec->dir < 0) {
        result = scan_glob(spec->text, &names);
        kept = files->options.follow ? leave_out_packed(&names) : names.count;
        for (size_t i = 0; i < kept; i++)
            files_add_path(files, names.names[i], true);
    } else {
        spec->mtime_ns = scan_mtime_ns(files->dirs[spec->dir].name);
        result =
            scan_folder(files->dirs[spec->dir].name, spec->pattern, files->totals->formats, &names);
        kept = files->options.follow ? leave_out_packed(&names) : names.count;
        for (size_t i = 0; i < kept; i++)
            files_add_in_dir(files, spec, names.names[i]);
    }
    *ret_found = kept;
    if (kept < names.count)
        tell_packed(files, spec, names.names[kept]);
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

void files_scan_due(struct files *files)
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

/* A look at some of the files that were found in a folder, from the path `from` on: logs of
 * several kinds may be of one run, or not. */
static void tell_kinds(struct files *files, const char *folder, size_t from)
{
    const char *titles[KINDS_TOLD];
    char text[FILES_NOTICE_BYTES];
    size_t count = 0, used = 0, found = files->path_count - from;
    size_t every = found > KINDS_LOOKS ? found / KINDS_LOOKS : 1;
    for (size_t i = from; files->totals->formats && i < files->path_count; i += every) {
        const char *title;
        size_t k = 0;
        if (look_at_beginning(files->paths[i]->name, files->totals->formats, &title) ==
            LOOK_NOTHING)
            continue;
        while (k < count && strcmp(titles[k], title) != 0)
            k++;
        if (k < count || count == KINDS_TOLD)
            continue;
        titles[count++] = title;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.32s", k ? ", " : "", title);
    }
    if (count > 1)
        files_notice(files,
                     "%.60s: its files are of several kinds (%.100s), read as one run; to read one "
                     "kind, name its files",
                     folder, text);
}

static int add_found(struct files *files, enum spec_kind kind, const char *text, char *ret_message,
                     size_t size)
{
    struct source_spec *spec = add_spec(files, kind, text);
    size_t found, known = files->path_count;
    int result = scan_spec(files, spec, &found);
    if (kind == SPEC_FOLDER)
        tell_kinds(files, text, known);
    if (files->options.follow) {
        if (result < 0 && result != -ENOENT)
            files_notice(files, "%s: %s; waiting for it", text, strerror(-result));
        files->specs[files->spec_count - 1].told = result < 0;
        return 0;
    }
    if (result < 0)
        return fail_errno(ret_message, size, -result, text);
    if (!found && kind == SPEC_GLOB)
        return fail(ret_message, size, -ENOENT, text, SCAN_NO_MATCH);
    if (!found)
        return fail(ret_message, size, -ENOENT, text, SCAN_NO_LOG);
    return 0;
}

static int add_file(struct files *files, const char *spec, char *ret_message, size_t size)
{
    if (files->options.follow && is_packed(spec))
        return fail(ret_message, size, -EINVAL, spec,
                    "is compressed and can't be followed; `lockstep replay` or `lockstep report` "
                    "reads it");
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
