/* The formats of logs that a command reads. */
#include "command_logs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "memory.h"

/* ---- the settings ---- */

bool command_logs_settings_path(char *path, size_t size)
{
    const char *named = getenv("LOCKSTEP_CONFIG"), *folder = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    int length = 0;
    if (named && named[0])
        length = snprintf(path, size, "%s", named);
    else if (folder && folder[0] == '/')
        length = snprintf(path, size, "%s/lockstep/config", folder);
    else if (home && home[0])
        length = snprintf(path, size, "%s/.config/lockstep/config", home);
    return length > 0 && (size_t)length < size;
}

/* The bytes of the file, one more than are allowed at most: those are refused by the parser. */
static int read_file(const char *path, char *bytes, size_t *ret_size)
{
    struct stat status;
    if (stat(path, &status) < 0)
        return -errno;
    if (S_ISDIR(status.st_mode))
        return -EISDIR;
    if (S_ISFIFO(status.st_mode))
        return -ESPIPE; /* it would be waited for */
    FILE *file = fopen(path, "re");
    if (!file)
        return -errno;
    *ret_size = fread(bytes, 1, SETTINGS_BYTES_MAX + 1, file);
    int result = ferror(file) ? -EIO : 0;
    fclose(file);
    return result;
}

static int settings_failed(const char *path, const char *what)
{
    command_fail("%s: %s; mend it, or name another file in LOCKSTEP_CONFIG", path, what);
    return 2;
}

/* No file is no error, unless it was named. */
static int read_settings(struct settings *settings, char *path, size_t size)
{
    char error[512];
    size_t length = 0;
    settings->format_count = 0;
    if (!command_logs_settings_path(path, size))
        return 0;
    char *bytes = memory_zeroed(1, SETTINGS_BYTES_MAX + 1);
    int result = read_file(path, bytes, &length);
    bool good = result == 0 && settings_parse(settings, bytes, length, error, sizeof(error));
    free(bytes);
    const char *named = getenv("LOCKSTEP_CONFIG");
    if ((result == -ENOENT || result == -ENOTDIR) && !(named && named[0]))
        return 0;
    if (result < 0)
        return settings_failed(path, strerror(-result));
    return good ? 0 : settings_failed(path, error);
}

/* ---- formats ---- */

static int too_many(void)
{
    command_fail("--map, --pattern and the settings describe more formats than there is room for");
    return 2;
}

/* Those of the settings, behind all others; of those that are to be named, the named ones. */
static int add_settings(struct command_logs *logs, const struct settings *settings,
                        const char *path, const char *chosen)
{
    char error[512], where[COMMAND_PATH_BYTES + 600];
    for (int i = 0; i < settings->format_count; i++) {
        const struct settings_format *from = &settings->formats[i];
        struct user_format *user = (from->pattern ? user_format_pattern : user_format_map)(
            from->name, from->text, error, sizeof(error));
        if (!user) {
            snprintf(where, sizeof(where), "line %d: %s: %s", from->line,
                     from->pattern ? "pattern" : "map", error);
            return settings_failed(path, where);
        }
        logs->described[logs->described_count++] = user;
        bool named = chosen && strcmp(chosen, from->name) == 0;
        if ((named || !from->named) && !formats_append(logs->formats, user_format_of(user)))
            return too_many();
    }
    return 0;
}

/* Those of the options, before all others. */
static int add_options(struct command_logs *logs, const struct options *options)
{
    char error[512];
    for (int i = options->described_count; i-- > 0;) {
        const struct described_log *from = &options->described[i];
        const char *name = from->pattern ? "pattern" : "map";
        struct user_format *user = (from->pattern ? user_format_pattern : user_format_map)(
            name, from->text, error, sizeof(error));
        if (!user) {
            command_fail("--%s '%s': %s", name, from->text, error);
            return 2;
        }
        logs->described[logs->described_count++] = user;
        if (!formats_add(logs->formats, user_format_of(user)))
            return too_many();
    }
    return 0;
}

/* No such format: all there are, on standard error. */
static int unknown_format(const struct formats *formats, const char *name)
{
    char list[2048] = "lockstep (our own records)";
    for (size_t i = 0; i < formats_count(formats); i++) {
        size_t at = strlen(list);
        snprintf(list + at, sizeof(list) - at, ", %s", formats_at(formats, i)->name);
    }
    command_fail("--format %s: there is no such format; there are %s; and the number formats "
                 "bf16, tf32, fp8 and fp16",
                 name, list);
    return 2;
}

int command_logs_open(struct command_logs *logs, const struct options *options)
{
    char path[COMMAND_PATH_BYTES] = "";
    struct settings *settings = memory_zeroed(1, sizeof(*settings));
    logs->formats = formats_new();
    int status = read_settings(settings, path, sizeof(path));
    if (status == 0)
        status = add_settings(logs, settings, path, options->log_format);
    free(settings);
    if (status == 0 && options->log_format &&
        formats_choose(logs->formats, options->log_format) < 0)
        status = unknown_format(logs->formats, options->log_format);
    if (status == 0)
        status = add_options(logs, options);
    if (status != 0)
        command_logs_done(logs);
    return status;
}

void command_logs_done(struct command_logs *logs)
{
    log_book_done(&logs->book);
    formats_free(logs->formats);
    logs->formats = NULL;
    while (logs->described_count > 0)
        user_format_free(logs->described[--logs->described_count]);
}

void command_logs_use(struct command_logs *logs, struct stream_totals *totals)
{
    totals->formats = logs->formats;
    totals->book = &logs->book;
}
