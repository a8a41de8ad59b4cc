/* One ":::MLLOG {...}" of MLPerf: what of it matters for step times. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

enum mllog_key {
    MLLOG_OTHER_KEY,
    MLLOG_BATCH,    /* global_batch_size */
    MLLOG_SEQUENCE, /* max_sequence_length */
    MLLOG_RUN_START,
    MLLOG_RUN_STOP,
    MLLOG_BLOCK_START,
    MLLOG_BLOCK_STOP,
    MLLOG_EVAL_START,
    MLLOG_EVAL_STOP,
    MLLOG_STATS,   /* tracked_stats */
    MLLOG_OVERALL, /* overall_throughput: samples a second of the whole run */
};

struct mllog_number {
    bool given, none; /* none: it stands there, but is nan, null or the like */
    double value;
    struct str text; /* as it stands there, without quotes */
};

#define MLLOG_LISTED 12

/* Members of tracked_stats that were read already: all of them are numbers. */
struct mllog_list {
    unsigned count;
    struct {
        struct str name;
        struct mllog_number number;
    } at[MLLOG_LISTED];
};

struct mllog_entry {
    enum mllog_key key;
    int64_t time_ns;
    bool has_time;
    struct str time;                          /* as it stands there */
    struct mllog_number value, step, samples; /* step and samples_count of the metadata */
    struct str stats;                         /* the object of tracked_stats; empty: none */
    const struct mllog_list *list;            /* what is in it; NULL: it is to be read */
};

#define MLLOG_SCRATCH 4096

/* The entry whose ":::MLLOG" ends before `text`; *ret_end: where it ends in text. scratch: room of
 * MLLOG_SCRATCH bytes, in which slices of the entry may be. False: no whole entry. */
bool mllog_read(struct str text, char *scratch, struct mllog_entry *entry, const char **ret_end);

/* Which member of tracked_stats comes next. All zero is the first. */
struct mllog_cursor {
    const char *at;
    unsigned index;
};

/* The members of entry->stats one by one. */
bool mllog_next_stat(const struct mllog_entry *entry, struct mllog_cursor *cursor,
                     struct str *ret_name, struct mllog_number *ret);

/* Of a member: whether it is a step's time in seconds; any time, and its unit, "": not known. */
bool mllog_names_step_time(struct str name);
bool mllog_names_time(struct str name);
const char *mllog_time_unit(struct str name);

/* Of ":::SYSJSON {...}": "number_of_nodes" x "accelerators_per_node". */
int64_t mllog_gpus(struct str text, int64_t otherwise);
