/* Sentences with evidence letters. */
#include "sentence.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

void sentence_clear(struct sentence *sentence, enum style style)
{
    sentence->text[0] = '\0';
    sentence->length = 0;
    sentence->letter_count = 0;
    sentence->style = style;
}

static void add_safe(struct sentence *sentence, const char *text)
{
    size_t room = SENTENCE_BYTES - sentence->length;
    sentence->length += text_sanitise(sentence->text + sentence->length, room, str_from(text));
}

void sentence_add_list(struct sentence *sentence, const char *format, va_list arguments)
{
    char text[SENTENCE_BYTES];
    vsnprintf(text, sizeof(text), format, arguments);
    add_safe(sentence, text);
}

void sentence_add(struct sentence *sentence, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sentence_add_list(sentence, format, arguments);
    va_end(arguments);
}

void sentence_add_raw(struct sentence *sentence, const char *raw)
{
    add_safe(sentence, raw);
}

void sentence_evidence(struct sentence *sentence, enum evidence evidence)
{
    if (evidence == EVIDENCE_NONE || sentence->length + 2 >= SENTENCE_BYTES)
        return;
    if (sentence->letter_count < SENTENCE_LETTERS)
        sentence->letters[sentence->letter_count++] = sentence->length + 1;
    sentence_add(sentence, " %c", evidence_letter(evidence));
}

int sentence_columns(const struct sentence *sentence)
{
    return (int)text_columns(str_of(sentence->text, sentence->length));
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static int draw_bytes(const struct sentence *sentence, struct canvas *canvas, struct rect rect,
                      int x, int y, size_t from, size_t to, enum style style)
{
    char piece[SENTENCE_BYTES];
    memcpy(piece, sentence->text + from, to - from);
    piece[to - from] = '\0';
    return canvas_text(canvas, rect, x, y, style, piece);
}

static int draw_part(const struct sentence *sentence, struct canvas *canvas, struct rect rect,
                     int x, int y, size_t from, size_t to)
{
    int begin = x;
    for (int i = 0; i < sentence->letter_count; i++) {
        size_t at = sentence->letters[i];
        if (at < from || at >= to)
            continue;
        x += draw_bytes(sentence, canvas, rect, x, y, from, at, sentence->style);
        x += draw_bytes(sentence, canvas, rect, x, y, at, at + 1, STYLE_DIM);
        from = at + 1;
    }
    return x + draw_bytes(sentence, canvas, rect, x, y, from, to, sentence->style) - begin;
}

int sentence_draw(const struct sentence *sentence, struct canvas *canvas, struct rect rect, int x,
                  int y)
{
    return draw_part(sentence, canvas, rect, x, y, 0, sentence->length);
}

/* Does this blank stand between a number, its unit ("ms", "points") and its letter? */
static bool holds_together(const struct sentence *sentence, size_t blank)
{
    const char *text = sentence->text;
    for (int i = 0; i < sentence->letter_count; i++) {
        size_t before = sentence->letters[i] - 1, unit = before;
        if (blank == before)
            return true;
        while (unit > 0 && text[unit - 1] != ' ' && !is_digit(text[unit - 1]))
            unit--;
        if (unit > 1 && unit < before && unit - 1 == blank && is_digit(text[unit - 2]))
            return true;
    }
    return false;
}

size_t sentence_line_end(const struct sentence *sentence, size_t from, int width)
{
    struct str rest = str_of(sentence->text + from, sentence->length - from);
    size_t blank = 0;
    int columns = 0;
    while (rest.len > 0) {
        size_t at = sentence->length - rest.len;
        uint32_t code = text_next(&rest);
        if (code == ' ' && !holds_together(sentence, at))
            blank = at;
        columns += text_width(code);
        if (columns > width && code != ' ')
            return blank > from ? blank : at > from ? at : sentence->length - rest.len;
    }
    return sentence->length;
}

void sentence_cut(struct sentence *sentence, int columns)
{
    size_t end = sentence_line_end(sentence, 0, columns);
    bool goes_on = false;
    if (end >= sentence->length)
        return;
    for (size_t at = end; at > end / 3; at--) {
        char mark = sentence->text[at - 1];
        bool part = (mark == ',' || mark == ';') && (int)at + 4 <= columns;
        if (sentence->text[at] != ' ' || (!part && mark != '?' && mark != '.'))
            continue;
        goes_on = part;
        end = at;
        break;
    }
    sentence->text[end] = '\0';
    sentence->length = end;
    while (sentence->letter_count > 0 && sentence->letters[sentence->letter_count - 1] >= end)
        sentence->letter_count--;
    if (goes_on)
        sentence_add(sentence, " ...");
}

int sentence_draw_wrapped(const struct sentence *sentence, struct canvas *canvas, struct rect rect,
                          int y)
{
    int lines = 0;
    size_t from = 0;
    while (from < sentence->length && y + lines < rect.height && rect.width > 0) {
        size_t to = sentence_line_end(sentence, from, rect.width);
        draw_part(sentence, canvas, rect, 0, y + lines, from, to);
        from = to;
        while (from < sentence->length && sentence->text[from] == ' ')
            from++;
        lines++;
    }
    return lines;
}
