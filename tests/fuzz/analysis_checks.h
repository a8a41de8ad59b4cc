/* What must hold of every summary, whatever was read: for fuzz_analysis.c. */
#pragma once

#include "summary.h"

/* Numbers are finite when they are known, shares add up, what is sorted is sorted. */
void check_summary(const struct summary *summary);

/* One rank closer. */
void check_detail(const struct rank_detail *detail, const struct summary *summary);

/* A screen, or all of them, at one of several sizes: nothing that is no number, no control
 * characters. */
struct view_model;
void check_screens(struct view_model *model, unsigned choice, bool whole);

/* Both reports: nothing that is no number, no control characters, JSON that parses. The JSON
 * comes back, malloc'd. */
char *check_reports(const struct summary *summary);
