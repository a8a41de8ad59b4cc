/* What every fuzz target offers, and how it says that something is wrong. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* One input, of any bytes. Returns 0; aborts when a promise is broken. Called by
 * libFuzzer, or by driver.c. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The promise is said in words: it is what the reader of a failure sees. */
#define PROMISE(condition, words)                                                                  \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, words);             \
            abort();                                                                               \
        }                                                                                          \
    } while (0)
