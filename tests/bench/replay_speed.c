/* How long the index of saved records takes, what it holds, and the worst of some
 * seeks: one line of JSON for bench.py. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "replay.h"

#define SEEKS 20
#define SLICE 65536

static double clock_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Goes to a step drawn at random; the time it took, a summary for the screen included. */
static double seek_s(struct replay *replay, uint64_t *seed, struct summary *summary)
{
    struct step_key key = {.latest = true};
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    int64_t position = (int64_t)((*seed >> 33) % (uint64_t)replay_positions(replay));
    double begin_s = clock_s(CLOCK_MONOTONIC);
    enum replay_way way = replay_go(replay, replay_key_at(replay, position));
    while (way == REPLAY_ON_WAY)
        way = replay_work(replay, SLICE);
    analysis_summary(replay_shown(replay), key, INT64_MIN, summary);
    return clock_s(CLOCK_MONOTONIC) - begin_s;
}

static void print_seeks(struct replay *replay)
{
    struct summary summary;
    uint64_t seed = 1;
    double worst_s = 0, sum_s = 0;
    summary_init(&summary);
    summary.brief = true;
    for (int i = 0; replay_positions(replay) > 0 && i < SEEKS; i++) {
        double took_s = seek_s(replay, &seed, &summary);
        sum_s += took_s;
        worst_s = took_s > worst_s ? took_s : worst_s;
    }
    summary_done(&summary);
    printf("\"seek_mean_ms\": %.2f, \"seek_worst_ms\": %.2f, ", sum_s / SEEKS * 1e3, worst_s * 1e3);
}

static long peak_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

int main(int argc, char **argv)
{
    struct replay_options options = {.memory_bytes = 0};
    char error[512];
    analysis_options_init(&options.analysis);
    options.analysis.memory_bytes = (size_t)40 << 20; /* as `lockstep replay` has it */
    options.threads = argc > 2 ? atoi(argv[2]) : 1;
    options.memory_bytes = argc > 3 ? (size_t)atoi(argv[3]) << 20 : 0;
    if (argc < 2) {
        fprintf(stderr, "usage: replay_speed FILE [THREADS [MIB]]\n");
        return 2;
    }
    struct replay *replay = replay_new(&options, argv + 1, 1, error, sizeof(error));
    if (!replay) {
        fprintf(stderr, "replay_speed: %s\n", error);
        return 1;
    }
    double begin_s = clock_s(CLOCK_MONOTONIC), cpu_s = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    while (replay_index(replay, SLICE))
        continue;
    printf("{\"index_s\": %.4f, \"index_cpu_s\": %.4f, \"records\": %llu, \"steps\": %lld, "
           "\"states_kib\": %zu, \"index_peak_kib\": %ld, ",
           clock_s(CLOCK_MONOTONIC) - begin_s, clock_s(CLOCK_PROCESS_CPUTIME_ID) - cpu_s,
           (unsigned long long)replay_totals(replay)->counts.records,
           (long long)replay_positions(replay), replay_bytes(replay) >> 10, peak_kib());
    print_seeks(replay);
    printf("\"peak_kib\": %ld}\n", peak_kib());
    replay_free(replay);
    return 0;
}
