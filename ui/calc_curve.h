/* The curve of Panel 1.2: what one more point saves at each MFU from 10 to 70%. */
#pragma once

#include "calc_form.h"
#include "canvas.h"

#define CALC_CURVE_ROWS 5 /* the least it is drawn in; in fewer nothing is */

void calc_curve_draw(struct canvas *canvas, struct rect rect, const struct calc_form *form);
