/* One rank closer: who, what is said of it, what it costs; its slowdown step by
 * step and how often which; its phases against those of its peers. */
#include "view.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "format.h"
#include "graph.h"
#include "rank_table.h"
#include "sentence.h"
#include "verdict_lines.h"

#define SCRATCH_HEIGHT 120 /* lines; under 60 are used unless it is very narrow */
#define ABOUT_MAX 4        /* verdicts on it */
#define SIDE_WIDTH 80      /* from so many cells on histogram and phases stand side by side */
#define PHASES_WIDTH 45    /* of them the phases have so many */
#define NARROW 60          /* below it sentences are shorter */
#define LABEL_CELLS 8      /* left of a graph */

/* Drawn as one long page; then what is to be seen is copied. `x` and `width` are
 * those of the column that is being drawn. */
struct page {
    struct canvas canvas;
    const struct view_model *model;
    const struct summary *summary;
    const struct summary_rank *rank;
    const struct rank_detail *detail;
    int x, width, y;
    /* Lines that the screen has beyond what the page needs, and who gets them. */
    int gaps, histogram_lines, strip_lines;
};

static struct rect lines_of(const struct page *page, int indent)
{
    return rect_part(canvas_rect(&page->canvas), page->x + indent, 0, page->width - indent - 1,
                     SCRATCH_HEIGHT);
}

static enum evidence evidence(const struct page *page, enum evidence kind)
{
    return model_evidence(page->model, kind);
}

static void say(struct page *page, const struct sentence *sentence)
{
    page->y += sentence_draw_wrapped(sentence, &page->canvas, lines_of(page, 1), page->y);
}

static void heading(struct page *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void heading(struct page *page, const char *format, ...)
{
    struct sentence line;
    char text[SENTENCE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    sentence_clear(&line, STYLE_LABEL);
    sentence_add(&line, "%s", text);
    sentence_draw(&line, &page->canvas, lines_of(page, 1), 0, page->y++);
}

static void add_number(struct sentence *line, const struct page *page, const char *text,
                       enum evidence kind)
{
    sentence_add(line, "%s", text);
    if (strcmp(text, "-") != 0)
        sentence_evidence(line, evidence(page, kind));
}

static void add_time(struct sentence *line, const struct page *page, double seconds,
                     enum evidence kind)
{
    char text[FORMAT_BYTES];
    add_number(line, page, format_duration(text, seconds, page->canvas.unicode), kind);
}

/* Own times are measured unless waiting had to be taken out of them. */
static enum evidence own_evidence(const struct page *page)
{
    return page->summary->shown.rule == WAIT_OVERLAPPED ? EVIDENCE_COMPUTED : EVIDENCE_MEASURED;
}

/* ---- who, and what is said of it ---- */

static void draw_who(struct page *page)
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
        sentence_evidence(&line, evidence(page, EVIDENCE_COMPUTED));
        if (page->width >= NARROW)
            sentence_add(&line, " over the window");
    }
    if (isfinite(rank->window_spread)) {
        sentence_add(&line, ", spread %s", format_share(text, rank->window_spread));
        sentence_evidence(&line, evidence(page, EVIDENCE_COMPUTED));
    }
    if (rank->state == RANK_NO_DATA && rank->last_step >= 0)
        sentence_add(&line, "  not in this step, newest %s", format_count(text, rank->last_step));
    say(page, &line);
}

static bool is_about(const struct verdict *verdict, const struct summary_rank *rank)
{
    if (verdict->kind == VERDICT_GROUP)
        return strcmp(verdict->group, verdict->is_host ? rank->host : rank->group) == 0;
    return verdict->kind == VERDICT_STRAGGLER && verdict->rank == rank->rank;
}

/* The verdicts in force on it, its group or its host. */
static size_t find_verdicts(const struct page *page, struct verdict found[ABOUT_MAX])
{
    const struct summary *summary = page->summary;
    size_t count = 0;
    for (size_t i = 0; i < summary->verdicts_in_force && i < summary->verdict_count; i++)
        if (count < ABOUT_MAX && is_about(&summary->verdicts[i], page->rank))
            found[count++] = summary->verdicts[i];
    return count;
}

/* In the words of the other screens: of a job that has this rank alone. */
static void say_verdicts(struct page *page, struct verdict *verdicts, size_t count)
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
        say(page, &lines[i]);
}

static void draw_verdicts(struct page *page)
{
    struct verdict verdicts[ABOUT_MAX];
    struct sentence line;
    size_t count = find_verdicts(page, verdicts);
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
    say(page, &line);
}

/* ---- what would be won ---- */

static const struct what_if *find_what_if(const struct page *page)
{
    const struct summary *summary = page->summary;
    for (size_t i = 0; i < summary->what_if_count; i++)
        if (summary->what_ifs[i].of == COST_OF_RANK &&
            summary->what_ifs[i].rank == page->rank->rank)
            return &summary->what_ifs[i];
    return NULL;
}

static void say_what_if(struct sentence *line, const struct page *page,
                        const struct what_if *what_if)
{
    char text[FORMAT_BYTES];
    sentence_add(line, page->width < NARROW ? "At the median: a step of "
                                            : "Were it as fast as the median: a step of ");
    add_time(line, page, what_if->step_time_without_s.value, what_if->step_time_without_s.evidence);
    sentence_add(line, ", not ");
    add_time(line, page, what_if->step_time_s.value, what_if->step_time_s.evidence);
    sentence_add(line, what_if->lower_bound ? "; at least " : "; ");
    add_number(line, page, format_share(text, what_if->gain_share.value),
               what_if->gain_share.evidence);
    sentence_add(line, page->width < NARROW ? " of GPU time" : " of the GPU time");
    if (quantity_known(what_if->mfu_points)) {
        sentence_add(line, ", %+.1f MFU points", what_if->mfu_points.value);
        sentence_evidence(line, evidence(page, what_if->mfu_points.evidence));
    }
}

static void draw_gain(struct page *page)
{
    struct sentence line;
    const struct what_if *what_if = find_what_if(page);
    double gain_s = page->rank->gain_s, time_s = page->summary->window_step_time_s.value;
    bool time_known = quantity_known(page->summary->window_step_time_s) && time_s > 0;
    sentence_clear(&line, STYLE_NORMAL);
    if (page->summary->rank_count < 2 || page->rank->state == RANK_MISSING ||
        (!what_if && !isfinite(gain_s)))
        return;
    if (what_if && quantity_known(what_if->gain_share) && what_if->gain_share.value >= 0.0005) {
        say_what_if(&line, page, what_if);
    } else if (isfinite(gain_s) && gain_s > 0 && !(time_known && gain_s / time_s < 0.0005)) {
        sentence_add(&line, "Were it as fast as the median: a step shorter by ");
        add_time(&line, page, gain_s, EVIDENCE_COMPUTED);
    } else {
        sentence_add(&line, "Were it as fast as the median: nothing won, others arrive as late.");
    }
    say(page, &line);
}

/* ---- in figures ---- */

static void draw_last(struct page *page)
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
    say(page, &line);
}

static void draw_own(struct page *page)
{
    const struct rank_detail *detail = page->detail;
    static const char *const names[3] = {" (5%), ", " (median), ", " (95%)"};
    struct sentence line;
    if (!isfinite(detail->own_s[1]))
        return;
    sentence_clear(&line, STYLE_NORMAL);
    sentence_add(&line, "own time ");
    for (int i = 0; i < 3; i++) {
        add_time(&line, page, detail->own_s[i], own_evidence(page));
        sentence_add(&line, "%s", names[i]);
    }
    if (detail->peers > 1) {
        sentence_add(&line, "; peers ");
        add_time(&line, page, detail->peers_own_s, own_evidence(page));
    }
    say(page, &line);
}

/* ---- how often how slow ---- */

static int most_in_a_bin(const struct rank_detail *detail)
{
    int most = 0;
    for (int i = 0; i < DETAIL_BINS; i++)
        most = detail->bins[i] > most ? detail->bins[i] : most;
    return most;
}

/* Bins below 1: the line of the peers stands behind them. */
static int bins_below(const struct rank_detail *detail)
{
    double bins = (1 - detail->bin_low) / detail->bin_width;
    return bins < 0 ? 0 : bins > DETAIL_BINS ? DETAIL_BINS : (int)lround(bins);
}

static void draw_bins(struct page *page, struct rect graph, int cells)
{
    const struct rank_detail *detail = page->detail;
    int below = bins_below(detail), most = most_in_a_bin(detail);
    double threshold = 1 + page->summary->run.threshold;
    for (int y = 0; y < graph.height; y++)
        canvas_put(&page->canvas, graph, below * cells, y, page->canvas.unicode ? 0x2502 : '|',
                   STYLE_BARRIER);
    for (int i = 0; i < DETAIL_BINS; i++) {
        double low = detail->bin_low + i * detail->bin_width;
        enum style style = low >= threshold - 1e-9 ? STYLE_STRAGGLER : STYLE_OWN;
        for (int c = 0; c < cells && detail->bins[i] > 0; c++)
            graph_column(&page->canvas, graph, i * cells + c + (i >= below),
                         (double)detail->bins[i] / most, style);
    }
}

static void draw_bin_labels(struct page *page, struct rect line, int cells)
{
    const struct rank_detail *detail = page->detail;
    char low[FORMAT_BYTES], high[FORMAT_BYTES];
    int at = bins_below(detail) * cells, end = DETAIL_BINS * cells + 1;
    format_difference(low, detail->bin_low - 1);
    format_difference(high, detail->bin_low + DETAIL_BINS * detail->bin_width - 1);
    int from = at - 2 < 0 ? 0 : at - 2 > end - 5 ? end - 5 : at - 2;
    canvas_text(&page->canvas, line, from, 0, STYLE_DIM, "peers");
    if ((int)strlen(low) < from)
        canvas_text(&page->canvas, line, 0, 0, STYLE_DIM, low);
    if (end - (int)strlen(high) > from + 5)
        canvas_text_right(&page->canvas, line, end, 0, STYLE_DIM, high);
}

static void draw_histogram(struct page *page)
{
    const struct rank_detail *detail = page->detail;
    char steps[FORMAT_BYTES];
    int cells = (page->width - LABEL_CELLS - 3) / DETAIL_BINS;
    int height = 5 + page->histogram_lines;
    int most = most_in_a_bin(detail);
    if (most == 0 || cells < 1)
        return;
    heading(page, "%s by slowdown %c", format_counted(steps, detail->steps, "step"),
            evidence_letter(evidence(page, EVIDENCE_COMPUTED)));
    cells = cells > 3 ? 3 : cells;
    struct rect graph =
        rect_part(lines_of(page, 1), LABEL_CELLS, page->y, DETAIL_BINS * cells + 1, height);
    struct rect labels = rect_part(lines_of(page, 1), 0, page->y, LABEL_CELLS - 1, height);
    draw_bins(page, graph, cells);
    canvas_text_right(&page->canvas, labels, LABEL_CELLS - 1, 0, STYLE_DIM,
                      format_count(steps, most));
    draw_bin_labels(
        page,
        rect_part(lines_of(page, 1), LABEL_CELLS, page->y + height, DETAIL_BINS * cells + 1, 1),
        cells);
    page->y += height + 1;
}

/* ---- phases ---- */

static bool phase_known(const struct rank_detail *detail, int phase)
{
    return isfinite(detail->phase_s[phase]);
}

/* The phase that a verdict names, else the one that is most above the peers by
 * what is worth a word; -1. Waiting stands in `sync`, and with an overlapped
 * exchange in `backward`. */
static int phase_to_blame(const struct page *page)
{
    const struct rank_detail *detail = page->detail;
    struct verdict verdicts[ABOUT_MAX];
    double most = detail->peers_own_s * page->summary->run.threshold / 2;
    int blamed = -1;
    if (find_verdicts(page, verdicts) > 0 && verdicts[0].phase >= 0)
        return verdicts[0].phase;
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        double excess = detail->phase_s[phase] - detail->peers_phase_s[phase];
        bool waits = phase == PHASE_SYNC ||
                     (phase == PHASE_BACKWARD && page->summary->shown.rule == WAIT_OVERLAPPED);
        if (!waits && excess > most) {
            most = excess;
            blamed = phase;
        }
    }
    return blamed;
}

static void draw_time(struct page *page, struct rect line, int right, enum style style,
                      double seconds, enum evidence kind)
{
    char text[FORMAT_BYTES];
    format_duration(text, seconds, page->canvas.unicode);
    bool known = strcmp(text, "-") != 0;
    view_number(&page->canvas, line, right, 0, known ? style : STYLE_DIM, text,
                known ? evidence(page, kind) : EVIDENCE_NONE);
}

/* Cells where the columns end: this rank, its peers (0: no room), the difference. */
struct ends {
    int here, peers, difference;
};

static struct ends ends_of(const struct page *page)
{
    int width = page->width - 2;
    if (page->detail->peers < 2)
        return (struct ends){.here = width < 22 ? width : 22};
    if (width < 43)
        return (struct ends){.here = width < 24 ? 0 : 21, .difference = width < 33 ? width : 33};
    return (struct ends){.here = 21, .peers = 31, .difference = 42};
}

static void draw_difference(struct page *page, struct rect line, int right, enum style style,
                            double seconds)
{
    char text[FORMAT_BYTES], size[FORMAT_BYTES];
    if (!isfinite(seconds)) {
        view_number(&page->canvas, line, right, 0, STYLE_DIM, "-", EVIDENCE_NONE);
        return;
    }
    format_duration(size, fabs(seconds), page->canvas.unicode);
    snprintf(text, sizeof(text), "%s%.40s", seconds < 0 ? "-" : seconds > 0 ? "+" : "", size);
    view_number(&page->canvas, line, right, 0, style, text, evidence(page, EVIDENCE_COMPUTED));
}

static void draw_phase(struct page *page, const char *name, double here_s, double peers_s,
                       bool blamed, enum evidence kind)
{
    struct ends ends = ends_of(page);
    struct rect line = rect_part(lines_of(page, 1), 0, page->y++, page->width - 2, 1);
    enum style style = blamed ? STYLE_STRAGGLER : STYLE_NORMAL;
    if (blamed)
        canvas_put(&page->canvas, line, 0, 0, page->canvas.unicode ? 0x25BA : '>', style);
    canvas_text(&page->canvas, rect_part(line, 1, 0, 10, 1), 0, 0, style, name);
    if (ends.here > 0)
        draw_time(page, line, ends.here, style, here_s, kind);
    if (ends.peers > 0)
        draw_time(page, line, ends.peers, style, peers_s, kind);
    if (ends.difference > 0)
        draw_difference(page, line, ends.difference, style, here_s - peers_s);
}

static void draw_phase_heads(struct page *page)
{
    struct ends ends = ends_of(page);
    struct rect line = rect_part(lines_of(page, 1), 0, page->y++, page->width - 2, 1);
    canvas_text(&page->canvas, line, 0, 0, STYLE_LABEL, "median");
    if (ends.here > 0)
        canvas_text_right(&page->canvas, line, ends.here - 2, 0, STYLE_LABEL, "here");
    if (ends.peers > 0)
        canvas_text_right(&page->canvas, line, ends.peers - 2, 0, STYLE_LABEL, "peers");
    if (ends.difference > 0)
        canvas_text_right(&page->canvas, line, ends.difference - 2, 0, STYLE_LABEL, "more");
}

static void say_blame(struct page *page, int blamed)
{
    const struct rank_detail *detail = page->detail;
    struct sentence line;
    char text[FORMAT_BYTES];
    double peers_s = blamed >= 0 ? detail->peers_phase_s[blamed] : NAN;
    if (blamed < 0)
        return;
    sentence_clear(&line, STYLE_STRAGGLER);
    sentence_add(&line, "to blame: %s", phase_name((enum phase)blamed));
    if (peers_s > 0 && isfinite(detail->phase_s[blamed])) {
        sentence_add(&line, ", %s", format_difference(text, detail->phase_s[blamed] / peers_s - 1));
        sentence_evidence(&line, evidence(page, EVIDENCE_COMPUTED));
    }
    say(page, &line);
}

static void draw_phases(struct page *page)
{
    const struct rank_detail *detail = page->detail;
    bool compared = detail->peers > 1;
    int blamed = compared ? phase_to_blame(page) : -1, count = 0;
    struct sentence line;
    draw_phase_heads(page);
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        if (!phase_known(detail, phase))
            continue;
        draw_phase(page, phase_name((enum phase)phase), detail->phase_s[phase],
                   compared ? detail->peers_phase_s[phase] : NAN, phase == blamed,
                   EVIDENCE_MEASURED);
        count++;
    }
    draw_phase(page, "own time", detail->own_s[1], compared ? detail->peers_own_s : NAN, false,
               own_evidence(page));
    if (count == 0) {
        sentence_clear(&line, STYLE_NORMAL);
        sentence_add(&line, "Its records have no phases: which one takes long cannot be told.");
        say(page, &line);
    } else {
        say_blame(page, blamed);
    }
}

/* ---- step by step ---- */

struct range {
    double low, high;
};

/* Around 1, and all of the steps that are drawn. */
static struct range range_of(const struct rank_detail *detail, int from)
{
    struct range range = {1, 1};
    for (int i = from; i < detail->recent; i++) {
        if (!isfinite(detail->slowdown[i]))
            continue;
        range.low = fmin(range.low, detail->slowdown[i]);
        range.high = fmax(range.high, detail->slowdown[i]);
    }
    if (range.high - range.low < 0.01) /* no mountains out of molehills */
        range.high = range.low + 0.01;
    return range;
}

static void draw_steps(struct page *page, struct rect graph, struct rect marks, int cells, int from)
{
    const struct rank_detail *detail = page->detail;
    struct range range = range_of(detail, from);
    char text[FORMAT_BYTES];
    double threshold = 1 + page->summary->run.threshold;
    for (int i = from; i < detail->recent; i++) {
        double value = detail->slowdown[i];
        for (int c = 0; c < cells; c++) {
            int x = (i - from) * cells + c;
            if (isfinite(value))
                graph_column(&page->canvas, graph, x,
                             (value - range.low) / (range.high - range.low),
                             value > threshold ? STYLE_STRAGGLER : STYLE_OWN);
            else
                canvas_put(&page->canvas, graph, x, graph.height - 1, '?', STYLE_DIM);
            if (detail->was_last[i])
                canvas_put(&page->canvas, marks, x, 0, page->canvas.unicode ? 0x25B2 : '^',
                           STYLE_VALUE);
        }
    }
    struct rect labels = rect_part(lines_of(page, 1), 0, page->y, LABEL_CELLS - 1, graph.height);
    canvas_text_right(&page->canvas, labels, LABEL_CELLS - 1, 0, STYLE_DIM,
                      format_difference(text, range.high - 1));
    canvas_text_right(&page->canvas, labels, LABEL_CELLS - 1, graph.height - 1, STYLE_DIM,
                      format_difference(text, range.low - 1));
}

static void draw_recent(struct page *page)
{
    const struct rank_detail *detail = page->detail;
    char step[FORMAT_BYTES], steps[FORMAT_BYTES];
    int room = page->width - LABEL_CELLS - 2, known = 0;
    int from = detail->recent > room ? detail->recent - room : 0, count = detail->recent - from;
    for (int i = from; i < detail->recent; i++)
        known += isfinite(detail->slowdown[i]);
    if (known == 0 || room < 1)
        return;
    int cells = room / count > 2 ? 2 : room / count;
    int height = 2 + page->strip_lines;
    heading(page, "the last %s, to %s %c   %s last to arrive", format_counted(steps, count, "step"),
            format_count(step, page->summary->shown.step),
            evidence_letter(evidence(page, EVIDENCE_COMPUTED)),
            page->canvas.unicode ? "\u25B2" : "^");
    struct rect all = lines_of(page, 1);
    struct rect graph = rect_part(all, LABEL_CELLS, page->y, count * cells, height);
    struct rect marks = rect_part(all, LABEL_CELLS, page->y + height, count * cells, 1);
    draw_steps(page, graph, marks, cells, from);
    page->y += height + 1;
}

/* ---- the page ---- */

static void draw_peers(struct page *page)
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
    say(page, &line);
}

/* Side by side where there is room for both. */
static void draw_middle(struct page *page)
{
    int width = page->width, top = page->y;
    if (width < SIDE_WIDTH) {
        draw_phases(page);
        draw_histogram(page);
        return;
    }
    page->width = width - PHASES_WIDTH;
    draw_histogram(page);
    int below = page->y;
    page->x += page->y > top ? width - PHASES_WIDTH : 0;
    page->y = top;
    page->width = PHASES_WIDTH;
    draw_phases(page);
    page->x = 0;
    page->width = width;
    page->y = page->y > below ? page->y : below;
}

static void draw_nothing(struct page *page)
{
    struct sentence line;
    sentence_clear(&line, STYLE_NORMAL);
    if (!page->summary->shown.known)
        sentence_add(&line, "No step is whole yet: nothing can be said of it.");
    else
        sentence_add(&line, "No step of it is in memory.");
    say(page, &line);
}

static void draw_page(struct page *page)
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
    draw_recent(page);
}

static const struct summary_rank *find_rank(const struct view_model *model)
{
    for (size_t i = 0; i < model->summary->rank_count; i++)
        if (model->summary->ranks[i].rank == model->selected)
            return &model->summary->ranks[i];
    return NULL;
}

static void copy_lines(struct canvas *canvas, struct rect rect, const struct page *page)
{
    int last = page->y > rect.height ? page->y - rect.height : 0;
    int first = page->model->page_scroll < last ? page->model->page_scroll : last;
    for (int y = 0; y < rect.height && first + y < SCRATCH_HEIGHT; y++) {
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

static void page_clear(struct page *page, int width, int spare)
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
    struct page page = {.model = model, .summary = model->summary, .rank = find_rank(model)};
    const struct rank_detail *detail = model->summary->detail;
    if (rect.width < 1 || rect.height < 1)
        return;
    if (!page.rank) {
        canvas_printf(canvas, rect, 1, 0, STYLE_NORMAL, "rank %lld is not in the job any more",
                      (long long)model->selected);
        return;
    }
    page.detail = detail && detail->rank == page.rank->rank ? detail : NULL;
    canvas_init(&page.canvas, rect.width, SCRATCH_HEIGHT, canvas->unicode);
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
