/* By hand: what a log comes to.
 *     formats_read FILE [FORMAT] */
#include <stdio.h>
#include <stdlib.h>

#include "formats_read.h"

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
    formats_read(&text, argv[1], argc > 2 ? argv[2] : NULL, bytes, size, (struct pieces){0});
    fputs(text.bytes, stdout);
    free(text.bytes);
    free(bytes);
    return 0;
}
