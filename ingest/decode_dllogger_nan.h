/* NaN and Infinity in the JSON of Python. */
#pragma once

#include "str.h"

/* Python writes NaN and Infinity, which are no JSON: a text stands for them here, "nan". Owned;
 * NULL: there are none. *text comes back as what is to be read. */
char *dllogger_quote_nan(struct str *text);
