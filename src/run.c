/* The defaults of a run's description, and what follows from its sizes. */
#include "run.h"

#include <string.h>

#include "str.h"

void run_init(struct run *run)
{
    *run = (struct run){.threshold = 0.05, .window = 50, .lora_share = 1, .order = "tp-dp-pp"};
}

int run_stage_of(const struct run *run, uint32_t rank)
{
    if (run->pp < 1)
        return -1;
    int64_t tp = run->tp > 0 ? run->tp : 1, dp = run->dp > 0 ? run->dp : 1;
    if (rank >= tp * dp * run->pp)
        return -1;
    int64_t stride = 1; /* ranks from one stage to the next */
    for (const char *word = run->order; *word && strncmp(word, "pp", 2) != 0;) {
        stride *= strncmp(word, "tp", 2) == 0 ? tp : strncmp(word, "dp", 2) == 0 ? dp : 1;
        const char *dash = strchr(word, '-');
        word = dash ? dash + 1 : "";
    }
    return (int)(rank / stride % run->pp);
}
