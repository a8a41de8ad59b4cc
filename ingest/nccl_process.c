/* The calls of one process, and the records that come of them. */
#include "nccl_process.h"

#include "nccl_follow.h"
#include "nccl_job.h"
#include "nccl_table.h"
#include "nccl_tell.h"
#include "nccl_whole.h"
#include "nccl_whose.h"
#include "trace_time.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

#define HELD_LEAST 256 /* records, and every communicator was seen to come again */
#define HELD_MOST 1100 /* the plugin's ring of 1024 may hold one communicator only */
#define HELD_OF_DUMP 4096
#define REMADE 32 /* calls on a new one like it, none on the one that is followed */

struct nccl_process {
    struct nccl_table table;
    char host[64];
    uint32_t gpu;
    bool doubt;     /* it may be in exchanges that are not told */
    bool ended;     /* what is due is asked for, one by one */
    int64_t header; /* of the last dump: index; -1 */
    bool has_header;
    struct nccl_calls_kept held;   /* until it is chosen, and then: until their dump is whole */
    struct nccl_calls_kept remade; /* of a communicator that may have taken the place of ours */
    uint32_t remade_counted;
    uint16_t before; /* communicator of the last record */
    bool again;      /* one came again after another */
    bool chosen;
    uint16_t communicator, function; /* that are followed */
    struct nccl_dump dump;
    struct nccl_spans others; /* exchanges in other communicators */
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

static void put(struct nccl_process *process, const struct nccl_due *due, bool hole,
                struct log_out *out)
{
    const struct nccl_group *all = nccl_table_largest(&process->table);
    const struct nccl_group *own = &process->table.groups[due->call.communicator];
    int64_t rank = nccl_whose_rank(&process->place, all, out);
    if (rank < 0)
        return;
    struct record record = {.has = RECORD_RANK | RECORD_STEP | RECORD_PART,
                            .rank = (uint32_t)rank,
                            .step = due->call.number};
    put_times(&record, due, hole);
    if (process->host[0]) {
        record.has |= RECORD_HOST;
        record.host = str_from(process->host);
    }
    if (own->ranks < all->ranks) {
        record.has |= RECORD_GROUP;
        record.group = str_from(own->id);
    }
    log_out_note(out, LOG_NOTE_COLLECTIVES);
    if (process->place.proven) {
        record.has |= RECORD_GPUS;
        record.gpus = all->ranks;
        log_out_world(out, all->ranks);
    } else {
        log_out_note(out, LOG_NOTE_GROUP_RANK);
    }
    log_out_record(out, &record);
}

/* The next that is due: of which it is known whether calls before it are missing. False: none. */
static bool put_next(struct nccl_process *process, bool all, struct log_out *out)
{
    struct nccl_whole *whole = &process->whole;
    const struct nccl_group *own = &process->table.groups[process->communicator];
    struct nccl_due due;
    bool hole;
    if (!nccl_whole_next(whole, own->sequences[process->function], all, &due, &hole))
        return false;
    if (due.lone && due.call.arrival_ns && nccl_whole_joins(whole))
        nccl_tell_lone(&process->table, &due.call, out);
    else
        put(process, &due, hole || (due.next && process->doubt), out);
    return true;
}

static void put_due(struct nccl_process *process, bool all, struct log_out *out)
{
    while (!process->ended && put_next(process, all, out)) {
    }
}

/* One collective of the communicator that is followed, whatever the function: it ends own time. */
static void follow(struct nccl_process *process, const struct nccl_call *call, struct log_out *out)
{
    struct nccl_clock *clock = &process->clock;
    bool counted = call->function == process->function;
    if (counted && clock->begun && call->number <= clock->number) {
        nccl_tell_again(&process->table, call, call->arrival_ns >= clock->release_ns, out);
        return;
    }
    nccl_clock_pass(clock, &process->others, call);
    if (!counted)
        return;
    bool next = clock->begun && call->number == clock->number + 1;
    struct nccl_due due = {.call = *call,
                           .next = next && call->arrival_ns != 0 && clock->begin_ns > 0,
                           .lone = clock->begun && !next,
                           .begin_ns = clock->begin_ns,
                           .own_ns = clock->own_ns,
                           .sync_ns = clock->sync_ns};
    nccl_tell_gaps(&process->table, call, out);
    nccl_whole_count(&process->whole, &due);
    nccl_clock_count(clock, call, next);
}

static void leave_out(struct nccl_process *process, const struct nccl_call *call,
                      struct log_out *out)
{
    const struct nccl_group *own = &process->table.groups[process->communicator];
    const struct nccl_group *other = &process->table.groups[call->communicator];
    if (call->pair)
        return; /* it was counted */
    log_out_count(out, LOG_LEFT_OUT,
                  "%s of communicator %s (%s%s%lld ranks); followed is %s of %s (%s%s%lld ranks)",
                  process->table.functions[call->function], other->id, other->name,
                  other->name[0] ? ", " : "", (long long)other->ranks,
                  process->table.functions[process->function], own->id, own->name,
                  own->name[0] ? ", " : "", (long long)own->ranks);
}

/* ---- a communicator that was made anew ---- */

/* It has another id, begins to count again, and is used when the one before is not any more. */
static bool may_be_remade(const struct nccl_process *process, const struct nccl_call *call)
{
    const struct nccl_group *other = &process->table.groups[call->communicator];
    bool alike = nccl_table_alike(&process->table, call->communicator, process->communicator);
    bool later = call->arrival_ns == 0 || call->arrival_ns >= process->clock.release_ns;
    bool same =
        process->remade.count == 0 || process->remade.list[0].communicator == call->communicator;
    return alike && later && same && !other->beside && !call->pair;
}

/* The one that is followed goes on: the other is none in its place. */
static void give_up_remade(struct nccl_process *process, struct log_out *out)
{
    for (uint32_t i = 0; i < process->remade.count; i++) {
        process->table.groups[process->remade.list[i].communicator].beside = true;
        leave_out(process, &process->remade.list[i], out);
    }
    process->remade.count = process->remade_counted = 0;
}

static void follow_remade(struct nccl_process *process, struct log_out *out)
{
    if (process->remade_counted > 0) {
        put_due(process, true, out);
        process->communicator = process->remade.list[0].communicator;
        process->dump = (struct nccl_dump){0};
        process->clock = (struct nccl_clock){0};
        for (uint32_t i = 0; i < process->remade.count; i++)
            follow(process, &process->remade.list[i], out);
        process->remade.count = process->remade_counted = 0;
    }
    give_up_remade(process, out);
}

/* ---- calls ---- */

static void take_call(struct nccl_process *process, const struct nccl_call *call,
                      struct log_out *out)
{
    if (call->communicator == process->communicator && !call->pair) {
        give_up_remade(process, out);
        follow(process, call, out);
    } else if (may_be_remade(process, call)) {
        nccl_keep(&process->remade, call);
        process->remade_counted += call->function == process->function;
        if (process->remade_counted >= REMADE)
            follow_remade(process, out);
        else if (process->remade.count >= 4 * HELD_MOST)
            give_up_remade(process, out);
    } else {
        process->table.groups[call->communicator].beside |= !call->pair;
        leave_out(process, call, out);
    }
}

/* What was chosen may be what took the place of another: that one comes first. */
static void begin_with_first(struct nccl_process *process)
{
    const struct nccl_call *list = process->held.list;
    struct nccl_range own = nccl_kept_range(&process->held, process->communicator);
    for (size_t i = 0; i < process->table.count; i++) {
        struct nccl_range other = nccl_kept_range(&process->held, i);
        if (!own.any || !other.any || other.last >= own.first ||
            !nccl_table_alike(&process->table, i, process->communicator) ||
            process->table.groups[i].calls[process->function] == 0 ||
            list[other.last].release_ns > list[own.first].arrival_ns)
            continue;
        process->communicator = (uint16_t)i;
        own = other;
        i = SIZE_MAX; /* and so may this one: it is before, so that there is an end */
    }
}

/* When the process was in an exchange, and what its file lacks, of whatever communicator. */
static void note(struct nccl_process *process, const struct nccl_call *call, struct log_out *out)
{
    struct nccl_group *group = &process->table.groups[call->communicator];
    bool followed = call->communicator == process->communicator;
    if (call->pair || !followed)
        nccl_spans_add(&process->others, call->arrival_ns, call->release_ns);
    if (call->pair)
        return;
    int64_t lacks = nccl_whole_note(&process->whole, &group->sequences[call->function], call);
    if (lacks > 0 && !(followed && call->function == process->function))
        nccl_tell_hole(&process->table, call, lacks, out);
}

/* All that is held, whose dumps are whole. */
static void release_held(struct nccl_process *process, struct log_out *out)
{
    struct nccl_calls_kept *held = &process->held;
    if (held->count > 0 && !process->chosen) {
        log_out_held(out, -(int64_t)held->count);
        process->chosen =
            nccl_table_choose(&process->table, &process->communicator, &process->function);
        begin_with_first(process);
    }
    for (uint32_t i = 0; i < held->count; i++)
        if (held->list[i].arrival_ns > 0)
            note(process, &held->list[i], out);
    nccl_spans_sort(&process->others);
    for (uint32_t i = 0; i < held->count; i++)
        take_call(process, &held->list[i], out);
    put_due(process, false, out);
    held->count = 0;
    nccl_spans_forget(&process->others, process->clock.release_ns);
}

/* Until its dump is whole, but where there is one communicator only, or the others have had their
 * turn, there is nothing to wait for. */
static void hold_dump(struct nccl_process *process, const struct nccl_call *call,
                      struct log_out *out)
{
    bool begins = nccl_dump_begins(&process->dump, call, process->communicator);
    bool alone = process->table.count == 1 && !call->pair;
    if (begins || process->held.count >= HELD_OF_DUMP) {
        release_held(process, out);
        nccl_whole_dump(&process->whole);
    }
    nccl_keep(&process->held, call);
    if (alone || (call->communicator == process->communicator && !call->pair &&
                  nccl_dump_is_last(&process->dump, call->communicator)))
        release_held(process, out);
    if (alone)
        nccl_whole_dump(&process->whole);
}

static void hold(struct nccl_process *process, const struct nccl_call *call, struct log_out *out)
{
    struct nccl_group *own = &process->table.groups[call->communicator];
    struct nccl_calls_kept *held = &process->held;
    if (process->chosen) {
        hold_dump(process, call, out);
        return;
    }
    if (!call->pair) {
        process->again |=
            held->count > 0 && call->communicator != process->before && own->records > 0;
        own->records++;
        own->calls[call->function]++;
    }
    process->before = call->communicator;
    bool begins = nccl_begins_dump(held, call);
    if ((held->count >= HELD_LEAST && process->again && begins) || held->count >= HELD_MOST)
        release_held(process, out);
    if (process->chosen)
        nccl_dump_begins(&process->dump, call, process->communicator);
    nccl_keep(held, call);
    log_out_held(out, !process->chosen);
}

/* ---- lines ---- */

/* False: there is no room for its communicator or function. */
static bool make_call(struct nccl_process *process, const struct nccl_record *record,
                      struct nccl_call *call)
{
    int64_t communicator =
        record->has_header ? nccl_table_group(&process->table, record) : process->header;
    int64_t function = nccl_table_function(&process->table, record->operation);
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

static void take_collective(struct nccl_process *process, const struct nccl_record *record,
                            struct log_out *out)
{
    struct nccl_call call;
    bool headed = record->has_header || process->has_header;
    if (record->damaged || record->number < 0 || !record->operation[0] || !headed) {
        log_out_damaged(out, headed ? "a collective of NCCL Inspector without valid values"
                                    : "a collective of NCCL Inspector without its communicator");
        return;
    }
    if (!make_call(process, record, &call)) {
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
        log_out_value(out, str_from(process->table.bandwidths[call.function]), "GB/s",
                      record->bus_gbs);
    hold(process, &call, out);
}

static void take_dump(struct nccl_process *process, const struct nccl_record *record,
                      struct log_out *out)
{
    process->header = record->has_header ? nccl_table_group(&process->table, record) : -1;
    process->has_header = record->has_header;
    if (record->dropped > 0) {
        log_out_count(out, LOG_WITHOUT_PAIR,
                      "%lld collectives of communicator %s were dropped before they were written; "
                      "NCCL_INSPECTOR_DUMP_COLL_RING_SIZE keeps more",
                      (long long)record->dropped, record->communicator);
        log_out_count_more(out, LOG_WITHOUT_PAIR, (uint64_t)record->dropped - 1);
    }
}

/* Not followed, but it is no time of its own. */
static void take_pair(struct nccl_process *process, const struct nccl_record *record,
                      struct log_out *out)
{
    struct nccl_call call;
    bool headed = record->has_header || process->header >= 0;
    log_out_count(out, LOG_LEFT_OUT, "%s: point to point, between two ranks only",
                  record->operation);
    if (record->exec_ns >= 0 && record->operation[0])
        log_out_value(out, str_from(record->operation), "us", (double)record->exec_ns / 1e3);
    if (headed && !record->damaged && record->operation[0] && make_call(process, record, &call) &&
        call.arrival_ns)
        hold(process, &call, out);
}

static void meet(struct nccl_process *process, const struct nccl_record *record,
                 struct log_out *out)
{
    struct nccl_whose *place = &process->place;
    bool known = false;
    for (size_t i = process->table.count; !known && i-- > 0;)
        known = nccl_group_is(&process->table.groups[i], record);
    if (known && place->process != NCCL_NOBODY)
        nccl_job_lives(log_out_nccl(out), place->process, record->dumped_us);
    else if (record->has_header && !record->damaged)
        place->process =
            nccl_job_meet(log_out_nccl(out), log_out_source(out) + process->gpu, record);
}

/* ---- one process ---- */

struct nccl_process *nccl_process_new(uint32_t gpu)
{
    struct nccl_process *process = memory_zeroed(1, sizeof(*process));
    process->gpu = gpu;
    process->header = -1;
    process->place.process = NCCL_NOBODY;
    return process;
}

void nccl_process_take(struct nccl_process *process, const struct nccl_record *record,
                       struct log_out *out)
{
    if (record->host[0])
        memcpy(process->host, record->host, sizeof(process->host));
    meet(process, record, out);
    if (record->kind == NCCL_COLLECTIVE)
        take_collective(process, record, out);
    else if (record->kind == NCCL_DUMP)
        take_dump(process, record, out);
    else if (record->kind == NCCL_PAIR)
        take_pair(process, record, out);
}

enum nccl_has nccl_process_has(const struct nccl_process *process, const struct nccl_record *record)
{
    enum nccl_has has = NCCL_HAS_NOT;
    for (size_t i = process->table.count; i-- > 0;) {
        const struct nccl_group *one = &process->table.groups[i];
        if (nccl_group_is(one, record))
            return NCCL_HAS;
        if (strcmp(one->id, record->communicator) == 0)
            has = NCCL_HAS_OTHER;
    }
    return has;
}

void nccl_process_doubt(struct nccl_process *process)
{
    process->doubt = true;
}

void nccl_process_end(struct nccl_process *process, struct log_out *out)
{
    process->ended = true;
    release_held(process, out);
    follow_remade(process, out);
}

bool nccl_process_next(const struct nccl_process *process, int64_t *ret_number, int64_t *ret_ns)
{
    if (process->whole.due_count == 0)
        return false;
    *ret_number = process->whole.due[0].call.number;
    *ret_ns = process->whole.due[0].call.release_ns;
    return true;
}

void nccl_process_put(struct nccl_process *process, struct log_out *out)
{
    put_next(process, true, out);
}

void nccl_process_free(struct nccl_process *process)
{
    nccl_kept_done(&process->held);
    nccl_kept_done(&process->remade);
    nccl_spans_done(&process->others);
    nccl_whole_done(&process->whole);
    free(process);
}
