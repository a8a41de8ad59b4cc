/* Options of calc: rates, shares, hours. */
#include <string.h>

#include "options_value.h"
#include "str.h"

/* "41" or "41%"; what is under one percent needs the sign, since 0.41 is more
 * likely to be meant as a share. */
static bool percent(struct parser *parser, const struct option_info *info, const char *text,
                    double *to)
{
    struct str number = str_from(text);
    bool sign = number.len > 0 && number.p[number.len - 1] == '%';
    double value = 0;
    number.len -= sign;
    if (!str_to_double(number, &value) || !(value >= (sign ? 0.01 : 1) && value <= 100))
        return option_fail(parser,
                           "--%s takes percent from 1 to 100, or with its sign from 0.01%%, "
                           "not '%s'",
                           info->name, text);
    *to = value / 100;
    return true;
}

bool option_set_calc(struct parser *parser, const struct option_info *info, const char *text)
{
    struct options *options = parser->options;
    double value = 0;
    switch (info->id) {
    case OPTION_CALC_TOKENS:
        options->given[OPTION_TOTAL_TOKENS] = true;
        return option_number(parser, info, text, 1, 1e18, &options->run.total_tokens);
    case OPTION_ACHIEVED:
        if (!option_number(parser, info, text, 1e-6, 1e8, &value))
            return false;
        options->achieved_flops = value * 1e12;
        return true;
    case OPTION_GPU_HOURS:
        return option_number(parser, info, text, 1e-3, 1e15, &options->gpu_hours);
    case OPTION_MFU:
        return percent(parser, info, text, &options->mfu);
    case OPTION_EFFECTIVE:
        if (option_share(text, &options->effective) && options->effective >= 1e-4)
            return true;
        return option_fail(parser, "--%s takes a share over 0, such as 0.9 or 90%%, not '%s'",
                           info->name, text);
    case OPTION_TEXT:
        return options->text = true;
    default:
        return option_set_replay(parser, info, text);
    }
}
