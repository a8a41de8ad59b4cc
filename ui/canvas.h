/* A grid of styled cells: what a view draws into. No terminal: ui/term.c shows a
 * canvas, tests compare one with a golden text. Whatever is drawn is clipped to
 * the rectangle it is drawn in; nothing drawn can leave it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Meanings, not colours: style.def maps each to 8, 256 and true colours and to
 * attributes for a mono terminal. */
enum style {
    STYLE_NORMAL,
    STYLE_DIM,        /* evidence letters, axis, hints */
    STYLE_TITLE,      /* header line */
    STYLE_LABEL,      /* column heads */
    STYLE_VALUE,      /* the numbers that matter */
    STYLE_OWN,        /* bar: own time */
    STYLE_STRAGGLER,  /* bar and text of a straggler */
    STYLE_WAIT,       /* bar: waiting at the barrier */
    STYLE_BARRIER,    /* the barrier line */
    STYLE_DATA, STYLE_FORWARD, STYLE_BACKWARD, STYLE_SYNC, STYLE_OPTIMIZER, /* phases in a bar */
    STYLE_GOOD,
    STYLE_WARNING,    /* missing ranks, dropped datagrams, alarms */
    STYLE_SELECTED,   /* the cursor's row */
    STYLE_KEY,        /* a key in the key line */
    STYLE_HEAT_FAST, STYLE_HEAT_MEDIAN, STYLE_HEAT_2, STYLE_HEAT_5, /* slowdown in the heat map: */
    STYLE_HEAT_10, STYLE_HEAT_25, STYLE_HEAT_50,                    /* from so many percent on */
    STYLE_COUNT
};

struct cell {
    uint32_t code;  /* Unicode code point; 0: the right half of a wide one */
    uint8_t style;  /* enum style */
};

struct canvas {
    int width, height;   /* cells, at least 1 x 1 */
    bool unicode;        /* false: views must draw with ASCII */
    struct cell *cells;  /* row-major, owned */
};

/* Inside a canvas, in cells; may be empty (width or height 0). */
struct rect {
    int x, y, width, height;
};

#define CANVAS_SIDE_MAX 1000 /* a larger window is drawn on its first 1000 columns and rows */

void canvas_init(struct canvas *canvas, int width, int height, bool unicode); /* sides are clamped to 1..CANVAS_SIDE_MAX */
void canvas_resize(struct canvas *canvas, int width, int height);             /* and cleared */
void canvas_clear(struct canvas *canvas);                                     /* blanks, STYLE_NORMAL */
void canvas_done(struct canvas *canvas);
struct rect canvas_rect(const struct canvas *canvas);                         /* the whole of it */

/* One cell at (x, y) of the rect; outside of it nothing is drawn. */
void canvas_put(struct canvas *canvas, struct rect rect, int x, int y, uint32_t code, enum style style);

/* Text (NUL-terminated UTF-8) from (x, y) of the rect, cut at its right edge.
 * Everything passes the one sanitiser (ui/text.h), so text from a log may be
 * given as it is. Returns the cells used, wide characters counted as 2. */
int canvas_text(struct canvas *canvas, struct rect rect, int x, int y, enum style style, const char *text);

/* The same, ending at column `right` (exclusive) of the rect; cut at the left
 * when it does not fit. */
int canvas_text_right(struct canvas *canvas, struct rect rect, int right, int y, enum style style, const char *text);

/* printf and canvas_text in one; at most 512 bytes. */
int canvas_printf(struct canvas *canvas, struct rect rect, int x, int y, enum style style,
                  const char *format, ...) __attribute__((format(printf, 6, 7)));

void canvas_fill(struct canvas *canvas, struct rect rect, uint32_t code, enum style style);

/* A part of a rect, clipped to it. */
struct rect rect_part(struct rect rect, int x, int y, int width, int height);

/* The canvas as UTF-8 text, one line a row, trailing blanks cut, each line ended
 * with '\n'. With styles, each row is followed by a row of style letters behind
 * a '|'. malloc'd, the caller's. */
char *canvas_to_text(const struct canvas *canvas, bool styles);

/* Are two canvases alike: in size; in the cells of one row of canvases of the
 * same size; in all cells? A canvas after canvas_done is like no other. */
bool canvas_size_equal(const struct canvas *a, const struct canvas *b);
bool canvas_row_equal(const struct canvas *a, const struct canvas *b, int y);
bool canvas_equal(const struct canvas *a, const struct canvas *b);

/* Makes *to like *from; *to may be all zero. */
void canvas_copy(struct canvas *to, const struct canvas *from);
