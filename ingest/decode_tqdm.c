/* HF Trainer and tqdm: progress bars, and what the Trainer prints at its end. A step time is a
 * difference of elapsed times over a difference of counts; the rate that a bar shows is smoothed.
 * Elapsed times have whole seconds: so a value covers as many steps as take ten of them.
 *
 * Every node may write the same bar, one after the other or all at once; a bar also begins anew in
 * each epoch, after a restart, and beside the training's there are others. */
#include <string.h>

#include "decode_tqdm_bar.h"
#include "log_format.h"
#include "log_text.h"

#define JUMP_SECONDS 5 /* that are seen behind a jump before it is known what it was */
#define SECONDS_MIN 10 /* that a value covers: an elapsed time is off by up to one */
#define COURSE_MAX 512
#define DRAWN_MAX 64 /* bytes: of lines with longer bars nothing is learned */
#define DRAWN_TIMES 4
#define RUNNING "***** Running training" /* of the Trainer */

struct state {
    int64_t count, elapsed_s;
    double rate;
};

/* The states of one bar, so that another node's copy of it can be told from the next epoch. */
struct course {
    int size;
    struct state at[COURSE_MAX]; /* by count; full: those that come later are not kept */
};

/* What the bar does that went back. */
enum pass {
    PASS_ON,        /* it is the training's */
    PASS_UNDECIDED, /* at 0: a copy, an epoch, a restart */
    PASS_COPY,
};

/* Another bar than the training's. */
struct other_bar {
    uint64_t name;
    int64_t total;        /* 0: there is none */
    int64_t count, moved; /* of one around it: the newest; steps since the training's began */
    bool anew;            /* of one around it: it is at 0 again, as after a restart */
    bool whole, passed;   /* of one within it: it reached its total; the one around went on then */
};

struct tqdm {
    bool any;
    bool of_trainer; /* the Trainer's losses stand beside the bar: its steps are in one bar */
    bool other;      /* the last bar was another one */
    bool nodes;      /* the Trainer's: every node may write the whole bar again */
    uint64_t name;   /* of the training's bar */
    int64_t total, number;
    struct other_bar outer;     /* over epochs, drawn before it */
    struct other_bar inner;     /* drawn while it stood at 0: an evaluation, or the training's */
    bool names_training, whole; /* whole: it has reached its total */
    struct state last, from;    /* the newest; that from which the next value counts */
    int64_t base;               /* steps before this bar */
    bool valued;                /* a value came of it */
    struct state jump;          /* its first state behind 0, undecided what it is; count 0: none */
    bool validation;
    enum pass pass;
    struct state began; /* of an undecided pass */
    struct course course;
};

/* ---- copies ---- */

static void keep_state(struct course *course, const struct state *state)
{
    if (course->size < COURSE_MAX &&
        (course->size == 0 || course->at[course->size - 1].count < state->count))
        course->at[course->size++] = *state;
}

/* Whether the known course goes through this state: elapsed times of two nodes differ by a second,
 * rates hardly. */
static bool is_copy(const struct course *course, const struct state *state)
{
    int low = 0, high = course->size;
    while (low < high) {
        int middle = (low + high) / 2;
        if (course->at[middle].count < state->count)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == course->size)
        return false;
    const struct state *known = &course->at[low];
    if (known->count == state->count) {
        double more = known->rate > state->rate ? known->rate : state->rate;
        double less = known->rate > state->rate ? state->rate : known->rate;
        return known->elapsed_s - state->elapsed_s <= 1 &&
               state->elapsed_s - known->elapsed_s <= 1 && more - less <= more / 100;
    }
    int64_t before = low > 0 ? course->at[low - 1].elapsed_s : 0;
    return state->elapsed_s + 1 >= before && state->elapsed_s <= known->elapsed_s + 1;
}

/* ---- values ---- */

static void put_value(struct tqdm *log, const struct state *to, struct log_out *out)
{
    int64_t steps = to->count - log->from.count, seconds = to->elapsed_s - log->from.elapsed_s;
    struct record record = {.has = RECORD_JOB | RECORD_STEP | RECORD_STEP_TIME,
                            .step = log->base + to->count};
    record.step_time_ns = seconds * 1000000000 / steps;
    if (steps > 1) {
        record.has |= RECORD_SPAN;
        record.span = steps;
        log_out_note(out, LOG_NOTE_MEAN);
    }
    record.has |= log->validation ? RECORD_VALIDATION : 0;
    log->validation = false;
    log->valued = true;
    log->from = *to;
    log_out_note(out, LOG_NOTE_CUMULATIVE);
    log_out_record(out, &record);
}

/* A run that goes on from a checkpoint draws 0, then its first step behind all those before it:
 * "501/1000 [00:05<00:05, 98.5it/s]". That the steps from there on are slower by far tells it from
 * a bar that is not drawn often. False: not known yet. */
static bool decide_jump(struct tqdm *log, const struct state *state)
{
    struct state *jump = &log->jump;
    if (jump->count == 0)
        return true;
    int64_t seconds = state->elapsed_s - jump->elapsed_s, steps = state->count - jump->count;
    if (seconds < JUMP_SECONDS)
        return false;
    if ((double)(seconds - 1) / (double)steps >
        2 * (double)(jump->elapsed_s + 1) / (double)jump->count)
        log->from = *jump;
    jump->count = 0;
    return true;
}

/* The bar goes on. */
static void go_on(struct tqdm *log, const struct state *state, struct log_out *out)
{
    bool first = log->last.count == 0 && log->from.count == 0 && state->count > 1;
    if (first)
        log->jump = *state;
    log->last = *state;
    keep_state(&log->course, state);
    log->whole = state->count == log->total;
    if (first || !decide_jump(log, state)) {
        if (log->whole && log->jump.count > 0)
            log_out_count(out, LOG_LEFT_OUT, "a bar that jumped to %lld/%lld",
                          (long long)log->jump.count, (long long)log->total);
        return;
    }
    int64_t seconds = state->elapsed_s - log->from.elapsed_s;
    if (state->count == log->from.count)
        return;
    /* The end of a bar is worth a value of its own when it is not shorter than half of one. */
    int64_t least = !log->whole ? SECONDS_MIN : log->valued ? SECONDS_MIN / 2 : 1;
    if (seconds >= least && seconds > 0)
        put_value(log, state, out);
}

/* A bar begins at this state; steps before it: base. */
static void begin(struct tqdm *log, const struct state *state, int64_t base)
{
    log->base = base;
    log->last = log->from = *state;
    if (state->count == 1) /* bars that say nothing at 0 began there all the same */
        log->from = (struct state){0};
    log->valued = log->whole = false;
    log->jump.count = log->outer.moved = 0;
    log->outer.anew = false;
    log->pass = PASS_ON;
    log->course.size = 0;
    keep_state(&log->course, state);
}

/* The same bar anew: the next epoch when the last one was whole, else a restart. */
static void begin_anew(struct tqdm *log, const struct state *state, const struct state *first,
                       int64_t number, struct log_out *out)
{
    bool back = (log->number >= 0 && number >= 0 && number < log->number) || log->outer.anew;
    bool next = log->whole || log->outer.moved > 0;
    begin(log, first, back ? 0 : next ? log->base + log->last.count : log->base);
    log->number = number;
    if (state->count > first->count || log->from.count < log->last.count)
        go_on(log, state, out);
}

/* ---- states ---- */

static void double_state(const struct state *state, int64_t total, struct log_out *out)
{
    log_out_count(out, LOG_DOUBLED, "%lld/%lld", (long long)state->count, (long long)total);
}

/* It begins another epoch, and is no copy: a loop of one's own draws a bar an epoch. */
static bool is_other_pass(const struct tqdm *log, const struct tqdm_bar *bar)
{
    bool next = log->whole && !log->nodes && log->pass == PASS_ON && bar->count <= 1 &&
                bar->count < bar->total && bar->elapsed_s < log->last.elapsed_s;
    return next || (bar->number >= 0 && log->number >= 0 && bar->number != log->number) ||
           log->outer.moved > 0 || log->outer.anew;
}

/* It is where it was, or went back. */
static void went_back(struct tqdm *log, const struct tqdm_bar *bar, const struct state *state,
                      struct log_out *out)
{
    bool other_pass = is_other_pass(log, bar);
    if (state->count == 0 && !(other_pass && log->whole)) {
        log->pass = PASS_UNDECIDED;
        log->began = *state;
        return;
    }
    if (!other_pass && is_copy(&log->course, state)) {
        log->pass = PASS_COPY;
        double_state(state, log->total, out);
        return;
    }
    if (!other_pass && log->pass != PASS_UNDECIDED && state->elapsed_s >= log->last.elapsed_s) {
        if (state->count == log->last.count) /* redrawn for other words behind it, or closed */
            double_state(state, log->total, out);
        else
            log_out_damaged(out, "a bar that goes back while its clock goes on");
        return;
    }
    struct state first = log->pass == PASS_UNDECIDED ? log->began : *state;
    begin_anew(log, state, &first, bar->number, out);
}

static void read_training(struct tqdm *log, const struct tqdm_bar *bar, struct log_out *out)
{
    struct state state = {bar->count, bar->elapsed_s, bar->rate};
    bool on = state.count > log->last.count && state.elapsed_s >= log->last.elapsed_s;
    bool other_pass = is_other_pass(log, bar);
    if (on && !other_pass && log->pass != PASS_UNDECIDED) {
        log->pass = PASS_ON;
        go_on(log, &state, out);
        return;
    }
    if (log->pass == PASS_UNDECIDED && on && !other_pass && !log->whole &&
        log->began.elapsed_s + 1 < state.elapsed_s && state.elapsed_s > log->last.elapsed_s + 1 &&
        log->course.size > 1) {
        /* Another node drew its 0 while this one went on. */
        log->pass = PASS_ON;
        go_on(log, &state, out);
        return;
    }
    went_back(log, bar, &state, out);
}

/* ---- bars around and within ---- */

static bool is_bar(const struct other_bar *known, const struct tqdm_bar *bar)
{
    /* A name says which bar it is; one without is told by its total. */
    return known->total > 0 && bar->name == known->name &&
           (bar->name != 0 || bar->total == known->total);
}

/* The first bar stands at 0, and one within it begins. "Epoch: 0/3", then "Iteration: 0/500", or
 * Lightning's "Training: 0/18", then "Epoch 0: 0/18"; without such names that of more steps than
 * there are epochs. */
static bool is_within(const struct tqdm *log, const struct tqdm_bar *bar)
{
    if (!log->any || log->last.count > 0 || log->base > 0 || log->outer.total > 0)
        return false;
    if (log->names_training && bar->names_training && bar->name != log->name)
        return true;
    return !log->nodes && bar->count <= 1 && bar->total > log->total; /* the Trainer's has none */
}

/* A bar of no more than the first one's total, drawn while that stands at 0: when that goes on by
 * one and it begins anew, it is the training's, and the first one's are epochs. Else it was an
 * evaluation before the first step. True: it is. */
static bool turns_out_within(struct tqdm *log, const struct tqdm_bar *bar)
{
    struct other_bar *inner = &log->inner;
    if (is_bar(inner, bar)) {
        inner->whole |= bar->count == bar->total;
        return inner->passed && bar->count <= 1;
    }
    if (log->last.count == 0 && log->base == 0 && log->outer.total == 0 && inner->total == 0 &&
        !log->nodes)
        *inner = (struct other_bar){.name = bar->name, .total = bar->total};
    return false;
}

/* Whether the first step of the training's bar is kept back, since it may be an epoch. */
static bool waits_for_inner(struct tqdm *log, const struct tqdm_bar *bar)
{
    struct other_bar *inner = &log->inner;
    if (inner->total == 0 || bar->count == 0)
        return false;
    inner->passed = inner->whole && bar->count == 1;
    if (!inner->passed)
        inner->total = 0;
    return inner->passed;
}

/* Whether this bar takes the place of the one that was taken for the training's: it ended, and the
 * new one is larger or says what it is. Behind the Trainer's it is an evaluation. */
static bool replaces(const struct tqdm *log, const struct tqdm_bar *bar)
{
    if (bar->names_training != log->names_training)
        return bar->names_training;
    if (bar->names_training && bar->name == log->name)
        return log->whole; /* an epoch with another number of batches */
    bool same_epoch = log->outer.total > 0 && log->outer.moved == 0;
    return log->whole && bar->total > log->total && !log->of_trainer && !same_epoch;
}

/* It takes the place of the one that was taken for the training's. */
static void take_over(struct tqdm *log, const struct tqdm_bar *bar, const struct other_bar *outer,
                      int64_t base, struct log_out *out)
{
    struct state state = {bar->count, bar->elapsed_s, bar->rate};
    bool nodes = log->nodes;
    *log = (struct tqdm){.any = true, .name = bar->name, .total = bar->total, .outer = *outer};
    log->nodes = nodes;
    log->number = bar->number;
    log->names_training = bar->names_training;
    begin(log, &state, base);
    if (state.count == 1)
        go_on(log, &state, out);
}

/* A bar around the training's: it goes on by one each time that begins anew. */
static void read_outer(struct tqdm *log, const struct tqdm_bar *bar, struct log_out *out)
{
    struct other_bar *outer = &log->outer, none = {0};
    if (bar->count > outer->count) {
        outer->moved += bar->count - outer->count;
        outer->count = bar->count;
    }
    outer->anew |= bar->count == 0 && outer->count > 0;
    if (outer->anew)
        outer->count = outer->moved = 0;
    if (outer->moved > 1 && bar->name == 0) {
        take_over(log, bar, &none, 0, out); /* it is none: what was within was an evaluation */
        return;
    }
    log_out_count(out, LOG_LEFT_OUT, "a bar around the training's: %lld/%lld",
                  (long long)bar->count, (long long)bar->total);
}

static void read_bar(struct tqdm *log, const struct tqdm_bar *bar, struct log_out *out)
{
    if (bar->use != TQDM_TRAINING) {
        log->validation |= log->any && bar->use == TQDM_EVALUATION;
        log_out_count(out, bar->use == TQDM_EVALUATION ? LOG_EVALUATION : LOG_LEFT_OUT,
                      bar->use == TQDM_EVALUATION ? NULL : "a bar of something else: %lld/%lld",
                      (long long)bar->count, (long long)bar->total);
        return;
    }
    bool same = log->any && bar->name == log->name && bar->total == log->total;
    struct other_bar around = {.name = log->name, .total = log->total};
    int64_t pass = log->inner.total;
    log->other = !same;
    if (same) {
        if (!waits_for_inner(log, bar))
            read_training(log, bar, out);
    } else if (is_bar(&log->outer, bar)) {
        read_outer(log, bar, out);
    } else if (is_within(log, bar)) {
        take_over(log, bar, &around, 0, out);
    } else if (!log->any || replaces(log, bar)) {
        bool epoch = log->any && bar->name == log->name && log->whole;
        struct other_bar outer = log->outer;
        take_over(log, bar, &outer, epoch ? log->base + log->total : 0, out);
    } else if (turns_out_within(log, bar)) {
        around.count = 1;
        take_over(log, bar, &around, pass, out);
    } else {
        log->validation = true; /* a bar within the bar */
        log_out_count(out, LOG_EVALUATION, NULL);
    }
}

/* ---- what the Trainer prints at its end ---- */

static bool read_value(struct str text, const char *name, const char *unit, struct log_out *out)
{
    struct str value;
    double number;
    int64_t clock_ns;
    size_t length;
    if (!log_after(text, name, &value))
        return false;
    while (value.len > 0 && strchr("'\": =", value.p[0]))
        value = log_from(value, 1);
    struct str clock = value;
    if (log_clock(clock, &clock_ns, &length) && memchr(clock.p, ':', length)) {
        log_out_value(out, str_from(name), unit, (double)clock_ns / 1e9);
        return true;
    }
    if (log_number(value, &number, &length) != LOG_NUMBER)
        return false;
    log_out_value(out, str_from(name), unit, number);
    return true;
}

static bool read_end(struct str text, struct log_out *out)
{
    bool any = read_value(text, "train_runtime", "s", out);
    any |= read_value(text, "train_steps_per_second", "steps/s", out);
    return any;
}

/* "{'loss': 2.5, ...}". What follows another bar at once belongs to that one: the Trainer of the
 * next run. */
static void read_loss(struct tqdm *log)
{
    log->of_trainer = log->any && !log->other;
    log->nodes = true;
}

struct reader {
    struct tqdm log;
    struct tqdm_heads heads;
    /* What the last bars drew, and how many did: a line is learned when its like come. */
    char drawn[DRAWN_MAX];
    size_t drawn_length;
    unsigned drawn_times; /* 0: as many bytes as drawn_length, of which none are kept */
};

static void learn(struct reader *reader, struct str drawn, struct log_learned *form)
{
    if (drawn.len != reader->drawn_length || drawn.len > DRAWN_MAX) {
        reader->drawn_length = drawn.len;
        reader->drawn_times = 0;
    } else if (reader->drawn_times == 0 || memcmp(drawn.p, reader->drawn, drawn.len) != 0) {
        memcpy(reader->drawn, drawn.p, drawn.len);
        reader->drawn_times = 1;
    } else if (reader->drawn_times < DRAWN_TIMES) {
        reader->drawn_times++;
    } else {
        log_learn_ready(form, false);
    }
}

static enum log_answer line(void *state, const struct log_line *line, struct log_out *out)
{
    struct reader *reader = state;
    struct tqdm_bar bar;
    struct str text = line->text;
    size_t at = 0, plain = 0; /* up to there no '_' is in the text */
    bool any = false;
    for (enum tqdm_answer answer;
         (answer = tqdm_next(&reader->heads, line->body, &at, &bar)) != TQDM_NONE;) {
        if (answer == TQDM_TORN)
            log_out_damaged(out, "a torn bar");
        else
            read_bar(&reader->log, &bar, out);
        if (!any && answer == TQDM_BAR && bar.drawn.p) {
            plain = bar.plain && line->body.p == text.p ? at : 0;
            if (line->form)
                learn(reader, bar.drawn, line->form);
        }
        any = true;
        if (at + 1 == line->body.len) /* too short to hold another */
            break;
    }
    if (!any && log_find(text, "{'loss': ") != SIZE_MAX)
        read_loss(&reader->log);
    reader->log.nodes |= !any && log_find(text, RUNNING) != SIZE_MAX;
    struct str rest = log_from(text, plain);
    any |= rest.len > 1 && log_find(rest, "train_") != SIZE_MAX && read_end(text, out);
    return any ? LOG_TAKEN : LOG_OTHER;
}

/* What is learned of a line is which formats are asked: it is read as any. */
static bool again(void *state, const struct log_line *bar, const struct log_values *values,
                  struct log_out *out)
{
    (void)values;
    return line(state, bar, out) == LOG_TAKEN;
}

static const char *const anchors[] = {
    "it/s]",     "s/it]",   "it/s,", "s/it,",         "batch/s",    "s/batch",
    "step/s",    "s/step",  "kB/s]", "MB/s]",         "GB/s]",      "examples/s]",
    "iter/s]",   "s/iter]", "ba/s]", "train_runtime", "samples/s]", "train_steps_per_second",
    "{'loss': ", RUNNING,   NULL};
const struct format format_tqdm = {
    .name = "tqdm",
    .title = "HF Trainer, tqdm",
    .needs = "nothing: the bar that is drawn by default (disable_tqdm=False)",
    .tells = "step time of the job within a second, from the bar's clock",
    .lacks = "the times of single ranks, the phases of a step",
    .how = LOG_HOW_NCCL,
    .anchors = anchors,
    .state_bytes = sizeof(struct reader),
    .line = line,
    .again = again,
};
