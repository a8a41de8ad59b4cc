/* GREYHOUND, a detector of fail-slow ranks: its local controller estimates each rank's
 * iteration time from the pattern of its NCCL calls. Every estimate of a rank is counted
 * as a step: the log numbers none. */
#include <string.h>

#include "log_format.h"
#include "log_text.h"

#define RANKS_MAX 64 /* of one node */

struct greyhound {
    int64_t rank; /* whose estimate comes; -1: not known */
    struct {
        uint32_t rank;
        int64_t estimates;
    } ranks[RANKS_MAX];
    size_t count;
};

static void begin(void *of, const struct format *format)
{
    (void)format;
    ((struct greyhound *)of)->rank = -1;
}

/* "Rank 3: repeat pattern starts from 0, ..." */
static bool take_rank(struct greyhound *state, struct str line)
{
    struct str value;
    size_t length;
    if (log_find(line, ": repeat pattern starts") == SIZE_MAX)
        return false;
    if (!log_after(line, "Rank ", &value) || !log_integer(value, &state->rank, &length) ||
        !log_begins(log_from(value, length), ": repeat pattern") || state->rank > RECORD_RANK_MAX)
        state->rank = -1;
    return true;
}

/* How many estimates that rank has, with this one; 0: too many ranks. */
static int64_t next_of(struct greyhound *state, uint32_t rank)
{
    size_t i = 0;
    while (i < state->count && state->ranks[i].rank != rank)
        i++;
    if (i == RANKS_MAX)
        return 0;
    if (i == state->count)
        state->ranks[state->count++].rank = rank;
    return ++state->ranks[i].estimates;
}

static void take_estimate(struct greyhound *state, struct str line, struct log_out *out)
{
    struct record record = {.has = RECORD_RANK | RECORD_STEP | RECORD_STEP_TIME};
    struct str value;
    double microseconds;
    size_t length;
    size_t equals = log_find(line, ") = ");
    int64_t rank = state->rank;
    state->rank = -1;
    value = equals == SIZE_MAX ? str_of(line.p, 0) : log_from(line, equals + 4);
    enum log_number kind = log_number(value, &microseconds, &length);
    if (kind == LOG_NOTHING || !log_begins(log_from(value, length), ", std=")) {
        log_out_damaged(out, "an estimate of GREYHOUND is torn");
        return;
    }
    if (rank < 0) {
        log_out_count(out, LOG_WITHOUT_PAIR, "an estimate whose rank is not said");
        return;
    }
    record.rank = (uint32_t)rank;
    record.step = next_of(state, record.rank); /* counted even if it is no number */
    if (record.step == 0) {
        log_out_count(out, LOG_LEFT_OUT, "rank %lld is one too many", (long long)rank);
        return;
    }
    if (kind == LOG_NO_NUMBER) {
        log_out_count(out, LOG_NOT_NUMBER, "an estimate of rank %lld", (long long)rank);
        return;
    }
    if (!(microseconds > 0) || !log_duration(microseconds, LOG_MICROSECOND, &record.step_time_ns)) {
        log_out_count(out, LOG_IMPOSSIBLE, "rank %lld: %g us", (long long)rank, microseconds);
        return;
    }
    log_out_note(out, LOG_NOTE_SMOOTHED);
    log_out_note(out, LOG_NOTE_COUNTED);
    log_out_value(out, str_from("estimated iteration time"), "us", microseconds);
    log_out_record(out, &record);
}

static enum log_answer line(void *of, const struct log_line *line, struct log_out *out)
{
    struct greyhound *state = of;
    if (take_rank(state, line->text))
        return LOG_TAKEN;
    if (log_find(line->text, "Estimated iteration time (") == SIZE_MAX)
        return LOG_OTHER;
    take_estimate(state, line->text, out);
    return LOG_TAKEN;
}

static const char *const anchors[] = {"repeat pattern starts", "Estimated iteration time (", NULL};
const struct format format_greyhound = {
    .name = "greyhound",
    .title = "GREYHOUND",
    .needs = "its probe preloaded into the job; local_controller_N.log of each node",
    .tells = "each rank's iteration time, estimated and averaged over many iterations; a step "
             "here is one estimate",
    .lacks = NULL,
    .anchors = anchors,
    .state_bytes = sizeof(struct greyhound),
    .begin = begin,
    .line = line,
};
