/* `lockstep replay`: where a place is in the run. */
#include <math.h>

#include "command_replay.h"

struct place_clock replaying_clock(const struct replaying *replaying)
{
    struct place_clock clock = {0};
    if (replay_has_clock(replaying->replay)) {
        clock.known = true;
        clock.begin_s = replay_time(replaying->replay, 0);
    }
    return clock;
}

static bool is_indexed(const struct replaying *replaying)
{
    return replay_indexed(replaying->replay) >= 1;
}

/* The step in the newest attempt that has it, else the nearest. */
static bool find_step(const struct replaying *replaying, int64_t step, struct step_key *ret_key)
{
    const struct replay *replay = replaying->replay;
    int64_t total = replay_positions(replay);
    uint64_t best = UINT64_MAX;
    if (total == 0)
        return false;
    struct step_key last = replay_key_at(replay, total - 1);
    for (int attempt = last.attempt; attempt >= 0 && best > 0; attempt--) {
        int64_t at = replay_position(replay, (struct step_key){.attempt = attempt, .step = step});
        for (int64_t i = at < 0 ? 0 : at; i <= at + 1 && i < total && best > 0; i++) {
            struct step_key key = replay_key_at(replay, i);
            uint64_t apart =
                key.step < step ? (uint64_t)(step - key.step) : (uint64_t)(key.step - step);
            if (apart >= best)
                continue;
            best = apart;
            *ret_key = key;
        }
    }
    return best == 0 || is_indexed(replaying);
}

static bool find_time(const struct replaying *replaying, double time_s, struct step_key *ret_key)
{
    const struct replay *replay = replaying->replay;
    int64_t total = replay_positions(replay), at = replay_at_time(replay, time_s);
    if (total == 0 || (at == total && !is_indexed(replaying)))
        return false;
    *ret_key = replay_key_at(replay, at < total ? at : total - 1);
    return true;
}

bool replaying_resolve(struct replaying *replaying, struct place place, struct step_key *ret_key)
{
    const struct replay *replay = replaying->replay;
    int64_t total = replay_positions(replay), at;
    if (total == 0)
        return false;
    switch (place.kind) {
    case PLACE_STEP:
        if (place.attempt < 0)
            return find_step(replaying, place.step, ret_key);
        *ret_key = (struct step_key){.attempt = place.attempt, .step = place.step};
        return true;
    case PLACE_SHARE:
        if (!is_indexed(replaying))
            return false;
        *ret_key = replay_key_at(replay, llround(place.share * (double)(total - 1)));
        return true;
    case PLACE_TIME:
        return find_time(replaying, place.time_s, ret_key);
    case PLACE_MOVE:
        break;
    }
    if (__builtin_add_overflow(replaying_position(replaying), place.step, &at))
        at = place.step < 0 ? 0 : total - 1;
    if (at >= total && !is_indexed(replaying))
        return false;
    *ret_key = replay_key_at(replay, at < 0 ? 0 : at < total ? at : total - 1);
    return true;
}

const char *replaying_other(const struct replaying *replaying, struct place place,
                            struct step_key key)
{
    const struct replay *replay = replaying->replay;
    int64_t total = replay_positions(replay);
    if (place.kind == PLACE_STEP && place.attempt < 0 && key.step != place.step)
        return "there is no such step: this is the nearest";
    if (place.kind == PLACE_TIME && replay_at_time(replay, place.time_s) == total)
        return "no step began so late: this is the last of the run";
    if (place.kind == PLACE_TIME && replay_time(replay, 0) - place.time_s > 60)
        return "the run began later than that: this is its first step";
    return NULL;
}
