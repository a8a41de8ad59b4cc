/* What the records of a log can tell. */
#include "command_explain_tells.h"

static bool several_ranks(const struct explained *explained)
{
    return explained->ranks > 1;
}

static bool works(const struct explained *explained)
{
    return (explained->bare & (RECORD_ANY_WORK | RECORD_SYNC)) != 0;
}

/* Whether that is so of all logs that records came of. */
static bool is_noted(const struct explained *explained, enum log_note note)
{
    const struct log_book *book = &explained->logs.book;
    bool any = false;
    for (size_t i = 0; i < book->count; i++) {
        if (book->facts[i].records == 0)
            continue;
        any = true;
        if (!(book->facts[i].notes & 1u << note))
            return false;
    }
    return any && explained->own_records == 0;
}

static const char *from_what(const struct explained *explained, bool means)
{
    if (is_noted(explained, LOG_NOTE_STAMPS))
        return means ? "from its time stamps, as a mean over several steps"
                     : "from its time stamps";
    if (is_noted(explained, LOG_NOTE_RATE))
        return means ? "worked out from a rate, as a mean over several steps"
                     : "worked out from a rate";
    return means ? "it is logged, as a mean over several steps" : "it is logged";
}

static struct explain_tell step_time(const struct explained *explained)
{
    struct explain_tell tell = {"step time, and slow steps", false, NULL};
    tell.can = (explained->has & (RECORD_ANY_WORK | RECORD_STEP_TIME)) != 0;
    if (!explained->has)
        tell.why = "no record was found";
    else if (!tell.can)
        tell.why = "its records hold no own times and no step times";
    else if (explained->has & RECORD_STEP_TIME)
        tell.why = from_what(explained, (explained->has & RECORD_SPAN) != 0);
    else
        tell.why = "from the phases of a step";
    return tell;
}

static struct explain_tell waits(const struct explained *explained)
{
    struct explain_tell tell = {"who waits at the barrier, and for whom", false, NULL};
    tell.can = several_ranks(explained) && works(explained);
    if (explained->has && !explained->bare)
        tell.why = "its values are of the whole job, not of single ranks";
    else if (!several_ranks(explained))
        tell.why = "it takes two ranks or more";
    else if (!tell.can)
        tell.why = "it takes a rank's own time: compute, or its phases; all ranks take the same "
                   "step time";
    else
        tell.why = explained->bare & RECORD_SYNC ? "from each rank's time in the exchange"
                                                 : "from each rank's own time";
    return tell;
}

static struct explain_tell straggler(const struct explained *explained)
{
    struct explain_tell tell = waits(explained);
    tell.what = "which rank is slow";
    if (!tell.can)
        return tell;
    tell.can = (explained->bare & RECORD_ANY_WORK) != 0;
    tell.why = tell.can ? "from each rank's own time, against its peers"
                        : "its records hold the exchange alone; own times would tell: compute, or "
                          "the phases before it";
    return tell;
}

static struct explain_tell phases(const struct explained *explained)
{
    struct explain_tell tell = {"where in a step the time goes", false, NULL};
    uint32_t own = RECORD_ANY_PHASE & ~(uint32_t)RECORD_SYNC;
    bool exchange = (explained->has & RECORD_SYNC) != 0;
    tell.can = (explained->has & own) != 0 || (exchange && (explained->has & RECORD_ANY_WORK));
    tell.why = tell.can   ? "its phases are logged"
               : exchange ? "the exchange alone is logged, of what phases there are"
                          : "it has no phases: forward, backward, ...";
    return tell;
}

static struct explain_tell mfu(const struct explained *explained)
{
    struct explain_tell tell = {"MFU", true, NULL};
    if (explained->has & RECORD_FLOPS)
        tell.why = "from its FLOP/s; give the chip: --chip H100";
    else if (explained->has & RECORD_MFU)
        tell.why = "as the log gives it";
    else if (!step_time(explained).can)
        tell = (struct explain_tell){"MFU", false, step_time(explained).why};
    else if (explained->has & RECORD_TOKENS)
        tell.why = "from its tokens; give the model and the chip: --params 8B --chip H100";
    else
        tell.why = "give the tokens of a step, the model and the chip: --tokens 4M --params 8B "
                   "--chip H100 --gpus N";
    return tell;
}

static struct explain_tell when(const struct explained *explained)
{
    struct explain_tell tell = {"when it was, and gaps between steps", false, NULL};
    tell.can = (explained->has & RECORD_BEGIN) != 0;
    tell.why = tell.can ? "from its time stamps" : "it has no time stamps";
    return tell;
}

void explain_tells(const struct explained *explained, struct explain_tell tells[EXPLAIN_TELLS])
{
    tells[0] = step_time(explained);
    tells[1] = straggler(explained);
    tells[2] = waits(explained);
    tells[3] = phases(explained);
    tells[4] = mfu(explained);
    tells[5] = when(explained);
}
