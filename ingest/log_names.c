/* Numbers in the names of inputs. */
#include "log_names.h"

#include <stdlib.h>

#include "inflate.h"
#include "memory.h"
#include "prefix.h"

void log_names_meet(struct log_names *names, const char *name)
{
    struct str plain = str_of(name, inflate_plain_length(name));
    uint32_t number;
    if (!file_name_rank(plain, &number) || file_name_says_rank(plain, &number))
        return;
    names->most = number > names->most ? number : names->most;
    if (number >= LOG_NAMES_MAX)
        return;
    if (!names->seen)
        names->seen = memory_zeroed(LOG_NAMES_MAX / 8, 1);
    names->count += !(names->seen[number / 8] >> number % 8 & 1);
    names->seen[number / 8] |= (uint8_t)(1u << number % 8);
}

bool log_names_are_ranks(const struct log_names *names)
{
    return names->count >= 2 && names->most < 2 * (int64_t)names->count;
}

void log_names_done(struct log_names *names)
{
    free(names->seen);
    *names = (struct log_names){0};
}
