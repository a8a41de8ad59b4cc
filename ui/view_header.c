/* The header: which run, which step, how well it does. */
#include "view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "alarm_lines.h"
#include "format.h"
#include "job_lines.h"
#include "sentence.h"

void view_number(struct canvas *canvas, struct rect rect, int right, int y, enum style style,
                 const char *text, enum evidence evidence)
{
    canvas_text_right(canvas, rect, right - 2, y, style, text);
    if (evidence != EVIDENCE_NONE)
        canvas_put(canvas, rect, right - 1, y, (uint32_t)evidence_letter(evidence), STYLE_DIM);
}

/* What the first line has to be content with. */
struct title {
    int width; /* columns that its wording is for */
    bool unicode;
    bool alone; /* the header has no other line */
};

/* "41.2% c", or "-" when it is not known. */
static void add_quantity(struct sentence *line, const struct view_model *model, const char *text,
                         enum evidence evidence)
{
    sentence_add(line, "%s", text);
    if (strcmp(text, "-") != 0)
        sentence_evidence(line, model_evidence(model, evidence));
}

static void add_share(struct sentence *line, const struct view_model *model, const char *label,
                      struct quantity share)
{
    char text[FORMAT_BYTES];
    sentence_add(line, "%s", label);
    format_share(text, quantity_known(share) ? share.value : NAN);
    add_quantity(line, model, text, share.evidence);
}

/* The moment of the step, for who comes from another log. */
static void add_moment(struct sentence *line, double unix_s, bool zone_unknown)
{
    char text[FORMAT_BYTES];
    if (isfinite(unix_s) && unix_s > 0 && unix_s <= 2.5e11)
        sentence_add(line, "  %s", format_log_moment(text, unix_s, zone_unknown));
}

/* "step a2 12,345"; of a mean over several "steps 12,336-12,345". */
static void add_steps(struct sentence *line, const struct summary *summary, int width)
{
    struct sentence steps;
    sentence_clear(&steps, STYLE_TITLE);
    job_add_steps(&steps, summary);
    const char *number = strchr(steps.text, ' ');
    if (!number)
        return;
    if (width >= 40)
        sentence_add(line, "%.*s", (int)(number + 1 - steps.text), steps.text);
    if (width >= 40 && width < 80 && summary->attempts > 1)
        sentence_add(line, "a%d ", summary->shown.attempt + 1);
    sentence_add(line, "%s", number + 1);
}

/* "mean of 10 steps 4.93 s m", in few words "mean 4.93 s m". */
static void add_step_time(struct sentence *line, const struct view_model *model, int width,
                          bool unicode)
{
    const struct summary_step *shown = &model->summary->shown;
    struct quantity time = shown->step_time_s;
    char text[FORMAT_BYTES];
    if (shown->span > 1 && width >= 80)
        sentence_add(line, "mean of %s ", format_counted(text, shown->span, "step"));
    else if (shown->span > 1)
        sentence_add(line, "mean ");
    add_quantity(line, model,
                 format_duration(text, quantity_known(time) ? time.value : NAN, unicode),
                 time.evidence);
}

/* What "LIVE" would hide where no other line says that nothing comes any more; NULL. */
static const char *stopped_word(const struct view_model *model)
{
    struct sentence why;
    sentence_clear(&why, STYLE_WARNING);
    if (model->screen == SCREEN_TIMELINE || model->paused || !alarm_stopped(model, &why))
        return NULL;
    return model->feed.gone > 0 ? "GONE" : "HANG?";
}

/* "LIVE"; "READING 34%" until what was there is read: the newest step is not shown yet. */
static void add_mode(struct sentence *line, const struct view_model *model,
                     const struct title *title)
{
    const struct feed_info *feed = &model->feed;
    const char *stopped = title->alone ? stopped_word(model) : NULL;
    int width = title->width;
    if (model->summary->simulated && width < 40) { /* has to be seen, always */
        sentence_add(line, "SIM");
        return;
    }
    if (stopped || model->mode != MODE_LIVE || model->paused || !feed->reading) {
        sentence_add(line, "%s", stopped ? stopped : model_mode_word(model));
        return;
    }
    sentence_add(line, width >= 40 ? "READING" : "READ");
    if (feed->read_share > 0)
        sentence_add(line, " %d%%", (int)fmin(100 * feed->read_share, 99));
}

/* Right half of the first line: "LIVE  step 12,345  4.93 s m". */
static void say_step(struct sentence *line, const struct view_model *model,
                     const struct title *title)
{
    int width = title->width;
    const struct summary *summary = model->summary;
    const struct summary_step *shown = &summary->shown;
    const char *gap = width < 60 ? " " : "  ";
    char text[FORMAT_BYTES];
    sentence_clear(line, STYLE_TITLE);
    add_mode(line, model, title);
    double speed = model->playback.on ? model->playback.speed : model->feed.speed;
    bool stands = model->playback.on && !model->playback.playing;
    if (speed > 0 && speed != 1 && width >= 80 && !stands)
        sentence_add(line, " x%.4g", speed);
    if (model->feed.recording.on && width >= 60)
        sentence_add(line, " REC");
    if (!shown->known)
        return;
    if (width >= 100)
        add_moment(line, shown->begin_s, summary->zone_unknown);
    sentence_add(line, "%s", gap);
    add_steps(line, summary, width);
    bool back = !summary->is_latest && !model->playback.on; /* a replay has a line for that */
    if (back && summary->last_in_memory > shown->step)
        sentence_add(line, width >= 40 ? " (%s back)" : " -%s",
                     format_count(text, summary->last_in_memory - shown->step));
    if (width >= 80 && summary->attempts > 1)
        sentence_add(line, " attempt %d of %d", shown->attempt + 1, summary->attempts);
    sentence_add(line, "%s", gap);
    add_step_time(line, model, width, title->unicode);
}

static int add_part(struct canvas *canvas, struct rect part, int x, enum style style,
                    const char *text)
{
    int used = x < part.width ? canvas_text(canvas, part, x, 0, style, text) : 0;
    return used > 0 ? x + used + 2 : x;
}

/* Our own name goes where it would take the place of the ranks. */
static bool has_room_for_us(struct rect part, const struct summary *summary, const char *ranks)
{
    int rest =
        1 + (summary->simulated ? 11 : 0) + (int)strlen(ranks) + (job_alone(summary) ? 18 : 0);
    rest += summary->run.name[0] ? (int)strlen(summary->run.name) + 2 : 0;
    return part.width >= 30 &&
           (rest + 10 <= part.width || (rest > part.width && !job_alone(summary)));
}

/* "Megatron-LM, whole job", or the longest of its wordings that fits. */
static void add_whom(struct canvas *canvas, struct rect part, int *x, const struct summary *summary)
{
    struct sentence who[3];
    for (int i = 0; i < 3; i++)
        sentence_clear(&who[i], STYLE_TITLE);
    job_add_who(&who[0], summary);
    sentence_add(&who[1], job_add_format(&who[1], summary) ? " job" : "whole job");
    sentence_add(&who[2], "whole job");
    for (int i = 0; i < 3; i++) {
        if (part.width - *x >= sentence_columns(&who[i])) {
            *x = add_part(canvas, part, *x, STYLE_TITLE, who[i].text);
            return;
        }
    }
}

/* "NCCL Inspector": of single ranks, but not in our own format. */
static void add_format(struct canvas *canvas, struct rect part, int *x,
                       const struct summary *summary)
{
    struct sentence format;
    sentence_clear(&format, STYLE_TITLE);
    if (job_add_format(&format, summary) && part.width - *x >= sentence_columns(&format))
        *x = add_part(canvas, part, *x, STYLE_TITLE, format.text);
}

/* Left half: what fits of program, run, ranks, chip. That a run is simulated
 * comes first wherever the rest has to go. */
static void draw_run(struct canvas *canvas, struct rect part, const struct view_model *model)
{
    const struct summary *summary = model->summary;
    char ranks[FORMAT_BYTES + 32], count[FORMAT_BYTES];
    int x = 1;
    bool some = summary->shown.known && summary->shown.reported < summary->shown.expected;
    if (some)
        snprintf(ranks, sizeof(ranks), "%d of %s", summary->shown.reported,
                 format_counted(count, summary->shown.expected, "rank"));
    else if (!job_alone(summary))
        format_counted(ranks, (int64_t)summary->rank_count, "rank");
    if (job_alone(summary)) {
        struct sentence who;
        sentence_clear(&who, STYLE_TITLE);
        sentence_add(&who, job_add_format(&who, summary) ? " job" : "whole job");
        snprintf(ranks, sizeof(ranks), "%.60s", who.text);
    }
    if (has_room_for_us(part, summary, summary->rank_count > 0 ? ranks : ""))
        x = add_part(canvas, part, x, STYLE_TITLE, "lockstep");
    if (summary->simulated && part.width >= 10)
        x = add_part(canvas, part, x, STYLE_WARNING, "SIMULATED");
    if (summary->run.name[0] && part.width - x >= 4)
        x = add_part(canvas, part, x, STYLE_TITLE, summary->run.name);
    if (summary->rank_count > 0 && job_alone(summary))
        add_whom(canvas, part, &x, summary);
    else if (summary->rank_count > 0 && part.width - x >= (int)strlen(ranks))
        x = add_part(canvas, part, x, STYLE_TITLE, ranks);
    if (!job_alone(summary))
        add_format(canvas, part, &x, summary);
    if (summary->run.chip[0] && part.width - x >= (int)strlen(summary->run.chip))
        add_part(canvas, part, x, STYLE_TITLE, summary->run.chip);
}

static void draw_title(struct canvas *canvas, struct rect line, const struct view_model *model,
                       bool alone)
{
    struct sentence step;
    struct title title = {line.width, canvas->unicode, alone};
    canvas_fill(canvas, line, ' ', STYLE_TITLE);
    int margin = line.width < 40 ? 0 : 1;
    for (int wording = 0; wording < 2; wording++) {
        say_step(&step, model, &title);
        if (sentence_columns(&step) + 2 * margin <= line.width * 3 / 4)
            break;
        title.width = title.width >= 80 ? 79 : 39;
    }
    int begin = line.width - margin - sentence_columns(&step);
    begin = begin < margin ? margin : begin;
    draw_run(canvas, rect_part(line, 0, 0, begin - 2, 1), model);
    sentence_draw(&step, canvas, line, begin, 0);
}

/* GPUs that the waiting amounts to: the price of it in the shortest words. */
static void add_idle(struct sentence *line, const struct view_model *model)
{
    const struct summary *summary = model->summary;
    char idle[FORMAT_BYTES], all[FORMAT_BYTES];
    double gpus = summary->run.gpus;
    if (!quantity_known(summary->window_wait_share) || !(gpus > 0))
        return;
    if (summary->world_ranks > (int64_t)summary->rank_count)
        return; /* whether those of the other ranks wait is not known */
    bool fewer = summary->gpus_assumed && summary->shown.known && summary->shown.reported > 0 &&
                 summary->shown.reported < gpus;
    if (fewer) /* of those that do not report nothing is known */
        gpus = summary->shown.reported;
    double waiting = summary->window_wait_share.value * gpus;
    if (waiting >= 99.5)
        format_count(idle, llround(fmin(waiting, 1e15)));
    else
        snprintf(idle, sizeof(idle), "%.*f", waiting < 9.95 ? 2 : 1, waiting);
    sentence_add(line, " = %s", idle);
    sentence_evidence(line, model_evidence(model, EVIDENCE_COMPUTED));
    sentence_add(line, summary->gpus_assumed ? " of %s ranks' GPUs" : " of %s GPUs",
                 format_count(all, llround(fmin(gpus, 1e15))));
    if (job_scaled_from(summary) > 0)
        sentence_add(line, ", from %s", format_counted(all, job_scaled_from(summary), "rank"));
}

enum wording { /* of the figures, from long to short */
               WORDS_ALL,
               WORDS_SHORT_RULE,
               WORDS_NO_HFU,
               WORDS_NO_HFU_SHORT_RULE,
               WORDS_NO_RULE,
               WORDS_NO_IDLE,
               WORDS_FEWEST,
};

/* What the values are, where not the times of single steps, goes before the rule. */
static void say_rule(struct sentence *line, const struct view_model *model, enum wording wording)
{
    enum wait_rule rule = model->summary->shown.rule;
    sentence_clear(line, STYLE_DIM);
    if (wording < WORDS_FEWEST && model->summary->log_count > 0)
        job_add_values(line, model->summary);
    if (rule == WAIT_UNKNOWN || wording >= WORDS_NO_RULE)
        return;
    if (line->length > 0)
        sentence_add(line, ";  ");
    if (wording == WORDS_ALL || wording == WORDS_NO_HFU)
        sentence_add(line, "wait = %s", wait_rule_sentence(rule));
    else
        sentence_add(line, "wait by %s", wait_rule_name(rule));
    sentence_evidence(line, model_evidence(model, wait_rule_evidence(rule)));
}

static void say_figures(struct sentence *line, const struct view_model *model, enum wording wording)
{
    const struct summary *summary = model->summary;
    sentence_clear(line, STYLE_VALUE);
    if (quantity_known(summary->mfu))
        add_share(line, model, "MFU ", summary->mfu);
    if (quantity_known(summary->mfu) && job_fewer_ranks(summary) > 0)
        sentence_add(line, " by %.0f GPUs", summary->run.gpus);
    if (quantity_known(summary->mfu) && job_mfu_origin(summary)[0])
        sentence_add(line, " %s", job_mfu_origin(summary));
    bool mfu = quantity_known(summary->mfu);
    if (wording < (mfu ? WORDS_NO_HFU : WORDS_NO_RULE) && quantity_known(summary->flops)) {
        sentence_add(line, "%s", line->length > 0 ? "  " : "");
        job_add_flops(line, model);
    }
    if (wording < (mfu ? WORDS_NO_RULE : WORDS_NO_HFU_SHORT_RULE) && job_alone(summary) &&
        line->length > 0)
        job_add_window(line, summary); /* who looks into the log finds other values */
    if (job_alone(summary)) {
        sentence_add(line, "%s", line->length > 0 ? "  " : "");
        job_add_gpus(line, summary, wording > WORDS_NO_RULE);
    }
    if (quantity_known(summary->hfu) && wording < WORDS_NO_HFU)
        add_share(line, model, "  HFU ", summary->hfu);
    if (summary->shown.known && !job_alone(summary))
        add_share(line, model, line->length > 0 ? "  waiting " : "waiting ",
                  summary->window_wait_share);
    if (wording != WORDS_NO_IDLE || summary->log_count == 0)
        add_idle(line, model);
}

static void draw_figures(struct canvas *canvas, struct rect line, const struct view_model *model)
{
    struct sentence figures, rule;
    int begin = 0;
    sentence_clear(&figures, STYLE_WARNING);
    if (model->screen != SCREEN_TIMELINE && alarm_stopped(model, &figures)) { /* has no alarms */
        sentence_draw_wrapped(&figures, canvas, rect_part(line, 1, 0, line.width - 1, 1), 0);
        return;
    }
    for (int wording = WORDS_ALL; wording <= WORDS_FEWEST; wording++) {
        say_figures(&figures, model, (enum wording)wording);
        say_rule(&rule, model, (enum wording)wording);
        begin = line.width - 1 - sentence_columns(&rule);
        if (1 + sentence_columns(&figures) + 2 <= begin)
            break;
    }
    sentence_draw_wrapped(&figures, canvas, rect_part(line, 1, 0, line.width - 1, 1), 0);
    sentence_draw(&rule, canvas, line, begin, 0);
}

void view_header(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    if (rect.height > 0)
        draw_title(canvas, rect_part(rect, 0, 0, rect.width, 1), model, rect.height == 1);
    if (rect.height > 1)
        draw_figures(canvas, rect_part(rect, 0, 1, rect.width, 1), model);
}
