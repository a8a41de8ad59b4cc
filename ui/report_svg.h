/* The parts of the figures. May be used by report_svg*.c and report_html*.c only.
 *
 * A figure writes its body from the top down and moves `y` on; the frame with the
 * size comes before it when the body is done. Lengths are in units of the view box:
 * text is FIGURE_FONT of them high, so `width` says how much fits beside it. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "format.h"
#include "model.h"
#include "report.h"
#include "sentence.h"
#include "svg.h"

#define FIGURE_WIDTH 600       /* of a file of its own: still to be read on a phone */
#define FIGURE_WIDTH_WIDE 900  /* in a page */
#define FIGURE_WIDTH_PHONE 360 /* in a page, on a small screen */
#define FIGURE_NARROW 500      /* below it what stands side by side goes below each other */

#define FIGURE_FONT 13.0
#define FIGURE_SMALL 11.0
#define FIGURE_LETTER 0.58 /* of the font size: a character is about so wide */
#define FIGURE_LINE 17.0   /* from one line to the next */
#define FIGURE_MARGIN 12.0

struct figure {
    FILE *to;
    FILE *about; /* the description in words, escaped when it is put */
    const struct report_data *data;
    struct view_model model; /* of its summary: sentences are asked of it */
    double width, y;
    bool narrow;
    const char *id; /* before every id in it */
    char title[SENTENCE_BYTES];
};

/* The figures. */
void figure_timeline(struct figure *figure);
void figure_heat(struct figure *figure);
void figure_history(struct figure *figure);
void figure_ledger(struct figure *figure);

/* One of them as an <svg> element of that width. `id` makes its ids unique; `style`:
 * with the rules that it needs. */
void figure_put(FILE *to, const struct report_data *data, enum svg_figure which, double width,
                const char *id, bool style);

/* The rules that all figures share, without <style>. */
void figure_style(FILE *to);

/* ---- what figures share ---- */

/* Sets the title, and begins: title, run, and that it is simulated. */
void figure_begin(struct figure *figure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds a sentence to the description. */
void figure_describe(struct figure *figure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A sentence over the whole width, broken into lines; and the same with words of ours. */
void figure_sentence(struct figure *figure, const struct sentence *sentence);
void figure_say(struct figure *figure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A figure that a log of the whole job cannot give: why, and what would. */
void figure_no_ranks(struct figure *figure, const char *title);
/* A sentence that begins at x. */
void figure_sentence_at(struct figure *figure, double x, const char *css,
                        const struct sentence *sentence);

/* What the letters behind the numbers mean. */
void figure_key(struct figure *figure);

double figure_text_width(const char *text, double font); /* about, and rather more */
/* The text, safe, cut to about that width with a sign that it was. */
#define FIGURE_NAME_BYTES 256
const char *figure_fit(char out[FIGURE_NAME_BYTES], const char *raw, double width, double font);

/* "9.80% m", "4.93 s m"; "-" when it is not known. */
const char *figure_share(char out[FORMAT_BYTES], const struct figure *figure,
                         struct quantity share);
const char *figure_duration(char out[FORMAT_BYTES], const struct figure *figure,
                            struct quantity seconds);
const char *figure_with(char out[FORMAT_BYTES], const struct figure *figure, const char *text,
                        enum evidence evidence);

/* A square that explains a fill, and words behind it; returns where the next begins.
 * It begins a new line where there is no room. */
double figure_legend(struct figure *figure, double x, const char *css, const char *words);

/* An id that is unique: `id`-`name`. */
void figure_hatch(struct figure *figure); /* defines the patterns of the fills below */
void figure_fill(const struct figure *figure, double x, double y, double width, double height,
                 const char *pattern, const char *title); /* "wait", "none" */

/* ---- an axis of numbers ---- */

struct figure_scale {
    double top;    /* the value at its end; 0 is the other */
    double tick;   /* from one to the next */
    double factor; /* a label is value x factor */
    int decimals;
    const char *unit; /* " s", "%", "" */
};
/* Of shares (percent) and of seconds, up to at least `largest`. */
struct figure_scale figure_scale_share(double largest);
struct figure_scale figure_scale_seconds(double largest, int ticks);
const char *figure_scale_text(char out[FORMAT_BYTES], const struct figure_scale *scale,
                              double value);

/* ---- steps from left to right ---- */

/* Where the columns of the overview stand: by positions. */
struct figure_steps {
    const struct overview *overview;
    double left, right;
};
double figure_steps_x(const struct figure_steps *steps, int64_t position);
double figure_steps_begin(const struct figure_steps *steps, size_t column);
double figure_steps_end(const struct figure_steps *steps, size_t column);
/* Labels of step numbers below y, and with `time` the time of day below them. */
void figure_steps_axis(struct figure *figure, const struct figure_steps *steps, bool time);

/* Marks of events: numbers in a strip, those of the table of events, and lines below. */
#define FIGURE_EVENTS_MAX 12
struct figure_events {
    size_t count;                     /* that have a number */
    size_t index[FIGURE_EVENTS_MAX];  /* of data->events */
    size_t column[FIGURE_EVENTS_MAX]; /* of the overview; from left to right */
    size_t others;                    /* that have none */
};
void figure_events_choose(struct figure_events *events, const struct report_data *data);
double figure_events_height(const struct figure_events *events); /* of the strip */
void figure_events_draw(const struct figure *figure, const struct figure_events *events,
                        const struct figure_steps *steps, double top);
void figure_events_lines(const struct figure *figure, const struct figure_events *events,
                         const struct figure_steps *steps, double top, double bottom);
/* What the numbers stand for. */
void figure_events_list(struct figure *figure, const struct figure_events *events);
/* Lines where the job began anew, with words or without. */
void figure_restarts(const struct figure *figure, const struct figure_steps *steps, double top,
                     double bottom, bool words);
