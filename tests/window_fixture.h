/* Windows by hand and at random, for the tests of what is worked out from them. */
#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "quantile.h"
#include "window.h"

static uint64_t random_state = 1;

static inline double uniform(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(random_state >> 11) + 0.5) / 9007199254740992.0;
}

static inline double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * 3.14159265358979323846 * uniform());
}

static inline bool near(double a, double b, double most)
{
    return fabs(a - b) <= most;
}

/* A window with room for all; own time 1 s, T 1.25 s, exchange 0.1 s. */
struct room {
    struct window window;
    float *slowdown, *median;
    double *own_ns, *time_ns, *exchange_ns;
    uint8_t *named;
    uint32_t *group, *host;
};

static inline struct room room_new(uint32_t ranks, uint32_t steps)
{
    struct room room = {
        .slowdown = calloc((size_t)ranks * steps + 1, sizeof(float)),
        .median = calloc(ranks + 1u, sizeof(float)),
        .own_ns = calloc(steps + 1u, sizeof(double)),
        .time_ns = calloc(steps + 1u, sizeof(double)),
        .exchange_ns = calloc(steps + 1u, sizeof(double)),
        .named = calloc(ranks + 1u, 1),
        .group = calloc(ranks + 1u, sizeof(uint32_t)),
        .host = calloc(ranks + 1u, sizeof(uint32_t)),
    };
    for (uint32_t i = 0; i < steps; i++) {
        room.own_ns[i] = 1e9;
        room.time_ns[i] = 1.25e9;
        room.exchange_ns[i] = 0.1e9;
    }
    room.window = (struct window){
        .ranks = ranks,
        .steps = steps,
        .stride = steps,
        .slowdown = room.slowdown,
        .own_median_ns = room.own_ns,
        .time_ns = room.time_ns,
        .exchange_ns = room.exchange_ns,
        .median = room.median,
        .named = room.named,
    };
    return room;
}

static inline void room_done(struct room *room)
{
    free(room->slowdown);
    free(room->median);
    free(room->own_ns);
    free(room->time_ns);
    free(room->exchange_ns);
    free(room->named);
    free(room->group);
    free(room->host);
}

static inline float *row(struct room *room, uint32_t rank)
{
    return room->slowdown + (size_t)rank * room->window.stride;
}

static inline float median_of_known(const float *values, uint32_t n)
{
    float *copy = malloc((n + 1u) * sizeof(*copy));
    uint32_t known = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!isnan(values[i]))
            copy[known++] = values[i];
    float median = (float)median_of_floats(copy, known);
    free(copy);
    return median;
}

static inline void set_medians(struct room *room)
{
    for (uint32_t rank = 0; rank < room->window.ranks; rank++)
        room->median[rank] = median_of_known(row(room, rank), room->window.steps);
}

/* Own times in, slowdowns against each step's median out. */
static inline void divide_by_steps(struct room *room)
{
    uint32_t ranks = room->window.ranks, stride = room->window.stride;
    float *column = calloc(ranks + 1u, sizeof(*column));
    for (uint32_t i = 0; i < room->window.steps; i++) {
        for (uint32_t rank = 0; rank < ranks; rank++)
            column[rank] = room->slowdown[(size_t)rank * stride + i];
        float median = median_of_known(column, ranks);
        for (uint32_t rank = 0; rank < ranks; rank++)
            room->slowdown[(size_t)rank * stride + i] /= median;
    }
    free(column);
    set_medians(room);
}

static inline struct room equal_ranks(uint32_t ranks, uint32_t steps, double jitter)
{
    struct room room = room_new(ranks, steps);
    for (size_t i = 0; i < (size_t)ranks * steps; i++)
        room.slowdown[i] = (float)(1 + jitter * normal());
    divide_by_steps(&room);
    return room;
}
