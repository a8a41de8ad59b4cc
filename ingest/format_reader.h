/* The inside of the formats of one stream, shared by formats.c (the table),
 * format_reader.c (lines to their decoders) and log_out.c (what comes of them). */
#pragma once

#include "anchors.h"
#include "formats.h"
#include "log_lead.h"
#include "line_forms.h"

/* Of one line, or piece of a document, that are told apart: as many as complaints are kept. All
 * are counted. */
#define DAMAGES_MAX COMPLAINTS_MAX

/* An anchor with a digit: lines that differ in digits alone have it or not. */
struct numbered {
    struct str stem; /* up to the digit */
    struct str tail; /* behind its digits, up to the next */
    uint8_t owner;
};

#define NUMBERED_MAX 16

struct formats {
    const struct format *list[LOG_FORMATS_MAX];
    size_t count;
    struct anchors *anchors;
    struct numbered numbered[NUMBERED_MAX];
    size_t numbered_count; /* over NUMBERED_MAX: no line is learned */
    uint64_t always;       /* those that want every line */
    uint64_t lines;        /* those of lines */
    uint64_t documents;    /* those that sniff */
    bool own;
    bool plainly; /* no forms are learned */
};

struct log_out {
    struct format_reader *reader;
};

#define BESIDE_KEPT 256

/* Records that were left out since the leader (log_lead.h) had one: they are of a run of its own
 * when it has none any more. Of one format; the oldest are forgotten. */
struct beside {
    struct record *records; /* owned, a ring of BESIDE_KEPT; NULL: none yet */
    uint32_t begin, count;
    size_t format; /* index in the table */
    bool together; /* there were such between two of the leader's: one run in two formats */
};

/* The names that a record in the queue points to. */
struct queued_names {
    char host[NAME_BYTES], group[NAME_BYTES];
};

struct format_reader {
    const struct formats *formats;
    struct log_book *book;
    struct log_out out;
    uint64_t source; /* of the input's name; 0: it has none */
    int64_t rank;    /* that the name of the input says; -1: none */
    bool says_rank;  /* by a word: the only digits of a trace's name may be a process */
    bool ranked;     /* a record of a single rank came */
    void *states[LOG_FORMATS_MAX]; /* owned; NULL: not begun */
    struct log_facts *facts[LOG_FORMATS_MAX];
    uint64_t claims; /* those with records in this stream */
    struct log_lead lead;
    struct beside beside;
    uint64_t want_all;
    uint8_t wanting[LOG_FORMATS_MAX]; /* in the order in which they began */
    size_t wanting_count;
    size_t current;       /* the format that is asked */
    int document;         /* index of the one that reads it; -1 */
    struct log_line line; /* that is read */
    struct record *queue; /* records that wait to be taken; owned */
    uint32_t head, count, capacity;
    struct queued_names *names; /* by place in the queue; NULL until one has any; owned */
    uint32_t names_capacity;
    const char *damages[DAMAGES_MAX];
    size_t damage_next, damage_count;
    bool colored;                 /* the line that was looked at last held escapes */
    char *plain;                  /* room for a line without escapes; owned */
    char *unwrapped;              /* room for a line that was in JSON; owned */
    struct line_forms *forms;     /* that were learned; owned; NULL: nothing was, yet */
    const struct line_form *form; /* that the line has; NULL: none of these */
};

/* The input has ended: what was left out may be a run of its own. */
void log_out_end(struct log_out *out);

#define QUEUE_KEPT 4096 /* records there stays room for */

/* What the queue took for a large block is given back. It is empty. */
void format_reader_shrink(struct format_reader *reader);

/* Whether a record waits to be taken. When none does, what was taken last is forgotten. */
static inline bool format_reader_waits(struct format_reader *reader)
{
    if (reader->head < reader->count)
        return true;
    if (reader->capacity > QUEUE_KEPT)
        format_reader_shrink(reader);
    reader->head = reader->count = 0;
    return false;
}

/* Looks them up in the book. */
struct log_facts *format_reader_find_facts(struct format_reader *reader);

/* Of the format that is asked; NULL: no room in the book. */
static inline struct log_facts *format_reader_facts(struct format_reader *reader)
{
    struct log_facts *facts = reader->facts[reader->current];
    return facts ? facts : format_reader_find_facts(reader);
}
