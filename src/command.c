/* What the commands share: messages, help, the description of the run. */
#include "command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "run_json.h"
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

static void print_line(void *to, const char *line)
{
    fprintf(to, "%s\n", line);
}

int command_options(struct options *options, unsigned command, int argc, char **argv,
                    const char *usage, const char *about)
{
    char error[512];
    if (options_parse(options, command, argc, argv, error, sizeof(error)) < 0) {
        command_fail("%s", error);
        return 2;
    }
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

int command_run(const struct options *options, struct run *run)
{
    char path[COMMAND_PATH_BYTES], error[512];
    run_init(run);
    if (options->run_file) {
        if (run_json_load(options->run_file, run, error, sizeof(error)) < 0)
            return command_fail("%s: %s; it must be a run description as run.json is",
                                options->run_file, error);
    }
    for (int i = 0; !options->run_file && i < options->source_count; i++) {
        if (!command_run_place(options->sources[i], path))
            continue;
        int result = run_json_load(path, run, error, sizeof(error));
        if (result == 0)
            break;
        if (result != -ENOENT && result != -ENOTDIR)
            return command_fail("%s: %s; mend it, or give another with --run", path, error);
    }
    options_apply_run(options, run);
    if (!run_check(run, error, sizeof(error))) {
        command_fail("--active-params, --params: with what run.json says, %s", error);
        return 2;
    }
    return 0;
}
