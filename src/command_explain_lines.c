/* Lines of text for `lockstep explain`. */
#include <stdlib.h>
#include <string.h>

#include "command_explain.h"
#include "memory.h"
#include "text.h"

static size_t word_columns(const char *word, size_t length)
{
    return text_columns(str_of(word, length));
}

void explain_wrap(FILE *to, const char *head, int indent, const char *text)
{
    size_t size = 3 * strlen(text) + 1;
    char *safe = memory_zeroed(1, size);
    text_sanitise(safe, size, str_from(text));
    size_t at = text_columns(str_from(head));
    bool first = true;
    fputs(head, to);
    for (const char *p = safe; *p;) {
        p += strspn(p, " ");
        size_t length = strcspn(p, " ");
        if (length == 0)
            break;
        size_t columns = word_columns(p, length);
        bool far = first && at > (size_t)indent; /* a head that is longer than the indent */
        if ((!first || far) && at + 1 + columns > EXPLAIN_COLUMNS) {
            fprintf(to, "\n%*s", indent, "");
            at = (size_t)indent;
            first = true;
        }
        fprintf(to, "%s%.*s", first ? "" : " ", (int)length, p);
        at += columns + !first;
        first = false;
        p += length;
    }
    fputc('\n', to);
    free(safe);
}

void explain_cut(FILE *to, const char *head, struct str text)
{
    char safe[1024];
    if (text.len > 300)
        text.len = 300;
    text_sanitise(safe, sizeof(safe), text);
    size_t room = EXPLAIN_COLUMNS - text_columns(str_from(head));
    struct str rest = str_from(safe);
    bool whole = text_columns(rest) <= room;
    size_t used = 0;
    fputs(head, to);
    while (rest.len > 0) {
        char bytes[4];
        uint32_t code = text_next(&rest);
        size_t columns = (size_t)text_width(code);
        if (code == 0 || used + columns > room - (whole ? 0 : 3))
            break;
        fwrite(bytes, 1, text_encode(code, bytes), to);
        used += columns;
    }
    fputs(whole ? "\n" : "...\n", to);
}
