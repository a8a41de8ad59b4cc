/* Finds run.json again and again. */
#include "command_watch_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "run_json.h"

/* "FOLDER/run.json" of the first `length` bytes of a folder's name. */
static void add_place(struct watched_run *watched, const char *folder, size_t length)
{
    size_t size = length + sizeof("/run.json");
    char *place = memory_zeroed(1, size);
    memcpy(place, folder, length);
    strcat(place, length == 1 && folder[0] == '/' ? "run.json" : "/run.json");
    for (int i = 0; i < watched->count; i++) {
        if (strcmp(watched->places[i], place) == 0) {
            free(place);
            return;
        }
    }
    watched->places[watched->count++] = place;
}

/* A folder holds its description; a file or a glob has it beside it. */
static void add_source(struct watched_run *watched, const char *source)
{
    struct stat status;
    const char *slash = strrchr(source, '/');
    if (strcmp(source, "-") == 0 || strncmp(source, "udp://", 6) == 0)
        return;
    if (stat(source, &status) == 0 && S_ISDIR(status.st_mode))
        add_place(watched, source, strlen(source));
    else if (slash)
        add_place(watched, source, slash == source ? 1 : (size_t)(slash - source));
    else
        add_place(watched, ".", 1);
}

static int find(const struct watched_run *watched, struct stat *ret_status)
{
    for (int i = 0; i < watched->count; i++)
        if (stat(watched->places[i], ret_status) == 0)
            return i;
    memset(ret_status, 0, sizeof(*ret_status));
    return -1;
}

/* Made anew at each look: what is awaited may turn out to be a folder. */
static void set_places(struct watched_run *watched)
{
    const struct options *options = watched->options;
    watched_run_done(watched);
    if (options->run_file) {
        size_t size = strlen(options->run_file) + 1;
        watched->places[watched->count++] = memcpy(memory_zeroed(1, size), options->run_file, size);
    }
    int count = options->run_file ? 0 : options->source_count;
    for (int i = 0; i < count && i < RUN_PLACES_MAX; i++) /* a shell may give thousands */
        add_source(watched, options->sources[i]);
}

void watched_run_init(struct watched_run *watched, const struct options *options)
{
    *watched = (struct watched_run){.options = options};
    set_places(watched);
    watched->found = find(watched, &watched->status);
}

void watched_run_done(struct watched_run *watched)
{
    for (int i = 0; i < watched->count; i++)
        free(watched->places[i]);
    watched->count = 0;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

int watched_run_look(struct watched_run *watched, struct run *run, char *error, size_t size)
{
    struct stat status;
    set_places(watched);
    int found = find(watched, &status);
    if (found < 0 || (found == watched->found && is_same(&status, &watched->status)))
        return 0; /* one that was deleted stays in force */
    watched->found = found;
    watched->status = status;
    run_init(run);
    if (run_json_load(watched->places[found], run, error, size) != 0)
        return -1;
    options_apply_run(watched->options, run);
    return 1;
}
