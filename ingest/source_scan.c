/* Which files a folder or a glob names. */
#include "source_scan.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "inflate.h"
#include "memory.h"
#include "source_index.h"
#include "source_look.h"

#define PATH_BYTES 4096

/* Behind it .gz or .zst may stand. */
static bool ends_in_one(const char *name, const char *const *endings)
{
    size_t len = inflate_plain_length(name);
    if (name[0] == '.')
        return false;
    for (; *endings; endings++) {
        size_t ending = strlen(*endings);
        if (len > ending && memcmp(name + len - ending, *endings, ending) == 0)
            return true;
    }
    return false;
}

bool scan_is_log(const char *name)
{
    static const char *const endings[] = {".jsonl", ".ndjson", ".log", ".txt", ".out", ".err", NULL};
    return ends_in_one(name, endings);
}

bool scan_may_be_log(const char *name)
{
    static const char *const endings[] = {".json", ".csv", NULL};
    return ends_in_one(name, endings) && strcmp(name, "run.json") != 0;
}

bool scan_wants(const char *dir, const char *name, const struct formats *formats)
{
    char path[PATH_BYTES];
    if (scan_is_log(name))
        return true;
    if (!formats || !scan_may_be_log(name) ||
        snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path)
        return false;
    return look_at_beginning(path, formats, NULL) != LOOK_NOTHING;
}

static void names_add(struct scan_names *names, const char *name)
{
    if (names->count == names->capacity) {
        names->capacity = names->capacity ? names->capacity * 2 : 64;
        names->names = memory_resized(names->names, 1, names->capacity * sizeof *names->names);
    }
    names->names[names->count++] = source_strdup(name);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void names_sort(struct scan_names *names)
{
    if (names->count)
        qsort(names->names, names->count, sizeof *names->names, by_text);
}

static bool wanted(const struct dirent *entry, const char *dir, const char *pattern,
                   const struct formats *formats)
{
    if (entry->d_type != DT_REG && entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN)
        return false;
    if (pattern)
        return fnmatch(pattern, entry->d_name, FNM_PERIOD) == 0;
    return scan_wants(dir, entry->d_name, formats);
}

int scan_folder(const char *dir, const char *pattern, const struct formats *formats,
                struct scan_names *ret_names)
{
    *ret_names = (struct scan_names){0};
    DIR *folder = opendir(dir);
    if (!folder)
        return -errno;
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(folder);
        if (!entry)
            break;
        if (wanted(entry, dir, pattern, formats))
            names_add(ret_names, entry->d_name);
    }
    int result = -errno;
    closedir(folder);
    names_sort(ret_names);
    return result;
}

int scan_glob(const char *pattern, struct scan_names *ret_names)
{
    *ret_names = (struct scan_names){0};
    glob_t found = {0};
    int result = glob(pattern, GLOB_NOSORT, NULL, &found);
    if (result == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            names_add(ret_names, found.gl_pathv[i]);
    globfree(&found);
    names_sort(ret_names);
    return result == GLOB_NOSPACE ? -ENOMEM : result == GLOB_ABORTED ? -EIO : 0;
}

void scan_done(struct scan_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->names[i]);
    free(names->names);
    *names = (struct scan_names){0};
}

bool scan_has_wildcard(const char *text)
{
    return strpbrk(text, "*?[") != NULL;
}

int64_t scan_mtime_ns(const char *dir)
{
    struct stat status;
    if (stat(dir, &status) < 0)
        return 0;
    return (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
}

/* Local ones; every other file system is polled. */
static const unsigned long local_magic[] = {
    EXT4_SUPER_MAGIC,     XFS_SUPER_MAGIC,      BTRFS_SUPER_MAGIC,    TMPFS_MAGIC,
    F2FS_SUPER_MAGIC,     RAMFS_MAGIC,          0x2fc12fc1 /* ZFS */, 0xca451a4e /* bcachefs */,
    0x3153464a /* JFS */, REISERFS_SUPER_MAGIC, MSDOS_SUPER_MAGIC,    0x2011bab0 /* exFAT */};

bool scan_is_remote(const char *path)
{
    struct statfs status;
    if (statfs(path, &status) < 0)
        return true;
    for (size_t i = 0; i < sizeof local_magic / sizeof *local_magic; i++)
        if ((unsigned long)status.f_type == local_magic[i])
            return false;
    return true;
}
