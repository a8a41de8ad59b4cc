/* MFU, HFU and the peaks. */
#include "mfu.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct peak {
    const char *name;
    double tflops_16, tflops_tf32, tflops_fp8; /* 0: not known */
    bool has_bf16;
};

static const struct peak peaks[] = {
#define PEAK(name, tflops_16, tf32, fp8, source) {name, tflops_16, tf32, fp8, true},
#define PEAK_FP16(name, tflops_16, tf32, fp8, source) {name, tflops_16, tf32, fp8, false},
#include "peaks.def"
#undef PEAK
#undef PEAK_FP16
};

#define PEAK_COUNT (sizeof(peaks) / sizeof(peaks[0]))

static double parameters(const struct run *run)
{
    return run->active_params > 0 ? run->active_params : run->params;
}

enum attention mfu_attention(const struct run *run)
{
    bool sizes = run->layers > 0 && run->hidden > 0 && run->sequence > 0;
    return sizes ? run->attention : ATTENTION_NONE;
}

/* layers x hidden x sequence, halved or left out by the convention. */
static double attention_term(const struct run *run)
{
    double product = run->layers * run->hidden * run->sequence;
    switch (mfu_attention(run)) {
    case ATTENTION_FULL:
        return product;
    case ATTENTION_CAUSAL:
        return product / 2;
    case ATTENTION_NONE:
        break;
    }
    return 0;
}

/* Of the parameters, those whose gradients are worked out. */
static double trained_share(const struct run *run)
{
    return run->lora_share > 0 && run->lora_share < 1 ? run->lora_share : 1;
}

double mfu_model_flop_per_token(const struct run *run)
{
    double n = parameters(run);
    return n > 0 ? (4 + 2 * trained_share(run)) * n + 12 * attention_term(run) : 0;
}

double mfu_hardware_flop_per_token(const struct run *run)
{
    double model = mfu_model_flop_per_token(run), attention = 4 * attention_term(run);
    double forward = 2 * parameters(run) + attention;
    if (model <= 0)
        return 0;
    switch (run->recompute) {
    case RECOMPUTE_FULL:
        return model + forward;
    case RECOMPUTE_SHARE:
        return model + run->recompute_share * forward;
    case RECOMPUTE_SELECTIVE:
        return model + attention;
    case RECOMPUTE_NONE:
        break;
    }
    return model;
}

const char *attention_name(enum attention attention)
{
    return run_attention_words[attention];
}

const char *recompute_name(enum recompute recompute)
{
    return recompute == RECOMPUTE_SHARE ? "share" : run_recompute_words[recompute];
}

/* Letters in one case, '-' and '_' as blanks: "nvidia_h100-pcie" is H100 PCIE. */
static char folded(char c)
{
    if (c == '-' || c == '_')
        return ' ';
    return (char)toupper((unsigned char)c);
}

static bool stands_at(struct str text, size_t at, const char *name, size_t len)
{
    if (at + len > text.len)
        return false;
    for (size_t i = 0; i < len; i++)
        if (folded(text.p[at + i]) != folded(name[i]))
            return false;
    /* "A100" is not in "GA1000", nor "L4" in "XL4": no letter or digit before
     * it and no digit after it. */
    bool free_before = at == 0 || !isalnum((unsigned char)text.p[at - 1]);
    bool free_after = at + len == text.len || !isalnum((unsigned char)text.p[at + len]);
    return free_before && free_after;
}

static const struct peak *find_peak(struct str chip)
{
    size_t longest = 0;
    const struct peak *found = NULL;
    for (size_t k = 0; k < PEAK_COUNT; k++) {
        size_t len = strlen(peaks[k].name);
        for (size_t at = 0; len > longest && at + len <= chip.len; at++) {
            if (stands_at(chip, at, peaks[k].name, len)) {
                longest = len;
                found = &peaks[k];
            }
        }
    }
    return found;
}

static double tflops_of(const struct peak *peak, enum number_format format)
{
    switch (format) {
    case NUMBER_BF16:
    case NUMBER_FP16:
        return peak->tflops_16;
    case NUMBER_TF32:
        return peak->tflops_tf32;
    case NUMBER_FP8:
        return peak->tflops_fp8;
    }
    return 0;
}

double peak_flops_of(struct str chip, enum number_format format)
{
    const struct peak *peak = find_peak(chip);
    return peak ? tflops_of(peak, format) * 1e12 : 0;
}

double peak_flops_by_name(struct str chip)
{
    return peak_flops_of(chip, NUMBER_BF16);
}

double run_peak_flops(const struct run *run)
{
    return run->peak_flops > 0 ? run->peak_flops : peak_flops_of(str_from(run->chip), run->format);
}

const char *run_peak_format(const struct run *run)
{
    const struct peak *peak = find_peak(str_from(run->chip));
    bool only_fp16 = peak && !peak->has_bf16 && run->format == NUMBER_BF16;
    return number_format_name(only_fp16 ? NUMBER_FP16 : run->format);
}

/* ---- a name that is not known ---- */

static bool holds_folded(struct str text, struct str part)
{
    for (size_t at = 0; at + part.len <= text.len; at++) {
        size_t i = 0;
        while (i < part.len && folded(text.p[at + i]) == folded(part.p[i]))
            i++;
        if (i == part.len)
            return true;
    }
    return false;
}

/* Two letters or digits at least: "H" stands in too many names. */
static size_t likeness(struct str chip, struct str name)
{
    if (chip.len < 2)
        return 0;
    if (holds_folded(chip, name))
        return name.len;
    return holds_folded(name, chip) ? chip.len : 0;
}

int peak_names_like(struct str chip, const char *names[], int max)
{
    int count = 0;
    for (size_t longest = chip.len; longest >= 2; longest--)
        for (size_t k = 0; k < PEAK_COUNT && count < max; k++)
            if (likeness(chip, str_from(peaks[k].name)) == longest)
                names[count++] = peaks[k].name;
    return count;
}

/* ---- the convention in words ---- */

struct words {
    char *to;
    size_t size, length;
};

static void add(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct words *words, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int more = vsnprintf(words->to + words->length, words->size - words->length, format, arguments);
    va_end(arguments);
    words->length += more > 0 ? (size_t)more : 0;
    if (words->length >= words->size)
        words->length = words->size - 1;
}

const char *mfu_count(char out[MFU_COUNT_BYTES], double count)
{
    static const struct {
        double unit;
        const char *letter;
    } units[] = {{1e12, "T"}, {1e9, "B"}, {1e6, "M"}, {1e3, "K"}, {0, ""}};
    size_t i = 0;
    while (count < units[i].unit)
        i++;
    snprintf(out, MFU_COUNT_BYTES, "%.4g%s", units[i].unit > 0 ? count / units[i].unit : count,
             units[i].letter);
    return out;
}

static void add_attention(struct words *words, const struct run *run)
{
    enum attention attention = mfu_attention(run);
    static const char *const terms[] = {" 12LHS", " 6LHS", ""};
    bool unknown = attention == ATTENTION_NONE && run->attention != ATTENTION_NONE;
    add(words, "attention %s%s%s, ", attention_name(attention), terms[attention],
        unknown ? " (layers, hidden or sequence unknown)" : "");
}

static void add_peak(struct words *words, const struct run *run)
{
    double peak = run_peak_flops(run);
    if (run->peak_flops > 0)
        add(words, "dense peak %.4g TFLOP/s as given", peak / 1e12);
    else if (peak > 0)
        add(words, "%s dense peak %.4g TFLOP/s", run_peak_format(run), peak / 1e12);
    else
        add(words, "%s dense peak unknown", run_peak_format(run));
}

void mfu_convention(const struct run *run, char *out, size_t size)
{
    struct words words = {out, size, 0};
    char count[MFU_COUNT_BYTES];
    assert(size > 0);
    add_attention(&words, run);
    if (run->recompute == RECOMPUTE_SHARE)
        add(&words, "recompute %.3g%% of the layers, ", 100 * run->recompute_share);
    else
        add(&words, "recompute %s, ", recompute_name(run->recompute));
    if (run->active_params > 0)
        add(&words, "active parameters %s", mfu_count(count, run->active_params));
    else if (run->params > 0)
        add(&words, "parameters %s", mfu_count(count, run->params));
    else
        add(&words, "parameters unknown");
    if (trained_share(run) < 1)
        add(&words, ", LoRA %.3g%%", 100 * trained_share(run));
    add(&words, ", ");
    add_peak(&words, run);
}

struct quantity utilization(double tokens, double seconds, double flop_per_token, double gpus,
                            double peak_flops)
{
    if (!(tokens > 0 && seconds > 0 && flop_per_token > 0 && gpus > 0 && peak_flops > 0))
        return quantity_none();
    double value = tokens / seconds * flop_per_token / (gpus * peak_flops);
    return isfinite(value) ? (struct quantity){value, EVIDENCE_COMPUTED} : quantity_none();
}
