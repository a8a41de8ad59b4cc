/* `watch --record FILE`: what comes by udp:// or standard input is written down as well.
 * Files are not: they are on the disk already. */
#pragma once

#include <stdint.h>

#include "model.h"
#include "options.h"
#include "sink.h"
#include "source_loop.h"

struct recorder;

/* All zero: nothing is recorded. */
struct watched_recording {
    struct recorder *recorder;
    const char *file; /* borrowed */
    struct sink inner;
    bool tells;     /* there is no screen: failures go to standard error */
    int told_error; /* the last one that was told */
    int signal;     /* that ended it; 0: none */
    struct loop *loop;
};

/* 0, or the exit status after a message. Nothing is done without --record. */
int watched_recording_open(struct watched_recording *recording, const struct options *options);

/* Without a screen nobody else listens to signals: that which ends the program stops the loop,
 * so that what waits is written first; it is in recording->signal then. */
void watched_recording_listen(struct watched_recording *recording, struct loop *loop);

/* The sink that records, then gives the record to `inner`; `inner` itself when nothing is
 * recorded. */
struct sink watched_recording_sink(struct watched_recording *recording, struct sink inner);

void watched_recording_describe(const struct watched_recording *recording, struct feed_info *feed);

/* From time to time: says on standard error that it fails, or goes on, when there is no
 * screen. */
void watched_recording_look(struct watched_recording *recording);

/* Writes what is left, after the terminal was restored. 0, or 1 after a message: not all of
 * it is in the file. */
int watched_recording_close(struct watched_recording *recording);
