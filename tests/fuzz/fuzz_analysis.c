/* The model, whole, and all that is shown of it: bytes become a run, records and
 * moments to look at them. Every summary, screen and report keeps its promises,
 * and having looked changes nothing: the same records, summed up once at the end,
 * give the same report.
 *
 * Eight bytes of options or so, then a byte that says what comes, and what it needs:
 * blocks of steps in a pattern, so that short inputs make long runs; single records
 * of any times; restarts; silence; summaries; keys; another run.json. */
#include <string.h>

#include "analysis.h"
#include "analysis_checks.h"
#include "fuzz.h"
#include "model.h"

#define RECORDS_MAX 3000
#define LOOKS_MAX 6
#define RANKS_MAX 41
#define MS INT64_C(1000000)

struct bytes {
    const uint8_t *at, *end;
};

/* What was done, to be done again without looking. */
struct deed {
    bool is_run;
    struct record record;
    struct run run;
};

struct job {
    struct analysis_options options;
    struct analysis *analysis;
    struct summary summary;
    struct rank_detail detail;
    struct view_model model;
    int64_t step, clock_ns, begin_ns;
    uint32_t random;
    uint8_t host, group;
    int looks;
    size_t count;
    struct deed *deeds;
};

static uint8_t next(struct bytes *bytes)
{
    return bytes->at < bytes->end ? *bytes->at++ : 0;
}

static struct str name_of(uint8_t which)
{
    static const char *const names[8] = {
        "node1",
        "node2",
        "pp0",
        "stage3",
        "\x1b[31m\xe2\x80\xae",
        "\xe4\xb8\x96\xe7\x95\x8c",
        "a\nb\"\\c",
        "a-name-that-is-longer-than-any-name-may-be-and-so-is-cut-somewhere-here"};
    return str_from(names[which % 8]);
}

/* Times of all sizes: 0, one nanosecond, ordinary ones, the largest that may be. */
static int64_t duration(struct bytes *bytes)
{
    static const int64_t edges[8] = {0,
                                     1,
                                     2,
                                     MS,
                                     60000 * MS,
                                     RECORD_DURATION_MAX_NS / 2,
                                     RECORD_DURATION_MAX_NS - 1,
                                     RECORD_DURATION_MAX_NS};
    uint8_t byte = next(bytes);
    return byte < 0xE0 ? byte * 5 * MS : edges[byte % 8];
}

/* ---- the run ---- */

static double one_of(uint8_t byte, const double values[4])
{
    return values[byte % 4];
}

static void describe(struct bytes *bytes, struct run *run)
{
    static const char *const chips[4] = {"", "H100", "L4", "\x1b[2J no such chip"};
    uint8_t a = next(bytes), b = next(bytes), c = next(bytes), d = next(bytes);
    run_init(run);
    run->window = (int)one_of(a, (double[]){50, 20, 2, 1000});
    run->threshold = one_of(a >> 2, (double[]){0.05, 0.001, 10, 0.2});
    run->params = one_of(a >> 4, (double[]){0, 405e9, 1, 1e18});
    run->active_params = a >> 6 == 1 ? run->params / 2 : 0;
    run->layers = one_of(b, (double[]){0, 126, 1e6, 1});
    run->hidden = one_of(b >> 2, (double[]){0, 16384, 1e8, 1});
    run->sequence = one_of(b >> 4, (double[]){0, 8192, 1e9, 1});
    run->gpus = one_of(b >> 6, (double[]){0, 8, 1e7, 1});
    run->tokens_per_step = one_of(c, (double[]){0, 16e6, 1e15, 1});
    run->total_tokens = one_of(c >> 2, (double[]){0, 15.6e12, 1e18, 1});
    run->gpu_hour_price = run->gpu_watts = one_of(c >> 4, (double[]){0, 2, 1e6, 1e-300});
    run->peak_flops = one_of(c >> 6, (double[]){0, 989e12, 1e20, 1});
    run->pp = (int)one_of(d, (double[]){0, 4, 1, RUN_SIZE_MAX});
    run->tp = run->dp = (int)one_of(d >> 2, (double[]){0, 2, 1, RUN_SIZE_MAX});
    run->barrier = (enum barrier_choice)(d >> 4) % 3;
    run->attention = (enum attention)(d >> 5) % 3;
    run->simulated = d >> 7;
    run->lora_share = b % 5 ? 1 : 1e-300;
    if (c % 7 == 0)
        run_set_recompute_share(run, 0.5);
    str_copy(run->chip, sizeof(run->chip), str_from(chips[d % 4]));
    str_copy(run->name, sizeof(run->name), name_of(d));
}

static void begin(struct bytes *bytes, struct job *job)
{
    struct analysis_options *options = &job->options;
    analysis_options_init(options);
    describe(bytes, &options->run);
    uint8_t a = next(bytes), b = next(bytes);
    options->close_lag = a & 1 ? 2 : 1 + a % 16;
    options->memory_bytes = b & 1 ? options->memory_bytes : (size_t)b << (b & 2 ? 4 : 10);
    options->keep_history = !(b & 4);
    options->max_ranks = b & 8 ? 65536 : 1 + b % 48;
    options->figures_only = b % 32 == 31;
    if (a & 0x20)
        options->from_step = next(bytes) / 4;
    if (a & 0x40)
        options->to_step = options->from_step > 0 ? options->from_step + next(bytes) : next(bytes);
    job->random = 1u + next(bytes);
    job->clock_ns = a & 0x80 ? 1 : 0;
    job->begin_ns = next(bytes) * (RECORD_BEGIN_MAX_NS / 256);
    job->analysis = analysis_new(options);
    summary_init(&job->summary);
    model_init(&job->model, (enum view_mode)(a % 5));
    job->model.summary = &job->summary;
    job->deeds = calloc(RECORDS_MAX, sizeof(*job->deeds));
    if (!job->deeds)
        abort();
}

static void end(struct job *job)
{
    analysis_free(job->analysis);
    summary_done(&job->summary);
    free(job->deeds);
}

/* ---- records ---- */

static void add(struct job *job, struct record record)
{
    if (job->count == RECORDS_MAX)
        return;
    record.has |= RECORD_RANK | RECORD_STEP;
    if (!(record.has & RECORD_ANY_TIME))
        record.has |= RECORD_STEP_TIME;
    for (int p = 0; p < PHASE_COUNT; p++)
        if (!(record.has & (1u << p)))
            record.phase_ns[p] = 0;
    job->deeds[job->count++] = (struct deed){.record = record};
    job->clock_ns += job->clock_ns ? MS : 0;
    analysis_add(job->analysis, &record, job->clock_ns);
}

static void add_any(struct bytes *bytes, struct job *job)
{
    struct record record = {
        .rank = next(bytes) % RANKS_MAX, .host = name_of(job->host), .group = name_of(job->group)};
    int64_t step = job->step + (int8_t)next(bytes);
    uint8_t has = next(bytes);
    record.step = step < 0 ? 0 : step > RECORD_STEP_MAX ? RECORD_STEP_MAX : step;
    record.has = has | (uint32_t)next(bytes) << 8;
    for (int p = 0; p < PHASE_COUNT; p++)
        record.phase_ns[p] = has & (1u << p) ? duration(bytes) : 0;
    record.compute_ns = duration(bytes);
    record.step_time_ns = duration(bytes);
    record.begin_ns = next(bytes) * (RECORD_BEGIN_MAX_NS / 255);
    record.tokens = has % 3 ? 65536 : RECORD_TOKENS_MAX;
    add(job, record);
}

static uint32_t shaken(struct job *job, uint32_t below)
{
    job->random = job->random * 1664525u + 1013904223u;
    return below ? (job->random >> 8) % below : 0;
}

/* What ranks have in common in a block of steps. */
struct block {
    uint32_t ranks, slow, percent, jitter, wandering;
    bool sync, clocks, overlapped, compute, group, host, tokens;
};

static void add_step(struct job *job, const struct block *block)
{
    int64_t work[RANKS_MAX], most = 0;
    for (uint32_t r = 0; r < block->ranks; r++) {
        bool slow = block->wandering ? r == (uint32_t)(job->step % block->ranks)
                                     : r / (block->group ? 4 : 1) == block->slow;
        work[r] = 800 * MS + (int64_t)shaken(job, block->jitter * 1000) * 1000 +
                  (slow ? 8 * MS * block->percent : 0);
        most = work[r] > most ? work[r] : most;
    }
    for (uint32_t r = 0; r < block->ranks; r++) {
        struct record record = {.rank = r, .step = job->step, .tokens = 65536};
        record.has = block->compute ? RECORD_COMPUTE : RECORD_FORWARD | RECORD_BACKWARD;
        record.has |= (block->sync ? RECORD_SYNC : 0) | (block->clocks ? RECORD_BEGIN : 0) |
                      (block->tokens ? RECORD_TOKENS : 0) | (block->group ? RECORD_GROUP : 0) |
                      (block->host ? RECORD_HOST : 0);
        record.compute_ns = work[r];
        record.phase_ns[PHASE_FORWARD] = work[r] / 3;
        record.phase_ns[PHASE_BACKWARD] = (block->overlapped ? most : work[r]) - work[r] / 3;
        record.phase_ns[PHASE_SYNC] = most - work[r] + 50 * MS;
        record.begin_ns = job->begin_ns + (block->host ? (int64_t)(r / 4) * 7 * MS : 0);
        record.group = name_of((uint8_t)(r / 4));
        record.host = name_of((uint8_t)(r / 4 + job->host));
        add(job, record);
    }
    job->begin_ns += most + 60 * MS;
    job->begin_ns = job->begin_ns > RECORD_BEGIN_MAX_NS ? 0 : job->begin_ns;
    job->step += job->step < RECORD_STEP_MAX;
}

static void add_block(struct bytes *bytes, struct job *job)
{
    uint8_t a = next(bytes), b = next(bytes), c = next(bytes);
    struct block block = {
        .ranks = 1 + a % 12,
        .slow = b % 16,
        .percent = c % 64,
        .jitter = c / 64 * 20,
        .wandering = b & 16,
        .sync = b & 32,
        .clocks = b & 64,
        .overlapped = b & 128,
        .compute = a & 128,
        .group = c % 3 == 0,
        .host = a / 16 % 2 == 0,
        .tokens = a & 64,
    };
    int steps = 1 + next(bytes) % 64;
    for (int i = 0; i < steps; i++)
        add_step(job, &block);
}

/* Values of the whole job: means over as many steps as lie between them, or over more, or
 * fewer. */
static void add_values(struct bytes *bytes, struct job *job)
{
    static const int64_t spans[8] = {1, 10, 7, 1, 100, RECORD_SPAN_MAX, 2, 10};
    static const int64_t flops[4] = {INT64_C(400000000000000), 0, RECORD_FLOPS_MAX, 1};
    static const int64_t shares[4] = {410000000, 0, RECORD_MFU_MAX, 1};
    uint8_t a = next(bytes), b = next(bytes), c = next(bytes);
    int values = 1 + next(bytes) % 48;
    int64_t span = spans[a % 8], length_ns = duration(bytes);
    for (int i = 0; i < values; i++) {
        struct record record = {.step = job->step, .span = span, .tokens = 4096};
        record.has = RECORD_JOB | RECORD_STEP_TIME | (span > 1 ? RECORD_SPAN : 0) |
                     (a & 8 ? RECORD_BEGIN : 0) | (a & 16 ? RECORD_TOKENS : 0) |
                     (a & 32 ? RECORD_FLOPS : 0) | (a & 64 ? RECORD_MFU : 0) |
                     (a & 128 ? RECORD_GPUS : 0) | (c & 1 ? RECORD_DATA | RECORD_FORWARD : 0) |
                     (c % 32 == 31 ? RECORD_CHECKPOINT : 0);
        record.step_time_ns = length_ns + (int64_t)shaken(job, c & 2 ? 1000 : 1) * MS;
        record.step_time_ns =
            record.step_time_ns > RECORD_DURATION_MAX_NS ? 0 : record.step_time_ns;
        record.phase_ns[PHASE_DATA] = record.phase_ns[PHASE_FORWARD] = record.step_time_ns / 4;
        record.flops = flops[b % 4] * (b & 4 && b % 4 != 2 ? 2 : 1);
        record.mfu = shares[b / 8 % 4];
        record.gpus = b & 128 ? RECORD_RANK_MAX : 1 + b / 32 % 4;
        record.begin_ns = job->begin_ns;
        add(job, record);
        job->begin_ns += record.step_time_ns / 2 * (c & 4 ? 2 : 3);
        job->begin_ns = job->begin_ns > RECORD_BEGIN_MAX_NS ? 0 : job->begin_ns;
        job->step += c & 8 ? 1 : c & 16 ? span / 2 + 1 : span;
        job->step = job->step > RECORD_STEP_MAX ? RECORD_STEP_MAX : job->step;
    }
}

static void change_run(struct bytes *bytes, struct job *job)
{
    struct run run;
    describe(bytes, &run);
    if (job->count == RECORDS_MAX)
        return;
    job->deeds[job->count++] = (struct deed){.is_run = true, .run = run};
    analysis_set_run(job->analysis, &run);
}

/* ---- looking ---- */

static struct step_key place(struct bytes *bytes, struct job *job)
{
    struct step_key key = {.latest = true};
    uint8_t byte = next(bytes);
    if (byte & 1)
        key = analysis_find(job->analysis, job->step - byte);
    if (byte & 2)
        key = analysis_move(job->analysis, key, (int8_t)byte);
    if (byte & 4)
        key = (struct step_key){.attempt = (int8_t)byte / 8, .step = job->step - byte};
    return key;
}

static void look_closer(struct job *job, struct step_key key)
{
    const struct summary *summary = &job->summary;
    bool span = job->options.from_step > INT64_MIN || job->options.to_step < INT64_MAX;
    for (size_t i = 0; i < summary->rank_count; i++) {
        uint32_t rank = summary->ranks[i].rank;
        bool known = analysis_rank_detail(job->analysis, key, rank, &job->detail);
        PROMISE(known || span || !summary->shown.known, "every rank has a page");
        if (known)
            check_detail(&job->detail, summary);
    }
    PROMISE(!analysis_rank_detail(job->analysis, key, RECORD_RANK_MAX, &job->detail),
            "nobody has none");
    int64_t selected = job->model.selected;
    bool known =
        selected >= 0 && analysis_rank_detail(job->analysis, key, (uint32_t)selected, &job->detail);
    job->summary.detail = known ? &job->detail : NULL;
}

static void look(struct bytes *bytes, struct job *job)
{
    if (job->looks++ == LOOKS_MAX)
        return;
    struct step_key key = place(bytes, job);
    uint8_t how = next(bytes);
    int64_t now_ns = how & 16 ? INT64_MIN : job->clock_ns + how * 1000 * MS;
    job->summary.brief = how & 32;
    analysis_summary(job->analysis, key, now_ns, &job->summary);
    if (how & 64)
        analysis_ask(job->analysis, how & 128 ? "5" : "node1", &job->summary);
    check_summary(&job->summary);
    look_closer(job, key);
    check_screens(&job->model, how, false);
}

static void press(struct bytes *bytes, struct job *job)
{
    static const uint32_t keys[32] = {'q',        's',       '/',        '5',
                                      KEYS_ENTER, KEYS_ESC,  KEYS_TAB,   KEYS_UP,
                                      KEYS_DOWN,  KEYS_LEFT, KEYS_RIGHT, KEYS_PGUP,
                                      KEYS_PGDN,  KEYS_HOME, KEYS_END,   KEYS_BACKSPACE,
                                      '?',        'r',       'u',        'p',
                                      'x',        'z',       'n',        'N',
                                      'g',        'G',       '.',        ',',
                                      '[',        ']',       '9',        KEYS_SHIFT_TAB};
    uint32_t code = keys[next(bytes) % 32];
    model_key(&job->model, (struct key_event){keys_command(code), code});
}

/* ---- all of it ---- */

static void act(struct bytes *bytes, struct job *job)
{
    uint8_t byte = next(bytes);
    switch (byte % 16) {
    case 0:
        look(bytes, job);
        break;
    case 1:
        job->step -= next(bytes);
        job->step = job->step < 0 ? 0 : job->step;
        break;
    case 2:
        job->step = byte & 16 ? RECORD_STEP_MAX - 300 : job->step + next(bytes);
        break;
    case 3:
        job->host = next(bytes);
        job->group = next(bytes);
        break;
    case 4:
        change_run(bytes, job);
        break;
    case 5:
        job->begin_ns += duration(bytes);
        job->begin_ns = job->begin_ns > RECORD_BEGIN_MAX_NS ? 0 : job->begin_ns;
        break;
    case 6:
    case 7:
        press(bytes, job);
        break;
    case 8:
    case 9:
    case 10:
    case 11:
        add_block(bytes, job);
        break;
    case 15:
        add_values(bytes, job);
        break;
    default:
        add_any(bytes, job);
        job->step += byte / 16 % 4 == 0;
    }
}

static char *finish(struct job *job)
{
    job->summary.brief = false;
    job->summary.detail = NULL;
    analysis_finish(job->analysis);
    analysis_summary(job->analysis, (struct step_key){.latest = true}, INT64_MIN, &job->summary);
    check_summary(&job->summary);
    return check_reports(&job->summary);
}

/* The same without looking. */
static void check_again(const struct job *job, const char *looked_at)
{
    struct job again = {.options = job->options, .analysis = analysis_new(&job->options)};
    summary_init(&again.summary);
    for (size_t i = 0; i < job->count; i++) {
        if (job->deeds[i].is_run)
            analysis_set_run(again.analysis, &job->deeds[i].run);
        else
            analysis_add(again.analysis, &job->deeds[i].record, 0);
    }
    char *json = finish(&again);
    if (strcmp(json, looked_at) != 0)
        fprintf(stderr, "%s\n---- and without looking:\n%s\n", looked_at, json);
    PROMISE(strcmp(json, looked_at) == 0, "looking changes nothing");
    free(json);
    end(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, data + size};
    struct job job = {.count = 0};
    begin(&bytes, &job);
    while (bytes.at < bytes.end && job.count < RECORDS_MAX)
        act(&bytes, &job);
    char *json = finish(&job);
    check_screens(&job.model, job.random, true);
    check_again(&job, json);
    free(json);
    end(&job);
    return 0;
}
