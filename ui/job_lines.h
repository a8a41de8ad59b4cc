/* Of a log in another format than ours: what it is, what its values are, what it does
 * not hold. Where all of it is about the whole job (SCOPE_JOB) there are neither ranks
 * nor barriers, and nothing here speaks of one. */
#pragma once

#include "model.h"
#include "sentence.h"

/* All records are of the whole job. */
static inline bool job_alone(const struct summary *summary)
{
    return summary->scope == SCOPE_JOB;
}

/* "Megatron-LM", "Megatron-LM and torchtitan"; false, nothing added, without such a log. */
bool job_add_format(struct sentence *line, const struct summary *summary);

/* "Megatron-LM, whole job", "8 ranks, Kineto", "8 ranks". */
void job_add_who(struct sentence *line, const struct summary *summary);

/* "128 GPUs (log)", "8 GPUs (assumed: one a rank)", "GPUs unknown"; short: "8 GPUs". */
void job_add_gpus(struct sentence *line, const struct summary *summary, bool short_words);

/* Ranks that are in the job at the shown step, where the GPUs are assumed to be those of all ranks
 * that there ever were, and these are more; 0: they are not. */
int64_t job_fewer_ranks(const struct summary *summary);

/* How many ranks the figures of GPUs are scaled from, where there are more GPUs than ranks whose
 * records are known; 0: they are of the known ranks alone. */
int64_t job_scaled_from(const struct summary *summary);

/* Whose GPU-hours, money and energy are: "all 128 GPUs, scaled from 2 of 128 ranks", "16 GPUs,
 * scaled from 2 ranks" where no log says how many there are, "2 of 128 ranks only"; false, nothing
 * added, where every rank of the job is known. */
bool job_add_scale(struct sentence *line, const struct summary *summary);

/* Of GPU-hours that such times come to: what is scaled was not measured. */
enum evidence job_hours_evidence(const struct summary *summary, enum evidence of_times);

/* "steps 11-20" where the value is a mean over several, "step 20" else. */
void job_add_steps(struct sentence *line, const struct summary *summary);

/* How many steps of the span are not in the log, where they are many: of a log that tells every
 * tenth step all sums are of those that it tells. Else 0. */
int64_t job_not_logged(const struct summary *summary);

/* "1 to 12,350: 1,235 values (means) for 12,350 steps, 2 attempts", "1 to 99: 99 complete, 0
 * incomplete": what the span holds. */
void job_add_covered(struct sentence *line, const struct summary *summary);

/* "650 steps left (the last is 1,000): 48.8 min c at the median step time", after the shown step;
 * false where the log does not say how many there will be, or all are done. */
bool job_add_left(struct sentence *line, const struct view_model *model, bool brief, bool unicode);

/* What the values are: "running means, which hide single slow steps"; false where they are
 * the measured time of one step, or the mean of as many as stand beside it. */
bool job_add_values(struct sentence *line, const struct summary *summary);

/* Some values are means over several steps: a value's step is the last of them. */
bool job_of_means(const struct summary *summary);

/* What the model counts: "step", of means over several "value". */
const char *job_value_word(const struct summary *summary);

/* Where the MFU is from: "by the log", "log's FLOP/s by the peak"; "" when by the model,
 * or not known. Long: a sentence, never "". */
const char *job_mfu_origin(const struct summary *summary);
void job_add_mfu_convention(struct sentence *line, const struct summary *summary);

/* " over 50 steps": how many the rolling values are means of; nothing of one. */
void job_add_window(struct sentence *line, const struct summary *summary);

/* "312 TFLOP/s a GPU m", as logged; false when the log gives none. */
bool job_add_flops(struct sentence *line, const struct view_model *model);

/* "4 validations, in the time of steps 101, 201, 301, 401: each 47.0 s c more than the steps
 * before."; false, nothing added, when there are none. */
bool job_add_called(struct sentence *line, const struct view_model *model, enum called which,
                    bool unicode);

/* "Megatron-LM gives one value a step for the whole job, not the times of single
 * ranks: who is slow, and who waits, cannot be told." */
void job_add_why(struct sentence *line, const struct summary *summary);

/* A complaint about what is only the text around the lines of another format. */
bool job_is_noise(const struct summary *summary, const char *complaint);

/* The line of `how` that would provide it, 0 or 1; NULL. Text of ours, not of a log. */
const char *job_how(const struct summary *summary, int which);
/* A piece of it of so many columns, from byte *from on (0 first, which moves on); false: no more.
 * It can be pasted: a shell joins the pieces, and what is behind "  # " has its own where all of it
 * does not fit into one. */
bool job_how_piece(struct sentence *piece, const struct summary *summary, int which, int columns,
                   size_t *from);
