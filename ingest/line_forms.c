/* The forms that were learned last, and which one a line has. */
#include "line_forms.h"

#include <stdlib.h>
#include <string.h>

#include "format_reader.h"
#include "log_prefix.h"
#include "log_text.h"
#include "memory.h"
#include "number.h"

#define IN_VAIN_MAX 64    /* so many forms in a row that did not come back: */
#define IN_VAIN_EVERY 256 /* only one line of so many is learned from then on */

struct line_forms *line_forms_new(void)
{
    return memory_zeroed(1, sizeof(struct line_forms));
}

void line_forms_free(struct line_forms *forms)
{
    if (!forms)
        return;
    for (size_t i = 0; i < forms->count; i++)
        log_learn_free(forms->list[i].form);
    log_learn_free(forms->learning);
    free(forms);
}

static bool matches(struct line_forms *forms, size_t at, uint64_t begins, struct str line)
{
    const struct line_form *form = &forms->list[at];
    return ((begins ^ form->begins) & form->mask) == 0 &&
           log_learn_match(form->form, line, &forms->values);
}

const struct line_form *line_forms_find(struct line_forms *forms, struct str line)
{
    if (forms->count == 0)
        return NULL;
    uint64_t begins = number_load8(line.p);
    size_t expected = forms->list[forms->last].next, found = expected;
    if (!matches(forms, expected, begins, line)) {
        for (found = 0; found < forms->count; found++)
            if (found != expected && matches(forms, found, begins, line))
                break;
        if (found == forms->count)
            return NULL;
        forms->list[forms->last].next = (uint8_t)found;
    }
    forms->last = found;
    forms->in_vain = 0;
    return &forms->list[found];
}

struct log_learned *line_forms_learn(struct line_forms *forms)
{
    if (forms->in_vain > IN_VAIN_MAX && ++forms->in_vain % IN_VAIN_EVERY != 0)
        return NULL;
    if (!forms->learning)
        forms->learning = log_learn_new();
    return forms->learning;
}

/* Whether the anchor could be in the line if its digits were others. */
static bool could_be_in(const struct numbered *anchor, struct str line)
{
    struct str stem = anchor->stem, tail = anchor->tail;
    for (size_t at = 0; (at = log_find_bytes(line, at, stem.p, stem.len)) != SIZE_MAX; at++) {
        size_t digits = at + stem.len, end = digits;
        while (end < line.len && log_is_digit(line.p[end]))
            end++;
        if (end > digits && line.len - end >= tail.len &&
            memcmp(line.p + end, tail.p, tail.len) == 0)
            return true;
    }
    return false;
}

/* Whether an anchor of the format is in the line whatever its digits. */
static bool surely_asked(const struct format *format, struct str line)
{
    for (size_t i = 0; format->anchors && format->anchors[i]; i++) {
        const char *anchor = format->anchors[i];
        if (anchor[strcspn(anchor, "0123456789")] == '\0' && log_find(line, anchor) != SIZE_MAX)
            return true;
    }
    return false;
}

/* Whether the digits of a line of this form tell which formats are asked. */
static bool depends_on_digits(const struct formats *formats, struct str line, uint8_t owner)
{
    if (formats->numbered_count > NUMBERED_MAX)
        return true;
    for (size_t i = 0; i < formats->numbered_count; i++) {
        const struct numbered *numbered = &formats->numbered[i];
        const struct format *format = formats->list[numbered->owner];
        bool strict = numbered->owner == owner && format->strict;
        if (!strict && could_be_in(numbered, line) && !surely_asked(format, line))
            return true;
    }
    return false;
}

static void note_begin(struct line_form *to, struct str line)
{
    size_t length = 0;
    while (length < line.len && length < 8 && !log_is_digit(line.p[length]))
        length++;
    to->begins = number_load8(line.p);
    to->mask = length == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * length) - 1;
}

struct line_form *line_forms_keep(struct line_forms *forms, const struct formats *formats,
                                  uint8_t owner, uint64_t found)
{
    struct log_learned *form = forms->learning;
    if (!form || !log_learn_taken(form) || depends_on_digits(formats, log_learn_line(form), owner))
        return NULL;
    size_t at = forms->count < LINE_FORMS ? forms->count++ : forms->oldest;
    forms->oldest = (at + 1) % LINE_FORMS;
    struct line_form *to = &forms->list[at];
    forms->learning = to->form; /* its room is for the next one */
    *to = (struct line_form){.form = form, .found = found, .owner = owner, .next = (uint8_t)at};
    to->bare = log_prefix_never(log_learn_line(form));
    note_begin(to, log_learn_line(form));
    if (forms->last < forms->count)
        forms->list[forms->last].next = (uint8_t)at;
    forms->last = at;
    forms->in_vain++;
    return to;
}
