/* Megatron's StragglerDetector: of all ranks only the least and the most, and which ranks
 * these were. So no records of ranks: values, and how often which rank was the slowest. */
#include <stdio.h>
#include <string.h>

#include "log_format.h"
#include "log_text.h"

#define RANKS_NAMED 14 /* of each kind that are counted by their number */

struct straggler_ranks {
    int64_t ranks[RANKS_NAMED];
    size_t count;
};

struct straggler {
    struct straggler_ranks forward, data, throughput;
};

static const struct {
    const char *name;   /* "MnRtt/Rnk" and "MxRtt/Rnk" without their ends */
    const char *suffix; /* of the value */
    const char *shown[2], *unit;
} metrics[] = {
    {"Rtt", "ms", {"forward (min)", "forward (max)"}, "ms"},
    {"DRtt", "ms", {"data (min)", "data (max)"}, "ms"},
    {"Etpt", "TF", {"throughput (min)", "throughput (max)"}, "TFLOP/s"},
    {"Pwr", "W", {"power (min)", "power (max)"}, "mW"}, /* says W, is mW */
    {"Tmp", "C", {"temperature (min)", "temperature (max)"}, "C"},
    {"Utl", "%", {"utilization (min)", "utilization (max)"}, "%"},
    {"Clk", "MHz", {"clock (min)", "clock (max)"}, "MHz"},
};
#define METRICS (sizeof(metrics) / sizeof(metrics[0]))

/* "3453.08ms/8 |": the value and the rank. False: it is torn. */
static bool value_and_rank(struct str s, const char *suffix, double *ret, int64_t *ret_rank,
                           struct str *ret_rest)
{
    size_t length;
    if (log_number(s, ret, &length) != LOG_NUMBER)
        return false;
    s = log_from(s, length);
    if (!log_begins(s, suffix))
        return false;
    s = log_from(s, strlen(suffix));
    if (s.len == 0 || s.p[0] != '/' || !log_integer(log_from(s, 1), ret_rank, &length) ||
        *ret_rank > RECORD_RANK_MAX)
        return false;
    *ret_rest = log_trim(log_from(s, length + 1));
    return true;
}

static void put_named(struct straggler_ranks *of, const char *what, int64_t rank, const char *unit,
                      double value, struct log_out *out)
{
    char name[64];
    size_t i = 0;
    while (i < of->count && of->ranks[i] != rank)
        i++;
    if (i == RANKS_NAMED) {
        snprintf(name, sizeof(name), "%s, other ranks", what);
    } else {
        of->ranks[i] = rank;
        of->count += i == of->count;
        snprintf(name, sizeof(name), "%s, rank %lld", what, (long long)rank);
    }
    log_out_value(out, str_from(name), unit, value);
}

/* Of "MnRtt/Rnk", which metric and whether it is the most; METRICS: none. */
static size_t metric_of(struct str name, bool *ret_most)
{
    if (name.len < 6 || name.p[0] != 'M' || (name.p[1] != 'n' && name.p[1] != 'x'))
        return METRICS;
    *ret_most = name.p[1] == 'x';
    struct str middle = str_of(name.p + 2, name.len - 2);
    size_t slash = log_find(middle, "/Rnk");
    if (slash == SIZE_MAX || slash + 4 != middle.len)
        return METRICS;
    for (size_t i = 0; i < METRICS; i++)
        if (str_is(log_until(middle, slash), metrics[i].name))
            return i;
    return METRICS;
}

static void put_metric(struct straggler *state, size_t index, bool most, double value, int64_t rank,
                       bool whole_rank, struct log_out *out)
{
    log_out_value(out, str_from(metrics[index].shown[most]), metrics[index].unit, value);
    if (!whole_rank)
        return;
    if (index == 0 && most)
        put_named(&state->forward, "slowest forward", rank, "ms", value, out);
    else if (index == 1 && most)
        put_named(&state->data, "slowest data", rank, "ms", value, out);
    else if (index == 2 && !most)
        put_named(&state->throughput, "lowest throughput", rank, "TFLOP/s", value, out);
}

static enum log_answer line(void *of, const struct log_line *line, struct log_out *out)
{
    struct straggler *state = of;
    struct str text = line->text, part, name, value, rest;
    if (log_find(text, "Etpt(TF):") != SIZE_MAX)
        return LOG_TAKEN; /* the lowest and highest by throughput: the least is in the other line */
    size_t begin = log_find(text, "MnRtt/Rnk");
    if (begin == SIZE_MAX)
        return LOG_OTHER;
    text = log_from(text, begin);
    bool torn = false;
    while (text.len > 0) {
        bool most;
        double number;
        int64_t rank;
        bool closed = memchr(text.p, '|', text.len) != NULL;
        log_next_part(&text, "|", &part);
        if (part.len == 0 || !log_split(part, &name, &value))
            continue;
        size_t index = metric_of(name, &most);
        if (index == METRICS)
            continue;
        if (!value_and_rank(value, metrics[index].suffix, &number, &rank, &rest) || rest.len > 0)
            torn = true;
        else
            put_metric(state, index, most, number, rank, closed, out);
    }
    if (torn)
        log_out_damaged(out, "a line of the StragglerDetector is torn");
    log_out_note(out, LOG_NOTE_RANGE);
    return LOG_TAKEN;
}

static const char *const anchors[] = {"MnRtt/Rnk", "Etpt(TF):", NULL};
const struct format format_megatron_straggler = {
    .name = "megatron-straggler",
    .title = "Megatron StragglerDetector",
    .needs = "--log-straggler",
    .tells = "the least and the most over ranks of forward time, data time, throughput, power, "
             "temperature and clock, and which ranks these are; its power is in mW though it "
             "says W, and its forward time holds the waits of tensor parallelism",
    .lacks = "the times of all other ranks",
    .how = LOG_HOW_MEGATRON,
    .anchors = anchors,
    .state_bytes = sizeof(struct straggler),
    .line = line,
};
