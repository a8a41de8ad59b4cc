/* The summary's words and its arrays. */
#include "summary.h"

#include <stdlib.h>
#include <string.h>

const char *wait_rule_name(enum wait_rule rule)
{
    static const char *const names[] = {"unknown", "sync", "clocks", "own", "overlapped"};
    return names[rule];
}

const char *wait_rule_sentence(enum wait_rule rule)
{
    static const char *const sentences[] = {
        "not known",
        "sync - min sync",
        "latest arrival - own arrival",
        "max own time - own time",
        "backward - min backward",
    };
    return sentences[rule];
}

enum evidence wait_rule_evidence(enum wait_rule rule)
{
    switch (rule) {
    case WAIT_SYNC:
    case WAIT_CLOCKS:
        return EVIDENCE_MEASURED;
    case WAIT_OWN:
    case WAIT_OVERLAPPED:
        return EVIDENCE_COMPUTED;
    case WAIT_UNKNOWN:
        break;
    }
    return EVIDENCE_NONE;
}

const char *verdict_kind_name(enum verdict_kind kind)
{
    static const char *const names[] = {"straggler", "group",     "spike",      "missing",
                                        "restart",   "wandering", "cannot_tell", "gap"};
    return names[kind];
}

const struct summary_rank *summary_rank_of(const struct summary *summary, int64_t rank)
{
    size_t low = 0, high = summary->rank_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (summary->ranks[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < summary->rank_count && summary->ranks[low].rank == rank ? &summary->ranks[low]
                                                                         : NULL;
}

void summary_init(struct summary *summary)
{
    memset(summary, 0, sizeof(*summary));
}

void summary_done(struct summary *summary)
{
    free(summary->ranks);
    free(summary->verdicts);
    free(summary->points);
    free(summary->what_ifs);
    free(summary->clocks);
    summary_init(summary);
}
