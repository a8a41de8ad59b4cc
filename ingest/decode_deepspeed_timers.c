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

/* ---- lines as before ---- */

static bool has_digit(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (log_is_digit(s.p[i]))
            return true;
    return false;
}

/* As is_whole(): "12.34". */
static bool read_numbers(struct deepspeed_again *again, unsigned which, struct str line,
                         double ms[DEEPSPEED_PARTS])
{
    const struct log_form *form = &again->at[which].form;
    if (!log_form_fits(&again->at[which].form, line))
        return false;
    for (unsigned i = 0; i < again->at[which].count; i++) {
        unsigned run = again->at[which].part[i].run;
        if (form->runs.at[run + 1].length != 2 || !log_run_decimal(form, line, run, &ms[i]))
            return false;
    }
    return true;
}

bool deepspeed_read_again(struct deepspeed_again *again, struct str line,
                          struct deepspeed_timers *timers, enum deepspeed_line *ret_kind,
                          struct log_out *out)
{
    double ms[DEEPSPEED_PARTS];
    unsigned which = again->next, other = (which + 1) % DEEPSPEED_FORMS;
    if (!read_numbers(again, which, line, ms)) {
        which = other;
        if (!read_numbers(again, which, line, ms))
            return false;
    }
    again->next = which;
    *ret_kind = again->at[which].kind;
    *timers = (struct deepspeed_timers){.all_zero = true};
    for (unsigned i = 0; i < again->at[which].count; i++) {
        unsigned timer = again->at[which].part[i].timer;
        if (timer == TIMERS) {
            const struct log_runs *runs = &again->at[which].form.runs;
            const char *number = line.p + runs->at[again->at[which].part[i].run].begin;
            log_out_value(out,
                          str_of(number - again->at[which].part[i].name_before,
                                 again->at[which].part[i].name_length),
                          "ms", ms[i]);
            continue;
        }
        timers->has[timer] = true;
        timers->ms[timer] = ms[i];
        timers->all_zero &= ms[i] == 0;
    }
    timers->last_step_ms = timers->ms[TIMER_STEP];
    return true;
}

void deepspeed_keep(struct deepspeed_again *again, struct str line, struct str text,
                    enum deepspeed_line kind)
{
    unsigned which = again->next = (again->next + 1) % DEEPSPEED_FORMS;
    struct str rest = log_from(text, 3), part, name, value;
    struct log_form *form = &again->at[which].form;
    again->at[which].kind = kind;
    again->at[which].count = 0;
    if (!log_form_learn(form, line))
        return;
    while (form->known && log_next_part(&rest, " | ", &part) && (part.len > 0 || rest.len > 0)) {
        if (again->at[which].count == DEEPSPEED_PARTS || !log_split(part, &name, &value)) {
            form->known = false;
            break;
        }
        unsigned i = again->at[which].count++;
        uint8_t run = log_form_decimal(form, line, value);
        size_t before = (size_t)(value.p - name.p);
        form->known =
            run != LOG_FORM_NO_RUN && !has_digit(str_of(name.p, before)) &&
            value.len == (size_t)form->runs.at[run].length + 1 + form->runs.at[run + 1].length;
        again->at[which].part[i].run = run;
        again->at[which].part[i].timer = (uint8_t)timer_of(without_microstep(name));
        again->at[which].part[i].name_before = (uint16_t)before;
        again->at[which].part[i].name_length = (uint16_t)name.len;
    }
}

void deepspeed_add_timers(struct deepspeed_timers *sum, const struct deepspeed_timers *more)
{
    for (int i = 0; i < TIMERS; i++) {
        sum->has[i] |= more->has[i];
        sum->ms[i] += more->ms[i];
    }
    sum->last_step_ms = more->last_step_ms;
}
