/* One state of a tqdm bar. It is found by its '<', between elapsed and remaining time, and read
 * to both sides. */
#include "decode_tqdm_bar.h"

#include <math.h>
#include <string.h>

#include "log_scan.h"
#include "log_text.h"
#include "number.h"

#define BAR_LONGEST 2048 /* bytes, up to three a column */

/* ---- before the bar ---- */

/* As log_integer_before(), which is for what is longer. */
static inline bool number_before(struct str s, size_t end, int64_t *ret, size_t *ret_begin)
{
    int64_t value = 0, power = 1;
    size_t begin = end;
    for (; begin > 0 && log_is_digit(s.p[begin - 1]) && end - begin < 15; power *= 10)
        value += (s.p[--begin] - '0') * power;
    if (begin == end || (begin > 0 && log_is_digit(s.p[begin - 1])))
        return log_integer_before(s, end, ret, ret_begin);
    *ret = value;
    *ret_begin = begin;
    return true;
}

/* A torn count is not what the percentage says. */
static inline bool fits_percent(const struct tqdm_bar *bar, int64_t percent)
{
    double exact = bar->total > 0 ? 100.0 * (double)bar->count / (double)bar->total : 0;
    return fabs(exact - (double)percent) <= 1;
}

/* " 31%|" before the count, or " 31% " of a terminal of no width. *ret_before: what stands in front
 * of it. False: there is none, or it is another one. */
static bool check_percent(struct str before, const struct tqdm_bar *bar, struct str *ret_before)
{
    size_t begin, least = before.len > BAR_LONGEST ? before.len - BAR_LONGEST : 0;
    int64_t percent;
    struct str near = log_from(before, least);
    const char *sign = memrchr(near.p, '%', near.len);
    bool no_bar = sign && sign + 2 == before.p + before.len && sign[1] == ' ';
    while (!no_bar && sign && (sign + 1 == before.p + before.len || sign[1] != '|'))
        sign = memrchr(near.p, '%', (size_t)(sign - near.p));
    if (!sign || !number_before(before, (size_t)(sign - before.p), &percent, &begin))
        return false;
    *ret_before = log_until(before, begin);
    return fits_percent(bar, percent);
}

/* ---- the rest ---- */

/* Two digits, the first of them under `most`. */
static inline bool two_digits(const char *p, unsigned most, int64_t *ret)
{
    unsigned tens = (unsigned)(p[0] - '0'), ones = (unsigned)(p[1] - '0');
    *ret = (int64_t)(tens * 10 + ones);
    return tens < most && ones < 10;
}

/* "59.80s/it]", "1.25it/s,", in the usual units and with two decimals, as read_rate() has it: where
 * it ends. NULL: it is another. 64 bytes must be readable. */
static inline const char *behind_usual_rate(const char *p, struct tqdm_bar *bar)
{
    uint64_t bytes = number_load8(p);
    unsigned digits = number_digits8(&bytes);
    int64_t hundredths;
    if (digits == 0 || digits > 7 || p[digits] != '.' ||
        !two_digits(p + digits + 1, 10, &hundredths))
        return NULL;
    const char *unit = p + digits + 3;
    bool inverse = memcmp(unit, "s/it", 4) == 0;
    if ((!inverse && memcmp(unit, "it/s", 4) != 0) || (unit[4] != ']' && unit[4] != ','))
        return NULL;
    hundredths += (int64_t)number_value8(bytes, digits) * 100;
    double value = (double)hundredths / 100;
    bar->rate = inverse || hundredths == 0 ? value : 1 / value;
    return unit + 4;
}

/* ", 59.80s/it]": *ret is in seconds. Units of bytes, samples and tokens make it no training. */
static bool read_rate(struct str text, struct tqdm_bar *bar, size_t *ret_length)
{
    static const char *const steps[] = {"it", "step", "steps", "batch", "batches", "iter", NULL};
    double value = 0;
    size_t length = 0, end = 0;
    struct log_scan scan = {text.p, text.p + text.len, NULL};
    if (text.len > 0 && text.p[0] == '?')
        length = 1;
    else if (log_scan_number(&scan, &value) && scan.at < scan.end && log_is_letter(*scan.at) &&
             (*scan.at | 0x20) != 'e')
        length = (size_t)(scan.at - text.p);
    else if (log_number(text, &value, &length) != LOG_NUMBER)
        return false;
    while (length + end < text.len && text.p[length + end] != ']' && text.p[length + end] != ',' &&
           end < 24)
        end++;
    if (length + end >= text.len || end >= 24)
        return false;
    struct str unit = log_trim(str_of(text.p + length, end));
    bool inverse = log_begins(unit, "s/");
    struct str of = inverse ? log_from(unit, 2) : unit;
    if (!inverse && (unit.len < 3 || memcmp(unit.p + unit.len - 2, "/s", 2) != 0))
        return false;
    of = inverse ? of : log_until(of, of.len - 2);
    bool known = false;
    for (size_t i = 0; !known && steps[i]; i++)
        known = str_is(of, steps[i]);
    if (!known && bar->use == TQDM_TRAINING)
        bar->use = TQDM_OTHER;
    bar->rate = value > 0 ? (inverse ? value : 1 / value) : 0;
    *ret_length = length + end;
    return true;
}

/* All of it must be a clock: "04:59", "1:02:03". */
static bool read_elapsed(struct str s, int64_t *ret_s)
{
    int64_t ns, seconds = 0, part = 0;
    size_t length, digits = 0, colons = 0;
    bool usual = true;
    for (size_t i = 0; i < s.len && usual; i++) {
        if (s.p[i] == ':') {
            usual = digits > 0;
            seconds = (seconds + part) * 60;
            part = 0;
            digits = 0;
            colons++;
            continue;
        }
        part = part * 10 + (s.p[i] - '0');
        usual = ++digits <= 2 && (colons == 0 || part < 60);
    }
    if (usual && digits > 0 && (colons == 1 || colons == 2)) {
        *ret_s = seconds + part;
        return true;
    }
    if (!log_clock(s, &ns, &length) || length != s.len)
        return false;
    *ret_s = ns / 1000000000;
    return true;
}

/* The count, total and elapsed time before the '<' at `mark`; *ret_front: what stands before the
 * percentage. */
static bool read_before(struct tqdm_heads *heads, struct str text, size_t mark,
                        struct tqdm_bar *bar, struct str *ret_front)
{
    size_t begin = mark;
    while (begin > 0 && (log_is_digit(text.p[begin - 1]) || text.p[begin - 1] == ':'))
        begin--;
    if (begin + 4 > mark || begin < 2 || text.p[begin - 1] != '[' || text.p[begin - 2] != ' ' ||
        !read_elapsed(log_from(log_until(text, mark), begin), &bar->elapsed_s))
        return false;
    size_t end = begin - 2;
    if (!number_before(text, end, &bar->total, &begin) || begin == 0 || text.p[begin - 1] != '/' ||
        !number_before(text, begin - 1, &bar->count, &begin))
        return false;
    if (bar->total < 1 || bar->count > bar->total ||
        !check_percent(log_until(text, begin), bar, ret_front))
        return false;
    tqdm_read_name(heads, tqdm_description(*ret_front), bar);
    return true;
}

/* ---- from left to right ---- */

/* What stands before the percentage is remembered when all of it is the description. */
static void keep_head(struct tqdm_heads *heads, struct str front, const struct tqdm_bar *bar)
{
    bool plain = true;
    if (front.len > TQDM_NAME_LONGEST)
        return;
    while (front.len > 0 && front.p[front.len - 1] == ' ')
        front.len--;
    if (front.len > 0 && log_is_digit(front.p[front.len - 1]))
        return;
    for (size_t i = 0; i < front.len; i++) {
        char c = front.p[i];
        if (c == ']' || c == '|' || c == '<' || (unsigned char)c < ' ' || (unsigned char)c >= 0x7f)
            return;
        plain &= c != '_';
    }
    size_t at = 0;
    while (at < heads->count && (heads->list[at].length != front.len ||
                                 memcmp(heads->list[at].text, front.p, front.len) != 0))
        at++;
    if (at < heads->count)
        return;
    at = heads->count < TQDM_HEADS ? heads->count++ : heads->oldest;
    heads->oldest = (at + 1) % TQDM_HEADS;
    heads->last = at;
    struct tqdm_head *head = &heads->list[at];
    memcpy(head->text, front.p, front.len);
    head->length = front.len;
    head->total_text = 0;
    head->total_mask = UINT64_MAX;
    head->says = (struct tqdm_bar){.name = bar->name,
                                   .number = bar->number,
                                   .use = bar->use,
                                   .names_training = bar->names_training,
                                   .names_epochs = bar->names_epochs,
                                   .numbers_epochs = bar->numbers_epochs,
                                   .plain = plain};
}

/* " 31%|" behind the head. NULL: something else, else what is behind it. */
static inline const char *behind_percent(const struct tqdm_head *head, struct str text,
                                         int64_t *ret)
{
    if (head->length > 0 &&
        (text.len < head->length || memcmp(text.p, head->text, head->length) != 0))
        return NULL;
    const char *p = text.p + head->length;
    uint64_t bytes = number_load8(p) ^ UINT64_C(0x2020202020202020);
    p += bytes ? __builtin_ctzll(bytes) / 8 : 0;
    bytes = number_load8(p);
    unsigned digits = number_digits8(&bytes);
    if (digits == 0 || digits > 3 || p - text.p > TQDM_NAME_LONGEST || p[digits] != '%' ||
        p[digits + 1] != '|')
        return NULL;
    *ret = p[0] - '0';
    for (unsigned i = 1; i < digits; i++)
        *ret = *ret * 10 + (p[i] - '0');
    return p + digits + 2;
}

/* By the head that the text begins with, which is heads->last then. */
static __attribute__((noinline)) const char *behind_head(struct tqdm_heads *heads, struct str text,
                                                         int64_t *ret_percent)
{
    for (size_t i = 0; i < heads->count; i++) {
        const char *behind = behind_percent(&heads->list[i], text, ret_percent);
        if (!behind)
            continue;
        heads->last = i;
        return behind;
    }
    return NULL;
}

/* What comes first in [p, end) of '|', '%', '<' and '_'; `end` or behind it: none of them. */
static inline const char *behind_drawn(const char *p, const char *end)
{
#if defined(__SSE2__) && !defined(LINE_SHAPE_PORTABLE)
    const __m128i close = _mm_set1_epi8('|'), percent = _mm_set1_epi8('%'),
                  mark = _mm_set1_epi8('<'), line = _mm_set1_epi8('_');
    for (; p < end; p += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)p);
        unsigned found = (unsigned)_mm_movemask_epi8(_mm_or_si128(
            _mm_or_si128(_mm_cmpeq_epi8(bytes, close), _mm_cmpeq_epi8(bytes, line)),
            _mm_or_si128(_mm_cmpeq_epi8(bytes, percent), _mm_cmpeq_epi8(bytes, mark))));
        if (found)
            return p + __builtin_ctz(found);
    }
#else
    while (p < end && *p != '|' && *p != '%' && *p != '<' && *p != '_')
        p++;
#endif
    return p;
}

/* "04:59<", "1:02:03<", "123:45:56<", as read_elapsed() has it: where the '<' is. NULL: it is
 * another. */
static inline const char *behind_elapsed(const char *p, int64_t *ret_s)
{
    int64_t minutes, seconds;
    uint64_t bytes = number_load8(p);
    unsigned digits = number_digits8(&bytes);
    if (digits == 0 || digits > 4 || p[digits] != ':')
        return NULL;
    int64_t first = (int64_t)number_value8(bytes, digits);
    p += digits + 1;
    if (!two_digits(p, 6, &minutes))
        return NULL;
    if (p[2] == '<' && digits == 2) {
        *ret_s = first * 60 + minutes;
        return p + 2;
    }
    if (p[2] != ':' || !two_digits(p + 3, 6, &seconds) || p[5] != '<')
        return NULL;
    *ret_s = (first * 60 + minutes) * 60 + seconds;
    return p + 5;
}

/* "/1000", which is remembered when it is short. */
static __attribute__((noinline)) bool scan_total(struct log_scan *scan, struct tqdm_head *head,
                                                 int64_t *ret)
{
    const char *begin = scan->at++;
    if (!log_scan_integer(scan, ret) || scan->at >= scan->end)
        return false;
    size_t length = (size_t)(scan->at - begin);
    if (length > 7)
        return true;
    head->total_text = number_load8(begin);
    head->total_mask = (UINT64_C(2) << (8 * length + 7)) - 1; /* and the blank behind it */
    head->total_length = length;
    head->total = *ret;
    return true;
}

/* All up to the first '<' of a text that is as most are, as read_before() has it: where that is.
 * NULL: it is another text. */
static inline const char *scan_before(struct tqdm_heads *heads, struct str text,
                                      struct tqdm_bar *bar)
{
    int64_t percent;
    const char *end = text.p + text.len;
    const char *p = behind_percent(&heads->list[heads->last], text, &percent);
    if (heads->count == 0 || (!p && !(p = behind_head(heads, text, &percent))))
        return NULL;
    const char *drawn_end = end - p > BAR_LONGEST / 2 ? p + BAR_LONGEST / 2 : end;
    const char *drawn = p;
    p = behind_drawn(p, drawn_end);
    if (p >= drawn_end || p[0] != '|' || p[1] != ' ')
        return NULL;
    struct log_scan scan = {p + 2, end, NULL};
    struct tqdm_head *head = &heads->list[heads->last];
    *bar = head->says;
    bar->drawn = str_of(drawn, (size_t)(p - drawn));
    if (!log_scan_integer(&scan, &bar->count) || *scan.at != '/')
        return NULL;
    if (((number_load8(scan.at) ^ head->total_text) & head->total_mask) == 0) {
        bar->total = head->total;
        scan.at += head->total_length;
    } else if (!scan_total(&scan, head, &bar->total)) {
        return NULL;
    }
    p = scan.at[0] == ' ' && scan.at[1] == '[' ? behind_elapsed(scan.at + 2, &bar->elapsed_s)
                                               : NULL;
    if (!p || p >= end || bar->total < 1 || bar->count > bar->total || !fits_percent(bar, percent))
        return NULL;
    return p;
}

/* ---- a state ---- */

/* Up to the first ", " in s, as log_find() has it, when it is near. *plain: but where a '_' may be
 * before it. */
static inline size_t find_comma(struct str s, bool *plain)
{
#if defined(__SSE2__) && !defined(LINE_SHAPE_PORTABLE)
    __m128i bytes = _mm_loadu_si128((const __m128i *)s.p);
    unsigned found = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(',')));
    unsigned lines = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('_')));
    if (found) {
        size_t at = (size_t)__builtin_ctz(found);
        *plain &= lines == 0;
        if (at + 1 < s.len && s.p[at + 1] == ' ')
            return at;
    }
#endif
    *plain = false;
    return log_find(s, ", ");
}

/* The rate behind the '<' at `mark`; *at: behind it. */
static inline enum tqdm_answer read_behind(struct str text, size_t mark, size_t *at,
                                           struct tqdm_bar *bar)
{
    size_t length;
    struct str rest = str_of(text.p + mark + 1, text.len - mark - 1);
    size_t comma = find_comma(rest, &bar->plain);
    *at = mark + 1;
    if (comma > 24)
        return TQDM_TORN;
    const char *p = rest.p + comma + 2;
    p += *p == ' ';
    p += *p == ' ';
    const char *behind = behind_usual_rate(p, bar);
    if (behind && behind < text.p + text.len) {
        *at = (size_t)(behind - text.p);
        return TQDM_BAR;
    }
    bar->plain = false;
    struct str rate = log_trim(log_from(rest, comma + 2));
    if (!read_rate(rate, bar, &length))
        return TQDM_TORN;
    *at = (size_t)(rate.p - text.p) + length;
    return TQDM_BAR;
}

/* As tqdm_next(), of whatever text. */
static __attribute__((noinline)) enum tqdm_answer
next_generally(struct tqdm_heads *heads, struct str text, size_t *at, struct tqdm_bar *bar)
{
    struct str front;
    for (bool first = true; *at < text.len; first = false) {
        const char *found = memchr(text.p + *at, '<', text.len - *at);
        if (!found)
            break;
        size_t mark = (size_t)(found - text.p);
        *bar = (struct tqdm_bar){0};
        if (read_before(heads, text, mark, bar, &front)) {
            if (first)
                keep_head(heads, front, bar);
            return read_behind(text, mark, at, bar);
        }
        *at = mark + 1;
    }
    return TQDM_NONE;
}

enum tqdm_answer tqdm_next(struct tqdm_heads *heads, struct str text, size_t *at,
                           struct tqdm_bar *bar)
{
    const char *mark = *at == 0 ? scan_before(heads, text, bar) : NULL;
    return mark ? read_behind(text, (size_t)(mark - text.p), at, bar)
                : next_generally(heads, text, at, bar);
}
