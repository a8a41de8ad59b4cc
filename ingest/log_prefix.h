/* What launchers and loggers put in front of a line. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

/* Whether a line has none, and would have none with any other digits (log_learn.h): it begins with
 * a word that no prefix begins with, or with a mark. */
bool log_prefix_never(struct str line);

/* The line without: blanks, "  5: " (srun --label), "10.0.0.2: " and "node17: " (pdsh), "[rank0]:",
 * "[default7]:", "[trainer3|1]:" (torchrun), "[1,5]<stdout>:" (mpirun), "[pod/llm-worker-0/main] "
 * and "2026-05-11T02:59:55.145Z " (kubectl), the same with "stdout F " (Kubernetes' files),
 * "May 11 02:59:55 " (ts), the same with "node17 python3[42]: " (journalctl), "worker-1  | "
 * (docker compose), "(Trainer pid=4711) " (Ray), "i.pretrain/0 " (NeMo-Run), several, in any order.
 * Brackets that a framework itself writes (time stamps, levels) stay. *ret_writer: the number in
 * the last of them, -1: none. Never more than 16 of them. */
struct str log_prefix_strip(struct str line, int64_t *ret_writer);

/* Copies the line without terminal escapes (ESC [ ... letter, ESC ] ... BEL or ESC \, ESC and one
 * character) into `to`, which has room for line.len + LOG_ESCAPES_SLACK bytes; as many behind the
 * line must be readable. An escape that is cut at the end of the line is dropped. */
#define LOG_ESCAPES_SLACK 16
struct str log_without_escapes(struct str line, char *to);
