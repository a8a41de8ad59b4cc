/* Lines within the JSON lines of a container's log. */
#include "log_wrapped.h"

#include "json_scan.h"
#include "json_unescape.h"
#include "log_text.h"

#define BEGIN "{\"log\":"

bool log_unwrap(struct str line, char *to, size_t size, struct str *ret, bool *ret_goes_on)
{
    bool escaped;
    if (!log_begins(line, BEGIN))
        return false;
    struct str text = log_trim(log_from(line, strlen(BEGIN)));
    const char *end =
        log_begins(text, "\"") ? json_string_end(text.p, text.p + text.len, &escaped) : NULL;
    if (!end)
        return false;
    size_t length = (size_t)(end - text.p);
    struct str rest = log_from(text, length);
    if (!log_begins(rest, ","))
        return false;
    rest = log_trim(log_from(rest, 1));
    if (!log_begins(rest, "\"stream\":") && !log_begins(rest, "\"attrs\":"))
        return false;
    *ret = json_unescaped(str_of(text.p + 1, length - 2), to, size);
    size_t whole = ret->len;
    while (ret->len > 0 && (ret->p[ret->len - 1] == '\n' || ret->p[ret->len - 1] == '\r'))
        ret->len--;
    *ret_goes_on = ret->len == whole;
    return true;
}
