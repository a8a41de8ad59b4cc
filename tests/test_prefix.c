/* Ranks in what launchers write before a record, and in file names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "log_names.h"
#include "prefix.h"

struct row {
    const char *text;
    int rank; /* -1: none */
};

typedef bool rank_of(struct str text, uint32_t *ret);

static void check(rank_of *rank_of_text, const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t rank = 77;
        bool found = rank_of_text(str_from(rows[i].text), &rank);
        if (found != (rows[i].rank >= 0) || rank != (found ? (uint32_t)rows[i].rank : 77)) {
            print_error("row %zu, \"%s\": %d\n", i, rows[i].text, found ? (int)rank : -1);
            fail();
        }
    }
}

static void launchers_give_the_rank(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"[rank5]: ", 5},
        {"[rank5]:", 5},
        {"  5: ", 5},
        {"5: ", 5},
        {"15: ", 15},
        {"[rank-7/8] ", 7},
        {"[Rank 3] ", 3},
        {"rank=12 ", 12},
        {"rank: 4 ", 4},
        {"rank_6: ", 6},
        {"2026-11-29T18:04:07.123456789Z [rank5]: ", 5},
        {"[pod/trainer-0/main] [rank9]: ", 9},
        {"global_rank=3 local_rank=1 ", 3},
        {"rank=3 node_rank=1 ", 3},
        {"[rank1048575]: ", 1048575},
        {"\x1b[36m[rank2]:\x1b[0m ", 2},
        {"2: [rank5]: ", 5},
        {"0: [default1]: [rank9]: ", 9},
        {"3: [2026-05-11 02:59:55] ", 3},
        {"[1,5]<stdout>:", 5},
        {"[1,0]<stderr>: ", 0},
        {"[prterun-host-77@1,12]<stdout>: ", 12},
        {"[1,mpirank:6,algo-2]<stdout>:", 6},
    };
    check(prefix_rank, rows, sizeof(rows) / sizeof(rows[0]));
}

static void what_is_no_global_rank_tells_nothing(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"", -1},
        {" ", -1},
        {"[default7]:", -1},
        {"0: [default1]:", -1},
        {" 12: [trainer0|1]:", -1},
        {"[pod/x] ", -1},
        {"[pod/x-5/main] ", -1},
        {"2026-11-29T18:04:07.123456789Z ", -1},
        {"2026-11-29 18:04:07,123 ", -1},
        {"18:04:07 ", -1},
        {"local_rank=5 ", -1},
        {"LOCAL-RANK: 5 ", -1},
        {"node_rank=5 ", -1},
        {"tp_rank=1 pp_rank=2 dp_rank=3 ", -1},
        {"[rank1048576]: ", -1},
        {"[rank4294967301]: ", -1},
        {"[rank99999999999999999999]: ", -1},
        {"rank", -1},
        {"rank ", -1},
        {"frank5: ", -1},
        {"[1,5] ", -1},
        {"[1]<stdout>:", -1},
        {"[algo-2]<stdout>:", -1},
        {"ranks5 ", -1},
        {"-5: ", -1},
        {"5", -1},
        {":", -1},
    };
    check(prefix_rank, rows, sizeof(rows) / sizeof(rows[0]));
}

static void file_names_give_the_rank(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"rank5.jsonl", 5},
        {"worker-05.log", 5},
        {"/logs/run17/rank_12.log", 12},
        {"host3_rank-12.log", 12},
        {"Rank7.txt", 7},
        {"5.jsonl", 5},
        {"trainer_07.txt", 7},
        {"rank5", 5},
        {"worker3", 3},
        {"node2_worker3.log", 3},
        {"run17/trainer.log", -1},
        {"trainer.log", -1},
        {"node2_gpu3.log", -1},
        {"node_rank2.log", -1},
        {"local_rank1_node2.log", -1},
        {"", -1},
        {"/", -1},
        {"-", -1},
        {".5", 5},
        {"log.5", -1},
        {"udp://127.0.0.1:9000", -1},
        {"rank4294967301.log", -1},
    };
    check(file_name_rank, rows, sizeof(rows) / sizeof(rows[0]));
}

static void numbers_of_names_are_ranks_where_they_count(void **state)
{
    (void)state;
    static const struct {
        const char *names[5];
        bool ranks;
    } rows[] = {
        {{"slurm-123456.out"}, false},
        {{"a/5.csv"}, false},
        {{"a/0.csv", "b/0.csv", "a/0.csv.gz"}, false}, /* the same one */
        {{"log_0.csv", "log_1.csv.gz", "log_2.csv"}, true},
        {{"gpu1.log", "gpu2.log", "gpu3.log", "gpu7.log"}, true},
        {{"gpu1.log", "gpu2.log", "gpu3.log", "gpu8.log"}, false},
        {{"slurm-1001.out", "slurm-1002.out"}, false},
        {{"run0.log", "run1.log", "run2.log"}, false},
        {{"a/train_attempt_0.log", "a/train_attempt_1.log.gz"}, false},
        {{"Part-0.log", "Part-1.log"}, false},
        {{"train_1.log", "train_2.log"}, false},
        {{"train_0.log", "train_1.log"}, true},
        {{"0.log", "1.log", "99.log"}, false},
        {{"0.log", "1.log", "1048577.log", "train-2026-11.log"},
         true}, /* no rank, and two numbers */
        {{"rank0.log", "rank1.log", "run3.log"}, false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct log_names names = {0};
        for (size_t k = 0; k < 5 && rows[i].names[k]; k++)
            log_names_meet(&names, rows[i].names[k]);
        if (log_names_are_ranks(&names) != rows[i].ranks)
            fail_msg("row %zu, %s", i, rows[i].names[0]);
        log_names_done(&names);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launchers_give_the_rank),
        cmocka_unit_test(what_is_no_global_rank_tells_nothing),
        cmocka_unit_test(file_names_give_the_rank),
        cmocka_unit_test(numbers_of_names_are_ranks_where_they_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
