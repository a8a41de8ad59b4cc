/* The table of steps by ranks. */
#include "steps.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "quantile.h"

void steps_init(struct steps *steps)
{
    *steps = (struct steps){.slots = 1};
}

static size_t slot_bytes(void)
{
    return sizeof(struct step_cell) + sizeof(uint32_t) + sizeof(uint16_t);
}

static size_t row_bytes(const struct step_row *row)
{
    size_t slots = row->behind + (row->more ? row->capacity : 0);
    return sizeof(*row) + slots * slot_bytes();
}

static void row_free(struct step_row *row)
{
    if (!row)
        return;
    free(row->more);
    free(row);
}

/* Its slots are there from now on. */
static void row_lay(struct step_row *row, void *bytes, uint32_t slots)
{
    row->cells = bytes;
    row->has = (uint32_t *)(row->cells + slots);
    row->slowdown = (uint16_t *)(row->has + slots);
    row->capacity = slots;
}

/* Empty; its cells are not written. */
static struct step_row *row_new(uint32_t slots)
{
    struct step_row *row = memory_resized(NULL, sizeof(*row) + slots * slot_bytes(), 1);
    memset(row, 0, sizeof(*row));
    row->behind = slots;
    row_lay(row, row + 1, slots);
    memset(row->has, 0, slots * sizeof(*row->has));
    memset(row->slowdown, 0, slots * sizeof(*row->slowdown));
    return row;
}

void steps_done(struct steps *steps)
{
    for (size_t i = 0; i < steps->count; i++)
        row_free(steps_at(steps, i));
    row_free(steps->spare);
    free(steps->rows);
    *steps = (struct steps){0};
}

static struct step_row *row_copied(const struct step_row *from)
{
    struct step_row *row = memory_resized(NULL, sizeof(*row) + from->capacity * slot_bytes(), 1);
    *row = *from;
    row->more = NULL;
    row->behind = from->capacity;
    row_lay(row, row + 1, from->capacity);
    memcpy(row->has, from->has, from->capacity * sizeof(*from->has));
    memcpy(row->slowdown, from->slowdown, from->capacity * sizeof(*from->slowdown));
    for (uint32_t i = 0; i < from->capacity; i++) /* the others were never written */
        if (from->has[i])
            row->cells[i] = from->cells[i];
    return row;
}

void steps_copy(struct steps *to, const struct steps *from)
{
    *to = *from;
    to->first = 0;
    to->capacity = from->count;
    to->rows = memory_zeroed(from->count ? from->count : 1, sizeof(*to->rows));
    for (size_t i = 0; i < from->count; i++)
        to->rows[i] = row_copied(steps_at(from, i));
    to->spare = NULL;
    to->bytes = 0; /* rows that grew are one block now */
    for (size_t i = 0; i < to->count; i++)
        to->bytes += row_bytes(to->rows[i]);
}

size_t steps_lower(const struct steps *steps, int attempt, int64_t step)
{
    size_t low = 0, high = steps->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (row_compare(steps_at(steps, middle), attempt, step) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t steps_search(struct steps *steps, int attempt, int64_t step)
{
    size_t index = steps_lower(steps, attempt, step);
    if (index == steps->count || row_compare(steps_at(steps, index), attempt, step) != 0)
        return SIZE_MAX;
    steps->hint = index;
    return index;
}

/* The spare row, emptied, when it is large enough. */
static struct step_row *row_again(struct steps *steps)
{
    struct step_row *row = steps->spare;
    if (!row || row->capacity < steps->slots)
        return NULL;
    steps->spare = NULL;
    memset(row->has, 0, row->capacity * sizeof(*row->has));
    memset(row->slowdown, 0, row->capacity * sizeof(*row->slowdown));
    row->reported = row->expected = 0;
    row->closed = row->settled = false;
    return row;
}

double step_row_begin_ns(const struct step_row *row)
{
    uint32_t count = 0;
    int64_t *values = memory_resized(NULL, row->capacity, sizeof(*values));
    for (uint32_t i = 0; i < row->capacity; i++)
        if (row->has[i] & RECORD_BEGIN)
            values[count++] = row->cells[i].begin_ns;
    double median = median_of_ns(values, count);
    free(values);
    return median;
}

bool step_row_one_stamp(const struct step_row *row, uint32_t slots)
{
    uint32_t first = UINT32_MAX, stamped = 0;
    if (!(row->has_any & RECORD_BEGIN))
        return false;
    for (uint32_t i = 0; i < slots && i < row->capacity; i++) {
        if (!(row->has[i] & RECORD_BEGIN))
            continue;
        first = stamped++ == 0 ? i : first;
        if (row->cells[i].begin_ns != row->cells[first].begin_ns)
            return false;
    }
    return stamped > 1;
}

/* One more place behind the rows; the places before the first are used again. */
static void make_room(struct steps *steps)
{
    if (steps->first + steps->count < steps->capacity)
        return;
    if (steps->first > steps->capacity / 2) {
        memmove(steps->rows, steps->rows + steps->first, steps->count * sizeof(*steps->rows));
        steps->first = 0;
        return;
    }
    steps->capacity = steps->capacity ? steps->capacity * 2 : 64;
    steps->rows = memory_resized(steps->rows, steps->capacity, sizeof(*steps->rows));
}

/* Places in front of the first row, half as many as there are rows: steps that
 * come in descending order are not to move all others each time. */
static void make_room_in_front(struct steps *steps)
{
    if (steps->first > 0)
        return;
    size_t room = steps->count / 2 + 16;
    if (room + steps->count > steps->capacity) {
        steps->capacity = room + steps->count * 2;
        steps->rows = memory_resized(steps->rows, steps->capacity, sizeof(*steps->rows));
    }
    memmove(steps->rows + room, steps->rows, steps->count * sizeof(*steps->rows));
    steps->first = room;
}

int64_t steps_stride(const struct steps *steps, size_t index)
{
    const struct step_row *row = steps_at(steps, index);
    const struct step_row *before = index > 0 ? steps_at(steps, index - 1) : NULL;
    if (before && before->attempt == row->attempt)
        return row->step - before->step;
    const struct step_row *next = index + 1 < steps->count ? steps_at(steps, index + 1) : NULL;
    return next && next->attempt == row->attempt ? next->step - row->step : 1;
}

struct step_row *steps_insert(struct steps *steps, size_t index, int attempt, int64_t step)
{
    assert(index <= steps->count);
    struct step_row *row = row_again(steps);
    if (!row)
        row = row_new(steps->slots);
    row->step = step;
    row->attempt = attempt;
    row->has_all = UINT32_MAX;
    row->has_any = 0;
    row->job = STEP_JOB_NONE;
    struct step_row **place;
    if (index < steps->count / 2) {
        make_room_in_front(steps);
        steps->first--;
        place = steps->rows + steps->first + index;
        memmove(steps->rows + steps->first, steps->rows + steps->first + 1, index * sizeof(*place));
    } else {
        make_room(steps);
        place = steps->rows + steps->first + index;
        memmove(place + 1, place, (steps->count - index) * sizeof(*place));
    }
    *place = row;
    steps->count++;
    steps->bytes += row_bytes(row);
    steps->hint = index;
    return row;
}

void steps_reach_slot(struct steps *steps, struct step_row *row, uint32_t slot)
{
    while (steps->slots <= slot)
        steps->slots *= 2;
    if (slot < row->capacity)
        return;
    uint32_t slots = steps->slots;
    const struct step_row before = *row;
    steps->bytes -= row_bytes(row);
    row->more = memory_resized(NULL, slots, slot_bytes());
    row_lay(row, row->more, slots);
    memcpy(row->cells, before.cells, before.capacity * sizeof(*row->cells));
    memcpy(row->has, before.has, before.capacity * sizeof(*row->has));
    memset(row->has + before.capacity, 0, (slots - before.capacity) * sizeof(*row->has));
    memcpy(row->slowdown, before.slowdown, before.capacity * sizeof(*row->slowdown));
    memset(row->slowdown + before.capacity, 0, (slots - before.capacity) * sizeof(*row->slowdown));
    free(before.more);
    steps->bytes += row_bytes(row);
}

void steps_drop_oldest(struct steps *steps)
{
    assert(steps->count > 0);
    struct step_row *row = steps_at(steps, 0);
    steps->first++;
    steps->count--;
    steps->hint = steps->hint > 0 ? steps->hint - 1 : 0;
    steps->bytes -= row_bytes(row);
    row_free(steps->spare);
    steps->spare = row;
}
