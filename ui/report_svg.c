/* Figures. */
#include "report.h"

void report_svg(FILE *to, const struct report_data *data, enum svg_figure figure)
{
    (void)to, (void)data, (void)figure;
}

void report_svg_inline(FILE *to, const struct report_data *data, enum svg_figure figure)
{
    (void)to, (void)data, (void)figure;
}
