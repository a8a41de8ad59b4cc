/* What a report is written as, and where to. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "options.h"

enum report_form {
    REPORT_TEXT,
    REPORT_JSON,
    REPORT_CSV,
    REPORT_SVG,
    REPORT_HTML,
};

/* The form that the options name, else that of the ending of --output, else text. 0, or the
 * exit status after the message was printed. */
int report_form_of(const struct options *options, enum report_form *ret_form);

/* "steps", "ranks", "events": enum csv_table; "timeline", ...: enum svg_figure. Without an option
 * the first of each. */
int report_table_of(const struct options *options);
int report_figure_of(const struct options *options);

/* The report goes to a file of --output, not to standard output. */
bool report_to_file(const struct options *options);

/* Calls `write` with standard output or the file of --output, which is written whole or not at
 * all. 0, or the exit status after the message was printed. */
int report_write(const struct options *options, void (*write)(FILE *to, const void *what),
                 const void *what);
