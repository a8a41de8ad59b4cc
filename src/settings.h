/* The user's settings: a file of sections with keys and values, read from bytes.
 *
 *     # lockstep/config
 *     [format mytrainer]
 *     map = rank=process,step=iter,forward=fwd_ms:ms
 *     pattern = step {step} took {step_time:ms}
 *     only = named
 *
 * Several maps and patterns may stand in a section; `only = named`: it is read with --format
 * mytrainer alone. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define SETTINGS_BYTES_MAX (64 * 1024)
#define SETTINGS_FORMATS_MAX 16 /* maps and patterns, of all sections */
#define SETTINGS_NAME_BYTES 48
#define SETTINGS_TEXT_BYTES 2049

/* One map or pattern. */
struct settings_format {
    char name[SETTINGS_NAME_BYTES]; /* letters, digits, '-' and '_' */
    char text[SETTINGS_TEXT_BYTES];
    bool pattern; /* else a map */
    bool named;   /* only with --format */
    int line;     /* where it stands */
};

struct settings {
    int format_count;
    struct settings_format formats[SETTINGS_FORMATS_MAX];
};

/* False with a sentence that begins with the number of the line; *settings is then of no use. What
 * a map or pattern says is not looked at. */
bool settings_parse(struct settings *settings, const char *bytes, size_t size, char *error,
                    size_t error_size);
