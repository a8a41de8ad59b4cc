/* Where a number comes from: the four kinds that the chapter labels. Every
 * number that is shown carries one. */
#pragma once

#include <math.h>
#include <stdbool.h>

enum evidence {
    EVIDENCE_NONE,      /* there is no number */
    EVIDENCE_MEASURED,  /* m: observed by the job's own clocks */
    EVIDENCE_COMPUTED,  /* c: derived by a formula or a model */
    EVIDENCE_SIMULATED, /* s: a program imitated the hardware */
    EVIDENCE_EXAMPLE,   /* e: our example, round numbers */
};

/* A number and its evidence; the unit is said where it is declared. With
 * EVIDENCE_NONE the value means nothing and is shown as "-" (null in JSON). */
struct quantity {
    double value;
    enum evidence evidence;
};

static inline struct quantity quantity_none(void)
{
    return (struct quantity){NAN, EVIDENCE_NONE};
}

static inline bool quantity_known(struct quantity q)
{
    return q.evidence != EVIDENCE_NONE;
}

char evidence_letter(enum evidence evidence);      /* 'm', 'c', 's', 'e', or ' ' for none */
const char *evidence_name(enum evidence evidence); /* "measured", ...; "none" */
