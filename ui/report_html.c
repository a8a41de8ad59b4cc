/* The page. */
#include "report.h"

void report_html(FILE *to, const struct report_data *data)
{
    (void)to, (void)data;
}
