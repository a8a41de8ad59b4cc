/* Words, legends and fills that the figures share. */
#include "report_svg.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "job_lines.h"
#include "text.h"

#define BOLD_LETTER 0.66

/* ---- text ---- */

double figure_text_width(const char *text, double font)
{
    return (double)text_columns(str_from(text)) * font * FIGURE_LETTER;
}

/* Bytes of the first `columns` cells. */
static size_t bytes_of(const char *text, size_t columns)
{
    struct str rest = str_from(text);
    size_t bytes = 0, used = 0;
    uint32_t code;
    while ((code = text_next(&rest)) != 0) {
        used += (size_t)text_width(code);
        if (used > columns)
            break;
        bytes = (size_t)(rest.p - text);
    }
    return bytes;
}

const char *figure_fit(char out[FIGURE_NAME_BYTES], const char *raw, double width, double font)
{
    text_sanitise(out, FIGURE_NAME_BYTES - 4, str_from(raw));
    size_t room = width > 0 ? (size_t)(width / (font * FIGURE_LETTER)) : 0;
    if (text_columns(str_from(out)) <= room)
        return out;
    size_t bytes = bytes_of(out, room > 1 ? room - 1 : 0);
    memcpy(out + bytes, "\u2026", sizeof("\u2026"));
    return out;
}

static double line_height(const char *css)
{
    return strstr(css, "ls-title") ? 20 : strstr(css, "ls-small") ? 14 : FIGURE_LINE;
}

static double font_of(const char *css)
{
    return strstr(css, "ls-title") ? 16 : strstr(css, "ls-small") ? FIGURE_SMALL : FIGURE_FONT;
}

void figure_sentence_at(struct figure *figure, double x, const char *css,
                        const struct sentence *sentence)
{
    double room = figure->width - FIGURE_MARGIN - x;
    double letter = strstr(css, "ls-title") ? BOLD_LETTER : FIGURE_LETTER + 0.01;
    int columns = (int)(room / (font_of(css) * letter));
    size_t from = strspn(sentence->text, " ");
    char line[SENTENCE_BYTES];
    while (from < sentence->length) {
        size_t to = sentence_line_end(sentence, from, columns);
        snprintf(line, sizeof(line), "%.*s", (int)(to - from), sentence->text + from);
        figure->y += line_height(css);
        svg_text(figure->to, x, figure->y, SVG_START, css, line);
        from = to + strspn(sentence->text + to, " ");
    }
}

void figure_sentence(struct figure *figure, const struct sentence *sentence)
{
    figure_sentence_at(figure, FIGURE_MARGIN, "ls-line", sentence);
}

void figure_say(struct figure *figure, const char *format, ...)
{
    struct sentence line;
    va_list arguments;
    sentence_clear(&line, STYLE_DIM);
    va_start(arguments, format);
    sentence_add_list(&line, format, arguments);
    va_end(arguments);
    figure_sentence_at(figure, FIGURE_MARGIN, "ls-dim", &line);
}

void figure_key(struct figure *figure)
{
    struct sentence line;
    figure->y += 6;
    sentence_clear(&line, STYLE_DIM);
    sentence_add(&line, "m measured, c computed, s simulated, e our example");
    figure_sentence_at(figure, FIGURE_MARGIN, "ls-dim ls-small", &line);
}

/* ---- numbers ---- */

const char *figure_with(char out[FORMAT_BYTES], const struct figure *figure, const char *text,
                        enum evidence evidence)
{
    return format_evidence(out, text, model_evidence(&figure->model, evidence));
}

const char *figure_share(char out[FORMAT_BYTES], const struct figure *figure, struct quantity share)
{
    char text[FORMAT_BYTES];
    if (!quantity_known(share) || !(fabs(share.value) < 1e9))
        return strcpy(out, "-");
    snprintf(text, sizeof(text), "%.2f%%", 100 * share.value);
    return figure_with(out, figure, text, share.evidence);
}

const char *figure_duration(char out[FORMAT_BYTES], const struct figure *figure,
                            struct quantity seconds)
{
    char text[FORMAT_BYTES];
    if (!quantity_known(seconds) || !isfinite(seconds.value))
        return strcpy(out, "-");
    return figure_with(out, figure, format_duration(text, seconds.value, true), seconds.evidence);
}

/* ---- fills ---- */

void figure_hatch(struct figure *figure)
{
    fprintf(figure->to,
            "<defs>\n<pattern id=\"%s-wait\" width=\"6\" height=\"6\" "
            "patternUnits=\"userSpaceOnUse\">"
            "<rect class=\"ls-soft\" width=\"6\" height=\"6\"/>"
            "<path class=\"ls-stroke\" d=\"M-1 7L7-1M-1 1L1-1M5 7L7 5\"/></pattern>\n"
            "<pattern id=\"%s-none\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">"
            "<rect class=\"ls-ground\" width=\"8\" height=\"8\"/>"
            "<path class=\"ls-grid\" d=\"M0 0L8 8M8 0L0 8\"/></pattern>\n</defs>\n",
            figure->id, figure->id);
}

void figure_fill(const struct figure *figure, double x, double y, double width, double height,
                 const char *pattern, const char *title)
{
    if (!(width >= 0.005) || !(height >= 0.005))
        return;
    fprintf(figure->to, "<rect fill=\"url(#%s-%s)\"", figure->id, pattern);
    svg_attribute(figure->to, "x", x);
    svg_attribute(figure->to, "y", y);
    svg_attribute(figure->to, "width", width);
    svg_attribute(figure->to, "height", height);
    fputs(title ? "><title>" : "/>\n", figure->to);
    if (!title)
        return;
    svg_escape(figure->to, title);
    fputs("</title></rect>\n", figure->to);
}

/* A pattern is given as "#wait". */
double figure_legend(struct figure *figure, double x, const char *css, const char *words)
{
    double width = 18 + figure_text_width(words, FIGURE_FONT) + 14;
    if (x > FIGURE_MARGIN && x + width - 14 > figure->width - FIGURE_MARGIN) {
        x = FIGURE_MARGIN;
        figure->y += FIGURE_LINE + 2;
    }
    if (css[0] == '#')
        figure_fill(figure, x, figure->y - 11, 13, 13, css + 1, NULL);
    else
        svg_rect(figure->to, x, figure->y - 11, 13, 13, css, NULL);
    svg_rect(figure->to, x, figure->y - 11, 13, 13, "ls-box", NULL);
    svg_text(figure->to, x + 18, figure->y, SVG_START, "ls-line", words);
    return x + width;
}

/* ---- without ranks ---- */

void figure_no_ranks(struct figure *figure, const char *title)
{
    const struct summary *summary = figure->model.summary;
    struct sentence line;
    figure_begin(figure, "%s", title);
    sentence_clear(&line, STYLE_NORMAL);
    job_add_why(&line, summary);
    sentence_add(&line, job_how(summary, 0) ? " These two lines would provide it:" : "");
    figure_sentence(figure, &line);
    figure_describe(figure, "%s", line.text);
    for (int i = 0; i < 2; i++) {
        sentence_clear(&line, STYLE_NORMAL);
        sentence_add_raw(&line, job_how(summary, i) ? job_how(summary, i) : "");
        if (line.length > 0)
            figure_sentence(figure, &line);
    }
}
