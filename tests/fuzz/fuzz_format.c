/* One format's decoder, forced on any bytes: what it makes of them is within bounds, and
 * the same in whatever pieces they come. Compiled once a format (FUZZ_FORMAT). */
#include <stdlib.h>
#include <string.h>

#include "formats_read.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text whole = {0}, torn = {0};
    const char *bytes = (const char *)data;
    uint64_t seed = size + (size ? data[0] * 7919u + data[size / 2] : 0) + 1;
    formats_read(&whole, "rank3.log", FUZZ_FORMAT, bytes, size, (struct pieces){0});
    formats_read(&torn, "rank3.log", FUZZ_FORMAT, bytes, size,
                 (struct pieces){.each = 1 + seed % 97, .seed = seed});
    PROMISE(strcmp(whole.bytes, torn.bytes) == 0, "pieces come to the same as the whole");
    free(whole.bytes);
    free(torn.bytes);
    return 0;
}
