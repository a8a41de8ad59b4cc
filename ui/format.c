/* Numbers as people read them. */
#include "format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct unit {
    double size;
    const char *name;
};

static const struct unit TIME_UNITS[] = {{1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}, {1, "s"},
                                         {60, "min"},  {3600, "h"},  {86400, "d"}};
static const struct unit DECIMAL_UNITS[] = {{1, ""},     {1e3, "k"},  {1e6, "M"}, {1e9, "G"},
                                            {1e12, "T"}, {1e15, "P"}, {1e18, "E"}};
static const struct unit BYTE_UNITS[] = {{1, "B"},
                                         {1024, "KiB"},
                                         {1024. * 1024, "MiB"},
                                         {1024. * 1024 * 1024, "GiB"},
                                         {1024. * 1024 * 1024 * 1024, "TiB"}};

#define LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define NUMBER_MAX 1e15 /* larger ones are no figures any more */

static const char *unknown(char out[FORMAT_BYTES])
{
    snprintf(out, FORMAT_BYTES, "-");
    return out;
}

/* Decimals that give `value` three significant digits once it is rounded. */
static int decimals_of(double value)
{
    double size = fabs(value);
    return size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
}

/* The largest unit in which the rounded value is at least 1: 999.6 ms is 1.00 s.
 * Seconds go up to 1,000 before they become minutes. */
static const struct unit *unit_of(const struct unit *units, int count, double value)
{
    int at = 0;
    while (at + 1 < count && fabs(value) / units[at].size >= 999.5)
        at++;
    while (at + 1 < count && units == TIME_UNITS && units[at].size >= 60 &&
           fabs(value) >= 2 * units[at + 1].size)
        at++;
    return &units[at];
}

static const char *time_unit_name(const struct unit *unit, bool unicode)
{
    return unicode && unit->size == 1e-6 ? "\u00b5s" : unit->name;
}

const char *format_duration(char out[FORMAT_BYTES], double seconds, bool unicode)
{
    if (!isfinite(seconds) || fabs(seconds) > NUMBER_MAX)
        return unknown(out);
    if (fabs(seconds) < 0.5e-9) {
        snprintf(out, FORMAT_BYTES, "0 s");
        return out;
    }
    const struct unit *unit = unit_of(TIME_UNITS, LENGTH(TIME_UNITS), seconds);
    double value = seconds / unit->size;
    snprintf(out, FORMAT_BYTES, "%.*f %s", decimals_of(value), value,
             time_unit_name(unit, unicode));
    return out;
}

const char *format_elapsed(char out[FORMAT_BYTES], double seconds)
{
    if (!isfinite(seconds) || fabs(seconds) > NUMBER_MAX)
        return unknown(out);
    int64_t whole = seconds < 0 ? 0 : (int64_t)seconds;
    if (whole < 60)
        snprintf(out, FORMAT_BYTES, "%d s", (int)whole);
    else if (whole < 3600)
        snprintf(out, FORMAT_BYTES, "%d min %02d s", (int)(whole / 60), (int)(whole % 60));
    else if (whole < 86400)
        snprintf(out, FORMAT_BYTES, "%d h %02d min", (int)(whole / 3600), (int)(whole / 60 % 60));
    else
        snprintf(out, FORMAT_BYTES, "%lld d %02d h", (long long)(whole / 86400),
                 (int)(whole / 3600 % 24));
    return out;
}

const char *format_silence(char out[FORMAT_BYTES], double seconds)
{
    static const int steps[] = {1, 2, 5, 10, 20, 30};
    if (!isfinite(seconds) || fabs(seconds) > NUMBER_MAX)
        return unknown(out);
    int64_t whole = seconds < 0 ? 0 : (int64_t)seconds, shown = 0;
    for (int i = 0; i < LENGTH(steps) && steps[i] <= whole; i++)
        shown = steps[i];
    if (whole < 60)
        snprintf(out, FORMAT_BYTES, "over %d s", (int)shown);
    else if (whole < 600)
        snprintf(out, FORMAT_BYTES, "over %d min", (int)(whole / 60));
    else if (whole < 3600)
        snprintf(out, FORMAT_BYTES, "over %d min", (int)(whole / 600 * 10));
    else if (whole < 86400)
        snprintf(out, FORMAT_BYTES, "over %d h", (int)(whole / 3600));
    else
        snprintf(out, FORMAT_BYTES, "over %lld d", (long long)(whole / 86400));
    return out;
}

const char *format_moment(char out[FORMAT_BYTES], double unix_seconds)
{
    struct tm parts;
    if (!isfinite(unix_seconds) || fabs(unix_seconds) > NUMBER_MAX)
        return unknown(out);
    time_t seconds = (time_t)unix_seconds;
    if (!gmtime_r(&seconds, &parts) ||
        strftime(out, FORMAT_BYTES, "%Y-%m-%d %H:%M:%SZ", &parts) == 0)
        return unknown(out);
    return out;
}

const char *format_log_moment(char out[FORMAT_BYTES], double unix_seconds, bool zone_unknown)
{
    size_t length = strlen(format_moment(out, unix_seconds));
    if (zone_unknown && out[length - 1] == 'Z')
        out[length - 1] = '\0';
    return out;
}

#define TODAY_S 72000.0 /* so long the time of day is enough */
#define DATE_LENGTH 11  /* "2026-11-29 " */

const char *format_since(char out[FORMAT_BYTES], double unix_seconds, double ago_s)
{
    bool today = ago_s < TODAY_S && strlen(format_moment(out, unix_seconds)) > DATE_LENGTH;
    format_moment(out, unix_seconds);
    if (today)
        memmove(out, out + DATE_LENGTH, strlen(out + DATE_LENGTH) + 1);
    return out;
}

struct format_scale format_scale_of(double largest_seconds, bool unicode)
{
    if (!isfinite(largest_seconds) || fabs(largest_seconds) < 0.5e-9)
        return (struct format_scale){1e3, 0, "ms"};
    const struct unit *unit = unit_of(TIME_UNITS, LENGTH(TIME_UNITS), largest_seconds);
    return (struct format_scale){1 / unit->size, decimals_of(largest_seconds / unit->size),
                                 time_unit_name(unit, unicode)};
}

const char *format_scaled(char out[FORMAT_BYTES], const struct format_scale *scale, double seconds)
{
    if (!isfinite(seconds) || fabs(seconds) > NUMBER_MAX)
        return unknown(out);
    double value = seconds * scale->factor;
    if (fabs(value) * pow(10, scale->decimals) < 0.5)
        value = 0; /* no "-0.0" */
    snprintf(out, FORMAT_BYTES, "%.*f %s", scale->decimals, value, scale->unit);
    return out;
}

static const char *separated(char out[FORMAT_BYTES], uint64_t count, bool negative)
{
    char reversed[FORMAT_BYTES];
    int length = 0, digits = 0;
    do {
        if (digits > 0 && digits % 3 == 0)
            reversed[length++] = ',';
        reversed[length++] = (char)('0' + count % 10);
        count /= 10;
        digits++;
    } while (count > 0);
    if (negative)
        reversed[length++] = '-';
    for (int i = 0; i < length; i++)
        out[i] = reversed[length - 1 - i];
    out[length] = '\0';
    return out;
}

const char *format_count(char out[FORMAT_BYTES], int64_t count)
{
    uint64_t size = count < 0 ? 0 - (uint64_t)count : (uint64_t)count;
    return separated(out, size, count < 0);
}

const char *format_count_unsigned(char out[FORMAT_BYTES], uint64_t count)
{
    return separated(out, count, false);
}

const char *format_counted(char out[FORMAT_BYTES], int64_t count, const char *word)
{
    char number[FORMAT_BYTES];
    snprintf(out, FORMAT_BYTES, "%.27s %.16s%s", format_count(number, count), word,
             count == 1 ? "" : "s");
    return out;
}

static double percent_of(double ratio)
{
    double percent = ratio * 100;
    return fabs(percent) < 0.05 ? 0 : percent; /* no "-0.0%" */
}

const char *format_difference(char out[FORMAT_BYTES], double ratio)
{
    if (!isfinite(ratio) || fabs(ratio) > NUMBER_MAX)
        return unknown(out);
    double percent = percent_of(ratio);
    snprintf(out, FORMAT_BYTES, "%+.*f%%", fabs(percent) < 999.95 ? 1 : 0, percent);
    return out;
}

const char *format_share(char out[FORMAT_BYTES], double share)
{
    if (!isfinite(share) || fabs(share) > NUMBER_MAX)
        return unknown(out);
    snprintf(out, FORMAT_BYTES, "%.1f%%", percent_of(share));
    return out;
}

static const char *in_units(char out[FORMAT_BYTES], const struct unit *units, int count,
                            double value)
{
    const struct unit *unit = unit_of(units, count, value);
    double scaled = value / unit->size;
    bool whole = unit->size == 1 && value == floor(value);
    snprintf(out, FORMAT_BYTES, "%.*f%s%s", whole ? 0 : decimals_of(scaled), scaled,
             unit->name[0] ? " " : "", unit->name);
    return out;
}

const char *format_decimal(char out[FORMAT_BYTES], double value)
{
    if (!isfinite(value) || fabs(value) > 1e24)
        return unknown(out);
    return in_units(out, DECIMAL_UNITS, LENGTH(DECIMAL_UNITS), value);
}

/* To so many significant digits; *ret_exponent is the power of ten of the first. */
static double rounded(double value, int digits, int *ret_exponent)
{
    char text[40];
    snprintf(text, sizeof(text), "%.*e", digits - 1, value);
    *ret_exponent = atoi(strchr(text, 'e') + 1);
    return strtod(text, NULL);
}

const char *format_rounded(char out[FORMAT_BYTES], double value, int digits)
{
    int exponent;
    if (!isfinite(value) || fabs(value) >= NUMBER_MAX)
        return unknown(out);
    double shown = rounded(value, digits, &exponent);
    int decimals = digits - 1 - exponent;
    if (fabs(shown) >= 1000 && decimals <= 0)
        return format_count(out, llround(shown));
    snprintf(out, FORMAT_BYTES, "%.*f", decimals > 0 && decimals < 20 ? decimals : 0, shown);
    return out;
}

const char *format_power(char out[FORMAT_BYTES], double value, int digits)
{
    char text[40];
    int exponent;
    if (!isfinite(value))
        return unknown(out);
    double shown = rounded(value, digits, &exponent);
    if (shown == 0 || (fabs(shown) < 1e5 && fabs(shown) >= 1e-4))
        return format_rounded(out, shown, digits);
    snprintf(text, sizeof(text), "%.*e", digits - 1, value);
    snprintf(out, FORMAT_BYTES, "%.*se%d", (int)strcspn(text, "e"), text, exponent);
    return out;
}

const char *format_thousands(char out[FORMAT_BYTES], double value)
{
    int exponent;
    if (!isfinite(value))
        return unknown(out);
    double shown = rounded(value, 4, &exponent);
    if (fabs(shown) < 1e5 && fabs(shown) >= 1000)
        return format_count(out, llround(value));
    if (fabs(shown) < 1e5) {
        snprintf(out, FORMAT_BYTES, "%.4g", value);
        return out;
    }
    exponent = exponent / 3 * 3;
    snprintf(out, FORMAT_BYTES, "%.4ge%d", shown / pow(10, exponent), exponent);
    return out;
}

const char *format_bytes(char out[FORMAT_BYTES], uint64_t bytes)
{
    return in_units(out, BYTE_UNITS, LENGTH(BYTE_UNITS), (double)bytes);
}

const char *format_evidence(char out[FORMAT_BYTES], const char *text, enum evidence evidence)
{
    if (evidence == EVIDENCE_NONE)
        snprintf(out, FORMAT_BYTES, "%.40s", text);
    else
        snprintf(out, FORMAT_BYTES, "%.40s %c", text, evidence_letter(evidence));
    return out;
}
