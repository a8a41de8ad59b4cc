/* The processes and communicators of a job. */
#include "nccl_job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "log_text.h"
#include "memory.h"

#define PROCESSES_MAX 16384u
#define GPUS_MOST 64 /* of one process */
#define COMMUNICATORS_MAX 32768u
#define MEMBERS_MAX 64u /* communicators of one process */
#define SEQUENCES_MAX 256u

struct member {
    uint32_t communicator;
    int64_t rank; /* within it */
};

struct process {
    uint64_t key;
    char host[64];
    int64_t pid;
    int64_t first_us, last_us; /* when it wrote; 0: not known */
    struct member *members;    /* owned */
    uint32_t count, capacity;
};

struct communicator {
    char id[32], name[48];
    int64_t ranks, nodes;
    int64_t seen; /* processes in it */
};

struct sequence {
    char communicator[32], function[24];
    struct nccl_calls calls;
};

struct nccl_job {
    struct process *processes; /* owned */
    uint32_t process_count, process_capacity;
    struct communicator *communicators; /* owned */
    uint32_t communicator_count, communicator_capacity;
    struct sequence *sequences; /* owned */
    uint32_t sequence_count, sequence_capacity;
    uint32_t found; /* the sequence that was asked for last */
    uint64_t version;
    bool several;
};

struct nccl_job *nccl_job_new(void)
{
    return memory_zeroed(1, sizeof(struct nccl_job));
}

void nccl_job_free(struct nccl_job *job)
{
    if (!job)
        return;
    for (uint32_t i = 0; i < job->process_count; i++)
        free(job->processes[i].members);
    for (uint32_t i = 0; i < job->sequence_count; i++)
        nccl_calls_done(&job->sequences[i].calls);
    free(job->processes);
    free(job->communicators);
    free(job->sequences);
    free(job);
}

void nccl_job_several(struct nccl_job *job)
{
    job->several = true;
}

uint64_t nccl_job_version(const struct nccl_job *job)
{
    return job->version;
}

/* ---- who is in what ---- */

uint64_t nccl_job_key(const char *name)
{
    uint64_t key = UINT64_C(14695981039346656037); /* FNV-1a */
    for (; *name; name++)
        key = (key ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return key;
}

/* Several processes may be in one file. */
static bool is_process(const struct process *one, uint64_t key, const struct nccl_record *record)
{
    return one->key == key && one->pid == record->pid && strcmp(one->host, record->host) == 0;
}

static uint32_t find_process(const struct nccl_job *job, uint64_t key,
                             const struct nccl_record *record)
{
    for (uint32_t i = job->process_count; i-- > 0;)
        if (is_process(&job->processes[i], key, record))
            return i;
    return NCCL_NOBODY;
}

static uint32_t process_of(struct nccl_job *job, uint64_t key, const struct nccl_record *record)
{
    uint32_t at = find_process(job, key, record);
    if (at != NCCL_NOBODY)
        return at;
    if (job->process_count == PROCESSES_MAX)
        return NCCL_NOBODY;
    if (job->process_count == job->process_capacity)
        job->processes =
            memory_grown(job->processes, &job->process_capacity, sizeof(*job->processes));
    struct process *made = &job->processes[job->process_count];
    *made = (struct process){.key = key, .pid = record->pid};
    memcpy(made->host, record->host, sizeof(made->host));
    job->version++;
    return job->process_count++;
}

static bool is_communicator(const struct communicator *one, const struct nccl_record *record)
{
    return one->ranks == record->ranks && strcmp(one->id, record->communicator) == 0;
}

static uint32_t communicator_of(struct nccl_job *job, const struct nccl_record *record)
{
    for (uint32_t i = job->communicator_count; i-- > 0;)
        if (is_communicator(&job->communicators[i], record))
            return i;
    if (job->communicator_count == COMMUNICATORS_MAX)
        return NCCL_NOBODY;
    if (job->communicator_count == job->communicator_capacity)
        job->communicators = memory_grown(job->communicators, &job->communicator_capacity,
                                          sizeof(*job->communicators));
    struct communicator *made = &job->communicators[job->communicator_count];
    *made = (struct communicator){.ranks = record->ranks, .nodes = record->nodes};
    memcpy(made->id, record->communicator, sizeof(made->id));
    memcpy(made->name, record->name, sizeof(made->name));
    return job->communicator_count++;
}

/* Nearly all records are of one that the process is known to be in. */
static bool is_known(const struct nccl_job *job, const struct process *process,
                     const struct nccl_record *record)
{
    for (uint32_t i = process->count; i-- > 0;)
        if (is_communicator(&job->communicators[process->members[i].communicator], record))
            return true;
    return false;
}

static bool is_member(const struct process *process, uint32_t communicator)
{
    for (uint32_t i = 0; i < process->count; i++)
        if (process->members[i].communicator == communicator)
            return true;
    return false;
}

uint32_t nccl_job_meet(struct nccl_job *job, uint64_t key, const struct nccl_record *record)
{
    if (!record->has_header)
        return NCCL_NOBODY;
    uint32_t at = process_of(job, key, record);
    if (at == NCCL_NOBODY)
        return NCCL_NOBODY;
    struct process *process = &job->processes[at];
    if (is_known(job, process, record)) {
        nccl_job_lives(job, at, record->dumped_us);
        return at;
    }
    uint32_t communicator = communicator_of(job, record);
    if (communicator == NCCL_NOBODY)
        return NCCL_NOBODY;
    nccl_job_lives(job, at, record->dumped_us);
    if (is_member(process, communicator) || process->count == MEMBERS_MAX)
        return at;
    if (process->count == process->capacity)
        process->members =
            memory_grown(process->members, &process->capacity, sizeof(*process->members));
    process->members[process->count++] = (struct member){communicator, record->rank};
    job->communicators[communicator].seen++;
    job->version++;
    return at;
}

void nccl_job_lives(struct nccl_job *job, uint32_t process, int64_t us)
{
    struct process *to = &job->processes[process];
    if (us <= 0)
        return;
    to->first_us = to->first_us == 0 || us < to->first_us ? us : to->first_us;
    to->last_us = us > to->last_us ? us : to->last_us;
}

/* Of a process with several GPUs: each of them is in a communicator by a rank of its own. False: it
 * is not told which of them the record is of. */
static bool find_gpu(const struct nccl_job *job, uint64_t *key, const struct nccl_record *record)
{
    for (uint64_t first = *key; *key - first < GPUS_MOST; ++*key) {
        uint32_t at = find_process(job, *key, record);
        if (at == NCCL_NOBODY)
            return true;
        const struct process *process = &job->processes[at];
        uint32_t i = 0;
        while (i < process->count &&
               !is_communicator(&job->communicators[process->members[i].communicator], record))
            i++;
        if (i == process->count)
            return find_process(job, first + 1, record) == NCCL_NOBODY;
        if (process->members[i].rank == record->rank)
            return true;
    }
    return false;
}

bool nccl_job_look(struct nccl_job *job, uint64_t key, struct str bytes)
{
    struct nccl_record record;
    bool any = false;
    while (bytes.len > 0) {
        const char *end = memchr(bytes.p, '\n', bytes.len);
        if (!end)
            break;
        struct str line = str_of(bytes.p, (size_t)(end - bytes.p));
        bytes = log_from(bytes, line.len + 1);
        size_t at = log_find(line, "{");
        if (at == SIZE_MAX || log_find(line, "\"n_ranks\"") == SIZE_MAX)
            continue;
        any = true;
        if (nccl_record_read(&record, log_trim(log_from(line, at)), NULL) && !record.damaged &&
            record.kind != NCCL_NOTHING) {
            uint64_t gpu = key;
            if (find_gpu(job, &gpu, &record))
                nccl_job_meet(job, gpu, &record);
        }
    }
    return any;
}

/* ---- whose rank it is ---- */

static bool overlap(const struct process *a, const struct process *b)
{
    bool known = a->last_us > 0 && b->last_us > 0;
    return !known || (a->first_us <= b->last_us && b->first_us <= a->last_us);
}

/* As a word: between what are no letters. */
static bool has_word(const char *name, const char *const *words)
{
    size_t all = strlen(name);
    for (; *words; words++) {
        size_t length = strlen(*words);
        for (size_t at = 0; at + length <= all; at++)
            if (strncasecmp(name + at, *words, length) == 0 &&
                (at == 0 || !log_is_letter(name[at - 1])) && !log_is_letter(name[at + length]))
                return true;
    }
    return false;
}

static bool is_world(const struct communicator *communicator)
{
    static const char *const words[] = {"default_pg", "world", NULL};
    return has_word(communicator->name, words);
}

static bool is_part(const struct communicator *communicator)
{
    static const char *const words[] = {"tensor",   "pipeline",  "expert", "context", "embedding",
                                        "parallel", "mesh",      "intra",  "inter",   "local",
                                        "tp",       "pp",        "ep",     "cp",      "dp",
                                        "subgroup", "replicate", "shard",  NULL};
    return has_word(communicator->name, words) && !is_world(communicator);
}

/* Of the communicators of a process the one with the most ranks, and of several the job's own. */
static const struct member *largest(const struct nccl_job *job, const struct process *process)
{
    const struct member *best = NULL;
    for (uint32_t i = 0; i < process->count; i++) {
        const struct communicator *one = &job->communicators[process->members[i].communicator];
        const struct communicator *other = best ? &job->communicators[best->communicator] : NULL;
        if (!other || one->ranks > other->ranks ||
            (one->ranks == other->ranks && is_world(one) && !is_world(other)))
            best = &process->members[i];
    }
    return best;
}

/* Whether they are in one communicator of so many ranks. */
static bool share(const struct nccl_job *job, const struct process *a, const struct process *b,
                  int64_t ranks)
{
    for (uint32_t i = 0; i < a->count; i++)
        if (job->communicators[a->members[i].communicator].ranks == ranks &&
            is_member(b, a->members[i].communicator))
            return true;
    return false;
}

/* Ranks of groups rise as those of the job do: its rank within one can't be larger than that in the
 * job, nor can there be more behind it. */
static bool contradicts(const struct nccl_job *job, const struct process *process,
                        const struct member *all)
{
    const struct communicator *world = &job->communicators[all->communicator];
    for (uint32_t i = 0; i < process->count; i++) {
        const struct member *member = &process->members[i];
        const struct communicator *one = &job->communicators[member->communicator];
        if (one->ranks > 1 && (member->rank > all->rank ||
                               one->ranks - 1 - member->rank > world->ranks - 1 - all->rank ||
                               (one->nodes > 0 && world->nodes > 0 && one->nodes > world->nodes)))
            return true;
    }
    return false;
}

/* All of its processes are known, and one of them is in a group with others. */
static bool has_others(const struct nccl_job *job, uint32_t world)
{
    for (uint32_t p = 0; p < job->process_count; p++) {
        const struct process *process = &job->processes[p];
        for (uint32_t i = 0; is_member(process, world) && i < process->count; i++) {
            const struct communicator *one = &job->communicators[process->members[i].communicator];
            if (one->ranks > 1 && one->seen < one->ranks)
                return true;
        }
    }
    return false;
}

struct asked {
    const struct nccl_job *job;
    const struct process *process;
    const struct member *all;
    const struct communicator *world;
    char *why;
};

static void say(const struct asked *asked, const char *what)
{
    snprintf(asked->why, NCCL_WHY_BYTES,
             "%.40s pid %" PRId64 " is rank %" PRId64 " of the %" PRId64
             " of communicator %s%s%.40s%s: "
             "%s",
             asked->process->host, asked->process->pid, asked->all->rank, asked->world->ranks,
             asked->world->id, asked->world->name[0] ? " (" : "", asked->world->name,
             asked->world->name[0] ? ")" : "", what);
}

/* What other processes of the same time say against it. */
static bool others_agree(const struct asked *asked)
{
    const struct nccl_job *job = asked->job;
    bool all_seen = asked->world->seen >= asked->world->ranks;
    char what[160];
    for (uint32_t i = 0; i < job->process_count; i++) {
        const struct process *other = &job->processes[i];
        if (other == asked->process || other->count == 0 || !overlap(other, asked->process))
            continue;
        const struct communicator *its = &job->communicators[largest(job, other)->communicator];
        if (job->several && is_world(its) && is_world(asked->world))
            continue;
        if (its->ranks > asked->world->ranks) {
            snprintf(what, sizeof(what), "others are in one of %" PRId64, its->ranks);
            say(asked, what);
            return false;
        }
        bool outside = its->ranks == asked->world->ranks || all_seen;
        if (outside && !share(job, asked->process, other, asked->world->ranks)) {
            snprintf(what, sizeof(what), "%.40s pid %" PRId64 " is not in it, but in %s",
                     other->host, other->pid, its->id);
            say(asked, what);
            return false;
        }
    }
    return true;
}

int64_t nccl_job_rank(const struct nccl_job *job, uint32_t process, bool *ret_proven,
                      char why[NCCL_WHY_BYTES])
{
    const struct process *own = &job->processes[process];
    const struct member *all = largest(job, own);
    const struct communicator *world = &job->communicators[all->communicator];
    const struct asked asked = {job, own, all, world, why};
    bool all_seen = world->seen >= world->ranks;
    *ret_proven = is_world(world) || all_seen;
    if (!others_agree(&asked))
        return -1;
    if (is_world(world))
        return all->rank;
    if (contradicts(job, own, all))
        say(&asked, "its rank in another does not fit to that of a job");
    else if (is_part(world) && !all_seen)
        say(&asked, "by its name it is that of a part of the job");
    else if (all_seen && has_others(job, all->communicator))
        say(&asked, "some of them are in groups with others, too");
    else
        return all->rank;
    return -1;
}

/* ---- calls ---- */

static bool is_sequence(const struct sequence *sequence, const char *communicator,
                        const char *function)
{
    return strcmp(sequence->communicator, communicator) == 0 &&
           strcmp(sequence->function, function) == 0;
}

static struct sequence *sequence_of(struct nccl_job *job, const char *communicator,
                                    const char *function)
{
    if (job->found < job->sequence_count &&
        is_sequence(&job->sequences[job->found], communicator, function))
        return &job->sequences[job->found];
    for (job->found = 0; job->found < job->sequence_count; job->found++)
        if (is_sequence(&job->sequences[job->found], communicator, function))
            return &job->sequences[job->found];
    if (job->sequence_count == SEQUENCES_MAX)
        return NULL;
    if (job->sequence_count == job->sequence_capacity)
        job->sequences =
            memory_grown(job->sequences, &job->sequence_capacity, sizeof(*job->sequences));
    struct sequence *made = &job->sequences[job->sequence_count++];
    *made = (struct sequence){0};
    str_copy(made->communicator, sizeof(made->communicator), str_from(communicator));
    str_copy(made->function, sizeof(made->function), str_from(function));
    return made;
}

bool nccl_job_call(struct nccl_job *job, const char *communicator, const char *function,
                   int64_t rank, int64_t number, struct nccl_gap *ret)
{
    struct sequence *sequence = sequence_of(job, communicator, function);
    return sequence && nccl_calls_add(&sequence->calls, rank, number, ret);
}
