/* Writes a record as one line of JSON, the way decode reads it. Locale-free and
 * fast: digits are put down two at a time. */
#pragma once

#include <stddef.h>

#include "record.h"

/* Room that is enough for any record, its newline included. */
#define RECORD_JSON_MAX 2048
/* A longer host or group is cut there, never inside a UTF-8 sequence. */
#define RECORD_JSON_NAME_MAX 128

/* Writes the fields that record->has names, and a newline (no NUL), into `to`.
 * Times are seconds with six decimals, rounded to the nearest from the
 * nanoseconds (halves up); `mfu` is exact. A record of the whole job has no rank. Host and group are escaped; bytes that are not UTF-8
 * become U+FFFD. Returns the bytes written. The record must be within its
 * bounds (assert); it need not have any particular field. */
size_t record_json_write(char to[static RECORD_JSON_MAX], const struct record *record);

/* The same, but a time that is no whole number of microseconds has nine decimals: what is read
 * back is this record, to the nanosecond. */
size_t record_json_write_exact(char to[static RECORD_JSON_MAX], const struct record *record);
