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
    int64_t number; /* of its epoch, "Epoch 3:", else the first whole one, "3/10"; -1: none */
    enum tqdm_use use;
    bool names_training; /* it says so: "Epoch", "train", "step" */
    bool names_epochs;   /* "Epoch" without a number, which may be what it counts */
    bool numbers_epochs; /* the number stands behind "Epoch" */
    bool plain;          /* from the text's begin up to behind the rate there is no '_' */
    struct str drawn;    /* between the two '|'; NULL: not looked at */
};

#define TQDM_NAME_LONGEST 40
#define TQDM_HEADS 4

/* What stood in front of a bar's percentage, from the text's begin on, and what it says. */
struct tqdm_head {
    char text[TQDM_NAME_LONGEST];
    size_t length; /* without the blanks at its end */
    struct tqdm_bar says;
    /* "/1000 ", the total as it was read last; total_length: without the blank */
    uint64_t total_text, total_mask;
    size_t total_length;
    int64_t total;
};

/* Those that were read last: bars say little else in front of all their states. Zeroed at first. */
struct tqdm_heads {
    struct tqdm_head list[TQDM_HEADS];
    size_t count, oldest, last;
    /* What the words of the description that was read last say: only its numbers change. */
    uint64_t words; /* 0: none was read */
    struct tqdm_bar said;
};

enum tqdm_answer { TQDM_NONE, TQDM_BAR, TQDM_TORN };

/* The next state in the text, behind which 64 bytes are readable; *at: where to look from, then
 * behind it. The heads change nothing but how fast it is found. */
enum tqdm_answer tqdm_next(struct tqdm_heads *heads, struct str text, size_t *at,
                           struct tqdm_bar *bar);

/* The description at the end of what stands before a bar: from the last thing that is none of it.
 */
struct str tqdm_description(struct str before);

/* Fills in all that it says: from `name` on, but what is drawn. */
void tqdm_read_name(struct tqdm_heads *heads, struct str name, struct tqdm_bar *bar);

/* The bar that newer versions of Ultralytics draw, at the end of the text, behind which 64 bytes
 * are readable: "1/3  11.1G  1.35  640: 25% --- 25/99 3.8it/s 6.6s<19.5s". */
bool tqdm_ultralytics(struct tqdm_heads *heads, struct str text, struct tqdm_bar *bar);
