/* The bars of one stream: which of them counts the training's steps, and what its states come to.
 *
 * The training's bar is, in this order:
 * 1. one whose name says so. A bar without such a name never takes its place, except that "Epoch"
 *    without a number may count epochs;
 * 2. the Trainer's own, which has no name: the first one behind "***** Running training", the one
 *    that {'loss': ..} follows, not the one that {'eval_..} follows. What begins at 0 behind
 *    train_runtime or another "Running training" is another run, not another node's copy;
 * 3. of two where one stands still while the other moves: the one that stands, as soon as it goes
 *    on alone; the one within it, if it begins anew each time that the other has gone on by one.
 *    Until then the values of both are held back;
 * 4. of two, one behind the other: the first. The second one is held back until the Trainer's words
 *    tell, or it has begun a third time alone.
 * What is still held back at the end is left out and counted: no step is better than a false one.
 *
 * A bar is told from others by its description's letters and its total. One whose state goes on
 * from the last that was drawn is the same bar with another description ("loss 0.25"), whatever
 * that says.
 */
#pragma once

#include "decode_tqdm_bar.h"
#include "log_out.h"

#define TQDM_COURSE_MAX 512
#define TQDM_HELD_MAX 256 /* even */

/* ---- one bar ---- */

struct tqdm_state {
    int64_t count, elapsed_s;
    double rate;
};

/* The states of one bar, so that another node's copy of it can be told from the next epoch. */
struct tqdm_course {
    int size;
    struct tqdm_state at[TQDM_COURSE_MAX]; /* by count; full: later ones are not kept */
};

/* What the bar does that went back. */
enum tqdm_pass {
    TQDM_PASS_ON,        /* it goes on */
    TQDM_PASS_UNDECIDED, /* at 0: a copy, an epoch, a restart */
    TQDM_PASS_COPY,
};

struct tqdm_value {
    int64_t step, steps, seconds; /* these steps, up to this one, took so long together */
    bool validation;
};

struct tqdm_track {
    uint64_t name;
    uint64_t first_name; /* that it begins with: many loops write losses into it then */
    int64_t first_most;  /* up to this count: beyond, it is another bar's */
    int64_t total, number;
    bool counts; /* the number is no epoch's: it changes while the bar goes on */
    bool names_training, names_epochs;
    bool nodes;                   /* the Trainer's: every node may write the whole bar again */
    bool whole;                   /* it has reached its total */
    struct tqdm_state last, from; /* the newest; that from which the next value counts */
    int64_t base;                 /* steps before this bar, less what it skipped: */
    int64_t skipped;              /* its counts that were no steps of its own */
    int64_t epochs;               /* so far has a bar around it gone on since it began */
    bool epochs_anew;             /* that one is at 0 again, as after a restart */
    bool valued;                  /* a value came of it */
    bool validation;              /* something else ran since the last value */
    struct tqdm_state jump;       /* its first state behind 0, undecided what; count 0: none */
    enum tqdm_pass pass;
    struct tqdm_state began;             /* of an undecided pass */
    int64_t copies_at_1, copies_at_full; /* of this pass */
    struct tqdm_course course;
    bool holds; /* values are held back, and what is to be counted of its states: */
    uint64_t untold_doubled, untold_left_out;
    int held_count;
    struct tqdm_value held[TQDM_HELD_MAX]; /* full: two become one */
};

/* A bar begins, with base steps before it. */
void tqdm_track_begin(struct tqdm_track *track, const struct tqdm_bar *bar, int64_t base,
                      bool nodes, bool holds, struct log_out *out);
void tqdm_track_read(struct tqdm_track *track, const struct tqdm_bar *bar, struct log_out *out);

/* The bar went on to this state, but not by steps of its own. */
void tqdm_track_skip(struct tqdm_track *track, const struct tqdm_state *state, struct log_out *out);

/* What it holds back is put out, as is all that follows; is forgotten. */
void tqdm_track_release(struct tqdm_track *track, struct log_out *out);
void tqdm_track_drop(struct tqdm_track *track, struct log_out *out);

static inline bool tqdm_track_is(const struct tqdm_track *track, const struct tqdm_bar *bar)
{
    return bar->total == track->total &&
           (bar->name == track->name ||
            (bar->name == track->first_name && bar->count <= track->first_most));
}

/* Whether it goes on from the track's last state, which was the last one that any bar drew: it is
 * the same bar, with another description. */
bool tqdm_track_is_renamed(const struct tqdm_track *track, const struct tqdm_bar *bar);
void tqdm_track_rename(struct tqdm_track *track, const struct tqdm_bar *bar);

/* ---- all bars ---- */

enum tqdm_rival {
    TQDM_NO_RIVAL,
    TQDM_WITHIN, /* the training's stands still */
    TQDM_BEHIND, /* the training's is whole */
};

enum tqdm_drawn { TQDM_DREW_NONE, TQDM_DREW_TRAINING, TQDM_DREW_RIVAL, TQDM_DREW_OTHER };

/* A bar over epochs, drawn around the training's. */
struct tqdm_outer {
    uint64_t name;
    int64_t total; /* 0: there is none */
    int64_t count;
};

/* An evaluation by its name, drawn since the training began. Lightning before 2.0 counts its
 * batches in the training's bar, too: then both go on by turns. */
struct tqdm_within {
    uint64_t name;
    int64_t total;           /* 0: there was none */
    int64_t count, from;     /* from: the training's count when it began */
    struct tqdm_state moved; /* the training's since its last state; count 0: it stood */
    bool mixes, apart;       /* what is known of all of them */
};

/* Zeroed at first. */
struct tqdm_choice {
    bool any;
    bool sure;              /* the training's has gone on alone, or the Trainer said so */
    bool of_trainer;        /* the Trainer's losses stand beside it: its steps are in one bar */
    bool nodes;             /* the Trainer's bars are in this log */
    bool ended;             /* train_runtime came since it went on */
    bool announced;         /* "Running training" came since it went on */
    enum tqdm_drawn drawn;  /* the last bar */
    enum tqdm_drawn newest; /* the last bar, those with an evaluation's name among them */
    bool between;           /* another bar was drawn since the training's last state */
    struct tqdm_track training;
    struct tqdm_outer outer;
    struct tqdm_within within;
    enum tqdm_rival kind;
    struct tqdm_track rival;
    bool may_win, passed;  /* passed: the one around went on by one since it began */
    bool rival_between;    /* it was drawn since the training's last step */
    int64_t begins, moves; /* its beginnings but the first; states of the one around */
    uint64_t rival_states;
    uint64_t evaluation_name; /* that was found out to be one; total 0: none */
    int64_t evaluation_total;
};

void tqdm_choice_read(struct tqdm_choice *choice, const struct tqdm_bar *bar, struct log_out *out);

/* What the Trainer says of the bar that was drawn last. */
void tqdm_choice_running(struct tqdm_choice *choice);
void tqdm_choice_loss(struct tqdm_choice *choice, struct log_out *out);
void tqdm_choice_evaluated(struct tqdm_choice *choice, struct log_out *out);
void tqdm_choice_ended(struct tqdm_choice *choice, struct log_out *out);

/* The input has ended. */
void tqdm_choice_end(struct tqdm_choice *choice, struct log_out *out);
