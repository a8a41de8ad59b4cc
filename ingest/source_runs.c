/* Tells the runs of a folder apart: by names first, then by what a few files say. */
#include "source_runs.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log_facts.h"
#include "memory.h"
#include "prefix.h"
#include "nccl_job.h"
#include "source_nccl.h"
#include "source_runs_job.h"
#include "source_runs_sample.h"
#include "source_scan.h"

#define UNITS_MAX 64               /* groups of names that are compared */
#define BEGINS_NS INT64_C(1000000) /* so near, two records tell of the same step of one run */
#define ROUNDED_NS INT64_C(1000)   /* and two times are the same */
#define PATH_BYTES 4096

struct entry {
    const char *name; /* borrowed */
    bool has_rank;
    uint32_t rank; /* from the name */
    char stem[RUN_PATTERN_BYTES];
};

/* Files that belong together: their names differ in the rank alone, or it is one file. */
struct unit {
    const struct entry *entries; /* by rank */
    int count;
    bool by_rank;              /* the number in the name is the rank */
    const struct entry *shown; /* whose sample it is */
    struct run_sample *sample;
    int run; /* -1: none */
};

struct looking {
    const char *folder;
    const struct formats *formats;
    struct unit units[UNITS_MAX];
    int unit_count;
    struct run_sample probe;
    struct log_book met; /* what files of NCCL Inspector say together */
};

bool runs_match(const char *which, const char *name)
{
    if (!which)
        return true;
    return scan_has_wildcard(which) ? fnmatch(which, name, FNM_PERIOD) == 0
                                    : strncmp(name, which, strlen(which)) == 0;
}

/* ---- names ---- */

static void name_entry(struct entry *entry, const char *name)
{
    struct str digits;
    entry->name = name;
    entry->has_rank = file_name_rank_digits(str_from(name), &entry->rank, &digits);
    if (entry->has_rank)
        snprintf(entry->stem, sizeof entry->stem, "%.*s*%s", (int)(digits.p - name), name,
                 digits.p + digits.len);
    else
        str_copy(entry->stem, sizeof entry->stem, str_from(name));
}

static int by_stem(const void *a, const void *b)
{
    const struct entry *left = a, *right = b;
    int order = strcmp(left->stem, right->stem);
    if (order != 0 || left->rank == right->rank)
        return order != 0 ? order : strcmp(left->name, right->name);
    return left->rank < right->rank ? -1 : 1;
}

static struct entry *make_entries(const struct scan_names *names, const char *which, int *ret_count)
{
    struct entry *entries = memory_zeroed(names->count + 1, sizeof *entries);
    int count = 0;
    for (size_t i = 0; i < names->count; i++)
        if (runs_match(which, names->names[i]))
            name_entry(&entries[count++], names->names[i]);
    qsort(entries, (size_t)count, sizeof *entries, by_stem);
    *ret_count = count;
    return entries;
}

/* ---- what files say ---- */

static const char *path_of(const struct looking *looking, const struct entry *entry,
                           char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/%s", looking->folder, entry->name);
    return path;
}

static void show(const struct looking *looking, struct unit *unit, const struct entry *entry)
{
    char path[PATH_BYTES];
    if (unit->shown == entry)
        return;
    if (!unit->sample)
        unit->sample = memory_zeroed(1, sizeof *unit->sample);
    sample_file(path_of(looking, entry, path), looking->formats, &looking->met, unit->sample);
    unit->shown = entry;
}

static bool says_its_rank(const struct looking *looking, struct unit *unit,
                          const struct entry *entry)
{
    show(looking, unit, entry);
    for (int i = 0; i < unit->sample->count; i++)
        if (unit->sample->records[i].rank != entry->rank)
            return false;
    return true;
}

static void add_unit(struct looking *looking, const struct entry *entries, int count)
{
    if (looking->unit_count < UNITS_MAX)
        looking->units[looking->unit_count++] =
            (struct unit){.entries = entries, .count = count, .run = -1};
}

/* Entries of one stem: one unit when the number is the rank, else one for each file. */
static void add_group(struct looking *looking, const struct entry *entries, int count)
{
    if (looking->unit_count == UNITS_MAX)
        return;
    add_unit(looking, entries, count);
    struct unit *unit = &looking->units[looking->unit_count - 1];
    unit->by_rank = entries[0].has_rank && says_its_rank(looking, unit, &entries[count - 1]) &&
                    says_its_rank(looking, unit, &entries[0]);
    if (unit->by_rank)
        return;
    unit->count = 1;
    show(looking, unit, &entries[0]);
    for (int i = 1; i < count && looking->unit_count < UNITS_MAX; i++) {
        add_unit(looking, entries + i, 1);
        unit = &looking->units[looking->unit_count - 1];
        show(looking, unit, &entries[i]);
    }
}

static int rank_of_entry(const void *rank, const void *entry)
{
    uint32_t wanted = *(const uint32_t *)rank, has = ((const struct entry *)entry)->rank;
    return wanted < has ? -1 : wanted > has;
}

static int rank_of_record(const void *rank, const void *record)
{
    uint32_t wanted = *(const uint32_t *)rank, has = ((const struct record *)record)->rank;
    return wanted < has ? -1 : wanted > has;
}

static const struct entry *file_of_rank(const struct unit *unit, uint32_t rank)
{
    return bsearch(&rank, unit->entries, (size_t)unit->count, sizeof *unit->entries, rank_of_entry);
}

static bool has_rank(const struct unit *unit, uint32_t rank)
{
    const struct run_sample *sample = unit->sample;
    return unit->by_rank ? file_of_rank(unit, rank) != NULL
                         : bsearch(&rank, sample->records, (size_t)sample->count,
                                   sizeof *sample->records, rank_of_record) != NULL;
}

/* The i-th rank of a unit, some of them more than once; false behind the last. */
static bool rank_at(const struct unit *unit, int i, uint32_t *ret)
{
    if (i >= (unit->by_rank ? unit->count : unit->sample->count))
        return false;
    *ret = unit->by_rank ? unit->entries[i].rank : unit->sample->records[i].rank;
    return true;
}

/* Brings the samples of both to a rank that both have; false when there is none. */
static bool show_shared_rank(const struct looking *looking, struct unit *a, struct unit *b)
{
    const struct unit *fewer = a->by_rank ? b : a; /* a sample is never long */
    uint32_t rank, before = UINT32_MAX;
    for (int i = 0; rank_at(fewer, i, &rank); before = rank, i++) {
        if (rank == before || !has_rank(a, rank) || !has_rank(b, rank))
            continue;
        if (a->by_rank)
            show(looking, a, file_of_rank(a, rank));
        if (b->by_rank)
            show(looking, b, file_of_rank(b, rank));
        return true;
    }
    return false;
}

/* ---- whether two of them can be one run ---- */

static bool far(int64_t a, int64_t b, int64_t most)
{
    return a > b + most || b > a + most;
}

static bool differs(const struct record *a, const struct record *b)
{
    uint32_t both = a->has & b->has;
    bool differs = (both & RECORD_BEGIN) && far(a->begin_ns, b->begin_ns, BEGINS_NS);
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        differs |=
            (both & (1u << phase)) && far(a->phase_ns[phase], b->phase_ns[phase], ROUNDED_NS);
    differs |= (both & RECORD_COMPUTE) && far(a->compute_ns, b->compute_ns, ROUNDED_NS);
    return differs ||
           ((both & RECORD_STEP_TIME) && far(a->step_time_ns, b->step_time_ns, ROUNDED_NS));
}

/* Most of the records that both have for a rank and step: 1 differ, -1 are alike, 0: none. */
static int compare(const struct run_sample *a, const struct run_sample *b)
{
    int alike = 0, different = 0;
    if (a->count > 0 && b->count > 0 && (a->records[0].has & b->records[0].has & RECORD_JOB))
        return runs_compare_jobs(a, b);
    for (int i = 0; i < b->count; i++) {
        const struct record *ours = &b->records[i];
        const struct record *theirs = sample_find(a, ours->rank, ours->step);
        if (theirs && differs(theirs, ours))
            different++;
        else if (theirs)
            alike++;
    }
    return different > alike ? 1 : alike > 0 ? -1 : 0;
}

/* The later one took up the run where the earlier had left it: after a restart it repeats some
 * steps, but not the run's first. */
static bool goes_on(const struct run_sample *a, const struct run_sample *b, int64_t run_first)
{
    if (a->first_ns >= 0 && b->first_ns >= 0) {
        const struct run_sample *late = a->first_ns > b->first_ns ? a : b;
        const struct run_sample *early = late == a ? b : a;
        return late->first_ns >= early->last_ns && late->first_step > run_first;
    }
    const struct run_sample *late = a->first_step > b->first_step ? a : b;
    const struct run_sample *early = late == a ? b : a;
    return late->first_step > run_first && late->last_step >= early->last_step;
}

static bool are_two_runs(struct looking *looking, struct unit *a, struct unit *b, int64_t run_first)
{
    char path[PATH_BYTES];
    if (!show_shared_rank(looking, a, b) || !a->sample->found || !b->sample->found)
        return false;
    const struct run_sample *left = a->sample, *right = b->sample;
    if (left->last_step < right->first_step || right->last_step < left->first_step ||
        goes_on(left, right, run_first))
        return false;
    int result = compare(left, right);
    if (result == 0) { /* where the one begins, what does the other say? */
        bool left_first = left->first_step < right->first_step;
        const struct run_sample *late = left_first ? right : left;
        sample_step(path_of(looking, left_first ? a->shown : b->shown, path), looking->formats,
                    &looking->met, late->first_step, &looking->probe);
        result = compare(&looking->probe, late);
    }
    return result > 0;
}

/* ---- runs ---- */

static int64_t first_step_of(const struct looking *looking, int run, int64_t first)
{
    for (int i = 0; i < looking->unit_count; i++)
        if (looking->units[i].run == run && looking->units[i].sample->first_step < first)
            first = looking->units[i].sample->first_step;
    return first;
}

static bool fits(struct looking *looking, struct unit *unit, int run)
{
    int64_t first = first_step_of(looking, run, unit->sample->first_step);
    for (int i = 0; i < looking->unit_count; i++)
        if (looking->units[i].run == run && are_two_runs(looking, &looking->units[i], unit, first))
            return false;
    return true;
}

static size_t common_length(const char *a, const char *b)
{
    size_t length = 0;
    while (a[length] && a[length] == b[length])
        length++;
    return length;
}

static void join(struct folder_run *run, const struct unit *unit)
{
    const char *name = unit->by_rank ? unit->entries[0].stem : unit->entries[0].name;
    const struct run_sample *sample = unit->sample;
    size_t common = common_length(run->pattern, name);
    if (run->files == 0) {
        str_copy(run->pattern, sizeof run->pattern, str_from(name));
        run->first_step = sample->first_step;
        run->last_step = sample->last_step;
    } else if (common > 0 && common + 2 < sizeof run->pattern && run->pattern[common - 1] != '*') {
        memcpy(run->pattern + common, "*", 2);
    }
    run->files += unit->count;
    if (sample->first_step < run->first_step)
        run->first_step = sample->first_step;
    if (sample->last_step > run->last_step)
        run->last_step = sample->last_step;
}

/* Into the run whose name is most like its own, of those it can belong to. */
static void place(struct looking *looking, struct unit *unit, struct folder_runs *runs)
{
    int best = -1;
    size_t best_length = 0;
    for (int run = 0; run < runs->count; run++) {
        size_t length = common_length(runs->runs[run].pattern, unit->entries[0].stem);
        if ((best < 0 || length > best_length) && fits(looking, unit, run)) {
            best = run;
            best_length = length;
        }
    }
    if (best < 0 && runs->count < RUNS_MAX)
        best = runs->count++;
    unit->run = best;
    if (best >= 0)
        join(&runs->runs[best], unit);
}

/* ---- patterns that name one run alone ---- */

static bool names_others(const struct looking *looking, const char *pattern, int run)
{
    for (int i = 0; i < looking->unit_count; i++)
        for (int k = 0; looking->units[i].run != run && k < looking->units[i].count; k++)
            if (looking->units[i].sample->found &&
                runs_match(pattern, looking->units[i].entries[k].name))
                return true;
    return false;
}

/* Letter by letter, a '?' where its names differ. False: they are not of one length. */
static bool by_letters(const struct looking *looking, int run, char pattern[RUN_PATTERN_BYTES])
{
    pattern[0] = '\0';
    for (int i = 0; i < looking->unit_count; i++) {
        for (int k = 0; looking->units[i].run == run && k < looking->units[i].count; k++) {
            const char *name = looking->units[i].entries[k].name;
            size_t length = strlen(name);
            if (pattern[0] == '\0')
                str_copy(pattern, RUN_PATTERN_BYTES, str_from(name));
            if (strlen(pattern) != length)
                return false;
            for (size_t at = 0; at < length; at++)
                pattern[at] = pattern[at] == name[at] ? name[at] : '?';
        }
    }
    return pattern[0] != '\0';
}

static void tell_apart(const struct looking *looking, struct folder_runs *runs)
{
    char pattern[RUN_PATTERN_BYTES];
    for (int run = 0; run < runs->count && runs->count > 1; run++) {
        if (!names_others(looking, runs->runs[run].pattern, run))
            continue;
        runs->runs[run].unclear =
            !by_letters(looking, run, pattern) || names_others(looking, pattern, run);
        if (!runs->runs[run].unclear)
            memcpy(runs->runs[run].pattern, pattern, sizeof(pattern));
    }
}

static void look(struct looking *looking, const struct entry *entries, int count,
                 struct folder_runs *ret)
{
    for (int from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && strcmp(entries[to].stem, entries[from].stem) == 0;)
            to++;
        add_group(looking, entries + from, to - from);
    }
    for (int i = 0; i < looking->unit_count; i++)
        if (looking->units[i].sample->found)
            place(looking, &looking->units[i], ret);
    tell_apart(looking, ret);
}

int runs_look(const char *folder, const char *which, const struct formats *formats,
              struct folder_runs *ret)
{
    struct scan_names names;
    *ret = (struct folder_runs){0};
    int result = scan_folder(folder, NULL, formats, &names);
    if (result == 0) {
        struct looking *looking = memory_zeroed(1, sizeof *looking);
        looking->folder = folder;
        looking->formats = formats;
        struct entry *entries = make_entries(&names, which, &ret->matches);
        nccl_job_several(log_book_nccl(&looking->met));
        for (int i = 0; formats && i < ret->matches; i++) {
            char path[PATH_BYTES];
            path_of(looking, &entries[i], path);
            source_meet_nccl(path, path, &looking->met);
            log_names_meet(&looking->met.names, path);
        }
        look(looking, entries, ret->matches, ret);
        log_book_done(&looking->met);
        for (int i = 0; i < looking->unit_count; i++)
            free(looking->units[i].sample);
        free(entries);
        free(looking);
    }
    scan_done(&names);
    return result;
}

void runs_say(const char *folder, const struct folder_runs *runs, char text[RUNS_TEXT_BYTES])
{
    static const char *const numbers[] = {"no run",     "one run",    "two runs",
                                          "three runs", "four runs",  "five runs",
                                          "six runs",   "seven runs", "eight runs or more"};
    int used = snprintf(text, RUNS_TEXT_BYTES, "%.200s: holds %s: ", folder, numbers[runs->count]);
    for (int i = 0; i < runs->count && used < RUNS_TEXT_BYTES; i++) {
        const struct folder_run *run = &runs->runs[i];
        used += snprintf(text + used, (size_t)(RUNS_TEXT_BYTES - used),
                         "%s%.80s (%d file%s, steps %lld to %lld)", i > 0 ? ", " : "", run->pattern,
                         run->files, run->files == 1 ? "" : "s", (long long)run->first_step,
                         (long long)run->last_step);
    }
}
