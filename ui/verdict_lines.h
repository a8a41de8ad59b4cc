/* Verdicts in words: who holds the job up, since when, in which phase; or that
 * nobody does; or why that cannot be told. */
#pragma once

#include "model.h"
#include "sentence.h"

#define VERDICT_LINES_MAX 8

/* The most urgent first, `max` lines at most (1 to VERDICT_LINES_MAX), at least
 * one. Each is shortened, by leaving words out, to fit `width` cells where it
 * can. Of what does not fit into the lines the last one says how much it is; where
 * there is room, another line says what the waiting costs.
 * Returns the number of lines. */
int verdict_lines(const struct view_model *model, int width, struct sentence *lines, int max);

/* One verdict, not CANNOT_TELL, in force or past, in
 * the longest wording that fits, else in the shortest. */
void verdict_line(const struct view_model *model, int width, const struct verdict *verdict,
                  struct sentence *line);

/* That ranks are missing now, by the clock; false, nothing added, where none is. */
bool verdict_missing(const struct view_model *model, struct sentence *line);

/* How many lines there are to say when there is room. */
int verdict_lines_wanted(const struct view_model *model);
