/* A log, read through a stream in pieces, as text: the records, one a line, then what
 * was learned of the log. For the golden results, the fuzz targets, and by hand. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Growing text; all zero is empty. */
struct text {
    char *bytes; /* owned, ends with NUL; NULL: empty */
    size_t length, capacity;
};

struct pieces {
    size_t each;   /* bytes of a piece; 0: all at once */
    uint64_t seed; /* not 0: random pieces, up to `each` long */
};

/* `name` as in stream_new(); `format`: the only one (formats_choose), NULL: all. The text is the
 * caller's to free. */
void formats_read(struct text *text, const char *name, const char *format, const char *bytes,
                  size_t size, struct pieces pieces);

/* The same by a choice of formats. */
struct formats;
void formats_read_by(struct text *text, const char *name, const struct formats *formats,
                     const char *bytes, size_t size, struct pieces pieces);
