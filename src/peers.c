/* Groups and hosts. */
#include "peers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "quantile.h"

#define OTHERS_EXACT 64 /* with more groups one of them moves the median of all but little */

void peers_done(struct peers *peers)
{
    free(peers->units);
    free(peers->members);
    free(peers->group_unit);
    free(peers->host_unit);
    free(peers->median_ns);
    free(peers->scratch);
    *peers = (struct peers){0};
}

static uint32_t scratch_size(const struct peers *peers)
{
    return peers->rank_count > peers->unit_count ? peers->rank_count : peers->unit_count;
}

void peers_copy(struct peers *to, const struct peers *from)
{
    peers_done(to);
    *to = *from;
    to->units = memory_copied(from->units, from->unit_capacity, sizeof(*from->units));
    to->members = memory_copied(from->members, (size_t)from->rank_count * 2, sizeof(uint32_t));
    to->group_unit = memory_copied(from->group_unit, from->rank_count, sizeof(uint32_t));
    to->host_unit = memory_copied(from->host_unit, from->rank_count, sizeof(uint32_t));
    to->median_ns = memory_copied(from->median_ns, from->unit_count, sizeof(double));
    to->scratch = memory_copied(from->scratch, scratch_size(from), sizeof(double));
}

/* The units that there are, found by name: units_of[2 x name + is_host] - 1. */
static uint32_t unit_of(struct peers *peers, uint32_t *units_of, uint32_t name, bool is_host)
{
    if (name == 0)
        return PEERS_NONE;
    uint32_t *place = &units_of[2 * (size_t)name + is_host];
    if (*place == 0) {
        if (peers->unit_count == peers->unit_capacity)
            peers->units = memory_grown(peers->units, &peers->unit_capacity, sizeof(*peers->units));
        peers->units[peers->unit_count] = (struct peers_unit){.name = name, .is_host = is_host};
        *place = ++peers->unit_count;
    }
    return *place - 1;
}

static void find_units(struct peers *peers, const struct ranks *ranks)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < ranks->count; i++) {
        last = ranks->info[i].group > last ? ranks->info[i].group : last;
        last = ranks->info[i].host > last ? ranks->info[i].host : last;
    }
    for (uint32_t u = 0; u < peers->unit_count; u++)
        last = peers->units[u].name > last ? peers->units[u].name : last;
    uint32_t *units_of = memory_zeroed(2 * ((size_t)last + 1), sizeof(*units_of));
    for (uint32_t u = 0; u < peers->unit_count; u++)
        units_of[2 * (size_t)peers->units[u].name + peers->units[u].is_host] = u + 1;
    for (uint32_t i = 0; i < ranks->count; i++) {
        peers->group_unit[i] = unit_of(peers, units_of, ranks->info[i].group, false);
        peers->host_unit[i] = unit_of(peers, units_of, ranks->info[i].host, true);
    }
    free(units_of);
}

/* Which slots each unit has: counted, then put behind each other. */
static void find_members(struct peers *peers, uint32_t ranks)
{
    uint32_t kinds[2] = {0, 0}, at = 0;
    for (uint32_t u = 0; u < peers->unit_count; u++)
        peers->units[u].ranks = 0;
    for (uint32_t i = 0; i < ranks; i++) {
        if (peers->group_unit[i] != PEERS_NONE)
            peers->units[peers->group_unit[i]].ranks++;
        if (peers->host_unit[i] != PEERS_NONE)
            peers->units[peers->host_unit[i]].ranks++;
    }
    for (uint32_t u = 0; u < peers->unit_count; u++) {
        struct peers_unit *unit = &peers->units[u];
        unit->first = at;
        at += unit->ranks;
        kinds[unit->is_host] += unit->ranks > 0;
        unit->ranks = 0;
    }
    for (uint32_t i = 0; i < ranks; i++)
        for (int host = 0; host < 2; host++) {
            uint32_t u = host ? peers->host_unit[i] : peers->group_unit[i];
            if (u != PEERS_NONE)
                peers->members[peers->units[u].first + peers->units[u].ranks++] = i;
        }
    peers->group_count = kinds[0];
    peers->by_group = peers->judges_units = false;
    for (uint32_t u = 0; u < peers->unit_count; u++) {
        struct peers_unit *unit = &peers->units[u];
        unit->judged = unit->ranks >= 2 && kinds[unit->is_host] >= 2;
        peers->judges_units |= unit->judged;
        peers->by_group |= unit->judged && !unit->is_host && unit->ranks >= PEERS_MIN;
    }
}

bool peers_update(struct peers *peers, const struct ranks *ranks)
{
    if (peers->rank_count == ranks->count && peers->names_version == ranks->names_version)
        return false;
    peers->rank_count = ranks->count;
    peers->names_version = ranks->names_version;
    peers->members = memory_resized(peers->members, (size_t)ranks->count * 2, sizeof(uint32_t));
    peers->group_unit = memory_resized(peers->group_unit, ranks->count, sizeof(uint32_t));
    peers->host_unit = memory_resized(peers->host_unit, ranks->count, sizeof(uint32_t));
    find_units(peers, ranks);
    find_members(peers, ranks->count);
    peers->median_ns = memory_resized(peers->median_ns, peers->unit_count, sizeof(double));
    for (uint32_t u = 0; u < peers->unit_count; u++)
        peers->median_ns[u] = NAN;
    peers->scratch = memory_resized(peers->scratch, scratch_size(peers), sizeof(double));
    return true;
}

static double median_of_members(struct peers *peers, const struct peers_unit *unit,
                                const double *values)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < unit->ranks; k++) {
        double value = values[peers->members[unit->first + k]];
        peers->scratch[n] = value;
        n += value == value;
    }
    return median_of(peers->scratch, n);
}

/* The median of the groups' medians, one of them left out. */
static double median_of_groups(struct peers *peers, uint32_t without)
{
    uint32_t n = 0;
    for (uint32_t u = 0; u < peers->unit_count; u++) {
        double median = peers->median_ns[u];
        if (!peers->units[u].is_host && u != without && median == median)
            peers->scratch[n++] = median;
    }
    return median_of(peers->scratch, n);
}

void peers_group_medians(struct peers *peers, const double *own_ns)
{
    for (uint32_t u = 0; u < peers->unit_count; u++)
        if (!peers->units[u].is_host)
            peers->median_ns[u] = median_of_members(peers, &peers->units[u], own_ns);
    if (peers->group_count > OTHERS_EXACT)
        peers->groups_ns = median_of_groups(peers, PEERS_NONE);
}

double peers_group_slowdown(struct peers *peers, uint32_t unit)
{
    double others =
        peers->group_count > OTHERS_EXACT ? peers->groups_ns : median_of_groups(peers, unit);
    return others > 0 ? peers->median_ns[unit] / others : NAN;
}

#define SHARE_THAT_MOVES 8 /* a host of one in so many peers, or more, moves their median */

/* The group that all ranks of a host are compared with; PEERS_NONE: all ranks, or one
 * group some and another one others. */
static uint32_t kind_of_host(const struct peers *peers, const struct peers_unit *host)
{
    const uint32_t *members = peers->members + host->first;
    uint32_t kind = peers_kind(peers, members[0]);
    for (uint32_t k = 1; k < host->ranks; k++)
        if (peers_kind(peers, members[k]) != kind)
            return PEERS_NONE;
    return kind;
}

/* What the peers of a host come to that are not on it; NAN when it is too small to
 * matter. */
static double median_beside(struct peers *peers, const struct peers_unit *host,
                            const double *slowdowns)
{
    uint32_t unit = (uint32_t)(host - peers->units), kind = kind_of_host(peers, host), n = 0;
    uint32_t count = kind == PEERS_NONE ? peers->rank_count : peers->units[kind].ranks;
    if ((uint64_t)host->ranks * SHARE_THAT_MOVES < count)
        return NAN;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = kind == PEERS_NONE ? i : peers->members[peers->units[kind].first + i];
        double value = slowdowns[slot];
        if (value == value && peers->host_unit[slot] != unit)
            peers->scratch[n++] = value;
    }
    return median_of(peers->scratch, n);
}

double peers_host_slowdown(struct peers *peers, uint32_t unit, const double *slowdowns)
{
    double here = median_of_members(peers, &peers->units[unit], slowdowns);
    double beside = median_beside(peers, &peers->units[unit], slowdowns);
    return beside > 0 ? here / beside : here;
}
