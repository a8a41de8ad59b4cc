/* The push tokenizer: what comes of a text, in whatever pieces it is put in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "json_push.h"

struct tokens {
    char text[8192];
    size_t length;
    const char *skipped; /* the value of this key is not wanted */
};

static bool take(void *to, enum json_token token, struct str text, unsigned depth)
{
    struct tokens *tokens = to;
    static const char names[] = "{}[]ksnc";
    tokens->length +=
        (size_t)snprintf(tokens->text + tokens->length, sizeof(tokens->text) - tokens->length,
                         "%u%c", depth, names[token]);
    if (token >= JSON_KEY)
        tokens->length +=
            (size_t)snprintf(tokens->text + tokens->length, sizeof(tokens->text) - tokens->length,
                             "%.*s", (int)text.len, text.p);
    tokens->text[tokens->length++] = ' ';
    assert_true(tokens->length < sizeof(tokens->text) - 600);
    return !(token == JSON_KEY && tokens->skipped && str_is(text, tokens->skipped));
}

/* The tokens, and behind them "whole", "part" or what is wrong. */
static void read_in(struct tokens *tokens, const char *text, size_t size, size_t each)
{
    struct json_push json;
    tokens->length = 0;
    json_push_init(&json, take, tokens);
    for (size_t at = 0; at < size; at += each)
        json_push_bytes(&json, text + at, size - at < each ? size - at : each);
    bool whole = json_push_end(&json);
    snprintf(tokens->text + tokens->length, sizeof(tokens->text) - tokens->length, "%s",
             json.why ? json.why
             : whole  ? "whole"
                      : "part");
}

static void expect(const char *text, const char *skipped, const char *expected)
{
    struct tokens tokens = {.skipped = skipped};
    size_t size = strlen(text);
    for (size_t each = 1; each <= size; each++) {
        read_in(&tokens, text, size, each);
        assert_string_equal(tokens.text, expected);
    }
}

static void values_of_all_kinds_come_as_tokens(void **state)
{
    expect("{\"a\": [1, -2.5e3, \"x\\\"y\\\\\", true,null , NaN], \"b\":{}, \"c\" : [] }", NULL,
           "0{ 1ka 1[ 2n1 2n-2.5e3 2sx\\\"y\\\\ 2ctrue 2cnull 2cNaN 1] 1kb 1{ 1} 1kc 1[ 1] 0} "
           "whole");
    expect(" 12.5", NULL, "0n12.5 whole");
    expect("\"\"\n", NULL, "0s whole");
}

static void what_is_not_wanted_is_skipped(void **state)
{
    expect("{\"args\": {\"a\": [\"]}\\\\\", {}, \"\\\"}\"], \"b\": \"{\"}, \"x\": 1}", "args",
           "0{ 1kargs 1kx 1n1 0} whole");
    expect("{\"args\": \"text\", \"x\": 1, \"args\": 5}", "args",
           "0{ 1kargs 1kx 1n1 1kargs 0} "
           "whole");
}

static void a_long_value_is_skipped_to_its_very_end(void **state)
{
    static const char unit[] =
        "{\"k\\\\\": \"]}\\\"\\\\\\\"}{[\", \"n\": [[1, 2], {\"z\": \"\\\\\"}]}, ";
    char text[4096] = "{\"args\": [";
    for (int i = 0; i < 40; i++)
        strcat(text, unit);
    strcat(text, "0], \"x\": 1}");
    struct tokens tokens = {.skipped = "args"};
    for (size_t shift = 0; shift < 70; shift++) {
        char moved[4200];
        memset(moved, ' ', shift);
        strcpy(moved + shift, text);
        for (size_t each = 1; each < 300; each += each < 80 ? 1 : 37) {
            read_in(&tokens, moved, strlen(moved), each);
            assert_string_equal(tokens.text, "0{ 1kargs 1kx 1n1 0} whole");
        }
    }
}

static void what_is_not_json_is_noticed(void **state)
{
    static const char *const wrong[] = {
        "{\"a\" 1}",  "{\"a\":1 \"b\":2}",
        "[1 2]",      "[1}",
        "{\"a\":1]",  "{1:2}",
        "[01]",       "[1.]",
        "[tru]",      "[1,]",
        "{\"a\":1,}", "{} {}",
        "]",          "[,1]",
        "{,}",        "[nulll]",
        "[--1]",      "[1e]",
    };
    struct tokens tokens = {0};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        for (size_t each = 1; each < 9; each++) {
            read_in(&tokens, wrong[i], strlen(wrong[i]), each);
            const char *last = tokens.text + tokens.length;
            if (strcmp(last, "whole") == 0 || strcmp(last, "part") == 0)
                fail_msg("%s: %s", wrong[i], tokens.text);
        }
    }
}

static void every_beginning_of_a_document_is_a_part(void **state)
{
    static const char text[] = "[{\"a\": \"x\\\\\", \"args\": {\"b\": [1]}}, 12, false]";
    struct tokens tokens = {.skipped = "args"};
    for (size_t size = 0; size < sizeof(text) - 1; size++) {
        read_in(&tokens, text, size, size + 1);
        assert_string_equal(tokens.text + tokens.length, "part");
    }
}

static void nesting_and_texts_are_bounded(void **state)
{
    char deep[200], text[1000];
    struct tokens tokens = {0};
    memset(deep, '[', sizeof(deep));
    read_in(&tokens, deep, sizeof(deep), 7);
    assert_string_equal(tokens.text + tokens.length, "JSON that is nested deeper than 64");
    memset(text, 'x', sizeof(text));
    text[0] = text[sizeof(text) - 1] = '"';
    for (size_t each = 1; each <= sizeof(text); each += 111) {
        read_in(&tokens, text, sizeof(text), each);
        assert_int_equal(tokens.length, 2 + JSON_TEXT_MAX + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_all_kinds_come_as_tokens),
        cmocka_unit_test(what_is_not_wanted_is_skipped),
        cmocka_unit_test(a_long_value_is_skipped_to_its_very_end),
        cmocka_unit_test(what_is_not_json_is_noticed),
        cmocka_unit_test(every_beginning_of_a_document_is_a_part),
        cmocka_unit_test(nesting_and_texts_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
