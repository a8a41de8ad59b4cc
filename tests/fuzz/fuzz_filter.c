/* The rank filter: any text that is typed, against ranks with odd names. An input
 * is the filter, a newline, the host's name, a newline, the group's. */
#include <string.h>

#include "filter.h"
#include "fuzz.h"

/* The next line of *data, cut to size - 1 bytes. */
static void take_line(const uint8_t **data, size_t *size, char *to, size_t to_size)
{
    const uint8_t *newline = *size ? memchr(*data, '\n', *size) : NULL;
    size_t length = newline ? (size_t)(newline - *data) : *size;
    str_copy(to, to_size, str_of((const char *)*data, length));
    *data += length + (newline != NULL);
    *size -= length + (newline != NULL);
}

static void check_halves(const char *filter, const struct summary_rank *rank)
{
    const char *comma = strchr(filter, ',');
    if (!comma)
        return;
    char first[FILTER_BYTES];
    str_copy(first, sizeof(first), str_of(filter, (size_t)(comma - filter)));
    bool first_empty = strspn(first, ", \t\n\v\f\r") == strlen(first);
    bool second_empty = strspn(comma, ", \t\n\v\f\r") == strlen(comma);
    bool either = (!first_empty && filter_matches(first, rank)) ||
                  (!second_empty && filter_matches(comma, rank)) || (first_empty && second_empty);
    PROMISE(filter_matches(filter, rank) == either, "a filter is the sum of its words");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char filter[FILTER_BYTES], upper[FILTER_BYTES];
    struct summary_rank rank = {.rank = (uint32_t)size % 1024};
    take_line(&data, &size, filter, sizeof(filter));
    take_line(&data, &size, rank.host, sizeof(rank.host));
    take_line(&data, &size, rank.group, sizeof(rank.group));
    bool matches = filter_matches(filter, &rank);
    memset(upper, 0, sizeof(upper));
    for (size_t i = 0; filter[i]; i++)
        upper[i] = filter[i] >= 'a' && filter[i] <= 'z' ? (char)(filter[i] - 'a' + 'A') : filter[i];
    PROMISE(filter_matches(upper, &rank) == matches, "letter case does not matter");
    PROMISE(filter_matches("", &rank), "an empty filter matches");
    check_halves(filter, &rank);
    return 0;
}
