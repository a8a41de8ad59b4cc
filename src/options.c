/* The command line. */
#include "options.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mfu.h"
#include "str.h"

struct option_info {
    enum option_id id;
    const char *name;
    char letter;
    const char *argument;
    unsigned commands;
    const char *help;
};

static const struct option_info infos[] = {
#define OPTION(id, name, letter, argument, commands, help)                                         \
    {OPTION_##id, name, letter, argument, commands, help},
#include "options.def"
#undef OPTION
};

struct parser {
    struct options *options;
    unsigned command;
    char *error;
    size_t error_size;
};

static bool fail(struct parser *parser, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool fail(struct parser *parser, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(parser->error, parser->error_size, format, arguments);
    va_end(arguments);
    return false;
}

/* "405e9", "7B", "1.5T", "65536", "64k". */
static bool read_count(struct str text, double *ret)
{
    static const struct {
        char letter;
        double factor;
    } units[] = {{'k', 1e3}, {'K', 1e3}, {'m', 1e6}, {'M', 1e6},  {'b', 1e9},
                 {'B', 1e9}, {'g', 1e9}, {'G', 1e9}, {'t', 1e12}, {'T', 1e12}};
    double factor = 1;
    for (size_t i = 0; text.len > 1 && i < sizeof(units) / sizeof(units[0]); i++) {
        if (text.p[text.len - 1] == units[i].letter) {
            factor = units[i].factor;
            text.len--;
            break;
        }
    }
    if (!str_to_double(text, ret))
        return false;
    *ret *= factor;
    return true;
}

static bool number(struct parser *parser, const struct option_info *info, const char *text,
                   double low, double high, double *to)
{
    double value;
    if (!read_count(str_from(text), &value) || !(value >= low && value <= high))
        return fail(parser, "--%s takes a number from %g to %g, not '%s'", info->name, low, high,
                    text);
    *to = value;
    return true;
}

static bool integer(struct parser *parser, const struct option_info *info, const char *text,
                    int64_t low, int64_t high, int64_t *to)
{
    if (!str_to_int(str_from(text), low, high, to))
        return fail(parser, "--%s takes a whole number from %lld to %lld, not '%s'", info->name,
                    (long long)low, (long long)high, text);
    return true;
}

static bool choice(struct parser *parser, const struct option_info *info, const char *text,
                   const char *const words[3], int *to)
{
    for (int i = 0; i < 3; i++) {
        if (strcmp(text, words[i]) == 0) {
            *to = i;
            return true;
        }
    }
    return fail(parser, "--%s takes %s, %s or %s, not '%s'", info->name, words[0], words[1],
                words[2], text);
}

static bool slow_rank(struct parser *parser, const char *text)
{
    struct options *options = parser->options;
    const char *colon = strchr(text, ':');
    if (strcmp(text, "none") == 0) {
        options->slow_rank = -1;
        return true;
    }
    if (colon && str_to_int(str_of(text, (size_t)(colon - text)), 0, 131071, &options->slow_rank) &&
        str_to_double(str_from(colon + 1), &options->slow_factor) && options->slow_factor >= 0.1 &&
        options->slow_factor <= 100)
        return true;
    return fail(parser, "--slow takes RANK:FACTOR, such as 5:1.1, or none, not '%s'", text);
}

/* Options of the run. */
static bool set_run(struct parser *parser, const struct option_info *info, const char *text)
{
    static const char *const attentions[] = {"full", "causal", "none"};
    static const char *const recomputes[] = {"none", "selective", "full"};
    static const char *const barriers[] = {"auto", "after", "overlapped"};
    struct run *run = &parser->options->run;
    double value = 0;
    int64_t whole = 0;
    int which = 0;
    switch (info->id) {
    case OPTION_GPUS:
        return number(parser, info, text, 1, 1e7, &run->gpus);
    case OPTION_CHIP:
        str_copy(run->chip, sizeof(run->chip), str_from(text));
        return true;
    case OPTION_PEAK:
        if (!number(parser, info, text, 1e-6, 1e8, &value))
            return false;
        run->peak_flops = value * 1e12;
        return true;
    case OPTION_PARAMS:
        return number(parser, info, text, 1, 1e18, &run->params);
    case OPTION_ACTIVE_PARAMS:
        return number(parser, info, text, 1, 1e18, &run->active_params);
    case OPTION_LAYERS:
        return number(parser, info, text, 1, 1e6, &run->layers);
    case OPTION_HIDDEN:
        return number(parser, info, text, 1, 1e8, &run->hidden);
    case OPTION_SEQUENCE:
        return number(parser, info, text, 1, 1e9, &run->sequence);
    case OPTION_TOKENS:
        return number(parser, info, text, 1, 1e15, &run->tokens_per_step);
    case OPTION_THRESHOLD:
        if (!number(parser, info, text, 0.1, 1000, &value))
            return false;
        run->threshold = value / 100;
        return true;
    case OPTION_WINDOW:
        if (!integer(parser, info, text, 2, 1000, &whole))
            return false;
        run->window = (int)whole;
        return true;
    case OPTION_ATTENTION:
        if (!choice(parser, info, text, attentions, &which))
            return false;
        run->attention = (enum attention)which;
        return true;
    case OPTION_RECOMPUTE:
        if (!choice(parser, info, text, recomputes, &which))
            return false;
        run->recompute = (enum recompute)which;
        return true;
    case OPTION_BARRIER:
        if (!choice(parser, info, text, barriers, &which))
            return false;
        run->barrier = (enum barrier_choice)which;
        return true;
    default:
        return fail(parser, "--%s is not an option of the run", info->name);
    }
}

/* Options of the demo. */
static bool set_demo(struct parser *parser, const struct option_info *info, const char *text)
{
    struct options *options = parser->options;
    double value = 0;
    int64_t whole = 0;
    switch (info->id) {
    case OPTION_RANKS:
        if (!integer(parser, info, text, 1, 65536, &whole))
            return false;
        options->ranks = (uint32_t)whole;
        return true;
    case OPTION_SEED:
        if (!integer(parser, info, text, 0, INT64_MAX, &whole))
            return false;
        options->seed = (uint64_t)whole;
        return true;
    case OPTION_JITTER:
        if (!number(parser, info, text, 0, 50, &value))
            return false;
        options->jitter = value / 100;
        return true;
    case OPTION_STEP_TIME:
        return number(parser, info, text, 0.001, 3600, &options->step_time_s);
    case OPTION_SLOW:
        return slow_rank(parser, text);
    case OPTION_SPEED:
        return number(parser, info, text, 0.001, 1000, &options->speed);
    default:
        return set_run(parser, info, text);
    }
}

/* Options of the screen and of the report. */
static bool set_output(struct parser *parser, const struct option_info *info, const char *text)
{
    static const char *const colors[] = {"auto", "always", "never"};
    struct options *options = parser->options;
    int which = 0;
    switch (info->id) {
    case OPTION_FROM:
        return integer(parser, info, text, 0, INT64_MAX, &options->from_step);
    case OPTION_TO:
        return integer(parser, info, text, 0, INT64_MAX, &options->to_step);
    case OPTION_JSON:
        return options->json = true;
    case OPTION_FPS:
        return number(parser, info, text, 0.1, 60, &options->fps);
    case OPTION_COLOR:
        if (!choice(parser, info, text, colors, &which))
            return false;
        options->color = (enum color_when)which;
        return true;
    case OPTION_ASCII:
        return options->ascii = true;
    case OPTION_UTF8:
        return options->utf8 = true;
    case OPTION_HELP:
        return options->help = true;
    default:
        return set_demo(parser, info, text);
    }
}

/* Options of the sources and of the model. */
static bool set_option(struct parser *parser, const struct option_info *info, const char *text)
{
    struct options *options = parser->options;
    double value = 0;
    int64_t whole = 0;
    switch (info->id) {
    case OPTION_RUN:
        options->run_file = text;
        return true;
    case OPTION_MEMORY:
        if (!number(parser, info, text, 1, 1048576, &value))
            return false;
        options->memory_bytes = (size_t)(value * 1048576);
        return true;
    case OPTION_CLOSE_LAG:
        if (!integer(parser, info, text, 2, 1000, &whole))
            return false;
        options->close_lag = (int)whole;
        return true;
    case OPTION_MAX_RANKS:
        if (!integer(parser, info, text, 1, 1048576, &whole))
            return false;
        options->max_ranks = (uint32_t)whole;
        return true;
    case OPTION_IDLE:
        return number(parser, info, text, 0.1, 86400, &options->idle_s);
    case OPTION_RECEIVE_BUFFER:
        if (!number(parser, info, text, 0.1, 1024, &value))
            return false;
        options->receive_buffer = (int)(value * 1048576);
        return true;
    case OPTION_ALLOW:
        if (options->allow_count == OPTIONS_ALLOW_MAX)
            return fail(parser, "--allow can be given %d times at most", OPTIONS_ALLOW_MAX);
        options->allow[options->allow_count++] = text;
        return true;
    case OPTION_POLL:
        return options->poll_only = true;
    default:
        return set_output(parser, info, text);
    }
}

static const struct option_info *find(const struct parser *parser, struct str name, char letter)
{
    for (size_t i = 0; i < sizeof(infos) / sizeof(infos[0]); i++) {
        bool same = letter ? infos[i].letter == letter : str_is(name, infos[i].name);
        if (same && (infos[i].commands & parser->command))
            return &infos[i];
    }
    return NULL;
}

/* The option at argv[*at]; *at moves over its argument. */
static bool take_option(struct parser *parser, int argc, char **argv, int *at)
{
    const char *word = argv[*at];
    const char *equals = word[1] == '-' ? strchr(word, '=') : NULL;
    struct str name = {0};
    if (word[1] == '-')
        name = str_of(word + 2, equals ? (size_t)(equals - word) - 2 : strlen(word) - 2);
    else if (word[2] != '\0')
        return fail(parser, "unknown option %s", word);
    const struct option_info *info = find(parser, name, word[1] == '-' ? '\0' : word[1]);
    if (!info)
        return fail(parser, "unknown option %s; see lockstep %s --help", word, argv[0]);
    const char *argument = equals ? equals + 1 : NULL;
    if (!info->argument && argument)
        return fail(parser, "--%s takes no argument", info->name);
    if (info->argument && !argument) {
        if (*at + 1 >= argc)
            return fail(parser, "--%s needs an argument: %s", info->name, info->argument);
        argument = argv[++*at];
    }
    parser->options->given |= UINT64_C(1) << info->id;
    return set_option(parser, info, argument);
}

static void set_defaults(struct options *options)
{
    *options = (struct options){
        .memory_bytes = (size_t)256 << 20,
        .close_lag = 2,
        .max_ranks = 65536,
        .from_step = INT64_MIN,
        .to_step = INT64_MAX,
        .idle_s = 2,
        .receive_buffer = 8 << 20,
        .fps = 5,
        .ranks = 8,
        .seed = 1,
        .jitter = 0.02,
        .step_time_s = 1,
        .slow_rank = 5,
        .slow_factor = 1.1,
        .speed = 1,
    };
    run_init(&options->run);
}

int options_parse(struct options *options, unsigned command, int argc, char **argv, char *error,
                  size_t error_size)
{
    struct parser parser = {options, command, error, error_size};
    _Static_assert(OPTION_COUNT <= 64, "options.given has a bit for each option");
    set_defaults(options);
    bool only_sources = false;
    options->sources = argv + 1;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (only_sources || word[0] != '-' || word[1] == '\0') {
            options->sources[options->source_count++] = argv[i];
        } else if (strcmp(word, "--") == 0) {
            only_sources = true;
        } else if (!take_option(&parser, argc, argv, &i)) {
            return -1;
        }
    }
    if (options->from_step > options->to_step) {
        fail(&parser, "--from is after --to");
        return -1;
    }
    return 0;
}

void options_apply_run(const struct options *options, struct run *run)
{
#define TAKE(id, member)                                                                           \
    if (options->given & (UINT64_C(1) << OPTION_##id))                                             \
    run->member = options->run.member
    TAKE(GPUS, gpus);
    TAKE(PEAK, peak_flops);
    TAKE(PARAMS, params);
    TAKE(ACTIVE_PARAMS, active_params);
    TAKE(LAYERS, layers);
    TAKE(HIDDEN, hidden);
    TAKE(SEQUENCE, sequence);
    TAKE(TOKENS, tokens_per_step);
    TAKE(ATTENTION, attention);
    TAKE(RECOMPUTE, recompute);
    TAKE(BARRIER, barrier);
    TAKE(THRESHOLD, threshold);
    TAKE(WINDOW, window);
#undef TAKE
    if (options->given & (UINT64_C(1) << OPTION_CHIP)) {
        memcpy(run->chip, options->run.chip, sizeof(run->chip));
        if (!(options->given & (UINT64_C(1) << OPTION_PEAK)))
            run->peak_flops = 0; /* another chip: the file's peak is not its peak */
    }
}

void options_help(unsigned command, void (*print)(void *to, const char *line), void *to)
{
    for (size_t i = 0; i < sizeof(infos) / sizeof(infos[0]); i++) {
        char name[40], line[160];
        if (!(infos[i].commands & command))
            continue;
        snprintf(name, sizeof(name), "--%s%s%s", infos[i].name, infos[i].argument ? " " : "",
                 infos[i].argument ? infos[i].argument : "");
        if (infos[i].letter)
            snprintf(line, sizeof(line), "  -%c, %-20s %s", infos[i].letter, name, infos[i].help);
        else
            snprintf(line, sizeof(line), "      %-20s %s", name, infos[i].help);
        print(to, line);
    }
}
