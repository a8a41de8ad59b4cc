/* The states of one bar become values. A step time is a difference of elapsed times over a
 * difference of counts; the rate that a bar shows is smoothed. Elapsed times have whole seconds: so
 * a value covers as many steps as take ten of them.
 *
 * Every node may write the same bar, one after the other or all at once; a bar also begins anew in
 * each epoch, and after a restart. */
#include "decode_tqdm.h"

#include <string.h>

#define JUMP_SECONDS 5 /* that are seen behind a jump before it is known what it was */
#define SECONDS_MIN 10 /* that a value covers: an elapsed time is off by up to one */

/* ---- copies ---- */

static void keep_state(struct tqdm_course *course, const struct tqdm_state *state)
{
    if (course->size < TQDM_COURSE_MAX &&
        (course->size == 0 || course->at[course->size - 1].count < state->count))
        course->at[course->size++] = *state;
}

/* Whether the known course goes through this state: elapsed times of two nodes differ by a second,
 * rates hardly. */
static bool is_copy(const struct tqdm_course *course, const struct tqdm_state *state)
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
    const struct tqdm_state *known = &course->at[low];
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

static void put_out(const struct tqdm_value *value, struct log_out *out)
{
    struct record record = {.has = RECORD_JOB | RECORD_STEP | RECORD_STEP_TIME,
                            .step = value->step};
    record.step_time_ns = value->seconds * 1000000000 / value->steps;
    if (value->steps > 1) {
        record.has |= RECORD_SPAN;
        record.span = value->steps;
        log_out_note(out, LOG_NOTE_MEAN);
    }
    record.has |= value->validation ? RECORD_VALIDATION : 0;
    log_out_note(out, LOG_NOTE_SECONDS);
    log_out_record(out, &record);
}

/* Two values become one, which says the same of all their steps together; those of two passes do
 * not. */
static void make_room(struct tqdm_track *track, struct log_out *out)
{
    int kept = 0, before = track->held_count;
    for (int i = 0; i < before; i++) {
        const struct tqdm_value *value = &track->held[i];
        struct tqdm_value *last = &track->held[kept > 0 ? kept - 1 : 0];
        if (i % 2 == 1 && last->step + value->steps == value->step) {
            last->step = value->step;
            last->steps += value->steps;
            last->seconds += value->seconds;
            last->validation |= value->validation;
        } else {
            track->held[kept++] = *value;
        }
    }
    if (kept == before) { /* passes of one value each: the oldest are forgotten */
        kept = before / 2;
        memmove(track->held, track->held + before - kept, (size_t)kept * sizeof *track->held);
        log_out_count(out, LOG_LEFT_OUT, NULL);
        log_out_count_more(out, LOG_LEFT_OUT, (uint64_t)(before - kept - 1));
    }
    track->held_count = kept;
    log_out_records_held(out, kept - before);
}

static void hold(struct tqdm_track *track, const struct tqdm_value *value, struct log_out *out)
{
    if (track->held_count == TQDM_HELD_MAX)
        make_room(track, out);
    track->held[track->held_count++] = *value;
    log_out_records_held(out, 1);
}

static void count_untold(enum log_count count, uint64_t states, struct log_out *out)
{
    if (states == 0)
        return;
    log_out_count(out, count, NULL);
    log_out_count_more(out, count, states - 1);
}

void tqdm_track_release(struct tqdm_track *track, struct log_out *out)
{
    for (int i = 0; i < track->held_count; i++)
        put_out(&track->held[i], out);
    count_untold(LOG_DOUBLED, track->untold_doubled, out);
    count_untold(LOG_LEFT_OUT, track->untold_left_out, out);
    tqdm_track_drop(track, out);
}

void tqdm_track_drop(struct tqdm_track *track, struct log_out *out)
{
    if (track->held_count > 0)
        log_out_records_held(out, -track->held_count);
    track->held_count = 0;
    track->untold_doubled = track->untold_left_out = 0;
    track->holds = false;
}

static void put_value(struct tqdm_track *track, const struct tqdm_state *to, struct log_out *out)
{
    struct tqdm_value value = {.step = track->base + to->count,
                               .steps = to->count - track->from.count,
                               .seconds = to->elapsed_s - track->from.elapsed_s,
                               .validation = track->validation};
    track->validation = false;
    track->valued = true;
    track->from = *to;
    if (track->holds)
        hold(track, &value, out);
    else
        put_out(&value, out);
}

/* A run that goes on from a checkpoint draws 0, then its first step behind all those before it:
 * "501/1000 [00:05<00:05, 98.5it/s]". That the steps from there on are slower by far tells it from
 * a bar that is not drawn often. False: not known yet. */
static bool decide_jump(struct tqdm_track *track, const struct tqdm_state *state)
{
    struct tqdm_state *jump = &track->jump;
    if (jump->count == 0)
        return true;
    int64_t seconds = state->elapsed_s - jump->elapsed_s, steps = state->count - jump->count;
    if (seconds < JUMP_SECONDS)
        return false;
    if ((double)(seconds - 1) / (double)steps >
        2 * (double)(jump->elapsed_s + 1) / (double)jump->count)
        track->from = *jump;
    jump->count = 0;
    return true;
}

static void leave_jump(struct tqdm_track *track, struct log_out *out)
{
    if (track->holds)
        track->untold_left_out++;
    else
        log_out_count(out, LOG_LEFT_OUT, "a bar that jumped to %lld/%lld",
                      (long long)track->jump.count, (long long)track->total);
}

/* The bar goes on. */
static void go_on(struct tqdm_track *track, const struct tqdm_state *state, struct log_out *out)
{
    bool first = track->last.count == 0 && track->from.count == 0 && state->count > 1;
    if (first)
        track->jump = *state;
    track->last = *state;
    keep_state(&track->course, state);
    track->whole = state->count == track->total;
    if (first || !decide_jump(track, state)) {
        if (track->whole && track->jump.count > 0)
            leave_jump(track, out);
        return;
    }
    int64_t seconds = state->elapsed_s - track->from.elapsed_s;
    if (state->count == track->from.count)
        return;
    /* The end of a bar is worth a value of its own when it is not shorter than half of one. */
    int64_t least = !track->whole ? SECONDS_MIN : track->valued ? SECONDS_MIN / 2 : 1;
    if (seconds >= least && seconds > 0)
        put_value(track, state, out);
}

void tqdm_track_skip(struct tqdm_track *track, const struct tqdm_state *state, struct log_out *out)
{
    int64_t steps = state->count - track->last.count;
    if (track->last.count > track->from.count &&
        track->last.elapsed_s - track->from.elapsed_s >= SECONDS_MIN / 2)
        put_value(track, &track->last, out);
    track->base -= steps;
    track->skipped += steps;
    track->from.count += steps;
    track->from.elapsed_s += state->elapsed_s - track->last.elapsed_s;
    track->jump.count = 0;
    track->last = *state;
    keep_state(&track->course, state);
    track->whole = state->count == track->total;
}

/* A bar begins at this state; steps before it: base. */
static void begin(struct tqdm_track *track, const struct tqdm_state *state, int64_t base)
{
    track->base = base;
    track->skipped = 0;
    track->last = track->from = *state;
    if (state->count <= 1) /* bars that say nothing at 0, or late, began there all the same */
        track->from = (struct tqdm_state){0};
    track->valued = track->whole = false;
    track->jump.count = track->epochs = 0;
    track->epochs_anew = false;
    track->pass = TQDM_PASS_ON;
    track->copies_at_1 = track->copies_at_full = 0;
    track->course.size = 0;
    keep_state(&track->course, state);
}

/* The same bar anew: the next epoch when the last one was whole, else a restart. */
static void begin_anew(struct tqdm_track *track, const struct tqdm_state *state,
                       const struct tqdm_state *first, int64_t number, struct log_out *out)
{
    bool lower = !track->counts && track->number >= 0 && number >= 0 && number < track->number;
    bool back = lower || track->epochs_anew;
    bool next = track->whole || track->epochs > 0;
    begin(track, first, back ? 0 : track->base + (next ? track->last.count : track->skipped));
    track->number = number;
    if (state->count > first->count || track->from.count < track->last.count)
        go_on(track, state, out);
}

/* ---- states ---- */

static void double_state(struct tqdm_track *track, const struct tqdm_state *state,
                         struct log_out *out)
{
    if (track->holds)
        track->untold_doubled++;
    else
        log_out_count(out, LOG_DOUBLED, "%lld/%lld", (long long)state->count,
                      (long long)track->total);
}

static void copy_state(struct tqdm_track *track, const struct tqdm_state *state,
                       struct log_out *out)
{
    track->pass = TQDM_PASS_COPY;
    track->copies_at_1 += state->count == 1;
    track->copies_at_full += state->count == track->total;
    double_state(track, state, out);
}

/* It begins another epoch, and is no copy: a loop of one's own draws a bar an epoch. Copies that
 * were drawn beside this one have reached their end by then. */
static bool is_other_pass(const struct tqdm_track *track, const struct tqdm_bar *bar)
{
    bool done = track->pass == TQDM_PASS_ON ||
                (track->pass == TQDM_PASS_COPY && track->copies_at_full > 0 &&
                 track->copies_at_full >= track->copies_at_1);
    bool next = track->whole && !track->nodes && done && bar->count <= 1 &&
                bar->count < bar->total && bar->elapsed_s < track->last.elapsed_s;
    bool on = bar->count >= track->last.count && bar->elapsed_s >= track->last.elapsed_s;
    bool numbered = bar->number >= 0 && track->number >= 0 && bar->number != track->number &&
                    (bar->numbers_epochs || !(on || track->counts));
    return next || numbered || track->epochs > 0 || track->epochs_anew;
}

/* It is where it was, or went back. */
static void went_back(struct tqdm_track *track, const struct tqdm_bar *bar,
                      const struct tqdm_state *state, struct log_out *out)
{
    bool other_pass = is_other_pass(track, bar);
    if (state->count == 0 && track->last.count == 0 && !other_pass &&
        state->elapsed_s > track->last.elapsed_s) {
        double_state(track, state, out); /* it stands, or another node's does */
        return;
    }
    if (state->count == 0 && !(other_pass && track->whole)) {
        track->pass = TQDM_PASS_UNDECIDED;
        track->began = *state;
        return;
    }
    if (!other_pass && is_copy(&track->course, state)) {
        copy_state(track, state, out);
        return;
    }
    if (!other_pass && track->pass != TQDM_PASS_UNDECIDED &&
        state->elapsed_s >= track->last.elapsed_s) {
        if (state->count == track->last.count) /* redrawn for other words behind it, or closed */
            double_state(track, state, out);
        else if (track->holds)
            track->untold_left_out++;
        else
            log_out_damaged(out, "a bar that goes back while its clock goes on");
        return;
    }
    struct tqdm_state first = track->pass == TQDM_PASS_UNDECIDED ? track->began : *state;
    begin_anew(track, state, &first, bar->number, out);
}

void tqdm_track_read(struct tqdm_track *track, const struct tqdm_bar *bar, struct log_out *out)
{
    struct tqdm_state state = {bar->count, bar->elapsed_s, bar->rate};
    bool on = state.count > track->last.count && state.elapsed_s >= track->last.elapsed_s;
    bool other_pass = is_other_pass(track, bar);
    track->counts |= on && !bar->numbers_epochs && bar->number >= 0 && track->number >= 0 &&
                     bar->number != track->number;
    if (on && !other_pass && track->pass != TQDM_PASS_UNDECIDED) {
        track->pass = TQDM_PASS_ON;
        go_on(track, &state, out);
        return;
    }
    if (track->pass == TQDM_PASS_UNDECIDED && on && !other_pass && !track->whole &&
        track->began.elapsed_s + 1 < state.elapsed_s &&
        state.elapsed_s > track->last.elapsed_s + 1 && track->course.size > 1) {
        /* Another node drew its 0 while this one went on. */
        track->pass = TQDM_PASS_ON;
        go_on(track, &state, out);
        return;
    }
    went_back(track, bar, &state, out);
}

bool tqdm_track_is_renamed(const struct tqdm_track *track, const struct tqdm_bar *bar)
{
    const struct tqdm_state *last = &track->last;
    bool on = bar->count >= last->count && bar->elapsed_s >= last->elapsed_s;
    bool begins = bar->count == 0 && bar->elapsed_s == 0; /* another one would, too */
    bool other = bar->name == track->first_name && bar->count > track->first_most;
    if (!on || bar->total != track->total || bar->name == track->name || other)
        return false;
    bool numbered = bar->numbers_epochs && track->number >= 0 && bar->number != track->number;
    return !numbered && (!begins || (track->base == 0 && !track->names_epochs && !track->nodes &&
                                     bar->use == TQDM_TRAINING));
}

void tqdm_track_rename(struct tqdm_track *track, const struct tqdm_bar *bar)
{
    if (track->name == track->first_name && track->last.count > track->first_most)
        track->first_most = track->last.count;
    track->name = bar->name;
    track->names_training |= bar->names_training;
}

void tqdm_track_begin(struct tqdm_track *track, const struct tqdm_bar *bar, int64_t base,
                      bool nodes, bool holds, struct log_out *out)
{
    struct tqdm_state state = {bar->count, bar->elapsed_s, bar->rate};
    *track = (struct tqdm_track){
        .name = bar->name, .first_name = bar->name, .total = bar->total, .number = bar->number};
    track->names_training = bar->names_training;
    track->names_epochs = bar->names_epochs;
    track->nodes = nodes;
    track->holds = holds;
    begin(track, &state, base);
    if (state.count == 1)
        go_on(track, &state, out);
}
