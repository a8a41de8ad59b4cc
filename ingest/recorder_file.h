/* The file a recorder writes: opened, locked, its torn end closed off, and then whole
 * lines (or whole frames) or nothing, whatever the disk does. Used by one thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORDER_PIECE_MAX (256 * 1024) /* bytes of lines that are written at once */

struct recorder_file {
    char *path;
    int fd;
    bool compressed;
    bool device;       /* no regular file: it has neither size nor end */
    bool torn;         /* something stands behind the last whole line or frame */
    bool begins;       /* .zst: nothing was written yet behind what was there */
    int64_t good_size; /* .zst, when torn: where the last whole frame ends */
    void *packer;      /* ZSTD_CCtx */
    char *frame;
    size_t frame_room;
};

/* 0, or -1 with a sentence: which file, what is wrong, what to do. */
int recorder_file_open(struct recorder_file *file, const char *path, char *error, size_t size);
void recorder_file_close(struct recorder_file *file);

/* Begins a new file when the name does not lead to this one any more (it was moved away
 * or deleted). 0 or errno. */
int recorder_file_follow(struct recorder_file *file);

/* Writes whole lines, RECORDER_PIECE_MAX bytes at most; compressed, they are one frame.
 * *ret_taken: how many bytes of them are in the file now, whole lines; *ret_written: how
 * many bytes these are there. 0 or errno. */
int recorder_file_write(struct recorder_file *file, const char *lines, size_t size,
                        size_t *ret_taken, size_t *ret_written);
