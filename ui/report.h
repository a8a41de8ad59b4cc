/* A summary as text for reading and as JSON for scripts. */
#pragma once

#include <stdio.h>

#include "checks.h"
#include "events.h"
#include "overview.h"
#include "summary.h"

/* Text: no escape codes, whatever stands in the log. With `unicode` units such
 * as µs. */
void report_text(FILE *to, const struct summary *summary, bool unicode);

/* One JSON object, "schema": "lockstep-report/1" (DESIGN section 13): keys may be
 * added, these stay; what cannot be known is null. */
void report_json(FILE *to, const struct summary *summary);

/* All that an export is made from. Borrowed. */
struct report_data {
    const struct summary *summary;   /* at the step that is shown, in full (not brief) */
    const struct overview *overview; /* of the span; with slowdowns for the heat map */
    const struct run_events *events;
    const char *title; /* what was read: raw bytes; NULL */
    const struct checks *checks; /* that were asked for, and judged; NULL */
    /* "logs", of who knows other formats: a line or more, with a comma behind it; NULL: none. */
    void (*json_logs)(FILE *to, const void *logs);
    const void *logs;
};

/* The JSON object with all that has happened, and what the conditions came to. */
void report_json_data(FILE *to, const struct report_data *data);

/* A line a condition; nothing when `checks` is NULL. */
void report_checks_text(FILE *to, const struct checks *checks);

/* Tables: RFC 4180, with a line of heads; text that a spreadsheet would take for a formula is
 * made harmless; a value that is not known is empty; the evidence stands in a column. */
enum csv_table { CSV_STEPS, CSV_RANKS, CSV_EVENTS };
void report_csv(FILE *to, const struct report_data *data, enum csv_table table);

/* Figures, each a whole SVG document: text is text, dark and light backgrounds both work. */
enum svg_figure { SVG_TIMELINE, SVG_HEAT, SVG_HISTORY, SVG_LEDGER };
void report_svg(FILE *to, const struct report_data *data, enum svg_figure figure);

/* The same without the XML declaration, to stand in an HTML page. */
void report_svg_inline(FILE *to, const struct report_data *data, enum svg_figure figure);

/* One page with all figures and tables: no script, nothing loaded from outside. */
void report_html(FILE *to, const struct report_data *data);
