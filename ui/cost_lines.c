/* What waiting costs, in words. */
#include "cost_lines.h"

#include <math.h>
#include <string.h>

#include "format.h"

#define WORDINGS 5 /* of the waiting, from long to short */
#define SHORT 3    /* the first of them without "GPU time" */
#define LETTERS 4  /* of them with evidence letters */
#define EXPLAINS_ALL                                                                               \
    0.9 /* so much of what is lost is the named one's; the rest is not worth a word */

static bool slow(const struct verdict *verdict)
{
    return verdict_kind_is_slow(verdict->kind);
}

static bool about(const struct what_if *what_if, const struct verdict *verdict)
{
    if (verdict->kind == VERDICT_STRAGGLER)
        return what_if->of == COST_OF_RANK && what_if->rank == verdict->rank;
    if (verdict->kind != VERDICT_GROUP)
        return false;
    return what_if->of == (verdict->is_host ? COST_OF_HOST : COST_OF_GROUP) &&
           strcmp(what_if->name, verdict->group) == 0;
}

const struct what_if *cost_of_verdict(const struct summary *summary, const struct verdict *verdict)
{
    for (size_t i = 0; i < summary->what_if_count; i++)
        if (about(&summary->what_ifs[i], verdict))
            return &summary->what_ifs[i];
    return NULL;
}

/* The verdicts in force on slow ranks, groups, hosts; the first of them too. */
static int count_slow(const struct summary *summary, const struct verdict **ret_first)
{
    int count = 0;
    *ret_first = NULL;
    for (size_t i = 0; i < summary->verdicts_in_force && i < summary->verdict_count; i++) {
        const struct verdict *verdict = &summary->verdicts[i];
        if (slow(verdict) && count++ == 0)
            *ret_first = verdict;
    }
    return count;
}

const struct what_if *cost_of_named(const struct summary *summary)
{
    const struct verdict *first;
    int count = count_slow(summary, &first);
    if (count == 0)
        return NULL;
    for (size_t i = 0; i < summary->what_if_count; i++)
        if (summary->what_ifs[i].of == COST_OF_ALL && summary->what_ifs[i].named)
            return &summary->what_ifs[i];
    return count == 1 ? cost_of_verdict(summary, first) : NULL;
}

void cost_add_named(struct sentence *sentence, const struct summary *summary)
{
    const struct verdict *first;
    int count = count_slow(summary, &first);
    if (count == 0) {
        sentence_add(sentence, "nobody");
    } else if (count > 1) {
        sentence_add(sentence, "the %d that are named", count);
    } else if (first->kind == VERDICT_STRAGGLER) {
        sentence_add(sentence, "rank %lld", (long long)first->rank);
    } else {
        sentence_add_raw(sentence, first->group);
    }
}

static void add_share(struct sentence *line, const struct view_model *model, int tenths,
                      struct quantity share, bool letters)
{
    sentence_add(line, "%d.%d%%", tenths / 10, tenths % 10);
    if (letters)
        sentence_evidence(line, model_evidence(model, share.evidence));
}

static bool usable(struct quantity quantity)
{
    return quantity_known(quantity) && isfinite(quantity.value);
}

bool cost_add_worth(struct sentence *sentence, const struct view_model *model,
                    const struct verdict *verdict, bool few_words)
{
    const struct what_if *what_if = /* of what is over nothing can be won */
        verdict->to_step < 0 ? cost_of_verdict(model->summary, verdict) : NULL;
    bool bound = what_if && what_if->lower_bound;
    char text[FORMAT_BYTES];
    if (what_if && usable(what_if->mfu_points)) {
        const char *sign = !bound ? "+" : few_words ? ">" : "at least +";
        sentence_add(sentence, "worth %s%.1f points", sign, fmax(0, what_if->mfu_points.value));
        sentence_evidence(sentence, model_evidence(model, what_if->mfu_points.evidence));
        return true;
    }
    double share = what_if && usable(what_if->gain_share) ? what_if->gain_share.value
                   : verdict->lost_share > 0              ? verdict->lost_share
                                                          : NAN;
    if (!isfinite(share))
        return false;
    sentence_add(sentence, "%s %s%s", verdict->to_step < 0 ? "costs" : "has cost",
                 !bound      ? ""
                 : few_words ? ">"
                             : "at least ",
                 format_share(text, share));
    sentence_evidence(sentence, model_evidence(model, EVIDENCE_COMPUTED));
    sentence_add(sentence, few_words              ? ""
                           : verdict->to_step < 0 ? " of the GPU time"
                                                  : " of the GPU time of its steps");
    return true;
}

/* The shares of the sentence in tenths of a percent, as they are shown. */
struct waiting {
    int loss, floor, chronic;
    bool of_all; /* the mean over ranks comes to the same figure as the median rank's */
};

static int tenths(double share)
{
    return (int)lround(fmin(fmax(share, 0), 1) * 1000);
}

static struct waiting waiting_of(const struct summary *summary)
{
    const struct jitter *jitter = &summary->jitter;
    struct waiting waiting = {.loss = tenths(jitter->loss.value),
                              .floor = tenths(jitter->floor.value)};
    bool more = usable(jitter->chronic) && jitter->chronic.value > 0;
    waiting.chronic = more && waiting.loss > waiting.floor ? waiting.loss - waiting.floor : 0;
    waiting.of_all = !usable(summary->window_wait_share) ||
                     tenths(summary->window_wait_share.value) == waiting.loss;
    return waiting;
}

/* Whose the time above the floor is. */
static void add_chronic(struct sentence *line, const struct view_model *model,
                        const struct waiting *waiting, int wording)
{
    const struct summary *summary = model->summary;
    const struct what_if *named = cost_of_named(summary);
    const struct verdict *first;
    bool anybody = count_slow(summary, &first) > 0;
    bool part = named && usable(named->explains) && named->explains.value < EXPLAINS_ALL;
    char text[FORMAT_BYTES];
    sentence_add(line, ", ");
    add_share(line, model, waiting->chronic, summary->jitter.chronic, wording < LETTERS);
    if (!anybody) {
        sentence_add(line,
                     wording == 0 ? " is more than that, but nobody's alone" : " is nobody's");
    } else if (part) {
        sentence_add(line, wording == 0 ? " is more than that, %s" : " more, %s",
                     format_share(text, named->explains.value));
        if (wording < LETTERS)
            sentence_evidence(line, model_evidence(model, named->explains.evidence));
        sentence_add(line, " of it ");
        cost_add_named(line, summary);
    } else {
        sentence_add(line, wording == 0 ? " is " : wording < LETTERS ? " by " : " ");
        cost_add_named(line, summary);
    }
}

/* "9.8% m of the GPU time waits: ", or, where the mean over ranks is another figure,
 * "the median rank waits 9.8% m of its time: ". */
static void add_loss(struct sentence *line, const struct view_model *model,
                     const struct waiting *waiting, int wording)
{
    const struct quantity loss = model->summary->jitter.loss;
    bool rank = !waiting->of_all && wording < SHORT;
    if (rank)
        sentence_add(line, "the median rank waits ");
    add_share(line, model, waiting->loss, loss, wording < LETTERS);
    if (rank)
        sentence_add(line, wording == 0 ? " of its time: " : ": ");
    else
        sentence_add(line, wording == 0      ? " of the GPU time waits: "
                           : wording < SHORT ? " of GPU time waits: "
                                             : " waits: ");
}

static void say_waiting(struct sentence *line, const struct view_model *model,
                        const struct waiting *waiting, int wording)
{
    const struct jitter *jitter = &model->summary->jitter;
    char count[FORMAT_BYTES];
    sentence_clear(line, STYLE_NORMAL);
    add_loss(line, model, waiting, wording);
    format_count(count, jitter->ranks);
    if (waiting->chronic == 0 && wording == 0)
        sentence_add(line, "no more than %s equal ranks lose by chance, ", count);
    add_share(line, model, waiting->floor, jitter->floor, wording < LETTERS);
    if (waiting->chronic == 0 && wording == 0)
        return;
    if (wording == 0)
        sentence_add(line, " is what %s equal ranks lose by chance", count);
    else if (wording == 1)
        sentence_add(line, " by chance (%s equal ranks)", count);
    else
        sentence_add(line, wording < LETTERS ? " by chance" : " chance");
    if (waiting->chronic > 0)
        add_chronic(line, model, waiting, wording);
}

/* Points of the GPU time that the two differ by before it needs words. */
#define BETWEEN_LEAST 0.01

bool cost_between_line(const struct view_model *model, struct sentence *line)
{
    const struct summary *summary = model->summary;
    const struct jitter *jitter = &summary->jitter;
    const struct what_if *named = cost_of_named(summary);
    char text[FORMAT_BYTES];
    sentence_clear(line, STYLE_NORMAL);
    if (!named || !usable(named->gain_share) || !usable(jitter->chronic) ||
        named->gain_share.value < jitter->chronic.value + BETWEEN_LEAST)
        return false;
    sentence_add(line, "repairing ");
    cost_add_named(line, summary);
    sentence_add(line, " wins between ");
    add_share(line, model, waiting_of(summary).chronic, jitter->chronic, true);
    sentence_add(line, " and %s", format_share(text, named->gain_share.value));
    sentence_evidence(line, model_evidence(model, named->gain_share.evidence));
    sentence_add(line,
                 " of the GPU time: the first if it then jitters as %s equal ranks do, the second "
                 "if it is at the median in every step. With jitter this large, another rank "
                 "would often be last in its place",
                 format_count(text, jitter->ranks));
    return true;
}

bool cost_waiting_line(const struct view_model *model, int width, struct sentence *line)
{
    const struct jitter *jitter = &model->summary->jitter;
    sentence_clear(line, STYLE_NORMAL);
    if (!usable(jitter->loss) || !usable(jitter->floor))
        return false;
    struct waiting waiting = waiting_of(model->summary);
    for (int wording = 0; wording < WORDINGS; wording++) {
        say_waiting(line, model, &waiting, wording);
        if (sentence_columns(line) <= width)
            return true;
    }
    return false;
}
