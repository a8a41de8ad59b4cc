/* One rank closer: who, what is said of it, what it costs; its slowdown step by
 * step and how often which; its phases against those of its peers. */
#include "view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rank_page.h"
#include "verdict_lines.h"

#define SIDE_WIDTH 80   /* from so many cells on histogram and phases stand side by side */
#define PHASES_WIDTH 45 /* of them the phases have so many */

/* ---- who, and what is said of it ---- */

static void draw_who(struct rank_page *page)
{
    struct sentence line;
    const struct summary_rank *rank = page->rank;
    char text[FORMAT_BYTES];
    sentence_clear(&line, STYLE_VALUE);
    sentence_add(&line, "rank %u", rank->rank);
    if (rank->host[0]) {
        sentence_add(&line, " on ");
        sentence_add_raw(&line, rank->host);
    }
    if (rank->group[0]) {
        sentence_add(&line, ", group ");
        sentence_add_raw(&line, rank->group);
    }
    if (isfinite(rank->window_slowdown)) {
        sentence_add(&line, "  %s", format_difference(text, rank->window_slowdown - 1));
        sentence_evidence(&line, rank_page_evidence(page, EVIDENCE_COMPUTED));
        if (page->width >= RANK_PAGE_NARROW)
            sentence_add(&line, " over the window");
    }
    if (isfinite(rank->window_spread)) {
        sentence_add(&line, ", spread %s", format_share(text, rank->window_spread));
        sentence_evidence(&line, rank_page_evidence(page, EVIDENCE_COMPUTED));
    }
    if (rank->state == RANK_NO_DATA && rank->last_step >= 0)
        sentence_add(&line, "  not in this step, newest %s", format_count(text, rank->last_step));
    rank_page_say(page, &line);
}

/* In the words of the other screens: of a job that has this rank alone. */
static void say_verdicts(struct rank_page *page, struct verdict *verdicts, size_t count)
{
    struct summary_rank rank = *page->rank;
    struct summary about = *page->summary;
    struct view_model model = *page->model;
    struct sentence lines[VERDICT_LINES_MAX];
    about.rank_count = 1;
    about.ranks = &rank;
    about.verdict_count = about.verdicts_in_force = count;
    about.verdicts = verdicts;
    model.summary = &about;
    int said = (int)count + (rank.state == RANK_MISSING);
    int used = verdict_lines(&model, page->width - 2, lines, said);
    for (int i = 0; i < used && i < said; i++)
        rank_page_say(page, &lines[i]);
}

static void draw_verdicts(struct rank_page *page)
{
    struct verdict verdicts[RANK_PAGE_VERDICTS];
    struct sentence line;
    size_t count = rank_page_verdicts(page, verdicts);
    if (count > 0 || page->rank->state == RANK_MISSING) {
        say_verdicts(page, verdicts, count);
        return;
    }
    sentence_clear(&line, STYLE_NORMAL);
    if (page->summary->rank_count == 1)
        sentence_add(&line, "It is the only rank of this log: there is nobody to compare it with.");
    else if (!isfinite(choice_slowness(page->rank)))
        sentence_add(&line, "Whether it is slow cannot be told: its own time is not known.");
    else
        sentence_add(&line, "Nothing is held against it: no verdict is in force.");
    rank_page_say(page, &line);
}

/* ---- what would be won ---- */

static const struct what_if *find_what_if(const struct rank_page *page)
{
    const struct summary *summary = page->summary;
    for (size_t i = 0; i < summary->what_if_count; i++)
        if (summary->what_ifs[i].of == COST_OF_RANK &&
            summary->what_ifs[i].rank == page->rank->rank)
            return &summary->what_ifs[i];
    return NULL;
}

static void say_what_if(struct sentence *line, const struct rank_page *page,
                        const struct what_if *what_if)
{
    char text[FORMAT_BYTES];
    sentence_add(line, page->width < RANK_PAGE_NARROW
                           ? "At the median: a step of "
                           : "Were it as fast as the median: a step of ");
    rank_page_add_time(line, page, what_if->step_time_without_s.value,
                       what_if->step_time_without_s.evidence);
    sentence_add(line, ", not ");
    rank_page_add_time(line, page, what_if->step_time_s.value, what_if->step_time_s.evidence);
    sentence_add(line, what_if->lower_bound ? "; at least " : "; ");
    rank_page_add_number(line, page, format_share(text, what_if->gain_share.value),
                         what_if->gain_share.evidence);
    sentence_add(line, page->width < RANK_PAGE_NARROW ? " of GPU time" : " of the GPU time");
    if (quantity_known(what_if->mfu_points)) {
        sentence_add(line, ", %+.1f MFU points", what_if->mfu_points.value);
        sentence_evidence(line, rank_page_evidence(page, what_if->mfu_points.evidence));
    }
}

static void draw_gain(struct rank_page *page)
{
    struct sentence line;
    const struct what_if *what_if = find_what_if(page);
    double gain_s = page->rank->gain_s, time_s = page->summary->window_step_time_s.value;
    bool time_known = quantity_known(page->summary->window_step_time_s) && time_s > 0;
    sentence_clear(&line, STYLE_NORMAL);
    if (page->summary->rank_count < 2 || page->rank->state == RANK_MISSING ||
        !isfinite(page->rank->window_slowdown) || (!what_if && !isfinite(gain_s)))
        return;
    if (what_if && quantity_known(what_if->gain_share) && what_if->gain_share.value >= 0.0005) {
        say_what_if(&line, page, what_if);
    } else if (isfinite(gain_s) && gain_s > 0 && !(time_known && gain_s / time_s < 0.0005)) {
        sentence_add(&line, "Were it as fast as the median: a step shorter by ");
        rank_page_add_time(&line, page, gain_s, EVIDENCE_COMPUTED);
    } else {
        sentence_add(&line, "Were it as fast as the median: nothing won, others arrive as late.");
    }
    rank_page_say(page, &line);
}

/* ---- in figures ---- */

static void draw_last(struct rank_page *page)
{
    const struct rank_detail *detail = page->detail;
    struct sentence line;
    char steps[FORMAT_BYTES], when[FORMAT_BYTES];
    if (page->summary->shown.rule == WAIT_UNKNOWN)
        return;
    sentence_clear(&line, STYLE_NORMAL);
    format_counted(steps, detail->steps, "step");
    if (detail->last_count == 0)
        sentence_add(&line, "Never the last to arrive in %s.", steps);
    else
        sentence_add(&line, "Last in %d of %s, most recently in step %s.", detail->last_count,
                     steps, format_count(when, detail->last_when));
    rank_page_say(page, &line);
}

static void draw_own(struct rank_page *page)
{
    const struct rank_detail *detail = page->detail;
    static const char *const names[3] = {" (5%), ", " (median), ", " (95%)"};
    struct sentence line;
    if (!isfinite(detail->own_s[1]))
        return;
    sentence_clear(&line, STYLE_NORMAL);
    sentence_add(&line, "own time ");
    for (int i = 0; i < 3; i++) {
        rank_page_add_time(&line, page, detail->own_s[i], rank_page_own_evidence(page));
        sentence_add(&line, "%s", names[i]);
    }
    if (detail->peers > 1) {
        sentence_add(&line, "; peers ");
        rank_page_add_time(&line, page, detail->peers_own_s, rank_page_own_evidence(page));
    }
    rank_page_say(page, &line);
}

/* ---- the page ---- */

static void draw_peers(struct rank_page *page)
{
    const struct rank_detail *detail = page->detail;
    struct sentence line;
    char ranks[FORMAT_BYTES], steps[FORMAT_BYTES];
    if (detail->peers < 2)
        return;
    sentence_clear(&line, STYLE_DIM);
    sentence_add(&line, "Peers: the %s of ", format_counted(ranks, detail->peers, "rank"));
    if (detail->peers_of[0]) {
        sentence_add(&line, "group ");
        sentence_add_raw(&line, detail->peers_of);
    } else {
        sentence_add(&line, "the job");
    }
    sentence_add(&line, ", in the last %s.", format_counted(steps, detail->steps, "step"));
    rank_page_say(page, &line);
}

/* Side by side where there is room for both. */
static void draw_middle(struct rank_page *page)
{
    int width = page->width, top = page->y;
    if (width < SIDE_WIDTH) {
        rank_page_phases(page);
        rank_page_histogram(page);
        return;
    }
    page->width = width - PHASES_WIDTH;
    rank_page_histogram(page);
    int below = page->y;
    page->x += page->y > top ? width - PHASES_WIDTH : 0;
    page->y = top;
    page->width = PHASES_WIDTH;
    rank_page_phases(page);
    page->x = 0;
    page->width = width;
    page->y = page->y > below ? page->y : below;
}

static void draw_nothing(struct rank_page *page)
{
    struct sentence line;
    sentence_clear(&line, STYLE_NORMAL);
    if (!page->summary->shown.known)
        sentence_add(&line, "No step is whole yet: nothing can be said of it.");
    else
        sentence_add(&line, "No step of it is in memory.");
    rank_page_say(page, &line);
}

static void draw_page(struct rank_page *page)
{
    draw_who(page);
    draw_verdicts(page);
    draw_gain(page);
    if (!page->detail || page->detail->steps == 0) {
        draw_nothing(page);
        return;
    }
    draw_last(page);
    draw_own(page);
    draw_peers(page);
    page->y += page->gaps > 0;
    draw_middle(page);
    page->y += page->gaps > 1;
    rank_page_recent(page);
}

static void copy_lines(struct canvas *canvas, struct rect rect, const struct rank_page *page)
{
    int last = page->y > rect.height ? page->y - rect.height : 0;
    int first = page->model->page_scroll < last ? page->model->page_scroll : last;
    for (int y = 0; y < rect.height && first + y < RANK_PAGE_HEIGHT; y++) {
        for (int x = 0; x < rect.width && x < page->canvas.width; x++) {
            const struct cell *cell = &page->canvas.cells[(first + y) * page->canvas.width + x];
            if (cell->code != 0)
                canvas_put(canvas, rect, x, y, cell->code, (enum style)cell->style);
        }
    }
    if (first < last) /* there is more below */
        canvas_text_right(canvas, rect, rect.width, rect.height - 1, STYLE_KEY,
                          canvas->unicode ? "\u25BC" : "v");
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static void page_clear(struct rank_page *page, int width, int spare)
{
    canvas_clear(&page->canvas);
    page->x = page->y = 0;
    page->width = width;
    page->gaps = least(spare, 2);
    page->strip_lines = least((spare - page->gaps) / 3, 8);
    page->histogram_lines = least(spare - page->gaps - page->strip_lines, 15);
}

void view_rank_detail(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    struct rank_page page = {.model = model,
                             .summary = model->summary,
                             .rank = summary_rank_of(model->summary, model->selected)};
    const struct rank_detail *detail = model->summary->detail;
    if (rect.width < 1 || rect.height < 1)
        return;
    if (!page.rank) {
        canvas_printf(canvas, rect, 1, 0, STYLE_NORMAL, "rank %lld is not in the job any more",
                      (long long)model->selected);
        return;
    }
    page.detail = detail && detail->rank == page.rank->rank ? detail : NULL;
    canvas_init(&page.canvas, rect.width, RANK_PAGE_HEIGHT, canvas->unicode);
    /* Once to see how long it is; what the screen has beyond that makes graphs higher. */
    for (int pass = 0, spare = 0; pass < 2; pass++) {
        page_clear(&page, rect.width, spare);
        draw_page(&page);
        spare = rect.height - page.y;
        if (spare <= 0)
            break;
    }
    copy_lines(canvas, rect, &page);
    canvas_done(&page.canvas);
}
