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

static struct str field_at(const struct fields *fields, size_t i)
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
    uint64_t values = number_load8(p);
    if (length == 0 || length > 8 || number_digits8(&values) < length)
        return false;
    *ret = number_value8(values, (unsigned)length);
    return true;
}

static bool whole_number(struct str s, int64_t most, int64_t *ret)
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

/* The number that all of the field is: most are one digit, the point and a few more. */
static enum log_number number_of(struct str s, double *ret)
{
    static const double scales[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};
    uint64_t decimals;
    if (s.len < 3 || !log_is_digit(s.p[0]) || s.p[1] != '.' ||
        !few_digits(s.p + 2, s.len - 2, &decimals))
        return log_number_whole(s, NULL, ret);
    uint64_t digits = (uint64_t)(s.p[0] - '0') * number_power10[s.len - 2] + decimals;
    *ret = (double)digits / scales[s.len - 2];
    return LOG_NUMBER;
}

/* Seconds as nanoseconds; false: it was told what is wrong. */
static bool seconds(struct str s, int64_t *ret_ns, struct log_out *out)
{
    double value;
    enum log_number kind = number_of(s, &value);
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

/* ---- rows like one before ---- */

/* The note of a number: which column it is, of such a table. */
static uint32_t column_note(const struct op_trace *trace, enum column column)
{
    return (uint32_t)(trace->at[column] | trace->columns << 8 | trace->present << 16);
}

#define NOTE_MOST 4095u /* bytes */

/* Where the operation is: its column, its length, and how far before which number. False: there are
 * digits in it, or others before that number. */
static bool operation_note(const struct op_trace *trace, const struct fields *fields, uint32_t *ret)
{
    static const enum column numbers[] = {STEP, START, DURATION, RANK};
    struct str operation = field_at(fields, trace->at[OPERATION]);
    for (uint32_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        const char *number = field_at(fields, trace->at[numbers[i]]).p;
        size_t before = number > operation.p ? (size_t)(number - operation.p) : SIZE_MAX, at = 0;
        if (before > NOTE_MOST || operation.len > NOTE_MOST)
            continue;
        while (at < before && !log_is_digit(operation.p[at]))
            at++;
        if (at == before) {
            *ret = (uint32_t)(numbers[i] | before << 3 | operation.len << 15 |
                              trace->at[OPERATION] << 27);
            return true;
        }
    }
    return false;
}

static bool all_digits(struct str s)
{
    size_t at = 0;
    while (at < s.len && log_is_digit(s.p[at]))
        at++;
    return s.len > 0 && at == s.len;
}

static void learn_row(const struct op_trace *trace, const struct fields *fields,
                      struct log_learned *form)
{
    static const enum column numbers[] = {STEP, START, DURATION, RANK, STAGE};
    uint32_t note;
    double value;
    if (!form || !operation_note(trace, fields, &note))
        return;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        enum column column = numbers[i];
        if (!(trace->present & 1u << column))
            continue;
        struct str text = field_at(fields, trace->at[column]);
        bool fits = column == START || column == DURATION
                        ? log_number_whole(text, NULL, &value) == LOG_NUMBER
                        : all_digits(text);
        if (!fits)
            return;
        log_learn_part(form, column, text, column_note(trace, column));
    }
    log_learn_text(form, OPERATION, field_at(fields, trace->at[note & 7]), note);
    log_learn_ready(form, false);
}

static bool again(void *state, const struct log_line *line, const struct log_values *values,
                  struct log_out *out)
{
    struct op_trace *trace = state;
    struct row row = {.stage = -1};
    uint32_t note = values->notes[OPERATION];
    (void)line;
    for (unsigned column = 0; column < NAMED; column++) {
        bool number = column != OPERATION && column != DP_RANK && (trace->present & 1u << column);
        if (number && (!log_values_have(values, column) ||
                       values->notes[column] != column_note(trace, (enum column)column)))
            return false;
    }
    row.step = (int64_t)values->number[STEP];
    row.rank = (int64_t)values->number[RANK];
    if (trace->present & 1u << STAGE)
        row.stage = (int64_t)values->number[STAGE];
    row.operation =
        str_of(values->text[OPERATION].p - (note >> 3 & NOTE_MOST), note >> 15 & NOTE_MOST);
    if (!trace->header || note >> 27 != trace->at[OPERATION] || values->text[STEP].len > 15 ||
        row.rank > RECORD_RANK_MAX || row.stage > RECORD_RANK_MAX ||
        !log_duration(values->number[START], LOG_SECOND, &row.start_ns) ||
        !log_duration(values->number[DURATION], LOG_SECOND, &row.length_ns))
        return false;
    put_row(trace, &row, true, out);
    return true;
}

static void take_row(struct op_trace *trace, const struct fields *fields, struct log_learned *form,
                     struct log_out *out)
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
    if (timed)
        learn_row(trace, fields, form);
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
        take_row(trace, &fields, line->form, out);
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
    .again = again,
    .end = end,
    .done = done,
};
