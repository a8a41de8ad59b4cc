/* Bytes as two files of records, for fuzz_replay.c. */
#pragma once

#include "analysis.h"

#define REPLAY_INPUT_FILES 2

struct replay_input {
    struct analysis_options options;
    size_t memory_bytes; /* of the states of a replay */
    uint64_t distance;
    int threads;
    uint32_t random;
    int descriptors[REPLAY_INPUT_FILES];
    char paths[REPLAY_INPUT_FILES][64]; /* files without a name, in memory */
};

void replay_input_make(struct replay_input *input, const uint8_t *data, size_t size);
void replay_input_done(struct replay_input *input);
