/* One rank closer, as a page of parts: for view_rank_detail.c and the files that
 * draw the parts (rank_page.c, rank_page_phases.c, rank_page_graphs.c). */
#pragma once

#include "format.h"
#include "sentence.h"
#include "view.h"

#define RANK_PAGE_HEIGHT 120   /* lines; under 60 are used unless it is very narrow */
#define RANK_PAGE_VERDICTS 4   /* on one rank, at most */
#define RANK_PAGE_NARROW 60    /* below it sentences are shorter */

/* Drawn as one long page; then what is to be seen is copied. `x` and `width` are
 * those of the column that is being drawn. */
struct rank_page {
    struct canvas canvas;
    const struct view_model *model;
    const struct summary *summary;
    const struct summary_rank *rank;
    const struct rank_detail *detail;
    int x, width, y;
    /* Lines that the screen has beyond what the page needs, and who gets them. */
    int gaps, histogram_lines, strip_lines;
};

/* Where it is drawn next, `indent` cells from its left edge. */
struct rect rank_page_lines(const struct rank_page *page, int indent);

/* The next line, or lines. */
void rank_page_say(struct rank_page *page, const struct sentence *sentence);
void rank_page_heading(struct rank_page *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A number that is text, or seconds, and its evidence. */
enum evidence rank_page_evidence(const struct rank_page *page, enum evidence kind);
enum evidence rank_page_own_evidence(const struct rank_page *page); /* of own times */
void rank_page_add_number(struct sentence *line, const struct rank_page *page, const char *text,
                          enum evidence kind);
void rank_page_add_time(struct sentence *line, const struct rank_page *page, double seconds,
                        enum evidence kind);

/* The verdicts in force on it, its group or its host; how many. */
size_t rank_page_verdicts(const struct rank_page *page, struct verdict found[RANK_PAGE_VERDICTS]);

/* Its phases beside those of its peers, and which one is to blame. */
void rank_page_phases(struct rank_page *page);

/* How many steps were how slow; the last steps, one by one. */
void rank_page_histogram(struct rank_page *page);
void rank_page_recent(struct rank_page *page);
