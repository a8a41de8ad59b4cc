/* The keys of a record: their names, what each value must be, and where it goes
 * in struct record. One table for the fast path, the strict scanner and cJSON. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"

enum field {
    FIELD_RANK,
    FIELD_STEP,
    FIELD_T,
    FIELD_DATA,
    FIELD_FORWARD,
    FIELD_BACKWARD,
    FIELD_SYNC,
    FIELD_OPTIMIZER,
    FIELD_COMPUTE,
    FIELD_STEP_TIME,
    FIELD_TOKENS,
    FIELD_SEQ,
    FIELD_HOST,
    FIELD_GROUP,
    FIELD_SIMULATED,
    FIELD_COMPUTED,
    FIELD_PART,
    FIELD_EVENT,
    FIELD_JOB,
    FIELD_SPAN,
    FIELD_FLOPS,
    FIELD_MFU,
    FIELD_GPUS,
    FIELD_COUNT,
    FIELD_UNKNOWN = FIELD_COUNT
};

/* SECONDS: any number that is kept in 1e-9 of its unit. A word has a bit of its own; any other
 * value is as if the key were not there. */
enum field_type { FIELD_INTEGER, FIELD_SECONDS, FIELD_TEXT, FIELD_FLAG, FIELD_WORD };

struct field_info {
    const char *name;
    enum field_type type;
    uint32_t bit;      /* RECORD_ bit; of a word: the bits of all of them */
    size_t offset;     /* of its int64_t in struct record (rank: uint32_t; text: struct str) */
    int64_t max;       /* largest value, in the record's own unit (nanoseconds, counts) */
    const char *range; /* what is said when a value is out of bounds */
    int64_t min;       /* smallest value likewise */
};

extern const struct field_info field_infos[FIELD_COUNT];

enum field field_of(const char *key, size_t len); /* FIELD_UNKNOWN when it is not one */

/* Puts a value of an INTEGER or SECONDS field (nanoseconds) into the record.
 * False and *ret_why when it is out of range. */
bool field_put(struct record *record, enum field field, int64_t value, const char **ret_why);

/* The same from a floating-point number, for what the exact path does not read
 * (exponents): seconds or a count. `t` keeps microseconds, all a double holds. */
bool field_put_double(struct record *record, enum field field, double value, const char **ret_why);

void field_put_text(struct record *record, enum field field, struct str text);

/* "event": "checkpoint" or "validation"; any other text leaves no bit. */
void field_put_event(struct record *record, struct str text);

/* Whether it is a record at all: step, and a time. The rank may still come from
 * a prefix or the file's name; one of the whole job needs none. */
bool record_is_timing(const struct record *record);
