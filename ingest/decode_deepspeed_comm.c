/* DeepSpeed's communication logger. */
#include "decode_deepspeed_comm.h"

#include <string.h>

#include "log_text.h"

/* "comm op: all_reduce | time (ms): 1642.47 | msg size: 2.61 GB | algbw (Gbps): ..." */
bool deepspeed_read_comm(struct str text, struct log_out *out)
{
    struct str op, time;
    double ms;
    size_t at = log_find(text, "comm op: "), bar;
    if (at == SIZE_MAX)
        return false;
    text = log_from(text, at + strlen("comm op: "));
    bar = log_find(text, " | time (ms): ");
    op = log_until(text, bar);
    time = bar == SIZE_MAX ? str_of("", 0) : log_from(text, bar + strlen(" | time (ms): "));
    size_t end = log_find(time, " |");
    if (end == SIZE_MAX || log_number_whole(log_until(time, end), NULL, &ms) != LOG_NUMBER ||
        op.len == 0 || op.len >= LOG_VALUE_NAME_BYTES || memchr(op.p, ' ', op.len))
        log_out_damaged(out, "a torn line of the communication logger");
    else
        log_out_value(out, op, "ms", ms);
    return true;
}

/* A row of the summary: an operation's name, or "2.0 KB  146  11.12  0.08  ...". */
static bool read_row(struct deepspeed_summary *summary, struct str row, struct log_out *out)
{
    char name[LOG_VALUE_NAME_BYTES] = "mean of ";
    double size, count, total, mean;
    size_t length;
    struct str rest = log_trim(row);
    if (rest.len > 0 && rest.len < sizeof(summary->op) && !memchr(rest.p, ' ', rest.len) &&
        rest.p[0] >= 'a' && rest.p[0] <= 'z') {
        str_copy(summary->op, sizeof(summary->op), rest);
        return true;
    }
    if (summary->op[0] == '\0' || log_number(rest, &size, &length) != LOG_NUMBER)
        return false;
    rest = log_trim(log_from(rest, length));
    size_t unit = log_find(rest, "B ");
    if (unit > 1)
        return false;
    double *const columns[] = {&count, &total, &mean};
    rest = log_from(rest, unit + 1);
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        rest = log_trim(rest);
        if (log_number(rest, columns[i], &length) != LOG_NUMBER || length == rest.len)
            return false;
        rest = log_from(rest, length);
    }
    str_copy(name + 8, sizeof(name) - 8, str_from(summary->op));
    log_out_value(out, str_from(name), "ms", mean);
    return true;
}

bool deepspeed_read_summary(struct deepspeed_summary *summary, const struct log_line *line,
                            struct log_out *out)
{
    if (log_find(line->text, "Comm. Op ") != SIZE_MAX) {
        summary->open = true;
        summary->op[0] = '\0';
        log_out_want_all(out, true);
        return true;
    }
    if (!summary->open)
        return false;
    if (read_row(summary, line->body, out))
        return true;
    summary->open = false;
    log_out_want_all(out, false);
    return false;
}
