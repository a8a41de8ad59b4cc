/* Which events are listed, in which order. */
#include "event_order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

struct event_key event_key_of(const struct run_event *event)
{
    const struct verdict *verdict = &event->verdict;
    struct event_key key = {.set = true,
                            .kind = verdict->kind,
                            .attempt = verdict->attempt,
                            .step = verdict->from_step,
                            .rank = verdict->rank,
                            .is_host = verdict->is_host};
    memcpy(key.group, verdict->group, sizeof(key.group));
    return key;
}

int event_compare(const struct run_event *event, int attempt, int64_t step)
{
    const struct verdict *verdict = &event->verdict;
    if (verdict->attempt != attempt)
        return verdict->attempt < attempt ? -1 : 1;
    return verdict->from_step < step ? -1 : verdict->from_step > step;
}

static bool is_it(const struct run_event *event, const struct event_key *key)
{
    const struct verdict *verdict = &event->verdict;
    return verdict->kind == key->kind && verdict->rank == key->rank &&
           verdict->is_host == key->is_host && event_compare(event, key->attempt, key->step) == 0 &&
           strncmp(verdict->group, key->group, sizeof(key->group)) == 0;
}

struct event_rows event_rows_make(const struct run_events *events, const struct events_view *view)
{
    struct event_rows rows = {0};
    rows.index = memory_zeroed(events->count + 1, sizeof(*rows.index));
    for (size_t i = 0; i < events->count; i++) {
        size_t at = view->oldest_first ? i : events->count - 1 - i;
        if (!(view->hidden & (1u << events->items[at].verdict.kind)))
            rows.index[rows.count++] = (uint32_t)at;
    }
    return rows;
}

void event_rows_done(struct event_rows *rows)
{
    free(rows->index);
    *rows = (struct event_rows){0};
}

size_t event_rows_cursor(const struct event_rows *rows, const struct run_events *events,
                         const struct events_view *view)
{
    const struct event_key *key = &view->cursor;
    if (rows->count == 0)
        return SIZE_MAX;
    if (!key->set)
        return view->oldest_first ? rows->count - 1 : 0;
    for (size_t i = 0; i < rows->count; i++) {
        if (is_it(&events->items[rows->index[i]], key))
            return i;
    }
    size_t row = event_rows_above(rows, events, view, key->attempt, key->step);
    return row < rows->count ? row : rows->count - 1;
}

size_t event_rows_above(const struct event_rows *rows, const struct run_events *events,
                        const struct events_view *view, int attempt, int64_t step)
{
    size_t above = 0;
    for (size_t i = 0; i < rows->count; i++) {
        bool after = event_compare(&events->items[rows->index[i]], attempt, step) > 0;
        above += after != view->oldest_first;
    }
    return above;
}

int event_rows_scroll(const struct events_view *view, size_t cursor, size_t count, int seen)
{
    int64_t scroll = view->scroll, line = cursor == SIZE_MAX ? 0 : (int64_t)cursor;
    int64_t last = (int64_t)count - seen;
    if (seen < 1)
        return 0;
    if (line < scroll)
        scroll = line;
    if (line >= scroll + seen)
        scroll = line - seen + 1;
    scroll = scroll > last ? last : scroll;
    return scroll < 0 ? 0 : (int)scroll;
}
