/* The keys that change the arguments of Panels 1.1 and 1.2. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "calc_form.h"
#include "str.h"

/* ---- the next value ---- */

/* The next multiple of `grid`; what is closer to one than a millionth is on it. */
static double next_multiple(double value, double grid, int direction)
{
    double at = value / grid;
    return (direction > 0 ? floor(at + 1e-6) + 1 : ceil(at - 1e-6) - 1) * grid;
}

static double next_digit(double value, int direction)
{
    double grid = pow(10, floor(log10(value) + 1e-9) - 1);
    if (direction < 0 && value < grid * 10.5) /* 1.0e6 is followed by 9.9e5 */
        grid /= 10;
    return next_multiple(value, grid, direction);
}

static double next_power(double value, int direction)
{
    double at = log2(value);
    return exp2(direction > 0 ? floor(at + 1e-6) + 1 : ceil(at - 1e-6) - 1);
}

/* The next value, in the unit that is shown. */
static double next_shown(const struct calc_argument_info *info, double shown, int direction)
{
    double next = shown;
    switch (info->step) {
    case STEP_DIGIT:
        next = next_digit(shown, direction);
        break;
    case STEP_DOUBLE:
        next = next_power(shown, direction);
        break;
    case STEP_FIXED:
        next = next_multiple(shown, info->amount, direction);
        break;
    case STEP_CHIP:
        next = calc_next_peak(shown * info->scale, direction) / info->scale;
        break;
    }
    if (next <= 0 && info->lowest > 0) /* small values have smaller steps */
        next = shown / 2;
    return fmin(fmax(next, info->lowest), info->highest);
}

static void change(struct calc_form *form, int direction)
{
    const struct calc_argument_info *info = calc_argument(form->cursor);
    double value = form->values[form->cursor].value;
    if (!isfinite(value)) /* from the chapter's on */
        value = info->chapter * info->scale;
    double next =
        next_shown(info, fmin(fmax(value / info->scale, info->lowest), info->highest), direction) *
        info->scale;
    if (next != value || form->values[form->cursor].from == CALC_FROM_USER)
        calc_form_set(form, form->cursor, next);
}

static void move(struct calc_form *form, int by)
{
    form->cursor = (enum calc_argument)(((int)form->cursor + by + CALC_COUNT) % CALC_COUNT);
}

static void complain(struct calc_form *form)
{
    const struct calc_argument_info *info = calc_argument(form->cursor);
    const char *gap = info->unit[0] ? " " : "";
    snprintf(form->message, sizeof(form->message), "%s takes a number from %g to %g%s%s, not '%s'",
             info->label, info->lowest, info->highest, gap, info->unit, form->entry);
}

/* False, with a message, when it is not a number within the bounds. */
static bool accept(struct calc_form *form)
{
    const struct calc_argument_info *info = calc_argument(form->cursor);
    struct str text = str_from(form->entry);
    double shown = 0;
    if (strcmp(info->unit, "%") == 0 && text.len > 0 && text.p[text.len - 1] == '%')
        text.len--;
    bool number = str_to_count(text, &shown);
    if (info->notation == NOTATION_COUNT)
        shown = round(shown);
    /* Nothing typed changes nothing. */
    if (form->entry[0] && !(number && calc_form_set(form, form->cursor, shown * info->scale))) {
        complain(form);
        return false;
    }
    form->editing = false;
    return true;
}

static void begin_entry(struct calc_form *form)
{
    double value = form->values[form->cursor].value / calc_argument(form->cursor)->scale;
    form->editing = true;
    form->entry[0] = '\0';
    if (isfinite(value))
        snprintf(form->entry, sizeof(form->entry), "%.6g", value);
}

static void rub_out(struct calc_form *form)
{
    size_t length = strlen(form->entry);
    if (length > 0)
        form->entry[length - 1] = '\0';
}

static void type(struct calc_form *form, uint32_t code)
{
    size_t length = strlen(form->entry);
    bool part = (code < 0x80 && code > ' ' && strchr("0123456789.eE+-%kKmMbBgGtT", (int)code));
    if (!part || length + 1 >= sizeof(form->entry))
        return;
    form->entry[length] = (char)code;
    form->entry[length + 1] = '\0';
}

static bool is_rub_out(uint32_t code)
{
    return code == KEYS_BACKSPACE || code == KEYS_DELETE || code == 0x08;
}

/* While a number is being typed all keys are its, but for the controls. */
static bool edit(struct calc_form *form, uint32_t code)
{
    if (code == KEYS_ENTER)
        accept(form);
    else if (code == KEYS_ESC)
        form->editing = false;
    else if (is_rub_out(code))
        rub_out(form);
    else if (code == 0x15) /* ^U */
        form->entry[0] = '\0';
    else if (code == KEYS_UP || code == KEYS_DOWN) {
        if (accept(form))
            move(form, code == KEYS_UP ? -1 : 1);
    } else if (code == KEYS_TAB || code == KEYS_SHIFT_TAB) {
        return !accept(form); /* then on to the next screen */
    } else
        type(form, code);
    return true;
}

static bool look(struct calc_form *form, uint32_t code)
{
    switch (code) {
    case KEYS_UP:
    case KEYS_DOWN:
        move(form, code == KEYS_UP ? -1 : 1);
        return true;
    case KEYS_LEFT:
    case KEYS_RIGHT:
        change(form, code == KEYS_LEFT ? -1 : 1);
        return true;
    case KEYS_ENTER:
        begin_entry(form);
        return true;
    case 'r':
        calc_form_reset(form, form->cursor);
        return true;
    case 'u':
        for (int i = 0; i < CALC_COUNT; i++)
            calc_form_reset(form, (enum calc_argument)i);
        return true;
    default:
        return false;
    }
}

bool calc_form_key(struct calc_form *form, struct key_event event)
{
    form->message[0] = '\0';
    if (form->editing)
        return edit(form, event.code);
    if (is_rub_out(event.code)) {
        begin_entry(form);
        rub_out(form);
        return true;
    }
    if ((event.code >= '0' && event.code <= '9') || event.code == '.') {
        form->editing = true;
        form->entry[0] = '\0';
        type(form, event.code);
        return true;
    }
    return look(form, event.code);
}
