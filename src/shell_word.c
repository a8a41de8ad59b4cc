/* Words of a command that is shown to be pasted into a shell. */
#include "shell_word.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void shell_word_add(char *to, size_t size, const char *before, const char *word)
{
    size_t at = strlen(to);
    bool plain = word[0] && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                         "0123456789_-./+:,@%=") == strlen(word);
    at += (size_t)snprintf(to + at, size - at, "%s%s%s", before, plain ? "" : "'",
                           word[0] == '-' && word[1] ? "./" : "");
    for (; *word && at + 6 < size; word++)
        at += (size_t)snprintf(to + at, size - at, *word == '\'' ? "'\\''" : "%c", *word);
    if (!plain && at + 2 < size)
        snprintf(to + at, size - at, "'");
}
