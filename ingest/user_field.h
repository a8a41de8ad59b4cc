/* The fields that a map or a pattern may fill in, their units, and how a value of a log
 * becomes one of a record. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "log_out.h"
#include "record.h"
#include "str.h"

enum user_kind {
    USER_COUNT,  /* whole: step, rank, tokens, steps, gpus */
    USER_TIME,   /* seconds, or in the unit that is said */
    USER_STAMP,  /* t, end: Unix time in s, ms, us or ns by its size, or a written date */
    USER_RATE,   /* flops */
    USER_SHARE,  /* mfu */
    USER_NAME,   /* host, group */
    USER_JOB,    /* job: takes no value */
    USER_NOTHING /* {} of a pattern */
};

struct user_field {
    enum user_kind kind;
    unsigned place; /* in the table of fields */
    double scale;   /* by the unit; 0: none was said */
};

/* Of its name and unit ("" is none). False with a sentence. */
bool user_field_find(struct str name, struct str unit, struct user_field *ret, char *error,
                     size_t size);

/* Its RECORD_ bit, or a bit of its own for what is no field of a record. */
uint32_t user_field_bit(const struct user_field *field);

#define USER_NAME_BYTES 128

/* A record that is filled in. */
struct user_record {
    struct record record;
    int64_t end_ns;                 /* of field "end"; 0: not there */
    bool no_zone;                   /* of a stamp */
    char names[2][USER_NAME_BYTES]; /* host and group, where they had to be decoded */
    bool not_number, damaged;
};

/* The whole of `value` is the field's value. */
void user_field_put(const struct user_field *field, struct str value, struct user_record *to);

/* Room of USER_NAME_BYTES for the value of that field of kind NAME. */
char *user_field_name(const struct user_field *field, struct user_record *to);

/* The length of the value at the front of s, its unit included; 0: none is there. For kinds but
 * NAME and NOTHING. */
size_t user_field_length(const struct user_field *field, struct str s);

/* Puts it out when it has a time; else counts why not. */
void user_record_out(struct user_record *record, struct log_out *out);
