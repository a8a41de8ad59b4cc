/* Makes the bytes of a picture fewer, without changing what a terminal makes of
 * them: they are what a slow line has to carry. */
#pragma once

#include <stddef.h>

/* In place; returns the bytes left. Left out are shifts to another character set
 * (SO, SI: one that is lost would garble all), choices of ASCII but for the first
 * (which mends a terminal that somebody left in another), and changes of attributes
 * that the next one undoes; changes that follow each other become one. */
size_t squeeze(char *bytes, size_t count);
