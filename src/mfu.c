/* MFU, HFU and the peaks. */
#include "mfu.h"

#include <ctype.h>
#include <string.h>

static const struct {
    const char *name;
    double tflops;
} peaks[] = {
#define PEAK(name, tflops, source) {name, tflops},
#include "peaks.def"
#undef PEAK
};

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

double mfu_model_flop_per_token(const struct run *run)
{
    double n = parameters(run);
    return n > 0 ? 6 * n + 12 * attention_term(run) : 0;
}

double mfu_hardware_flop_per_token(const struct run *run)
{
    double n = parameters(run);
    if (n <= 0)
        return 0;
    switch (run->recompute) {
    case RECOMPUTE_FULL:
        return 8 * n + 16 * attention_term(run);
    case RECOMPUTE_SELECTIVE:
        return 6 * n + 16 * attention_term(run);
    case RECOMPUTE_NONE:
        break;
    }
    return mfu_model_flop_per_token(run);
}

const char *attention_name(enum attention attention)
{
    static const char *const names[] = {"full", "causal", "none"};
    return names[attention];
}

const char *recompute_name(enum recompute recompute)
{
    static const char *const names[] = {"none", "selective", "full"};
    return names[recompute];
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

double peak_flops_by_name(struct str chip)
{
    size_t longest = 0;
    double tflops = 0;
    for (size_t k = 0; k < sizeof(peaks) / sizeof(peaks[0]); k++) {
        size_t len = strlen(peaks[k].name);
        for (size_t at = 0; len > longest && at + len <= chip.len; at++) {
            if (stands_at(chip, at, peaks[k].name, len)) {
                longest = len;
                tflops = peaks[k].tflops;
            }
        }
    }
    return tflops * 1e12;
}

double run_peak_flops(const struct run *run)
{
    return run->peak_flops > 0 ? run->peak_flops : peak_flops_by_name(str_from(run->chip));
}

struct quantity utilization(double tokens, double seconds, double flop_per_token, double gpus,
                            double peak_flops)
{
    if (!(tokens > 0 && seconds > 0 && flop_per_token > 0 && gpus > 0 && peak_flops > 0))
        return quantity_none();
    double value = tokens / seconds * flop_per_token / (gpus * peak_flops);
    return isfinite(value) ? (struct quantity){value, EVIDENCE_COMPUTED} : quantity_none();
}
