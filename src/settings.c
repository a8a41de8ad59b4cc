/* The user's settings, from bytes. */
#include "settings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "str.h"

struct reading {
    struct settings *settings;
    char section[SETTINGS_NAME_BYTES]; /* ""; before the first one */
    int section_line;
    bool named;
    int first, line; /* of the section: its first map or pattern */
    char *error;
    size_t error_size;
};

static bool fail(struct reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool fail(struct reading *reading, const char *format, ...)
{
    char what[256];
    va_list values;
    va_start(values, format);
    vsnprintf(what, sizeof(what), format, values);
    va_end(values);
    snprintf(reading->error, reading->error_size, "line %d: %s", reading->line, what);
    return false;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static struct str trim(struct str s)
{
    while (s.len > 0 && is_blank(s.p[0]))
        s = str_of(s.p + 1, s.len - 1);
    while (s.len > 0 && is_blank(s.p[s.len - 1]))
        s.len--;
    return s;
}

static int shown(struct str s)
{
    return (int)(s.len < 40 ? s.len : 40);
}

static bool is_name(struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.p[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
              c == '-' || c == '_'))
            return false;
    }
    return name.len > 0 && name.len < SETTINGS_NAME_BYTES;
}

/* A section has ended. */
static bool end_section(struct reading *reading)
{
    struct settings *settings = reading->settings;
    if (reading->section[0] && settings->format_count == reading->first) {
        reading->line = reading->section_line;
        return fail(reading, "[format %s] has neither a map nor a pattern", reading->section);
    }
    for (int i = reading->first; i < settings->format_count; i++)
        settings->formats[i].named = reading->named;
    return true;
}

static bool begin_section(struct reading *reading, struct str line)
{
    struct str inside = trim(str_of(line.p + 1, line.len - (line.len > 1 ? 2 : 1)));
    if (line.len < 2 || line.p[line.len - 1] != ']')
        return fail(reading, "a section ends with ']'");
    int line_now = reading->line;
    if (!end_section(reading))
        return false;
    reading->line = line_now;
    bool format = inside.len > 7 && memcmp(inside.p, "format", 6) == 0 && is_blank(inside.p[6]);
    struct str name = format ? trim(str_of(inside.p + 7, inside.len - 7)) : inside;
    if (!format)
        return fail(reading, "'%.*s' is no section; there is [format NAME]", shown(inside),
                    inside.p);
    if (!is_name(name))
        return fail(reading, "a format's name is letters, digits, - and _, %d at most",
                    SETTINGS_NAME_BYTES - 1);
    str_copy(reading->section, sizeof(reading->section), name);
    reading->section_line = reading->line;
    reading->named = false;
    reading->first = reading->settings->format_count;
    return true;
}

static bool add_format(struct reading *reading, bool pattern, struct str value)
{
    struct settings *settings = reading->settings;
    if (settings->format_count == SETTINGS_FORMATS_MAX)
        return fail(reading, "there are more than %d maps and patterns", SETTINGS_FORMATS_MAX);
    if (value.len >= SETTINGS_TEXT_BYTES)
        return fail(reading, "it is longer than %d bytes", SETTINGS_TEXT_BYTES - 1);
    struct settings_format *format = &settings->formats[settings->format_count++];
    *format = (struct settings_format){.pattern = pattern, .line = reading->line};
    str_copy(format->name, sizeof(format->name), str_from(reading->section));
    memcpy(format->text, value.p, value.len);
    return true;
}

static bool take_key(struct reading *reading, struct str line)
{
    const char *equals = memchr(line.p, '=', line.len);
    struct str key = trim(equals ? str_of(line.p, (size_t)(equals - line.p)) : line);
    struct str value = str_of(NULL, 0);
    if (equals)
        value = trim(str_of(equals + 1, line.len - (size_t)(equals - line.p) - 1));
    if (!equals || value.len == 0)
        return fail(reading, "'%.*s' has no value", shown(key), key.p);
    if (!reading->section[0])
        return fail(reading, "'%.*s' stands before the first section", shown(key), key.p);
    if (str_is(key, "map") || str_is(key, "pattern"))
        return add_format(reading, str_is(key, "pattern"), value);
    if (!str_is(key, "only"))
        return fail(reading, "'%.*s' is no key; there are map, pattern and only", shown(key),
                    key.p);
    if (!str_is(value, "named"))
        return fail(reading, "only takes named, not '%.*s'", shown(value), value.p);
    return reading->named = true;
}

static bool take_line(struct reading *reading, struct str line)
{
    line = trim(line);
    if (line.len == 0 || line.p[0] == '#' || line.p[0] == ';')
        return true;
    if (memchr(line.p, '\0', line.len))
        return fail(reading, "it holds a NUL: this is no text");
    return line.p[0] == '[' ? begin_section(reading, line) : take_key(reading, line);
}

bool settings_parse(struct settings *settings, const char *bytes, size_t size, char *error,
                    size_t error_size)
{
    struct reading reading = {.settings = settings, .error = error, .error_size = error_size};
    *settings = (struct settings){.format_count = 0};
    if (size > SETTINGS_BYTES_MAX) {
        reading.line = 1;
        return fail(&reading, "the file is larger than %d KiB", SETTINGS_BYTES_MAX / 1024);
    }
    size_t at = size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (at < size) {
        const char *end = memchr(bytes + at, '\n', size - at);
        size_t length = (end ? (size_t)(end - bytes) : size) - at;
        reading.line++;
        if (!take_line(&reading, str_of(bytes + at, length)))
            return false;
        at += length + 1;
    }
    return end_section(&reading);
}
