/* The tables of the page. */
#include "report_html.h"

#include <math.h>
#include <string.h>

#include "event_lines.h"
#include "job_lines.h"
#include "rank_order.h"
#include "rank_table.h"

#define RANKS_ALL 256 /* that all have a row */
#define RANKS_SLOWEST 64
#define EVENTS_MAX 500
#define STEPS_MAX 1000

/* ---- tables ---- */

void page_table(const struct page *page, const char *caption, const char *const heads[])
{
    fputs("<div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"", page->to);
    svg_escape(page->to, caption);
    fputs("\">\n<table>\n", page->to);
    page_element(page, "caption", caption);
    fputs("<thead>\n<tr>", page->to);
    for (int i = 0; heads[i]; i++) {
        bool words = heads[i][0] == '<';
        fprintf(page->to, "<th scope=\"col\"%s>", words ? " class=\"words\"" : "");
        svg_escape(page->to, heads[i] + words);
        fputs("</th>", page->to);
    }
    fputs("</tr>\n</thead>\n<tbody>\n", page->to);
}

void page_table_end(const struct page *page)
{
    fputs("</tbody>\n</table>\n</div>\n", page->to);
}

void page_row(const struct page *page, const char *name, const char *css)
{
    if (css[0])
        fprintf(page->to, "<tr class=\"%s\">", css);
    else
        fputs("<tr>", page->to);
    fputs("<th scope=\"row\">", page->to);
    svg_escape(page->to, name);
    fputs("</th>", page->to);
}

void page_cell(const struct page *page, const char *text)
{
    fputs("<td>", page->to);
    svg_escape(page->to, text);
    fputs("</td>", page->to);
}

void page_words(const struct page *page, const char *text)
{
    fputs("<td class=\"words\">", page->to);
    svg_escape(page->to, text);
    fputs("</td>", page->to);
}

void page_row_end(const struct page *page)
{
    fputs("</tr>\n", page->to);
}

/* ---- numbers ---- */

static void put_with(const struct page *page, const char *text, enum evidence evidence)
{
    char with[FORMAT_BYTES];
    page_cell(page, format_evidence(with, text, model_evidence(&page->report.model, evidence)));
}

void page_duration(const struct page *page, double seconds, enum evidence evidence)
{
    char text[FORMAT_BYTES];
    bool known = isfinite(seconds) && evidence != EVIDENCE_NONE;
    if (known)
        put_with(page, format_duration(text, seconds, true), evidence);
    else
        page_cell(page, "-");
}

void page_share(const struct page *page, double share, enum evidence evidence)
{
    char text[FORMAT_BYTES];
    if (!(fabs(share) < 1e9) || evidence == EVIDENCE_NONE) {
        page_cell(page, "-");
        return;
    }
    snprintf(text, sizeof(text), "%.2f%%", 100 * share);
    put_with(page, text, evidence);
}

void page_difference(const struct page *page, double slowdown, enum evidence evidence)
{
    char text[FORMAT_BYTES];
    if (isfinite(slowdown))
        put_with(page, format_difference(text, slowdown - 1), evidence);
    else
        page_cell(page, "-");
}

void page_count(const struct page *page, int64_t count)
{
    char text[FORMAT_BYTES];
    page_cell(page, format_count(text, count));
}

/* ---- what would be won ---- */

static void put_points(const struct page *page, struct quantity points)
{
    char text[FORMAT_BYTES] = "-";
    bool known = quantity_known(points) && fabs(points.value) < 1e9;
    if (known)
        snprintf(text, sizeof(text), "%+.1f", points.value);
    put_with(page, text, known ? points.evidence : EVIDENCE_NONE);
}

static void put_decimal(const struct page *page, struct quantity value)
{
    char text[FORMAT_BYTES];
    bool known = quantity_known(value) && isfinite(value.value);
    put_with(page, known ? format_decimal(text, value.value) : "-",
             known ? value.evidence : EVIDENCE_NONE);
}

/* Where not all ranks are known: whose the GPU-hours are. */
static void put_scale(const struct page *page)
{
    struct sentence line;
    sentence_clear(&line, STYLE_NORMAL);
    sentence_add(&line, "GPU-hours are of ");
    if (!job_add_scale(&line, page->summary))
        return;
    sentence_add(&line, ".");
    page_element(page, "p", line.text);
}

void page_what_ifs(const struct page *page)
{
    static const char *const heads[] = {"<if this were at the median",
                                        "step now",
                                        "without",
                                        "GPU time won",
                                        "MFU points",
                                        "GPU-hours a day",
                                        NULL};
    const struct summary *summary = page->summary;
    struct sentence who;
    bool bound = false;
    if (summary->what_if_count == 0 || summary->window_steps < 2)
        return;
    put_scale(page);
    page_table(page, "What would be won", heads);
    for (size_t i = 0; i < summary->what_if_count && i < RANKS_SLOWEST; i++) {
        const struct what_if *what_if = &summary->what_ifs[i];
        report_say_whose(&who, what_if);
        fputs("<tr><th scope=\"row\" class=\"words\">", page->to);
        svg_escape(page->to, who.text);
        fputs("</th>", page->to);
        page_duration(page, what_if->step_time_s.value, what_if->step_time_s.evidence);
        page_duration(page, what_if->step_time_without_s.value,
                      what_if->step_time_without_s.evidence);
        page_share(page, what_if->gain_share.value, what_if->gain_share.evidence);
        put_points(page, what_if->mfu_points);
        put_decimal(page, what_if->gpu_hours_day);
        page_row_end(page);
        bound |= what_if->lower_bound;
    }
    page_table_end(page);
    if (bound)
        page_element(page, "p",
                     "What would be won is a lower bound: pipeline bubbles are not modelled.");
}

/* ---- ranks ---- */

static void put_rank(const struct page *page, const struct summary_rank *rank)
{
    const struct summary *summary = page->summary;
    enum rank_mark mark = rank_mark_of(summary, rank);
    enum evidence waits = summary->wait_mean_s.evidence;
    char name[FORMAT_BYTES];
    snprintf(name, sizeof(name), "%u", rank->rank);
    page_row(page, name, mark >= RANK_MARK_GROUP ? "slow" : "");
    page_words(page, rank_mark_name(mark));
    if (page->hosts)
        page_words(page, rank->host);
    if (page->groups)
        page_words(page, rank->group);
    page_difference(page, rank->slowdown_median, EVIDENCE_COMPUTED);
    page_difference(page, rank->window_slowdown, EVIDENCE_COMPUTED);
    page_duration(page, rank->wait_mean_s, waits);
    page_duration(page, rank->own_s, EVIDENCE_MEASURED);
    page_duration(page, rank->wait_s, wait_rule_evidence(summary->shown.rule));
    page_count(page, rank->arrived_last_count);
    page_count(page, rank->steps);
    page_row_end(page);
}

/* The slowest, the median and the fastest of those whose slowness is known. */
static void put_some_ranks(const struct page *page)
{
    const struct summary *summary = page->summary;
    struct rank_order order = {0};
    struct rank_rows rows = rank_rows_make(summary, "", &order);
    size_t known = rows.count;
    while (known > 0 && !isfinite(summary->ranks[rows.index[known - 1]].window_slowdown))
        known--;
    for (size_t i = 0; i < RANKS_SLOWEST && i < rows.count; i++)
        put_rank(page, &summary->ranks[rows.index[i]]);
    if (known / 2 >= RANKS_SLOWEST) {
        put_rank(page, &summary->ranks[rows.index[known / 2]]);
        put_rank(page, &summary->ranks[rows.index[known - 1]]);
    }
    rank_rows_done(&rows);
}

/* Names of hosts and groups only where there are some. */
#define RANK_HEADS 12
static void fill_heads(const char *heads[RANK_HEADS], const struct page *page)
{
    static const char *const numbers[] = {
        "slowdown, all steps", "slowdown, window", "mean wait", "own time, this step",
        "wait, this step",     "arrived last",     "steps"};
    int count = 2;
    if (page->hosts)
        heads[count++] = "<host";
    if (page->groups)
        heads[count++] = "<group";
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        heads[count++] = numbers[i];
    heads[count] = NULL;
}

void page_ranks(const struct page *page)
{
    const struct summary *summary = page->summary;
    const char *heads[RANK_HEADS] = {"rank", "<mark"};
    fill_heads(heads, page);
    char all[FORMAT_BYTES], note[4 * FORMAT_BYTES];
    if (summary->rank_count == 0)
        return;
    page_element(page, "h3", "Ranks");
    bool some = summary->rank_count > RANKS_ALL;
    format_counted(all, (int64_t)summary->rank_count, "rank");
    if (some)
        snprintf(note, sizeof(note), "The %d slowest of %s, the median and the fastest",
                 RANKS_SLOWEST, all);
    else
        snprintf(note, sizeof(note), "%s", all);
    page_table(page, note, heads);
    if (some)
        put_some_ranks(page);
    for (size_t i = 0; i < summary->rank_count && !some; i++)
        put_rank(page, &summary->ranks[i]);
    page_table_end(page);
    if (some)
        page_element(page, "p", "All ranks are in report --csv ranks.");
}

/* ---- events ---- */

static void put_step(const struct page *page, int64_t step)
{
    if (step >= 0)
        page_count(page, step);
    else
        page_cell(page, "-");
}

static void put_event(const struct page *page, const struct run_event *event, size_t number)
{
    const struct verdict *verdict = &event->verdict;
    bool lasts = verdict_kind_is_slow(verdict->kind) || verdict->kind == VERDICT_MISSING ||
                 verdict->kind == VERDICT_WANDERING;
    char text[FORMAT_BYTES];
    enum evidence evidence;
    struct sentence who;
    snprintf(text, sizeof(text), "%zu", number);
    page_row(page, text, "");
    page_words(page, event_name(verdict));
    sentence_clear(&who, STYLE_NORMAL);
    event_add_who(&who, page->summary, verdict, true);
    page_words(page, who.text);
    page_words(page, event_phase(verdict));
    event_size(text, event, true, &evidence);
    put_with(page, text, evidence);
    page_count(page, verdict->attempt + 1);
    put_step(page, verdict->from_step);
    if (lasts && verdict->to_step < 0)
        page_cell(page, "lasts");
    else
        put_step(page, lasts ? verdict->to_step : verdict->from_step);
    page_cell(page, format_log_moment(text, event->begin_s, page->summary->zone_unknown));
    page_duration(page, event_lasted_s(event), verdict_time_evidence(verdict));
    event_gpu_hours(text, verdict);
    put_with(page, text, text[0] == '-' ? EVIDENCE_NONE : EVIDENCE_COMPUTED);
    page_row_end(page);
}

void page_events(const struct page *page)
{
    static const char *const heads[] = {
        "no.",     "<event", "<who",  "<phase",          "size", "attempt", "from step",
        "to step", "begins", "lasts", "cost, GPU-hours", NULL};
    const struct run_events *events = page->data->events;
    char text[FORMAT_BYTES], note[3 * FORMAT_BYTES];
    page_element(page, "h3", "Events");
    if (events->count == 0) {
        page_element(page, "p",
                     job_alone(page->summary)
                         ? "Nothing happened: no spike, restart or gap."
                         : "Nothing happened: no straggler, spike, restart or missing rank.");
        return;
    }
    put_scale(page);
    page_table(page, "What happened, in order", heads);
    for (size_t i = 0; i < events->count && i < EVENTS_MAX; i++)
        put_event(page, &events->items[i], i + 1);
    page_table_end(page);
    uint64_t left = events->dropped;
    left += events->count > EVENTS_MAX ? events->count - EVENTS_MAX : 0;
    if (left == 0)
        return;
    snprintf(note, sizeof(note), "and %s more; what is kept of them is in report --csv events.",
             format_count_unsigned(text, left));
    page_element(page, "p", note);
}

/* ---- steps ---- */

static void put_steps(const struct page *page, const struct overview_column *column)
{
    const struct overview *overview = page->data->overview;
    char first[FORMAT_BYTES], last[FORMAT_BYTES], text[2 * FORMAT_BYTES + 8];
    format_count(first, column->first_step);
    snprintf(text, sizeof(text), "%s%s%s", first, column->positions > 1 ? " to " : "",
             column->positions > 1 ? format_count(last, column->last_step) : "");
    page_row(page, text, "");
    page_count(page, column->first_attempt + 1);
    page_cell(page, format_log_moment(text, column->begin_s, page->summary->zone_unknown));
    page_duration(page, column->step_time_s, overview->time_evidence);
    page_duration(page, column->step_time_max_s, overview->time_evidence);
    put_step(page, isfinite(column->step_time_max_s) ? column->worst_step : -1);
    page_share(page, column->wait_share, overview->wait_evidence);
    page_share(page, column->mfu, overview->mfu_evidence);
    page_share(page, column->hfu, overview->mfu_evidence);
    page_row_end(page);
}

void page_steps(const struct page *page)
{
    static const char *const heads[] = {
        "steps", "attempt", "begin", "mean step time", "longest", "longest step", "waiting",
        "MFU",   "HFU",     NULL};
    const struct overview *overview = page->data->overview;
    if (overview->column_count == 0)
        return;
    fputs("<details>\n<summary>The course of the run as a table</summary>\n", page->to);
    page_table(page, "The points of the figure above", heads);
    for (size_t i = 0; i < overview->column_count && i < STEPS_MAX; i++)
        put_steps(page, &overview->columns[i]);
    page_table_end(page);
    page_element(page, "p", "Each step for itself is in report --csv steps.");
    fputs("</details>\n", page->to);
}
