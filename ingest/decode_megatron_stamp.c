/* The time stamp in front of an iteration line: "2024-04-06 02:55:45" somewhere, or Primus'
 * "[20240406 02:55:45]", which counts where there is no other. */
#include <string.h>

#include "decode_megatron.h"
#include "log_text.h"

#define SHORT_BYTES 17 /* "20240406 02:55:45" */

static bool is_short(struct str s)
{
    if (s.len <= SHORT_BYTES || s.p[8] != ' ' || s.p[SHORT_BYTES] != ']')
        return false;
    for (size_t i = 0; i < 8; i++)
        if (!log_is_digit(s.p[i]))
            return false;
    return true;
}

/* "20240406 02:55:45]" */
static bool short_stamp(struct str s, int64_t *ret_ns, bool *ret_zone)
{
    char text[] = "0000-00-00 00:00:00";
    size_t length;
    if (!is_short(s))
        return false;
    memcpy(text, s.p, 4);
    memcpy(text + 5, s.p + 4, 2);
    memcpy(text + 8, s.p + 6, 2);
    memcpy(text + 11, s.p + 9, 8);
    return log_stamp(str_from(text), ret_ns, ret_zone, &length);
}

bool megatron_stamp(struct str s, int64_t *ret_ns, bool *ret_zone)
{
    size_t length;
    return log_stamp(s, ret_ns, ret_zone, &length) || short_stamp(s, ret_ns, ret_zone);
}

bool megatron_stamp_in(struct str front, int64_t *ret_ns, bool *ret_zone, struct str *ret_text)
{
    size_t length;
    if (log_stamp_in(front, front.len, ret_ns, ret_zone)) {
        size_t at = 0;
        while (!log_stamp(log_from(front, at), ret_ns, ret_zone, &length))
            at++;
        *ret_text = str_of(front.p + at, length);
        return true;
    }
    for (size_t at = log_find(front, "["); at != SIZE_MAX; at = log_find_from(front, at + 1, "["))
        if (short_stamp(log_from(front, at + 1), ret_ns, ret_zone)) {
            *ret_text = str_of(front.p + at + 1, SHORT_BYTES);
            return true;
        }
    return false;
}

/* "[1 2:": what could be one with other digits, of other counts. */
static bool is_short_possible(struct str s)
{
    int64_t number;
    size_t length, more;
    return log_integer(s, &number, &length) && length < s.len && s.p[length] == ' ' &&
           log_integer(log_from(s, length + 1), &number, &more) && length + 1 + more < s.len &&
           s.p[length + 1 + more] == ':';
}

bool megatron_stamp_is_plain(struct str front, bool stamped)
{
    size_t others = 0, usual = log_stamps_possible(front);
    for (size_t at = log_find(front, "["); at != SIZE_MAX; at = log_find_from(front, at + 1, "["))
        others += is_short_possible(log_from(front, at + 1));
    return usual > 0 ? usual == (size_t)stamped : others == (size_t)stamped;
}
