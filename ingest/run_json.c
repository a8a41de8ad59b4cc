/* run.json. */
#include "run_json.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "json_scan.h"
#include "str.h"

struct error {
    char *text;
    size_t size;
};

static bool fail(struct error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool fail(struct error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, error->size, format, arguments);
    va_end(arguments);
    return false;
}

/* The last item with this key, as in records; cJSON's own look-up gives the first. */
static const cJSON *item_of(const cJSON *object, const char *key)
{
    const cJSON *found = NULL, *item;
    cJSON_ArrayForEach(item, object)
    {
        if (item->string && strcmp(item->string, key) == 0)
            found = item;
    }
    return found;
}

static bool get_number(const cJSON *object, const char *key, double low, double high, double *to,
                       struct error *error)
{
    const cJSON *item = item_of(object, key);
    if (!item || cJSON_IsNull(item))
        return true;
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= low && item->valuedouble <= high))
        return fail(error, "\"%s\" must be a number from %g to %g", key, low, high);
    *to = item->valuedouble;
    return true;
}

static bool get_whole(const cJSON *object, const char *key, double low, double high, double *to,
                      struct error *error)
{
    double value = *to;
    if (!get_number(object, key, low, high, &value, error))
        return false;
    if (value != floor(value))
        return fail(error, "\"%s\" must be a whole number", key);
    *to = value;
    return true;
}

/* The same into an int, whose bounds low and high are within. */
static bool get_int(const cJSON *object, const char *key, int low, int high, int *to,
                    struct error *error)
{
    double value = *to;
    if (!get_whole(object, key, low, high, &value, error))
        return false;
    *to = (int)value;
    return true;
}

static bool get_text(const cJSON *object, const char *key, char to[RUN_TEXT_BYTES],
                     struct error *error)
{
    const cJSON *item = item_of(object, key);
    if (!item || cJSON_IsNull(item))
        return true;
    if (!cJSON_IsString(item))
        return fail(error, "\"%s\" must be a text", key);
    str_copy(to, RUN_TEXT_BYTES, str_from(item->valuestring));
    return true;
}

/* One of a list of words; *to is its index. */
static bool get_choice(const cJSON *object, const char *key, const char *const *words, int count,
                       int *to, struct error *error)
{
    const cJSON *item = item_of(object, key);
    if (!item || cJSON_IsNull(item))
        return true;
    for (int i = 0; cJSON_IsString(item) && i < count; i++) {
        if (strcmp(item->valuestring, words[i]) == 0) {
            *to = i;
            return true;
        }
    }
    char list[96] = "";
    for (int i = 0; i < count; i++) {
        size_t at = strlen(list);
        snprintf(list + at, sizeof(list) - at, "%s\"%s\"", i ? ", " : "", words[i]);
    }
    return fail(error, "\"%s\" must be one of %s", key, list);
}

static bool get_choices(const cJSON *object, struct run *run, struct error *error)
{
    int attention = run->attention, barrier = run->barrier, format = run->format;
    if (!get_choice(object, "attention", run_attention_words, 3, &attention, error) ||
        !get_choice(object, "barrier", run_barrier_words, 3, &barrier, error) ||
        !get_choice(object, "format", run_format_words, 4, &format, error))
        return false;
    run->attention = (enum attention)attention;
    run->barrier = (enum barrier_choice)barrier;
    run->format = (enum number_format)format;
    return true;
}

/* A word, or a share of the layers. */
static bool get_recompute(const cJSON *object, struct run *run, struct error *error)
{
    const cJSON *item = item_of(object, "recompute");
    int recompute = -1;
    double share = 0;
    if (!item || cJSON_IsNull(item))
        return true;
    struct error quiet = {(char[64]){0}, 64};
    if (get_choice(object, "recompute", run_recompute_words, 3, &recompute, &quiet))
        run->recompute = (enum recompute)recompute;
    else if (get_number(object, "recompute", 0, 1, &share, &quiet))
        run_set_recompute_share(run, share);
    else
        return fail(error, "\"recompute\" must be \"none\", \"selective\", \"full\", or a share of "
                           "the layers from 0 to 1");
    return true;
}

static bool get_lora(const cJSON *object, struct run *run, struct error *error)
{
    double share = 1;
    if (!get_number(object, "lora", 0, 1, &share, error))
        return false;
    if (share == 0)
        return fail(error, "\"lora\" must be the share of the parameters that is trained, over 0");
    if (item_of(object, "lora") && !cJSON_IsNull(item_of(object, "lora")))
        run->lora_share = share;
    return true;
}

/* How the ranks are cut up. */
static bool get_parallelism(const cJSON *object, struct run *run, struct error *error)
{
    char order[RUN_TEXT_BYTES] = "";
    if (!get_int(object, "tp", 1, RUN_SIZE_MAX, &run->tp, error) ||
        !get_int(object, "pp", 1, RUN_SIZE_MAX, &run->pp, error) ||
        !get_int(object, "dp", 1, RUN_SIZE_MAX, &run->dp, error) ||
        !get_text(object, "order", order, error))
        return false;
    if (order[0] && !run_set_order(run, order))
        return fail(error, "\"order\" must be tp, dp and pp, each once, such as \"tp-dp-pp\"");
    return true;
}

static bool get_model(const cJSON *object, struct run *run, struct error *error)
{
    const cJSON *model = item_of(object, "model");
    if (!model || cJSON_IsNull(model))
        return true;
    if (cJSON_IsString(model))
        return get_text(object, "model", run->model_name, error);
    if (!cJSON_IsObject(model))
        return fail(error, "\"model\" must be an object");
    return get_text(model, "name", run->model_name, error) &&
           get_number(model, "params", 1, 1e18, &run->params, error) &&
           get_number(model, "active_params", 1, 1e18, &run->active_params, error) &&
           get_whole(model, "layers", 1, 1e6, &run->layers, error) &&
           get_whole(model, "hidden", 1, 1e8, &run->hidden, error) &&
           get_whole(model, "sequence", 1, 1e9, &run->sequence, error);
}

static bool get_chip(const cJSON *object, struct run *run, struct error *error)
{
    const cJSON *chip = item_of(object, "chip");
    if (!cJSON_IsObject(chip))
        return get_text(object, "chip", run->chip, error);
    return get_text(chip, "name", run->chip, error) &&
           get_number(chip, "peak_flops", 1, 1e20, &run->peak_flops, error);
}

static bool get_flag(const cJSON *object, const char *key, bool *to, struct error *error)
{
    const cJSON *item = item_of(object, key);
    if (item && !cJSON_IsBool(item) && !cJSON_IsNull(item))
        return fail(error, "\"%s\" must be true or false", key);
    if (cJSON_IsBool(item))
        *to = cJSON_IsTrue(item);
    return true;
}

static bool get_all(const cJSON *object, struct run *run, struct error *error)
{
    char why[128];
    if (!get_text(object, "run", run->name, error) || !get_model(object, run, error) ||
        !get_chip(object, run, error) || !get_choices(object, run, error) ||
        !get_recompute(object, run, error) || !get_lora(object, run, error) ||
        !get_parallelism(object, run, error) ||
        !get_whole(object, "gpus", 1, 1e7, &run->gpus, error) ||
        !get_number(object, "tokens_per_step", 1, 1e15, &run->tokens_per_step, error) ||
        !get_number(object, "total_tokens", 1, 1e18, &run->total_tokens, error) ||
        !get_number(object, "price_per_gpu_hour", 0, 1e6, &run->gpu_hour_price, error) ||
        !get_number(object, "watts_per_gpu", 0, 1e6, &run->gpu_watts, error) ||
        !get_number(object, "threshold", 0.001, 10, &run->threshold, error) ||
        !get_int(object, "window", 2, 1000, &run->window, error) ||
        !get_flag(object, "simulated", &run->simulated, error))
        return false;
    return run_check(run, why, sizeof(why)) || fail(error, "\"active_params\": %s", why);
}

int run_json_parse(const char *text, size_t length, struct run *run, char *error_text,
                   size_t error_size)
{
    struct error error = {error_text, error_size};
    const char *end, *why;
    const char *begin = text, *text_end = text + length;
    while (begin < text_end && strchr(" \t\r\n", *begin) && *begin)
        begin++;
    if (!json_valid(begin, text_end, &end, &why)) {
        fail(&error, "%s", why);
        return -1;
    }
    while (end < text_end && strchr(" \t\r\n", *end) && *end)
        end++;
    cJSON *object = cJSON_ParseWithLengthOpts(begin, (size_t)(text_end - begin), NULL, false);
    struct run filled = *run;
    bool good = true;
    if (end != text_end)
        good = fail(&error, "something stands after the JSON object");
    else if (!cJSON_IsObject(object))
        good = fail(&error, "it must be one JSON object");
    good = good && get_all(object, &filled, &error);
    cJSON_Delete(object);
    if (!good)
        return -1;
    *run = filled;
    return 0;
}

int run_json_load(const char *path, struct run *run, char *error, size_t error_size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        int code = errno;
        snprintf(error, error_size, "%s", strerror(code));
        return -code;
    }
    struct stat status;
    int result = -1;
    if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
        snprintf(error, error_size, "it is not a regular file");
    } else if (status.st_size > RUN_JSON_MAX) {
        snprintf(error, error_size, "it is larger than 1 MiB");
    } else {
        char *text = malloc((size_t)status.st_size + 1);
        ssize_t size = text ? read(fd, text, (size_t)status.st_size) : -1;
        if (size < 0)
            snprintf(error, error_size, "it cannot be read: %s", strerror(errno));
        else
            result = run_json_parse(text, (size_t)size, run, error, error_size);
        free(text);
    }
    close(fd);
    return result;
}
