/* Where sentences break. */
#include "sentence.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

static void say(struct sentence *line)
{
    sentence_clear(line, STYLE_NORMAL);
    sentence_add(line, "a step of 4.40 s");
    sentence_evidence(line, EVIDENCE_MEASURED);
    sentence_add(line, ", worth +2.4 points");
    sentence_evidence(line, EVIDENCE_COMPUTED);
    sentence_add(line, " of 8");
}

/* "a step of 4.40 s m, worth +2.4 points c of 8" */
static void a_number_its_unit_and_its_letter_stay_together(void **state)
{
    static const struct {
        size_t from;
        int columns;
        const char *line;
    } cases[] = {
        {0, 19, "a step of 4.40 s m,"},
        {0, 18, "a step of"},
        {0, 15, "a step of"},
        {20, 20, "worth +2.4 points c"},
        {20, 18, "worth"},
        {20, 12, "worth"},
        {20, 24, "worth +2.4 points c of 8"},
        {20, 23, "worth +2.4 points c of"},
    };
    struct sentence line;
    say(&line);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t to = sentence_line_end(&line, cases[i].from, cases[i].columns);
        char text[SENTENCE_BYTES];
        memcpy(text, line.text + cases[i].from, to - cases[i].from);
        text[to - cases[i].from] = '\0';
        assert_string_equal(text, cases[i].line);
    }
}

static void what_is_too_long_for_a_line_is_broken_all_the_same(void **state)
{
    struct sentence line;
    say(&line);
    assert_int_equal(sentence_line_end(&line, 10, 5), 15); /* "4.40 " */
    assert_int_equal(sentence_line_end(&line, 10, 0), 11); /* one character at least */
}

/* What one line has room for ends where a part of the sentence does. */
static void a_sentence_is_cut_where_a_part_of_it_ends(void **state)
{
    static const struct {
        const char *whole;
        int columns;
        const char *cut;
    } cases[] = {
        {"no record since 12:57:22Z: a hang? A step takes 400 ms", 40,
         "no record since 12:57:22Z: a hang?"},
        {"2 duplicate, 3 not numbers, 1 over the peak", 40, "2 duplicate, 3 not numbers, ..."},
        {"2 duplicate, 3 not numbers, 1 over the peak", 30, "2 duplicate, ..."},
        {"2 duplicate, 3 not numbers, 1 over the peak", 43,
         "2 duplicate, 3 not numbers, 1 over the peak"},
        {"file gone since 15:30:38Z: rank5.jsonl; waiting for it", 40,
         "file gone since 15:30:38Z: rank5.jsonl;"},
        {"gap: 2,215 steps before step 45,000 are not in the log", 40,
         "gap: 2,215 steps before step 45,000 are"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sentence line;
        sentence_clear(&line, STYLE_NORMAL);
        sentence_add(&line, "%s", cases[i].whole);
        sentence_cut(&line, cases[i].columns);
        assert_string_equal(line.text, cases[i].cut);
        assert_int_equal(line.length, strlen(cases[i].cut));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_its_unit_and_its_letter_stay_together),
        cmocka_unit_test(a_sentence_is_cut_where_a_part_of_it_ends),
        cmocka_unit_test(what_is_too_long_for_a_line_is_broken_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
