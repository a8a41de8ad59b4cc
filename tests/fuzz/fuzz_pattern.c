/* ingest/decode_pattern*.c and user_*.c: any pattern (the first line) over any log (the rest). */
#include "fuzz.h"
#include "fuzz_user.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_user_format(data, size, 1);
    return 0;
}
