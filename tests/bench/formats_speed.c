/* How fast a log of another format is decoded: from the file to records, nothing else.
 *     formats_speed FILE [FORMAT]
 *     formats_speed FILE map|pattern TEXT
 * Prints seconds of processor time, bytes, lines that were no records, records. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "formats.h"
#include "stream.h"
#include "user_format.h"

#define PIECE (256 * 1024)

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void take_all(struct stream *stream)
{
    struct record record;
    while (stream_next(stream, &record))
        continue;
}

/* That of the command line, asked before the others; NULL: it is none. */
static struct user_format *add_user_format(struct formats *formats, char **argv)
{
    char error[512];
    struct user_format *user = strcmp(argv[2], "map") == 0
                                   ? user_format_map("mine", argv[3], error, sizeof(error))
                                   : user_format_pattern("mine", argv[3], error, sizeof(error));
    if (!user)
        fprintf(stderr, "%s\n", error);
    else
        formats_add(formats, user_format_of(user));
    return user;
}

int main(int argc, char **argv)
{
    int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
    if (fd < 0)
        return 1;
    struct log_book book = {0};
    struct formats *formats = formats_new();
    struct user_format *user = argc > 3 ? add_user_format(formats, argv) : NULL;
    if (argc > 3 && !user)
        return 2;
    if (argc == 3 && formats_choose(formats, argv[2]) != 0)
        return 2;
    struct stream_totals totals = {.formats = formats, .book = &book};
    struct stream *stream = stream_new(argv[1], &totals);
    double begin = processor_seconds();
    for (ssize_t got = 1; got > 0;) {
        size_t room;
        char *space = stream_space(stream, PIECE, &room);
        got = read(fd, space, room < PIECE ? room : PIECE);
        stream_filled(stream, got > 0 ? (size_t)got : 0);
        take_all(stream);
    }
    stream_end(stream);
    take_all(stream);
    const struct source_counts *counts = &totals.counts;
    printf("%.6f %llu %llu %llu\n", processor_seconds() - begin, (unsigned long long)counts->bytes,
           (unsigned long long)counts->other, (unsigned long long)counts->records);
    stream_free(stream);
    formats_free(formats);
    user_format_free(user);
    log_book_done(&book);
    return 0;
}
