/* How long the jitter floor and the gains of all ranks, groups and hosts take:
 * 16,384 ranks x 50 steps within 2 ms on one core, in whatever order the slow ranks
 * are numbered. Prints the best of some rounds; fails when it is longer. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "memory.h"
#include "quantile.h"
#include "window.h"

#define RANKS 16384
#define STEPS 50
#define ROUNDS 40
#define LIMIT_MS 2.0

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static double normal(void)
{
    static uint64_t state = 1; /* twelve uniform values make a normal one */
    double sum = 0;
    for (int i = 0; i < 12; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(state >> 11) / 9007199254740992.0;
    }
    return sum - 6;
}

/* How much slower a rank is than the fastest, by its number. */
static double even(uint32_t rank)
{
    (void)rank;
    return 0;
}

static double slow_stage(uint32_t rank)
{
    return rank >= RANKS * 3 / 4 ? 0.1 : 0;
}

static double rising(uint32_t rank)
{
    return 0.5 * rank / RANKS;
}

static void fill(float *slowdown, float *median, double (*slower)(uint32_t rank))
{
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        float *row = slowdown + (size_t)rank * STEPS, copy[STEPS];
        for (uint32_t i = 0; i < STEPS; i++)
            row[i] = (float)(1 + slower(rank) + 0.02 * normal());
        memcpy(copy, row, sizeof(copy));
        median[rank] = (float)median_of_floats(copy, STEPS);
    }
}

static double measure(const struct window *window, double *gain_s, struct window_sets *sets,
                      double *ret_jitter_ms)
{
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        struct jitter jitter;
        double begin = now_ms();
        window_jitter(window, &jitter);
        double middle = now_ms();
        window_gains(window, gain_s);
        window_set_gains(window, sets);
        double end = now_ms();
        if (end - begin < best) {
            best = end - begin;
            *ret_jitter_ms = middle - begin;
        }
    }
    return best;
}

int main(void)
{
    float *slowdown = memory_zeroed((size_t)RANKS * STEPS, sizeof(*slowdown));
    float *median = memory_zeroed(RANKS, sizeof(*median));
    uint32_t *group = memory_zeroed(RANKS, sizeof(*group));
    uint32_t *host = memory_zeroed(RANKS, sizeof(*host));
    uint8_t *named = memory_zeroed(RANKS, sizeof(*named));
    double *gain_s = memory_zeroed(RANKS, sizeof(*gain_s));
    double own_ns[STEPS], time_ns[STEPS], exchange_ns[STEPS];
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        group[rank] = 1 + rank / (RANKS / 4);
        host[rank] = 1 + rank / 8;
    }
    named[77] = 1;
    for (int i = 0; i < STEPS; i++) {
        own_ns[i] = 1e9;
        time_ns[i] = 1.3e9;
        exchange_ns[i] = 0.1e9;
    }
    struct window window = {RANKS,  STEPS, STEPS, slowdown, own_ns,        time_ns, exchange_ns,
                            median, group, host,  5,        1 + RANKS / 8, named,   false};
    struct window_sets sets = {memory_zeroed(5, sizeof(double)),
                               memory_zeroed(1 + RANKS / 8, sizeof(double)), 0};
    static const struct {
        const char *name;
        double (*slower)(uint32_t rank);
    } cases[] = {{"even", even}, {"slow stage", slow_stage}, {"rising", rising}};
    int status = 0;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fill(slowdown, median, cases[i].slower);
        double jitter_ms = 0, ms = measure(&window, gain_s, &sets, &jitter_ms);
        printf("%-10s %u ranks x %u steps: %.3f ms, %.3f of them the floor\n", cases[i].name, RANKS,
               STEPS, ms, jitter_ms);
        status |= ms > LIMIT_MS;
    }
    double begin = now_ms(), sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += window_normal_maximum(1e6 + i);
    printf("normal maximum: %.2f us (%.3f)\n", now_ms() - begin, sum / 1000);
    free(slowdown);
    free(median);
    free(group);
    free(host);
    free(named);
    free(gain_s);
    free(sets.group_gain_s);
    free(sets.host_gain_s);
    return status;
}
