/* The inside of a set of files, shared by source_files.c (what is looked for),
 * source_path.c (what a name leads to) and source_merge.c (in which order it is
 * delivered). */
#pragma once

#include "source_file.h"
#include "source_files.h"
#include "source_index.h"
#include "spool.h"

/* Compressed files that are decompressed side by side; each of the others is laid open in one go,
 * so that memory is bounded. */
#define PACKED_MAX 32

/* Paths from which on a look at a file is kept to as few calls as possible. */
#define LARGE_SET 1024

enum path_state {
    PATH_NEW,        /* not tried yet */
    PATH_FOLLOWED,   /* path->file is what the name leads to */
    PATH_WAITING,    /* nothing there */
    PATH_UNREADABLE, /* something, but not for us */
    PATH_ALIAS,      /* another name of a file that is followed already */
    PATH_FINISHED,   /* read to its end, and not followed; or it became a folder */
};

/* A name, which may lead to one file now and to another later. */
struct source_path {
    struct source_link by_name;
    int dir;
    const char *base;         /* within name */
    char *name;               /* owned; as the user wrote it */
    struct source_file *file; /* owned; NULL unless PATH_FOLLOWED */
    struct order heir;        /* what the next file under this name goes on from */
    enum path_state state;
    bool replaced;      /* the name leads elsewhere: drain the old, then switch */
    bool found;         /* by a scan: forgotten when it is gone */
    bool told;          /* a notice about its state was given */
    int64_t checked_ns; /* when the name was last looked at */
    int64_t gone_ns;    /* since when the name leads nowhere; 0: it does not */
    int64_t lost_ns; /* likewise, of one whose file is read no more; 0: it has one, or had none */
};

enum spec_kind { SPEC_FOLDER, SPEC_GLOB };

/* What new files are looked for by. */
struct source_spec {
    enum spec_kind kind;
    char *text;    /* as the user wrote it */
    int dir;       /* the folder; -1: wildcards in it */
    char *pattern; /* of the last part; NULL: logs by their ending */
    bool due;
    bool told, told_packed;
    int64_t scanned_ns;
    int64_t mtime_ns; /* of the folder at the last scan */
};

struct source_dir {
    char *name;
    bool remote;
};

/* A file that is to be read, in the merge. */
struct merge_slot {
    struct source_file *file;
    struct order_key key; /* of file->head, when filled */
    bool filled;
    bool recalled; /* by files_go(): its next record was the head before, counted and ordered */
    bool odd;      /* recalled: the head's key was the lowest */
};

struct files {
    struct files_options options;
    struct stream_totals *totals; /* borrowed */
    struct files_state state;
    struct source_path **paths;
    size_t path_count, path_capacity;
    size_t tried; /* paths before it have been tried */
    struct source_index names, inodes;
    struct source_spec *specs;
    size_t spec_count;
    struct source_dir *dirs;
    size_t dir_count;
    struct source_file **orphans; /* owned: files whose name leads elsewhere */
    size_t orphan_count, orphan_capacity;
    struct source_file **kept; /* seekable: all files by number, in the order of their slots */
    size_t kept_count, kept_capacity;
    int64_t finished_bytes; /* of files that were freed */
    struct spool
        *spool;       /* owned; of what is laid open; NULL: nothing yet, or a twin: they share it */
    int packed_count; /* compressed files so far */
    int laid_count;   /* files with other formats that were laid open */
    struct merge_slot *slots; /* borrowed files */
    size_t slot_count, slot_capacity;
    bool in_round;              /* heads with the key `round` are being delivered: */
    size_t round_at;            /* ... from this slot on */
    struct order_key round_key; /* so that the order is the same with any budget */
    int open_count, open_max;
    bool told_descriptors;
    int lost_count; /* found by a scan, and lost together; the first of them: */
    int64_t lost_ns;
    char lost_name[FILES_NOTICE_BYTES];
    int uncounted; /* paths in states that are not counted */
    size_t hand;   /* of the clock that chooses which descriptor to close */
    size_t sweep_at;
    bool polled;
    int64_t sweep_ns, polled_ns, now_ns, tidied_ns;
};

/* source_merge.c: puts the file on the list of those to be read. */
void files_activate(struct files *files, struct source_file *file);

/* source_mark.c: sums up what came after the files were opened, some at a time. */
void files_look_for_growth(struct files *files);

/* source_path.c: what a name leads to */
void files_try(struct files *files, struct source_path *path);    /* opens what it leads to */
void files_check(struct files *files, struct source_path *path);  /* whether it still does */
void files_switch(struct files *files, struct source_path *path); /* to the new file */
void files_set_state(struct files *files, struct source_path *path, enum path_state state);
bool files_reopen(struct files *files, struct source_file *file);
void files_idle(struct files *files, struct source_file *file);     /* it was read to its end */
void files_finished(struct files *files, struct source_file *file); /* drained: frees it, or not */
void files_own(struct files *files, struct source_path *path, struct source_file *file);
void files_lost(struct files *files, struct source_file *file); /* it can't be opened again */

/* source_find.c: names */
int files_dir_of(struct files *files, const char *name, size_t len); /* interned */
struct source_path *files_find_path(const struct files *files, int dir, const char *base);
void files_add_in_dir(struct files *files, const struct source_spec *spec, const char *base);
void files_scan_due(struct files *files);
struct source_path *files_add_path(struct files *files, const char *name, bool found);
void files_add_folder(struct files *files, const char *text);

/* source_files.c */
size_t files_read_size(const struct files *files);
bool files_verify_head(const struct files *files, const struct source_file *file);
