/* Lines of text that a pattern describes: texts, {fields} and {} for anything; found
 * anywhere in the line, several times if need be. */
#include <stdio.h>
#include <string.h>

#include "decode_pattern_read.h"
#include "log_text.h"
#include "number.h"
#include "user_format_inside.h"

/* ---- matching ---- */

/* The same where there are not just the same bytes. */
static size_t text_length_slowly(struct str text, struct str s, bool *ret_short)
{
    size_t at = 0;
    for (size_t i = 0; i < text.len;) {
        if (log_is_blank(text.p[i])) {
            size_t blanks = pattern_blanks(log_from(s, at));
            i += pattern_blanks(log_from(text, i));
            *ret_short |= at == s.len;
            if (blanks == 0 && (at < s.len || i < text.len))
                return SIZE_MAX;
            at += blanks;
            continue;
        }
        if (at == s.len)
            *ret_short = true;
        if (at == s.len || s.p[at] != text.p[i])
            return SIZE_MAX;
        at++;
        i++;
    }
    return at;
}

/* The text at the front of s, where blanks match any blanks: its length there, SIZE_MAX: it is not
 * there. *ret_short: s ended within it. */
static inline size_t text_length(struct str text, struct str s, bool *ret_short)
{
    size_t length = text.len;
    if (length == 0 || length >= s.len || !number_same_bytes(text.p, s.p, length) ||
        (log_is_blank(text.p[length - 1]) && log_is_blank(s.p[length])))
        return text_length_slowly(text, s, ret_short);
    return length;
}

static size_t find_blanks(struct str s, size_t *ret_length)
{
    for (size_t at = 0; at < s.len; at++)
        if (log_is_blank(s.p[at])) {
            *ret_length = pattern_blanks(log_from(s, at));
            return at;
        }
    return SIZE_MAX;
}

/* Where the text is next in s, and how long; SIZE_MAX. */
static size_t find_text(const struct element *element, struct str s, size_t *ret_length)
{
    size_t front = element->front;
    bool cut = false;
    if (element->word == 0) /* blanks alone */
        return find_blanks(s, ret_length);
    struct str rest = log_from(element->key, front);
    for (size_t at = front > 0;; at++) {
        at = log_find_bytes(s, at, rest.p, element->word);
        if (at == SIZE_MAX)
            return SIZE_MAX;
        if (front > 0 && !log_is_blank(s.p[at - 1]))
            continue;
        size_t length = text_length(rest, log_from(s, at), &cut), begin = at;
        if (length == SIZE_MAX)
            continue;
        while (front > 0 && begin > 0 && log_is_blank(s.p[begin - 1]))
            begin--;
        *ret_length = length + (at - begin);
        return begin;
    }
}

/* Where an element's text was found that was looked for from a place on. */
struct found {
    uint64_t line; /* number of the line */
    const char *from, *at;
    bool none; /* it was nowhere */
};

struct pattern_state {
    const struct user_format *user;
    bool unit_seen; /* the log writes the unit of the pattern's last number */
    uint64_t line;
    struct found found[USER_ELEMENTS_MAX];
};

struct match {
    struct pattern_state *pattern;
    bool unit_seen;
    struct str rest; /* not matched yet */
    size_t done;     /* elements */
    bool cut;        /* the line ended within it */
    bool nowhere;    /* a text of it does not come any more: it matches at no later place either */
    struct user_record record;
    struct log_learned *form; /* NULL: the line is not learned */
    unsigned learned;         /* values */
};

/* Where the element's text is next in the rest: of many places at which the pattern might begin, it
 * is looked for once. SIZE_MAX: nowhere. */
static size_t find_next(const struct user_format *user, size_t at, struct match *match)
{
    struct found *found = &match->pattern->found[at];
    struct str rest = match->rest;
    bool known = found->line == match->pattern->line && rest.p >= found->from &&
                 (found->none || rest.p <= found->at);
    if (!known) {
        size_t length, place = find_text(&user->elements[at], rest, &length);
        *found = (struct found){.line = match->pattern->line,
                                .from = rest.p,
                                .at = log_from(rest, place).p,
                                .none = place == SIZE_MAX};
    }
    return found->none ? SIZE_MAX : (size_t)(found->at - rest.p);
}

/* {name} or {}: up to the text behind it, or the end. */
static bool match_anything(const struct user_format *user, size_t at, struct match *match)
{
    const struct element *element = &user->elements[at];
    size_t length = match->rest.len, next = at + 1;
    if (next < user->count) {
        length = find_next(user, next, match);
        if (length == SIZE_MAX) {
            match->cut = match->nowhere = true;
            return false;
        }
    } else if (element->field.kind == USER_NAME) {
        for (length = 0; length < match->rest.len && !log_is_blank(match->rest.p[length]);)
            length++;
    }
    if (element->field.kind == USER_NAME)
        log_learn_text(match->form, match->learned++, log_until(match->rest, length), (uint32_t)at);
    user_field_put(&element->field, log_until(match->rest, length), &match->record);
    match->rest = log_from(match->rest, length);
    return true;
}

/* The value at the front of s with its unit, unless the pattern's own text stands where that would
 * be. */
static inline void read_value(const struct user_format *user, size_t at, struct str s,
                              struct user_value *value)
{
    bool cut = false;
    user_field_read(&user->elements[at].field, s, value);
    if (value->unit == 0 || at + 1 == user->count || !user->elements[at + 1].text)
        return;
    struct str text = user->elements[at + 1].key;
    if (text_length(text, log_from(s, value->length + value->unit), &cut) != SIZE_MAX ||
        text_length(text, log_from(s, value->length), &cut) == SIZE_MAX)
        return;
    /* It is a part of that text. Where it is not just its word ("ms" where "m" was meant) what it
     * says of the value still counts. */
    struct str word = log_from(log_until(s, value->length + value->unit), value->length);
    struct str said = log_from(text, user->elements[at + 1].front);
    word = log_from(word, pattern_blanks(word));
    bool same_word = said.len >= word.len && memcmp(said.p, word.p, word.len) == 0 &&
                     (said.len == word.len || !log_is_word(said.p[word.len]));
    value->unit = 0;
    if (same_word) {
        value->scale = 0;
        value->unclear = false;
    }
}

/* Whether the last value should have a unit, as those before it had: nothing else says what it is,
 * or it stands at the end of the line. */
static inline bool lacks_unit(const struct user_format *user, size_t at,
                              const struct user_value *value, bool ends, const struct match *match)
{
    return value->unit == 0 && match->unit_seen && (ends || user->elements[at].field.scale == 0);
}

static inline bool match_value(const struct user_format *user, size_t at, struct match *match)
{
    struct str s = log_from(match->rest, pattern_blanks(match->rest));
    struct user_value value;
    match->cut |= s.len == 0;
    read_value(user, at, s, &value);
    if (value.form == USER_ABSENT)
        return false;
    size_t length = value.length + value.unit;
    if (at + 1 == user->count) {
        char after = length < s.len ? s.p[length] : ' ';
        bool ends = !log_is_word(after) && after != '[' && after != '{' && after != '<' &&
                    !(after == '.' && length + 1 < s.len && log_is_word(s.p[length + 1]));
        if (!ends)
            return false; /* another line's text begins in the middle of the number */
        if (lacks_unit(user, at, &value, length == s.len, match)) {
            match->cut = true; /* its unit is missing: so may be digits */
            return false;
        }
        match->unit_seen = value.unit > 0;
    }
    log_learn_text(match->form, match->learned++, log_until(s, length), (uint32_t)at);
    user_field_take(&user->elements[at].field, s, &value, &match->record);
    match->rest = log_from(s, length);
    return true;
}

static bool match_all(const struct user_format *user, struct match *match)
{
    user_record_begin(&match->record);
    for (match->done = 0; match->done < user->count; match->done++) {
        const struct element *element = &user->elements[match->done];
        if (element->text) {
            size_t length = text_length(element->key, match->rest, &match->cut);
            if (length == SIZE_MAX)
                return false;
            match->rest = log_from(match->rest, length);
        } else if (element->field.kind == USER_NAME || element->field.kind == USER_NOTHING) {
            if (!match_anything(user, match->done, match))
                return false;
        } else if (!match_value(user, match->done, match)) {
            return false;
        }
    }
    return true;
}

/* ---- places ---- */

/* From where the pattern may match: where its first text is, or a number begins. glued: a record
 * ends at `from`, and the next may begin there without a line end. */
static size_t next_place(const struct user_format *user, struct str line, size_t from, bool glued)
{
    const struct element *first = &user->elements[0];
    size_t length;
    for (size_t at = from; at < line.len; at++) {
        if (first->text) {
            struct str text = first->key;
            if (log_is_blank(text.p[0]) && at > 0 && log_is_blank(line.p[at - 1]))
                at += pattern_blanks(log_from(line, at)); /* as from their begin */
            size_t found = find_text(first, log_from(line, at), &length);
            if (found == SIZE_MAX)
                return SIZE_MAX;
            at += found;
            bool inside = at > 0 && log_is_word(text.p[0]) && log_is_word(line.p[at - 1]) &&
                          !(glued && at == from);
            if (!inside)
                return at;
            continue;
        }
        if (first->field.kind == USER_NAME)
            return log_is_blank(line.p[at]) || (at > 0 && !log_is_blank(line.p[at - 1])) ? SIZE_MAX
                                                                                         : at;
        bool digit = line.p[at] >= '0' && line.p[at] <= '9';
        if (digit && (at == 0 || (!log_is_word(line.p[at - 1]) && line.p[at - 1] != '.')))
            return at;
    }
    return SIZE_MAX;
}

/* Whether a line that broke off was meant to be one: over half of the pattern was there. */
static bool was_meant(const struct user_format *user, const struct match *match)
{
    return match->cut && (match->record.record.has & RECORD_STEP) && 2 * match->done > user->count;
}

/* A value where one like it stood; false: it is not as long. */
static bool value_again(const struct user_format *user, size_t at, struct str text,
                        const struct log_line *line, struct match *match)
{
    const struct element *element = &user->elements[at];
    struct str s = str_of(text.p, (size_t)(line->text.p + line->text.len - text.p));
    struct user_value value;
    if (element->field.kind == USER_NAME) {
        user_field_put(&element->field, text, &match->record);
        return true;
    }
    read_value(user, at, s, &value);
    if (value.form == USER_ABSENT || value.length + value.unit != text.len)
        return false;
    if (at + 1 == user->count) {
        if (lacks_unit(user, at, &value, text.len == s.len, match))
            return false;
        match->unit_seen = value.unit > 0;
    }
    user_field_take(&element->field, s, &value, &match->record);
    return true;
}

/* What is between the values has no digits that count: none are in the pattern's texts. */
static bool again(void *state, const struct log_line *line, const struct log_values *values,
                  struct log_out *out)
{
    struct pattern_state *pattern = state;
    const struct user_format *user = pattern->user;
    struct match match;
    match.unit_seen = pattern->unit_seen;
    user_record_begin(&match.record);
    for (unsigned i = 0; i < LOG_LEARN_FIELDS && log_values_have(values, i); i++)
        if (!value_again(user, values->notes[i], values->text[i], line, &match))
            return false;
    pattern->unit_seen |= match.unit_seen;
    user_format_mark(user, &match.record);
    user_record_out(&match.record, out);
    return true;
}

static enum log_answer take_line(void *state, const struct log_line *line, struct log_out *out)
{
    struct log_learned *form = ((struct pattern_state *)state)->user->digits ? NULL : line->form;
    struct pattern_state *pattern = state;
    const struct user_format *user = pattern->user;
    struct str text = line->text;
    pattern->line++;
    enum log_answer answer = LOG_OTHER;
    size_t at = next_place(user, text, 0, false);
    while (at != SIZE_MAX) {
        struct match match; /* the record in it begins when it is tried */
        match.pattern = pattern;
        match.rest = log_from(text, at);
        match.unit_seen = pattern->unit_seen;
        match.cut = match.nowhere = false;
        match.form = form;
        match.learned = 0;
        bool good = match_all(user, &match);
        pattern->unit_seen |= good && match.unit_seen;
        if (good && line->cut && match.rest.len == 0) {
            log_out_damaged(out, "the line ends without a line end: its last number may be cut");
            return LOG_TAKEN;
        }
        if (good) {
            user_format_mark(user, &match.record);
            user_record_out(&match.record, out);
            answer = LOG_TAKEN;
        } else if (was_meant(user, &match)) {
            log_out_damaged(out, "the line breaks off within the pattern");
            answer = LOG_TAKEN;
        }
        if (match.nowhere)
            break;
        size_t next = good ? (size_t)(match.rest.p - text.p) : at + 1;
        at = next_place(user, text, next > at ? next : at + 1, good && next > at);
        if (good && at == SIZE_MAX)
            log_learn_ready(form, false);
        form = NULL; /* only of lines that match at the first place, and at no other */
    }
    return answer;
}

static void begin(void *state, const struct format *format)
{
    ((struct pattern_state *)state)->user = format->setup;
}

/* The longest run without blanks of all texts. */
static void choose_anchor(struct user_format *user)
{
    struct str best = str_of("", 0);
    for (size_t i = 0; i < user->count; i++) {
        struct str rest = user->elements[i].text ? user->elements[i].key : str_of("", 0), run;
        while (log_next_part(&rest, " ", &run))
            if (run.len > best.len && !memchr(run.p, '\t', run.len))
                best = run;
    }
    str_copy(user->anchor, sizeof(user->anchor), best);
    user->anchors[0] = strlen(user->anchor) >= ANCHOR_BYTES ? user->anchor : NULL;
}

struct user_format *user_format_pattern(const char *name, const char *text, char *error,
                                        size_t size)
{
    if (strlen(text) > USER_TEXT_MAX) {
        snprintf(error, size, "it is longer than %d bytes", USER_TEXT_MAX);
        return NULL;
    }
    struct user_format *user = user_format_new(name, text);
    if (!pattern_read(user, error, size) || !user_format_check(user, error, size)) {
        user_format_free(user);
        return NULL;
    }
    choose_anchor(user);
    user->format.state_bytes = sizeof(struct pattern_state);
    user->format.begin = begin;
    user->format.line = take_line;
    user->format.again = again;
    user->format.needs = "lines that the pattern matches";
    return user;
}
