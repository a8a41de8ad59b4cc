/* The options of `lockstep feed`. */
#include "command_feed_options.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "str.h"

#define STEPS_UNPACED 1000
#define START_UNPACED_NS (INT64_C(1800000000) * 1000000000)

static const char usage[] =
    "Usage: lockstep feed [OPTION]...\n"
    "Write step records, simulated or recorded, paced in time.\n"
    "\n"
    "Where to:\n"
    "  -o, --to WHERE           - (standard output, the default), a folder (rank0.jsonl, ...,\n"
    "                           run.json), a file (*.jsonl, *.json, *.ndjson, *.log), or\n"
    "                           udp://HOST:PORT\n"
    "      --append             add to files that are there already\n"
    "      --overwrite          replace files that are there already\n"
    "      --batch N            at most N records a datagram (1)\n"
    "\n"
    "How fast:\n"
    "      --speed X            X times as fast as the job (1); max: not paced\n"
    "      --no-pacing          the same as --speed max\n"
    "      --steps N            stop after N steps (paced: never; not paced: 1000)\n"
    "\n"
    "What, recorded:\n"
    "      --from-recording PATH  lines of a file, or of a folder's files step by step, as they\n"
    "                           are, paced by their \"t\" (a pause is 60 s at most)\n"
    "\n"
    "What, simulated:\n"
    "      --ranks N            ranks (8)\n"
    "      --seed N             the same seed gives the same records (1)\n"
    "      --step-time SECONDS  of a step without jitter (1)\n"
    "      --jitter PERCENT     standard deviation of a rank's own time (2)\n"
    "      --slow RANK:FACTOR[:PHASE[+PHASE]...][@FROM[-TO]]\n"
    "                           a slow rank, 5:1.1 or 5:1.3:data@100-200; may be repeated;\n"
    "                           phases: data, forward, backward, optimizer (forward+backward)\n"
    "      --rotate             another slow rank in each step\n"
    "      --overlapped         no sync in the records: the waiting is inside backward\n"
    "      --figure-1.5         own times 0.97 to 1.02 s and rank 5 at 1.10 s, no jitter\n"
    "      --hosts N            N ranks a host, and host names\n"
    "      --clock-spread SECONDS  the clocks of the hosts differ by up to this, either way\n"
    "      --groups N           N groups of ranks (pipeline stages)\n"
    "      --tokens N           tokens a rank a step, in each record\n"
    "      --restart AT:TO      die before step AT is done, and go on from step TO\n"
    "      --missing RANK@STEP  this rank reports nothing from this step on\n"
    "      --start SECONDS      Unix time of the begin (paced: now; not paced: 1800000000)\n"
    "\n"
    "  -h, --help               this text\n";

enum {
    OPT_APPEND = 256,
    OPT_OVERWRITE,
    OPT_BATCH,
    OPT_SPEED,
    OPT_NO_PACING,
    OPT_STEPS,
    OPT_FROM_RECORDING,
    OPT_RANKS,
    OPT_SEED,
    OPT_STEP_TIME,
    OPT_JITTER,
    OPT_SLOW,
    OPT_ROTATE,
    OPT_OVERLAPPED,
    OPT_FIGURE,
    OPT_HOSTS,
    OPT_CLOCK_SPREAD,
    OPT_GROUPS,
    OPT_TOKENS,
    OPT_RESTART,
    OPT_MISSING,
    OPT_START,
};

static const struct option long_options[] = {
    {"to", required_argument, NULL, 'o'},
    {"append", no_argument, NULL, OPT_APPEND},
    {"overwrite", no_argument, NULL, OPT_OVERWRITE},
    {"batch", required_argument, NULL, OPT_BATCH},
    {"speed", required_argument, NULL, OPT_SPEED},
    {"no-pacing", no_argument, NULL, OPT_NO_PACING},
    {"steps", required_argument, NULL, OPT_STEPS},
    {"from-recording", required_argument, NULL, OPT_FROM_RECORDING},
    {"ranks", required_argument, NULL, OPT_RANKS},
    {"seed", required_argument, NULL, OPT_SEED},
    {"step-time", required_argument, NULL, OPT_STEP_TIME},
    {"jitter", required_argument, NULL, OPT_JITTER},
    {"slow", required_argument, NULL, OPT_SLOW},
    {"rotate", no_argument, NULL, OPT_ROTATE},
    {"overlapped", no_argument, NULL, OPT_OVERLAPPED},
    {"figure-1.5", no_argument, NULL, OPT_FIGURE},
    {"hosts", required_argument, NULL, OPT_HOSTS},
    {"clock-spread", required_argument, NULL, OPT_CLOCK_SPREAD},
    {"groups", required_argument, NULL, OPT_GROUPS},
    {"tokens", required_argument, NULL, OPT_TOKENS},
    {"restart", required_argument, NULL, OPT_RESTART},
    {"missing", required_argument, NULL, OPT_MISSING},
    {"start", required_argument, NULL, OPT_START},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* Cuts *rest at the first `separator`; the whole when there is none. */
static struct str cut(struct str *rest, char separator)
{
    const char *at = rest->len ? memchr(rest->p, separator, rest->len) : NULL;
    struct str head = at ? str_of(rest->p, (size_t)(at - rest->p)) : *rest;
    *rest = at ? str_of(at + 1, rest->len - head.len - 1) : str_of(NULL, 0);
    return head;
}

static bool parse_phases(struct str text, unsigned *ret_phases)
{
    unsigned phases = 0;
    while (text.len) {
        struct str name = cut(&text, '+');
        unsigned bit = 0;
        for (int phase = 0; phase < PHASE_COUNT; phase++) {
            if (phase != PHASE_SYNC && str_is(name, phase_name((enum phase)phase)))
                bit = 1u << phase;
        }
        if (!bit)
            return false;
        phases |= bit;
    }
    *ret_phases = phases;
    return true;
}

/* RANK:FACTOR[:PHASE[+PHASE]...][@FROM[-TO]] */
static bool parse_slow(const char *text, struct simulate_options *options)
{
    struct simulate_slow slow = {.to_step = INT64_MAX};
    struct str span = str_from(text), what = cut(&span, '@');
    struct str rank_text = cut(&what, ':'), factor = cut(&what, ':');
    int64_t rank;
    if (options->slow_count == SIMULATE_SLOW_MAX ||
        !str_to_int(rank_text, 0, SIMULATE_RANKS_MAX - 1, &rank) ||
        !str_to_double(factor, &slow.factor) || slow.factor < 0.001 || slow.factor > 1000 ||
        !parse_phases(what, &slow.phases))
        return false;
    if (span.len) {
        struct str from = cut(&span, '-');
        if (!str_to_int(from, 0, RECORD_STEP_MAX, &slow.from_step) ||
            (span.len && !str_to_int(span, slow.from_step, RECORD_STEP_MAX, &slow.to_step)))
            return false;
    }
    slow.rank = (uint32_t)rank;
    options->slow[options->slow_count++] = slow;
    return true;
}

static bool parse_pair(const char *text, char separator, int64_t *ret_first, int64_t *ret_second)
{
    struct str rest = str_from(text), first = cut(&rest, separator);
    return str_to_int(first, 0, RECORD_STEP_MAX, ret_first) &&
           str_to_int(rest, 0, RECORD_STEP_MAX, ret_second);
}

static bool parse_int(const char *text, int64_t low, int64_t high, int64_t *ret)
{
    return str_to_int(str_from(text), low, high, ret);
}

static bool parse_double(const char *text, double low, double high, double *ret)
{
    double value;
    if (!str_to_double(str_from(text), &value) || value < low || value > high)
        return false;
    *ret = value;
    return true;
}

static bool parse_u32(const char *text, uint32_t low, uint32_t high, uint32_t *ret)
{
    int64_t value;
    if (!parse_int(text, low, high, &value))
        return false;
    *ret = (uint32_t)value;
    return true;
}

static bool parse_speed(const char *text, double *ret)
{
    if (strcmp(text, "max") == 0) {
        *ret = 0;
        return true;
    }
    return parse_double(text, 1e-6, 1e12, ret);
}

static bool take_simulation(struct feed_options *options, int option, const char *value)
{
    struct simulate_options *simulate = &options->simulate;
    double number;
    int64_t integer;
    switch (option) {
    case OPT_RANKS:
        return parse_u32(value, 1, SIMULATE_RANKS_MAX, &simulate->ranks);
    case OPT_SEED:
        if (!parse_int(value, 0, INT64_MAX, &integer))
            return false;
        simulate->seed = (uint64_t)integer;
        return true;
    case OPT_STEP_TIME:
        return parse_double(value, 1e-5, 1e4, &options->step_time_s);
    case OPT_JITTER:
        if (!parse_double(value, 0, 100, &number))
            return false;
        simulate->jitter = number / 100;
        return true;
    case OPT_SLOW:
        return parse_slow(value, simulate);
    case OPT_ROTATE:
        return simulate->rotate = true;
    case OPT_OVERLAPPED:
        return simulate->overlapped = true;
    case OPT_HOSTS:
        return parse_u32(value, 1, SIMULATE_RANKS_MAX, &simulate->ranks_per_host);
    case OPT_CLOCK_SPREAD:
        if (!parse_double(value, 0, 1e6, &number))
            return false;
        simulate->clock_spread_ns = llround(number * 1e9);
        return true;
    case OPT_GROUPS:
        return parse_u32(value, 1, SIMULATE_RANKS_MAX, &simulate->groups);
    case OPT_TOKENS:
        return parse_int(value, 1, RECORD_TOKENS_MAX / SIMULATE_RANKS_MAX, &simulate->tokens);
    case OPT_RESTART:
        return parse_pair(value, ':', &simulate->restart_at, &simulate->restart_to) &&
               simulate->restart_to <= simulate->restart_at;
    case OPT_MISSING:
        return parse_pair(value, '@', &simulate->missing_rank, &simulate->missing_from);
    default:
        return false;
    }
}

static bool take_option(struct feed_options *options, int option, const char *value)
{
    int64_t integer;
    switch (option) {
    case 'o':
        options->output.to = value;
        return *value != '\0';
    case OPT_APPEND:
        options->output.existing = FEED_APPEND;
        return true;
    case OPT_OVERWRITE:
        options->output.existing = FEED_OVERWRITE;
        return true;
    case OPT_BATCH:
        if (!parse_int(value, 1, 10000, &integer))
            return false;
        options->output.batch = (int)integer;
        return true;
    case OPT_SPEED:
        return parse_speed(value, &options->speed);
    case OPT_NO_PACING:
        options->speed = 0;
        return true;
    case OPT_STEPS:
        return parse_int(value, 1, RECORD_STEP_MAX, &options->steps);
    case OPT_FROM_RECORDING:
        options->recording = value;
        return true;
    case OPT_START:
        return parse_double(value, 0, 4e9, &options->start_s);
    default:
        return take_simulation(options, option, value);
    }
}

void feed_options_init(struct feed_options *options)
{
    *options = (struct feed_options){
        .step_time_s = 1,
        .start_s = -1,
        .speed = 1,
        .output = {.to = "-", .batch = 1},
    };
    simulate_options_init(&options->simulate);
}

/* The figure's composition and own times; what was asked for besides stays. */
static void take_figure(struct simulate_options *options)
{
    struct simulate_options figure;
    simulate_options_figure_1_5(&figure);
    options->ranks = figure.ranks;
    options->jitter = figure.jitter;
    options->own_share = figure.own_share;
    memcpy(options->phase_ns, figure.phase_ns, sizeof options->phase_ns);
}

static void settle(struct feed_options *options, bool figure)
{
    struct simulate_options *simulate = &options->simulate;
    simulate_options_step_time(simulate, llround(options->step_time_s * 1e9));
    if (figure)
        take_figure(simulate);
    if (simulate->rotate && simulate->slow_count == 0)
        simulate->slow[simulate->slow_count++] =
            (struct simulate_slow){.factor = 1.1, .to_step = INT64_MAX};
    if (options->start_s >= 0) {
        simulate->start_ns = llround(options->start_s * 1e6) * 1000;
    } else if (options->speed > 0) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        simulate->start_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    } else {
        simulate->start_ns = START_UNPACED_NS;
    }
    if (options->steps == 0)
        options->steps = options->speed > 0 || options->recording ? INT64_MAX : STEPS_UNPACED;
    options->output.paced = options->speed > 0;
    options->output.ranks = options->recording ? 0 : simulate->ranks;
}

static int wrong_use(const char *what, const char *value)
{
    fprintf(stderr, "lockstep: feed: %s%s, see lockstep feed --help\n", what, value);
    return 2;
}

int feed_options_parse(struct feed_options *options, int argc, char **argv)
{
    bool figure = false;
    int option, index = -1;
    optind = 0; /* the program may have parsed its own options before */
    opterr = 0;
    while ((option = getopt_long(argc, argv, "ho:", long_options, &index)) != -1) {
        if (option == 'h') {
            fputs(usage, stdout);
            return 0;
        }
        if (option == '?')
            return wrong_use("unknown option, or one without its value: ", argv[optind - 1]);
        if (option == OPT_FIGURE) {
            figure = true;
        } else if (!take_option(options, option, optarg)) {
            fprintf(stderr, "lockstep: feed: --%s: ", index < 0 ? "to" : long_options[index].name);
            fprintf(stderr, "%s is not a value for it, see lockstep feed --help\n", optarg);
            return 2;
        }
        index = -1;
    }
    if (optind < argc)
        return wrong_use("needless argument ", argv[optind]);
    settle(options, figure);
    for (int i = 0; i < options->simulate.slow_count; i++) {
        if (options->simulate.slow[i].rank >= options->simulate.ranks)
            return wrong_use("--slow: there is no such rank", "");
    }
    return FEED_GO_ON;
}
