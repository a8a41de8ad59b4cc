/* Reported runs to compare an MFU with: what papers say they reached. */
#pragma once

#include <stddef.h>

#include "evidence.h"

/* Static texts, plain ASCII. Shares of the dense peak, 0 to 1; NAN: not given. */
struct mark {
    const char *name;   /* "Llama 3 405B" */
    const char *scale;  /* "16,384 H100" */
    double mfu, hfu;
    double about;       /* a share of the peak that is not said to be MFU or HFU */
    const char *source; /* "Llama 3, Table 4, 8K context" */
};

/* What a report says it computed from its own step times: 'c', as our own MFU is. */
#define MARKS_EVIDENCE EVIDENCE_COMPUTED

const struct mark *marks(size_t *ret_count); /* in the order of the chapter's table */

/* The share to compare with: MFU, else HFU, else `about`; never NAN. */
double mark_share(const struct mark *mark);
const char *mark_share_name(const struct mark *mark); /* "MFU", "HFU", "of peak" */

/* The one whose MFU is nearest; NULL when mfu is not finite. */
const struct mark *mark_nearest(double mfu);
