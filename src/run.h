/* The description of a run: what no record can say. Filled from run.json
 * (ingest/run_json.h) and from options, which override it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum attention {
    ATTENTION_FULL,   /* 12 x layers x hidden x sequence a token, as PaLM appendix B */
    ATTENTION_CAUSAL, /* half of it: only what lies under the mask */
    ATTENTION_NONE,   /* not counted */
};

enum recompute {
    RECOMPUTE_NONE,
    RECOMPUTE_SELECTIVE, /* the attention core is computed twice */
    RECOMPUTE_FULL,      /* the whole forward pass is computed twice */
    RECOMPUTE_SHARE,     /* the same, in a share of the layers: run.recompute_share */
};

/* The number format of the matrix products, by which a chip's peak is chosen. */
enum number_format {
    NUMBER_BF16, /* the default: the 16-bit tensor peak, as FP16 */
    NUMBER_TF32,
    NUMBER_FP8,
    NUMBER_FP16,
};
const char *number_format_name(enum number_format format); /* "BF16", "TF32", "FP8", "FP16" */

/* How ranks are numbered: which of the three kinds of parallelism varies fastest
 * from one rank to the next comes first. */
#define RUN_ORDER_BYTES 16 /* "tp-dp-pp", Megatron's default */
#define RUN_SIZE_MAX 1048576 /* of one kind of parallelism */

/* How the waits are found when no `sync` is recorded. */
enum barrier_choice {
    BARRIER_AUTO,
    BARRIER_AFTER,      /* the exchange comes after the backward pass */
    BARRIER_OVERLAPPED, /* it overlaps the backward pass, which then contains the waiting */
};

#define RUN_TEXT_BYTES 96

/* 0 means "not known" in every number. Plain value; run_init() before use. */
struct run {
    char name[RUN_TEXT_BYTES]; /* the run's, "" when not known */
    char model_name[RUN_TEXT_BYTES];
    double params;                   /* model parameters */
    double active_params;            /* used by one token (MoE); 0: all */
    double layers, hidden, sequence; /* counts; tokens */
    double gpus;                     /* 0: the number of ranks */
    double tokens_per_step;          /* of the whole job; 0: the sum of the records' */
    char chip[RUN_TEXT_BYTES];       /* "H100"; "" when not known */
    double peak_flops;               /* dense peak of one GPU, FLOP/s; 0: by the chip's name */
    double gpu_hour_price;           /* money a GPU-hour */
    double gpu_watts;                /* W a GPU */
    enum recompute recompute;
    enum attention attention;
    double recompute_share; /* of the layers, 0 to 1; with RECOMPUTE_SHARE */
    double lora_share;      /* of the parameters that are trained (LoRA), 0 to 1; 1: all */
    enum number_format format;
    double total_tokens; /* of the whole run, until its end; 0: not known */
    int tp, pp, dp;      /* sizes of tensor, pipeline, data parallelism; 0: not known */
    char order[RUN_ORDER_BYTES];
    double threshold; /* of a straggler: 0.05 is 5% over the median of its peers */
    int window;       /* W, steps of a rolling value: 50 */
    enum barrier_choice barrier;
    bool simulated;
};

void run_init(struct run *run); /* the defaults: threshold 0.05, window 50, the rest unknown */

/* The words of run.json and of the options; the index is the enum's value. */
extern const char *const run_attention_words[3]; /* "full", "causal", "none" */
extern const char *const run_recompute_words[3]; /* "none", "selective", "full" */
extern const char *const run_format_words[4];    /* "bf16", "tf32", "fp8", "fp16" */
extern const char *const run_barrier_words[3];   /* "auto", "after", "overlapped" */

/* A share of the layers that are recomputed, 0 to 1: none and all have their names. */
void run_set_recompute_share(struct run *run, double share);

/* Takes an order of tp, dp and pp; false, *run untouched, when the text is not
 * these three, each once, with '-' between them. */
bool run_set_order(struct run *run, const char *text);

/* Whether what was said of a run goes together; otherwise false, and a sentence
 * in `error` that names what does not. Each number is within its bounds already. */
bool run_check(const struct run *run, char *error, size_t error_size);

/* The pipeline stage of a rank by the sizes and the order, 0 and up; -1 when they
 * are not known, or the rank is beyond their product. */
int run_stage_of(const struct run *run, uint32_t rank);
