/* What waiting costs, in words: one wording for screens and reports. */
#pragma once

#include "model.h"
#include "sentence.h"

/* The what-if about whom a verdict names; NULL when there is none. */
const struct what_if *cost_of_verdict(const struct summary *summary,
                                      const struct verdict *verdict);

/* The what-if about all that are named, together; NULL when nobody is. */
const struct what_if *cost_of_named(const struct summary *summary);

/* "rank 5", "stage3", "every rank of node17", "the 3 that are named"; "nobody". */
void cost_add_named(struct sentence *sentence, const struct summary *summary);

/* "worth +4.1 points c", else "costs 7.0% c of the GPU time"; with a lower bound
 * "at least", or ">" in few words. False, nothing added, when it is not known. */
bool cost_add_worth(struct sentence *sentence, const struct view_model *model,
                    const struct verdict *verdict, bool few_words);

/* "repairing rank 5 wins between 1.6% c and 5.6% c ...": why the floor and the what-if
 * differ, where they do; false when there is nothing to explain. */
bool cost_between_line(const struct view_model *model, struct sentence *line);

/* "9.8% m of the GPU time waits: 2.8% c is what 8 equal ranks lose by chance, 7.0% c
 * is rank 5", shortened to `width` cells; its figures add up as they are shown.
 * False when it is not known, or does not fit even in its shortest words. */
bool cost_waiting_line(const struct view_model *model, int width, struct sentence *line);
