/* The lines of verdicts and alarms. */
#include "view.h"

#include "alarm_lines.h"
#include "verdict_lines.h"

static struct rect inner(struct rect rect)
{
    int margin = rect.width < 48 ? 0 : 1;
    return rect_part(rect, margin, 0, rect.width - 2 * margin, rect.height);
}

/* Cut between words: half a number would be another number. */
static void draw_lines(struct canvas *canvas, struct rect part, struct sentence *lines, int count)
{
    for (int i = 0; i < count; i++) {
        sentence_cut(&lines[i], part.width);
        sentence_draw_wrapped(&lines[i], canvas, rect_part(part, 0, i, part.width, 1), 0);
    }
}

void view_verdict(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    struct sentence lines[VERDICT_LINES_MAX];
    struct rect part = inner(rect);
    if (part.height < 1)
        return;
    int max = part.height < VERDICT_LINES_MAX ? part.height : VERDICT_LINES_MAX;
    int count = verdict_lines(model, part.width, lines, max);
    draw_lines(canvas, part, lines, count);
}

void view_alarms(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    struct sentence lines[ALARM_LINES_MAX];
    struct rect part = inner(rect);
    int max = part.height < ALARM_LINES_MAX ? part.height : ALARM_LINES_MAX;
    int count = alarm_lines(model, lines, max);
    draw_lines(canvas, part, lines, count);
}
