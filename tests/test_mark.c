/* Places in a set of files: from a mark on come the same records in the same order,
 * and the same counts, whatever the files are like and wherever the mark was made. */
#include <errno.h>
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

#include "pack.h"
#include "source_files.h"

/* Of a record all that it holds, its texts by value. */
struct taken {
    struct record record;
    char host[24], group[24];
};

struct tape {
    struct taken *taken;
    size_t count, capacity;
};

struct fixture {
    char dir[64];
    uint64_t random;
    struct tape whole, part;
    struct stream_totals totals, twin_totals;
    struct files *files, *twin;
    char message[512];
};

static void take(void *to, const struct record *record, int64_t now_ns)
{
    struct tape *tape = to;
    if (tape->count == tape->capacity) {
        tape->capacity = tape->capacity * 2 + 64;
        tape->taken = realloc(tape->taken, tape->capacity * sizeof *tape->taken);
        assert_non_null(tape->taken);
    }
    struct taken *taken = &tape->taken[tape->count++];
    memset(taken, 0, sizeof *taken);
    taken->record.has = record->has;
    taken->record.rank = record->rank;
    taken->record.step = record->step;
    if (record->has & RECORD_COMPUTE)
        taken->record.compute_ns = record->compute_ns;
    if (record->has & RECORD_HOST)
        str_copy(taken->host, sizeof taken->host, record->host);
    if (record->has & RECORD_GROUP)
        str_copy(taken->group, sizeof taken->group, record->group);
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
    strcpy(f->dir, "/tmp/lockstep_mark_XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    *state = f;
    return 0;
}

static void close_sets(struct fixture *f)
{
    files_free(f->twin);
    files_free(f->files);
    f->files = f->twin = NULL;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    close_sets(f);
    nftw(f->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(f->whole.taken);
    free(f->part.taken);
    free(f);
    return 0;
}

static FILE *open_file(struct fixture *f, const char *name, const char *mode)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", f->dir, name);
    FILE *out = fopen(path, mode);
    assert_non_null(out);
    return out;
}

static void open_set(struct fixture *f, int descriptors)
{
    memset(&f->totals, 0, sizeof f->totals);
    memset(&f->twin_totals, 0, sizeof f->twin_totals);
    f->whole.count = f->part.count = 0;
    f->files = files_new(&(struct files_options){.seekable = true, .descriptors_max = descriptors},
                         &f->totals);
    assert_int_equal(files_add(f->files, f->dir, f->message, sizeof f->message), 0);
}

/* ---- random files ---- */

static void put_record(struct fixture *f, FILE *out, unsigned rank, long long step, bool named)
{
    static const char *const ends[] = {"\n", "\n", "\n", "\r\n", "\r", " \n"};
    size_t kind = below(f, 12);
    if (kind == 0) /* torn */
        fprintf(out, "{\"rank\":%u,\"step\":%lld,\"comp", rank, step);
    if (kind == 1)
        fprintf(out, "[rank%u]: {\"step\":%lld,\"compute\":0.%zu}", rank, step, below(f, 1000000));
    else if (kind == 2 && named)
        fprintf(out, "{\"step\":%lld,\"compute\":0.%zu}", step, below(f, 1000));
    else
        fprintf(out, "{\"rank\":%u,\"step\":%lld,\"compute\":0.%06zu,\"host\":\"node%u\"}", rank,
                step, below(f, 1000000), rank / 8);
    if (below(f, 20) == 0) /* a second one follows on the line */
        fputs(" ", out);
    else
        fputs(ends[below(f, sizeof ends / sizeof *ends)], out);
}

/* Of a file whose ranks others have, too: they are attempts at one run, one after another. */
static void put_attempt(struct fixture *f, FILE *out, unsigned number, unsigned rank,
                        long long step)
{
    fprintf(out, "{\"rank\":%u,\"step\":%lld,\"t\":%lld,\"compute\":0.%06zu}\n", rank, step,
            1700000000 + 1000LL * number + step, below(f, 1000000));
}

static void put_something(struct fixture *f, FILE *out)
{
    switch (below(f, 60)) {
    case 0:
        fputs("loss 2.31 at the step before\n", out);
        break;
    case 1:
        for (size_t n = below(f, 300); n > 0; n--)
            fputc('\0', out);
        break;
    case 2:
        fputs("\n\r\n 10%\r 20%\r", out);
        break;
    case 3:
        fputs("{\"rank\":1,\"step\":-5,\"compute\":1}\n", out);
        break;
    case 4:
        fputs("{\"rank\":2,\"step\":9,\"host\":\"a\\u0041\",\"compute\":1} tail\n", out);
        break;
    default:
        break;
    }
    if (below(f, 700) == 0) {
        for (int i = 0; i < 70000; i++)
            fputc('x', out);
        fputc('\n', out);
    }
}

/* In place of the file: it in several members or frames, perhaps cut. */
static void pack_file(struct fixture *f, const char *name)
{
    char text[1 << 16], packed_name[64];
    struct pack pack = {0};
    bool gzip = below(f, 2);
    FILE *from = open_file(f, name, "r");
    for (;;) {
        size_t size = fread(text, 1, 1 + below(f, sizeof text), from);
        if (size == 0)
            break;
        gzip ? pack_gzip(&pack, text, size) : pack_zstd(&pack, text, size);
    }
    fclose(from);
    if (below(f, 5) == 0)
        pack.size -= below(f, pack.size / 3 + 1);
    snprintf(packed_name, sizeof packed_name, "%s.%s", name, gzip ? "gz" : "zst");
    FILE *out = open_file(f, packed_name, "w");
    if (pack.size > 0)
        fwrite(pack.bytes, 1, pack.size, out);
    fclose(out);
    free(pack.bytes);
    snprintf(text, sizeof text, "%s/%s", f->dir, name);
    remove(text);
}

static void write_file(struct fixture *f, unsigned number)
{
    char name[32];
    bool named = below(f, 2);
    snprintf(name, sizeof name, named ? "rank%u.jsonl" : "node-%c.log",
             named ? number : 'a' + number);
    FILE *out = open_file(f, name, "w");
    unsigned ranks = below(f, 3) ? 1 : 1 + (unsigned)below(f, 5);
    bool attempt = below(f, 3) == 0;
    long long step = (long long)below(f, attempt ? 40 : 10);
    for (size_t n = below(f, 120); n > 0; n--) {
        for (unsigned rank = 0; rank < ranks && attempt; rank++)
            put_attempt(f, out, number, number % 2 + rank, step);
        for (unsigned rank = 0; rank < ranks && !attempt; rank++)
            put_record(f, out, number + 20 * rank, step - (below(f, 30) == 0), named);
        put_something(f, out);
        step += below(f, 10) ? 1 : 2;
        if (below(f, 40) == 0) /* a restart from a checkpoint */
            step -= step < 8 ? step : (long long)below(f, 8);
    }
    fclose(out);
    if (below(f, 4) == 0)
        pack_file(f, name);
}

/* ---- the property ---- */

#define MARKS 24

struct kept_mark {
    struct files_mark *mark;
    size_t records; /* delivered before it */
    struct source_counts counts;
};

static enum files_more pump(struct files *files, struct tape *tape, size_t budget)
{
    struct sink sink = {tape, take};
    return files_pump(files, &sink, 0, budget);
}

static size_t budget_of(struct fixture *f)
{
    return 1 + below(f, below(f, 3) ? 9 : 300);
}

static void assert_same_from(const struct fixture *f, size_t from)
{
    assert_true(from + f->part.count <= f->whole.count);
    for (size_t i = 0; i < f->part.count; i++)
        assert_memory_equal(&f->part.taken[i], &f->whole.taken[from + i], sizeof *f->part.taken);
}

/* Reads on from the mark, to the end or a part of the way. Marks that are made on
 * the way are as good. */
static void read_from(struct fixture *f, struct files *files, const struct stream_totals *totals,
                      struct kept_mark *kept, struct kept_mark *again)
{
    assert_int_equal(files_go(files, kept->mark), 0);
    f->part.count = 0;
    struct source_counts before = totals->counts;
    int left = below(f, 2) ? -1 : (int)below(f, 20);
    bool more = true;
    while (more && left-- != 0) {
        more = pump(files, &f->part, budget_of(f)) == FILES_MORE;
        if (again && below(f, 8) == 0) {
            files_mark_free(again->mark);
            again->mark = files_mark(files);
            again->records = kept->records + f->part.count;
            again->counts = kept->counts;
            again->counts.records += totals->counts.records - before.records;
            again->counts.other += totals->counts.other - before.other;
            again->counts.damaged += totals->counts.damaged - before.damaged;
            again->counts.too_long += totals->counts.too_long - before.too_long;
        }
    }
    assert_same_from(f, kept->records);
    if (more)
        return;
    const struct source_counts *now = &totals->counts, *end = &f->totals.counts;
    assert_int_equal(kept->records + f->part.count, f->whole.count);
    if (files != f->twin)
        return;
    assert_int_equal(now->records - before.records, end->records - kept->counts.records);
    assert_int_equal(now->other - before.other, end->other - kept->counts.other);
    assert_int_equal(now->damaged - before.damaged, end->damaged - kept->counts.damaged);
    assert_int_equal(now->too_long - before.too_long, end->too_long - kept->counts.too_long);
}

static void read_whole(struct fixture *f, struct kept_mark *marks)
{
    int count = 0;
    marks[count++] = (struct kept_mark){.mark = files_mark(f->files)};
    for (bool more = true; more;) {
        more = pump(f->files, &f->whole, budget_of(f)) == FILES_MORE;
        int at = count < MARKS ? count++ : below(f, 6) ? -1 : (int)below(f, MARKS);
        if (at < 0)
            continue;
        files_mark_free(marks[at].mark);
        marks[at] = (struct kept_mark){files_mark(f->files), f->whole.count, f->totals.counts};
    }
    while (count < MARKS)
        marks[count++] = (struct kept_mark){files_mark(f->files), f->whole.count, f->totals.counts};
}

static void check_random_set(struct fixture *f, uint64_t seed, int descriptors)
{
    struct kept_mark marks[MARKS] = {{0}};
    f->random = seed;
    unsigned count = 1 + (unsigned)below(f, below(f, 2) ? 3 : 20);
    for (unsigned i = 0; i < count; i++)
        write_file(f, i);
    open_set(f, descriptors);
    if (below(f, 2))
        f->twin = files_twin(f->files, &f->twin_totals);
    read_whole(f, marks);
    if (!f->twin)
        f->twin = files_twin(f->files, &f->twin_totals);
    for (int i = 0; i < 10; i++) {
        struct kept_mark *again = below(f, 2) ? &marks[below(f, MARKS)] : NULL;
        struct kept_mark from = marks[below(f, MARKS)];
        if (again && again->mark == from.mark)
            again = NULL;
        read_from(f, f->twin, &f->twin_totals, &from, again);
    }
    for (int i = 0; i < MARKS; i++)
        assert_true(files_mark_bytes(marks[i].mark) < 64 + 120 * count);
    struct stream_totals end = f->totals;
    for (int i = 0; i < 4; i++) {
        read_from(f, f->files, &end, &marks[below(f, MARKS)], NULL);
    }
    for (int i = 0; i < MARKS; i++)
        files_mark_free(marks[i].mark);
    close_sets(f);
    nftw(f->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    mkdir(f->dir, 0700);
}

static void from_any_mark_come_the_same_records(void **state)
{
    struct fixture *f = *state;
    const char *rounds = getenv("MARK_ROUNDS");
    int count = rounds ? atoi(rounds) : 40;
    for (int i = 0; i < count; i++)
        check_random_set(f, (uint64_t)i + 1, 0);
}

static void descriptors_may_be_fewer_than_files(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < 10; i++)
        check_random_set(f, (uint64_t)i + 1000, 6);
}

/* ---- files that change while they are walked about in ---- */

#define LINE "{\"rank\":%d,\"step\":%4d,\"compute\":0.%06d}\n"
#define LINE_BYTES 42

static void put_steps(struct fixture *f, const char *name, const char *mode, int from, int to)
{
    FILE *out = open_file(f, name, mode);
    for (int step = from; step <= to; step++)
        fprintf(out, LINE, 0, step, (int)(step * 7919LL % 1000000));
    fclose(out);
}

static void cut_file(struct fixture *f, const char *name, int lines)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", f->dir, name);
    assert_int_equal(truncate(path, lines * LINE_BYTES), 0);
}

static const char *last_notice(struct files *files)
{
    const struct files_state *state = files_state(files);
    assert_true(state->notice_count > 0);
    return state->notices[(state->notice_count - 1) % FILES_NOTICES];
}

static void what_a_file_grows_by_is_told_and_not_read(void **state)
{
    struct fixture *f = *state;
    put_steps(f, "a.log", "w", 1, 10);
    open_set(f, 0);
    assert_int_equal(pump(f->files, &f->whole, 4), FILES_MORE);
    put_steps(f, "a.log", "a", 11, 13);
    put_steps(f, "new.log", "w", 1, 3);
    files_poll(f->files, 0);
    files_poll(f->files, 0);
    assert_int_equal(files_state(f->files)->grown_bytes, 3 * LINE_BYTES);
    while (pump(f->files, &f->whole, 100) == FILES_MORE)
        continue;
    assert_int_equal(f->whole.count, 10);
    assert_int_equal(f->whole.taken[9].record.step, 10);
    int64_t read, all;
    files_progress(f->files, &read, &all);
    assert_int_equal(read, 10 * LINE_BYTES);
    assert_int_equal(all, 10 * LINE_BYTES);
}

static void where_a_file_was_cut_its_records_end(void **state)
{
    struct fixture *f = *state;
    put_steps(f, "a.log", "w", 1, 9000);
    open_set(f, 0);
    f->twin = files_twin(f->files, &f->twin_totals);
    while (pump(f->files, &f->whole, 100) == FILES_MORE && f->whole.count < 8500)
        continue;
    struct files_mark *late = files_mark(f->files);
    cut_file(f, "a.log", 8000);
    while (pump(f->twin, &f->part, 1000) == FILES_MORE)
        continue;
    assert_int_equal(f->part.count, 8000);
    assert_non_null(strstr(last_notice(f->twin), "a.log: was truncated while it is replayed; steps "
                                                 "after that place can't be shown"));
    assert_int_equal(files_go(f->twin, late), -ESTALE);
    assert_non_null(strstr(last_notice(f->twin), "a.log: was truncated or rewritten"));
    files_mark_free(late);
}

static void a_place_before_which_a_file_changed_is_stale(void **state)
{
    struct fixture *f = *state;
    put_steps(f, "a.log", "w", 1, 100);
    open_set(f, 0);
    struct files_mark *marks[2];
    for (int i = 0; i < 2; i++) {
        pump(f->files, &f->whole, 20);
        marks[i] = files_mark(f->files);
    }
    size_t first = f->whole.count;
    FILE *out = open_file(f, "a.log", "r+");
    fseek(out, (long)first * LINE_BYTES - 5, SEEK_SET);
    fputs("7", out);
    fclose(out);
    assert_int_equal(files_go(f->files, marks[1]), -ESTALE);
    assert_int_equal(files_go(f->files, marks[0]), 0); /* before that it is what it was */
    files_mark_free(marks[0]);
    files_mark_free(marks[1]);
}

static void a_deleted_file_can_still_be_walked_about_in(void **state)
{
    struct fixture *f = *state;
    put_steps(f, "a.log", "w", 1, 10);
    open_set(f, 0);
    pump(f->files, &f->whole, 1);
    struct files_mark *mark = files_mark(f->files);
    size_t before = f->whole.count;
    char path[128];
    snprintf(path, sizeof path, "%s/a.log", f->dir);
    remove(path);
    put_steps(f, "a.log", "w", 50, 60);
    f->twin = files_twin(f->files, &f->twin_totals);
    assert_int_equal(files_go(f->twin, mark), 0);
    while (pump(f->twin, &f->part, 3) == FILES_MORE)
        continue;
    assert_int_equal(before + f->part.count, 10);
    files_mark_free(mark);
}

static void a_mark_of_many_files_is_small(void **state)
{
    struct fixture *f = *state;
    char name[32];
    for (int rank = 0; rank < 1000; rank++) {
        snprintf(name, sizeof name, "rank%d.log", rank);
        put_steps(f, name, "w", 1000000 + rank % 3, 1000010);
    }
    open_set(f, 0);
    while (pump(f->files, &f->whole, 500) == FILES_MORE && f->whole.count < 5000)
        continue;
    struct files_mark *mark = files_mark(f->files);
    assert_true(files_mark_bytes(mark) < 1000 * 24);
    files_mark_free(mark);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(from_any_mark_come_the_same_records),
        T(descriptors_may_be_fewer_than_files),
        T(what_a_file_grows_by_is_told_and_not_read),
        T(where_a_file_was_cut_its_records_end),
        T(a_place_before_which_a_file_changed_is_stale),
        T(a_deleted_file_can_still_be_walked_about_in),
        T(a_mark_of_many_files_is_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
