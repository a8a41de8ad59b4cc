/* What waiting costs, what would be won, and where the GPU time goes. */
#include "report_text.h"

#include <math.h>
#include <string.h>

#include "cost_lines.h"
#include "job_lines.h"
#include "ledger_lines.h"
#include "ledger_rows.h"

#define WHAT_IFS_MAX 8
#define WHO_CELLS 26
#define CELLS 10
#define EXPLAINS_ALL 0.9995 /* is 100.0%: needs no words */

static bool known(struct quantity quantity)
{
    return quantity_known(quantity) && isfinite(quantity.value);
}

/* ---- the floor ---- */

static void put_floor(const struct report *report)
{
    const struct jitter *jitter = &report->summary->jitter;
    struct sentence line;
    char text[FORMAT_BYTES];
    if (!known(jitter->spread) || !known(jitter->longer_at[0]))
        return;
    sentence_clear(&line, STYLE_NORMAL);
    sentence_add(&line, "A rank's own time varies by %s", format_share(text, jitter->spread.value));
    sentence_evidence(&line, model_evidence(&report->model, jitter->spread.evidence));
    sentence_add(&line, ". By chance the last of so many equal ranks takes longer than the median "
                        "one by, computed:");
    for (int i = 0; i < JITTER_EXTRAPOLATIONS; i++) {
        sentence_add(&line, "%s %s ranks ", i > 0 ? "," : "",
                     format_count(text, jitter_extrapolation_ranks[i]));
        sentence_add(&line, "%s", format_share(text, jitter->longer_at[i].value));
        sentence_evidence(&line, model_evidence(&report->model, jitter->longer_at[i].evidence));
    }
    sentence_add(&line, ".");
    report_sentence(report, "  - ", 4, &line);
}

/* ---- the table of what would be won ---- */

/* A column: it is left out when no row knows it. */
struct column {
    const char *head;
    size_t offset; /* of a struct quantity in struct what_if */
    enum kind { KIND_TIME, KIND_SHARE, KIND_POINTS, KIND_COUNT } kind;
};

#define AT(field) offsetof(struct what_if, field)
static const struct column COLUMNS[] = {
    {"step now", AT(step_time_s), KIND_TIME},    {"without", AT(step_time_without_s), KIND_TIME},
    {"GPU time", AT(gain_share), KIND_SHARE},    {"explains", AT(explains), KIND_SHARE},
    {"MFU points", AT(mfu_points), KIND_POINTS}, {"GPU-h/day", AT(gpu_hours_day), KIND_COUNT},
    {"money/day", AT(money_day), KIND_COUNT},    {"kWh/day", AT(kwh_day), KIND_COUNT},
    {"hours, end", AT(hours_end), KIND_COUNT},   {"GPU-h, end", AT(gpu_hours_end), KIND_COUNT},
    {"money, end", AT(money_end), KIND_COUNT},   {"kWh, end", AT(kwh_end), KIND_COUNT},
};
#define COLUMNS_A_STEP 6 /* the rest is money, and the end of the run */
#define COLUMN_COUNT (sizeof(COLUMNS) / sizeof(COLUMNS[0]))

static struct quantity value_of(const struct what_if *what_if, const struct column *column)
{
    struct quantity value;
    memcpy(&value, (const char *)what_if + column->offset, sizeof(value));
    return value;
}

static bool has_column(const struct summary *summary, const struct column *column)
{
    for (size_t i = 0; i < summary->what_if_count; i++)
        if (known(value_of(&summary->what_ifs[i], column)))
            return true;
    return false;
}

static void put_value(const struct report *report, const struct what_if *what_if,
                      const struct column *column)
{
    struct quantity value = value_of(what_if, column);
    char text[FORMAT_BYTES], with_letter[FORMAT_BYTES];
    if (!known(value)) {
        fprintf(report->to, "  %*s", CELLS, "-  ");
        return;
    }
    if (column->kind == KIND_TIME)
        format_duration(text, value.value, report->unicode);
    else if (column->kind == KIND_SHARE)
        format_share(text, value.value);
    else if (column->kind == KIND_POINTS)
        snprintf(text, sizeof(text), "%+.1f", fmin(fmax(value.value, -1e9), 1e9));
    else
        format_decimal(text, value.value);
    format_evidence(with_letter, text, model_evidence(&report->model, value.evidence));
    fprintf(report->to, "  %*s", CELLS, with_letter);
}

void report_say_whose(struct sentence *line, const struct what_if *what_if)
{
    char count[FORMAT_BYTES];
    sentence_clear(line, STYLE_NORMAL);
    if (what_if->of == COST_OF_ALL)
        sentence_add(line, "all that are named");
    else if (what_if->of == COST_OF_RANK)
        sentence_add(line, "rank %lld", (long long)what_if->rank);
    else
        sentence_add(line, what_if->of == COST_OF_HOST ? "host " : "group ");
    if (what_if->of == COST_OF_HOST || what_if->of == COST_OF_GROUP) {
        sentence_add_raw(line, what_if->name);
        sentence_add(line, " (%s)", format_counted(count, what_if->ranks, "rank"));
    }
    if (!what_if->named)
        sentence_add(line, ", not named");
}

/* Columns `from` to before `to` of the table, those that are known. */
static void put_what_if(const struct report *report, const struct what_if *what_if, size_t from,
                        size_t to)
{
    struct sentence who;
    report_say_whose(&who, what_if);
    int width = sentence_columns(&who);
    fprintf(report->to, "  %s%*s", who.text, width < WHO_CELLS ? WHO_CELLS - width : 0, "");
    for (size_t i = from; i < to; i++)
        if (has_column(report->summary, &COLUMNS[i]))
            put_value(report, what_if, &COLUMNS[i]);
    fputc('\n', report->to);
}

static void put_table(const struct report *report, size_t from, size_t to)
{
    const struct summary *summary = report->summary;
    bool any = false;
    for (size_t i = from; i < to; i++)
        any |= has_column(summary, &COLUMNS[i]);
    if (!any)
        return;
    fprintf(report->to, "  %-*s", WHO_CELLS,
            from == 0 ? "if this were at the median" : "won a day, and to the end");
    for (size_t i = from; i < to; i++)
        if (has_column(summary, &COLUMNS[i]))
            fprintf(report->to, "  %*s", CELLS, COLUMNS[i].head);
    fputc('\n', report->to);
    for (size_t i = 0; i < summary->what_if_count && i < WHAT_IFS_MAX; i++)
        put_what_if(report, &summary->what_ifs[i], from, to);
}

/* Where not all ranks are known: whose the GPU-hours are, above them. */
static void put_scale(const struct report *report)
{
    struct sentence line;
    sentence_clear(&line, STYLE_NORMAL);
    sentence_add(&line, "GPU-h, money and kWh are of ");
    if (!job_add_scale(&line, report->summary))
        return;
    sentence_add(&line, ":");
    report_sentence(report, "  ", 2, &line);
}

static void put_what_ifs(const struct report *report)
{
    const struct summary *summary = report->summary;
    bool bound = false, explains = false;
    if (summary->what_if_count == 0 || summary->window_steps < 2)
        return;
    put_scale(report);
    put_table(report, 0, COLUMNS_A_STEP);
    put_table(report, COLUMNS_A_STEP, COLUMN_COUNT);
    for (size_t i = 0; i < summary->what_if_count; i++) {
        bound |= summary->what_ifs[i].lower_bound;
        explains |= known(summary->what_ifs[i].explains) &&
                    summary->what_ifs[i].explains.value < EXPLAINS_ALL;
    }
    if (explains)
        fputs("  Explains: so much of what is lost beyond chance would be won.\n", report->to);
    if (summary->what_if_count > WHAT_IFS_MAX)
        fprintf(report->to, "  and %zu more: all of them are in --json\n",
                summary->what_if_count - WHAT_IFS_MAX);
    if (bound)
        fputs("  What would be won is a lower bound: pipeline bubbles are not modelled.\n",
              report->to);
}

void report_cost_sentences(const struct report *report)
{
    struct sentence line;
    if (cost_waiting_line(&report->model, REPORT_WIDTH + 40, &line)) {
        sentence_add(&line, ".");
        report_sentence(report, "  - ", 4, &line);
    } else {
        sentence_clear(&line, STYLE_NORMAL);
        sentence_add(&line, job_alone(report->summary)
                                ? "not known: it takes the times of single ranks"
                                : "not known: it takes two ranks with own times, and two steps");
        report_sentence(report, "  ", 2, &line);
    }
    put_floor(report);
    if (cost_between_line(&report->model, &line)) {
        sentence_add(&line, ".");
        report_sentence(report, "  - ", 4, &line);
    }
}

void report_cost(const struct report *report)
{
    const struct summary *summary = report->summary;
    char text[FORMAT_BYTES], told[FORMAT_BYTES];
    int of = summary->jitter.told_steps;
    bool some = quantity_known(summary->jitter.loss) && of > 0 && of < summary->window_steps;
    format_counted(text, summary->window_steps, job_value_word(summary));
    if (some)
        fprintf(report->to, "\nCOST (the %s of the last %s that tell)\n", format_count(told, of),
                text);
    else
        fprintf(report->to, "\nCOST (last %s)\n", text);
    report_cost_sentences(report);
    put_what_ifs(report);
}

/* ---- where the GPU time goes ---- */

static void add_cell(struct sentence *line, const struct report *report,
                     const struct ledger *ledger, const struct ledger_cell *cell)
{
    char share[LEDGER_SHARE_BYTES], hours[FORMAT_BYTES];
    char letter = evidence_letter(model_evidence(&report->model, cell->evidence));
    char hours_letter = evidence_letter(
        model_evidence(&report->model, job_hours_evidence(report->summary, cell->evidence)));
    if (cell->evidence == EVIDENCE_NONE)
        sentence_add(line, "  %10s  %10s", "-  ", ledger->gpus > 0 ? "-  " : "");
    else if (!(ledger->gpus > 0))
        sentence_add(line, "  %8s %c  %10s", ledger_share_text(share, cell->units), letter, "");
    else
        sentence_add(line, "  %8s %c  %8s %c", ledger_share_text(share, cell->units), letter,
                     ledger_hours_text(hours, ledger_gpu_hours(ledger, cell->units)), hours_letter);
}

/* Without the blanks at its end. */
static void put_line(const struct report *report, const struct sentence *line)
{
    size_t length = line->length;
    while (length > 0 && line->text[length - 1] == ' ')
        length--;
    fprintf(report->to, "%.*s\n", (int)length, line->text);
}

static void put_ledger_row(const struct report *report, const struct ledger *const ledgers[],
                           const char *title, const struct ledger_cell cells[])
{
    struct sentence line;
    sentence_clear(&line, STYLE_NORMAL);
    sentence_add(&line, "  %-24s", title);
    for (int i = 0; i < LEDGER_COLUMNS; i++)
        if (ledgers[i])
            add_cell(&line, report, ledgers[i], &cells[i]);
    put_line(report, &line);
}

static void put_ledger_heads(const struct report *report, const struct ledger *const ledgers[])
{
    char all[FORMAT_BYTES], last[FORMAT_BYTES + 8];
    struct sentence line;
    sentence_clear(&line, STYLE_NORMAL);
    sentence_add(&line, "  %-22s", "");
    for (int i = 0; i < LEDGER_COLUMNS; i++) {
        if (!ledgers[i])
            continue;
        snprintf(last, sizeof(last), "%s%s", i == 0 ? "" : "last ",
                 format_counted(all, ledgers[i]->steps, "step"));
        sentence_add(&line, "  %14s%6s  ", last, ledgers[i]->gpus > 0 ? "GPU-h" : "");
    }
    put_line(report, &line);
}

/* The whole is what the shares are of: it says how much was bought. */
static void put_ledger_whole(const struct report *report, const struct ledger *const ledgers[])
{
    enum evidence evidence = quantity_known(report->summary->step_time_mean_s)
                                 ? report->summary->step_time_mean_s.evidence
                                 : EVIDENCE_COMPUTED;
    struct ledger_cell whole = {evidence, LEDGER_WHOLE, 0};
    put_ledger_row(report, ledgers,
                   report->summary->ledger.gpus > 0 ? "bought GPU time" : "wall-clock time",
                   (struct ledger_cell[]){whole, whole});
}

static void put_ledger_facts(const struct report *report)
{
    struct sentence line, unknown[LEDGER_UNKNOWN_MAX];
    int count =
        ledger_lines_unknown(&report->model, &report->summary->ledger, unknown, LEDGER_UNKNOWN_MAX);
    if (ledger_line_gaps(&report->summary->ledger, &line))
        report_sentence(report, "  - ", 4, &line);
    for (int i = 0; i < count; i++)
        report_sentence(report, "  - ", 4, &unknown[i]);
    ledger_line_effective(&report->model, &line);
    report_sentence(report, "  - ", 4, &line);
    if (ledger_line_nearest(&report->model, &line))
        report_sentence(report, "  - ", 4, &line);
}

void report_ledger(const struct report *report)
{
    const struct summary *summary = report->summary;
    struct ledger_row rows[LEDGER_COUNT];
    bool window =
        summary->ledger_window.wall_s > 0 && summary->ledger_window.steps < summary->ledger.steps;
    const struct ledger *const ledgers[LEDGER_COLUMNS] = {&summary->ledger,
                                                          window ? &summary->ledger_window : NULL};
    struct sentence scale;
    sentence_clear(&scale, STYLE_NORMAL);
    fputs(job_alone(summary) && !(summary->run.gpus > 0) ? "\nWHERE THE TIME GOES"
                                                         : "\nWHERE THE GPU TIME GOES",
          report->to);
    fprintf(report->to, job_add_scale(&scale, summary) ? " (of %s)\n" : "%s\n", scale.text);
    if (!(summary->ledger.wall_s > 0)) {
        fputs(summary->shown.known ? "  not known: the steps of this log have no duration\n"
                                   : "  not known before two steps are whole\n",
              report->to);
        return;
    }
    put_ledger_heads(report, ledgers);
    put_ledger_whole(report, ledgers);
    int count = ledger_rows(ledgers, LEDGER_COUNT, false, rows);
    for (int i = 0; i < count; i++)
        put_ledger_row(report, ledgers, ledger_row_title(ledgers, rows[i].part), rows[i].cells);
    put_ledger_facts(report);
}
