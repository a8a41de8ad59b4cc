/* A log of the whole job: why there are no bars, and what it tells instead. */
#include "view_job.h"

#include <math.h>
#include <stdio.h>

#include "format.h"
#include "job_lines.h"
#include "job_pulse.h"
#include "sentence.h"
#include "verdict_lines.h"
#include "view.h"

#define STRIP_MFU 0
#define STRIP_STEP_TIME 1
#define STRIP_LINES_MAX 6
#define TEXT_WIDTH_MAX 100 /* of sentences: longer lines are hard to read */
#define NARROW 60
#define BRIEF_HEIGHT 14
#define TABLE_LEAST 4 /* lines: fewer say nothing */

struct job_page {
    struct canvas *canvas;
    struct rect rect; /* of the text, without margins */
    struct rect wide; /* with them: strips have their own */
    const struct view_model *model;
    bool brief; /* no room for whole sentences */
    int y;
};

/* Lines given to each part. */
struct job_lines {
    int text, gap, now, pulse, strips, strip_height, needs, phases, event, to_come, tables;
};

static void draw_sentence(struct job_page *page, struct sentence *line)
{
    sentence_cut(line, page->rect.width);
    sentence_draw_wrapped(line, page->canvas,
                          rect_part(page->rect, 0, page->y, page->rect.width, 1), 0);
    page->y++;
}

/* ---- words ---- */

static void say_why(struct sentence *line, const struct job_page *page)
{
    const struct summary *summary = page->model->summary;
    bool how = job_how(summary, 0) != NULL;
    sentence_clear(line, STYLE_NORMAL);
    if (page->brief) {
        sentence_add(line, how ? "One value a step, no ranks. For ranks:"
                               : "One value a step for the whole job.");
        return;
    }
    job_add_why(line, summary);
    sentence_add(line, how ? " These two lines would provide it:" : "");
}

/* One line that would provide it, from line y on; returns the lines used. */
static int draw_shell(const struct job_page *page, struct rect rect, int y, int which)
{
    struct sentence piece;
    int used = 0;
    for (size_t from = 0; job_how_piece(&piece, page->model->summary, which, rect.width, &from);
         used++)
        sentence_draw(&piece, page->canvas, rect, 0, y + used);
    return used;
}

/* Whole or not at all: half a flag is another flag. False: there is no room for it, nor for
 * another. */
static bool draw_how(const struct job_page *page, struct rect text, int *y, int which)
{
    int indent = text.width < NARROW ? 2 : 4;
    if (!job_how(page->model->summary, which) || *y >= text.height)
        return false;
    struct rect beyond = {0, page->canvas->height, text.width - indent, text.height};
    if (*y + draw_shell(page, beyond, 0, which) > text.height) {
        canvas_text(page->canvas, text, indent, (*y)++, STYLE_DIM, "? has it in full");
        return false;
    }
    canvas_put(page->canvas, text, indent - 2, *y, page->canvas->unicode ? 0x203A : '>', STYLE_DIM);
    *y += draw_shell(page, rect_part(text, indent, 0, text.width - indent, text.height), *y, which);
    return true;
}

static int draw_text(const struct job_page *page, int y, int lines)
{
    struct rect rect = page->rect;
    int width = rect.width > TEXT_WIDTH_MAX ? TEXT_WIDTH_MAX : rect.width;
    struct rect text = {rect.x, rect.y + y, width, lines};
    struct sentence line;
    say_why(&line, page);
    int used = sentence_draw_wrapped(&line, page->canvas, text, 0);
    for (int i = 0; i < 2 && draw_how(page, text, &used, i); i++)
        continue;
    return used;
}

/* How many lines the text takes, drawn beyond the canvas. */
static int text_lines(const struct job_page *page, int most)
{
    struct job_page beyond = *page;
    beyond.rect.y = page->canvas->height;
    beyond.rect.height = most > 0 ? most : 0;
    return draw_text(&beyond, 0, most);
}

static void add_time(struct sentence *line, const struct job_page *page, struct quantity time)
{
    char text[FORMAT_BYTES];
    sentence_add(
        line, "%s",
        format_duration(text, quantity_known(time) ? time.value : NAN, page->canvas->unicode));
    if (quantity_known(time) && isfinite(time.value))
        sentence_evidence(line, model_evidence(page->model, time.evidence));
}

/* Now against the whole run, the longest wording that fits. */
static void say_now(struct sentence *line, const struct job_page *page, int wording)
{
    const struct summary *summary = page->model->summary;
    struct quantity now = summary->shown.step_time_s, median = summary->step_time_median_s;
    char text[FORMAT_BYTES];
    sentence_clear(line, STYLE_NORMAL);
    add_time(line, page, now);
    if (quantity_known(now) && quantity_known(median) && median.value > 0) {
        sentence_add(line, wording < 2 ? " now, %s" : " %s",
                     format_difference(text, now.value / median.value - 1));
        sentence_evidence(line, model_evidence(page->model, EVIDENCE_COMPUTED));
        sentence_add(line, wording < 2 ? " against the median " : " of ");
        add_time(line, page, median);
    }
    if (wording < 2 && quantity_known(summary->step_time_max_s)) {
        sentence_add(line, wording < 1 ? " of the run; the longest was " : "; longest ");
        add_time(line, page, summary->step_time_max_s);
    }
}

static void draw_now(struct job_page *page)
{
    struct sentence line;
    for (int wording = 0; wording < 3; wording++) {
        say_now(&line, page, wording);
        if (sentence_columns(&line) <= page->rect.width)
            break;
    }
    draw_sentence(page, &line);
}

/* ---- whether it goes on ---- */

/* Where it is overdue an alarm says so. */
static bool has_pulse(const struct view_model *model)
{
    struct sentence line;
    sentence_clear(&line, STYLE_NORMAL);
    return !job_pulse_overdue(model) && job_pulse_add(&line, model, 0);
}

static void draw_pulse(struct job_page *page)
{
    struct sentence line;
    for (int wording = 0; wording < PULSE_WORDINGS; wording++) {
        sentence_clear(&line, STYLE_NORMAL);
        job_pulse_add(&line, page->model, wording);
        if (sentence_columns(&line) <= page->rect.width)
            break;
    }
    draw_sentence(page, &line);
}

/* ---- phases, as whoever wrote the log saw them ---- */

static bool say_phases(struct sentence *line, const struct job_page *page)
{
    const struct summary *summary = page->model->summary;
    const struct summary_rank *only = summary->rank_count > 0 ? &summary->ranks[0] : NULL;
    int said = 0;
    sentence_clear(line, STYLE_NORMAL);
    for (int phase = 0; only && phase < PHASE_COUNT; phase++) {
        if (!(only->has & (1u << phase)) || !isfinite(only->phase_s[phase]))
            continue;
        sentence_add(line, "%s%s ", said++ > 0 ? ", " : "phases, as one rank saw them: ",
                     phase_name((enum phase)phase));
        add_time(line, page, (struct quantity){only->phase_s[phase], EVIDENCE_MEASURED});
    }
    return said > 0;
}

static int phase_lines(const struct job_page *page)
{
    struct sentence line;
    struct rect beyond = {0, page->canvas->height, page->rect.width, page->rect.height};
    return say_phases(&line, page) ? sentence_draw_wrapped(&line, page->canvas, beyond, 0) : 0;
}

/* ---- the newest of what happened ---- */

static bool say_event(struct sentence *line, const struct job_page *page)
{
    const struct verdict *newest = job_newest_event(page->model->summary, 0);
    struct sentence what;
    if (!newest)
        return false;
    sentence_clear(line, STYLE_NORMAL);
    if (page->rect.width >= NARROW)
        sentence_add(line, "last event: ");
    int label = sentence_columns(line);
    verdict_line(page->model, page->rect.width - label, newest, &what);
    sentence_add(line, "%s", what.text);
    return true;
}

static bool say_to_come(struct sentence *line, const struct job_page *page)
{
    sentence_clear(line, STYLE_NORMAL);
    return job_add_left(line, page->model, page->rect.width < NARROW, page->canvas->unicode);
}

/* ---- sharing the lines out ---- */

static int strips_of(const struct view_model *model)
{
    return 1 + quantity_known(model->summary->mfu);
}

/* What is asked first has its line first: the step time, whether it goes on, then why there is no
 * more. */
static void share_out(struct job_lines *lines, const struct job_page *page)
{
    struct sentence line;
    int left = page->rect.height, strips = strips_of(page->model);
    *lines = (struct job_lines){.strip_height = 1};
    lines->now = left >= 9;
    lines->pulse = left >= 4 && has_pulse(page->model);
    left -= lines->now + lines->pulse;
    lines->strips = left >= 3 + strips ? strips : left >= 2;
    left -= lines->strips;
    lines->text = text_lines(page, left);
    left -= lines->text;
    lines->phases = phase_lines(page) <= left ? phase_lines(page) : 0;
    left -= lines->phases;
    lines->event = left >= 1 && page->rect.width < JOB_TABLES_WIDE && say_event(&line, page);
    left -= lines->event;
    lines->to_come = left >= 1 && say_to_come(&line, page);
    left -= lines->to_come;
    lines->gap = left >= 1;
    left -= lines->gap;
    lines->needs = left >= 2 && strips == 1 && lines->strips;
    left -= lines->needs;
    if (lines->strips == 0)
        return;
    int more = (left - TABLE_LEAST - 1) / (2 * lines->strips);
    if (left < TABLE_LEAST + 1)
        more = left / lines->strips;
    more = more < 0 ? 0 : more > STRIP_LINES_MAX - 1 ? STRIP_LINES_MAX - 1 : more;
    lines->strip_height += more;
    left -= more * lines->strips;
    lines->tables = left >= TABLE_LEAST ? left : 0;
}

static void draw_strips(struct job_page *page, const struct job_lines *lines)
{
    for (int i = 0; i < lines->strips; i++, page->y += lines->strip_height)
        view_strip(page->canvas,
                   rect_part(page->wide, 0, page->y, page->wide.width, lines->strip_height),
                   page->model, i == 0 ? STRIP_STEP_TIME : STRIP_MFU);
}

static struct job_page page_of(struct canvas *canvas, struct rect rect,
                               const struct view_model *model)
{
    int margin = rect.width < 48 ? 0 : 1;
    struct rect inner = rect_part(rect, margin, 0, rect.width - 2 * margin, rect.height);
    return (struct job_page){.canvas = canvas,
                             .rect = inner,
                             .wide = rect,
                             .model = model,
                             .brief = inner.width < NARROW || inner.height < BRIEF_HEIGHT};
}

void view_job(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    struct job_page page = page_of(canvas, rect, model);
    struct job_lines lines;
    struct sentence line;
    if (page.rect.height < 1 || page.rect.width < 1)
        return;
    share_out(&lines, &page);
    page.y += draw_text(&page, 0, lines.text);
    page.y += lines.gap;
    if (lines.now)
        draw_now(&page);
    if (lines.pulse)
        draw_pulse(&page);
    draw_strips(&page, &lines);
    if (lines.needs)
        view_strip(canvas, rect_part(page.wide, 0, page.y++, page.wide.width, 1), model, STRIP_MFU);
    if (lines.phases && say_phases(&line, &page))
        page.y += sentence_draw_wrapped(&line, canvas, page.rect, page.y);
    if (lines.event && say_event(&line, &page))
        draw_sentence(&page, &line);
    if (lines.to_come && say_to_come(&line, &page))
        draw_sentence(&page, &line);
    if (lines.tables > 0)
        job_tables_draw(
            canvas, rect_part(page.rect, 0, page.y + 1, page.rect.width, lines.tables - 1), model);
}

void view_job_none(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    struct job_page page = page_of(canvas, rect, model);
    if (page.rect.height < 1 || page.rect.width < 1)
        return;
    draw_text(&page, page.rect.height > 8, page.rect.height - (page.rect.height > 8));
}
