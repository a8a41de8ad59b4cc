/* What other formats' logs hold too little of. */
#include "alarm_logs.h"

#include <string.h>

#include "format.h"

bool alarm_gone(const struct view_model *model, struct sentence *line)
{
    if (!alarm_add_gone(line, &model->feed))
        return false;
    sentence_add(line, "; waiting for %s", model->feed.gone == 1 ? "it" : "them");
    return true;
}

bool alarm_add_gone(struct sentence *line, const struct feed_info *feed)
{
    char moment[FORMAT_BYTES], count[FORMAT_BYTES];
    if (feed->gone <= 0)
        return false;
    /* The moment first: names are long. */
    bool one = feed->gone == 1;
    sentence_add(line,
                 "%s gone since %s: ", one ? "file" : format_counted(count, feed->gone, "file"),
                 format_since(moment, feed->gone_s, feed->gone_for_s));
    sentence_add_raw(line, feed->gone_name);
    sentence_add(line, "%s", one ? "" : " first");
    return true;
}

bool alarm_some_ranks(const struct view_model *model, struct sentence *line)
{
    const struct summary *summary = model->summary;
    char here[FORMAT_BYTES], all[FORMAT_BYTES];
    if (summary->rank_count == 0 || summary->scope == SCOPE_JOB ||
        summary->world_ranks <= (int64_t)summary->rank_count)
        return false;
    sentence_add(line, "%s of %s ranks are in these logs: waits for the others are not known",
                 format_count(here, (int64_t)summary->rank_count),
                 format_count(all, summary->world_ranks));
    return true;
}

bool alarm_few_records(const struct view_model *model, struct sentence *line)
{
    const struct source_counts *source = &model->summary->source;
    const struct playback *playback = &model->playback;
    uint64_t all = source->all > source->records ? source->all : source->records;
    char records[FORMAT_BYTES], other[FORMAT_BYTES];
    if (model->mode == MODE_LIVE || (playback->on && !playback->indexed) ||
        !records_are_doubtful(all, source->other))
        return false;
    sentence_add(line, "doubtful: %s among %s: examples in a text? lockstep explain shows them",
                 format_counted(records, (int64_t)all, "record"),
                 format_counted(other, (int64_t)source->other, "other line"));
    return true;
}

bool alarm_not_shown(const struct view_model *model, struct sentence *line)
{
    if (model->summary->not_shown[0] == '\0')
        return false;
    sentence_add_raw(line, model->summary->not_shown);
    return true;
}

bool alarm_unmapped(const struct view_model *model, struct sentence *line)
{
    const struct summary *summary = model->summary;
    if (summary->unmapped[0] == '\0' || strstr(summary->not_shown, summary->unmapped))
        return false;
    sentence_add_raw(line, summary->unmapped);
    return true;
}
