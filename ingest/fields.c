/* The table of a record's keys. */
#include "fields.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define DURATION(name, bit, member)                                                                \
    {                                                                                              \
        name, FIELD_SECONDS, bit, offsetof(struct record, member), RECORD_DURATION_MAX_NS,         \
            name " is out of range (0 to 1000000 seconds)"                                         \
    }

const struct field_info field_infos[FIELD_COUNT] = {
    [FIELD_RANK] = {"rank", FIELD_INTEGER, RECORD_RANK, offsetof(struct record, rank),
                    RECORD_RANK_MAX, "rank is out of range (0 to 1048575)"},
    [FIELD_STEP] = {"step", FIELD_INTEGER, RECORD_STEP, offsetof(struct record, step),
                    RECORD_STEP_MAX, "step is out of range (0 to 9007199254740991)"},
    [FIELD_T] = {"t", FIELD_SECONDS, RECORD_BEGIN, offsetof(struct record, begin_ns),
                 RECORD_BEGIN_MAX_NS, "t is out of range (Unix seconds, 0 to 9000000000)"},
    [FIELD_DATA] = DURATION("data", RECORD_DATA, phase_ns[PHASE_DATA]),
    [FIELD_FORWARD] = DURATION("forward", RECORD_FORWARD, phase_ns[PHASE_FORWARD]),
    [FIELD_BACKWARD] = DURATION("backward", RECORD_BACKWARD, phase_ns[PHASE_BACKWARD]),
    [FIELD_SYNC] = DURATION("sync", RECORD_SYNC, phase_ns[PHASE_SYNC]),
    [FIELD_OPTIMIZER] = DURATION("optimizer", RECORD_OPTIMIZER, phase_ns[PHASE_OPTIMIZER]),
    [FIELD_COMPUTE] = DURATION("compute", RECORD_COMPUTE, compute_ns),
    [FIELD_STEP_TIME] = DURATION("step_time", RECORD_STEP_TIME, step_time_ns),
    [FIELD_TOKENS] = {"tokens", FIELD_INTEGER, RECORD_TOKENS, offsetof(struct record, tokens),
                      RECORD_TOKENS_MAX, "tokens is out of range (0 to 1e15)"},
    [FIELD_SEQ] = {"seq", FIELD_INTEGER, RECORD_SEQ, offsetof(struct record, seq), RECORD_STEP_MAX,
                   "seq is out of range (0 to 9007199254740991)"},
    [FIELD_HOST] = {"host", FIELD_TEXT, RECORD_HOST, offsetof(struct record, host), 0, NULL},
    [FIELD_GROUP] = {"group", FIELD_TEXT, RECORD_GROUP, offsetof(struct record, group), 0, NULL},
    [FIELD_SIMULATED] = {"simulated", FIELD_FLAG, RECORD_SIMULATED, 0, 0, NULL},
    [FIELD_COMPUTED] = {"computed", FIELD_FLAG, RECORD_COMPUTED, 0, 0, NULL},
    [FIELD_PART] = {"part", FIELD_FLAG, RECORD_PART, 0, 0, NULL},
    [FIELD_EVENT] = {"event", FIELD_WORD, RECORD_ANY_EVENT, 0, 0, NULL},
    [FIELD_JOB] = {"job", FIELD_FLAG, RECORD_JOB, 0, 0, NULL},
    [FIELD_SPAN] = {"steps", FIELD_INTEGER, RECORD_SPAN, offsetof(struct record, span),
                    RECORD_SPAN_MAX, "steps is out of range (1 to 1e9)", .min = 1},
    [FIELD_FLOPS] = {"flops", FIELD_INTEGER, RECORD_FLOPS, offsetof(struct record, flops),
                     RECORD_FLOPS_MAX, "flops is out of range (FLOP/s of one GPU, 0 to 1e18)"},
    [FIELD_MFU] = {"mfu", FIELD_SECONDS, RECORD_MFU, offsetof(struct record, mfu), RECORD_MFU_MAX,
                   "mfu is out of range (a share, 0 to 100)"},
    [FIELD_GPUS] = {"gpus", FIELD_INTEGER, RECORD_GPUS, offsetof(struct record, gpus),
                    RECORD_RANK_MAX, "gpus is out of range (1 to 1048575)", .min = 1},
};

enum field field_of(const char *key, size_t len)
{
    for (int f = 0; f < FIELD_COUNT; f++) {
        const char *name = field_infos[f].name;
        if (key[0] == name[0] && strlen(name) == len && memcmp(key, name, len) == 0)
            return (enum field)f;
    }
    return FIELD_UNKNOWN;
}

bool field_put(struct record *record, enum field field, int64_t value, const char **ret_why)
{
    const struct field_info *info = &field_infos[field];
    assert(info->type == FIELD_INTEGER || info->type == FIELD_SECONDS);
    if (value < info->min || value > info->max) {
        *ret_why = info->range;
        return false;
    }
    if (field == FIELD_RANK)
        record->rank = (uint32_t)value;
    else
        memcpy((char *)record + info->offset, &value, sizeof(value));
    record->has |= info->bit;
    return true;
}

bool field_put_double(struct record *record, enum field field, double value, const char **ret_why)
{
    const struct field_info *info = &field_infos[field];
    double unit = info->type == FIELD_SECONDS ? 1e9 : 1;
    if (!(value >= (double)info->min) || !(value * unit <= (double)info->max)) {
        *ret_why = info->range;
        return false;
    }
    if (field == FIELD_T)
        return field_put(record, field, llround(value * 1e6) * 1000, ret_why);
    if (info->type == FIELD_SECONDS)
        return field_put(record, field, llround(value * 1e9), ret_why);
    if (field == FIELD_FLOPS) /* worked out, so seldom whole */
        value = round(value);
    if (value != floor(value)) {
        *ret_why = "a number of steps, ranks, tokens and the like must be whole";
        return false;
    }
    return field_put(record, field, (int64_t)value, ret_why);
}

void field_put_text(struct record *record, enum field field, struct str text)
{
    const struct field_info *info = &field_infos[field];
    assert(info->type == FIELD_TEXT);
    memcpy((char *)record + info->offset, &text, sizeof(text));
    record->has |= info->bit;
}

void field_put_event(struct record *record, struct str text)
{
    record->has &= ~(uint32_t)RECORD_ANY_EVENT;
    if (str_is(text, "checkpoint"))
        record->has |= RECORD_CHECKPOINT;
    else if (str_is(text, "validation"))
        record->has |= RECORD_VALIDATION;
}

bool record_is_timing(const struct record *record)
{
    return (record->has & RECORD_STEP) && (record->has & RECORD_ANY_TIME);
}
