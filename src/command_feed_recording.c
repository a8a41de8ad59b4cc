/* Recorded lines in the order of their steps. Only "step", "rank" and "t" are
 * looked for, with no regard to JSON: what is no record goes along with the
 * line before it, so that a replay shows damage as it was. */
#include "command_feed_recording.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "record.h"
#include "str.h"

/* A step number that goes back by no more than this is disorder among the
 * ranks of one file, not a restart. */
#define DISORDER 2

/* Where a line belongs in the order. */
struct place {
    int64_t attempt, step;
};

struct reader {
    FILE *file; /* NULL: at its end */
    uint32_t rank;
    char *line; /* the line that waits; NULL before the first */
    size_t length, capacity;
    struct place place;
    bool placed; /* a step has been seen */
    bool given;  /* the line that waits was handed out: the next one is due */
    int64_t begin_ns;
};

struct feed_recording {
    struct reader *readers; /* [count] */
    size_t count;
    size_t at; /* the reader that gives the lines now */
    struct place place;
    uint64_t left_out;
};

static int place_compare(struct place a, struct place b)
{
    if (a.attempt != b.attempt)
        return a.attempt < b.attempt ? -1 : 1;
    return (a.step > b.step) - (a.step < b.step);
}

/* The characters of the number behind "key":; empty when there is none. */
static struct str number_of(const char *line, size_t length, const char *key)
{
    const char *end = line + length, *at = memmem(line, length, key, strlen(key));
    if (!at)
        return str_of(NULL, 0);
    at += strlen(key);
    while (at < end && (*at == ' ' || *at == '\t' || *at == ':'))
        at++;
    const char *begin = at;
    while (at < end && *at && strchr("0123456789.eE+-", *at))
        at++;
    return str_of(begin, (size_t)(at - begin));
}

/* Reads a line, grown as needed; false at the end of the file. */
static bool read_line(struct reader *reader, uint64_t *left_out)
{
    size_t length = 0;
    int c;
    while ((c = getc_unlocked(reader->file)) != EOF) {
        if (length < FEED_LINE_MAX && length + 2 > reader->capacity) {
            size_t capacity = reader->capacity ? 2 * reader->capacity : 256;
            char *line = realloc(reader->line, capacity);
            if (!line)
                abort();
            reader->line = line;
            reader->capacity = capacity;
        }
        if (length < FEED_LINE_MAX)
            reader->line[length] = (char)c;
        length++;
        if (c != '\n')
            continue;
        if (length <= FEED_LINE_MAX)
            break;
        ++*left_out;
        length = 0;
    }
    if (c == EOF && (length == 0 || length >= FEED_LINE_MAX)) {
        *left_out += length > 0;
        return false;
    }
    if (c == EOF)
        reader->line[length++] = '\n';
    reader->length = length;
    return true;
}

/* The next line waits, and its place is known. */
static void advance(struct feed_recording *recording, struct reader *reader)
{
    if (!read_line(reader, &recording->left_out)) {
        fclose(reader->file);
        reader->file = NULL;
        return;
    }
    int64_t step, rank;
    double begin_s;
    if (str_to_int(number_of(reader->line, reader->length, "\"step\""), 0, RECORD_STEP_MAX,
                   &step)) {
        if (reader->placed && step < reader->place.step - DISORDER)
            reader->place.attempt++;
        reader->place.step = step;
        reader->placed = true;
    }
    reader->begin_ns = INT64_MIN;
    if (str_to_double(number_of(reader->line, reader->length, "\"t\""), &begin_s) && begin_s >= 0 &&
        begin_s <= 9e9)
        reader->begin_ns = (int64_t)(begin_s * 1e9);
    if (str_to_int(number_of(reader->line, reader->length, "\"rank\""), 0, RECORD_RANK_MAX, &rank))
        reader->rank = (uint32_t)rank;
}

/* The number in "rank12.jsonl"; `otherwise` when there is none. */
static uint32_t rank_of_name(const char *path, uint32_t otherwise)
{
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    name += strcspn(name, "0123456789");
    int64_t rank;
    if (str_to_int(str_of(name, strspn(name, "0123456789")), 0, RECORD_RANK_MAX, &rank))
        return (uint32_t)rank;
    return otherwise;
}

static bool add_reader(struct feed_recording *recording, const char *path)
{
    struct reader *readers =
        realloc(recording->readers, (recording->count + 1) * sizeof *recording->readers);
    if (!readers)
        abort();
    recording->readers = readers;
    struct reader *reader = &readers[recording->count];
    *reader = (struct reader){.file = fopen(path, "re")};
    if (!reader->file) {
        fprintf(stderr, "lockstep: %s: %s, give a file or folder that you may read\n", path,
                strerror(errno));
        return false;
    }
    reader->rank = rank_of_name(path, (uint32_t)recording->count);
    recording->count++;
    advance(recording, reader);
    return true;
}

static int is_record_file(const struct dirent *entry)
{
    static const char *const patterns[] = {"*.jsonl", "*.ndjson", "*.json", "*.log", "*.txt"};
    if (entry->d_name[0] == '.' || strcmp(entry->d_name, "run.json") == 0)
        return 0;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        if (fnmatch(patterns[i], entry->d_name, 0) == 0)
            return 1;
    }
    return 0;
}

static bool add_folder(struct feed_recording *recording, const char *folder,
                       struct dirent **entries, int count)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    bool good = count > 0;
    if (!good)
        fprintf(stderr, "lockstep: %s: no records in this folder, give one with *.jsonl files\n",
                folder);
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        good = good && add_reader(recording, path);
        free(entries[i]);
    }
    free(entries);
    return good;
}

struct feed_recording *feed_recording_open(const char *path)
{
    struct feed_recording *recording = calloc(1, sizeof *recording);
    if (!recording)
        abort();
    struct dirent **entries;
    int count = scandir(path, &entries, is_record_file, versionsort);
    bool good =
        count >= 0 ? add_folder(recording, path, entries, count) : add_reader(recording, path);
    if (!good) {
        feed_recording_free(recording);
        return NULL;
    }
    recording->at = recording->count;
    return recording;
}

void feed_recording_free(struct feed_recording *recording)
{
    if (!recording)
        return;
    for (size_t i = 0; i < recording->count; i++) {
        if (recording->readers[i].file)
            fclose(recording->readers[i].file);
        free(recording->readers[i].line);
    }
    free(recording->readers);
    free(recording);
}

size_t feed_recording_count(const struct feed_recording *recording)
{
    return recording->count;
}

bool feed_recording_step(struct feed_recording *recording, int64_t *ret_begin_ns)
{
    const struct reader *first = NULL;
    for (size_t i = 0; i < recording->count; i++) {
        const struct reader *reader = &recording->readers[i];
        if (reader->file && (!first || place_compare(reader->place, first->place) < 0))
            first = reader;
    }
    if (!first)
        return false;
    recording->place = first->place;
    recording->at = 0;
    *ret_begin_ns = INT64_MIN;
    for (size_t i = 0; i < recording->count && *ret_begin_ns == INT64_MIN; i++) {
        const struct reader *reader = &recording->readers[i];
        if (reader->file && place_compare(reader->place, recording->place) == 0)
            *ret_begin_ns = reader->begin_ns;
    }
    return true;
}

bool feed_recording_line(struct feed_recording *recording, const char **ret_line,
                         size_t *ret_length, uint32_t *ret_rank)
{
    for (; recording->at < recording->count; recording->at++) {
        struct reader *reader = &recording->readers[recording->at];
        if (reader->file && reader->given)
            advance(recording, reader);
        reader->given = false;
        if (!reader->file || place_compare(reader->place, recording->place) > 0)
            continue;
        reader->given = true;
        *ret_line = reader->line;
        *ret_length = reader->length;
        *ret_rank = reader->rank;
        return true;
    }
    return false;
}

uint64_t feed_recording_left_out(const struct feed_recording *recording)
{
    return recording->left_out;
}
