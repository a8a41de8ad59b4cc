/* `lockstep calc` without a screen. ASCII, no escape codes. */
#pragma once

#include <stdio.h>

#include "calc_form.h"

/* The arguments, the tables of sections 1.2 and 1.3, the tiles and the curve of the
 * panels, the reported runs. */
void calc_text(FILE *to, const struct calc_form *form);

/* All values as one object (lockstep-calc/1); what is not known is null. */
void calc_json(FILE *to, const struct calc_form *form);
