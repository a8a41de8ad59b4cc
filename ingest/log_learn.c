/* Lines that differ in their digits alone. */
#include "log_learn.h"

#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "log_text.h"
#include "memory.h"
#include "number.h"

#define RUNS_MAX 160
#define SLACK 16
#define EXACT_DIGITS 15 /* a double holds all numbers of so many */
#define JSON_DIGITS 19  /* of a run: three make no number that is longer than JSON's are read */

struct run { /* of digits, in a line */
    uint16_t begin, end;
};

enum kind {
    KIND_TEXT,
    KIND_WHOLE,   /* a number of one run of digits */
    KIND_DECIMAL, /* of two, with a point between */
    KIND_NUMBER,  /* any other */
    KIND_PART,    /* at first: one of these, whatever is behind it */
};

/* A value: from `before` bytes before a run on, up to `after` bytes behind a run. */
struct place {
    uint16_t begin, end; /* in the line that matched last */
    uint16_t first, last;
    uint16_t before, after;
    uint8_t field, kind;
    uint8_t whole,
        decimals; /* digits of a number that a division has exactly; whole 0: of others */
};

/* A place: so far behind the end of a run, or behind the line's begin. */
struct point {
    uint16_t at;          /* in the learned line */
    uint16_t run, behind; /* run: its number + 1, 0: the begin */
};

struct log_learned {
    const char *line; /* that is being learned; borrowed until it is ready */
    size_t length;    /* of it, then of text */
    char *text;       /* owned: the line that matched last, at first the learned one */
    size_t room;      /* for text, without SLACK bytes more */
    size_t run_count, place_count;
    bool ready, failed, json;
    uint64_t has;
    struct run runs[RUNS_MAX]; /* in text */
    bool zero[RUNS_MAX];       /* it may begin with a 0 before other digits */
    struct place places[LOG_LEARN_FIELDS];
    uint32_t notes[LOG_LEARN_FIELDS];
    bool no_more; /* searches are remembered */
    size_t search_count, point_count;
    struct log_search searches[LOG_LEARN_SEARCHES];
    struct point points[LOG_LEARN_POINTS];
};

struct log_learned *log_learn_new(void)
{
    return memory_zeroed(1, sizeof(struct log_learned));
}

void log_learn_free(struct log_learned *form)
{
    if (form)
        free(form->text);
    free(form);
}

/* ---- learning ---- */

void log_learn_begin(struct log_learned *form, struct str line)
{
    form->line = line.p;
    form->length = line.len;
    form->ready = false;
    form->failed = line.len == 0 || line.len > LOG_LEARN_LINE_MAX;
    form->has = 0;
    form->place_count = form->run_count = 0;
    form->no_more = false;
    form->search_count = form->point_count = 0;
}

static void add_place(struct log_learned *form, unsigned field, struct str text, enum kind kind,
                      uint32_t note)
{
    if (!form || form->failed)
        return;
    bool inside = text.p >= form->line && text.len > 0 &&
                  (size_t)(text.p - form->line) + text.len <= form->length;
    if (!inside || field >= LOG_LEARN_FIELDS || (form->has >> field & 1)) {
        form->failed = true;
        return;
    }
    size_t begin = (size_t)(text.p - form->line);
    form->places[form->place_count++] = (struct place){.begin = (uint16_t)begin,
                                                       .end = (uint16_t)(begin + text.len),
                                                       .field = (uint8_t)field,
                                                       .kind = (uint8_t)kind};
    form->has |= UINT64_C(1) << field;
    form->notes[field] = note;
}

void log_learn_number(struct log_learned *form, unsigned field, struct str text, uint32_t note)
{
    add_place(form, field, text, KIND_NUMBER, note);
}

void log_learn_part(struct log_learned *form, unsigned field, struct str text, uint32_t note)
{
    add_place(form, field, text, KIND_PART, note);
}

void log_learn_text(struct log_learned *form, unsigned field, struct str text, uint32_t note)
{
    add_place(form, field, text, KIND_TEXT, note);
}

static bool find_runs(struct log_learned *form)
{
    for (size_t at = 0; at < form->length; at++) {
        if (!log_is_digit(form->line[at]))
            continue;
        if (form->run_count == RUNS_MAX)
            return false;
        struct run *run = &form->runs[form->run_count++];
        run->begin = (uint16_t)at;
        while (at < form->length && log_is_digit(form->line[at]))
            at++;
        run->end = (uint16_t)at;
    }
    return true;
}

/* Which runs of digits a value is made of; it begins and ends with one, but for its sign. */
static bool find_place(const struct log_learned *form, struct place *place)
{
    size_t first = 0, last = form->run_count;
    while (first < form->run_count && form->runs[first].begin < place->begin)
        first++;
    while (last > first && form->runs[last - 1].end > place->end)
        last--;
    if (first >= last)
        return false;
    place->first = (uint16_t)first;
    place->last = (uint16_t)(last - 1);
    place->before = (uint16_t)(form->runs[first].begin - place->begin);
    place->after = (uint16_t)(place->end - form->runs[last - 1].end);
    bool cut = (first > 0 && form->runs[first - 1].end > place->begin) ||
               (last < form->run_count && form->runs[last].begin < place->end);
    if (cut)
        return false;
    bool more = place->end + 1u < form->length && form->line[place->end] == ',' &&
                log_is_digit(form->line[place->end + 1]);
    if (place->kind == KIND_NUMBER && more)
        return false; /* three digits there would belong to the number */
    if (place->kind == KIND_PART)
        place->kind = KIND_NUMBER;
    if (place->kind == KIND_TEXT || place->before > 0 || place->after > 0)
        return true;
    if (first + 1 == last)
        place->kind = KIND_WHOLE;
    else if (first + 2 == last && form->runs[first].end + 1 == form->runs[first + 1].begin &&
             form->line[form->runs[first].end] == '.')
        place->kind = KIND_DECIMAL;
    return true;
}

/* False: it is within a run of digits. */
static bool find_point(const struct log_learned *form, struct point *point)
{
    size_t run = 0;
    while (run < form->run_count && form->runs[run].end <= point->at)
        run++;
    if (run < form->run_count && form->runs[run].begin < point->at)
        return false;
    point->run = (uint16_t)run;
    point->behind = (uint16_t)(point->at - (run > 0 ? form->runs[run - 1].end : 0));
    return true;
}

/* In JSON: a fraction, or what is in a string. */
static bool may_begin_with_0(const char *line, const struct run *run)
{
    bool did = line[run->begin] == '0' && run->end - run->begin > 1;
    return did || (run->begin > 0 && line[run->begin - 1] == '.');
}

/* Where the values stand, from where the runs do. */
static void settle_places(struct log_learned *form)
{
    for (size_t i = 0; i < form->place_count; i++) {
        struct place *place = &form->places[i];
        const struct run *first = &form->runs[place->first], *last = &form->runs[place->last];
        int whole = first->end - first->begin;
        int decimals = place->kind == KIND_DECIMAL ? last->end - last->begin : 0;
        bool exact = (place->kind == KIND_WHOLE || place->kind == KIND_DECIMAL) &&
                     whole + decimals <= EXACT_DIGITS && decimals <= 9;
        place->begin = (uint16_t)(first->begin - place->before);
        place->end = (uint16_t)(last->end + place->after);
        place->whole = exact ? (uint8_t)whole : 0;
        place->decimals = exact ? (uint8_t)decimals : 0;
    }
}

static void keep_text(struct log_learned *form, struct str line)
{
    if (!form->text || form->room < line.len) {
        form->text = memory_resized(form->text, line.len + SLACK, 1);
        form->room = line.len;
    }
    memcpy(form->text, line.p, line.len);
    memset(form->text + line.len, 0, SLACK);
    form->length = line.len;
}

void log_learn_ready(struct log_learned *form, bool json)
{
    if (!form || form->failed || form->ready)
        return;
    form->json = json;
    form->failed = !find_runs(form);
    for (size_t i = 0; i < form->place_count && !form->failed; i++)
        form->failed = !find_place(form, &form->places[i]);
    for (size_t i = 0; i < form->point_count && !form->failed; i++)
        form->failed = !find_point(form, &form->points[i]);
    if (form->failed)
        return;
    for (size_t i = 0; i < form->run_count; i++)
        form->zero[i] = may_begin_with_0(form->line, &form->runs[i]);
    settle_places(form);
    keep_text(form, str_of(form->line, form->length));
    form->ready = true;
}

bool log_learn_taken(struct log_learned *form)
{
    if (form->search_count > 0)
        log_learn_ready(form, false);
    return form->ready && !form->failed;
}

/* ---- searches ---- */

unsigned log_learn_search(struct log_learned *form, const void *what, const void *unit,
                          unsigned from, unsigned answer)
{
    if (!form || form->no_more || form->failed)
        return LOG_LEARN_NOWHERE;
    if (form->search_count == LOG_LEARN_SEARCHES || form->place_count == LOG_LEARN_FIELDS ||
        form->point_count + 3 > LOG_LEARN_POINTS) {
        form->no_more = true;
        return LOG_LEARN_NOWHERE;
    }
    form->searches[form->search_count] = (struct log_search){.what = what,
                                                             .unit = unit,
                                                             .from = (uint8_t)from,
                                                             .answer = (uint8_t)answer,
                                                             .field = LOG_LEARN_FIELDS,
                                                             .point = (uint8_t)form->point_count};
    return (unsigned)form->search_count++;
}

void log_learn_point(struct log_learned *form, const char *place)
{
    bool inside = place >= form->line && place <= form->line + form->length;
    if (!inside || form->point_count == LOG_LEARN_POINTS)
        form->failed = true;
    else
        form->points[form->point_count++] = (struct point){.at = (uint16_t)(place - form->line)};
}

void log_learn_found(struct log_learned *form, struct str text, bool number)
{
    unsigned field = (unsigned)form->place_count;
    form->searches[form->search_count - 1].field = (uint8_t)field;
    add_place(form, field, text, number ? KIND_NUMBER : KIND_TEXT, 0);
}

void log_learn_no_more(struct log_learned *form)
{
    if (form)
        form->no_more = true;
}

const struct log_search *log_recall(struct log_values *values, const void *what, const void *unit,
                                    unsigned from)
{
    if (!values || values->next_search == values->search_count)
        return NULL;
    const struct log_search *search = &values->searches[values->next_search];
    if (search->what != what || search->unit != unit || search->from != from) {
        values->next_search = values->search_count;
        return NULL;
    }
    values->next_search++;
    return search;
}

struct str log_learn_line(const struct log_learned *form)
{
    return str_of(form->text, form->length);
}

/* ---- matching ---- */

/* The first byte at p or after it that is no digit; digits end before 8 readable bytes do. */
static inline const char *skip_digits(const char *p)
{
    unsigned n;
    do {
        uint64_t bytes = number_load8(p);
        n = number_digits8(&bytes);
        p += n;
    } while (n == 8);
    return p;
}

/* Where a run may have more or fewer digits than before. */
static bool match_text(const struct log_learned *form, struct str line, struct run *found)
{
    const char *p = line.p, *line_end = line.p + line.len, *text = form->text;
    for (size_t i = 0; i < form->run_count; i++) {
        const struct run *run = &form->runs[i];
        size_t length = (size_t)(form->text + run->begin - text);
        if ((size_t)(line_end - p) <= length || !number_same_bytes(p, text, length))
            return false;
        p += length;
        const char *end = skip_digits(p);
        if (end == p || end > line_end)
            return false;
        found[i].begin = (uint16_t)(p - line.p);
        found[i].end = (uint16_t)(end - line.p);
        p = end;
        text = form->text + run->end;
    }
    size_t rest = (size_t)(form->text + form->length - text);
    if ((size_t)(line_end - p) != rest || !number_same_bytes(p, text, rest))
        return false;
    if (rest > 0 || form->run_count == 0)
        return true;
    size_t last = form->run_count - 1;
    return found[last].end - found[last].begin == form->runs[last].end - form->runs[last].begin;
}

/* Whether every byte is the same, or a digit in both: mostly so, and then all runs stand where they
 * did. */
static bool same_layout(const struct log_learned *form, struct str line)
{
#ifdef __SSE2__
    const __m128i zero = _mm_set1_epi8('0'), nine = _mm_set1_epi8(9);
    if (line.len != form->length)
        return false;
    for (size_t at = 0;; at += 16) {
        __m128i a = _mm_loadu_si128((const __m128i *)(line.p + at));
        __m128i b = _mm_loadu_si128((const __m128i *)(form->text + at));
        __m128i more = _mm_max_epu8(_mm_sub_epi8(a, zero), _mm_sub_epi8(b, zero));
        __m128i digits = _mm_cmpeq_epi8(_mm_min_epu8(more, nine), more);
        __m128i fits = _mm_or_si128(_mm_cmpeq_epi8(a, b), digits);
        unsigned differ = (unsigned)_mm_movemask_epi8(fits) ^ 0xffff;
        if (line.len - at <= 16)
            return (differ & ((1u << (line.len - at)) - 1)) == 0;
        if (differ)
            return false;
    }
#else
    (void)form;
    (void)line;
    return false;
#endif
}

/* Whether the line has the form; its runs are the form's then. */
static bool match_line(struct log_learned *form, struct str line)
{
    struct run found[RUNS_MAX];
    if (same_layout(form, line))
        return true;
    if (line.len > LOG_LEARN_LINE_MAX || !match_text(form, line, found))
        return false;
    memcpy(form->runs, found, form->run_count * sizeof(found[0]));
    settle_places(form);
    keep_text(form, line);
    return true;
}

static bool valid_json(const struct log_learned *form, const char *line)
{
    for (size_t i = 0; i < form->run_count; i++) {
        size_t length = (size_t)(form->runs[i].end - form->runs[i].begin);
        if (length > JSON_DIGITS ||
            (length > 1 && line[form->runs[i].begin] == '0' && !form->zero[i]))
            return false;
    }
    return true;
}

/* The value of 1 to EXACT_DIGITS digits. */
static inline uint64_t digits_value(const char *p, unsigned n)
{
    uint64_t value = number_value8(number_load8(p) ^ NUMBER_ZEROS, n < 8 ? n : 8);
    if (n > 8)
        value = value * number_power10[n - 8] +
                number_value8(number_load8(p + 8) ^ NUMBER_ZEROS, n - 8);
    return value;
}

/* As log_number() has it: one division of two numbers that are exact. */
static inline double exact_number(const char *p, unsigned whole, unsigned decimals)
{
    uint64_t power = number_power10[decimals];
    if (decimals == 0)
        return (double)digits_value(p, whole);
    if (whole + decimals < 8) { /* eight bytes hold it: the digits behind the point move up to it */
        uint64_t bytes = number_load8(p) ^ NUMBER_ZEROS, front = (UINT64_C(1) << 8 * whole) - 1;
        bytes = (bytes & front) | ((bytes >> 8) & ~front);
        return (double)number_value8(bytes, whole + decimals) / (double)power;
    }
    uint64_t value = digits_value(p, whole);
    return (double)(value * power + digits_value(p + whole + 1, decimals)) / (double)power;
}

static inline bool take_place(const struct place *place, const char *line, struct log_values *ret)
{
    struct str text = str_of(line + place->begin, (size_t)(place->end - place->begin));
    double *number = &ret->number[place->field];
    size_t length;
    ret->text[place->field] = text;
    if (place->whole > 0) {
        *number = exact_number(text.p, place->whole, place->decimals);
        return true;
    }
    *number = 0;
    return place->kind == KIND_TEXT ||
           (log_number(text, number, &length) == LOG_NUMBER && length == text.len);
}

bool log_learn_match(struct log_learned *form, struct str line, struct log_values *ret)
{
    if (!match_line(form, line) || (form->json && !valid_json(form, line.p)))
        return false;
    ret->has = form->has;
    ret->notes = form->notes;
    for (size_t i = 0; i < form->place_count; i++)
        if (!take_place(&form->places[i], line.p, ret))
            return false;
    for (size_t i = 0; i < form->point_count; i++) {
        const struct point *point = &form->points[i];
        size_t from = point->run > 0 ? form->runs[point->run - 1].end : 0;
        ret->points[i] = line.p + from + point->behind;
    }
    ret->searches = form->searches;
    ret->search_count = (unsigned)form->search_count;
    ret->next_search = 0;
    return true;
}
