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
    summary->first_step = 0;
    summary->last_step = 12345;
    summary->complete = 12346;
    summary->attempts = 1;
    summary->step_time_median_s = fixture_quantity(4.51, EVIDENCE_MEASURED);
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

static inline void fixture_figure(struct summary *summary, size_t ranks)
{
    summary_init(summary);
    fixture_totals(summary, ranks);
    fixture_verdict(summary);
    fixture_points(summary);
    summary->rank_count = ranks;
    summary->ranks = calloc(ranks, sizeof(*summary->ranks));
    for (size_t i = 0; i < ranks; i++)
        fixture_rank(&summary->ranks[i], (uint32_t)i);
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
    summary->mfu = summary->hfu = quantity_none();
    summary->peak_flops = 0;
    summary->run.params = 0;
    summary->run.chip[0] = '\0';
    summary->gpus_assumed = true;
    for (size_t i = 0; i < summary->rank_count; i++) {
        struct summary_rank *rank = &summary->ranks[i];
        rank->has = RECORD_STEP_TIME | RECORD_RANK;
        rank->straggler = false;
        rank->own_s = rank->wait_s = rank->slowdown = rank->window_slowdown = NAN;
    }
    for (size_t i = 0; i < summary->point_count; i++)
        summary->points[i].mfu = summary->points[i].wait_share = NAN;
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
