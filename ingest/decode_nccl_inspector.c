/* NCCL Inspector: JSON lines, one file a process. A "step" is one collective of one
 * communicator: own time is from the release of the one before to the start of the first
 * kernel, the exchange from there to the last kernel's stop. All ranks together give
 * who waited for whom.
 *
 * A process is in several communicators, and a sequence number counts one function's
 * calls on one of them (comm, function). One such sequence is followed: of the
 * communicators that are really used the one with the most ranks, on it the function
 * that is called most. Which one that is shows after a while: the first records are
 * held back until then. */
#include "log_format.h"
#include "log_text.h"
#include "memory.h"
#include "nccl_record.h"
#include "trace_time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMUNICATORS_MAX 64
#define FUNCTIONS_MAX 12
#define HELD_LEAST 256 /* records, and every communicator was seen to come again */
#define HELD_MOST 1100 /* the plugin's ring of 1024 may hold one communicator only */
#define USED_SHARE 64  /* less than 1/64 of the most used one's records: hardly used */
#define REMADE 32      /* records of a new one like it, none of the one that is followed */

struct communicator {
    char id[32], name[48];
    int64_t rank, ranks;
    uint64_t records;
    uint64_t calls[FUNCTIONS_MAX];
};

/* What is kept of one collective. */
struct call {
    uint16_t communicator, function;
    int64_t number, exec_ns, arrival_ns, release_ns;
};

struct inspector {
    struct communicator communicators[COMMUNICATORS_MAX];
    size_t count;
    char functions[FUNCTIONS_MAX][24];
    size_t function_count;
    char host[64];
    int64_t header; /* of the last dump: index; -1 */
    bool has_header;
    struct call *held; /* owned; NULL when chosen */
    uint32_t held_count, held_capacity;
    uint16_t before; /* communicator of the last record */
    bool again;      /* one came again after another */
    bool chosen;
    uint16_t communicator, function; /* that are followed */
    uint64_t strange;                /* records of others since the last one of it */
    bool begun;                      /* the values below are there */
    int64_t number, begin_ns, release_ns, own_ns, sync_ns;
};

/* ---- tables ---- */

static bool same_id(const struct communicator *one, const struct nccl_record *record)
{
    return strcmp(one->id, record->communicator) == 0 && one->rank == record->rank &&
           one->ranks == record->ranks;
}

static int64_t communicator_of(struct inspector *inspector, const struct nccl_record *record)
{
    for (size_t i = inspector->count; i-- > 0;)
        if (same_id(&inspector->communicators[i], record))
            return (int64_t)i;
    if (inspector->count == COMMUNICATORS_MAX)
        return -1;
    struct communicator *made = &inspector->communicators[inspector->count];
    *made = (struct communicator){.rank = record->rank, .ranks = record->ranks};
    memcpy(made->id, record->communicator, sizeof(made->id));
    memcpy(made->name, record->name, sizeof(made->name));
    return (int64_t)inspector->count++;
}

static int64_t function_of(struct inspector *inspector, const char *name)
{
    for (size_t i = 0; i < inspector->function_count; i++)
        if (strcmp(inspector->functions[i], name) == 0)
            return (int64_t)i;
    if (inspector->function_count == FUNCTIONS_MAX)
        return -1;
    str_copy(inspector->functions[inspector->function_count], sizeof(inspector->functions[0]),
             str_from(name));
    return (int64_t)inspector->function_count++;
}

/* ---- which sequence ---- */

/* In all processes alike: by what they have in common. */
static bool better(const struct communicator *one, const struct communicator *other)
{
    if (one->ranks != other->ranks)
        return one->ranks > other->ranks;
    if (one->records > 2 * other->records || other->records > 2 * one->records)
        return one->records > other->records;
    return strcmp(one->id, other->id) < 0;
}

static void choose(struct inspector *inspector)
{
    uint64_t most = 0;
    const struct communicator *best = NULL;
    for (size_t i = 0; i < inspector->count; i++)
        if (inspector->communicators[i].records > most)
            most = inspector->communicators[i].records;
    for (size_t i = 0; i < inspector->count; i++) {
        const struct communicator *one = &inspector->communicators[i];
        if (one->records > most / USED_SHARE && (!best || better(one, best)))
            best = one;
    }
    if (!best)
        return;
    inspector->communicator = (uint16_t)(best - inspector->communicators);
    inspector->function = 0;
    for (size_t i = 1; i < inspector->function_count; i++) {
        uint64_t calls = best->calls[i], so_far = best->calls[inspector->function];
        bool first = strcmp(inspector->functions[i], inspector->functions[inspector->function]) < 0;
        if (calls > so_far || (calls == so_far && first))
            inspector->function = (uint16_t)i;
    }
    inspector->chosen = true;
}

/* The rank within the largest communicator, which is mostly that of the whole job. */
static const struct communicator *largest(const struct inspector *inspector)
{
    const struct communicator *best = &inspector->communicators[0];
    for (size_t i = 1; i < inspector->count; i++)
        if (inspector->communicators[i].ranks > best->ranks)
            best = &inspector->communicators[i];
    return best;
}

/* ---- records ---- */

static void put(struct inspector *inspector, const struct call *call, bool whole,
                struct log_out *out)
{
    const struct communicator *all = largest(inspector);
    const struct communicator *own = &inspector->communicators[inspector->communicator];
    struct record record = {.has = RECORD_RANK | RECORD_STEP | RECORD_SYNC,
                            .rank = (uint32_t)all->rank,
                            .step = call->number};
    int64_t begin_ns = whole ? inspector->begin_ns : call->arrival_ns;
    record.phase_ns[PHASE_SYNC] =
        call->arrival_ns ? call->release_ns - call->arrival_ns : call->exec_ns;
    if (whole) {
        record.has |= RECORD_COMPUTE;
        record.compute_ns = inspector->own_ns;
        record.phase_ns[PHASE_SYNC] = inspector->sync_ns;
    }
    if (call->arrival_ns && trace_is_unix(begin_ns)) {
        record.has |= RECORD_BEGIN;
        record.begin_ns = begin_ns;
    }
    if (inspector->host[0]) {
        record.has |= RECORD_HOST;
        record.host = str_from(inspector->host);
    }
    if (own->ranks < all->ranks) {
        record.has |= RECORD_GROUP;
        record.group = str_from(own->id);
    }
    log_out_note(out, LOG_NOTE_COLLECTIVES);
    log_out_record(out, &record);
}

/* Whether the call is to be put out; missing ones are counted. */
static bool check_number(struct inspector *inspector, const struct call *call, bool *ret_next,
                         struct log_out *out)
{
    *ret_next = inspector->begun && call->number == inspector->number + 1;
    if (!inspector->begun || *ret_next)
        return true;
    if (call->number == inspector->number) {
        log_out_count(out, LOG_DOUBLED, "%s %lld stands there twice",
                      inspector->functions[call->function], (long long)call->number);
        return false;
    }
    if (call->number > inspector->number) {
        log_out_count(out, LOG_WITHOUT_PAIR, "%s %lld to %lld of rank %lld are missing",
                      inspector->functions[call->function], (long long)inspector->number + 1,
                      (long long)call->number - 1, (long long)largest(inspector)->rank);
        log_out_count_more(out, LOG_WITHOUT_PAIR, (uint64_t)(call->number - inspector->number - 2));
    }
    return true;
}

/* One collective of the communicator that is followed, whatever the function: it ends own time. */
static void follow(struct inspector *inspector, const struct call *call, struct log_out *out)
{
    bool next = false, timed = call->arrival_ns != 0;
    bool counted = call->function == inspector->function;
    if (counted && !check_number(inspector, call, &next, out))
        return;
    if (timed && inspector->begun) {
        int64_t from_ns =
            call->arrival_ns > inspector->release_ns ? call->arrival_ns : inspector->release_ns;
        inspector->own_ns += from_ns - inspector->release_ns;
        inspector->sync_ns += call->release_ns > from_ns ? call->release_ns - from_ns : 0;
        if (call->release_ns > inspector->release_ns)
            inspector->release_ns = call->release_ns;
    }
    if (!counted)
        return;
    put(inspector, call, next && timed && inspector->begin_ns > 0, out);
    inspector->begun = true;
    inspector->number = call->number;
    inspector->own_ns = inspector->sync_ns = 0;
    if (timed && (!next || call->release_ns > inspector->release_ns))
        inspector->release_ns = call->release_ns;
    inspector->begin_ns = timed ? inspector->release_ns : 0;
}

static void leave_out(struct inspector *inspector, const struct call *call, struct log_out *out)
{
    const struct communicator *own = &inspector->communicators[inspector->communicator];
    const struct communicator *other = &inspector->communicators[call->communicator];
    log_out_count(out, LOG_LEFT_OUT,
                  "%s of communicator %s (%s, %lld ranks); followed is %s of %s (%s, %lld ranks)",
                  inspector->functions[call->function], other->id, other->name,
                  (long long)other->ranks, inspector->functions[inspector->function], own->id,
                  own->name, (long long)own->ranks);
}

/* A communicator that was made anew has another id, and begins to count again. */
static void take_strange(struct inspector *inspector, const struct call *call, struct log_out *out)
{
    const struct communicator *own = &inspector->communicators[inspector->communicator];
    const struct communicator *other = &inspector->communicators[call->communicator];
    bool alike = other->ranks == own->ranks && other->rank == own->rank &&
                 strcmp(other->name, own->name) == 0 && call->function == inspector->function;
    inspector->strange += alike;
    if (inspector->strange < REMADE || !alike) {
        leave_out(inspector, call, out);
        return;
    }
    inspector->communicator = call->communicator;
    inspector->begun = false;
    inspector->strange = 0;
    follow(inspector, call, out);
}

static void take_call(struct inspector *inspector, const struct call *call, struct log_out *out)
{
    if (call->communicator != inspector->communicator) {
        take_strange(inspector, call, out);
        return;
    }
    inspector->strange = 0;
    follow(inspector, call, out);
}

static void release_held(struct inspector *inspector, struct log_out *out)
{
    if (inspector->held_count == 0)
        return;
    choose(inspector);
    for (uint32_t i = 0; i < inspector->held_count; i++)
        take_call(inspector, &inspector->held[i], out);
    free(inspector->held);
    inspector->held = NULL;
    inspector->held_count = inspector->held_capacity = 0;
}

static void hold(struct inspector *inspector, const struct call *call, struct log_out *out)
{
    struct communicator *own = &inspector->communicators[call->communicator];
    if (inspector->held_count == inspector->held_capacity)
        inspector->held =
            memory_grown(inspector->held, &inspector->held_capacity, sizeof(*inspector->held));
    inspector->again |=
        inspector->held_count > 0 && call->communicator != inspector->before && own->records > 0;
    own->records++;
    own->calls[call->function]++;
    inspector->before = call->communicator;
    inspector->held[inspector->held_count++] = *call;
    if ((inspector->held_count >= HELD_LEAST && inspector->again) ||
        inspector->held_count >= HELD_MOST)
        release_held(inspector, out);
}

/* ---- lines ---- */

static bool make_call(struct inspector *inspector, const struct nccl_record *record,
                      struct call *call)
{
    int64_t communicator =
        record->has_header ? communicator_of(inspector, record) : inspector->header;
    int64_t function = function_of(inspector, record->operation);
    if (communicator < 0 || function < 0)
        return false;
    *call = (struct call){.communicator = (uint16_t)communicator,
                          .function = (uint16_t)function,
                          .number = record->number,
                          .exec_ns = record->exec_ns};
    int64_t arrival_ns = record->arrival_ns ? record->arrival_ns : record->enqueued_ns;
    int64_t release_ns = record->release_ns;
    if (arrival_ns && !release_ns && record->exec_ns >= 0)
        release_ns = arrival_ns + record->exec_ns;
    if (arrival_ns && release_ns >= arrival_ns &&
        release_ns - arrival_ns <= RECORD_DURATION_MAX_NS) {
        call->arrival_ns = arrival_ns;
        call->release_ns = release_ns;
    }
    return call->arrival_ns || call->exec_ns >= 0;
}

static void take_collective(struct inspector *inspector, const struct nccl_record *record,
                            struct log_out *out)
{
    struct call call;
    char name[48];
    bool headed = record->has_header || inspector->has_header;
    if (record->damaged || record->number < 0 || !record->operation[0] || !headed) {
        log_out_damaged(out, headed ? "a collective of NCCL Inspector without valid values"
                                    : "a collective of NCCL Inspector without its communicator");
        return;
    }
    if (!make_call(inspector, record, &call)) {
        log_out_count(out, LOG_LEFT_OUT, "%s of one communicator more than there is room for",
                      record->operation);
        return;
    }
    if (record->exec_ns >= 0)
        log_out_value(out, str_from(record->operation), "us", (double)record->exec_ns / 1e3);
    snprintf(name, sizeof(name), "%s bus bandwidth", record->operation);
    if (record->bus_gbs >= 0)
        log_out_value(out, str_from(name), "GB/s", record->bus_gbs);
    if (inspector->chosen)
        take_call(inspector, &call, out);
    else
        hold(inspector, &call, out);
}

static void take_dump(struct inspector *inspector, const struct nccl_record *record,
                      struct log_out *out)
{
    inspector->header = record->has_header ? communicator_of(inspector, record) : -1;
    inspector->has_header = record->has_header;
    if (record->dropped > 0) {
        log_out_count(out, LOG_WITHOUT_PAIR,
                      "%lld collectives of communicator %s were dropped before they were written; "
                      "NCCL_INSPECTOR_DUMP_COLL_RING_SIZE keeps more",
                      (long long)record->dropped, record->communicator);
        log_out_count_more(out, LOG_WITHOUT_PAIR, (uint64_t)record->dropped - 1);
    }
}

static void take_pair(const struct nccl_record *record, struct log_out *out)
{
    log_out_count(out, LOG_LEFT_OUT, "%s: point to point, between two ranks only",
                  record->operation);
    if (record->exec_ns >= 0 && record->operation[0])
        log_out_value(out, str_from(record->operation), "us", (double)record->exec_ns / 1e3);
}

static enum log_answer line(void *state, const struct log_line *line, struct log_out *out)
{
    struct inspector *inspector = state;
    struct nccl_record record;
    size_t at = log_find(line->body, "{");
    if (at == SIZE_MAX)
        return LOG_OTHER;
    if (!nccl_record_read(&record, log_trim(log_from(line->body, at)))) {
        if (log_find(line->body, "\"header\"") == SIZE_MAX &&
            log_find(line->body, "_perf\"") == SIZE_MAX)
            return LOG_OTHER;
        log_out_damaged(out, "a torn line of NCCL Inspector");
        return LOG_TAKEN;
    }
    if (record.kind == NCCL_NOTHING)
        return LOG_OTHER;
    if (record.host[0])
        memcpy(inspector->host, record.host, sizeof(inspector->host));
    if (record.kind == NCCL_COLLECTIVE)
        take_collective(inspector, &record, out);
    else if (record.kind == NCCL_DUMP)
        take_dump(inspector, &record, out);
    else if (record.kind == NCCL_PAIR)
        take_pair(&record, out);
    return LOG_TAKEN;
}

/* ---- the format ---- */

static void begin(void *state, const struct format *format)
{
    (void)format;
    ((struct inspector *)state)->header = -1;
}

static void end(void *state, struct log_out *out)
{
    release_held(state, out);
}

static void done(void *state)
{
    free(((struct inspector *)state)->held);
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
    .begin = begin,
    .line = line,
    .end = end,
    .done = done,
};
