/* The communicators and functions of one process. */
#include "nccl_table.h"

#include <stdio.h>
#include <string.h>

#define USED_SHARE 64 /* less than 1/64 of the most used one's records: hardly used */

bool nccl_group_is(const struct nccl_group *one, const struct nccl_record *record)
{
    return strcmp(one->id, record->communicator) == 0 && one->rank == record->rank &&
           one->ranks == record->ranks;
}

int64_t nccl_table_group(struct nccl_table *table, const struct nccl_record *record)
{
    for (size_t i = table->count; i-- > 0;)
        if (nccl_group_is(&table->groups[i], record))
            return (int64_t)i;
    if (table->count == NCCL_GROUPS_MAX)
        return -1;
    struct nccl_group *made = &table->groups[table->count];
    *made = (struct nccl_group){.rank = record->rank, .ranks = record->ranks};
    memcpy(made->id, record->communicator, sizeof(made->id));
    memcpy(made->name, record->name, sizeof(made->name));
    return (int64_t)table->count++;
}

int64_t nccl_table_function(struct nccl_table *table, const char *name)
{
    for (size_t i = 0; i < table->function_count; i++)
        if (strcmp(table->functions[i], name) == 0)
            return (int64_t)i;
    if (table->function_count == NCCL_FUNCTIONS_MAX)
        return -1;
    size_t made = table->function_count++;
    str_copy(table->functions[made], sizeof(table->functions[0]), str_from(name));
    snprintf(table->bandwidths[made], sizeof(table->bandwidths[0]), "%s bus bandwidth", name);
    return (int64_t)made;
}

/* ---- which sequence ---- */

/* In all processes alike: by what they have in common. */
static bool better(const struct nccl_group *one, const struct nccl_group *other)
{
    if (one->ranks != other->ranks)
        return one->ranks > other->ranks;
    if (one->records > 2 * other->records || other->records > 2 * one->records)
        return one->records > other->records;
    int names = strcmp(one->name, other->name); /* ids may be of parts of the job */
    return names != 0 ? names < 0 : strcmp(one->id, other->id) < 0;
}

bool nccl_table_choose(const struct nccl_table *table, uint16_t *ret_group, uint16_t *ret_function)
{
    uint64_t most = 0;
    const struct nccl_group *best = NULL;
    for (size_t i = 0; i < table->count; i++)
        if (table->groups[i].records > most)
            most = table->groups[i].records;
    for (size_t i = 0; i < table->count; i++) {
        const struct nccl_group *one = &table->groups[i];
        if (one->records > most / USED_SHARE && (!best || better(one, best)))
            best = one;
    }
    if (!best)
        return false;
    *ret_group = (uint16_t)(best - table->groups);
    *ret_function = 0;
    for (size_t i = 1; i < table->function_count; i++) {
        uint64_t calls = best->calls[i], so_far = best->calls[*ret_function];
        bool first = strcmp(table->functions[i], table->functions[*ret_function]) < 0;
        if (calls > so_far || (calls == so_far && first))
            *ret_function = (uint16_t)i;
    }
    return true;
}

const struct nccl_group *nccl_table_largest(const struct nccl_table *table)
{
    const struct nccl_group *best = &table->groups[0];
    for (size_t i = 1; i < table->count; i++)
        if (table->groups[i].ranks > best->ranks)
            best = &table->groups[i];
    return best;
}

bool nccl_table_alike(const struct nccl_table *table, size_t one, size_t other)
{
    const struct nccl_group *a = &table->groups[one], *b = &table->groups[other];
    return one != other && a->ranks == b->ranks && a->rank == b->rank &&
           strcmp(a->name, b->name) == 0;
}
