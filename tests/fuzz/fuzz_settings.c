/* src/settings.c: any file is refused with its line, or comes to names and texts in bounds. */
#include <string.h>

#include "fuzz.h"
#include "settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[300] = "";
    struct settings *settings = malloc(sizeof(*settings));
    if (!settings)
        abort();
    if (!settings_parse(settings, (const char *)data, size, error, sizeof(error))) {
        PROMISE(strncmp(error, "line ", 5) == 0, "an error names its line");
    } else {
        PROMISE(settings->format_count <= SETTINGS_FORMATS_MAX, "they are bounded");
        for (int i = 0; i < settings->format_count; i++) {
            PROMISE(settings->formats[i].name[0] && settings->formats[i].text[0],
                    "a format has a name and a text");
            PROMISE(settings->formats[i].line >= 1, "and a line");
        }
    }
    free(settings);
    return 0;
}
