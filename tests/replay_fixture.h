/* Simulated runs written down, for the tests of replays. */
#pragma once

#include <stdio.h>
#include <unistd.h>

#include "analysis_fixture.h"
#include "record_json.h"

#define PATH_BYTES 512
#define FILES_MAX 64

struct written {
    char folder[64];
    char *paths[FILES_MAX]; /* one, or one a rank */
    int count;
};

static inline struct written write_down(const struct record *records, size_t count, int files)
{
    struct written written = {.folder = "/tmp/lockstep-replay-XXXXXX", .count = files};
    FILE *out[FILES_MAX];
    assert_non_null(mkdtemp(written.folder));
    for (int i = 0; i < files; i++) {
        char path[PATH_BYTES];
        snprintf(path, sizeof(path), "%s/rank%d.jsonl", written.folder, i);
        written.paths[i] = strdup(path);
        out[i] = fopen(path, "w");
        assert_non_null(out[i]);
    }
    for (size_t i = 0; i < count; i++) {
        char line[RECORD_JSON_MAX];
        size_t length = record_json_write(line, &records[i]);
        fwrite(line, 1, length, out[records[i].rank % (uint32_t)files]);
    }
    for (int i = 0; i < files; i++)
        fclose(out[i]);
    return written;
}

static inline void clear_away(struct written *written)
{
    for (int i = 0; i < written->count; i++) {
        unlink(written->paths[i]);
        free(written->paths[i]);
    }
    rmdir(written->folder);
}

/* Rank 2 is slow for a while. */
static inline struct simulate_options job(uint32_t ranks)
{
    struct simulate_options options;
    simulate_options_init(&options);
    options.ranks = ranks;
    options.seed = 7;
    options.slow_count = 1;
    options.slow[0] =
        (struct simulate_slow){.rank = 2, .factor = 1.2, .from_step = 60, .to_step = 190};
    return options;
}
