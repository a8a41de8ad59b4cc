/* Phases of one rank beside those of its peers. */
#include "rank_page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool phase_known(const struct rank_detail *detail, int phase)
{
    return isfinite(detail->phase_s[phase]);
}

/* The phase that a verdict names, else the one that is most above the peers by
 * what is worth a word; -1. Waiting stands in `sync`, and with an overlapped
 * exchange in `backward`. */
static int phase_to_blame(const struct rank_page *page)
{
    const struct rank_detail *detail = page->detail;
    struct verdict verdicts[RANK_PAGE_VERDICTS];
    double most = detail->peers_own_s * page->summary->run.threshold / 2;
    int blamed = -1;
    if (rank_page_verdicts(page, verdicts) > 0 && verdicts[0].phase >= 0)
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

static void draw_time(struct rank_page *page, struct rect line, int right, enum style style,
                      double seconds, enum evidence kind)
{
    char text[FORMAT_BYTES];
    format_duration(text, seconds, page->canvas.unicode);
    bool known = strcmp(text, "-") != 0;
    view_number(&page->canvas, line, right, 0, known ? style : STYLE_DIM, text,
                known ? rank_page_evidence(page, kind) : EVIDENCE_NONE);
}

/* Cells where the columns end: this rank, its peers (0: no room), the difference. */
struct ends {
    int here, peers, difference;
};

static struct ends ends_of(const struct rank_page *page)
{
    int width = page->width - 2;
    if (page->detail->peers < 2)
        return (struct ends){.here = width < 22 ? width : 22};
    if (width < 43)
        return (struct ends){.here = width < 24 ? 0 : 21, .difference = width < 33 ? width : 33};
    return (struct ends){.here = 21, .peers = 31, .difference = 42};
}

static void draw_difference(struct rank_page *page, struct rect line, int right, enum style style,
                            double seconds)
{
    char text[FORMAT_BYTES], size[FORMAT_BYTES];
    if (!isfinite(seconds)) {
        view_number(&page->canvas, line, right, 0, STYLE_DIM, "-", EVIDENCE_NONE);
        return;
    }
    format_duration(size, fabs(seconds), page->canvas.unicode);
    snprintf(text, sizeof(text), "%s%.40s", seconds < 0 ? "-" : seconds > 0 ? "+" : "", size);
    view_number(&page->canvas, line, right, 0, style, text,
                rank_page_evidence(page, EVIDENCE_COMPUTED));
}

static void draw_phase(struct rank_page *page, const char *name, double here_s, double peers_s,
                       bool blamed, enum evidence kind)
{
    struct ends ends = ends_of(page);
    struct rect line = rect_part(rank_page_lines(page, 1), 0, page->y++, page->width - 2, 1);
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

static void draw_phase_heads(struct rank_page *page)
{
    struct ends ends = ends_of(page);
    struct rect line = rect_part(rank_page_lines(page, 1), 0, page->y++, page->width - 2, 1);
    canvas_text(&page->canvas, line, 0, 0, STYLE_LABEL, "median");
    if (ends.here > 0)
        canvas_text_right(&page->canvas, line, ends.here - 2, 0, STYLE_LABEL, "here");
    if (ends.peers > 0)
        canvas_text_right(&page->canvas, line, ends.peers - 2, 0, STYLE_LABEL, "peers");
    if (ends.difference > 0)
        canvas_text_right(&page->canvas, line, ends.difference - 2, 0, STYLE_LABEL, "more");
}

static void say_blame(struct rank_page *page, int blamed)
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
        sentence_evidence(&line, rank_page_evidence(page, EVIDENCE_COMPUTED));
    }
    rank_page_say(page, &line);
}

void rank_page_phases(struct rank_page *page)
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
               rank_page_own_evidence(page));
    if (count == 0) {
        sentence_clear(&line, STYLE_NORMAL);
        sentence_add(&line, "Its records have no phases: which one takes long cannot be told.");
        rank_page_say(page, &line);
    } else {
        say_blame(page, blamed);
    }
}
