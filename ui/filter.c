/* The rank filter that the user types. */
#include "filter.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "str.h"

static bool word_is_range(struct str word, int64_t *ret_low, int64_t *ret_high)
{
    if (str_to_int(word, 0, RECORD_RANK_MAX, ret_low)) {
        *ret_high = *ret_low;
        return true;
    }
    const char *dash = memchr(word.p, '-', word.len);
    if (!dash)
        return false;
    size_t before = (size_t)(dash - word.p);
    return str_to_int(str_of(word.p, before), 0, RECORD_RANK_MAX, ret_low) &&
           str_to_int(str_of(dash + 1, word.len - before - 1), 0, RECORD_RANK_MAX, ret_high);
}

static bool word_is_in(struct str word, const char *text)
{
    for (size_t length = strlen(text); length >= word.len; text++, length--) {
        if (strncasecmp(text, word.p, word.len) == 0)
            return true;
    }
    return false;
}

static bool word_matches(struct str word, const struct summary_rank *rank)
{
    int64_t low = 0, high = 0;
    if (word_is_range(word, &low, &high))
        return rank->rank >= low && rank->rank <= high;
    return word_is_in(word, rank->host) ||
           (strlen(rank->group) == word.len && strncasecmp(rank->group, word.p, word.len) == 0);
}

static bool separates(char c)
{
    return c == ',' || isspace((unsigned char)c);
}

bool filter_matches(const char *filter, const struct summary_rank *rank)
{
    bool empty = true;
    for (const char *p = filter; *p;) {
        size_t length = 0;
        while (p[length] && !separates(p[length]))
            length++;
        if (length > 0 && word_matches(str_of(p, length), rank))
            return true;
        empty = empty && length == 0;
        p += length + (p[length] != '\0');
    }
    return empty;
}
