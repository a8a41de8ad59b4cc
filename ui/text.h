/* The one sanitiser: bytes from outside become code points that a terminal may
 * get, one to a cell (or two cells for a wide one). Log text, host names, file
 * names and senders all pass here, on their way to the screen, to a report and
 * to an error message alike. Independent of the locale. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

#define TEXT_REPLACEMENT 0xFFFDu /* what cannot be shown as it is; '?' on an ASCII canvas */
#define TEXT_CODE_MAX 0x10FFFFu

/* The next code point of *rest that may be shown, and *rest moved behind it; 0
 * at the end. Controls (C0 with NUL, tab and newline, DEL, C1), invalid UTF-8
 * (each maximal part of a sequence), bidirectional, zero-width, ignorable,
 * private and unassigned code points come as TEXT_REPLACEMENT. Combining marks
 * are passed over, so that each cell holds one code point. */
uint32_t text_next(struct str *rest);

/* May this code point be given to a terminal? True for printable ASCII, U+FFFD
 * and all that text_next lets pass. */
bool text_is_safe(uint32_t code);

/* Cells of a code point: 1 or 2; what is not safe counts 1, as its replacement. */
int text_width(uint32_t code);

/* Cells of a text as text_next gives it. */
size_t text_columns(struct str text);

/* UTF-8 of a code point (not a surrogate, at most TEXT_CODE_MAX); returns its 1
 * to 4 bytes, without NUL. */
size_t text_encode(uint32_t code, char to[4]);

/* The safe text as UTF-8, at most size - 1 bytes and NUL, never cut within a
 * code point. Nothing below 0x20, no DEL and no C1 is ever among them. Returns
 * the bytes written, without NUL. size must be at least 1. */
size_t text_sanitise(char *to, size_t size, struct str from);
