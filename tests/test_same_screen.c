/* The verdict, the header and the barrier on the screen are the same, row by row, whether
 * `watch` has come to a step, or `replay` has gone there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "program.h"

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})
#define ROWS 15 /* down to the axis of the timeline; below them the foot of a replay differs */

static char scratch[64];

static int make_scratch(void **state)
{
    snprintf(scratch, sizeof scratch, "/tmp/lockstep-same-XXXXXX");
    return mkdtemp(scratch) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    return remove(path);
}

static int remove_scratch(void **state)
{
    return nftw(scratch, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* The lines of a log up to this step, in the order of steps; all of what is no log. */
static void cut_file(const char *from, const char *to, long long last)
{
    char line[4096];
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    assert_non_null(in);
    assert_non_null(out);
    while (fgets(line, sizeof line, in)) {
        const char *step = strstr(line, "\"step\":");
        if (!step || strtoll(step + 7, NULL, 10) <= last)
            fputs(line, out);
    }
    fclose(in);
    fclose(out);
}

static void cut_folder(const char *from, const char *to, long long last)
{
    char paths[2][1024];
    DIR *folder = opendir(from);
    assert_non_null(folder);
    assert_int_equal(mkdir(to, 0700), 0);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(paths[0], sizeof paths[0], "%s/%s", from, entry->d_name);
        snprintf(paths[1], sizeof paths[1], "%s/%s", to, entry->d_name);
        cut_file(paths[0], paths[1], last);
    }
    closedir(folder);
}

/* The rows that say something about the step, when it is there. The caller frees them. */
static char *rows_of(const char *const *arguments, const char *step)
{
    struct program program;
    program_start(&program, &(struct program_options){0}, arguments);
    if (!program.emulator) { /* only bytes, no rows */
        program_finish(&program);
        skip();
    }
    assert_true(program_shows(&program, step));
    assert_true(program_shows(&program, "x median")); /* all is drawn down to there */
    assert_true(program_shows(&program, strcmp(arguments[0], "watch") == 0 ? "LIVE" : "PAUSED"));
    char *text = strdup(program_screen(&program)), *end = text;
    program_keys(&program, "q");
    program_wait(&program, 5000, true);
    program_finish(&program);
    for (int row = 0; row < ROWS && end; row++)
        end = strchr(end + (row > 0), '\n');
    if (end)
        *end = '\0';
    for (char *live; (live = strstr(text, "  LIVE"));)
        memcpy(live, "PAUSED", 6);
    return text;
}

static void check(const char *sample, long long step)
{
    char from[512], to[128], number[32], shown[48];
    snprintf(from, sizeof from, "%s/../samples/ddp8/%s", getenv("LOCKSTEP_TESTS"), sample);
    snprintf(to, sizeof to, "%s/%s-%lld", scratch, sample, step);
    snprintf(number, sizeof number, "%lld", step);
    snprintf(shown, sizeof shown, "step %lld ", step);
    cut_folder(from, to, step);
    char *watched = rows_of(LIST("watch", to), shown);
    char *replayed = rows_of(LIST("replay", "--paused", "--at", number, from), shown);
    assert_non_null(strstr(watched, shown));
    assert_string_equal(watched, replayed);
    free(watched);
    free(replayed);
}

static void the_samples_look_alike_watched_and_replayed(void **state)
{
    check("slow5", 12);
    check("slow5", 80);
    check("slow5", 149);
    check("balanced", 60);
    check("overlap_slow5", 25);
    check("overlap_slow5", 110);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_samples_look_alike_watched_and_replayed),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
