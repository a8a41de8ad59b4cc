/* run.json, the description of a run, read with cJSON. */
#pragma once

#include <stddef.h>

#include "run.h"

#define RUN_JSON_MAX (1024 * 1024) /* bytes; a larger file is refused */

/* Reads the text of a run.json over *run: what the text does not say stays.
 * Keys (all optional, unknown ones ignored): run (name), model {name, params,
 * active_params, layers, hidden, sequence}, gpus, tokens_per_step, chip (a name,
 * or {name, peak_flops}), format ("bf16", "tf32", "fp8", "fp16"), recompute ("none",
 * "selective", "full", or a share of the layers, 0 to 1), attention ("full",
 * "causal", "none"), lora (the trained share of the parameters), total_tokens, tp,
 * pp, dp, order ("tp-dp-pp"), barrier ("after", "overlapped"), price_per_gpu_hour,
 * watts_per_gpu, threshold, window, simulated. 0, or -1 with `error` filled:
 * which key holds what it cannot, *run then untouched. */
int run_json_parse(const char *text, size_t length, struct run *run, char *error,
                   size_t error_size);

/* The file at path. 0; a negative errno or -1 with `error` filled. -ENOENT is
 * usual: there is none. */
int run_json_load(const char *path, struct run *run, char *error, size_t error_size);
