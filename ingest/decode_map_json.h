/* Objects of JSON, of which a map names keys. */
#pragma once

#include "user_format_inside.h"

#define MAP_RECORDS_SURE 32 /* so many without a value of a key, and it is told */

/* Which keys of the map were there. All zero is the beginning. */
struct map_seen {
    uint32_t bits; /* of the fields */
    uint32_t records;
    bool told;
};

/* Tells, as a remark on the map, of those of its elements (bits) that have no value there. */
void map_tell_missing(const struct user_format *user, uint64_t keys, const char *where,
                      struct log_out *out);

/* Reads the object whose '{' is at p, in one pass: the values of the map's keys are put into the
 * record. The place after its '}'; NULL: it is torn or invalid, and the record is of no use. NaN
 * and Infinity are numbers, as they are to Python. Up to 64 bytes behind `end` must be readable. */
const char *map_json_object(const struct user_format *user, const char *p, const char *end,
                            struct user_record *record);

/* An object alone in its line like one before, whose form was learned: what it comes to. False: it
 * is to be read, nothing has come of it. */
bool map_json_again(const struct user_format *user, struct map_seen *seen,
                    const struct log_values *values, struct log_out *out);

/* A line that may hold objects of the map, one or several, with text around them or in a list. */
enum log_answer map_json_line(const struct user_format *user, struct map_seen *seen,
                              const struct log_line *line, struct log_out *out);

/* The input has ended: tells of a key that had no value in its records. */
void map_json_end(const struct user_format *user, struct map_seen *seen, struct log_out *out);
