/* Allocation that cannot fail. abort() reaches the crash handler, which restores
 * the terminal. */
#include "memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The one sentence of a model that is otherwise silent: there is nobody left to say it. */
static _Noreturn void die(void)
{
    static const char sentence[] = "lockstep: there is no memory left\n";
    (void)!write(STDERR_FILENO, sentence, sizeof(sentence) - 1);
    abort();
}

void *memory_zeroed(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        die();
    return memory;
}

void *memory_resized(void *old, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        die();
    void *memory = realloc(old, bytes ? bytes : 1);
    if (!memory)
        die();
    return memory;
}

void *memory_copied(const void *from, size_t count, size_t size)
{
    if (!from)
        return NULL;
    void *to = memory_resized(NULL, count, size);
    memcpy(to, from, count * size);
    return to;
}

void *memory_grown(void *old, uint32_t *capacity, size_t size)
{
    *capacity = *capacity ? *capacity * 2 : 16;
    return memory_resized(old, *capacity, size);
}
