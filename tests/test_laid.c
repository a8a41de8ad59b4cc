/* Logs of formats with state, in files that can be gone back in: the same records in the
 * same order as when they are read once, from the beginning and from any place, and what
 * is counted is counted once. */
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "formats.h"
#include "pack.h"
#include "source_files.h"

/* ---- a format of lines: steps are counted, and a value is of the line before ---- */

struct ticks {
    bool held;
    struct record record;
    int64_t count;
};

static enum log_answer tick(void *state, const struct log_line *line, struct log_out *out)
{
    struct ticks *ticks = state;
    unsigned us;
    char text[64];
    str_copy(text, sizeof text, line->body);
    if (sscanf(text, "tick took %u us", &us) != 1)
        return LOG_OTHER;
    if (us == 0) {
        log_out_damaged(out, "a tick of nothing");
        return LOG_TAKEN;
    }
    if (ticks->held)
        log_out_record(out, &ticks->record);
    ticks->held = true;
    ticks->record = (struct record){.has = RECORD_JOB | RECORD_STEP | RECORD_STEP_TIME,
                                    .step = ticks->count++,
                                    .step_time_ns = us * INT64_C(1001)};
    log_out_value(out, str_from("tick"), "us", us);
    return LOG_TAKEN;
}

static void tick_end(void *state, struct log_out *out)
{
    struct ticks *ticks = state;
    if (ticks->held)
        log_out_record(out, &ticks->record);
}

static const char *const tick_anchors[] = {"tick took", NULL};

static const struct format ticks_format = {
    .name = "ticks",
    .title = "Ticks",
    .anchors = tick_anchors,
    .state_bytes = sizeof(struct ticks),
    .line = tick,
    .end = tick_end,
};

/* ---- a document, whose records come at its end ---- */

static enum log_sniff sniff(const char *bytes, size_t size, bool whole)
{
    static const char begin[] = "{\"beats\":";
    size_t most = size < strlen(begin) ? size : strlen(begin);
    if (memcmp(bytes, begin, most) != 0)
        return LOG_SNIFF_NO;
    return most < strlen(begin) && !whole ? LOG_SNIFF_MORE : LOG_SNIFF_YES;
}

static void beats(void *state, const char *bytes, size_t size, struct log_out *out)
{
    uint32_t *count = state;
    for (size_t i = 0; i < size; i++)
        *count += bytes[i] == '1';
}

static void beats_end(void *state, struct log_out *out)
{
    for (uint32_t i = 0; i < *(uint32_t *)state; i++)
        log_out_record(out, &(struct record){.has = RECORD_RANK | RECORD_STEP | RECORD_COMPUTE,
                                             .rank = 7,
                                             .step = i,
                                             .compute_ns = 1000 + i});
}

static const struct format beats_format = {
    .name = "beats",
    .title = "Beats",
    .state_bytes = sizeof(uint32_t),
    .sniff = sniff,
    .bytes = beats,
    .end = beats_end,
};

/* ---- files of them ---- */

struct tape {
    struct record *records;
    size_t count, capacity;
};

struct fixture {
    char dir[64];
    uint64_t random;
    struct formats *formats;
    struct log_book once_book, book;
    struct tape once, whole, part;
    struct stream_totals once_totals, totals, twin_totals;
    struct files *files, *twin;
};

static void take(void *to, const struct record *record, int64_t now_ns)
{
    struct tape *tape = to;
    if (tape->count == tape->capacity) {
        tape->capacity = tape->capacity * 2 + 64;
        tape->records = realloc(tape->records, tape->capacity * sizeof *tape->records);
        assert_non_null(tape->records);
    }
    struct record *taken = &tape->records[tape->count++];
    memset(taken, 0, sizeof *taken);
    taken->has = record->has;
    taken->rank = record->rank;
    taken->step = record->step;
    if (record->has & RECORD_COMPUTE)
        taken->compute_ns = record->compute_ns;
    if (record->has & RECORD_STEP_TIME)
        taken->step_time_ns = record->step_time_ns;
}

static size_t below(struct fixture *f, size_t limit)
{
    f->random += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t x = f->random;
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return (size_t)((x ^ x >> 31) % limit);
}

static int remove_one(const char *path, const struct stat *status, int flag, struct FTW *at)
{
    return remove(path);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    strcpy(f->dir, "/tmp/lockstep_laid_XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    f->formats = formats_new();
    formats_choose(f->formats, "lockstep"); /* and none of those that are built in */
    assert_true(formats_add(f->formats, &beats_format));
    assert_true(formats_add(f->formats, &ticks_format));
    *state = f;
    return 0;
}

static void close_sets(struct fixture *f)
{
    files_free(f->twin);
    files_free(f->files);
    f->files = f->twin = NULL;
    log_book_done(&f->once_book);
    log_book_done(&f->book);
    memset(&f->once_book, 0, sizeof f->once_book);
    memset(&f->book, 0, sizeof f->book);
    f->once.count = f->whole.count = f->part.count = 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    close_sets(f);
    nftw(f->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    formats_free(f->formats);
    free(f->once.records);
    free(f->whole.records);
    free(f->part.records);
    free(f);
    return 0;
}

static void write_text(struct fixture *f, const char *name, const char *text, size_t size)
{
    char path[128];
    struct pack pack = {0};
    snprintf(path, sizeof path, "%s/%s", f->dir, name);
    if (strstr(name, ".gz"))
        pack_gzip(&pack, text, size);
    else if (strstr(name, ".zst"))
        pack_zstd(&pack, text, size);
    else
        pack_append(&pack, text, size);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fwrite(pack.bytes, 1, pack.size, out);
    fclose(out);
    free(pack.bytes);
}

/* One line, or a part of one: mostly of the kind that the file is of. */
static void put_line(struct fixture *f, FILE *out, bool own, int64_t step)
{
    static const char *const ends[] = {"\n", "\n", "\n", "\r\n", "\r", ""};
    const char *end = ends[below(f, sizeof ends / sizeof *ends)];
    switch (below(f, 30)) {
    case 0:
        fputs("loss 2.31 at the step before\n", out);
        return;
    case 1:
        fprintf(out, "tick took %zu us\n", below(f, 3));
        return;
    case 2:
        fprintf(out, "{\"rank\":3,\"step\":%lld,\"compute\":0.%zu} and more\n", (long long)step,
                below(f, 100000));
        return;
    case 3:
        fputs("{\"rank\":3,\"step\":4,\"comp\n", out);
        return;
    default:
        break;
    }
    if (below(f, 400) == 0)
        for (int i = 0; i < 70000; i++)
            fputc('x', out);
    if (own)
        fprintf(out, "{\"rank\":2,\"step\":%lld,\"compute\":0.%zu}%s", (long long)step,
                below(f, 100000), end);
    else
        fprintf(out, "tick took %zu us%s", 1 + below(f, 2000), end[0] ? end : "\n");
}

static void write_file(struct fixture *f, unsigned number)
{
    static const char *const endings[] = {"log", "log", "log.gz", "log.zst"};
    char name[32], *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    size_t count = below(f, below(f, 8) ? 60 : 4000);
    size_t own = below(f, 2) ? below(f, count + 1) : 0; /* so many of our own come first */
    if (below(f, 6) == 0) {
        fputs("\n {\"beats\":[1", out);
        for (size_t i = 0; i < count; i++)
            fputs(below(f, 2) ? ",\n1" : ",1", out);
        fputs("]}", out);
    } else if (below(f, 6) > 0) {
        for (size_t i = 0; i < count; i++)
            put_line(f, out, i < own, (int64_t)i);
    }
    fclose(out);
    snprintf(name, sizeof name, "part%u.%s", number, endings[below(f, 4)]);
    write_text(f, name, text, size);
    free(text);
}

static struct files *open_set(struct fixture *f, bool seekable, struct stream_totals *totals,
                              struct log_book *book)
{
    char message[512];
    *totals = (struct stream_totals){.formats = f->formats, .book = book};
    struct files_options options = {.seekable = seekable, .threads = 1 + (int)below(f, 2)};
    struct files *files = files_new(&options, totals);
    assert_int_equal(files_add(files, f->dir, message, sizeof message), 0);
    return files;
}

static enum files_more pump(struct files *files, struct tape *tape, size_t budget)
{
    struct sink sink = {tape, take};
    return files_pump(files, &sink, 0, budget);
}

static size_t budget_of(struct fixture *f)
{
    return 1 + below(f, below(f, 3) ? 3000 : 30);
}

/* ---- the properties ---- */

#define MARKS 16

struct kept_mark {
    struct files_mark *mark;
    size_t records; /* delivered before it */
};

static void read_once(struct fixture *f)
{
    struct files *files = open_set(f, false, &f->once_totals, &f->once_book);
    while (pump(files, &f->once, 100000) == FILES_MORE)
        continue;
    files_free(files);
}

static void assert_same_counts(const struct stream_totals *a, const struct stream_totals *b)
{
    assert_int_equal(a->counts.records, b->counts.records);
    assert_int_equal(a->counts.other, b->counts.other);
    assert_int_equal(a->counts.damaged, b->counts.damaged);
    assert_int_equal(a->counts.too_long, b->counts.too_long);
    assert_int_equal(a->counts.bytes, b->counts.bytes);
}

static void assert_same_book(const struct log_book *a, const struct log_book *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++)
        for (size_t k = 0; k < b->count; k++)
            if (a->facts[i].format == b->facts[k].format) {
                assert_int_equal(a->facts[i].lines, b->facts[k].lines);
                assert_int_equal(a->facts[i].records, b->facts[k].records);
                assert_int_equal(a->facts[i].damaged, b->facts[k].damaged);
                assert_int_equal(a->facts[i].value_count, b->facts[k].value_count);
            }
}

static void assert_same_from(const struct tape *part, const struct tape *whole, size_t from)
{
    assert_true(from + part->count <= whole->count);
    for (size_t i = 0; i < part->count; i++)
        assert_memory_equal(&part->records[i], &whole->records[from + i], sizeof *part->records);
}

/* The twin never asks for more records than the first has seen. */
static void read_some(struct fixture *f, struct files *files, const struct kept_mark *kept,
                      size_t most)
{
    assert_int_equal(files_go(files, kept->mark), 0);
    f->part.count = 0;
    while (f->part.count < most)
        if (pump(files, &f->part, budget_of(f)) == FILES_IDLE)
            break;
    assert_true(f->part.count >= most);
    assert_same_from(&f->part, &f->once, kept->records);
}

static void read_whole(struct fixture *f, struct kept_mark *marks)
{
    int count = 0;
    marks[count++] = (struct kept_mark){.mark = files_mark(f->files)};
    for (bool more = true; more;) {
        more = pump(f->files, &f->whole, budget_of(f)) == FILES_MORE;
        int at = count < MARKS ? count++ : below(f, 6) ? -1 : (int)below(f, MARKS);
        if (at >= 0) {
            files_mark_free(marks[at].mark);
            marks[at] = (struct kept_mark){files_mark(f->files), f->whole.count};
        }
        if (below(f, 10))
            continue;
        if (!f->twin)
            f->twin = files_twin(f->files, &f->twin_totals);
        const struct kept_mark *from = &marks[below(f, (size_t)count)];
        read_some(f, f->twin, from, below(f, f->whole.count - from->records + 1));
    }
    while (count < MARKS)
        marks[count++] = (struct kept_mark){files_mark(f->files), f->whole.count};
}

static void check_random_set(struct fixture *f, uint64_t seed)
{
    struct kept_mark marks[MARKS] = {{0}};
    f->random = seed;
    unsigned count = 1 + (unsigned)below(f, below(f, 4) ? 4 : 50);
    for (unsigned i = 0; i < count; i++)
        write_file(f, i);
    read_once(f);
    f->files = open_set(f, true, &f->totals, &f->book);
    memset(&f->twin_totals, 0, sizeof f->twin_totals);
    read_whole(f, marks);
    assert_int_equal(f->whole.count, f->once.count);
    assert_same_from(&f->whole, &f->once, 0);
    assert_same_counts(&f->totals, &f->once_totals);
    assert_same_book(&f->book, &f->once_book);
    assert_same_book(&f->once_book, &f->book);
    if (!f->twin)
        f->twin = files_twin(f->files, &f->twin_totals);
    for (int i = 0; i < 6; i++) {
        const struct kept_mark *from = &marks[below(f, MARKS)];
        read_some(f, f->twin, from, f->once.count - from->records);
        read_some(f, f->files, from, f->once.count - from->records);
    }
    assert_same_book(&f->book, &f->once_book);
    for (int i = 0; i < MARKS; i++)
        files_mark_free(marks[i].mark);
    close_sets(f);
    nftw(f->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    mkdir(f->dir, 0700);
}

static void any_place_in_logs_with_state_is_one_to_go_on_from(void **state)
{
    int seeds = getenv("LOCKSTEP_SEEDS") ? atoi(getenv("LOCKSTEP_SEEDS")) : 25;
    for (int seed = 1; seed <= seeds; seed++)
        check_random_set(*state, (uint64_t)seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_place_in_logs_with_state_is_one_to_go_on_from),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
