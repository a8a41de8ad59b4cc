/* What is known of logs in other formats. */
#include "log_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log_format.h"
#include "memory.h"
#include "nccl_job.h"

const char *log_count_sentence(enum log_count count)
{
    static const char *const sentences[LOG_COUNTS] = {
        [LOG_DOUBLED] = "the same value for the same step again",
        [LOG_NOT_NUMBER] = "no number where one should be (nan, N/A)",
        [LOG_IMPOSSIBLE] = "impossible values",
        [LOG_DISAGREE] = "value and time stamps say different things",
        [LOG_EVALUATION] = "evaluations, validations, checkpoints: no steps",
        [LOG_WITHOUT_PAIR] = "parts whose other parts are missing",
        [LOG_LEFT_OUT] = "whole, but not followed",
        [LOG_UNRECORDED] =
            "never recorded, on any rank: smaller than the log's least size, or lost "
            "before they were written",
        [LOG_NOBODYS] = "of processes whose rank in the job is not known, and left out: no "
                        "communicator of all ranks is in these files. "
                        "NCCL_INSPECTOR_DUMP_MIN_SIZE_BYTES=0, or one collective of all ranks, "
                        "would tell",
        [LOG_BESIDE] = "left out: something else in this log gives these steps",
        [LOG_UNMAPPED] = "keys of the map that have no value",
    };
    return sentences[count];
}

const char *log_note_sentence(enum log_note note)
{
    static const char *const sentences[LOG_NOTES] = {
        [LOG_NOTE_MEAN] = "means over several steps",
        [LOG_NOTE_SMOOTHED] = "running means, which hide single slow steps",
        [LOG_NOTE_CUMULATIVE] = "differences of a clock that runs on",
        [LOG_NOTE_SECONDS] = "differences of a clock of whole seconds",
        [LOG_NOTE_STAMPS] = "differences of time stamps",
        [LOG_NOTE_RATE] = "worked out from a rate",
        [LOG_NOTE_BLOCKS] = "a step here is a block: how many steps it holds is not said",
        [LOG_NOTE_COLLECTIVES] = "a step here is one collective of a communicator",
        [LOG_NOTE_EPOCHS] = "a step here is an epoch",
        [LOG_NOTE_NO_ZONE] = "time stamps have no zone and are taken for UTC",
        [LOG_NOTE_WRITER] = "the rank in front wrote the line; it is about the whole job",
        [LOG_NOTE_ONE_RANK] = "phases are as one rank saw them",
        [LOG_NOTE_COUNTED] = "steps are counted here: the log does not number them",
        [LOG_NOTE_RANGE] = "only the least and the most over ranks are logged",
        [LOG_NOTE_AT_END] = "its rows stand in any order: its steps come when the input has ended",
        [LOG_NOTE_GROUP_RANK] =
            "a step is one collective, ranks are its communicator's, perhaps a part of the job's; "
            "waits for ranks that are not in these logs are unknown",
    };
    return sentences[note];
}

void log_book_done(struct log_book *book)
{
    log_names_done(&book->names);
    for (size_t i = 0; i < book->count; i++) {
        for (size_t k = 0; k < book->facts[i].value_count; k++)
            quantile_done(&book->facts[i].values[k].quantile);
        free(book->facts[i].values);
    }
    free(book->facts);
    if (!book->nccl_borrowed)
        nccl_job_free(book->nccl);
    *book = (struct log_book){0};
}

struct nccl_job *log_book_nccl(struct log_book *book)
{
    if (!book->nccl)
        book->nccl = nccl_job_new();
    return book->nccl;
}

struct log_facts *log_book_facts(struct log_book *book, const struct format *format)
{
    for (size_t i = 0; i < book->count; i++)
        if (book->facts[i].format == format)
            return &book->facts[i];
    if (book->count == LOG_FORMATS_MAX)
        return NULL;
    if (!book->facts)
        book->facts = memory_zeroed(LOG_FORMATS_MAX, sizeof(*book->facts));
    struct log_facts *facts = &book->facts[book->count++];
    facts->format = format;
    return facts;
}

/* Whether it has this name, as it stands in the log, and this unit. */
static bool is_value(const struct log_value *value, struct str name, const char *unit)
{
    return value->name_length == name.len && name.len > 0 &&
           memcmp(value->name, name.p, name.len) == 0 &&
           (value->unit == unit || strcmp(value->unit, unit) == 0);
}

static struct log_value *value_of(struct log_facts *facts, struct str name, const char *unit)
{
    for (size_t i = 0, at = facts->value_next; i < facts->value_count; i++, at++) {
        at = at < facts->value_count ? at : 0;
        if (is_value(&facts->values[at], name, unit)) {
            facts->value_next = at + 1;
            return &facts->values[at];
        }
    }
    char text[LOG_VALUE_NAME_BYTES];
    str_copy(text, sizeof(text), name);
    for (size_t i = 0; i < facts->value_count; i++)
        if (strcmp(facts->values[i].name, text) == 0 && strcmp(facts->values[i].unit, unit) == 0)
            return &facts->values[i];
    if (facts->value_count == LOG_VALUES_MAX)
        return NULL;
    if (!facts->values)
        facts->values = memory_zeroed(LOG_VALUES_MAX, sizeof(*facts->values));
    struct log_value *value = &facts->values[facts->value_count++];
    memcpy(value->name, text, sizeof(text));
    value->name_length = strlen(text) == name.len ? name.len : 0;
    value->unit = unit;
    return value;
}

void log_facts_value(struct log_facts *facts, struct str name, const char *unit, double value)
{
    struct log_value *to = value_of(facts, name, unit);
    if (!to || !(value >= 0)) {
        facts->values_left_out++;
        return;
    }
    if (to->count == 0 || value < to->least)
        to->least = value;
    if (to->count == 0 || value > to->most)
        to->most = value;
    to->count++;
    to->sum += value;
    quantile_add(&to->quantile, value);
}

/* ---- for the summary ---- */

/* What its values are, where they are not the measured time of one step. */
static const char *values_sentence(const struct log_facts *facts)
{
    static const enum log_note told[] = {
        LOG_NOTE_GROUP_RANK, LOG_NOTE_BLOCKS,    LOG_NOTE_COLLECTIVES, LOG_NOTE_EPOCHS,
        LOG_NOTE_SMOOTHED,   LOG_NOTE_RATE,      LOG_NOTE_STAMPS,      LOG_NOTE_SECONDS,
        LOG_NOTE_MEAN,       LOG_NOTE_CUMULATIVE};
    for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
        if (facts->notes & (1u << told[i]))
            return log_note_sentence(told[i]);
    return NULL;
}

/* The one with the most records that is not in the list yet, but has some. */
static const struct log_facts *next_most(const struct log_book *book, const bool *taken)
{
    const struct log_facts *most = NULL;
    for (size_t i = 0; i < book->count; i++) {
        const struct log_facts *facts = &book->facts[i];
        if (!taken[i] && facts->records > 0 && (!most || facts->records > most->records))
            most = facts;
    }
    return most;
}

/* What is there and gives no records. */
static void tell_not_shown(const struct log_facts *facts, struct summary *summary)
{
    uint64_t nobodys = facts->counts[LOG_NOBODYS];
    if (nobodys > 0)
        snprintf(summary->not_shown, sizeof(summary->not_shown),
                 "%llu records of %s are left out, whose rank in the job is not known: no "
                 "communicator of all ranks is in the files; "
                 "NCCL_INSPECTOR_DUMP_MIN_SIZE_BYTES=0 may help",
                 (unsigned long long)nobodys, facts->format->title);
    else if (facts->records == 0 && facts->held > 0)
        snprintf(summary->not_shown, sizeof(summary->not_shown),
                 "%s, %lld operations so far: they are held back until it shows which communicator "
                 "is that of all ranks, up to 1,100 of each process; lockstep report reads what is "
                 "there",
                 facts->format->title, (long long)facts->held);
    else if (facts->records == 0 && facts->lines > 0 && (facts->notes & 1u << LOG_NOTE_AT_END))
        snprintf(summary->not_shown, sizeof(summary->not_shown),
                 "%s, %llu rows so far: they stand in any order, so its steps come when the input "
                 "has ended; lockstep report reads what is there",
                 facts->format->title, (unsigned long long)facts->lines);
}

/* What a map names that is not in its log: it may be wrong. Of several maps, as many as fit. */
static void tell_unmapped(const struct log_facts *facts, struct summary *summary)
{
    size_t used = strlen(summary->unmapped), room = sizeof(summary->unmapped) - used;
    if (facts->counts[LOG_UNMAPPED] > 0 && strlen(facts->examples[LOG_UNMAPPED]) + 3 < room)
        snprintf(summary->unmapped + used, room, "%s%s", used > 0 ? "; " : "",
                 facts->examples[LOG_UNMAPPED]);
}

/* No record has come yet, but lines of this format have. */
static void tell_begun(const struct log_facts *facts, struct summary *summary)
{
    if (facts->records_held > 0)
        snprintf(summary->not_shown, sizeof(summary->not_shown),
                 "%s, %llu steps so far, held back: their numbers, and whether another format "
                 "gives them too, are sure after 16",
                 facts->format->title, (unsigned long long)facts->records_held);
    else if (facts->lines > 0 && !summary->not_shown[0])
        snprintf(summary->not_shown, sizeof(summary->not_shown),
                 "%s, %llu of its lines so far, none of them with the time of a step%s%s",
                 facts->format->title, (unsigned long long)facts->lines,
                 facts->examples[LOG_UNMAPPED][0] ? ": " : "", facts->examples[LOG_UNMAPPED]);
}

void log_book_summary(const struct log_book *book, struct summary *summary)
{
    bool taken[LOG_FORMATS_MAX] = {false};
    summary->log_count = 0;
    summary->planned_step = 0;
    while (summary->log_count < SUMMARY_LOGS_MAX) {
        const struct log_facts *facts = next_most(book, taken);
        if (!facts)
            break;
        taken[facts - book->facts] = true;
        if (summary->log_count == 0) /* the steps are this one's */
            summary->planned_step = facts->planned;
        const struct format *format = facts->format;
        bool whole = facts->job_records < facts->records; /* it holds single ranks after all */
        summary->logs[summary->log_count++] = (struct summary_log){
            .format = format->title,
            .lacks = whole ? NULL : format->lacks,
            .how = {whole ? NULL : format->how[0], whole ? NULL : format->how[1]},
            .values = values_sentence(facts),
        };
    }
    struct source_counts *source = &summary->source;
    summary->world_ranks = 0;
    summary->zone_unknown = false;
    summary->not_shown[0] = summary->unmapped[0] = '\0';
    for (size_t i = 0; i < book->count && summary->log_count == 0; i++)
        tell_begun(&book->facts[i], summary);
    for (size_t i = 0; i < book->count; i++) {
        const uint64_t *counts = book->facts[i].counts;
        tell_not_shown(&book->facts[i], summary);
        tell_unmapped(&book->facts[i], summary);
        if (book->facts[i].records > 0 && (book->facts[i].notes & 1u << LOG_NOTE_NO_ZONE))
            summary->zone_unknown = true;
        if (book->facts[i].world > summary->world_ranks)
            summary->world_ranks = book->facts[i].world;
        source->duplicate += counts[LOG_DOUBLED];
        source->not_numbers += counts[LOG_NOT_NUMBER];
        source->impossible += counts[LOG_IMPOSSIBLE];
        source->disagree += counts[LOG_DISAGREE];
        source->beside += counts[LOG_BESIDE];
    }
}
