/* nanochat: "step 00004/21400 (0.02%) | loss: 3.2 | lrm: 1.00 | dt: 989.44ms | tok/sec: 529,882
 * | bf16_mfu: 74.13 | epoch: 1 | total time: 0.05m | eta: 3.1m", and its older forms;
 * build-nanogpt: "step 4 | loss: 3.2 | lr 6.0000e-04 | norm: 0.3000 | dt: 989.44ms | tok/sec:
 * 529882.25", and what was typed after its lecture: "step 4, loss: 3.2, dt: 989.44ms, tok/sec:
 * 529882.25", "tok/s:" or "dt: 0.99s". */
#include <string.h>

#include "decode_generally.h"
#include "log_format.h"
#include "log_piece.h"
#include "log_scan.h"
#include "log_text.h"

struct nanochat {
    struct log_layout layout;
    struct log_writers writers;
    int64_t batch;   /* tokens a step; 0: not known */
    int64_t of_rank; /* tokens of one rank in a micro-batch; 0: not known */
    int64_t gpus;    /* 0: not known */
    bool any;        /* a step came */
    bool validation; /* build-nanogpt's: in the time of the next step */
};

enum { HAS_RATE = 1u, HAS_MFU = 2u, HAS_TOTAL = 4u };

struct values {
    uint32_t fields;
    bool torn, not_number;
    double ms, rate, mfu;
};

/* Numbers with their two decimals are whole wherever they end. */
static bool is_whole(enum log_field field, struct str value)
{
    return field != LOG_FIELD_BARE || log_decimals(value) >= 2;
}

/* *ret_coarse: in seconds, mostly of two decimals, of which no count of tokens comes. */
static enum log_field read_time(const struct log_piece *piece, double *ret_ms, bool *ret_coarse)
{
    enum log_field field = log_field(piece, "dt:", "ms", ret_ms);
    *ret_coarse = false;
    if (field != LOG_FIELD_TORN)
        return field;
    field = log_field(piece, "dt:", "s", ret_ms);
    *ret_coarse = field == LOG_FIELD_NUMBER;
    *ret_ms *= 1e3;
    return field;
}

static struct values values_of(const struct log_piece *piece)
{
    struct values values = {0};
    struct str at = {0}, total, rest;
    double number;
    bool coarse;
    const char *rate_name = log_after(piece->text, "tok/s:", &at) ? "tok/s:" : "tok/sec:";
    enum log_field time = read_time(piece, &values.ms, &coarse);
    enum log_field rate = log_field(piece, rate_name, NULL, &values.rate);
    const char *name = log_after(piece->text, "bf16_mfu:", &at) ? "bf16_mfu:" : "mfu:";
    enum log_field mfu = LOG_FIELD_NONE;
    if (log_after(piece->text, name, &at)) {
        mfu = log_field(piece, name, "%", &values.mfu);
        if (mfu == LOG_FIELD_TORN)
            mfu = log_field(piece, name, NULL, &values.mfu);
    }
    values.torn = time == LOG_FIELD_NONE || time == LOG_FIELD_TORN || rate == LOG_FIELD_TORN ||
                  mfu == LOG_FIELD_TORN || !is_whole(mfu, at);
    values.not_number = time == LOG_FIELD_NOT_NUMBER;
    bool whole =
        !coarse && log_after(piece->text, rate_name, &rest) && is_whole(rate, log_trim(rest));
    if (rate == LOG_FIELD_NOT_NUMBER) /* it is there, and says nothing */
        values.rate = 0;
    if (mfu == LOG_FIELD_NOT_NUMBER)
        values.mfu = 0;
    values.fields =
        (whole ? HAS_RATE : 0u) | (mfu != LOG_FIELD_NONE && mfu != LOG_FIELD_TORN ? HAS_MFU : 0u);
    if (log_after(piece->text, "total time:", &total)) {
        enum log_field field = log_field(piece, "total time:", "m", &number);
        values.torn |= field == LOG_FIELD_TORN;
        values.fields |= HAS_TOTAL;
    }
    bool chat = log_after(piece->text, "lrm:", &rest), more = true;
    if (chat) /* of nanochat, which has more behind the rate */
        more = log_after(piece->text, "remaining:", &rest);
    else if (rate == LOG_FIELD_NONE)
        more = log_after(piece->text, "dt:", &rest) && log_find(rest, "|") == SIZE_MAX;
    values.torn |= !(values.fields & (HAS_MFU | HAS_TOTAL)) && !more;
    return values;
}

/* Fields of the usual form; BITS: of "bf16_mfu", which no other number may stand for. */
enum { STEP, TIME, RATE, MFU, TOTAL, BITS };

/* Behind the MFU: "| epoch: 1 | total time: 0.05m | eta: 3.1m", the first of them at least. */
static bool scan_end(struct log_scan *scan, struct values *ret)
{
    bool epoch = log_scan_text(scan, " | epoch: ");
    if (epoch && !log_scan_skip_number(scan))
        return false;
    if (epoch && log_scan_text(scan, " pq: ") &&
        !(log_scan_skip_number(scan) && log_scan_text(scan, " rg: ") && log_scan_skip_number(scan)))
        return false;
    bool total = log_scan_text(scan, " | total time: ");
    ret->fields |= total ? HAS_TOTAL : 0;
    double minutes;
    if (total && !(log_scan_number_to(scan, TOTAL, &minutes) && log_scan_text(scan, "m")))
        return false;
    if ((epoch || total) && log_scan_text(scan, " | eta: ") &&
        !(log_scan_skip_number(scan) && log_scan_text(scan, "m")))
        return false;
    return (epoch || total) && log_scan_ready(scan);
}

static bool scan_rate(struct log_scan *scan, double *ret)
{
    const char *begin = scan->at;
    int64_t rate;
    if (!log_scan_grouped(scan, &rate))
        return false;
    log_scan_learn(scan, begin, RATE);
    *ret = (double)rate;
    return true;
}

static bool scan_name(struct log_scan *scan)
{
    double bits;
    if (log_scan_text(scan, " | mfu: "))
        return true;
    return log_scan_text(scan, " | bf") && log_scan_number_to(scan, BITS, &bits) && bits == 16 &&
           log_scan_text(scan, "_mfu: ");
}

/* The usual form. */
static bool scan(const struct log_line *line, int64_t *ret_step, struct values *ret)
{
    struct log_scan scan;
    size_t at;
    if (!log_scan_head(&scan, line, "step", &at) || !log_scan_text(&scan, " ") ||
        !log_scan_integer_to(&scan, STEP, ret_step))
        return false;
    if (log_scan_text(&scan, "/") && !log_scan_skip_number(&scan))
        return false;
    *ret = (struct values){.fields = HAS_RATE | HAS_MFU};
    if (!log_scan_text(&scan, " (") || !log_scan_skip_number(&scan) ||
        !log_scan_text(&scan, "%) | loss: ") || !log_scan_skip_number(&scan))
        return false;
    if (log_scan_text(&scan, " | grad norm: ") && !log_scan_skip_number(&scan))
        return false;
    if (!log_scan_text(&scan, " | lrm: ") || !log_scan_skip_number(&scan) ||
        !log_scan_text(&scan, " | dt: ") || !log_scan_number_to(&scan, TIME, &ret->ms) ||
        !log_scan_text(&scan, "ms | tok/sec: ") || !scan_rate(&scan, &ret->rate) ||
        !scan_name(&scan) || !log_scan_number_to(&scan, MFU, &ret->mfu))
        return false;
    log_scan_text(&scan, "%");
    return scan_end(&scan, ret);
}

static void put(struct nanochat *chat, int64_t step, int64_t ns, const struct values *values,
                struct log_out *out)
{
    struct record record = log_job(step, ns);
    if (values->fields & HAS_MFU) /* 0: the peak is not known */
        log_job_mfu(&record, values->mfu, out);
    double tokens = values->rate * values->ms / 1e3 + 0.5;
    if (chat->batch > 0)
        record.tokens = chat->batch;
    else if ((values->fields & HAS_RATE) && tokens >= 1 && tokens <= (double)RECORD_TOKENS_MAX)
        record.tokens = (int64_t)tokens;
    record.has |= record.tokens > 0 ? RECORD_TOKENS : 0u;
    record.has |= chat->validation ? RECORD_VALIDATION : 0u;
    chat->validation = false;
    chat->any = true;
    if (chat->gpus > 0) {
        record.gpus = chat->gpus;
        record.has |= RECORD_GPUS;
    }
    log_out_record(out, &record);
}

static void judge(struct nanochat *chat, int64_t writer, int64_t step, const struct values *values,
                  struct log_out *out)
{
    int64_t ns;
    if (values->torn ||
        (!values->not_number && !log_layout_whole(&chat->layout, values->fields | 8u, false))) {
        log_out_damaged(out, "a torn line of a step");
    } else if (values->not_number) {
        log_out_count(out, LOG_NOT_NUMBER, NULL);
    } else if (values->ms <= 0 || !log_duration(values->ms, LOG_MILLISECOND, &ns)) {
        log_out_count(out, LOG_IMPOSSIBLE, "step %lld: %g ms", (long long)step, values->ms);
    } else if (log_writers_turn(&chat->writers, writer, step, ns) == LOG_TURN_DOUBLED) {
        log_out_count(out, LOG_DOUBLED, "step %lld", (long long)step);
    } else {
        put(chat, step, ns, values, out);
    }
}

/* False: it is no line of nanochat's. */
static bool take_step(struct nanochat *chat, const struct log_line *line,
                      const struct log_piece *piece, struct log_out *out)
{
    struct str value = log_trim(log_from(piece->text, 4));
    int64_t step;
    size_t length;
    if (!log_integer(value, &step, &length) || length == value.len ||
        !memchr("/ |,", value.p[length], 4))
        return false;
    struct str time;
    if (!chat->any && !log_after(piece->text, "dt:", &time))
        return false; /* many trainers write "step 4 | loss: 3.2 | ..": another one's */
    struct values values = values_of(piece);
    judge(chat, line->writer, step, &values, out);
    return true;
}

/* The whole number that the line ends with; 0: there is none. */
static int64_t last_integer(struct str text)
{
    int64_t number;
    size_t length, at = text.len;
    while (at > 0 && text.p[at - 1] != ' ')
        at--;
    struct str word = log_from(text, at);
    return log_integer(word, &number, &length) && length == word.len ? number : 0;
}

static bool take_setup(struct nanochat *chat, const struct log_line *line)
{
    struct str text = log_trim(line->body), value;
    size_t length, at = log_find(text, "Tokens / micro-batch");
    int64_t number;
    text = log_from(text, at == SIZE_MAX ? 0 : at); /* behind what a logger may write */
    at = log_find(text, "Total batch size ");
    text = log_from(text, at == SIZE_MAX ? 0 : at);
    if (log_begins(text, "Total batch size ")) {
        value = log_from(text, 17);
        if (log_integer(value, &number, &length) && log_begins(log_from(value, length), " =>"))
            chat->batch = number;
        return true;
    }
    if (line->cut || !log_begins(text, "Tokens / micro-batch"))
        return false;
    number = last_integer(text);
    if (log_begins(text, "Tokens / micro-batch / rank:")) {
        chat->of_rank = number;
        chat->gpus = 0;
    } else if (chat->of_rank > 0 && number % chat->of_rank == 0 &&
               number / chat->of_rank <= RECORD_RANK_MAX) {
        chat->gpus = number / chat->of_rank;
    }
    return true;
}

enum log_answer nanochat_generally(void *state, const struct log_line *line, struct log_out *out)
{
    struct nanochat *chat = state;
    struct str rest = line->text;
    struct log_piece piece;
    bool taken = false;
    while (log_next_piece(&rest, line, "step", &piece))
        taken |= (log_find(piece.text, "| loss:") != SIZE_MAX ||
                  log_find(piece.text, ", loss:") != SIZE_MAX) &&
                 take_step(chat, line, &piece, out);
    if (!taken && log_find(line->text, "| Validation bpb: ") != SIZE_MAX) {
        log_out_count(out, LOG_EVALUATION, NULL);
        taken = true;
    }
    if (!taken && chat->any && log_begins(line->body, "validation loss: ")) {
        log_out_count(out, LOG_EVALUATION, NULL);
        chat->validation = taken = true;
    }
    return taken || take_setup(chat, line) ? LOG_TAKEN : LOG_OTHER;
}

static enum log_answer line(void *state, const struct log_line *line, struct log_out *out)
{
    struct values values;
    int64_t step;
    if (!scan(line, &step, &values)) {
        log_scan_forget(line);
        return nanochat_generally(state, line, out);
    }
    judge(state, line->writer, step, &values, out);
    return LOG_TAKEN;
}

static bool again(void *state, const struct log_line *line, const struct log_values *values,
                  struct log_out *out)
{
    struct values is = {.fields =
                            HAS_RATE | HAS_MFU | (log_values_have(values, TOTAL) ? HAS_TOTAL : 0u),
                        .ms = values->number[TIME],
                        .rate = values->number[RATE],
                        .mfu = values->number[MFU]};
    int64_t step;
    if (!log_values_integer(values, STEP, &step) ||
        (log_values_have(values, BITS) && !str_is(values->text[BITS], "16")))
        return false;
    judge(state, line->writer, step, &is, out);
    return true;
}

static const char *const anchors[] = {"| loss: ",
                                      "| dt: ",
                                      ", dt: ",
                                      "| Validation bpb: ",
                                      "validation loss: ",
                                      "Total batch size ",
                                      "Tokens / micro-batch",
                                      NULL};

const struct format format_nanochat = {
    .name = "nanochat",
    .title = "nanochat",
    .needs = "nothing: every step has a line",
    .tells = "step time, MFU, tokens a step, GPUs",
    .lacks = "the times of single ranks and of phases",
    .how = LOG_HOW_NCCL,
    .anchors = anchors,
    .state_bytes = sizeof(struct nanochat),
    .line = line,
    .again = again,
};
