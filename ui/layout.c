/* From the size of the screen to rectangles. */
#include "layout.h"

#define LIST_WIDTH 20
#define BARS_WIDTH 40
#define LEAST_HEIGHT 4 /* of the list and of the bars */
#define FIRST_RANKS 8  /* get their rows before anything but header and verdict */
#define RANK_HEIGHT_MAX 4
#define STRIP_HEIGHT_MAX 6
#define VERDICTS_MAX 4
#define ALARMS_MAX 4
#define WHOLE_TALL 16    /* lines from which one part leaves room for the others */
#define PLAYBACK_LEAST 8 /* lines of a screen that has one for a replay's place */

/* Lines given to each part, from top to bottom. */
struct lines {
    int header, verdict, alarms, gap_above, heads, bars, axis, legend, gap_below, strips, playback,
        keys;
    int left; /* not given to anybody yet */
};

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Gives up to `count` lines more to a part. */
static void give(struct lines *lines, int *part, int count)
{
    int given = least(count, lines->left);
    if (given > 0) {
        *part += given;
        lines->left -= given;
    }
}

/* Half of a pair of gaps, or a part that is useless when it is cut, all or none. */
static void give_whole(struct lines *lines, int *part, int count)
{
    if (count <= lines->left)
        give(lines, part, count);
}

/* In the order of what is missed most. */
static void share_out(struct lines *lines, const struct layout_want *want, int ranks)
{
    give(lines, &lines->header, 1);
    give(lines, &lines->verdict, 1);
    give(lines, &lines->playback, want->playback && lines->left > PLAYBACK_LEAST - 3);
    give(lines, &lines->alarms, want->alarms > 0 && lines->left > 4);
    give(lines, &lines->heads, ranks > lines->left);
    give(lines, &lines->bars, least(ranks, FIRST_RANKS));
    give(lines, &lines->keys, 1);
    give(lines, &lines->axis, 1);
    give(lines, &lines->heads, lines->heads == 0);
    give(lines, &lines->strips, 1);
    give(lines, &lines->header, 1);
    give(lines, &lines->strips, 1);
    give(lines, &lines->legend, want->legend);
    give(lines, &lines->gap_above, 1);
    give(lines, &lines->gap_below, 1);
    give(lines, &lines->strips, 1);
    give(lines, &lines->verdict, least(want->verdicts, VERDICTS_MAX) - 1);
    give(lines, &lines->alarms, least(want->alarms, ALARMS_MAX) - lines->alarms);
    give(lines, &lines->axis, 1);
}

/* What is left once every part has what it needs: ranks first, but a tall
 * screen keeps some for taller strips; then taller bars. */
static void share_rest(struct lines *lines, struct layout *layout, int height, int ranks)
{
    int strips = lines->strips;
    int reserved = strips > 0 ? least((height - 24) / 12, STRIP_HEIGHT_MAX - 1) * strips : 0;
    reserved = reserved < 0 ? 0 : least(reserved, lines->left);
    lines->left -= reserved;
    give(lines, &lines->bars, ranks - lines->bars);
    lines->left += reserved;
    layout->rank_height = 1;
    while (lines->bars == ranks * layout->rank_height && ranks > 0 &&
           layout->rank_height < RANK_HEIGHT_MAX && lines->left - reserved >= ranks) {
        give(lines, &lines->bars, ranks);
        layout->rank_height++;
    }
    while (strips > 0 && layout->strip_height < STRIP_HEIGHT_MAX && lines->left >= strips) {
        give_whole(lines, &lines->strips, strips);
        layout->strip_height++;
    }
}

static struct rect take_lines(int width, int *y, int count)
{
    struct rect rect = {0, *y, width, count};
    *y += count;
    return rect;
}

static void place(struct layout *layout, const struct lines *lines, int width, int height)
{
    int y = 0;
    layout->header = take_lines(width, &y, lines->header);
    layout->verdict = take_lines(width, &y, lines->verdict);
    layout->alarms = take_lines(width, &y, lines->alarms);
    y += lines->gap_above;
    layout->heads = take_lines(width, &y, lines->heads);
    layout->bars = take_lines(width, &y, lines->bars);
    layout->axis = take_lines(width, &y, lines->axis);
    layout->legend = take_lines(width, &y, lines->legend);
    y += lines->gap_below;
    layout->strips = take_lines(width, &y, lines->strips);
    y = height - lines->keys - lines->playback;
    layout->playback = take_lines(width, &y, lines->playback);
    layout->keys = take_lines(width, &y, lines->keys);
}

/* What stands in place of the bars gets all that the lines around it leave. */
static void make_whole(struct layout *layout, int width, int height, const struct layout_want *want)
{
    struct lines lines = {.left = height};
    bool tall = height >= WHOLE_TALL;
    give(&lines, &lines.header, 1);
    give(&lines, &lines.verdict, 1);
    give(&lines, &lines.bars, 1);
    give(&lines, &lines.keys, lines.left > 2);
    give(&lines, &lines.playback, want->playback && height >= PLAYBACK_LEAST);
    give(&lines, &lines.alarms, want->alarms > 0 && lines.left > 3);
    give(&lines, &lines.header, tall && width >= BARS_WIDTH);
    give(&lines, &lines.gap_above, tall);
    give(&lines, &lines.verdict, tall ? least(want->verdicts, VERDICTS_MAX) - 1 : 0);
    give(&lines, &lines.alarms, tall ? least(want->alarms, ALARMS_MAX) - lines.alarms : 0);
    give(&lines, &lines.bars, lines.left);
    layout->rank_height = 1;
    layout->rank_rows = lines.bars;
    place(layout, &lines, width, height);
}

static void make_bars(struct layout *layout, int width, int height, const struct layout_want *want)
{
    struct lines lines = {.left = height};
    int ranks = want->ranks < 1 ? 1 : want->ranks;
    share_out(&lines, want, ranks);
    layout->strip_count = lines.strips;
    layout->strip_height = lines.strips > 0;
    share_rest(&lines, layout, height, ranks);
    layout->rank_rows = lines.bars / layout->rank_height;
    place(layout, &lines, width, height);
}

static void make_list(struct layout *layout, int width, int height, const struct layout_want *want)
{
    struct lines lines = {.left = height};
    give(&lines, &lines.header, 1);
    give(&lines, &lines.verdict, 1);
    give(&lines, &lines.playback, want->playback && lines.left > PLAYBACK_LEAST - 3);
    give(&lines, &lines.keys, want->ranks > lines.left); /* how many have no row */
    give(&lines, &lines.bars, want->ranks < 1 ? 1 : want->ranks);
    give(&lines, &lines.keys, lines.keys == 0);
    layout->rank_height = 1;
    layout->rank_rows = lines.bars;
    place(layout, &lines, width, height);
}

struct layout layout_make(int width, int height, const struct layout_want *want)
{
    struct layout layout = {.kind = LAYOUT_BLANK};
    if (width < 2 || height < 1)
        return layout;
    if (width < LIST_WIDTH || height < LEAST_HEIGHT) {
        layout.kind = LAYOUT_LINE;
        layout.header = (struct rect){0, 0, width, 1};
    } else if (want->whole) {
        layout.kind = width < BARS_WIDTH ? LAYOUT_LIST : LAYOUT_BARS;
        make_whole(&layout, width, height, want);
    } else if (width < BARS_WIDTH) {
        layout.kind = LAYOUT_LIST;
        make_list(&layout, width, height, want);
    } else {
        layout.kind = LAYOUT_BARS;
        make_bars(&layout, width, height, want);
    }
    return layout;
}
