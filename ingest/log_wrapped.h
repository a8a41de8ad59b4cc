/* Lines that a container's log holds in JSON, one object a line:
 * {"log":"step 5 ...\n","stream":"stdout","time":"2026-05-11T02:59:55.1Z"} (docker's json-file). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "str.h"

/* The text of such a line, without its newline, in `to`; a progress bar in it still has its CRs.
 * *ret_goes_on: it has no newline, since what is longer than 16 KiB is kept in pieces. False: it is
 * none, or it is cut. */
bool log_unwrap(struct str line, char *to, size_t size, struct str *ret, bool *ret_goes_on);
