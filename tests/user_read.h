/* What a map or a pattern makes of a log, as text, for tests. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats.h"
#include "formats_read.h"
#include "user_format.h"

/* The records alone, in a text that the next call overwrites. */
static inline const char *read_bytes(bool pattern, const char *text, const char *log, size_t size)
{
    static struct text kept;
    char error[512];
    struct user_format *user =
        (pattern ? user_format_pattern : user_format_map)("mine", text, error, sizeof(error));
    if (!user)
        fail_msg("%s: %s", text, error);
    struct formats *formats = formats_new();
    assert_true(formats_add(formats, user_format_of(user)));
    free(kept.bytes);
    kept = (struct text){0};
    formats_read_by(&kept, "trainer.log", formats, log, size, (struct pieces){0});
    formats_free(formats);
    user_format_free(user);
    return kept.bytes;
}

static inline const char *read_log(bool pattern, const char *text, const char *log)
{
    return read_bytes(pattern, text, log, strlen(log));
}

static inline void assert_begins(const char *got, const char *want)
{
    if (strncmp(got, want, strlen(want)) != 0)
        fail_msg("it is\n%s\nnot\n%s", got, want);
}

static inline void assert_has(const char *got, const char *part)
{
    if (!strstr(got, part))
        fail_msg("there is no\n%s\nin\n%s", part, got);
}
