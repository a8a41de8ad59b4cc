/* One line of DeepSpeed's timers. */
#include "decode_deepspeed_timers.h"

#include <string.h>

#include "log_text.h"

#define MICROSTEP "_microstep"

static const struct {
    const char *name;
    enum deepspeed_timer timer;
} known[] = {
    {"fwd", TIMER_FORWARD},        {"forward", TIMER_FORWARD},
    {"bwd", TIMER_BACKWARD},       {"backward", TIMER_BACKWARD},
    {"bwd_inner", TIMER_INNER},    {"backward_inner", TIMER_INNER},
    {"bwd_allreduce", TIMER_SYNC}, {"backward_allreduce", TIMER_SYNC},
    {"step", TIMER_STEP},          {"batch_input", TIMER_DATA},
};

/* The timer of a name without "_microstep"; TIMERS: none. */
static enum deepspeed_timer timer_of(struct str name)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (str_is(name, known[i].name))
            return known[i].timer;
    return TIMERS;
}

static struct str without_microstep(struct str name)
{
    return log_ends(name, MICROSTEP) ? log_until(name, name.len - strlen(MICROSTEP)) : name;
}

bool deepspeed_has_timers(struct str text)
{
    struct str part, name, value;
    if (!log_begins(text, " | "))
        return false;
    text = log_from(text, 3);
    return log_next_part(&text, " | ", &part) && log_split(part, &name, &value) &&
           (timer_of(without_microstep(name)) != TIMERS || log_begins(name, "optimizer_") ||
            log_begins(name, "pipe_"));
}

/* The last number of a line may be cut: they are printed with two decimals. */
static bool is_whole(struct str value)
{
    return value.len > 3 && value.p[value.len - 3] == '.';
}

/* "12.34 (fwd_moe: 3.20, 1st_a2a: 1.00, ...)": what a layer of experts holds. False: torn. */
static bool read_parts(struct str value, size_t bracket, struct log_out *out)
{
    struct str rest = log_from(value, bracket + 2), part, name, number;
    double ms;
    if (value.p[value.len - 1] != ')')
        return false;
    rest.len--;
    while (log_next_part(&rest, ", ", &part)) {
        if (!log_split(part, &name, &number) || log_number_whole(number, NULL, &ms) != LOG_NUMBER ||
            !(ms >= 0))
            return false;
        log_out_value(out, name, "ms", ms);
    }
    return true;
}

enum deepspeed_line deepspeed_read_timers(struct str text, struct deepspeed_timers *timers,
                                          struct log_out *out)
{
    enum deepspeed_line kind = DEEPSPEED_OPTIMIZER;
    struct str part, name, value;
    struct str rest = log_from(text, 3);
    double ms;
    *timers = (struct deepspeed_timers){.all_zero = true};
    while (log_next_part(&rest, " | ", &part)) {
        if (part.len == 0 && rest.len == 0)
            break;
        size_t bracket = log_find(part, " (");
        if (bracket != SIZE_MAX) { /* not a step, so none is torn */
            if (!read_parts(part, bracket, out))
                log_out_damaged(out, "a torn line of timers");
            return DEEPSPEED_OPTIMIZER;
        }
        if (!log_split(part, &name, &value) || log_number_whole(value, NULL, &ms) != LOG_NUMBER ||
            !(ms >= 0) || !is_whole(value))
            return DEEPSPEED_TORN;
        enum deepspeed_timer timer = timer_of(without_microstep(name));
        if (timer == TIMERS) {
            log_out_value(out, name, "ms", ms);
            continue;
        }
        kind = log_ends(name, MICROSTEP) ? DEEPSPEED_MICROSTEP : DEEPSPEED_STEP;
        timers->has[timer] = true;
        timers->ms[timer] = ms;
        timers->all_zero &= ms == 0;
    }
    timers->last_step_ms = timers->ms[TIMER_STEP];
    /* A line that lost its end would be a step without its optimizer. */
    return kind != DEEPSPEED_OPTIMIZER && !timers->has[TIMER_STEP] ? DEEPSPEED_TORN : kind;
}

/* ---- learned lines: a field for each part, in order ---- */

/* A field's note. */
#define NOTE_TIMER 7u /* TIMERS: it becomes a value */
#define NOTE_STEP 8u  /* of a step, not of a microstep */
#define NOTE_BEFORE 4 /* shift: bytes from the name's begin to the number, 12 bits */
#define NOTE_NAME 16  /* shift: bytes of the name */

static bool has_digit(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (log_is_digit(s.p[i]))
            return true;
    return false;
}

void deepspeed_learn_timers(struct str text, enum deepspeed_line kind, struct log_learned *form)
{
    struct str rest = log_from(text, 3), part, name, value;
    double ms;
    size_t length;
    if (!form || (kind != DEEPSPEED_MICROSTEP && kind != DEEPSPEED_STEP))
        return;
    for (unsigned i = 0; log_next_part(&rest, " | ", &part) && (part.len > 0 || rest.len > 0);
         i++) {
        if (!log_split(part, &name, &value) || log_number(value, &ms, &length) != LOG_NUMBER ||
            length != value.len)
            return;
        size_t before = (size_t)(value.p - name.p);
        if (i + 1 == LOG_LEARN_FIELDS || before > 4095 || has_digit(str_of(name.p, before)))
            return;
        log_learn_number(form, i, value,
                         (uint32_t)(timer_of(without_microstep(name)) |
                                    (kind == DEEPSPEED_STEP ? NOTE_STEP : 0) |
                                    before << NOTE_BEFORE | name.len << NOTE_NAME));
    }
    log_learn_ready(form, false);
}

bool deepspeed_timers_again(const struct log_values *values, struct deepspeed_timers *timers,
                            enum deepspeed_line *ret_kind, struct log_out *out)
{
    for (unsigned i = 0; log_values_have(values, i); i++)
        if (!is_whole(values->text[i]) || !(values->number[i] >= 0))
            return false;
    *timers = (struct deepspeed_timers){.all_zero = true};
    *ret_kind = values->notes[0] & NOTE_STEP ? DEEPSPEED_STEP : DEEPSPEED_MICROSTEP;
    for (unsigned i = 0; log_values_have(values, i); i++) {
        uint32_t note = values->notes[i], timer = note & NOTE_TIMER;
        double ms = values->number[i];
        if (timer == TIMERS) {
            const char *name = values->text[i].p - (note >> NOTE_BEFORE & 4095);
            log_out_value(out, str_of(name, note >> NOTE_NAME), "ms", ms);
            continue;
        }
        timers->has[timer] = true;
        timers->ms[timer] = ms;
        timers->all_zero &= ms == 0;
    }
    timers->last_step_ms = timers->ms[TIMER_STEP];
    return true;
}

void deepspeed_add_timers(struct deepspeed_timers *sum, const struct deepspeed_timers *more)
{
    for (int i = 0; i < TIMERS; i++) {
        sum->has[i] |= more->has[i];
        sum->ms[i] += more->ms[i];
    }
    sum->last_step_ms = more->last_step_ms;
}

bool deepspeed_differ(const struct deepspeed_timers *sum, const struct deepspeed_timers *step)
{
    for (int i = 0; i < TIMERS; i++) {
        double apart = sum->ms[i] - step->ms[i];
        double most = 1 + step->ms[i] / 100; /* the two are measured apart */
        if (step->has[i] && (apart > most || apart < -most))
            return true;
    }
    return false;
}

bool deepspeed_same(const struct deepspeed_timers *a, const struct deepspeed_timers *b)
{
    for (int i = 0; i < TIMERS; i++)
        if (a->has[i] != b->has[i] || a->ms[i] < b->ms[i] || a->ms[i] > b->ms[i])
            return false;
    return true;
}
