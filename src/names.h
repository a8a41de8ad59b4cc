/* Names of hosts and groups, each kept once. What a log says may be anything,
 * so there is a limit: names beyond it are as good as not given. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "str.h"

#define NAMES_MAX 65536

struct names {
    char **text; /* owned, by id - 1 */
    uint32_t count, capacity;
    uint32_t *table;     /* open addressing: ids, 0 is free */
    uint32_t table_size; /* power of two, 0 at first */
};

void names_init(struct names *names);
void names_done(struct names *names);
void names_copy(struct names *to, const struct names *from); /* `to` is overwritten */

/* The id (1 and up) of a name, which is cut to NAME_BYTES - 1 bytes; 0 for an
 * empty one, and for a new one when NAMES_MAX are known. */
uint32_t names_intern(struct names *names, struct str name);

/* The text of an id; "" for 0. NAME_BYTES long, NULs behind it. Valid until
 * names_done(). */
const char *names_get(const struct names *names, uint32_t id);
