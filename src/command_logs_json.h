/* What was learned of logs in other formats, as JSON. */
#pragma once

#include <stdio.h>

#include "log_facts.h"
#include "log_format.h"

/* "how": the lines that would provide what the format lacks; a comma before it. */
void command_how_json(FILE *to, const struct format *format);

/* "logs": an object a format, a comma behind them; `logs` is a struct command_logs. */
void command_logs_json(FILE *to, const void *logs);

/* The same of any book; no comma. */
void log_book_json(FILE *to, const struct log_book *book);
