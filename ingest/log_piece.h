/* Records within lines: where one begins, its fields, and whether it is whole. Lines are
 * cut anywhere and joined with others, so a value counts only when what must follow it
 * does. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "log_format.h"
#include "record.h"
#include "str.h"

/* A record's text: from its head to the next head, or to the end of the line. */
struct log_piece {
    struct str front; /* what stands before it: from the head before, or from the line's begin */
    struct str text;
    bool torn_end; /* a number at its very end is cut: another record or the input's end follows */
    const struct log_line *line; /* whose searches are remembered; NULL: they are not */
    unsigned origin;             /* the search that found it; LOG_LEARN_NOWHERE: none */
};

/* The next piece of the line that begins with `head`, optional blanks and a digit; a '_' before
 * the head makes it another name. *rest is the line at first, and moves on. */
bool log_next_piece_bytes(struct str *rest, const struct log_line *line, const char *head,
                          size_t length, struct log_piece *ret);

static inline bool log_next_piece(struct str *rest, const struct log_line *line, const char *head,
                                  struct log_piece *ret)
{
    return log_next_piece_bytes(rest, line, head, strlen(head), ret);
}

enum log_field {
    LOG_FIELD_NONE,
    LOG_FIELD_NUMBER,
    LOG_FIELD_BARE,       /* a number at the end of the line, without a unit: it may be cut */
    LOG_FIELD_NOT_NUMBER, /* nan, N/A */
    LOG_FIELD_TORN,       /* cut, glued to other text, or there twice */
};

/* The number of the field `name`, which ends with its ':' or '='. unit: what must follow the number
 * at once ("ms", "%"), NULL: none, but then a blank or punctuation does. Both are static text. */
enum log_field log_field_of(const struct log_piece *piece, struct str name, struct str unit,
                            double *ret);

static inline enum log_field log_field(const struct log_piece *piece, const char *name,
                                       const char *unit, double *ret)
{
    return log_field_of(piece, str_of(name, strlen(name)), str_of(unit, unit ? strlen(unit) : 0),
                        ret);
}

/* Digits behind the point of the number at the front of s. */
size_t log_decimals(struct str s);

/* Which fields the records of a log have. All zero: not known yet. */
struct log_layout {
    uint32_t usual, previous;
};

/* Whether a record with these fields (not 0) is whole: it has those that the ones before had, and
 * does not end in a bare number; or it is like the one before. Otherwise it was cut. */
bool log_layout_whole(struct log_layout *layout, uint32_t fields, bool bare);

#define LOG_WRITERS 64
#define LOG_WRITERS_FIRST 8
#define LOG_WRITERS_STEPS 256

/* Who wrote which step, when several processes write the same log. All zero is the beginning. */
struct log_writers {
    int64_t first; /* the first step of the run, + 1 */
    bool begun;    /* it is known to be: the run did not begin before the log */
    int64_t last;  /* the job's last step, + 1; 0: none */
    int64_t value; /* of it */
    int64_t last_of[LOG_WRITERS];
    uint64_t in_run; /* bits: writers of which a line is known to be of this run */
    /* Steps of this run: the first ones, and, a ring, the last ones. Number 0: none. */
    struct log_measure {
        int64_t number, measure;
    } begin[LOG_WRITERS_FIRST], recent[LOG_WRITERS_STEPS];
    unsigned begin_count, recent_next;
    double noise;       /* the share by which a step differs from the one before, usually */
    unsigned unlearned; /* the last steps, of which it does not know yet */
    /* Lines, one after another, of one writer alone, with other values. */
    unsigned others, others_of;
    int64_t others_from; /* the first one's number */
};

/* A process that lags repeats what is known, with the same values, but for what two clocks differ
 * by. One that takes over after a restart has other ones. That it is another run must be plain: it
 * begins in the middle, or several lines say so; until then, its lines are copies. */
enum log_turn {
    LOG_TURN_NEXT,    /* to be given */
    LOG_TURN_DOUBLED, /* another process's line of a step that is known, or the same line again */
    LOG_TURN_BACK,    /* to be given: the number went back, or stayed with another value */
};
/* value: what two processes measure alike in one step, and no two runs: not a count of steps. */
enum log_turn log_writers_turn(struct log_writers *writers, int64_t writer, int64_t step,
                               int64_t value);
/* Likewise, where the line has a stamp and nothing else that tells: what is stamped after the last
 * step is no copy of one before. */
enum log_turn log_writers_turn_at(struct log_writers *writers, int64_t writer, int64_t step,
                                  int64_t value, int64_t stamp_ns);
/* Of a log that does not number its steps: the number of this writer's next one, from 0. */
int64_t log_writers_count(const struct log_writers *writers, int64_t writer);

/* A record of the whole job. */
struct record log_job(int64_t step, int64_t step_time_ns);

/* The last time stamp in front of it: Unix nanoseconds. False: there is none. */
bool log_piece_stamp(const struct log_piece *piece, int64_t *ret_ns, bool *ret_zone);

/* Whether a stamp at that place in front is the one that log_piece_stamp() finds, when no ':'
 * stands behind it. */
bool log_piece_stamp_at(const struct log_piece *piece, size_t at, int64_t *ret_ns, bool *ret_zone);

/* From the stamp of its end the begin of the record's steps. */
void log_job_begin_at(struct record *record, int64_t stamp, bool zone, struct log_out *out);

/* From that stamp the begin of the record's steps. */
void log_job_begin(struct record *record, const struct log_piece *piece, struct log_out *out);

/* Rates as the log gives them; what is no possible value is counted and left out. */
void log_job_flops(struct record *record, double teraflops, struct log_out *out);
void log_job_mfu(struct record *record, double percent, struct log_out *out);
