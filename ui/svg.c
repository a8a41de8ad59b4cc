/* SVG and HTML, as text. */
#include "svg.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "text.h"

#define LARGEST 1e7 /* of a coordinate: beyond it renderers lose precision */

void svg_escape(FILE *to, const char *raw)
{
    struct str rest = str_from(raw);
    uint32_t code;
    while ((code = text_next(&rest)) != 0) {
        char bytes[4];
        if (code == '&')
            fputs("&amp;", to);
        else if (code == '<')
            fputs("&lt;", to);
        else if (code == '>')
            fputs("&gt;", to);
        else if (code == '"')
            fputs("&quot;", to);
        else if (code == '\'')
            fputs("&#39;", to);
        else
            fwrite(bytes, 1, text_encode(code, bytes), to);
    }
}

void svg_number(FILE *to, double value)
{
    if (!isfinite(value))
        value = 0;
    value = value > LARGEST ? LARGEST : value < -LARGEST ? -LARGEST : value;
    long hundredths = lround(value * 100);
    long size = hundredths < 0 ? -hundredths : hundredths;
    fprintf(to, "%s%ld", hundredths < 0 ? "-" : "", size / 100);
    if (size % 100 == 0)
        return;
    if (size % 10 == 0)
        fprintf(to, ".%ld", size % 100 / 10);
    else
        fprintf(to, ".%02ld", size % 100);
}

void svg_attribute(FILE *to, const char *name, double value)
{
    fprintf(to, " %s=\"", name);
    svg_number(to, value);
    fputc('"', to);
}

void svg_text(FILE *to, double x, double y, enum svg_anchor anchor, const char *css,
              const char *raw)
{
    static const char *const anchors[] = {"", " ls-middle", " ls-end"};
    fprintf(to, "<text class=\"%s%s\"", css, anchors[anchor]);
    svg_attribute(to, "x", x);
    svg_attribute(to, "y", y);
    fputc('>', to);
    svg_escape(to, raw);
    fputs("</text>\n", to);
}

void svg_rect(FILE *to, double x, double y, double width, double height, const char *css,
              const char *title)
{
    if (!(width >= 0.005) || !(height >= 0.005))
        return;
    fprintf(to, "<rect class=\"%s\"", css);
    svg_attribute(to, "x", x);
    svg_attribute(to, "y", y);
    svg_attribute(to, "width", width);
    svg_attribute(to, "height", height);
    if (!title) {
        fputs("/>\n", to);
        return;
    }
    fputs("><title>", to);
    svg_escape(to, title);
    fputs("</title></rect>\n", to);
}

void svg_line(FILE *to, double x1, double y1, double x2, double y2, const char *css)
{
    fprintf(to, "<line class=\"%s\"", css);
    svg_attribute(to, "x1", x1);
    svg_attribute(to, "y1", y1);
    svg_attribute(to, "x2", x2);
    svg_attribute(to, "y2", y2);
    fputs("/>\n", to);
}

void svg_path_begin(struct svg_path *path, FILE *to, const char *css)
{
    *path = (struct svg_path){.to = to, .css = css};
}

/* A line of no length has round ends, and so is a dot. */
static void end_line(struct svg_path *path)
{
    if (path->points == 1)
        fputs("h0", path->to);
    path->points = 0;
}

void svg_path_add(struct svg_path *path, double x, double y)
{
    if (!isfinite(x) || !isfinite(y)) {
        end_line(path);
        return;
    }
    if (path->all++ == 0)
        fprintf(path->to, "<path class=\"%s\" d=\"", path->css);
    fputc(path->points++ == 0 ? 'M' : 'L', path->to);
    svg_number(path->to, x);
    fputc(' ', path->to);
    svg_number(path->to, y);
}

void svg_path_end(struct svg_path *path)
{
    end_line(path);
    if (path->all > 0)
        fputs("\"/>\n", path->to);
}
