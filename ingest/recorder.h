/* Writes records as lines to a file while they come, without ever holding up whoever
 * brings them: a thread of its own formats nothing and writes all. Whole lines only;
 * flushed each second; a full disk is waited for, in RECORDER_WAITING_MAX bytes of memory,
 * and the newest records that find no room there are dropped and counted. A killed
 * program leaves a file that reads up to its last flush. A name that ends in .zst is
 * compressed, in frames that end at a flush.
 *
 * What is read back is what was recorded, to the nanosecond. The file is never cut below
 * its last whole line. It is locked (flock) while it is written. Moved away or deleted, it
 * is begun anew under its name. Nothing is synced: a killed program loses nothing that was
 * written, a machine without power what its kernel had not written yet. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"

#define RECORDER_WAITING_MAX (64u << 20) /* bytes that wait for the disk, at most */

struct recorder;

/* What the screen says of it. */
struct recorder_state {
    uint64_t records;       /* that were taken */
    uint64_t waiting;       /* of these: not in the file yet */
    uint64_t written_bytes; /* into the file, as they are there */
    uint64_t dropped;       /* records for which there was no room */
    int error;              /* errno of the last write while it fails; 0: it goes on */
    double late_s;          /* since when not all of them are in the file; 0: they are */
};

/* Makes the file, or goes on behind what is in it (a torn last line is closed off first).
 * NULL with a sentence in `error`: which file, what is wrong, what to do. */
struct recorder *recorder_new(const char *path, char *error, size_t size);

/* Takes one record: never waits. This and what follows: from one thread. */
void recorder_add(struct recorder *recorder, const struct record *record);

struct recorder_state recorder_state(struct recorder *recorder);

/* Writes what is left, at most about two seconds long, and ends the thread. False when not
 * all of it is in the file. NULL is allowed. */
bool recorder_free(struct recorder *recorder);

/* The same; *ret_left: how it stood then, what was waiting and dropped is not in the file. Not
 * NULL. */
bool recorder_close(struct recorder *recorder, struct recorder_state *ret_left);
