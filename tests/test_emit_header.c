/* samples/emit/lockstep.h writes lines that lockstep reads, and harms nobody
 * when it cannot. */
#include "../samples/emit/lockstep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>

#include "stream.h"

static char folder[] = "/tmp/lockstep-emit-XXXXXX";

/* The records of what stands in `text`; what is none is counted in *totals. */
static int read_records(const char *text, size_t length, struct stream_totals *totals,
                        struct record *records, int room)
{
    struct stream *stream = stream_new("test", totals);
    int count = 0;
    while (length) {
        size_t space;
        char *to = stream_space(stream, length, &space);
        size_t n = space < length ? space : length;
        memcpy(to, text, n);
        stream_filled(stream, n);
        text += n;
        length -= n;
        while (count < room && stream_next(stream, &records[count]))
            count++;
    }
    stream_free(stream);
    return count;
}

static size_t read_file(const char *path, char *to, size_t size)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t length = fread(to, 1, size, file);
    fclose(file);
    unlink(path);
    return length;
}

static void pass_time(long ns)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (lockstep_seconds(begin, now) * 1e9 < (double)ns);
}

static void steps_with_phases_become_records(void **state)
{
    struct lockstep_writer writer;
    assert_int_equal(lockstep_open(&writer, folder, 5), 0);
    writer.tokens = 256;
    for (int step = 0; step < 100; step++) {
        lockstep_step_begin(&writer, step);
        lockstep_phase(&writer, "forward");
        pass_time(20000);
        lockstep_phase(&writer, "backward");
        lockstep_phase(&writer, "forward");
        pass_time(20000);
        lockstep_phase(&writer, "no such phase");
        lockstep_step_end(&writer);
    }
    assert_int_equal(writer.errors, 0);
    lockstep_close(&writer);

    char path[64], text[64 * 1024];
    snprintf(path, sizeof path, "%s/rank5.jsonl", folder);
    size_t length = read_file(path, text, sizeof text);
    static struct record records[128];
    struct stream_totals totals = {0};
    assert_int_equal(read_records(text, length, &totals, records, 128), 100);
    assert_int_equal(totals.counts.other + totals.counts.damaged, 0);
    for (int step = 0; step < 100; step++) {
        assert_int_equal(records[step].rank, 5);
        assert_int_equal(records[step].step, step);
        assert_int_equal(records[step].tokens, 256);
        assert_true(records[step].phase_ns[PHASE_FORWARD] >= 40000);
        assert_int_equal(records[step].has & RECORD_ANY_TIME, RECORD_FORWARD | RECORD_BACKWARD);
        assert_true(step == 0 || records[step].begin_ns >= records[step - 1].begin_ns);
    }
}

static void an_event_belongs_to_one_step(void **state)
{
    static const char *const events[] = {NULL, "checkpoint", NULL, "validation", "lunch"};
    static const uint32_t bits[] = {0, RECORD_CHECKPOINT, 0, RECORD_VALIDATION, 0, 0};
    struct lockstep_writer writer;
    char path[64], text[4096];
    snprintf(path, sizeof path, "%s/events.jsonl", folder);
    assert_int_equal(lockstep_open(&writer, path, 1), 0);
    for (int step = 0; step < 5; step++) {
        lockstep_step_begin(&writer, step);
        if (events[step])
            lockstep_event(&writer, events[step]);
        lockstep_step_end(&writer);
    }
    lockstep_close(&writer);
    struct record records[6];
    struct stream_totals totals = {0};
    size_t length = read_file(path, text, sizeof text);
    assert_int_equal(read_records(text, length, &totals, records, 6), 5);
    for (int step = 0; step < 5; step++)
        assert_int_equal(records[step].has & RECORD_ANY_EVENT, bits[step]);
}

static void a_step_without_phases_has_its_step_time(void **state)
{
    struct lockstep_writer writer;
    char path[64], text[1024];
    snprintf(path, sizeof path, "%s/one.jsonl", folder);
    setenv("RANK", "7", 1);
    assert_int_equal(lockstep_open(&writer, path, -1), 0);
    lockstep_step_begin(&writer, 3);
    pass_time(1000000);
    lockstep_step_end(&writer);
    lockstep_step_end(&writer); /* once too often writes nothing */
    lockstep_close(&writer);
    struct record record;
    struct stream_totals totals = {0};
    size_t length = read_file(path, text, sizeof text);
    assert_int_equal(read_records(text, length, &totals, &record, 1), 1);
    assert_int_equal(record.rank, 7);
    assert_int_equal(record.step, 3);
    assert_int_equal(record.has & RECORD_ANY_TIME, RECORD_STEP_TIME);
    assert_true(record.step_time_ns >= 1000000);
}

static void datagrams_carry_seq(void **state)
{
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    assert_int_equal(bind(fd, (struct sockaddr *)&address, size), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    char where[64], text[2048];
    snprintf(where, sizeof where, "udp://127.0.0.1:%d", ntohs(address.sin_port));
    struct lockstep_writer writer;
    assert_int_equal(lockstep_open(&writer, where, 2), 0);
    for (int step = 0; step < 3; step++) {
        lockstep_step_begin(&writer, step);
        lockstep_phase(&writer, "compute");
        lockstep_step_end(&writer);
    }
    for (int step = 0; step < 3; step++) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        assert_int_equal(poll(&wait, 1, 5000), 1);
        ssize_t length = recv(fd, text, sizeof text, 0);
        struct record record;
        struct stream_totals totals = {0};
        assert_int_equal(read_records(text, (size_t)length, &totals, &record, 1), 1);
        assert_int_equal(record.seq, step);
        assert_int_equal(record.rank, 2);
        assert_int_equal(text[0], '{');
    }
    close(fd);
    lockstep_step_begin(&writer, 3); /* nobody listens: no signal, no wait */
    lockstep_step_end(&writer);
    lockstep_step_begin(&writer, 4);
    lockstep_step_end(&writer);
    lockstep_close(&writer);
}

static void what_cannot_be_written_is_counted(void **state)
{
    static const char *const wheres[] = {"/nosuchfolder/x", "/nosuchfolder/x.jsonl",    "udp://",
                                         "udp://127.0.0.1", "udp://127.0.0.1:notaport", ""};
    for (size_t i = 0; i < sizeof wheres / sizeof *wheres; i++) {
        struct lockstep_writer writer;
        int opened = lockstep_open(&writer, wheres[i], 0);
        if (i < 5)
            assert_int_equal(opened, -1);
        lockstep_phase(&writer, "forward");
        lockstep_step_begin(&writer, 1);
        lockstep_phase(&writer, NULL);
        lockstep_step_end(&writer);
        if (opened != 0)
            assert_int_equal(writer.errors, 1);
        lockstep_close(&writer);
        lockstep_close(&writer);
    }
}

static void a_full_disk_is_counted(void **state)
{
    struct lockstep_writer writer;
    char path[64];
    snprintf(path, sizeof path, "%s/full.jsonl", folder);
    assert_int_equal(symlink("/dev/full", path), 0);
    assert_int_equal(lockstep_open(&writer, path, 0), 0);
    for (int step = 0; step < 5; step++) {
        lockstep_step_begin(&writer, step);
        lockstep_step_end(&writer);
    }
    assert_int_equal(writer.errors, 5);
    lockstep_close(&writer);
    unlink(path);
}

static void a_torn_line_is_ended_before_the_next(void **state)
{
    struct lockstep_writer writer;
    char path[64], text[1024];
    snprintf(path, sizeof path, "%s/torn.jsonl", folder);
    assert_int_equal(lockstep_open(&writer, path, 0), 0);
    assert_int_equal(write(writer.fd, "{\"ra", 4), 4);
    writer.torn = 1;
    lockstep_step_begin(&writer, 1);
    lockstep_step_end(&writer);
    assert_int_equal(writer.torn, 0);
    lockstep_close(&writer);
    size_t length = read_file(path, text, sizeof text);
    struct record record;
    struct stream_totals totals = {0};
    assert_int_equal(read_records(text, length, &totals, &record, 1), 1);
    assert_int_equal(record.step, 1);
}

static int make_folder(void **state)
{
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_with_phases_become_records),
        cmocka_unit_test(an_event_belongs_to_one_step),
        cmocka_unit_test(a_step_without_phases_has_its_step_time),
        cmocka_unit_test(datagrams_carry_seq),
        cmocka_unit_test(what_cannot_be_written_is_counted),
        cmocka_unit_test(a_full_disk_is_counted),
        cmocka_unit_test(a_torn_line_is_ended_before_the_next),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
