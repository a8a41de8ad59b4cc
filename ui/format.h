/* Numbers as people read them: three significant digits and a sensible unit for
 * durations, thousands separators for counts, a sign for differences, "-" for
 * what is not known. No locale. Used by the screens and by the text report.
 *
 * Each function writes into `out` (FORMAT_BYTES, always NUL-terminated) and
 * returns it, so that a call can stand in an argument list. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "evidence.h"

#define FORMAT_BYTES 48

/* "4.93 s", "812 ms", "12.3 us" ("µs" with unicode), "16.7 min", "2.78 h",
 * "11.6 d"; zero is "0 s"; NAN and infinity are "-". */
const char *format_duration(char out[FORMAT_BYTES], double seconds, bool unicode);

/* How long ago, in whole seconds: "12 s", "3 min 05 s", "2 h 14 min", "3 d 04 h". */
const char *format_elapsed(char out[FORMAT_BYTES], double seconds);

/* How long nothing has happened, rounded down to 1, 2, 5, 10, 20, 30 s, minutes,
 * tens of minutes, hours or days: "over 20 s". It changes seldom, so that a
 * screen on which nothing happens sends next to nothing. */
const char *format_silence(char out[FORMAT_BYTES], double seconds);

/* A moment in UTC: "2026-11-29 15:30:38Z"; "-" when it is not one. */
const char *format_moment(char out[FORMAT_BYTES], double unix_seconds);

/* The same by a log's clock whose zone may not be known: then without the "Z". */
const char *format_log_moment(char out[FORMAT_BYTES], double unix_seconds, bool zone_unknown);

/* Since when: "15:30:38Z", where that is less than 20 hours ago; else with its day. */
const char *format_since(char out[FORMAT_BYTES], double unix_seconds, double ago_s);

/* One unit and one number of decimals for a whole column, so that its values
 * line up; the largest of them gets three significant digits. */
struct format_scale {
    double factor; /* seconds x factor is the number shown */
    int decimals;
    const char *unit; /* static */
};
struct format_scale format_scale_of(double largest_seconds, bool unicode);
const char *format_scaled(char out[FORMAT_BYTES], const struct format_scale *scale, double seconds);

/* 12345 is "12,345". */
const char *format_count(char out[FORMAT_BYTES], int64_t count);
const char *format_count_unsigned(char out[FORMAT_BYTES], uint64_t count);

/* "1 rank", "8 ranks", "12,345 steps": the word is in the singular. */
const char *format_counted(char out[FORMAT_BYTES], int64_t count, const char *word);

/* A difference, always signed: 0.101 is "+10.1%", -0.02 is "-2.0%". */
const char *format_difference(char out[FORMAT_BYTES], double ratio);

/* A share of a whole: 0.412 is "41.2%". */
const char *format_share(char out[FORMAT_BYTES], double share);

/* Three significant digits and a decimal prefix: 65536 is "65.5 k", 9.89e14 "989 T". */
const char *format_decimal(char out[FORMAT_BYTES], double value);

/* So many significant digits (1 to 15): below 100,000 plain, "1,200", "38", "0.62";
 * above as a power of ten, "3.79e25". */
const char *format_power(char out[FORMAT_BYTES], double value, int digits);

/* The same without powers, up to 1e15: "620,000". */
const char *format_rounded(char out[FORMAT_BYTES], double value, int digits);

/* At most four significant digits and a power of a thousand: "405e9", "15.6e12";
 * below 100,000 without: "16,384", "0.5". */
const char *format_thousands(char out[FORMAT_BYTES], double value);

/* Binary: 8388608 is "8.00 MiB", 512 is "512 B". */
const char *format_bytes(char out[FORMAT_BYTES], uint64_t bytes);

/* A number that has been made text, and its evidence letter behind it:
 * "41.2%" and COMPUTED is "41.2% c"; with EVIDENCE_NONE the text alone. */
const char *format_evidence(char out[FORMAT_BYTES], const char *text, enum evidence evidence);
