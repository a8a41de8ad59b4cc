/* Op traces as ByteDance's StragglerAnalysis has them, as CSV: one row an operation of a
 * rank in a step, in seconds from that step's own begin, in any order. Records come at
 * the end of the input. */
#include "log_format.h"
#include "log_text.h"
#include "op_steps.h"

#include <string.h>

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

/* More than COLUMNS_MAX are counted only. */
static size_t split(struct str line, struct str fields[COLUMNS_MAX])
{
    size_t count = 0;
    const char *p = line.p, *end = line.p + line.len;
    for (;;) {
        const char *comma = memchr(p, ',', (size_t)(end - p));
        const char *stop = comma ? comma : end;
        if (count < COLUMNS_MAX)
            fields[count] = log_unquoted(log_trim(str_of(p, (size_t)(stop - p))));
        count++;
        if (!comma)
            return count;
        p = comma + 1;
    }
}

static bool read_header(struct op_trace *trace, struct str line)
{
    struct str fields[COLUMNS_MAX];
    size_t count = split(line, fields);
    unsigned present = 0;
    size_t at[NAMED] = {0};
    for (size_t i = 0; i < count && i < COLUMNS_MAX; i++)
        for (unsigned k = 0; k < NAMED; k++)
            if (str_is(fields[i], names[k])) {
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

static bool whole_number(struct str s, int64_t most, int64_t *ret)
{
    size_t length;
    if (log_integer(s, ret, &length) && length < s.len && str_is(log_from(s, length), ".0"))
        length = s.len; /* pandas, where a column has gaps */
    return length == s.len && s.len > 0 && log_integer(s, ret, &length) && *ret <= most;
}

/* Seconds as nanoseconds; false: it was told what is wrong. */
static bool seconds(struct str s, int64_t *ret_ns, struct log_out *out)
{
    double value;
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

static bool is_word(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!((s.p[i] >= 'a' && s.p[i] <= 'z') || (s.p[i] >= 'A' && s.p[i] <= 'Z') ||
              (s.p[i] >= '0' && s.p[i] <= '9') || s.p[i] == '-' || s.p[i] == '_'))
            return false;
    return s.len > 0;
}

static void take_row(struct op_trace *trace, const struct str *fields, struct log_out *out)
{
    int64_t step, rank, stage = -1, start_ns = 0, length_ns = 0;
    struct str operation = fields[trace->at[OPERATION]];
    if (!whole_number(fields[trace->at[STEP]], RECORD_STEP_MAX, &step) ||
        !whole_number(fields[trace->at[RANK]], RECORD_RANK_MAX, &rank) || !is_word(operation) ||
        ((trace->present & 1u << STAGE) &&
         !whole_number(fields[trace->at[STAGE]], RECORD_RANK_MAX, &stage))) {
        log_out_damaged(out, "a row of an op trace without a valid rank, step or operation");
        op_steps_spoil(&trace->steps);
        return;
    }
    bool timed = seconds(fields[trace->at[START]], &start_ns, out) &&
                 seconds(fields[trace->at[DURATION]], &length_ns, out);
    uint32_t lane = op_steps_lane(&trace->steps, rank, 0);
    if (lane != UINT32_MAX) {
        trace->steps.lanes[lane].rank = rank;
        trace->steps.lanes[lane].stage = stage;
    }
    if (!timed) {
        op_steps_add(&trace->steps, lane, step, str_from(""), 0, 0);
        op_steps_spoil(&trace->steps);
        trace->steps.spoil_next = false;
        return;
    }
    op_steps_add(&trace->steps, lane, step, operation, start_ns, length_ns);
    log_out_value(out, operation, "s", (double)length_ns / 1e9);
}

static enum log_answer line(void *state, const struct log_line *line, struct log_out *out)
{
    struct op_trace *trace = state;
    struct str fields[COLUMNS_MAX];
    struct str text = log_trim(line->text);
    if (text.len > 0 && text.p[text.len - 1] == '\r')
        text.len--;
    if (log_find(text, "start_ts") != SIZE_MAX) {
        if (!read_header(trace, text))
            return LOG_OTHER;
        log_out_want_all(out, true);
        return LOG_TAKEN;
    }
    if (!trace->header)
        return LOG_OTHER;
    size_t count = split(text, fields);
    if (count == trace->columns) {
        take_row(trace, fields, out);
        return LOG_TAKEN;
    }
    /* A torn row, or two in one; other text among them has fewer commas. */
    int64_t number;
    size_t length;
    if (count < 3 || !log_integer(fields[0], &number, &length) || length != fields[0].len)
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
