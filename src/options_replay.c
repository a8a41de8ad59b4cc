/* Options of replays and of what a report is written as. */
#include <string.h>

#include "options_value.h"

static bool one_of(struct parser *parser, const struct option_info *info, const char *text,
                   const char *const *words, int count, const char **to)
{
    int which = 0;
    if (!option_choice(parser, info, text, words, count, &which))
        return false;
    *to = words[which];
    return true;
}

/* Options of the report's shape. */
static bool set_report(struct parser *parser, const struct option_info *info, const char *text)
{
    static const char *const tables[] = {"steps", "ranks", "events"};
    static const char *const figures[] = {"timeline", "heat", "history", "ledger"};
    struct options *options = parser->options;
    switch (info->id) {
    case OPTION_STEP:
        return option_integer(parser, info, text, 0, INT64_MAX, &options->step);
    case OPTION_CSV:
        return one_of(parser, info, text, tables, 3, &options->csv);
    case OPTION_SVG:
        return one_of(parser, info, text, figures, 4, &options->svg);
    case OPTION_HTML:
        return options->html = true;
    case OPTION_OUTPUT:
        options->output = text;
        return true;
    case OPTION_COMPARE:
        return options->compare = true;
    case OPTION_CHECK:
        if (options->check_count == OPTIONS_CHECKS_MAX)
            return option_fail(parser, "--check can be given %d times at most", OPTIONS_CHECKS_MAX);
        options->checks[options->check_count++] = text;
        return true;
    default:
        return option_set_run(parser, info, text);
    }
}

/* A format of logs, or, as that option was once called, one of numbers. */
static bool set_format(struct parser *parser, const struct option_info *info, const char *text)
{
    struct options *options = parser->options;
    int which = 0;
    for (; which < 4; which++)
        if (strcmp(text, run_format_words[which]) == 0)
            break;
    if (which == 4 && (parser->command & COMMAND_LOGS)) {
        options->log_format = text;
        return true;
    }
    if (!option_choice(parser, info, text, run_format_words, 4, &which))
        return false;
    options->run.format = (enum number_format)which;
    options->given[OPTION_FORMAT] = true;
    return true;
}

/* Options of logs in other formats. */
static bool set_logs(struct parser *parser, const struct option_info *info, const char *text)
{
    struct options *options = parser->options;
    switch (info->id) {
    case OPTION_LOG_FORMAT:
        return set_format(parser, info, text);
    case OPTION_MAP:
    case OPTION_PATTERN:
        if (options->described_count == OPTIONS_DESCRIBED_MAX)
            return option_fail(parser, "--map and --pattern can be given %d times at most",
                               OPTIONS_DESCRIBED_MAX);
        options->described[options->described_count++] =
            (struct described_log){info->id == OPTION_PATTERN, text};
        return true;
    default:
        return set_report(parser, info, text);
    }
}

bool option_set_replay(struct parser *parser, const struct option_info *info, const char *text)
{
    struct options *options = parser->options;
    int64_t whole = 0;
    switch (info->id) {
    case OPTION_AT:
        options->at = text;
        return true;
    case OPTION_IDLE_LIMIT:
        return option_number(parser, info, text, 0.1, 86400, &options->idle_limit_s);
    case OPTION_PAUSED:
        return options->paused = true;
    case OPTION_THREADS:
        if (!option_integer(parser, info, text, 1, 64, &whole))
            return false;
        options->threads = (int)whole;
        return true;
    case OPTION_RECORD:
        options->record_file = text;
        return true;
    default:
        return set_logs(parser, info, text);
    }
}
