/* What the commands share: messages, help, the description of the run. */
#include "command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "command_logs.h"
#include "run_json.h"
#include "run_layout.h"
#include "shell_word.h"
#include "source_files.h"
#include "source_runs.h"
#include "text.h"

int command_fail(const char *format, ...)
{
    char raw[1024], safe[3072];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(raw, sizeof(raw), format, arguments);
    va_end(arguments);
    text_sanitise(safe, sizeof(safe), str_from(raw));
    fprintf(stderr, "lockstep: %s\n", safe);
    return 1;
}

int command_fail_empty(char *const *sources, int count, const char *why)
{
    char explain[700] = "";
    for (int i = 0; i < count && !explain[0]; i++)
        if (strcmp(sources[i], "-") != 0 && strncmp(sources[i], "udp://", 6) != 0 &&
            strlen(sources[i]) < sizeof(explain) / 5)
            shell_word_add(explain, sizeof(explain), "; what is in it: lockstep explain ",
                           sources[i]);
    if (why[0])
        return command_fail("no record was found in what was read: %.250s%s", why, explain);
    return command_fail("no record was found in what was read; a record is a line such as "
                        "{\"rank\":0,\"step\":1,\"forward\":0.33,\"backward\":0.66,"
                        "\"sync\":0.1}%s",
                        explain);
}

void command_notices(const struct files_state *state)
{
    int first = state->notice_count > FILES_NOTICES ? state->notice_count - FILES_NOTICES : 0;
    if (first > 0)
        command_fail("%d more notice%s about files, and then:", first, first == 1 ? "" : "s");
    for (int i = first; i < state->notice_count; i++)
        command_fail("%s", state->notices[i % FILES_NOTICES]);
}

static void print_line(void *to, const char *line)
{
    fprintf(to, "%s\n", line);
}

static bool is_layout(const char *path)
{
    size_t length = path ? strlen(path) : 0;
    return length > 5 && strcmp(path + length - 5, ".yaml") == 0;
}

/* --run says which run of a folder unless it can be a description. */
static void choose_run(struct options *options)
{
    struct stat status;
    const char *run = options->run_file;
    size_t length = run ? strlen(run) : 0;
    bool json = length > 5 && strcmp(run + length - 5, ".json") == 0;
    if (!run || json || is_layout(run) || strchr(run, '/') || stat(run, &status) == 0)
        return;
    options->run_only = run;
    options->run_file = NULL;
}

int command_options(struct options *options, unsigned command, int argc, char **argv,
                    const char *usage, const char *about)
{
    char error[512];
    if (options_parse(options, command, argc, argv, error, sizeof(error)) < 0) {
        command_fail("%s", error);
        return 2;
    }
    if (command & (COMMAND_WATCH | COMMAND_REPORT | COMMAND_REPLAY))
        choose_run(options);
    if (!options->help)
        return -1;
    printf("usage: lockstep %s\n\n%s\n\n", usage, about);
    options_help(command, print_line, stdout);
    return 0;
}

bool command_run_place(const char *source, char path[COMMAND_PATH_BYTES])
{
    struct stat status;
    if (strcmp(source, "-") == 0 || strncmp(source, "udp://", 6) == 0)
        return false;
    int length;
    if (stat(source, &status) == 0 && S_ISDIR(status.st_mode)) {
        length = snprintf(path, COMMAND_PATH_BYTES, "%s/run.json", source);
    } else {
        const char *slash = strrchr(source, '/');
        int folder = slash ? (int)(slash - source) + 1 : 0;
        length = snprintf(path, COMMAND_PATH_BYTES, "%.*srun.json", folder, source);
    }
    return length > 0 && length < COMMAND_PATH_BYTES;
}

static int load_run(const char *path, struct run *run, char *error, size_t error_size)
{
    if (!is_layout(path))
        return run_json_load(path, run, error, error_size);
    int result = run_layout_load(path, run, error, error_size);
    if (result == -ENOENT)
        snprintf(error, error_size,
                 "it is not there, or says no tp_size, pp_size, dp_size or "
                 "world_size");
    return result;
}

/* Beside a trace there may be its layout; what can't be read of it is told, and no more. */
static bool find_layout(const char *source, struct run *run)
{
    char path[COMMAND_PATH_BYTES], error[512];
    for (int which = 0; run_layout_place(source, which, path, sizeof(path)); which++) {
        int result = run_layout_load(path, run, error, sizeof(error));
        if (result == 0)
            return true;
        if (result != -ENOENT && result != -ENOTDIR)
            command_fail("%s: %s; it is left out", path, error);
    }
    return false;
}

int command_run(const struct options *options, struct run *run)
{
    char path[COMMAND_PATH_BYTES], error[512];
    run_init(run);
    if (options->run_file) {
        if (load_run(options->run_file, run, error, sizeof(error)) < 0)
            return command_fail("%s: %s; it must be a run description as run.json is",
                                options->run_file, error);
    }
    for (int i = 0; !options->run_file && i < options->source_count; i++) {
        if (!command_run_place(options->sources[i], path))
            continue;
        int result = run_json_load(path, run, error, sizeof(error));
        bool none = result == -ENOENT || result == -ENOTDIR;
        if (result == 0 || (none && find_layout(options->sources[i], run)))
            break;
        if (!none)
            return command_fail("%s: %s; mend it, or give another with --run", path, error);
    }
    options_apply_run(options, run);
    if (!run_check(run, error, sizeof(error))) {
        command_fail("--active-params, --params: with what run.json says, %s", error);
        return 2;
    }
    return 0;
}

/* ---- a folder with several runs ---- */

static bool is_folder(const char *source)
{
    struct stat status;
    return stat(source, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Formats that can't be opened are told of when they are to be read. */
static int look_at_runs(const struct options *options, const char *folder, struct folder_runs *ret)
{
    struct command_logs logs = {0};
    if (command_logs_open(&logs, options) != 0)
        return -EINVAL;
    int result = runs_look(folder, options->run_only, logs.formats, ret);
    command_logs_done(&logs);
    return result;
}

bool command_sources_mixed(const struct options *options, char *text, size_t size)
{
    struct folder_runs runs;
    char sentence[RUNS_TEXT_BYTES];
    for (int i = 0; i < options->source_count; i++) {
        if (!is_folder(options->sources[i]) ||
            look_at_runs(options, options->sources[i], &runs) < 0 || runs.count < 2)
            continue;
        runs_say(options->sources[i], &runs, sentence);
        if (runs.runs[0].unclear)
            snprintf(text, size,
                     "%s: their names do not tell them apart: put the files of each "
                     "into a folder of its own, or name them",
                     sentence);
        else
            snprintf(text, size, "%s: choose one with --run '%s', or name its files", sentence,
                     runs.runs[0].pattern);
        return true;
    }
    return false;
}

/* Whether --run names files in one of the folders. */
static int check_chosen(const struct options *options)
{
    struct folder_runs runs;
    int folders = 0;
    for (int i = 0; i < options->source_count; i++) {
        if (!is_folder(options->sources[i]))
            continue;
        folders++;
        if (look_at_runs(options, options->sources[i], &runs) < 0 || runs.matches > 0)
            continue; /* reading it says what is wrong */
        command_fail("--run %s: no log in %s has a name that begins so or matches it",
                     options->run_only, options->sources[i]);
        return 2;
    }
    if (folders > 0)
        return 0;
    command_fail("--run %s: there is no such file, and no folder among the sources to choose a "
                 "run of",
                 options->run_only);
    return 2;
}

int command_sources(const struct options *options)
{
    char text[RUNS_TEXT_BYTES + 512];
    int status = options->run_only ? check_chosen(options) : 0;
    if (status != 0 || !command_sources_mixed(options, text, sizeof(text)))
        return status;
    command_fail("%s", text);
    return 2;
}
