/* InternLM and InternEvo: "2023-07-07 12:29:01,636 INFO train.py:323 in ... -- tflops=189.8,step=1,
 * loss=11.6,tgs (tokens/gpu/second)=4274.45,...,num_consumed_tokens=262144,...,fwd_bwd_time=3.67",
 * later with blanks instead of commas. No step time: it is the time between two lines' stamps.
 * fwd_bwd_time leaves out the optimizer, and is a value beside it. */
#include "log_format.h"
#include "log_piece.h"
#include "log_text.h"

struct internlm {
    struct log_writers writers;
    bool any, stamped;
    int64_t step, stamp_ns, tokens; /* of the line before */
    int64_t lasted_ns;              /* one step, lately; 0: not known */
};

struct values {
    bool stamped;
    int64_t step, stamp_ns, tokens;
    double rate, teraflops; /* of one GPU; 0: not there */
};

/* Closed by a comma or a blank: what ends the line may be cut. */
static bool field(struct str text, const char *name, double *ret)
{
    struct str value;
    size_t length;
    return log_after(text, name, &value) && log_number(value, ret, &length) == LOG_NUMBER &&
           length < value.len && (value.p[length] == ',' || value.p[length] == ' ');
}

/* False: torn. */
static bool read_values(const struct log_piece *piece, struct values *ret, struct log_out *out)
{
    struct str text;
    double tokens, seconds;
    size_t length;
    bool zone;
    text = log_from(piece->text, strlen("step="));
    if (!log_integer(text, &ret->step, &length) ||
        !field(piece->text, "tgs (tokens/gpu/second)=", &ret->rate) ||
        !field(piece->text, "num_consumed_tokens=", &tokens) || !(tokens >= 0 && tokens < 9e15))
        return false;
    ret->tokens = (int64_t)tokens;
    if (!field(piece->front, "tflops=", &ret->teraflops))
        ret->teraflops = 0;
    ret->stamped = log_piece_stamp(piece, &ret->stamp_ns, &zone);
    log_out_value(out, str_from("tokens a second a GPU"), "tokens/s", ret->rate);
    if (field(piece->text, "fwd_bwd_time=", &seconds))
        log_out_value(out, str_from("forward and backward"), "s", seconds);
    return true;
}

static void put(const struct internlm *before, const struct log_piece *piece,
                const struct values *values, struct log_out *out)
{
    int64_t span = values->step - before->step, tokens = values->tokens - before->tokens;
    bool timed = before->any && before->stamped && values->stamped && span > 0 &&
                 values->stamp_ns > before->stamp_ns;
    if (!timed) {
        log_out_count(out, LOG_LEFT_OUT, "step %lld: no line before it tells when it began",
                      (long long)values->step);
        return;
    }
    struct record record = log_job(values->step, (values->stamp_ns - before->stamp_ns) / span);
    log_out_note(out, LOG_NOTE_STAMPS);
    if (span > 1) {
        record.span = span;
        record.has |= RECORD_SPAN;
        log_out_note(out, LOG_NOTE_MEAN);
    }
    if (tokens > 0 && tokens % span == 0 && tokens / span <= RECORD_TOKENS_MAX) {
        record.tokens = tokens / span;
        record.has |= RECORD_TOKENS;
    }
    if (values->teraflops > 0)
        log_job_flops(&record, values->teraflops, out);
    log_job_begin(&record, piece, out);
    log_out_record(out, &record);
}

/* The last step again, and no copy of it by another rank: the run went on from there. */
static bool is_later(const struct internlm *log, const struct values *values)
{
    return values->step == log->step && values->stamped && log->stamped && log->lasted_ns > 0 &&
           (values->stamp_ns - log->stamp_ns) / 2 > log->lasted_ns;
}

static bool take_step(struct internlm *log, const struct log_line *line,
                      const struct log_piece *piece, struct log_out *out)
{
    struct values values = {0};
    if (log_find(piece->text, "tgs (tokens/gpu/second)=") == SIZE_MAX)
        return false;
    if (!read_values(piece, &values, out)) {
        log_out_damaged(out, "a torn line of a step");
        return true;
    }
    int64_t stamp = values.stamped ? values.stamp_ns : 0;
    if (log_writers_turn_at(&log->writers, line->writer, values.step, values.tokens, stamp) ==
        LOG_TURN_DOUBLED) {
        log_out_count(out, LOG_DOUBLED, "step %lld", (long long)values.step);
        if (is_later(log, &values))
            log->stamp_ns = values.stamp_ns;
        return true;
    }
    put(log, piece, &values, out);
    bool next = log->any && values.step == log->step + 1 && values.stamp_ns > log->stamp_ns;
    log->lasted_ns = next ? values.stamp_ns - log->stamp_ns : log->lasted_ns;
    log->any = true;
    log->stamped = values.stamped;
    log->step = values.step;
    log->stamp_ns = values.stamp_ns;
    log->tokens = values.tokens;
    return true;
}

static enum log_answer line(void *state, const struct log_line *line, struct log_out *out)
{
    struct str rest = line->text;
    struct log_piece piece;
    bool taken = false;
    while (log_next_piece(&rest, line, "step=", &piece))
        taken |= take_step(state, line, &piece, out);
    if (taken && line->writer >= 0)
        log_out_note(out, LOG_NOTE_WRITER);
    return taken ? LOG_TAKEN : LOG_OTHER;
}

static const char *const anchors[] = {"(tokens/gpu/second)=", NULL};

const struct format format_internlm = {
    .name = "internlm",
    .title = "InternLM",
    .needs = "nothing",
    .tells = "step time from time stamps, TFLOP/s a GPU, tokens",
    .lacks = "the times of single ranks and of phases",
    .how = LOG_HOW_NCCL,
    .anchors = anchors,
    .state_bytes = sizeof(struct internlm),
    .line = line,
};
