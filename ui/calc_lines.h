/* Panels 1.1 and 1.2 as text: the rows of the chapter's two tables and the tiles
 * of its two panels, in its own rounding. The report prints them, the screen draws
 * them. All texts are sanitised. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "calc_form.h"

struct calc_row {
    char question[112];
    char calculation[72];
    char result[112];
    enum evidence evidence; /* of the result */
};

#define CALC_TRAINING_ROWS 7 /* section 1.2 */
#define CALC_POINT_ROWS 8    /* section 1.3, and what effective time leaves */
void calc_training_rows(const struct calc_form *form, struct calc_row rows[CALC_TRAINING_ROWS]);
void calc_point_rows(const struct calc_form *form, struct calc_row rows[CALC_POINT_ROWS]);

struct calc_tile {
    char title[40];
    char value[32];
    enum evidence evidence;
};

#define CALC_TILES 6 /* of each panel: the chapter's four, and two shares */
void calc_training_tiles(const struct calc_form *form, struct calc_tile tiles[CALC_TILES]);
void calc_point_tiles(const struct calc_form *form, struct calc_tile tiles[CALC_TILES]);

/* What cannot be: a rate over the peak, a chip whose peak is not known. At most
 * `size` bytes; false when there is nothing to say. */
bool calc_alarm(const struct calc_form *form, char *out, size_t size);

/* GPU-hours that one more point saves at this MFU, with the rest as in the form. */
double calc_curve(const struct calc_form *form, double mfu);
#define CALC_CURVE_FROM 0.10
#define CALC_CURVE_TO 0.70
