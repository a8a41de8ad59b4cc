/* Forms of a report, and where they are written. */
#include "command_report_form.h"

#include <errno.h>
#include <glob.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "command.h"
#include "output_file.h"
#include "report.h"
#include "source_scan.h"

static enum report_form form_of_ending(const char *path)
{
    static const struct {
        const char *ending;
        enum report_form form;
    } endings[] = {
        {".json", REPORT_JSON}, {".csv", REPORT_CSV},  {".svg", REPORT_SVG},
        {".html", REPORT_HTML}, {".htm", REPORT_HTML},
    };
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof(endings) / sizeof(endings[0]); i++)
        if (strcasecmp(dot, endings[i].ending) == 0)
            return endings[i].form;
    return REPORT_TEXT;
}

/* ---- what is read is not written over ---- */

static bool is_same(const char *path, const struct stat *output)
{
    struct stat status;
    return stat(path, &status) == 0 && status.st_dev == output->st_dev &&
           status.st_ino == output->st_ino;
}

/* A log by its name in a folder that is read. Text reports may stand beside the logs. */
static bool is_log_of(const char *folder, const char *output)
{
    char path[COMMAND_PATH_BYTES];
    struct stat status;
    const char *slash = strrchr(output, '/'), *name = slash ? slash + 1 : output;
    size_t length = strlen(name);
    snprintf(path, sizeof(path), "%.*s.", slash ? (int)(slash - output) + 1 : 0, output);
    return scan_is_log(name) && !(length > 4 && strcmp(name + length - 4, ".txt") == 0) &&
           stat(path, &status) == 0 && is_same(folder, &status);
}

static bool is_read_from(const char *source, const char *output, const struct stat *status)
{
    char path[COMMAND_PATH_BYTES];
    const char *at = strrchr(source, '@'); /* a span of --compare */
    glob_t found = {0};
    bool same = is_log_of(source, output);
    if (at) {
        snprintf(path, sizeof(path), "%.*s", (int)(at - source), source);
        same |= is_same(path, status) || is_log_of(path, output);
    }
    if (glob(source, GLOB_NOSORT | GLOB_NOCHECK, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            same |= is_same(found.gl_pathv[i], status);
    globfree(&found);
    return same;
}

static int refuse_sources(const struct options *options)
{
    struct stat status;
    if (!options->output || stat(options->output, &status) < 0 || !S_ISREG(status.st_mode))
        return 0;
    for (int i = 0; i < options->source_count; i++)
        if (is_read_from(options->sources[i], options->output, &status)) {
            command_fail("--output %s: it is one of the logs that are read; give another name",
                         options->output);
            return 2;
        }
    return 0;
}

int report_form_of(const struct options *options, enum report_form *ret_form)
{
    int named = options->json + !!options->csv + !!options->svg + options->html;
    if (named > 1) {
        command_fail("--json, --csv, --svg and --html are forms of one report: give one of them, "
                     "and run it again for another");
        return 2;
    }
    if (options->output && options->output[0] == '\0') {
        command_fail("--output needs the name of a file");
        return 2;
    }
    if (named == 0)
        *ret_form = options->output ? form_of_ending(options->output) : REPORT_TEXT;
    else
        *ret_form = options->json  ? REPORT_JSON
                    : options->csv ? REPORT_CSV
                    : options->svg ? REPORT_SVG
                                   : REPORT_HTML;
    return refuse_sources(options);
}

static int index_of(const char *word, const char *const *words, int count)
{
    for (int i = 0; word && i < count; i++)
        if (strcmp(word, words[i]) == 0)
            return i;
    return 0;
}

int report_table_of(const struct options *options)
{
    static const char *const tables[] = {
        [CSV_STEPS] = "steps", [CSV_RANKS] = "ranks", [CSV_EVENTS] = "events"};
    return index_of(options->csv, tables, 3);
}

int report_figure_of(const struct options *options)
{
    static const char *const figures[] = {[SVG_TIMELINE] = "timeline",
                                          [SVG_HEAT] = "heat",
                                          [SVG_HISTORY] = "history",
                                          [SVG_LEDGER] = "ledger"};
    return index_of(options->svg, figures, 4);
}

/* By whatever name: where it leads to a file, that is the shell's, and may be added to. */
static bool is_standard_output(const char *path)
{
    static const char *const names[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
    for (size_t i = 0; path && i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(path, names[i]) == 0)
            return true;
    return !path;
}

bool report_to_file(const struct options *options)
{
    return !is_standard_output(options->output);
}

int report_write(const struct options *options, void (*write)(FILE *to, const void *what),
                 const void *what)
{
    char error[512];
    if (!report_to_file(options)) {
        write(stdout, what);
        if (fflush(stdout) != 0 || ferror(stdout))
            return command_fail("standard output: %s; the report is not complete", strerror(errno));
        return 0;
    }
    struct output_file *output = output_open(options->output, error, sizeof(error));
    if (!output)
        return command_fail("%s", error);
    write(output_stream(output), what);
    if (!output_commit(output, error, sizeof(error)))
        return command_fail("%s: %s", options->output, error);
    return 0;
}
