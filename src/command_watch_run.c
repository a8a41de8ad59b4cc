/* Finds run.json again and again. */
#include "command_watch_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "memory.h"
#include "run_json.h"

/* Where the run.json of a source would be, unless another source has it there. */
static void add_source(struct watched_run *watched, const char *source)
{
    char place[COMMAND_PATH_BYTES];
    if (!command_run_place(source, place))
        return;
    for (int i = 0; i < watched->count; i++)
        if (strcmp(watched->places[i], place) == 0)
            return;
    size_t size = strlen(place) + 1;
    watched->places[watched->count++] = memcpy(memory_zeroed(1, size), place, size);
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
    return run_check(run, error, size) ? 1 : -1;
}
