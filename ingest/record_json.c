/* Writes a record as one line of JSON. */
#include "record_json.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

static const char digit_pairs[201] = "0001020304050607080910111213141516171819"
                                     "2021222324252627282930313233343536373839"
                                     "4041424344454647484950515253545556575859"
                                     "6061626364656667686970717273747576777879"
                                     "8081828384858687888990919293949596979899";

static char *put_pair(char *to, unsigned pair)
{
    memcpy(to, digit_pairs + 2 * pair, 2);
    return to + 2;
}

static char *put_unsigned(char *to, uint64_t value)
{
    char digits[20], *first = digits + sizeof digits;
    while (value >= 100) {
        first -= 2;
        put_pair(first, (unsigned)(value % 100));
        value /= 100;
    }
    if (value >= 10) {
        first -= 2;
        put_pair(first, (unsigned)value);
    } else {
        *--first = (char)('0' + value);
    }
    size_t length = (size_t)(digits + sizeof digits - first);
    memcpy(to, first, length);
    return to + length;
}

static char *put_seconds(char *to, int64_t ns, bool exact)
{
    assert(ns >= 0 && ns <= RECORD_BEGIN_MAX_NS);
    unsigned below_us = exact ? (unsigned)(ns % 1000) : 0;
    uint64_t us = below_us ? (uint64_t)ns / 1000 : ((uint64_t)ns + 500) / 1000;
    unsigned fraction = (unsigned)(us % 1000000);
    to = put_unsigned(to, us / 1000000);
    *to++ = '.';
    to = put_pair(to, fraction / 10000);
    to = put_pair(to, fraction / 100 % 100);
    to = put_pair(to, fraction % 100);
    if (below_us) {
        *to++ = (char)('0' + below_us / 100);
        to = put_pair(to, below_us % 100);
    }
    return to;
}

/* The length of the UTF-8 sequence that begins there, 0 when it is not one:
 * overlong forms, surrogates and what is past U+10FFFF are not. */
static size_t utf8_length(const unsigned char *p, size_t left)
{
    size_t length = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    if (length == 0 || length > left || p[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    }
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
        (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
        return 0;
    return length;
}

static char *put_escape(char *to, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    if (c == '"' || c == '\\') {
        *to++ = '\\';
        *to++ = (char)c;
        return to;
    }
    memcpy(to, "\\u00", 4);
    to[4] = hex[c >> 4];
    to[5] = hex[c & 15];
    return to + 6;
}

static char *put_string(char *to, struct str text)
{
    const unsigned char *p = (const unsigned char *)text.p;
    size_t taken = 0;
    *to++ = '"';
    while (taken < text.len) {
        size_t length = utf8_length(p + taken, text.len - taken);
        if (taken + (length ? length : 1) > RECORD_JSON_NAME_MAX)
            break;
        if (length == 0) {
            memcpy(to, "\xef\xbf\xbd", 3);
            to += 3;
            length = 1;
        } else if (length == 1 &&
                   (p[taken] < 0x20 || p[taken] == 0x7f || p[taken] == '"' || p[taken] == '\\')) {
            to = put_escape(to, p[taken]);
        } else {
            memcpy(to, p + taken, length);
            to += length;
        }
        taken += length;
    }
    *to++ = '"';
    return to;
}

/* A key with its quotes, the comma before it and the colon behind it. */
#define PUT_KEY(to, name)                                                                          \
    ((char *)memcpy((to), ",\"" name "\":", sizeof(name) + 3) + sizeof(name) + 3)

static char *put_times(char *to, const struct record *record, bool exact)
{
    uint32_t has = record->has;
    if (has & RECORD_BEGIN)
        to = put_seconds(PUT_KEY(to, "t"), record->begin_ns, exact);
    if (has & RECORD_DATA)
        to = put_seconds(PUT_KEY(to, "data"), record->phase_ns[PHASE_DATA], exact);
    if (has & RECORD_FORWARD)
        to = put_seconds(PUT_KEY(to, "forward"), record->phase_ns[PHASE_FORWARD], exact);
    if (has & RECORD_BACKWARD)
        to = put_seconds(PUT_KEY(to, "backward"), record->phase_ns[PHASE_BACKWARD], exact);
    if (has & RECORD_SYNC)
        to = put_seconds(PUT_KEY(to, "sync"), record->phase_ns[PHASE_SYNC], exact);
    if (has & RECORD_OPTIMIZER)
        to = put_seconds(PUT_KEY(to, "optimizer"), record->phase_ns[PHASE_OPTIMIZER], exact);
    if (has & RECORD_COMPUTE)
        to = put_seconds(PUT_KEY(to, "compute"), record->compute_ns, exact);
    if (has & RECORD_STEP_TIME)
        to = put_seconds(PUT_KEY(to, "step_time"), record->step_time_ns, exact);
    return to;
}

static char *put_true(char *to)
{
    return (char *)memcpy(to, "true", 4) + 4;
}

/* A share, with nine decimals: as it is kept. */
static char *put_share(char *to, int64_t share)
{
    assert(share >= 0 && share <= RECORD_MFU_MAX);
    to = put_unsigned(to, (uint64_t)share / 1000000000);
    *to++ = '.';
    unsigned below = (unsigned)(share % 1000000000);
    to = put_pair(to, below / 10000000);
    to = put_pair(to, below / 100000 % 100);
    to = put_pair(to, below / 1000 % 100);
    to = put_pair(to, below / 10 % 100);
    *to++ = (char)('0' + below % 10);
    return to;
}

/* What is said of the step as a whole. */
static char *put_job(char *to, const struct record *record)
{
    uint32_t has = record->has;
    assert(record->span >= 0 || !(has & RECORD_SPAN));
    assert(record->flops >= 0 || !(has & RECORD_FLOPS));
    assert(record->gpus >= 0 || !(has & RECORD_GPUS));
    if (has & RECORD_SPAN)
        to = put_unsigned(PUT_KEY(to, "steps"), (uint64_t)record->span);
    if (has & RECORD_FLOPS)
        to = put_unsigned(PUT_KEY(to, "flops"), (uint64_t)record->flops);
    if (has & RECORD_MFU)
        to = put_share(PUT_KEY(to, "mfu"), record->mfu);
    if (has & RECORD_GPUS)
        to = put_unsigned(PUT_KEY(to, "gpus"), (uint64_t)record->gpus);
    return has & RECORD_JOB ? put_true(PUT_KEY(to, "job")) : to;
}

static size_t put_record(char *to, const struct record *record, bool exact)
{
    char *end = to; /* each field puts a comma before itself; the first becomes the brace */
    uint32_t has = record->has;
    if ((has & RECORD_RANK) && !(has & RECORD_JOB))
        end = put_unsigned(PUT_KEY(end, "rank"), record->rank);
    if (has & RECORD_STEP) {
        assert(record->step >= 0);
        end = put_unsigned(PUT_KEY(end, "step"), (uint64_t)record->step);
    }
    end = put_times(end, record, exact);
    if (has & RECORD_TOKENS) {
        assert(record->tokens >= 0);
        end = put_unsigned(PUT_KEY(end, "tokens"), (uint64_t)record->tokens);
    }
    if (has & RECORD_HOST)
        end = put_string(PUT_KEY(end, "host"), record->host);
    if (has & RECORD_GROUP)
        end = put_string(PUT_KEY(end, "group"), record->group);
    if (has & RECORD_SEQ) {
        assert(record->seq >= 0);
        end = put_unsigned(PUT_KEY(end, "seq"), (uint64_t)record->seq);
    }
    if (has & RECORD_CHECKPOINT)
        end = put_string(PUT_KEY(end, "event"), str_from("checkpoint"));
    else if (has & RECORD_VALIDATION)
        end = put_string(PUT_KEY(end, "event"), str_from("validation"));
    if (has & RECORD_SIMULATED)
        end = put_true(PUT_KEY(end, "simulated"));
    if (has & RECORD_COMPUTED)
        end = put_true(PUT_KEY(end, "computed"));
    if (has & RECORD_PART)
        end = put_true(PUT_KEY(end, "part"));
    if (has & RECORD_ANY_JOB)
        end = put_job(end, record);
    if (end == to)
        end++;
    *to = '{';
    *end++ = '}';
    *end++ = '\n';
    return (size_t)(end - to);
}

size_t record_json_write(char to[static RECORD_JSON_MAX], const struct record *record)
{
    return put_record(to, record, false);
}

size_t record_json_write_exact(char to[static RECORD_JSON_MAX], const struct record *record)
{
    return put_record(to, record, true);
}
