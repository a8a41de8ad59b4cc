/* Follows a set of files inside the loop: polling is the base, the kernel's
 * notices (one watch a folder) only make it prompt. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sink.h"
#include "source_files.h"
#include "source_loop.h"

struct watch_options {
    bool poll_only; /* no notices */
};

struct watch;

/* Reads *files into *sink (copied) in slices of about 5 ms. *files is borrowed; it
 * may get more files at any time. */
struct watch *watch_new(struct loop *loop, struct files *files, const struct watch_options *options,
                        const struct sink *sink);
void watch_free(struct watch *watch); /* NULL is allowed; before files_free(), loop_free() */

bool watch_has_caught_up(const struct watch *watch); /* all that was there was read, once */
bool watch_is_behind(const struct watch *watch);     /* there is more to read than a slice held */
int watch_folders(const struct watch *watch);        /* that send notices */
