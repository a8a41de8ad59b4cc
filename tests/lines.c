/* Random lines. */
#include "lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "summary.h"

enum style {
    STYLE_BLANKS = 1 << 0,
    STYLE_SHUFFLED = 1 << 1,
    STYLE_UNKNOWN_KEYS = 1 << 2,
    STYLE_TEXTS = 1 << 3,
    STYLE_EXPONENTS = 1 << 4,
    STYLE_LITTLE = 1 << 5, /* step_time only */
    STYLE_ESCAPES = 1 << 6,
    STYLE_TWICE = 1 << 7, /* a key stands there twice */
    STYLE_SOME_KEYS = 1 << 8,
    STYLE_NULLS = 1 << 9,
};

uint64_t lines_random(struct lines *lines)
{
    uint64_t z = lines->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

unsigned lines_below(struct lines *lines, unsigned limit)
{
    return (unsigned)(lines_random(lines) % limit);
}

struct writer {
    struct lines *lines;
    char *to;
    size_t length;
};

static void put(struct writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put(struct writer *writer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t room = LINES_BYTES - writer->length;
    int length = vsnprintf(writer->to + writer->length, room, format, arguments);
    va_end(arguments);
    writer->length += (size_t)length < room ? (size_t)length : room - 1;
}

static bool has_style(const struct writer *writer, unsigned style)
{
    return writer->lines->style & style;
}

static void put_blank(struct writer *writer)
{
    static const char *const blanks[] = {" ", "  ", "\t", "", ""};
    if (has_style(writer, STYLE_BLANKS))
        put(writer, "%s", blanks[lines_below(writer->lines, 5)]);
}

static void put_fraction(struct writer *writer, int digits)
{
    if (digits > 0)
        put(writer, ".");
    for (int i = 0; i < digits; i++)
        put(writer, "%u", lines_below(writer->lines, 10));
}

static void put_seconds(struct writer *writer, unsigned whole)
{
    struct lines *lines = writer->lines;
    put(writer, "%u", whole);
    put_fraction(writer, lines->fraction >= 0 ? lines->fraction : (int)lines_below(lines, 18));
    if (has_style(writer, STYLE_EXPONENTS) && lines_below(lines, 2))
        put(writer, "%s", lines_below(lines, 2) ? "e-3" : "E+00");
}

static unsigned random_duration(struct lines *lines)
{
    switch (lines_below(lines, 12)) {
    case 0:
        return lines_below(lines, 1000);
    case 1:
        return lines_below(lines, 1000000);
    default:
        return lines_below(lines, 3);
    }
}

static void put_text(struct writer *writer)
{
    static const char *const texts[] = {
        "node17",
        "node01",
        "",
        "pp0",
        "a\xFF\xFE",
        "rack 3/node:9",
        "\xE6\xA9\x9F\xE6\x9E\xB6",
        "a name that is longer than what the model keeps of one, cut there"};
    static const char *const escaped[] = {"\\u001b[31m", "a\\\"b", "\\\\", "\\u6a5f", "\\n"};
    if (has_style(writer, STYLE_ESCAPES) && lines_below(writer->lines, 2))
        put(writer, "\"x%s\"", escaped[lines_below(writer->lines, 5)]);
    else
        put(writer, "\"%s\"", texts[lines_below(writer->lines, 8)]);
}

static void put_event(struct writer *writer)
{
    static const char *const values[] = {
        "\"checkpoint\"", "\"validation\"", "\"step\"", "\"\"", "\"checkpoints\"", "5",
        "true",           "false"};
    static const char *const unusual[] = {"\"check\\u0070oint\"", "\"\\u0076alidation\"", "\"\\n\"",
                                          "{\"a\":1}", "[]"};
    if (has_style(writer, STYLE_ESCAPES) && lines_below(writer->lines, 4) == 0)
        put(writer, "%s", unusual[lines_below(writer->lines, 5)]);
    else /* mostly the same from line to line */
        put(writer, "%s",
            values[lines_below(writer->lines, lines_below(writer->lines, 4) ? 1 : 8)]);
}

static const char *const keys[] = {
    "rank",      "step",   "t",   "data",      "forward", "backward", "sync",
    "optimizer", "tokens", "seq", "step_time", "compute", "host",     "group",
    "simulated", "event",  "job", "steps",     "flops",   "mfu",      "gpus"};
enum { KEYS = sizeof(keys) / sizeof(keys[0]), KEYS_USUAL = 8, KEY_TEXTS = 12 };

static void put_value(struct writer *writer, int key)
{
    struct lines *lines = writer->lines;
    if (has_style(writer, STYLE_NULLS) && lines_below(lines, 6) == 0) {
        put(writer, "null");
        return;
    }
    switch (key) {
    case 0:
        put(writer, "%u", lines_below(lines, lines_below(lines, 4) ? 8 : 1048576));
        break;
    case 1:
    case 8:
    case 9: {
        uint64_t limit = 10;
        for (int i = 1; i < lines->whole_digits; i++)
            limit *= 10;
        put(writer, "%llu", (unsigned long long)(lines_random(lines) % limit));
        break;
    }
    case 2:
        put_seconds(writer, lines_below(lines, 8) ? 1795961553u + lines_below(lines, 100000)
                                                  : lines_below(lines, 4000000000u));
        break;
    case 12:
    case 13:
        put_text(writer);
        break;
    case 14:
        put(writer, "%s", lines_below(lines, 2) ? "true" : "false");
        break;
    case 15:
        put_event(writer);
        break;
    case 16:
        put(writer, "%s", lines_below(lines, 2) ? "true" : "false");
        break;
    case 17:
    case 18:
    case 20:
        put(writer, "%u", 1 + lines_below(lines, lines_below(lines, 4) ? 9 : 1000000));
        break;
    case 19:
        put_seconds(writer, lines_below(lines, 8) ? 0 : lines_below(lines, 90));
        break;
    default:
        put_seconds(writer, random_duration(lines));
    }
}

static void put_unknown(struct writer *writer)
{
    struct lines *lines = writer->lines;
    static const char *const values[] = {"true", "null", "-0.5e-12", "0", "\"text\"", "false"};
    switch (lines_below(lines, 4)) {
    case 0:
        put(writer, "\"loss\":%u.%04u", lines_below(lines, 12), lines_below(lines, 10000));
        break;
    case 1:
        put(writer, "\"lr\":%u.%ue-0%u", lines_below(lines, 10), lines_below(lines, 1000),
            lines_below(lines, 10));
        break;
    case 2:
        put(writer, "\"k%u\":%s", lines_below(lines, 20), values[lines_below(lines, 6)]);
        break;
    default:
        put(writer,
            has_style(writer, STYLE_ESCAPES) ? "\"a\\u0062\":{\"b\":[1,{}]}" : "\"note\":\"%u\"",
            lines_below(lines, 1000));
    }
}

static void put_member(struct writer *writer, int key)
{
    const char *name = keys[key];
    put_blank(writer);
    if (has_style(writer, STYLE_ESCAPES) && lines_below(writer->lines, 8) == 0)
        put(writer, "\"\\u%04x%s\"", (unsigned)name[0], name + 1);
    else
        put(writer, "\"%s\"", name);
    put_blank(writer);
    put(writer, ":");
    put_blank(writer);
    put_value(writer, key);
    put_blank(writer);
}

static void change_style(struct lines *lines)
{
    lines->left = 1 + (int)lines_below(lines, 40);
    lines->style = 0;
    for (unsigned bit = 1; bit <= STYLE_NULLS; bit <<= 1)
        if (lines_below(lines, 6) == 0)
            lines->style |= bit;
    lines->whole_digits = 1 + (int)lines_below(lines, 15);
    lines->fraction = lines_below(lines, 4) ? (int)lines_below(lines, 18) : -1;
    if (lines_below(lines, 2))
        lines->fraction = 6;
}

/* Which keys, in which order; their number. */
static int choose_keys(struct writer *writer, int chosen[KEYS + 1])
{
    struct lines *lines = writer->lines;
    int count = 0, from = has_style(writer, STYLE_TEXTS) ? KEYS : KEYS_USUAL;
    for (int key = 0; key < from; key++)
        if (key < 2 || !has_style(writer, STYLE_SOME_KEYS) || lines_below(lines, 2))
            chosen[count++] = key;
    if (has_style(writer, STYLE_LITTLE)) {
        chosen[2] = 10;
        count = 3;
    }
    if (has_style(writer, STYLE_TWICE)) {
        chosen[count] = chosen[lines_below(lines, (unsigned)count)];
        count++;
    }
    for (int i = count - 1; i > 0 && has_style(writer, STYLE_SHUFFLED); i--) {
        int j = (int)lines_below(lines, (unsigned)i + 1), key = chosen[i];
        chosen[i] = chosen[j];
        chosen[j] = key;
    }
    return count;
}

size_t lines_write(struct lines *lines, char to[static LINES_BYTES])
{
    if (lines->left-- <= 0)
        change_style(lines);
    struct writer writer = {lines, to, 0};
    int chosen[KEYS + 1], count = choose_keys(&writer, chosen);
    put(&writer, "{");
    for (int i = 0; i < count; i++) {
        if (i > 0)
            put(&writer, ",");
        if (has_style(&writer, STYLE_UNKNOWN_KEYS) && lines_below(lines, 3) == 0) {
            put_unknown(&writer);
            put(&writer, ",");
        }
        put_member(&writer, chosen[i]);
    }
    put(&writer, "}");
    return writer.length;
}

static size_t splice(char *line, size_t length, size_t at, size_t cut, const char *text,
                     size_t size)
{
    if (length - cut + size > LINES_BYTES)
        return length;
    memmove(line + at + size, line + at + cut, length - at - cut);
    memcpy(line + at, text, size);
    return length - cut + size;
}

size_t lines_damage(struct lines *lines, char line[static LINES_BYTES], size_t length)
{
    static const char odd[] = "0019.eE+-\"\\{}[],: \t\x01\x7f\xff:/az\r";
    char copy[LINES_BYTES];
    for (unsigned n = 1 + lines_below(lines, 3); n > 0 && length > 1; n--) {
        size_t at = lines_below(lines, (unsigned)length);
        size_t piece = 1 + lines_below(lines, lines_below(lines, 2) ? 3 : 40);
        piece = piece < length - at ? piece : length - at;
        switch (lines_below(lines, 6)) {
        case 0:
            line[at] = odd[lines_below(lines, sizeof(odd) - 1)];
            break;
        case 1:
            line[at] = (char)(line[at] ^ (1 << lines_below(lines, 8)));
            break;
        case 2:
            length = at + 1;
            break;
        case 3:
            length = splice(line, length, at, piece, "", 0);
            break;
        case 4:
            memcpy(copy, line + at, piece);
            length = splice(line, length, at, 0, copy, piece);
            break;
        default:
            memcpy(copy, line, length);
            length = splice(line, length, at, length - at, copy, length);
        }
    }
    return length;
}

static bool same_text(struct str a, struct str b)
{
    char first[NAME_BYTES], second[NAME_BYTES];
    str_copy(first, sizeof(first), a);
    str_copy(second, sizeof(second), b);
    return strcmp(first, second) == 0;
}

static bool same_time(const struct record *a, const struct record *b)
{
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        if ((a->has >> phase & 1) && a->phase_ns[phase] != b->phase_ns[phase])
            return false;
    return (!(a->has & RECORD_COMPUTE) || a->compute_ns == b->compute_ns) &&
           (!(a->has & RECORD_STEP_TIME) || a->step_time_ns == b->step_time_ns) &&
           (!(a->has & RECORD_BEGIN) || a->begin_ns == b->begin_ns);
}

bool lines_same_record(const struct record *a, const struct record *b)
{
    return a->has == b->has && same_time(a, b) && (!(a->has & RECORD_RANK) || a->rank == b->rank) &&
           (!(a->has & RECORD_STEP) || a->step == b->step) &&
           (!(a->has & RECORD_TOKENS) || a->tokens == b->tokens) &&
           (!(a->has & RECORD_SEQ) || a->seq == b->seq) &&
           (!(a->has & RECORD_SPAN) || a->span == b->span) &&
           (!(a->has & RECORD_FLOPS) || a->flops == b->flops) &&
           (!(a->has & RECORD_MFU) || a->mfu == b->mfu) &&
           (!(a->has & RECORD_GPUS) || a->gpus == b->gpus) &&
           (!(a->has & RECORD_HOST) || same_text(a->host, b->host)) &&
           (!(a->has & RECORD_GROUP) || same_text(a->group, b->group));
}
