/* One line of NCCL's Inspector. */
#include "nccl_record.h"

#include <string.h>

#include "json_push.h"
#include "log_text.h"
#include "record.h"
#include "trace_time.h"

enum key {
    NO_KEY,
    HEADER, /* an object whose inside is wanted */
    COLLECTIVE,
    PAIR,
    DUMP,
    PROXY,
    TRACE, /* event_trace_ts */
    KERNELS,
    ID,
    NAME,
    HOST,
    OPERATION,
    RANK,
    RANKS,
    NODES,
    PID,
    DUMPED,
    NUMBER,
    EXEC,
    BUS,
    ENQUEUED,
    START,
    STOP,
    DROPPED,
};

#define KEY(text)                                                                                  \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }

/* The shortest first. */
static const struct {
    struct str text;
    enum key key;
} keys[] = {
    {KEY("id"), ID},
    {KEY("p2p"), OPERATION},
    {KEY("pid"), PID},
    {KEY("coll"), OPERATION},
    {KEY("rank"), RANK},
    {KEY("header"), HEADER},
    {KEY("nnodes"), NODES},
    {KEY("p2p_sn"), NUMBER},
    {KEY("n_ranks"), RANKS},
    {KEY("coll_sn"), NUMBER},
    {KEY("metadata"), HEADER},
    {KEY("p2p_perf"), PAIR},
    {KEY("hostname"), HOST},
    {KEY("coll_perf"), COLLECTIVE},
    {KEY("comm_name"), NAME},
    {KEY("dump_stats"), DUMP},
    {KEY("proxy_trace"), PROXY},
    {KEY("kernel_events"), KERNELS},
    {KEY("coll_start_ts"), ENQUEUED},
    {KEY("event_trace_ts"), TRACE},
    {KEY("coll_busbw_gbs"), BUS},
    {KEY("kernel_stop_ts"), STOP},
    {KEY("kernel_start_ts"), START},
    {KEY("p2p_exec_time_us"), EXEC},
    {KEY("dump_timestamp_us"), DUMPED},
    {KEY("coll_exec_time_us"), EXEC},
    {KEY("coll_dropped_since_last_dump"), DROPPED},
};

struct reading {
    struct nccl_record *record;
    enum key key;
};

static enum key key_of(struct str text)
{
    const size_t count = sizeof(keys) / sizeof(keys[0]);
    size_t i = 0;
    while (i < count && keys[i].text.len < text.len)
        i++;
    for (; i < count && keys[i].text.len == text.len; i++)
        if (memcmp(keys[i].text.p, text.p, text.len) == 0)
            return keys[i].key;
    return NO_KEY;
}

static bool wanted(struct reading *reading, enum key key)
{
    static const enum nccl_kind kinds[] = {[COLLECTIVE] = NCCL_COLLECTIVE,
                                           [PAIR] = NCCL_PAIR,
                                           [DUMP] = NCCL_DUMP,
                                           [PROXY] = NCCL_PROXY};
    if (key >= COLLECTIVE && key <= PROXY)
        reading->record->kind = kinds[key];
    return key != NO_KEY && key != PROXY;
}

static void take_text(struct reading *reading, struct str text)
{
    struct nccl_record *record = reading->record;
    if (reading->key == ID)
        str_copy(record->communicator, sizeof(record->communicator), text);
    else if (reading->key == NAME)
        str_copy(record->name, sizeof(record->name), text);
    else if (reading->key == HOST)
        str_copy(record->host, sizeof(record->host), text);
    else if (reading->key == OPERATION)
        str_copy(record->operation, sizeof(record->operation), text);
}

/* Of several kernels the first to start and the last to stop; 0 is none. */
static void take_stamp(struct nccl_record *record, enum key key, int64_t ns)
{
    if (ns <= 0)
        return;
    if (key == ENQUEUED)
        record->enqueued_ns = ns;
    else if (key == START)
        record->arrival_ns =
            record->arrival_ns == 0 || ns < record->arrival_ns ? ns : record->arrival_ns;
    else if (ns > record->release_ns)
        record->release_ns = ns;
}

static void take_number(struct reading *reading, struct str text)
{
    struct nccl_record *record = reading->record;
    int64_t ns = 0;
    double value;
    switch (reading->key) {
    case RANK:
        record->damaged |= !str_to_int(text, 0, RECORD_RANK_MAX, &record->rank);
        break;
    case RANKS:
        record->damaged |= !str_to_int(text, 1, RECORD_RANK_MAX, &record->ranks);
        break;
    case NODES:
        str_to_int(text, 0, RECORD_RANK_MAX, &record->nodes);
        break;
    case PID:
        str_to_int(text, 0, INT64_MAX, &record->pid);
        break;
    case DUMPED:
        str_to_int(text, 0, INT64_MAX, &record->dumped_us);
        break;
    case NUMBER:
        record->damaged |= !str_to_int(text, 0, RECORD_STEP_MAX, &record->number);
        break;
    case DROPPED:
        record->damaged |= !str_to_int(text, 0, INT64_MAX, &record->dropped);
        break;
    case BUS:
        record->bus_gbs = log_number_whole(text, NULL, &value) == LOG_NUMBER ? value : -1;
        break;
    case EXEC:
        record->damaged |= !trace_microseconds(text, &ns) || ns < 0 || ns > RECORD_DURATION_MAX_NS;
        record->exec_ns = ns;
        break;
    case ENQUEUED:
    case START:
    case STOP:
        record->damaged |= !trace_microseconds(text, &ns);
        take_stamp(record, reading->key, ns);
        break;
    default:
        break;
    }
}

static bool take(void *to, enum json_token token, struct str text, unsigned depth)
{
    struct reading *reading = to;
    (void)depth;
    if (token == JSON_KEY) {
        reading->key = key_of(text);
        return wanted(reading, reading->key);
    }
    if (token == JSON_STRING)
        take_text(reading, text);
    else if (token == JSON_NUMBER)
        take_number(reading, text);
    return true;
}

bool nccl_record_read(struct nccl_record *record, struct str text)
{
    struct json_push json;
    struct reading reading = {.record = record};
    *record =
        (struct nccl_record){.rank = -1, .number = -1, .pid = -1, .exec_ns = -1, .bus_gbs = -1};
    json_push_init(&json, take, &reading);
    json_push_bytes(&json, text.p, text.len);
    record->has_header = record->communicator[0] && record->rank >= 0 && record->ranks > 0;
    return json_push_end(&json);
}
