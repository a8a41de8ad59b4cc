/* The way of a stream's lines to the decoders of their formats. */
#include "format_reader.h"

#include <stdlib.h>
#include <string.h>

#include "log_prefix.h"
#include "log_text.h"
#include "log_wrapped.h"
#include "memory.h"
#include "stream.h"

#define SLACK 64

struct format_reader *format_reader_new(const struct formats *formats, struct log_book *book,
                                        int64_t rank, bool says_rank)
{
    struct format_reader *reader = memory_zeroed(1, sizeof(*reader));
    reader->formats = formats;
    reader->book = book;
    reader->out.reader = reader;
    reader->rank = rank;
    reader->says_rank = says_rank;
    reader->document = -1;
    log_lead_begin(&reader->lead);
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
    log_lead_begin(&reader->lead);
    reader->beside.count = 0;
    reader->beside.together = false;
    reader->wanting_count = 0;
    reader->document = -1;
}

void format_reader_source(struct format_reader *reader, uint64_t source)
{
    reader->source = source;
}

void format_reader_free(struct format_reader *reader)
{
    if (!reader)
        return;
    drop_states(reader);
    free(reader->queue);
    free(reader->beside.records);
    free(reader->names);
    free(reader->plain);
    free(reader->unwrapped);
    line_forms_free(reader->forms);
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

struct log_facts *format_reader_find_facts(struct format_reader *reader)
{
    struct log_facts **facts = &reader->facts[reader->current];
    *facts = log_book_facts(reader->book, reader->formats->list[reader->current]);
    return *facts;
}

static void forget_damages(struct format_reader *reader)
{
    reader->damage_next = reader->damage_count = 0;
}

/* ---- lines ---- */

static void count_line(struct format_reader *reader)
{
    struct log_facts *facts = format_reader_facts(reader);
    if (facts)
        facts->lines++;
}

/* The owner of the line's form reads it by what was learned. */
static bool read_again(struct format_reader *reader)
{
    size_t index = reader->form->owner;
    const struct format *format = reader->formats->list[index];
    reader->current = index;
    if (!format->again || reader->forms->values.search_count > 0 ||
        !format->again(state_of(reader, index), &reader->line, &reader->forms->values,
                       &reader->out))
        return false;
    count_line(reader);
    return true;
}

static bool ask(struct format_reader *reader, size_t index)
{
    bool known = reader->form && reader->form->owner == index;
    if (known && read_again(reader))
        return true;
    reader->current = index;
    reader->line.recall = known ? &reader->forms->values : NULL;
    if (reader->line.form)
        log_learn_begin(reader->line.form, reader->line.text);
    if (reader->formats->list[index]->line(state_of(reader, index), &reader->line, &reader->out) !=
        LOG_TAKEN)
        return false;
    count_line(reader);
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

static struct str plain_line(struct format_reader *reader, struct str line, bool escapes)
{
    reader->colored = escapes && memchr(line.p, 0x1b, line.len) != NULL;
    if (!reader->colored)
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

static uint64_t anchored_formats(const struct format_reader *reader, struct str line)
{
    return reader->form ? reader->form->found
                        : anchors_find(reader->formats->anchors, line.p, line.len);
}

static bool leaves(const struct format_reader *reader, size_t index, const struct log_line *line)
{
    const struct format *format = reader->formats->list[index];
    return format->leaves && reader->states[index] && format->leaves(reader->states[index], line);
}

/* Those of the formats that would leave such a line again. */
static uint64_t leaving(const struct format_reader *reader, uint64_t formats,
                        const struct log_line *line)
{
    uint64_t left = 0;
    for (; formats; formats &= formats - 1) {
        size_t index = (size_t)__builtin_ctzll(formats);
        left |= leaves(reader, index, line) ? formats & -formats : 0;
    }
    return left;
}

/* The line is taken. asked: those that were before it was offered in the usual order. */
static void keep_form(struct format_reader *reader, uint64_t anchored, uint64_t asked)
{
    uint64_t bit = UINT64_C(1) << reader->current;
    struct line_form *form =
        line_forms_keep(reader->forms, reader->formats, (uint8_t)reader->current, anchored);
    if (form && form->bare && !(asked & bit))
        form->leave = leaving(reader, anchored & (bit - 1), &reader->line);
}

/* Whether the prefix says that the line goes on in the next one: "stdout P ", in the files of a
 * Kubernetes node. */
static bool goes_on(struct str prefix)
{
    return prefix.len > 0 &&
           (log_find(prefix, "stdout P ") != SIZE_MAX || log_find(prefix, "stderr P ") != SIZE_MAX);
}

/* The line's prefix; what is in front of a line whose end is elsewhere is not learned. */
static void take_prefix(struct format_reader *reader, bool cut)
{
    struct log_line *line = &reader->line;
    line->body = line->text;
    line->writer = -1;
    if (!reader->form || !reader->form->bare)
        line->body = log_prefix_strip(line->text, &line->writer);
    line->cut = cut || goes_on(log_until(line->text, (size_t)(line->body.p - line->text.p)));
    bool learns = !line->cut && !reader->form && !reader->formats->plainly;
    if (learns && !reader->forms)
        reader->forms = line_forms_new();
    line->form = learns ? line_forms_learn(reader->forms) : NULL;
}

/* The format that is asked first. */
static size_t first_asked(const struct format_reader *reader, const struct line_form *form)
{
    if (reader->want_all)
        return reader->wanting[reader->wanting_count - 1];
    uint64_t asked = form->found | reader->formats->always;
    if (form->leave)
        asked &= ~leaving(reader, form->leave, NULL);
    return (size_t)__builtin_ctzll(asked | UINT64_C(1) << form->owner);
}

/* A line of a form whose owner is asked first, and reads it again. False: reader->form is the form
 * that it has, if any, and nothing else was done. */
static bool read_known(struct format_reader *reader, struct str line, bool cut)
{
    const struct line_form *form =
        cut || !reader->forms ? NULL : line_forms_find(reader->forms, line);
    reader->form = form;
    if (!form || first_asked(reader, form) != form->owner)
        return false;
    if (!form->bare) {
        reader->line.text = line;
        take_prefix(reader, false);
    } else {
        reader->line = (struct log_line){.text = line, .body = line, .writer = -1};
    }
    if (!read_again(reader))
        return false;
    if (!form->bare)
        note_label(reader);
    return true;
}

static bool is_learned(const struct format_reader *reader)
{
    return reader->line.form && log_learn_taken(reader->line.form);
}

static bool read_line(struct format_reader *reader, struct str line, bool cut, bool escapes)
{
    bool colored = reader->colored; /* of those before: mostly this one is as well */
    if (colored)
        line = plain_line(reader, line, escapes);
    if (read_known(reader, line, cut))
        return true;
    if (!colored) {
        line = plain_line(reader, line, escapes);
        if (reader->colored && read_known(reader, line, cut))
            return true;
    }
    uint64_t asked = 0, anchored = 0, wanted = reader->formats->always | reader->want_all;
    bool wants = reader->want_all != 0; /* mostly one of those has it: anchors are not looked for */
    if (!wants)
        anchored = anchored_formats(reader, line);
    if (!(wanted | anchored))
        return false;
    reader->line.text = line;
    take_prefix(reader, cut);
    bool taken = wants && ask_wanting(reader, &asked);
    if (wants && (!taken || is_learned(reader)))
        anchored = anchored_formats(reader, line);
    if (reader->form && reader->form->leave)
        asked |= leaving(reader, reader->form->leave, NULL);
    for (uint64_t left = (wanted | anchored) & ~asked; !taken && left; left &= left - 1)
        taken = ask(reader, (size_t)__builtin_ctzll(left));
    if (taken)
        note_label(reader);
    if (taken && is_learned(reader))
        keep_form(reader, anchored, asked);
    return taken;
}

/* A line of docker's: what redraws itself in it are several. */
static bool read_wrapped(struct format_reader *reader, struct str line)
{
    bool any = false, goes_on;
    if (!reader->unwrapped)
        reader->unwrapped = memory_zeroed(1, STREAM_LINE_MAX + SLACK);
    if (!log_unwrap(line, reader->unwrapped, STREAM_LINE_MAX, &line, &goes_on))
        return read_line(reader, line, false, true);
    memset(reader->unwrapped + line.len, 0, SLACK);
    while (line.len > 0) {
        size_t end = 0;
        while (end < line.len && line.p[end] != '\r' && line.p[end] != '\n')
            end++;
        any |= end > 0 && read_line(reader, log_until(line, end), goes_on && end == line.len, true);
        line = log_from(line, end + 1);
    }
    return any;
}

bool format_reader_line(struct format_reader *reader, struct str line, bool cut, bool escapes)
{
    forget_damages(reader);
    bool wrapped = line.len > 0 && line.p[0] == '{' && !cut && log_begins(line, "{\"log\":");
    return wrapped ? read_wrapped(reader, line) : read_line(reader, line, cut, escapes);
}

void format_reader_own(struct format_reader *reader, int64_t step)
{
    log_lead_own(&reader->lead, step);
}

/* ---- documents ---- */

enum log_sniff format_reader_sniff(struct format_reader *reader, const char *bytes, size_t size,
                                   bool whole)
{
    bool more = false;
    if (size > LOG_SNIFF_MAX) { /* so that it does not matter how much was read at once */
        size = LOG_SNIFF_MAX;
        whole = false;
    }
    for (uint64_t left = reader->formats->documents; left; left &= left - 1) {
        size_t index = (size_t)__builtin_ctzll(left);
        enum log_sniff answer = reader->formats->list[index]->sniff(bytes, size, whole);
        more |= answer == LOG_SNIFF_MORE;
        if (more && !whole && size < LOG_SNIFF_MAX)
            return LOG_SNIFF_MORE; /* one that stands before others may still be it */
        if (answer != LOG_SNIFF_YES)
            continue;
        reader->document = (int)index;
        return LOG_SNIFF_YES;
    }
    return LOG_SNIFF_NO;
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
    log_out_end(&reader->out);
    drop_states(reader);
}

void format_reader_reset(struct format_reader *reader)
{
    forget_damages(reader);
    drop_states(reader);
    reader->head = reader->count = 0;
}
