/* Any map or pattern, over any log: it is refused with a sentence, or what it makes is within
 * bounds and the same in whatever pieces the log comes. */
#include "fuzz_user.h"

#include <string.h>

#include "formats.h"
#include "formats_read.h"
#include "fuzz.h"
#include "user_format.h"

static void read_both(const struct user_format *user, const char *bytes, size_t size)
{
    struct text whole = {0}, torn = {0};
    uint64_t seed = size + 1;
    struct formats *formats = formats_new();
    PROMISE(formats_add(formats, user_format_of(user)), "there is room for one more format");
    formats_read_by(&whole, "rank3.log", formats, bytes, size, (struct pieces){0});
    formats_read_by(&torn, "rank3.log", formats, bytes, size,
                    (struct pieces){.each = 1 + seed % 97, .seed = seed});
    PROMISE(strcmp(whole.bytes, torn.bytes) == 0, "pieces come to the same as the whole");
    formats_free(formats);
    free(whole.bytes);
    free(torn.bytes);
}

void fuzz_user_format(const uint8_t *data, size_t size, int pattern)
{
    char text[USER_TEXT_MAX + 64], error[512] = "";
    const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
    size_t length = end ? (size_t)(end - data) : size;
    size_t kept = length < sizeof(text) - 1 ? length : sizeof(text) - 1;
    if (size)
        memcpy(text, data, kept);
    text[kept] = '\0';
    struct user_format *user =
        (pattern ? user_format_pattern : user_format_map)("mine", text, error, sizeof(error));
    if (!user) {
        PROMISE(error[0] && strlen(error) < sizeof(error), "what is wrong is said");
        return;
    }
    PROMISE(strcmp(user_format_text(user), text) == 0, "it is kept as it was given");
    if (end)
        read_both(user, (const char *)end + 1, size - length - 1);
    user_format_free(user);
}
