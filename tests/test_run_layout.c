/* The layout of a job beside its op trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "run_layout.h"

static int parse(const char *text, struct run *run)
{
    char error[256] = "";
    run_init(run);
    int result = run_layout_parse(text, strlen(text), run, error, sizeof(error));
    assert_int_equal(result == -1, error[0] != '\0');
    return result;
}

static void sizes_are_read_and_other_keys_left_alone(void **state)
{
    struct run run;
    assert_int_equal(
        parse("---\r\ntrial_name: 'AR'\r\nrun_id: 0\r\ndp_size: 4\r\npp_size: 2 # of 2\r\n"
              "tp_size: 8\r\nvpp_size: x\r\nworld_size: 64",
              &run),
        0);
    assert_string_equal(run.name, "AR");
    assert_int_equal(run.tp, 8);
    assert_int_equal(run.pp, 2);
    assert_int_equal(run.dp, 4);
    assert_true(run.gpus == 64);
}

static void what_is_no_size_is_told_and_changes_nothing(void **state)
{
    static const char *const wrong[] = {"tp_size: 4\ndp_size: four\n", "tp_size: 0\n",
                                        "world_size: 1.5\n", "pp_size:\n", "pp_size: 9999999999\n"};
    struct run run;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_equal(parse(wrong[i], &run), -1);
        assert_int_equal(run.tp, 0);
    }
}

static void another_file_is_none(void **state)
{
    struct run run;
    assert_int_equal(parse("name: model\nlicense: mit\n# tp_size: 4\n", &run), -ENOENT);
    assert_int_equal(parse("", &run), -ENOENT);
}

static void it_is_looked_for_beside_the_trace(void **state)
{
    char path[64];
    assert_true(run_layout_place("data/trace-AR.first6steps.csv.gz", 0, path, sizeof(path)));
    assert_string_equal(path, "data/meta-AR.yaml");
    assert_true(run_layout_place("data/trace-AR.first6steps.csv.gz", 1, path, sizeof(path)));
    assert_string_equal(path, "data/meta.yaml");
    assert_false(run_layout_place("data/trace-AR.first6steps.csv.gz", 2, path, sizeof(path)));
    assert_true(run_layout_place("trace.csv", 0, path, sizeof(path)));
    assert_string_equal(path, "meta.yaml");
    assert_false(run_layout_place("trace.csv", 1, path, sizeof(path)));
    assert_false(run_layout_place("data/trace-AR.csv", 0, path, 10));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_read_and_other_keys_left_alone),
        cmocka_unit_test(what_is_no_size_is_told_and_changes_nothing),
        cmocka_unit_test(another_file_is_none),
        cmocka_unit_test(it_is_looked_for_beside_the_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
