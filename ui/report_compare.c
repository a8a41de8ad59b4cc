/* Two runs side by side, for reading. */
#include "report_compare.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "format.h"
#include "job_lines.h"
#include "ledger_rows.h"
#include "report.h"
#include "report_text.h"

#define NAMED_MAX 32 /* that get words */
#define SAME 0.0005  /* smaller changes are none in words */

struct page {
    FILE *to;
    const struct comparison *comparison;
    bool unicode;
};

/* ---- who they are ---- */

static void put_side(const struct page *page, int s)
{
    const struct compare_side *side = &page->comparison->side[s];
    const struct summary *summary = side->summary;
    char name[REPORT_SAFE_BYTES], chip[REPORT_SAFE_BYTES], a[FORMAT_BYTES], b[FORMAT_BYTES];
    fprintf(page->to, "%c   %s\n", s == COMPARE_A ? 'A' : 'B', report_safe(name, side->name));
    fprintf(page->to, "    %s%s%s   ", summary->simulated ? "SIMULATED   " : "",
            report_safe(name, summary->run.name), summary->run.name[0] ? "   " : "");
    struct sentence whose;
    sentence_clear(&whose, STYLE_NORMAL);
    job_add_who(&whose, summary);
    sentence_add(&whose, "   ");
    job_add_gpus(&whose, summary, true);
    fprintf(page->to, "%s   %s\n", whose.text,
            report_safe(chip, summary->run.chip[0] ? summary->run.chip : "chip unknown"));
    fprintf(page->to, "    steps %s to %s", format_count(a, summary->first_step),
            format_count(b, summary->last_step));
    fprintf(page->to, "%s%s", summary->attempts > 1 ? ", " : "",
            summary->attempts > 1 ? format_counted(a, summary->attempts, "attempt") : "");
    fprintf(page->to, ": %s compared", format_counted(a, page->comparison->steps[s], "step"));
    if (page->comparison->warm_up[s] > 0)
        fprintf(page->to, ", %s of warm-up left out",
                format_counted(a, page->comparison->warm_up[s], "step"));
    fputc('\n', page->to);
}

static void put_notes(const struct page *page)
{
    static const struct {
        enum compare_note note;
        const char *text;
    } notes[] = {
        {COMPARE_NOTE_GPUS, "they have different numbers of GPUs: figures of the whole job, waits "
                            "and the jitter floor depend on it"},
        {COMPARE_NOTE_CHIP, "they run on different chips, or different peaks are given: MFU is a "
                            "share of another peak"},
        {COMPARE_NOTE_MODEL, "they train models of different sizes"},
        {COMPARE_NOTE_TOKENS, "their steps have different numbers of tokens: a step is not the "
                              "same work, compare tokens a second"},
        {COMPARE_NOTE_CONVENTION, "their MFU and HFU are counted by different conventions"},
        {COMPARE_NOTE_RULE, "their waits are found by different rules"},
        {COMPARE_NOTE_SIMULATED, "one of them is simulated"},
        {COMPARE_NOTE_MERGED, "of so many steps several are tested as one"},
    };
    for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++)
        if (page->comparison->notes & notes[i].note)
            fprintf(page->to, "!   %s\n", notes[i].text);
}

/* ---- in words ---- */

static char letter_of(const struct page *page)
{
    const struct compare_side *side = page->comparison->side;
    return side[0].summary->simulated || side[1].summary->simulated ? 's' : 'c';
}

static void put_answer(const struct page *page, const struct compare_figure *figure)
{
    const struct permutation *test = &figure->test;
    char a[FORMAT_BYTES], b[FORMAT_BYTES];
    switch (test->answer) {
    case PERMUTATION_DONE:
        fprintf(page->to, ", %s (p %.4f %c)\n",
                compare_is_more(figure) ? "more than noise" : "no more than noise", test->p,
                letter_of(page));
        break;
    case PERMUTATION_FEW_STEPS:
        fprintf(page->to, ": too few steps to tell it from noise (%s and %s; it takes %d each)\n",
                format_count(a, (int64_t)test->steps[0]), format_count(b, (int64_t)test->steps[1]),
                PERMUTATION_STEPS_MIN);
        break;
    case PERMUTATION_ALIKE:
        fputs(": it cannot be told from noise, for within a run it changes so slowly that it "
              "has too few\n    stretches that are unlike each other\n",
              page->to);
        break;
    }
}

static void put_step_time_words(const struct page *page)
{
    const struct compare_figure *figure = &page->comparison->figures[COMPARE_STEP_TIME_MEAN];
    double change = figure->change;
    if (!figure->tested || isnan(change)) {
        fputs("step time: not known on both sides\n", page->to);
        return;
    }
    if (fabs(change) < SAME)
        fputs("B is as fast as A", page->to);
    else
        fprintf(page->to, "B is %.*f%% %s a step", fabs(change) < 0.1 ? 1 : 0, 100 * fabs(change),
                change > 0 ? "slower" : "faster");
    put_answer(page, figure);
}

/* "B waits 2.10 points more of the GPU time". */
static void put_points_words(const struct page *page, int id)
{
    const struct compare_figure *figure = &page->comparison->figures[id];
    double points = 100 * fabs(figure->difference);
    bool more = figure->difference > 0, same = points < 100 * SAME / 10;
    if (!figure->tested)
        return;
    if (id == COMPARE_WAIT && same)
        fputs("B waits as much as A", page->to);
    else if (id == COMPARE_WAIT)
        fprintf(page->to, "B waits %.2f points %s of the GPU time", points, more ? "more" : "less");
    else if (same)
        fputs("the MFU of B is that of A", page->to);
    else
        fprintf(page->to, "the MFU of B is %.2f points %s", points, more ? "higher" : "lower");
    put_answer(page, figure);
}

static void put_words(const struct page *page)
{
    put_step_time_words(page);
    put_points_words(page, COMPARE_WAIT);
    put_points_words(page, COMPARE_MFU);
}

/* ---- the table ---- */

/* Whole numbers as such, others with six digits. */
static const char *count_text(char out[FORMAT_BYTES], double value)
{
    return value == floor(value) && value < 1e15 ? format_count(out, (int64_t)value)
                                                 : format_rounded(out, value, 6);
}

static const char *value_text(char out[FORMAT_BYTES], const struct compare_figure *figure,
                              struct quantity value)
{
    char text[FORMAT_BYTES];
    if (!quantity_known(value))
        return strcpy(out, "-");
    if (figure->unit == COMPARE_SECONDS)
        format_duration(text, value.value, false); /* ASCII: columns of bytes */
    else if (figure->unit == COMPARE_SHARE)
        snprintf(text, sizeof(text), "%.2f%%", 100 * value.value);
    else
        count_text(text, value.value);
    return format_evidence(out, text, value.evidence);
}

static const char *difference_text(char out[FORMAT_BYTES], const struct compare_figure *figure)
{
    char text[FORMAT_BYTES];
    double difference = figure->difference;
    if (isnan(difference))
        return strcpy(out, "-");
    if (figure->unit == COMPARE_SHARE) {
        snprintf(out, FORMAT_BYTES, "%+.2f points", 100 * difference);
        return out;
    }
    if (figure->unit == COMPARE_SECONDS)
        format_duration(text, fabs(difference), false);
    else
        count_text(text, fabs(difference));
    snprintf(out, FORMAT_BYTES, "%s%s", difference > 0 ? "+" : difference < 0 ? "-" : "", text);
    return out;
}

static const char *noise_text(char out[FORMAT_BYTES], const struct compare_figure *figure)
{
    if (!figure->tested)
        return "";
    if (figure->test.answer == PERMUTATION_FEW_STEPS)
        return "  too few steps to tell";
    if (figure->test.answer == PERMUTATION_ALIKE)
        return "  cannot be told";
    snprintf(out, FORMAT_BYTES, "  %s, p %.4f", compare_is_more(figure) ? "yes" : "no",
             figure->test.p);
    return out;
}

/* Of a side that tells own times, waits and exchange not apart they are all one part. */
static const char *title_of(const struct page *page, int id)
{
    const struct compare_side *side = page->comparison->side;
    bool a = ledger_is_one(&side[COMPARE_A].summary->ledger);
    bool b = ledger_is_one(&side[COMPARE_B].summary->ledger);
    if (id != COMPARE_LEDGER + LEDGER_KERNELS || (!a && !b))
        return compare_figure_title(id);
    return a && b ? "not told apart" : "kernels, or not told apart";
}

static void put_row(const struct page *page, int id)
{
    const struct compare_figure *figure = &page->comparison->figures[id];
    char a[FORMAT_BYTES], b[FORMAT_BYTES], difference[FORMAT_BYTES], change[FORMAT_BYTES];
    char noise[FORMAT_BYTES];
    fprintf(page->to, "%-25s %13s %13s  %15s", title_of(page, id),
            value_text(a, figure, figure->value[COMPARE_A]),
            value_text(b, figure, figure->value[COMPARE_B]), difference_text(difference, figure));
    if (!isnan(figure->change))
        fprintf(page->to, " %9s%s", format_difference(change, figure->change),
                noise_text(noise, figure));
    else if (figure->tested)
        fprintf(page->to, " %9s%s", "", noise_text(noise, figure));
    fputc('\n', page->to);
}

static void put_table(const struct page *page)
{
    fprintf(page->to, "\n%-25s %13s %13s  %15s %9s  %s\n", "", "A", "B", "difference", "",
            "more than noise?");
    for (int id = 0; id < COMPARE_LEDGER; id++)
        put_row(page, id);
    fputs("\nwhere the GPU time goes\n", page->to);
    for (int id = COMPARE_LEDGER; id < COMPARE_FIGURES; id++)
        put_row(page, id);
}

/* ---- who was named ---- */

static void put_one(const struct page *page, const struct compare_named *named)
{
    const struct verdict *verdict = &named->verdict;
    char name[REPORT_SAFE_BYTES], change[FORMAT_BYTES];
    char letter = letter_of(page);
    if (verdict->kind == VERDICT_GROUP)
        fprintf(page->to, "  %s %s", verdict->is_host ? "host" : "group",
                report_safe(name, verdict->group));
    else
        fprintf(page->to, "  rank %" PRId64, verdict->rank);
    for (int s = 0; s < COMPARE_SIDES; s++)
        if (isfinite(named->slowdown[s]))
            fprintf(page->to, "%s %s %c in %c", s && named->named[0] ? "," : "",
                    format_difference(change, named->slowdown[s] - 1), letter,
                    s == COMPARE_A ? 'A' : 'B');
    fputc('\n', page->to);
}

static void put_named(const struct page *page, bool in_a, bool in_b, const char *head)
{
    const struct comparison *comparison = page->comparison;
    size_t count = 0;
    for (size_t i = 0; i < comparison->named_count; i++) {
        const struct compare_named *named = &comparison->named[i];
        if (named->named[COMPARE_A] != in_a || named->named[COMPARE_B] != in_b)
            continue;
        if (count++ == 0)
            fprintf(page->to, "%s\n", head);
        if (count <= NAMED_MAX)
            put_one(page, named);
    }
    if (count > NAMED_MAX)
        fprintf(page->to, "  and %zu more\n", count - NAMED_MAX);
}

static void put_stragglers(const struct page *page)
{
    fputc('\n', page->to);
    if (page->comparison->notes & COMPARE_NOTE_BLIND)
        fputs("stragglers: a log of the two cannot tell who is slow, or was not asked\n", page->to);
    if (page->comparison->named_count == 0)
        fputs("nobody is named in either\n", page->to);
    put_named(page, true, true, "named in both:");
    put_named(page, true, false, "named in A alone:");
    put_named(page, false, true, "named in B alone:");
}

void report_compare_text(FILE *to, const struct comparison *comparison, const struct checks *checks,
                         bool unicode)
{
    struct page page = {to, comparison, unicode};
    put_side(&page, COMPARE_A);
    put_side(&page, COMPARE_B);
    put_notes(&page);
    fputc('\n', to);
    put_words(&page);
    put_table(&page);
    put_stragglers(&page);
    report_checks_text(to, checks->count > 0 ? checks : NULL);
    fputs("\nm measured  c computed  s simulated  e our example; a test shuffles blocks of steps, "
          "two-sided\n",
          to);
}
