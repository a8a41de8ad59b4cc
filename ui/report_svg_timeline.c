/* Figure 1.5 of the shown step: each rank's own time, then its wait, up to the barrier. */
#include "report_svg.h"

#include <math.h>
#include <string.h>

#include "axis.h"
#include "bars.h"
#include "choice.h"
#include "job_lines.h"
#include "rank_order.h"
#include "rank_table.h"

#define ALL_MAX 64 /* ranks that all have a bar */
#define OF_MANY 32 /* bars when there are more */
#define WAIT_ROOM 86.0
#define NOTE_ROOM 168.0
#define BAR_HIGH 17.0
#define LETTERS_ROOM 8.0 /* beside a word in a segment */

struct timeline {
    struct figure *figure;
    const struct summary *summary;
    struct choice choice;
    struct axis axis;
    double label, left, right; /* edges: of the names, of the bars */
    double top, row;           /* of the first bar; from one row to the next */
    bool phases, late;
};

static double x_of(const struct timeline *timeline, double seconds)
{
    double share = seconds / timeline->axis.high;
    return timeline->left +
           (timeline->right - timeline->left) * fmin(fmax(isfinite(share) ? share : 0, 0), 1);
}

static const char *const PART_CSS[PART_COUNT] = {
    [PART_OWN] = "ls-own",         [PART_OTHER] = "ls-other",       [PART_DATA] = "ls-data",
    [PART_FORWARD] = "ls-forward", [PART_BACKWARD] = "ls-backward", [PART_LATE] = "ls-late",
};

/* ---- one rank ---- */

static void put_segment(const struct timeline *timeline, double y, double from_s, double to_s,
                        enum bars_part part, const char *css)
{
    const struct figure *figure = timeline->figure;
    double from = x_of(timeline, from_s), to = x_of(timeline, to_s);
    const char *name = bars_glyph(part)->name;
    char seconds[FORMAT_BYTES], title[2 * FORMAT_BYTES];
    snprintf(title, sizeof(title), "%s %s", name, format_duration(seconds, to_s - from_s, true));
    /* A thin gap sets it apart from the next where colours do not. */
    svg_rect(figure->to, from, y, to - from > 3 ? to - from - 1 : to - from, BAR_HIGH, css, title);
    if (part != PART_OWN && part != PART_LATE &&
        to - from > figure_text_width(name, FIGURE_SMALL) + LETTERS_ROOM)
        svg_text(figure->to, from + 4, y + 13, SVG_START, "ls-on", name);
}

static void put_own(const struct timeline *timeline, double y, const struct summary_rank *rank)
{
    double begin = axis_begin_s(rank), end = axis_arrival_s(rank), parts[PART_COUNT] = {0};
    bool split = timeline->phases && rank->has & (RECORD_DATA | RECORD_FORWARD | RECORD_BACKWARD);
    if (begin > 0)
        put_segment(timeline, y, 0, begin, PART_LATE, PART_CSS[PART_LATE]);
    if (!split) {
        put_segment(timeline, y, begin, end, PART_OWN, rank->straggler ? "ls-slow" : "ls-own");
    } else {
        double at = begin;
        bars_split(rank, parts);
        for (int part = PART_OTHER; part <= PART_BACKWARD; part++) {
            double to = fmin(at + parts[part], end);
            put_segment(timeline, y, at, to, (enum bars_part)part, PART_CSS[part]);
            at = to;
        }
    }
    if (rank->straggler)
        svg_rect(timeline->figure->to, x_of(timeline, begin), y,
                 x_of(timeline, end) - x_of(timeline, begin), BAR_HIGH, "ls-frame", NULL);
}

static void put_wait(const struct timeline *timeline, double y, const struct summary_rank *rank)
{
    const struct figure *figure = timeline->figure;
    double from = x_of(timeline, axis_arrival_s(rank));
    char wait[FORMAT_BYTES], title[2 * FORMAT_BYTES];
    snprintf(title, sizeof(title), "wait %s", format_duration(wait, rank->wait_s, true));
    if (isfinite(rank->wait_s))
        figure_fill(figure, from, y, timeline->right - from, BAR_HIGH, "wait", title);
}

/* "straggler +10.1% c"; of the median rank and the fastest what they are. */
static bool note_of(char out[2 * FORMAT_BYTES], const struct timeline *timeline,
                    const struct choice_row *row)
{
    const struct summary_rank *rank = &timeline->summary->ranks[row->index];
    enum rank_mark mark = rank_mark_of(timeline->summary, rank);
    char text[FORMAT_BYTES], with[FORMAT_BYTES];
    const char *word = mark != RANK_MARK_NONE      ? rank_mark_name(mark)
                       : row->role == ROLE_FASTEST ? "fastest"
                       : row->role == ROLE_MEDIAN  ? "median"
                                                   : "";
    snprintf(out, 2 * FORMAT_BYTES, "%s", word);
    double slowness = choice_slowness(rank);
    if ((mark == RANK_MARK_STRAGGLER || mark == RANK_MARK_GROUP) && isfinite(slowness))
        snprintf(out, 2 * FORMAT_BYTES, "%s %s", word,
                 figure_with(with, timeline->figure, format_difference(text, slowness - 1),
                             EVIDENCE_COMPUTED));
    return mark == RANK_MARK_STRAGGLER || mark == RANK_MARK_GROUP || mark == RANK_MARK_MISSING;
}

static const char *wait_text(char out[FORMAT_BYTES], const struct timeline *timeline,
                             const struct summary_rank *rank)
{
    struct quantity wait = {rank->wait_s, wait_rule_evidence(timeline->summary->shown.rule)};
    return isfinite(rank->wait_s) ? figure_duration(out, timeline->figure, wait) : strcpy(out, "-");
}

/* Beside the bar; on a narrow figure above it. */
static void put_words(const struct timeline *timeline, double y, const struct choice_row *row)
{
    const struct figure *figure = timeline->figure;
    const struct summary_rank *rank = &timeline->summary->ranks[row->index];
    char name[FORMAT_BYTES], note[2 * FORMAT_BYTES], wait[FORMAT_BYTES];
    bool alert = note_of(note, timeline, row);
    const char *css = alert ? "ls-alert" : "ls-dim";
    snprintf(name, sizeof(name), "rank %u", rank->rank);
    wait_text(wait, timeline, rank);
    if (figure->narrow) {
        svg_text(figure->to, FIGURE_MARGIN, y - 5, SVG_START, alert ? "ls-bold" : "ls-line", name);
        svg_text(figure->to, FIGURE_MARGIN + timeline->label, y - 5, SVG_START, css, note);
        svg_text(figure->to, figure->width - FIGURE_MARGIN, y - 5, SVG_END, "ls-line", wait);
        return;
    }
    svg_text(figure->to, FIGURE_MARGIN + timeline->label, y + 13, SVG_END,
             alert ? "ls-bold" : "ls-line", name);
    svg_text(figure->to, timeline->right + WAIT_ROOM, y + 13, SVG_END, "ls-line", wait);
    svg_text(figure->to, timeline->right + WAIT_ROOM + 10, y + 13, SVG_START, css, note);
}

static void put_row(const struct timeline *timeline, double y, const struct choice_row *row)
{
    const struct summary_rank *rank = &timeline->summary->ranks[row->index];
    put_words(timeline, y, row);
    if (timeline->axis.known && isfinite(rank->own_s)) {
        put_own(timeline, y, rank);
        put_wait(timeline, y, rank);
        if (timeline->figure->narrow) /* the line would cross the numbers */
            svg_line(timeline->figure->to, timeline->right, y - 2, timeline->right,
                     y + BAR_HIGH + 2, "ls-barrier");
        return;
    }
    char text[2 * FORMAT_BYTES] = "no data", step[FORMAT_BYTES];
    if (rank->state == RANK_MISSING)
        snprintf(text, sizeof(text), "no data: missing since step %s",
                 format_count(step, rank->last_step + 1));
    else if (rank->has != 0)
        snprintf(text, sizeof(text), "own time not known");
    svg_text(timeline->figure->to, timeline->left + 6, y + 13, SVG_START, "ls-dim", text);
}

/* ---- around them ---- */

static void put_legend(struct timeline *timeline)
{
    struct figure *figure = timeline->figure;
    double x = FIGURE_MARGIN;
    figure->y += FIGURE_LINE;
    if (timeline->phases) {
        for (int part = PART_OTHER; part <= PART_BACKWARD; part++)
            x = figure_legend(figure, x, PART_CSS[part], bars_glyph((enum bars_part)part)->name);
    } else {
        x = figure_legend(figure, x, "ls-own", "own time");
        x = figure_legend(figure, x, "ls-slow", "own time of a straggler");
    }
    if (timeline->late)
        x = figure_legend(figure, x, "ls-late", "in no phase: began late");
    figure_legend(figure, x, "#wait", "waiting at the barrier");
}

static void put_axis(struct timeline *timeline)
{
    struct figure *figure = timeline->figure;
    struct figure_scale scale = figure_scale_seconds(timeline->axis.high, figure->narrow ? 4 : 8);
    char text[FORMAT_BYTES];
    svg_line(figure->to, timeline->left, figure->y, timeline->right, figure->y, "ls-axis");
    for (int i = 0; i <= 16 && i * scale.tick <= timeline->axis.high * (1 + 1e-9); i++) {
        double x = x_of(timeline, i * scale.tick);
        svg_line(figure->to, x, figure->y, x, figure->y + 4, "ls-axis");
        svg_text(figure->to, x, figure->y + 16, i == 0 ? SVG_START : SVG_MIDDLE, "ls-dim ls-small",
                 figure_scale_text(text, &scale, i * scale.tick));
    }
    figure->y += 31;
    svg_text(figure->to, (timeline->left + timeline->right) / 2, figure->y, SVG_MIDDLE,
             "ls-dim ls-small", "time in the step");
}

static void put_heads(const struct timeline *timeline)
{
    const struct figure *figure = timeline->figure;
    double y = timeline->top - (figure->narrow ? 26 : 8);
    if (!figure->narrow)
        svg_text(figure->to, timeline->right + WAIT_ROOM, y, SVG_END, "ls-dim ls-small", "wait");
    svg_text(figure->to, figure->narrow ? figure->width - FIGURE_MARGIN : timeline->right, y,
             figure->narrow ? SVG_END : SVG_MIDDLE, "ls-small ls-bold",
             figure->narrow ? "wait, up to the barrier" : "barrier");
}

static void put_left_out(struct timeline *timeline)
{
    char all[FORMAT_BYTES], others[FORMAT_BYTES];
    size_t count = timeline->summary->rank_count;
    if (timeline->choice.count < count)
        figure_say(timeline->figure,
                   "%zu of %s are shown, by number: stragglers and missing ones, the slowest, the "
                   "fastest, the median. %s others are not shown.",
                   timeline->choice.count, format_counted(all, (int64_t)count, "rank"),
                   format_count(others, (int64_t)(count - timeline->choice.count)));
}

static void put_sums(struct timeline *timeline)
{
    const struct summary_step *shown = &timeline->summary->shown;
    struct figure *figure = timeline->figure;
    struct sentence line;
    char text[FORMAT_BYTES];
    sentence_clear(&line, STYLE_NORMAL);
    sentence_add(&line, "Step time %s", figure_duration(text, figure, shown->step_time_s));
    sentence_add(&line, ", exchange %s", figure_duration(text, figure, shown->exchange_s));
    sentence_add(&line, ", mean wait %s", figure_duration(text, figure, shown->wait_mean_s));
    sentence_add(&line, " or %s of the GPU time; waits by %s.",
                 figure_share(text, figure, shown->wait_share), wait_rule_sentence(shown->rule));
    figure_sentence(figure, &line);
    figure_describe(figure, "%s", line.text);
    if (shown->reported < shown->expected)
        figure_say(figure, "%d of %d ranks have reported this step.", shown->reported,
                   shown->expected);
    put_left_out(timeline);
}

/* ---- the figure ---- */

static void look(struct timeline *timeline)
{
    const struct summary *summary = timeline->summary;
    size_t rows = summary->rank_count <= ALL_MAX ? ALL_MAX : OF_MANY;
    choice_make(&timeline->choice, summary, CHOICE_MATTER, "", 0, rows);
    timeline->axis = axis_make(summary, &timeline->choice, false, false);
    timeline->late = bars_have_late(summary);
    for (size_t i = 0; i < timeline->choice.count; i++)
        timeline->phases |= (summary->ranks[timeline->choice.rows[i].index].has &
                             (RECORD_DATA | RECORD_FORWARD | RECORD_BACKWARD)) != 0;
}

static void place(struct timeline *timeline)
{
    const struct figure *figure = timeline->figure;
    char name[FORMAT_BYTES];
    const struct choice *choice = &timeline->choice;
    uint32_t highest = choice->count > 0
                           ? timeline->summary->ranks[choice->rows[choice->count - 1].index].rank
                           : 0;
    snprintf(name, sizeof(name), "rank %u", highest);
    timeline->label = figure_text_width(name, FIGURE_FONT) + (figure->narrow ? 16 : 4);
    timeline->row = figure->narrow ? BAR_HIGH + 25 : BAR_HIGH + 5;
    timeline->left = figure->narrow ? FIGURE_MARGIN : FIGURE_MARGIN + timeline->label + 8;
    timeline->right = figure->narrow ? figure->width - FIGURE_MARGIN - 1
                                     : figure->width - FIGURE_MARGIN - WAIT_ROOM - NOTE_ROOM;
}

static void describe(struct timeline *timeline)
{
    char name[2 * FORMAT_BYTES];
    figure_describe(timeline->figure,
                    "A bar a rank: its own time, then its wait until the last rank is at the "
                    "barrier.");
    for (size_t i = 0; i < timeline->choice.count; i++)
        if (note_of(name, timeline, &timeline->choice.rows[i]))
            figure_describe(timeline->figure, "Rank %u: %s.",
                            timeline->summary->ranks[timeline->choice.rows[i].index].rank, name);
}

void figure_timeline(struct figure *figure)
{
    const struct summary *summary = figure->model.summary;
    struct timeline timeline = {.figure = figure, .summary = summary};
    char step[FORMAT_BYTES];
    if (!summary->shown.known || summary->rank_count == 0) {
        figure_begin(figure, "Own time and waiting at the barrier");
        figure_say(figure, "Not known: no step is whole yet.");
        figure_describe(figure, "Nothing is known yet.");
        return;
    }
    if (job_alone(summary)) {
        figure_no_ranks(figure, "Own time and waiting at the barrier");
        return;
    }
    figure_begin(figure, "Step %s: own time and waiting at the barrier",
                 format_count(step, summary->shown.step));
    look(&timeline);
    place(&timeline);
    describe(&timeline);
    figure_hatch(figure);
    put_legend(&timeline);
    timeline.top = figure->y + (figure->narrow ? 42 : 26);
    put_heads(&timeline);
    double y = timeline.top;
    for (size_t i = 0; i < timeline.choice.count; i++, y += timeline.row)
        put_row(&timeline, y, &timeline.choice.rows[i]);
    figure->y = y + 2 - (figure->narrow ? 20 : 0);
    if (timeline.axis.known) {
        if (!figure->narrow)
            svg_line(figure->to, timeline.right, timeline.top - 4, timeline.right, figure->y,
                     "ls-barrier");
        put_axis(&timeline);
    } else {
        figure_say(figure, "Own times are not known: this log does not tell them.");
    }
    figure->y += 4;
    put_sums(&timeline);
}
