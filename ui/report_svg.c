/* Figures: the frame that they share. */
#include "report_svg.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "job_lines.h"

/* Plain rules first, for programs that know no media queries; paper is white whatever the
 * screen is. Every text stands on a ground of the figure's own. */
static const char STYLE[] =
    ".ls text{font:13px system-ui,'Segoe UI',Roboto,Helvetica,Arial,'Liberation Sans',sans-serif;"
    "fill:#1b1f24;font-variant-numeric:tabular-nums}\n"
    ".ls .ls-ground{fill:#fff}\n"
    ".ls .ls-title{font-size:16px;font-weight:600}\n"
    ".ls .ls-dim{fill:#57606a}\n"
    ".ls .ls-small{font-size:11px}\n"
    ".ls .ls-bold{font-weight:600}\n"
    ".ls .ls-middle{text-anchor:middle}\n"
    ".ls .ls-end{text-anchor:end}\n"
    ".ls .ls-alert{fill:#a33f00;font-weight:600}\n"
    ".ls .ls-on{fill:#10151a;font-size:11px}\n"
    ".ls .ls-axis{stroke:#8c959f;stroke-width:1;fill:none}\n"
    ".ls .ls-grid{stroke:#d8dee4;stroke-width:1;fill:none}\n"
    ".ls .ls-barrier{stroke:#1b1f24;stroke-width:2;fill:none}\n"
    ".ls .ls-restart{stroke:#1b1f24;stroke-width:1.5;stroke-dasharray:6 3;fill:none}\n"
    ".ls .ls-event{stroke:#a33f00;stroke-width:1;stroke-dasharray:2 3;fill:none}\n"
    ".ls .ls-shape{fill:#a33f00}\n"
    ".ls .ls-frame{fill:none;stroke:#c2410c;stroke-width:2}\n"
    ".ls .ls-box{fill:none;stroke:#8c959f;stroke-width:1}\n"
    ".ls .ls-own{fill:#7fb8e6}\n"
    ".ls .ls-slow{fill:#f0a044}\n"
    ".ls .ls-data{fill:#e3c95c}\n"
    ".ls .ls-forward{fill:#9fd0f5}\n"
    ".ls .ls-backward{fill:#5f9fd6}\n"
    ".ls .ls-other{fill:#dba6c4}\n"
    ".ls .ls-late{fill:none;stroke:#8c959f;stroke-width:1;stroke-dasharray:2 2}\n"
    ".ls .ls-soft{fill:#e6eaee}\n"
    ".ls .ls-stroke{stroke:#9aa4ae;stroke-width:1.4;fill:none}\n"
    ".ls .ls-curve{fill:none;stroke:#1f6fb2;stroke-width:1.8;stroke-linejoin:round;"
    "stroke-linecap:round}\n"
    ".ls .ls-second{fill:none;stroke:#c2570c;stroke-width:1.5;stroke-dasharray:5 3;"
    "stroke-linejoin:round;stroke-linecap:round}\n"
    ".ls .ls-h0{fill:#b9d7ee}\n.ls .ls-h1{fill:#eef1f3}\n.ls .ls-h2{fill:#fbe3bd}\n"
    ".ls .ls-h3{fill:#f6bc6a}\n.ls .ls-h4{fill:#e2862a}\n.ls .ls-h5{fill:#b04f0c}\n"
    ".ls .ls-h6{fill:#5e2207}\n"
    ".ls .ls-p0{fill:#58a884}\n.ls .ls-p1{fill:#79b99b}\n.ls .ls-p2{fill:#7fb8e6}\n"
    ".ls .ls-p3{fill:#e3c95c}\n.ls .ls-p4{fill:#f3d2a6}\n.ls .ls-p5{fill:#f0a044}\n"
    ".ls .ls-p6{fill:#c9b6e4}\n.ls .ls-p7{fill:#d3d9de}\n.ls .ls-p8{fill:#b3bcc5}\n"
    ".ls .ls-p9{fill:#98a3ae}\n.ls .ls-p10{fill:#e39a9a}\n.ls .ls-p11{fill:#c96f6f}\n"
    "@media screen and (prefers-color-scheme:dark){\n"
    ".ls text{fill:#e6e9ec}\n.ls .ls-ground{fill:#14181d}\n.ls .ls-dim{fill:#a3adb8}\n"
    ".ls .ls-alert{fill:#ffb070}\n.ls .ls-on{fill:#10151a}\n.ls .ls-axis{stroke:#77828d}\n"
    ".ls .ls-grid{stroke:#2c343c}\n.ls .ls-barrier,.ls .ls-restart{stroke:#e6e9ec}\n"
    ".ls .ls-event{stroke:#ffb070}\n.ls .ls-shape{fill:#ffb070}\n.ls .ls-frame{stroke:#ff8c3a}\n"
    ".ls .ls-box,.ls .ls-late{stroke:#77828d}\n.ls .ls-soft{fill:#2c343c}\n"
    ".ls .ls-stroke{stroke:#77828d}\n.ls .ls-curve{stroke:#6db5f2}\n"
    ".ls .ls-second{stroke:#ffa65c}\n"
    ".ls .ls-h0{fill:#1f4763}\n.ls .ls-h1{fill:#262d34}\n.ls .ls-h2{fill:#54411f}\n"
    ".ls .ls-h3{fill:#8a5f1c}\n.ls .ls-h4{fill:#c47a1c}\n.ls .ls-h5{fill:#f2a84e}\n"
    ".ls .ls-h6{fill:#ffe3bd}\n"
    "}\n";

void figure_style(FILE *to)
{
    fputs(STYLE, to);
}

/* ---- title and description ---- */

static void put_simulated(struct figure *figure)
{
    if (!figure->model.summary->simulated)
        return;
    figure->y += FIGURE_LINE;
    svg_text(figure->to, FIGURE_MARGIN, figure->y, SVG_START, "ls-alert",
             "SIMULATED: a program imitated this run.");
}

void figure_begin(struct figure *figure, const char *format, ...)
{
    const struct summary *summary = figure->model.summary;
    struct sentence line;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(figure->title, sizeof(figure->title), format, arguments);
    va_end(arguments);
    figure->y = FIGURE_MARGIN + 16;
    sentence_clear(&line, STYLE_TITLE);
    sentence_add(&line, "%s", figure->title);
    figure->y -= FIGURE_LINE;
    figure_sentence_at(figure, FIGURE_MARGIN, "ls-title", &line);
    put_simulated(figure);
    sentence_clear(&line, STYLE_DIM);
    sentence_add_raw(&line, summary->run.name[0] ? summary->run.name : "run without a name");
    sentence_add(&line, ", ");
    job_add_who(&line, summary);
    if (summary->run.chip[0]) {
        sentence_add(&line, ", ");
        sentence_add_raw(&line, summary->run.chip);
    }
    figure_sentence_at(figure, FIGURE_MARGIN, "ls-dim", &line);
    figure->y += 6;
    if (summary->simulated)
        figure_describe(figure, "A simulated run.");
}

void figure_describe(struct figure *figure, const char *format, ...)
{
    char text[2 * SENTENCE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    fprintf(figure->about, "%s ", text);
}

/* ---- the document ---- */

static void put_frame(FILE *to, const struct figure *figure, const char *about, bool style)
{
    fputs("<svg class=\"ls\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", to);
    svg_number(to, figure->width);
    fputc(' ', to);
    svg_number(to, figure->y);
    fprintf(to,
            "\" width=\"100%%\" preserveAspectRatio=\"xMidYMin meet\" role=\"img\" "
            "aria-labelledby=\"%s-title %s-about\">\n"
            "<title id=\"%s-title\">",
            figure->id, figure->id, figure->id);
    svg_escape(to, figure->title);
    fprintf(to, "</title>\n<desc id=\"%s-about\">", figure->id);
    svg_escape(to, about);
    fputs("</desc>\n", to);
    if (style) {
        /* A file of its own, opened in a browser: as wide as the window, and scrolled. */
        fprintf(to, "<style>%s.ls:root{min-height:", STYLE);
        svg_number(to, 100 * figure->y / figure->width);
        fputs("vw}</style>\n", to);
    }
    svg_rect(to, 0, 0, figure->width, figure->y, "ls-ground", NULL);
}

void figure_put(FILE *to, const struct report_data *data, enum svg_figure which, double width,
                const char *id, bool style)
{
    static void (*const draw[])(struct figure *) = {
        [SVG_TIMELINE] = figure_timeline,
        [SVG_HEAT] = figure_heat,
        [SVG_HISTORY] = figure_history,
        [SVG_LEDGER] = figure_ledger,
    };
    char *body = NULL, *about = NULL;
    size_t body_size = 0, about_size = 0;
    struct figure figure = {
        .data = data, .width = width, .narrow = width < FIGURE_NARROW, .id = id};
    figure.to = open_memstream(&body, &body_size);
    figure.about = open_memstream(&about, &about_size);
    if (!figure.to || !figure.about)
        abort();
    model_init(&figure.model, MODE_ENDED);
    figure.model.summary = data->summary;
    figure.model.events = data->events;
    figure.model.overview = data->overview;
    draw[which](&figure);
    figure_key(&figure);
    figure.y += FIGURE_MARGIN;
    fclose(figure.to);
    fclose(figure.about);
    put_frame(to, &figure, about, style);
    fwrite(body, 1, body_size, to);
    fputs("</svg>\n", to);
    free(body);
    free(about);
}

static const char *const IDS[] = {[SVG_TIMELINE] = "timeline",
                                  [SVG_HEAT] = "heat",
                                  [SVG_HISTORY] = "history",
                                  [SVG_LEDGER] = "ledger"};

void report_svg(FILE *to, const struct report_data *data, enum svg_figure figure)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", to);
    report_svg_inline(to, data, figure);
}

void report_svg_inline(FILE *to, const struct report_data *data, enum svg_figure figure)
{
    figure_put(to, data, figure, FIGURE_WIDTH, IDS[figure], true);
}
