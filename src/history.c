/* Steps that are kept, and steps that were lost. */
#include "history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

void history_done(struct history *history)
{
    free(history->ring);
    *history = (struct history){0};
}

static struct history_step *at(const struct history *history, uint32_t number)
{
    return &history->ring[number % history->capacity];
}

void history_copy(struct history *to, const struct history *from)
{
    history_done(to);
    *to = *from;
    to->packed = 0;
    if (from->packed == 0) {
        to->ring = memory_copied(from->ring, from->capacity, sizeof(*to->ring));
        return;
    }
    to->ring = memory_zeroed(from->capacity, sizeof(*to->ring));
    for (uint32_t i = 0; i < from->packed; i++)
        *at(to, from->next - from->packed + i) = from->ring[i];
}

size_t history_bytes(const struct history *history)
{
    uint32_t held = history->packed > 0 ? history->packed : history->capacity;
    return held * sizeof(*history->ring);
}

void history_pack(struct history *history, uint32_t kept)
{
    if (history->packed > 0 || history->count <= kept || kept == 0)
        return;
    struct history_step *ring = memory_resized(NULL, kept, sizeof(*ring));
    for (uint32_t i = 0; i < kept; i++)
        ring[i] = *at(history, history->next - kept + i);
    free(history->ring);
    history->ring = ring;
    history->packed = kept;
}

/* Room for one more to be remembered; the places of those that are change. */
static void grow(struct history *history)
{
    uint32_t capacity = history->capacity ? history->capacity * 2 : 64;
    struct history_step *ring = memory_resized(NULL, capacity, sizeof(*ring));
    for (uint32_t i = 1; i <= history->count; i++)
        ring[(history->next - i) % capacity] = *at(history, history->next - i);
    free(history->ring);
    history->ring = ring;
    history->capacity = capacity;
}

static double known(float value)
{
    return isnan(value) ? 0 : value;
}

/* What is taken away was in it: what rounding leaves below 0 is nothing. */
static void change(double *sum, int sign, double value)
{
    double changed = *sum + sign * value;
    *sum = changed > 0 ? changed : 0;
}

static void add_sums(struct history *history, const struct history_step *step, int sign)
{
    struct ledger_sums *sums = &history->sums;
    int64_t covered = step->covered;
    sums->steps += sign * covered;
    change(&sums->time_ns, sign, step->time_ns);
    change(&sums->own_ns, sign, known(step->own_ns));
    change(&sums->input_ns, sign, known(step->input_ns));
    change(&sums->late_ns, sign, known(step->late_ns));
    change(&sums->straggler_ns, sign, known(step->straggler_ns));
    change(&sums->exchange_ns, sign, known(step->exchange_ns));
    change(&sums->checkpoint_ns, sign, known(step->checkpoint_ns));
    change(&sums->validation_ns, sign, known(step->validation_ns));
    change(&history->tokens, sign, step->tokens);
    history->own_steps += isnan(step->own_ns) ? 0 : sign * covered;
    history->input_steps += isnan(step->input_ns) ? 0 : sign * covered;
    history->exchange_steps += isnan(step->exchange_ns) ? 0 : sign * covered;
    history->token_steps += step->tokens > 0 ? sign * covered : 0;
    if (!(step->flops > 0) && !(step->mfu >= 0))
        return;
    struct job_rates rates = {0};
    job_rates_add(&rates, step->flops, step->mfu, step->time_ns);
    change(&history->rates.flops_ns, sign, rates.flops_ns);
    change(&history->rates.flops_time_ns, sign, rates.flops_time_ns);
    change(&history->rates.mfu_ns, sign, rates.mfu_ns);
    change(&history->rates.mfu_time_ns, sign, rates.mfu_time_ns);
}

uint32_t history_add(struct history *history, const struct history_step *step)
{
    if (history->count == history->capacity && history->capacity < HISTORY_STEPS_MAX)
        grow(history);
    struct history_step *newest = at(history, history->next);
    *newest = *step;
    newest->covered = step->covered > 0 ? step->covered : 1;
    if (history->count < history->capacity)
        history->count++;
    add_sums(history, newest, 1);
    return history->next++;
}

void history_blame(struct history *history, uint32_t number, double ns)
{
    history->sums.straggler_ns += ns;
    if (history->next - number <= history->count)
        at(history, number)->straggler_ns += (float)ns;
}

/* Whether all the steps that the value is of are from `step` on. */
static bool is_lost(const struct history_step *old, int64_t step)
{
    return old->step - old->covered + 1 >= step;
}

/* Keeps only the first `kept` steps of those that the value is of. */
static void cut(struct history_step *step, uint32_t kept)
{
    double share = (double)kept / step->covered;
    float *const times[] = {&step->own_ns,       &step->input_ns,    &step->late_ns,
                            &step->straggler_ns, &step->exchange_ns, &step->checkpoint_ns,
                            &step->validation_ns};
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        *times[i] *= (float)share;
    step->step -= step->covered - kept;
    step->covered = kept;
    step->time_ns *= share;
    step->tokens *= share;
}

/* The newest value that is kept is of steps on both sides of `step`: those from there on are
 * lost. Returns how many. */
static int64_t lose_part(struct history *history, int64_t step)
{
    struct history_step *newest = at(history, history->next - 1);
    int64_t lost = newest->step - step + 1;
    if (lost <= 0 || lost >= newest->covered)
        return 0;
    struct history_step before = *newest;
    cut(newest, newest->covered - (uint32_t)lost);
    add_sums(history, &before, -1);
    add_sums(history, newest, 1);
    history->sums.lost_ns += before.time_ns - newest->time_ns;
    return lost;
}

int64_t history_restart(struct history *history, int64_t step, double down_ns)
{
    int64_t lost = 0, steps = 0;
    history->restarts++;
    history->down_unknown |= isnan(down_ns);
    history->sums.down_ns = history->down_unknown ? 0 : history->sums.down_ns + down_ns;
    uint32_t kept = history->count;
    while (kept > 0 && is_lost(at(history, history->next - 1 - (uint32_t)lost), step)) {
        const struct history_step *old = at(history, history->next - 1 - (uint32_t)lost);
        steps += old->covered;
        add_sums(history, old, -1);
        history->sums.lost_ns += old->time_ns;
        kept--;
        lost++;
    }
    if (kept == 0 && lost == history->capacity && history->sums.steps > 0)
        history->lost_more = true;
    /* What is before them stays: a later restart may go back further. Their places
     * are given anew. */
    history->next -= (uint32_t)lost;
    history->count = kept;
    if (kept > 0)
        steps += lose_part(history, step);
    history->repeated_steps += steps;
    return steps;
}
