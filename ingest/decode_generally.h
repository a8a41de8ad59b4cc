/* Decoders that read a line of the usual form in a quick way (log_scan.h, log_learn.h) read any
 * other in these, which define what a line comes to. For the test that holds both equal: each takes
 * every line. */
#pragma once

#include "log_format.h"

enum log_answer hugectr_generally(void *state, const struct log_line *line, struct log_out *out);
enum log_answer llmc_generally(void *state, const struct log_line *line, struct log_out *out);
enum log_answer maxtext_generally(void *state, const struct log_line *line, struct log_out *out);
enum log_answer metriclogger_generally(void *state, const struct log_line *line,
                                       struct log_out *out);
enum log_answer nanochat_generally(void *state, const struct log_line *line, struct log_out *out);
enum log_answer nemo_generally(void *state, const struct log_line *line, struct log_out *out);
enum log_answer nanogpt_generally(void *state, const struct log_line *line, struct log_out *out);
enum log_answer modded_nanogpt_generally(void *state, const struct log_line *line,
                                         struct log_out *out);
enum log_answer wordplay_generally(void *state, const struct log_line *line, struct log_out *out);
