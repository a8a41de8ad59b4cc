/* A fuzz target as an ordinary test, with any compiler: the files of a corpus, then
 * seeded mutations of them, always the same ones. Files are cut to INPUT_MAX.
 *     test_fuzz_<target> FOLDER [MUTATIONS [SEED]]
 *     test_fuzz_<target> FILE
 * It runs in a child, which leaves what it works on in shared memory: when it
 * dies, that input is written to failed-input. */
#include <dirent.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz.h"

#define INPUT_MAX 4096
#define FILES_MAX 256
#define MUTATIONS 4000

struct input {
    size_t size;
    uint8_t bytes[INPUT_MAX];
};

struct corpus {
    int count;
    struct input inputs[FILES_MAX];
};

/* Shared with the child. */
struct progress {
    uint64_t done; /* inputs that passed */
    struct input now;
};

static uint64_t next_random(uint64_t *state)
{
    *state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t x = *state;
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

static size_t below(uint64_t *state, size_t limit)
{
    return limit ? (size_t)(next_random(state) % limit) : 0;
}

/* ---- the corpus ---- */

static int read_file(const char *path, struct input *input)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return -1;
    input->size = fread(input->bytes, 1, INPUT_MAX, file);
    fclose(file);
    return 0;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int read_corpus(const char *path, struct corpus *corpus)
{
    struct stat status;
    if (stat(path, &status) < 0)
        return -1;
    if (!S_ISDIR(status.st_mode)) {
        corpus->count = 1;
        return read_file(path, &corpus->inputs[0]);
    }
    struct dirent **entries;
    int count = scandir(path, &entries, is_visible, alphasort), result = count < 0 ? -1 : 0;
    for (int i = 0; i < count; i++) {
        char file[4096];
        snprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name);
        if (corpus->count < FILES_MAX)
            result |= read_file(file, &corpus->inputs[corpus->count++]);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return result;
}

/* ---- mutations ---- */

static void insert(struct input *input, size_t at, const uint8_t *bytes, size_t size)
{
    if (size > INPUT_MAX - input->size)
        size = INPUT_MAX - input->size;
    memmove(input->bytes + at + size, input->bytes + at, input->size - at);
    memcpy(input->bytes + at, bytes, size);
    input->size += size;
}

static void take_out(struct input *input, size_t at, size_t size)
{
    memmove(input->bytes + at, input->bytes + at + size, input->size - at - size);
    input->size -= size;
}

/* A part of another input, short or long. */
static void splice(struct input *input, size_t at, const struct input *other, uint64_t *random)
{
    struct input part = *other;
    size_t from = below(random, part.size), size = part.size - from;
    if (next_random(random) % 2)
        size = below(random, size < 24 ? size + 1 : 24);
    insert(input, at, part.bytes + from, size);
}

static void mutate(struct input *input, const struct corpus *corpus, uint64_t *random)
{
    static const uint8_t odd[] = "09.-+eE\"\\{}[],: \n\r\t\0\x01\x1b\x7f\x80\xc2\xfe\xff";
    size_t at = below(random, input->size), left = input->size - at;
    size_t size = below(random, next_random(random) % 4 ? (left < 8 ? left : 8) : left) + 1;
    switch (left > 0 ? next_random(random) % 7 : 0) {
    case 0:
        splice(input, at, &corpus->inputs[below(random, (size_t)corpus->count)], random);
        break;
    case 1:
        input->bytes[at] ^= (uint8_t)(1u << below(random, 8));
        break;
    case 2:
        input->bytes[at] = odd[below(random, sizeof(odd) - 1)];
        break;
    case 3:
        take_out(input, at, size < left ? size : left);
        break;
    case 4:
        splice(input, at, input, random);
        break;
    case 5:
        insert(input, at, &odd[below(random, sizeof(odd) - 1)], 1);
        break;
    default:
        input->bytes[at] = (uint8_t)('0' + below(random, 10));
    }
}

/* ---- running ---- */

static void run_one(struct progress *progress)
{
    /* On the heap and to the byte, so that a sanitiser sees a read beyond it. */
    uint8_t *bytes = malloc(progress->now.size ? progress->now.size : 1);
    if (!bytes)
        abort();
    memcpy(bytes, progress->now.bytes, progress->now.size);
    LLVMFuzzerTestOneInput(bytes, progress->now.size);
    free(bytes);
    progress->done++;
}

static void run_all(const struct corpus *corpus, uint64_t mutations, uint64_t seed,
                    struct progress *progress)
{
    for (int i = 0; i < corpus->count; i++) {
        progress->now = corpus->inputs[i];
        run_one(progress);
    }
    for (uint64_t i = 0; i < mutations; i++) {
        progress->now = corpus->inputs[below(&seed, (size_t)corpus->count)];
        for (size_t n = 1 + below(&seed, 4); n > 0; n--)
            mutate(&progress->now, corpus, &seed);
        run_one(progress);
    }
}

static int report(const struct progress *progress, int status)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        printf("%llu passed\n", (unsigned long long)progress->done);
        return 0;
    }
    FILE *file = fopen("failed-input", "wb");
    if (file) {
        fwrite(progress->now.bytes, 1, progress->now.size, file);
        fclose(file);
    }
    printf("%llu passed, then one failed: it is in failed-input\n",
           (unsigned long long)progress->done);
    return 1;
}

int main(int argc, char **argv)
{
    struct corpus *corpus = calloc(1, sizeof(*corpus));
    struct progress *progress =
        mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (argc < 2 || !corpus || progress == MAP_FAILED || read_corpus(argv[1], corpus) < 0 ||
        corpus->count == 0) {
        fprintf(stderr, "usage: %s FOLDER [MUTATIONS [SEED]], or FILE\n", argv[0]);
        return 2;
    }
    uint64_t mutations = argc > 2 ? strtoull(argv[2], NULL, 10) : MUTATIONS;
    uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    if (argc == 2 && corpus->count == 1)
        mutations = 0;
    int status = 1;
    pid_t child = fork();
    if (child == 0) {
        run_all(corpus, mutations, seed, progress);
        exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0)
        perror("no child");
    free(corpus);
    return report(progress, status);
}
