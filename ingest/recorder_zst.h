/* The end of a .zst file that a killed program may have left torn. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Sees to it that the file (open for reading and writing) ends with a whole frame: what a torn
 * last frame still gives is written again, as a frame of its own. It need not have been written
 * by this program. 0, or -1 with what is wrong and what to do, the name of the file apart. */
int recorder_zst_mend(int fd, int64_t size, char *error, size_t error_size);
