/* A hash index whose links are embedded in what it finds; it owns only its
 * slots. Used for paths by name and files by inode. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct source_link {
    struct source_link *next;
    uint64_t hash;
};

/* All zero is an empty index. */
struct source_index {
    struct source_link **slots;
    size_t slot_count; /* a power of two, or 0 */
    size_t count;
};

#define SOURCE_HASH_START UINT64_C(14695981039346656037)

/* FNV-1a, to be continued over several pieces from SOURCE_HASH_START. */
uint64_t source_hash(uint64_t hash, const void *bytes, size_t size);

void source_index_add(struct source_index *index, struct source_link *link, uint64_t hash);
void source_index_remove(struct source_index *index, struct source_link *link);

/* The first link with this hash, and the next one after `link`; NULL: none.
 * Different things may share a hash: the caller compares. */
struct source_link *source_index_first(const struct source_index *index, uint64_t hash);
struct source_link *source_index_next(const struct source_link *link);

void source_index_done(struct source_index *index);

/* malloc family that ends the program when there is no memory (abort). */
char *source_strdup(const char *text);
