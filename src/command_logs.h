/* The formats of logs that a command reads, as its options and the settings say, and
 * what is learned of such logs. */
#pragma once

#include "formats.h"
#include "log_facts.h"
#include "options.h"
#include "settings.h"
#include "stream.h"
#include "user_format.h"

#define COMMAND_LOGS_DESCRIBED_MAX (OPTIONS_DESCRIBED_MAX + SETTINGS_FORMATS_MAX)

/* All zero is closed. */
struct command_logs {
    struct formats *formats;
    struct log_book book;
    size_t described_count;
    struct user_format *described[COMMAND_LOGS_DESCRIBED_MAX]; /* owned */
};

/* 0, or the exit status after the message was printed. Borrows from *options. */
int command_logs_open(struct command_logs *logs, const struct options *options);
void command_logs_done(struct command_logs *logs);

/* What is read with these totals is read so; to be said before a stream is made.
 * log_book_summary(totals->book, summary) then follows describe_totals(). */
void command_logs_use(struct command_logs *logs, struct stream_totals *totals);

/* The path of the settings: $LOCKSTEP_CONFIG, else lockstep/config in $XDG_CONFIG_HOME, else in
 * .config in $HOME. False: there is none of them. */
bool command_logs_settings_path(char *path, size_t size);
