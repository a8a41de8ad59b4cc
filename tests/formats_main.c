/* By hand: what a log comes to.
 *     formats_read FILE [FORMAT]
 *     formats_read FILE map|pattern TEXT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "formats_read.h"
#include "user_format.h"

/* By the map or pattern alone, as "mine". */
static void read_by_user(struct text *text, char **argv, const char *bytes, size_t size)
{
    char error[512];
    struct user_format *user = strcmp(argv[2], "map") == 0
                                   ? user_format_map("mine", argv[3], error, sizeof(error))
                                   : user_format_pattern("mine", argv[3], error, sizeof(error));
    struct formats *formats = formats_new();
    if (!user || !formats_add(formats, user_format_of(user)))
        abort();
    formats_choose(formats, "mine");
    formats_read_by(text, argv[1], formats, bytes, size, (struct pieces){0});
    formats_free(formats);
    user_format_free(user);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    FILE *file = fopen(argv[1], "rb");
    if (!file)
        return 1;
    long length = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    rewind(file);
    size_t room = length > 0 ? (size_t)length : 1;
    char *bytes = malloc(room);
    size_t size = bytes ? fread(bytes, 1, room, file) : 0;
    fclose(file);
    struct text text = {0};
    if (argc > 3)
        read_by_user(&text, argv, bytes, size);
    else
        formats_read(&text, argv[1], argc > 2 ? argv[2] : NULL, bytes, size, (struct pieces){0});
    fputs(text.bytes, stdout);
    free(text.bytes);
    free(bytes);
    return 0;
}
