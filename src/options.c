/* The command line. */
#include "options.h"

#include <stdio.h>
#include <string.h>

#include "options_value.h"
#include "str.h"

static const struct option_info infos[] = {
#define OPTION(id, name, letter, argument, commands, help)                                         \
    {OPTION_##id, name, letter, argument, commands, help},
#include "options.def"
#undef OPTION
};

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
    return option_fail(parser, "--slow takes RANK:FACTOR, such as 5:1.1, or none, not '%s'", text);
}

/* Options of the demo. */
static bool set_demo(struct parser *parser, const struct option_info *info, const char *text)
{
    struct options *options = parser->options;
    double value = 0;
    int64_t whole = 0;
    switch (info->id) {
    case OPTION_RANKS:
        if (!option_integer(parser, info, text, 1, 65536, &whole))
            return false;
        options->ranks = (uint32_t)whole;
        return true;
    case OPTION_SEED:
        if (!option_integer(parser, info, text, 0, INT64_MAX, &whole))
            return false;
        options->seed = (uint64_t)whole;
        return true;
    case OPTION_JITTER:
        if (!option_number(parser, info, text, 0, 50, &value))
            return false;
        options->jitter = value / 100;
        return true;
    case OPTION_STEP_TIME:
        return option_number(parser, info, text, 0.001, 3600, &options->step_time_s);
    case OPTION_SLOW:
        return slow_rank(parser, text);
    case OPTION_SPEED:
        return option_number(parser, info, text, 0.001, 1000, &options->speed);
    default:
        return option_set_calc(parser, info, text);
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
        return option_integer(parser, info, text, 0, INT64_MAX, &options->from_step);
    case OPTION_TO:
        return option_integer(parser, info, text, 0, INT64_MAX, &options->to_step);
    case OPTION_JSON:
        return options->json = true;
    case OPTION_WHAT_IF:
        if (options->what_if_count == OPTIONS_WHAT_IF_MAX)
            return option_fail(parser, "--what-if can be given %d times at most",
                               OPTIONS_WHAT_IF_MAX);
        options->what_if[options->what_if_count++] = text;
        return true;
    case OPTION_FIGURES_ONLY:
        return options->figures_only = true;
    case OPTION_FPS:
        return option_number(parser, info, text, 0.1, 60, &options->fps);
    case OPTION_COLOR:
        if (!option_choice(parser, info, text, colors, 3, &which))
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
    case OPTION_STATES:
        if (!option_number(parser, info, text, 1, 1048576, &value))
            return false;
        options->memory_bytes = (size_t)(value * 1048576);
        return true;
    case OPTION_CLOSE_LAG:
        if (!option_integer(parser, info, text, 2, 1000, &whole))
            return false;
        options->close_lag = (int)whole;
        return true;
    case OPTION_MAX_RANKS:
        if (!option_integer(parser, info, text, 1, 1048576, &whole))
            return false;
        options->max_ranks = (uint32_t)whole;
        return true;
    case OPTION_IDLE:
        return option_number(parser, info, text, 0.1, 86400, &options->idle_s);
    case OPTION_RECEIVE_BUFFER:
        if (!option_number(parser, info, text, 0.1, 1024, &value))
            return false;
        options->receive_buffer = (int)(value * 1048576);
        return true;
    case OPTION_ALLOW:
        if (options->allow_count == OPTIONS_ALLOW_MAX)
            return option_fail(parser, "--allow can be given %d times at most", OPTIONS_ALLOW_MAX);
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
        return option_fail(parser, "unknown option %s", word);
    const struct option_info *info = find(parser, name, word[1] == '-' ? '\0' : word[1]);
    if (!info)
        return option_fail(parser, "unknown option %s; see lockstep %s --help", word, argv[0]);
    const char *argument = equals ? equals + 1 : NULL;
    if (!info->argument && argument)
        return option_fail(parser, "--%s takes no argument", info->name);
    if (info->argument && !argument) {
        if (*at + 1 >= argc)
            return option_fail(parser, "--%s needs an argument: %s", info->name, info->argument);
        argument = argv[++*at];
    }
    parser->options->given[info->id] = true;
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
        .step = -1,
    };
    run_init(&options->run);
}

int options_parse(struct options *options, unsigned command, int argc, char **argv, char *error,
                  size_t error_size)
{
    struct parser parser = {options, command, error, error_size};
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
        option_fail(&parser, "--from is after --to");
        return -1;
    }
    char why[128];
    if (!run_check(&options->run, why, sizeof(why))) {
        option_fail(&parser, "--active-params: %s", why);
        return -1;
    }
    return 0;
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
            snprintf(line, sizeof(line), "  -%c, %-20s  %s", infos[i].letter, name, infos[i].help);
        else
            snprintf(line, sizeof(line), "      %-20s  %s", name, infos[i].help);
        print(to, line);
    }
}
