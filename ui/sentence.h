/* Sentences about a run, as text: what a verdict, a wait or an alarm comes to.
 * A screen draws them with dim evidence letters; a report prints the text. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "canvas.h"
#include "evidence.h"
#include "summary.h"

#define SENTENCE_BYTES 400
#define SENTENCE_LETTERS 16

struct sentence {
    char text[SENTENCE_BYTES]; /* UTF-8, sanitised: may be printed as it is */
    size_t length;
    size_t letters[SENTENCE_LETTERS]; /* where the evidence letters stand */
    int letter_count;
    enum style style; /* of all but the letters */
};

void sentence_clear(struct sentence *sentence, enum style style);
/* printf to its end; what does not fit is cut. */
void sentence_add(struct sentence *sentence, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void sentence_add_list(struct sentence *sentence, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
void sentence_add_raw(struct sentence *sentence, const char *raw); /* through the sanitiser */
void sentence_evidence(struct sentence *sentence, enum evidence evidence); /* " c" */

/* Cells that it takes, and drawing: cut at the right edge of the rect. Returns
 * the cells used. */
int sentence_columns(const struct sentence *sentence);
int sentence_draw(const struct sentence *sentence, struct canvas *canvas, struct rect rect, int x,
                  int y);

/* Where the line that begins at byte `from` ends, in so many columns: at a blank,
 * but never between a number, its unit and its evidence letter; inside a word
 * only where that is all there is. */
size_t sentence_line_end(const struct sentence *sentence, size_t from, int columns);

/* Of a sentence that has one line only: cut there, or before it where a part of it ends ("a hang?",
 * "20 duplicate, ..."), rather than behind the first word of the next one. */
void sentence_cut(struct sentence *sentence, int columns);

/* Words, broken in that way, from line y on; returns the lines used. */
int sentence_draw_wrapped(const struct sentence *sentence, struct canvas *canvas, struct rect rect,
                          int y);
