/* The lines of verdicts and alarms. */
#include "view.h"

#include "alarm_lines.h"
#include "verdict_lines.h"

static struct rect inner(struct rect rect)
{
    int margin = rect.width < 40 ? 0 : 1;
    return rect_part(rect, margin, 0, rect.width - 2 * margin, rect.height);
}

void view_verdict(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    struct sentence lines[VERDICT_LINES_MAX];
    struct rect part = inner(rect);
    if (part.height < 1)
        return;
    int max = part.height < VERDICT_LINES_MAX ? part.height : VERDICT_LINES_MAX;
    int count = verdict_lines(model, part.width, lines, max);
    for (int i = 0; i < count; i++)
        sentence_draw(&lines[i], canvas, part, 0, i);
}

void view_alarms(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    struct sentence lines[ALARM_LINES_MAX];
    struct rect part = inner(rect);
    int max = part.height < ALARM_LINES_MAX ? part.height : ALARM_LINES_MAX;
    int count = alarm_lines(model, lines, max);
    for (int i = 0; i < count; i++)
        sentence_draw(&lines[i], canvas, part, 0, i);
}
