/* The table of formats, and the way of a stream's lines to them. */
#include "formats.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "anchors.h"
#include "log_prefix.h"
#include "memory.h"
#include "prefix.h"
#include "stream.h"

#define SLACK 64
#define DAMAGES_MAX 8   /* of one line that are told apart; more are told as the last one */
#define QUEUE_KEPT 4096 /* records there stays room for */

#define FORMAT(id) extern const struct format format_##id;
#include "formats.def"
#undef FORMAT

static const struct format *const built_in[] = {
#define FORMAT(id) &format_##id,
#include "formats.def"
#undef FORMAT
};

struct formats {
    const struct format *list[LOG_FORMATS_MAX];
    size_t count;
    struct anchors *anchors;
    uint64_t always;    /* those that want every line */
    uint64_t lines;     /* those of lines */
    uint64_t documents; /* those that sniff */
    bool own;
};

/* ---- the table ---- */

static void make_anchors(struct formats *formats)
{
    anchors_free(formats->anchors);
    formats->anchors = anchors_new();
    formats->always = formats->lines = formats->documents = 0;
    for (size_t i = 0; i < formats->count; i++) {
        const struct format *format = formats->list[i];
        uint64_t bit = UINT64_C(1) << i;
        formats->lines |= format->line ? bit : 0;
        formats->documents |= format->sniff ? bit : 0;
        if (!format->line)
            continue;
        bool all = !format->anchors || !format->anchors[0];
        for (size_t k = 0; !all && format->anchors[k]; k++)
            all |= !anchors_add(formats->anchors, format->anchors[k], (unsigned)i);
        formats->always |= all ? bit : 0;
    }
}

struct formats *formats_new(void)
{
    struct formats *formats = memory_zeroed(1, sizeof(*formats));
    formats->count = sizeof(built_in) / sizeof(built_in[0]);
    memcpy(formats->list, built_in, sizeof(built_in));
    formats->own = true;
    make_anchors(formats);
    return formats;
}

void formats_free(struct formats *formats)
{
    if (!formats)
        return;
    anchors_free(formats->anchors);
    free(formats);
}

int formats_choose(struct formats *formats, const char *name)
{
    bool own = strcmp(name, "lockstep") == 0;
    size_t kept = 0;
    for (size_t i = 0; i < formats->count; i++)
        if (strcmp(formats->list[i]->name, name) == 0)
            formats->list[kept++] = formats->list[i];
    if (kept == 0 && !own)
        return -1;
    formats->count = kept;
    formats->own = own;
    make_anchors(formats);
    return 0;
}

bool formats_add(struct formats *formats, const struct format *format)
{
    if (formats->count == LOG_FORMATS_MAX)
        return false;
    memmove(formats->list + 1, formats->list, formats->count * sizeof(formats->list[0]));
    formats->list[0] = format;
    formats->count++;
    make_anchors(formats);
    return true;
}

bool formats_append(struct formats *formats, const struct format *format)
{
    if (formats->count == LOG_FORMATS_MAX)
        return false;
    formats->list[formats->count++] = format;
    make_anchors(formats);
    return true;
}

size_t formats_count(const struct formats *formats)
{
    return formats->count;
}

const struct format *formats_at(const struct formats *formats, size_t index)
{
    return formats->list[index];
}

bool formats_own(const struct formats *formats)
{
    return formats->own;
}

/* ---- one stream ---- */

/* A record that waits to be taken, with the names that it points to. */
struct queued {
    struct record record;
    char host[NAME_BYTES], group[NAME_BYTES];
};

struct log_out {
    struct format_reader *reader;
};

struct format_reader {
    const struct formats *formats;
    struct log_book *book;
    struct log_out out;
    void *states[LOG_FORMATS_MAX]; /* owned; NULL: not begun */
    struct log_facts *facts[LOG_FORMATS_MAX];
    uint64_t claims; /* those with records in this stream */
    uint64_t want_all;
    uint8_t wanting[LOG_FORMATS_MAX]; /* in the order in which they began */
    size_t wanting_count;
    size_t current;       /* the format that is asked */
    int document;         /* index of the one that reads it; -1 */
    struct log_line line; /* that is read */
    struct queued *queue; /* owned */
    uint32_t head, count, capacity;
    const char *damages[DAMAGES_MAX];
    size_t damage_next, damage_count;
    char *plain; /* room for a line without escapes; owned */
};

struct format_reader *format_reader_new(const struct formats *formats, struct log_book *book)
{
    struct format_reader *reader = memory_zeroed(1, sizeof(*reader));
    reader->formats = formats;
    reader->book = book;
    reader->out.reader = reader;
    reader->document = -1;
    return reader;
}

static void drop_states(struct format_reader *reader)
{
    for (size_t i = 0; i < reader->formats->count; i++) {
        if (reader->states[i] && reader->formats->list[i]->done)
            reader->formats->list[i]->done(reader->states[i]);
        free(reader->states[i]);
        reader->states[i] = NULL;
    }
    reader->claims = reader->want_all = 0;
    reader->wanting_count = 0;
    reader->document = -1;
}

void format_reader_free(struct format_reader *reader)
{
    if (!reader)
        return;
    drop_states(reader);
    free(reader->queue);
    free(reader->plain);
    free(reader);
}

static void *state_of(struct format_reader *reader, size_t index)
{
    const struct format *format = reader->formats->list[index];
    if (reader->states[index])
        return reader->states[index];
    reader->states[index] = memory_zeroed(1, format->state_bytes ? format->state_bytes : 1);
    if (format->begin)
        format->begin(reader->states[index], format);
    return reader->states[index];
}

static struct log_facts *facts_of(struct format_reader *reader)
{
    struct log_facts **facts = &reader->facts[reader->current];
    if (!*facts)
        *facts = log_book_facts(reader->book, reader->formats->list[reader->current]);
    return *facts;
}

static void forget_damages(struct format_reader *reader)
{
    reader->damage_next = reader->damage_count = 0;
}

/* ---- lines ---- */

static bool ask(struct format_reader *reader, size_t index)
{
    reader->current = index;
    enum log_answer answer =
        reader->formats->list[index]->line(state_of(reader, index), &reader->line, &reader->out);
    if (answer != LOG_TAKEN)
        return false;
    struct log_facts *facts = facts_of(reader);
    if (facts)
        facts->lines++;
    return true;
}

/* Those in whose middle of a block the line stands; the latest first. */
static bool ask_wanting(struct format_reader *reader, uint64_t *asked)
{
    uint8_t wanting[LOG_FORMATS_MAX]; /* they may leave the list while they are asked */
    size_t count = reader->wanting_count;
    memcpy(wanting, reader->wanting, count);
    while (count-- > 0) {
        *asked |= UINT64_C(1) << wanting[count];
        if (ask(reader, wanting[count]))
            return true;
    }
    return false;
}

static struct str plain_line(struct format_reader *reader, struct str line)
{
    if (!memchr(line.p, 0x1b, line.len))
        return line;
    reader->book->lines_colored++;
    if (!reader->plain)
        reader->plain = memory_zeroed(1, STREAM_LINE_MAX + SLACK);
    if (line.len > STREAM_LINE_MAX)
        line.len = STREAM_LINE_MAX;
    struct str plain = log_without_escapes(line, reader->plain);
    memset(reader->plain + plain.len, 0, SLACK);
    return plain;
}

static void note_label(struct format_reader *reader)
{
    const struct log_line *line = &reader->line;
    size_t length = (size_t)(line->body.p - line->text.p);
    if (length == 0)
        return;
    struct log_book *book = reader->book;
    book->lines_labelled++;
    if (book->label[0] == '\0')
        str_copy(book->label, sizeof(book->label), str_of(line->text.p, length));
}

bool format_reader_line(struct format_reader *reader, struct str line, bool cut)
{
    forget_damages(reader);
    line = plain_line(reader, line);
    uint64_t found = anchors_find(reader->formats->anchors, line.p, line.len) |
                     reader->formats->always | reader->want_all;
    if (!found)
        return false;
    reader->line.text = line;
    reader->line.cut = cut;
    reader->line.body = log_prefix_strip(line, &reader->line.writer);
    uint64_t asked = 0;
    bool taken = reader->want_all && ask_wanting(reader, &asked);
    for (found &= ~asked; !taken && found; found &= found - 1)
        taken = ask(reader, (size_t)__builtin_ctzll(found));
    if (taken)
        note_label(reader);
    return taken;
}

/* ---- documents ---- */

enum log_sniff format_reader_sniff(struct format_reader *reader, const char *bytes, size_t size,
                                   bool whole)
{
    bool more = false;
    for (uint64_t left = reader->formats->documents; left; left &= left - 1) {
        size_t index = (size_t)__builtin_ctzll(left);
        enum log_sniff answer = reader->formats->list[index]->sniff(bytes, size, whole);
        more |= answer == LOG_SNIFF_MORE;
        if (answer != LOG_SNIFF_YES)
            continue;
        reader->document = (int)index;
        return LOG_SNIFF_YES;
    }
    return more && !whole && size < LOG_SNIFF_MAX ? LOG_SNIFF_MORE : LOG_SNIFF_NO;
}

void format_reader_bytes(struct format_reader *reader, const char *bytes, size_t size)
{
    forget_damages(reader);
    reader->current = (size_t)reader->document;
    reader->line =
        (struct log_line){.text = str_of(bytes, 0), .body = str_of(bytes, 0), .writer = -1};
    void *state = state_of(reader, reader->current);
    reader->formats->list[reader->current]->bytes(state, bytes, size, &reader->out);
}

/* ---- the end ---- */

void format_reader_end(struct format_reader *reader)
{
    forget_damages(reader);
    reader->line = (struct log_line){.text = str_of("", 0), .body = str_of("", 0), .writer = -1};
    for (size_t i = 0; i < reader->formats->count; i++) {
        if (!reader->states[i] || !reader->formats->list[i]->end)
            continue;
        reader->current = i;
        reader->formats->list[i]->end(reader->states[i], &reader->out);
    }
    drop_states(reader);
}

void format_reader_reset(struct format_reader *reader)
{
    forget_damages(reader);
    drop_states(reader);
    reader->head = reader->count = 0;
}

/* ---- what comes of it ---- */

bool format_reader_next(struct format_reader *reader, struct record *record)
{
    if (reader->head == reader->count) {
        reader->head = reader->count = 0;
        if (reader->capacity > QUEUE_KEPT) {
            free(reader->queue);
            reader->queue = NULL;
            reader->capacity = 0;
        }
        return false;
    }
    struct queued *next = &reader->queue[reader->head++];
    *record = next->record;
    if (record->has & RECORD_HOST)
        record->host = str_from(next->host);
    if (record->has & RECORD_GROUP)
        record->group = str_from(next->group);
    return true;
}

const char *format_reader_damage(struct format_reader *reader)
{
    return reader->damage_next < reader->damage_count ? reader->damages[reader->damage_next++]
                                                      : NULL;
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
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        if ((has & (1u << phase)) && !within(record->phase_ns[phase], 0, RECORD_DURATION_MAX_NS))
            return "a time is out of range";
    if (((has & RECORD_COMPUTE) && !within(record->compute_ns, 0, RECORD_DURATION_MAX_NS)) ||
        ((has & RECORD_STEP_TIME) && !within(record->step_time_ns, 0, RECORD_DURATION_MAX_NS)))
        return "a time is out of range";
    if ((has & RECORD_BEGIN) && !within(record->begin_ns, 0, RECORD_BEGIN_MAX_NS))
        return "a time stamp is out of range";
    if (((has & RECORD_TOKENS) && !within(record->tokens, 0, RECORD_TOKENS_MAX)) ||
        ((has & RECORD_SPAN) && !within(record->span, 1, RECORD_SPAN_MAX)) ||
        ((has & RECORD_FLOPS) && !within(record->flops, 0, RECORD_FLOPS_MAX)) ||
        ((has & RECORD_MFU) && !within(record->mfu, 0, RECORD_MFU_MAX)) ||
        ((has & RECORD_GPUS) && !within(record->gpus, 1, RECORD_RANK_MAX)))
        return "a count or a rate is out of range";
    return NULL;
}

/* The global rank in the prefix of the line, or 0 of a document that names none. */
static void find_rank(const struct format_reader *reader, struct record *record)
{
    const struct log_line *line = &reader->line;
    struct str prefix = str_of(line->text.p, (size_t)(line->body.p - line->text.p));
    if (prefix.len > 0 && prefix_rank(prefix, &record->rank))
        record->has |= RECORD_RANK;
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
    if (reader->count == reader->capacity)
        reader->queue = memory_grown(reader->queue, &reader->capacity, sizeof(*reader->queue));
    struct queued *next = &reader->queue[reader->count++];
    next->record = *record;
    if (record->has & RECORD_HOST)
        str_copy(next->host, sizeof(next->host), record->host);
    if (record->has & RECORD_GROUP)
        str_copy(next->group, sizeof(next->group), record->group);
    if (record->has & RECORD_JOB) {
        next->record.rank = 0;
        next->record.has |= RECORD_RANK;
    } else if (!(record->has & RECORD_RANK)) {
        find_rank(reader, &next->record);
    }
    struct log_facts *facts = facts_of(reader);
    if (!facts)
        return;
    facts->records++;
    facts->job_records += (record->has & RECORD_JOB) != 0;
}

void log_out_damaged(struct log_out *out, const char *why)
{
    struct format_reader *reader = out->reader;
    struct log_facts *facts = facts_of(reader);
    if (facts)
        facts->damaged++;
    if (reader->damage_count < DAMAGES_MAX)
        reader->damages[reader->damage_count++] = why;
}

void log_out_count(struct log_out *out, enum log_count count, const char *what, ...)
{
    struct log_facts *facts = facts_of(out->reader);
    if (!facts)
        return;
    if (facts->counts[count]++ > 0 || !what)
        return;
    va_list values;
    va_start(values, what);
    vsnprintf(facts->examples[count], sizeof(facts->examples[count]), what, values);
    va_end(values);
}

void log_out_note(struct log_out *out, enum log_note note)
{
    struct log_facts *facts = facts_of(out->reader);
    if (facts)
        facts->notes |= 1u << note;
}

void log_out_value(struct log_out *out, struct str name, const char *unit, double value)
{
    struct log_facts *facts = facts_of(out->reader);
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

bool log_out_wants_all(const struct log_out *out)
{
    return out->reader->want_all & UINT64_C(1) << out->reader->current;
}

void log_out_claim(struct log_out *out)
{
    out->reader->claims |= UINT64_C(1) << out->reader->current;
}

bool log_out_outranked(const struct log_out *out)
{
    uint64_t before = (UINT64_C(1) << out->reader->current) - 1;
    return (out->reader->claims & before) != 0;
}
