/* The help: keys, letters, signs, the rules in force, what was read. */
#include "view.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bars.h"
#include "format.h"
#include "job_lines.h"
#include "rank_table.h"
#include "sentence.h"

#define SCRATCH_HEIGHT 300 /* lines; the help has under 100 unless it is very narrow */
#define KEY_CELLS 12
#define COLUMN_WIDTH 76 /* from two of these on there are two columns */

/* The page is drawn as one long column, then what is to be seen is copied. */
struct page {
    struct canvas canvas;
    const struct view_model *model;
    int y;
};

static struct rect line_of(const struct page *page, int indent)
{
    return rect_part(canvas_rect(&page->canvas), indent, 0, page->canvas.width - indent - 1,
                     page->canvas.height);
}

static void heading(struct page *page, const char *text)
{
    page->y += page->y > 0;
    struct sentence line;
    sentence_clear(&line, STYLE_LABEL);
    sentence_add(&line, "%s", text);
    page->y += sentence_draw_wrapped(&line, &page->canvas, line_of(page, 1), page->y);
}

static void say(struct page *page, int indent, const struct sentence *sentence)
{
    int used = sentence_draw_wrapped(sentence, &page->canvas, line_of(page, indent), page->y);
    page->y += used > 0 ? used : 1;
}

static void paragraph(struct page *page, int indent, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void paragraph(struct page *page, int indent, const char *format, ...)
{
    struct sentence sentence;
    va_list arguments;
    sentence_clear(&sentence, STYLE_NORMAL);
    va_start(arguments, format);
    sentence_add_list(&sentence, format, arguments);
    va_end(arguments);
    say(page, indent, &sentence);
}

/* A key, a letter or a sign, and what it is. */
static void entry(struct page *page, const char *key, const char *text)
{
    bool narrow = page->canvas.width < 40;
    canvas_text(&page->canvas, line_of(page, 2), 0, page->y, STYLE_KEY, key);
    page->y += narrow;
    paragraph(page, narrow ? 4 : 2 + KEY_CELLS, "%s", text);
}

static void draw_bindings(struct page *page)
{
    size_t count = 0;
    const struct key_binding *bindings = keys_bindings(&count);
    heading(page, "Keys");
    for (size_t i = 0; i < count; i++)
        entry(page, bindings[i].keys, bindings[i].help);
}

static void draw_evidence(struct page *page)
{
    heading(page, "Letters behind a number: where it comes from");
    entry(page, "m", "measured: observed by the job's own clocks");
    entry(page, "c", "computed: by a formula from what was measured");
    entry(page, "s", "simulated: a program imitated the hardware");
    entry(page, "e", "our example: round numbers");
    entry(page, "-", "not known; it is never shown as 0");
}

static void sign(struct page *page, enum bars_part part, bool slow, const char *text)
{
    const struct bars_glyph *glyph = bars_glyph(part);
    uint32_t code = page->canvas.unicode ? glyph->unicode : (uint32_t)glyph->ascii;
    for (int x = 0; x < (part == PART_BARRIER ? 1 : 3); x++)
        canvas_put(&page->canvas, line_of(page, 2), x, page->y, code,
                   slow ? STYLE_STRAGGLER : glyph->style);
    paragraph(page, 2 + KEY_CELLS, "%s", text);
}

static void draw_signs(struct page *page)
{
    heading(page, "Bars");
    sign(page, PART_OWN, false, "own time: what the rank does before the barrier");
    sign(page, PART_OWN, true, "own time of a straggler; its row says so too");
    sign(page, PART_WAIT, false, "wait: it has arrived, the last has not");
    if (page->model->summary->clock_count > 0)
        sign(page, PART_LATE, false, "in no phase: it began later than the others");
    sign(page, PART_BARRIER, false, "barrier: the last rank arrives, all go on");
    sign(page, PART_DATA, false, "data: waiting for the input (phases on)");
    sign(page, PART_FORWARD, false, "forward pass (phases on)");
    sign(page, PART_BACKWARD, false, "backward pass (phases on)");
    sign(page, PART_OTHER, false, "own time that no phase of the record holds");
    entry(page, "//", "the axis is cut: it does not begin at 0");
    entry(page, "slower", "own time against the median of the step's ranks");
    entry(page, "window", "the median of that over the last steps");
}

/* What the heads of the table of ranks stand for; phases need no words. */
static void draw_columns(struct page *page)
{
    heading(page, "The table of ranks");
    for (int column = RANK_COLUMN_WINDOW; column <= RANK_COLUMN_LATE; column++)
        entry(page, rank_column_head((enum rank_column)column),
              rank_column_name((enum rank_column)column));
    paragraph(
        page, 2,
        "One rank closer: how many of the last steps were how slow, on both sides of the line "
        "of its peers; then step by step. Peers are the ranks of its group, when these are "
        "three or more, else all.");
}

/* What stands where a live log of the whole job is shown. */
static void draw_pulse(struct page *page)
{
    if (!job_alone(page->model->summary))
        return;
    heading(page, "Whether it goes on");
    paragraph(
        page, 2,
        "READING 34%%: what was there is still being read, so the newest step is none of now.");
    paragraph(
        page, 2,
        "Last value over 4 min ago: so long ago the newest value of the log was read; one that "
        "was there before is as old as its file. Usual is the median step time, times the "
        "steps from one value to the next. After three times that an alarm asks whether the "
        "job hangs.");
}

static void draw_events(struct page *page)
{
    heading(page, "Events");
    paragraph(page, 2,
              "What happened: a straggler, a slow group or host begins or ends; a spike, one step "
              "that took much longer; a restart; a rank that is missing. Enter goes to the step at "
              "which it began.");
    entry(page, page->canvas.unicode ? "\u25cf" : "*", "it begins at the shown step");
    entry(page, page->canvas.unicode ? "\u2502" : "|", "it goes on at the shown step");
}

static void draw_replay(struct page *page)
{
    bool unicode = page->canvas.unicode;
    heading(page, "Replay, and looking back");
    paragraph(page, 2,
              "A replay shows each step as a live screen did when it was the newest. The line "
              "above the keys is the run from its first step to its last:");
    entry(page, unicode ? "\u2501\u25cf\u2500" : "=#-", "before, at and after the shown step");
    entry(page, unicode ? "\u00b7\u00b7\u00b7" : "...", "not read yet: what is there is not known");
    entry(page, unicode ? "\u25c6" : "+", "a bookmark");
    entry(page, unicode ? "\u2575" : "!", "an event begins; spikes are left out");
    paragraph(
        page, 2,
        "A bookmark is a step that you want to come back to: m sets it, ' and \" go there. "
        "After : stand a step (1200, a2:1200 of the second attempt), a distance (+100, -100), "
        "a part of the run (45%%) or a time of day in UTC (03:12, 03:12:30); where stamps name "
        "no zone, the log's own.");
}

/* The keys that only these screens have; those of the table above keep their meaning. */
static void draw_span(struct page *page)
{
    heading(page, "Heat map and history");
    paragraph(page, 2,
              "The whole run from left to right: several steps in a column, when there are many. "
              "Heat map: a row is a rank, or the worst of a host, a group or a block of ranks; a "
              "sign says how much slower than the median of its step.");
    entry(page, page->canvas.unicode ? "\u2506" : "|", "a restart: from there on another attempt");
    entry(page, "+ = -", "zoom in and out; the cursor stays where it is");
    entry(page, "0", "all of the run, and what comes");
    entry(page, "Left Right", "the cursor; at the edge of a zoomed part this moves along");
    entry(page, "PgUp PgDn", "ten columns; of a zoomed part a page");
    entry(page, "Home End", "the ends of the run; in a live one End follows it again");
    entry(page, "Enter", "to the barrier of that step; heat map: with that rank");
    entry(page, "b", "heat map: rows as they fit, ranks, hosts, groups, blocks");
    entry(page, "w", "heat map: the worst step of each column, or their mean");
    entry(page, "s /", "heat map: slowest first; choose ranks");
}

static void draw_calculator(struct page *page)
{
    heading(page, "The calculator");
    paragraph(page, 2,
              "Up and Down choose an argument, Left and Right change it, digits or Enter edit it "
              "(405e9, 405B), r gives it back to the run or the chapter, u all of them.");
}

/* A log in another format: what its values are, and what it does not hold. */
static void draw_log(struct page *page)
{
    const struct summary *summary = page->model->summary;
    struct sentence line;
    if (summary->log_count == 0 && !job_alone(summary))
        return;
    heading(page, "This log");
    sentence_clear(&line, STYLE_NORMAL);
    job_add_who(&line, summary);
    sentence_add(&line, ", ");
    job_add_gpus(&line, summary, false);
    say(page, 2, &line);
    sentence_clear(&line, STYLE_NORMAL);
    if (summary->shown.span > 1)
        sentence_add(&line, "A value is a mean of several steps: it stands for all of them, and is "
                            "shown at the last. ");
    if (job_add_values(&line, summary))
        sentence_add(&line, ".");
    if (line.length > 0)
        say(page, 2, &line);
    sentence_clear(&line, STYLE_NORMAL);
    if (quantity_known(summary->mfu)) {
        sentence_add(&line, "MFU: ");
        job_add_mfu_convention(&line, summary);
        sentence_add(&line, ".");
        say(page, 2, &line);
    }
    if (!job_alone(summary))
        return;
    sentence_clear(&line, STYLE_NORMAL);
    job_add_why(&line, summary);
    say(page, 2, &line);
    for (int i = 0; i < 2; i++)
        for (size_t from = 0; job_how_piece(&line, summary, i, line_of(page, 4).width, &from);)
            say(page, 4, &line);
}

static void draw_wait_rule(struct page *page)
{
    const struct summary *summary = page->model->summary;
    static const char *const why[] = {
        "unknown: the records hold no own times, or only one rank has any.",
        "sync is recorded. The last to arrive waits for nobody, so the shortest sync is the "
        "exchange itself, and what a rank's sync is longer is its wait.",
        "no sync is recorded, but the clocks agree: a wait lasts from a rank's arrival to the last "
        "rank's arrival.",
        "neither sync nor common clocks: a rank waits for as long as the longest own time is "
        "longer "
        "than its own.",
        "the exchange overlaps the backward pass, which then contains the waiting: a rank waits "
        "for "
        "what its backward is longer than the shortest."};
    if (job_alone(summary))
        return; /* draw_log() has said it */
    heading(page, "Waits in this run");
    if (summary->shown.known)
        paragraph(
            page, 2, "wait = %s (%s). %s", wait_rule_sentence(summary->shown.rule),
            evidence_name(model_evidence(page->model, wait_rule_evidence(summary->shown.rule))),
            why[summary->shown.rule]);
    else
        paragraph(page, 2, "not known before the first whole step.");
    if (summary->rules_mixed)
        paragraph(page, 2, "Not every step of this run has the same rule.");
}

static void draw_clocks(struct page *page)
{
    const struct summary *summary = page->model->summary;
    char worst[FORMAT_BYTES], text[FORMAT_BYTES];
    if (summary->clock_count == 0)
        return;
    heading(page, "Clocks");
    format_duration(worst, summary->clock_worst_s, page->canvas.unicode);
    paragraph(page, 2,
              "All ranks leave a barrier together: what their clocks say of that moment differs by "
              "what they are off. The median over steps, against the median rank; the worst is off "
              "by %s. Told when it is over 1 ms and three errors. Bars are drawn on aligned time.",
              format_evidence(text, worst, model_evidence(page->model, EVIDENCE_COMPUTED)));
}

static void draw_stragglers(struct page *page)
{
    if (job_alone(page->model->summary))
        return;
    const struct run *run = &page->model->summary->run;
    heading(page, "Straggler");
    paragraph(
        page, 2,
        "A rank is named when its median slowdown over the last %d steps is over %.3g%% and "
        "clear of the jitter, on at least 20 steps. One slow step is a spike, not a straggler. "
        "The rank with the longest step is not it: all steps are equally long, and the slow "
        "rank waits least.",
        run->window, run->threshold * 100);
}

static void draw_mfu(struct page *page)
{
    static const char *const attentions[] = {"full (12 x layers x hidden x sequence)",
                                             "causal (half of full)", "not counted"};
    const struct summary *summary = page->model->summary;
    char peak[FORMAT_BYTES], tokens[FORMAT_BYTES], gpus[FORMAT_BYTES];
    heading(page, "MFU");
    paragraph(
        page, 2,
        "tokens/s x FLOP a token / (GPUs x dense peak), over the last %d steps. Attention: %s. "
        "Peak: %s%s a GPU. Tokens a step: %s. GPUs: %s%s.",
        summary->run.window, attentions[summary->attention],
        summary->peak_flops > 0 ? format_decimal(peak, summary->peak_flops) : "unknown",
        summary->peak_flops > 0 ? "FLOP/s" : "",
        summary->tokens_per_step > 0
            ? format_count(tokens, llround(fmin(summary->tokens_per_step, 1e18)))
            : "unknown",
        summary->run.gpus > 0 ? format_count(gpus, llround(fmin(summary->run.gpus, 1e15)))
                              : "unknown",
        summary->gpus_assumed  ? " (assumed: as many as ranks)"
        : summary->gpus_logged ? " (by the log)"
                               : "");
}

static void count(struct page *page, uint64_t number, const char *text)
{
    char digits[FORMAT_BYTES];
    if (number > 0)
        entry(page, format_count_unsigned(digits, number), text);
}

static void draw_source(struct page *page)
{
    const struct summary *summary = page->model->summary;
    const struct source_counts *source = &summary->source;
    const struct feed_info *feed = &page->model->feed;
    char text[FORMAT_BYTES];
    heading(page, "What is read");
    if (feed->source[0])
        paragraph(page, 2, "%s", feed->source);
    if (feed->files > 0)
        paragraph(page, 2, "%s followed", format_counted(text, feed->files, "file"));
    if (feed->udp_buffer_bytes > 0)
        paragraph(page, 2, "UDP receive buffer granted: %s",
                  format_bytes(text, feed->udp_buffer_bytes));
    if (feed->recording.on)
        paragraph(page, 2, "recorded to %s: %s", feed->recording.file,
                  format_bytes(text, feed->recording.bytes));
    count(page, feed->recording.waiting, "records that wait for the recording");
    count(page, feed->recording.dropped, "records that the recording lost");
    count(page, source->records, "records");
    count(page, source->other, "lines that are no records");
    count(page, source->damaged, "damaged lines or numbers out of range");
    count(page, source->too_long, "of these: lines that are too long");
    count(page, source->nul_bytes, "NUL bytes passed over");
    count(page, source->duplicate, "second records for a rank and step");
    count(page, source->not_numbers, "values that are no numbers: nan, N/A");
    count(page, source->impossible, "values over the chip's peak: not used");
    count(page, source->disagree, "values whose time stamps say another time: both are kept");
    count(page, source->beside, "values left out: another format of the log gives their steps");
    count(page, source->late, "records that came after their step was closed");
    count(page, source->too_late, "records too late to be used");
    count(page, source->refused, "refused: too many ranks, or a sender not allowed");
    count(page, source->dropped, "datagrams lost: dropped by the kernel, or never arrived");
    count(page, feed->frames_skipped, "pictures that a slow terminal did not get");
    for (int64_t i = 0; i < summary->complaint_count && i < COMPLAINTS_MAX; i++)
        if (!job_is_noise(summary, summary->complaints[i]))
            paragraph(page, 2, "%s", summary->complaints[i]);
}

static void draw_page(struct page *page)
{
    draw_bindings(page);
    draw_evidence(page);
    draw_signs(page);
    draw_columns(page);
    draw_events(page);
    draw_pulse(page);
    draw_replay(page);
    draw_span(page);
    draw_calculator(page);
    draw_log(page);
    draw_wait_rule(page);
    draw_clocks(page);
    draw_stragglers(page);
    draw_mfu(page);
    draw_source(page);
}

static void copy_column(struct canvas *canvas, struct rect part, const struct canvas *from,
                        int first)
{
    for (int y = 0; y < part.height && first + y < from->height; y++) {
        for (int x = 0; x < part.width && x < from->width; x++) {
            const struct cell *cell = &from->cells[(first + y) * from->width + x];
            if (cell->code != 0)
                canvas_put(canvas, part, x, y, cell->code, (enum style)cell->style);
        }
    }
}

/* The line before which a column is best broken: at a blank one. */
static int break_near(const struct page *page, int limit)
{
    for (int y = limit; y > limit / 2; y--) {
        bool blank = true;
        for (int x = 0; x < page->canvas.width && blank; x++)
            blank = page->canvas.cells[y * page->canvas.width + x].code == ' ';
        if (blank)
            return y + 1;
    }
    return limit;
}

static void draw_title(struct canvas *canvas, struct rect line, bool more)
{
    canvas_fill(canvas, line, ' ', STYLE_TITLE);
    canvas_text(canvas, line, 1, 0, STYLE_TITLE, "lockstep " LOCKSTEP_VERSION ": help");
    const char *hint = line.width < 42   ? more ? "arrows  ? back" : "? back"
                       : line.width < 52 ? "? back  q quit"
                       : more            ? "arrows scroll  ? back  q quit"
                                         : "? back  q quit";
    if (line.width >= 38)
        canvas_text_right(canvas, line, line.width - 1, 0, STYLE_TITLE, hint);
}

void view_help(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    int height = rect.height - 1, columns = rect.width >= 2 * COLUMN_WIDTH ? 2 : 1;
    int width = rect.width / columns;
    if (height < 1 || width < 1)
        return;
    struct page page = {.model = model};
    canvas_init(&page.canvas, width, SCRATCH_HEIGHT, canvas->unicode);
    draw_page(&page);
    int total = page.y < SCRATCH_HEIGHT ? page.y : SCRATCH_HEIGHT;
    int first = columns == 2 ? 0 : model->help_scroll;
    int last_first = total > height ? total - height : 0;
    int half = total / 2 + total / 8;
    int cut = columns == 2 ? break_near(&page, half < height ? half : height) : 0;
    draw_title(canvas, rect_part(rect, 0, 0, rect.width, 1), total - cut > height);
    if (columns == 2 && total > height) {
        int second =
            model->help_scroll < total - cut - height ? model->help_scroll : total - cut - height;
        copy_column(canvas, rect_part(rect, 0, 1, width, cut < height ? cut : height), &page.canvas,
                    0);
        copy_column(canvas, rect_part(rect, width, 1, width, height), &page.canvas,
                    cut + (second > 0 ? second : 0));
    } else {
        copy_column(canvas, rect_part(rect, 0, 1, width, height), &page.canvas,
                    first < last_first ? first : last_first);
    }
    canvas_done(&page.canvas);
}
