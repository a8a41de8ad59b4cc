/* Steps and kernels of one trace. Work belongs to the step in which it starts: in the
 * GPU's window of it, where the trace has one (the host runs ahead), else in the host's. */
#include "kineto_steps.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

void kineto_steps_done(struct kineto_steps *steps)
{
    free(steps->steps);
    free(steps->intervals);
    memset(steps, 0, sizeof(*steps));
}

static struct kineto_step *step_of(struct kineto_steps *steps, int64_t number)
{
    for (uint32_t i = steps->count; i-- > 0;) /* the same one again is mostly a late one */
        if (steps->steps[i].number == number)
            return &steps->steps[i];
    if (steps->count == KINETO_STEPS_MAX) {
        steps->steps_left_out++;
        return NULL;
    }
    if (steps->count == steps->capacity)
        steps->steps = memory_grown(steps->steps, &steps->capacity, sizeof(*steps->steps));
    struct kineto_step *step = &steps->steps[steps->count++];
    *step = (struct kineto_step){.number = number};
    return step;
}

bool kineto_steps_add(struct kineto_steps *steps, bool gpu, int64_t number, int64_t begin_ns,
                      int64_t length_ns)
{
    struct kineto_step *step = step_of(steps, number);
    if (!step)
        return true;
    if (gpu) { /* one a stream of the GPU */
        bool first = step->gpu_begin_ns == step->gpu_end_ns;
        int64_t end_ns = begin_ns + length_ns;
        step->gpu_begin_ns = first || begin_ns < step->gpu_begin_ns ? begin_ns : step->gpu_begin_ns;
        step->gpu_end_ns = first || end_ns > step->gpu_end_ns ? end_ns : step->gpu_end_ns;
        return true;
    }
    if (step->host)
        return false;
    step->host = true;
    step->begin_ns = begin_ns;
    step->length_ns = length_ns;
    return true;
}

void kineto_steps_work(struct kineto_steps *steps, enum kineto_kind kind, int64_t begin_ns,
                       int64_t length_ns)
{
    bool exchange = kind == KINETO_EXCHANGE || kind == KINETO_PAIRS;
    steps->kernels += kind != KINETO_COPY;
    steps->exchanges += exchange;
    steps->exchange_ns += exchange ? (uint64_t)length_ns : 0;
    steps->pairs += kind == KINETO_PAIRS;
    if (steps->interval_count == KINETO_KERNELS_MAX) {
        steps->left_out++;
        return;
    }
    if (steps->interval_count == steps->interval_capacity)
        steps->intervals =
            memory_grown(steps->intervals, &steps->interval_capacity, sizeof(*steps->intervals));
    steps->intervals[steps->interval_count++] = (struct kineto_interval){
        .begin_ns = begin_ns, .length_and_kind = (uint64_t)length_ns << 2 | kind};
}

/* ---- what was done in a step ---- */

/* Up to that time nothing new begins. */
static void sweep(struct kineto_step *step, int64_t to_ns)
{
    while (step->cursor_ns < to_ns) {
        bool on[KINETO_KINDS];
        int64_t next_ns = to_ns;
        for (int kind = 0; kind < KINETO_KINDS; kind++) {
            on[kind] = step->end_ns[kind] > step->cursor_ns;
            if (on[kind] && step->end_ns[kind] < next_ns)
                next_ns = step->end_ns[kind];
        }
        int64_t length_ns = next_ns - step->cursor_ns;
        bool exchange = on[KINETO_EXCHANGE] || on[KINETO_PAIRS];
        if (exchange && on[KINETO_COMPUTE])
            step->hidden_ns += length_ns;
        else if (exchange)
            step->exposed_ns += length_ns;
        if (exchange || on[KINETO_COMPUTE] || on[KINETO_COPY])
            step->busy_ns += length_ns;
        step->cursor_ns = next_ns;
    }
}

static void take_work(struct kineto_step *step, const struct kineto_interval *work)
{
    enum kineto_kind kind = work->length_and_kind & 3;
    int64_t length_ns = (int64_t)(work->length_and_kind >> 2);
    if (!step->begun) {
        step->begun = true;
        step->cursor_ns = work->begin_ns;
        for (int i = 0; i < KINETO_KINDS; i++)
            step->end_ns[i] = work->begin_ns;
    }
    sweep(step, work->begin_ns);
    if (work->begin_ns + length_ns > step->end_ns[kind])
        step->end_ns[kind] = work->begin_ns + length_ns;
    if (kind == KINETO_COPY)
        return;
    step->kernels++;
    step->kernel_ns += (uint64_t)length_ns;
    step->exchanges += kind != KINETO_COMPUTE;
    step->exchange_ns += kind != KINETO_COMPUTE ? (uint64_t)length_ns : 0;
}

static int by_begin(const void *a, const void *b)
{
    int64_t one = ((const struct kineto_interval *)a)->begin_ns;
    int64_t other = ((const struct kineto_interval *)b)->begin_ns;
    return (one > other) - (one < other);
}

static int by_step_begin(const void *a, const void *b)
{
    const struct kineto_step *one = a, *other = b;
    if (one->begin_ns != other->begin_ns)
        return one->begin_ns > other->begin_ns ? 1 : -1;
    return (one->number > other->number) - (one->number < other->number);
}

/* Windows are sorted by their begin, but those of the GPU need not be; there are few. */
static struct kineto_step *find_step(struct kineto_steps *steps, int64_t at_ns)
{
    struct kineto_step *host = NULL;
    uint32_t low = 0, high = steps->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (steps->steps[middle].begin_ns <= at_ns)
            low = middle + 1;
        else
            high = middle;
    }
    /* The GPU is behind the host, by a step or two at most. */
    for (uint32_t back = 0; back < 8 && back < low; back++) {
        struct kineto_step *step = &steps->steps[low - 1 - back];
        if (step->gpu_begin_ns <= at_ns && at_ns < step->gpu_end_ns)
            return step;
        if (!host && at_ns - step->begin_ns < step->length_ns)
            host = step;
    }
    return host;
}

/* ---- the last step ---- */

static int by_value(const void *a, const void *b)
{
    int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;
    return (one > other) - (one < other);
}

/* Of all steps but the last. */
static int64_t median_before(const struct kineto_steps *steps, bool kernels)
{
    uint32_t count = steps->count - 1;
    int64_t *values = memory_zeroed(count, sizeof(*values));
    for (uint32_t i = 0; i < count; i++)
        values[i] = kernels ? (int64_t)steps->steps[i].kernels : steps->steps[i].length_ns;
    qsort(values, count, sizeof(*values), by_value);
    int64_t median = values[count / 2];
    free(values);
    return median;
}

/* profiler.stop() ends the span that the last profiler.step() began: what is left is the piece of a
 * step. It has next to no kernels or, where there are none at all, next to no length. */
static void mark_cut(struct kineto_steps *steps)
{
    if (steps->count < 2)
        return;
    struct kineto_step *last = &steps->steps[steps->count - 1];
    int64_t kernels = median_before(steps, true);
    if (kernels > 0 && !steps->left_out)
        last->cut = (int64_t)last->kernels * 4 < kernels;
    else
        last->cut = last->length_ns < median_before(steps, false) / 10;
}

void kineto_steps_finish(struct kineto_steps *steps)
{
    for (uint32_t i = 0; i < steps->count; i++) {
        struct kineto_step *step = &steps->steps[i];
        if (step->host)
            continue;
        step->begin_ns = step->gpu_begin_ns;
        step->length_ns = step->gpu_end_ns - step->gpu_begin_ns;
    }
    if (steps->count > 0)
        qsort(steps->steps, steps->count, sizeof(*steps->steps), by_step_begin);
    if (steps->interval_count > 0)
        qsort(steps->intervals, steps->interval_count, sizeof(*steps->intervals), by_begin);
    for (uint32_t i = 0; i < steps->interval_count; i++) {
        const struct kineto_interval *work = &steps->intervals[i];
        struct kineto_step *step = find_step(steps, work->begin_ns);
        if (step)
            take_work(step, work);
        else
            steps->outside += (work->length_and_kind & 3) != KINETO_COPY;
    }
    for (uint32_t i = 0; i < steps->count; i++)
        for (int kind = 0; kind < KINETO_KINDS; kind++)
            sweep(&steps->steps[i], steps->steps[i].end_ns[kind]);
    mark_cut(steps);
}
