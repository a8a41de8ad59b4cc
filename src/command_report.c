/* lockstep report: all records in, one report out. */
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "command_logs_json.h"
#include "command_logs_text.h"
#include "command_report_checks.h"
#include "command_report_compare.h"
#include "command_report_form.h"
#include "command_report_read.h"
#include "format.h"
#include "report.h"

#define STEPS_MAX 32768 /* rows of the table of steps; of longer runs several in one */
#define LOG_VALUES_SHOWN 24
#define FIGURE_COLUMNS 1024 /* of a figure: as many as can be told apart */

/* ---- what is needed ---- */

static bool needs_overview(const struct options *options, enum report_form form)
{
    if (form == REPORT_CSV)
        return report_table_of(options) == CSV_STEPS;
    if (form == REPORT_SVG)
        return report_figure_of(options) == SVG_HEAT || report_figure_of(options) == SVG_HISTORY;
    return form == REPORT_HTML;
}

static struct overview_request columns_of(const struct options *options, enum report_form form)
{
    bool heat =
        form == REPORT_HTML || (form == REPORT_SVG && report_figure_of(options) == SVG_HEAT);
    return (struct overview_request){
        .to = INT64_MAX,
        .columns = form == REPORT_CSV ? STEPS_MAX : FIGURE_COLUMNS,
        .heat = heat,
        .worst = true,
    };
}

/* ---- writing ---- */

struct written {
    const struct options *options;
    enum report_form form;
    const struct report_data *data;
};

static void write_text(FILE *to, const struct written *written)
{
    char step[FORMAT_BYTES];
    const struct summary *summary = written->data->summary;
    if (written->options->step >= 0 && summary->shown.known)
        fprintf(to, "as it stood when step %s of attempt %d was the newest\n\n",
                format_count(step, summary->shown.step), summary->shown.attempt + 1);
    report_text(to, summary, strcmp(nl_langinfo(CODESET), "UTF-8") == 0);
    const struct command_logs *logs = written->data->logs;
    command_logs_values(to, &logs->book, LOG_VALUES_SHOWN);
    report_checks_text(to, written->data->checks);
}

static void write_form(FILE *to, const void *what)
{
    const struct written *written = what;
    switch (written->form) {
    case REPORT_TEXT:
        write_text(to, written);
        break;
    case REPORT_JSON:
        report_json_data(to, written->data);
        break;
    case REPORT_CSV:
        report_csv(to, written->data, (enum csv_table)report_table_of(written->options));
        break;
    case REPORT_SVG:
        report_svg(to, written->data, (enum svg_figure)report_figure_of(written->options));
        break;
    case REPORT_HTML:
        report_html(to, written->data);
        break;
    }
}

/* "logs/", "logs/ and 2 more". */
static void make_title(const struct options *options, char *out, size_t size)
{
    if (options->source_count > 1)
        snprintf(out, size, "%s and %d more", options->sources[0], options->source_count - 1);
    else
        snprintf(out, size, "%s", options->sources[0]);
}

static int write_report(const struct options *options, enum report_form form,
                        const struct report_result *result, struct checks *checks)
{
    char title[COMMAND_PATH_BYTES];
    struct check_values values;
    make_title(options, title, sizeof(title));
    check_values_of(&values, &result->summary);
    bool hold = checks_judge(checks, &values, NULL);
    struct report_data data = {
        .summary = &result->summary,
        .overview = &result->overview,
        .events = &result->events,
        .title = title,
        .checks = checks->count > 0 ? checks : NULL,
        .json_logs = command_logs_json,
        .logs = &result->logs,
    };
    struct written written = {options, form, &data};
    bool empty = result->summary.source.records == 0;
    /* A file of nothing would take the place of the last good one. */
    int status = empty && report_to_file(options) ? 1 : report_write(options, write_form, &written);
    if (empty && report_to_file(options))
        command_fail("%s: nothing was written to it", options->output);
    if (empty)
        status =
            command_fail_empty(options->sources, options->source_count, result->summary.not_shown);
    if (status == 0 && result->files_failed)
        status = 1;
    return hold ? status : report_checks_failed(checks, status);
}

static int report_one(const struct options *options, struct checks *checks)
{
    enum report_form form;
    int status = report_form_of(options, &form);
    if (status != 0)
        return status;
    struct report_result result;
    struct report_request request = {
        .options = options,
        .sources = options->sources,
        .source_count = options->source_count,
        .from_step = options->from_step,
        .to_step = options->to_step,
        .overview = needs_overview(options, form),
        .columns = columns_of(options, form),
    };
    report_result_init(&result);
    status = report_read(&request, &result);
    if (status == 0)
        status = write_report(options, form, &result, checks);
    report_result_done(&result);
    return status;
}

/* ---- the command ---- */

int command_report(int argc, char **argv)
{
    struct checks checks;
    struct options options;
    int status = command_options(
        &options, COMMAND_REPORT, argc, argv, "report [OPTION]... SOURCE...",
        "Reads all records of the sources and prints what they come to: step times, waits at\n"
        "the barrier, MFU, stragglers. A SOURCE is a file, a folder, a glob in quotes, - for\n"
        "standard input, or udp://HOST:PORT (until it has been silent). With --compare two of\n"
        "them, A and B, each with a span of steps behind it if need be: logs@0-500 logs@500-1000.\n"
        "--check takes conditions, figure by figure: mfu>=0.40,wait<=10%,stragglers=0, and with\n"
        "--compare step_time<=+5%. Exit status: 0; 1 a failure; 2 wrong use; 3 a condition of\n"
        "--check does not hold.");
    if (status >= 0)
        return status;
    if (options.source_count == 0) {
        command_fail("report needs a source: a file, a folder, - or udp://HOST:PORT");
        return 2;
    }
    status = report_checks_read(&options, &checks);
    if (status != 0)
        return status;
    return options.compare ? command_report_compare(&options, &checks)
                           : report_one(&options, &checks);
}
