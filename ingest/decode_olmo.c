/* OLMo and OLMo-core: a line with "[step=2/739328]" and then lines "    key=value". A block
 * ends at the next such line; other lines may come between. OLMo's batches a second are the
 * mean of a window, OLMo-core's are of the step that is logged. */
#include <string.h>

#include "log_format.h"
#include "log_piece.h"
#include "log_prefix.h"
#include "log_steps.h"
#include "log_text.h"

#define FOREIGN_MAX 16     /* lines of others within a block */
#define INDENTATION "    " /* of a value */
#define STAMP_RESOLUTION_NS INT64_C(1000000000)

struct olmo {
    struct log_writers writers;
    bool in_block, torn, doubled, stamped, smoothed;
    int foreign;
    int64_t writer, step, stamp;
    double batches, mfu, flops, tokens; /* 0: not known; tokens: of the whole run so far */
    bool not_number;
    int64_t before_step, before_stamp; /* of the block before */
    double before_tokens;
    bool any, before_stamped;
    bool precise; /* rates have all the digits that OLMo writes */
};

static void describe(const struct olmo *olmo, struct record *record, struct log_out *out)
{
    int64_t count = record->step - olmo->before_step;
    double tokens = count > 0 ? (olmo->tokens - olmo->before_tokens) / (double)count : 0;
    if (olmo->mfu > 0)
        log_job_mfu(record, olmo->mfu, out);
    if (olmo->flops > 0)
        log_job_flops(record, olmo->flops / 1e12, out);
    if (olmo->any && olmo->before_tokens > 0 && tokens >= 1 &&
        tokens <= (double)RECORD_TOKENS_MAX) {
        record->tokens = (int64_t)(tokens + 0.5);
        record->has |= RECORD_TOKENS;
    }
    if (!olmo->stamped)
        return;
    double lasts = (double)record->step_time_ns * (double)(record->span > 0 ? record->span : 1);
    if ((double)olmo->stamp > lasts) {
        record->begin_ns = olmo->stamp - (int64_t)lasts;
        record->has |= RECORD_BEGIN;
    }
    bool comparable = olmo->smoothed || count == 1; /* not one step's value with a mean */
    if (olmo->any && comparable && olmo->before_stamped && count > 0 &&
        olmo->stamp >= olmo->before_stamp &&
        log_stamps_disagree(record->step_time_ns, count, olmo->before_stamp, olmo->stamp,
                            STAMP_RESOLUTION_NS))
        log_out_count(out, LOG_DISAGREE, "step %lld: %.3f s as logged, %.3f s by the time stamps",
                      (long long)record->step, (double)record->step_time_ns / 1e9,
                      (double)(olmo->stamp - olmo->before_stamp) / 1e9 / (double)count);
}

static void put(struct olmo *olmo, struct log_out *out)
{
    int64_t ns;
    if (olmo->torn) {
        log_out_damaged(out, "a torn value of a step");
        return;
    }
    if (olmo->not_number)
        log_out_count(out, LOG_NOT_NUMBER, NULL);
    if (olmo->batches == 0 || olmo->not_number)
        return; /* the first step of a run has no rate yet */
    if (olmo->batches < 0 || !log_duration(1 / olmo->batches, LOG_SECOND, &ns)) {
        log_out_count(out, LOG_IMPOSSIBLE, "step %lld: %g batches a second", (long long)olmo->step,
                      olmo->batches);
        return;
    }
    if (log_writers_turn(&olmo->writers, -1, olmo->step, ns) == LOG_TURN_DOUBLED) {
        log_out_count(out, LOG_DOUBLED, "step %lld", (long long)olmo->step);
        return;
    }
    struct record record = log_job(olmo->step, ns);
    record.has |= RECORD_COMPUTED;
    log_out_note(out, LOG_NOTE_RATE);
    if (olmo->smoothed)
        log_out_note(out, LOG_NOTE_SMOOTHED);
    if (olmo->smoothed && olmo->any && olmo->step > olmo->before_step + 1) {
        record.span = olmo->step - olmo->before_step;
        record.has |= RECORD_SPAN;
    }
    describe(olmo, &record, out);
    log_out_record(out, &record);
}

static void end_block(struct olmo *olmo, struct log_out *out)
{
    if (!olmo->in_block)
        return;
    olmo->in_block = false;
    log_out_want_all(out, false);
    if (olmo->doubled)
        return;
    put(olmo, out);
    if (olmo->torn)
        return;
    /* The sum of all tokens never falls while the steps rise: "109,051" of 109,051,904 is torn. */
    bool torn_sum =
        olmo->any && olmo->step > olmo->before_step && olmo->tokens < olmo->before_tokens;
    if (torn_sum && olmo->tokens > 0)
        log_out_count(out, LOG_IMPOSSIBLE, "step %lld: %.0f tokens so far, fewer than before",
                      (long long)olmo->step, olmo->tokens);
    olmo->any = true;
    olmo->before_step = olmo->step;
    olmo->before_stamp = olmo->stamp;
    olmo->before_stamped = olmo->stamped;
    olmo->before_tokens = torn_sum ? 0 : olmo->tokens;
}

/* The rank in "[olmo.train:816, rank=0]", else who wrote the line. */
static int64_t writer_of(const struct log_line *line, struct str front)
{
    struct str value;
    int64_t rank;
    size_t length;
    return log_after(front, "rank=", &value) && log_integer(value, &rank, &length) ? rank
                                                                                   : line->writer;
}

/* ---- the head of a block ---- */

enum { STEP, TOTAL, RANK, STAMP, VALUE }; /* what is learned of a line (log_learn.h) */

#define STAMP_WITHIN 160

struct head {
    int64_t step, writer, stamp;
    bool stamped, zone;
};

static void begin_block(struct olmo *olmo, const struct head *head, struct log_out *out)
{
    olmo->doubled = olmo->any && olmo->writer != head->writer && head->step <= olmo->before_step &&
                    head->step + 1000 > olmo->before_step;
    if (olmo->doubled)
        log_out_count(out, LOG_DOUBLED, "step %lld", (long long)head->step);
    else
        olmo->writer = head->writer;
    if (head->writer >= 0)
        log_out_note(out, LOG_NOTE_WRITER);
    olmo->step = head->step;
    olmo->stamped = head->stamped;
    olmo->stamp = head->stamp;
    if (!head->zone)
        log_out_note(out, LOG_NOTE_NO_ZONE);
    olmo->batches = olmo->mfu = olmo->flops = olmo->tokens = 0;
    olmo->torn = olmo->not_number = olmo->smoothed = false;
    olmo->foreign = 0;
    olmo->in_block = true;
    log_out_want_all(out, true);
}

/* step, total: digits, the latter empty where there are none. */
static void learn_head(const struct log_line *line, struct str front, struct str step,
                       struct str total, bool stamped)
{
    struct str value;
    int64_t number;
    size_t length;
    bool zone;
    if (!line->form || front.len > STAMP_WITHIN - 40 ||
        log_stamps_possible(front) != (size_t)stamped)
        return;
    log_learn_number(line->form, STEP, step, 0);
    if (total.len > 0)
        log_learn_number(line->form, TOTAL, total, 0);
    if (log_after(front, "rank=", &value) && log_integer(value, &number, &length))
        log_learn_number(line->form, RANK, log_until(value, length), 0);
    for (size_t at = 0; stamped && at < front.len; at++)
        if (log_stamp(log_from(front, at), &number, &zone, &length)) {
            log_learn_text(line->form, STAMP, str_of(front.p + at, length), 0);
            break;
        }
    log_learn_ready(line->form, false);
}

static bool head_again(struct olmo *olmo, const struct log_line *line,
                       const struct log_values *values, struct log_out *out)
{
    struct head head = {.writer = line->writer, .zone = true};
    int64_t total;
    size_t length;
    head.stamped = log_values_have(values, STAMP);
    const char *stamp = values->text[STAMP].p, *end = values->text[STEP].p - strlen("[step=");
    if (!log_values_integer(values, STEP, &head.step) ||
        (log_values_have(values, TOTAL) && !log_values_integer(values, TOTAL, &total)) ||
        (log_values_have(values, RANK) && !log_values_integer(values, RANK, &head.writer)) ||
        end - line->text.p > STAMP_WITHIN ||
        (head.stamped &&
         !log_stamp(str_of(stamp, (size_t)(end - stamp)), &head.stamp, &head.zone, &length)))
        return false;
    end_block(olmo, out);
    begin_block(olmo, &head, out);
    return true;
}

static bool take_head(struct olmo *olmo, const struct log_line *line, struct log_out *out)
{
    size_t at = log_find_last(line->text, "[step="), length;
    struct str step_text, total_text = {0};
    struct head head = {.zone = true};
    struct str rest = log_from(line->text, at == SIZE_MAX ? line->text.len : at + 6);
    struct str front = log_until(line->text, at);
    int64_t total;
    if (!log_integer(rest, &head.step, &length) || length == rest.len)
        return false;
    step_text = log_until(rest, length);
    rest = log_from(rest, length);
    if (rest.p[0] == '/') {
        if (!log_integer(log_from(rest, 1), &total, &length) || length + 1 >= rest.len)
            return false;
        total_text = log_until(log_from(rest, 1), length);
        rest = log_from(rest, length + 1);
    }
    size_t close = log_find(rest, "]");
    if ((rest.p[0] != ']' && rest.p[0] != ',') || close == SIZE_MAX || log_find(rest, "[") < close)
        return false;
    end_block(olmo, out);
    bool alone = log_find(line->text, "[step=") == at;
    if (!alone)
        log_out_damaged(out, "the beginning of a step within that of another");
    head.writer = writer_of(line, front);
    head.stamped = log_stamp_in(front, STAMP_WITHIN, &head.stamp, &head.zone);
    if (alone)
        learn_head(line, front, step_text, total_text, head.stamped);
    begin_block(olmo, &head, out);
    return true;
}

/* ---- its values ---- */

/* "throughput/device/TPS (actual avg)=45,538": key and value; a key has a '/' and begins with a
 * letter. */
static bool is_value(struct str text, struct str *ret_key, struct str *ret_value)
{
    size_t at = log_find(text, "="), slash = log_find(text, "/");
    if (at == SIZE_MAX || slash > at || slash == 0 || at > 120 || log_find(text, " ") < slash ||
        !((text.p[0] >= 'a' && text.p[0] <= 'z') || (text.p[0] >= 'A' && text.p[0] <= 'Z')))
        return false;
    *ret_key = log_until(text, at);
    *ret_value = log_trim(log_from(text, at + 1));
    return true;
}

/* Whether the number has as many decimals as OLMo writes of one of its size: fewer, and it broke
 * off. */
static bool is_precise(struct str text, double number)
{
    size_t wanted = number > 1000 ? 0 : number > 100 ? 1 : number > 10 ? 2 : number > 1 ? 3 : 4;
    return number < 1e-4 || log_decimals(text) >= wanted;
}

enum meaning { BATCHES_SMOOTHED, BATCHES, MFU, FLOPS, TOKENS, NOTHING };

static enum meaning meaning_of(struct str key)
{
    static const struct {
        const char *key;
        enum meaning meaning;
    } keys[] = {{"throughput/device/batches_per_second", BATCHES_SMOOTHED},
                {"throughput/device/BPS", BATCHES},
                {"throughput/device/MFU", MFU},
                {"throughput/device/flopsPS", FLOPS},
                {"throughput/total_tokens", TOKENS},
                {"throughput/total tokens", TOKENS}};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (str_is(key, keys[i].key))
            return keys[i].meaning;
    return NOTHING;
}

static void take_value(struct olmo *olmo, enum meaning meaning, struct str text,
                       enum log_number kind, double number, bool cut)
{
    bool rate = meaning == BATCHES_SMOOTHED || meaning == BATCHES;
    double *to = rate               ? &olmo->batches
                 : meaning == MFU   ? &olmo->mfu
                 : meaning == FLOPS ? &olmo->flops
                                    : &olmo->tokens;
    if (meaning == NOTHING)
        return;
    olmo->torn |= cut || kind == LOG_NOTHING || *to != 0;
    olmo->not_number |= kind == LOG_NO_NUMBER && rate;
    olmo->smoothed |= meaning == BATCHES_SMOOTHED;
    if (kind == LOG_NUMBER && rate) {
        bool precise = is_precise(text, number);
        olmo->torn |= olmo->precise && !precise;
        olmo->precise |= precise;
    }
    if (kind == LOG_NUMBER)
        *to = number;
}

/* Without what stands in brackets before it: a launcher puts it before every line. */
static struct str without_brackets(struct str text)
{
    while (text.len > 0 && text.p[0] == '[') {
        const char *close = memchr(text.p, ']', text.len);
        if (!close)
            break;
        text = log_trim(log_from(text, (size_t)(close - text.p) + 1));
    }
    return text;
}

/* What the line says of a value: behind brackets, or behind the indentation, whatever a logger
 * writes in front of it ("2026-05-11 02:00:02     train/CE loss=2.5"). */
static bool find_value(const struct log_line *line, struct str *ret_key, struct str *ret_value)
{
    if (is_value(without_brackets(log_trim(line->body)), ret_key, ret_value))
        return true;
    size_t at = log_find_last(line->text, INDENTATION);
    return at != SIZE_MAX && is_value(log_trim(log_from(line->text, at)), ret_key, ret_value);
}

/* Of a line without prefix and with no digit but in its value. */
static void learn_value(const struct log_line *line, struct str value, enum meaning meaning,
                        enum log_number kind)
{
    const char *p = line->text.p;
    if (!line->form || (meaning != NOTHING && kind != LOG_NUMBER) ||
        !log_prefix_never(line->text) || log_find(line->text, "[step=") != SIZE_MAX)
        return;
    while (p < value.p && !log_is_digit(*p))
        p++;
    if (p < value.p)
        return;
    if (meaning != NOTHING)
        log_learn_number(line->form, VALUE, value, meaning);
    log_learn_ready(line->form, false);
}

static bool again(void *state, const struct log_line *line, const struct log_values *values,
                  struct log_out *out)
{
    struct olmo *olmo = state;
    if (log_values_have(values, STEP))
        return head_again(olmo, line, values, out);
    if (olmo->in_block && log_values_have(values, VALUE))
        take_value(olmo, (enum meaning)values->notes[VALUE], values->text[VALUE], LOG_NUMBER,
                   values->number[VALUE], false);
    return olmo->in_block;
}

static enum log_answer line(void *state, const struct log_line *line, struct log_out *out)
{
    struct olmo *olmo = state;
    struct str key, value, body = log_trim(line->body);
    if (take_head(olmo, line, out))
        return LOG_TAKEN;
    if (!olmo->in_block)
        return LOG_OTHER;
    if (find_value(line, &key, &value)) {
        double number = 0;
        enum meaning meaning = meaning_of(key);
        enum log_number kind =
            meaning == NOTHING ? LOG_NOTHING : log_number_whole(value, NULL, &number);
        take_value(olmo, meaning, value, kind, number, line->cut);
        learn_value(line, value, meaning, kind);
        return LOG_TAKEN;
    }
    if (body.len > 0 && (body.p[0] == '[' || ++olmo->foreign > FOREIGN_MAX))
        end_block(olmo, out);
    return LOG_OTHER;
}

static void end(void *state, struct log_out *out)
{
    end_block(state, out);
}

static const char *const anchors[] = {"[step=", NULL};

const struct format format_olmo = {
    .name = "olmo",
    .title = "OLMo",
    .needs = "the speed monitor, which is on by default",
    .tells = "step time (from batches a second), MFU with OLMo-core, tokens a step",
    .lacks = "the times of single ranks and of phases",
    .how = LOG_HOW_NCCL,
    .anchors = anchors,
    .state_bytes = sizeof(struct olmo),
    .line = line,
    .again = again,
    .end = end};
