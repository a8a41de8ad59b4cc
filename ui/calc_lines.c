/* Panels 1.1 and 1.2 as rows and tiles of text. */
#include "calc_lines.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

#define DAY_S 86400.

/* A row whose result is not known says so by "-" alone. */
static void make_row(struct calc_row *row, const struct calc_form *form, double result)
{
    row->evidence = isfinite(result) ? calc_form_evidence(form) : EVIDENCE_NONE;
    if (!isfinite(result))
        snprintf(row->result, sizeof(row->result), "-");
}

static const char *sane_chip(char out[RUN_TEXT_BYTES], const struct calc_form *form)
{
    text_sanitise(out, RUN_TEXT_BYTES, str_from(calc_form_chip(form)));
    if (text_columns(str_from(out)) > 24)
        return "GPU";
    return out;
}

/* "67 days", "1,200 years", "5.5 hours": two digits, in words. */
static const char *in_words(char out[FORMAT_BYTES], double seconds)
{
    static const struct {
        double size;
        const char *name;
    } units[] = {{CALC_YEAR_S, "years"}, {DAY_S, "days"}, {3600, "hours"}, {60, "minutes"}};
    char number[FORMAT_BYTES];
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (!(seconds >= 2 * units[i].size))
            continue;
        snprintf(out, FORMAT_BYTES, "%.30s %s", format_power(number, seconds / units[i].size, 2),
                 units[i].name);
        return out;
    }
    snprintf(out, FORMAT_BYTES, "%.30s seconds", format_power(number, seconds, 2));
    return out;
}

/* "26.0 million", "620,000", "1.2 million": as it is said. */
static const char *spoken(char out[FORMAT_BYTES], double value, int digits)
{
    static const struct {
        double size;
        const char *name;
    } units[] = {{1e12, "trillion"}, {1e9, "billion"}, {1e6, "million"}};
    char number[FORMAT_BYTES];
    double shown = calc_rounded(value, digits);
    for (size_t i = 0; i < 3 && shown < 1e15; i++) {
        if (!(shown >= units[i].size))
            continue;
        snprintf(out, FORMAT_BYTES, "%.30s %s",
                 format_rounded(number, value / units[i].size, digits), units[i].name);
        return out;
    }
    return format_rounded(out, value, digits);
}

struct texts { /* of the arguments */
    char params[FORMAT_BYTES], tokens[FORMAT_BYTES], gpus[FORMAT_BYTES], peak[FORMAT_BYTES],
        achieved[FORMAT_BYTES], hours[FORMAT_BYTES], mfu[FORMAT_BYTES], price[FORMAT_BYTES],
        flop[FORMAT_BYTES], peak_power[FORMAT_BYTES], achieved_power[FORMAT_BYTES],
        chip[RUN_TEXT_BYTES];
    const char *chip_name;
};

static void make_texts(struct texts *texts, const struct calc_form *form, double flop)
{
    const struct calc_value *values = form->values;
    calc_argument_text(texts->params, CALC_PARAMS, values[CALC_PARAMS].value);
    calc_argument_text(texts->tokens, CALC_TOKENS, values[CALC_TOKENS].value);
    calc_argument_text(texts->gpus, CALC_GPUS, values[CALC_GPUS].value);
    calc_argument_text(texts->peak, CALC_PEAK, values[CALC_PEAK].value);
    calc_argument_text(texts->achieved, CALC_ACHIEVED, values[CALC_ACHIEVED].value);
    calc_argument_text(texts->mfu, CALC_MFU, values[CALC_MFU].value);
    calc_argument_text(texts->price, CALC_PRICE, values[CALC_PRICE].value);
    spoken(texts->hours, values[CALC_GPU_HOURS].value, 2);
    format_power(texts->flop, flop, 3);
    format_power(texts->peak_power, values[CALC_PEAK].value, 3);
    format_power(texts->achieved_power, values[CALC_ACHIEVED].value, 2);
    texts->chip_name = sane_chip(texts->chip, form);
}

#define PUT(row, part, ...) snprintf((row)->part, sizeof((row)->part), __VA_ARGS__)

/* ---- section 1.2 ---- */

static void one_gpu_row(struct calc_row *row, const struct calc_form *form, const char *flop,
                        const char *rate, double seconds)
{
    char number[FORMAT_BYTES], words[FORMAT_BYTES];
    PUT(row, calculation, "%s / %s", flop, rate);
    PUT(row, result, "%s s, about %s", format_power(number, seconds, 2), in_words(words, seconds));
    make_row(row, form, seconds);
}

static void cluster_rows(struct calc_row *rows, const struct calc_form *form,
                         const struct texts *texts, const struct calc_training_result *result)
{
    char number[FORMAT_BYTES], words[FORMAT_BYTES];
    PUT(&rows[0], question, "Aggregate rate of %s GPUs at %s", texts->gpus, texts->achieved);
    PUT(&rows[0], calculation, "%s x %s", texts->gpus, texts->achieved_power);
    PUT(&rows[0], result, "%s FLOP/s", format_power(number, result->rate, 3));
    make_row(&rows[0], form, result->rate);
    PUT(&rows[1], question, "Pure stepping time on those %s GPUs", texts->gpus);
    PUT(&rows[1], calculation, "%s / %s", texts->flop, number);
    PUT(&rows[1], result, "%s s, about %s", format_power(number, result->stepping_s, 2),
        in_words(words, result->stepping_s));
    make_row(&rows[1], form, result->stepping_s);
}

static void average_row(struct calc_row *row, const struct calc_form *form,
                        const struct texts *texts, const struct calc_training_result *result)
{
    char number[FORMAT_BYTES], rate[FORMAT_BYTES], share[FORMAT_BYTES];
    double hours = form->values[CALC_GPU_HOURS].value;
    PUT(row, question, "Average rate per GPU from %s GPU-hours",
        isfinite(hours) ? texts->hours : "the");
    PUT(row, calculation, "%s / (%s x 3,600)", texts->flop, format_power(number, hours, 2));
    PUT(row, result, "%s FLOP/s, about %s TFLOP/s, %s%% of peak",
        format_power(number, result->run_average, 2),
        format_rounded(rate, result->run_average / 1e12, 2),
        format_rounded(share, result->run_share * 100, 2));
    make_row(row, form, result->run_average);
}

void calc_training_rows(const struct calc_form *form, struct calc_row rows[CALC_TRAINING_ROWS])
{
    struct calc_training training = calc_form_training(form);
    struct calc_training_result result = calc_training(&training);
    struct texts texts;
    char number[FORMAT_BYTES];
    make_texts(&texts, form, result.flop);
    PUT(&rows[0], question, "Training compute (6ND)");
    PUT(&rows[0], calculation, "6 x %s x %s", texts.params, texts.tokens);
    PUT(&rows[0], result, "%s FLOP", texts.flop);
    make_row(&rows[0], form, result.flop);
    PUT(&rows[1], question, "One %s at its %s peak", texts.chip_name, texts.peak);
    one_gpu_row(&rows[1], form, texts.flop, texts.peak_power, result.one_at_peak_s);
    PUT(&rows[2], question, "One %s at the %s achieved", texts.chip_name, texts.achieved);
    one_gpu_row(&rows[2], form, texts.flop, texts.achieved_power, result.one_at_achieved_s);
    cluster_rows(&rows[3], form, &texts, &result);
    average_row(&rows[5], form, &texts, &result);
    PUT(&rows[6], question, "One %s GPU-year at 40%% of peak", texts.chip_name);
    PUT(&rows[6], calculation, "0.4 x %s x 3.15e7", texts.peak_power);
    PUT(&rows[6], result, "%s FLOP", format_power(number, result.gpu_year_flop, 2));
    make_row(&rows[6], form, result.gpu_year_flop);
}

/* ---- section 1.3 ---- */

static void hours_row(struct calc_row *row, const struct calc_form *form, double hours, int digits)
{
    int said = digits < 3 ? digits : 3; /* the chapter: 1.064e7, "about 10.6 million" */
    char number[FORMAT_BYTES], words[FORMAT_BYTES];
    PUT(row, result, "%s GPU-h, about %s", format_power(number, hours, digits),
        spoken(words, hours, said));
    make_row(row, form, hours);
}

/* "0.41": an MFU as a divisor. */
static const char *divisor(char out[FORMAT_BYTES], double mfu)
{
    snprintf(out, FORMAT_BYTES, "%.4g", mfu);
    return isfinite(mfu) ? out : "-";
}

static void level_rows(struct calc_row *rows, const struct calc_form *form,
                       const struct texts *texts, const struct calc_point_result *result)
{
    char peak[FORMAT_BYTES], now[FORMAT_BYTES], more[FORMAT_BYTES];
    double mfu = form->values[CALC_MFU].value;
    format_power(peak, result->gpu_hours_at_peak, 4);
    PUT(&rows[0], question, "GPU-hours at 100%% of the %s peak", texts->chip_name);
    PUT(&rows[0], calculation, "%s / %s / 3,600", texts->flop, texts->peak_power);
    hours_row(&rows[0], form, result->gpu_hours_at_peak, 4);
    PUT(&rows[1], question, "GPU-hours at %s MFU", texts->mfu);
    PUT(&rows[1], calculation, "%s / %s", peak, divisor(now, mfu));
    hours_row(&rows[1], form, result->gpu_hours, 3);
    PUT(&rows[2], question, "GPU-hours at %.4g%% MFU", (mfu + 0.01) * 100);
    PUT(&rows[2], calculation, "%s / %s", peak, divisor(more, mfu + 0.01));
    hours_row(&rows[2], form, result->gpu_hours_one_more, 3);
    PUT(&rows[3], question, "One MFU point, %s to %.4g%%", texts->mfu, (mfu + 0.01) * 100);
    PUT(&rows[3], calculation, "%s x (1/%s - 1/%s)", peak, divisor(now, mfu),
        divisor(more, mfu + 0.01));
    hours_row(&rows[3], form, result->saved_gpu_hours, 2);
}

static void worth_rows(struct calc_row *rows, const struct calc_form *form,
                       const struct texts *texts, const struct calc_point_result *result)
{
    char saved[FORMAT_BYTES], number[FORMAT_BYTES], words[FORMAT_BYTES];
    double watts = form->values[CALC_WATTS].value;
    format_power(saved, result->saved_gpu_hours, 2);
    PUT(&rows[0], question, "The same in hours of the whole %s-GPU cluster", texts->gpus);
    PUT(&rows[0], calculation, "%s / %s", saved, texts->gpus);
    PUT(&rows[0], result, "%s h", format_power(number, result->saved_hours, 2));
    make_row(&rows[0], form, result->saved_hours);
    PUT(&rows[1], question, "The same in dollars at %s USD per %s-hour", texts->price,
        texts->chip_name);
    PUT(&rows[1], calculation, "%s x %s", saved, texts->price);
    PUT(&rows[1], result, "%s USD, about %s USD", format_power(number, result->saved_money, 2),
        spoken(words, result->saved_money, 2));
    make_row(&rows[1], form, result->saved_money);
    PUT(&rows[2], question, "The same in GPU energy at %.4g W (%.4g kW)", watts, watts / 1000);
    PUT(&rows[2], calculation, "%s x %.4g", saved, watts / 1000);
    PUT(&rows[2], result, "%s kWh, about %s MWh", format_power(number, result->saved_kwh, 2),
        format_rounded(words, result->saved_kwh / 1000, 2));
    make_row(&rows[2], form, result->saved_kwh);
}

void calc_point_rows(const struct calc_form *form, struct calc_row rows[CALC_POINT_ROWS])
{
    struct calc_point point = calc_form_point(form);
    struct calc_point_result result = calc_point(&point);
    double effective = form->values[CALC_EFFECTIVE].value;
    struct texts texts;
    char number[FORMAT_BYTES], now[FORMAT_BYTES];
    make_texts(&texts, form, point.flop);
    snprintf(texts.price, sizeof(texts.price), "%.4g", point.price);
    level_rows(rows, form, &texts, &result);
    worth_rows(&rows[4], form, &texts, &result);
    PUT(&rows[7], question, "Share of the bought GPU time that became model");
    PUT(&rows[7], calculation, "%s x %.4g", divisor(now, point.mfu), effective);
    PUT(&rows[7], result, "%s%% of the peak of every GPU-hour",
        format_rounded(number, point.mfu * effective * 100, 2));
    make_row(&rows[7], form, point.mfu * effective);
}

/* ---- tiles ---- */

static void tile(struct calc_tile *tile, const struct calc_form *form, const char *title,
                 double value, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* "-" without evidence when the value is not known. */
static void tile(struct calc_tile *tile, const struct calc_form *form, const char *title,
                 double value, const char *format, ...)
{
    va_list arguments;
    snprintf(tile->title, sizeof(tile->title), "%s", title);
    tile->evidence = isfinite(value) ? calc_form_evidence(form) : EVIDENCE_NONE;
    va_start(arguments, format);
    vsnprintf(tile->value, sizeof(tile->value), format, arguments);
    va_end(arguments);
    if (!isfinite(value))
        snprintf(tile->value, sizeof(tile->value), "-");
}

void calc_training_tiles(const struct calc_form *form, struct calc_tile tiles[CALC_TILES])
{
    struct calc_training training = calc_form_training(form);
    struct calc_training_result result = calc_training(&training);
    char number[FORMAT_BYTES], title[40], chip[RUN_TEXT_BYTES];
    double share = training.achieved / training.peak;
    tile(&tiles[0], form, "Training compute, 6ND", result.flop, "%s FLOP",
         format_power(number, result.flop, 3));
    tile(&tiles[1], form, "GPU-hours at this rate", result.gpu_hours, "%s",
         format_power(number, result.gpu_hours, 3));
    tile(&tiles[2], form, "Pure stepping time", result.stepping_s, "%s",
         in_words(number, result.stepping_s));
    const char *name = sane_chip(chip, form);
    snprintf(title, sizeof(title), "%s%sGPU-years at 40%%", strcmp(name, "GPU") == 0 ? "" : name,
             strcmp(name, "GPU") == 0 ? "" : " ");
    tile(&tiles[3], form, title, result.gpu_years_at_40, "%s",
         format_power(number, result.gpu_years_at_40, 2));
    tile(&tiles[4], form, "achieved, of the peak", share, "%s%%",
         format_rounded(number, share * 100, 2));
    tile(&tiles[5], form, "average of all GPU-hours", result.run_share, "%s%%",
         format_rounded(number, result.run_share * 100, 2));
}

void calc_point_tiles(const struct calc_form *form, struct calc_tile tiles[CALC_TILES])
{
    struct calc_point point = calc_form_point(form);
    struct calc_point_result result = calc_point(&point);
    char number[FORMAT_BYTES];
    double share = point.mfu * form->values[CALC_EFFECTIVE].value;
    tile(&tiles[0], form, "GPU-hours at this MFU", result.gpu_hours, "%s",
         format_power(number, result.gpu_hours, 3));
    tile(&tiles[1], form, "One more point saves", result.saved_gpu_hours, "%s GPU-h",
         format_power(number, result.saved_gpu_hours, 2));
    tile(&tiles[2], form, "  of the whole cluster", result.saved_hours, "%s h",
         format_power(number, result.saved_hours, 2));
    tile(&tiles[3], form, "In dollars", result.saved_money, "%s USD",
         format_power(number, result.saved_money, 2));
    tile(&tiles[4], form, "In GPU energy", result.saved_kwh, "%s kWh",
         format_power(number, result.saved_kwh, 2));
    tile(&tiles[5], form, "GPU time became model", share, "%s%%",
         format_rounded(number, share * 100, 2));
}

/* ---- what cannot be, and the curve ---- */

bool calc_alarm(const struct calc_form *form, char *out, size_t size)
{
    const struct calc_value *values = form->values;
    char chip[RUN_TEXT_BYTES], achieved[FORMAT_BYTES], peak[FORMAT_BYTES];
    double rate = values[CALC_ACHIEVED].value, limit = values[CALC_PEAK].value;
    if (!isfinite(limit)) {
        text_sanitise(chip, sizeof(chip), str_from(form->chip));
        snprintf(out, size, "peak of %s unknown: type it (--peak)", chip);
    } else if (rate > limit * (1 + 1e-9)) {
        snprintf(out, size, "%s achieved is over the peak, %s: wrong chip or number format",
                 calc_argument_text(achieved, CALC_ACHIEVED, values[CALC_ACHIEVED].value),
                 calc_argument_text(peak, CALC_PEAK, values[CALC_PEAK].value));
    } else if (values[CALC_MFU].value > 1) {
        snprintf(out, size, "an MFU over 100%%: wrong peak, chip or tokens");
    } else {
        return false;
    }
    return true;
}

double calc_curve(const struct calc_form *form, double mfu)
{
    struct calc_point point = calc_form_point(form);
    point.mfu = mfu;
    return calc_point(&point).saved_gpu_hours;
}
