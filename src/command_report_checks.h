/* lockstep report --check: what scripts ask for. */
#pragma once

#include "checks.h"
#include "options.h"

/* All conditions of the command line. 0, or the exit status after the message was printed. */
int report_checks_read(const struct options *options, struct checks *checks);

/* Says on standard error which do not hold. The exit status: 3, unless `status` is already that
 * of a failure. */
int report_checks_failed(const struct checks *checks, int status);
