/* DeepSpeed's communication logger. */
#include "decode_deepspeed_comm.h"

#include <stdio.h>
#include <string.h>

#include "log_text.h"

#define COLUMNS 5
#define STRANGERS_MAX 16 /* lines of other processes within a table */

/* The operation's name: "all_reduce", "broadcast | [Caller Func: _broadcast_model]". Empty: it is
 * no such name. */
static struct str op_name(struct str s)
{
    size_t caller = log_find(s, " | [Caller Func: ");
    if (caller != SIZE_MAX && !log_ends(s, "]"))
        return log_until(s, 0);
    s = log_until(s, caller);
    for (size_t i = 0; i < s.len; i++)
        if (!log_is_word(s.p[i]))
            return log_until(s, 0);
    return s;
}

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
    op = op_name(log_until(text, bar));
    time = bar == SIZE_MAX ? str_of("", 0) : log_from(text, bar + strlen(" | time (ms): "));
    size_t end = log_find(time, " |");
    if (end == SIZE_MAX || log_number_whole(log_until(time, end), NULL, &ms) != LOG_NUMBER ||
        op.len == 0 || op.len >= LOG_VALUE_NAME_BYTES)
        log_out_damaged(out, "a torn line of the communication logger");
    else
        log_out_value(out, op, "ms", ms);
    return true;
}

static void put_mean(const struct deepspeed_summary *summary, const char *of, double ms,
                     struct log_out *out)
{
    char name[LOG_VALUE_NAME_BYTES];
    snprintf(name, sizeof(name), "mean of %s%s", summary->op, of);
    log_out_value(out, str_from(name), "ms", ms);
}

/* "2.0 KB  146  11.12  0.08  0.43  0.41": the size in bytes, and what is behind it. False: it is no
 * such row. */
static bool read_size(struct str row, struct str *ret, double *ret_bytes)
{
    static const char units[] = " KMGTP";
    size_t length;
    if (log_number(row, ret_bytes, &length) != LOG_NUMBER)
        return false;
    row = log_trim(log_from(row, length));
    size_t unit = log_find(row, "B ");
    if (unit > 1)
        return false;
    for (size_t i = 1; unit == 1 && units[i] != '\0' && units[i - 1] != row.p[0]; i++)
        *ret_bytes *= 1024;
    *ret = log_from(row, unit + 1);
    return true;
}

/* False: torn. */
static bool read_columns(struct str rest, double columns[static COLUMNS])
{
    size_t length;
    for (size_t i = 0; i < COLUMNS; i++) {
        rest = log_trim(rest);
        if (log_number(rest, &columns[i], &length) != LOG_NUMBER)
            return false;
        rest = log_from(rest, length);
        if (rest.len > 0 && !log_is_blank(rest.p[0]))
            return false;
    }
    return log_trim(rest).len == 0;
}

static bool is_operation(struct str op)
{
    static const char *const of[] = {"reduce", "gather", "scatter", "broadcast",
                                     "send",   "recv",   "barrier", "all_to_all"};
    for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
        if (log_find(op, of[i]) != SIZE_MAX)
            return true;
    return false;
}

#define PIECE_BYTES 3

/* Whether three letters of the word are those of an operation: then it may be what a torn line left
 * of its name. A shorter word may be, too. */
static bool may_be_torn(struct str word)
{
    static const char of[] = "inference_all_reduce_scatter_tensor_fn_coalesced allgather_fn "
                             "all_gather_into_tensor_base_object isend irecv broadcast_object_list "
                             "monitored_barrier all_to_all_single";
    char piece[PIECE_BYTES + 1] = {0};
    for (size_t at = 0; at + PIECE_BYTES <= word.len; at++) {
        memcpy(piece, word.p + at, PIECE_BYTES);
        if (strstr(of, piece))
            return true;
    }
    return word.len < PIECE_BYTES;
}

/* The operation's name above its rows. False: it is none. */
static bool read_op(struct deepspeed_summary *summary, struct str row)
{
    struct str op = op_name(row);
    bool is = op.len > 0 && op.len < sizeof(summary->op) && log_is_letter(op.p[0]);
    if (!is || (!is_operation(op) && op.len == row.len && !may_be_torn(op)))
        return false;      /* another process's word */
    is = is_operation(op); /* else the name may be torn: whose the rows are is not known */
    str_copy(summary->op, sizeof(summary->op), is ? op : log_until(op, 0));
    summary->size = 0;
    return is;
}

/* A row of a table, or the operation's name above its rows. */
static bool read_row(struct deepspeed_summary *summary, struct str row, struct log_out *out)
{
    double columns[COLUMNS]; /* count, two sums, two means; or count, sum, mean, two rates */
    double size;
    struct str rest = log_trim(row);
    if (rest.len > 0 && log_is_letter(rest.p[0]))
        return read_op(summary, rest);
    if (!read_size(rest, &rest, &size))
        return false;
    if (size < summary->size) /* another operation's, whose name is not there */
        summary->op[0] = '\0';
    summary->size = size;
    if (summary->op[0] == '\0' || !read_columns(rest, columns)) {
        log_out_damaged(out, "a torn row of the communication logger's summary");
    } else if (summary->straggler) {
        put_mean(summary, ", quickest rank", columns[3], out);
        put_mean(summary, ", above it", columns[4], out);
    } else {
        put_mean(summary, "", columns[2], out);
    }
    return true;
}

bool deepspeed_read_summary(struct deepspeed_summary *summary, const struct log_line *line,
                            struct log_out *out)
{
    if (log_find(line->text, "Comm. Op ") != SIZE_MAX) {
        *summary = (struct deepspeed_summary){
            .open = true,
            .straggler = log_find(line->text, "straggler(ms)") != SIZE_MAX,
        };
        log_out_want_all(out, true);
        return true;
    }
    if (!summary->open)
        return false;
    if (read_row(summary, line->body, out)) {
        summary->strangers = 0;
        return true;
    }
    if (++summary->strangers > STRANGERS_MAX) {
        summary->open = false;
        log_out_want_all(out, false);
    }
    return false;
}
