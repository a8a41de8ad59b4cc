/* An MFU that cannot be, and what makes it so. */
#include "alarm_mfu.h"

#include <math.h>

#include "format.h"
#include "job_lines.h"
#include "mfu.h"

#define LIKELY_LEAST 0.01 /* an explanation that leaves less than 1% explains nothing */
#define FACTOR_OFF 0.03   /* twice and half, give or take */
#define NAMES_LIKE 3

/* The chip's dense peak in the run's format, by its name alone. */
static double table_peak(const struct run *run, enum number_format format)
{
    return peak_flops_of(str_from(run->chip), format);
}

static bool possible(double share)
{
    return share >= LIKELY_LEAST && share <= 1;
}

static void add_share(const struct view_model *model, struct sentence *line, double share)
{
    char text[FORMAT_BYTES];
    sentence_add(line, "%s", format_share(text, share));
    sentence_evidence(line, model_evidence(model, EVIDENCE_COMPUTED));
}

/* ---- MFU over 100%: causes, the one with most evidence first ---- */

static bool by_tokens(const struct view_model *model, struct sentence *line)
{
    const struct summary *summary = model->summary;
    char recorded[FORMAT_BYTES];
    if (!summary->tokens_disagree || !(summary->tokens_per_step > 0))
        return false;
    double share = summary->mfu.value * summary->tokens_recorded / summary->tokens_per_step;
    if (!possible(share))
        return false;
    sentence_add(line, "wrong tokens a step? the records' %s give ",
                 format_count(recorded, llround(fmin(summary->tokens_recorded, 1e18))));
    add_share(model, line, share);
    return true;
}

static bool is_factor(double ratio, double factor)
{
    return fabs(ratio / factor - 1) <= FACTOR_OFF;
}

static bool by_given_peak(const struct view_model *model, struct sentence *line)
{
    const struct run *run = &model->summary->run;
    double table = table_peak(run, run->format);
    if (!(run->peak_flops > 0) || !(table > run->peak_flops))
        return false;
    double share = model->summary->mfu.value * run->peak_flops / table;
    if (!possible(share))
        return false;
    sentence_add(line, "%s? ",
                 is_factor(table / run->peak_flops, 2) ? "sparse/dense factor two" : "wrong peak");
    sentence_add_raw(line, run->chip);
    sentence_add(line, "'s dense %.4g TFLOP/s gives ", table / 1e12);
    add_share(model, line, share);
    sentence_add(line, ", given is %.4g", run->peak_flops / 1e12);
    return true;
}

static bool by_causal(const struct view_model *model, struct sentence *line)
{
    struct run run = model->summary->run;
    if (model->summary->attention != ATTENTION_FULL)
        return false;
    double full = mfu_model_flop_per_token(&run);
    run.attention = ATTENTION_CAUSAL;
    double share =
        full > 0 ? model->summary->mfu.value * mfu_model_flop_per_token(&run) / full : NAN;
    if (!possible(share))
        return false;
    sentence_add(line, "is what the mask hides counted? --attention causal gives ");
    add_share(model, line, share);
    return true;
}

/* The number formats above the run's own, by what they would make of the figure. */
static bool by_format(const struct view_model *model, struct sentence *line)
{
    static const enum number_format faster[] = {NUMBER_BF16, NUMBER_FP8};
    const struct run *run = &model->summary->run;
    for (size_t i = 0; i < sizeof(faster) / sizeof(faster[0]); i++) {
        double peak = table_peak(run, faster[i]), used = model->summary->peak_flops;
        double share = peak > used ? model->summary->mfu.value * used / peak : NAN;
        if (!possible(share) || table_peak(run, run->format) >= peak)
            continue;
        sentence_add(line, "%s run on a %s peak? then ", number_format_name(faster[i]),
                     run_peak_format(run));
        add_share(model, line, share);
        if (is_factor(peak / used, 2))
            sentence_add(line, "; sparse/dense factor two?");
        return true;
    }
    return false;
}

static bool by_two(const struct view_model *model, struct sentence *line)
{
    double share = model->summary->mfu.value / 2;
    if (!possible(share))
        return false;
    sentence_add(line, "another chip? a peak off by two, sparse/dense? then ");
    add_share(model, line, share);
    return true;
}

static void add_inputs(const struct summary *summary, struct sentence *line)
{
    char tokens[FORMAT_BYTES], gpus[FORMAT_BYTES], params[MFU_COUNT_BYTES];
    const struct run *run = &summary->run;
    double count = run->active_params > 0 ? run->active_params : run->params;
    sentence_add(line, "no peak explains it: check --tokens %s, --%s %s, --gpus %s%s",
                 format_count(tokens, llround(fmin(summary->tokens_per_step, 1e18))),
                 run->active_params > 0 ? "active-params" : "params", mfu_count(params, count),
                 format_count(gpus, llround(run->gpus)), summary->gpus_assumed ? " (assumed)" : "");
}

bool alarm_mfu_over(const struct view_model *model, struct sentence *line)
{
    static bool (*const causes[])(const struct view_model *, struct sentence *) = {
        by_tokens, by_given_peak, by_causal, by_format, by_two};
    const struct summary *summary = model->summary;
    if (!quantity_known(summary->mfu) || !(summary->mfu.value > 1))
        return false;
    sentence_add(line, "MFU over 100%%: ");
    if (summary->mfu_origin == MFU_LOGGED) {
        sentence_add(line, "the log says so, by its own peak and formula; lockstep did not work "
                           "it out");
        return true;
    }
    if (summary->mfu_origin == MFU_LOGGED_RATE) {
        sentence_add(line, "the log's FLOP/s are more than the peak: is the chip right? ");
        return by_given_peak(model, line) || by_format(model, line) || by_two(model, line) || true;
    }
    for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
        if (causes[i](model, line))
            return true;
    add_inputs(summary, line);
    return true;
}

/* ---- HFU alone over 100% ---- */

bool alarm_hfu_over(const struct view_model *model, struct sentence *line)
{
    const struct summary *summary = model->summary;
    const struct run *run = &summary->run;
    bool mfu_is_over = quantity_known(summary->mfu) && summary->mfu.value > 1;
    if (!quantity_known(summary->hfu) || !(summary->hfu.value > 1) || mfu_is_over)
        return false;
    sentence_add(line, "HFU over 100%%: is so much recomputed? --recompute ");
    if (run->recompute == RECOMPUTE_SHARE)
        sentence_add(line, "%.3g%%", 100 * run->recompute_share);
    else
        sentence_add(line, "%s", recompute_name(run->recompute));
    sentence_add(line, "; none gives ");
    if (quantity_known(summary->mfu))
        add_share(model, line, summary->mfu.value);
    else
        sentence_add(line, "less");
    return true;
}

/* ---- peaks ---- */

bool alarm_peak_factor(const struct view_model *model, struct sentence *line)
{
    const struct run *run = &model->summary->run;
    double table = table_peak(run, run->format), given = run->peak_flops;
    bool over = quantity_known(model->summary->mfu) && model->summary->mfu.value > 1;
    if (!(table > 0) || !(given > 0))
        return false;
    bool twice = is_factor(given / table, 2), half = is_factor(given / table, 0.5) && !over;
    if (!twice && !half)
        return false;
    sentence_add(line, "peak given %.4g TFLOP/s, %s ", given / 1e12, twice ? "twice" : "half of");
    sentence_add_raw(line, run->chip);
    sentence_add(line, "'s dense %s %.4g: %s", run_peak_format(run), table / 1e12,
                 twice ? "the sparse one?" : "of another number format?");
    bool is_fp8 = is_factor(given / table_peak(run, NUMBER_FP8), 1);
    if (twice && is_fp8 && run->format != NUMBER_FP8)
        sentence_add(line, " or --number-format fp8");
    return true;
}

void alarm_add_unknown_peak(const struct run *run, struct sentence *line)
{
    sentence_add(line, "peak unknown for ");
    sentence_add_raw(line, run->chip);
    if (table_peak(run, NUMBER_BF16) > 0)
        sentence_add(line, " in %s", number_format_name(run->format));
}

bool alarm_peak_unknown(const struct view_model *model, struct sentence *line)
{
    const struct run *run = &model->summary->run;
    const char *names[NAMES_LIKE];
    if (!run->chip[0] || run_peak_flops(run) > 0)
        return false;
    alarm_add_unknown_peak(run, line);
    sentence_add(line, ": --peak TFLOPS");
    if (table_peak(run, NUMBER_BF16) > 0)
        return true;
    int count = peak_names_like(str_from(run->chip), names, NAMES_LIKE);
    for (int i = 0; i < count; i++)
        sentence_add(line, "%s%s",
                     i == 0           ? ", or is it "
                     : i == count - 1 ? " or "
                                      : ", ",
                     names[i]);
    if (count > 0)
        sentence_add(line, "?");
    return true;
}

/* ---- sizes of parallelism ---- */

bool alarm_sizes(const struct view_model *model, struct sentence *line)
{
    const struct summary *summary = model->summary;
    const struct run *run = &summary->run;
    const struct {
        const char *name;
        int size;
    } sizes[] = {{"tp", run->tp}, {"pp", run->pp}, {"dp", run->dp}};
    char product_text[FORMAT_BYTES], ranks[FORMAT_BYTES];
    int64_t product = 1;
    const char *between = "";
    if (!summary->sizes_disagree || summary->rank_count == 0 ||
        (job_alone(summary) && !(run->gpus > 0)))
        return false;
    for (int i = 0; i < 3; i++) {
        if (sizes[i].size < 1)
            continue;
        sentence_add(line, "%s--%s %d", between, sizes[i].name, sizes[i].size);
        product *= sizes[i].size;
        between = " x ";
    }
    sentence_add(line, " is %s, not the %s", format_count(product_text, product),
                 job_alone(summary) ? format_counted(ranks, llround(run->gpus), "GPU")
                                    : format_counted(ranks, (int64_t)summary->rank_count, "rank"));
    if (!job_alone(summary) && !summary->gpus_assumed && run->gpus != (double)summary->rank_count)
        sentence_add(line, " or %s", format_counted(ranks, llround(run->gpus), "GPU"));
    sentence_add(line, ": the stages may be wrong");
    return true;
}
