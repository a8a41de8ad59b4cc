/* A map or pattern, and a log that it reads: both of any bytes. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The first line of the input is the map or pattern, the rest the log. */
void fuzz_user_format(const uint8_t *data, size_t size, int pattern);
