/* What decoders make of lines: records that wait to be taken, damages, counts. */
#include "log_out.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format_reader.h"
#include "memory.h"
#include "prefix.h"

/* ---- what comes of it ---- */

void format_reader_shrink(struct format_reader *reader)
{
    free(reader->queue);
    free(reader->names);
    reader->queue = NULL;
    reader->names = NULL;
    reader->capacity = reader->names_capacity = 0;
}

bool format_reader_next(struct format_reader *reader, struct record *record)
{
    if (!format_reader_waits(reader))
        return false;
    uint32_t at = reader->head++;
    *record = reader->queue[at];
    if (record->has & RECORD_HOST)
        record->host = str_from(reader->names[at].host);
    if (record->has & RECORD_GROUP)
        record->group = str_from(reader->names[at].group);
    return true;
}

const char *format_reader_damage(struct format_reader *reader)
{
    if (reader->damage_next == reader->damage_count)
        return NULL;
    size_t at = reader->damage_next++;
    return reader->damages[at < DAMAGES_MAX ? at : DAMAGES_MAX - 1];
}

static bool within(int64_t value, int64_t least, int64_t most)
{
    return value >= least && value <= most;
}

static const char *out_of_bounds(const struct record *record)
{
    uint32_t has = record->has;
    if (!(has & RECORD_STEP) || !(has & RECORD_ANY_TIME))
        return "a record without a step or a time";
    if (!within(record->step, 0, RECORD_STEP_MAX))
        return "the step number is out of range";
    if ((has & RECORD_RANK) && record->rank > RECORD_RANK_MAX)
        return "the rank is out of range";
    for (int phase = 0; phase < PHASE_COUNT && (has & RECORD_ANY_PHASE); phase++)
        if ((has & (1u << phase)) && !within(record->phase_ns[phase], 0, RECORD_DURATION_MAX_NS))
            return "a time is out of range";
    if (((has & RECORD_COMPUTE) && !within(record->compute_ns, 0, RECORD_DURATION_MAX_NS)) ||
        ((has & RECORD_STEP_TIME) && !within(record->step_time_ns, 0, RECORD_DURATION_MAX_NS)))
        return "a time is out of range";
    if ((has & RECORD_BEGIN) && !within(record->begin_ns, 0, RECORD_BEGIN_MAX_NS))
        return "a time stamp is out of range";
    uint32_t more = RECORD_TOKENS | RECORD_SPAN | RECORD_FLOPS | RECORD_MFU | RECORD_GPUS;
    if (!(has & more))
        return NULL;
    if (((has & RECORD_TOKENS) && !within(record->tokens, 0, RECORD_TOKENS_MAX)) ||
        ((has & RECORD_SPAN) && !within(record->span, 1, RECORD_SPAN_MAX)) ||
        ((has & RECORD_FLOPS) && !within(record->flops, 0, RECORD_FLOPS_MAX)) ||
        ((has & RECORD_MFU) && !within(record->mfu, 0, RECORD_MFU_MAX)) ||
        ((has & RECORD_GPUS) && !within(record->gpus, 1, RECORD_RANK_MAX)))
        return "a count or a rate is out of range";
    return NULL;
}

/* Whose it is, when the line does not say: the rank in its prefix, or in the name of the input; a
 * document alone is one rank. A log that names no rank anywhere is as one of the whole job: one
 * value a step, of nobody knows whom. */
static void find_rank(struct format_reader *reader, struct record *record)
{
    const struct log_line *line = &reader->line;
    struct str prefix = str_of(line->text.p, (size_t)(line->body.p - line->text.p));
    bool lines = reader->document < 0;
    bool named = reader->rank >= 0 &&
                 (reader->says_rank || (lines && log_names_are_ranks(&reader->book->names)));
    if (prefix.len > 0 && prefix_rank(prefix, &record->rank)) {
        record->has |= RECORD_RANK;
    } else if (named || reader->document >= 0) {
        record->rank = named ? (uint32_t)reader->rank : 0;
        record->has |= RECORD_RANK;
    } else if (!reader->ranked) {
        record->rank = 0;
        record->has |= RECORD_RANK | RECORD_JOB;
    }
}

static void keep_names(struct format_reader *reader, uint32_t at, const struct record *record)
{
    if (reader->names_capacity < reader->capacity) {
        reader->names = memory_resized(reader->names, reader->capacity, sizeof(*reader->names));
        reader->names_capacity = reader->capacity;
    }
    if (record->has & RECORD_HOST)
        str_copy(reader->names[at].host, NAME_BYTES, record->host);
    if (record->has & RECORD_GROUP)
        str_copy(reader->names[at].group, NAME_BYTES, record->group);
}

void log_out_beside(struct log_out *out, const struct record *record, const char *leader)
{
    log_out_count(out, LOG_BESIDE, "step %lld: %s gives it", (long long)record->step, leader);
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        if (record->has & (1u << phase))
            log_out_value(out, str_from(phase_name((enum phase)phase)), "ms",
                          (double)record->phase_ns[phase] / 1e6);
    if (record->has & RECORD_STEP_TIME)
        log_out_value(out, str_from("step time"), "s", (double)record->step_time_ns / 1e9);
}

/* The index that the current format leads by. Maps and patterns are parts of one description: what
 * a user named is all wanted. */
static size_t leading_index(const struct format_reader *reader)
{
    const struct formats *formats = reader->formats;
    size_t first = 0;
    if (!formats->list[reader->current]->setup)
        return reader->current;
    while (!formats->list[first]->setup)
        first++;
    return first;
}

/* Where the next record that waits to be taken will be. */
static struct record *next_place(struct format_reader *reader)
{
    if (reader->count == reader->capacity)
        reader->queue = memory_grown(reader->queue, &reader->capacity, sizeof(*reader->queue));
    return &reader->queue[reader->count];
}

/* The record at the next place waits to be taken; whose it is, is known. */
static void put(struct format_reader *reader)
{
    const struct record *record = &reader->queue[reader->count];
    if (record->has & (RECORD_HOST | RECORD_GROUP))
        keep_names(reader, reader->count, record);
    reader->count++;
    reader->ranked |= (record->has & (RECORD_RANK | RECORD_JOB)) == RECORD_RANK;
    struct log_facts *facts = format_reader_facts(reader);
    if (!facts)
        return;
    facts->records++;
    facts->job_records += (record->has & RECORD_JOB) != 0;
}

static void keep_beside(struct format_reader *reader, const struct record *record)
{
    struct beside *beside = &reader->beside;
    if (beside->format != reader->current) {
        beside->count = 0;
        beside->together = false;
    }
    beside->format = reader->current;
    if (!beside->records)
        beside->records = memory_resized(NULL, BESIDE_KEPT, sizeof(*beside->records));
    if (beside->count == BESIDE_KEPT)
        beside->begin++;
    else if (beside->count++ == 0)
        beside->begin = 0;
    struct record *kept = &beside->records[(beside->begin + beside->count - 1) % BESIDE_KEPT];
    *kept = *record;
    kept->has &= ~(uint32_t)(RECORD_HOST | RECORD_GROUP); /* of lines that are gone */
}

/* They are a run of their own: but for those of the leader's last steps. */
static void put_beside(struct format_reader *reader, const struct log_lead *before)
{
    struct beside *beside = &reader->beside;
    bool any = false;
    for (uint32_t i = 0; i < beside->count && beside->format == reader->current; i++) {
        const struct record *record = &beside->records[(beside->begin + i) % BESIDE_KEPT];
        bool there = record->step > before->last - before->span && record->step <= before->last;
        if (!any && there)
            continue;
        any = true;
        log_out_count_less(&reader->out, LOG_BESIDE, 1);
        *next_place(reader) = *record;
        put(reader);
    }
    beside->count = 0;
}

void log_out_end(struct log_out *out)
{
    struct format_reader *reader = out->reader;
    struct beside *beside = &reader->beside;
    if (beside->count == 0 || beside->together || !log_lead_is_over(&reader->lead))
        return;
    reader->current = beside->format;
    put_beside(reader, &reader->lead);
}

/* The leader has a record at the next place: what was left out since its last one may be a run of
 * its own, which goes before. */
static void settle_beside(struct format_reader *reader, const struct log_lead *before)
{
    struct beside *beside = &reader->beside;
    if (before->format >= 0 && reader->lead.format > before->format) {
        const struct record behind = *next_place(reader);
        put_beside(reader, before);
        *next_place(reader) = behind;
    }
    beside->together |= beside->count > 0 && reader->lead.format == before->format;
    beside->count = 0;
}

void log_out_record(struct log_out *out, const struct record *record)
{
    struct format_reader *reader = out->reader;
    const char *why = out_of_bounds(record);
    if (why) {
        log_out_damaged(out, why);
        return;
    }
    log_out_claim(out);
    size_t leading = leading_index(reader);
    const struct log_lead before = reader->lead;
    struct record *found = next_place(reader);
    *found = *record;
    if (record->has & RECORD_JOB) {
        found->rank = 0;
        found->has |= RECORD_RANK;
    } else if (!(record->has & RECORD_RANK)) {
        find_rank(reader, found);
    }
    if (!log_lead_takes(&reader->lead, leading, reader->claims | UINT64_C(1) << leading, record)) {
        int leader = reader->lead.format;
        log_out_beside(out, record, leader < 0 ? "lockstep" : reader->formats->list[leader]->name);
        keep_beside(reader, found);
        return;
    }
    if (reader->beside.count > 0)
        settle_beside(reader, &before);
    put(reader);
}

void log_out_damaged(struct log_out *out, const char *why)
{
    struct format_reader *reader = out->reader;
    struct log_facts *facts = format_reader_facts(reader);
    if (facts)
        facts->damaged++;
    if (reader->damage_count < DAMAGES_MAX)
        reader->damages[reader->damage_count] = why;
    reader->damage_count++;
}

void log_out_count(struct log_out *out, enum log_count count, const char *what, ...)
{
    struct log_facts *facts = format_reader_facts(out->reader);
    if (!facts)
        return;
    if (facts->counts[count]++ > 0 || !what)
        return;
    va_list values;
    va_start(values, what);
    vsnprintf(facts->examples[count], sizeof(facts->examples[count]), what, values);
    va_end(values);
}

uint64_t log_out_unmapped(struct log_out *out, uint64_t keys)
{
    struct log_facts *facts = format_reader_facts(out->reader);
    if (!facts)
        return keys;
    facts->counts[LOG_UNMAPPED]++;
    return facts->unmapped |= keys;
}

void log_out_example(struct log_out *out, enum log_count count, const char *what)
{
    struct log_facts *facts = format_reader_facts(out->reader);
    if (facts)
        str_copy(facts->examples[count], sizeof(facts->examples[count]), str_from(what));
}

void log_out_count_more(struct log_out *out, enum log_count count, uint64_t more)
{
    struct log_facts *facts = format_reader_facts(out->reader);
    if (facts)
        facts->counts[count] += more;
}

void log_out_count_less(struct log_out *out, enum log_count count, uint64_t less)
{
    struct log_facts *facts = format_reader_facts(out->reader);
    if (facts)
        facts->counts[count] -= less < facts->counts[count] ? less : facts->counts[count];
}

void log_out_held(struct log_out *out, int64_t more)
{
    struct log_facts *facts = format_reader_facts(out->reader);
    if (facts)
        facts->held += more;
}

void log_out_world(struct log_out *out, int64_t ranks)
{
    struct log_facts *facts = format_reader_facts(out->reader);
    if (facts && ranks > facts->world)
        facts->world = ranks;
}

void log_out_planned(struct log_out *out, int64_t step)
{
    struct log_facts *facts = format_reader_facts(out->reader);
    if (facts)
        facts->planned = step;
}

uint64_t log_out_source(const struct log_out *out)
{
    return out->reader->source;
}

struct nccl_job *log_out_nccl(struct log_out *out)
{
    return log_book_nccl(out->reader->book);
}

void log_out_events(struct log_out *out, uint64_t more)
{
    struct log_facts *facts = format_reader_facts(out->reader);
    if (facts)
        facts->lines += more;
}

void log_out_note(struct log_out *out, enum log_note note)
{
    struct log_facts *facts = format_reader_facts(out->reader);
    if (facts)
        facts->notes |= 1u << note;
}

void log_out_value(struct log_out *out, struct str name, const char *unit, double value)
{
    struct log_facts *facts = format_reader_facts(out->reader);
    if (facts)
        log_facts_value(facts, name, unit, value);
}

void log_out_want_all(struct log_out *out, bool all)
{
    struct format_reader *reader = out->reader;
    uint64_t bit = UINT64_C(1) << reader->current;
    if (((reader->want_all & bit) != 0) == all)
        return;
    reader->want_all ^= bit;
    if (all) {
        reader->wanting[reader->wanting_count++] = (uint8_t)reader->current;
        return;
    }
    size_t kept = 0;
    for (size_t i = 0; i < reader->wanting_count; i++)
        if (reader->wanting[i] != reader->current)
            reader->wanting[kept++] = reader->wanting[i];
    reader->wanting_count = kept;
}

void log_out_claim(struct log_out *out)
{
    out->reader->claims |= UINT64_C(1) << out->reader->current;
}

void log_out_records_held(struct log_out *out, int more)
{
    struct log_facts *facts = format_reader_facts(out->reader);
    if (facts)
        facts->records_held += (uint64_t)(int64_t)more;
}

bool log_out_outranked(const struct log_out *out)
{
    const struct format_reader *reader = out->reader;
    return log_lead_outranks(&reader->lead, reader->current, reader->claims);
}
