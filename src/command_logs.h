/* The formats of logs that a command reads, as its options and the settings say, and
 * what is learned of such logs. */
#pragma once

#include "formats.h"
#include "log_facts.h"
#include "options.h"
#include "stream.h"

/* All zero is closed. */
struct command_logs {
    struct formats *formats;
    struct log_book book;
};

/* 0, or the exit status after the message was printed. Borrows from *options. */
int command_logs_open(struct command_logs *logs, const struct options *options);
void command_logs_done(struct command_logs *logs);

/* What is read with these totals is read so; to be said before a stream is made.
 * log_book_summary(totals->book, summary) then follows describe_totals(). */
void command_logs_use(struct command_logs *logs, struct stream_totals *totals);
