/* What the description of a bar says of it. */
#include <string.h>
#include <strings.h>

#include "decode_tqdm_bar.h"
#include "log_text.h"

#define DESCRIPTION_LONGEST 160 /* bytes: Ultralytics' has the losses in it */

/* At the beginning of a word, in any case. */
static bool says(struct str name, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= name.len; i++)
        if ((name.p[i] | 0x20) == word[0] && (i == 0 || !log_is_letter(name.p[i - 1])) &&
            strncasecmp(name.p + i, word, length) == 0)
            return true;
    return false;
}

static bool says_one(struct str name, const char *const *words)
{
    for (; *words; words++)
        if (says(name, *words))
            return true;
    return false;
}

/* A whole number, by itself: "loss 0.25", "11G" and "1e-05" hold none. */
static bool whole_number(struct str name, size_t at, int64_t *ret)
{
    size_t length;
    char before = at > 0 ? name.p[at - 1] : ' ';
    bool exponent = at > 1 && before == '-' && (name.p[at - 2] | 0x20) == 'e';
    int64_t number;
    if (!log_is_digit(name.p[at]) || log_is_digit(before) || before == '.' || exponent ||
        !log_integer(log_from(name, at), &number, &length))
        return false;
    struct str rest = log_from(name, at + length);
    if (rest.len > 0 &&
        (log_is_letter(rest.p[0]) || (rest.p[0] == '.' && rest.len > 1 && log_is_digit(rest.p[1]))))
        return false;
    *ret = number;
    return true;
}

/* Of "rank 3", "GPU3": who draws it. */
static bool numbers_a_process(struct str name, size_t at)
{
    static const char *const words[] = {"rank", "gpu",    "cuda", "worker", "process", "proc",
                                        "node", "device", "pid",  "local",  "host",    NULL};
    while (at > 0 && memchr(" :=#[(_-", name.p[at - 1], 8))
        at--;
    for (size_t i = 0; words[i]; i++) {
        size_t length = strlen(words[i]);
        if (at >= length && strncasecmp(name.p + at - length, words[i], length) == 0)
            return true;
    }
    return false;
}

/* The one behind "epoch", else the first one. */
static void read_number(struct str name, struct tqdm_bar *bar)
{
    static const char epoch[] = "epoch";
    const size_t letters = sizeof(epoch) - 1;
    for (size_t i = 0; i < name.len && !bar->numbers_epochs; i++) {
        if (bar->number < 0 && !numbers_a_process(name, i))
            whole_number(name, i, &bar->number);
        if (i + letters > name.len || (i > 0 && log_is_letter(name.p[i - 1])) ||
            strncasecmp(name.p + i, epoch, letters) != 0)
            continue;
        size_t at = i + letters;
        while (at < name.len && memchr(" :=#[(_", name.p[at], 7))
            at++;
        bar->numbers_epochs = at < name.len && whole_number(name, at, &bar->number);
    }
}

static void read_words(struct str name, struct tqdm_bar *bar)
{
    static const char *const evaluation[] = {"eval",    "valid", "val",    "test",
                                             "predict", "infer", "sanity", "generat",
                                             "map5",    "map@",  NULL};
    static const char *const other[] = {
        "load",    "download", "upload",  "map",     "filter", "tokeniz", "fetch",
        "resolv",  "cast",     "sav",     "shard",   "comput", "group",   "pars",
        "split",   "extract",  "pack",    "add",     "writ",   "check",   "creat",
        "build",   "process",  "convert", "encod",   "cach",   "read",    "prepar",
        "copy",    "merg",     "quantiz", "running", "captur", "compil",  "dequeu",
        "flatten", "concat",   "import",  "export",  "skip",   NULL};
    /* Of the training's data: "train: Scanning labels". */
    static const char *const data[] = {"scan", "cach", "tokeniz", "download", NULL};
    static const char *const training[] = {"train", "epoch", "step", "iter", "fit", NULL};
    bar->names_training = says_one(name, training);
    bar->names_epochs = says(name, "epoch");
    if (says_one(name, evaluation))
        bar->use = TQDM_EVALUATION;
    else if (says_one(name, bar->names_training ? data : other))
        bar->use = TQDM_OTHER;
}

void tqdm_read_name(struct tqdm_heads *heads, struct str name, struct tqdm_bar *bar)
{
    const uint64_t begin = UINT64_C(14695981039346656037), prime = UINT64_C(1099511628211);
    uint64_t letters = begin, words = begin; /* words: and what stands right behind a letter */
    bar->number = -1;
    bar->use = TQDM_TRAINING;
    if (name.len == 0)
        return;
    read_number(name, bar);
    for (size_t i = 0; i < name.len; i++) {
        char c = name.p[i];
        bool letter = log_is_letter(c);
        letters = letter ? (letters ^ (unsigned char)c) * prime : letters;
        if (letter || (i > 0 && log_is_letter(name.p[i - 1])))
            words = (words ^ (unsigned char)c) * prime;
    }
    bar->name = letters != begin ? letters : 0;
    words |= words == 0;
    if (words != heads->words) {
        heads->said = *bar;
        read_words(name, &heads->said);
        heads->words = words;
    }
    bar->use = heads->said.use;
    bar->names_training = heads->said.names_training;
    bar->names_epochs = heads->said.names_epochs && bar->number < 0;
}

struct str tqdm_description(struct str before)
{
    size_t begin = before.len,
           longest = before.len > DESCRIPTION_LONGEST ? DESCRIPTION_LONGEST : before.len;
    while (before.len - begin < longest) {
        char c = before.p[begin - 1];
        if (c == ']' || c == '|' || (unsigned char)c < ' ' || (unsigned char)c >= 0x7f)
            break;
        begin--;
    }
    return log_trim(log_from(before, begin));
}
