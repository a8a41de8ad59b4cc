/* A small writer of SVG and HTML: escaping, numbers, text, rectangles, paths. What
 * it writes is UTF-8 and well-formed, whatever bytes it is given. */
#pragma once

#include <stdio.h>

/* Text between tags or in a quoted attribute: through the sanitiser, then escaped. */
void svg_escape(FILE *to, const char *raw);

/* A coordinate: two decimals at most, no exponent, no locale; what is not finite is 0. */
void svg_number(FILE *to, double value);

/* ` name="12.5"` */
void svg_attribute(FILE *to, const char *name, double value);

enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END };

/* A line of text with its base line at y. `css` are class names, ours. */
void svg_text(FILE *to, double x, double y, enum svg_anchor anchor, const char *css,
              const char *raw);

/* Nothing when it has no area. `title` shows when the mouse rests on it; NULL. */
void svg_rect(FILE *to, double x, double y, double width, double height, const char *css,
              const char *title);

void svg_line(FILE *to, double x1, double y1, double x2, double y2, const char *css);

/* A path through points; a point that is not known interrupts it, and one alone
 * between two of those is a dot, where lines have round ends. Nothing is written
 * when no point is known. */
struct svg_path {
    FILE *to;
    const char *css;
    int points; /* since the line was interrupted */
    int all;
};
void svg_path_begin(struct svg_path *path, FILE *to, const char *css);
void svg_path_add(struct svg_path *path, double x, double y);
void svg_path_end(struct svg_path *path);
