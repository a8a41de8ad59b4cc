/* Conditions of the command line. */
#include "command_report_checks.h"

#include "command.h"

#define STATUS_CHECK_FAILED 3

int report_checks_read(const struct options *options, struct checks *checks)
{
    char error[512];
    checks->count = 0;
    for (int i = 0; i < options->check_count; i++)
        if (!checks_parse(checks, options->checks[i], options->compare, error, sizeof(error))) {
            command_fail("%s", error);
            return 2;
        }
    return 0;
}

int report_checks_failed(const struct checks *checks, int status)
{
    for (size_t i = 0; i < checks->count; i++)
        if (!checks->items[i].holds)
            command_fail("check failed: %s: %s", checks->items[i].text, checks->items[i].sentence);
    return status == 0 ? STATUS_CHECK_FAILED : status;
}
