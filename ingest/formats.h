/* All log formats, and the way of a line to its own: one pass over the line finds the
 * anchors of every format at once (anchors.h), so that lines of other kinds cost next
 * to nothing however many formats there are. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log_format.h"
#include "log_facts.h"
#include "record.h"
#include "str.h"

/* A choice of formats, shared by all streams of a program; not changed while they are read. */
struct formats;

/* All that are built in. NULL is allowed wherever formats are borrowed: our own records only. */
struct formats *formats_new(void);
void formats_free(struct formats *formats);

/* Only this one from now on (--format): 0, or -1: there is none called so. "lockstep" is our own
 * records. */
int formats_choose(struct formats *formats, const char *name);

/* One more, for --map and --pattern and those of the settings: it is asked before the others.
 * *format and all that it points to are borrowed. False: there are LOG_FORMATS_MAX. */
bool formats_add(struct formats *formats, const struct format *format);

/* The same, but the others are asked before it. */
bool formats_append(struct formats *formats, const struct format *format);

/* Whether lines that differ in their digits alone are read by what was learned of the first
 * (log_learn.h), as they are at first. What comes of them is the same. */
void formats_learn(struct formats *formats, bool learn);

size_t formats_count(const struct formats *formats);
const struct format *formats_at(const struct formats *formats, size_t index);
bool formats_own(const struct formats *formats); /* whether our own records are read, too */

/* ---- one stream ---- */

struct format_reader;

/* *formats and *book are borrowed and must outlive it. rank: that the name of the input says, for
 * records that have none; -1: none; says_rank: by a word, not by its only digits, which of a
 * document may be a process or a time. */
struct format_reader *format_reader_new(const struct formats *formats, struct log_book *book,
                                        int64_t rank, bool says_rank);
void format_reader_free(struct format_reader *reader);

/* A document's beginning: what was read so far (LOG_SNIFF_MAX bytes at most count). YES: the
 * bytes, these first, are for format_reader_bytes(). */
enum log_sniff format_reader_sniff(struct format_reader *reader, const char *bytes, size_t size,
                                   bool whole);
void format_reader_bytes(struct format_reader *reader, const char *bytes, size_t size);

/* One line. At least 64 bytes must be readable behind it. cut: the input ended before the line
 * did. escapes: a terminal's may be in it. False: it is of no format. */
bool format_reader_line(struct format_reader *reader, struct str line, bool cut, bool escapes);

/* The input has ended: records that were held back come now. The states begin anew. */
void format_reader_end(struct format_reader *reader);
void format_reader_reset(struct format_reader *reader); /* likewise, nothing comes */

/* Which input it is, for decoders that need to know (log_out_source()). */
void format_reader_source(struct format_reader *reader, uint64_t source);

/* Records of our own stood in the lines before, the last one of this step: they give the steps,
 * other formats do not. */
void format_reader_own(struct format_reader *reader, int64_t step);

/* The next record that came of what was put in, oldest first; its slices are valid until
 * the next line. */
bool format_reader_next(struct format_reader *reader, struct record *record);

/* What is to be said of the line that was put in last: the next damage ("why") among it; NULL: no
 * more. */
const char *format_reader_damage(struct format_reader *reader);
