/* Numbers in the names of inputs. */
#include "log_names.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "inflate.h"
#include "memory.h"
#include "prefix.h"

/* "run2.log", "train_attempt-1.log": what is in front of the digits numbers something else. */
static bool numbers_attempts(struct str name, struct str digits)
{
    static const char *const words[] = {"run",    "attempt", "try",  "trial", "restart",
                                        "resume", "part",    "exp",  "job",   "version",
                                        "epoch",  "seed",    "step", NULL};
    size_t end = (size_t)(digits.p - name.p);
    while (end > 0 && memchr("-_=.", name.p[end - 1], 4))
        end--;
    for (size_t i = 0; words[i]; i++) {
        size_t length = strlen(words[i]);
        if (end >= length && strncasecmp(name.p + end - length, words[i], length) == 0)
            return true;
    }
    return false;
}

void log_names_meet(struct log_names *names, const char *name)
{
    struct str plain = str_of(name, inflate_plain_length(name));
    struct str digits;
    uint32_t number;
    if (!file_name_rank_digits(plain, &number, &digits) || file_name_says_rank(plain, &number) ||
        numbers_attempts(plain, digits))
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
    bool two_attempts = names->count == 2 && !(names->seen[0] & 1);
    return names->count >= 2 && names->most < 2 * (int64_t)names->count && !two_attempts;
}

void log_names_done(struct log_names *names)
{
    free(names->seen);
    *names = (struct log_names){0};
}
