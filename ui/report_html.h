/* The parts of the page. May be used by report_html*.c only. */
#pragma once

#include "report.h"
#include "report_text.h"
#include "svg.h"

struct page {
    FILE *to;
    const struct report_data *data;
    const struct summary *summary;
    bool hosts, groups;   /* some are known */
    struct report report; /* sentences are asked of it; they become items of a list */
};

/* ---- what the parts share ---- */

/* "<tag>text</tag>", the text escaped. */
void page_element(const struct page *page, const char *tag, const char *text);

/* A table begins in a box of its own, which scrolls where the screen is narrow: the
 * caption, and heads of columns up to NULL; "<" before one: a column of words. */
void page_table(const struct page *page, const char *caption, const char *const heads[]);
void page_table_end(const struct page *page);

/* Cells of a row: the first one names it. */
void page_row(const struct page *page, const char *name, const char *css);
void page_cell(const struct page *page, const char *text);  /* a number, at the right */
void page_words(const struct page *page, const char *text); /* raw bytes may stand in it */
void page_row_end(const struct page *page);

/* Numbers with their evidence, and "-". */
void page_duration(const struct page *page, double seconds, enum evidence evidence);
void page_share(const struct page *page, double share, enum evidence evidence);
void page_difference(const struct page *page, double slowdown, enum evidence evidence);
void page_count(const struct page *page, int64_t count);

/* ---- the tables ---- */
void page_checks(const struct page *page);
void page_what_ifs(const struct page *page);
void page_ranks(const struct page *page);
void page_events(const struct page *page);
void page_steps(const struct page *page);
void page_clocks(const struct page *page);
void page_read(const struct page *page);
