/* lockstep report --compare A B. */
#pragma once

#include "checks.h"
#include "options.h"

/* The exit status. */
int command_report_compare(const struct options *options, struct checks *checks);
