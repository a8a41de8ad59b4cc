/* Panels 1.1 and 1.2. */
#include "calc.h"
