/* The sanitiser: any bytes become text that a terminal may get. The first byte
 * of an input chooses the size of the buffer. */
#include <string.h>

#include "fuzz.h"
#include "text.h"

static void check_bytes(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i], next = (unsigned char)text[i + 1];
        PROMISE(byte >= 0x20 && byte != 0x7F, "no control");
        PROMISE(byte != 0xC2 || next >= 0xA0, "no C1 control");
    }
}

/* Each code point is written as it was, so the text is UTF-8 in its shortest form. */
static void check_utf8(const char *text, size_t length)
{
    struct str rest = str_of(text, length);
    while (rest.len > 0) {
        const char *at = rest.p;
        char encoded[4];
        uint32_t code = text_next(&rest);
        PROMISE(code != 0 && text_is_safe(code), "only what is safe");
        size_t size = text_encode(code, encoded);
        PROMISE((size_t)(rest.p - at) == size && memcmp(at, encoded, size) == 0,
                "the text is valid UTF-8");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t room = size > 0 ? 1 + data[0] * 5u : 1;
    char *from = malloc(size ? size : 1), *to = malloc(room), *again = malloc(room);
    if (!from || !to || !again)
        abort();
    size_t from_size = size > 0 ? size - 1 : 0;
    if (from_size > 0)
        memcpy(from, data + 1, from_size);
    size_t length = text_sanitise(to, room, str_of(from, from_size));
    PROMISE(length < room && to[length] == '\0', "the size is respected");
    check_bytes(to, length);
    check_utf8(to, length);
    size_t second = text_sanitise(again, room, str_of(to, length));
    PROMISE(second == length && memcmp(again, to, length) == 0, "safe text stays as it is");
    PROMISE(text_columns(str_of(to, length)) <= text_columns(str_of(from, from_size)),
            "a cut text is not wider");
    free(from);
    free(to);
    free(again);
    return 0;
}
