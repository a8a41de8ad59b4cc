/* The text of a JSON string. */
#pragma once

#include <stddef.h>

#include "str.h"

/* What stands between the quotes, its escapes decoded to UTF-8, in `to`: as many whole characters
 * as it has room for. Half a pair of surrogates and \u0000 become U+FFFD. */
struct str json_unescaped(struct str escaped, char *to, size_t size);
