/* The parts of the JSON report. May be used by report_json*.c and command_*_json.c only. What is
 * not known, or no number, is null. */
#pragma once

#include <stdio.h>

#include "checks.h"
#include "events.h"
#include "summary.h"

/* A string: sanitised, then escaped; "" is null with _or_null. */
void json_text(FILE *to, const char *raw);
void json_text_or_null(FILE *to, const char *raw);
void json_number(FILE *to, double value, int decimals);

/* A key and its value; `before` stands before the key: "", ", ", "{". */
void json_key_number(FILE *to, const char *before, const char *key, double value, int decimals);
void json_key_integer(FILE *to, const char *before, const char *key, int64_t value);
void json_key_flag(FILE *to, const char *before, const char *key, bool value);
void json_quantity(FILE *to, const char *key, struct quantity quantity, int decimals);
void json_key_quantity(FILE *to, const char *before, const char *key, struct quantity quantity,
                       int decimals);
void json_evidence(FILE *to, struct quantity quantity);  /* "evidence": ... */
void json_step(FILE *to, const char *key, int64_t step); /* below 0: null */

/* ", "scaled_from_ranks": 2": behind figures of more GPUs than ranks are known; else null. */
void json_scaled_from(FILE *to, const struct summary *summary);

/* "jitter", "rotation", "what_if", "effective", "ledger", "ledger_window": each a
 * line or more, with a comma behind it. */
void report_json_cost(FILE *to, const struct summary *summary);

/* One verdict, an object. */
void report_json_verdict(FILE *to, const struct summary *summary, const struct verdict *verdict);

/* One event: a verdict, and when it began and ended. */
void report_json_event(FILE *to, const struct summary *summary, const struct run_event *event);

/* "checks": the conditions; null when `checks` is NULL. A comma behind it. */
void report_json_checks(FILE *to, const struct checks *checks);
