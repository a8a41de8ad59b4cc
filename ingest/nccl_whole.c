/* Calls that are missing between those that are followed. */
#include "nccl_whole.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

#define RARE 16       /* counted calls: what comes less often is not waited for */
#define REMEMBERED 64 /* counted calls */
#define DUE_MOST 256

void nccl_whole_done(struct nccl_whole *whole)
{
    free(whole->list);
    free(whole->due);
    nccl_spans_done(&whole->holes);
    *whole = (struct nccl_whole){0};
}

void nccl_whole_dump(struct nccl_whole *whole)
{
    whole->dumps++;
}

static struct nccl_sequence *sequence_of(struct nccl_whole *whole, uint8_t *sequence)
{
    if (*sequence > 0)
        return &whole->list[*sequence - 1];
    if (whole->count == NCCL_SEQUENCES_MAX)
        return NULL;
    if (whole->count == whole->capacity)
        whole->list = memory_grown(whole->list, &whole->capacity, sizeof(*whole->list));
    struct nccl_sequence *made = &whole->list[whole->count++];
    *sequence = (uint8_t)whole->count;
    *made = (struct nccl_sequence){.number = -1};
    return made;
}

int64_t nccl_whole_note(struct nccl_whole *whole, uint8_t *sequence, const struct nccl_call *call)
{
    struct nccl_sequence *own = sequence_of(whole, sequence);
    int64_t lacks = 0;
    if (!own)
        return 0;
    bool begins = own->number < 0 && call->number > 1; /* they count from 0 or 1 */
    if (own->number >= 0 && call->number > own->number) {
        uint64_t steps = (uint64_t)(call->number - own->number);
        uint64_t every = (whole->counted - own->counted) / steps;
        own->every = every > RARE ? 0 : every > 0 ? every : 1;
        lacks = call->number - own->number - 1;
    }
    if ((lacks > 0 || begins) && call->arrival_ns >= own->release_ns) {
        nccl_spans_add(&whole->holes, own->release_ns, call->arrival_ns + 1);
        nccl_spans_sort(&whole->holes);
    }
    own->number = call->number;
    own->release_ns = call->release_ns;
    own->counted = whole->counted;
    own->dumps = whole->dumps;
    return lacks;
}

void nccl_whole_count(struct nccl_whole *whole, const struct nccl_due *due)
{
    if (whole->due_count == whole->due_capacity)
        whole->due = memory_grown(whole->due, &whole->due_capacity, sizeof(*whole->due));
    whole->due[whole->due_count++] = *due;
    whole->counted++;
    if (due->next && due->sync_ns != due->call.release_ns - due->call.arrival_ns)
        whole->joined = whole->counted;
}

enum says { SAYS_NOTHING, WILL_SAY, OVERDUE };

/* Whether a call of this sequence will tell of what is missing before the end of that one. One that
 * does not come any more is overdue, and after a while not expected. */
static enum says says(const struct nccl_whole *whole, const struct nccl_sequence *one,
                      const struct nccl_due *due)
{
    uint64_t ago = whole->counted - one->counted;
    if (one->every == 0 || one->release_ns >= due->call.release_ns)
        return SAYS_NOTHING;
    if (ago <= 3 * one->every + 3 || whole->dumps - one->dumps <= 1)
        return WILL_SAY;
    return ago <= 8 * one->every + REMEMBERED ? OVERDUE : SAYS_NOTHING;
}

/* What is not waited for any more came later than as a rule. */
static bool is_late(const struct nccl_whole *whole, const struct nccl_sequence *one)
{
    return whole->counted - one->counted > one->every && whole->dumps - one->dumps > 1;
}

bool nccl_whole_next(struct nccl_whole *whole, uint8_t followed, bool all, struct nccl_due *ret,
                     bool *ret_hole)
{
    if (whole->due_count == 0)
        return false;
    struct nccl_due *first = &whole->due[0];
    bool now = all || whole->due_count >= DUE_MOST, hole = false;
    for (uint32_t i = 0; first->next && i < whole->count; i++) {
        enum says says_it = i + 1 == followed ? SAYS_NOTHING : says(whole, &whole->list[i], first);
        if (says_it == WILL_SAY && !now)
            return false;
        hole |= says_it == OVERDUE || (says_it == WILL_SAY && is_late(whole, &whole->list[i]));
    }
    *ret = *first;
    *ret_hole = hole || (first->next && nccl_spans_within(&whole->holes, first->begin_ns,
                                                          first->call.arrival_ns) > 0);
    memmove(first, first + 1, --whole->due_count * sizeof(*first));
    if (whole->holes.count > 0 && ret->call.arrival_ns > 0)
        nccl_spans_forget(&whole->holes, ret->call.arrival_ns);
    return true;
}

bool nccl_whole_joins(const struct nccl_whole *whole)
{
    return whole->joined > 0 && whole->counted - whole->joined < REMEMBERED;
}
