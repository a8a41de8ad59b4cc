/* A push tokenizer: states between tokens, and fast ways through strings and through
 * values that are not wanted. */
#include "json_push.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "json_scan.h"

enum state {
    BEFORE_VALUE, /* of the document, after a colon, after a comma in an array */
    FIRST_VALUE,  /* after '[': or its end */
    FIRST_KEY,    /* after '{': or its end */
    BEFORE_KEY,   /* after a comma in an object */
    BEFORE_COLON,
    AFTER_VALUE, /* a comma, or the end of what it stands in */
    IN_STRING,   /* torn */
    IN_WORD,     /* number or constant, torn */
    SKIPPING,
    AFTER_ALL,
};

void json_push_init(struct json_push *json, json_push_handler *handler, void *to)
{
    memset(json, 0, offsetof(struct json_push, text));
    json->handler = handler;
    json->to = to;
    json->state = BEFORE_VALUE;
}

bool json_push_empty(const struct json_push *json)
{
    return json->state == BEFORE_VALUE && json->depth == 0;
}

unsigned json_push_depth_after_value(const struct json_push *json)
{
    bool after = json->state == AFTER_VALUE || json->state == FIRST_VALUE ||
                 (json->state == BEFORE_VALUE && !json->after_key);
    return !json->why && after ? json->depth : 0;
}

static const char *fail(struct json_push *json, const char *why)
{
    json->why = why;
    return NULL;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* ---- values that are not wanted ---- */

#ifdef __SSE2__
static uint64_t equal_bytes(const __m128i part[4], char c, char fold)
{
    const __m128i wanted = _mm_set1_epi8(c), folded = _mm_set1_epi8(fold);
    uint64_t mask = 0;
    for (int i = 0; i < 4; i++) {
        __m128i equal = _mm_cmpeq_epi8(_mm_or_si128(part[i], folded), wanted);
        mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(equal) << (16 * i);
    }
    return mask;
}

/* Of the 64 bytes those that a backslash stands before, in a string. */
static uint64_t escaped_bytes(uint64_t backslashes, bool *escape)
{
    uint64_t escaped = *escape ? 1 : 0;
    backslashes &= ~escaped;
    *escape = false;
    while (backslashes) {
        int at = __builtin_ctzll(backslashes);
        if (at == 63) {
            *escape = true;
            break;
        }
        escaped |= UINT64_C(2) << at;
        backslashes &= ~(UINT64_C(3) << at);
    }
    return escaped;
}

/* Bit i: an odd number of bits up to i are set. */
static uint64_t odd_so_far(uint64_t bits)
{
    for (int shift = 1; shift < 64; shift *= 2)
        bits ^= bits << shift;
    return bits;
}

/* Whole blocks of 64 bytes: the place where it stops, behind the value when skip_depth is 0. */
static const char *skip_blocks(struct json_push *json, const char *p, const char *end)
{
    for (; end - p >= 64; p += 64) {
        __m128i part[4];
        for (int i = 0; i < 4; i++)
            part[i] = _mm_loadu_si128((const __m128i *)(p + 16 * i));
        uint64_t quotes = equal_bytes(part, '"', 0);
        uint64_t backslashes = equal_bytes(part, '\\', 0);
        if (backslashes || json->escape)
            quotes &= ~escaped_bytes(backslashes, &json->escape);
        uint64_t text = odd_so_far(quotes) ^ (json->in_string ? ~UINT64_C(0) : 0);
        json->in_string = text >> 63;
        uint64_t opens = equal_bytes(part, '{', 0x20) & ~text; /* '[' is 0x20 less */
        uint64_t closes = equal_bytes(part, '}', 0x20) & ~text;
        for (uint64_t left = opens | closes; left; left &= left - 1) {
            bool open = opens & left & -left;
            json->skip_depth += open ? 1 : UINT64_MAX;
            if (json->skip_depth > 0)
                continue;
            json->in_string = json->escape = false;
            return p + __builtin_ctzll(left) + 1;
        }
    }
    return p;
}
#else
static const char *skip_blocks(struct json_push *json, const char *p, const char *end)
{
    (void)json;
    (void)end;
    return p;
}
#endif

static const char *skip_value(struct json_push *json, const char *p, const char *end)
{
    p = skip_blocks(json, p, end);
    for (; p < end && json->skip_depth > 0; p++) {
        bool escaped = json->escape; /* as skip_blocks() takes it, outside of strings, too */
        json->escape = !escaped && *p == '\\';
        if (*p == '"' && !escaped)
            json->in_string = !json->in_string;
        else if (!json->in_string && (*p == '{' || *p == '['))
            json->skip_depth++;
        else if (!json->in_string && (*p == '}' || *p == ']'))
            json->skip_depth--;
    }
    if (json->skip_depth == 0)
        json->state = json->depth > 0 ? AFTER_VALUE : AFTER_ALL;
    return p;
}

/* ---- strings ---- */

static const char *find_special(const char *p, const char *end)
{
#ifdef __SSE2__
    const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
    for (; end - p >= 16; p += 16) {
        __m128i part = _mm_loadu_si128((const __m128i *)p);
        __m128i found = _mm_or_si128(_mm_cmpeq_epi8(part, quote), _mm_cmpeq_epi8(part, backslash));
        int mask = _mm_movemask_epi8(found);
        if (mask)
            return p + __builtin_ctz((unsigned)mask);
    }
#endif
    while (p < end && *p != '"' && *p != '\\')
        p++;
    return p;
}

/* Its closing quote, or end. */
static const char *string_end(struct json_push *json, const char *p, const char *end)
{
    while (p < end) {
        if (json->escape) {
            json->escape = false;
            p++;
            continue;
        }
        p = find_special(p, end);
        if (p == end || *p == '"')
            return p;
        json->escape = true;
        p++;
    }
    return end;
}

static void keep(struct json_push *json, const char *p, const char *end)
{
    size_t room = JSON_TEXT_MAX - json->length;
    size_t size = (size_t)(end - p) < room ? (size_t)(end - p) : room;
    memcpy(json->text + json->length, p, size);
    json->length += size;
}

static const char *next_string(struct json_push *json, const char *p, const char *end)
{
    bool torn = json->state == IN_STRING;
    const char *close = string_end(json, p, end);
    if (torn || close == end)
        keep(json, p, close);
    if (close == end) {
        json->state = IN_STRING;
        return end;
    }
    struct str text = torn ? str_of(json->text, json->length) : str_of(p, (size_t)(close - p));
    text.len = text.len < JSON_TEXT_MAX ? text.len : JSON_TEXT_MAX;
    json->length = 0;
    if (json->token == JSON_KEY) {
        json->state = BEFORE_COLON;
        json->unwanted = !json->handler(json->to, JSON_KEY, text, json->depth);
        return close + 1;
    }
    json->state = json->depth > 0 ? AFTER_VALUE : AFTER_ALL;
    if (!json->unwanted)
        json->handler(json->to, JSON_STRING, text, json->depth);
    return close + 1;
}

/* ---- numbers and constants ---- */

static bool is_word(char c)
{
    static const bool words[256] = {['0' ... '9'] = true, ['a' ... 'z'] = true,
                                    ['A' ... 'Z'] = true, ['.'] = true,
                                    ['-'] = true,         ['+'] = true};
    return words[(unsigned char)c];
}

static bool is_constant(struct str word)
{
    static const char *const words[] = {"true", "false", "null", "NaN", "Infinity", "-Infinity"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (str_is(word, words[i]))
            return true;
    return false;
}

static bool take_word(struct json_push *json, struct str word)
{
    json->length = 0;
    json->state = json->depth > 0 ? AFTER_VALUE : AFTER_ALL;
    enum json_token token = JSON_NUMBER;
    if (word.len == 0 || json_number_end(word.p, word.p + word.len) != word.p + word.len) {
        if (!is_constant(word))
            return fail(json, "a value that is not JSON");
        token = JSON_CONSTANT;
    }
    if (!json->unwanted)
        json->handler(json->to, token, word, json->depth);
    return true;
}

static const char *next_word(struct json_push *json, const char *p, const char *end)
{
    bool torn = json->state == IN_WORD;
    const char *begin = p;
    while (p < end && is_word(*p))
        p++;
    if (torn || p == end)
        keep(json, begin, p);
    if (p == end) {
        json->state = IN_WORD;
        return end;
    }
    struct str word = torn ? str_of(json->text, json->length) : str_of(begin, (size_t)(p - begin));
    return take_word(json, word) ? p : NULL;
}

/* ---- the structure ---- */

static const char *open_container(struct json_push *json, const char *p, const char *end)
{
    bool object = *p == '{';
    if (json->unwanted ||
        !json->handler(json->to, object ? JSON_OBJECT : JSON_ARRAY, str_of(p, 1), json->depth)) {
        json->state = SKIPPING;
        json->skip_depth = 1;
        return skip_value(json, p + 1, end);
    }
    if (json->depth == JSON_DEPTH_MAX)
        return fail(json, "JSON that is nested deeper than 64");
    uint64_t bit = UINT64_C(1) << json->depth++;
    json->objects = object ? json->objects | bit : json->objects & ~bit;
    json->state = object ? FIRST_KEY : FIRST_VALUE;
    return p + 1;
}

static bool in_object(const struct json_push *json)
{
    return json->objects >> (json->depth - 1) & 1;
}

static const char *close_container(struct json_push *json, const char *p)
{
    bool object = *p == '}';
    if (json->depth == 0 || in_object(json) != object)
        return fail(json, "brackets that do not match");
    json->depth--;
    json->state = json->depth > 0 ? AFTER_VALUE : AFTER_ALL;
    json->handler(json->to, object ? JSON_OBJECT_END : JSON_ARRAY_END, str_of(p, 1), json->depth);
    return p + 1;
}

static const char *begin_value(struct json_push *json, const char *p, const char *end)
{
    if (*p == '"') {
        json->token = JSON_STRING;
        return next_string(json, p + 1, end);
    }
    return *p == '{' || *p == '[' ? open_container(json, p, end) : next_word(json, p, end);
}

static const char *begin_key(struct json_push *json, const char *p, const char *end)
{
    if (*p != '"')
        return fail(json, "JSON without a key where one must be");
    json->token = JSON_KEY;
    return next_string(json, p + 1, end);
}

static const char *after_value(struct json_push *json, const char *p)
{
    json->unwanted = json->after_key = false;
    if (*p != ',')
        return *p == '}' || *p == ']' ? close_container(json, p)
                                      : fail(json, "JSON values with no comma between them");
    json->state = in_object(json) ? BEFORE_KEY : BEFORE_VALUE;
    return p + 1;
}

static const char *step(struct json_push *json, const char *p, const char *end)
{
    switch ((enum state)json->state) {
    case FIRST_VALUE:
        return *p == ']' ? close_container(json, p) : begin_value(json, p, end);
    case BEFORE_VALUE:
        return begin_value(json, p, end);
    case FIRST_KEY:
        return *p == '}' ? close_container(json, p) : begin_key(json, p, end);
    case BEFORE_KEY:
        return begin_key(json, p, end);
    case BEFORE_COLON:
        json->state = BEFORE_VALUE;
        json->after_key = true;
        return *p == ':' ? p + 1 : fail(json, "a JSON key without a value");
    case AFTER_VALUE:
        return after_value(json, p);
    default:
        return fail(json, "more text behind the JSON");
    }
}

bool json_push_bytes(struct json_push *json, const char *bytes, size_t size)
{
    const char *p = bytes, *end = bytes + size;
    while (!json->why && p < end) {
        if (json->state == IN_STRING)
            p = next_string(json, p, end);
        else if (json->state == IN_WORD)
            p = next_word(json, p, end);
        else if (json->state == SKIPPING)
            p = skip_value(json, p, end);
        else if (is_blank(*p))
            p++;
        else
            p = step(json, p, end);
    }
    return !json->why;
}

bool json_push_end(struct json_push *json)
{
    if (!json->why && json->state == IN_WORD && json->depth == 0)
        take_word(json, str_of(json->text, json->length));
    return !json->why && json->state == AFTER_ALL;
}
