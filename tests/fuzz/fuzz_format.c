/* One format's decoder, forced on any bytes: what it makes of them is within bounds, and
 * the same in whatever pieces they come, and whether or not the forms of lines are learned.
 * LOCKSTEP_FORMAT names it; without it all formats are read. */
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "formats_read.h"
#include "fuzz.h"

static struct formats *choice_of(const char *format, bool learns)
{
    struct formats *formats = formats_new();
    if (format && formats_choose(formats, format) != 0)
        abort();
    formats_learn(formats, learns);
    return formats;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *format = getenv("LOCKSTEP_FORMAT");
    struct text whole = {0}, torn = {0}, plain = {0};
    static struct formats *learns, *plainly; /* made once: that takes longer than most inputs */
    if (!learns) {
        learns = choice_of(format, true);
        plainly = choice_of(format, false);
    }
    const char *bytes = (const char *)data;
    uint64_t seed = size + (size ? data[0] * 7919u + data[size / 2] : 0) + 1;
    formats_read_by(&whole, "rank3.log", learns, bytes, size, (struct pieces){0});
    formats_read_by(&torn, "rank3.log", learns, bytes, size,
                    (struct pieces){.each = 1 + seed % 97, .seed = seed});
    formats_read_by(&plain, "rank3.log", plainly, bytes, size, (struct pieces){0});
    PROMISE(strcmp(whole.bytes, torn.bytes) == 0, "pieces come to the same as the whole");
    PROMISE(strcmp(whole.bytes, plain.bytes) == 0, "learned lines come to the same as others");
    free(plain.bytes);
    free(whole.bytes);
    free(torn.bytes);
    return 0;
}
