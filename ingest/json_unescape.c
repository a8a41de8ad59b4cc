/* Escapes of JSON strings. */
#include "json_unescape.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static bool hex4(const char *p, const char *end, uint32_t *ret)
{
    uint32_t value = 0;
    if (end - p < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                                : 16;
        if (digit == 16)
            return false;
        value = value * 16 + digit;
    }
    *ret = value;
    return true;
}

static size_t put_utf8(uint32_t code, char to[4])
{
    static const uint8_t heads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (length == 1)
        to[0] = (char)code;
    for (size_t i = length; length > 1 && i-- > 0; code >>= 6)
        to[i] = (char)(i > 0 ? 0x80 | (code & 0x3F) : heads[length] | code);
    return length;
}

/* Behind "\u"; *p moves behind its digits, and those of the second half of a pair. */
static uint32_t code_point(const char **p, const char *end)
{
    uint32_t first, second;
    if (!hex4(*p, end, &first))
        return 0xFFFD;
    *p += 4;
    if (first == 0 || (first >= 0xDC00 && first < 0xE000))
        return 0xFFFD;
    if (first < 0xD800 || first >= 0xE000)
        return first;
    if (end - *p < 6 || (*p)[0] != '\\' || (*p)[1] != 'u' || !hex4(*p + 2, end, &second) ||
        second < 0xDC00 || second >= 0xE000)
        return 0xFFFD;
    *p += 6;
    return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
}

static size_t put_escape(const char **p, const char *end, char to[4])
{
    static const char names[] = "bfnrt", are[] = "\b\f\n\r\t";
    char c = *(*p)++;
    if (c == 'u')
        return put_utf8(code_point(p, end), to);
    const char *name = c ? strchr(names, c) : NULL;
    to[0] = name ? are[name - names] : c;
    return 1;
}

struct str json_unescaped(struct str escaped, char *to, size_t size)
{
    const char *p = escaped.p, *end = p + escaped.len;
    size_t used = 0;
    while (p < end) {
        char character[4] = {*p++};
        size_t length = 1;
        if (character[0] == '\\' && p < end)
            length = put_escape(&p, end, character);
        else /* the rest of a character in UTF-8 */
            while (length < 4 && p < end && (*p & 0xC0) == 0x80)
                character[length++] = *p++;
        if (used + length > size)
            break;
        memcpy(to + used, character, length);
        used += length;
    }
    return str_of(to, used);
}
