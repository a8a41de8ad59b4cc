/* run.json: what is taken is within its bounds, what is refused changes nothing. */
#include <string.h>

#include "fuzz.h"
#include "json_scan.h"
#include "run_json.h"

#define ERROR_BYTES 256

static void check_number(double value, double low, double high)
{
    PROMISE(value == 0 || (value >= low && value <= high), "a number is 0 or within its bounds");
}

static void check_text(const char text[RUN_TEXT_BYTES])
{
    PROMISE(memchr(text, '\0', RUN_TEXT_BYTES), "a text ends");
}

static void check_run(const struct run *run)
{
    check_text(run->name);
    check_text(run->model_name);
    check_text(run->chip);
    check_number(run->params, 1, 1e18);
    check_number(run->active_params, 1, 1e18);
    check_number(run->layers, 1, 1e6);
    check_number(run->hidden, 1, 1e8);
    check_number(run->sequence, 1, 1e9);
    check_number(run->gpus, 1, 1e7);
    check_number(run->tokens_per_step, 1, 1e15);
    check_number(run->peak_flops, 1, 1e20);
    check_number(run->gpu_hour_price, 0, 1e6);
    check_number(run->gpu_watts, 0, 1e6);
    PROMISE(run->threshold >= 0.001 && run->threshold <= 10, "the threshold is within its bounds");
    PROMISE(run->window >= 2 && run->window <= 1000, "the window is within its bounds");
    check_number(run->total_tokens, 1, 1e18);
    check_number(run->tp, 1, RUN_SIZE_MAX);
    check_number(run->pp, 1, RUN_SIZE_MAX);
    check_number(run->dp, 1, RUN_SIZE_MAX);
    PROMISE(strlen(run->order) == 8, "the order has three kinds in it");
    PROMISE(run->recompute <= RECOMPUTE_SHARE, "recompute is one of its words, or a share");
    PROMISE((run->recompute == RECOMPUTE_SHARE) ==
                (run->recompute_share > 0 && run->recompute_share < 1),
            "a share is neither none nor all");
    PROMISE(run->lora_share > 0 && run->lora_share <= 1, "some parameters are trained");
    PROMISE(run->format <= NUMBER_FP16, "the format is one of its words");
    PROMISE(run->params == 0 || run->active_params <= run->params,
            "no more are active than there are");
    PROMISE(run->attention <= ATTENTION_NONE, "attention is one of its words");
    PROMISE(run->barrier <= BARRIER_OVERLAPPED, "barrier is one of its words");
}

/* On the heap and to the byte, so that a read or a write beyond the end is seen. */
static int parse(const uint8_t *data, size_t size, struct run *run, size_t error_size)
{
    char *text = malloc(size ? size : 1), *error = malloc(error_size);
    if (!text || !error)
        abort();
    if (size > 0)
        memcpy(text, data, size);
    memset(error, 'x', error_size);
    int result = run_json_parse(text, size, run, error, error_size);
    PROMISE(result == 0 || result == -1, "it is taken or refused");
    PROMISE(result == 0 || memchr(error, '\0', error_size), "the error ends");
    PROMISE(result == 0 || error_size == 1 || error[0], "the error says something");
    free(text);
    free(error);
    return result;
}

static void check_valid(const uint8_t *data, size_t size)
{
    const char *p = (const char *)data, *end = p + size, *after, *why;
    while (p < end && strchr(" \t\r\n", *p) && *p)
        p++;
    PROMISE(json_valid(p, end, &after, &why), "what is taken is valid JSON");
    while (after < end && strchr(" \t\r\n", *after) && *after)
        after++;
    PROMISE(after == end && *p == '{', "and one object");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct run run, before;
    memset(&run, 0, sizeof(run));
    run_init(&run);
    memcpy(&before, &run, sizeof(run));
    size_t error_size = 1 + size * 7 % ERROR_BYTES;
    if (parse(data, size, &run, error_size) < 0) {
        PROMISE(memcmp(&run, &before, sizeof(run)) == 0, "what is refused changes nothing");
        return 0;
    }
    check_run(&run);
    check_valid(data, size);
    memcpy(&before, &run, sizeof(run));
    PROMISE(parse(data, size, &run, error_size) == 0, "it is taken a second time");
    PROMISE(memcmp(&run, &before, sizeof(run)) == 0, "and says the same");
    return 0;
}
