/* The jitter floor, and what each rank costs. */
#include "window.h"
