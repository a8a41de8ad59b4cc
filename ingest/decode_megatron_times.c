/* Timers of one rank: which of them a record has room for, and what they become in it. */
#include "decode_megatron.h"
#include "log_text.h"

enum megatron_time megatron_time_of(struct str name)
{
    static const struct {
        const char *name;
        enum megatron_time time;
    } names[] = {
        {"batch-generator", MEGATRON_DATA},
        {"forward-compute", MEGATRON_FORWARD},
        {"backward-compute", MEGATRON_BACKWARD},
        {"forward-backward", MEGATRON_BOTH},
        {"optimizer", MEGATRON_OPTIMIZER},
        {"optimizer-clip-main-grad", MEGATRON_NORM},
        {"optimizer-unscale-and-check-inf", MEGATRON_NORM},
        {"forward-recv", MEGATRON_RECEIVE},
        {"all-grads-sync", MEGATRON_SYNC_WITHIN},
        {"backward-reduce-model-grads", MEGATRON_SYNC_ALL},
        {"grads-all-reduce", MEGATRON_SYNC},
        {"grads-reduce-scatter", MEGATRON_SYNC},
        {"layernorm-grads-all-reduce", MEGATRON_SYNC},
        {"embedding-grads-all-reduce", MEGATRON_SYNC_STAGES},
        {"conditional-embedder-grads-all-reduce", MEGATRON_SYNC_STAGES},
        {"non-tensor-parallel-grads-all-reduce", MEGATRON_SYNC},
        {"backward-params-all-reduce", MEGATRON_SYNC},
        {"backward-layernorm-all-reduce", MEGATRON_SYNC},
        {"backward-embedding-all-reduce", MEGATRON_SYNC_STAGES},
        {"batch generator", MEGATRON_DATA}, /* GPT-NeoX */
        {"forward", MEGATRON_FORWARD},
        {"backward", MEGATRON_BACKWARD},
        {"allreduce", MEGATRON_SYNC_BACKWARD}, /* Megatron-LM up to version 2 */
        {"backward-allreduce", MEGATRON_SYNC_BACKWARD},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (str_is(name, names[i].name))
            return names[i].time;
    return MEGATRON_TIMES;
}

bool megatron_times_add(struct megatron_times *times, enum megatron_time time, double ms)
{
    int64_t ns;
    times->syncs += time == MEGATRON_SYNC || time == MEGATRON_SYNC_ALL ||
                    time == MEGATRON_SYNC_WITHIN || time == MEGATRON_SYNC_BACKWARD;
    times->norms += time == MEGATRON_NORM;
    if (time == MEGATRON_TIMES || ms == 0) /* 0: it never ran */
        return true;
    if (!log_duration(ms, LOG_MILLISECOND, &ns))
        return false;
    int64_t sum = (times->has & 1u << time ? times->ns[time] : 0) + ns;
    if (sum > RECORD_DURATION_MAX_NS)
        return false;
    times->ns[time] = sum;
    times->has |= 1u << time;
    return true;
}

static bool has(const struct megatron_times *times, enum megatron_time time)
{
    return times->has & 1u << time;
}

static void put_phase(struct record *record, enum phase phase, int64_t ns)
{
    record->has |= 1u << phase;
    record->phase_ns[phase] = ns;
}

/* The exchange of gradients; false: it was not timed. */
static bool sync_of(const struct megatron_times *times, int64_t *ret)
{
    static const enum megatron_time parts[] = {MEGATRON_SYNC_WITHIN, MEGATRON_SYNC_BACKWARD,
                                               MEGATRON_SYNC, MEGATRON_SYNC_STAGES};
    if (has(times, MEGATRON_SYNC_ALL)) {
        *ret = times->ns[MEGATRON_SYNC_ALL];
        return true;
    }
    bool any = false;
    *ret = 0;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        any |= has(times, parts[i]);
        *ret += has(times, parts[i]) ? times->ns[parts[i]] : 0;
    }
    return any;
}

/* Without the exchange that the first versions time within it. */
static int64_t backward_of(const struct megatron_times *times)
{
    int64_t ns = times->ns[MEGATRON_BACKWARD], sync = times->ns[MEGATRON_SYNC_BACKWARD];
    return has(times, MEGATRON_SYNC_BACKWARD) && sync <= ns ? ns - sync : ns;
}

void megatron_times_put(const struct megatron_times *times, struct record *record)
{
    int64_t sync = 0;
    bool data = has(times, MEGATRON_DATA), forward = has(times, MEGATRON_FORWARD);
    int64_t data_ns = data ? times->ns[MEGATRON_DATA] : 0;
    if (forward && data && data_ns <= times->ns[MEGATRON_FORWARD]) {
        put_phase(record, PHASE_DATA, data_ns); /* the batch is fetched within the forward step */
        put_phase(record, PHASE_FORWARD, times->ns[MEGATRON_FORWARD] - data_ns);
    } else if (forward) {
        put_phase(record, PHASE_FORWARD, times->ns[MEGATRON_FORWARD]);
    }
    if (has(times, MEGATRON_BACKWARD))
        put_phase(record, PHASE_BACKWARD, backward_of(times));
    if (sync_of(times, &sync))
        put_phase(record, PHASE_SYNC, sync);
    if (has(times, MEGATRON_OPTIMIZER))
        put_phase(record, PHASE_OPTIMIZER, times->ns[MEGATRON_OPTIMIZER]);
    if (!has(times, MEGATRON_BOTH) || forward || has(times, MEGATRON_BACKWARD))
        return;
    int64_t both = times->ns[MEGATRON_BOTH];
    record->has |= RECORD_COMPUTE;
    record->compute_ns = has(times, MEGATRON_SYNC_WITHIN) && sync <= both ? both - sync : both;
}

void megatron_times_drop_sums(struct megatron_times *times)
{
    times->has &= ~(1u << MEGATRON_BOTH | 1u << MEGATRON_SYNC | 1u << MEGATRON_SYNC_ALL |
                    1u << MEGATRON_SYNC_WITHIN | 1u << MEGATRON_SYNC_STAGES);
}

void megatron_times_drop_stages(struct megatron_times *times)
{
    int64_t ns = has(times, MEGATRON_SYNC_STAGES) ? times->ns[MEGATRON_SYNC_STAGES] : 0;
    if (has(times, MEGATRON_SYNC_ALL) && ns <= times->ns[MEGATRON_SYNC_ALL])
        times->ns[MEGATRON_SYNC_ALL] -= ns;
    times->has &= ~(1u << MEGATRON_SYNC_STAGES);
}
