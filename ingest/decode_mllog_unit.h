/* What the numbers beside MLPerf's tracked statistics count. Submitters write steps, samples
 * or tokens of the run, samples since the last line, epochs or parts of one there, and rates of the
 * job or of one GPU. The time stamps tell them apart: steps times their time is how long it took.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "decode_mllog_line.h"
#include "log_out.h"

struct mllog_stat {
    bool has_step, has_samples;
    double step, samples; /* of the metadata */
    double seconds;       /* a step */
    int64_t time_ns;
    int64_t since_ns; /* begin of its block, if that is after the one before; else 0 */
    bool rate;        /* worked out from a throughput */
    bool validation;  /* an evaluation lay before it */
};

enum mllog_unit {
    MLLOG_UNIT_OPEN,    /* not known yet */
    MLLOG_UNIT_SAMPLES, /* samples_count: of the run */
    MLLOG_UNIT_STEPS,   /* step: steps */
    MLLOG_UNIT_STEP_SAMPLES,
    MLLOG_UNIT_STEP_TOKENS,
    MLLOG_UNIT_SINCE, /* samples_count: since the line before */
    MLLOG_UNIT_NONE,  /* none of these: an epoch, or the rate is not the job's */
};

struct mllog_scale {
    double batch, sequence; /* 0: not known */
};

/* The number of the step by that unit (of SINCE: steps since the line before). False: it has none,
 * or it is no whole number. */
bool mllog_stat_step(const struct mllog_stat *stat, enum mllog_unit unit,
                     const struct mllog_scale *scale, int64_t *ret);

/* Of what a rate is beside that entry: where steps may be counted in tokens, nobody says whether
 * it is of tokens or of samples. unit: of rates. */
const char *mllog_rate_unit(const struct mllog_entry *entry, const struct mllog_scale *scale,
                            enum mllog_unit unit);

/* What two lines one after the other show; OPEN: nothing. */
enum mllog_unit mllog_unit_of(const struct mllog_stat *before, const struct mllog_stat *stat,
                              const struct mllog_scale *scale);

/* What a single line shows, the only one there is; NONE: nothing. *ret_span: of how many steps it
 * is a mean; 0: not known. */
enum mllog_unit mllog_unit_alone(const struct mllog_stat *stat, const struct mllog_scale *scale,
                                 int64_t *ret_span);

/* Whether a step time is a mean over steps that were told one by one before: loggers write one at
 * the end of a block, right behind its last step, with the number at which the block began. number:
 * its own; previous, previous_ns: of the step before it. */
bool mllog_is_mean(const struct mllog_stat *stat, enum mllog_unit unit, int64_t number,
                   int64_t previous, int64_t previous_ns);

/* Steps between two counts of samples; 0: not known. The batch size must be. */
int64_t mllog_steps_between(const struct mllog_scale *scale, double before, double after);

/* Whether another rank wrote the same line, too. */
bool mllog_is_same(const struct mllog_stat *a, const struct mllog_stat *b);

/* Counts a step time that the stamps around its `span` steps contradict; previous_ns: of the step
 * before them. Both are kept. */
void mllog_check_stamp(const struct mllog_stat *stat, int64_t step, int64_t span,
                       int64_t previous_ns, struct log_out *out);
