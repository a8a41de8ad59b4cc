/* Who is compared with whom. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "peers.h"

/* Ranks 0 and up, of groups and hosts by name ids, as one digit each. */
static void join(struct ranks *ranks, const char *groups, const char *hosts)
{
    ranks_init(ranks, 64);
    for (uint32_t i = 0; groups[i]; i++) {
        uint32_t slot = ranks_add(ranks, i, 0);
        ranks->info[slot].group = (uint32_t)(groups[i] - '0');
        ranks->info[slot].host = (uint32_t)(hosts[i] - '0');
        ranks->names_version++;
    }
}

static const struct peers_unit *unit_of(const struct peers *peers, uint32_t name, bool is_host)
{
    for (uint32_t u = 0; u < peers->unit_count; u++)
        if (peers->units[u].name == name && peers->units[u].is_host == is_host)
            return &peers->units[u];
    return NULL;
}

static void a_group_of_two_is_judged_when_there_is_another_of_its_kind(void **state)
{
    static const struct {
        const char *groups, *hosts;
        bool group_1, host_8; /* judged */
        bool by_group;
    } cases[] = {
        {"1122", "8888", true, false, false},  /* all are on one host */
        {"1111", "8899", false, true, false},  /* all are one stage */
        {"1222", "8999", false, false, true},  /* one rank alone is no group */
        {"1100", "8800", false, false, false}, /* the others belong to nothing */
        {"1122", "0000", true, false, false},  /* two are too few to be compared with */
        {"111222", "888999", true, true, true}, {"0000", "0000", false, false, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct peers peers = {0};
        struct ranks ranks;
        join(&ranks, cases[i].groups, cases[i].hosts);
        assert_true(peers_update(&peers, &ranks));
        const struct peers_unit *group = unit_of(&peers, 1, false),
                                *host = unit_of(&peers, 8, true);
        assert_int_equal(group && group->judged, cases[i].group_1);
        assert_int_equal(host && host->judged, cases[i].host_8);
        assert_int_equal(peers.by_group, cases[i].by_group);
        peers_done(&peers);
        ranks_done(&ranks);
    }
}

static void a_group_is_compared_with_the_others_and_not_with_itself(void **state)
{
    const double own_ns[] = {10, 10, 20, 20, 40, 40, 100, 100};
    struct peers peers = {0};
    struct ranks ranks;
    join(&ranks, "11223344", "00000000");
    peers_update(&peers, &ranks);
    peers_group_medians(&peers, own_ns);
    /* The median of 10, 20, 40; of all four it would be another. */
    assert_true(peers_group_slowdown(&peers, peers.group_unit[6]) == 5);
    assert_true(peers_group_slowdown(&peers, peers.group_unit[0]) == 0.25);
    peers_done(&peers);
    ranks_done(&ranks);
}

static void a_rank_is_compared_with_three_of_its_group_or_with_all(void **state)
{
    const double own_ns[] = {10, 11, 12, 20, 21, 22, 30, 31};
    struct peers peers = {0};
    struct ranks ranks;
    join(&ranks, "11122233", "00000000");
    peers_update(&peers, &ranks);
    peers_group_medians(&peers, own_ns);
    assert_true(peers_reference_ns(&peers, 0, 20.5) == 11);
    assert_true(peers_reference_ns(&peers, 5, 20.5) == 21);
    assert_true(peers_reference_ns(&peers, 7, 20.5) == 20.5);
    peers_done(&peers);
    ranks_done(&ranks);
}

static void a_rank_that_tells_its_group_late_is_put_there(void **state)
{
    struct peers peers = {0};
    struct ranks ranks;
    join(&ranks, "1120", "0000");
    assert_true(peers_update(&peers, &ranks));
    assert_false(peers_update(&peers, &ranks));
    assert_int_equal(peers.group_unit[3], PEERS_NONE);
    ranks.info[3].group = 2;
    ranks.names_version++;
    assert_true(peers_update(&peers, &ranks));
    assert_int_equal(peers.group_unit[3], peers.group_unit[2]);
    assert_true(unit_of(&peers, 2, false)->judged);
    peers_done(&peers);
    ranks_done(&ranks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_of_two_is_judged_when_there_is_another_of_its_kind),
        cmocka_unit_test(a_group_is_compared_with_the_others_and_not_with_itself),
        cmocka_unit_test(a_rank_is_compared_with_three_of_its_group_or_with_all),
        cmocka_unit_test(a_rank_that_tells_its_group_late_is_put_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
