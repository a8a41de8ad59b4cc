/* Summaries built by hand, for the tests of the views. */
#pragma once

#include "model.h"
#include "summary.h"

/* Figure 1.5: eight ranks of 0.97 to 1.02 x 4.40 s, rank 5 at 1.10, a straggler
 * since step 12,288 by its forward pass. Room for `ranks` ranks, which repeat
 * the pattern with rank 5 as the only slow one. summary_done() frees it. */
static inline void fixture_figure(struct summary *summary, size_t ranks);

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double FIXTURE_OWN[8] = {0.97, 1.02, 0.99, 1.00, 1.00, 1.10, 1.01, 0.98};
#define FIXTURE_SECONDS 4.40
#define FIXTURE_POINTS 240

static inline struct quantity fixture_quantity(double value, enum evidence evidence)
{
    return (struct quantity){value, evidence};
}

static inline void fixture_rank(struct summary_rank *rank, uint32_t number)
{
    double own = number == 5 ? 1.10 : number % 8 == 5 ? 0.995 : FIXTURE_OWN[number % 8];
    double own_s = own * FIXTURE_SECONDS;
    *rank = (struct summary_rank){.rank = number,
                                  .has = RECORD_ANY_PHASE | RECORD_BEGIN | RECORD_RANK,
                                  .own_s = own_s,
                                  .wait_s = 1.10 * FIXTURE_SECONDS - own_s,
                                  .slowdown = own,
                                  .arrived_last = number == 5,
                                  .straggler = number == 5,
                                  .window_slowdown = number == 5 ? 1.101 : 1 + (own - 1) / 4,
                                  .window_spread = number == 5 ? 0.012 : 0.008 + own / 100,
                                  .gain_s = number == 5 ? 0.3444 : 0,
                                  .late_begin_s = 0,
                                  .slowdown_median = number == 5 ? 1.101 : 1 + (own - 1) / 4,
                                  .wait_mean_s = 0.41,
                                  .arrived_last_count = number == 5 ? 58 : 1,
                                  .steps = 12345,
                                  .last_step = 12345,
                                  .silent_s = 0.5};
    rank->phase_s[PHASE_DATA] = 0.04;
    rank->phase_s[PHASE_BACKWARD] = FIXTURE_SECONDS * 0.64;
    rank->phase_s[PHASE_FORWARD] = own_s - rank->phase_s[PHASE_BACKWARD] - 0.04;
    rank->phase_s[PHASE_SYNC] = 0.09 + rank->wait_s;
    rank->phase_s[PHASE_OPTIMIZER] = 0.0412;
    snprintf(rank->host, sizeof(rank->host), "node%02u", number / 8);
    snprintf(rank->group, sizeof(rank->group), "pp%u", number / 8 % 4);
}

static inline void fixture_points(struct summary *summary)
{
    summary->point_count = FIXTURE_POINTS;
    summary->points = calloc(FIXTURE_POINTS, sizeof(*summary->points));
    for (int i = 0; i < FIXTURE_POINTS; i++) {
        int64_t step = 12345 - FIXTURE_POINTS + 1 + i;
        double slow = step >= 12288 ? 0.42 : 0;
        double wave = 0.02 * sin(i * 0.7) + 0.012 * sin(i * 2.9);
        summary->points[i] = (struct summary_point){.step = step,
                                                    .step_time_s = 4.51 + slow + wave,
                                                    .mfu = 0.448 - slow * 0.085 - wave * 0.1,
                                                    .wait_share = 0.021 + slow * 0.18 + wave * 0.2};
    }
}

static inline void fixture_verdict(struct summary *summary)
{
    summary->verdict_count = summary->verdicts_in_force = 1;
    summary->verdicts = calloc(1, sizeof(*summary->verdicts));
    summary->verdicts[0] = (struct verdict){.kind = VERDICT_STRAGGLER,
                                            .rank = 5,
                                            .phase = PHASE_FORWARD,
                                            .slowdown = 1.101,
                                            .sure = 12.2,
                                            .lost_share = 0.07,
                                            .lost_gpu_s = 0.07 * 58 * 4.92 * summary->run.gpus,
                                            .step_time_s = NAN,
                                            .from_step = 12288,
                                            .named_step = 12307,
                                            .to_step = -1};
}

static inline void fixture_totals(struct summary *summary, size_t ranks)
{
    run_init(&summary->run);
    snprintf(summary->run.name, sizeof(summary->run.name), "llama3-405b");
    snprintf(summary->run.chip, sizeof(summary->run.chip), "H100");
    summary->run.gpus = (double)ranks;
    summary->run.params = 405e9;
    summary->source = (struct source_counts){.records = 12345 * ranks};
    summary->shown = (struct summary_step){
        .known = true,
        .step = 12345,
        .reported = (int)ranks,
        .expected = (int)ranks,
        .rule = WAIT_SYNC,
        .step_time_s = fixture_quantity(4.93, EVIDENCE_MEASURED),
        .exchange_s = fixture_quantity(0.09, EVIDENCE_MEASURED),
        .wait_mean_s = fixture_quantity(0.43, EVIDENCE_MEASURED),
        .wait_share = fixture_quantity(0.098, EVIDENCE_MEASURED),
        .own_median_s = FIXTURE_SECONDS,
        .own_max_s = FIXTURE_SECONDS * 1.10,
        .last_rank = 5,
        .begin_s = 1795961553.352638,
    };
    summary->is_latest = true;
    summary->first_in_memory = 4000;
    summary->last_in_memory = 12345;
    summary->first_step = summary->first_covered = 0;
    summary->last_step = 12345;
    summary->complete = 12346;
    summary->attempts = 1;
    summary->step_time_median_s = fixture_quantity(4.51, EVIDENCE_MEASURED);
    summary->step_time_mean_s = fixture_quantity(4.63, EVIDENCE_MEASURED);
    summary->step_time_min_s = fixture_quantity(4.37, EVIDENCE_MEASURED);
    summary->step_time_p99_s = fixture_quantity(5.12, EVIDENCE_MEASURED);
    summary->step_time_max_s = fixture_quantity(9.87, EVIDENCE_MEASURED);
    summary->wait_mean_s = fixture_quantity(0.41, EVIDENCE_MEASURED);
    summary->wait_share = fixture_quantity(0.0886, EVIDENCE_MEASURED);
    summary->exchange_mean_s = fixture_quantity(0.09, EVIDENCE_MEASURED);
    summary->rule = WAIT_SYNC;
    summary->window_steps = 50;
    summary->window_step_time_s = fixture_quantity(4.92, EVIDENCE_MEASURED);
    summary->window_wait_share = fixture_quantity(0.098, EVIDENCE_MEASURED);
    summary->mfu = fixture_quantity(0.412, EVIDENCE_COMPUTED);
    summary->hfu = fixture_quantity(0.549, EVIDENCE_COMPUTED);
    summary->peak_flops = 989e12;
    summary->tokens_per_step = 16.0e6;
    summary->silent_s = 0.4;
}

/* 41.2% MFU, 9.8% lost to waiting: 2.8% by chance, 7.0% to rank 5. The shares add up to 1. */
static inline void fixture_ledger(struct ledger *ledger, const double share[LEDGER_COUNT],
                                  double wall_s, double gpus, int64_t steps)
{
    *ledger = (struct ledger){.wall_s = wall_s, .gpus = gpus, .steps = steps};
    for (int i = 0; i < LEDGER_COUNT; i++) {
        bool measured = i >= LEDGER_INPUT && i != LEDGER_JITTER && i != LEDGER_STRAGGLERS;
        ledger->share[i] =
            fixture_quantity(share[i], measured ? EVIDENCE_MEASURED : EVIDENCE_COMPUTED);
        ledger->within[i] = (enum ledger_part)i;
    }
}

static inline void fixture_ledgers(struct summary *summary)
{
    static const double window[LEDGER_COUNT] = {
        [LEDGER_ARITHMETIC] = 0.412, [LEDGER_RECOMPUTE] = 0.137, [LEDGER_KERNELS] = 0.3236,
        [LEDGER_INPUT] = 0.0081,     [LEDGER_JITTER] = 0.028,    [LEDGER_STRAGGLERS] = 0.07,
        [LEDGER_EXCHANGE] = 0.0183,  [LEDGER_GAPS] = 0.003};
    static const double span[LEDGER_COUNT] = {
        [LEDGER_ARITHMETIC] = 0.4308, [LEDGER_RECOMPUTE] = 0.14325, [LEDGER_KERNELS] = 0.3385,
        [LEDGER_INPUT] = 0.00851,     [LEDGER_JITTER] = 0.0291,     [LEDGER_STRAGGLERS] = 0.00034,
        [LEDGER_EXCHANGE] = 0.0191,   [LEDGER_GAPS] = 0.00512,      [LEDGER_CHECKPOINT] = 0.0198,
        [LEDGER_VALIDATION] = 0.00548};
    fixture_ledger(&summary->ledger_window, window, 246, summary->run.gpus, 50);
    fixture_ledger(&summary->ledger, span, 57136.4, summary->run.gpus, 12346);
    summary->effective = (struct effective){
        .share = fixture_quantity(1, EVIDENCE_COMPUTED),
        .wall_s = fixture_quantity(57136.4, EVIDENCE_MEASURED),
        .kept_s = fixture_quantity(57136.4, EVIDENCE_MEASURED),
        .lost_s = fixture_quantity(0, EVIDENCE_MEASURED),
        .down_s = fixture_quantity(0, EVIDENCE_MEASURED),
    };
}

/* What rank 5 costs, and all that are named, which is the same; rank 1 to compare. */
static inline void fixture_what_ifs(struct summary *summary)
{
    double gpus = summary->run.gpus, day = 24 * gpus;
    struct what_if all = {
        .of = COST_OF_ALL,
        .rank = -1,
        .ranks = 1,
        .named = true,
        .steps = 50,
        .step_time_s = fixture_quantity(4.92, EVIDENCE_MEASURED),
        .step_time_without_s = fixture_quantity(4.5756, EVIDENCE_COMPUTED),
        .gain_share = fixture_quantity(0.07, EVIDENCE_COMPUTED),
        .explains = fixture_quantity(1, EVIDENCE_COMPUTED),
        .mfu_points = fixture_quantity(3.1, EVIDENCE_COMPUTED),
        .gpu_hours_day = fixture_quantity(0.07 * day, EVIDENCE_COMPUTED),
    };
    summary->what_if_count = 3;
    summary->what_ifs = calloc(3, sizeof(*summary->what_ifs));
    summary->what_ifs[0] = summary->what_ifs[1] = summary->what_ifs[2] = all;
    summary->what_ifs[1].of = COST_OF_RANK;
    summary->what_ifs[1].rank = 5;
    summary->what_ifs[2].of = COST_OF_RANK;
    summary->what_ifs[2].rank = 1;
    summary->what_ifs[2].named = false;
    summary->what_ifs[2].step_time_without_s.value = 4.92;
    summary->what_ifs[2].gain_share.value = summary->what_ifs[2].explains.value = 0;
    summary->what_ifs[2].mfu_points.value = summary->what_ifs[2].gpu_hours_day.value = 0;
}

/* Somebody gave a price, watts and the tokens of the whole run: 40 days to go. */
static inline void fixture_prices(struct summary *summary)
{
    summary->run.gpu_hour_price = 2;
    summary->run.gpu_watts = 700;
    summary->run.total_tokens = 15.6e12;
    for (size_t i = 0; i < summary->what_if_count; i++) {
        struct what_if *what_if = &summary->what_ifs[i];
        double hours = what_if->gpu_hours_day.value, days = 40;
        what_if->money_day = fixture_quantity(2 * hours, EVIDENCE_COMPUTED);
        what_if->kwh_day = fixture_quantity(0.7 * hours, EVIDENCE_COMPUTED);
        what_if->hours_end = fixture_quantity(hours / summary->run.gpus * days, EVIDENCE_COMPUTED);
        what_if->gpu_hours_end = fixture_quantity(days * hours, EVIDENCE_COMPUTED);
        what_if->money_end = fixture_quantity(2 * days * hours, EVIDENCE_COMPUTED);
        what_if->kwh_end = fixture_quantity(0.7 * days * hours, EVIDENCE_COMPUTED);
    }
}

static inline void fixture_cost(struct summary *summary)
{
    static const double longer_at[JITTER_EXTRAPOLATIONS] = {0.0285, 0.0471, 0.0648, 0.0777};
    summary->jitter = (struct jitter){
        .steps = 50,
        .ranks = (int)summary->run.gpus,
        .loss = fixture_quantity(0.098, EVIDENCE_MEASURED),
        .floor = fixture_quantity(0.028, EVIDENCE_COMPUTED),
        .chronic = fixture_quantity(0.07, EVIDENCE_COMPUTED),
        .longer = fixture_quantity(0.0313, EVIDENCE_COMPUTED),
        .spread = fixture_quantity(0.02, EVIDENCE_MEASURED),
    };
    for (int i = 0; i < JITTER_EXTRAPOLATIONS; i++)
        summary->jitter.longer_at[i] = fixture_quantity(longer_at[i], EVIDENCE_COMPUTED);
    summary->rotation = (struct rotation){.steps = 50,
                                          .distinct = 4,
                                          .most_rank = 5,
                                          .most_count = 44,
                                          .streak_rank = 5,
                                          .streak = 17};
    fixture_what_ifs(summary);
    fixture_ledgers(summary);
}

static inline void fixture_figure(struct summary *summary, size_t ranks)
{
    summary_init(summary);
    fixture_totals(summary, ranks);
    fixture_cost(summary);
    fixture_verdict(summary);
    fixture_points(summary);
    summary->rank_count = ranks;
    summary->ranks = calloc(ranks, sizeof(*summary->ranks));
    for (size_t i = 0; i < ranks; i++)
        fixture_rank(&summary->ranks[i], (uint32_t)i);
}

/* One rank of the figure closer, over 50 steps. The summary borrows it. */
static inline void fixture_detail(struct summary *summary, struct rank_detail *detail,
                                  uint32_t number)
{
    const struct summary_rank *rank = &summary->ranks[number];
    *detail = (struct rank_detail){.rank = number,
                                   .steps = 50,
                                   .own_s = {rank->own_s * 0.985, rank->own_s, rank->own_s * 1.02},
                                   .peers_own_s = FIXTURE_SECONDS,
                                   .peers = (int)summary->rank_count,
                                   .bin_low = 0.98,
                                   .bin_width = 0.01,
                                   .last_count = number == 5 ? 44 : 1,
                                   .last_when = number == 5 ? 12345 : 12301,
                                   .recent = 50,
                                   .first_recent = 12296};
    for (int p = 0; p < PHASE_COUNT; p++) {
        detail->phase_s[p] = rank->phase_s[p];
        detail->peers_phase_s[p] = summary->ranks[3].phase_s[p];
    }
    for (int i = 0; i < 50; i++) {
        double slowdown = rank->window_slowdown + 0.012 * sin(i * 1.7) + 0.006 * sin(i * 4.1);
        int bin = (int)floor((slowdown - 0.98) / 0.01 + 1e-9);
        detail->slowdown[i] = (float)slowdown;
        detail->was_last[i] = number == 5 ? i % 8 != 2 : i == 5;
        detail->bins[bin < 0 ? 0 : bin >= DETAIL_BINS ? DETAIL_BINS - 1 : bin]++;
    }
    summary->detail = detail;
}

/* Rank 3 has said nothing for 12 s; the others are a step further. */
static inline void fixture_missing(struct summary *summary)
{
    fixture_figure(summary, 8);
    struct summary_rank *rank = &summary->ranks[3];
    rank->state = RANK_MISSING;
    rank->has = 0;
    rank->own_s = rank->wait_s = rank->slowdown = NAN;
    rank->last_step = 12300;
    rank->silent_s = 12.4;
    summary->shown.reported = 7;
    summary->source.dropped = 12;
    summary->source.damaged = 3;
    summary->complaint_count = 1;
    snprintf(summary->complaints[0], COMPLAINT_BYTES, "rank3.jsonl:12301: no \"}\" at the end");
}

/* Only step times: who waits cannot be known. */
static inline void fixture_no_rule(struct summary *summary)
{
    fixture_figure(summary, 8);
    free(summary->verdicts);
    summary->verdicts = NULL;
    summary->verdict_count = summary->verdicts_in_force = 0;
    summary->shown.rule = summary->rule = WAIT_UNKNOWN;
    summary->shown.own_max_s = summary->shown.own_median_s = NAN;
    summary->shown.wait_share = summary->window_wait_share = quantity_none();
    summary->wait_mean_s = summary->wait_share = summary->exchange_mean_s = quantity_none();
    summary->mfu = summary->hfu = quantity_none();
    summary->peak_flops = 0;
    summary->run.params = 0;
    summary->run.chip[0] = '\0';
    summary->gpus_assumed = true;
    summary->jitter = (struct jitter){0};
    summary->rotation = (struct rotation){.most_rank = -1, .streak_rank = -1};
    summary->ledger = summary->ledger_window = (struct ledger){0};
    summary->what_if_count = 0;
    for (size_t i = 0; i < summary->rank_count; i++) {
        struct summary_rank *rank = &summary->ranks[i];
        rank->has = RECORD_STEP_TIME | RECORD_RANK;
        rank->straggler = false;
        rank->own_s = rank->wait_s = rank->slowdown = rank->window_slowdown = NAN;
        rank->window_spread = rank->gain_s = rank->late_begin_s = NAN;
        rank->slowdown_median = rank->wait_mean_s = NAN;
    }
    for (size_t i = 0; i < summary->point_count; i++)
        summary->points[i].mfu = summary->points[i].wait_share = NAN;
}

/* Where there are no own times all but what is known of the MFU is in one part. */
static inline void fixture_job_ledger(struct ledger *ledger, double wall_s, double gpus,
                                      int64_t steps, double mfu)
{
    *ledger = (struct ledger){.wall_s = wall_s, .gpus = gpus, .steps = steps};
    double down = 0.02, lost = 0.01, rest = 1 - down - lost - (mfu > 0 ? mfu : 0);
    for (int i = 0; i < LEDGER_COUNT; i++) {
        ledger->share[i] = quantity_none();
        ledger->within[i] = LEDGER_KERNELS;
    }
    if (mfu > 0) {
        ledger->share[LEDGER_ARITHMETIC] = fixture_quantity(mfu, EVIDENCE_COMPUTED);
        ledger->within[LEDGER_ARITHMETIC] = LEDGER_ARITHMETIC;
    }
    ledger->share[LEDGER_KERNELS] = fixture_quantity(rest, EVIDENCE_COMPUTED);
    ledger->share[LEDGER_DOWNTIME] = fixture_quantity(down, EVIDENCE_MEASURED);
    ledger->share[LEDGER_LOST_WORK] = fixture_quantity(lost, EVIDENCE_MEASURED);
    ledger->within[LEDGER_DOWNTIME] = LEDGER_DOWNTIME;
    ledger->within[LEDGER_LOST_WORK] = LEDGER_LOST_WORK;
}

/* A log of the whole job: a mean of ten steps a value, FLOP/s and MFU as it gives them,
 * the GPUs as well; two spikes and a restart in it. */
static inline void fixture_job(struct summary *summary)
{
    fixture_no_rule(summary);
    summary->scope = SCOPE_JOB;
    summary->log_count = 1;
    summary->logs[0] = (struct summary_log){
        .format = "Megatron-LM",
        .lacks = "the times of single ranks",
        .how = {"--log-interval 1 --timing-log-level 2 --timing-log-option all",
                "for step in lockstep.steps(range(n)):  # in Python, with the phases marked"},
    };
    summary->rank_count = 1;
    summary->shown.reported = summary->shown.expected = 1;
    summary->shown.wait_mean_s = summary->shown.exchange_s = quantity_none();
    summary->shown.last_rank = -1;
    summary->shown.span = 10;
    summary->shown.step = 12350;
    summary->last_step = summary->last_in_memory = 12350;
    summary->first_step = summary->first_covered = 1;
    summary->complete = 1235;
    summary->steps_covered = 12350;
    summary->attempts = 2;
    summary->shown.attempt = 1;
    summary->gpus_assumed = false;
    summary->gpus_logged = true;
    summary->run.gpus = 128;
    snprintf(summary->run.chip, sizeof(summary->run.chip), "H100");
    summary->peak_flops = 989e12;
    summary->mfu = fixture_quantity(0.412, EVIDENCE_COMPUTED);
    summary->mfu_origin = MFU_LOGGED_RATE;
    summary->flops = fixture_quantity(407.5e12, EVIDENCE_MEASURED);
    for (size_t i = 0; i < summary->point_count; i++) {
        struct summary_point *point = &summary->points[i];
        point->step = 12350 - 10 * (int64_t)(summary->point_count - 1 - i);
        point->step_time_s = i + 31 == summary->point_count ? 9.87 : point->step_time_s;
        point->mfu = point->mfu_alone = 0.448 * 4.51 / point->step_time_s;
    }
    summary->source = (struct source_counts){
        .records = 1237, .duplicate = 2, .not_numbers = 3, .impossible = 1, .disagree = 4};
    fixture_job_ledger(&summary->ledger, 57136.4, 128, 12350, 0.41);
    fixture_job_ledger(&summary->ledger_window, 2460, 128, 500, 0.412);
    summary->verdict_count = 3;
    summary->verdicts = calloc(3, sizeof(*summary->verdicts));
    struct verdict spike = {.kind = VERDICT_SPIKE, .rank = -1, .phase = -1, .slowdown = 2.19,
                            .sure = NAN, .lost_share = NAN, .lost_gpu_s = NAN,
                            .step_time_s = 9.87, .from_step = 12050, .named_step = 12050,
                            .to_step = 12050, .attempt = 1};
    summary->verdicts[0] = summary->verdicts[1] = summary->verdicts[2] = spike;
    summary->verdicts[1].kind = VERDICT_RESTART;
    summary->verdicts[1].from_step = 9010;
    summary->verdicts[1].repeated_steps = 120;
    summary->verdicts[1].step_time_s = 412;
    summary->verdicts[2].kind = VERDICT_GAP;
    summary->verdicts[2].from_step = 7010;
    summary->verdicts[2].step_time_s = 900;
}

/* Of single ranks, but in another format, and its steps are none of the job's. */
static inline void fixture_foreign(struct summary *summary)
{
    fixture_figure(summary, 8);
    summary->log_count = 1;
    summary->logs[0] = (struct summary_log){
        .format = "NCCL Inspector", .values = "a step here is one collective of a communicator"};
    summary->source.disagree = 1;
    summary->complaint_count = 2;
    snprintf(summary->complaints[0], COMPLAINT_BYTES, "train.log:1: not a record: hello");
    snprintf(summary->complaints[1], COMPLAINT_BYTES, "train.log:7: a value and its stamp disagree");
}

/* Smoothed values of single steps, phases as one rank saw them, neither GPUs nor chip. */
static inline void fixture_job_phases(struct summary *summary)
{
    fixture_job(summary);
    summary->logs[0].format = "DeepSpeed";
    summary->logs[0].values = "running means, which hide single slow steps";
    summary->shown.span = 1;
    summary->gpus_logged = false;
    summary->run.gpus = 0;
    summary->run.chip[0] = '\0';
    summary->peak_flops = 0;
    summary->mfu = summary->flops = quantity_none();
    summary->mfu_origin = MFU_UNKNOWN;
    summary->attempts = 1;
    summary->shown.attempt = 0;
    summary->verdict_count = 0;
    fixture_job_ledger(&summary->ledger, 57136.4, 0, 12350, 0);
    fixture_job_ledger(&summary->ledger_window, 246, 0, 50, 0);
    summary->ranks[0].has = RECORD_ANY_PHASE | RECORD_STEP_TIME | RECORD_RANK;
    for (size_t i = 0; i < summary->point_count; i++)
        summary->points[i].mfu = summary->points[i].mfu_alone = NAN;
}

/* Escape sequences, bidirectional marks, wide characters in every string. */
static inline void fixture_hostile(struct summary *summary)
{
    static const char *const names[8] = {"\x1b]52;c;cHdu\x07",
                                         "\x1b[2J\x1b[H",
                                         "a\nb\rc\bd\te",
                                         "\xe4\xb8\x96\xe7\x95\x8c-gpu",
                                         "\xe2\x80\xae"
                                         "evil",
                                         "\x9b"
                                         "31m",
                                         "e\xcc\x81\xe2\x80\x8b\xe2\x80\x8d",
                                         "a-host-name-that-is-longer-than-its-column.example"};
    fixture_figure(summary, 8);
    for (size_t i = 0; i < 8; i++) {
        snprintf(summary->ranks[i].host, NAME_BYTES, "%s", names[i]);
        snprintf(summary->ranks[i].group, NAME_BYTES, "%s", names[7 - i]);
    }
    snprintf(summary->run.name, RUN_TEXT_BYTES, "\x1b]0;title\x07%s", names[3]);
    snprintf(summary->run.chip, RUN_TEXT_BYTES, "%s", names[1]);
    summary->complaint_count = 1;
    snprintf(summary->complaints[0], COMPLAINT_BYTES, "\x1b[31mbad:1: \xe2\x80\xae");
}
