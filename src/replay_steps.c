/* Which steps a run has, in order, and when they began. */
#include "replay_steps.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "memory.h"

void replay_steps_done(struct replay_steps *steps)
{
    free(steps->stretches);
    free(steps->begin_s);
    *steps = (struct replay_steps){0};
}

/* ---- which steps ---- */

static struct step_key last_of(const struct replay_stretch *stretch)
{
    return (struct step_key){.attempt = stretch->attempt,
                             .step = stretch->first + (stretch->count - 1) * stretch->stride};
}

/* Lengthens the last stretch by the step, when it goes on as it did. */
static bool lengthen(struct replay_steps *steps, struct step_key key)
{
    if (steps->count == 0)
        return false;
    struct replay_stretch *stretch = &steps->stretches[steps->count - 1];
    int64_t stride = key.step - last_of(stretch).step;
    if (key.attempt != stretch->attempt || (stretch->count > 1 && stride != stretch->stride))
        return false;
    stretch->stride = stride;
    stretch->count++;
    return true;
}

static void begin_stretch(struct replay_steps *steps, struct step_key key)
{
    if (steps->count == steps->capacity) {
        steps->capacity = steps->capacity ? steps->capacity * 2 : 16;
        steps->stretches =
            memory_resized(steps->stretches, steps->capacity, sizeof(*steps->stretches));
    }
    steps->stretches[steps->count++] = (struct replay_stretch){.attempt = key.attempt,
                                                               .first = key.step,
                                                               .stride = 1,
                                                               .count = 1,
                                                               .position = steps->total};
}

/* ---- when ---- */

/* Every second time goes. */
static void thin_out(struct replay_steps *steps)
{
    for (uint32_t i = 0; 2 * i < steps->time_count; i++)
        steps->begin_s[i] = steps->begin_s[2 * i];
    steps->time_count = (steps->time_count + 1) / 2;
    steps->spacing *= 2;
}

static void add_time(struct replay_steps *steps, double begin_s)
{
    if (steps->total % steps->spacing != 0)
        return;
    if (steps->time_count == REPLAY_TIMES_MAX) {
        thin_out(steps);
        if (steps->total % steps->spacing != 0)
            return;
    }
    if (steps->time_count == steps->time_capacity)
        steps->begin_s =
            memory_grown(steps->begin_s, &steps->time_capacity, sizeof(*steps->begin_s));
    steps->begin_s[steps->time_count++] = begin_s;
}

void replay_steps_add(struct replay_steps *steps, const struct front_step *step)
{
    if (steps->total == 0) {
        steps->spacing = 1;
        steps->clock = isfinite(step->begin_s);
        steps->last_s = steps->last_end_s = steps->clock ? step->begin_s : 0;
    }
    double begin_s = steps->clock && isfinite(step->begin_s) ? step->begin_s : steps->last_end_s;
    if (begin_s < steps->last_s) /* a clock that went back */
        begin_s = steps->last_s;
    add_time(steps, begin_s);
    steps->last_s = begin_s;
    steps->last_end_s = begin_s + step->length_s;
    if (!lengthen(steps, step->key))
        begin_stretch(steps, step->key);
    steps->total++;
}

double replay_steps_time(const struct replay_steps *steps, int64_t position)
{
    if (steps->total == 0)
        return 0;
    if (position >= steps->total)
        return steps->last_end_s;
    int64_t index = position / steps->spacing, rest = position % steps->spacing;
    double from_s = steps->begin_s[index];
    if (rest == 0)
        return from_s;
    bool last = index + 1 >= (int64_t)steps->time_count;
    double to_s = last ? steps->last_s : steps->begin_s[index + 1];
    int64_t apart = last ? steps->total - 1 - index * steps->spacing : steps->spacing;
    return apart > 0 ? from_s + (to_s - from_s) * (double)rest / (double)apart : from_s;
}

int64_t replay_steps_at_time(const struct replay_steps *steps, double time_s)
{
    int64_t low = 0, high = steps->total;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (replay_steps_time(steps, middle) < time_s)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- positions ---- */

/* The index behind the last stretch for which it is so. */
static size_t behind(const struct replay_steps *steps, const struct step_key *key, int64_t position)
{
    size_t low = 0, high = steps->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct replay_stretch *stretch = &steps->stretches[middle];
        struct step_key first = {.attempt = stretch->attempt, .step = stretch->first};
        bool so = key ? step_key_compare(first, *key) <= 0 : stretch->position <= position;
        if (so)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t replay_steps_position(const struct replay_steps *steps, struct step_key key)
{
    size_t index = behind(steps, &key, 0);
    if (index == 0)
        return -1;
    const struct replay_stretch *stretch = &steps->stretches[index - 1];
    if (key.attempt != stretch->attempt)
        return stretch->position + stretch->count - 1;
    int64_t nth = (key.step - stretch->first) / stretch->stride;
    return stretch->position + (nth < stretch->count ? nth : stretch->count - 1);
}

struct step_key replay_steps_key(const struct replay_steps *steps, int64_t position)
{
    assert(position >= 0 && position < steps->total);
    const struct replay_stretch *stretch = &steps->stretches[behind(steps, NULL, position) - 1];
    return (struct step_key){.attempt = stretch->attempt,
                             .step =
                                 stretch->first + (position - stretch->position) * stretch->stride};
}
