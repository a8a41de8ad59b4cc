/* What has been read, as a screen or a report shows it. */
#pragma once

#include "model.h"
#include "options.h"
#include "source_files.h"
#include "stream.h"

/* feed->source: the sources as they were named. */
void describe_names(const struct options *options, struct feed_info *feed);

/* The counts of lines and bytes, and the complaints. Datagrams are left alone. */
void describe_totals(const struct stream_totals *totals, struct summary *summary);

/* How many files there are; the newest notice about them goes into the message, once: *told is
 * how many there were when that was looked at last. */
void describe_files(const struct files_state *state, int *told, struct feed_info *feed,
                    char message[MODEL_TEXT_BYTES]);
