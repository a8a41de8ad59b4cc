/* The views: each draws one part of a screen into a rectangle, from the model
 * alone. Text that came from a log goes through the sanitiser on its way. */
#pragma once

#include "axis.h"
#include "canvas.h"
#include "choice.h"
#include "layout.h"
#include "model.h"

/* Which run, which step, MFU and HFU, how much GPU time waits by which rule. */
void view_header(struct canvas *canvas, struct rect rect, const struct view_model *model);

/* Who is slow or missing; what was lost or is not to be believed. */
void view_verdict(struct canvas *canvas, struct rect rect, const struct view_model *model);
void view_alarms(struct canvas *canvas, struct rect rect, const struct view_model *model);

/* Figure 1.5: a bar for each rank up to the barrier, with heads, axis, legend. */
void view_timeline(struct canvas *canvas, const struct layout *layout,
                   const struct view_model *model);

/* MFU, step time and wait share over the last steps. */
void view_strips(struct canvas *canvas, const struct layout *layout,
                 const struct view_model *model);

/* The key line; a message, the filter being typed, or the selected rank instead
 * of it. */
void view_keys(struct canvas *canvas, struct rect rect, const struct view_model *model);

/* All bindings, what letters, signs and colours mean, the rules in force, what
 * was read. In two columns, or scrolled by model->help_scroll, when it does not
 * fit; scrolling past the end shows the end. */
void view_help(struct canvas *canvas, struct rect rect, const struct view_model *model);

/* The other screens, each whole: below the header, above the key line. */
void view_ranks(struct canvas *canvas, struct rect rect, const struct view_model *model);
int view_ranks_rows(int height); /* rows that its table has in so many lines */
void view_ledger(struct canvas *canvas, struct rect rect, const struct view_model *model);
void view_events(struct canvas *canvas, struct rect rect, const struct view_model *model);
int view_events_rows(int height); /* events that it lists in so many lines */
/* These two are drawn from model->overview, which is what they want for a rectangle of
 * that size (screen_wants()), or was a moment ago; NULL: nothing yet. */
void view_heat(struct canvas *canvas, struct rect rect, const struct view_model *model);
int view_heat_rows(int height); /* rows of ranks that it has in so many lines */
struct overview_request view_heat_wants(int width, int height, const struct view_model *model);
void view_history(struct canvas *canvas, struct rect rect, const struct view_model *model);
struct overview_request view_history_wants(int width, int height, const struct view_model *model);
void view_calc(struct canvas *canvas, struct rect rect, const struct view_model *model);

/* One rank closer: model->selected, from summary->detail. Scrolled by page_scroll,
 * when it does not fit; scrolling past the end shows the end. */
void view_rank_detail(struct canvas *canvas, struct rect rect, const struct view_model *model);

/* Before the first record: what is read, and what a record is. */
void view_empty(struct canvas *canvas, struct rect rect, const struct view_model *model);

/* Of a log that has one value a step for the whole job: in place of the bars, why there
 * are none, what would provide them, and what the log does tell. */
void view_job(struct canvas *canvas, struct rect rect, const struct view_model *model);
/* The same in place of a screen that is about ranks alone: only why, and what would. */
void view_job_none(struct canvas *canvas, struct rect rect, const struct view_model *model);

/* One strip of the graphs over the last steps: 0 MFU, 1 step time, 2 waits. */
void view_strip(struct canvas *canvas, struct rect rect, const struct view_model *model, int which);

/* For small screens: ranks without bars; the slowest rank in one line. */
void view_list(struct canvas *canvas, const struct layout *layout, const struct view_model *model);
void view_line(struct canvas *canvas, struct rect rect, const struct view_model *model);

/* A number and its evidence letter, which ends at column `right` (exclusive):
 * "4.93 s m". Without evidence the place of the letter stays blank. */
void view_number(struct canvas *canvas, struct rect rect, int right, int y, enum style style,
                 const char *text, enum evidence evidence);
