/* What has been read, as a screen or a report shows it. */
#pragma once

#include "log_facts.h"
#include "model.h"
#include "options.h"
#include "source_files.h"
#include "stream.h"

/* feed->source: the sources as they were named. */
void describe_names(const struct options *options, struct feed_info *feed);

/* The counts of lines and bytes, and the complaints. Datagrams are left alone. */
void describe_totals(const struct stream_totals *totals, struct summary *summary);

/* The ranks of these logs write in bursts: each process of NCCL Inspector what it has now and then,
 * at moments of its own. They may be DESCRIBE_APART steps apart, and silent for some seconds,
 * though all run. */
#define DESCRIBE_APART 128
#define DESCRIBE_SILENT_S 3.0 /* six times the usual interval */
bool describe_in_bursts(const struct log_book *book);

/* Whether all that gave records are documents (a trace, a file of results): these are written when
 * all is over, and nothing comes after them. */
bool describe_documents(const struct log_book *book);

/* Which of the files that were followed are gone, since when: *gone_ns, of the clock that says
 * now_ns, is when they were as it was found last, so that the moment that is shown stays. */
void describe_gone(const struct files_state *state, int64_t now_ns, int64_t *gone_ns,
                   struct feed_info *feed);

/* How many files there are; the newest notice about them goes into the message, once: *told is
 * how many there were when that was looked at last. */
void describe_files(const struct files_state *state, int *told, struct feed_info *feed,
                    char message[MODEL_TEXT_BYTES]);
