/* A set of files that are followed by name: files, folders and globs, through
 * rotation, truncation, deletion and return; read side by side in the order of
 * their steps. Plain POSIX, no loop: the caller says what time it is.
 *
 * No record is lost and none doubled when a file is renamed (late writes to the
 * old one are awaited for FILES_LATE_NS), copied and truncated, overwritten,
 * deleted and made anew, replaced, or reached by two names. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sink.h"
#include "stream.h"

#define FILES_LATE_NS INT64_C(5000000000) /* how long a renamed file is still read */
#define FILES_SWEEP_NS INT64_C(250000000) /* default time in which all files are looked at */
#define FILES_NOTICES 8
#define FILES_NOTICE_BYTES 256

struct files_options {
    bool follow;         /* wait for files and for growth; false: read what is there, once */
    bool seekable;       /* not followed: files_mark() and files_go() work; what is compressed is
                            laid open in a temporary file without a name, in $TMPDIR or /tmp */
    int threads;         /* that decode: 0, 1: the caller's alone; the order of records and all
                            counts are the same */
    const char *only;    /* of the files in a folder: those of this run (source_runs.h); borrowed;
                            NULL: all */
    int descriptors_max; /* files held open at most; 0: what the system allows */
};

/* As many threads as were asked for; 0: two where that leaves a processor for others, since a
 * second one makes reading a sixth quicker and takes half as much processor time more. */
int files_threads(int asked);

struct files;

enum files_more {
    FILES_IDLE, /* all that is there was read (follow = false: all is done) */
    FILES_MORE, /* call again */
};

/* For the screen. Names in it are raw bytes of the file system. */
struct files_state {
    int followed;          /* files being read */
    int waiting;           /* named, but not there */
    int unreadable;        /* there, but not to be read: permission, not a regular file */
    int unfinished;        /* read in part: the disk failed, no room to lay it open, it was cut */
    int behind;            /* files that have more to read now */
    int gone;              /* files that were followed until they were deleted or moved away, for
                              FILES_LATE_NS at least: those that were named, and where no file is
                              left those that a folder or glob gave, too */
    int64_t gone_ns;       /* of the first of them: since when, by the caller's clock */
    const char *gone_name; /* its name; until the next call */
    int64_t grown_bytes;   /* seekable: what files grew since they were opened; it is not read */
    int notice_count; /* in all; the last FILES_NOTICES are kept, n-th in [n % FILES_NOTICES] */
    char notices[FILES_NOTICES][FILES_NOTICE_BYTES];
};

/* *totals is borrowed and must outlive the set. */
struct files *files_new(const struct files_options *options, struct stream_totals *totals);
void files_free(struct files *files);

/* `spec`: a file, a folder (its files ending in .jsonl, .ndjson, .log, .txt or
 * .out, one level deep) or a glob. 0, or negative errno with a sentence in
 * ret_message: what is wrong, where, and what to do. While following, what is
 * not there yet is no error. Nothing is read here. */
int files_add(struct files *files, const char *spec, char *ret_message, size_t size);

/* Delivers about max_records records, oldest step first. The sink must not call
 * this set. */
enum files_more files_pump(struct files *files, const struct sink *sink, int64_t now_ns,
                           size_t max_records);

/* Looks for growth, rotation and new files; what it finds is read by the next
 * files_pump(). To be called about four times a second; each call looks at the
 * share of the files that is due, so that all are seen once in sweep_ns. */
void files_poll(struct files *files, int64_t now_ns);
void files_set_sweep(struct files *files, int64_t sweep_ns);

/* Folders to be watched for notices; the count grows, an index stays. */
int files_dir_count(const struct files *files);
const char *files_dir(const struct files *files, int dir);
bool files_dir_is_remote(const struct files *files, int dir); /* notices can't be relied upon */

/* A notice: something happened to `name` in that folder (NULL: to something). `moved`: it
 * was made, renamed or deleted, not only written to. */
void files_hint(struct files *files, int dir, const char *name, bool moved, int64_t now_ns);

const struct files_state *files_state(struct files *files); /* valid until the next call */

/* Leaves a notice among the last ones (printf-like). */
void files_notice(struct files *files, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- places to go back to (options.seekable) ---- */

/* A place between two records of the whole set, as files_pump() delivers them. */
struct files_mark;

/* While it is walked about in, a set is what was there when it was opened: what a file grows by is
 * not read (files_state.grown_bytes, which files_poll() looks after), and where one was cut its
 * records end, with a notice. */

/* Where the set stands now; between two calls of files_pump(). The caller owns it. */
struct files_mark *files_mark(const struct files *files);
void files_mark_free(struct files_mark *mark);
size_t files_mark_bytes(const struct files_mark *mark);

/* A second set over the very same files, at their beginning; it has descriptors of its own, and
 * shares what was laid open of compressed ones (one thread for both). *totals as in files_new().
 * `files` must outlive it. */
struct files *files_twin(struct files *files, struct stream_totals *totals);

/* Goes to a mark that was made of this set, or of its twin: the next records are the same, in the
 * same order, as after the mark was made. 0, or negative errno: a file is gone, or is no longer
 * what was read (-ESTALE); files_state() has the sentence. Counts in *totals go on. */
int files_go(struct files *files, const struct files_mark *mark);

/* What was read, of what there is, in bytes of the files themselves (compressed ones as they are);
 * *ret_all grows while files are opened, and with those that are followed. */
void files_progress(const struct files *files, int64_t *ret_read, int64_t *ret_all);

/* When the one of them that was written to last was, by the clock of the file system, Unix time; as
 * it was known when it was opened or looked at last. 0: there is none. */
int64_t files_written_ns(const struct files *files);
