/* What has been read. */
#include "command_describe.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "log_format.h"

void describe_names(const struct options *options, struct feed_info *feed)
{
    int used = 0;
    for (int i = 0; i < options->source_count && used < (int)sizeof(feed->source) - 1; i++)
        used += snprintf(feed->source + used, sizeof(feed->source) - (size_t)used, "%s%s",
                         i > 0 ? " " : "", options->sources[i]);
}

void describe_totals(const struct stream_totals *totals, struct summary *summary)
{
    const struct source_counts *counts = &totals->counts;
    summary->source.all = counts->records;
    summary->source.other = counts->other;
    summary->source.damaged = counts->damaged;
    summary->source.too_long = counts->too_long;
    summary->source.nul_bytes = counts->nul_bytes;
    summary->source.bytes = counts->bytes;
    summary->complaint_count = totals->complaint_count;
    memcpy(summary->complaints, totals->complaints, sizeof(summary->complaints));
}

bool describe_in_bursts(const struct log_book *book)
{
    for (size_t i = 0; i < book->count; i++)
        if (strcmp(book->facts[i].format->name, "nccl-inspector") == 0)
            return true;
    return false;
}

bool describe_documents(const struct log_book *book)
{
    bool documents = false;
    for (size_t i = 0; i < book->count; i++) {
        if (book->facts[i].records > 0 && !book->facts[i].format->bytes)
            return false;
        documents = documents || book->facts[i].records > 0;
    }
    return documents;
}

void describe_gone(const struct files_state *state, int64_t now_ns, int64_t *gone_ns,
                   struct feed_info *feed)
{
    feed->gone = state->gone;
    if (state->gone == 0)
        return;
    feed->gone_for_s = (double)(now_ns - state->gone_ns) * 1e-9;
    if (*gone_ns != state->gone_ns)
        feed->gone_s = (double)time(NULL) - feed->gone_for_s;
    *gone_ns = state->gone_ns;
    snprintf(feed->gone_name, sizeof(feed->gone_name), "%s", state->gone_name);
}

void describe_files(const struct files_state *state, int *told, struct feed_info *feed,
                    char message[MODEL_TEXT_BYTES])
{
    feed->files = state->followed;
    if (state->notice_count == *told)
        return;
    *told = state->notice_count;
    snprintf(message, MODEL_TEXT_BYTES, "%s",
             state->notices[(state->notice_count - 1) % FILES_NOTICES]);
}
