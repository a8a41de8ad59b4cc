/* Launchers' prefixes and terminal escapes. */
#include "log_prefix.h"

#include <string.h>
#if defined(__SSE2__) && !defined(LINE_SHAPE_PORTABLE)
#include <emmintrin.h>
#endif

#include "log_text.h"

#define PREFIXES_MAX 16
#define NAME_LONGEST 64

static struct str behind(struct str s, size_t at)
{
    return str_of(s.p + at, s.len - at);
}

static size_t digits_at(struct str s, size_t at, int64_t *ret)
{
    size_t end = at;
    while (end < s.len && log_is_digit(s.p[end]) && end - at < 10)
        end++;
    if (end > at && !str_to_int(str_of(s.p + at, end - at), 0, INT32_MAX, ret))
        return at;
    return end;
}

static size_t skip_blanks(struct str s, size_t at)
{
    while (at < s.len && s.p[at] == ' ')
        at++;
    return at;
}

static size_t word_end(struct str s);

/* Behind a stamp: "stdout F " (the files of a Kubernetes node), "node17 python3[4242]: "
 * (journalctl, syslog). 0: neither. */
static size_t behind_stamp(struct str s)
{
    int64_t number;
    if (s.len > 9 && (log_begins(s, "stdout ") || log_begins(s, "stderr ")) &&
        (s.p[7] == 'F' || s.p[7] == 'P') && s.p[8] == ' ')
        return 9;
    size_t at = word_end(s);
    if (at == 0 || at >= s.len || s.p[at] != ' ')
        return 0;
    size_t tag = at + 1;
    at = tag + word_end(behind(s, tag));
    if (at == tag || at >= s.len || s.p[at] != '[')
        return 0;
    size_t end = digits_at(s, at + 1, &number);
    return end > at + 1 && log_begins(behind(s, end), "]: ") ? end + 3 : 0;
}

/* "May 11 02:59:55 ", "May 11 02:59:55.123456 " (ts, syslog). */
static size_t month_stamp(struct str s)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    int64_t clock_ns;
    size_t length, month = 0;
    if (s.len < 16 || s.p[3] != ' ' || s.p[6] != ' ' || !log_is_digit(s.p[5]))
        return 0;
    while (month < sizeof(months) - 1 && memcmp(s.p, months + month, 3) != 0)
        month += 3;
    if (month == sizeof(months) - 1 || !log_clock(behind(s, 7), &clock_ns, &length) || length < 8)
        return 0;
    size_t end = 7 + length;
    return end < s.len && s.p[end] == ' ' ? end + 1 + behind_stamp(behind(s, end + 1)) : 0;
}

/* "2026-05-11T02:59:55.145289123Z " (kubectl logs --timestamps, docker logs -t): with 'T' and zone,
 * as no framework writes it. */
static size_t container_stamp(struct str s)
{
    int64_t ns;
    bool zone;
    size_t length;
    if (s.len < 21 || !log_is_digit(s.p[0]) || s.p[10] != 'T' || !strchr(".,Z+-", s.p[19]) ||
        !log_stamp(s, &ns, &zone, &length) || !zone || length >= s.len || s.p[length] != ' ')
        return 0;
    return length + 1 + behind_stamp(behind(s, length + 1));
}

/* "worker-1  | " (docker compose), "i.pretrain/0 " (NeMo-Run): a name with a number. */
static size_t replica(struct str s, int64_t *ret_writer)
{
    int64_t number = -1;
    size_t at = 0, before = 0;
    if (s.len == 0 || !log_is_letter(s.p[0]))
        return 0;
    for (; at < s.len && at < NAME_LONGEST; at++) {
        char c = s.p[at];
        bool separates = c == '-' || c == '_' || c == '/';
        if (!log_is_letter(c) && !log_is_digit(c) && !separates && c != '.')
            break;
        before = separates ? at : before;
    }
    if (before == 0 || digits_at(s, before + 1, &number) != at || at == before + 1)
        return 0;
    size_t end = skip_blanks(s, at);
    bool fits = s.p[before] == '/'
                    ? end > at
                    : end > at && end + 1 < s.len && s.p[end] == '|' && s.p[end + 1] == ' ';
    if (!fits)
        return 0;
    if (s.p[before] == '/')
        return at + 1; /* NeMo-Run counts launches */
    *ret_writer = number;
    return end + 2;
}

/* "(Trainer pid=4711, ip=10.0.0.3) " (Ray), "[pod/llm-worker-3/pytorch] " (kubectl logs --prefix).
 */
static size_t named_bracket(struct str s, int64_t *ret_writer)
{
    bool pod = log_begins(s, "[pod/"), ray = s.len > 0 && s.p[0] == '(';
    size_t end = 1;
    if (!pod && !ray)
        return 0;
    while (end < s.len && end < 2 * NAME_LONGEST && s.p[end] != (pod ? ']' : ')'))
        end++;
    if (end + 1 >= s.len || s.p[end + 1] != ' ' || (!pod && s.p[end] != ')') ||
        (pod && s.p[end] != ']'))
        return 0;
    struct str inside = log_until(s, end), value;
    size_t length;
    int64_t number;
    if (ray)
        return log_after(inside, "pid=", &value) && log_integer(value, &number, &length) ? end + 2
                                                                                         : 0;
    inside = log_until(inside, log_find_from(inside, strlen("[pod/"), "/"));
    size_t dash = log_find_last(inside, "-");
    if (dash != SIZE_MAX && digits_at(inside, dash + 1, &number) == inside.len &&
        dash + 1 < inside.len)
        *ret_writer = number;
    return end + 2;
}

/* "[1,mpirank:5,algo-2]<stdout>:" (SageMaker). */
static size_t mpi_rank(struct str s, int64_t *ret_writer)
{
    size_t end = log_begins(s, "[1,mpirank:") ? digits_at(s, strlen("[1,mpirank:"), ret_writer) : 0;
    size_t close = end ? log_find_from(s, end, "]<std") : SIZE_MAX;
    size_t colon = close < NAME_LONGEST ? log_find_from(s, close, ">:") : SIZE_MAX;
    return colon < 2 * NAME_LONGEST ? colon + 2 : 0;
}

/* "[rank0]:", "[default7]:", "[1,5]<stdout>:": how long it is, 0: it is none. */
static size_t bracket(struct str s, int64_t *ret_writer)
{
    if (s.len < 4 || s.p[0] != '[')
        return 0;
    size_t at = 1;
    int64_t number = -1;
    while (at < s.len && log_is_letter(s.p[at]) && at < NAME_LONGEST)
        at++;
    bool named = at > 1;
    size_t end = digits_at(s, at, &number);
    if (end == at)
        return 0;
    if (!named && end < s.len && s.p[end] == ',') {
        at = end + 1;
        end = digits_at(s, at, &number);
        if (end == at)
            return 0;
    } else if (!named) {
        return 0;
    }
    if (named && end < s.len && s.p[end] == '|') { /* "[trainer3|1]:", with the local rank */
        int64_t local;
        end = digits_at(s, end + 1, &local);
    }
    if (end >= s.len || s.p[end] != ']')
        return 0;
    end++;
    if (end < s.len && s.p[end] == '<') {
        while (end < s.len && s.p[end] != '>')
            end++;
        end += end < s.len;
    }
    if (end >= s.len || s.p[end] != ':')
        return 0;
    *ret_writer = number;
    return end + 1;
}

/* "5: " (srun), "10.0.0.2: ", "node17: " (pdsh). A host has a digit, '.' or '-' in it, else any
 * word with a colon ("loss: ") would be one. */
static size_t label(struct str s, int64_t *ret_writer)
{
    int64_t number = -1;
    size_t end = digits_at(s, 0, &number);
    if (end > 0 && end + 1 < s.len && s.p[end] == ':' && s.p[end + 1] == ' ') {
        *ret_writer = number;
        return end + 2;
    }
    bool digit = false;
    for (end = 0; end < s.len && end < NAME_LONGEST; end++) {
        char c = s.p[end];
        if (!log_is_letter(c) && !log_is_digit(c) && c != '.' && c != '-' && c != '/')
            break;
        digit |= log_is_digit(c);
    }
    if (!digit || end < 2 || end + 1 >= s.len || s.p[end] != ':' || s.p[end + 1] != ' ')
        return 0;
    return end + 2;
}

#if defined(__SSE2__) && !defined(LINE_SHAPE_PORTABLE)
/* FF where the byte is one of the `count` from `least` on. */
static inline __m128i in_range(__m128i bytes, char least, char count)
{
    __m128i from = _mm_sub_epi8(bytes, _mm_set1_epi8(least));
    return _mm_cmpeq_epi8(_mm_min_epu8(from, _mm_set1_epi8((char)(count - 1))), from);
}

/* How many of the 16 bytes at p are of a word. */
static inline unsigned word_bytes16(const char *p)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)p);
    __m128i letters = in_range(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 26);
    __m128i others = in_range(bytes, '-', '9' - '-' + 1); /* "-./0123456789" */
    __m128i words =
        _mm_or_si128(_mm_or_si128(letters, others), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('_')));
    return (unsigned)__builtin_ctz(~(unsigned)_mm_movemask_epi8(words));
}
#endif

/* Where the word at the front of s ends: letters, digits and what joins them in names. */
static size_t word_end(struct str s)
{
    static const bool words[256] = {
        ['0' ... '9'] = true, ['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['.'] = true,
        ['-'] = true,         ['/'] = true,         ['_'] = true};
    size_t end = 0, most = s.len <= NAME_LONGEST ? s.len : NAME_LONGEST + 1;
#if defined(__SSE2__) && !defined(LINE_SHAPE_PORTABLE)
    if (s.len >= 16) {
        end = word_bytes16(s.p);
        if (end < 16)
            return end;
    }
#endif
    while (end < most && words[(unsigned char)s.p[end]])
        end++;
    return end;
}

/* How long the prefix at the front of s is; 0: there is none. What follows its first word tells
 * which it can be: nearly all lines are none. */
static size_t prefix_length(struct str s, int64_t *ret_writer)
{
    size_t length = 0;
    if (s.len > 0 && s.p[0] == '[') {
        length = bracket(s, ret_writer);
        if (length == 0)
            length = named_bracket(s, ret_writer);
        return length ? length : mpi_rank(s, ret_writer);
    }
    if (s.len > 0 && s.p[0] == '(')
        return named_bracket(s, ret_writer);
    size_t end = word_end(s);
    if (end == 0 || end >= s.len || (s.p[end] != ':' && s.p[end] != ' '))
        return 0;
    if (s.p[end] == ':') {
        length = end + 1 < s.len && s.p[end + 1] == ' ' ? label(s, ret_writer) : 0;
        return length ? length : container_stamp(s);
    }
    length = end == 3 ? month_stamp(s) : 0;
    return length ? length : replica(s, ret_writer);
}

/* "[2026-05-11 ", "[INFO]": what stands in it could be no number of a launcher's. */
static bool bracket_never(struct str s)
{
    size_t letters = 1, end;
    while (letters < s.len && log_is_letter(s.p[letters]))
        letters++;
    for (end = letters; end < s.len && log_is_digit(s.p[end]);)
        end++;
    if (end == s.len)
        return false;
    return letters > 1 ? end == letters && s.p[end] != '/' : s.p[end] != ',';
}

bool log_prefix_never(struct str line)
{
    size_t at = 0;
    while (at < line.len && log_is_blank(line.p[at]))
        at++;
    struct str rest = behind(line, at);
    size_t end = word_end(rest);
    if (end > 0 && end <= NAME_LONGEST && end < rest.len && rest.p[end] != ':' &&
        rest.p[end] != ' ')
        return true; /* whatever the word */
    for (size_t i = 0; i < end; i++)
        if (!log_is_letter(rest.p[i]))
            return false;
    if (end == 0 && rest.len > 0 && rest.p[0] == '[')
        return bracket_never(rest);
    if (end == 0)
        return rest.len > 0 && rest.p[0] != '(';
    return end < rest.len && (rest.p[end] == ':' || (rest.p[end] == ' ' && end != 3) ||
                              rest.p[end] == '=' || rest.p[end] == '|');
}

struct str log_prefix_strip(struct str line, int64_t *ret_writer)
{
    *ret_writer = -1;
    for (int i = 0; i < PREFIXES_MAX; i++) {
        size_t blanks = 0;
        while (blanks < line.len && (line.p[blanks] == ' ' || line.p[blanks] == '\t'))
            blanks++;
        struct str rest = behind(line, blanks);
        size_t length = prefix_length(rest, ret_writer);
        if (length == 0)
            return i == 0 || blanks > 0 ? line : rest; /* a block's indentation stays */
        line = behind(rest, length);
    }
    return line;
}

/* The place after the escape that begins at s.p[at]. */
static size_t escape_end(struct str s, size_t at)
{
    at++;
    if (at >= s.len)
        return s.len;
    char kind = s.p[at++];
    if (kind == '[') {
        const char *p = s.p + at, *end = s.p + s.len;
        while (p < end && (unsigned)(*p - 0x40) > 0x3e)
            p++;
        return (size_t)(p - s.p) + (p < end);
    }
    if (kind != ']')
        return at;
    for (; at < s.len; at++) {
        if (s.p[at] == '\a')
            return at + 1;
        if (s.p[at] == 0x1b && at + 1 < s.len && s.p[at + 1] == '\\')
            return at + 2;
    }
    return s.len;
}

/* Copies 16 bytes; how many of them are before the first escape. */
static inline unsigned copy_plain16(char *to, const char *p)
{
#if defined(__SSE2__) && !defined(LINE_SHAPE_PORTABLE)
    __m128i bytes = _mm_loadu_si128((const __m128i *)p);
    unsigned found = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x1b)));
    _mm_storeu_si128((__m128i *)to, bytes);
    return (unsigned)__builtin_ctz(found | 1u << 16);
#else
    unsigned n = 0;
    memcpy(to, p, 16);
    while (n < 16 && p[n] != 0x1b)
        n++;
    return n;
#endif
}

struct str log_without_escapes(struct str line, char *to)
{
    size_t length = 0, at = 0;
    while (at < line.len) {
        size_t plain = copy_plain16(to + length, line.p + at);
        bool escape = plain < 16 && plain < line.len - at;
        if (plain > line.len - at)
            plain = line.len - at;
        length += plain;
        at += plain;
        if (escape)
            at = escape_end(line, at);
    }
    return str_of(to, length);
}
