#include "command_explain_sample.h"

#include <stdio.h>
#include <string.h>

#include "command_explain_names.h"
#include "log_text.h"

void explain_add(struct explain_made *made, const char *before, struct str text)
{
    int more = snprintf(made->to + made->used, made->size - made->used, "%s%.*s", before,
                        (int)text.len, text.p);
    if (more > 0 && made->used + (size_t)more < made->size)
        made->used += (size_t)more;
    else
        made->to[made->used] = '\0'; /* no half of it */
}

bool explain_is_taken(const struct explain_made *made, const char *field)
{
    for (unsigned i = 0; i < made->fields; i++)
        if (strcmp(made->taken[i], field) == 0)
            return true;
    return made->fields == EXPLAIN_FIELDS_MAX;
}

void explain_take(struct explain_made *made, const char *field)
{
    made->taken[made->fields++] = field;
    made->step |= strcmp(field, "step") == 0;
    made->time |= explain_is_time(field);
}

void explain_clock_add(struct explain_clock *clock, double value)
{
    clock->stood |= clock->values > 0 && value <= clock->last;
    clock->first = clock->values > 0 ? clock->first : value;
    clock->last = value;
    clock->values++;
}

bool explain_clock_runs(const struct explain_clock *clock)
{
    return clock->values > 3 && !clock->stood && clock->last - clock->first > clock->first / 2;
}

bool explain_next_line(struct str *rest, struct str *ret)
{
    while (rest->len > 0) {
        size_t length = 0;
        if (log_begins(*rest, "\xEF\xBB\xBF")) /* the mark that Excel writes first */
            *rest = log_from(*rest, 3);
        while (length < rest->len && !memchr("\n\r", rest->p[length], 3)) /* NUL, too */
            length++;
        *ret = log_trim(log_until(*rest, length));
        bool ended = length < rest->len;
        *rest = log_from(*rest, length + 1);
        if (ret->len > 0 && ended)
            return true;
    }
    return false;
}
