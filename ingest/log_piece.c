/* Records within lines. */
#include "log_piece.h"

#include <string.h>

#include "log_text.h"

/* ---- pieces ---- */

static size_t find_head(struct str s, size_t from, const char *head, size_t length)
{
    for (size_t at = log_find_bytes(s, from, head, length); at != SIZE_MAX;
         at = log_find_bytes(s, at + 1, head, length)) {
        size_t digit = at + length;
        while (digit < s.len && (s.p[digit] == ' ' || s.p[digit] == '\t'))
            digit++;
        if (digit < s.len && log_is_digit(s.p[digit]) && (at == 0 || s.p[at - 1] != '_'))
            return at;
    }
    return SIZE_MAX;
}

static void cut_piece(struct str *rest, const struct log_line *line, size_t begin, size_t next,
                      size_t length, struct log_piece *ret)
{
    ret->line = line;
    ret->front = log_until(*rest, begin);
    ret->text = log_from(log_until(*rest, next), begin);
    ret->torn_end = next != SIZE_MAX || line->cut;
    *rest = log_from(*rest, next == SIZE_MAX ? SIZE_MAX : begin + length);
}

enum { PIECE_NONE, PIECE_LAST, PIECE_BEFORE_OTHERS };

/* Up to the end of the line, or its searches are not remembered: a place is enough. */
static bool is_rest_of(struct str rest, const struct log_line *line)
{
    return rest.p >= line->text.p && rest.p + rest.len == line->text.p + line->text.len;
}

static void learn_piece(struct log_learned *form, struct str rest, const char *head, size_t begin,
                        size_t next, struct log_piece *ret)
{
    unsigned answer = begin == SIZE_MAX  ? PIECE_NONE
                      : next == SIZE_MAX ? PIECE_LAST
                                         : PIECE_BEFORE_OTHERS;
    ret->origin = log_learn_search(form, head, NULL, 0, answer);
    if (ret->origin == LOG_LEARN_NOWHERE)
        return;
    log_learn_point(form, rest.p);
    if (answer != PIECE_NONE)
        log_learn_point(form, rest.p + begin);
    if (answer == PIECE_BEFORE_OTHERS)
        log_learn_point(form, rest.p + next);
}

/* NULL: it is to be searched. */
static const struct log_search *recall_piece(struct str rest, const struct log_line *line,
                                             const char *head)
{
    if (!line->recall || !is_rest_of(rest, line))
        return NULL;
    const struct log_search *search = log_recall(line->recall, head, NULL, 0);
    if (search && line->recall->points[search->point] != rest.p)
        return NULL;
    return search;
}

bool log_next_piece_bytes(struct str *rest, const struct log_line *line, const char *head,
                          size_t length, struct log_piece *ret)
{
    const struct log_search *known = recall_piece(*rest, line, head);
    ret->origin = LOG_LEARN_NOWHERE;
    if (known) {
        if (known->answer == PIECE_NONE)
            return false;
        const char *const *at = line->recall->points + known->point;
        size_t begin = (size_t)(at[1] - rest->p);
        ret->origin = (unsigned)(known - line->recall->searches);
        cut_piece(rest, line, begin,
                  known->answer == PIECE_LAST ? SIZE_MAX : (size_t)(at[2] - rest->p), length, ret);
        return true;
    }
    size_t begin = find_head(*rest, 0, head, length);
    size_t next = begin == SIZE_MAX ? SIZE_MAX : find_head(*rest, begin + length, head, length);
    if (line->form && is_rest_of(*rest, line))
        learn_piece(line->form, *rest, head, begin, next, ret);
    if (begin == SIZE_MAX)
        return false;
    cut_piece(rest, line, begin, next, length, ret);
    return true;
}

/* ---- fields ---- */

static bool ends_number(struct str after)
{
    char c = after.p[0];
    if (c == ',')
        return after.len > 1 && (after.p[1] == ' ' || after.p[1] == '\t');
    return c == ' ' || c == '\t' || c == '|' || c == ')' || c == ']' || c == ';' || c == '(';
}

static bool begins_word(struct str after)
{
    return after.len > 0 && (log_is_word(after.p[0]) || after.p[0] == '.');
}

/* *ret_number: what of it is a number. */
static enum log_field find_field(const struct log_piece *piece, struct str name, struct str unit,
                                 double *ret, struct str *ret_number)
{
    struct str value, again;
    ret_number->len = 0;
    if (!log_after_bytes(piece->text, name.p, name.len, &value))
        return LOG_FIELD_NONE;
    if (log_after_bytes(value, name.p, name.len, &again))
        return LOG_FIELD_TORN;
    size_t length;
    enum log_number kind = log_number(value, ret, &length);
    if (kind == LOG_NOTHING)
        return LOG_FIELD_TORN;
    if (kind == LOG_NUMBER)
        *ret_number = log_until(value, length);
    struct str after = log_from(value, length);
    bool has_unit = unit.p && after.len >= unit.len && memcmp(after.p, unit.p, unit.len) == 0;
    if (kind == LOG_NO_NUMBER)
        return !has_unit && begins_word(after) ? LOG_FIELD_TORN : LOG_FIELD_NOT_NUMBER;
    if (unit.p)
        return has_unit && !begins_word(log_from(after, unit.len)) ? LOG_FIELD_NUMBER
                                                                   : LOG_FIELD_TORN;
    if (after.len == 0)
        return piece->torn_end ? LOG_FIELD_TORN : LOG_FIELD_BARE;
    return ends_number(after) ? LOG_FIELD_NUMBER : LOG_FIELD_TORN;
}

enum log_field log_field_of(const struct log_piece *piece, struct str name, struct str unit,
                            double *ret)
{
    struct log_values *recall = piece->line ? piece->line->recall : NULL;
    struct log_learned *form = piece->line ? piece->line->form : NULL;
    bool remembered = piece->origin != LOG_LEARN_NOWHERE;
    const struct log_search *known =
        remembered ? log_recall(recall, name.p, unit.p, piece->origin) : NULL;
    if (known) {
        if (known->field < LOG_LEARN_FIELDS)
            *ret = recall->number[known->field];
        return (enum log_field)known->answer;
    }
    struct str number;
    enum log_field answer = find_field(piece, name, unit, ret, &number);
    if (remembered &&
        log_learn_search(form, name.p, unit.p, piece->origin, answer) != LOG_LEARN_NOWHERE &&
        number.len > 0)
        log_learn_found(form, number, true);
    return answer;
}

size_t log_decimals(struct str s)
{
    size_t at = 0, first;
    while (at < s.len && (log_is_digit(s.p[at]) || s.p[at] == '-' || s.p[at] == ','))
        at++;
    if (at == s.len || s.p[at] != '.')
        return 0;
    for (first = ++at; at < s.len && log_is_digit(s.p[at]);)
        at++;
    return at - first;
}

bool log_layout_whole(struct log_layout *layout, uint32_t fields, bool bare)
{
    bool lacks = (fields & layout->usual) != layout->usual;
    bool whole = fields == layout->previous || (!lacks && !bare);
    layout->previous = fields;
    if (whole)
        layout->usual = fields;
    return whole;
}

/* ---- writers ---- */

enum log_turn log_writers_turn(struct log_writers *writers, int64_t writer, int64_t step,
                               int64_t value)
{
    int64_t *own = &writers->last_of[(uint64_t)(writer + 1) % LOG_WRITERS];
    int64_t number = step + 1, before = *own;
    *own = number;
    if (number > writers->last) {
        writers->last = number;
        writers->value = value;
        return LOG_TURN_NEXT;
    }
    if (before == 0 || number > before ||
        (number == before && (number != writers->last || value == writers->value)))
        return LOG_TURN_DOUBLED;
    memset(writers->last_of, 0, sizeof(writers->last_of));
    *own = writers->last = number;
    writers->value = value;
    return LOG_TURN_BACK;
}

/* ---- records of the job ---- */

struct record log_job(int64_t step, int64_t step_time_ns)
{
    return (struct record){.has = RECORD_JOB | RECORD_STEP | RECORD_STEP_TIME,
                           .step = step,
                           .step_time_ns = step_time_ns};
}

#define STAMP_WITHIN 160
#define STAMP_BYTES 19

static const char stamp_search; /* its address stands for this search */

/* *ret_stamp: where it is; empty: nowhere. */
static bool find_stamp(const struct log_piece *piece, int64_t *ret_ns, bool *ret_zone,
                       struct str *ret_stamp)
{
    struct str front = piece->front;
    ret_stamp->len = 0;
    size_t length, least = front.len > STAMP_WITHIN ? front.len - STAMP_WITHIN : 0;
    for (size_t at = front.len; at >= least + STAMP_BYTES; at--) {
        const char *p = front.p + at - STAMP_BYTES;
        if (p[13] == ':' && p[16] == ':' &&
            log_stamp(log_from(front, at - STAMP_BYTES), ret_ns, ret_zone, &length)) {
            *ret_stamp = str_of(p, length);
            return true;
        }
    }
    return false;
}

/* Whether no other digits would make another stamp there, or none. */
static bool stamp_stays(const struct log_piece *piece, bool found)
{
    return piece->front.len < STAMP_WITHIN - STAMP_BYTES &&
           log_stamps_possible(piece->front) == (size_t)found;
}

bool log_piece_stamp(const struct log_piece *piece, int64_t *ret_ns, bool *ret_zone)
{
    struct log_values *recall = piece->line ? piece->line->recall : NULL;
    struct log_learned *form = piece->line ? piece->line->form : NULL;
    bool remembered = piece->origin != LOG_LEARN_NOWHERE;
    const struct log_search *known =
        remembered ? log_recall(recall, &stamp_search, NULL, piece->origin) : NULL;
    size_t length;
    if (known && !known->answer)
        return false;
    if (known && log_stamp(recall->text[known->field], ret_ns, ret_zone, &length))
        return true;
    struct str stamp;
    bool found = find_stamp(piece, ret_ns, ret_zone, &stamp);
    if (!form || !remembered)
        return found;
    if (!stamp_stays(piece, found))
        log_learn_no_more(form);
    else if (log_learn_search(form, &stamp_search, NULL, piece->origin, found) !=
                 LOG_LEARN_NOWHERE &&
             found)
        log_learn_found(form, stamp, false);
    return found;
}

bool log_piece_stamp_at(const struct log_piece *piece, size_t at, int64_t *ret_ns, bool *ret_zone)
{
    size_t length, size = piece->front.len;
    return at + STAMP_BYTES <= size && at + STAMP_WITHIN >= size &&
           log_stamp(log_from(piece->front, at), ret_ns, ret_zone, &length);
}

void log_job_begin(struct record *record, const struct log_piece *piece, struct log_out *out)
{
    bool zone;
    int64_t stamp;
    if (log_piece_stamp(piece, &stamp, &zone))
        log_job_begin_at(record, stamp, zone, out);
}

void log_job_begin_at(struct record *record, int64_t stamp, bool zone, struct log_out *out)
{
    int64_t span = record->has & RECORD_SPAN ? record->span : 1;
    double lasts = (double)span * (double)record->step_time_ns;
    if (!zone)
        log_out_note(out, LOG_NOTE_NO_ZONE);
    if (lasts > (double)stamp)
        return;
    record->begin_ns = stamp - (int64_t)lasts;
    record->has |= RECORD_BEGIN;
}

void log_job_flops(struct record *record, double teraflops, struct log_out *out)
{
    double flops = teraflops * 1e12;
    if (flops > 0 && flops <= (double)RECORD_FLOPS_MAX) {
        record->flops = (int64_t)(flops + 0.5);
        record->has |= RECORD_FLOPS;
    } else if (flops != 0) {
        log_out_count(out, LOG_IMPOSSIBLE, "%g TFLOP/s a GPU", teraflops);
    }
}

void log_job_mfu(struct record *record, double percent, struct log_out *out)
{
    double share = percent * 1e7;
    if (share > 0 && share <= (double)RECORD_MFU_MAX) {
        record->mfu = (int64_t)(share + 0.5);
        record->has |= RECORD_MFU;
    } else if (share != 0) {
        log_out_count(out, LOG_IMPOSSIBLE, "MFU %g%%", percent);
    }
}
