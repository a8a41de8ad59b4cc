/* Flat YAML of a job's layout: no nesting, no lists; what looks otherwise is not one. */
#include "run_layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log_text.h"
#include "str.h"

enum key { TENSOR, PIPELINE, DATA, WORLD, SIZES };
static const char *const names[SIZES] = {"tp_size", "pp_size", "dp_size", "world_size"};

struct layout {
    int64_t sizes[SIZES]; /* 0: not there */
    struct str name;
    bool any;
};

/* False: the value of a known key is no size. *ret_key says which. */
static bool take(struct layout *layout, struct str key, struct str value, const char **ret_key)
{
    if (str_is(key, "trial_name")) {
        layout->name = log_unquoted(value);
        return true;
    }
    for (int i = 0; i < SIZES; i++) {
        if (!str_is(key, names[i]))
            continue;
        *ret_key = names[i];
        layout->any = true;
        return str_to_int(value, 1, RUN_SIZE_MAX, &layout->sizes[i]);
    }
    return true;
}

static void fill(struct run *run, const struct layout *layout)
{
    if (layout->name.len > 0)
        str_copy(run->name, sizeof(run->name), layout->name);
    run->tp = layout->sizes[TENSOR] ? (int)layout->sizes[TENSOR] : run->tp;
    run->pp = layout->sizes[PIPELINE] ? (int)layout->sizes[PIPELINE] : run->pp;
    run->dp = layout->sizes[DATA] ? (int)layout->sizes[DATA] : run->dp;
    run->gpus = layout->sizes[WORLD] ? (double)layout->sizes[WORLD] : run->gpus;
}

int run_layout_parse(const char *text, size_t length, struct run *run, char *error,
                     size_t error_size)
{
    struct layout layout = {.name = {NULL, 0}};
    struct str rest = str_of(text, length), line, value;
    const char *key = NULL;
    while (log_next_part(&rest, "\n", &line)) {
        if (line.len > 0 && line.p[line.len - 1] == '\r')
            line.len--;
        size_t comment = log_find(line, " #");
        line = log_trim(log_until(line, comment < line.len ? comment : line.len));
        size_t colon = log_find(line, ":");
        if (colon == SIZE_MAX || line.p[0] == '#')
            continue;
        value = log_trim(log_from(line, colon + 1));
        if (take(&layout, log_trim(log_until(line, colon)), value, &key))
            continue;
        snprintf(error, error_size, "%s must be a whole number from 1 to %d", key, RUN_SIZE_MAX);
        return -1;
    }
    if (!layout.any)
        return -ENOENT;
    fill(run, &layout);
    return 0;
}

int run_layout_load(const char *path, struct run *run, char *error, size_t error_size)
{
    char text[RUN_LAYOUT_MAX];
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    int code = fd < 0 ? -errno : 0;
    ssize_t size = -1;
    if (fd >= 0) {
        bool usual =
            fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= RUN_LAYOUT_MAX;
        if (usual)
            size = read(fd, text, sizeof(text));
        code = usual && size >= 0 ? 0 : usual ? -errno : -EINVAL;
        close(fd);
    }
    if (code < 0) {
        snprintf(error, error_size, "%s", strerror(-code));
        return code;
    }
    return run_layout_parse(text, (size_t)size, run, error, error_size);
}

bool run_layout_place(const char *trace, int which, char *path, size_t size)
{
    const char *slash = strrchr(trace, '/');
    const char *name = slash ? slash + 1 : trace;
    int folder = (int)(name - trace), length = -1;
    const char *dash = strchr(name, '-');
    int trial = dash ? (int)strcspn(dash + 1, ".") : 0;
    if (which == 0 && trial > 0)
        length = snprintf(path, size, "%.*smeta-%.*s.yaml", folder, trace, trial, dash + 1);
    else if (which == (trial > 0))
        length = snprintf(path, size, "%.*smeta.yaml", folder, trace);
    return length > 0 && (size_t)length < size;
}
