/* Follows a set of files inside the loop. */
#include "source_watch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <uv.h>

#include "memory.h"
#include "source_index.h"

#define POLL_NS INT64_C(250000000)
#define BACKSTOP_NS INT64_C(3000000000) /* all files in this time while notices work */
#define RENEW_NS INT64_C(2000000000)
#define SLICE_NS INT64_C(5000000)
#define SLICE_RECORDS 512

struct watch_folder {
    uv_fs_event_t handle; /* first: its close callback frees the folder */
    struct watch *watch;
    int dir;
    bool active;
    dev_t dev;
    ino_t ino;
};

struct watch {
    struct loop *loop;   /* borrowed */
    struct files *files; /* borrowed */
    struct sink sink;
    struct loop_timer *timer;
    struct loop_work *work;
    struct watch_folder **folders; /* by index of files_dir() */
    int folder_count;
    bool poll_only;
    bool told;
    bool behind;
    bool caught_up; /* once */
    int64_t renewed_ns;
};

/* ---- reading ---- */

static bool on_slice(void *to, int64_t now_ns)
{
    struct watch *watch = to;
    int64_t at_ns = now_ns;
    enum files_more more;
    do {
        more = files_pump(watch->files, &watch->sink, at_ns, SLICE_RECORDS);
        at_ns = loop_now_ns(watch->loop);
    } while (more == FILES_MORE && at_ns - now_ns < SLICE_NS);
    watch->behind = more == FILES_MORE;
    watch->caught_up = watch->caught_up || !watch->behind;
    return watch->behind;
}

/* ---- notices ---- */

static void on_notice(uv_fs_event_t *handle, const char *name, int events, int status)
{
    struct watch_folder *folder = (struct watch_folder *)handle;
    struct watch *watch = folder->watch;
    if (status < 0)
        folder->active = false; /* renewed, or polled */
    files_hint(watch->files, folder->dir, name, (events & UV_RENAME) != 0,
               loop_now_ns(watch->loop));
    loop_work_wake(watch->work);
}

static void begin_notices(struct watch *watch, struct watch_folder *folder)
{
    struct stat status;
    const char *name = files_dir(watch->files, folder->dir);
    if (stat(name, &status) < 0)
        return;
    folder->dev = status.st_dev;
    folder->ino = status.st_ino;
    int result = uv_fs_event_start(&folder->handle, on_notice, name, 0);
    folder->active = result == 0;
    if (result < 0 && result != UV_ENOENT && !watch->told) {
        watch->told = true;
        files_notice(watch->files,
                     "%s: no notices from the kernel (%s): looking four times a "
                     "second instead",
                     name,
                     result == UV_ENOSPC   ? "fs.inotify.max_user_watches is used up"
                     : result == UV_EMFILE ? "fs.inotify.max_user_instances is used up"
                                           : uv_strerror(result));
    }
}

static void add_folder(struct watch *watch)
{
    struct watch_folder *folder = memory_zeroed(1, sizeof *folder);
    folder->watch = watch;
    folder->dir = watch->folder_count++;
    uv_fs_event_init(loop_uv(watch->loop), &folder->handle);
    watch->folders =
        memory_resized(watch->folders, 1, (size_t)watch->folder_count * sizeof *watch->folders);
    watch->folders[folder->dir] = folder;
    if (!watch->poll_only && !files_dir_is_remote(watch->files, folder->dir))
        begin_notices(watch, folder);
}

/* A folder that was deleted and made anew sends no more notices to the old watch. */
static void renew(struct watch *watch, struct watch_folder *folder)
{
    struct stat status;
    if (watch->poll_only || files_dir_is_remote(watch->files, folder->dir))
        return;
    bool there = stat(files_dir(watch->files, folder->dir), &status) == 0;
    if (folder->active && there && status.st_dev == folder->dev && status.st_ino == folder->ino)
        return;
    uv_fs_event_stop(&folder->handle);
    folder->active = false;
    if (there && !watch->told)
        begin_notices(watch, folder);
}

int watch_folders(const struct watch *watch)
{
    int count = 0;
    for (int i = 0; i < watch->folder_count; i++)
        count +=
            watch->folders[i]->active && !files_dir_is_remote(watch->files, watch->folders[i]->dir);
    return count;
}

static void on_timer(void *to, int64_t now_ns)
{
    struct watch *watch = to;
    while (watch->folder_count < files_dir_count(watch->files))
        add_folder(watch);
    if (now_ns - watch->renewed_ns >= RENEW_NS) {
        watch->renewed_ns = now_ns;
        for (int i = 0; i < watch->folder_count; i++)
            renew(watch, watch->folders[i]);
    }
    bool prompt = watch_folders(watch) == watch->folder_count;
    files_set_sweep(watch->files, prompt ? BACKSTOP_NS : POLL_NS);
    files_poll(watch->files, now_ns);
    loop_work_wake(watch->work);
}

/* ---- making and ending ---- */

struct watch *watch_new(struct loop *loop, struct files *files, const struct watch_options *options,
                        const struct sink *sink)
{
    struct watch *watch = memory_zeroed(1, sizeof *watch);
    watch->loop = loop;
    watch->files = files;
    watch->sink = *sink;
    watch->poll_only = options->poll_only;
    watch->renewed_ns = loop_now_ns(loop);
    watch->work = loop_work_new(loop, on_slice, watch);
    watch->timer = loop_timer_new(loop, POLL_NS, POLL_NS, on_timer, watch);
    while (watch->folder_count < files_dir_count(files))
        add_folder(watch);
    loop_work_wake(watch->work);
    return watch;
}

static void on_closed(uv_handle_t *handle)
{
    free(handle);
}

void watch_free(struct watch *watch)
{
    if (!watch)
        return;
    for (int i = 0; i < watch->folder_count; i++)
        uv_close((uv_handle_t *)&watch->folders[i]->handle, on_closed);
    loop_timer_free(watch->timer);
    loop_work_free(watch->work);
    free(watch->folders);
    free(watch);
}

bool watch_has_caught_up(const struct watch *watch)
{
    return watch->caught_up;
}

bool watch_is_behind(const struct watch *watch)
{
    return watch->behind;
}
