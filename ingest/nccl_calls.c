/* Which calls any rank has. */
#include "nccl_calls.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

void nccl_calls_done(struct nccl_calls *calls)
{
    free(calls->pages);
    free(calls->ranks);
    *calls = (struct nccl_calls){0};
}

/* ---- pages ---- */

/* The first page with that number or a larger one. They come at the end, mostly. */
static uint32_t page_at(const struct nccl_calls *calls, int64_t number)
{
    uint32_t low = 0, high = calls->page_count;
    if (high > 0 && calls->pages[high - 1].number < number)
        return high;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (calls->pages[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct nccl_page *page_of(struct nccl_calls *calls, int64_t number)
{
    uint32_t at = page_at(calls, number);
    if (at < calls->page_count && calls->pages[at].number == number)
        return &calls->pages[at];
    if (calls->page_count == NCCL_PAGES_MAX)
        return NULL;
    if (calls->page_count == calls->page_capacity)
        calls->pages = memory_grown(calls->pages, &calls->page_capacity, sizeof(*calls->pages));
    memmove(calls->pages + at + 1, calls->pages + at,
            (calls->page_count++ - at) * sizeof(*calls->pages));
    calls->pages[at] = (struct nccl_page){.number = number};
    return &calls->pages[at];
}

/* The bits of a page's word from `from` up to, without, `to`, both counted from its begin. */
static uint64_t mask(int64_t from, int64_t to)
{
    uint64_t below_to = to >= 64 ? UINT64_MAX : to <= 0 ? 0 : (UINT64_C(1) << to) - 1;
    uint64_t below_from = from >= 64 ? UINT64_MAX : from <= 0 ? 0 : (UINT64_C(1) << from) - 1;
    return below_to & ~below_from;
}

/* How many calls from `from` up to, without, `to` some rank has. */
static int64_t count_between(const struct nccl_calls *calls, int64_t from, int64_t to)
{
    int64_t count = 0;
    if (from >= to)
        return 0; /* mostly */
    for (uint32_t at = page_at(calls, from / NCCL_PAGE_BITS); at < calls->page_count; at++) {
        const struct nccl_page *page = &calls->pages[at];
        int64_t begin = page->number * NCCL_PAGE_BITS;
        if (begin >= to)
            break;
        for (int64_t word = 0; word < NCCL_PAGE_BITS / 64; word++, begin += 64)
            if (page->bits[word] && begin < to && begin + 64 > from)
                count += __builtin_popcountll(page->bits[word] & mask(from - begin, to - begin));
    }
    return count;
}

/* ---- ranks ---- */

static struct nccl_rank_calls *rank_of(struct nccl_calls *calls, int64_t rank, int64_t number)
{
    uint32_t low = 0, high = calls->rank_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (calls->ranks[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < calls->rank_count && calls->ranks[low].rank == rank)
        return &calls->ranks[low];
    if (calls->rank_count == calls->rank_capacity)
        calls->ranks = memory_grown(calls->ranks, &calls->rank_capacity, sizeof(*calls->ranks));
    memmove(calls->ranks + low + 1, calls->ranks + low,
            (calls->rank_count++ - low) * sizeof(*calls->ranks));
    calls->ranks[low] = (struct nccl_rank_calls){.rank = rank, .first = number, .last = number};
    return &calls->ranks[low];
}

/* Ranks that have calls before and after it, and not itself: it is new. */
static int64_t ranks_around(const struct nccl_calls *calls, int64_t rank, int64_t number)
{
    int64_t count = 0;
    for (uint32_t i = 0; i < calls->rank_count; i++)
        count += calls->ranks[i].rank != rank && calls->ranks[i].first < number &&
                 calls->ranks[i].last > number;
    return count;
}

/* More calls that no rank has; one less when this is one of them. */
static struct nccl_gap unrecorded(const struct nccl_calls *calls, int64_t number)
{
    if (calls->rank_count == 0)
        return (struct nccl_gap){0};
    if (number > calls->last)
        return (struct nccl_gap){.unrecorded = number - calls->last - 1,
                                 .first_unrecorded = calls->last + 1};
    if (number < calls->first)
        return (struct nccl_gap){.unrecorded = calls->first - number - 1,
                                 .first_unrecorded = number + 1};
    return (struct nccl_gap){.unrecorded = -1};
}

bool nccl_calls_add(struct nccl_calls *calls, int64_t rank, int64_t number, struct nccl_gap *ret)
{
    struct nccl_page *page = page_of(calls, number / NCCL_PAGE_BITS);
    if (!page)
        return false;
    *ret = (struct nccl_gap){0};
    uint64_t *word = &page->bits[number % NCCL_PAGE_BITS / 64];
    uint64_t bit = UINT64_C(1) << number % 64;
    if (!(*word & bit)) {
        *ret = unrecorded(calls, number);
        ret->without = ranks_around(calls, rank, number);
    }
    *word |= bit;
    bool first = calls->rank_count == 0;
    calls->first = first || number < calls->first ? number : calls->first;
    calls->last = first || number > calls->last ? number : calls->last;
    struct nccl_rank_calls *own = rank_of(calls, rank, number);
    if (number > own->last) {
        ret->lacks = count_between(calls, own->last + 1, number);
        own->last = number;
    }
    return true;
}
