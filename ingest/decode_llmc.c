/* llm.c, its C, CUDA and Python programs:
 * "step    1/19560 | loss 11.0 (+nanz)| norm 15.1 (+nanz)| lr 8.57e-07 | 4621.47 ms | 29.2% bf16
 * MFU | 113446 tok/s", "step 0: train loss 5.35 (took 1389.2 ms)" and what was between; and
 * llama2.c's: "10 | loss 8.0123 | lr 5.000000e-04 | 1234.56ms | mfu 31.20%". */
#include <string.h>

#include "decode_generally.h"
#include "log_format.h"
#include "log_piece.h"
#include "log_scan.h"
#include "log_text.h"

struct llmc {
    int64_t batch, processes; /* tokens a step, GPUs; 0: not known */
    bool seen;                /* a line of a step */
    uint32_t early;           /* evaluations before it, behind what may be anybody's prefix */
    struct log_writers writers;
};

struct values {
    bool timed, rated, shared, not_number;
    double ms, rate, mfu;
};

/* The number that ends right before `at`, after a blank or a bracket. */
static enum log_number number_before(struct str s, size_t at, double *ret)
{
    size_t begin = at;
    while (begin > 0 && s.p[begin - 1] != ' ' && s.p[begin - 1] != '(' && s.p[begin - 1] != '|')
        begin--;
    return log_number_whole(log_until(log_from(s, begin), at - begin), NULL, ret);
}

static bool is_end(struct str s, size_t at)
{
    return at == s.len || s.p[at] == ' ' || s.p[at] == ')' || s.p[at] == '|' || s.p[at] == ',';
}

static bool take_unit(struct str text, const char *unit, size_t length, bool *ret_is, double *ret,
                      struct values *values)
{
    size_t at = log_find(text, unit);
    if (at == SIZE_MAX)
        return true;
    if (!is_end(text, at + length))
        return false;
    enum log_number kind = number_before(text, at, ret);
    values->not_number |= kind == LOG_NO_NUMBER;
    *ret_is = kind == LOG_NUMBER;
    return kind != LOG_NOTHING && log_find_from(text, at + length, unit) == SIZE_MAX;
}

/* False: torn. */
static bool values_of(struct str text, struct values *ret)
{
    bool percent = false;
    if (!take_unit(text, " ms", 3, &ret->timed, &ret->ms, ret) ||
        !take_unit(text, " tok/s", 6, &ret->rated, &ret->rate, ret))
        return false;
    size_t mfu = log_find(text, " MFU"), sign = log_find(text, "% ");
    if (mfu != SIZE_MAX && sign != SIZE_MAX && sign < mfu)
        percent = number_before(text, sign, &ret->mfu) == LOG_NUMBER;
    ret->shared = percent && ret->mfu > 0; /* -100%: the peak is not known */
    bool took = log_find(text, "(took ") != SIZE_MAX && log_find(text, " ms)") != SIZE_MAX;
    return ret->timed && (ret->rated || took);
}

/* " (+nanz)", " (-0.12z)" */
static bool scan_score(struct log_scan *scan)
{
    return log_scan_text(scan, " (") &&
           (log_scan_text(scan, "+nan") || log_scan_skip_number(scan)) &&
           log_scan_text(scan, "z)| ");
}

enum { STEP, TOTAL, TIME, MFU, RATE }; /* fields of the usual form */

static bool scan_number(struct log_scan *scan, int64_t *ret_step, int64_t *ret_total)
{
    log_scan_blanks(scan);
    return log_scan_integer_to(scan, STEP, ret_step) && log_scan_text(scan, "/") &&
           log_scan_integer_to(scan, TOTAL, ret_total) && *ret_step <= *ret_total;
}

/* The usual form: of the CUDA program. */
static bool scan(const struct log_line *line, int64_t *ret_step, int64_t *ret_total,
                 struct values *ret)
{
    struct log_scan scan;
    double loss;
    size_t at;
    *ret = (struct values){.timed = true, .rated = true};
    bool fits = log_scan_head(&scan, line, "step", &at) &&
                scan_number(&scan, ret_step, ret_total) && log_scan_text(&scan, " | loss ") &&
                log_scan_number(&scan, &loss) && scan_score(&scan) &&
                log_scan_text(&scan, "norm ") && log_scan_skip_number(&scan) && scan_score(&scan) &&
                log_scan_text(&scan, "lr ") && log_scan_skip_number(&scan) &&
                log_scan_text(&scan, " | ") && log_scan_number_to(&scan, TIME, &ret->ms) &&
                log_scan_text(&scan, " ms | ") && log_scan_number_to(&scan, MFU, &ret->mfu) &&
                (log_scan_text(&scan, "% bf16 MFU | ") || log_scan_text(&scan, "% fp32 MFU | ")) &&
                log_scan_number_to(&scan, RATE, &ret->rate) && log_scan_text(&scan, " tok/s") &&
                log_scan_ready(&scan);
    ret->shared = fits && ret->mfu > 0; /* -100%: the peak is not known */
    return fits;
}

/* total: steps of the run; 0: not told. */
static void put(struct llmc *llmc, int64_t writer, int64_t step, int64_t total,
                const struct values *values, struct log_out *out)
{
    int64_t ns;
    if (values->ms <= 0 || !log_duration(values->ms, LOG_MILLISECOND, &ns)) {
        log_out_count(out, LOG_IMPOSSIBLE, "step %lld: %g ms", (long long)step, values->ms);
        return;
    }
    if (log_writers_turn(&llmc->writers, writer, step, ns) == LOG_TURN_DOUBLED) {
        log_out_count(out, LOG_DOUBLED, "step %lld", (long long)step);
        return;
    }
    struct record record = log_job(step, ns);
    if (values->shared) {
        log_job_mfu(&record, values->mfu, out);
        log_out_value(out, str_from("MFU"), "%", values->mfu);
    }
    if (llmc->batch > 0) {
        record.tokens = llmc->batch;
        record.has |= RECORD_TOKENS;
    }
    if (llmc->processes > 0) {
        record.gpus = llmc->processes;
        record.has |= RECORD_GPUS;
    }
    if (values->rated)
        log_out_value(out, str_from("tokens a second (smoothed)"), "tokens/s", values->rate);
    log_out_record(out, &record);
    if (total > 0)
        log_out_planned(out, total);
    llmc->seen = true;
}

/* "    1/19560 |" or "   0:" behind "step": the text behind it. */
static bool take_number(struct str *text, int64_t *ret, int64_t *ret_total)
{
    size_t length;
    struct str rest = log_trim(*text);
    if (!log_integer(rest, ret, &length))
        return false;
    rest = log_from(rest, length);
    if (rest.len > 0 && rest.p[0] == '/') {
        rest = log_from(rest, 1);
        if (!log_integer(rest, ret_total, &length) || *ret > *ret_total)
            return false;
        rest = log_from(rest, length);
    }
    rest = log_trim(rest);
    if (rest.len == 0 || (rest.p[0] != '|' && rest.p[0] != ':'))
        return false;
    *text = log_trim(log_from(rest, 1));
    rest = log_begins(*text, "train ") ? log_from(*text, strlen("train ")) : *text;
    double loss; /* LitGPT: "loss train: 1.657" */
    return log_begins(rest, "loss ") &&
           log_number(log_trim(log_from(rest, strlen("loss "))), &loss, &length) != LOG_NOTHING;
}

static bool take_step(struct llmc *llmc, const struct log_piece *piece, int64_t writer,
                      struct log_out *out)
{
    struct str text = log_from(piece->text, 4);
    struct values values = {0};
    int64_t step, total = 0;
    if (!take_number(&text, &step, &total))
        return false;
    bool whole = values_of(text, &values);
    if (!whole && !values.timed && !llmc->seen && log_find(text, "z)|") == SIZE_MAX)
        return false; /* "step 0: train loss 4.1, val loss 4.2" is nanoGPT's */
    if (!whole && log_find(text, "val loss ") != SIZE_MAX)
        return false;
    if (!whole && values.not_number)
        log_out_count(out, LOG_NOT_NUMBER, NULL);
    else if (!whole)
        log_out_damaged(out, "a torn line of a step");
    else
        put(llmc, writer, step, total, &values, out);
    return true;
}

/* The next of the parts between bars: `name`, a number, `unit`. False: it is not. */
static bool next_number(struct str *rest, const char *name, const char *unit, double *ret,
                        enum log_number *ret_kind)
{
    struct str part;
    if (!log_next_part(rest, "|", &part) || !log_begins(part, name))
        return false;
    *ret_kind = log_number_whole(log_from(part, strlen(name)), unit, ret);
    return *ret_kind != LOG_NOTHING && (!unit || log_ends(part, unit));
}

/* llama2.c's line: whether it is one. */
static bool take_llama(struct llmc *llmc, const struct log_line *line, struct log_out *out)
{
    struct values values = {.timed = true};
    int64_t step;
    size_t begin, at = log_find(line->text, " | loss ");
    double loss, rate;
    enum log_number kind, any;
    if (at == SIZE_MAX || !log_integer_before(line->text, at, &step, &begin) ||
        (begin > 0 && !strchr(" :]>\t", line->text.p[begin - 1])))
        return false;
    struct str rest = log_from(line->text, at + strlen(" | "));
    if (!next_number(&rest, "loss ", NULL, &loss, &any) ||
        !next_number(&rest, "lr ", NULL, &rate, &any))
        return false;
    if (!next_number(&rest, "", "ms", &values.ms, &kind) ||
        !next_number(&rest, "mfu ", "%", &values.mfu, &any) || log_trim(rest).len > 0) {
        if (llmc->seen)
            log_out_damaged(out, "a torn line of a step");
        return llmc->seen; /* another trainer's */
    }
    values.shared = any == LOG_NUMBER && values.mfu > 0; /* -100%: not known yet */
    if (kind == LOG_NUMBER)
        put(llmc, line->writer, step, 0, &values, out);
    else
        log_out_count(out, LOG_NOT_NUMBER, NULL);
    return true;
}

/* "| total batch size      | 524288       |": the number in its second column. */
static bool row(struct str text, const char *name, double *ret)
{
    size_t at = log_find(text, name);
    if (at == SIZE_MAX)
        return false;
    struct str rest = log_from(text, at + 1), cell;
    if (!log_next_part(&rest, "|", &cell) || log_find(rest, "|") == SIZE_MAX)
        return false;
    return log_next_part(&rest, "|", &cell) && log_number_whole(cell, NULL, ret) == LOG_NUMBER;
}

static bool take_setup(struct llmc *llmc, struct str text, struct log_out *out)
{
    double number;
    if (row(text, "| total batch size ", &number))
        llmc->batch = number >= 1 && number < 1e15 ? (int64_t)number : 0;
    else if (row(text, "| num_processes ", &number))
        llmc->processes = number >= 1 && number <= (double)RECORD_RANK_MAX ? (int64_t)number : 0;
    else if (row(text, "| peak TFlops ", &number))
        log_out_value(out, str_from("peak used for the MFU"), "TFLOP/s", number);
    else
        return false;
    return true;
}

#define FRONT_BYTES 128 /* that a logger may write in front */

/* Whether this is what the line says, behind what loggers write in front: no other words. */
static bool says(const struct log_line *line, const char *what)
{
    size_t at = log_find(line->text, what), from = at;
    if (log_begins(line->body, what) || at == 0)
        return true;
    if (at == SIZE_MAX || at > FRONT_BYTES)
        return false;
    while (from > 0 && (line->text.p[from - 1] == ' ' || line->text.p[from - 1] == '\t'))
        from--;
    bool blank = from < at;
    return from == 0 || strchr(":]|->", line->text.p[from - 1]) ||
           (blank && log_is_digit(line->text.p[from - 1]));
}

/* They are those of llm.c where its steps are. */
static enum log_answer take_evaluation(struct llmc *llmc, struct log_out *out)
{
    if (!llmc->seen) {
        llmc->early++;
        return LOG_OTHER;
    }
    log_out_count_more(out, LOG_EVALUATION, 1 + (uint64_t)llmc->early);
    llmc->early = 0;
    return LOG_TAKEN;
}

enum log_answer llmc_generally(void *state, const struct log_line *line, struct log_out *out)
{
    struct llmc *llmc = state;
    struct str rest = line->text, text = line->body;
    struct log_piece piece;
    bool taken = false;
    while (log_next_piece(&rest, line, "step", &piece))
        taken |= take_step(llmc, &piece, line->writer, out);
    if (taken || take_llama(llmc, line, out))
        return LOG_TAKEN;
    if (log_begins(text, "evaluating HellaSwag: "))
        return LOG_TAKEN;
    if (log_begins(text, "val loss ") || log_begins(text, "HellaSwag: ") ||
        log_begins(text, "Writing checkpoint at step ")) {
        log_out_count(out, LOG_EVALUATION, NULL);
        return LOG_TAKEN;
    }
    if (log_find(line->text, "evaluating HellaSwag: ") == SIZE_MAX &&
        (says(line, "val loss ") || says(line, "HellaSwag: ") ||
         says(line, "Writing checkpoint at step ")))
        return take_evaluation(llmc, out);
    return take_setup(llmc, text, out) ? LOG_TAKEN : LOG_OTHER;
}

static enum log_answer line(void *state, const struct log_line *line, struct log_out *out)
{
    struct values values;
    int64_t step, total = 0;
    if (!scan(line, &step, &total, &values)) {
        log_scan_forget(line);
        return llmc_generally(state, line, out);
    }
    put(state, line->writer, step, total, &values, out);
    return LOG_TAKEN;
}

static bool again(void *state, const struct log_line *line, const struct log_values *values,
                  struct log_out *out)
{
    struct values is = {.timed = true,
                        .rated = true,
                        .shared = values->number[MFU] > 0,
                        .ms = values->number[TIME],
                        .rate = values->number[RATE],
                        .mfu = values->number[MFU]};
    int64_t step, total;
    if (!log_values_integer(values, STEP, &step) || !log_values_integer(values, TOTAL, &total) ||
        step > total)
        return false;
    put(state, line->writer, step, total, &is, out);
    return true;
}

static const char *const anchors[] = {"| loss ",
                                      "| train loss ",
                                      ": train loss ",
                                      "val loss ",
                                      "HellaSwag: ",
                                      "Writing checkpoint at step ",
                                      "| total batch size ",
                                      "| num_processes ",
                                      "| peak TFlops ",
                                      NULL};

const struct format format_llmc = {
    .name = "llmc",
    .title = "llm.c",
    .needs = "its standard output: main.log has no times",
    .tells = "step time, MFU, tokens a step, GPUs",
    .lacks = "the times of single ranks and of phases",
    .how = LOG_HOW_NCCL,
    .anchors = anchors,
    .state_bytes = sizeof(struct llmc),
    .line = line,
    .again = again,
};
