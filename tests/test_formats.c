/* The samples of logs in other formats, each with its golden records beside it, read at
 * once and in torn pieces: as a tail would get them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "formats_read.h"
#include "stream.h"

#define SUFFIX ".records"
#define PATH_BYTES 1024

static char *read_file(const char *path, size_t *ret_size)
{
    FILE *file = fopen(path, "rb");
    *ret_size = 0;
    if (!file)
        return NULL;
    char *bytes = malloc(1 << 20);
    assert_non_null(bytes);
    *ret_size = fread(bytes, 1, (1 << 20) - 1, file);
    bytes[*ret_size] = '\0';
    fclose(file);
    return bytes;
}

static void expect_same(const char *path, const char *what, const char *expected, const char *is)
{
    if (strcmp(expected, is) == 0)
        return;
    print_error("%s, %s\nexpected:\n%s\nis:\n%s\n", path, what, expected, is);
    fail();
}

static void in_pieces(const char *path, const char *name, const char *bytes, size_t size,
                      const char *whole, struct pieces pieces)
{
    char what[64];
    struct text text = {0};
    formats_read(&text, name, NULL, bytes, size, pieces);
    snprintf(what, sizeof(what), "in pieces of %zu, seed %llu", pieces.each,
             (unsigned long long)pieces.seed);
    expect_same(path, what, whole, text.bytes);
    free(text.bytes);
}

static void check_sample(const char *path)
{
    char golden[PATH_BYTES + sizeof(SUFFIX)];
    size_t size, golden_size;
    const char *name = strrchr(path, '/') + 1;
    char *bytes = read_file(path, &size);
    assert_non_null(bytes);
    struct text whole = {0};
    formats_read(&whole, name, NULL, bytes, size, (struct pieces){0});
    snprintf(golden, sizeof(golden), "%s" SUFFIX, path);
    if (getenv("GENERATE")) {
        FILE *file = fopen(golden, "wb");
        assert_non_null(file);
        fputs(whole.bytes, file);
        fclose(file);
    }
    char *expected = read_file(golden, &golden_size);
    if (!expected) {
        print_error("%s: no golden records (GENERATE=1 writes them)\n", path);
        fail();
    }
    expect_same(path, "read at once", expected, whole.bytes);
    for (size_t each = 1; each <= 7 && size < 32768; each += 3)
        in_pieces(path, name, bytes, size, whole.bytes, (struct pieces){.each = each});
    for (uint64_t seed = 1; seed <= 6; seed++)
        in_pieces(path, name, bytes, size, whole.bytes,
                  (struct pieces){.each = seed % 2 ? 200 : 5000, .seed = seed});
    free(whole.bytes);
    free(expected);
    free(bytes);
}

static int is_sample(const char *name)
{
    const char *dot = strrchr(name, '.');
    return name[0] != '.' && strcmp(name, "README.md") != 0 && (!dot || strcmp(dot, SUFFIX) != 0);
}

/* All samples of one folder; how many. */
static int check_folder(const char *folder)
{
    int count = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (!is_sample(entry->d_name) || entry->d_type == DT_DIR)
            continue;
        char path[PATH_BYTES];
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        check_sample(path);
        count++;
    }
    closedir(dir);
    return count;
}

static void samples_come_to_their_golden_records(void **state)
{
    const char *tests = getenv("LOCKSTEP_TESTS");
    char root[PATH_BYTES / 2];
    int count = 0;
    snprintf(root, sizeof(root), "%s/../samples/formats", tests ? tests : "tests");
    DIR *dir = opendir(root);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.' || entry->d_type != DT_DIR)
            continue;
        char folder[PATH_BYTES];
        snprintf(folder, sizeof(folder), "%s/%s", root, entry->d_name);
        count += check_folder(folder);
    }
    closedir(dir);
    assert_true(count > 0);
}

/* What begins like a document, but is a line, is read as soon as it has ended: a live log may
 * have no second one for a long time. */
static void a_first_line_does_not_wait_for_more(void **state)
{
    static const char *const lines[] = {
        "[rank0]: {\"step\":1,\"forward\":0.5}\n",
        "{\"rank\":0,\"step\":1,\"forward\":0.5}\n",
        "[2026-02-03 10:00:00,000] [INFO] text\n",
        "[1,5]<stdout>:text\n",
        "{'loss': 2.5, 'epoch': 0.1}\n",
        "[]\n",
        "{\"loss\": 2.5}\r\n",
        "  [default0]:text\n",
    };
    struct formats *formats = formats_new();
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        struct log_book book = {0};
        struct stream_totals totals = {.formats = formats, .book = &book};
        struct stream *stream = stream_new("train.log", &totals);
        struct record record;
        size_t room, size = strlen(lines[i]);
        memcpy(stream_space(stream, size, &room), lines[i], size);
        stream_filled(stream, size);
        assert_int_equal(stream_next(stream, &record), i < 2);
        if (i < 2)
            assert_false(stream_next(stream, &record));
        if (strcmp(lines[i], "[]\n") != 0) /* it may be one yet */
            assert_false(stream_pending(stream));
        stream_free(stream);
        log_book_done(&book);
    }
    formats_free(formats);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_come_to_their_golden_records),
        cmocka_unit_test(a_first_line_does_not_wait_for_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
