/* Options of the run, and how they override its file. */
#include <string.h>

#include "options_value.h"
#include "str.h"

static bool recompute(struct parser *parser, const struct option_info *info, const char *text)
{
    struct run *run = &parser->options->run;
    double share;
    for (int i = 0; i < 3; i++) {
        if (strcmp(text, run_recompute_words[i]) == 0) {
            run->recompute = (enum recompute)i;
            return true;
        }
    }
    if (!option_share(text, &share))
        return option_fail(parser,
                           "--%s takes none, selective, full, or a share of the layers such as "
                           "0.5 or 50%%, not '%s'",
                           info->name, text);
    run_set_recompute_share(run, share);
    return true;
}

/* How the run counts and is cut up: the conventions of MFU, the order of ranks. */
static bool set_convention(struct parser *parser, const struct option_info *info, const char *text)
{
    struct run *run = &parser->options->run;
    int which = 0;
    switch (info->id) {
    case OPTION_ATTENTION:
        if (!option_choice(parser, info, text, run_attention_words, 3, &which))
            return false;
        run->attention = (enum attention)which;
        return true;
    case OPTION_RECOMPUTE:
        return recompute(parser, info, text);
    case OPTION_FORMAT:
        if (!option_choice(parser, info, text, run_format_words, 4, &which))
            return false;
        run->format = (enum number_format)which;
        return true;
    case OPTION_LORA:
        if (option_share(text, &run->lora_share) && run->lora_share > 0)
            return true;
        return option_fail(parser,
                           "--%s takes the share of the parameters that is trained, over 0, such "
                           "as 0.02 or 2%%, not '%s'",
                           info->name, text);
    case OPTION_BARRIER:
        if (!option_choice(parser, info, text, run_barrier_words, 3, &which))
            return false;
        run->barrier = (enum barrier_choice)which;
        return true;
    case OPTION_ORDER:
        return run_set_order(run, text) ||
               option_fail(parser,
                           "--%s takes tp, dp and pp, each once, such as tp-dp-pp, not '%s'",
                           info->name, text);
    default:
        return option_fail(parser, "--%s is not an option of the run", info->name);
    }
}

static bool size(struct parser *parser, const struct option_info *info, const char *text, int *to)
{
    int64_t value = 0;
    if (!option_integer(parser, info, text, 1, RUN_SIZE_MAX, &value))
        return false;
    *to = (int)value;
    return true;
}

/* The job: how large, on what, for how much. */
static bool set_job(struct parser *parser, const struct option_info *info, const char *text)
{
    struct run *run = &parser->options->run;
    double value = 0;
    int64_t steps = 0;
    switch (info->id) {
    case OPTION_GPUS:
        return option_whole(parser, info, text, 1e7, &run->gpus);
    case OPTION_CHIP:
        str_copy(run->chip, sizeof(run->chip), str_from(text));
        return true;
    case OPTION_PEAK:
        if (!option_number(parser, info, text, 1e-6, 1e8, &value))
            return false;
        run->peak_flops = value * 1e12;
        return true;
    case OPTION_PRICE:
        return option_number(parser, info, text, 0, 1e6, &run->gpu_hour_price);
    case OPTION_WATTS:
        return option_number(parser, info, text, 0, 1e6, &run->gpu_watts);
    case OPTION_TP:
        return size(parser, info, text, &run->tp);
    case OPTION_PP:
        return size(parser, info, text, &run->pp);
    case OPTION_DP:
        return size(parser, info, text, &run->dp);
    case OPTION_THRESHOLD:
        if (!option_number(parser, info, text, 0.1, 1000, &value))
            return false;
        run->threshold = value / 100;
        return true;
    case OPTION_WINDOW:
        if (!option_integer(parser, info, text, 2, 1000, &steps))
            return false;
        run->window = (int)steps;
        return true;
    default:
        return set_convention(parser, info, text);
    }
}

/* The model and its tokens. */
bool option_set_run(struct parser *parser, const struct option_info *info, const char *text)
{
    struct run *run = &parser->options->run;
    switch (info->id) {
    case OPTION_PARAMS:
        return option_number(parser, info, text, 1, 1e18, &run->params);
    case OPTION_ACTIVE_PARAMS:
        return option_number(parser, info, text, 1, 1e18, &run->active_params);
    case OPTION_LAYERS:
        return option_whole(parser, info, text, 1e6, &run->layers);
    case OPTION_HIDDEN:
        return option_whole(parser, info, text, 1e8, &run->hidden);
    case OPTION_SEQUENCE:
        return option_whole(parser, info, text, 1e9, &run->sequence);
    case OPTION_TOKENS:
        return option_number(parser, info, text, 1, 1e15, &run->tokens_per_step);
    case OPTION_TOTAL_TOKENS:
        return option_number(parser, info, text, 1, 1e18, &run->total_tokens);
    default:
        return set_job(parser, info, text);
    }
}

void options_apply_run(const struct options *options, struct run *run)
{
#define TAKE(id, member)                                                                           \
    if (options->given[OPTION_##id])                                                               \
    run->member = options->run.member
    TAKE(GPUS, gpus);
    TAKE(PEAK, peak_flops);
    TAKE(PARAMS, params);
    TAKE(ACTIVE_PARAMS, active_params);
    TAKE(LAYERS, layers);
    TAKE(HIDDEN, hidden);
    TAKE(SEQUENCE, sequence);
    TAKE(TOKENS, tokens_per_step);
    TAKE(ATTENTION, attention);
    TAKE(RECOMPUTE, recompute);
    TAKE(RECOMPUTE, recompute_share);
    TAKE(LORA, lora_share);
    TAKE(TOTAL_TOKENS, total_tokens);
    TAKE(PRICE, gpu_hour_price);
    TAKE(WATTS, gpu_watts);
    TAKE(TP, tp);
    TAKE(PP, pp);
    TAKE(DP, dp);
    TAKE(BARRIER, barrier);
    TAKE(THRESHOLD, threshold);
    TAKE(WINDOW, window);
#undef TAKE
    bool another = options->given[OPTION_CHIP];
    if (another)
        memcpy(run->chip, options->run.chip, sizeof(run->chip));
    if (options->given[OPTION_FORMAT]) {
        another |= options->run.format != run->format;
        run->format = options->run.format;
    }
    if (another && !(options->given[OPTION_PEAK]))
        run->peak_flops = 0; /* of another chip or format: the file's peak is not its peak */
    if (options->given[OPTION_ORDER])
        memcpy(run->order, options->run.order, sizeof(run->order));
}
