/* The entries of a line. Of lines of tracked_stats that differ from the last one in digits alone
 * only the numbers are read. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "decode_mllog_line.h"
#include "log_form.h"

/* A number of the line: where it begins. */
struct mllog_place {
    uint8_t run; /* LOG_FORM_NO_RUN: it is not there */
    bool decimal;
    uint16_t name_before, name_length; /* of a member's name: bytes from its begin to the run */
};

struct mllog_again {
    struct log_form form;
    struct mllog_place time, step, samples, listed[MLLOG_LISTED];
    uint8_t number_count, numbers[LOG_FORM_RUNS]; /* runs outside of strings */
    uint64_t begins;                              /* bit: that run is the first of its number */
    struct mllog_list list;
};

/* All zero is the beginning. */
struct mllog_reader {
    struct mllog_again again; /* the last line of tracked_stats */
    char scratch[MLLOG_SCRATCH];
};

#define MLLOG_MARK ":::MLLOG"
enum mllog_found { MLLOG_NONE, MLLOG_ENTRY, MLLOG_TORN };

/* The next entry of the line; *at is 0 at first, and stays so when there is none. The entry holds
 * until the next call. */
enum mllog_found mllog_next(struct mllog_reader *reader, struct str line, size_t *at,
                            struct mllog_entry *entry);
