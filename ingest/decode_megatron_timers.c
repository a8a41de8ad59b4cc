/* Timers: the line of one rank's, and the blocks over all ranks. Values are printed with two
 * decimals: one with fewer is cut. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decode_megatron.h"
#include "log_text.h"
#include "memory.h"

#define RANKS_MAX 65536
/* Lines of other processes in between, of which a label may be the same: of a pod, of a node. */
#define STRANGERS_MAX 32
#define STRANGERS_BEHIND 4 /* likewise, where all has come that is usual */

/* ---- numbers ---- */

/* A number with two decimals at the front; the bytes of it, 0: none, or it is cut. */
static size_t two_decimals(struct str s, double *ret)
{
    size_t length;
    if (log_number(s, ret, &length) != LOG_NUMBER || length < 4 || s.p[length - 3] != '.')
        return 0;
    return length;
}

static bool whole_number(struct str s, double *ret)
{
    size_t length = two_decimals(s, ret);
    return length > 0 && length == s.len;
}

/* ---- the line of one rank ---- */

bool megatron_timer_line(struct str rest, struct megatron_times *times, struct str *ret_last,
                         struct log_out *out)
{
    bool whole = true;
    while (rest.len > 0) {
        struct str part, name, value;
        double ms;
        const char *bar = memchr(rest.p, '|', rest.len);
        size_t length = bar ? (size_t)(bar - rest.p) : rest.len;
        part = log_trim(log_until(rest, length));
        rest = log_from(rest, bar ? length + 1 : length);
        if (part.len == 0)
            continue;
        if (!log_split(part, &name, &value) || !whole_number(value, &ms) ||
            !megatron_times_add(times, megatron_time_of(name), ms)) {
            whole = false;
            continue;
        }
        *ret_last = name;
        log_out_value(out, name, "ms", ms);
    }
    return whole;
}

/* ---- blocks ---- */

enum megatron_block megatron_block_head(struct str line)
{
    size_t at = log_find(line, "across ranks (ms):");
    if (at == SIZE_MAX)
        return MEGATRON_NO_BLOCK;
    struct str before = log_until(line, at);
    if (log_find(before, "(min, max) time ") != SIZE_MAX)
        return MEGATRON_RANGE;
    if (log_find(before, "max time ") != SIZE_MAX)
        return MEGATRON_MOST;
    return log_find(before, "times ") != SIZE_MAX ? MEGATRON_RANKS : MEGATRON_NO_BLOCK;
}

/* The line without what stood before the head of its block, whatever numbers are in it: a logger's
 * time and place, a pod's name. As it is, when that is not in front of it. */
static struct str without_prefix(const struct megatron_timers *timers, struct str s)
{
    size_t at = 0, i = 0;
    while (i < timers->prefix_length && at < s.len) {
        if (log_is_digit(timers->prefix[i]) && log_is_digit(s.p[at])) {
            for (; i < timers->prefix_length && log_is_digit(timers->prefix[i]); i++)
                ;
            for (; at < s.len && log_is_digit(s.p[at]); at++)
                ;
            continue;
        }
        if (timers->prefix[i++] != s.p[at++])
            return s;
    }
    return i == timers->prefix_length ? log_from(s, at) : s;
}

static void learn_prefix(struct megatron_timers *timers, struct str body)
{
    static const char *const heads[] = {"(min, max) time ", "max time ", "times "};
    size_t at = SIZE_MAX;
    for (size_t i = 0; at == SIZE_MAX && i < sizeof(heads) / sizeof(heads[0]); i++)
        at = log_find(body, heads[i]);
    timers->prefix_length = 0;
    if (at < sizeof(timers->prefix)) {
        memcpy(timers->prefix, body.p, at);
        timers->prefix_length = at;
    }
}

void megatron_block_begin(struct megatron_timers *timers, enum megatron_block block,
                          const struct log_line *line)
{
    timers->block = block;
    timers->writer = line->writer;
    learn_prefix(timers, line->body);
    timers->name_length = 0;
    timers->time = MEGATRON_TIMES;
    timers->last_rank = -1;
    memset(timers->names, 0, sizeof(timers->names));
    timers->name_lost = false;
    timers->count = 0;
    timers->lines = 0;
    timers->strangers = 0;
    timers->past_sync = false;
    timers->complete = false;
}

static bool is_timer_name(struct str name)
{
    if (name.len == 0 || name.len >= MEGATRON_NAME_BYTES || name.p[0] < 'a' || name.p[0] > 'z')
        return false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.p[i];
        bool fits =
            (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '/';
        if (!fits)
            return false;
    }
    return true;
}

/* "(F, F)" or "F"; false: torn. */
static bool range_values(enum megatron_block block, struct str value, double *ret_least,
                         double *ret_most)
{
    if (block == MEGATRON_MOST)
        return whole_number(value, ret_most);
    if (value.len < 2 || value.p[0] != '(' || value.p[value.len - 1] != ')')
        return false;
    size_t first = two_decimals(log_from(value, 1), ret_least);
    struct str second = log_from(value, first + 1);
    return first > 0 && log_begins(second, ", ") &&
           whole_number(str_of(second.p + 2, second.len - 3), ret_most);
}

/* "name ......: F" or "name ......: (F, F)". */
static bool range_line(enum megatron_block block, struct str s, struct log_out *out)
{
    char text[MEGATRON_NAME_BYTES + 8];
    double least, most;
    size_t colon = log_find(s, ".:");
    if (colon == SIZE_MAX)
        return false;
    struct str name = log_until(s, colon);
    while (name.len > 0 && name.p[name.len - 1] == '.')
        name.len--;
    name = log_trim(name);
    if (!is_timer_name(name))
        return false;
    if (!range_values(block, log_trim(log_from(s, colon + 2)), &least, &most)) {
        log_out_damaged(out, "a timer is torn");
        return true;
    }
    size_t length = str_copy(text, MEGATRON_NAME_BYTES, name);
    if (block == MEGATRON_RANGE) {
        memcpy(text + length, " (min)", 7);
        log_out_value(out, str_from(text), "ms", least);
    }
    memcpy(text + length, " (max)", 7);
    log_out_value(out, str_from(text), "ms", most);
    if (megatron_time_of(name) != MEGATRON_TIMES)
        log_out_note(out, LOG_NOTE_RANGE); /* set-up and checkpoint do not count */
    return true;
}

static struct megatron_times *times_of_rank(struct megatron_timers *timers, uint32_t rank)
{
    if (rank < timers->count)
        return &timers->ranks[rank];
    while (timers->capacity <= rank)
        timers->ranks = memory_grown(timers->ranks, &timers->capacity, sizeof(*timers->ranks));
    for (; timers->count <= rank; timers->count++)
        timers->ranks[timers->count] = (struct megatron_times){0};
    return &timers->ranks[rank];
}

/* The ranks of a timer come in order: one that is not above the last is not taken. */
static inline bool take_rank(struct megatron_timers *timers, int64_t rank, double ms,
                             struct log_out *out)
{
    int64_t limit = timers->gpus > 0 && timers->gpus < RANKS_MAX ? timers->gpus : RANKS_MAX;
    if (timers->name_length == 0 || rank >= limit || rank <= timers->last_rank ||
        !megatron_times_add(times_of_rank(timers, (uint32_t)rank), timers->time, ms))
        return false;
    timers->last_rank = rank;
    timers->last_ms = ms;
    log_out_value(out, str_of(timers->name, timers->name_length), "ms", ms);
    return true;
}

/* How far behind the body's begin the number is, where nothing but "rank " is in front of it: so it
 * is in other lines of this form. 0: a prefix is there. */
static uint32_t rank_at(struct str body, const char *number)
{
    struct str s = log_trim(body);
    bool alone = log_begins(s, "rank ") && log_trim(log_from(s, strlen("rank "))).p == number;
    return alone ? (uint32_t)(number - body.p) : 0;
}

enum rank_line { RANK_TAKEN, RANK_DOUBLED, RANK_UNNAMED, RANK_TORN };

/* "rank  3: F". */
static enum rank_line rank_line(struct megatron_timers *timers, struct str s,
                                const struct log_line *line, struct log_out *out)
{
    int64_t rank;
    size_t length;
    double ms;
    struct str rest = log_trim(log_from(s, strlen("rank ")));
    if (!log_integer(rest, &rank, &length) || !log_begins(log_from(rest, length), ": "))
        return RANK_TORN;
    struct str value = log_trim(log_from(rest, length + 2));
    if (!whole_number(value, &ms))
        return RANK_TORN;
    if (rank == timers->last_rank && ms == timers->last_ms)
        return RANK_DOUBLED;
    if (rank <= timers->last_rank) { /* another timer's, whose name is not there */
        timers->name_length = 0;
        timers->name_lost = true;
        timers->last_rank = -1;
    }
    if (timers->name_length == 0 && timers->name_lost)
        return RANK_UNNAMED;
    if (!take_rank(timers, rank, ms, out))
        return RANK_TORN;
    log_learn_number(line->form, MEGATRON_LEARNED_RANK, log_until(rest, length),
                     rank_at(line->body, rest.p));
    log_learn_number(line->form, MEGATRON_LEARNED_MS, value, 0);
    log_learn_ready(line->form, false);
    return RANK_TAKEN;
}

static enum megatron_fit ranks_line(struct megatron_timers *timers, struct str s,
                                    const struct log_line *line, struct log_out *out)
{
    if (log_begins(s, "rank ")) {
        enum rank_line is = rank_line(timers, s, line, out);
        if (is == RANK_DOUBLED)
            log_out_count(out, LOG_DOUBLED, "a rank's line in the timers");
        else if (is == RANK_UNNAMED)
            log_out_damaged(out, "the name of a timer is missing: it is left out");
        else if (is == RANK_TORN)
            log_out_damaged(out, "a rank's time is torn");
        return is == RANK_DOUBLED ? MEGATRON_AGAIN : MEGATRON_FITS;
    }
    struct str name = s.len > 0 ? str_of(s.p, s.len - 1) : s;
    if (s.len == 0 || s.p[s.len - 1] != ':' || !is_timer_name(name))
        return MEGATRON_STRANGER;
    timers->name_length = str_copy(timers->name, sizeof(timers->name), name);
    timers->time = megatron_time_of(name);
    timers->last_rank = -1;
    timers->names[timers->time]++;
    timers->past_sync |= log_begins(name, "optimizer");
    return MEGATRON_FITS;
}

/* One more line of the block. */
static enum megatron_fit count_line(struct megatron_timers *timers, struct log_out *out)
{
    timers->strangers = 0;
    timers->lines++;
    if (timers->complete) {
        log_out_damaged(out, "a timer came after the others of its step");
        timers->usual_times = 0;
        return MEGATRON_FITS;
    }
    timers->complete = timers->block == MEGATRON_RANKS && timers->usual_times >= 2 &&
                       timers->lines == timers->usual_lines;
    return timers->complete ? MEGATRON_COMPLETE : MEGATRON_FITS;
}

enum megatron_fit megatron_block_again(struct megatron_timers *timers, const struct log_line *line,
                                       const struct log_values *values, struct log_out *out)
{
    double rank = values->number[MEGATRON_LEARNED_RANK];
    struct str ms = values->text[MEGATRON_LEARNED_MS];
    uint32_t at = values->notes[MEGATRON_LEARNED_RANK];
    if (timers->block != MEGATRON_RANKS || line->writer != timers->writer ||
        timers->prefix_length > 0 || at == 0 ||
        values->text[MEGATRON_LEARNED_RANK].p != line->body.p + at || rank >= RANKS_MAX ||
        ms.len < 4 || ms.p[ms.len - 3] != '.' ||
        !take_rank(timers, (int64_t)rank, values->number[MEGATRON_LEARNED_MS], out))
        return MEGATRON_STRANGER;
    return count_line(timers, out);
}

enum megatron_fit megatron_block_line(struct megatron_timers *timers, const struct log_line *line,
                                      struct log_out *out)
{
    if (line->writer != timers->writer)
        return MEGATRON_STRANGER;
    struct str s = log_trim(without_prefix(timers, line->body));
    enum megatron_fit fit = timers->block == MEGATRON_RANKS     ? ranks_line(timers, s, line, out)
                            : range_line(timers->block, s, out) ? MEGATRON_FITS
                                                                : MEGATRON_STRANGER;
    if (fit == MEGATRON_STRANGER) {
        bool over = ++timers->strangers > (timers->complete ? STRANGERS_BEHIND : STRANGERS_MAX);
        return over ? MEGATRON_ENDS : MEGATRON_STRANGER;
    }
    return fit == MEGATRON_AGAIN ? MEGATRON_FITS : count_line(timers, out);
}

/* Whether the name of one of those that are summed is not there, as it was before. */
static bool lacks_sum(const struct megatron_timers *timers)
{
    static const enum megatron_time parts[] = {MEGATRON_BOTH,          MEGATRON_SYNC,
                                               MEGATRON_SYNC_ALL,      MEGATRON_SYNC_WITHIN,
                                               MEGATRON_SYNC_BACKWARD, MEGATRON_SYNC_STAGES};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (timers->names[parts[i]] < timers->usual_names[parts[i]])
            return true;
    return false;
}

/* Whether the timer whose name was lost may be one of those. */
static bool may_lack_sum(const struct megatron_timers *timers)
{
    for (size_t i = 0; i <= MEGATRON_TIMES; i++)
        if (timers->names[i] < timers->usual_names[i])
            return lacks_sum(timers);
    return true; /* it is not known which one */
}

/* A row is lost: without it the rank would seem to have waited for nobody. */
static void drop_partial_sums(struct megatron_timers *timers, struct log_out *out)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < timers->count; i++)
        most = timers->ranks[i].syncs > most ? timers->ranks[i].syncs : most;
    for (uint32_t i = 0; i < timers->count; i++)
        if (timers->ranks[i].has && timers->ranks[i].syncs < most) {
            megatron_times_drop_sums(&timers->ranks[i]);
            log_out_count(out, LOG_WITHOUT_PAIR,
                          "rank %" PRIu32 ": %" PRIu32 " of %" PRIu32
                          " exchanges have a time: it is left out",
                          i, timers->ranks[i].syncs, most);
        }
}

bool megatron_block_end(struct megatron_timers *timers, bool cut, struct log_out *out)
{
    uint32_t any = 0, with = 0;
    bool ranks = timers->block == MEGATRON_RANKS;
    timers->block = MEGATRON_NO_BLOCK;
    for (uint32_t i = 0; ranks && i < timers->count; i++) {
        any |= timers->ranks[i].has;
        with += timers->ranks[i].has != 0;
    }
    if (!any)
        return false;
    bool lacks = !timers->name_lost && lacks_sum(timers);
    bool drop = timers->name_lost ? cut || may_lack_sum(timers) : lacks;
    if (lacks)
        log_out_count(out, LOG_WITHOUT_PAIR,
                      "a step lacks an exchange that had a time before: the others are left out");
    cut |= timers->lines < timers->usual_lines || timers->strangers > STRANGERS_MAX;
    drop |= !timers->name_lost && cut && !timers->past_sync;
    for (uint32_t i = 0; drop && i < timers->count; i++)
        megatron_times_drop_sums(&timers->ranks[i]);
    if (!drop)
        drop_partial_sums(timers, out);
    if (timers->name_lost) {
        timers->usual_times = 0;
    } else {
        memcpy(timers->usual_names, timers->names, sizeof(timers->names));
        timers->usual_times = timers->lines == timers->usual_lines ? timers->usual_times + 1 : 1;
        timers->usual_lines = timers->lines;
    }
    if (with < timers->known || with < timers->count || (int64_t)with < timers->gpus)
        log_out_damaged(out, "a block of timers lacks ranks");
    if (with > timers->known)
        timers->known = with;
    return true;
}

void megatron_timers_done(struct megatron_timers *timers)
{
    free(timers->ranks);
}
