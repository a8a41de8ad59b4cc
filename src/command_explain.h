/* lockstep explain: what is in a log, and what it can and cannot tell. */
#pragma once

#include <stdio.h>

#include "command_explain_read.h"
#include "command_explain_tells.h"

/* Lines of 80 columns; everything from the log is sanitised. */
void explain_text(FILE *to, const struct explained *explained, const struct options *options);
void explain_json(FILE *to, const struct explained *explained, const struct options *options);

/* All formats, one after another: name, needs, tells. */
void explain_formats_text(FILE *to, const struct command_logs *logs);
void explain_formats_json(FILE *to, const struct command_logs *logs);

/* ---- parts of lines (command_explain_lines.c) ---- */

#define EXPLAIN_COLUMNS 80

/* The text, wrapped at blanks; `head` before the first line, `indent` blanks before the others.
 * Sanitised. */
void explain_wrap(FILE *to, const char *head, int indent, const char *text);

/* One line: so much of the text as fits, "..." behind what is cut. */
void explain_cut(FILE *to, const char *head, struct str text);
