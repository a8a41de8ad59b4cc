/* Values of options: read, held to their bounds, complained of by name. */
#include "options_value.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "str.h"

bool option_fail(struct parser *parser, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(parser->error, parser->error_size, format, arguments);
    va_end(arguments);
    return false;
}

bool option_number(struct parser *parser, const struct option_info *info, const char *text,
                   double low, double high, double *to)
{
    double value = 0;
    if (!str_to_count(str_from(text), &value) || !(value >= low && value <= high))
        return option_fail(parser, "--%s takes a number from %g to %g, not '%s'", info->name, low,
                           high, text);
    *to = value;
    return true;
}

bool option_integer(struct parser *parser, const struct option_info *info, const char *text,
                    int64_t low, int64_t high, int64_t *to)
{
    if (!str_to_int(str_from(text), low, high, to))
        return option_fail(parser, "--%s takes a whole number from %lld to %lld, not '%s'",
                           info->name, (long long)low, (long long)high, text);
    return true;
}

bool option_whole(struct parser *parser, const struct option_info *info, const char *text,
                  double high, double *to)
{
    double value = 0;
    if (!option_number(parser, info, text, 1, high, &value))
        return false;
    if (value != floor(value))
        return option_fail(parser, "--%s takes a whole number, not '%s'", info->name, text);
    *to = value;
    return true;
}

bool option_share(const char *text, double *ret)
{
    struct str share = str_from(text);
    bool percent = share.len > 0 && share.p[share.len - 1] == '%';
    double value;
    share.len -= percent;
    if (!str_to_double(share, &value))
        return false;
    value /= percent ? 100 : 1;
    if (!(value >= 0 && value <= 1))
        return false;
    *ret = value;
    return true;
}

bool option_choice(struct parser *parser, const struct option_info *info, const char *text,
                   const char *const *words, int count, int *to)
{
    char list[96] = "";
    for (int i = 0; i < count; i++) {
        if (strcmp(text, words[i]) == 0) {
            *to = i;
            return true;
        }
        size_t at = strlen(list);
        snprintf(list + at, sizeof(list) - at, "%s%s",
                 i == 0           ? ""
                 : i == count - 1 ? " or "
                                  : ", ",
                 words[i]);
    }
    return option_fail(parser, "--%s takes %s, not '%s'", info->name, list, text);
}
