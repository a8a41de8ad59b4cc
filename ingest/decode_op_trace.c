/* Op traces as ByteDance's StragglerAnalysis has them, as CSV: one row an operation of a
 * rank in a step, in seconds from that step's own begin, in any order. Records come at
 * the end of the input. */
#include "log_format.h"
#include "log_text.h"
#include "number.h"
#include "op_steps.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define COLUMNS_MAX 32

enum column { STEP, OPERATION, START, DURATION, RANK, DP_RANK, STAGE, NAMED };
static const char *const names[NAMED] = {"step", "optype",  "start_ts", "duration",
                                         "rank", "dp_rank", "stage"};
#define NEEDED ((1u << STEP) | (1u << OPERATION) | (1u << START) | (1u << DURATION) | (1u << RANK))

struct op_trace {
    bool header;
    size_t columns;
    unsigned present; /* bit: that column is there */
    size_t at[NAMED];
    struct op_steps steps;
};

/* ---- fields ---- */

/* A bit for each of the 64 bytes at p that is a comma. *low_line: there may be a '_'. */
static inline uint64_t commas64(const char *p, bool *low_line)
{
    uint64_t commas = 0;
#ifdef __SSE2__
    const __m128i comma = _mm_set1_epi8(','), line = _mm_set1_epi8('_');
    __m128i any = _mm_setzero_si128();
    for (unsigned i = 0; i < 4; i++) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(p + (size_t)16 * i));
        any = _mm_or_si128(any, _mm_cmpeq_epi8(bytes, line));
        uint32_t places = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, comma));
        commas |= (uint64_t)places << (16 * i);
    }
    *low_line |= _mm_movemask_epi8(any) != 0;
#else
    for (unsigned i = 0; i < 64; i++)
        commas |= (uint64_t)(p[i] == ',') << i;
    *low_line = true;
#endif
    return commas;
}

/* Where the fields of a line begin and, one byte before the next one, end. */
struct fields {
    size_t count;      /* more than COLUMNS_MAX are counted only */
    bool has_low_line; /* there may be a '_' */
    struct str line;
    uint32_t begin[COLUMNS_MAX + 1];
};

/* 64 bytes behind the line are readable. */
static void split(struct str line, struct fields *fields)
{
    size_t count = 0;
    fields->has_low_line = false;
    fields->line = line;
    fields->begin[0] = 0;
    for (size_t at = 0; at < line.len; at += 64) {
        uint64_t left = commas64(line.p + at, &fields->has_low_line);
        if (line.len - at < 64)
            left &= (UINT64_C(1) << (line.len - at)) - 1;
        for (; left; left &= left - 1)
            if (++count <= COLUMNS_MAX)
                fields->begin[count] = (uint32_t)at + (uint32_t)__builtin_ctzll(left) + 1;
    }
    if (++count <= COLUMNS_MAX)
        fields->begin[count] = (uint32_t)line.len + 1;
    fields->count = count;
}

static inline struct str field_at(const struct fields *fields, size_t i)
{
    const char *p = fields->line.p + fields->begin[i];
    size_t length = fields->begin[i + 1] - fields->begin[i] - 1;
    struct str field = str_of(p, length);
    if (length > 0 && *p > '\'' && p[length - 1] > '\'') /* neither blanks nor quotes */
        return field;
    return log_unquoted(log_trim(field));
}

static bool read_header(struct op_trace *trace, struct str line)
{
    struct fields fields;
    unsigned present = 0;
    size_t at[NAMED] = {0};
    split(line, &fields);
    size_t count = fields.count;
    for (size_t i = 0; i < count && i < COLUMNS_MAX; i++)
        for (unsigned k = 0; k < NAMED; k++)
            if (str_is(field_at(&fields, i), names[k])) {
                present |= 1u << k;
                at[k] = i;
            }
    if (count > COLUMNS_MAX || (present & NEEDED) != NEEDED)
        return false;
    trace->header = true;
    trace->columns = count;
    trace->present = present;
    memcpy(trace->at, at, sizeof(at));
    return true;
}

/* ---- rows ---- */

/* Of a field, behind which eight bytes are readable: one to eight digits and nothing else. */
static inline bool few_digits(const char *p, size_t length, uint64_t *ret)
{
    if (length == 1 && log_is_digit(*p)) {
        *ret = (uint64_t)(*p - '0');
        return true;
    }
    uint64_t values = number_load8(p);
    if (length == 0 || length > 8 || number_digits8(&values) < length)
        return false;
    *ret = number_value8(values, (unsigned)length);
    return true;
}

/* Most times are one digit, the point and up to eight more: as nanoseconds. */
static inline bool few_seconds(struct str s, int64_t *ret_ns)
{
    uint64_t decimals;
    if (s.len < 3 || !log_is_digit(s.p[0]) || s.p[1] != '.' ||
        !few_digits(s.p + 2, s.len - 2, &decimals))
        return false;
    *ret_ns =
        (s.p[0] - '0') * INT64_C(1000000000) + (int64_t)(decimals * number_power10[11 - s.len]);
    return true;
}

static inline bool whole_number(struct str s, int64_t most, int64_t *ret)
{
    size_t length;
    uint64_t few;
    if (few_digits(s.p, s.len, &few)) {
        *ret = (int64_t)few;
        return *ret <= most;
    }
    if (!log_integer(s, ret, &length) || *ret > most)
        return false;
    /* Pandas writes ".0" where a column has gaps. */
    return length == s.len || str_is(log_from(s, length), ".0");
}

/* Seconds as nanoseconds; false: it was told what is wrong. */
static inline bool seconds(struct str s, int64_t *ret_ns, struct log_out *out)
{
    double value;
    if (few_seconds(s, ret_ns))
        return true;
    enum log_number kind = log_number_whole(s, NULL, &value);
    if (kind == LOG_NO_NUMBER)
        log_out_count(out, LOG_NOT_NUMBER, "%.*s", (int)(s.len < 40 ? s.len : 40), s.p);
    else if (kind == LOG_NUMBER && value < 0)
        log_out_count(out, LOG_IMPOSSIBLE, "an operation with %g s", value);
    else if (kind != LOG_NUMBER || !log_duration(value, LOG_SECOND, ret_ns))
        log_out_damaged(out, "a row of an op trace without a valid time");
    else
        return true;
    return false;
}

/* A bit for each of the sixteen bytes at p that is a letter, a digit, '-' or '_'. */
static inline uint32_t word_bytes16(const char *p)
{
#ifdef __SSE2__
    __m128i bytes = _mm_loadu_si128((const __m128i *)p);
    __m128i letter = _mm_sub_epi8(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), _mm_set1_epi8('a'));
    __m128i digit = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
    __m128i word = _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(letter, _mm_set1_epi8(25)), letter),
                                _mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit));
    word = _mm_or_si128(word, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('-')));
    return (uint32_t)_mm_movemask_epi8(
        _mm_or_si128(word, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('_'))));
#else
    uint32_t word = 0;
    for (unsigned i = 0; i < 16; i++)
        word |= (uint32_t)(log_is_word(p[i]) || p[i] == '-') << i;
    return word;
#endif
}

/* Sixteen bytes behind it are readable. */
static bool is_word(struct str s)
{
    size_t at = 0;
    for (; s.len - at > 16; at += 16)
        if (word_bytes16(s.p + at) != 0xffff)
            return false;
    uint32_t inside = (1u << (s.len - at)) - 1;
    return s.len > 0 && (word_bytes16(s.p + at) & inside) == inside;
}

struct row {
    int64_t step, rank, stage; /* stage: -1: not there */
    struct str operation;
    int64_t start_ns, length_ns;
};

static void put_row(struct op_trace *trace, const struct row *row, bool timed, struct log_out *out)
{
    uint32_t lane = op_steps_lane(&trace->steps, row->rank, 0);
    if (lane != UINT32_MAX) {
        trace->steps.lanes[lane].rank = row->rank;
        trace->steps.lanes[lane].stage = row->stage;
    }
    if (!timed) {
        op_steps_add(&trace->steps, lane, row->step, str_from(""), 0, 0);
        op_steps_spoil(&trace->steps);
        trace->steps.spoil_next = false;
        return;
    }
    op_steps_add(&trace->steps, lane, row->step, row->operation, row->start_ns, row->length_ns);
    log_out_value(out, row->operation, "s", (double)row->length_ns / 1e9);
}

/* Rows are not learned: to read one costs less than to know its form, of which there are as many as
 * operations. */
static void take_row(struct op_trace *trace, const struct fields *fields, struct log_out *out)
{
    int64_t step, rank, stage = -1, start_ns = 0, length_ns = 0;
    struct str operation = field_at(fields, trace->at[OPERATION]);
    if (!whole_number(field_at(fields, trace->at[STEP]), RECORD_STEP_MAX, &step) ||
        !whole_number(field_at(fields, trace->at[RANK]), RECORD_RANK_MAX, &rank) ||
        !is_word(operation) ||
        ((trace->present & 1u << STAGE) &&
         !whole_number(field_at(fields, trace->at[STAGE]), RECORD_RANK_MAX, &stage))) {
        log_out_damaged(out, "a row of an op trace without a valid rank, step or operation");
        op_steps_spoil(&trace->steps);
        return;
    }
    bool timed = seconds(field_at(fields, trace->at[START]), &start_ns, out) &&
                 seconds(field_at(fields, trace->at[DURATION]), &length_ns, out);
    put_row(trace, &(struct row){step, rank, stage, operation, start_ns, length_ns}, timed, out);
}

static enum log_answer line(void *state, const struct log_line *line, struct log_out *out)
{
    struct op_trace *trace = state;
    struct fields fields;
    struct str text = log_trim(line->text);
    if (text.len > 0 && text.p[text.len - 1] == '\r')
        text.len--;
    split(text, &fields);
    if (fields.has_low_line && log_find(text, "start_ts") != SIZE_MAX) {
        if (!read_header(trace, text))
            return LOG_OTHER;
        log_out_want_all(out, true);
        log_out_note(out, LOG_NOTE_AT_END);
        return LOG_TAKEN;
    }
    if (!trace->header)
        return LOG_OTHER;
    if (fields.count == trace->columns) {
        take_row(trace, &fields, out);
        return LOG_TAKEN;
    }
    /* A torn row, or two in one; other text among them has fewer commas. */
    int64_t number;
    size_t length;
    struct str first = field_at(&fields, 0);
    if (fields.count < 3 || !log_integer(first, &number, &length) || length != first.len)
        return LOG_OTHER;
    log_out_damaged(out, "a torn row of an op trace");
    op_steps_spoil(&trace->steps);
    return LOG_TAKEN;
}

static void end(void *state, struct log_out *out)
{
    struct op_trace *trace = state;
    op_steps_put(&trace->steps, true, out);
    op_steps_done(&trace->steps);
}

static void done(void *state)
{
    op_steps_done(&((struct op_trace *)state)->steps);
}

static const char *const anchors[] = {"start_ts", NULL};
const struct format format_op_trace = {
    .name = "op-trace",
    .title = "op trace (CSV)",
    .needs = "a header line with rank, step, optype, start_ts and duration (seconds from the "
             "step's begin)",
    .tells = "forward, backward, optimizer, the waits in receives and collectives, step time, of "
             "every recorded rank; its pipeline stage",
    .anchors = anchors,
    .state_bytes = sizeof(struct op_trace),
    .line = line,
    .end = end,
    .done = done,
};
