/* A look at the beginnings of NCCL Inspector's files. */
#include "source_nccl.h"

#include <stdlib.h>
#include <string.h>

#include "log_facts.h"
#include "log_text.h"
#include "memory.h"
#include "nccl_job.h"
#include "source_look.h"

#define MOST_BYTES (1 << 20)   /* of a file: a dump of the largest communicator is in it, mostly */
#define FIRST_BYTES (16 << 10) /* that say whether it is of that kind: a line of many channels */

void source_meet_nccl(const char *path, const char *name, struct log_book *book)
{
    struct look *look = book ? look_open(path) : NULL;
    bool end = false;
    ssize_t size = look ? look_next(look, &end) : 0;
    size_t first = size < FIRST_BYTES ? (size_t)(size > 0 ? size : 0) : FIRST_BYTES;
    if (first == 0 || log_find(str_of(look->bytes, first), "\"n_ranks\"") == SIZE_MAX) {
        look_close(look);
        return;
    }
    char *bytes = memory_zeroed(1, MOST_BYTES + LOOK_BYTES);
    size_t all = 0;
    for (; size > 0 && all < MOST_BYTES; size = end ? 0 : look_next(look, &end)) {
        memcpy(bytes + all, look->bytes, (size_t)size);
        all += (size_t)size;
    }
    nccl_job_look(log_book_nccl(book), nccl_job_key(name), str_of(bytes, all));
    free(bytes);
    look_close(look);
}
