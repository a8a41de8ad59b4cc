/* Timers, operations and rates as a table. */
#include "command_logs_text.h"

#include <inttypes.h>

#include "text.h"

#define NAME_COLUMNS 28

static void put_value(FILE *to, const struct log_value *value)
{
    char name[4 * LOG_VALUE_NAME_BYTES];
    text_sanitise(name, sizeof(name), str_from(value->name));
    size_t columns = text_columns(str_from(name));
    bool fits = columns <= NAME_COLUMNS; /* a longer one has a line of its own: it is whole */
    fprintf(to, "  %s%s%*s %8" PRIu64 " %9.6g %9.6g %9.6g %s\n", name, fits ? "" : "\n  ",
            (int)(NAME_COLUMNS - (fits ? columns : 0)), "", value->count, value->least,
            quantile_median(&value->quantile), value->most, value->unit);
}

void command_logs_values(FILE *to, const struct log_book *book, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < book->count; i++)
        for (size_t k = 0; k < book->facts[i].value_count; k++) {
            const struct log_value *value = &book->facts[i].values[k];
            if (value->count == 0)
                continue;
            if (count == 0)
                fprintf(
                    to,
                    "\nTimers, operations and rates of the whole log:\n  %-*s %8s %9s %9s %9s\n",
                    NAME_COLUMNS, "name", "count", "least", "median", "most");
            if (count++ < most)
                put_value(to, value);
        }
    if (count > most)
        fprintf(to, "  and %zu more: all of them are in --json\n", count - most);
}
