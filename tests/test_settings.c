/* Settings: what stands in them, and what is wrong with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "settings.h"

static struct settings settings;
static char error[300];

static bool parse(const char *text)
{
    error[0] = '\0';
    return settings_parse(&settings, text, strlen(text), error, sizeof(error));
}

static void sections_hold_maps_and_patterns(void **state)
{
    assert_true(parse("# mine\r\n[format one]\r\n  map = rank=r,step=s, data=d:ms \r\n"
                      "pattern=a = {step} # {step_time}\n\n; more\n[ format  two_2 ]\n"
                      "pattern = {step} {step_time}\nonly = named"));
    assert_int_equal(settings.format_count, 3);
    assert_string_equal(settings.formats[0].name, "one");
    assert_string_equal(settings.formats[0].text, "rank=r,step=s, data=d:ms");
    assert_false(settings.formats[0].pattern || settings.formats[0].named);
    assert_int_equal(settings.formats[0].line, 3);
    assert_string_equal(settings.formats[1].text, "a = {step} # {step_time}");
    assert_true(settings.formats[1].pattern && !settings.formats[1].named);
    assert_string_equal(settings.formats[2].name, "two_2");
    assert_true(settings.formats[2].pattern && settings.formats[2].named);
}

static void nothing_is_good(void **state)
{
    assert_true(parse(""));
    assert_true(parse("\n\n# nothing\n"));
    assert_int_equal(settings.format_count, 0);
}

static void what_is_wrong_is_said_with_its_line(void **state)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"map = x", "line 1: 'map' stands before the first section"},
        {"\n[format a]\nmpa = x\n", "line 3: 'mpa' is no key; there are map, pattern and only"},
        {"[format a]\nmap\n", "line 2: 'map' has no value"},
        {"[format a]\nmap =  \n", "line 2: 'map' has no value"},
        {"[format a]\nmap = x\n[colors]\n", "line 3: 'colors' is no section"},
        {"[format a\nmap = x\n", "line 1: a section ends with ']'"},
        {"[format a b]\n", "line 1: a format's name is letters"},
        {"[format ]\n", "line 1: 'format' is no section"},
        {"\n[format a]\n\n[format b]\nmap = x\n", "line 2: [format a] has neither"},
        {"[format a]\n", "line 1: [format a] has neither a map nor a pattern"},
        {"[format a]\nmap = x\nonly = me\n", "line 3: only takes named, not 'me'"},
        {"[", "line 1: a section ends with ']'"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_false(parse(cases[i].text));
        if (!strstr(error, cases[i].error))
            fail_msg("case %zu: '%s', not '%s'", i, error, cases[i].error);
    }
    assert_false(settings_parse(&settings, "[format a]\nmap = \0x\n", 20, error, sizeof(error)));
    assert_non_null(strstr(error, "line 2: it holds a NUL"));
}

static void all_is_bounded(void **state)
{
    size_t size = SETTINGS_BYTES_MAX + 1, at = 0;
    char *text = malloc(size);
    memset(text, '\n', size);
    assert_false(settings_parse(&settings, text, size, error, sizeof(error)));
    assert_true(settings_parse(&settings, text, size - 1, error, sizeof(error)));
    at = (size_t)sprintf(text, "[format a]\n");
    for (int i = 0; i <= SETTINGS_FORMATS_MAX; i++)
        at += (size_t)sprintf(text + at, "map = x\n");
    assert_false(settings_parse(&settings, text, at, error, sizeof(error)));
    assert_non_null(strstr(error, "line 18: there are more than 16"));
    at = (size_t)sprintf(text, "[format a]\nmap = ");
    memset(text + at, 'x', SETTINGS_TEXT_BYTES);
    assert_false(settings_parse(&settings, text, at + SETTINGS_TEXT_BYTES, error, sizeof(error)));
    assert_true(
        settings_parse(&settings, text, at + SETTINGS_TEXT_BYTES - 1, error, sizeof(error)));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_hold_maps_and_patterns),
        cmocka_unit_test(nothing_is_good),
        cmocka_unit_test(what_is_wrong_is_said_with_its_line),
        cmocka_unit_test(all_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
