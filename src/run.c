/* The defaults of a run's description, and what follows from its sizes. */
#include "run.h"

#include <stdio.h>
#include <string.h>

#include "str.h"

const char *const run_attention_words[3] = {"full", "causal", "none"};
const char *const run_recompute_words[3] = {"none", "selective", "full"};
const char *const run_format_words[4] = {"bf16", "tf32", "fp8", "fp16"};
const char *const run_barrier_words[3] = {"auto", "after", "overlapped"};

const char *number_format_name(enum number_format format)
{
    static const char *const names[] = {"BF16", "TF32", "FP8", "FP16"};
    return names[format];
}

void run_init(struct run *run)
{
    *run = (struct run){.threshold = 0.05, .window = 50, .lora_share = 1, .order = "tp-dp-pp"};
}

void run_set_recompute_share(struct run *run, double share)
{
    run->recompute = share <= 0 ? RECOMPUTE_NONE : share >= 1 ? RECOMPUTE_FULL : RECOMPUTE_SHARE;
    run->recompute_share = run->recompute == RECOMPUTE_SHARE ? share : 0;
}

bool run_set_order(struct run *run, const char *text)
{
    static const char *const orders[] = {"tp-dp-pp", "tp-pp-dp", "dp-tp-pp",
                                         "dp-pp-tp", "pp-tp-dp", "pp-dp-tp"};
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
        if (strcmp(text, orders[i]) == 0) {
            str_copy(run->order, sizeof(run->order), str_from(text));
            return true;
        }
    }
    return false;
}

bool run_check(const struct run *run, char *error, size_t error_size)
{
    if (run->params > 0 && run->active_params > run->params) {
        snprintf(error, error_size, "active parameters (%g) are more than all parameters (%g)",
                 run->active_params, run->params);
        return false;
    }
    return true;
}

int run_stage_of(const struct run *run, uint32_t rank)
{
    if (run->pp < 1)
        return -1;
    int64_t tp = run->tp > 0 ? run->tp : 1, dp = run->dp > 0 ? run->dp : 1;
    if (rank >= tp * dp * run->pp)
        return -1;
    int64_t stride = 1; /* ranks from one stage to the next */
    for (const char *word = run->order; *word && strncmp(word, "pp", 2) != 0;) {
        stride *= strncmp(word, "tp", 2) == 0 ? tp : strncmp(word, "dp", 2) == 0 ? dp : 1;
        const char *dash = strchr(word, '-');
        word = dash ? dash + 1 : "";
    }
    return (int)(rank / stride % run->pp);
}
