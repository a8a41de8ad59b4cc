/* One state of a tqdm bar: " 31%|###  | 5/16 [04:59<10:57, 59.80s/it, loss=1.2]". */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

enum tqdm_use {
    TQDM_TRAINING,
    TQDM_EVALUATION,
    TQDM_OTHER, /* loading, downloading, tokenizing */
};

struct tqdm_bar {
    int64_t count, total;
    int64_t elapsed_s;
    double rate;    /* seconds an iteration, as shown: smoothed; 0: not shown yet */
    uint64_t name;  /* of the description without digits; 0: it has none */
    int64_t number; /* the first number in it, "Epoch 3:"; -1: none */
    enum tqdm_use use;
    bool names_training; /* it says so: "Epoch", "train", "step" */
};

enum tqdm_answer { TQDM_NONE, TQDM_BAR, TQDM_TORN };

/* The next state in the text; *at: where to look from, then behind it. */
enum tqdm_answer tqdm_next(struct str text, size_t *at, struct tqdm_bar *bar);
