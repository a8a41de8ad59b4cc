/* One format's decoder, forced on any bytes: what it makes of them is within bounds, and
 * the same in whatever pieces they come. LOCKSTEP_FORMAT names it; without it all formats
 * are read. */
#include <stdlib.h>
#include <string.h>

#include "formats_read.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *format = getenv("LOCKSTEP_FORMAT");
    struct text whole = {0}, torn = {0};
    const char *bytes = (const char *)data;
    uint64_t seed = size + (size ? data[0] * 7919u + data[size / 2] : 0) + 1;
    formats_read(&whole, "rank3.log", format, bytes, size, (struct pieces){0});
    formats_read(&torn, "rank3.log", format, bytes, size,
                 (struct pieces){.each = 1 + seed % 97, .seed = seed});
    PROMISE(strcmp(whole.bytes, torn.bytes) == 0, "pieces come to the same as the whole");
    free(whole.bytes);
    free(torn.bytes);
    return 0;
}
