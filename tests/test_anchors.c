/* Many texts looked for in one pass, against looking for each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "anchors.h"

static const char *const texts[] = {"per iteration (ms)", "aaaaa", "abcab",      "s/it]", "it/s]",
                                    ":::MLLOG ",          "babab", "bf16 MFU | "};
#define TEXTS (sizeof(texts) / sizeof(texts[0]))

static struct anchors *made(void)
{
    struct anchors *anchors = anchors_new();
    for (unsigned i = 0; i < TEXTS; i++)
        assert_true(anchors_add(anchors, texts[i], i));
    return anchors;
}

/* A copy of exactly the bytes and those that may be read behind them. */
static uint64_t find(const struct anchors *anchors, const char *bytes, size_t size)
{
    char *copy = malloc(size + ANCHORS_SLACK);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    memset(copy + size, 'a', ANCHORS_SLACK); /* what stands there must not count */
    uint64_t found = anchors_find(anchors, copy, size);
    free(copy);
    return found;
}

static uint64_t expected(const char *bytes, size_t size)
{
    uint64_t found = 0;
    for (unsigned i = 0; i < TEXTS; i++)
        if (memmem(bytes, size, texts[i], strlen(texts[i])))
            found |= UINT64_C(1) << i;
    return found;
}

static void each_text_is_found_at_every_place(void **state)
{
    struct anchors *anchors = made();
    for (unsigned i = 0; i < TEXTS; i++) {
        size_t length = strlen(texts[i]);
        for (size_t before = 0; before < 40; before++)
            for (size_t after = 0; after < 20; after++) {
                char line[128];
                memset(line, '.', sizeof(line));
                memcpy(line + before, texts[i], length);
                assert_true(find(anchors, line, before + length + after) == UINT64_C(1) << i);
                /* without its last byte it is not there */
                assert_true(find(anchors, line, before + length - 1) == 0);
            }
    }
    anchors_free(anchors);
}

static void random_text_gives_what_searching_for_each_gives(void **state)
{
    struct anchors *anchors = made();
    uint64_t seed = 1;
    for (int turn = 0; turn < 20000; turn++) {
        char line[64];
        size_t size = 0;
        while (size < 60) { /* few letters, and parts of the texts */
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
            unsigned roll = (unsigned)(seed >> 40);
            const char *text = texts[roll % TEXTS];
            size_t part = roll / 16 % 3 == 0 ? strlen(text) : 1 + roll / 64 % strlen(text);
            part = part < 60 - size ? part : 60 - size;
            memcpy(line + size, text, part);
            size += part;
        }
        size = (size_t)(seed >> 33) % 61;
        assert_true(find(anchors, line, size) == expected(line, size));
    }
    anchors_free(anchors);
}

static void what_is_too_short_or_too_much_is_refused(void **state)
{
    struct anchors *anchors = anchors_new();
    assert_false(anchors_add(anchors, "four", 0));
    assert_false(anchors_add(anchors, "enough", ANCHORS_OWNERS_MAX));
    for (int i = 0; i < ANCHORS_MAX; i++)
        assert_true(anchors_add(anchors, "abcde", 63));
    assert_false(anchors_add(anchors, "abcde", 1));
    assert_true(find(anchors, "xabcdey", 7) == UINT64_C(1) << 63);
    anchors_free(anchors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_text_is_found_at_every_place),
        cmocka_unit_test(random_text_gives_what_searching_for_each_gives),
        cmocka_unit_test(what_is_too_short_or_too_much_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
