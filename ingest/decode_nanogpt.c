/* nanoGPT: "iter 10: loss 10.9886, time 725.90ms, mfu 41.20%": the time of that one
 * iteration, of which every log_interval-th is printed; the MFU is a running mean, of an
 * A100's peak. "step 0: train loss 10.9, val loss 10.9" is an evaluation. */
#include "log_format.h"
#include "log_piece.h"
#include "log_text.h"

struct nanogpt {
    struct log_layout layout;
    struct log_writers writers;
};

enum { HAS_TIME = 1u, HAS_MFU = 2u };

/* False: it is no line of nanoGPT's. */
static bool take_iteration(struct nanogpt *nanogpt, const struct log_line *line,
                           const struct log_piece *piece, struct log_out *out)
{
    struct str value = log_trim(log_from(piece->text, 4)), loss;
    int64_t step, ns = 0;
    size_t length;
    double ms = 0, mfu = 0;
    if (!log_integer(value, &step, &length) || length == value.len || value.p[length] != ':' ||
        !log_after(value, "loss", &loss))
        return false;
    enum log_field time = log_field(piece, "time", "ms", &ms);
    enum log_field share = log_field(piece, "mfu", "%", &mfu);
    uint32_t fields = HAS_TIME | (share == LOG_FIELD_NONE ? 0 : HAS_MFU);
    if (time == LOG_FIELD_NOT_NUMBER) {
        log_out_count(out, LOG_NOT_NUMBER, NULL);
        return true;
    }
    if (time != LOG_FIELD_NUMBER || share == LOG_FIELD_TORN ||
        !log_layout_whole(&nanogpt->layout, fields, false)) {
        log_out_damaged(out, "a torn line of an iteration");
        return true;
    }
    if (ms <= 0 || !log_duration(ms, LOG_MILLISECOND, &ns)) {
        log_out_count(out, LOG_IMPOSSIBLE, "iteration %lld: %g ms", (long long)step, ms);
        return true;
    }
    if (log_writers_turn(&nanogpt->writers, line->writer, step, ns) == LOG_TURN_DOUBLED) {
        log_out_count(out, LOG_DOUBLED, "iteration %lld", (long long)step);
        return true;
    }
    struct record record = log_job(step, ns);
    if (share == LOG_FIELD_NUMBER && mfu > 0) /* -100%: not known yet */
        log_job_mfu(&record, mfu, out);
    log_out_record(out, &record);
    return true;
}

static enum log_answer line(void *state, const struct log_line *line, struct log_out *out)
{
    struct nanogpt *nanogpt = state;
    struct str rest = line->text, value;
    struct log_piece piece;
    bool taken = false;
    while (log_next_piece(&rest, line, "iter", &piece))
        taken |= take_iteration(nanogpt, line, &piece, out);
    if (!taken && log_begins(line->body, "step ") && log_after(line->body, "train loss", &value) &&
        log_after(value, "val loss", &value)) {
        log_out_count(out, LOG_EVALUATION, NULL);
        taken = true;
    }
    return taken ? LOG_TAKEN : LOG_OTHER;
}

static const char *const anchors[] = {", time ", ": train loss ", NULL};

const struct format format_nanogpt = {
    .name = "nanogpt",
    .title = "nanoGPT",
    .needs = "log_interval=1 for every iteration (10 by default)",
    .tells = "the time of every iteration that is printed; MFU as a running mean of an A100's peak",
    .lacks = "the times of single ranks and of phases; iterations between those that are printed",
    .how = LOG_HOW_NCCL,
    .anchors = anchors,
    .state_bytes = sizeof(struct nanogpt),
    .line = line};
