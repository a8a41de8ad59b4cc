/* Panels 1.1 and 1.2 as plain text and as JSON. */
#include "calc_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "calc_lines.h"
#include "marks.h"
#include "text.h"

#define BAR 50 /* characters of the curve's longest bar */

/* "3.79e25 FLOP c", or the text alone. */
static void put_evidence(FILE *to, const char *text, enum evidence evidence)
{
    fputs(text, to);
    if (evidence != EVIDENCE_NONE)
        fprintf(to, " %c", evidence_letter(evidence));
    putc('\n', to);
}

/* ---- text ---- */

static void put_arguments(FILE *to, const struct calc_form *form)
{
    char text[FORMAT_BYTES], shown[FORMAT_BYTES], chip[RUN_TEXT_BYTES];
    for (int i = 0; i < CALC_COUNT; i++) {
        const struct calc_argument_info *info = calc_argument((enum calc_argument)i);
        const struct calc_value *value = &form->values[i];
        calc_argument_text(text, (enum calc_argument)i, value->value);
        fprintf(to, "  %-17s %14s   %-11s %s", info->label,
                format_evidence(shown, text, value->evidence),
                value->evidence == EVIDENCE_NONE ? "not known" : calc_from_name(value->from),
                info->option);
        if (i == CALC_PEAK && form->chip[0]) {
            text_sanitise(chip, sizeof(chip), str_from(form->chip));
            fprintf(to, " (%s)", chip);
        }
        putc('\n', to);
    }
}

static void put_rows(FILE *to, const struct calc_row *rows, int count)
{
    int question = 8, calculation = 11;
    for (int i = 0; i < count; i++) {
        question = (int)fmax(question, strlen(rows[i].question));
        calculation = (int)fmax(calculation, strlen(rows[i].calculation));
    }
    fprintf(to, "  %-*s  %-*s  %s\n", question, "Question", calculation, "Calculation", "Result");
    for (int i = 0; i < count; i++) {
        fprintf(to, "  %-*s  %-*s  ", question, rows[i].question, calculation, rows[i].calculation);
        put_evidence(to, rows[i].result, rows[i].evidence);
    }
}

static void put_tiles(FILE *to, const struct calc_tile *tiles)
{
    for (int i = 0; i < CALC_TILES; i++) {
        fprintf(to, "  %-26s ", tiles[i].title);
        put_evidence(to, tiles[i].value, tiles[i].evidence);
    }
}

static void put_level(FILE *to, const struct calc_form *form, double mfu, bool is_current)
{
    double most = calc_curve(form, CALC_CURVE_FROM), saved = calc_curve(form, mfu);
    char number[FORMAT_BYTES], shown[FORMAT_BYTES], share[FORMAT_BYTES];
    enum evidence evidence = isfinite(saved) ? calc_form_evidence(form) : EVIDENCE_NONE;
    format_evidence(shown, format_power(number, saved, 2), evidence);
    snprintf(share, sizeof(share), "%.3g%%", mfu * 100);
    fprintf(to, "%s %6s  %-10s", is_current ? ">" : " ", share, shown);
    int bar = isfinite(saved / most) ? (int)lround(fmin(saved / most, 1) * BAR) : 0;
    for (int i = 0; i < bar; i++)
        putc('#', to);
    fputs(is_current ? "  < this MFU\n" : "\n", to);
}

/* 10 to 70%, and the MFU of the form where it lies. */
static void put_curve(FILE *to, const struct calc_form *form)
{
    double now = form->values[CALC_MFU].value;
    bool said = !(isfinite(now) && now > 0);
    for (int percent = 10; percent <= 70; percent += 5) {
        bool same = fabs(now * 100 - percent) < 1e-9;
        if (!said && !same && now * 100 < percent) {
            put_level(to, form, now, true);
            said = true;
        }
        put_level(to, form, percent / 100., same);
        said = said || same;
    }
    if (!said)
        put_level(to, form, now, true);
}

static void put_marks(FILE *to)
{
    size_t count;
    const struct mark *all = marks(&count);
    for (size_t i = 0; i < count; i++) {
        fprintf(to, "  %-16s  %-13s  %6s%.1f%% %-7s %c", all[i].name, all[i].scale,
                isfinite(all[i].about) ? "about " : "", mark_share(&all[i]) * 100,
                mark_share_name(&all[i]), evidence_letter(MARKS_EVIDENCE));
        if (isfinite(all[i].hfu) && isfinite(all[i].mfu))
            fprintf(to, "  %.1f%% HFU %c", all[i].hfu * 100, evidence_letter(MARKS_EVIDENCE));
        fprintf(to, "  (%s)\n", all[i].source);
    }
}

void calc_text(FILE *to, const struct calc_form *form)
{
    struct calc_row training[CALC_TRAINING_ROWS], point[CALC_POINT_ROWS];
    struct calc_tile tiles[CALC_TILES];
    char alarm[200];
    calc_training_rows(form, training);
    calc_point_rows(form, point);
    fputs("Arguments                              from\n", to);
    put_arguments(to, form);
    if (calc_alarm(form, alarm, sizeof(alarm)))
        fprintf(to, "\n! %s\n", alarm);
    fputs("\nHow much arithmetic: the 6ND rule (section 1.2)\n", to);
    put_rows(to, training, CALC_TRAINING_ROWS);
    fputs("\nWhat one MFU point buys (section 1.3)\n", to);
    put_rows(to, point, CALC_POINT_ROWS);
    fputs("\nPanel 1.1: from 6ND to days on a cluster (pure stepping: no communication, restarts,\n"
          "checkpoints)\n",
          to);
    calc_training_tiles(form, tiles);
    put_tiles(to, tiles);
    fputs("\nPanel 1.2: what one MFU point is worth\n", to);
    calc_point_tiles(form, tiles);
    put_tiles(to, tiles);
    fputs("\nGPU-hours that one more point saves, by MFU: about as 1/MFU^2\n", to);
    put_curve(to, form);
    fputs("\nReported runs to compare an MFU with (another peak, convention or format is another "
          "figure)\n",
          to);
    put_marks(to);
    fputs("\nm measured, c computed, s simulated, e our example\n", to);
}

/* ---- JSON ---- */

static void put_number(FILE *to, const char *key, double value, const char *end)
{
    if (isfinite(value))
        fprintf(to, "\"%s\": %.9g%s", key, value, end);
    else
        fprintf(to, "\"%s\": null%s", key, end);
}

static void put_name(FILE *to, const char *raw)
{
    char text[4 * RUN_TEXT_BYTES];
    text_sanitise(text, sizeof(text), str_from(raw));
    putc('"', to);
    for (const char *p = text; *p; p++)
        fprintf(to, *p == '"' || *p == '\\' ? "\\%c" : "%c", *p);
    putc('"', to);
}

static const char *evidence_or_null(enum evidence evidence)
{
    return evidence == EVIDENCE_NONE ? "null" : evidence_name(evidence);
}

static void json_arguments(FILE *to, const struct calc_form *form)
{
    static const char *const keys[CALC_COUNT] = {
        "params",    "tokens", "gpus",  "peak_flops", "achieved_flops",
        "gpu_hours", "mfu",    "price", "watts",      "effective"};
    fputs("  \"chip\": ", to);
    if (form->chip[0])
        put_name(to, form->chip);
    else
        fputs("null", to);
    fputs(",\n  \"arguments\": {", to);
    for (int i = 0; i < CALC_COUNT; i++) {
        const struct calc_value *value = &form->values[i];
        const char *quote = value->evidence == EVIDENCE_NONE ? "" : "\"";
        fprintf(to, "%s\n    \"%s\": {", i > 0 ? "," : "", keys[i]);
        put_number(to, "value", value->value, ", ");
        fprintf(to, "\"evidence\": %s%s%s, \"from\": \"%s\"}", quote,
                evidence_or_null(value->evidence), quote, calc_from_name(value->from));
    }
    fputs("},\n", to);
}

static void json_training(FILE *to, const struct calc_form *form)
{
    struct calc_training training = calc_form_training(form);
    struct calc_training_result result = calc_training(&training);
    fputs("  \"training\": {", to);
    put_number(to, "flop", result.flop, ", ");
    put_number(to, "one_at_peak_s", result.one_at_peak_s, ", ");
    put_number(to, "one_at_peak_years", result.one_at_peak_s / CALC_YEAR_S, ", ");
    put_number(to, "one_at_achieved_s", result.one_at_achieved_s, ", ");
    put_number(to, "one_at_achieved_years", result.one_at_achieved_s / CALC_YEAR_S, ",\n    ");
    put_number(to, "rate_flops", result.rate, ", ");
    put_number(to, "stepping_s", result.stepping_s, ", ");
    put_number(to, "stepping_days", result.stepping_s / 86400, ", ");
    put_number(to, "gpu_hours", result.gpu_hours, ",\n    ");
    put_number(to, "gpu_year_flop", result.gpu_year_flop, ", ");
    put_number(to, "gpu_years_at_40", result.gpu_years_at_40, ", ");
    put_number(to, "run_average_flops", result.run_average, ", ");
    put_number(to, "run_share", result.run_share, ",\n    ");
    fprintf(to, "\"evidence\": \"%s\"},\n", evidence_name(calc_form_evidence(form)));
}

static void json_point(FILE *to, const struct calc_form *form)
{
    struct calc_point point = calc_form_point(form);
    struct calc_point_result result = calc_point(&point);
    fputs("  \"point\": {", to);
    put_number(to, "flop", point.flop, ", ");
    put_number(to, "gpu_hours_at_peak", result.gpu_hours_at_peak, ", ");
    put_number(to, "gpu_hours", result.gpu_hours, ", ");
    put_number(to, "gpu_hours_one_more", result.gpu_hours_one_more, ",\n    ");
    put_number(to, "saved_gpu_hours", result.saved_gpu_hours, ", ");
    put_number(to, "saved_hours", result.saved_hours, ", ");
    put_number(to, "saved_money", result.saved_money, ", ");
    put_number(to, "saved_kwh", result.saved_kwh, ",\n    ");
    put_number(to, "became_model", point.mfu * form->values[CALC_EFFECTIVE].value, ", ");
    fprintf(to, "\"evidence\": \"%s\"},\n", evidence_name(calc_form_evidence(form)));
}

static void json_curve(FILE *to, const struct calc_form *form)
{
    fputs("  \"curve\": [", to);
    for (int percent = 10; percent <= 70; percent++) {
        fprintf(to, "%s{\"mfu\": %.2f, ", percent > 10 ? ",\n    " : "", percent / 100.);
        put_number(to, "saved_gpu_hours", calc_curve(form, percent / 100.), "}");
    }
    fputs("],\n", to);
}

static void json_marks(FILE *to)
{
    size_t count;
    const struct mark *all = marks(&count);
    fputs("  \"reported\": [", to);
    for (size_t i = 0; i < count; i++) {
        fprintf(to, "%s{\"name\": \"%s\", \"scale\": \"%s\", ", i > 0 ? ",\n    " : "", all[i].name,
                all[i].scale);
        put_number(to, "mfu", all[i].mfu, ", ");
        put_number(to, "hfu", all[i].hfu, ", ");
        put_number(to, "of_peak", all[i].about, ", ");
        fprintf(to, "\"evidence\": \"%s\", \"source\": \"%s\"}", evidence_name(MARKS_EVIDENCE),
                all[i].source);
    }
    fputs("]}\n", to);
}

void calc_json(FILE *to, const struct calc_form *form)
{
    char alarm[200];
    fputs("{\"schema\": \"lockstep-calc/1\",\n", to);
    json_arguments(to, form);
    fputs("  \"alarm\": ", to);
    if (calc_alarm(form, alarm, sizeof(alarm)))
        put_name(to, alarm);
    else
        fputs("null", to);
    fputs(",\n", to);
    json_training(to, form);
    json_point(to, form);
    json_curve(to, form);
    json_marks(to);
}
