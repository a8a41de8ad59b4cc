/* Logs of anyone's own trainer, described without C: a map of keys (JSON lines, CSV with
 * a header) or a pattern (lines of text) becomes a format like any other.
 *
 *     rank=process_index,step=global_step,forward=fwd_ms:ms,sync=metrics.allreduce:us
 *     step {step} rank {rank} took {step_time:ms}
 */
#pragma once

#include <stddef.h>

#include "log_format.h"

#define USER_ELEMENTS_MAX 48 /* fields of a map; fields and texts between them of a pattern */
#define USER_TEXT_MAX 2048   /* bytes of a map or a pattern */

struct user_format;

/* NULL with a sentence in `error`, which names the place. The name is for --format, and what the
 * format is called; both are copied. */
struct user_format *user_format_map(const char *name, const char *text, char *error, size_t size);
struct user_format *user_format_pattern(const char *name, const char *text, char *error,
                                        size_t size);
void user_format_free(struct user_format *user);

/* Valid until it is freed. */
const struct format *user_format_of(const struct user_format *user);
const char *user_format_text(const struct user_format *user); /* the map or the pattern */
