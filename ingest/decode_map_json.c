/* One pass over a line's JSON: what is valid, and the values that a map names. */
#include "decode_map_json.h"

#include <stdio.h>
#include <string.h>
#if defined(__SSE2__) && !defined(LINE_SHAPE_PORTABLE)
#include <emmintrin.h>
#endif

#include "json_scan.h"
#include "json_unescape.h"
#include "log_text.h"
#include "number.h"

#define DEPTH_MAX 64
#define KEY_MAX_BYTES 256 /* of a key with escapes */

struct walk {
    const struct user_format *user;
    struct user_record *record;
    const char *end;
    struct log_learned *form; /* NULL: the line is not learned */
    unsigned learned;         /* values */
};

/* Elements that may be in an object: bits, and how much of their keys is the way to it. */
struct candidates {
    uint64_t set;
    size_t at;
};

static const char *object_after(struct walk *walk, const char *p, struct candidates candidates,
                                int depth);

/* ---- parts of JSON ---- */

static inline const char *behind_blanks(const char *p, const char *end)
{
    p += *p == ' '; /* one or none, mostly; p may be at `end` */
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    return p;
}

#if defined(__SSE2__) && !defined(LINE_SHAPE_PORTABLE)
/* A bit for each of the 16 bytes at p that is a quote, a backslash or a control character. */
static inline unsigned special16(const char *p)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)p);
    __m128i found =
        _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                     _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')),
                                  _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(31)), bytes)));
    return (unsigned)_mm_movemask_epi8(found);
}

static inline const char *special_in(const char *p, const char *end)
{
    for (; p < end; p += 16) {
        unsigned found = special16(p);
        if (found)
            return p + __builtin_ctz(found);
    }
    return end;
}
#else
static inline const char *special_in(const char *p, const char *end)
{
    while (p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20)
        p++;
    return p;
}
#endif

/* The closing quote of the string whose text begins at p; NULL: there is none. */
static inline const char *string_close(const char *p, const char *end, bool *escaped)
{
    const char *at = special_in(p, end);
    if (at < end && *at == '"')
        return at;
    if (at >= end || *at != '\\')
        return NULL;
    at = json_string_end(p - 1, end, escaped);
    return at ? at - 1 : NULL;
}

static inline const char *number_after(const char *p, const char *end)
{
    const char *at = p + (*p == '-'), *digits = at;
    unsigned n;
    do {
        uint64_t bytes = number_load8(at);
        n = number_digits8(&bytes);
        at += n;
    } while (n == 8 && at < end);
    if (at == digits || (*digits == '0' && at > digits + 1))
        return NULL;
    if (at < end && *at == '.') {
        const char *decimals = ++at;
        do {
            uint64_t bytes = number_load8(at);
            n = number_digits8(&bytes);
            at += n;
        } while (n == 8 && at < end);
        if (at == decimals)
            return NULL;
    }
    return at < end && *at != 'e' && *at != 'E' ? at : json_number_end(p, end);
}

static const char *word_after(const char *p, const char *end)
{
    static const char *const words[] = {"null",     "true",      "false", "NaN",
                                        "Infinity", "-Infinity", "-NaN"};
    struct str rest = str_of(p, (size_t)(end - p));
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (log_begins(rest, words[i]))
            return p + strlen(words[i]);
    return NULL;
}

static const char *list_after(struct walk *walk, const char *p, int depth);

/* The place after the value at p, whatever it is; NULL: it is none. */
static inline const char *value_after(struct walk *walk, const char *p, int depth)
{
    const char *end = walk->end;
    bool escaped;
    if (p >= end)
        return NULL;
    if (*p == '"') {
        const char *close = string_close(p + 1, end, &escaped);
        return close ? close + 1 : NULL;
    }
    if (log_is_digit(*p) || (*p == '-' && p + 1 < end && log_is_digit(p[1])))
        return number_after(p, end);
    if (*p == '{')
        return object_after(walk, p, (struct candidates){0}, depth + 1);
    return *p == '[' ? list_after(walk, p, depth + 1) : word_after(p, end);
}

static const char *list_after(struct walk *walk, const char *p, int depth)
{
    if (depth > DEPTH_MAX)
        return NULL;
    p = behind_blanks(p + 1, walk->end);
    if (p < walk->end && *p == ']')
        return p + 1;
    while ((p = value_after(walk, p, depth))) {
        p = behind_blanks(p, walk->end);
        if (p >= walk->end || *p != ',')
            return p < walk->end && *p == ']' ? p + 1 : NULL;
        p = behind_blanks(p + 1, walk->end);
    }
    return NULL;
}

/* ---- keys ---- */

/* The elements that are the key's, and those within the object that is its value. */
static inline uint64_t find_key(const struct user_format *user, struct str key,
                                struct candidates candidates, uint64_t *ret_within)
{
    uint64_t found = 0;
    *ret_within = 0;
    if (key.len == 0)
        return 0;
    if (candidates.at == 0)
        candidates.set &= user->by_first[user_key_slot(key.p[0])];
    for (uint64_t left = candidates.set; left; left &= left - 1) {
        size_t i = (size_t)__builtin_ctzll(left);
        struct str want = user->elements[i].key;
        const char *p = want.p + candidates.at;
        size_t length = want.len - candidates.at;
        if (length < key.len || (length > key.len && p[key.len] != '.') ||
            !number_same_bytes(p, key.p, key.len))
            continue;
        *(length == key.len ? &found : ret_within) |= UINT64_C(1) << i;
    }
    return found;
}

/* The same for a key with escapes in it; *length: of what it says. */
static uint64_t find_escaped(const struct user_format *user, struct str key,
                             struct candidates candidates, uint64_t *ret_within, size_t *length)
{
    char plain[KEY_MAX_BYTES + 8] = {0};
    *ret_within = 0;
    if (key.len > KEY_MAX_BYTES)
        return 0;
    struct str said = json_unescaped(key, plain, KEY_MAX_BYTES);
    *length = said.len;
    return find_key(user, said, candidates, ret_within);
}

/* ---- values ---- */

static void put_quoted(const struct user_field *field, struct str value, struct user_record *to)
{
    char text[USER_NAME_BYTES + 32];
    if (memchr(value.p, '\\', value.len)) {
        memset(text + USER_NAME_BYTES, 0, 32);
        value = json_unescaped(value, field->kind == USER_NAME ? user_field_name(field, to) : text,
                               USER_NAME_BYTES);
    }
    user_field_put(field, value, to);
}

/* A value that is put as it stands: its element is noted. */
static void learn_value(struct walk *walk, size_t element, struct str value)
{
    bool plain = log_is_digit(value.p[0]) || value.p[0] == '-', quoted = value.p[0] == '"';
    if (!walk->form)
        return;
    if (quoted)
        value = str_of(value.p + 1, value.len - 2);
    log_learn_text(walk->form, plain || quoted ? walk->learned++ : LOG_LEARN_FIELDS, value,
                   (uint32_t)element);
}

static void put_value(const struct user_field *field, struct str value, bool looked_into,
                      struct user_record *to)
{
    if (value.p[0] == '"')
        put_quoted(field, str_of(value.p + 1, value.len - 2), to);
    else if (value.p[0] == '[' || (value.p[0] == '{' && !looked_into))
        user_field_spoil(field, to);
    else if (value.p[0] == '{' || str_is(value, "null"))
        user_field_clear(field, to);
    else
        user_field_put(field, value, to);
}

/* A member whose value is at p; the place after it. */
static inline const char *take_value(struct walk *walk, const char *p, struct str key, bool escaped,
                                     struct candidates candidates, int depth)
{
    uint64_t within = 0, found = 0;
    size_t length = key.len;
    if (candidates.set)
        found = escaped ? find_escaped(walk->user, key, candidates, &within, &length)
                        : find_key(walk->user, key, candidates, &within);
    struct candidates inner = {within, candidates.at + length + 1};
    const char *after = within && p < walk->end && *p == '{'
                            ? object_after(walk, p, inner, depth + 1)
                            : value_after(walk, p, depth);
    for (; after && found; found &= found - 1) {
        size_t element = (size_t)__builtin_ctzll(found);
        struct str value = str_of(p, (size_t)(after - p));
        learn_value(walk, element, value);
        put_value(&walk->user->elements[element].field, value, within != 0, walk->record);
    }
    return after;
}

static const char *object_after(struct walk *walk, const char *p, struct candidates candidates,
                                int depth)
{
    const char *end = walk->end;
    if (depth > DEPTH_MAX)
        return NULL;
    p = behind_blanks(p + 1, end);
    if (p < end && *p == '}')
        return p + 1;
    while (p < end && *p == '"') {
        bool escaped = false;
        const char *key = p + 1, *close = string_close(key, end, &escaped);
        if (!close)
            return NULL;
        p = behind_blanks(close + 1, end);
        if (p >= end || *p != ':')
            return NULL;
        p = take_value(walk, behind_blanks(p + 1, end), str_of(key, (size_t)(close - key)), escaped,
                       candidates, depth);
        if (!p)
            return NULL;
        p = behind_blanks(p, end);
        if (p >= end || *p != ',')
            return p < end && *p == '}' ? p + 1 : NULL;
        p = behind_blanks(p + 1, end);
    }
    return NULL;
}

static const char *read_object(const struct user_format *user, const char *p, const char *end,
                               struct log_learned *form, struct user_record *record)
{
    struct walk walk = {.user = user, .record = record, .end = end, .form = form};
    user_record_begin(record);
    return object_after(&walk, p, (struct candidates){UINT64_MAX, 0}, 1);
}

const char *map_json_object(const struct user_format *user, const char *p, const char *end,
                            struct user_record *record)
{
    return read_object(user, p, end, NULL, record);
}

/* ---- lines ---- */

static const char *before_blanks(const char *begin, const char *p)
{
    while (p > begin && log_is_blank(p[-1]))
        p--;
    return p;
}

/* Whether the '{' at p may begin an object of its own, and is no value in one whose front is torn
 * off: in text such as "metrics: {" it may. */
static bool stands_alone(struct str line, const char *p)
{
    p = before_blanks(line.p, p);
    if (p == line.p || (p[-1] != ':' && p[-1] != ',' && p[-1] != '['))
        return true;
    if (p[-1] == '[')
        return false;
    const char *before = before_blanks(line.p, p - 1);
    char c = before > line.p ? before[-1] : '\0';
    return p[-1] == ':' ? c != '"' : c != '"' && c != '}' && c != ']' && !log_is_digit(c);
}

/* Whether the '{' at p is the first or the next one of a list that begins the line. */
static bool is_listed(struct str body, const char *p, const char *last)
{
    const char *at = before_blanks(body.p, p);
    if (last)
        return at > last && at[-1] == ',' && before_blanks(body.p, at - 1) == last;
    return at > body.p && at[-1] == '[' && before_blanks(body.p, at - 1) == body.p;
}

/* What stands there begins as an object and is none: when the step's key, quoted, is in it, it is a
 * torn record. */
static bool tell_torn(const struct user_format *user, struct str text, struct log_out *out)
{
    struct str key = user->step_key;
    for (size_t at = log_find_bytes(text, 0, key.p, key.len); at != SIZE_MAX;
         at = log_find_bytes(text, at + 1, key.p, key.len)) {
        char after = at + key.len < text.len ? text.p[at + key.len] : ' ';
        if (at == 0 || (after != '"' && after != '\'') || text.p[at - 1] != after)
            continue;
        log_out_damaged(out, "torn or invalid JSON");
        return true;
    }
    return false;
}

void map_tell_missing(const struct user_format *user, uint64_t keys, const char *where,
                      struct log_out *out)
{
    char text[COMPLAINT_BYTES];
    uint64_t all = log_out_unmapped(out, keys);
    size_t used = (size_t)snprintf(text, sizeof(text), "keys of the map without a value in %s: ",
                                   all == keys ? where : "a log or table at least");
    const char *between = "";
    for (; all; all &= all - 1) {
        struct str key = user->elements[__builtin_ctzll(all)].key;
        if (used + key.len + 24 > sizeof(text)) {
            snprintf(text + used, sizeof(text) - used, "%s%d more", *between ? " and " : "",
                     __builtin_popcountll(all));
            break;
        }
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s'%.*s'", between,
                                 (int)key.len, key.p);
        between = ", ";
    }
    log_out_example(out, LOG_UNMAPPED, text);
}

/* A key that is in no record is a wrong map, or a phase that nobody measures: it must be seen. */
static void tell_missing(const struct user_format *user, struct map_seen *seen, const char *which,
                         struct log_out *out)
{
    uint64_t keys = 0;
    char where[48];
    seen->told = true;
    for (size_t i = 0; i < user->count; i++) {
        const struct user_field *field = &user->elements[i].field;
        bool there = (seen->bits & field->bit) != 0;
        keys |= (uint64_t)(field->kind != USER_JOB && !there) << i;
    }
    snprintf(where, sizeof(where), "%s %u record%s", which, seen->records,
             seen->records == 1 ? "" : "s");
    if (keys)
        map_tell_missing(user, keys, where, out);
}

void map_json_end(const struct user_format *user, struct map_seen *seen, struct log_out *out)
{
    if (seen->records > 0 && !seen->told)
        tell_missing(user, seen, "its", out);
}

/* Whether the object holds a record: it is then put out, or counted. */
static bool put_out(const struct user_format *user, struct map_seen *seen,
                    struct user_record *record, struct log_out *out)
{
    uint32_t bits = record->record.has | record->own | record->bad | record->odd;
    if (!((record->record.has | record->bad) & RECORD_STEP))
        return false;
    seen->bits |= bits;
    if (++seen->records >= MAP_RECORDS_SURE && !seen->told)
        tell_missing(user, seen, "its first", out);
    user_format_mark(user, record);
    user_record_out(record, out);
    return true;
}

/* Whether a line like it, whatever its digits, has the same keys: none of the map's have digits,
 * and nothing is escaped. */
static bool learns(const struct user_format *user, const struct log_line *line)
{
    return line->form && line->text.p[0] == '{' && !user->digits &&
           !memchr(line->text.p, '\\', line->text.len);
}

bool map_json_again(const struct user_format *user, struct map_seen *seen,
                    const struct log_values *values, struct log_out *out)
{
    struct user_record record;
    user_record_begin(&record);
    unsigned count = ~values->has ? (unsigned)__builtin_ctzll(~values->has) : LOG_LEARN_FIELDS;
    for (unsigned i = 0; i < count; i++)
        user_field_put(&user->elements[values->notes[i]].field, values->text[i], &record);
    return put_out(user, seen, &record, out);
}

enum log_answer map_json_line(const struct user_format *user, struct map_seen *seen,
                              const struct log_line *line, struct log_out *out)
{
    struct str text = line->text;
    const char *end = text.p + text.len, *last = NULL; /* of a list: the end of the one before */
    const char *at = memchr(text.p, '{', text.len);
    const char *torn = NULL; /* begins as an object, and is none */
    struct log_learned *form = learns(user, line) ? line->form : NULL;
    bool taken = false, first = true;
    while (at) {
        struct user_record record;
        bool listed = is_listed(line->body, at, last), alone = listed || stands_alone(text, at);
        const char *after = alone ? read_object(user, at, end, form, &record) : NULL;
        bool good = after && put_out(user, seen, &record, out);
        taken |= alone && torn && tell_torn(user, str_of(torn, (size_t)(at - torn)), out);
        if (good && first && !memchr(after, '{', (size_t)(end - after)))
            log_learn_ready(form, true);
        taken |= good;
        first = false;
        form = NULL;
        torn = after ? NULL : alone ? at : torn;
        last = listed ? after : NULL;
        at = after ? after : at + 1;
        at = memchr(at, '{', (size_t)(end - at));
    }
    taken |= torn && tell_torn(user, str_of(torn, (size_t)(end - torn)), out);
    return taken ? LOG_TAKEN : LOG_OTHER;
}
