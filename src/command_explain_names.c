#include "command_explain_names.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "log_text.h"

/* The first row of which `part` is in the name. */
static const struct {
    const char *part, *field;
} meanings[] = {
    {"per_sec", NULL},
    {"/sec", NULL},
    {"per_tok", NULL},
    {"per_sample", NULL},
    {"eta", NULL},
    {"max_", NULL},
    {"total", NULL},
    {"remain", NULL},
    {"runtime", NULL},
    {"uptime", NULL},
    {"cumul", NULL},
    {"world", NULL},
    {"local_rank", NULL},
    {"loss", NULL},
    {"eval_", NULL},
    {"validation", NULL},
    {"ckpt", NULL},
    {"checkpoint", NULL},
    {"timestamp", "end"},
    {"time_stamp", "end"},
    {"datetime", "end"},
    {"wall time", "end"},
    {"wall_time", "end"},
    {"rank", "rank"},
    {"process_index", "rank"},
    {"worker", "rank"},
    {"fwd", "forward"},
    {"forward", "forward"},
    {"bwd", "backward"},
    {"backward", "backward"},
    {"allreduce", "sync"},
    {"all_reduce", "sync"},
    {"all-reduce", "sync"},
    {"sync", "sync"},
    {"comm", "sync"},
    {"data", "data"},
    {"load", "data"},
    {"optim", "optimizer"},
    {"opt_ms", "optimizer"},
    {"opt_time", "optimizer"},
    {"compute", "compute"},
    {"mfu", "mfu"},
    {"flops", "flops"},
    {"host", "host"},
    {"tokens", "tokens"},
    {"took", "step_time"},
    {"time", "step_time"},
    {"timing_s/step", "step_time"}, /* verl's: the others are parts of it */
    {"timing", NULL},
    {"elapsed", "step_time"},
    {"duration", "step_time"},
    {"step_ms", "step_time"},
    {"step_us", "step_time"},
    {"step_sec", "step_time"},
    {"iter_ms", "step_time"},
    {"iteration_ms", "step_time"},
    {"batch_ms", "step_time"},
    {"_ms", NULL}, /* of what is not known: gc_ms, h2d_ms */
    {"step", "step"},
    {"iter", "step"},
    {"batch", "step"},
    {"update", "step"},
};

static bool holds(struct str text, const char *part)
{
    size_t length = strlen(part);
    for (size_t i = 0; i + length <= text.len; i++)
        if (strncasecmp(text.p + i, part, length) == 0)
            return true;
    return false;
}

static bool ends(struct str text, const char *part)
{
    size_t length = strlen(part);
    return text.len >= length && strncasecmp(text.p + text.len - length, part, length) == 0;
}

const char *explain_meaning(struct str name)
{
    if (ends(name, "/s"))
        return NULL;
    for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
        if (holds(name, meanings[i].part))
            return meanings[i].field;
    if (name.len != 2)
        return NULL;
    return holds(name, "dt")   ? "step_time"
           : holds(name, "ts") ? "end"
           : holds(name, "it") ? "step"
                               : NULL;
}

int explain_score(struct str name)
{
    bool each = holds(name, "step") || holds(name, "iter") || holds(name, "batch");
    return 1 + 2 * each + !holds(name, "elapsed");
}

bool explain_is_time(const char *field)
{
    static const char *const others[] = {"rank", "step", "mfu", "flops", "tokens", "host", "end"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (strcmp(field, others[i]) == 0)
            return false;
    return true;
}

const char *explain_unit(const char *field, struct str name)
{
    if (strcmp(field, "flops") == 0)
        return holds(name, "tflop") ? ":T" : "";
    if (!explain_is_time(field))
        return "";
    if (holds(name, "_ms") || holds(name, "(ms)") || holds(name, "millis"))
        return ":ms";
    if (holds(name, "_us") || holds(name, "(us)") || holds(name, "micros"))
        return ":us";
    if (ends(name, " ms") || ends(name, " us"))
        return ends(name, " ms") ? ":ms" : ":us";
    return holds(name, "_ns") || holds(name, "nanos") ? ":ns" : "";
}
