/* A live session without a terminal: one line of plain text for each step that
 * closes, appended; for pipes, logs and screen readers. */
#pragma once

#include <stdbool.h>

#include "analysis.h"

struct session_plain;

struct session_plain *session_plain_new(int fd);      /* borrowed; never NULL */
void session_plain_free(struct session_plain *plain); /* NULL is allowed */

/* Writes the steps that have closed since. *summary is scratch. False when
 * nobody can take more lines. */
bool session_plain_write(struct session_plain *plain, struct analysis *analysis,
                         struct summary *summary);

/* errno of a write that failed; 0 when none did, or the reader went away. */
int session_plain_error(const struct session_plain *plain);

/* Writes the step of the key alone. False when nobody can take more lines. */
bool session_plain_step(struct session_plain *plain, struct analysis *analysis,
                        struct step_key key, struct summary *summary);
