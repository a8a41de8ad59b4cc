/* What would be won if ranks, groups or hosts ran at the median. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis_window.h"
#include "memory.h"
#include "what_if.h"

struct what_if_list {
    struct analysis *analysis;
    struct summary *summary;
};

static struct what_if *add_what_if(const struct what_if_list *list, enum cost_of of, double gain_s)
{
    struct summary *summary = list->summary;
    struct what_if *what_if = &summary->what_ifs[summary->what_if_count++];
    double time_s =
        quantity_known(summary->window_step_time_s) ? summary->window_step_time_s.value : NAN;
    double mfu = quantity_known(summary->mfu) ? summary->mfu.value : NAN;
    double tokens = summary->tokens_per_step;
    double done =
        tokens > 0 && summary->last_step >= 0 ? tokens * ((double)summary->last_step + 1) : NAN;
    *what_if = (struct what_if){.of = of, .rank = -1, .ranks = 1, .steps = summary->window_steps};
    what_if_fill(what_if, time_s, gain_s, &summary->run, summary->run.gpus, mfu, tokens, done);
    const struct jitter *jitter = &summary->jitter;
    what_if->explains = quantity_none();
    if (quantity_known(jitter->chronic) && jitter->chronic.value > 0 &&
        quantity_known(what_if->gain_share))
        what_if->explains = analysis_number(
            list->analysis, fmin(1, what_if->gain_share.value / jitter->chronic.value),
            EVIDENCE_COMPUTED);
    what_if->lower_bound = summary->has_groups;
    return what_if;
}

static void add_rank(const struct what_if_list *list, uint32_t slot, bool named)
{
    struct what_if *what_if =
        add_what_if(list, COST_OF_RANK, list->analysis->window->gains_s[slot]);
    what_if->rank = list->analysis->ranks.info[slot].rank;
    what_if->named = named;
    if (!named) /* what it would win is its own bad luck, not what is lost over the floor */
        what_if->explains = quantity_none();
}

static void add_unit(const struct what_if_list *list, uint32_t index, bool named)
{
    struct analysis *analysis = list->analysis;
    const struct peers *peers = &analysis->current.peers;
    const struct peers_unit *unit = &peers->units[index];
    const double *gains =
        analysis->window->unit_gains_s + (unit->is_host ? peers->unit_count + 1 : 0);
    struct what_if *what_if =
        add_what_if(list, unit->is_host ? COST_OF_HOST : COST_OF_GROUP, gains[index + 1]);
    what_if->ranks = (int)unit->ranks;
    what_if->named = named;
    if (!named)
        what_if->explains = quantity_none();
    str_copy(what_if->name, sizeof(what_if->name),
             str_from(names_get(&analysis->names, unit->name)));
}

static bool is_straggler(const struct summary *summary, uint32_t rank)
{
    for (size_t i = 0; i < summary->verdicts_in_force; i++)
        if (summary->verdicts[i].kind == VERDICT_STRAGGLER && summary->verdicts[i].rank == rank)
            return true;
    return false;
}

/* To compare with a group or host: the rank of it that is slowest, alone; one that is named beside
 * its peers has a line of its own. */
static void add_slowest_of(const struct what_if_list *list, uint32_t index)
{
    const struct peers *peers = &list->analysis->current.peers;
    const struct peers_unit *unit = &peers->units[index];
    const float *medians = list->analysis->window->medians;
    uint32_t slowest = peers->members[unit->first];
    for (uint32_t k = 1; k < unit->ranks; k++) {
        uint32_t slot = peers->members[unit->first + k];
        if (medians[slot] > medians[slowest])
            slowest = slot;
    }
    if (!is_straggler(list->summary, list->analysis->ranks.info[slowest].rank))
        add_rank(list, slowest, false);
}

/* The unit of that name with ranks in it; PEERS_NONE when there is none. */
static uint32_t find_unit(const struct analysis *analysis, const char *name, bool is_host)
{
    const struct peers *peers = &analysis->current.peers;
    for (uint32_t u = 0; u < peers->unit_count; u++)
        if (peers->units[u].is_host == is_host && peers->units[u].ranks > 0 &&
            strcmp(names_get(&analysis->names, peers->units[u].name), name) == 0)
            return u;
    return PEERS_NONE;
}

static int by_gain(const void *a, const void *b)
{
    const struct what_if *one = a, *other = b;
    double x = quantity_known(one->gain_share) ? one->gain_share.value : -1;
    double y = quantity_known(other->gain_share) ? other->gain_share.value : -1;
    if (x != y)
        return x > y ? -1 : 1;
    if (one->named != other->named)
        return one->named ? -1 : 1;
    return one->rank < other->rank ? -1 : one->rank > other->rank;
}

#define WHAT_IFS_MAX 64 /* slow ranks and groups; all of them are in the first line */

void analysis_what_ifs(struct analysis *analysis, double named_gain_s, struct summary *summary)
{
    const struct analysis_window *window = analysis->window;
    const struct what_if_list list = {analysis, summary};
    summary->what_ifs =
        memory_resized(summary->what_ifs, WHAT_IFS_MAX + 3, sizeof(*summary->what_ifs));
    summary->what_if_count = 0;
    if (window->view.steps == 0 || summary->rule == WAIT_UNKNOWN)
        return;
    size_t first = 0, named = 0;
    for (size_t i = 0; i < summary->verdicts_in_force; i++)
        named += verdict_kind_is_slow(summary->verdicts[i].kind);
    if (named > 1) {
        struct what_if *all = add_what_if(&list, COST_OF_ALL, named_gain_s);
        all->named = true;
        all->ranks = 0;
        for (uint32_t i = 0; i < window->view.ranks; i++)
            all->ranks += window->named[i];
        first = 1;
    }
    for (size_t i = 0; i < summary->verdicts_in_force && summary->what_if_count < WHAT_IFS_MAX;
         i++) {
        const struct verdict *verdict = &summary->verdicts[i];
        if (verdict->kind == VERDICT_STRAGGLER)
            add_rank(&list, ranks_slot(&analysis->ranks, (uint32_t)verdict->rank), true);
        if (verdict->kind != VERDICT_GROUP)
            continue;
        uint32_t unit = find_unit(analysis, verdict->group, verdict->is_host);
        if (unit == PEERS_NONE)
            continue;
        add_unit(&list, unit, true);
        add_slowest_of(&list, unit);
    }
    if (named == 0 && window->view.ranks > 0) { /* nobody: what the best of them would bring */
        uint32_t best = 0;
        for (uint32_t i = 1; i < window->view.ranks; i++)
            if (window->gains_s[i] > window->gains_s[best])
                best = i;
        add_rank(&list, best, false);
    }
    if (summary->what_if_count > first + 1)
        qsort(summary->what_ifs + first, summary->what_if_count - first, sizeof(*summary->what_ifs),
              by_gain);
}

/* The last one goes when the same is there already. */
static void drop_repeated(struct summary *summary)
{
    const struct what_if *last = &summary->what_ifs[summary->what_if_count - 1];
    for (const struct what_if *other = summary->what_ifs; other < last; other++)
        if (other->of == last->of && other->rank == last->rank &&
            strcmp(other->name, last->name) == 0) {
            summary->what_if_count--;
            return;
        }
}

bool analysis_ask(struct analysis *analysis, const char *who, struct summary *summary)
{
    const struct what_if_list list = {analysis, summary};
    int64_t number;
    bool found = false;
    if (analysis->window->view.steps == 0 || summary->rule == WAIT_UNKNOWN)
        return false;
    summary->what_ifs =
        memory_resized(summary->what_ifs, summary->what_if_count + 3, sizeof(*summary->what_ifs));
    if (str_to_int(str_from(who), 0, RECORD_RANK_MAX, &number) &&
        ranks_slot(&analysis->ranks, (uint32_t)number) != RANK_SLOT_NONE) {
        add_rank(&list, ranks_slot(&analysis->ranks, (uint32_t)number), false);
        drop_repeated(summary);
        found = true;
    }
    for (int host = 0; host < 2; host++) {
        uint32_t unit = find_unit(analysis, who, host);
        if (unit == PEERS_NONE)
            continue;
        add_unit(&list, unit, false);
        drop_repeated(summary);
        found = true;
    }
    return found;
}
