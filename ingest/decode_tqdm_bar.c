/* One state of a tqdm bar. It is found by its '<', between elapsed and remaining time, and read
 * to both sides. */
#include "decode_tqdm_bar.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "log_scan.h"
#include "log_text.h"

#define NAME_LONGEST 40
#define BAR_LONGEST 2048 /* bytes, up to three a column */

/* ---- the description ---- */

/* At the beginning of a word, in any case. */
static bool says(struct str name, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= name.len; i++)
        if ((i == 0 || !log_is_letter(name.p[i - 1])) && strncasecmp(name.p + i, word, length) == 0)
            return true;
    return false;
}

static bool says_one(struct str name, const char *const *words)
{
    for (; *words; words++)
        if (says(name, *words))
            return true;
    return false;
}

static void read_name(struct str name, struct tqdm_bar *bar)
{
    static const char *const evaluation[] = {"eval",  "valid",  "val",     "test", "predict",
                                             "infer", "sanity", "generat", NULL};
    static const char *const other[] = {
        "load",   "download", "upload", "map",     "filter", "tokeniz", "fetch",   "resolv",
        "cast",   "sav",      "shard",  "comput",  "group",  "pars",    "split",   "extract",
        "pack",   "add",      "writ",   "check",   "creat",  "build",   "process", "convert",
        "encod",  "cach",     "read",   "prepar",  "copy",   "merg",    "quantiz", "running",
        "captur", "compil",   "dequeu", "flatten", "concat", "import",  "export",  NULL};
    static const char *const training[] = {"train", "epoch", "step", "iter", "fit", NULL};
    size_t length;
    uint64_t hash = UINT64_C(14695981039346656037);
    bool any = false;
    bar->number = -1;
    bar->use = TQDM_TRAINING;
    if (name.len == 0)
        return;
    for (size_t i = 0; i < name.len; i++) {
        if (bar->number < 0 && log_is_digit(name.p[i]) &&
            !log_integer(log_from(name, i), &bar->number, &length))
            bar->number = -1;
        if (!log_is_letter(name.p[i]))
            continue;
        hash = (hash ^ (unsigned char)name.p[i]) * UINT64_C(1099511628211);
        any = true;
    }
    bar->name = any ? hash : 0;
    bar->names_training = says_one(name, training);
    if (says_one(name, evaluation))
        bar->use = TQDM_EVALUATION;
    else if (!bar->names_training && says_one(name, other))
        bar->use = TQDM_OTHER;
}

/* What stands before the bar: from the last thing that is none of it. */
static struct str description(struct str before)
{
    size_t begin = before.len, longest = before.len > NAME_LONGEST ? NAME_LONGEST : before.len;
    while (before.len - begin < longest) {
        char c = before.p[begin - 1];
        if (c == ']' || c == '|' || (unsigned char)c < ' ' || (unsigned char)c >= 0x7f)
            break;
        begin--;
    }
    return log_trim(log_from(before, begin));
}

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

/* " 31%|" before the count: the percentage, which a torn count contradicts. *ret_before: what
 * stands in front of it. False: there is none, or it is another one. */
static bool check_percent(struct str before, const struct tqdm_bar *bar, struct str *ret_before)
{
    size_t begin, least = before.len > BAR_LONGEST ? before.len - BAR_LONGEST : 0;
    int64_t percent;
    struct str near = log_from(before, least);
    const char *sign = memrchr(near.p, '%', near.len);
    while (sign && (sign + 1 == before.p + before.len || sign[1] != '|'))
        sign = memrchr(near.p, '%', (size_t)(sign - near.p));
    if (!sign || !number_before(before, (size_t)(sign - before.p), &percent, &begin))
        return false;
    double exact = bar->total > 0 ? 100.0 * (double)bar->count / (double)bar->total : 0;
    *ret_before = log_until(before, begin);
    return fabs(exact - (double)percent) <= 1;
}

/* ---- the rest ---- */

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

/* The count, total and elapsed time before the '<' at `mark`. */
static bool read_before(struct str text, size_t mark, struct tqdm_bar *bar)
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
    struct str before;
    if (bar->total < 1 || bar->count > bar->total ||
        !check_percent(log_until(text, begin), bar, &before))
        return false;
    read_name(description(before), bar);
    return true;
}

enum tqdm_answer tqdm_next(struct str text, size_t *at, struct tqdm_bar *bar)
{
    while (*at < text.len) {
        const char *found = memchr(text.p + *at, '<', text.len - *at);
        if (!found)
            break;
        size_t mark = (size_t)(found - text.p), length = 0;
        *at = mark + 1;
        *bar = (struct tqdm_bar){0};
        if (!read_before(text, mark, bar))
            continue;
        struct str rest = log_from(text, mark + 1);
        size_t comma = log_find(rest, ", ");
        struct str rate = log_trim(log_from(rest, comma == SIZE_MAX ? comma : comma + 2));
        if (comma > 24 || !read_rate(rate, bar, &length))
            return TQDM_TORN;
        *at = (size_t)(rate.p - text.p) + length;
        return TQDM_BAR;
    }
    return TQDM_NONE;
}
