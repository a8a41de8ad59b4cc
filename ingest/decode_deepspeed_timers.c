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
    {"step", TIMER_STEP},
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
           (timer_of(without_microstep(name)) != TIMERS || log_begins(name, "optimizer_"));
}

/* The last number of a line may be cut: they are printed with two decimals. */
static bool is_whole(struct str value)
{
    return value.len > 3 && value.p[value.len - 3] == '.';
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

void deepspeed_add_timers(struct deepspeed_timers *sum, const struct deepspeed_timers *more)
{
    for (int i = 0; i < TIMERS; i++) {
        sum->has[i] |= more->has[i];
        sum->ms[i] += more->ms[i];
    }
    sum->last_step_ms = more->last_step_ms;
}
