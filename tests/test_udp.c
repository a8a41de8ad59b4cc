/* Records by UDP on the loopback: every datagram is taken, or counted. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "source_address.h"
#include "source_seq.h"
#include "source_udp.h"

struct fixture {
    struct loop *loop;
    struct udp *udp;
    struct stream_totals totals;
    struct sink sink;
    int64_t records, wanted;
    struct record last;
    char message[512];
    int fd;
};

static void take(void *to, const struct record *record, int64_t now_ns)
{
    struct fixture *f = to;
    f->last = *record;
    if (++f->records == f->wanted)
        loop_stop(f->loop);
}

static void on_deadline(void *to, int64_t now_ns)
{
    loop_stop(to);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->loop = loop_new();
    f->sink = (struct sink){f, take};
    f->fd = socket(AF_INET, SOCK_DGRAM, 0);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    udp_free(f->udp);
    int result = loop_free(f->loop);
    close(f->fd);
    free(f);
    return result;
}

static void listen_at(struct fixture *f, const char *spec, struct udp_options options)
{
    f->udp = udp_new(f->loop, spec, &options, &f->sink, &f->totals, f->message, sizeof f->message);
}

static struct sockaddr_in loopback(struct fixture *f)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)udp_port(f->udp))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

static ssize_t send_bytes(struct fixture *f, const void *bytes, size_t size)
{
    struct sockaddr_in to = loopback(f);
    return sendto(f->fd, bytes, size, 0, (struct sockaddr *)&to, sizeof to);
}

static void send_text(struct fixture *f, const char *text)
{
    assert_int_equal(send_bytes(f, text, strlen(text)), strlen(text));
}

static void send_seq(struct fixture *f, long long seq)
{
    char text[128];
    snprintf(text, sizeof text, "{\"rank\":1,\"step\":%lld,\"compute\":1,\"seq\":%lld}", seq, seq);
    send_text(f, text);
}

/* Turns the loop until that many records have come, or 5 s have passed. */
static void wait_for(struct fixture *f, int64_t records)
{
    if (f->records >= records)
        return;
    f->wanted = records;
    struct loop_timer *timer =
        loop_timer_new(f->loop, INT64_C(5000000000), 0, on_deadline, f->loop);
    loop_run(f->loop);
    loop_timer_free(timer);
    assert_true(f->records >= records); /* a batch may bring more */
}

/* A last record behind which nothing more can be on its way. */
static void settle(struct fixture *f)
{
    send_text(f, "{\"rank\":99,\"step\":1,\"compute\":1}");
    while (f->last.rank != 99)
        wait_for(f, f->records + 1);
    f->records--;
}

static struct udp_counts counts(struct fixture *f)
{
    struct udp_counts now;
    udp_counts(f->udp, &now);
    return now;
}

static void a_datagram_is_a_record(void **state)
{
    struct fixture *f = *state;
    listen_at(f, "udp://127.0.0.1:0", (struct udp_options){0});
    assert_non_null(f->udp);
    send_text(f, "{\"rank\":5,\"step\":1200,\"compute\":0.5}\n");
    wait_for(f, 1);
    assert_int_equal(f->last.rank, 5);
    assert_int_equal(f->last.step, 1200);
    assert_int_equal(f->last.compute_ns, 500000000);
    assert_int_equal(counts(f).datagrams, 1);
}

static void a_datagram_holds_several_lines_and_glues_to_none(void **state)
{
    struct fixture *f = *state;
    listen_at(f, "udp://127.0.0.1:0", (struct udp_options){0});
    send_text(f, "{\"rank\":1,\"step\":1,\"compute\":1}\n{\"rank\":2,\"step\":1,\"compute\":1}");
    send_text(f, "{\"rank\":3,\"step\":1,\"comp"); /* torn: its rest never comes */
    send_text(f, "ute\":1}\n{\"rank\":4,\"step\":1,\"compute\":1}");
    wait_for(f, 3);
    assert_int_equal(f->last.rank, 4);
    assert_int_equal(f->totals.counts.damaged + f->totals.counts.other, 2);
}

static void both_loopbacks_are_bound(void **state)
{
    struct fixture *f = *state;
    listen_at(f, "udp://:0", (struct udp_options){0});
    assert_non_null(f->udp);
    assert_non_null(strstr(udp_bound(f->udp), "127.0.0.1:"));
    int six = socket(AF_INET6, SOCK_DGRAM, 0);
    struct sockaddr_in6 to = {.sin6_family = AF_INET6,
                              .sin6_addr = in6addr_loopback,
                              .sin6_port = htons((uint16_t)udp_port(f->udp))};
    const char line[] = "{\"rank\":6,\"step\":1,\"compute\":1}";
    send_text(f, "{\"rank\":4,\"step\":1,\"compute\":1}");
    wait_for(f, 1);
    if (six < 0 || sendto(six, line, strlen(line), 0, (struct sockaddr *)&to, sizeof to) < 0) {
        close(six);
        skip(); /* no IPv6 here */
    }
    assert_non_null(strstr(udp_bound(f->udp), "[::1]:"));
    wait_for(f, 2);
    assert_int_equal(f->last.rank, 6);
    close(six);
}

static void the_granted_buffer_is_said(void **state)
{
    struct fixture *f = *state;
    listen_at(f, "udp://127.0.0.1:0", (struct udp_options){.receive_buffer = 65536});
    assert_int_equal(counts(f).receive_buffer, 131072); /* the kernel doubles it */
    udp_free(f->udp);
    listen_at(f, "udp://127.0.0.1:0", (struct udp_options){0});
    assert_true(counts(f).receive_buffer >= 212992);
}

static void what_a_stopped_receiver_drops_is_counted_exactly(void **state)
{
    struct fixture *f = *state;
    listen_at(f, "udp://127.0.0.1:0", (struct udp_options){.receive_buffer = 400000});
    const int sent = 20000;
    for (int i = 0; i < sent; i++) /* nobody turns the loop meanwhile */
        send_seq(f, i);
    uint64_t before = counts(f).kernel_dropped;
    assert_true(before > 0 && before < sent);
    wait_for(f, sent - (int64_t)before);
    send_seq(f, sent); /* by which the gap is seen */
    wait_for(f, sent - (int64_t)before + 1);
    struct udp_counts now = counts(f);
    assert_int_equal(now.kernel_dropped, before);
    assert_int_equal(now.datagrams + now.kernel_dropped, sent + 1);
    assert_int_equal(now.seq_missing, before); /* the same loss, not another */
    assert_int_equal(now.never_arrived, 0);
    assert_int_equal(now.senders, 1);
    assert_int_equal(counts(f).kernel_dropped, before); /* absolute: asking adds nothing */
}

static void a_burst_of_all_ranks_is_taken_whole(void **state)
{
    struct fixture *f = *state;
    listen_at(f, "udp://127.0.0.1:0", (struct udp_options){0});
    if (counts(f).receive_buffer < 16 * 1024 * 1024)
        skip(); /* rmem_max of this machine is too small for 16,384 of 768 bytes each */
    for (int i = 0; i < 16384; i++)
        send_seq(f, i);
    wait_for(f, 16384);
    assert_int_equal(counts(f).kernel_dropped, 0);
}

static void the_largest_the_oversized_and_the_empty(void **state)
{
    struct fixture *f = *state;
    static char big[65508];
    listen_at(f, "udp://127.0.0.1:0", (struct udp_options){0});
    const char line[] = "{\"rank\":7,\"step\":1,\"compute\":1}\n";
    for (size_t at = 0; at + strlen(line) < 65507; at += strlen(line))
        memcpy(big + at, line, strlen(line));
    memset(big + 65507 / strlen(line) * strlen(line), ' ', 65507 % strlen(line));
    assert_int_equal(send_bytes(f, big, 65508), -1);
    assert_int_equal(errno, EMSGSIZE);
    assert_int_equal(send_bytes(f, "", 0), 0);
    assert_int_equal(send_bytes(f, big, 65507), 65507);
    wait_for(f, (int64_t)(65507 / strlen(line)));
    memset(big, 'x', 65507); /* no line at all in it */
    assert_int_equal(send_bytes(f, big, 65507), 65507);
    settle(f);
    assert_int_equal(counts(f).datagrams, 4);
    assert_int_equal(counts(f).damaged, 0);
    assert_int_equal(f->totals.counts.other + f->totals.counts.damaged, 1);
}

static void random_bytes_harm_nobody(void **state)
{
    struct fixture *f = *state;
    listen_at(f, "udp://127.0.0.1:0", (struct udp_options){0});
    srand(7);
    for (int i = 0; i < 500; i++) {
        char bytes[300];
        size_t size = (size_t)rand() % sizeof bytes;
        for (size_t at = 0; at < size; at++)
            bytes[at] = (char)rand();
        assert_int_equal(send_bytes(f, bytes, size), size);
    }
    settle(f);
    assert_int_equal(counts(f).datagrams + counts(f).kernel_dropped, 501);
    assert_int_equal(f->records, 0);
}

static void a_port_in_use_is_said(void **state)
{
    struct fixture *f = *state;
    char spec[64];
    listen_at(f, "udp://127.0.0.1:0", (struct udp_options){0});
    struct udp *first = f->udp;
    snprintf(spec, sizeof spec, "udp://127.0.0.1:%d", udp_port(first));
    listen_at(f, spec, (struct udp_options){0});
    assert_null(f->udp);
    assert_non_null(strstr(f->message, "is in use; end the program that listens there"));
    assert_non_null(strstr(f->message, spec));
    udp_free(first);
}

static void what_can_not_be_bound_is_said(void **state)
{
    struct fixture *f = *state;
    listen_at(f, "udp://192.0.2.1:9999", (struct udp_options){0});
    assert_null(f->udp);
    assert_string_equal(f->message, "udp://192.0.2.1:9999: is not an address of this machine");
    listen_at(f, "udp://host:99999", (struct udp_options){0});
    assert_null(f->udp);
    assert_non_null(strstr(f->message, "is not udp://HOST:PORT"));
    const char *allow[] = {"10.0.0.0/33"};
    listen_at(f, "udp://:0", (struct udp_options){.allow = allow, .allow_count = 1});
    assert_null(f->udp);
    assert_non_null(strstr(f->message, "10.0.0.0/33: is not a block of addresses"));
}

/* ---- addresses and blocks ---- */

static void addresses_are_parsed(void **state)
{
    static const struct {
        const char *spec;
        int count;
        const char *first;
    } rows[] = {
        {"udp://9999", 2, "127.0.0.1:9999"},
        {"udp://:9999", 2, "127.0.0.1:9999"},
        {"udp://localhost:1", 2, "127.0.0.1:1"},
        {"udp://10.1.2.3:80", 1, "10.1.2.3:80"},
        {"udp://[::1]:65535", 1, "[::1]:65535"},
        {"udp://*:7", 2, "0.0.0.0:7"},
        {"udp://[fe80::2]:7", 1, "[fe80::2]:7"},
        {"udp://0.0.0.0:0", 1, "0.0.0.0:0"},
        {"udp://::1:7", 0, NULL},
        {"udp://", 0, NULL},
        {"udp://1.2.3.4", 0, NULL},
        {"udp://1.2.3.4:", 0, NULL},
        {"udp://1.2.3.4:-1", 0, NULL},
        {"udp://1.2.3.4:65536", 0, NULL},
        {"udp://[::1:7", 0, NULL},
        {"udp://[::1]7", 0, NULL},
        {"tcp://1.2.3.4:7", 0, NULL},
        {"udp://1.2.3.4:7x", 0, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct udp_address address;
        char message[512] = "", text[64];
        int result = udp_address_parse(rows[i].spec, &address, message, sizeof message);
        if (result == 0)
            udp_address_format((struct sockaddr *)&address.bind[0], text, sizeof text);
        if ((result == 0) != (rows[i].count > 0) ||
            (result == 0 && (address.count != rows[i].count || strcmp(text, rows[i].first))))
            fail_msg("row %zu: %s: %d %s", i, rows[i].spec, result, message);
    }
}

static struct sockaddr_storage address_of(const char *text)
{
    struct sockaddr_storage address = {0};
    struct sockaddr_in *four = (struct sockaddr_in *)&address;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&address;
    if (inet_pton(AF_INET, text, &four->sin_addr) == 1)
        four->sin_family = AF_INET;
    else if (inet_pton(AF_INET6, text, &six->sin6_addr) == 1)
        six->sin6_family = AF_INET6;
    return address;
}

static void blocks_say_who_may_send(void **state)
{
    static const struct {
        const char *block, *sender;
        bool in;
    } rows[] = {
        {"10.0.0.0/8", "10.255.0.1", true},
        {"10.0.0.0/8", "11.0.0.1", false},
        {"192.168.1.7", "192.168.1.7", true},
        {"192.168.1.7", "192.168.1.6", false},
        {"192.168.1.0/25", "192.168.1.127", true},
        {"192.168.1.0/25", "192.168.1.128", false},
        {"0.0.0.0/0", "8.8.8.8", true},
        {"0.0.0.0/0", "fd00::1", false},
        {"::/0", "fd00::1", true},
        {"fd00::/8", "fdff::1", true},
        {"fd00::/8", "fc00::1", false},
        {"10.0.0.0/8", "::ffff:10.1.1.1", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct udp_block block;
        struct sockaddr_storage sender = address_of(rows[i].sender);
        if (!udp_block_parse(rows[i].block, &block) ||
            udp_block_has(&block, (struct sockaddr *)&sender) != rows[i].in)
            fail_msg("row %zu: %s in %s", i, rows[i].sender, rows[i].block);
    }
    static const char *const bad[] = {"",  "/8",       "10.0.0.0/",   "10.0.0.0/33", "::/129",
                                      "x", "10.0.0/8", "10.0.0.0/-1", "10.0.0.0/8x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct udp_block block;
        if (udp_block_parse(bad[i], &block))
            fail_msg("%s is no block", bad[i]);
    }
}

static void the_loopback_is_known(void **state)
{
    static const char *const yes[] = {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"};
    static const char *const no[] = {"128.0.0.1", "10.0.0.1", "::2", "::ffff:10.0.0.1"};
    for (size_t i = 0; i < 4; i++) {
        struct sockaddr_storage in = address_of(yes[i]), out = address_of(no[i]);
        assert_true(udp_is_loopback((struct sockaddr *)&in));
        assert_false(udp_is_loopback((struct sockaddr *)&out));
    }
}

/* A sender that is not the loopback, on this machine: its own other address. */
static bool other_address(struct fixture *f, struct sockaddr_in *ret)
{
    struct sockaddr_in far = {.sin_family = AF_INET, .sin_port = htons(9)};
    inet_pton(AF_INET, "192.0.2.1", &far.sin_addr);
    socklen_t size = sizeof *ret;
    int probe = socket(AF_INET, SOCK_DGRAM, 0);
    bool found = connect(probe, (struct sockaddr *)&far, sizeof far) == 0 &&
                 getsockname(probe, (struct sockaddr *)ret, &size) == 0 &&
                 ntohl(ret->sin_addr.s_addr) >> 24 != 127;
    close(probe);
    return found;
}

static void a_sender_outside_needs_permission(void **state)
{
    struct fixture *f = *state;
    struct sockaddr_in own;
    if (!other_address(f, &own))
        skip(); /* this machine has the loopback only */
    char text[64];
    inet_ntop(AF_INET, &own.sin_addr, text, sizeof text);
    const char *allow[] = {text};
    const char *line = "{\"rank\":8,\"step\":1,\"compute\":1}";
    for (int allowed = 0; allowed < 2; allowed++) {
        listen_at(f, "udp://*:0", (struct udp_options){.allow = allow, .allow_count = allowed});
        assert_non_null(f->udp);
        struct sockaddr_in to = own;
        to.sin_port = htons((uint16_t)udp_port(f->udp));
        int fd = socket(AF_INET, SOCK_DGRAM, 0);
        assert_int_equal(sendto(fd, line, strlen(line), 0, (struct sockaddr *)&to, sizeof to),
                         strlen(line));
        close(fd);
        f->records = f->last.rank = 0;
        settle(f);
        assert_int_equal(f->records, allowed);
        assert_int_equal(counts(f).refused, !allowed);
        udp_free(f->udp);
        f->udp = NULL;
    }
}

/* ---- seq ---- */

static struct sockaddr_storage sender_of(unsigned number)
{
    struct sockaddr_storage address = {0};
    struct sockaddr_in *four = (struct sockaddr_in *)&address;
    four->sin_family = AF_INET;
    four->sin_addr.s_addr = htonl(0x0a000000 + number);
    four->sin_port = htons(1000);
    return address;
}

static void note(struct seq *seq, unsigned sender, int64_t number)
{
    struct sockaddr_storage from = sender_of(sender);
    seq_note(seq, (struct sockaddr *)&from, number, 0);
}

static void gaps_are_what_never_arrived(void **state)
{
    struct seq seq = {0};
    for (int i = 100; i < 200; i++)
        if (i % 10 != 5)
            note(&seq, 1, i);
    assert_int_equal(seq.missing, 10);
    for (int i = 0; i < 50; i++)
        note(&seq, 2, i);
    assert_int_equal(seq.missing, 10);
    assert_int_equal(seq.count, 2);
    seq_done(&seq);
}

static void datagrams_that_overtake_each_other_are_no_loss(void **state)
{
    struct seq seq = {0};
    note(&seq, 1, 9);
    for (int i = 0; i < 640; i++) /* each 64 in reverse */
        note(&seq, 1, 10 + i / 64 * 64 + 63 - i % 64);
    assert_int_equal(seq.missing, 0);
    note(&seq, 1, 10 + 600);
    assert_int_equal(seq.doubled, 1);
    assert_int_equal(seq.missing, 0);
    seq_done(&seq);
}

static void a_counter_that_starts_anew_is_no_loss(void **state)
{
    struct seq seq = {0};
    for (int i = 5000; i < 5010; i++)
        note(&seq, 1, i);
    for (int i = 0; i < 10; i++) /* the sender was started again */
        note(&seq, 1, i);
    note(&seq, 1, 12);
    assert_int_equal(seq.missing, 2);
    note(&seq, 1, INT64_C(9007199254740991)); /* nonsense moves nothing */
    note(&seq, 1, 13);
    assert_int_equal(seq.missing, 2);
    seq_done(&seq);
}

static void senders_are_bounded(void **state)
{
    struct seq seq = {0};
    for (unsigned sender = 0; sender < 200000; sender++)
        note(&seq, sender, 5);
    assert_int_equal(seq.count, SEQ_SENDERS_MAX);
    assert_int_equal(seq.size, 2 * SEQ_SENDERS_MAX);
    assert_int_equal(seq.untracked, 200000 - SEQ_SENDERS_MAX);
    note(&seq, 7, 7); /* those that are known are still tracked */
    assert_int_equal(seq.missing, 1);
    struct sockaddr_storage late = sender_of(300000);
    for (int i = 0; i < 8192; i++) /* the others have been silent for long */
        seq_note(&seq, (struct sockaddr *)&late, i, INT64_C(61000000000));
    assert_true(seq.count < 10);
    seq_done(&seq);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(a_datagram_is_a_record),
        T(a_datagram_holds_several_lines_and_glues_to_none),
        T(both_loopbacks_are_bound),
        T(the_granted_buffer_is_said),
        T(what_a_stopped_receiver_drops_is_counted_exactly),
        T(a_burst_of_all_ranks_is_taken_whole),
        T(the_largest_the_oversized_and_the_empty),
        T(random_bytes_harm_nobody),
        T(a_port_in_use_is_said),
        T(what_can_not_be_bound_is_said),
        cmocka_unit_test(addresses_are_parsed),
        cmocka_unit_test(blocks_say_who_may_send),
        cmocka_unit_test(the_loopback_is_known),
        T(a_sender_outside_needs_permission),
        cmocka_unit_test(gaps_are_what_never_arrived),
        cmocka_unit_test(datagrams_that_overtake_each_other_are_no_loss),
        cmocka_unit_test(a_counter_that_starts_anew_is_no_loss),
        cmocka_unit_test(senders_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
