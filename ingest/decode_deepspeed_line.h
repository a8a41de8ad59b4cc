/* Numbers in DeepSpeed's lines, apart from its timers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

/* "101 loss: 7.7616 ...", "101 / 5000 loss: ...": the step, and the last of the run (*ret_total, 0:
 * not said). False: torn. */
bool deepspeed_pipe_step(struct str steps, int64_t *ret, int64_t *ret_total);

/* Where the number of the pipeline engine's step begins, before its time; SIZE_MAX: there is none.
 */
size_t deepspeed_pipe_number(struct str before);

/* The number of the throughput timer's step: behind "global_step="; of old versions, in "0/20, "
 * the one behind the epoch, of a microstep (*ret_micro). */
struct str deepspeed_rate_step(struct str before, bool *ret_micro);

/* "train_batch_size ............. 64" of the printed configuration. False: it is another line. */
bool deepspeed_setting(struct str text, const char *name, int64_t *ret);

/* "step=10, skipped=0, lr=[...": false: it is none. */
bool deepspeed_step_number(struct str text, int64_t *ret);

/* "[Torch] Loading checkpoint from /c/global_step30/mp_rank_00_model_states.pt...": the last step
 * before it was saved. False: it is none, or its name does not say. */
bool deepspeed_loaded(struct str text, int64_t *ret);
