/* Maps and patterns: what they make of a log, and what is wrong with them. */
#include "user_read.h"

static void json_lines_by_keys_and_nested_keys(void **state)
{
    assert_begins(
        read_log(
            false, "rank=process_index,step=global_step,forward=m.fwd_ms:ms,sync=m.ar:us,host=node",
            "{\"process_index\": 3, \"global_step\": 7, \"m\": {\"fwd_ms\": 12.5, \"ar\": 250},"
            " \"node\": \"a\"}\n"
            "[rank1]: {\"global_step\": 8, \"m.fwd_ms\": \"1,012.5 ms\"}"
            "{\"process_index\":2,\"global_step\":8,\"m\":{\"fwd_ms\":null,\"ar\":1e3}}\n"),
        "rank 3 step 7 forward=0.012500000 sync=0.000250000 host=a\n"
        "rank 1 step 8 forward=1.012500000\n"
        "rank 2 step 8 sync=0.001000000\n"
        "# mine: lines 2, records 3, of the job 0, damaged 0\n");
}

static void names_are_what_their_escapes_say(void **state)
{
    const char *map = "rank=r,step=s,step_time=t,host=h,group=g";
    assert_begins(
        read_log(false, map,
                 "{\"r\":0,\"s\":1,\"t\":1,\"h\":\"n\\u00f6de \\\"a\\\"\",\"g\":\"pp\\/0\"}\n"
                 "{\"r\":1,\"s\":1,\"t\":1,\"h\":\"\\ud83d\\ude00\",\"g\":\"a\\\\b\"}\n"
                 "{\"r\":2,\"s\":1,\"t\":1,\"h\":\"x\\ud83d\\u0000\\ude00y\"}\n"),
        "rank 0 step 1 step_time=1.000000000 host=n\\xc3\\xb6"
        "de \"a\" group=pp/0\n"
        "rank 1 step 1 step_time=1.000000000 host=\\xf0\\x9f\\x98\\x80 group=a\\b\n"
        "rank 2 step 1 step_time=1.000000000 "
        "host=x\\xef\\xbf\\xbd\\xef\\xbf\\xbd\\xef\\xbf\\xbdy\n");
    assert_begins(read_log(false, map, "r,s,t,h,g\r\n0,1,1,\"a \"\"b\"\", c\",\"\"\r\n"),
                  "rank 0 step 1 step_time=1.000000000 host=a \"b\", c\n");
}

static void a_step_without_time_is_none(void **state)
{
    const char *got = read_log(false, "rank=r,step=s,step_time=t",
                               "{\"r\":0,\"s\":1,\"t\":0}\n{\"r\":0,\"s\":2,\"t\":1}\n");
    assert_begins(got, "rank 0 step 2 step_time=1.000000000\n# mine: ");
    assert_has(got, "step 1 took no time");
}

static void a_key_without_any_value_is_told(void **state)
{
    const char *map = "rank=r,step=s,forward=m.fwd:ms,sync=ar:ms,end=e";
    assert_has(read_log(false, map,
                        "{\"r\":0,\"s\":1,\"m\":{\"fwd\":5},\"e\":1795961553.5}\n"
                        "{\"r\":0,\"s\":2,\"m\":{\"fwd\":5}}\n"),
               "damaged 0\n#   1 x keys of the map that have no value: "
               "keys of the map without a value in its 2 records: 'ar'");
    assert_has(read_log(false, map, "{\"r\":0,\"s\":1,\"m\":{\"fwd\":5},\"ar\":7}\n"),
               "without a value in its 1 record: 'e'");
    assert_null(strstr(read_log(false, map,
                                "{\"r\":0,\"s\":1,\"m\":{\"fwd\":5}}\n"
                                "{\"r\":0,\"s\":2,\"ar\":7,\"e\":1795961553.5}\n"),
                       "has no value"));
    char many[4096] = "";
    for (int i = 0; i < 40; i++)
        snprintf(many + strlen(many), sizeof(many) - strlen(many),
                 "{\"r\":0,\"s\":%d,\"m\":{\"fwd\":5}}\n", i);
    const char *got = read_log(false, map, many); /* once, long before the end */
    assert_has(got, "records 40, of the job 0, damaged 0\n");
    assert_has(got, "1 x keys of the map that have no value: "
                    "keys of the map without a value in its first 32 records: 'ar', 'e'\n");
}

static void torn_json_is_counted(void **state)
{
    const char *got = read_log(false, "rank=r,step=step,step_time=s",
                               "{\"r\":0,\"step\":1,\"s\":0.{\"r\":1,\"step\":1,\"s\":0.5}\n"
                               "{\"x\":1,\"m\":{\"r\":7,\"step\":9,\"s\":3},\n"
                               "{\"r\":0,\"step\":1.5,\"s\":1}\n{\"r\":0,\"step\":2,\"s\":-1}\n"
                               "{\"r\":0,\"step\":3,\"s\":\"nan\"}\n{\"r\":0,\"step\":3}\n");
    assert_begins(got, "rank 1 step 1 step_time=0.500000000\n# mine: ");
    assert_has(got, "records 1, of the job 0, damaged 4\n");
    assert_has(got, "1 x no number");
    assert_has(got, "1 x parts whose other parts are missing");
}

static void tables_with_any_separator(void **state)
{
    static const char *const logs[] = {
        "noise\nloss,step,\"time, ms\",rank\n1.5,1,100,0\n1.5,\"1\",\"1,100\",1\n1.5,2,nan,0\n",
        "loss;step;time, ms;rank\r\n1;1;100;0\r\n1;1;1100;1\r\n1;2;N/A;0\r\n",
        "loss\tstep\ttime, ms\trank\n1\t1\t100\t0\n\t1\t1,100\t1\n1\t2\tinf\t0\n",
    };
    for (size_t i = 0; i < 3; i++) {
        const char *got = read_log(false, "rank=rank,step=step,compute=\"time, ms\":ms", logs[i]);
        assert_begins(got, "rank 0 step 1 compute=0.100000000\n"
                           "rank 1 step 1 compute=1.100000000\n# mine: ");
        assert_has(got, "1 x no number");
        assert_has(got, "damaged 0\n");
    }
}

static void torn_rows_are_no_records(void **state)
{
    const char *got = read_log(false, "job,step=step,step_time=t",
                               "step,loss,t\n1,2.0,0.5\n2,2.0,0.3,2.0,0.5\n4,2\n5,2.0,0.51");
    assert_begins(got, "job step 1 step_time=0.500000000\n# mine: ");
    assert_has(got, "damaged 3\n");
    got = read_log(false, "job,step=step,step_time=t", "t,step\n0.5,1\nt,x,step\n0.5,1,2\n");
    assert_begins(got, "job step 1 step_time=0.500000000\njob step 2 step_time=0.500000000\n");
}

static void tables_behind_another_and_with_decimal_commas(void **state)
{
    const char *map = "rank=r,step=s,step_time=t,host=h";
    /* columns in another order; a table of other columns, whose rows would fit */
    const char *got = read_log(false, map,
                               "s,t,r,h\n1,0.5,0,a\nt,h,s,r\n0.25,b,2,1\nepoch,loss,acc,note\n"
                               "3,0.5,1,a\n\xEF\xBB\xBFs,t,r\n4,0.5,2\ns,t,r,t,h\n5,1,0,2,a\n");
    assert_begins(got, "rank 0 step 1 step_time=0.500000000 host=a\n"
                       "rank 1 step 2 step_time=0.250000000 host=b\n"
                       "rank 2 step 4 step_time=0.500000000\n# mine: ");
    assert_has(got, "damaged 1\n");
    assert_has(got, "a header with a column of the map twice");
    assert_has(got, "keys of the map without a value in a table, by its header: 'h'\n");
    /* "1,250" may be either until "0,5" was seen */
    got = read_log(false, "rank=r,step=s,step_time=t",
                   "r;s;t\n0;1;1,250\n0;2;0,5\n0;3;1,250\n0;4;12,75\n0;5;1.234,5\n");
    assert_begins(got, "rank 0 step 2 step_time=0.500000000\nrank 0 step 3 step_time=1.250000000\n"
                       "rank 0 step 4 step_time=12.750000000\n# mine: ");
    assert_has(got, "damaged 2\n");
    got = read_log(false, "rank=r,step=s,step_time=t", "{\"r\":0,\"s\":1,\"t\":\"0,512\"}\n");
    assert_has(got, "records 0, of the job 0, damaged 1\n");
}

static void objects_in_lists_and_in_torn_ones(void **state)
{
    const char *map = "rank=r,step=step,step_time=t";
    assert_begins(
        read_log(false, map,
                 "[{\"r\":0,\"step\":1,\"t\":0.5}, {\"r\":1,\"step\":1,\"t\":0.25}]\n"
                 "  {\"r\":2,\"step\":1,\"t\":1e-1, \"loss\": NaN, \"x\": [-Infinity]},\n"),
        "rank 0 step 1 step_time=0.500000000\nrank 1 step 1 step_time=0.250000000\n"
        "rank 2 step 1 step_time=0.100000000\n# mine: lines 2, records 3, of the job 0, damaged "
        "0\n");
    const char *got =
        read_log(false, map,
                 "\"m\": {\"r\":0,\"step\":1,\"t\":0.5}}\n"
                 "7}, {\"r\":0,\"step\":1,\"t\":0.5}]\n"
                 "{\"r\":0,\"step\":3,\"t\":0.5,\"old\": {\"r\":0,\"step\":1,\"t\":0.5}\n"
                 "{\"r\":\"rank3\",\"step\":3,\"t\":9,\"t\":0.5}\n");
    assert_begins(got, "rank 3 step 3 step_time=0.500000000\n# mine: ");
    assert_has(got, "records 1, of the job 0, damaged 1\n");
}

static void all_fields_and_units(void **state)
{
    assert_begins(
        read_log(false,
                 "job,step=i,steps=n,step_time=t:min,tokens=k:k,flops=f:T,mfu=u:%,gpus=g,end=at",
                 "{\"i\":10,\"n\":10,\"t\":0.5,\"k\":4.096,\"f\":401.5,\"u\":41.2,\"g\":64,"
                 "\"at\":1700000300}\n"),
        "job step 10 span=10 t=1700000000.000000000 step_time=30.000000000 tokens=4096 "
        "flops=401500000000000 mfu=0.412000000 gpus=64\n");
    static const char *const stamps[] = {"1700000000.25",
                                         "1700000000250",
                                         "1700000000250000",
                                         "1700000000250000000",
                                         "\"2023-11-14 22:13:20.25Z\"",
                                         "\"2023-11-14T23:13:20.250+01:00\""};
    for (size_t i = 0; i < sizeof(stamps) / sizeof(stamps[0]); i++) {
        char log[200];
        snprintf(log, sizeof(log), "{\"step\":1,\"s\":1,\"t\":%s}\n", stamps[i]);
        assert_begins(read_log(false, "job,step=step,step_time=s,t=t", log),
                      "job step 1 t=1700000000.250000000 step_time=1.000000000\n");
    }
}

#define TOOK "step {step} rank {rank} took {step_time:ms}"

static void a_pattern_is_found_anywhere_in_a_line(void **state)
{
    assert_begins(read_log(true, TOOK,
                           "12:00 INFO step\t  1  rank 0 took 12.5 ms, loss 3\n"
                           "\x1b[32m[rank0]: step 2 rank 1 took 1,012ms\x1b[0m\r"
                           "substep 9 rank 9 took 9 ms step 3 rank 1 took 5 msstep 9\n"
                           "step 3 rank 0 took 4 ms step 3 rank 2 took 6 ms\n"),
                  "rank 0 step 1 step_time=0.012500000\nrank 1 step 2 step_time=1.012000000\n"
                  "rank 1 step 3 step_time=0.005000000\nrank 0 step 3 step_time=0.004000000\n"
                  "rank 2 step 3 step_time=0.006000000\n");
}

static void every_beginning_of_a_line_is_the_record_or_none(void **state)
{
    const char *line = "it 12/900 (loss 1.5) node=a7 took 2.75 ms mfu 41.5%\n";
    const char *pattern = "{job}it {step}/{} ({}) node={host} took {step_time:ms} mfu {mfu:%}";
    const char *record = "job step 12 step_time=0.002750000 mfu=0.415000000 host=a7\n";
    assert_begins(read_log(true, pattern, line), record);
    for (size_t length = 0; length < strlen(line); length++)
        if (strstr(read_bytes(true, pattern, line, length), "job step"))
            assert_begins(read_bytes(true, pattern, line, length), record);
}

static void a_number_that_another_line_tears_is_damaged(void **state)
{
    const char *got =
        read_log(true, TOOK,
                 "step 1 rank 0 took 125 ms\nstep 2 rank 0 took 1[rank1]: step 2 "
                 "rank 1 took 7 ms\nstep 3 rank 0 took 12\nstep 4 rank 0 took nan ms\n"
                 "step 5 rank 0\nstep 6 of 9\n");
    assert_begins(got, "rank 0 step 1 step_time=0.125000000\nrank 1 step 2 step_time=0.007000000\n"
                       "# mine: ");
    assert_has(got, "damaged 2\n");
    assert_has(got, "1 x no number");
    assert_has(got, "other 1,");
}

static void braces_and_numbers_at_the_front(void **state)
{
    /* nobody says whose it is: one value a step, as of the job */
    assert_begins(read_log(true, "{step} {{{host}}} {step_time} s", "x7 12 {n1} 0.5 s\n"),
                  "job step 12 step_time=0.500000000 host=n1\n");
    assert_begins(read_log(true, "{job}{step}: {{{host}}} {step_time} s", "a 12: {n1} 0.5 s\n"),
                  "job step 12 step_time=0.500000000 host=n1\n");
}

static void steps_of_epochs_are_numbered_through(void **state)
{
    const char *pattern = "[{epoch}][{step}/{epoch_steps}] time: {step_time}";
    const char *want = "job step 9 step_time=0.500000000\njob step 10 step_time=0.250000000\n"
                       "job step 11 step_time=0.500000000\n# mine: ";
    const char *got = read_log(true, pattern,
                               "[1][4/5] time: 0.5\n[1][5/5] time: 0.25\n"
                               "[2][1/5] time: 0.5\n[2][7/5] time: 0.5\n");
    assert_begins(got, want);
    assert_has(got, "step 7 of an epoch of 5");
    const char *map = "epoch=e,step=s,epoch_steps=n,step_time=t";
    got = read_log(false, map,
                   "{\"e\":1,\"s\":4,\"n\":5,\"t\":0.5}\n{\"e\":1,\"s\":5,\"n\":5,\"t\":0.25}\n"
                   "{\"s\":3,\"t\":0.5}\n{\"e\":2,\"s\":1,\"n\":5,\"t\":0.5}\n"
                   "{\"e\":2,\"s\":2,\"t\":0.5}\n");
    assert_begins(got, want);
    assert_has(got, "2 x parts whose other parts are missing");
    assert_begins(read_log(true, "{epoch_steps=5}epoch {epoch} step {step}: {step_time}",
                           "epoch 1 step 4: 0.5\nepoch 1 step 5: 0.25\nepoch 2 step 1: 0.5\n"),
                  want);
    assert_begins(read_log(false, "epoch=e,step=s,epoch_steps=5,step_time=t",
                           "{\"e\":1,\"s\":4,\"t\":0.5}\n{\"e\":1,\"s\":5,\"t\":0.25}\n"
                           "{\"e\":2,\"s\":1,\"t\":0.5}\n{\"s\":3,\"t\":0.5}\n"),
                  want);
    assert_begins(read_log(false, map, "e,s,n,t\n1,4,5,0.5\n1,5,5,0.25\n2,1,5,0.5\n2,2,,0.5\n"),
                  want);
}

/* Releases by such stamps would be 0 s or 1 s apart. */
static void stamps_of_whole_seconds_do_not_time_phases(void **state)
{
    const char *map = "rank=r,step=s,forward=f,end=e";
    const char *got = read_log(false, map,
                               "{\"r\":1,\"s\":1,\"f\":0.25,\"e\":1795961553}\n"
                               "{\"r\":1,\"s\":2,\"f\":0.25,\"e\":\"2026-11-30T12:00:00Z\"}\n"
                               "{\"r\":1,\"s\":3,\"f\":0.25,\"e\":1795961553000}\n"
                               "{\"r\":1,\"s\":4,\"f\":0.25,\"e\":1795961554.0}\n"
                               "{\"r\":1,\"s\":5,\"f\":25.5,\"e\":1795961580}\n");
    assert_begins(got, "rank 1 step 1 forward=0.250000000\nrank 1 step 2 forward=0.250000000\n"
                       "rank 1 step 3 t=1795961552.750000000 forward=0.250000000\n"
                       "rank 1 step 4 t=1795961553.750000000 forward=0.250000000\n"
                       "rank 1 step 5 t=1795961554.500000000 forward=25.500000000\n");
    assert_has(got, "2 x whole, but not followed: a time stamp of whole seconds: step 1");
    assert_begins(
        read_log(true, "{end} rank {rank} step {step} fwd {forward}",
                 "1795961553 rank 1 step 1 fwd 0.25\n1795961553.5 rank 1 step 2 fwd 0.25\n"),
        "rank 1 step 1 forward=0.250000000\n"
        "rank 1 step 2 t=1795961553.250000000 forward=0.250000000\n");
}

static void several_are_all_wanted(void **state)
{
    static const char log[] = "step 1 rank 0 forward 2 ms\nstep 1 rank 0 waited 3 ms\n"
                              "step 2 rank 0 forward 2 ms\nstep 2 rank 0 waited 4 ms\n";
    static const char *const patterns[] = {"step {step} rank {rank} forward {forward:ms}",
                                           "step {step} rank {rank} waited {sync:ms}"};
    char error[512];
    struct formats *formats = formats_new();
    struct user_format *users[2];
    for (size_t i = 0; i < 2; i++) {
        users[i] = user_format_pattern("mine", patterns[i], error, sizeof(error));
        assert_true(formats_add(formats, user_format_of(users[i])));
    }
    struct text text = {0};
    formats_read_by(&text, "trainer.log", formats, log, sizeof(log) - 1, (struct pieces){0});
    assert_begins(text.bytes,
                  "rank 0 step 1 forward=0.002000000\nrank 0 step 1 sync=0.003000000\n"
                  "rank 0 step 2 forward=0.002000000\nrank 0 step 2 sync=0.004000000\n");
    free(text.bytes);
    formats_free(formats);
    for (size_t i = 0; i < 2; i++)
        user_format_free(users[i]);
}

static void what_is_wrong_is_said(void **state)
{
    static const struct {
        bool pattern;
        const char *text, *error;
    } cases[] = {
        {false, "step=s,stepp=t", "at character 8: 'stepp' is no field; there are rank, step"},
        {false, "step=s,step_time=t:weeks", "at character 8: 'weeks' is no unit of step_time"},
        {false, "step=s,step_time=t:m", "'m' is no unit of step_time, which takes s, ms, us, ns"},
        {false, "step=s,step_time=t,flops=f:TFLOP", "'TFLOP' is no unit of flops"},
        {false, "step=s,forward=fwd_ms", "at character 8: the name fwd_ms says ms: write :ms"},
        {false, "step=s,sync=\"wait (us)\"", "at character 8: the name wait (us) says us"},
        {false, "step=s,step_time", "at character 8: 'step_time' is not FIELD=KEY"},
        {false, "step=,step_time=t", "at character 1: 'step=' has no key"},
        {false, "step=s", "it must fill in step, and a time"},
        {false, "rank=r,step_time=s", "it must fill in step, and a time"},
        {false, "step=s,step=s,step_time=t", "the same field twice"},
        {false, "job,rank=r,step=s,step_time=t", "then it has no rank"},
        {false, "", "it must fill in step"},
        {true, "step {step} {stpe_time}", "at character 13: 'stpe_time' is no field"},
        {true, "step {step} took {step_time", "at character 18: there is no '}'"},
        {true, "step} {step}", "at character 5: there is no '{'"},
        {true, "{step} {}{step_time}", "at character 10: there must be some text"},
        {true, "{step} {step_time:%}", "'%' is no unit of step_time"},
        {true, "took", "it must fill in step, and a time"},
        {false, "epoch=e,step=s,epoch_steps=0,step_time=t,epoch_steps=n", "the same field twice"},
        {true, "{epoch_steps=5}{step} {step_time}", "of epoch and epoch_steps, the steps in each"},
        {true, "{epoch} {step} {step_time}", "of epoch and epoch_steps, the steps in each, one is"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char error[512];
        assert_null((cases[i].pattern ? user_format_pattern : user_format_map)(
            "mine", cases[i].text, error, sizeof(error)));
        if (!strstr(error, cases[i].error))
            fail_msg("case %zu: '%s', not '%s'", i, error, cases[i].error);
    }
}

/* Long lines are kept in pieces: a number at the end of one has its other digits in the next. */
static void pieces_of_a_line_do_not_end_numbers(void **state)
{
    static const char *const logs[] = {
        "{\"log\":\"job step 4 took 3.25\\n\",\"stream\":\"stdout\"}\n"
        "{\"log\":\"job step 5 took 3.2\",\"stream\":\"stdout\"}\n"
        "{\"log\":\"5\\n\",\"stream\":\"stdout\"}\n",
        "2026-05-11T02:59:55.1Z stdout F job step 4 took 3.25\n"
        "2026-05-11T02:59:55.2Z stdout P job step 5 took 3.2\n"
        "2026-05-11T02:59:55.3Z stdout F 5\n",
    };
    for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
        const char *got = read_log(true, "job step {step} took {step_time}", logs[i]);
        assert_begins(got, "job step 4 step_time=3.250000000\n#");
        assert_has(got, "# mine: lines 2, records 1, of the job 1, damaged 1\n");
    }
}

/* A line of thousands of places where the pattern may begin would take minutes if each of them were
 * tried to the line's end. */
static void many_places_are_no_burden(void **state)
{
    enum { SIZE = 60000 };
    static const struct {
        const char *pattern, *fill, *end;
    } cases[] = {
        {" {step} {} {step_time} ms", " ", "5 took 3250 ms\n"},
        {"{step} {} took {step_time}", "1 ", "took x\n5 it took 3.25\n"},
        {"a {step} b {} ccc {step_time}", "a 1 b ", "ccc x\na 5 b x ccc 3.25\n"},
    };
    char *log = malloc(SIZE + 64);
    assert_non_null(log);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t size = 0, length = strlen(cases[i].fill);
        for (; size + length < SIZE; size += length)
            memcpy(log + size, cases[i].fill, length);
        snprintf(log + size, 64, "%s", cases[i].end);
        for (int again = 0; again < 3; again++)
            assert_begins(read_log(true, cases[i].pattern, log),
                          "job step 5 step_time=3.250000000\n#");
    }
    free(log);
}

/* Text of so many digits before and behind the point, and its value in ns: by its digits alone. */
static int64_t write_number(char *to, int whole, int decimals, int places)
{
    int64_t value = 0;
    int used = 0;
    for (int i = 0; i < whole; i++)
        value = value * 10 + ((to[used++] = (char)('1' + i)) - '0');
    if (decimals > 0)
        to[used++] = '.';
    for (int i = 0; i < (decimals > places ? decimals : places); i++) {
        int digit = i < decimals ? 9 - i : 0;
        if (i < decimals)
            to[used++] = (char)('0' + digit);
        if (i < places)
            value = value * 10 + digit;
        else if (i == places)
            value += digit >= 5;
    }
    to[used] = '\0';
    return value;
}

static void numbers_of_any_length_are_exact(void **state)
{
    static const char *const maps[] = {"job,step=s,step_time=t", "job,step=s,step_time=t:ms",
                                       "job,step=s,step_time=t:us", "job,step=s,step_time=t:ns"};
    static char table[8192], objects[8192], want[8192];
    for (int unit = 0; unit < 4; unit++) {
        size_t rows = (size_t)snprintf(table, sizeof(table), "s\tt\n"), lines = 0, wanted = 0;
        int step = 0;
        for (int whole = 1; whole <= 6; whole++)
            for (int decimals = 0; decimals <= 9; decimals++) {
                char number[32];
                int64_t ns = write_number(number, whole, decimals, 9 - 3 * unit);
                step++;
                rows +=
                    (size_t)snprintf(table + rows, sizeof(table) - rows, "%d\t%s\n", step, number);
                lines += (size_t)snprintf(objects + lines, sizeof(objects) - lines,
                                          "{\"s\": %d, \"t\": %s}\n", step, number);
                wanted += (size_t)snprintf(
                    want + wanted, sizeof(want) - wanted, "job step %d step_time=%lld.%09lld\n",
                    step, (long long)(ns / 1000000000), (long long)(ns % 1000000000));
            }
        assert_begins(read_log(false, maps[unit], table), want);
        assert_begins(read_log(false, maps[unit], objects), want);
    }
}

static void torn_records_are_counted_once(void **state)
{
    const char *got = read_log(false, "job,step=step_n,step_time=time",
                               "{x} {\"step_n\":1,\"time\":0.5} {y} {\"step_n\":2,\"tim\n"
                               "{\"step_n\":3,\"x {\"step_n\":4,\"y\n"
                               "{\"loss\":{\"a\":1},\"step_n\":5,\"time\n"
                               "{x} {\"step_n\":6,\"time\":0.5}\n");
    assert_begins(got, "job step 1 step_time=0.500000000\njob step 6 step_time=0.500000000\n#");
    assert_has(got, "# mine: lines 4, records 2, of the job 2, damaged 4\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_lines_by_keys_and_nested_keys),
        cmocka_unit_test(names_are_what_their_escapes_say),
        cmocka_unit_test(a_step_without_time_is_none),
        cmocka_unit_test(a_key_without_any_value_is_told),
        cmocka_unit_test(torn_json_is_counted),
        cmocka_unit_test(tables_with_any_separator),
        cmocka_unit_test(torn_rows_are_no_records),
        cmocka_unit_test(tables_behind_another_and_with_decimal_commas),
        cmocka_unit_test(objects_in_lists_and_in_torn_ones),
        cmocka_unit_test(all_fields_and_units),
        cmocka_unit_test(a_pattern_is_found_anywhere_in_a_line),
        cmocka_unit_test(every_beginning_of_a_line_is_the_record_or_none),
        cmocka_unit_test(a_number_that_another_line_tears_is_damaged),
        cmocka_unit_test(braces_and_numbers_at_the_front),
        cmocka_unit_test(steps_of_epochs_are_numbered_through),
        cmocka_unit_test(stamps_of_whole_seconds_do_not_time_phases),
        cmocka_unit_test(several_are_all_wanted),
        cmocka_unit_test(pieces_of_a_line_do_not_end_numbers),
        cmocka_unit_test(numbers_of_any_length_are_exact),
        cmocka_unit_test(torn_records_are_counted_once),
        cmocka_unit_test(many_places_are_no_burden),
        cmocka_unit_test(what_is_wrong_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
