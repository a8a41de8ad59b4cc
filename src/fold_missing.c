/* Ranks that no longer report while the others go on, and that are back: from the
 * rows alone, so that it does not matter when they are folded. */
#include <math.h>

#include "fold.h"

#define STRAY_ROWS_MAX 16
#define REPLACED_MAX 16 /* in one step: taking an old event out costs O(events + ranks) */

/* Rows that less than half as many have reported as the one before: a record with a
 * wrong number, or the last step before a crash. */
bool fold_is_stray(const struct fold *fold, const struct step_row *row)
{
    return row->attempt == fold->job.attempt && row->reported < fold->job.reported / 2 &&
           fold->job.strays < STRAY_ROWS_MAX;
}

static bool forget_oldest(struct fold *fold)
{
    for (uint32_t k = 0; k < fold->event_count; k++) {
        const struct fold_event *event = &fold->events[k];
        if (event->kind != VERDICT_MISSING || event->cleared_ordinal == UINT32_MAX)
            continue;
        fold_event_remove(fold, k);
        fold_recover(fold);
        return true;
    }
    return false;
}

/* The index of a new event on the ranks that are absent as `absence` is; -2: there is
 * no room. */
static int32_t add(struct fold *fold, const struct fold_step *step,
                   const struct fold_absence *absence, uint32_t who, int *replaced)
{
    const struct fold_absence since = *absence;
    bool full = fold->missing_events >= FOLD_MISSING_MAX;
    if (full) {
        fold->missing_dropped++;
        if ((*replaced)++ >= REPLACED_MAX || !forget_oldest(fold))
            return -2;
    }
    struct fold_event *event = fold_event_new(fold, VERDICT_MISSING, who, step->row);
    if (!event)
        return -2;
    fold->missing_events++;
    event->attempt = since.attempt;
    event->from_step = since.step;
    event->from_ordinal = since.ordinal;
    size_t back = fold->ordinal - since.ordinal;
    const struct step_row *first =
        back <= step->index ? steps_at(step->steps, step->index - back) : NULL;
    if (first && first->step == since.step)
        event->begin_ns = step_row_begin_ns(first);
    return (int32_t)fold->event_count - 1;
}

static bool is_new(const struct fold_absence *absence, const struct fold_step *step)
{
    return absence->rows == fold_missing_rows(step->row) && absence->event == -1;
}

/* The host of the rank, when all of its ranks, two or more, are absent since the same
 * step; PEERS_NONE. */
static uint32_t whole_host(const struct fold *fold, const struct fold_step *step, uint32_t slot)
{
    const struct peers *peers = &fold->peers;
    uint32_t host = peers->host_unit[slot];
    if (host == PEERS_NONE || peers->units[host].ranks < 2)
        return PEERS_NONE;
    const struct peers_unit *unit = &peers->units[host];
    for (uint32_t k = 0; k < unit->ranks; k++) {
        const struct fold_absence *absence = &fold->absences[peers->members[unit->first + k]];
        if (!is_new(absence, step) || absence->ordinal != fold->absences[slot].ordinal)
            return PEERS_NONE;
    }
    return host;
}

static void add_host(struct fold *fold, const struct fold_step *step, uint32_t slot, uint32_t host,
                     int *replaced)
{
    const struct peers_unit *unit = &fold->peers.units[host];
    int32_t index = add(fold, step, &fold->absences[slot], host, replaced);
    for (uint32_t k = 0; k < unit->ranks; k++)
        fold->absences[fold->peers.members[unit->first + k]].event = index;
    if (index < 0)
        return;
    fold->events[index].of_host = true;
    fold->events[index].away = unit->ranks;
}

static void add_new(struct fold *fold, const struct fold_step *step)
{
    int replaced = 0;
    for (uint32_t i = 0; i < fold->rank_count; i++) {
        struct fold_absence *absence = &fold->absences[i];
        if (!is_new(absence, step))
            continue;
        uint32_t host = whole_host(fold, step, i);
        if (host != PEERS_NONE) {
            add_host(fold, step, i, host, &replaced);
            continue;
        }
        absence->event = add(fold, step, absence, i, &replaced);
        if (absence->event >= 0)
            fold->events[absence->event].away = 1;
    }
}

/* It was missing up to the job's last row. */
static void come_back(struct fold *fold, const struct fold_step *step, uint32_t slot)
{
    struct fold_absence *absence = &fold->absences[slot];
    if (absence->event >= 0) {
        struct fold_event *event = &fold->events[absence->event];
        if (--event->away == 0)
            fold_event_end(fold, event, step, fold->job.ordinal, fold->job.step);
    }
    *absence = (struct fold_absence){.event = -1};
}

void fold_missing(struct fold *fold, const struct fold_step *step)
{
    const struct step_row *row = step->row;
    uint32_t newly = 0;
    if ((row->reported == fold->rank_count && fold->absent == 0) || step_row_of_job(row))
        return;
    fold->absent = 0;
    for (uint32_t i = 0; i < fold->rank_count; i++) {
        struct fold_absence *absence = &fold->absences[i];
        if (i < row->capacity && row->has[i]) {
            if (absence->rows > 0)
                come_back(fold, step, i);
            continue;
        }
        if (fold->ranks[i].steps == 0)
            continue; /* it has not joined yet */
        fold->absent++;
        if (absence->rows == 0) {
            absence->step = row->step;
            absence->attempt = row->attempt;
            absence->ordinal = fold->ordinal;
        }
        absence->rows += absence->rows < UINT32_MAX;
        newly += absence->rows == fold_missing_rows(row);
    }
    if (newly > 0)
        add_new(fold, step);
}
