/* The table of the arguments of Panels 1.1 and 1.2, and their values as text. */
#include "calc_argument.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mfu.h"
#include "str.h"

static const struct calc_argument_info arguments[] = {
#define CALC(id, label, option, unit, scale, chapter, lowest, highest, notation, step, amount)     \
    {label,       option, unit, scale, chapter, lowest, highest, NOTATION_##notation,              \
     STEP_##step, amount},
#include "calc_form.def"
#undef CALC
};

const struct calc_argument_info *calc_argument(enum calc_argument argument)
{
    return &arguments[argument];
}

static const char *const chips[] = {"A100", "H100", "B200"};
#define CHIPS (sizeof(chips) / sizeof(chips[0]))

const char *calc_chip_of_peak(double peak_flops)
{
    for (size_t i = 0; i < CHIPS; i++)
        if (fabs(peak_flops_by_name(str_from(chips[i])) / peak_flops - 1) < 1e-9)
            return chips[i];
    return "";
}

double calc_next_peak(double peak_flops, int direction)
{
    double best = NAN;
    for (size_t i = 0; i < CHIPS; i++) {
        double peak = peak_flops_by_name(str_from(chips[i]));
        bool beyond =
            direction > 0 ? peak > peak_flops * (1 + 1e-9) : peak < peak_flops * (1 - 1e-9);
        if (beyond && !(direction > 0 ? peak >= best : peak <= best))
            best = peak;
    }
    return isfinite(best) ? best : peak_flops;
}

const char *calc_argument_text(char out[FORMAT_BYTES], enum calc_argument argument, double value)
{
    const struct calc_argument_info *info = &arguments[argument];
    double shown = value / info->scale;
    char number[FORMAT_BYTES];
    if (!isfinite(shown))
        return format_thousands(out, NAN);
    switch (info->notation) {
    case NOTATION_POWER:
        format_thousands(number, shown);
        break;
    case NOTATION_COUNT:
        format_count(number, llround(fmin(shown, 1e15)));
        break;
    case NOTATION_MONEY:
        snprintf(number, sizeof(number), "%.2f", shown);
        break;
    case NOTATION_PERCENT: /* of a run it changes at every step: not in its small digits */
        snprintf(number, sizeof(number), "%.3g", shown);
        break;
    case NOTATION_PLAIN:
        format_thousands(number, shown);
        break;
    }
    bool close = strcmp(info->unit, "%") == 0 || !info->unit[0];
    snprintf(out, FORMAT_BYTES, "%.30s%s%.8s", number, close ? "" : " ", info->unit);
    return out;
}
