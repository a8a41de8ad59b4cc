/* From the size of the screen to rectangles. Pure; for every size, all of them
 * lie inside the screen and none overlaps another. What there is no room for is
 * empty (width or height 0).
 *
 *     80 x 24 and up   everything; more room gives more ranks, then taller bars and strips
 *     60 x 16          without the second line of the axis, fewer strips
 *     40 x 10          header, verdict, eight bars
 *     20 x  4          a list of ranks without bars
 *     smaller          one line: the slowest rank
 *     1 x 1            blank */
#pragma once

#include "canvas.h"

enum layout_kind {
    LAYOUT_BLANK,
    LAYOUT_LINE,
    LAYOUT_LIST,
    LAYOUT_BARS,
};

/* What the content would like to have. */
struct layout_want {
    int ranks;    /* rows of bars: the ranks that pass the filter */
    int verdicts; /* lines, at least 1 */
    int alarms;   /* lines */
    bool legend;  /* of the phases in the bars */
    bool playback; /* where a replay is: a line above the keys, from 8 lines on */
    bool whole;    /* no ranks: `bars` is one part down to the keys; no heads, axis, legend, strips */
};

struct layout {
    enum layout_kind kind;
    struct rect header;  /* 1 or 2 lines */
    struct rect verdict; /* 1 line and up */
    struct rect alarms;
    struct rect heads; /* column heads, and how many ranks are not shown */
    struct rect bars;
    struct rect axis; /* 1 line: labels; 2 lines: ticks and labels */
    struct rect legend;
    struct rect strips;
    struct rect playback;
    struct rect keys;
    int rank_rows;    /* ranks that fit into bars, or into the list */
    int rank_height;  /* lines for one rank: 1; 2 to 4 end with a blank one */
    int strip_count;  /* 0 to STRIP_COUNT */
    int strip_height; /* lines for one strip */
};

#define STRIP_COUNT 3 /* MFU, step time, wait share */

struct layout layout_make(int width, int height, const struct layout_want *want);
