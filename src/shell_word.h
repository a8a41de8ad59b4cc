/* Words of a command that is shown to be pasted into a shell. */
#pragma once

#include <stddef.h>

/* Appends `before`, then the word as a shell takes it; a name that looks like an option is one no
 * more. What does not fit is cut: *to must hold a string shorter than size. */
void shell_word_add(char *to, size_t size, const char *before, const char *word);
