/* Fewer bytes for the same picture. */
#include "squeeze.h"

#include <stdbool.h>
#include <string.h>

#define NUMBERS_MAX 12 /* in one change of attributes; terminals take 16 at least */

/* Length of "ESC [ numbers m" at the begin of the bytes; 0: it is something else. */
static size_t attributes_length(const char *bytes, size_t count)
{
    size_t i = 2;
    if (count < 3 || bytes[0] != '\033' || bytes[1] != '[')
        return 0;
    while (i < count && ((bytes[i] >= '0' && bytes[i] <= '9') || bytes[i] == ';'))
        i++;
    return i < count && bytes[i] == 'm' ? i + 1 : 0;
}

static int numbers_in(const char *bytes, size_t length)
{
    int numbers = 1;
    for (size_t i = 0; i < length; i++)
        numbers += bytes[i] == ';';
    return numbers;
}

/* A change that begins with a reset, whatever was before. */
static bool is_reset(const char *change)
{
    return change[2] == 'm' || (change[2] == '0' && (change[3] == 'm' || change[3] == ';'));
}

size_t squeeze(char *bytes, size_t count)
{
    bool had_ascii = false;
    size_t end = 0;
    size_t change = 0; /* length of the change of attributes that `end` follows */
    for (size_t i = 0; i < count; i++) {
        const char *at = bytes + i;
        size_t length = attributes_length(at, count - i);
        bool ascii = count - i >= 3 && memcmp(at, "\033(B", 3) == 0;
        if (length > 0) {
            i += length - 1;
            if (change > 0 && is_reset(at)) {
                end -= change;
                change = 0;
            }
            const char *before = bytes + end - change;
            bool joins =
                change > 3 && numbers_in(before, change) + numbers_in(at, length) <= NUMBERS_MAX;
            if (joins) {
                bytes[end - 1] = ';';
                at += 2;
                length -= 2;
            }
            memmove(bytes + end, at, length);
            end += length;
            change = joins ? change + length : length;
        } else if (ascii) {
            i += 2;
            if (!had_ascii) {
                memmove(bytes + end, at, 3);
                end += 3;
                change = 0;
            }
            had_ascii = true;
        } else if (*at != '\016' && *at != '\017') {
            bytes[end++] = *at;
            change = 0;
        }
    }
    return end;
}
