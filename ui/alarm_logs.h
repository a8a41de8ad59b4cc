/* What other formats' logs hold too little of, in words. */
#pragma once

#include "alarm_lines.h"

/* What was followed was deleted or moved away, and nothing came in its place. */
bool alarm_gone(const struct view_model *model, struct sentence *line);

/* "file gone since 15:30:38Z: rank0.jsonl", "3 files gone since 15:30:38Z: rank0.jsonl first". */
bool alarm_add_gone(struct sentence *line, const struct feed_info *feed);

/* The logs are of a job of more ranks than are in them. */
bool alarm_some_ranks(const struct view_model *model, struct sentence *line);

/* Few records among many other lines: of what was read whole; a live log may only have begun. */
bool alarm_few_records(const struct view_model *model, struct sentence *line);

/* What is in the logs, but can't be shown, or not yet. */
bool alarm_not_shown(const struct view_model *model, struct sentence *line);

/* Keys of a map that have no value: the map may be wrong. */
bool alarm_unmapped(const struct view_model *model, struct sentence *line);
