/* What was read for the page, what was not, and how well the clocks agree. */
#include "report_html.h"

#include <math.h>

#include "clock_lines.h"
#include "clocks.h"
#include "job_lines.h"

#define CLOCKS_MAX 64

/* ---- clocks ---- */

static void put_time(const struct page *page, const char *text)
{
    char with[FORMAT_BYTES];
    bool known = text[0] != '-' || text[1] != '\0';
    enum evidence evidence = known ? EVIDENCE_COMPUTED : EVIDENCE_NONE;
    page_cell(page, format_evidence(with, text, model_evidence(&page->report.model, evidence)));
}

static void put_clock(const struct page *page, const struct clock_offset *clock)
{
    char text[FORMAT_BYTES];
    snprintf(text, sizeof(text), "%lld", (long long)clock->rank);
    page_row(page, text, "");
    page_words(page, clock->host);
    put_time(page, clock_offset_text(text, clock->offset_s, true));
    page_duration(page, clock->error_s, EVIDENCE_COMPUTED);
    put_time(page, clock_drift_text(text, clock->drift, true));
    page_count(page, clock->steps);
    page_row_end(page);
}

void page_clocks(const struct page *page)
{
    static const char *const heads[] = {"rank",  "<host",   "offset", "error",
                                        "drift", "samples", NULL};
    const struct summary *summary = page->summary;
    const struct clock_offset *farthest = clock_farthest(summary);
    size_t off = clocks_off(summary), put = 0;
    char text[FORMAT_BYTES], line[3 * FORMAT_BYTES];
    if (!farthest)
        return;
    snprintf(line, sizeof(line), "Clocks: the farthest is off by %s %c; %s",
             format_duration(text, fabs(farthest->offset_s), true),
             evidence_letter(model_evidence(&page->report.model, EVIDENCE_COMPUTED)),
             off > 0 ? "these are off by more than 1 ms." : "none is surely off by 1 ms.");
    page_element(page, "p", line);
    if (off == 0)
        return;
    page_table(page, "Clocks that are off", heads);
    for (size_t i = 0; i < summary->clock_count && put < CLOCKS_MAX; i++) {
        if (!clock_is_off(&summary->clocks[i]))
            continue;
        put_clock(page, &summary->clocks[i]);
        put++;
    }
    page_table_end(page);
    if (off > put) {
        snprintf(line, sizeof(line), "and %s more", format_count(text, (int64_t)(off - put)));
        page_element(page, "p", line);
    }
}

/* ---- conditions ---- */

void page_checks(const struct page *page)
{
    static const char *const heads[] = {"<condition", "<holds", "<why", NULL};
    const struct checks *checks = page->data->checks;
    if (!checks || checks->count == 0)
        return;
    fputs("<section>\n<h2>Conditions</h2>\n", page->to);
    page_table(page, "What was asked for, and whether it holds", heads);
    for (size_t i = 0; i < checks->count && i < CHECKS_MAX; i++) {
        const struct check *check = &checks->items[i];
        fprintf(page->to, "<tr%s><th scope=\"row\" class=\"words\">",
                check->holds ? "" : " class=\"slow\"");
        svg_escape(page->to, check->text);
        fputs("</th>", page->to);
        page_words(page, check->holds ? "yes" : "NO");
        page_words(page, check->sentence);
        page_row_end(page);
    }
    page_table_end(page);
    fputs("</section>\n", page->to);
}

/* ---- records ---- */

static void put_count(const struct page *page, const char *what, uint64_t count, bool always)
{
    char text[FORMAT_BYTES];
    if (count == 0 && !always)
        return;
    fputs("<tr><th scope=\"row\" class=\"words\">", page->to);
    svg_escape(page->to, what);
    fputs("</th>", page->to);
    page_cell(page, format_count_unsigned(text, count));
    page_row_end(page);
}

void page_read(const struct page *page)
{
    static const char *const heads[] = {"<what", "count", NULL};
    const struct source_counts *counts = &page->summary->source;
    char text[FORMAT_BYTES];
    page_table(page, "What was read, and what was not", heads);
    put_count(page, "records", counts->records, true);
    put_count(page, "other lines", counts->other, true);
    put_count(page, "damaged lines", counts->damaged, true);
    put_count(page, "of these too long", counts->too_long, false);
    put_count(page, "a second record for the same rank and step", counts->duplicate, true);
    put_count(page, "late, after their step was closed", counts->late, true);
    put_count(page, "of these too late for the averages", counts->too_late, false);
    put_count(page, "dropped on the way", counts->dropped, true);
    put_count(page, "refused", counts->refused, false);
    put_count(page, "NUL bytes skipped", counts->nul_bytes, false);
    put_count(page, "values that are no numbers", counts->not_numbers, false);
    put_count(page, "values over the chip's peak, not used", counts->impossible, false);
    put_count(page, "values that time stamps disagree with", counts->disagree, false);
    if (counts->bytes > 0) {
        fputs("<tr><th scope=\"row\" class=\"words\">size</th>", page->to);
        page_cell(page, format_bytes(text, counts->bytes));
        page_row_end(page);
    }
    page_table_end(page);
    bool any = false;
    for (int64_t i = 0; i < page->summary->complaint_count && i < COMPLAINTS_MAX; i++) {
        if (job_is_noise(page->summary, page->summary->complaints[i]))
            continue;
        if (!any)
            fputs("<h3>The first lines that are not right</h3>\n<ul>\n", page->to);
        any = true;
        page_element(page, "li", page->summary->complaints[i]);
    }
    if (any)
        fputs("</ul>\n", page->to);
}
