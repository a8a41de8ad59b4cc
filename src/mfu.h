/* Model and hardware FLOPs utilization (MFU, HFU) and the chips' dense peaks.
 * Formulas: PaLM (arXiv 2204.02311), appendix B: a token costs 6N + 12LHS FLOP
 * (N active parameters, L layers, H hidden size, S sequence length); with the
 * forward pass recomputed in full 8N + 16LHS, the attention core only 6N + 16LHS. */
#pragma once

#include "evidence.h"
#include "run.h"
#include "str.h"

/* FLOP a token that the model needs; 0 when the parameters are not known. */
double mfu_model_flop_per_token(const struct run *run);

/* FLOP a token that the hardware did, recomputing included; 0 likewise. */
double mfu_hardware_flop_per_token(const struct run *run);

/* The attention convention in force: ATTENTION_NONE when the sizes for any
 * other are not known. */
enum attention mfu_attention(const struct run *run);
const char *attention_name(enum attention attention); /* "full", "causal", "none" */
const char *recompute_name(enum recompute recompute); /* "none", "selective", "full" */

/* Dense 16-bit peak of one GPU in FLOP/s by its name, letter case ignored, the
 * longest name that stands in it first ("NVIDIA H200" before H20); 0 when the
 * chip is not known: never a guess. Sources: peaks.def. */
double peak_flops_by_name(struct str chip);

/* The run's peak: its own figure, else by its chip's name; 0 when not known. */
double run_peak_flops(const struct run *run);

/* tokens / seconds x flop_per_token / (gpus x peak); NONE when any is unknown. */
struct quantity utilization(double tokens, double seconds, double flop_per_token, double gpus,
                            double peak_flops);
