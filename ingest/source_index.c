/* A hash index with embedded links, chained, at most one link a slot on average. */
#include "source_index.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

uint64_t source_hash(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * UINT64_C(1099511628211);
    return hash;
}

static struct source_link **slot_of(const struct source_index *index, uint64_t hash)
{
    /* FNV's low bits are its best mixed ones only for longer texts */
    hash ^= hash >> 32;
    return &index->slots[hash & (index->slot_count - 1)];
}

static void grow(struct source_index *index)
{
    struct source_index bigger = {.slot_count = index->slot_count ? index->slot_count * 2 : 16};
    bigger.slots = memory_zeroed(1, bigger.slot_count * sizeof *bigger.slots);
    for (size_t i = 0; i < index->slot_count; i++) {
        struct source_link *next;
        for (struct source_link *link = index->slots[i]; link; link = next) {
            next = link->next;
            struct source_link **slot = slot_of(&bigger, link->hash);
            link->next = *slot;
            *slot = link;
        }
    }
    free(index->slots);
    index->slots = bigger.slots;
    index->slot_count = bigger.slot_count;
}

void source_index_add(struct source_index *index, struct source_link *link, uint64_t hash)
{
    if (index->count >= index->slot_count)
        grow(index);
    struct source_link **slot = slot_of(index, hash);
    link->hash = hash;
    link->next = *slot;
    *slot = link;
    index->count++;
}

void source_index_remove(struct source_index *index, struct source_link *link)
{
    struct source_link **at = slot_of(index, link->hash);
    while (*at != link) {
        assert(*at);
        at = &(*at)->next;
    }
    *at = link->next;
    link->next = NULL;
    index->count--;
}

struct source_link *source_index_first(const struct source_index *index, uint64_t hash)
{
    if (!index->slot_count)
        return NULL;
    struct source_link *link = *slot_of(index, hash);
    while (link && link->hash != hash)
        link = link->next;
    return link;
}

struct source_link *source_index_next(const struct source_link *link)
{
    uint64_t hash = link->hash;
    struct source_link *next = link->next;
    while (next && next->hash != hash)
        next = next->next;
    return next;
}

void source_index_done(struct source_index *index)
{
    free(index->slots);
    *index = (struct source_index){0};
}

char *source_strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(memory_zeroed(1, size), text, size);
}
