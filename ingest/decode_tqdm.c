/* HF Trainer and tqdm: progress bars, and what the Trainer says beside them. Which bar is the
 * training's: decode_tqdm.h. */
#include "decode_tqdm.h"

#include <string.h>

#include "log_format.h"
#include "log_text.h"

#define DRAWN_MAX 64 /* bytes: of lines with longer bars nothing is learned */
#define DRAWN_TIMES 4
#define RUNNING "***** Running training" /* of the Trainer */
#define LOSS "{'loss': "
#define EVALUATED "{'eval_"

/* ---- what the Trainer prints at its end ---- */

static bool read_value(struct str text, const char *name, const char *unit, struct log_out *out)
{
    struct str value;
    double number;
    int64_t clock_ns;
    size_t length;
    if (!log_after(text, name, &value))
        return false;
    while (value.len > 0 && strchr("'\": =", value.p[0]))
        value = log_from(value, 1);
    struct str clock = value;
    if (log_clock(clock, &clock_ns, &length) && memchr(clock.p, ':', length)) {
        log_out_value(out, str_from(name), unit, (double)clock_ns / 1e9);
        return true;
    }
    if (log_number(value, &number, &length) != LOG_NUMBER)
        return false;
    log_out_value(out, str_from(name), unit, number);
    return true;
}

static bool read_end(struct str text, struct log_out *out)
{
    bool any = read_value(text, "train_runtime", "s", out);
    any |= read_value(text, "train_steps_per_second", "steps/s", out);
    return any;
}

struct reader {
    struct tqdm_choice choice;
    struct tqdm_heads heads;
    /* What the last bars drew, and how many did: a line is learned when its like come. */
    char drawn[DRAWN_MAX];
    size_t drawn_length;
    unsigned drawn_times; /* 0: as many bytes as drawn_length, of which none are kept */
};

static void learn(struct reader *reader, struct str drawn, struct log_learned *form)
{
    if (drawn.len != reader->drawn_length || drawn.len > DRAWN_MAX) {
        reader->drawn_length = drawn.len;
        reader->drawn_times = 0;
    } else if (reader->drawn_times == 0 || memcmp(drawn.p, reader->drawn, drawn.len) != 0) {
        memcpy(reader->drawn, drawn.p, drawn.len);
        reader->drawn_times = 1;
    } else if (reader->drawn_times < DRAWN_TIMES) {
        reader->drawn_times++;
    } else {
        log_learn_ready(form, false);
    }
}

static void read_words(struct tqdm_choice *choice, struct str text, struct log_out *out)
{
    if (log_find(text, LOSS) != SIZE_MAX)
        tqdm_choice_loss(choice, out);
    else if (log_find(text, EVALUATED) != SIZE_MAX)
        tqdm_choice_evaluated(choice, out);
    else if (log_find(text, RUNNING) != SIZE_MAX)
        tqdm_choice_running(choice);
}

static enum log_answer line(void *state, const struct log_line *line, struct log_out *out)
{
    struct reader *reader = state;
    struct tqdm_bar bar;
    struct str text = line->text;
    size_t at = 0, plain = 0; /* up to there no '_' is in the text */
    bool any = false;
    for (enum tqdm_answer answer;
         (answer = tqdm_next(&reader->heads, line->body, &at, &bar)) != TQDM_NONE;) {
        if (answer == TQDM_TORN)
            log_out_damaged(out, "a torn bar");
        else
            tqdm_choice_read(&reader->choice, &bar, out);
        if (!any && answer == TQDM_BAR && bar.drawn.p) {
            plain = bar.plain && line->body.p == text.p ? at : 0;
            if (line->form)
                learn(reader, bar.drawn, line->form);
        }
        any = true;
        if (at + 1 == line->body.len) /* too short to hold another */
            break;
    }
    if (!any && tqdm_ultralytics(&reader->heads, line->body, &bar)) {
        tqdm_choice_read(&reader->choice, &bar, out);
        return LOG_TAKEN;
    }
    /* A bar ends without a newline: words may stand right behind its ']'. */
    struct str words = any ? log_from(line->body, at) : text;
    if (!any || (words.len > 1 && words.p[0] == ']'))
        read_words(&reader->choice, words, out);
    struct str rest = log_from(text, plain);
    if (rest.len > 1 && log_find(rest, "train_") != SIZE_MAX && read_end(text, out)) {
        any = true;
        tqdm_choice_ended(&reader->choice, out);
    }
    return any ? LOG_TAKEN : LOG_OTHER;
}

static void end(void *state, struct log_out *out)
{
    tqdm_choice_end(&((struct reader *)state)->choice, out);
}

/* What is learned of a line is which formats are asked: it is read as any. */
static bool again(void *state, const struct log_line *bar, const struct log_values *values,
                  struct log_out *out)
{
    (void)values;
    return line(state, bar, out) == LOG_TAKEN;
}

static const char *const anchors[] = {"it/s]",
                                      "s/it]",
                                      "it/s,",
                                      "s/it,",
                                      "it/s ",
                                      "batch/s",
                                      "s/batch",
                                      "step/s",
                                      "s/step",
                                      "kB/s]",
                                      "MB/s]",
                                      "GB/s]",
                                      "examples/s]",
                                      "iter/s]",
                                      "s/iter]",
                                      "ba/s]",
                                      "train_runtime",
                                      "samples/s]",
                                      "train_steps_per_second",
                                      LOSS,
                                      RUNNING,
                                      EVALUATED,
                                      NULL};
const struct format format_tqdm = {
    .name = "tqdm",
    .title = "HF Trainer, tqdm",
    .needs = "the bar, which is drawn by default (disable_tqdm=False)",
    .tells = "step time of the job within a second, from the bar's clock",
    .lacks = "the times of single ranks, the phases of a step",
    .how = LOG_HOW_NCCL,
    .anchors = anchors,
    .state_bytes = sizeof(struct reader),
    .line = line,
    .again = again,
    .end = end,
};
