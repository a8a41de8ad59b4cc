/* Bytes to keys: whole, in pieces, and garbage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keys.h"

#define EVENTS_MAX 64

struct sink {
    struct key_event events[EVENTS_MAX];
    size_t count;
};

static void feed(struct keys *keys, struct sink *sink, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        assert_true(sink->count + KEYS_EVENTS_MAX <= EVENTS_MAX);
        sink->count += keys_feed(keys, (uint8_t)bytes[i], sink->events + sink->count);
    }
}

static void silence(struct keys *keys, struct sink *sink)
{
    if (keys_wants_timeout(keys) && keys_timeout(keys, &sink->events[sink->count]))
        sink->count++;
}

struct key_case {
    const char *bytes;
    size_t length;
    uint32_t code; /* 0: no event */
};

#define CASE(bytes, code)                                                                          \
    {                                                                                              \
        bytes, sizeof bytes - 1, code                                                              \
    }

static const struct key_case cases[] = {
    CASE("q", 'q'),
    CASE("\x03", 3),
    CASE("\x0c", 0x0c),
    CASE("\x1a", 0x1a),
    CASE(" ", ' '),
    CASE("\r", KEYS_ENTER),
    CASE("\n", KEYS_ENTER),
    CASE("\t", KEYS_TAB),
    CASE("\x7f", KEYS_BACKSPACE),
    CASE("\x08", KEYS_BACKSPACE),
    CASE("\x1b[A", KEYS_UP),
    CASE("\x1b[B", KEYS_DOWN),
    CASE("\x1b[C", KEYS_RIGHT),
    CASE("\x1b[D", KEYS_LEFT),
    CASE("\x1bOA", KEYS_UP),
    CASE("\x1bOB", KEYS_DOWN),
    CASE("\x1bOC", KEYS_RIGHT),
    CASE("\x1bOD", KEYS_LEFT),
    CASE("\x1b[1;5C", KEYS_RIGHT),
    CASE("\x1b[H", KEYS_HOME),
    CASE("\x1bOH", KEYS_HOME),
    CASE("\x1b[1~", KEYS_HOME),
    CASE("\x1b[7~", KEYS_HOME),
    CASE("\x1b[F", KEYS_END),
    CASE("\x1bOF", KEYS_END),
    CASE("\x1b[4~", KEYS_END),
    CASE("\x1b[8~", KEYS_END),
    CASE("\x1b[5~", KEYS_PGUP),
    CASE("\x1b[6~", KEYS_PGDN),
    CASE("\x1b[Z", KEYS_SHIFT_TAB),
    CASE("\x1b[3~", KEYS_DELETE),
    CASE("\x1bOP", KEYS_F1),
    CASE("\x1b[11~", KEYS_F1),
    CASE("\x1b[[A", KEYS_F1),
    CASE("\xc3\xbc", 0xFC),
    CASE("\xe4\xb8\x96", 0x4E16),
    CASE("\xf0\x9f\x98\x80", 0x1F600),
    CASE("\0", 0),
    CASE("\x1b[2~", 0),
    CASE("\x1b[24~", 0),
    CASE("\x1b[99999999999999~", 0),
    CASE("\x1b[65541~", 0),
    CASE("\x1b[200~q\x1b\x1b[201~", 0),
    CASE("\x1b[?1;2c", 0),
    CASE("\x1b[<0;10;20M", 0),
    CASE("\x1b[<0;10;20m", 0),
    CASE("\x1b[Mqqq", 0),
    CASE("\x1b[1;1:3A", 0),
    CASE("\x1b[?25$y", 0),
    CASE("\x1b[I", 0),
    CASE("\x1b[[B", KEYS_F2),
    CASE("\x1b[[E", KEYS_F5),
    CASE("\x1b[[F", 0),
    CASE("\x1bOQ", KEYS_F2),
    CASE("\x1bOS", KEYS_F4),
    CASE("\x1b[12~", KEYS_F2),
    CASE("\x1b[15~", KEYS_F5),
    CASE("\x1b[16~", 0),
    CASE("\x1b[5;7R", 0),
    CASE("\x1b]11;rgb:0/0/0\x1b\\", 0),
    CASE("\x1b]52;c;qqq\x07", 0),
    CASE("\x1bP1$rq\x1b\\", 0),
    CASE("\x1b[200~q^C\x1b[A\x03q\n\x1b[201~", 0),
    CASE("\xc2\x9b", 0),
    CASE("\xff", 0),
    CASE("\x80", 0),
    CASE("\xe2\x80\xae", 0),
    CASE("\xed\xa0\x80", 0),
    CASE("\xcc\x81", 0),
};

static void assert_case(size_t index, const struct sink *sink)
{
    size_t expected = cases[index].code ? 1 : 0;
    if (sink->count != expected || (expected && sink->events[0].code != cases[index].code))
        fail_msg("case %zu: %zu events, code %x", index, sink->count, sink->events[0].code);
}

static void each_sequence_is_one_key_or_none(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct keys keys = {0};
        struct sink sink = {0};
        feed(&keys, &sink, cases[i].bytes, cases[i].length);
        assert_false(keys_wants_timeout(&keys));
        assert_case(i, &sink);
        feed(&keys, &sink, "q", 1); /* and the next key is a key again */
        assert_int_equal(sink.events[sink.count - 1].code, 'q');
    }
}

static void a_split_arrow_within_the_timeout_is_an_arrow(void **state)
{
    struct keys keys = {0};
    struct sink sink = {0};
    feed(&keys, &sink, "\x1b", 1);
    assert_int_equal(sink.count, 0);
    assert_true(keys_wants_timeout(&keys));
    feed(&keys, &sink, "[", 1);
    feed(&keys, &sink, "A", 1);
    assert_int_equal(sink.count, 1);
    assert_int_equal(sink.events[0].code, KEYS_UP);
    assert_int_equal(sink.events[0].command, CMD_UP);
    assert_false(keys_wants_timeout(&keys));
}

static void escape_alone_is_a_key_after_the_timeout(void **state)
{
    struct keys keys = {0};
    struct sink sink = {0};
    feed(&keys, &sink, "\x1b", 1);
    silence(&keys, &sink);
    assert_int_equal(sink.count, 1);
    assert_int_equal(sink.events[0].command, CMD_BACK);
    assert_false(keys_wants_timeout(&keys));
}

static void escape_and_a_key_at_once_are_two_keys(void **state)
{
    struct keys keys = {0};
    struct sink sink = {0};
    feed(&keys, &sink, "\x1bq\x1b\x1b[B", 6);
    assert_int_equal(sink.count, 4);
    assert_int_equal(sink.events[0].command, CMD_BACK);
    assert_int_equal(sink.events[1].command, CMD_QUIT);
    assert_int_equal(sink.events[2].command, CMD_BACK);
    assert_int_equal(sink.events[3].command, CMD_DOWN);
}

static void control_c_works_within_a_broken_sequence(void **state)
{
    static const char *const begins[] = {"\x1b", "\x1b[", "\x1b[1;", "\x1bO", "\xe4\xb8", "\x1b[["};
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        struct keys keys = {0};
        struct sink sink = {0};
        feed(&keys, &sink, begins[i], strlen(begins[i]));
        feed(&keys, &sink, "\x03", 1);
        assert_int_equal(sink.events[sink.count - 1].command, CMD_QUIT);
        assert_false(keys_wants_timeout(&keys));
    }
}

static void an_open_sequence_is_given_up_in_silence(void **state)
{
    static const char *const begins[] = {"\x1b[",  "\x1b[12;", "\x1bO", "\x1b]0;title",
                                         "\x1bPq", "\x1b[M!",  "\xe4",  "\x1b]x\x1b"};
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        struct keys keys = {0};
        struct sink sink = {0};
        feed(&keys, &sink, begins[i], strlen(begins[i]));
        silence(&keys, &sink);
        feed(&keys, &sink, "q", 1);
        assert_int_equal(sink.count, 1);
        assert_int_equal(sink.events[0].command, CMD_QUIT);
    }
}

static void a_paste_may_pause_but_not_forever(void **state)
{
    struct keys keys = {0};
    struct sink sink = {0};
    feed(&keys, &sink, "\x1b[200~qq", 8);
    for (int pause = 0; pause < 3; pause++) {
        for (int i = 0; i < 15; i++)
            silence(&keys, &sink);
        feed(&keys, &sink, "qq", 2);
    }
    feed(&keys, &sink, "\x1b[201~", 6);
    assert_false(keys_wants_timeout(&keys));
    assert_int_equal(sink.count, 0);
    feed(&keys, &sink, "\x1b[200~qq", 8);
    int silences = 0;
    while (keys_wants_timeout(&keys) && silences < 1000) {
        silence(&keys, &sink);
        silences++;
    }
    assert_in_range(silences, 10, 40);
    feed(&keys, &sink, "q", 1);
    assert_int_equal(sink.count, 1);
}

static void text_keys_are_told_from_others(void **state)
{
    assert_true(keys_is_text((struct key_event){CMD_QUIT, 'q'}));
    assert_true(keys_is_text((struct key_event){CMD_NONE, 0x4E16}));
    assert_false(keys_is_text((struct key_event){CMD_NONE, KEYS_ENTER}));
    assert_false(keys_is_text((struct key_event){CMD_NONE, KEYS_BACKSPACE}));
    assert_false(keys_is_text((struct key_event){CMD_NONE, KEYS_UP}));
}

static void the_bindings_are_these(void **state)
{
    static const struct {
        uint32_t code;
        enum command command;
    } expected[] = {
        {'q', CMD_QUIT},
        {3, CMD_QUIT},
        {'?', CMD_HELP},
        {KEYS_F1, CMD_HELP},
        {' ', CMD_PAUSE},
        {'p', CMD_PAUSE},
        {KEYS_LEFT, CMD_PREVIOUS_STEP},
        {',', CMD_PREVIOUS_STEP},
        {KEYS_RIGHT, CMD_NEXT_STEP},
        {'.', CMD_NEXT_STEP},
        {KEYS_PGUP, CMD_PAGE_BACK},
        {KEYS_PGDN, CMD_PAGE_FORTH},
        {KEYS_HOME, CMD_FIRST_STEP},
        {'g', CMD_FIRST_STEP},
        {KEYS_END, CMD_LAST_STEP},
        {'G', CMD_LAST_STEP},
        {'f', CMD_LIVE},
        {'F', CMD_LIVE},
        {'n', CMD_NEXT_STRAGGLER},
        {'N', CMD_PREVIOUS_STRAGGLER},
        {'/', CMD_FILTER},
        {'a', CMD_AXIS},
        {'c', CMD_CUT},
        {'b', CMD_PHASES},
        {'r', CMD_CHOICE},
        {'s', CMD_SORT},
        {'>', CMD_SORT},
        {'<', CMD_SORT_BACK},
        {'S', CMD_SORT_REVERSE},
        {'I', CMD_SORT_REVERSE},
        {'T', CMD_TIMELINE},
        {KEYS_F2, CMD_TIMELINE},
        {'R', CMD_RANKS},
        {KEYS_F3, CMD_RANKS},
        {'L', CMD_LEDGER},
        {KEYS_F4, CMD_LEDGER},
        {'C', CMD_CALC},
        {KEYS_F5, CMD_CALC},
        {'E', CMD_EVENTS},
        {KEYS_F6, CMD_EVENTS},
        {'M', CMD_HEAT},
        {KEYS_F7, CMD_HEAT},
        {'H', CMD_HISTORY},
        {KEYS_F8, CMD_HISTORY},
        {'}', CMD_NEXT_EVENT},
        {'{', CMD_PREVIOUS_EVENT},
        {':', CMD_GO},
        {'m', CMD_MARK},
        {'\'', CMD_NEXT_MARK},
        {'"', CMD_PREVIOUS_MARK},
        {'[', CMD_SLOWER},
        {']', CMD_FASTER},
        {'\\', CMD_OWN_SPEED},
        {'i', CMD_IDLE},
        {'o', CMD_ORDER},
        {'x', CMD_KINDS},
        {'1', CMD_ROW},
        {'8', CMD_ROW},
        {'9', CMD_NONE},
        {'0', CMD_WHOLE},
        {'+', CMD_ZOOM_IN},
        {'-', CMD_ZOOM_OUT},
        {'w', CMD_WORST},
        {KEYS_TAB, CMD_NEXT_SCREEN},
        {KEYS_SHIFT_TAB, CMD_PREVIOUS_SCREEN},
        {KEYS_ENTER, CMD_SELECT},
        {KEYS_ESC, CMD_BACK},
        {0x0c, CMD_REDRAW},
        {0x1a, CMD_SUSPEND},
        {'Q', CMD_NONE},
        {'Z', CMD_NONE},
        {KEYS_DELETE, CMD_NONE},
        {0x4E16, CMD_NONE},
        {0, CMD_NONE},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        assert_int_equal(keys_command(expected[i].code), expected[i].command);
}

/* How many names of the table mean this code. */
static size_t names_of(uint32_t code)
{
    size_t count, found = 0;
    const struct key_binding *bindings = keys_bindings(&count);
    for (size_t i = 0; i < count; i++)
        found += keys_binding_has(&bindings[i], code);
    return found;
}

static void no_key_is_bound_twice_and_every_row_has_one(void **state)
{
    size_t count, reachable = 0;
    const struct key_binding *bindings = keys_bindings(&count);
    assert_int_equal(count, CMD_COUNT - 1);
    bool seen[CMD_COUNT] = {false};
    for (uint32_t code = 0; code <= KEYS_DELETE; code++) {
        if (code == 0x3000)
            code = KEYS_UP; /* nothing is bound between */
        assert_true(names_of(code) <= 1);
        seen[keys_command(code)] = true;
    }
    for (size_t i = 0; i < count; i++) {
        reachable += seen[bindings[i].command];
        assert_true(strlen(bindings[i].help) > 0 && strlen(bindings[i].help) <= 60);
    }
    assert_int_equal(reachable, count);
}

static void random_bytes_leave_a_decoder_that_works(void **state)
{
    static const char likely[] = "\x1b\x1b\x1b[[[OP]MZA~;0129?<\\\x07\x18\xc3\xe4\xf0\x80";
    srand(5);
    struct keys keys = {0};
    for (int i = 0; i < 300000; i++) {
        struct key_event events[KEYS_EVENTS_MAX];
        uint8_t byte =
            rand() % 3 ? (uint8_t)likely[rand() % (int)(sizeof likely - 1)] : (uint8_t)rand();
        size_t count = keys_feed(&keys, byte, events);
        assert_true(count <= KEYS_EVENTS_MAX && keys.count <= 6);
        for (size_t j = 0; j < count; j++)
            assert_true(events[j].code > 0 && events[j].code <= KEYS_DELETE);
        if (rand() % 50 == 0 && keys_wants_timeout(&keys))
            keys_timeout(&keys, events);
    }
    struct sink sink = {0};
    for (int i = 0; i < 100 && keys_wants_timeout(&keys); i++)
        silence(&keys, &sink);
    sink.count = 0;
    feed(&keys, &sink, "\x1b[6~", 4);
    assert_int_equal(sink.events[0].command, CMD_PAGE_FORTH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_sequence_is_one_key_or_none),
        cmocka_unit_test(a_split_arrow_within_the_timeout_is_an_arrow),
        cmocka_unit_test(escape_alone_is_a_key_after_the_timeout),
        cmocka_unit_test(escape_and_a_key_at_once_are_two_keys),
        cmocka_unit_test(control_c_works_within_a_broken_sequence),
        cmocka_unit_test(an_open_sequence_is_given_up_in_silence),
        cmocka_unit_test(a_paste_may_pause_but_not_forever),
        cmocka_unit_test(text_keys_are_told_from_others),
        cmocka_unit_test(the_bindings_are_these),
        cmocka_unit_test(no_key_is_bound_twice_and_every_row_has_one),
        cmocka_unit_test(random_bytes_leave_a_decoder_that_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
