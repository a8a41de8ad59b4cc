/* Memory that is there or the program ends: every size is bounded by a budget,
 * so running out means that the machine has none left. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* count x size zero bytes; never NULL. free() it. */
void *memory_zeroed(size_t count, size_t size);

/* `old` resized to count x size bytes; what is new is not cleared. */
void *memory_resized(void *old, size_t count, size_t size);

/* A copy of count x size bytes; NULL stays NULL. */
void *memory_copied(const void *from, size_t count, size_t size);

/* `old`, which has room for *capacity elements, with room for twice as many (16
 * at first). */
void *memory_grown(void *old, uint32_t *capacity, size_t size);
