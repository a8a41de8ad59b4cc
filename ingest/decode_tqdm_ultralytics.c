/* Ultralytics' own bar: drawn of U+2501, U+2500 and U+2578, its times in seconds with one decimal,
 * or "1:05", "1:02:03". */
#include <string.h>

#include "decode_tqdm_bar.h"
#include "log_text.h"

#define DRAWN_MAX 64 /* marks */

static const char *behind_blanks(const char *p, const char *end)
{
    while (p < end && *p == ' ')
        p++;
    return p;
}

/* Behind the marks; NULL: there is none. */
static const char *behind_marks(const char *p, const char *end)
{
    static const char *const marks[] = {"\xE2\x94\x81", "\xE2\x94\x80", "\xE2\x95\xB8"};
    const char *begin = p;
    for (size_t i = 0; i < 3 && end - p >= 3 && p - begin < 3 * DRAWN_MAX;) {
        if (memcmp(p, marks[i], 3) != 0) {
            i++;
            continue;
        }
        p += 3;
        i = 0;
    }
    return p > begin ? p : NULL;
}

static const char *integer(const char *p, const char *end, int64_t *ret)
{
    size_t length;
    return p < end && log_is_digit(*p) && log_integer(str_of(p, (size_t)(end - p)), ret, &length)
               ? p + length
               : NULL;
}

/* "6.6s", "1:05", "1:02:03", of which whole seconds are kept. 60 of 60 seconds are rounded ones. */
static const char *elapsed(const char *p, const char *end, int64_t *ret_s)
{
    int64_t part, sum = 0;
    for (int parts = 1; (p = integer(p, end, &part)); parts++, p++) {
        if (part > (parts == 1 ? 100000 : 60))
            return NULL;
        sum = sum * 60 + part;
        if (p < end && *p == ':' && parts < 3)
            continue;
        *ret_s = sum;
        if (parts > 1)
            return p;
        bool seconds = end - p >= 3 && p[0] == '.' && log_is_digit(p[1]) && p[2] == 's';
        return seconds ? p + 3 : NULL;
    }
    return NULL;
}

/* Behind the marks: " 25/99 3.8it/s 6.6s<19.5s", with blanks at its end. */
static bool read_behind(const char *p, const char *end, struct tqdm_bar *bar)
{
    static const char unit[] = "it/s ";
    double rate;
    size_t length;
    p = integer(behind_blanks(p, end), end, &bar->count);
    if (!p || p >= end || *p != '/' || !(p = integer(p + 1, end, &bar->total)) || p >= end ||
        *p != ' ')
        return false;
    p = behind_blanks(p, end);
    if (log_number(str_of(p, (size_t)(end - p)), &rate, &length) != LOG_NUMBER ||
        !log_begins(str_of(p + length, (size_t)(end - p) - length), unit))
        return false;
    bar->rate = rate > 0 ? 1 / rate : 0;
    p = elapsed(p + length + sizeof(unit) - 1, end, &bar->elapsed_s);
    return p && (p == end || *p == ' ' || *p == '<') && bar->total > 0 && bar->count <= bar->total;
}

bool tqdm_ultralytics(struct tqdm_heads *heads, struct str text, struct tqdm_bar *bar)
{
    const char *end = text.p + text.len;
    const char *sign = memchr(text.p, '%', text.len);
    for (; sign; sign = memchr(sign + 1, '%', (size_t)(end - sign - 1))) {
        size_t begin = (size_t)(sign - text.p);
        const char *marks = end - sign > 5 && sign[1] == ' ' ? behind_marks(sign + 2, end) : NULL;
        while (begin > 0 && log_is_digit(text.p[begin - 1]))
            begin--;
        int64_t percent;
        if (!marks || !integer(text.p + begin, sign, &percent))
            continue;
        *bar = (struct tqdm_bar){0};
        if (!read_behind(marks, end, bar))
            return false;
        double exact = 100.0 * (double)bar->count / (double)bar->total - (double)percent;
        tqdm_read_name(heads, tqdm_description(log_until(text, begin)), bar);
        return exact <= 1 && exact >= -1;
    }
    return false;
}
