/* Compressed logs: the decompressor, the spool, and sets of files with both. */
#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "inflate.h"
#include "pack.h"
#include "source_files.h"
#include "spool.h"

/* ---- the decompressor ---- */

#define TEXT_BYTES 180000

static char *make_text(void)
{
    char *text = malloc(TEXT_BYTES + 64);
    assert_non_null(text);
    size_t size = 0;
    for (unsigned i = 0; size < TEXT_BYTES; i++)
        size += (size_t)snprintf(text + size, TEXT_BYTES + 64 - size, "%u %u\n", i,
                                i * 2654435761u);
    return text;
}

/* All of it, in pieces: what it made must be the text's beginning. Returns how much. */
static size_t run(struct inflater *inflater, const struct pack *pack, size_t piece, size_t room,
                  const char *text, enum inflate_result *ret_result)
{
    size_t at = 0, total = 0;
    char *to = malloc(room);
    for (;;) {
        size_t size = pack->size - at < piece ? pack->size - at : piece, taken, made;
        *ret_result = inflater_run(inflater, pack->bytes + at, size, &taken, to, room, &made);
        assert_true(taken <= size && made <= room);
        assert_true(total + made <= TEXT_BYTES);
        assert_memory_equal(to, text + total, made);
        at += taken;
        total += made;
        if (*ret_result == INFLATE_DAMAGED || (at == pack->size && made == 0))
            break;
        assert_true(taken > 0 || made > 0);
    }
    free(to);
    return total;
}

static void check_whole(const struct pack *pack, enum inflate_kind kind, const char *text)
{
    static const size_t pieces[] = {1, 7, 4096, 1000000}, rooms[] = {1000000, 4096, 1000, 65536};
    assert_int_equal(inflate_kind(pack->bytes, pack->size, "x"), kind);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        enum inflate_result result;
        struct inflater *inflater = inflater_new(kind);
        assert_int_equal(run(inflater, pack, pieces[i], rooms[i], text, &result), TEXT_BYTES);
        assert_int_equal(result, INFLATE_HUNGRY);
        assert_true(inflater_may_end(inflater));
        inflater_free(inflater);
    }
}

static void members_and_frames_are_one_text(void **state)
{
    char *text = make_text();
    struct pack gzip = {0}, zstd = {0};
    for (size_t at = 0; at < TEXT_BYTES; at += TEXT_BYTES / 3) {
        pack_gzip(&gzip, text + at, TEXT_BYTES / 3);
        pack_gzip(&gzip, "", 0);
        pack_skippable(&zstd);
        pack_zstd(&zstd, text + at, TEXT_BYTES / 3);
        pack_zstd(&zstd, "", 0);
    }
    check_whole(&gzip, INFLATE_GZIP, text);
    check_whole(&zstd, INFLATE_ZSTD, text);
    pack_append(&gzip, "\0\0\0\0\0\0\0\0\0", 9); /* as on tapes */
    check_whole(&gzip, INFLATE_GZIP, text);
    free(gzip.bytes);
    free(zstd.bytes);
    free(text);
}

static size_t run_damaged(const struct pack *pack, enum inflate_kind kind, const char *text,
                          const char **ret_problem)
{
    static char problem[128];
    enum inflate_result result;
    struct inflater *inflater = inflater_new(kind);
    size_t made = run(inflater, pack, 5000, 5000, text, &result);
    assert_int_equal(result, INFLATE_DAMAGED);
    snprintf(problem, sizeof problem, "%s", inflater_problem(inflater));
    *ret_problem = problem;
    inflater_free(inflater);
    return made;
}

static void damage_is_told_and_what_came_before_is_good(void **state)
{
    char *text = make_text();
    const char *problem;
    struct pack gzip = {0}, zstd = {0};
    pack_gzip(&gzip, text, TEXT_BYTES);
    pack_zstd(&zstd, text, TEXT_BYTES);
    gzip.bytes[gzip.size - 6] ^= 1; /* the checksum */
    zstd.bytes[zstd.size - 1] ^= 1;
    assert_int_equal(run_damaged(&gzip, INFLATE_GZIP, text, &problem), TEXT_BYTES);
    assert_string_equal(problem, "holds damaged compressed data");
    assert_true(run_damaged(&zstd, INFLATE_ZSTD, text, &problem) >= TEXT_BYTES - 128 * 1024);
    assert_string_equal(problem, "holds damaged compressed data");
    gzip.bytes[gzip.size - 6] ^= 1;
    zstd.bytes[zstd.size - 1] ^= 1;
    pack_append(&gzip, "{\"rank\":1}\n", 11);
    pack_append(&zstd, "{\"rank\":1}\n", 11);
    assert_int_equal(run_damaged(&gzip, INFLATE_GZIP, text, &problem), TEXT_BYTES);
    assert_string_equal(problem, "holds something else behind its compressed data");
    assert_int_equal(run_damaged(&zstd, INFLATE_ZSTD, text, &problem), TEXT_BYTES);
    assert_string_equal(problem, "holds something else behind its compressed data");
    free(gzip.bytes);
    free(zstd.bytes);
    free(text);
}

/* A window of 2^28 bytes, and an empty last block. */
static void a_frame_that_wants_too_much_memory_is_refused(void **state)
{
    static unsigned char frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0, (28 - 10) << 3, 1, 0, 0};
    struct pack zstd = {frame, sizeof frame};
    const char *problem;
    char *text = make_text();
    assert_int_equal(run_damaged(&zstd, INFLATE_ZSTD, text, &problem), 0);
    assert_string_equal(problem, "needs more than 128 MiB to be decompressed (zstd --long)");
    free(text);
}

static void what_is_compressed_is_known_by_its_bytes(void **state)
{
    assert_int_equal(inflate_kind("{\"ra", 4, "a.jsonl.gz"), INFLATE_NOT);
    assert_int_equal(inflate_kind("\x1f\x8b\x08\x00", 4, "a.jsonl"), INFLATE_GZIP);
    assert_int_equal(inflate_kind("\x28\xb5\x2f\xfd", 4, "a.1"), INFLATE_ZSTD);
    assert_int_equal(inflate_kind("\x50\x2a\x4d\x18", 4, "a.1"), INFLATE_ZSTD);
    assert_int_equal(inflate_kind("\x1f", 1, "a.jsonl.gz"), INFLATE_GZIP); /* cut there */
    assert_int_equal(inflate_kind("\x1f", 1, "a.jsonl"), INFLATE_NOT);
    assert_int_equal(inflate_kind("", 0, "a.jsonl.gz"), INFLATE_NOT);
    assert_int_equal(inflate_plain_length("rank5.jsonl.gz"), 11);
    assert_int_equal(inflate_plain_length("rank5.log.zst"), 9);
    assert_int_equal(inflate_plain_length(".gz"), 3);
    assert_int_equal(inflate_plain_length("gz"), 2);
}

/* ---- the spool ---- */

static void parts_lie_side_by_side(void **state)
{
    struct spool *spool = spool_new();
    struct spool_part parts[3] = {{0}};
    char piece[50000], back[50000];
    for (int turn = 0; turn < 24; turn++) {
        memset(piece, turn, sizeof piece);
        assert_int_equal(spool_append(spool, &parts[turn % 3], piece, sizeof piece), 0);
    }
    for (int part = 0; part < 3; part++) {
        assert_int_equal(parts[part].size, 8 * sizeof piece);
        for (int turn = part; turn < 24; turn += 3) {
            int64_t offset = turn / 3 * (int64_t)sizeof piece;
            assert_int_equal(spool_read(spool, &parts[part], offset, back, sizeof back), 50000);
            memset(piece, turn, sizeof piece);
            assert_memory_equal(back, piece, sizeof piece);
        }
        assert_int_equal(spool_read(spool, &parts[part], 399999, back, sizeof back), 1);
        assert_int_equal(spool_read(spool, &parts[part], 400000, back, sizeof back), 0);
        spool_part_done(&parts[part]);
    }
    spool_free(spool);
}

static void no_room_is_an_error(void **state)
{
    struct spool_part part = {0};
    char *before = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
    setenv("TMPDIR", "/nowhere/at/all", 1);
    struct spool *spool = spool_new();
    assert_int_equal(spool_append(spool, &part, "x", 1), -ENOENT);
    assert_int_equal(part.size, 0);
    spool_free(spool);
    if (before)
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
    free(before);
}

/* ---- sets of files ---- */

struct fixture {
    char dir[64], path[128];
    char got[8192]; /* "rank:step ", in order of delivery, as far as there is room */
    size_t got_length, records;
    struct stream_totals totals;
    struct files *files;
};

static int remove_one(const char *path, const struct stat *status, int flag, struct FTW *at)
{
    return remove(path);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    strcpy(f->dir, "/tmp/lockstep_inflate_XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    files_free(f->files);
    nftw(f->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(f);
    return 0;
}

static void take(void *to, const struct record *record, int64_t now_ns)
{
    struct fixture *f = to;
    f->records++;
    if (f->got_length < sizeof f->got - 64)
        f->got_length += (size_t)sprintf(f->got + f->got_length, "%u:%lld ", record->rank,
                                         (long long)record->step);
}

static void put(struct fixture *f, const char *name, const struct pack *pack)
{
    snprintf(f->path, sizeof f->path, "%s/%s", f->dir, name);
    FILE *out = fopen(f->path, "w");
    assert_non_null(out);
    assert_int_equal(fwrite(pack->bytes, 1, pack->size, out), pack->size);
    fclose(out);
}

/* Steps from `from` to `to` of one rank, whose number the record does not tell. */
static struct pack steps(int from, int to)
{
    size_t room = (size_t)(to - from + 1) * 64;
    struct pack text = {malloc(room), 0};
    assert_non_null(text.bytes);
    for (int step = from; step <= to; step++)
        text.size += (size_t)snprintf((char *)text.bytes + text.size, 64,
                                      "{\"step\":%d,\"compute\":0.%06u}\n", step,
                                      (unsigned)step * 2654435761u % 1000000);
    return text;
}

static void put_packed(struct fixture *f, const char *name, int from, int to, size_t cut)
{
    struct pack text = steps(from, to), pack = {0};
    if (strstr(name, ".gz"))
        pack_gzip(&pack, text.bytes, text.size);
    else
        pack_zstd(&pack, text.bytes, text.size);
    pack.size -= cut;
    put(f, name, &pack);
    free(text.bytes);
    free(pack.bytes);
}

static void read_all(struct fixture *f, bool seekable)
{
    char message[256];
    struct sink sink = {f, take};
    files_free(f->files);
    memset(&f->totals, 0, sizeof f->totals);
    f->got_length = f->records = 0;
    f->files = files_new(&(struct files_options){.seekable = seekable}, &f->totals);
    assert_int_equal(files_add(f->files, f->dir, message, sizeof message), 0);
    while (files_pump(f->files, &sink, 0, 500) == FILES_MORE)
        continue;
}

static void compressed_files_are_read_side_by_side(void **state)
{
    struct fixture *f = *state;
    put_packed(f, "rank3.jsonl.gz", 1, 4, 0);
    put_packed(f, "rank5.log.zst", 2, 5, 0);
    struct pack plain = steps(3, 3);
    put(f, "rank1.jsonl", &plain);
    put(f, "rank7.jsonl.gz", &plain); /* only the name says so */
    free(plain.bytes);
    for (int seekable = 0; seekable < 2; seekable++) {
        read_all(f, seekable);
        assert_string_equal(f->got, "3:1 3:2 5:2 1:3 3:3 5:3 7:3 3:4 5:4 5:5 ");
        assert_int_equal(f->totals.counts.damaged, 0);
        assert_int_equal(files_state(f->files)->notice_count, 0);
        int64_t read, all;
        files_progress(f->files, &read, &all);
        assert_true(all > 0);
        assert_int_equal(read, all);
    }
}

static void a_cut_file_gives_what_is_there_and_says_so(void **state)
{
    static const char *const names[] = {"rank5.jsonl.gz", "rank5.jsonl.zst"};
    struct fixture *f = *state;
    for (int i = 0; i < 2; i++) {
        put_packed(f, names[i], 1, 20000, 5000);
        for (int seekable = 0; seekable < 2; seekable++) {
            read_all(f, seekable);
            assert_true(f->records > 2000 && f->records < 20000);
            assert_int_equal(f->totals.counts.damaged, 1);
            const struct files_state *now = files_state(f->files);
            assert_int_equal(now->notice_count, 1);
            assert_non_null(strstr(now->notices[0], names[i]));
            assert_non_null(strstr(now->notices[0], ": ends in the middle of compressed data; its "
                                                    "last records are missing"));
            assert_non_null(strstr(f->totals.complaints[0], "ends in the middle"));
        }
        remove(f->path);
    }
}

static void more_compressed_files_than_decoders_are_read_alike(void **state)
{
    struct fixture *f = *state;
    char name[32], expected[8192];
    size_t length = 0;
    for (int i = 0; i < 80; i++) {
        snprintf(name, sizeof name, "rank%02d.jsonl.%s", i, i % 2 ? "gz" : "zst");
        put_packed(f, name, 1, 10, 0);
    }
    for (int step = 1; step <= 10; step++)
        for (int i = 0; i < 80; i++)
            length += (size_t)snprintf(expected + length, sizeof expected - length, "%d:%d ", i,
                                       step);
    for (int seekable = 0; seekable < 2; seekable++) {
        read_all(f, seekable);
        assert_string_equal(f->got, expected);
        assert_int_equal(f->totals.counts.damaged, 0);
    }
}

static void a_full_disk_ends_that_file_with_a_notice(void **state)
{
    struct fixture *f = *state;
    char *before = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
    put_packed(f, "rank5.jsonl.gz", 1, 10, 0);
    setenv("TMPDIR", "/nowhere/at/all", 1);
    read_all(f, true);
    if (before)
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
    free(before);
    assert_int_equal(f->records, 0);
    assert_int_equal(f->totals.counts.damaged, 1);
    assert_int_equal(files_state(f->files)->unfinished, 1);
    assert_non_null(strstr(files_state(f->files)->notices[0],
                           "no room for what is compressed in it: No such file or directory; set "
                           "TMPDIR to a larger folder"));
}

/* 64 MB of zeros in 64 KB. */
static void a_bomb_takes_no_memory(void **state)
{
    struct fixture *f = *state;
    static char zeros[1 << 20];
    struct pack once = {0}, pack = {0};
    pack_gzip(&once, zeros, sizeof zeros);
    for (int i = 0; i < 64; i++)
        pack_append(&pack, once.bytes, once.size);
    put(f, "rank1.jsonl.gz", &pack);
    free(once.bytes);
    free(pack.bytes);
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    read_all(f, false);
    getrusage(RUSAGE_SELF, &after);
    assert_int_equal(f->totals.counts.nul_bytes, 64 << 20);
    assert_true(after.ru_maxrss - before.ru_maxrss < 8 * 1024); /* KiB */
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_and_frames_are_one_text),
        cmocka_unit_test(damage_is_told_and_what_came_before_is_good),
        cmocka_unit_test(a_frame_that_wants_too_much_memory_is_refused),
        cmocka_unit_test(what_is_compressed_is_known_by_its_bytes),
        cmocka_unit_test(parts_lie_side_by_side),
        cmocka_unit_test(no_room_is_an_error),
        T(compressed_files_are_read_side_by_side),
        T(a_cut_file_gives_what_is_there_and_says_so),
        T(more_compressed_files_than_decoders_are_read_alike),
        T(a_full_disk_ends_that_file_with_a_notice),
        T(a_bomb_takes_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
