/* Ranks from prefixes and file names. */
#include "prefix.h"

#include <string.h>
#include <strings.h>

#include "record.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static bool is_letter(char c)
{
    return lower(c) >= 'a' && lower(c) <= 'z';
}

/* Digits at s.p[at], as a rank; *ret_end is the place after them. */
static bool rank_at(struct str s, size_t at, uint32_t *ret, size_t *ret_end)
{
    size_t end = at;
    while (end < s.len && is_digit(s.p[end]))
        end++;
    int64_t value;
    *ret_end = end;
    if (!str_to_int(str_of(s.p + at, end - at), 0, RECORD_RANK_MAX, &value))
        return false;
    *ret = (uint32_t)value;
    return true;
}

/* Whether the word that ends before `at`, joined to what follows by '_' or '-',
 * says that the number counts something else than the ranks of the job. */
static bool counts_others(struct str s, size_t at)
{
    static const char *const words[] = {"local",  "node",   "group", "role",    "machine",
                                        "tp",     "pp",     "dp",    "cp",      "ep",
                                        "tensor", "expert", "data",  "context", "pipeline"};
    if (at == 0 || (s.p[at - 1] != '_' && s.p[at - 1] != '-'))
        return false;
    size_t end = at - 1, begin = end;
    while (begin > 0 && is_letter(s.p[begin - 1]))
        begin--;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t k = 0;
        while (begin + k < end && words[i][k] && lower(s.p[begin + k]) == words[i][k])
            k++;
        if (begin + k == end && words[i][k] == '\0')
            return true;
    }
    return false;
}

/* The rank behind the last `word` ("rank", "worker") of s, with at most one of
 * the given joints between, and a blank. local_rank and the like are other
 * numbers. */
static bool rank_after_word(struct str s, const char *word, const char *joints, uint32_t *ret,
                            struct str *ret_digits)
{
    size_t len = strlen(word);
    bool found = false;
    for (size_t i = 0; i + len < s.len; i++) {
        size_t k = 0;
        while (k < len && lower(s.p[i + k]) == word[k])
            k++;
        if (k < len || (i > 0 && is_letter(s.p[i - 1])) || counts_others(s, i))
            continue;
        size_t at = i + len, end;
        if (at < s.len && s.p[at] != '\0' && strchr(joints, s.p[at]))
            at++;
        if (at < s.len && s.p[at] == ' ')
            at++;
        if (rank_at(s, at, ret, &end)) {
            *ret_digits = str_of(s.p + at, end - at);
            found = true;
        }
    }
    return found;
}

/* "  5: " and nothing else, or at the very front of the prefix. */
static bool label_rank(struct str s, uint32_t *ret)
{
    size_t at = 0, end;
    while (at < s.len && s.p[at] == ' ')
        at++;
    uint32_t rank;
    if (!rank_at(s, at, &rank, &end) || end + 1 >= s.len || s.p[end] != ':' || s.p[end + 1] != ' ')
        return false;
    *ret = rank;
    return true;
}

/* "[default1]:", "[trainer0|1]:": of the processes that one task has started it is this one. */
static bool has_local_rank(struct str s)
{
    for (size_t i = 0; i + 2 < s.len; i++) {
        size_t at = i + 1;
        while (s.p[i] == '[' && at < s.len && is_letter(s.p[at]))
            at++;
        if (at > i + 1 && at < s.len && is_digit(s.p[at]))
            return true;
    }
    return false;
}

/* "[1,5]<stdout>:", "[prterun-host-77@1,5]<stderr>:" (mpirun --tag-output), with "mpirank:5" for
 * the number in SageMaker. */
static bool tag_rank(struct str s, uint32_t *ret)
{
    static const char close[] = "]<std", word[] = "mpirank:";
    for (size_t i = 0; i + sizeof(close) - 1 <= s.len; i++) {
        size_t at = i, end;
        if (memcmp(s.p + i, close, sizeof(close) - 1) != 0)
            continue;
        while (at > 0 && is_digit(s.p[at - 1]))
            at--;
        if (at > 0 && s.p[at - 1] == ',' && rank_at(s, at, ret, &end))
            return true;
        for (at = i; at > 0 && s.p[at - 1] != '[' && s.p[at - 1] != ']'; at--)
            if (at + sizeof(word) - 1 < i && memcmp(s.p + at, word, sizeof(word) - 1) == 0)
                return rank_at(s, at + sizeof(word) - 1, ret, &end);
    }
    return false;
}

bool prefix_rank(struct str prefix, uint32_t *ret)
{
    struct str digits;
    return rank_after_word(prefix, "rank", " =-_:", ret, &digits) || tag_rank(prefix, ret) ||
           (!has_local_rank(prefix) && label_rank(prefix, ret));
}

static struct str last_part(struct str path)
{
    size_t begin = path.len, end = path.len;
    while (begin > 0 && path.p[begin - 1] != '/')
        begin--;
    for (size_t i = end; i > begin + 1; i--) {
        if (path.p[i - 1] == '.') { /* the extension is not part of the name */
            end = i - 1;
            break;
        }
    }
    return str_of(path.p + begin, end - begin);
}

/* "node_rank2": digits that are known to be no rank of the job. */
static bool holds_other_rank(struct str s)
{
    for (size_t i = 0; i + 4 < s.len; i++)
        if (lower(s.p[i]) == 'r' && strncasecmp(s.p + i, "rank", 4) == 0 && counts_others(s, i))
            return true;
    return false;
}

static bool name_says_rank(struct str name, uint32_t *ret, struct str *ret_digits)
{
    return rank_after_word(name, "rank", "=-_.", ret, ret_digits) ||
           rank_after_word(name, "worker", "=-_.", ret, ret_digits);
}

bool file_name_says_rank(struct str path, uint32_t *ret)
{
    struct str digits;
    return name_says_rank(last_part(path), ret, &digits);
}

bool file_name_rank_digits(struct str path, uint32_t *ret, struct str *ret_digits)
{
    struct str name = last_part(path);
    if (name_says_rank(name, ret, ret_digits))
        return true;
    if (holds_other_rank(name))
        return false;
    uint32_t rank = 0;
    int runs = 0;
    for (size_t i = 0; i < name.len; i++) {
        if (is_digit(name.p[i])) {
            size_t begin = i;
            if (!rank_at(name, begin, &rank, &i))
                return false;
            *ret_digits = str_of(name.p + begin, i - begin);
            runs++;
        }
    }
    if (runs != 1)
        return false;
    *ret = rank;
    return true;
}

bool file_name_rank(struct str path, uint32_t *ret)
{
    struct str digits;
    return file_name_rank_digits(path, ret, &digits);
}
