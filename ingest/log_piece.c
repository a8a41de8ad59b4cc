/* Records within lines. */
#include "log_piece.h"

#include <math.h>
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

#define SAME_SHARE 0.02         /* two processes time the same step alike */
#define SAME_MIDWAY 0.005       /* likewise, where it is odd already that this one begins */
#define SAME_TIME_NS 1000000000 /* within which no job starts again */
#define NOISE_TIMES 3
#define NOISE_MOST 0.1
#define OTHERS_ENOUGH 3 /* lines: a first step, with what comes before it, is timed unlike */

/* A line's step. */
struct turn {
    unsigned slot; /* of its writer */
    int64_t number, value;
    int64_t measure; /* what tells a copy */
    bool stamp;      /* that is a stamp */
};

static unsigned slot_of(int64_t writer)
{
    return (unsigned)((uint64_t)(writer + 1) % LOG_WRITERS);
}

/* The share by which they differ. */
static double share_of(int64_t one, int64_t other)
{
    double a = (double)one, b = (double)other, most = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    return most > 0 ? fabs(a - b) / most : 0;
}

static struct log_measure *recent_measure(struct log_writers *writers, unsigned back)
{
    return &writers->recent[(writers->recent_next - back) % LOG_WRITERS_STEPS];
}

/* Of the steps since it was asked last. Slowly: a single step that stands out, as a first one, is
 * no noise. */
static double noise_of(struct log_writers *writers)
{
    for (unsigned back = writers->unlearned; back > 0; back--) {
        const struct log_measure *is = recent_measure(writers, back);
        const struct log_measure *before = recent_measure(writers, back + 1);
        if (before->number == 0)
            continue;
        double share = share_of(before->measure, is->measure);
        writers->noise += ((share < NOISE_MOST ? share : NOISE_MOST) - writers->noise) / 8;
    }
    writers->unlearned = 0;
    return writers->noise;
}

static void remember_step(struct log_writers *writers, const struct turn *is)
{
    writers->last = writers->last_of[is->slot] = is->number;
    writers->value = is->value;
    writers->in_run |= (uint64_t)1 << is->slot;
    writers->others = 0;
    struct log_measure known = {is->number, is->measure};
    if (writers->begin_count < LOG_WRITERS_FIRST)
        writers->begin[writers->begin_count++] = known;
    writers->recent[writers->recent_next] = known;
    writers->recent_next = (writers->recent_next + 1) % LOG_WRITERS_STEPS;
    writers->unlearned += writers->unlearned < LOG_WRITERS_STEPS - 1;
}

/* Of a step of this run; NULL: it is not known, or not any more. */
static const int64_t *measure_of(const struct log_writers *writers, int64_t number)
{
    for (unsigned i = 0; i < writers->begin_count; i++)
        if (writers->begin[i].number == number)
            return &writers->begin[i].measure;
    for (unsigned i = 1; i <= LOG_WRITERS_STEPS; i++) {
        unsigned at = (writers->recent_next + LOG_WRITERS_STEPS - i) % LOG_WRITERS_STEPS;
        const struct log_measure *of = &writers->recent[at];
        if (of->number <= number) /* from the last one on, they fall */
            return of->number == number ? &of->measure : NULL;
    }
    return NULL;
}

/* Where the steps of a run differ much, so do two processes' times of one. */
static bool is_alike(struct log_writers *writers, int64_t one, int64_t other, double share)
{
    double noise = NOISE_TIMES * noise_of(writers);
    return share_of(one, other) <= (noise > share ? noise : share);
}

enum whose { RUN_UNKNOWN, RUN_THIS, RUN_OTHER };

/* Which run a step that is not above the last is of. */
static enum whose run_of(struct log_writers *writers, const struct turn *is, bool midway)
{
    const int64_t *known = measure_of(writers, is->stamp ? writers->last : is->number);
    if (known && is->stamp)
        return is->measure - SAME_TIME_NS > *known ? RUN_OTHER : RUN_THIS;
    if (known)
        return is_alike(writers, is->measure, *known, midway ? SAME_MIDWAY : SAME_SHARE)
                   ? RUN_THIS
                   : RUN_OTHER;
    /* Nobody lags that far behind who did not write the first ones, too. */
    int64_t oldest = writers->recent[writers->recent_next].number;
    bool far = is->number < writers->first || is->number < oldest;
    return writers->begun && far ? RUN_OTHER : RUN_UNKNOWN;
}

/* Whether another process begins another run with it. first: it is its first line. */
static bool begins_other_run(struct log_writers *writers, const struct turn *is, bool first)
{
    uint64_t bit = (uint64_t)1 << is->slot;
    bool midway = first && writers->begun && is->number > writers->first;
    enum whose run = writers->in_run & bit ? RUN_THIS : run_of(writers, is, midway);
    if (run == RUN_THIS)
        writers->in_run |= bit;
    if (run != RUN_OTHER) {
        writers->others = 0;
        return false;
    }
    writers->others = writers->others_of == is->slot ? writers->others + 1 : 1;
    writers->others_of = is->slot;
    if (writers->others == 1)
        writers->others_from = is->number;
    return (midway && measure_of(writers, is->number)) || writers->others >= OTHERS_ENOUGH;
}

static enum log_turn judge_turn(struct log_writers *writers, const struct turn *is)
{
    int64_t number = is->number, before = writers->last_of[is->slot];
    writers->last_of[is->slot] = number;
    if (number > writers->last) {
        if (writers->last == 0) {
            writers->first = number;
            writers->begun = number <= 2; /* step 0 or 1 */
        }
        remember_step(writers, is);
        return LOG_TURN_NEXT;
    }
    bool behind = before == 0 || number > before;
    if (behind && !begins_other_run(writers, is, before == 0))
        return LOG_TURN_DOUBLED;
    if (number == before && (number != writers->last || is->value == writers->value))
        return LOG_TURN_DOUBLED;
    *writers = (struct log_writers){.first = behind ? writers->others_from : number, .begun = true};
    remember_step(writers, is);
    return LOG_TURN_BACK;
}

enum log_turn log_writers_turn(struct log_writers *writers, int64_t writer, int64_t step,
                               int64_t value)
{
    struct turn turn = {slot_of(writer), step + 1, value, value, false};
    return judge_turn(writers, &turn);
}

enum log_turn log_writers_turn_at(struct log_writers *writers, int64_t writer, int64_t step,
                                  int64_t value, int64_t stamp_ns)
{
    struct turn turn = {slot_of(writer), step + 1, value, stamp_ns, true};
    return judge_turn(writers, &turn);
}

int64_t log_writers_count(const struct log_writers *writers, int64_t writer)
{
    return writers->last_of[slot_of(writer)];
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
