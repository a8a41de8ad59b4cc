/* The reading of a pattern itself: for decode_pattern.c only. */
#pragma once

#include "log_text.h"
#include "user_format_inside.h"

static inline size_t pattern_blanks(struct str s) /* at its front */
{
    size_t count = 0;
    while (count < s.len && log_is_blank(s.p[count]))
        count++;
    return count;
}

/* Fills user->elements from user->text. False with a sentence, which names the place. */
bool pattern_read(struct user_format *user, char *error, size_t size);
