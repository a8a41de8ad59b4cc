/* Before the first record. */
#include "view.h"

#include <string.h>

#include "alarm_logs.h"
#include "format.h"
#include "sentence.h"

struct writer {
    struct canvas *canvas;
    struct rect rect;
    int y;
};

static void say(struct writer *writer, const struct sentence *sentence)
{
    writer->y += sentence_draw_wrapped(sentence, writer->canvas, writer->rect, writer->y);
}

static void say_text(struct writer *writer, enum style style, const char *text)
{
    struct sentence sentence;
    sentence_clear(&sentence, style);
    sentence_add(&sentence, "%s", text);
    say(writer, &sentence);
}

static void say_source(struct writer *writer, const struct feed_info *feed)
{
    struct sentence sentence;
    char text[FORMAT_BYTES];
    sentence_clear(&sentence, STYLE_NORMAL);
    sentence_add(&sentence, "Reading ");
    sentence_add_raw(&sentence, feed->source[0] ? feed->source : "-");
    if (feed->udp_buffer_bytes > 0)
        sentence_add(&sentence, ", receive buffer %s", format_bytes(text, feed->udp_buffer_bytes));
    if (feed->udp_buffer_bytes > 0 && feed->udp_buffer_bytes < feed->udp_buffer_asked)
        sentence_add(&sentence, " of %s asked for", format_bytes(text, feed->udp_buffer_asked));
    if (feed->udp_buffer_bytes == 0)
        sentence_add(&sentence, ": %s so far", format_counted(text, feed->files, "file"));
    say(writer, &sentence);
}

static void say_gone(struct writer *writer, const struct view_model *model)
{
    struct sentence sentence;
    sentence_clear(&sentence, STYLE_WARNING);
    if (alarm_gone(model, &sentence))
        say(writer, &sentence);
}

/* Lines came, but no record among them: the likeliest reason to sit here. */
static void say_other(struct writer *writer, const struct summary *summary)
{
    const struct source_counts *source = &summary->source;
    struct sentence sentence;
    char other[FORMAT_BYTES], damaged[FORMAT_BYTES];
    sentence_clear(&sentence, STYLE_WARNING);
    if (summary->not_shown[0]) {
        sentence_add_raw(&sentence, summary->not_shown);
        say(writer, &sentence);
        return;
    }
    if (source->other + source->damaged == 0)
        return;
    sentence_add(&sentence, "%s read, none of them a record, %s damaged",
                 format_counted(other, (int64_t)(source->other + source->damaged), "line"),
                 format_count_unsigned(damaged, source->damaged));
    say(writer, &sentence);
    if (summary->complaint_count <= 0)
        return;
    sentence_clear(&sentence, STYLE_DIM);
    sentence_add_raw(&sentence, summary->complaints[0]);
    say(writer, &sentence);
}

/* The command that looks into it. */
static void say_explain(struct writer *writer, const struct feed_info *feed, const char *why)
{
    struct sentence sentence;
    say_text(writer, STYLE_DIM, why);
    sentence_clear(&sentence, STYLE_KEY);
    sentence_add(&sentence, "lockstep explain ");
    sentence_add_raw(&sentence, feed->source[0] ? feed->source : "-");
    say(writer, &sentence);
}

void view_empty(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    int margin = rect.width >= 60 ? 3 : 1;
    struct writer writer = {canvas,
                            rect_part(rect, margin, 0, rect.width - 2 * margin, rect.height),
                            rect.height >= 18 ? 2 : 0};
    bool room = rect.height >= 18;
    say_text(&writer, STYLE_VALUE,
             model->mode == MODE_ENDED ? "The input has ended, and there was no record in it."
                                       : "Waiting for the first record.");
    say_source(&writer, &model->feed);
    say_gone(&writer, model);
    say_other(&writer, model->summary);
    writer.y += room;
    if (model->summary->not_shown[0]) { /* a log of another kind: our own records are not awaited */
        say_explain(&writer, &model->feed, "What it holds, and what is missing in it:");
        return;
    }
    if (model->summary->source.other > 0 && strncmp(model->feed.source, "udp:", 4) != 0) {
        say_explain(&writer, &model->feed, "What it is, and which --map or --pattern may read it:");
        writer.y += room;
    }
    say_text(&writer, STYLE_DIM, "Each rank writes a line a step:");
    say_text(&writer, STYLE_KEY,
             writer.rect.width < 64
                 ? "{\"rank\":0,\"step\":1,\"compute\":0.99}"
                 : "{\"rank\":0,\"step\":1,\"forward\":0.33,\"backward\":0.66,\"sync\":0.10}");
    writer.y += room;
    say_text(&writer, STYLE_DIM, "In Python (samples/emit/lockstep.py):");
    say_text(&writer, STYLE_KEY, "import lockstep");
    say_text(&writer, STYLE_KEY, "for step in lockstep.steps(range(n)):");
    writer.y += room;
    say_text(&writer, STYLE_DIM, "To see it work without a job: lockstep demo");
}
