/* NaN and Infinity in the JSON of Python. */
#include "decode_dllogger_nan.h"

#include <stdbool.h>
#include <string.h>

#include "log_text.h"
#include "memory.h"

/* Whether a text is open behind c. *escaped: the one before it was a '\\' that counts. */
static bool in_text_behind(char c, bool in_text, bool *escaped)
{
    bool counts = !*escaped;
    *escaped = in_text && c == '\\' && counts;
    return in_text != (c == '"' && counts);
}

char *dllogger_quote_nan(struct str *text)
{
    static const char *const words[] = {"NaN", "-Infinity", "Infinity"};
    size_t length = 0, at = 0;
    char before = '\0'; /* the last that is no blank */
    bool in_text = false, escaped = false;
    if (log_find(*text, "NaN") == SIZE_MAX && log_find(*text, "Infinity") == SIZE_MAX)
        return NULL;
    char *to = memory_zeroed(text->len + 1, 2); /* "NaN" is 3 bytes, and 5 as a text */
    while (at < text->len) {
        struct str rest = log_from(*text, at);
        size_t i = 0, count = sizeof(words) / sizeof(words[0]);
        bool begins = !in_text && (before == ':' || before == ',' || before == '[');
        while (i < count && !(begins && log_begins(rest, words[i])))
            i++;
        if (i == count) {
            in_text = in_text_behind(rest.p[0], in_text, &escaped);
            before = log_is_blank(rest.p[0]) ? before : rest.p[0];
            to[length++] = rest.p[0];
            at++;
            continue;
        }
        memcpy(to + length, "\"nan\"", strlen("\"nan\""));
        length += strlen("\"nan\"");
        at += strlen(words[i]);
        before = '"';
    }
    *text = str_of(to, length);
    return to;
}
