/* NCCL Inspector: JSON lines, one file a process, or those of several in one stream. A "step" is
 * one collective of one communicator: own time is from the release of the one before to the start
 * of the first kernel, the exchange from there to the last kernel's stop. All ranks together give
 * who waited for whom (nccl_process.h). */
#include "log_format.h"
#include "log_text.h"
#include "memory.h"
#include "nccl_layout.h"
#include "nccl_process.h"

#include <stdlib.h>
#include <string.h>

#define PROCESSES_MOST 4096 /* in one stream */
#define GPUS_MOST 64        /* of one process */
#define NOBODYS UINT32_MAX

/* A process of this stream, or one GPU of it. */
struct named {
    char host[64];
    int64_t pid;
    struct nccl_process *process; /* owned */
};

struct inspector {
    struct nccl_layouts layouts;
    struct named *list; /* owned */
    uint32_t count, capacity;
    uint32_t current; /* whose the last line was */
    int64_t follow;   /* so many lines without a header are still to come of the last dump */
    bool unsure;      /* they may be of another: its lines were between */
};

static bool is_named(const struct named *one, const struct nccl_record *record)
{
    return one->pid == record->pid && strcmp(one->host, record->host) == 0;
}

static uint32_t make(struct inspector *inspector, const struct nccl_record *record, uint32_t gpu)
{
    if (inspector->count == PROCESSES_MOST)
        return NOBODYS;
    if (inspector->count == inspector->capacity)
        inspector->list =
            memory_grown(inspector->list, &inspector->capacity, sizeof(*inspector->list));
    struct named *made = &inspector->list[inspector->count];
    *made = (struct named){.pid = record->pid, .process = nccl_process_new(gpu)};
    memcpy(made->host, record->host, sizeof(record->host));
    return inspector->count++;
}

/* Whose a line with a header is, made when it is new; NOBODYS: it is not told, or there is no room.
 * A process that is more than one rank of a communicator has as many GPUs, each of which is as a
 * process of its own; of another communicator it is not told then which of them is which. */
static uint32_t whose(struct inspector *inspector, const struct nccl_record *record)
{
    uint32_t at = inspector->current, gpus = 0, free_one = NOBODYS;
    if (at < inspector->count && is_named(&inspector->list[at], record) &&
        nccl_process_has(inspector->list[at].process, record) == NCCL_HAS)
        return at;
    for (at = 0; at < inspector->count; at++) {
        if (!is_named(&inspector->list[at], record))
            continue;
        enum nccl_has has = nccl_process_has(inspector->list[at].process, record);
        if (has == NCCL_HAS)
            return at;
        free_one = has == NCCL_HAS_NOT ? at : free_one;
        gpus++;
    }
    if (gpus <= 1 && free_one != NOBODYS)
        return free_one;
    if (free_one == NOBODYS && gpus < GPUS_MOST)
        return make(inspector, record, gpus);
    for (at = 0; at < inspector->count; at++)
        if (is_named(&inspector->list[at], record))
            nccl_process_doubt(inspector->list[at].process);
    return NOBODYS;
}

/* Lines without a header are of the dump before them, which says how many there are: where that of
 * another process began too early, lines of both may be mixed. */
static void count_dump(struct inspector *inspector, const struct nccl_record *record, bool other)
{
    if (record->has_header) {
        inspector->unsure = other && inspector->follow > 0;
        inspector->follow = record->kind == NCCL_DUMP ? record->follow : 0;
    } else if (inspector->follow > 0) {
        inspector->follow--;
    }
}

static void take(struct inspector *inspector, const struct nccl_record *record, struct log_out *out)
{
    uint32_t at = inspector->current, before = at;
    if (record->has_header || inspector->count == 0)
        at = whose(inspector, record);
    count_dump(inspector, record, inspector->count > 1 && at != before);
    inspector->current = at;
    if (at == NOBODYS) {
        log_out_count(out, LOG_LEFT_OUT,
                      "communicator %s, %.40s pid %lld: which of its GPUs it is of is not told, or "
                      "there is no room for one process more",
                      record->communicator, record->host, (long long)record->pid);
        return;
    }
    if (inspector->unsure && !record->has_header)
        log_out_damaged(out,
                        "a collective of NCCL Inspector that may be of another process: lines of "
                        "several are mixed");
    else
        nccl_process_take(inspector->list[at].process, record, out);
}

static enum log_answer line(void *state, const struct log_line *line, struct log_out *out)
{
    struct inspector *inspector = state;
    struct nccl_record record;
    size_t at = log_find(line->body, "{");
    if (at == SIZE_MAX)
        return LOG_OTHER;
    if (!nccl_layouts_read(&inspector->layouts, &record, log_trim(log_from(line->body, at)))) {
        if (log_find(line->body, "\"header\"") == SIZE_MAX &&
            log_find(line->body, "_perf\"") == SIZE_MAX)
            return LOG_OTHER;
        log_out_damaged(out, "a torn line of NCCL Inspector");
        return LOG_TAKEN;
    }
    if (record.kind == NCCL_NOTHING)
        return LOG_OTHER;
    take(inspector, &record, out);
    return LOG_TAKEN;
}

/* ---- the format ---- */

/* The number of the call that was over first, of those that are still to be put. False: none. */
static bool first_of_all(const struct inspector *inspector, int64_t *ret_number)
{
    bool any = false;
    int64_t first_ns = 0, number, ns;
    for (uint32_t i = 0; i < inspector->count; i++) {
        if (!nccl_process_next(inspector->list[i].process, &number, &ns) ||
            (any && (ns > first_ns || (ns == first_ns && number > *ret_number))))
            continue;
        *ret_number = number;
        first_ns = ns;
        any = true;
    }
    return any;
}

/* All processes side by side: a step is not closed before the last of them has come to it. */
static void end(void *state, struct log_out *out)
{
    struct inspector *inspector = state;
    int64_t upto = 0, number, ns;
    for (uint32_t i = 0; i < inspector->count; i++)
        nccl_process_end(inspector->list[i].process, out);
    while (first_of_all(inspector, &upto))
        for (uint32_t i = 0; i < inspector->count; i++)
            while (nccl_process_next(inspector->list[i].process, &number, &ns) && number <= upto)
                nccl_process_put(inspector->list[i].process, out);
}

static void done(void *state)
{
    struct inspector *inspector = state;
    nccl_layouts_done(&inspector->layouts);
    for (uint32_t i = 0; i < inspector->count; i++)
        nccl_process_free(inspector->list[i].process);
    free(inspector->list);
}

/* n_ranks: a line that was torn before it says what it is. */
static const char *const anchors[] = {"\"coll_perf\"",   "\"p2p_perf\"", "\"dump_stats\"",
                                      "\"proxy_trace\"", "\"n_ranks\"",  NULL};
const struct format format_nccl_inspector = {
    .name = "nccl-inspector",
    .title = "NCCL Inspector",
    .needs = "NCCL 2.28 or later with its Inspector plugin, and the files of all processes",
    .tells = "with NCCL_INSPECTOR_DUMP_VERBOSE=1, for every collective of the largest "
             "communicator, which rank came when and how long the others waited",
    .lacks = "training steps: what it counts are collectives",
    .how = LOG_HOW_NCCL,
    .anchors = anchors,
    .state_bytes = sizeof(struct inspector),
    .line = line,
    .end = end,
    .done = done,
};
