/* The parts of the text report. May be used by report_*.c only. */
#pragma once

#include <stdio.h>

#include "format.h"
#include "model.h"
#include "sentence.h"

struct report {
    FILE *to;
    const struct summary *summary;
    bool unicode;
    struct view_model model; /* of that summary: sentences are asked of it */
    /* What takes the sentences in place of lines of text; NULL. `first` is blank for one
     * that goes on with the item before it. */
    void (*sentence)(const struct report *report, const char *first,
                     const struct sentence *sentence);
};

#define REPORT_WIDTH 100 /* of sentences */
#define REPORT_SAFE_BYTES (4 * RUN_TEXT_BYTES)

/* Text from a log through the sanitiser. */
const char *report_safe(char out[REPORT_SAFE_BYTES], const char *raw);

/* "4.93 s m" and "9.80% m"; "-" when it is not known. */
const char *report_duration(char out[FORMAT_BYTES], const struct report *report,
                            struct quantity seconds);
const char *report_share(char out[FORMAT_BYTES], const struct report *report,
                         struct quantity share);

/* A sentence in lines of REPORT_WIDTH, indented; the first one has `first` in
 * place of the last blanks of its indent. */
void report_sentence(const struct report *report, const char *first, int indent,
                     const struct sentence *sentence);

/* Whom to drain and whom not, and why; who was last; what is over. Sentences alone. */
void report_who(const struct report *report);

/* " (node17, pp0)": host and group of a rank, where there are any. */
void report_add_where(struct sentence *line, const struct summary *summary, int64_t rank);

/* A missing rank that is in force, together with those that went missing at the same step, for
 * which report_is_with() holds; and ranks whose records end only a little before the others'. */
bool report_is_with(const struct verdict *one, const struct verdict *other);
void report_missing(const struct report *report, const struct verdict *missing);
void report_behind(const struct report *report);

/* Of a log of the whole job: why nobody can be named, and what would tell; its slow steps. */
void report_no_ranks(const struct report *report);
void report_slow_steps(const struct report *report);
void report_called_steps(const struct report *report);

/* The jitter floor, and what would be won: sentences, and a table. */
void report_cost(const struct report *report);
void report_cost_sentences(const struct report *report);
/* "rank 5", "host node17 (8 ranks), not named". */
void report_say_whose(struct sentence *line, const struct what_if *what_if);

/* Where the GPU time goes, as a table that adds up. */
void report_ledger(const struct report *report);

/* A line a rank; of many the slowest. */
void report_ranks(const struct report *report);
