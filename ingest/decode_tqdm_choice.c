/* Which of a stream's bars is the training's: the rule stands in decode_tqdm.h. */
#include "decode_tqdm.h"

#include "log_format.h"

#define BEGINS_BEHIND 2 /* that tell: beyond the first, and nothing else between */
#define BEGINS_WITHIN 2 /* likewise, when it has no more steps than the one around */

/* ---- the training's ---- */

static bool is_trainers(const struct tqdm_choice *choice)
{
    return choice->nodes && choice->training.name == 0;
}

static void leave_outer(int64_t count, int64_t total, struct log_out *out)
{
    log_out_count(out, LOG_LEFT_OUT, "a bar around the training's: %lld/%lld", (long long)count,
                  (long long)total);
}

static void count_states(enum log_count count, uint64_t states, struct log_out *out)
{
    if (states == 0)
        return;
    log_out_count(out, count, NULL);
    log_out_count_more(out, count, states - 1);
}

/* Nothing is known of it any more: not which one it was. */
static void forget_rival(struct tqdm_choice *choice, struct log_out *out)
{
    if (choice->kind == TQDM_NO_RIVAL)
        return;
    log_out_count(out, LOG_LEFT_OUT, "a bar that may be an evaluation's: %lld/%lld",
                  (long long)choice->rival.last.count, (long long)choice->rival.total);
    if (choice->rival_states > 1)
        log_out_count_more(out, LOG_LEFT_OUT, choice->rival_states - 1);
    tqdm_track_drop(&choice->rival, out);
    if (choice->kind == TQDM_WITHIN) {
        count_states(LOG_LEFT_OUT, (uint64_t)choice->moves, out);
        tqdm_track_drop(&choice->training, out);
    }
    choice->kind = TQDM_NO_RIVAL;
}

/* This bar is taken for the training's. */
static void take(struct tqdm_choice *choice, const struct tqdm_bar *bar, int64_t base,
                 struct log_out *out)
{
    forget_rival(choice, out);
    bool nodes = choice->nodes && bar->name == 0;
    tqdm_track_begin(&choice->training, bar, base, nodes, false, out);
    choice->any = true;
    choice->sure = nodes;
    choice->of_trainer = choice->ended = choice->announced = choice->between = false;
    choice->drawn = TQDM_DREW_TRAINING;
}

/* ---- two that may be ---- */

static void begin_rival(struct tqdm_choice *choice, enum tqdm_rival kind,
                        const struct tqdm_bar *bar, struct log_out *out)
{
    const struct tqdm_track *first = &choice->training;
    choice->kind = kind;
    choice->may_win = kind == TQDM_BEHIND || !first->names_training || first->names_epochs;
    choice->passed = false;
    choice->begins = choice->moves = 0;
    choice->rival_states = 1;
    choice->rival_between = choice->between = true;
    choice->drawn = TQDM_DREW_RIVAL;
    choice->training.holds |= kind == TQDM_WITHIN;
    choice->training.validation = true;
    tqdm_track_begin(&choice->rival, bar, 0, choice->nodes && bar->name == 0, true, out);
}

/* It is an evaluation. */
static void refute_rival(struct tqdm_choice *choice, struct log_out *out)
{
    if (choice->kind == TQDM_NO_RIVAL)
        return;
    choice->evaluation_name = choice->rival.name;
    choice->evaluation_total = choice->rival.total;
    count_states(LOG_EVALUATION, choice->rival_states, out);
    tqdm_track_drop(&choice->rival, out);
    tqdm_track_release(&choice->training, out);
    choice->kind = TQDM_NO_RIVAL;
    choice->sure = true;
}

/* It is the training's; the other one counts epochs, or was of something before. */
static void prefer_rival(struct tqdm_choice *choice, struct log_out *out)
{
    const struct tqdm_track *first = &choice->training;
    if (choice->kind == TQDM_WITHIN) {
        choice->outer = (struct tqdm_outer){first->name, first->total, first->last.count};
        for (int64_t left = choice->moves; left > 0; left--)
            leave_outer(first->last.count - left + 1, first->total, out);
    }
    tqdm_track_drop(&choice->training, out);
    choice->training = choice->rival;
    tqdm_track_release(&choice->training, out);
    choice->kind = TQDM_NO_RIVAL;
    choice->sure = true;
    choice->of_trainer = choice->ended = choice->announced = choice->between = false;
    choice->drawn = TQDM_DREW_TRAINING;
}

/* The one around the rival is drawn: what that tells of both. False: it has begun anew. */
static bool compare(struct tqdm_choice *choice, const struct tqdm_bar *bar, struct log_out *out)
{
    int64_t more = bar->count - choice->training.last.count;
    if (choice->kind == TQDM_BEHIND) {
        refute_rival(choice, out); /* it is not over: the other one was drawn between */
    } else if (more < 0 && bar->count == 0) {
        take(choice, bar, 0, out); /* a restart, before it was known */
        return false;
    } else if (more > 1 || (more == 1 && !choice->between)) {
        refute_rival(choice, out);
    } else if (more == 1) {
        choice->moves++;
        choice->passed = choice->rival_between;
        choice->rival.epochs += choice->rival_between;
        choice->rival_between = false;
    }
    return true;
}

static void read_training(struct tqdm_choice *choice, const struct tqdm_bar *bar,
                          struct log_out *out)
{
    bool moved = bar->count > choice->training.last.count;
    if (choice->kind != TQDM_NO_RIVAL && !compare(choice, bar, out))
        return;
    choice->sure |= moved && !choice->between;
    choice->between &= !moved;
    choice->drawn = TQDM_DREW_TRAINING;
    tqdm_track_read(&choice->training, bar, out);
    bool told = choice->kind == TQDM_WITHIN && choice->may_win && choice->passed &&
                choice->training.last.count == choice->training.total;
    if (told && (choice->moves > 1 || choice->rival.total > choice->training.total))
        prefer_rival(choice, out);
}

static void read_rival(struct tqdm_choice *choice, const struct tqdm_bar *bar, struct log_out *out)
{
    bool within = choice->kind == TQDM_WITHIN;
    bool anew = bar->count <= 1 && bar->count < choice->rival.last.count &&
                (within ? choice->passed : choice->rival.whole);
    bool larger = choice->rival.total > choice->training.total;
    if (anew) {
        choice->passed = false;
        choice->begins++;
        int64_t enough = !within ? BEGINS_BEHIND : larger ? 1 : BEGINS_WITHIN;
        if (choice->may_win && choice->begins >= enough) {
            prefer_rival(choice, out);
            tqdm_track_read(&choice->training, bar, out);
            return;
        }
    }
    choice->rival_states++;
    choice->rival_between = choice->between = true;
    choice->training.validation = true;
    choice->drawn = TQDM_DREW_RIVAL;
    tqdm_track_read(&choice->rival, bar, out);
}

/* ---- bars around and within, by their names ---- */

static bool is_outer(const struct tqdm_outer *outer, const struct tqdm_bar *bar)
{
    /* A name says which bar it is; one without is told by its total. */
    return outer->total > 0 && bar->name == outer->name &&
           (bar->name != 0 || bar->total == outer->total);
}

/* A bar around the training's: it goes on by one each time that begins anew. */
static void read_outer(struct tqdm_choice *choice, const struct tqdm_bar *bar, struct log_out *out)
{
    struct tqdm_outer *outer = &choice->outer;
    struct tqdm_track *training = &choice->training;
    choice->drawn = TQDM_DREW_OTHER;
    if (bar->count > outer->count) {
        training->epochs += bar->count - outer->count;
        outer->count = bar->count;
    }
    training->epochs_anew |= bar->count == 0 && outer->count > 0;
    if (training->epochs_anew)
        outer->count = training->epochs = 0;
    /* It goes on alone: what was within was an evaluation. */
    if (training->epochs > 1 && !bar->names_epochs &&
        bar->names_training == training->names_training) {
        *outer = (struct tqdm_outer){0};
        take(choice, bar, 0, out);
        choice->sure = true;
        return;
    }
    leave_outer(bar->count, bar->total, out);
}

/* The first bar stands at 0, and another one says that it is the training's, too: "Epoch: 0/3",
 * then "Iteration: 0/500", or Lightning's "Training: 0/18", then "Epoch 0: 0/18". */
static bool is_named_within(const struct tqdm_choice *choice, const struct tqdm_bar *bar)
{
    return choice->any && choice->training.last.count == 0 && choice->training.base == 0 &&
           choice->outer.total == 0 && choice->training.names_training && bar->names_training &&
           bar->name != choice->training.name;
}

static bool may_be_within(const struct tqdm_choice *choice)
{
    return !choice->sure && choice->outer.total == 0 && choice->kind == TQDM_NO_RIVAL &&
           !is_trainers(choice);
}

/* Whether this bar takes the place of the one that was taken for the training's at once, by its
 * name. */
static bool replaces(const struct tqdm_choice *choice, const struct tqdm_bar *bar)
{
    const struct tqdm_track *training = &choice->training;
    if (bar->names_training != training->names_training)
        return bar->names_training;
    if (!bar->names_training || !training->whole)
        return false;
    bool same_epoch = choice->outer.total > 0 && training->epochs == 0;
    return bar->name == training->name || /* an epoch with another number of batches */
           (bar->total > training->total && !choice->of_trainer && !same_epoch);
}

static bool may_be_behind(const struct tqdm_choice *choice, const struct tqdm_bar *bar)
{
    const struct tqdm_track *training = &choice->training;
    bool same_epoch = choice->outer.total > 0 && training->epochs == 0;
    bool known = bar->name == choice->evaluation_name && bar->total == choice->evaluation_total;
    bool larger = bar->total > training->total && !choice->of_trainer && !is_trainers(choice);
    return choice->kind == TQDM_NO_RIVAL && !known && !same_epoch && !training->names_training &&
           ((training->whole && larger) || choice->ended);
}

/* The Trainer's next run, as it said itself. */
static bool is_next_run(const struct tqdm_choice *choice, const struct tqdm_bar *bar)
{
    return choice->any && bar->count == 0 && bar->name == 0 && choice->training.name == 0 &&
           (choice->announced || (choice->ended && bar->total == choice->training.total));
}

/* ---- evaluations by their names ---- */

static void skip_moved(struct tqdm_choice *choice, struct log_out *out)
{
    struct tqdm_within *within = &choice->within;
    if (within->moved.count > choice->training.last.count)
        tqdm_track_skip(&choice->training, &within->moved, out);
    within->moved.count = 0;
}

static void read_evaluation(struct tqdm_choice *choice, const struct tqdm_bar *bar,
                            struct log_out *out)
{
    struct tqdm_within *within = &choice->within;
    choice->training.validation |= choice->any;
    choice->rival.validation = true;
    log_out_count(out, LOG_EVALUATION, NULL);
    if (!choice->any || choice->training.last.count == 0)
        return;
    if (bar->total != within->total || bar->name != within->name || bar->count < within->count) {
        within->name = bar->name;
        within->total = bar->total;
        within->from = choice->training.last.count;
        within->moved.count = 0;
    } else if (bar->count > within->count && within->count > 0) {
        within->mixes |= within->moved.count > 0;
        within->apart |= within->moved.count == 0;
        if (within->mixes)
            skip_moved(choice, out);
    }
    within->count = bar->count;
}

/* Whether the training's bar goes on by batches of an evaluation; also while that is not known. */
static bool is_within(struct tqdm_choice *choice, const struct tqdm_bar *bar, struct log_out *out)
{
    struct tqdm_within *within = &choice->within;
    bool on = bar->count > choice->training.last.count && bar->count > within->from &&
              bar->elapsed_s >= choice->training.last.elapsed_s;
    if (within->total == 0 || !on || bar->count > within->from + within->total ||
        (!within->mixes && (within->apart || within->count == within->total))) {
        within->total = on || bar->count == 0 ? 0 : within->total;
        return false;
    }
    within->moved = (struct tqdm_state){bar->count, bar->elapsed_s, bar->rate};
    log_out_count(out, LOG_EVALUATION, NULL);
    if (within->mixes)
        skip_moved(choice, out);
    return true;
}

/* ---- all ---- */

static void read_other(struct tqdm_choice *choice, const struct tqdm_bar *bar, struct log_out *out)
{
    struct tqdm_track *training = &choice->training;
    struct tqdm_outer around = {training->name, training->total, training->last.count};
    if (is_outer(&choice->outer, bar)) {
        read_outer(choice, bar, out);
    } else if (is_named_within(choice, bar)) {
        choice->outer = around;
        take(choice, bar, 0, out);
    } else if (!choice->any || replaces(choice, bar)) {
        bool epoch = choice->any && bar->name == training->name && training->whole;
        take(choice, bar, epoch ? training->base + training->total : 0, out);
    } else if (may_be_within(choice)) {
        begin_rival(choice, TQDM_WITHIN, bar, out);
    } else if (may_be_behind(choice, bar)) {
        begin_rival(choice, TQDM_BEHIND, bar, out);
    } else {
        training->validation = choice->rival.validation = choice->between = true;
        choice->drawn = TQDM_DREW_OTHER;
        log_out_count(out, LOG_EVALUATION, NULL);
    }
}

/* A bar with another name, which is the one that was drawn last. */
static bool read_renamed(struct tqdm_choice *choice, const struct tqdm_bar *bar,
                         enum tqdm_drawn newest, struct log_out *out)
{
    bool first = newest == TQDM_DREW_TRAINING;
    struct tqdm_track *track = first ? &choice->training : &choice->rival;
    if (newest == TQDM_DREW_NONE || newest == TQDM_DREW_OTHER ||
        (!first && choice->kind == TQDM_NO_RIVAL) || !tqdm_track_is_renamed(track, bar))
        return false;
    tqdm_track_rename(track, bar);
    if (first)
        read_training(choice, bar, out);
    else
        read_rival(choice, bar, out);
    choice->newest = choice->drawn;
    return true;
}

void tqdm_choice_read(struct tqdm_choice *choice, const struct tqdm_bar *bar, struct log_out *out)
{
    enum tqdm_drawn newest = choice->newest;
    choice->newest = TQDM_DREW_NONE;
    if (read_renamed(choice, bar, newest, out))
        return;
    const struct tqdm_track *training = &choice->training;
    bool known = choice->any && tqdm_track_is(training, bar) && bar->name == training->name &&
                 bar->name != training->first_name; /* "train_loss 0.4 val_loss 0.5" */
    if (bar->use == TQDM_EVALUATION && !known) {
        read_evaluation(choice, bar, out);
        return;
    }
    if (bar->use == TQDM_OTHER && !known) {
        log_out_count(out, LOG_LEFT_OUT, "a bar of something else: %lld/%lld",
                      (long long)bar->count, (long long)bar->total);
        return;
    }
    if ((choice->announced || choice->ended) && is_next_run(choice, bar)) {
        choice->outer = (struct tqdm_outer){0};
        take(choice, bar, 0, out);
    } else if (choice->any && tqdm_track_is(training, bar)) {
        if (!is_within(choice, bar, out))
            read_training(choice, bar, out);
    } else if (choice->kind != TQDM_NO_RIVAL && tqdm_track_is(&choice->rival, bar)) {
        read_rival(choice, bar, out);
    } else {
        read_other(choice, bar, out);
    }
    choice->newest = choice->drawn;
}

/* ---- what the Trainer says ---- */

static void mark_nodes(struct tqdm_choice *choice)
{
    choice->nodes = true;
    choice->training.nodes = choice->any && choice->training.name == 0;
    choice->rival.nodes = choice->rival.name == 0;
}

void tqdm_choice_running(struct tqdm_choice *choice)
{
    mark_nodes(choice);
    /* Every node says it, but before the bars go on. */
    choice->announced |= choice->any && choice->training.last.count > 0;
}

/* What follows another bar at once belongs to that one. */
void tqdm_choice_loss(struct tqdm_choice *choice, struct log_out *out)
{
    if (choice->kind != TQDM_NO_RIVAL && choice->drawn == TQDM_DREW_RIVAL && choice->may_win)
        prefer_rival(choice, out);
    else if (choice->drawn == TQDM_DREW_TRAINING)
        refute_rival(choice, out);
    choice->of_trainer = choice->any && choice->drawn == TQDM_DREW_TRAINING;
    choice->sure |= choice->of_trainer;
    mark_nodes(choice);
}

void tqdm_choice_evaluated(struct tqdm_choice *choice, struct log_out *out)
{
    if (choice->drawn == TQDM_DREW_RIVAL)
        refute_rival(choice, out);
    choice->of_trainer |= choice->any;
}

void tqdm_choice_ended(struct tqdm_choice *choice, struct log_out *out)
{
    if (choice->kind != TQDM_NO_RIVAL && choice->drawn == TQDM_DREW_RIVAL && choice->may_win)
        prefer_rival(choice, out);
    choice->ended |= choice->any && choice->training.last.count > 0;
}

void tqdm_choice_end(struct tqdm_choice *choice, struct log_out *out)
{
    forget_rival(choice, out);
}
