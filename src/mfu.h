/* Model and hardware FLOPs utilization (MFU, HFU) and the chips' dense peaks.
 *
 * A token costs 6N + 12LHS FLOP (N active parameters, L layers, H hidden size, S
 * sequence length; PaLM, arXiv 2204.02311, appendix B): 2N forward, 2N backward
 * for the activations, 2N for the weights, and the same three for the attention
 * core at 4LHS. Under a causal mask half of the attention term is needed.
 *
 * The hardware does more where it recomputes. One forward pass again is 2N + 4LHS:
 * 8N + 16LHS in full, (6 + 2r)N + (12 + 4r)LHS in a share r of the layers. With
 * selective recomputing (arXiv 2205.05198) the attention core alone is done again:
 * 6N + 16LHS. (Its formula has twice that for the attention core; one forward
 * pass of it is 4LHS, which is what is counted here.)
 *
 * With LoRA the weights' gradients are only those of the trained share t of the
 * parameters: (4 + 2t)N, a (2 + t)/3 of 6N; the attention core stays. */
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
const char *recompute_name(enum recompute recompute); /* "none", "selective", "full", "share" */

/* The convention of MFU and HFU as text without blanks at its ends, ASCII:
 * "attention full 12LHS, recompute selective, active parameters 17B, LoRA 2%, BF16
 * dense peak 989 TFLOP/s". What is usual (LoRA: no) is not said; what is not known is.
 * 160 bytes are always enough. */
void mfu_convention(const struct run *run, char *out, size_t size);

#define MFU_COUNT_BYTES 24
/* "405B", "8.03B", "528.1K", "12": a number of parameters, four digits at most. */
const char *mfu_count(char out[MFU_COUNT_BYTES], double count);

/* Dense peak of one GPU in FLOP/s by its name, letter case ignored, the longest
 * name that stands in it first ("NVIDIA H200" before H20); 0 when the chip, or its
 * peak in this number format, is not known: never a guess. Sources: peaks.def. */
double peak_flops_of(struct str chip, enum number_format format);
double peak_flops_by_name(struct str chip); /* the 16-bit peak */

/* Known chips whose names stand in this text, or in whose names it stands: what
 * may have been meant by a name that is not known. Static texts, the longest
 * match first; returns how many, `max` at most. */
int peak_names_like(struct str chip, const char *names[], int max);

/* The run's peak: its own figure, else by its chip's name and number format; 0
 * when not known. */
double run_peak_flops(const struct run *run);

/* The format whose peak that is, in words: as the run's, but "FP16" of a chip that
 * has no BF16. */
const char *run_peak_format(const struct run *run);

/* tokens / seconds x flop_per_token / (gpus x peak); NONE when any is unknown. */
struct quantity utilization(double tokens, double seconds, double flop_per_token, double gpus,
                            double peak_flops);
