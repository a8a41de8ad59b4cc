/* Numbers in DeepSpeed's lines, apart from its timers. */
#include "decode_deepspeed_line.h"

#include <string.h>

#include "log_text.h"
#include "record.h"

bool deepspeed_pipe_step(struct str steps, int64_t *ret, int64_t *ret_total)
{
    size_t length;
    *ret_total = 0;
    if (!log_integer(steps, ret, &length) || length >= steps.len || steps.p[length] != ' ')
        return false;
    struct str rest = log_trim(log_from(steps, length));
    if (rest.len > 1 && rest.p[0] == '/') {
        rest = log_trim(log_from(rest, 1));
        if (!log_integer(rest, ret_total, &length) || length >= rest.len || rest.p[length] != ' ')
            return false;
        rest = log_trim(log_from(rest, length));
    }
    return log_begins(rest, "loss");
}

size_t deepspeed_pipe_number(struct str before)
{
    size_t begin = log_find_last(before, "steps: ");
    if (begin != SIZE_MAX)
        return begin + strlen("steps: ");
    begin = log_find_last(before, "step: "); /* diffusion-pipe */
    return begin == SIZE_MAX ? begin : begin + strlen("step: ");
}

struct str deepspeed_rate_step(struct str before, bool *ret_micro)
{
    size_t begin = log_find_last(before, "global_step=");
    *ret_micro = begin == SIZE_MAX;
    if (begin != SIZE_MAX)
        return log_from(before, begin + strlen("global_step="));
    size_t slash = log_find_last(log_until(before, log_find(before, "RunningAvg")), "/");
    bool behind_epoch =
        slash != SIZE_MAX && slash > 0 && before.p[slash - 1] >= '0' && before.p[slash - 1] <= '9';
    return log_from(before, behind_epoch ? slash + 1 : SIZE_MAX);
}

bool deepspeed_setting(struct str text, const char *name, int64_t *ret)
{
    struct str value;
    int64_t number;
    size_t length;
    if (!log_after(text, name, &value))
        return false;
    while (value.len > 0 && (value.p[0] == '.' || value.p[0] == ' '))
        value = log_from(value, 1);
    if (log_integer(log_trim(value), &number, &length) && length == log_trim(value).len)
        *ret = number;
    return true;
}

bool deepspeed_step_number(struct str text, int64_t *ret)
{
    struct str value;
    size_t length, at = log_find(text, ", skipped=");
    return at != SIZE_MAX && log_after(log_until(text, at), "step=", &value) &&
           log_integer(value, ret, &length) && length == value.len && *ret >= 1 &&
           log_find_from(text, at, ", lr=") != SIZE_MAX;
}

bool deepspeed_loaded(struct str text, int64_t *ret)
{
    static const char folder[] = "/global_step";
    size_t length, at = log_find_last(text, folder);
    size_t word = log_find(text, "oading checkpoint");
    if (at == SIZE_MAX || word > at)
        return false;
    struct str rest = log_from(text, at + strlen(folder));
    return log_integer(rest, ret, &length) && length < rest.len && rest.p[length] == '/' &&
           *ret <= RECORD_STEP_MAX;
}
