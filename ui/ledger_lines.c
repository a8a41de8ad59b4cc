/* A ledger in words. */
#include "ledger_lines.h"

#include <math.h>

#include "alarm_lines.h"
#include "format.h"
#include "job_lines.h"
#include "ledger_rows.h"
#include "marks.h"
#include "mfu.h"

#define GAPS_TRIFLE 0.05     /* of the GPU time: less needs no words */
#define BETWEEN_TRIFLE 0.001 /* of the wall-clock time, likewise */

static void add_letter(struct sentence *line, const struct view_model *model,
                       struct quantity quantity)
{
    if (isfinite(quantity.value))
        sentence_evidence(line, model_evidence(model, quantity.evidence));
}

static void add_share(struct sentence *line, const struct view_model *model, const char *label,
                      struct quantity share)
{
    char text[FORMAT_BYTES];
    sentence_add(line, "%s%s", label,
                 format_share(text, quantity_known(share) ? share.value : NAN));
    add_letter(line, model, share);
}

static void add_time(struct sentence *line, const struct view_model *model, const char *label,
                     struct quantity seconds)
{
    char text[FORMAT_BYTES];
    sentence_add(line, "%s%s", label, format_duration(text, seconds.value, false));
    add_letter(line, model, seconds);
}

/* What no value of a job holds, and is not kept either. */
static void add_between(struct sentence *line, const struct view_model *model)
{
    const struct effective *effective = &model->summary->effective;
    if (quantity_known(effective->between_s) &&
        effective->between_s.value >= BETWEEN_TRIFLE * effective->wall_s.value)
        add_time(line, model, ", between steps ", effective->between_s);
}

void ledger_line_effective(const struct view_model *model, struct sentence *line)
{
    const struct effective *effective = &model->summary->effective;
    char text[FORMAT_BYTES];
    sentence_clear(line, STYLE_NORMAL);
    if (!quantity_known(effective->share)) {
        sentence_add(line, "effective training time not known");
        return;
    }
    add_share(line, model, "effective training time ", effective->share);
    if (quantity_known(effective->wall_s))
        add_time(line, model, " of ", effective->wall_s);
    bool part = job_not_logged(model->summary) > 0;
    if (part)
        sentence_add(line, ", of the steps that are logged");
    if (effective->restarts == 0) {
        uint64_t twice = model->summary->source.duplicate;
        bool unclear = twice > 0 && job_alone(model->summary);
        sentence_add(line, ": no restart");
        if (unclear) /* without stamps nothing tells them apart */
            sentence_add(line, " that can be seen (%s twice: copies, or steps done again)",
                         format_counted(text, (int64_t)twice, "value"));
        add_between(line, model);
        return;
    }
    sentence_add(line, ": %s, ", format_counted(text, effective->restarts, "restart"));
    sentence_add(line, "%s%s done again",
                 effective->repeated_steps > 0
                     ? format_counted(text, effective->repeated_steps, "step")
                     : "no step",
                 part && effective->repeated_steps > 0 ? " of the log" : "");
    if (quantity_known(effective->lost_s) && effective->lost_s.value > 0) {
        add_time(line, model, " (", effective->lost_s);
        sentence_add(line, ")");
    }
    if (!quantity_known(effective->down_s))
        sentence_add(line, ", the time down not known");
    else if (effective->down_s.value > 0)
        add_time(line, model, ", down ", effective->down_s);
    add_between(line, model);
}

bool ledger_line_gaps(const struct ledger *ledger, struct sentence *line)
{
    sentence_clear(line, STYLE_NORMAL);
    struct quantity gaps = ledger->share[LEDGER_GAPS];
    if (!quantity_known(gaps) || gaps.value < GAPS_TRIFLE)
        return false;
    sentence_add(line, "%s: %s", ledger_part_title(LEDGER_GAPS),
                 ledger_is_one(ledger)
                     ? "between steps, in no step time of the log, by its time stamps"
                     : "between steps, or inside a step while the records name no phase (in a "
                       "pipeline its bubbles)");
    return true;
}

void ledger_line_utilization(const struct view_model *model, struct sentence *line)
{
    const struct summary *summary = model->summary;
    sentence_clear(line, STYLE_NORMAL);
    if (!quantity_known(summary->mfu)) {
        struct sentence needs;
        sentence_add(line, "MFU and HFU not known: ");
        if (alarm_mfu_needs(model, &needs))
            sentence_add(line, "%s", needs.text);
        return;
    }
    add_share(line, model, "MFU ", summary->mfu);
    if (quantity_known(summary->hfu))
        add_share(line, model, "  HFU ", summary->hfu);
    sentence_add(line, ": ");
    job_add_mfu_convention(line, summary);
}

static bool of_mfu(int part)
{
    return part == LEDGER_ARITHMETIC || part == LEDGER_RECOMPUTE;
}

/* What in the records would tell it. */
static const char *teller(int part)
{
    static const char *const tellers[LEDGER_COUNT] = {[LEDGER_INPUT] = "data",
                                                      [LEDGER_EXCHANGE] = "sync",
                                                      [LEDGER_CHECKPOINT] = "event",
                                                      [LEDGER_VALIDATION] = "event"};
    return tellers[part];
}

static void add_part(struct sentence *line, const struct summary *summary, int part)
{
    sentence_add(line, "%s%s", line->length > 0 ? ", " : "not known: ",
                 ledger_part_title((enum ledger_part)part));
    if (teller(part) && !job_alone(summary))
        sentence_add(line, " (no \"%s\")", teller(part));
}

static void add_within(struct sentence *line, const struct ledger *ledger, int part)
{
    enum ledger_part within = ledger->within[part];
    if (within < LEDGER_COUNT && (int)within != part)
        sentence_add(line,
                     within == LEDGER_KERNELS && ledger_is_one(ledger) ? ": in the part that is %s"
                                                                       : ": in %s",
                     ledger_title(ledger, within));
}

/* All that are not known, of MFU or not, and are contained in the same part as the
 * part `first`. */
static void say_unknown(struct sentence *line, const struct view_model *model,
                        const struct ledger *ledger, int first, bool said[LEDGER_COUNT])
{
    struct sentence needs;
    sentence_clear(line, STYLE_NORMAL);
    for (int part = first; part < LEDGER_COUNT; part++) {
        if (quantity_known(ledger->share[part]) || of_mfu(part) != of_mfu(first) ||
            ledger->within[part] != ledger->within[first])
            continue;
        add_part(line, model->summary, part);
        said[part] = true;
    }
    add_within(line, ledger, first);
    if (of_mfu(first) && ledger->over_peak)
        sentence_add(line, "; more than the own time: is the peak, or tokens a step, wrong?");
    else if (of_mfu(first) && alarm_mfu_needs(model, &needs))
        sentence_add(line, "; %s", needs.text);
}

int ledger_lines_unknown(const struct view_model *model, const struct ledger *ledger,
                         struct sentence *lines, int max)
{
    int used = 0;
    bool said[LEDGER_COUNT] = {false};
    for (int part = 0; part < LEDGER_COUNT && used < max; part++)
        if (!quantity_known(ledger->share[part]) && !said[part])
            say_unknown(&lines[used++], model, ledger, part, said);
    return used;
}

bool ledger_line_nearest(const struct view_model *model, struct sentence *line)
{
    const struct summary *summary = model->summary;
    const struct mark *mark = mark_nearest(quantity_known(summary->mfu) ? summary->mfu.value : NAN);
    char text[FORMAT_BYTES];
    sentence_clear(line, STYLE_NORMAL);
    if (!mark)
        return false;
    sentence_add(line, "nearest reported MFU: %s on %s, %s", mark->name, mark->scale,
                 format_share(text, mark->mfu));
    sentence_evidence(line, MARKS_EVIDENCE);
    return true;
}
