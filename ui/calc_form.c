/* The arguments of Panels 1.1 and 1.2, and where each comes from. */
#include "calc_form.h"

#include <math.h>
#include <string.h>

#include "mfu.h"
#include "str.h"

#define CHAPTER_CHIP "H100"

const char *calc_from_name(enum calc_from from)
{
    static const char *const names[] = {"chapter", "run", "MFU x peak", "yours"};
    return names[from];
}

/* ---- values ---- */

static void set_chapter(struct calc_form *form, enum calc_argument argument)
{
    const struct calc_argument_info *info = calc_argument(argument);
    form->values[argument] =
        (struct calc_value){info->chapter * info->scale, CALC_FROM_CHAPTER, EVIDENCE_EXAMPLE};
}

void calc_form_init(struct calc_form *form)
{
    *form = (struct calc_form){.chip = CHAPTER_CHIP};
    for (int i = 0; i < CALC_COUNT; i++)
        set_chapter(form, (enum calc_argument)i);
}

static void set_run(struct calc_form *form, enum calc_argument argument, double value,
                    enum evidence evidence)
{
    if (form->values[argument].from != CALC_FROM_USER && isfinite(value) && value > 0)
        form->values[argument] = (struct calc_value){value, CALC_FROM_RUN, evidence};
}

static bool is_from(const struct calc_form *form, enum calc_argument argument, enum calc_from from)
{
    return form->values[argument].from == from;
}

/* The chapter's 400 TFLOP/s are an H100's, its GPU-hours those of Llama 3 405B:
 * beside another peak or model they mean nothing. */
static void settle(struct calc_form *form)
{
    struct calc_value *values = form->values;
    if (is_from(form, CALC_ACHIEVED, CALC_FROM_MFU))
        set_chapter(form, CALC_ACHIEVED);
    if (is_from(form, CALC_GPU_HOURS, CALC_FROM_CHAPTER))
        set_chapter(form, CALC_GPU_HOURS);
    if (is_from(form, CALC_ACHIEVED, CALC_FROM_CHAPTER) &&
        !is_from(form, CALC_PEAK, CALC_FROM_CHAPTER)) {
        enum evidence mfu = values[CALC_MFU].evidence, peak = values[CALC_PEAK].evidence;
        bool simulated = mfu == EVIDENCE_SIMULATED || peak == EVIDENCE_SIMULATED;
        values[CALC_ACHIEVED] =
            (struct calc_value){values[CALC_MFU].value * values[CALC_PEAK].value, CALC_FROM_MFU,
                                simulated ? EVIDENCE_SIMULATED : EVIDENCE_COMPUTED};
        if (!isfinite(values[CALC_ACHIEVED].value))
            values[CALC_ACHIEVED].evidence = EVIDENCE_NONE;
    }
    bool same_model = is_from(form, CALC_PARAMS, CALC_FROM_CHAPTER) &&
                      is_from(form, CALC_TOKENS, CALC_FROM_CHAPTER);
    if (is_from(form, CALC_GPU_HOURS, CALC_FROM_CHAPTER) && !same_model)
        values[CALC_GPU_HOURS] = (struct calc_value){NAN, CALC_FROM_CHAPTER, EVIDENCE_NONE};
}

/* Back to the chapter, but for what the user has set. */
static void begin_fill(struct calc_form *form)
{
    for (int i = 0; i < CALC_COUNT; i++)
        if (form->values[i].from != CALC_FROM_USER)
            set_chapter(form, (enum calc_argument)i);
    if (!is_from(form, CALC_PEAK, CALC_FROM_USER))
        str_copy(form->chip, sizeof(form->chip), str_from(CHAPTER_CHIP));
}

/* A chip that nobody knows has no peak: not the chapter's either. */
static void fill_peak(struct calc_form *form, const struct run *run)
{
    double peak = run_peak_flops(run);
    if (is_from(form, CALC_PEAK, CALC_FROM_USER) || (!run->chip[0] && !(peak > 0)))
        return;
    memcpy(form->chip, run->chip, sizeof(form->chip));
    form->values[CALC_PEAK] = (struct calc_value){peak > 0 ? peak : NAN, CALC_FROM_RUN,
                                                  peak > 0 ? EVIDENCE_EXAMPLE : EVIDENCE_NONE};
}

static void fill_description(struct calc_form *form, const struct run *run)
{
    double params = run->active_params > 0 ? run->active_params : run->params;
    set_run(form, CALC_PARAMS, params, EVIDENCE_EXAMPLE);
    set_run(form, CALC_TOKENS, run->total_tokens, EVIDENCE_EXAMPLE);
    set_run(form, CALC_GPUS, run->gpus, EVIDENCE_EXAMPLE);
    set_run(form, CALC_PRICE, run->gpu_hour_price, EVIDENCE_EXAMPLE);
    set_run(form, CALC_WATTS, run->gpu_watts, EVIDENCE_EXAMPLE);
    fill_peak(form, run);
}

static void end_fill(struct calc_form *form, bool simulated)
{
    for (int i = 0; i < CALC_COUNT && simulated; i++)
        if (form->values[i].from == CALC_FROM_RUN && form->values[i].evidence != EVIDENCE_NONE)
            form->values[i].evidence = EVIDENCE_SIMULATED;
    settle(form);
}

void calc_form_fill_run(struct calc_form *form, const struct run *run)
{
    begin_fill(form);
    fill_description(form, run);
    end_fill(form, run->simulated);
}

static void fill_quantity(struct calc_form *form, enum calc_argument argument,
                          struct quantity quantity, double factor)
{
    if (quantity_known(quantity))
        set_run(form, argument, quantity.value * factor, quantity.evidence);
}

void calc_form_fill(struct calc_form *form, const struct summary *summary)
{
    begin_fill(form);
    fill_description(form, &summary->run);
    if ((summary->gpus_assumed || summary->gpus_logged) && summary->run.gpus > 0)
        set_run(form, CALC_GPUS, summary->run.gpus, EVIDENCE_MEASURED);
    fill_quantity(form, CALC_MFU, summary->mfu, 1);
    fill_quantity(form, CALC_EFFECTIVE, summary->effective.share, 1);
    /* An MFU that the log gives is by a peak of its writer, and the chapter's is of an H100. */
    if (quantity_known(summary->flops))
        fill_quantity(form, CALC_ACHIEVED, summary->flops, 1);
    else if (!is_from(form, CALC_PEAK, CALC_FROM_CHAPTER) && summary->mfu_origin != MFU_LOGGED)
        fill_quantity(form, CALC_ACHIEVED, summary->mfu, form->values[CALC_PEAK].value);
    end_fill(form, summary->simulated);
}

void calc_form_reset(struct calc_form *form, enum calc_argument argument)
{
    set_chapter(form, argument);
    if (argument == CALC_PEAK)
        str_copy(form->chip, sizeof(form->chip), str_from(CHAPTER_CHIP));
    settle(form);
}

/* ---- what the user sets ---- */

static void take(struct calc_form *form, enum calc_argument argument, double value)
{
    form->values[argument] = (struct calc_value){value, CALC_FROM_USER, EVIDENCE_EXAMPLE};
    if (argument == CALC_PEAK)
        str_copy(form->chip, sizeof(form->chip), str_from(calc_chip_of_peak(value)));
    settle(form);
}

/* With room for what a division by the scale rounds. */
static bool within(enum calc_argument argument, double value)
{
    const struct calc_argument_info *info = calc_argument(argument);
    double shown = value / info->scale;
    return shown >= info->lowest * (1 - 1e-12) && shown <= info->highest * (1 + 1e-12);
}

bool calc_form_set(struct calc_form *form, enum calc_argument argument, double value)
{
    if (!within(argument, value))
        return false;
    take(form, argument, value);
    return true;
}

void calc_form_set_chip(struct calc_form *form, const char *chip, double peak_flops)
{
    take(form, CALC_PEAK, peak_flops);
    str_copy(form->chip, sizeof(form->chip), str_from(chip));
}

/* ---- what to compute with ---- */

struct calc_training calc_form_training(const struct calc_form *form)
{
    const struct calc_value *values = form->values;
    return (struct calc_training){.params = values[CALC_PARAMS].value,
                                  .tokens = values[CALC_TOKENS].value,
                                  .gpus = values[CALC_GPUS].value,
                                  .achieved = values[CALC_ACHIEVED].value,
                                  .peak = values[CALC_PEAK].value,
                                  .gpu_hours = values[CALC_GPU_HOURS].value};
}

struct calc_point calc_form_point(const struct calc_form *form)
{
    const struct calc_value *values = form->values;
    struct calc_training training = calc_form_training(form);
    return (struct calc_point){.flop = calc_rounded(calc_training(&training).flop, 3),
                               .peak = values[CALC_PEAK].value,
                               .mfu = values[CALC_MFU].value,
                               .gpus = values[CALC_GPUS].value,
                               .price = values[CALC_PRICE].value,
                               .watts = values[CALC_WATTS].value};
}

enum evidence calc_form_evidence(const struct calc_form *form)
{
    for (int i = 0; i < CALC_COUNT; i++)
        if (form->values[i].evidence == EVIDENCE_SIMULATED)
            return EVIDENCE_SIMULATED;
    return EVIDENCE_COMPUTED;
}

const char *calc_form_chip(const struct calc_form *form)
{
    return form->chip[0] ? form->chip : "GPU";
}
