/* A compressed file as the plain bytes that are in it. They stream by, or are laid
 * open in a spool, where they can be read again: as far as anybody has asked for. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inflate.h"
#include "spool.h"

struct packed;

/* `size`: of the compressed file; what it grows by is not read. `spool`: borrowed; NULL: its bytes
 * stream by. `whole`: it is laid open at once, so that no memory is held for it between calls. */
struct packed *packed_new(enum inflate_kind kind, int64_t size, struct spool *spool, bool whole);
void packed_free(struct packed *packed);

/* Up to `size` plain bytes from the offset on (without a spool: where the last call ended); 0 at
 * the end. `fd`: the file, any descriptor of it. *ret_made: what was decompressed for it. */
size_t packed_read(struct packed *packed, int fd, int64_t offset, void *bytes, size_t size,
                   size_t *ret_made);

/* From now on nothing more is laid open: what was is read from the spool, behind it bytes stream
 * by, once, in order. */
void packed_pass(struct packed *packed);

/* At the end: what is missing, and why; NULL: nothing. */
const char *packed_problem(const struct packed *packed);

/* That was not for what is in the file: it could not be read, or there was no room for it. */
bool packed_failed(const struct packed *packed);

int64_t packed_taken(const struct packed *packed); /* bytes of the compressed file */
