/* Interned names. */
#include "names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "summary.h"

void names_init(struct names *names)
{
    *names = (struct names){0};
}

void names_done(struct names *names)
{
    for (uint32_t i = 0; i < names->count; i++)
        free(names->text[i]);
    free(names->text);
    free(names->table);
    names_init(names);
}

void names_copy(struct names *to, const struct names *from)
{
    *to = *from;
    to->text = memory_copied(from->text, from->capacity, sizeof(*from->text));
    to->table = memory_copied(from->table, from->table_size, sizeof(*from->table));
    for (uint32_t i = 0; i < to->count; i++)
        to->text[i] = memory_copied(from->text[i], NAME_BYTES, 1);
}

static uint32_t hash(struct str name)
{
    uint32_t h = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < name.len; i++)
        h = (h ^ (unsigned char)name.p[i]) * 16777619u;
    return h;
}

/* Where the name stands in the table, or the free place where it would. */
static uint32_t place_of(const struct names *names, struct str name)
{
    uint32_t at = hash(name) & (names->table_size - 1);
    while (names->table[at] != 0 && !str_is(name, names->text[names->table[at] - 1]))
        at = (at + 1) & (names->table_size - 1);
    return at;
}

static void grow_table(struct names *names)
{
    free(names->table);
    names->table_size = names->table_size ? names->table_size * 2 : 64;
    names->table = memory_zeroed(names->table_size, sizeof(*names->table));
    for (uint32_t i = 0; i < names->count; i++)
        names->table[place_of(names, str_from(names->text[i]))] = i + 1;
}

uint32_t names_intern(struct names *names, struct str name)
{
    char text[NAME_BYTES];
    str_copy(text, sizeof(text), name);
    name = str_from(text); /* a NUL byte inside ends it */
    if (name.len == 0)
        return 0;
    if (names->count * 2 >= names->table_size)
        grow_table(names);
    uint32_t at = place_of(names, name);
    if (names->table[at] != 0)
        return names->table[at];
    if (names->count == NAMES_MAX)
        return 0;
    if (names->count == names->capacity)
        names->text = memory_grown(names->text, &names->capacity, sizeof(*names->text));
    names->text[names->count] = memory_zeroed(NAME_BYTES, 1);
    memcpy(names->text[names->count], text, name.len);
    names->table[at] = ++names->count;
    return names->count;
}

static const char nothing[NAME_BYTES];

const char *names_get(const struct names *names, uint32_t id)
{
    assert(id <= names->count);
    return id == 0 ? nothing : names->text[id - 1];
}
