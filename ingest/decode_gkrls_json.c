/* The JSON files of GKRLS' trainers, one a rank: {time, config{rank, world_size, ..}, plan,
 * epochs{"0":{steps, step_time, ..}}}. A record an epoch: the mean step time of that rank. */
#include <string.h>

#include "json_push.h"
#include "log_format.h"
#include "log_text.h"

enum place { IN_OTHER, IN_CONFIG, IN_EPOCHS };

struct epoch {
    int64_t number; /* -1: its key is none */
    bool timed, not_number;
    double seconds;
};

struct gkrls_json {
    struct json_push json;
    struct log_out *out; /* during a call */
    enum place place;
    char key[48]; /* of the value that comes */
    int64_t rank; /* -1: not known */
    struct epoch epoch;
    bool told; /* of damage */
};

static bool key_is(const struct gkrls_json *state, const char *name)
{
    return strcmp(state->key, name) == 0;
}

static void put_epoch(struct gkrls_json *state)
{
    const struct epoch *epoch = &state->epoch;
    int64_t ns;
    log_out_events(state->out, 1);
    if (epoch->not_number)
        log_out_count(state->out, LOG_NOT_NUMBER, "epoch %lld", (long long)epoch->number);
    if (epoch->number < 0 || !epoch->timed)
        return;
    if (epoch->seconds <= 0 || !log_duration(epoch->seconds, LOG_SECOND, &ns)) {
        log_out_count(state->out, LOG_IMPOSSIBLE, "epoch %lld: %g s a step",
                      (long long)epoch->number, epoch->seconds);
        return;
    }
    struct record record = {
        .has = RECORD_STEP | RECORD_STEP_TIME, .step = epoch->number, .step_time_ns = ns};
    if (state->rank >= 0) {
        record.rank = (uint32_t)state->rank;
        record.has |= RECORD_RANK;
    }
    log_out_note(state->out, LOG_NOTE_EPOCHS);
    log_out_note(state->out, LOG_NOTE_MEAN);
    log_out_record(state->out, &record);
}

static void take_number(struct gkrls_json *state, struct str text, unsigned depth)
{
    static const char *const times[] = {"step_time_min",    "step_time_max", "epoch_time",
                                        "epoch_train_time", "data_time",     "comp_time",
                                        "micro_step_time"};
    double number;
    if (log_number_whole(text, NULL, &number) != LOG_NUMBER)
        return;
    if (state->place == IN_CONFIG && depth == 2 && key_is(state, "rank"))
        state->rank = number >= 0 && number <= (double)RECORD_RANK_MAX ? (int64_t)number : -1;
    if (state->place != IN_EPOCHS || depth != 3)
        return;
    if (key_is(state, "step_time")) {
        state->epoch.timed = true;
        state->epoch.seconds = number;
    }
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        if (key_is(state, times[i]))
            log_out_value(state->out, str_from(times[i]), "s", number);
}

static bool take_key(struct gkrls_json *state, struct str text, unsigned depth)
{
    str_copy(state->key, sizeof(state->key), text);
    if (depth == 1)
        state->place = str_is(text, "config")   ? IN_CONFIG
                       : str_is(text, "epochs") ? IN_EPOCHS
                                                : IN_OTHER;
    if (state->place == IN_EPOCHS && depth == 2) {
        size_t length;
        state->epoch = (struct epoch){.number = -1};
        if (!log_integer(text, &state->epoch.number, &length) || length != text.len)
            state->epoch.number = -1;
    }
    return state->place != IN_OTHER;
}

static bool take_token(void *to, enum json_token token, struct str text, unsigned depth)
{
    struct gkrls_json *state = to;
    switch (token) {
    case JSON_OBJECT:
        return depth == 0 || (depth == 1 && state->place != IN_OTHER) ||
               (depth == 2 && state->place == IN_EPOCHS);
    case JSON_KEY:
        return take_key(state, text, depth);
    case JSON_OBJECT_END:
        if (depth == 2 && state->place == IN_EPOCHS)
            put_epoch(state);
        return true;
    case JSON_NUMBER:
        take_number(state, text, depth);
        return true;
    case JSON_CONSTANT:
    case JSON_STRING:
        state->epoch.not_number |=
            state->place == IN_EPOCHS && depth == 3 && key_is(state, "step_time");
        return true;
    default:
        return false;
    }
}

static void begin(void *memory, const struct format *format)
{
    struct gkrls_json *state = memory;
    (void)format;
    state->rank = -1;
    json_push_init(&state->json, take_token, state);
}

static void bytes(void *memory, const char *bytes, size_t size, struct log_out *out)
{
    struct gkrls_json *state = memory;
    state->out = out;
    if (json_push_bytes(&state->json, bytes, size) || state->told)
        return;
    state->told = true;
    log_out_damaged(out, "it is no JSON from here on");
}

static void end(void *memory, struct log_out *out)
{
    struct gkrls_json *state = memory;
    if (!state->told && !json_push_empty(&state->json) && !json_push_end(&state->json))
        log_out_damaged(out, "the document ends too early");
}

/* It begins with "time" or "config"; lines of JSON, which may begin so too, end soon. */
#define CONFIG_WITHIN 512 /* bytes */

static enum log_sniff sniff(const char *bytes, size_t size, bool whole)
{
    struct str text = str_of(bytes, size), key = log_from(text, 1);
    while (key.len > 0 &&
           (key.p[0] == ' ' || key.p[0] == '\t' || key.p[0] == '\n' || key.p[0] == '\r'))
        key = log_from(key, 1);
    enum log_sniff more = whole || size >= LOG_SNIFF_MAX ? LOG_SNIFF_NO : LOG_SNIFF_MORE;
    if (size == 0 || bytes[0] != '{')
        return LOG_SNIFF_NO;
    if (key.len < 9)
        return key.len > 0 && key.p[0] != '"' ? LOG_SNIFF_NO : more;
    if (!log_begins(key, "\"time\"") && !log_begins(key, "\"config\""))
        return LOG_SNIFF_NO;
    /* It stands near the beginning, or it is none: however much was read at once. */
    size_t config = log_find(log_until(text, CONFIG_WITHIN), "\"config\"");
    size_t line = log_find(text, "}\n");
    if (line < config)
        return LOG_SNIFF_NO;
    if (config == SIZE_MAX)
        return size > CONFIG_WITHIN ? LOG_SNIFF_NO : more;
    bool ours =
        log_find(text, "\"world_size\"") != SIZE_MAX &&
        (log_find(text, "\"straggle") != SIZE_MAX || log_find(text, "\"epochs\"") != SIZE_MAX);
    return ours ? LOG_SNIFF_YES : more;
}

const struct format format_gkrls_json = {
    .name = "gkrls-json",
    .title = "GKRLS trainers (JSON)",
    .needs = "the file of every rank",
    .tells = "every rank's mean step time, an epoch a step",
    .lacks = "single steps and phases: in a synchronous job the mean step is equally long on all "
             "ranks",
    .how = LOG_HOW_PYTHON,
    .state_bytes = sizeof(struct gkrls_json),
    .begin = begin,
    .sniff = sniff,
    .bytes = bytes,
    .end = end};
