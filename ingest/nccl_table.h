/* The communicators that one process is in, the functions that it calls, and which of
 * them are followed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nccl_record.h"

#define NCCL_GROUPS_MAX 64
#define NCCL_FUNCTIONS_MAX 12

/* A communicator, as this process sees it. */
struct nccl_group {
    char id[32], name[48];
    int64_t rank, ranks;
    bool beside; /* it was used while the one like it that is followed was, too */
    uint64_t records;
    uint64_t calls[NCCL_FUNCTIONS_MAX];
    uint8_t sequences[NCCL_FUNCTIONS_MAX]; /* of nccl_whole.h */
};

/* All zero is empty. */
struct nccl_table {
    struct nccl_group groups[NCCL_GROUPS_MAX];
    size_t count;
    char functions[NCCL_FUNCTIONS_MAX][24];
    char bandwidths[NCCL_FUNCTIONS_MAX][48]; /* how their bus bandwidth is called */
    size_t function_count;
};

bool nccl_group_is(const struct nccl_group *one, const struct nccl_record *record);

/* Its index, made when it is new; -1: there is no room. */
int64_t nccl_table_group(struct nccl_table *table, const struct nccl_record *record);
int64_t nccl_table_function(struct nccl_table *table, const char *name);

/* What is followed: of the communicators that are really used the one with the most ranks, on it
 * the function that is called most. False: none is used. */
bool nccl_table_choose(const struct nccl_table *table, uint16_t *ret_group, uint16_t *ret_function);

/* Whether one may have taken the place of the other: the same rank of as many, by the same name. */
bool nccl_table_alike(const struct nccl_table *table, size_t one, size_t other);

/* The one with the most ranks; there must be one. */
const struct nccl_group *nccl_table_largest(const struct nccl_table *table);
