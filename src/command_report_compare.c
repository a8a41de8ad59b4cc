/* Two runs, or two spans of one, side by side. */
#include "command_report_compare.h"

#include <errno.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "command_report_checks.h"
#include "command_report_form.h"
#include "command_report_read.h"
#include "compare.h"
#include "report_compare.h"
#include "shell_word.h"
#include "str.h"

struct side {
    char path[COMMAND_PATH_BYTES];
    int64_t from_step, to_step;
    struct report_result result;
};

/* ---- "logs@500-1000" ---- */

/* The span behind the last '@': FROM-TO, FROM-, -TO. False when it is none. */
static bool read_span(const char *text, struct side *side)
{
    const char *minus = strchr(text, '-');
    int64_t from = side->from_step, to = side->to_step;
    if (!minus || (minus == text && minus[1] == '\0'))
        return false;
    if (minus != text && !str_to_int(str_of(text, (size_t)(minus - text)), 0, INT64_MAX, &from))
        return false;
    if (minus[1] != '\0' && !str_to_int(str_from(minus + 1), 0, INT64_MAX, &to))
        return false;
    side->from_step = from;
    side->to_step = to;
    return true;
}

/* A file whose name has an '@' in it is that file. */
static int read_side(const struct options *options, const char *source, struct side *side)
{
    struct stat status;
    const char *at = strrchr(source, '@');
    side->from_step = options->from_step;
    side->to_step = options->to_step;
    if (strcmp(source, "-") == 0 || strncmp(source, "udp://", 6) == 0) {
        command_fail("--compare reads files and folders, not %s: save it first",
                     source[0] == '-' ? "standard input" : "udp://");
        return 2;
    }
    size_t length = strlen(source);
    if (at && stat(source, &status) != 0 && read_span(at + 1, side))
        length = (size_t)(at - source);
    if (length == 0 || length >= sizeof(side->path)) {
        command_fail("%s: it has no path, or a path that is too long", source);
        return 2;
    }
    if (side->from_step > side->to_step) {
        command_fail("%s: the span ends before it begins", source);
        return 2;
    }
    str_copy(side->path, sizeof(side->path), str_of(source, length));
    return 0;
}

/* ---- reading ---- */

static int read_records(const struct options *options, const char *name, struct side *side)
{
    char *path = side->path;
    struct report_request request = {
        .options = options,
        .sources = &path,
        .source_count = 1,
        .from_step = side->from_step,
        .to_step = side->to_step,
        .overview = true,
        .columns = {.to = INT64_MAX, .columns = COMPARE_COLUMNS},
    };
    int status = report_read(&request, &side->result);
    if (status != 0)
        return status;
    if (side->result.summary.source.records == 0) {
        char explain[800] = "";
        shell_word_add(explain, sizeof(explain), "lockstep explain ", path);
        return command_fail("%.150s: no record was found in it; what is in it: %s", name, explain);
    }
    if (side->result.summary.first_step < 0)
        return command_fail("%s: the log has no step in that span", name);
    return 0;
}

/* ---- writing ---- */

struct written {
    const struct comparison *comparison;
    const struct checks *checks;
    bool json;
};

static void write_comparison(FILE *to, const void *what)
{
    const struct written *written = what;
    if (written->json)
        report_compare_json(to, written->comparison, written->checks);
    else
        report_compare_text(to, written->comparison, written->checks,
                            strcmp(nl_langinfo(CODESET), "UTF-8") == 0);
}

static int write_all(const struct options *options, enum report_form form, const struct side *sides,
                     struct checks *checks)
{
    struct comparison comparison;
    struct compare_side ends[COMPARE_SIDES];
    struct check_values values[COMPARE_SIDES];
    for (int i = 0; i < COMPARE_SIDES; i++)
        ends[i] = (struct compare_side){
            .name = options->sources[i],
            .summary = &sides[i].result.summary,
            .overview = &sides[i].result.overview,
            .from_step = sides[i].from_step,
            .to_step = sides[i].to_step,
        };
    compare_make(&comparison, &ends[COMPARE_A], &ends[COMPARE_B]);
    for (int i = 0; i < COMPARE_SIDES; i++)
        compare_check_values(&comparison, i, &values[i]);
    bool hold = checks_judge(checks, &values[COMPARE_B], &values[COMPARE_A]);
    struct written written = {&comparison, checks, form == REPORT_JSON};
    int status = report_write(options, write_comparison, &written);
    compare_done(&comparison);
    if (status == 0 && (sides[0].result.files_failed || sides[1].result.files_failed))
        status = 1;
    return hold ? status : report_checks_failed(checks, status);
}

int command_report_compare(const struct options *options, struct checks *checks)
{
    enum report_form form;
    int status = report_form_of(options, &form);
    if (status != 0)
        return status;
    const char *wrong = form != REPORT_TEXT && form != REPORT_JSON
                            ? "--compare is written as text or --json"
                        : options->step >= 0     ? "--step goes with one run, not with --compare"
                        : options->what_if_count ? "--what-if goes with one run, not with --compare"
                        : options->source_count != 2
                            ? "--compare needs two sources, A and B: files, folders, globs in "
                              "quotes; each may have a span of steps behind it, logs@0-500"
                            : NULL;
    if (wrong) {
        command_fail("%s", wrong);
        return 2;
    }
    struct side *sides = calloc(COMPARE_SIDES, sizeof(*sides));
    if (!sides)
        return command_fail("%s", strerror(ENOMEM));
    for (int i = 0; i < COMPARE_SIDES; i++)
        report_result_init(&sides[i].result);
    for (int i = 0; status == 0 && i < COMPARE_SIDES; i++)
        status = read_side(options, options->sources[i], &sides[i]);
    for (int i = 0; status == 0 && i < COMPARE_SIDES; i++)
        status = read_records(options, options->sources[i], &sides[i]);
    if (status == 0)
        status = write_all(options, form, sides, checks);
    for (int i = 0; i < COMPARE_SIDES; i++)
        report_result_done(&sides[i].result);
    free(sides);
    return status;
}
