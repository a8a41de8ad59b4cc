/* NCCL Inspector: JSON lines, one file a process. A "step" is one collective of one
 * communicator: own time is from the release of the one before to the start of the first
 * kernel, the exchange from there to the last kernel's stop. All ranks together give
 * who waited for whom.
 *
 * A process is in several communicators, and a sequence number counts one function's
 * calls on one of them (comm, function). One such sequence is followed: of the
 * communicators that are really used the one with the most ranks, on it the function
 * that is called most. Which one that is shows after a while: the first records are
 * held back until then.
 *
 * A rank within a communicator is the rank in the job only where the communicator is that
 * of all ranks: the files of the other processes tell (nccl_job.h). */
#include "log_format.h"
#include "log_text.h"
#include "nccl_follow.h"
#include "nccl_job.h"
#include "nccl_layout.h"
#include "nccl_whose.h"
#include "nccl_table.h"
#include "nccl_tell.h"
#include "nccl_whole.h"
#include "trace_time.h"

#include <stdlib.h>
#include <string.h>

#define HELD_LEAST 256 /* records, and every communicator was seen to come again */
#define HELD_MOST 1100 /* the plugin's ring of 1024 may hold one communicator only */
#define REMADE 32      /* calls on a new one like it, none on the one that is followed */

struct inspector {
    struct nccl_layouts layouts;
    struct nccl_table table;
    char host[64];
    int64_t header; /* of the last dump: index; -1 */
    bool has_header;
    struct nccl_calls_kept held;   /* until it is chosen, and then: until their dump is whole */
    struct nccl_calls_kept remade; /* of a communicator that may have taken the place of ours */
    uint32_t remade_counted;
    uint16_t before; /* communicator of the last record */
    bool again;      /* one came again after another */
    bool chosen;
    uint16_t communicator, function; /* that are followed */
    struct nccl_spans others;        /* exchanges in other communicators */
    struct nccl_clock clock;
    struct nccl_whole whole;
    struct nccl_whose place;
};

/* ---- records ---- */

/* The times of the call: what it is to the process since the one before; where calls are missing in
 * between (hole), how long that was; where the one before is missing, the call alone. */
static void put_times(struct record *record, const struct nccl_due *due, bool hole)
{
    const struct nccl_call *call = &due->call;
    int64_t begin_ns = due->next ? due->begin_ns : call->arrival_ns;
    if (hole) {
        record->has |= RECORD_STEP_TIME;
        record->step_time_ns = due->own_ns + due->sync_ns;
    } else if (due->next) {
        record->has |= RECORD_COMPUTE | RECORD_SYNC;
        record->compute_ns = due->own_ns;
        record->phase_ns[PHASE_SYNC] = due->sync_ns;
    } else {
        record->has |= RECORD_SYNC;
        record->phase_ns[PHASE_SYNC] =
            call->arrival_ns ? call->release_ns - call->arrival_ns : call->exec_ns;
    }
    if (call->arrival_ns && trace_is_unix(begin_ns)) {
        record->has |= RECORD_BEGIN;
        record->begin_ns = begin_ns;
    }
}

static void put(struct inspector *inspector, const struct nccl_due *due, bool hole,
                struct log_out *out)
{
    const struct nccl_group *all = nccl_table_largest(&inspector->table);
    const struct nccl_group *own = &inspector->table.groups[due->call.communicator];
    int64_t rank = nccl_whose_rank(&inspector->place, all, out);
    if (rank < 0)
        return;
    struct record record = {
        .has = RECORD_RANK | RECORD_STEP, .rank = (uint32_t)rank, .step = due->call.number};
    put_times(&record, due, hole);
    if (inspector->host[0]) {
        record.has |= RECORD_HOST;
        record.host = str_from(inspector->host);
    }
    if (own->ranks < all->ranks) {
        record.has |= RECORD_GROUP;
        record.group = str_from(own->id);
    }
    log_out_note(out, LOG_NOTE_COLLECTIVES);
    if (inspector->place.proven) {
        record.has |= RECORD_GPUS;
        record.gpus = all->ranks;
        log_out_world(out, all->ranks);
    } else {
        log_out_note(out, LOG_NOTE_GROUP_RANK);
    }
    log_out_record(out, &record);
}

/* Those that are due: of which it is known whether calls before them are missing. */
static void put_due(struct inspector *inspector, bool all, struct log_out *out)
{
    struct nccl_whole *whole = &inspector->whole;
    const struct nccl_group *own = &inspector->table.groups[inspector->communicator];
    struct nccl_due due;
    bool hole;
    while (nccl_whole_next(whole, own->sequences[inspector->function], all, &due, &hole)) {
        if (due.lone && due.call.arrival_ns && nccl_whole_joins(whole))
            nccl_tell_lone(&inspector->table, &due.call, out);
        else
            put(inspector, &due, hole, out);
    }
}

/* One collective of the communicator that is followed, whatever the function: it ends own time. */
static void follow(struct inspector *inspector, const struct nccl_call *call, struct log_out *out)
{
    struct nccl_clock *clock = &inspector->clock;
    bool counted = call->function == inspector->function;
    if (counted && clock->begun && call->number <= clock->number) {
        nccl_tell_again(&inspector->table, call, call->arrival_ns >= clock->release_ns, out);
        return;
    }
    nccl_clock_pass(clock, &inspector->others, call);
    if (!counted)
        return;
    bool next = clock->begun && call->number == clock->number + 1;
    struct nccl_due due = {.call = *call,
                           .next = next && call->arrival_ns != 0 && clock->begin_ns > 0,
                           .lone = clock->begun && !next,
                           .begin_ns = clock->begin_ns,
                           .own_ns = clock->own_ns,
                           .sync_ns = clock->sync_ns};
    nccl_tell_gaps(&inspector->table, call, out);
    nccl_whole_count(&inspector->whole, &due);
    nccl_clock_count(clock, call, next);
}

static void leave_out(struct inspector *inspector, const struct nccl_call *call,
                      struct log_out *out)
{
    const struct nccl_group *own = &inspector->table.groups[inspector->communicator];
    const struct nccl_group *other = &inspector->table.groups[call->communicator];
    if (call->pair)
        return; /* it was counted */
    log_out_count(out, LOG_LEFT_OUT,
                  "%s of communicator %s (%s, %lld ranks); followed is %s of %s (%s, %lld ranks)",
                  inspector->table.functions[call->function], other->id, other->name,
                  (long long)other->ranks, inspector->table.functions[inspector->function], own->id,
                  own->name, (long long)own->ranks);
}

/* ---- a communicator that was made anew ---- */

/* It has another id, begins to count again, and is used when the one before is not any more. */
static bool may_be_remade(const struct inspector *inspector, const struct nccl_call *call)
{
    const struct nccl_group *other = &inspector->table.groups[call->communicator];
    bool alike = nccl_table_alike(&inspector->table, call->communicator, inspector->communicator);
    bool later = call->arrival_ns == 0 || call->arrival_ns >= inspector->clock.release_ns;
    bool same = inspector->remade.count == 0 ||
                inspector->remade.list[0].communicator == call->communicator;
    return alike && later && same && !other->beside && !call->pair;
}

/* The one that is followed goes on: the other is none in its place. */
static void give_up_remade(struct inspector *inspector, struct log_out *out)
{
    for (uint32_t i = 0; i < inspector->remade.count; i++) {
        inspector->table.groups[inspector->remade.list[i].communicator].beside = true;
        leave_out(inspector, &inspector->remade.list[i], out);
    }
    inspector->remade.count = inspector->remade_counted = 0;
}

static void follow_remade(struct inspector *inspector, struct log_out *out)
{
    if (inspector->remade_counted > 0) {
        put_due(inspector, true, out);
        inspector->communicator = inspector->remade.list[0].communicator;
        inspector->clock = (struct nccl_clock){0};
        for (uint32_t i = 0; i < inspector->remade.count; i++)
            follow(inspector, &inspector->remade.list[i], out);
        inspector->remade.count = inspector->remade_counted = 0;
    }
    give_up_remade(inspector, out);
}

/* ---- calls ---- */

static void take_call(struct inspector *inspector, const struct nccl_call *call,
                      struct log_out *out)
{
    if (call->communicator == inspector->communicator && !call->pair) {
        give_up_remade(inspector, out);
        follow(inspector, call, out);
    } else if (may_be_remade(inspector, call)) {
        nccl_keep(&inspector->remade, call);
        inspector->remade_counted += call->function == inspector->function;
        if (inspector->remade_counted >= REMADE)
            follow_remade(inspector, out);
        else if (inspector->remade.count >= 4 * HELD_MOST)
            give_up_remade(inspector, out);
    } else {
        inspector->table.groups[call->communicator].beside |= !call->pair;
        leave_out(inspector, call, out);
    }
}

/* Where the calls of a communicator lie among those that are held. */
struct range {
    bool any;
    uint32_t first, last;
};

static struct range range_of(const struct inspector *inspector, size_t group)
{
    const struct nccl_calls_kept *held = &inspector->held;
    struct range range = {0};
    for (uint32_t i = 0; i < held->count; i++) {
        if (held->list[i].communicator != group || held->list[i].pair)
            continue;
        range.first = range.any ? range.first : i;
        range.last = i;
        range.any = true;
    }
    return range;
}

/* What was chosen may be what took the place of another: that one comes first. */
static void begin_with_first(struct inspector *inspector)
{
    const struct nccl_call *list = inspector->held.list;
    struct range own = range_of(inspector, inspector->communicator);
    for (size_t i = 0; i < inspector->table.count; i++) {
        struct range other = range_of(inspector, i);
        if (!own.any || !other.any || other.last >= own.first ||
            !nccl_table_alike(&inspector->table, i, inspector->communicator) ||
            inspector->table.groups[i].calls[inspector->function] == 0 ||
            list[other.last].release_ns > list[own.first].arrival_ns)
            continue;
        inspector->communicator = (uint16_t)i;
        own = other;
        i = SIZE_MAX; /* and so may this one: it is before, so that there is an end */
    }
}

/* When the process was in an exchange, and what its file lacks, of whatever communicator. */
static void note(struct inspector *inspector, const struct nccl_call *call, struct log_out *out)
{
    struct nccl_group *group = &inspector->table.groups[call->communicator];
    bool followed = call->communicator == inspector->communicator;
    if (call->pair || !followed)
        nccl_spans_add(&inspector->others, call->arrival_ns, call->release_ns);
    if (call->pair)
        return;
    int64_t lacks = nccl_whole_note(&inspector->whole, &group->sequences[call->function], call);
    if (lacks > 0 && !(followed && call->function == inspector->function))
        nccl_tell_hole(&inspector->table, call, lacks, out);
}

/* All that is held, whose dumps are whole. */
static void release_held(struct inspector *inspector, struct log_out *out)
{
    struct nccl_calls_kept *held = &inspector->held;
    if (held->count > 0 && !inspector->chosen) {
        log_out_held(out, -(int64_t)held->count);
        inspector->chosen =
            nccl_table_choose(&inspector->table, &inspector->communicator, &inspector->function);
        begin_with_first(inspector);
    }
    nccl_whole_dump(&inspector->whole);
    for (uint32_t i = 0; i < held->count; i++)
        if (held->list[i].arrival_ns > 0)
            note(inspector, &held->list[i], out);
    nccl_spans_sort(&inspector->others);
    for (uint32_t i = 0; i < held->count; i++)
        take_call(inspector, &held->list[i], out);
    put_due(inspector, false, out);
    held->count = 0;
    nccl_spans_forget(&inspector->others, inspector->clock.release_ns);
}

/* Where there is one communicator only there is nothing to wait for. */
static void hold(struct inspector *inspector, const struct nccl_call *call, struct log_out *out)
{
    struct nccl_group *own = &inspector->table.groups[call->communicator];
    struct nccl_calls_kept *held = &inspector->held;
    if (inspector->chosen) {
        if (nccl_begins_dump(held, call))
            release_held(inspector, out);
        nccl_keep(held, call);
        if (inspector->table.count == 1 && !call->pair)
            release_held(inspector, out);
        return;
    }
    if (!call->pair) {
        inspector->again |=
            held->count > 0 && call->communicator != inspector->before && own->records > 0;
        own->records++;
        own->calls[call->function]++;
    }
    inspector->before = call->communicator;
    bool begins = nccl_begins_dump(held, call);
    if ((held->count >= HELD_LEAST && inspector->again && begins) || held->count >= HELD_MOST)
        release_held(inspector, out);
    nccl_keep(held, call);
    log_out_held(out, !inspector->chosen);
}

/* ---- lines ---- */

/* False: there is no room for its communicator or function. */
static bool make_call(struct inspector *inspector, const struct nccl_record *record,
                      struct nccl_call *call)
{
    int64_t communicator =
        record->has_header ? nccl_table_group(&inspector->table, record) : inspector->header;
    int64_t function = nccl_table_function(&inspector->table, record->operation);
    if (communicator < 0 || function < 0)
        return false;
    *call = (struct nccl_call){.communicator = (uint16_t)communicator,
                               .function = (uint16_t)function,
                               .pair = record->kind == NCCL_PAIR,
                               .number = record->number,
                               .exec_ns = record->exec_ns,
                               .dumped_us = record->dumped_us};
    int64_t arrival_ns = record->arrival_ns ? record->arrival_ns : record->enqueued_ns;
    int64_t release_ns = record->release_ns;
    if (arrival_ns && !release_ns && record->exec_ns >= 0)
        release_ns = arrival_ns + record->exec_ns;
    if (arrival_ns && release_ns >= arrival_ns &&
        release_ns - arrival_ns <= RECORD_DURATION_MAX_NS) {
        call->arrival_ns = arrival_ns;
        call->release_ns = release_ns;
    }
    return true;
}

static void take_collective(struct inspector *inspector, const struct nccl_record *record,
                            struct log_out *out)
{
    struct nccl_call call;
    bool headed = record->has_header || inspector->has_header;
    if (record->damaged || record->number < 0 || !record->operation[0] || !headed) {
        log_out_damaged(out, headed ? "a collective of NCCL Inspector without valid values"
                                    : "a collective of NCCL Inspector without its communicator");
        return;
    }
    if (!make_call(inspector, record, &call)) {
        log_out_count(out, LOG_LEFT_OUT,
                      "%s: one communicator or function more than there is room for",
                      record->operation);
        return;
    }
    if (call.arrival_ns == 0 && call.exec_ns < 0) {
        log_out_damaged(out, "a collective of NCCL Inspector without a time");
        return;
    }
    if (record->exec_ns >= 0)
        log_out_value(out, str_from(record->operation), "us", (double)record->exec_ns / 1e3);
    if (record->bus_gbs >= 0)
        log_out_value(out, str_from(inspector->table.bandwidths[call.function]), "GB/s",
                      record->bus_gbs);
    hold(inspector, &call, out);
}

static void take_dump(struct inspector *inspector, const struct nccl_record *record,
                      struct log_out *out)
{
    inspector->header = record->has_header ? nccl_table_group(&inspector->table, record) : -1;
    inspector->has_header = record->has_header;
    if (record->dropped > 0) {
        log_out_count(out, LOG_WITHOUT_PAIR,
                      "%lld collectives of communicator %s were dropped before they were written; "
                      "NCCL_INSPECTOR_DUMP_COLL_RING_SIZE keeps more",
                      (long long)record->dropped, record->communicator);
        log_out_count_more(out, LOG_WITHOUT_PAIR, (uint64_t)record->dropped - 1);
    }
}

/* Not followed, but it is no time of its own. */
static void take_pair(struct inspector *inspector, const struct nccl_record *record,
                      struct log_out *out)
{
    struct nccl_call call;
    bool headed = record->has_header || inspector->header >= 0;
    log_out_count(out, LOG_LEFT_OUT, "%s: point to point, between two ranks only",
                  record->operation);
    if (record->exec_ns >= 0 && record->operation[0])
        log_out_value(out, str_from(record->operation), "us", (double)record->exec_ns / 1e3);
    if (headed && !record->damaged && record->operation[0] && make_call(inspector, record, &call) &&
        call.arrival_ns)
        hold(inspector, &call, out);
}

static void meet(struct inspector *inspector, const struct nccl_record *record, struct log_out *out)
{
    struct nccl_whose *place = &inspector->place;
    bool known = false;
    for (size_t i = inspector->table.count; !known && i-- > 0;)
        known = nccl_group_is(&inspector->table.groups[i], record);
    if (known && place->process != NCCL_NOBODY)
        nccl_job_lives(log_out_nccl(out), place->process, record->dumped_us);
    else if (record->has_header && !record->damaged)
        place->process = nccl_job_meet(log_out_nccl(out), log_out_source(out), record);
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
    if (record.host[0])
        memcpy(inspector->host, record.host, sizeof(inspector->host));
    meet(inspector, &record, out);
    if (record.kind == NCCL_COLLECTIVE)
        take_collective(inspector, &record, out);
    else if (record.kind == NCCL_DUMP)
        take_dump(inspector, &record, out);
    else if (record.kind == NCCL_PAIR)
        take_pair(inspector, &record, out);
    return LOG_TAKEN;
}

/* ---- the format ---- */

static void begin(void *state, const struct format *format)
{
    (void)format;
    struct inspector *inspector = state;
    inspector->header = -1;
    inspector->place.process = NCCL_NOBODY;
}

static void end(void *state, struct log_out *out)
{
    struct inspector *inspector = state;
    release_held(inspector, out);
    follow_remade(inspector, out);
    put_due(inspector, true, out);
}

static void done(void *state)
{
    struct inspector *inspector = state;
    nccl_layouts_done(&inspector->layouts);
    nccl_kept_done(&inspector->held);
    nccl_kept_done(&inspector->remade);
    nccl_spans_done(&inspector->others);
    nccl_whole_done(&inspector->whole);
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
