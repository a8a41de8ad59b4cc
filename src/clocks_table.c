/* What the samples come to: a clock for each host, or for each rank without one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock_fit.h"
#include "clocks_samples.h"
#include "memory.h"
#include "quantile.h"

#define FITTED_MAX 512    /* clocks that are fitted one by one; else means must do */
#define HOST_RANKS_MAX 8  /* of a host, whose clocks are read */
#define HOST_RANKS_MANY 4 /* the same, of over FITTED_MAX hosts */
#define NO_CLOCK UINT32_MAX

void clock_table_done(struct clock_table *table)
{
    free(table->clocks);
    free(table->of_slot);
    *table = (struct clock_table){0};
}

double clock_state_at(const struct clock_state *clock, double when_s)
{
    double drift = clock_drifts(&clock->offset) ? clock->offset.drift : 0;
    return clock->offset.offset_s + drift * (when_s - clock->centre_s);
}

bool clock_is_off(const struct clock_offset *clock)
{
    return fabs(clock->offset_s) > CLOCK_SHOWN_S && fabs(clock->offset_s) > 3 * clock->error_s;
}

bool clock_drifts(const struct clock_offset *clock)
{
    return isfinite(clock->drift) && fabs(clock->drift) > CLOCK_DRIFT_SURE * clock->drift_error;
}

/* ---- which rank goes by which clock ---- */

/* The readings of one clock: by clock and sample, in seconds; NAN: none. */
struct readings {
    const struct clocks *from;
    size_t clocks;
    uint32_t *slots; /* by clock: HOST_RANKS_MAX of its ranks */
    uint8_t *slot_count;
    double *value; /* clocks x from->count, row-major; NULL when they are very many */
};

static bool is_many(const struct readings *readings)
{
    return readings->clocks > FITTED_MAX;
}

static uint32_t new_clock(struct clock_table *table, struct readings *readings, const char *host,
                          uint32_t rank)
{
    struct clock_state *clock = &table->clocks[table->count];
    *clock = (struct clock_state){.offset = {.rank = rank}};
    str_copy(clock->offset.host, sizeof(clock->offset.host), str_from(host));
    readings->slot_count[table->count] = 0;
    return (uint32_t)table->count++;
}

static void assign(struct clock_table *table, struct readings *readings, const struct ranks *ranks,
                   const struct names *names)
{
    uint32_t *of_host = memory_resized(NULL, (size_t)names->count + 1, sizeof(*of_host));
    memset(of_host, 0xff, ((size_t)names->count + 1) * sizeof(*of_host));
    memset(table->of_slot, 0xff, (size_t)ranks->count * sizeof(*table->of_slot));
    for (uint32_t rank = 0; rank < ranks->slots_size; rank++) {
        uint32_t slot = ranks->slots[rank];
        if (slot == RANK_SLOT_NONE)
            continue;
        uint32_t host = ranks->info[slot].host;
        uint32_t at = host ? of_host[host] : NO_CLOCK;
        if (at == NO_CLOCK)
            at = new_clock(table, readings, names_get(names, host), rank);
        if (host)
            of_host[host] = at;
        table->of_slot[slot] = at;
        if (readings->slot_count[at] < HOST_RANKS_MAX)
            readings->slots[(size_t)at * HOST_RANKS_MAX + readings->slot_count[at]++] = slot;
    }
    free(of_host);
    readings->clocks = table->count;
}

/* ---- readings ---- */

static double read_clock(const struct readings *readings, size_t clock, int sample)
{
    const struct clock_sample *from = readings->from->samples[sample];
    const uint32_t *slots = readings->slots + clock * HOST_RANKS_MAX;
    uint32_t most = is_many(readings) ? HOST_RANKS_MANY : HOST_RANKS_MAX, n = 0;
    uint32_t count = readings->slot_count[clock] < most ? readings->slot_count[clock] : most;
    double values[HOST_RANKS_MAX];
    if (count == 1)
        return slots[0] < from->slots ? from->offset_s[slots[0]] : NAN;
    for (uint32_t i = 0; i < count; i++)
        if (slots[i] < from->slots && !isnan(from->offset_s[slots[i]]))
            values[n++] = from->offset_s[slots[i]];
    return median_of(values, n);
}

static void read_all(struct readings *readings)
{
    int samples = readings->from->count;
    readings->value =
        memory_resized(NULL, readings->clocks * (size_t)samples, sizeof(*readings->value));
    for (size_t c = 0; c < readings->clocks; c++)
        for (int k = 0; k < samples; k++)
            readings->value[c * (size_t)samples + (size_t)k] = read_clock(readings, c, k);
}

/* The median release of a sample hangs on who took part in it: what all clocks
 * have in common in a sample, besides their own medians, is taken away. */
static void even_out(struct readings *readings)
{
    int samples = readings->from->count;
    size_t clocks = readings->clocks, most = clocks > CLOCK_FIT_MAX ? clocks : CLOCK_FIT_MAX;
    double *middle = memory_resized(NULL, clocks, sizeof(*middle));
    double *values = memory_resized(NULL, most, sizeof(*values));
    for (size_t c = 0; c < clocks; c++) {
        uint32_t n = 0;
        for (int k = 0; k < samples; k++)
            if (!isnan(readings->value[c * (size_t)samples + (size_t)k]))
                values[n++] = readings->value[c * (size_t)samples + (size_t)k];
        middle[c] = median_of(values, n);
    }
    for (int k = 0; k < samples; k++) {
        uint32_t n = 0;
        for (size_t c = 0; c < clocks; c++)
            if (!isnan(readings->value[c * (size_t)samples + (size_t)k]))
                values[n++] = readings->value[c * (size_t)samples + (size_t)k] - middle[c];
        double common = median_of(values, n);
        for (size_t c = 0; n > 0 && c < clocks; c++)
            readings->value[c * (size_t)samples + (size_t)k] -= common;
    }
    free(middle);
    free(values);
}

/* ---- what they come to ---- */

/* Mean and least squares, for very many clocks: what is robust costs too much. */
static struct clock_fit fit_plainly(const double *t, const double *x, int n)
{
    double sum_t = 0, sum_x = 0, tt = 0, tx = 0, xx = 0;
    for (int i = 0; i < n; i++) {
        sum_t += t[i] - t[0];
        sum_x += x[i];
    }
    double mean_t = sum_t / n, mean_x = sum_x / n;
    for (int i = 0; i < n; i++) {
        double dt = t[i] - t[0] - mean_t, dx = x[i] - mean_x;
        tt += dt * dt;
        tx += dt * dx;
        xx += dx * dx;
    }
    struct clock_fit fit = {.offset = mean_x, .centre = t[0] + mean_t, .used = n};
    fit.spread = fmax(sqrt(xx / (n - 1)), 1e-6);
    fit.error = fit.spread / sqrt(n);
    fit.drift = fit.drift_error = NAN;
    if (n >= 8 && tt > 0) {
        fit.drift = tx / tt;
        fit.drift_error = fmax(sqrt(fmax(xx - fit.drift * tx, 0) / (n - 2)), 1e-6) / sqrt(tt);
    }
    return fit;
}

static void fit_one(struct clock_state *clock, const struct readings *readings, size_t index)
{
    int samples = readings->from->count, n = 0;
    double t[CLOCK_SAMPLES_MAX], x[CLOCK_SAMPLES_MAX];
    for (int k = 0; k < samples; k++) {
        double value = readings->value ? readings->value[index * (size_t)samples + (size_t)k]
                                       : read_clock(readings, index, k);
        t[n] = readings->from->samples[k]->when_s;
        x[n] = value;
        n += !isnan(value);
    }
    clock->offset.offset_s = clock->offset.error_s = clock->spread_s = NAN;
    clock->offset.drift = clock->offset.drift_error = NAN;
    clock->offset.steps = n;
    if (n < CLOCK_SAMPLES_MIN)
        return;
    struct clock_fit fit = is_many(readings) ? fit_plainly(t, x, n) : clock_fit(t, x, n);
    clock->offset.offset_s = fit.offset;
    clock->offset.error_s = fit.error;
    clock->offset.drift = fit.drift;
    clock->offset.drift_error = fit.drift_error;
    clock->offset.steps = fit.used;
    clock->centre_s = fit.centre;
    clock->spread_s = fit.spread;
}

/* The offset of the median rank becomes 0. */
static void centre(struct clock_table *table)
{
    double *offsets = memory_resized(NULL, table->slots, sizeof(*offsets));
    uint32_t n = 0;
    for (uint32_t i = 0; i < table->slots; i++) {
        double offset =
            table->of_slot[i] != NO_CLOCK ? table->clocks[table->of_slot[i]].offset.offset_s : NAN;
        if (!isnan(offset))
            offsets[n++] = offset;
    }
    double median = median_of(offsets, n);
    for (size_t i = 0; i < table->count && n > 0; i++)
        table->clocks[i].offset.offset_s -= median;
    free(offsets);
}

/* Clocks of which nothing is known leave the table. */
static void leave_out_unknown(struct clock_table *table)
{
    uint32_t *moved = memory_resized(NULL, table->count, sizeof(*moved));
    size_t n = 0;
    for (size_t i = 0; i < table->count; i++) {
        bool known = !isnan(table->clocks[i].offset.offset_s);
        moved[i] = known ? (uint32_t)n : NO_CLOCK;
        if (known)
            table->clocks[n++] = table->clocks[i];
    }
    for (uint32_t i = 0; i < table->slots; i++)
        if (table->of_slot[i] != NO_CLOCK)
            table->of_slot[i] = moved[table->of_slot[i]];
    table->count = n;
    free(moved);
}

static uint64_t state_of(const struct clocks *clocks, const struct ranks *ranks)
{
    uint64_t state = clocks->digest ^ ranks->count;
    for (uint32_t i = 0; i < ranks->count; i++)
        state = (state ^ ranks->info[i].host) * UINT64_C(0x100000001b3);
    return state | 1; /* 0 is a table that was not made */
}

void clock_table_make(struct clock_table *table, const struct clocks *clocks,
                      const struct ranks *ranks, const struct names *names)
{
    uint64_t state = clocks->count < CLOCK_SAMPLES_MIN ? 0 : state_of(clocks, ranks);
    if (state == table->made_of)
        return;
    table->made_of = state;
    table->count = 0;
    if (state == 0)
        return;
    size_t count = ranks->count;
    struct readings readings = {.from = clocks};
    if (table->slots != ranks->count) { /* else its room is used again */
        table->slots = ranks->count;
        table->clocks = memory_resized(table->clocks, count, sizeof(*table->clocks));
        table->of_slot = memory_resized(table->of_slot, count, sizeof(*table->of_slot));
    }
    readings.slots = memory_resized(NULL, count * HOST_RANKS_MAX, sizeof(*readings.slots));
    readings.slot_count = memory_zeroed(count, sizeof(*readings.slot_count));
    assign(table, &readings, ranks, names);
    if (!is_many(&readings)) {
        read_all(&readings);
        even_out(&readings);
    }
    for (size_t i = 0; i < table->count; i++)
        fit_one(&table->clocks[i], &readings, i);
    centre(table);
    leave_out_unknown(table);
    free(readings.slots);
    free(readings.slot_count);
    free(readings.value);
}
