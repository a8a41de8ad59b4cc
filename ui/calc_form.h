/* The arguments of Panels 1.1 and 1.2, where each comes from, and the keys that
 * change them. A plain value: the screen fills a copy of it from the run that is
 * watched for each picture; `lockstep calc` fills it from its options. */
#pragma once

#include <stdbool.h>

#include "calc.h"
#include "calc_argument.h"
#include "keys.h"
#include "summary.h"

enum calc_from {
    CALC_FROM_CHAPTER, /* its default */
    CALC_FROM_RUN,     /* the run that is watched, or its description */
    CALC_FROM_MFU,     /* MFU x peak: the chapter's rate is that of another chip */
    CALC_FROM_USER,    /* keys and options */
};
const char *calc_from_name(enum calc_from from); /* "chapter", "run", "MFU x peak", "yours" */

struct calc_value {
    double value; /* in the unit of calc.h: FLOP/s, shares of 1; NAN: not known */
    enum calc_from from;
    enum evidence evidence; /* put in by hand (by the chapter, the run's description, the
                               user): e; counted: m; computed from the run: c, or s */
};

#define CALC_ENTRY_BYTES 20

struct calc_form {
    struct calc_value values[CALC_COUNT];
    char chip[RUN_TEXT_BYTES]; /* whose peak it is; "" when it is nobody's; raw bytes */
    enum calc_argument cursor;
    bool editing;
    char entry[CALC_ENTRY_BYTES]; /* being typed: printable ASCII */
    char message[120]; /* what is wrong with the last key, until the next one; "" */
};

void calc_form_init(struct calc_form *form); /* the chapter's */

/* What the run says over all that the user has not changed; what it does not say
 * is the chapter's. GPU-hours are the chapter's only as long as its model is. */
void calc_form_fill(struct calc_form *form, const struct summary *summary);

/* The same from the description of a run alone. */
void calc_form_fill_run(struct calc_form *form, const struct run *run);

/* As if the user had typed it, in the unit of calc.h. False, and *form untouched,
 * when it is out of bounds. */
bool calc_form_set(struct calc_form *form, enum calc_argument argument, double value);

/* Back to what the next fill gives it. */
void calc_form_reset(struct calc_form *form, enum calc_argument argument);

/* The peak of this chip, which is known to be peak_flops. */
void calc_form_set_chip(struct calc_form *form, const char *chip, double peak_flops);

/* Up and Down choose the argument, Left and Right change it, digits and Enter edit
 * it, r gives it back to the run or the chapter, u all of them. False: not a key
 * of the form. An entry that is no number stays open, with a message. */
bool calc_form_key(struct calc_form *form, struct key_event event);

/* What to compute with. Panel 1.2 goes on from 6ND in three digits, as the chapter. */
struct calc_training calc_form_training(const struct calc_form *form);
struct calc_point calc_form_point(const struct calc_form *form);

/* The evidence of what is computed from the arguments: c; s when one is simulated. */
enum evidence calc_form_evidence(const struct calc_form *form);

/* The chip as a word: "H100", or "GPU". Raw bytes. */
const char *calc_form_chip(const struct calc_form *form);
