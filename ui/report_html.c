/* The page: what a report says, with its figures, to be read, sent and printed. */
#include "report_html.h"

#include <string.h>

#include "alarm_lines.h"
#include "job_lines.h"
#include "ledger_lines.h"
#include "report_svg.h"

static const char STYLE[] =
    ":root{color-scheme:light dark}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:1rem;max-width:62rem;background:#fff;color:#1b1f24;"
    "font:16px/1.5 system-ui,'Segoe UI',Roboto,Helvetica,Arial,'Liberation Sans',sans-serif;"
    "overflow-wrap:anywhere}\n"
    "h1{font-size:1.6rem;line-height:1.2;margin:.2rem 0}\n"
    "h2{font-size:1.2rem;margin:2rem 0 .5rem;border-bottom:1px solid #d8dee4}\n"
    "h3{font-size:1rem;margin:1.2rem 0 .3rem}\n"
    ".dim,caption,dt{color:#57606a}\n"
    ".alert{color:#a33f00;font-weight:600}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:.8rem 0}\n"
    "dd{margin:0}\n"
    "ul{padding-left:1.2rem}\nli{margin:.25rem 0}\nli.more{list-style:none}\n"
    "figure{margin:1rem 0}\nsvg{display:block}\n.phone{display:none}\n"
    ".table{overflow-x:auto;margin:.8rem 0}\n"
    "table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums;"
    "overflow-wrap:normal}\n"
    "caption{text-align:left;padding:.2rem 0}\n"
    "th,td{padding:.2rem .6rem;text-align:right;border-bottom:1px solid #d8dee4;"
    "white-space:nowrap}\n"
    "th:first-child,td:first-child{padding-left:0}\n"
    "thead th{vertical-align:bottom;white-space:normal;min-width:4.5rem}\n"
    "th:first-child{min-width:0}tbody th.words{white-space:normal}\n"
    ".words{text-align:left}\n"
    "tr.slow{font-weight:600;background:#fdebd7}\n"
    "details{margin:.8rem 0}\nsummary{cursor:pointer}\n"
    "@media (max-width:40rem){.wide{display:none}.phone{display:block}"
    "body{padding:.75rem}dl{grid-template-columns:1fr;gap:0}dt{margin-top:.5rem}}\n"
    "@media screen and (prefers-color-scheme:dark){body{background:#14181d;color:#e6e9ec}"
    ".dim,caption,dt{color:#a3adb8}.alert{color:#ffb070}h2,th,td{border-color:#2c343c}"
    "tr.slow{background:#3d2a14}}\n"
    "@media print{body{max-width:none;padding:0;font-size:10pt}table{font-size:7.5pt}\n"
    "th,.words{white-space:normal!important}th,td{padding:.1rem .3rem;min-width:0!important}"
    ".wide{display:block!important}.phone{display:none!important}.table{overflow:visible}"
    "h2,h3{break-after:avoid}figure,tr,li{break-inside:avoid}thead{display:table-header-group}"
    "}\n";

/* ---- what the parts share ---- */

void page_element(const struct page *page, const char *tag, const char *text)
{
    fprintf(page->to, "<%s>", tag);
    svg_escape(page->to, text);
    fprintf(page->to, "</%s>\n", tag);
}

/* A sentence of the text report, as an item of a list. */
static void put_item(const struct report *report, const char *first,
                     const struct sentence *sentence)
{
    fputs(first[0] ? "<li>" : "<li class=\"more\">", report->to);
    svg_escape(report->to, sentence->text);
    fputs("</li>\n", report->to);
}

/* ---- the head ---- */

static void put_document_head(const struct page *page)
{
    const struct run *run = &page->summary->run;
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>",
          page->to);
    svg_escape(page->to, run->name[0] ? run->name : "run without a name");
    fputs(" - lockstep report</title>\n<style>\n", page->to);
    fputs(STYLE, page->to);
    figure_style(page->to);
    fputs("</style>\n</head>\n<body>\n", page->to);
}

static void put_fact(const struct page *page, const char *name, const char *value)
{
    page_element(page, "dt", name);
    page_element(page, "dd", value);
}

static void put_utilization(const struct page *page)
{
    const struct summary *summary = page->summary;
    char mfu[FORMAT_BYTES], hfu[FORMAT_BYTES], steps[FORMAT_BYTES];
    struct sentence line, needs;
    sentence_clear(&line, STYLE_NORMAL);
    sentence_add(&line, "MFU %s, HFU %s", report_share(mfu, &page->report, summary->mfu),
                 report_share(hfu, &page->report, summary->hfu));
    if (alarm_mfu_needs(&page->report.model, &needs)) {
        sentence_add(&line, ": %s", needs.text);
    } else {
        sentence_add(&line, " over the last %s, ",
                     format_counted(steps, summary->window_steps, job_value_word(summary)));
        job_add_mfu_convention(&line, summary);
    }
    put_fact(page, "Utilization", line.text);
    sentence_clear(&line, STYLE_NORMAL);
    if (job_add_flops(&line, &page->report.model)) {
        job_add_window(&line, summary);
        put_fact(page, "FLOP/s, by the log", line.text);
    }
}

static void put_waiting(const struct page *page)
{
    const struct summary *summary = page->summary;
    char share[FORMAT_BYTES], mean[FORMAT_BYTES];
    struct sentence line;
    sentence_clear(&line, STYLE_NORMAL);
    if (quantity_known(summary->wait_share))
        sentence_add(&line, "%s of the GPU time, mean %s a rank and step, by %s%s",
                     report_share(share, &page->report, summary->wait_share),
                     report_duration(mean, &page->report, summary->wait_mean_s),
                     wait_rule_sentence(summary->rule),
                     summary->rules_mixed ? ", other steps by other rules" : "");
    else
        sentence_add(&line, "not known%s",
                     summary->rules_mixed ? " in too many steps, though it is in others" : "");
    put_fact(page, "Waiting", line.text);
}

static void put_span(const struct page *page)
{
    const struct summary *summary = page->summary;
    char a[FORMAT_BYTES], b[FORMAT_BYTES], c[FORMAT_BYTES];
    struct sentence line;
    sentence_clear(&line, STYLE_NORMAL);
    if (summary->first_step < 0) {
        put_fact(page, "Steps", "no step in this span");
        return;
    }
    job_add_covered(&line, summary);
    put_fact(page, "Steps", line.text);
    sentence_clear(&line, STYLE_NORMAL);
    sentence_add(&line, "median %s, mean %s, shortest %s, ",
                 report_duration(a, &page->report, summary->step_time_median_s),
                 report_duration(b, &page->report, summary->step_time_mean_s),
                 report_duration(c, &page->report, summary->step_time_min_s));
    if (quantity_known(summary->step_time_p99_s))
        sentence_add(&line, "p99 %s, ",
                     report_duration(c, &page->report, summary->step_time_p99_s));
    sentence_add(&line, "longest %s", report_duration(c, &page->report, summary->step_time_max_s));
    put_fact(page, "Step time", line.text);
    sentence_clear(&line, STYLE_NORMAL);
    if (job_add_values(&line, summary))
        put_fact(page, "Values", line.text);
    if (job_alone(summary)) {
        put_utilization(page);
        return;
    }
    put_waiting(page);
    put_fact(page, "Exchange", report_duration(a, &page->report, summary->exchange_mean_s));
    put_utilization(page);
}

static void put_job(const struct page *page)
{
    const struct summary *summary = page->summary;
    struct sentence line;
    sentence_clear(&line, STYLE_NORMAL);
    job_add_who(&line, summary);
    sentence_add(&line, ", ");
    job_add_gpus(&line, summary, false);
    sentence_add(&line, ", ");
    sentence_add_raw(&line, summary->run.chip[0] ? summary->run.chip : "chip not known");
    put_fact(page, "Job", line.text);
    if (summary->run.model_name[0])
        put_fact(page, "Model", summary->run.model_name);
}

static void put_alarms(const struct page *page)
{
    struct sentence lines[ALARM_LINES_MAX];
    int count = alarm_lines(&page->report.model, lines, ALARM_LINES_MAX);
    for (int i = 0; i < count; i++) {
        fputs("<p class=\"alert\">", page->to);
        svg_escape(page->to, lines[i].text);
        fputs("</p>\n", page->to);
    }
}

static void put_header(const struct page *page)
{
    const struct summary *summary = page->summary;
    fputs("<header>\n", page->to);
    page_element(page, "h1", summary->run.name[0] ? summary->run.name : "Run without a name");
    if (summary->simulated)
        fputs("<p class=\"alert\">SIMULATED: a program imitated this run.</p>\n", page->to);
    if (page->data->title && page->data->title[0]) {
        fputs("<p class=\"dim\">read from ", page->to);
        svg_escape(page->to, page->data->title);
        fputs("</p>\n", page->to);
    }
    fputs("<dl>\n", page->to);
    put_job(page);
    put_span(page);
    fputs("</dl>\n", page->to);
    put_alarms(page);
    fputs("</header>\n", page->to);
}

/* ---- words ---- */

static void put_verdicts(const struct page *page)
{
    char text[FORMAT_BYTES], head[2 * FORMAT_BYTES];
    if (page->summary->figures_only) {
        fputs("<p>Figures alone were asked for: who is slow, what it costs and where the GPU time "
              "goes are left out.</p>\n",
              page->to);
        return;
    }
    fputs("<section>\n<h2>Who</h2>\n<ul>\n", page->to);
    report_who(&page->report);
    if (job_alone(page->summary)) { /* what waiting costs cannot be known */
        fputs("</ul>\n</section>\n", page->to);
        return;
    }
    snprintf(head, sizeof(head), "What waiting costs: the last %s",
             format_counted(text, page->summary->window_steps, "step"));
    fputs("</ul>\n</section>\n<section>\n", page->to);
    page_element(page, "h2", head);
    fputs("<ul>\n", page->to);
    report_cost_sentences(&page->report);
    fputs("</ul>\n", page->to);
    page_what_ifs(page);
    fputs("</section>\n", page->to);
}

/* ---- figures ---- */

/* Twice: text is as large on a phone as beside it, which scaling alone cannot do. */
static void put_figure(const struct page *page, enum svg_figure which, const char *head,
                       const char *id, const char *phone_id)
{
    fputs("<section>\n", page->to);
    page_element(page, "h2", head);
    fputs("<figure>\n<div class=\"wide\">\n", page->to);
    figure_put(page->to, page->data, which, FIGURE_WIDTH_WIDE, id, false);
    fputs("</div>\n<div class=\"phone\">\n", page->to);
    figure_put(page->to, page->data, which, FIGURE_WIDTH_PHONE, phone_id, false);
    fputs("</div>\n</figure>\n", page->to);
}

static void put_nearest(const struct page *page)
{
    struct sentence line;
    if (!ledger_line_nearest(&page->report.model, &line))
        return;
    page_element(page, "p", line.text);
}

static void put_figures(const struct page *page)
{
    if (!job_alone(page->summary)) { /* else there are no ranks to be drawn: it was said */
        put_figure(page, SVG_TIMELINE, "One step", "timeline", "timeline-phone");
        page_ranks(page);
        fputs("</section>\n", page->to);
        put_figure(page, SVG_HEAT, "Ranks and steps", "heat", "heat-phone");
        fputs("</section>\n", page->to);
    }
    put_figure(page, SVG_HISTORY, "The whole run", "history", "history-phone");
    page_events(page);
    page_steps(page);
    fputs("</section>\n", page->to);
    put_figure(page, SVG_LEDGER,
               page->summary->run.gpus > 0 ? "Where the GPU time goes" : "Where the time goes",
               "ledger", "ledger-phone");
    put_nearest(page);
    fputs("</section>\n", page->to);
}

/* ---- all of it ---- */

static bool any_name(const struct summary *summary, bool host)
{
    for (size_t i = 0; i < summary->rank_count; i++)
        if (host ? summary->ranks[i].host[0] : summary->ranks[i].group[0])
            return true;
    return false;
}

void report_html(FILE *to, const struct report_data *data)
{
    struct page page = {.to = to, .data = data, .summary = data->summary};
    page.hosts = any_name(data->summary, true);
    page.groups = any_name(data->summary, false);
    page.report =
        (struct report){.to = to, .summary = data->summary, .unicode = true, .sentence = put_item};
    model_init(&page.report.model, MODE_ENDED);
    page.report.model.summary = data->summary;
    put_document_head(&page);
    put_header(&page);
    fputs("<main>\n", to);
    page_checks(&page);
    put_verdicts(&page);
    put_figures(&page);
    fputs("<section>\n<h2>What was read</h2>\n", to);
    page_clocks(&page);
    page_read(&page);
    fputs("</section>\n</main>\n<footer>\n<p class=\"dim\">Behind a number stands where it is "
          "from: m measured, c computed, s simulated, e our example. lockstep " LOCKSTEP_VERSION
          "</p>\n</footer>\n</body>\n</html>\n",
          to);
}
