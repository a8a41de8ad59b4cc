/* Bytes to safe code points and their widths. The table is an allow-list: what it
 * does not name is not shown. */
#include "text.h"

#include <assert.h>

struct text_range {
    uint32_t first, last;
    int columns; /* 0: a mark that joins the character before it */
};

static const struct text_range text_ranges[] = {
#include "text_table.def"
};

#define TEXT_RANGE_COUNT (sizeof text_ranges / sizeof text_ranges[0])

/* 0 to 2, or -1 for what must not be shown. */
static int text_columns_of(uint32_t code)
{
    if (code < 0x80)
        return code >= 0x20 && code != 0x7F ? 1 : -1;
    size_t low = 0, high = TEXT_RANGE_COUNT;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (code > text_ranges[middle].last)
            low = middle + 1;
        else if (code < text_ranges[middle].first)
            high = middle;
        else
            return text_ranges[middle].columns;
    }
    return -1;
}

/* Bytes of the sequence that a lead byte opens, and the range of its second
 * byte: this is where overlong forms, surrogates and values over U+10FFFF end. */
static size_t text_sequence(uint8_t lead, uint8_t *low, uint8_t *high)
{
    *low = 0x80;
    *high = 0xBF;
    if (lead >= 0xC2 && lead <= 0xDF)
        return 2;
    if (lead >= 0xE0 && lead <= 0xEF) {
        if (lead == 0xE0)
            *low = 0xA0;
        if (lead == 0xED)
            *high = 0x9F;
        return 3;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        if (lead == 0xF0)
            *low = 0x90;
        if (lead == 0xF4)
            *high = 0x8F;
        return 4;
    }
    return 1;
}

/* Decodes one code point of a slice that is not empty; an invalid part gives
 * TEXT_REPLACEMENT and is as long as its valid beginning. */
static uint32_t text_decode(struct str s, size_t *ret_used)
{
    const uint8_t *p = (const uint8_t *)s.p;
    uint8_t low, high;
    size_t length = text_sequence(p[0], &low, &high);
    *ret_used = 1;
    if (length == 1)
        return p[0] < 0x80 ? p[0] : TEXT_REPLACEMENT;
    uint32_t code = p[0] & (0xFFu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if (i >= s.len || p[i] < low || p[i] > high)
            return TEXT_REPLACEMENT;
        code = code << 6 | (p[i] & 0x3Fu);
        *ret_used = i + 1;
        low = 0x80;
        high = 0xBF;
    }
    return code;
}

uint32_t text_next(struct str *rest)
{
    while (rest->len > 0) {
        size_t used;
        uint32_t code = text_decode(*rest, &used);
        rest->p += used;
        rest->len -= used;
        int columns = text_columns_of(code);
        if (columns > 0)
            return code;
        if (columns < 0)
            return TEXT_REPLACEMENT;
    }
    return 0;
}

bool text_is_safe(uint32_t code)
{
    return text_columns_of(code) > 0;
}

int text_width(uint32_t code)
{
    return text_columns_of(code) == 2 ? 2 : 1;
}

size_t text_columns(struct str text)
{
    size_t columns = 0;
    uint32_t code;
    while ((code = text_next(&text)) != 0)
        columns += (size_t)text_width(code);
    return columns;
}

size_t text_encode(uint32_t code, char to[4])
{
    assert(code <= TEXT_CODE_MAX && (code < 0xD800 || code > 0xDFFF));
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--, code >>= 6)
        to[i] = (char)(0x80 | (code & 0x3F));
    to[0] = (char)((0xF00u >> length) | code);
    return length;
}

size_t text_sanitise(char *to, size_t size, struct str from)
{
    assert(size >= 1);
    size_t length = 0;
    uint32_t code;
    while ((code = text_next(&from)) != 0) {
        char bytes[4];
        size_t count = text_encode(code, bytes);
        if (length + count >= size)
            break;
        for (size_t i = 0; i < count; i++)
            to[length++] = bytes[i];
    }
    to[length] = '\0';
    return length;
}
