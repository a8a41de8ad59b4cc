/* A strict single pass over one JSON object that holds a record: keys in any
 * order, flat values. What it does not read itself (escapes in a string, nested
 * values, exponents beyond the exact path) it hands on as UNUSUAL, to cJSON. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "fields.h"
#include "record.h"

enum scan_result {
    SCAN_OK,      /* an object; whether it is a record is not said */
    SCAN_UNUSUAL, /* perhaps an object: escapes or nesting, ask cJSON */
    SCAN_INVALID, /* not JSON */
    SCAN_RANGE,   /* JSON, but a known key has an impossible value */
};

/* Where the values stood, so that the next line can be guessed. */
#define SCAN_VALUES_MAX 24
struct scan_values {
    int count;     /* more than SCAN_VALUES_MAX: there were too many to note */
    bool repeated; /* a known key stands there twice */
    struct {
        size_t begin, end; /* offsets from the '{' */
        enum field field;
        enum { SCAN_NUMBER, SCAN_TEXT, SCAN_CONSTANT } type; /* constant: true, false, null */
    } at[SCAN_VALUES_MAX];
};

/* Of a key that stands there twice the last one counts; null says that there is
 * no value. Reads the object whose '{' is at p; reads no byte at or after end. The record
 * is written from scratch (slices point into the text). *ret_end is the place
 * after its '}' when SCAN_OK; *ret_why says what is wrong otherwise. */
enum scan_result json_scan(const char *p, const char *end, struct record *record,
                           struct scan_values *values, const char **ret_end, const char **ret_why);

/* Whether [p, end) begins with one valid JSON value nested at most 64 deep;
 * *ret_end is the place after it. cJSON takes invalid JSON ("04.33") for valid. */
bool json_valid(const char *p, const char *end, const char **ret_end, const char **ret_why);

/* The place after the string whose first quote is at p, NULL when it is not one. *escaped comes
 * back true when it holds a backslash, and is not touched else. */
const char *json_string_end(const char *p, const char *end, bool *escaped);

/* The place after the JSON number at p, NULL when there is none, or one longer
 * than cJSON reads (63 bytes). */
const char *json_number_end(const char *p, const char *end);

/* Puts the number in [p, end), which is a valid one, into the record: decimal
 * digits exactly, half a nanosecond rounded up. SCAN_OK, or SCAN_RANGE and
 * *ret_why. Only for fields that hold numbers. */
enum scan_result json_put_number(struct record *record, enum field field, const char *p,
                                 const char *end, const char **ret_why);

/* The members of a valid object one by one; *at begins at its '{'. False after
 * the last. The key is without its quotes, escapes as written. */
bool json_next_member(const char **at, const char *end, struct str *ret_key, struct str *ret_value);
