/* Two files: records in a pattern, any others, and lines that are none. */
#include "replay_input.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "record_json.h"

#define RECORDS_MAX 1500
#define RANKS_MAX 6
#define MS INT64_C(1000000)

struct maker {
    const uint8_t *at, *end;
    FILE *files[REPLAY_INPUT_FILES];
    int64_t step, begin_ns;
    uint32_t random;
    int records;
};

static uint8_t next(struct maker *maker)
{
    return maker->at < maker->end ? *maker->at++ : 0;
}

static uint32_t shaken(struct maker *maker, uint32_t below)
{
    maker->random = maker->random * 1664525u + 1013904223u;
    return below ? (maker->random >> 8) % below : 0;
}

static void put(struct maker *maker, struct record record)
{
    char line[RECORD_JSON_MAX];
    if (maker->records++ >= RECORDS_MAX)
        return;
    size_t length = record_json_write(line, &record);
    fwrite(line, 1, length, maker->files[record.rank % REPLAY_INPUT_FILES]);
}

static void add_steps(struct maker *maker)
{
    uint8_t a = next(maker), b = next(maker), steps = next(maker) % 48;
    uint32_t ranks = 1 + a % RANKS_MAX;
    for (int s = 0; s <= steps; s++, maker->step += maker->step < RECORD_STEP_MAX) {
        int64_t work[RANKS_MAX], most = 0;
        for (uint32_t r = 0; r < ranks; r++) {
            work[r] = 500 * MS + shaken(maker, 1 + b % 64) * MS;
            work[r] += r == a / 8 % ranks ? b / 64 * 60 * MS : 0;
            most = work[r] > most ? work[r] : most;
        }
        for (uint32_t r = 0; r < ranks; r++) {
            struct record record = {.rank = r, .step = maker->step, .begin_ns = maker->begin_ns};
            record.has = RECORD_RANK | RECORD_STEP | RECORD_FORWARD | RECORD_SYNC |
                         (b & 32 ? RECORD_BEGIN : 0) | (b & 16 ? RECORD_HOST : 0);
            record.phase_ns[PHASE_FORWARD] = work[r];
            record.phase_ns[PHASE_SYNC] = most - work[r] + 30 * MS;
            record.host = str_from(r / 2 ? "</script>\"'&\x1b[31m" : "node1");
            if (b != 77 || r != 1) /* a rank that is missing for a while */
                put(maker, record);
        }
        maker->begin_ns += most + 40 * MS;
    }
}

static void add_any(struct maker *maker)
{
    uint8_t a = next(maker), b = next(maker);
    int64_t step = maker->step + (int8_t)b;
    struct record record = {
        .rank = a % RANKS_MAX,
        .step = step < 0                 ? 0
                : step > RECORD_STEP_MAX ? RECORD_STEP_MAX
                                         : step,
        .step_time_ns = a * a * MS,
        .begin_ns = b * (RECORD_BEGIN_MAX_NS / 256),
    };
    record.has = RECORD_RANK | RECORD_STEP | RECORD_STEP_TIME | (a & 1 ? RECORD_BEGIN : 0);
    put(maker, record);
}

/* What is no record, and the end of a file in the middle of a line. */
static void add_bytes(struct maker *maker)
{
    static const char *const lines[] = {"\n",
                                        "{\"rank\":1,",
                                        "training started\n",
                                        "{}\n",
                                        "{\"rank\":0,\"step\":-1}\n",
                                        "\xff\xfe\n",
                                        "]\n",
                                        "\r\n"};
    uint8_t a = next(maker);
    fputs(lines[a % 8], maker->files[a / 8 % REPLAY_INPUT_FILES]);
}

static void act(struct maker *maker)
{
    uint8_t byte = next(maker);
    switch (byte % 8) {
    case 0:
        maker->step -= next(maker);
        maker->step = maker->step < 0 ? 0 : maker->step;
        break;
    case 1:
        maker->step = byte == 0xF9 ? RECORD_STEP_MAX - 90 : maker->step + next(maker);
        break;
    case 2:
        add_bytes(maker);
        break;
    case 3:
        maker->begin_ns += (next(maker) - 100) * 10000 * MS;
        if (maker->begin_ns < 0 || maker->begin_ns > RECORD_BEGIN_MAX_NS / 2)
            maker->begin_ns = 0;
        break;
    case 4:
        add_any(maker);
        break;
    default:
        add_steps(maker);
    }
}

void replay_input_make(struct replay_input *input, const uint8_t *data, size_t size)
{
    struct maker maker = {.at = data, .end = data + size, .begin_ns = 1700000000000 * MS};
    uint8_t a = next(&maker), b = next(&maker);
    *input = (struct replay_input){.random = 1u + b};
    analysis_options_init(&input->options);
    input->options.keep_history = false;
    input->options.close_lag = 1 + a % 4;
    input->options.run.window = a & 4 ? 50 : 4;
    input->options.max_ranks = a & 8 ? 4 : 65536;
    input->memory_bytes = a & 16 ? 1 : a & 32 ? 1 << 20 : 0;
    input->distance = a & 64 ? 40 : 300;
    input->threads = a & 128 ? 2 : 1;
    maker.random = 1u + b;
    for (int i = 0; i < REPLAY_INPUT_FILES; i++) {
        input->descriptors[i] = memfd_create("replayed", MFD_CLOEXEC);
        int copy = dup(input->descriptors[i]);
        maker.files[i] = copy < 0 ? NULL : fdopen(copy, "w");
        if (!maker.files[i])
            abort();
        snprintf(input->paths[i], sizeof(input->paths[i]), "/proc/self/fd/%d",
                 input->descriptors[i]);
    }
    while (maker.at < maker.end && maker.records < RECORDS_MAX)
        act(&maker);
    for (int i = 0; i < REPLAY_INPUT_FILES; i++)
        fclose(maker.files[i]);
}

void replay_input_done(struct replay_input *input)
{
    for (int i = 0; i < REPLAY_INPUT_FILES; i++)
        close(input->descriptors[i]);
}
