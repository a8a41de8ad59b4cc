/* Which files a folder or a glob names. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct formats;

/* Texts found; owned. */
struct scan_names {
    char **names;
    size_t count, capacity;
};

/* Whether a name in a folder is a log by its ending (.jsonl, .ndjson, .log,
 * .txt, .out, .err; .gz or .zst may stand behind that), not hidden. */
bool scan_is_log(const char *name);

/* Whether it may be one: .json or .csv (.gz or .zst may stand behind that), not hidden, no
 * run.json. What it holds tells. */
bool scan_may_be_log(const char *name);

/* Whether `name` in folder `dir` is a log: by its ending, or by that and its beginning, where
 * formats other than our own records are read (NULL: none). */
bool scan_wants(const char *dir, const char *name, const struct formats *formats);

/* The names in folder `dir` that are regular files (or symlinks) and match the
 * pattern (fnmatch, without a slash), or, with pattern NULL, are logs (scan_wants()); sorted. 0 or
 * negative errno. Free by scan_done() in both cases. */
int scan_folder(const char *dir, const char *pattern, const struct formats *formats,
                struct scan_names *ret_names);

/* The paths that match a pattern with wildcards in any part; sorted. */
int scan_glob(const char *pattern, struct scan_names *ret_names);

void scan_done(struct scan_names *names);

/* Said of a folder, and of a glob, where nothing was found. */
#define SCAN_NO_LOG                                                                                \
    "no file in it ends in .jsonl, .ndjson, .log, .txt, .out or .err (compressed: .gz or .zst "    \
    "behind "                                                                                      \
    "that), or is a trace or log in .json or .csv; name the files, or give a glob in quotes"
#define SCAN_NO_MATCH "no file matches; check the pattern"

bool scan_has_wildcard(const char *text);

/* The folder's time of change; 0 when it can't be known. */
int64_t scan_mtime_ns(const char *dir);

/* Whether the kernel's notices and sizes can't be relied upon under this path:
 * a network, FUSE or stacked file system, or one that is not known here. */
bool scan_is_remote(const char *path);
