/* The fields that a map or a pattern may fill in, their units, and how a value of a log
 * becomes one of a record. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log_out.h"
#include "record.h"
#include "str.h"
#include "user_unit.h"

struct user_field {
    enum user_kind kind;
    unsigned place;   /* in the table of fields */
    size_t offset;    /* of its int64_t in a user_record; not of rank */
    uint32_t divisor; /* of plain numbers: read as seconds, in ns, they become the field's value by
                         this; 0: they do not. Of COUNT: 1, or 0 */
    unsigned places;  /* digits behind the point of a plain number that its value has room for */
    uint64_t most;    /* of a plain number's value */
    uint32_t bit;     /* its RECORD_ bit, or one of its own for what is no field of a record; 0:
                         NOTHING */
    double scale;     /* by the unit; 0: none was said */
};

/* Of its name and unit ("" is none). False with a sentence. */
bool user_field_find(struct str name, struct str unit, struct user_field *ret, char *error,
                     size_t size);

/* user_unit_at() for a value of the field: of counts only tokens have a unit behind a blank. */
void user_field_unit(const struct user_field *field, struct str s, struct str whole,
                     struct user_unit *ret);

#define USER_NAME_BYTES 128
#define USER_BIT_EPOCH (UINT32_C(1) << 30) /* of the fields "epoch" and "epoch_steps" */
#define USER_BIT_EPOCH_STEPS (UINT32_C(1) << 29)

/* A record that is filled in. A field that is put again has its last value. */
struct user_record {
    struct record record;
    uint32_t own;                   /* bits of fields that are there, but of no record: the next */
    int64_t end_ns;                 /* of field "end"; 0: not there */
    int64_t epoch, epoch_steps;     /* likewise */
    bool in_epochs;                 /* its format numbers steps in epochs: these must be there */
    bool no_zone;                   /* of a stamp */
    bool coarse;                    /* a stamp is in whole seconds */
    bool unclear;                   /* the unit of a bad one */
    uint32_t odd;                   /* bits of fields whose values are nan, inf and the like */
    uint32_t bad;                   /* of fields whose values are not what they should be */
    char names[2][USER_NAME_BYTES]; /* host and group, where they had to be decoded */
};

void user_record_begin(struct user_record *record);

/* As if it had never been put. */
void user_field_clear(const struct user_field *field, struct user_record *to);

/* The value is of another kind. */
void user_field_spoil(const struct user_field *field, struct user_record *to);

/* The whole of `value` is the field's value. At least 32 bytes must be readable behind it. */
void user_field_put(const struct user_field *field, struct str value, struct user_record *to);

/* A value that stands at the front of a text. */
struct user_value {
    enum {
        USER_ABSENT, /* there is none */
        USER_ODD,    /* nan and the like */
        USER_EXACT,  /* `whole` is as the record has it: no unit */
        USER_NUMBER
    } form;
    bool no_zone;        /* of a written date */
    bool unclear;        /* what stands behind it may be its unit, or not; or it can be none */
    size_t length, unit; /* bytes: of the value without its unit; of the unit, a blank between
                            included */
    int64_t whole;
    double number, scale; /* scale: by the unit; 0: none */
};

/* Of kinds but NAME and NOTHING. At least 32 bytes must be readable behind s. */
void user_field_read(const struct user_field *field, struct str s, struct user_value *ret);

/* Puts what was read at the front of s. */
void user_field_take(const struct user_field *field, struct str s, const struct user_value *value,
                     struct user_record *to);

/* Room of USER_NAME_BYTES for the value of that field of kind NAME. */
char *user_field_name(const struct user_field *field, struct user_record *to);

/* Puts it out when it has a time; else counts why not. With epochs its step is numbered through:
 * epoch * epoch_steps + step. */
void user_record_out(struct user_record *record, struct log_out *out);
