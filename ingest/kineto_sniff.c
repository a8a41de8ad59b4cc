/* Whether a document is a profiler's trace, by the keys in its first bytes. */
#include "kineto_sniff.h"

#include "log_text.h"
#include "str.h"

static bool has_key(struct str text, const char *key)
{
    for (size_t at = 0; (at = log_find_from(text, at, key)) != SIZE_MAX; at++) {
        struct str rest = log_trim(log_from(text, at + str_from(key).len));
        if (rest.len > 0 && rest.p[0] == ':')
            return true;
    }
    return false;
}

static bool has_one(struct str text, const char *const *keys)
{
    for (; *keys; keys++)
        if (has_key(text, *keys))
            return true;
    return false;
}

static const char *const kineto_keys[] = {
    "\"traceEvents\"",         "\"deviceProperties\"",  "\"distributedInfo\"",
    "\"baseTimeNanoseconds\"", "\"displayTimeUnit\"",   "\"record_shapes\"",
    "\"with_stack\"",          "\"with_flops\"",        "\"with_modules\"",
    "\"profile_memory\"",      "\"systemTraceEvents\"", NULL};
static const char *const op_keys[] = {"\"model_chunk\"", "\"mb_id\"", NULL};

/* A first line that ends an object: lines of JSON, no document. */
static bool is_line(struct str text)
{
    size_t at = log_find(text, "\n");
    if (at == SIZE_MAX)
        return false;
    struct str line = log_trim(log_until(text, at));
    if (line.len > 0 && line.p[line.len - 1] == '\r')
        line.len--;
    return line.len > 1 && line.p[line.len - 1] == '}';
}

/* "[" and "{", or nothing yet behind the "[". "[rank0]: ..." is a line: it is not to wait. */
static bool may_be_array(struct str text)
{
    size_t at = 1;
    while (at < text.len &&
           (text.p[at] == ' ' || text.p[at] == '\t' || text.p[at] == '\n' || text.p[at] == '\r'))
        at++;
    return text.p[0] == '[' && (at == text.len || text.p[at] == '{');
}

enum log_sniff kineto_sniff(const char *bytes, size_t size, bool whole)
{
    struct str text = str_of(bytes, size < LOG_SNIFF_MAX ? size : LOG_SNIFF_MAX);
    if (text.len == 0)
        return whole ? LOG_SNIFF_NO : LOG_SNIFF_MORE;
    bool all = whole || size >= LOG_SNIFF_MAX;
    if (text.p[0] == '{') {
        bool line = is_line(text); /* what follows it may not have come yet: it does not count */
        if (has_one(line ? log_until(text, log_find(text, "\n")) : text, kineto_keys))
            return LOG_SNIFF_YES;
        return all || line ? LOG_SNIFF_NO : LOG_SNIFF_MORE;
    }
    if (!may_be_array(text) || has_one(text, op_keys))
        return LOG_SNIFF_NO;
    if (!all)
        return LOG_SNIFF_MORE;
    return has_key(text, "\"ph\"") && has_key(text, "\"ts\"") ? LOG_SNIFF_YES : LOG_SNIFF_NO;
}

enum log_sniff op_timeline_sniff(const char *bytes, size_t size, bool whole)
{
    struct str text = str_of(bytes, size < LOG_SNIFF_MAX ? size : LOG_SNIFF_MAX);
    bool all = whole || size >= LOG_SNIFF_MAX;
    if (text.len == 0)
        return whole ? LOG_SNIFF_NO : LOG_SNIFF_MORE;
    if (!may_be_array(text))
        return LOG_SNIFF_NO;
    if (has_one(text, op_keys) && has_key(text, "\"ph\"") && has_key(text, "\"step\""))
        return LOG_SNIFF_YES;
    return all ? LOG_SNIFF_NO : LOG_SNIFF_MORE;
}
