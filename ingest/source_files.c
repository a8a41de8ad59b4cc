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

int files_threads(int asked)
{
    return asked > 0 ? asked : sysconf(_SC_NPROCESSORS_ONLN) > 2 ? 2 : 1;
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
    spool_free(files->spool);
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

static void look_for_gone(struct files *files)
{
    struct files_state *state = &files->state;
    state->gone = 0;
    if (state->followed == 0 && files->lost_count > 0) {
        state->gone = files->lost_count;
        state->gone_ns = files->lost_ns;
        state->gone_name = files->lost_name;
    }
    for (size_t i = 0; state->waiting > 0 && i < files->path_count; i++) {
        const struct source_path *path = files->paths[i];
        if (path->state != PATH_WAITING || !path->lost_ns || path->found ||
            files->now_ns - path->lost_ns < FILES_LATE_NS)
            continue;
        if (state->gone++ > 0 && path->lost_ns >= state->gone_ns)
            continue;
        state->gone_ns = path->lost_ns;
        state->gone_name = path->name;
    }
}

const struct files_state *files_state(struct files *files)
{
    look_for_gone(files);
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
    files_scan_due(files);
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
        if (spec->dir != dir)
            continue;
        if (spec->pattern ? fnmatch(spec->pattern, name, FNM_PERIOD) == 0
                          : scan_wants(files->dirs[dir].name, name, files->totals->formats)) {
            files_add_in_dir(files, spec, name);
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
    struct source_path *path = files_find_path(files, dir, name);
    if (!path)
        hint_new(files, dir, name);
    else if (moved || !path->file)
        files_check(files, path);
    else
        files_activate(files, path->file);
}
