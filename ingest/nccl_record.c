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
    FOLLOW,
};

#define FOLLOW_MOST (1 << 30)

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
    {KEY("p2p_records"), FOLLOW},
    {KEY("coll_records"), FOLLOW},
    {KEY("kernel_events"), KERNELS},
    {KEY("proxy_records"), FOLLOW},
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
    struct nccl_places *places; /* NULL: they are not asked for */
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

void nccl_text_put(struct nccl_record *record, uint8_t key, struct str text)
{
    if (key == ID)
        str_copy(record->communicator, sizeof(record->communicator), text);
    else if (key == NAME)
        str_copy(record->name, sizeof(record->name), text);
    else if (key == HOST)
        str_copy(record->host, sizeof(record->host), text);
    else if (key == OPERATION)
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

struct nccl_number nccl_number_read(uint8_t key, struct str text)
{
    struct nccl_number number = {0};
    switch ((enum key)key) {
    case RANKS:
        number.good = str_to_int(text, 1, RECORD_RANK_MAX, &number.whole);
        break;
    case RANK:
    case NODES:
        number.good = str_to_int(text, 0, RECORD_RANK_MAX, &number.whole);
        break;
    case PID:
    case DUMPED:
    case DROPPED:
        number.good = str_to_int(text, 0, INT64_MAX, &number.whole);
        break;
    case FOLLOW:
        number.good = str_to_int(text, 0, FOLLOW_MOST, &number.whole);
        break;
    case NUMBER:
        number.good = str_to_int(text, 0, RECORD_STEP_MAX, &number.whole);
        break;
    case BUS:
        number.good = log_number_whole(text, NULL, &number.decimal) == LOG_NUMBER;
        break;
    case EXEC:
        number.good = trace_microseconds(text, &number.whole) && number.whole >= 0 &&
                      number.whole <= RECORD_DURATION_MAX_NS;
        break;
    case ENQUEUED:
    case START:
    case STOP:
        number.good = trace_microseconds(text, &number.whole);
        break;
    default:
        break;
    }
    return number;
}

static void put_whole(const struct nccl_number *number, int64_t *to)
{
    if (number->good)
        *to = number->whole;
}

void nccl_number_put(struct nccl_record *record, uint8_t key, const struct nccl_number *number)
{
    bool needed = true; /* what can't be one says that the line is damaged */
    switch ((enum key)key) {
    case RANK:
        put_whole(number, &record->rank);
        break;
    case RANKS:
        put_whole(number, &record->ranks);
        break;
    case NUMBER:
        put_whole(number, &record->number);
        break;
    case DROPPED:
        put_whole(number, &record->dropped);
        break;
    case FOLLOW:
        if (number->good && record->follow <= FOLLOW_MOST)
            record->follow += number->whole; /* of several kinds */
        needed = false;
        break;
    case EXEC:
        record->exec_ns = number->whole;
        break;
    case ENQUEUED:
    case START:
    case STOP:
        take_stamp(record, (enum key)key, number->whole);
        break;
    case NODES:
        put_whole(number, &record->nodes);
        needed = false;
        break;
    case PID:
        put_whole(number, &record->pid);
        needed = false;
        break;
    case DUMPED:
        put_whole(number, &record->dumped_us);
        needed = false;
        break;
    case BUS:
        record->bus_gbs = number->good ? number->decimal : -1;
        needed = false;
        break;
    default:
        needed = false;
        break;
    }
    record->damaged |= needed && !number->good;
}

static void note_place(struct nccl_places *places, enum key key, struct str text, bool is_text)
{
    if (!places || places->count > NCCL_PLACES_MAX)
        return;
    if (places->count < NCCL_PLACES_MAX)
        places->list[places->count] =
            (struct nccl_place){text.p, (uint32_t)text.len, (uint8_t)key, is_text};
    places->count++;
}

static bool take(void *to, enum json_token token, struct str text, unsigned depth)
{
    struct reading *reading = to;
    uint8_t key = (uint8_t)reading->key;
    (void)depth;
    if (token == JSON_KEY) {
        reading->key = key_of(text);
        return wanted(reading, reading->key);
    }
    if (token != JSON_STRING && token != JSON_NUMBER)
        return true;
    note_place(reading->places, reading->key, text, token == JSON_STRING);
    if (token == JSON_STRING) {
        nccl_text_put(reading->record, key, text);
    } else {
        struct nccl_number number = nccl_number_read(key, text);
        nccl_number_put(reading->record, key, &number);
    }
    return true;
}

struct nccl_record nccl_record_none(void)
{
    return (struct nccl_record){.rank = -1, .number = -1, .pid = -1, .exec_ns = -1, .bus_gbs = -1};
}

void nccl_record_end(struct nccl_record *record)
{
    record->has_header = record->communicator[0] && record->rank >= 0 && record->ranks > 0;
}

bool nccl_record_read(struct nccl_record *record, struct str text, struct nccl_places *places)
{
    struct json_push json;
    struct reading reading = {.record = record, .places = places};
    *record = nccl_record_none();
    if (places)
        places->count = 0;
    json_push_init(&json, take, &reading);
    json_push_bytes(&json, text.p, text.len);
    nccl_record_end(record);
    return json_push_end(&json);
}
