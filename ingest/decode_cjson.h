/* Records whose JSON the strict pass does not read itself: escapes in strings,
 * nested values. Also the reference that the fast paths are tested against. */
#pragma once

#include "decode.h"

/* Decodes the JSON object that begins at p. The slices of *record point into
 * `text` (host, group; cut to NAME_BYTES - 1). As json_scan() otherwise, but
 * never SCAN_UNUSUAL. */
enum scan_result decode_cjson(const char *p, const char *end, struct record *record,
                              char text[2][NAME_BYTES], const char **ret_end, const char **ret_why);
