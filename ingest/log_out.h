/* Where a decoder of a foreign format puts what it finds: records, and what is to be
 * known of the log (log_facts.h). Owned by the stream. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log_facts.h"
#include "record.h"

struct log_out;

/* Copies the record, host and group included (cut to NAME_BYTES - 1). It must have STEP and a
 * time. When another format of the stream gives this step (log_lead.h), it is counted as BESIDE.
 * With RECORD_JOB, rank 0 is set here. Without RANK and JOB the rank is that of
 * the line's prefix or of the file's name; a document alone is rank 0; where no line of the input
 * names a rank the record is as one of the job: one value a step, of nobody knows whom. Values out
 * of the bounds of record.h are not put out but counted as damaged. */
void log_out_record(struct log_out *out, const struct record *record);

/* A record that is none, because something else in this stream gives its step: counted, and its
 * times are kept as values. leader: what gives it, a word. log_out_record() does it for formats. */
void log_out_beside(struct log_out *out, const struct record *record, const char *leader);

/* A value that should be there is torn, invalid or out of range: counted, and among the first
 * complaints together with the line. `why` is a sentence without a full stop. */
void log_out_damaged(struct log_out *out, const char *why);

/* Something that is no damage: counted. `what` (printf-like; NULL: nothing) is kept of the first
 * few, together with the place. */
void log_out_count(struct log_out *out, enum log_count count, const char *what, ...)
    __attribute__((format(printf, 3, 4)));

/* One more log or table in which these keys of its map (bits) have no value. All that were told so
 * far, of any stream: what is said of them (log_out_example()) names all. */
uint64_t log_out_unmapped(struct log_out *out, uint64_t keys);

/* What is kept of that kind from now on. */
void log_out_example(struct log_out *out, enum log_count count, const char *what);

/* So many more of that kind as the last one. */
void log_out_count_more(struct log_out *out, enum log_count count, uint64_t more);

/* So many fewer, since more is known now. */
void log_out_count_less(struct log_out *out, enum log_count count, uint64_t less);

/* So many operations more (fewer: below 0) are held back until it shows what they belong to. */
void log_out_held(struct log_out *out, int64_t more);

/* So many ranks has the job, as the log says. */
void log_out_world(struct log_out *out, int64_t ranks);

/* The run is to end with this step, as the line says: the last one that is told holds. */
void log_out_planned(struct log_out *out, int64_t step);

/* Which input it is: another number for each; of a file, nccl_job_key() of its name. */
uint64_t log_out_source(const struct log_out *out);

/* What all files of NCCL Inspector say together. */
struct nccl_job *log_out_nccl(struct log_out *out);

/* Of a document, which has no lines: so many more of its events or entries were read. */
void log_out_events(struct log_out *out, uint64_t more);

/* How the values of this log came about: told once, kept. */
void log_out_note(struct log_out *out, enum log_note note);

/* One more value of a timer, operation or rate that no record has room for: its count, least,
 * median and most are shown by `explain` and `report --json`. Cheap; names beyond
 * LOG_VALUES_MAX are counted only. unit: "ms", "s", "us", "samples/s": static text. */
void log_out_value(struct log_out *out, struct str name, const char *unit, double value);

/* From the next line on this decoder wants every line, anchors or not (a block has begun), until it
 * says false. Of several that want all, the one that began last is asked first. */
void log_out_want_all(struct log_out *out, bool all);

/* One stream may hold the same steps in several formats: one gives the records (log_lead.h), the
 * others give values. A decoder that holds records back says at once that
 * it has some; log_out_record() says so by itself. */
void log_out_claim(struct log_out *out);

/* So many records are held back from now on, or, below 0, no more: said where a screen waits. */
void log_out_records_held(struct log_out *out, int more);

/* Whether another format gives the records of this stream. */
bool log_out_outranked(const struct log_out *out);
