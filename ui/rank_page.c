/* What the parts of the page about one rank share. */
#include "rank_page.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct rect rank_page_lines(const struct rank_page *page, int indent)
{
    return rect_part(canvas_rect(&page->canvas), page->x + indent, 0, page->width - indent - 1,
                     RANK_PAGE_HEIGHT);
}

enum evidence rank_page_evidence(const struct rank_page *page, enum evidence kind)
{
    return model_evidence(page->model, kind);
}

void rank_page_say(struct rank_page *page, const struct sentence *sentence)
{
    page->y += sentence_draw_wrapped(sentence, &page->canvas, rank_page_lines(page, 1), page->y);
}

void rank_page_heading(struct rank_page *page, const char *format, ...)
{
    struct sentence line;
    va_list arguments;
    sentence_clear(&line, STYLE_LABEL);
    va_start(arguments, format);
    sentence_add_list(&line, format, arguments);
    va_end(arguments);
    sentence_draw(&line, &page->canvas, rank_page_lines(page, 1), 0, page->y++);
}

void rank_page_add_number(struct sentence *line, const struct rank_page *page, const char *text,
                          enum evidence kind)
{
    sentence_add(line, "%s", text);
    if (strcmp(text, "-") != 0)
        sentence_evidence(line, rank_page_evidence(page, kind));
}

void rank_page_add_time(struct sentence *line, const struct rank_page *page, double seconds,
                        enum evidence kind)
{
    char text[FORMAT_BYTES];
    rank_page_add_number(line, page, format_duration(text, seconds, page->canvas.unicode), kind);
}

/* Own times are measured unless waiting had to be taken out of them. */
enum evidence rank_page_own_evidence(const struct rank_page *page)
{
    return page->summary->shown.rule == WAIT_OVERLAPPED ? EVIDENCE_COMPUTED : EVIDENCE_MEASURED;
}

static bool is_about(const struct verdict *verdict, const struct summary_rank *rank)
{
    if (verdict->kind == VERDICT_GROUP)
        return strcmp(verdict->group, verdict->is_host ? rank->host : rank->group) == 0;
    return verdict->kind == VERDICT_STRAGGLER && verdict->rank == rank->rank;
}

/* The verdicts in force on it, its group or its host. */
size_t rank_page_verdicts(const struct rank_page *page, struct verdict found[RANK_PAGE_VERDICTS])
{
    const struct summary *summary = page->summary;
    size_t count = 0;
    for (size_t i = 0; i < summary->verdicts_in_force && i < summary->verdict_count; i++)
        if (count < RANK_PAGE_VERDICTS && is_about(&summary->verdicts[i], page->rank))
            found[count++] = summary->verdicts[i];
    return count;
}
