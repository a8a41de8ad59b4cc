/* Who does the same work: the ranks of a group (pipeline stage) and of a host, and
 * what their own times are compared with.
 *
 * A rank is compared with its group when the group has at least PEERS_MIN ranks and
 * there is another group, else with all ranks. A group is compared with the other
 * groups; a host with the peers of its ranks. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ranks.h"

#define PEERS_MIN 3
#define PEERS_NONE UINT32_MAX

struct peers_unit {
    uint32_t name; /* id in struct names */
    bool is_host;
    bool judged;           /* has two ranks or more, and is not the only one of its kind */
    uint32_t first, ranks; /* members[first .. first + ranks - 1] */
};

struct peers {
    uint32_t rank_count, names_version; /* of struct ranks, when this was made */
    struct peers_unit *units;           /* owned; a unit keeps its index for good */
    uint32_t unit_count, unit_capacity;
    uint32_t *members;                 /* slots, one unit after the other, owned */
    uint32_t *group_unit, *host_unit;  /* by slot: index of a unit, or PEERS_NONE; owned */
    bool by_group;                     /* some rank is compared with its group */
    bool judges_units;                 /* some unit is judged */
    uint32_t group_count;            /* groups with ranks */
    double groups_ns;                /* median of the groups' medians, where there are many */
    double *median_ns; /* by unit: of the own times of its members in the step; NAN; owned */
    double *scratch;   /* as long as there are slots, or units if more */
};

void peers_done(struct peers *peers); /* zero-initialised is empty */
void peers_copy(struct peers *to, const struct peers *from);

/* Makes it anew when ranks have joined, or names have changed. True when it did. */
bool peers_update(struct peers *peers, const struct ranks *ranks);

/* Medians of the groups, for one step. own_ns: by slot, NAN where not known. */
void peers_group_medians(struct peers *peers, const double *own_ns);

/* The group that a rank is compared with; PEERS_NONE: all ranks. */
static inline uint32_t peers_kind(const struct peers *peers, uint32_t slot)
{
    uint32_t unit = peers->by_group ? peers->group_unit[slot] : PEERS_NONE;
    if (unit == PEERS_NONE || peers->units[unit].ranks < PEERS_MIN || !peers->units[unit].judged)
        return PEERS_NONE;
    return unit;
}

/* What the own time of a rank is compared with; `all_ns` is the median of all. */
static inline double peers_reference_ns(const struct peers *peers, uint32_t slot, double all_ns)
{
    uint32_t unit = peers_kind(peers, slot);
    return unit == PEERS_NONE ? all_ns : peers->median_ns[unit];
}

/* The slowdown of a group against the other groups in the step whose medians were
 * made last: its median / the median of theirs; NAN when not known. */
double peers_group_slowdown(struct peers *peers, uint32_t unit);

/* The slowdown of a host: the median over its ranks of slowdowns[slot]; where it has so
 * many of their peers that it moves their median (of two hosts: half of them), against
 * the peers that are not on it. */
double peers_host_slowdown(struct peers *peers, uint32_t unit, const double *slowdowns);
